/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles of a sample, and the bound on their error.
 *
 * The bound. F(x) is the share of all weight below the key x, G(x) what the sample says. For one x,
 * k rows drawn without replacement, weights at most w and m on average (Hoeffding 1963, theorems 1,
 * 2 and 4; Bernstein's inequality with the mean square s for the variance):
 *
 *   P(G(x) - F(x) >= t) <= exp(-2 k t^2 (m/w)^2)      P(...) <= exp(-k t^2 / (2 (s/m^2 + t w/3m)))
 *
 * and the same below. Split keys depend on the sample, so the bound must hold for all x at once: F
 * is cut into GRID steps, at both sides of which it must hold, and between them F and G only grow.
 * With GRID * 2 events of probability DOUBT / (GRID * 2) each: |G - F| <= t + 1 / GRID everywhere.
 * A region has two ends, so its share may be wrong by twice that. */
#include "partitioner/split_sample.h"

#include <math.h>

enum { GRID = 1000 };

/* ln(2 GRID / DOUBT), DOUBT = 0.01. */
static const double LOG_EVENTS = 12.206072645530174;

double sm_sample_error(const sm_population *all, size_t k)
{
    const double rows = (double)all->rows;
    const double mean = (double)all->weight / rows;
    const double most = (double)all->most_weight / mean;
    const double square = all->squares / rows / (mean * mean);
    const double n = (double)k;
    if (k >= all->rows) {
        return 0;
    }
    const double hoeffding = most * sqrt(LOG_EVENTS / (2 * n));
    const double b = 2 * LOG_EVENTS * most / 3;
    const double bernstein = (b + sqrt(b * b + 8 * n * LOG_EVENTS * square)) / (2 * n);
    const double t = hoeffding < bernstein ? hoeffding : bernstein;
    return t + 1.0 / GRID;
}

/* ---- quantiles ------------------------------------------------------------------------------- */

typedef struct cutter {
    sm_arena *arena;
    const sm_sample_item *items; /* sorted by key */
    size_t count;
    uint64_t total; /* weight of the sample */
    sm_bytes *keys;
    size_t key_count;
    size_t regions, next; /* the next target is the start of region `next` */
    uint64_t last_below;  /* weight below the last cut */
    sm_split_quality *quality;
} cutter;

/* The shortest key s with left < s <= right: one byte more than both have in common. */
static sm_bytes separator(sm_bytes left, sm_bytes right)
{
    size_t common = 0;
    while (common < left.len && left.data[common] == right.data[common]) {
        common++;
    }
    return sm_bytes_of(right.data, common + 1);
}

static void note_share(cutter *c, uint64_t weight)
{
    const double share = (double)weight / (double)c->total;
    sm_split_quality *q = c->quality;
    q->least = q->least < 0 || share < q->least ? share : q->least;
    q->greatest = share > q->greatest ? share : q->greatest;
}

/* A cut in front of item i, below which `below` of the weight lies. */
static sm_status cut(cutter *c, size_t i, uint64_t below, sm_error *err)
{
    const sm_bytes key = separator(c->items[i - 1].key, c->items[i].key);
    const char *copy = sm_arena_text(c->arena, key.data, key.len);
    if (copy == NULL) {
        return sm_fail_memory(err, key.len, "split keys");
    }
    c->keys[c->key_count++] = sm_bytes_of(copy, key.len);
    note_share(c, below - c->last_below);
    c->last_below = below;
    return SM_OK;
}

/* floor(total * j / regions) without a product that is too wide: j and the rest are below 2^20. */
static uint64_t target(const cutter *c, size_t j)
{
    return c->total / c->regions * j + c->total % c->regions * j / c->regions;
}

/* A place where one key ends and the next begins: in front of item i. */
typedef struct seam {
    size_t at;
    uint64_t below;
} seam;

/* Every target up to `here` takes the nearer of the two seams around it. */
static sm_status take_targets(cutter *c, const seam *before, const seam *here, uint64_t up_to,
                              sm_error *err)
{
    sm_status st = SM_OK;
    for (; st == SM_OK && c->next < c->regions; c->next++) {
        const uint64_t at = target(c, c->next);
        if (at > up_to) {
            return SM_OK;
        }
        const bool back =
            here == NULL || (before->at != 0 && at - before->below < here->below - at);
        const seam *chosen = back ? before : here;
        if (chosen->below > c->last_below) {
            st = cut(c, chosen->at, chosen->below, err);
        }
    }
    return st;
}

static sm_status cut_all(cutter *c, sm_error *err)
{
    sm_status st = SM_OK;
    seam before = {0, 0};
    uint64_t below = 0;
    for (size_t i = 1; st == SM_OK && i < c->count; i++) {
        below += c->items[i - 1].weight;
        if (sm_bytes_equal(c->items[i - 1].key, c->items[i].key)) {
            continue;
        }
        const seam here = {i, below};
        st = take_targets(c, &before, &here, below, err);
        before = here;
        c->quality->distinct++;
    }
    return st == SM_OK ? take_targets(c, &before, NULL, c->total, err) : st;
}

sm_status sm_splits_of_sample(sm_arena *arena, const sm_split_cut *what, const sm_splits **out,
                              sm_split_quality *quality, sm_error *err)
{
    cutter c = {.arena = arena, .regions = what->regions, .next = 1, .quality = quality};
    c.items = sm_sample_sorted(what->sample, &c.count);
    *quality = (sm_split_quality){.sampled = c.count, .distinct = 1, .least = -1};
    for (size_t i = 0; i < c.count; i++) {
        c.total += c.items[i].weight;
    }
    c.keys = sm_arena_array(arena, what->regions, sizeof *c.keys);
    if (c.keys == NULL) {
        return sm_fail_memory(err, what->regions * sizeof *c.keys, "split keys");
    }
    const sm_status st = cut_all(&c, err);
    if (st != SM_OK) {
        return st;
    }
    note_share(&c, c.total - c.last_below);
    quality->error = 2 * sm_sample_error(what->all, c.count);
    return sm_splits_of_keys(arena, "the sample", c.keys, c.key_count, out, err);
}
