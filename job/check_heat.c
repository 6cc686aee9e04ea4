/* SPDX-License-Identifier: Apache-2.0 */
/* Probes (rows that follow each other in the input) and what they say about hot spots. */
#include "core/mem.h"
#include "job/check_engine.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW_MOST = 1000, WINDOW_LEAST = 16, WINDOW_PART = 320 };

/* ---- probes ---------------------------------------------------------------------------------- */

/* SplitMix64's finaliser. */
uint64_t sm_check_mix(uint64_t sequence)
{
    uint64_t z = sequence + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

void sm_check_probe_init(sm_check_probe *p)
{
    sm_buf_init(&p->keys, SM_CHECK_PROBE_BYTES);
    sm_buf_init(&p->ends, SM_CHECK_PROBE_ROWS * sizeof(uint32_t));
    sm_buf_init(&p->regions, (size_t)SM_CHECK_PROBE_ROWS * SM_CHECK_VARIANTS * sizeof(uint16_t));
}

void sm_check_probe_free(sm_check_probe *p)
{
    sm_buf_free(&p->keys);
    sm_buf_free(&p->ends);
    sm_buf_free(&p->regions);
}

void sm_check_probe_start(sm_check_probe *p, uint64_t sequence)
{
    p->sequence = sequence;
    p->rank = sm_check_mix(sequence);
    p->rows = 0;
    p->full = false;
    sm_buf_clear(&p->keys);
    sm_buf_clear(&p->ends);
    sm_buf_clear(&p->regions);
}

sm_status sm_check_probe_add(sm_check_probe *p, sm_bytes key, const uint16_t *regions, size_t count,
                             sm_error *err)
{
    p->full =
        p->full || p->rows == SM_CHECK_PROBE_ROWS || key.len > SM_CHECK_PROBE_BYTES - p->keys.len;
    if (p->full) {
        return SM_OK;
    }
    p->rows++;
    sm_status st = sm_buf_append(&p->keys, key.data, key.len, err);
    const uint32_t end = (uint32_t)p->keys.len;
    if (st == SM_OK) {
        st = sm_buf_append(&p->ends, &end, sizeof end, err);
    }
    return st == SM_OK && count != 0
               ? sm_buf_append(&p->regions, regions, count * sizeof *regions, err)
               : st;
}

void sm_check_probes_offer(sm_check_probes *all, sm_check_probe *p)
{
    size_t at = all->count;
    if (p->rows == 0) {
        return;
    }
    if (at == SM_CHECK_PROBES) {
        at = 0;
        for (size_t i = 1; i < all->count; i++) {
            at = all->items[i].rank > all->items[at].rank ? i : at;
        }
        if (all->items[at].rank < p->rank) {
            return;
        }
    } else {
        sm_check_probe_init(&all->items[all->count++]);
    }
    const sm_check_probe old = all->items[at];
    all->items[at] = *p;
    *p = old;
}

void sm_check_probes_free(sm_check_probes *all)
{
    for (size_t i = 0; i < all->count; i++) {
        sm_check_probe_free(&all->items[i]);
    }
    all->count = 0;
}

/* ---- heat ------------------------------------------------------------------------------------ */

/* Whole numbers, so that the order of adding does not show. */
typedef struct tally {
    uint64_t pairs, met; /* of two rows of a window; in the same region */
    uint64_t rows, busiest;
    uint64_t steps, stayed; /* from one row to the next */
    uint64_t windows;
} tally;

static int compare_regions(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts the window's regions. */
static void count_window(uint32_t *regions, size_t count, tally *t)
{
    uint64_t most = 0;
    for (size_t i = 1; i < count; i++) {
        t->stayed += regions[i] == regions[i - 1];
    }
    qsort(regions, count, sizeof *regions, compare_regions);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && regions[end] == regions[i]) {
            end++;
        }
        const uint64_t n = end - i;
        t->met += n * (n - 1);
        most = n > most ? n : most;
        i = end;
    }
    t->pairs += (uint64_t)count * (count - 1);
    t->steps += count - 1;
    t->rows += count;
    t->busiest += most;
    t->windows++;
}

static void count_probe(uint32_t *regions, size_t rows, size_t window, tally *t)
{
    for (size_t at = 0; rows - at >= 2; at += window) {
        const size_t n = rows - at < window ? rows - at : window;
        count_window(regions + at, n, t);
        if (n < window) {
            return;
        }
    }
}

static sm_bytes key_of(const sm_check_probe *p, size_t row)
{
    uint32_t ends[2] = {0, 0};
    if (row == 0) {
        memcpy(&ends[1], p->ends.data, sizeof ends[1]);
    } else {
        memcpy(ends, p->ends.data + (row - 1) * sizeof *ends, sizeof ends);
    }
    return sm_bytes_of(p->keys.data + ends[0], ends[1] - ends[0]);
}

static uint32_t cut_of(const sm_check_cut *cuts, size_t count, sm_bytes key)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sm_bytes_compare(sm_buf_view(&cuts[middle].key), key) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

/* By which regions rows are told apart: splits, cuts, or those noted of a what-if. */
typedef struct view {
    const sm_splits *splits;
    const sm_check_cut *cuts;
    size_t variant, variants;
} view;

static uint32_t region_of(const view *v, const sm_check_probe *p, size_t row)
{
    if (v->splits != NULL) {
        return (uint32_t)sm_splits_route(v->splits, key_of(p, row));
    }
    if (v->cuts != NULL) {
        return cut_of(v->cuts, SM_CHECK_CUTS - 1, key_of(p, row));
    }
    uint16_t region = 0;
    memcpy(&region, p->regions.data + (row * v->variants + v->variant) * sizeof region,
           sizeof region);
    return region;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

static void measure(const sm_check_probes *all, size_t window, const view *v, uint32_t *scratch,
                    tally *t)
{
    *t = (tally){0};
    for (size_t i = 0; i < all->count; i++) {
        const sm_check_probe *p = &all->items[i];
        for (size_t row = 0; row < p->rows; row++) {
            scratch[row] = region_of(v, p, row);
        }
        count_probe(scratch, p->rows, window, t);
    }
}

static void heat_of(const tally *t, sm_check_heat *out)
{
    out->index = share(t->met, t->pairs);
    out->busiest = share(t->busiest, t->rows);
    out->next = share(t->stayed, t->steps);
}

/* The sum of squares of the regions' shares, by adding in region order. */
static double evenness(const uint64_t *images, size_t count, uint64_t total)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double part = share(images[i], total);
        sum += part * part;
    }
    return sum;
}

static double table_evenness(const sm_check_table *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->spread.regions; i++) {
        const double part = share(t->regions[i].images, t->images);
        sum += part * part;
    }
    return sum;
}

/* Equal cuts are one. */
static void describe_cut(const sm_check_cut *cuts, uint64_t total, sm_check_heat *out)
{
    uint64_t sizes[SM_CHECK_CUTS];
    uint64_t before = 0;
    for (size_t i = 0; i < SM_CHECK_CUTS; i++) {
        const uint64_t end = i + 1 < SM_CHECK_CUTS ? cuts[i].rank : total;
        sizes[i] = end - before;
        out->regions += sizes[i] != 0;
        before = end;
    }
    out->even = evenness(sizes, SM_CHECK_CUTS, total);
}

static size_t window_for(uint64_t images)
{
    const uint64_t window = images / WINDOW_PART;
    return window < WINDOW_LEAST  ? WINDOW_LEAST
           : window > WINDOW_MOST ? WINDOW_MOST
                                  : (size_t)window;
}

static void fill_variants(sm_checking *c, size_t table, uint32_t *scratch, sm_check_table *out)
{
    sm_check_what_if *all = (sm_check_what_if *)out->what_if;
    for (size_t i = 0; i < out->what_if_count; i++) {
        const view v = {.variant = i, .variants = out->what_if_count};
        tally t;
        if (all[i].why_not != NULL) {
            continue;
        }
        measure(c->probes[table], (size_t)out->hot.window, &v, scratch, &t);
        heat_of(&t, &all[i].hot);
        all[i].hot.regions = all[i].spread.regions;
        all[i].hot.even = evenness(all[i].images, all[i].spread.regions, out->images);
    }
}

sm_status sm_check_heat_table(sm_checking *c, size_t table, sm_check_table *out, sm_error *err)
{
    if (out->images < 2) {
        return SM_OK;
    }
    uint32_t *scratch = sm_calloc(SM_CHECK_PROBE_ROWS, sizeof *scratch);
    if (scratch == NULL) {
        return sm_fail_memory(err, 0, "probes");
    }
    const sm_check_probes *all = c->probes[table];
    const view regions = {.splits = out->table->splits};
    const view cuts = {.cuts = c->cuts[table]};
    sm_check_hot *hot = &out->hot;
    tally t;
    hot->window = window_for(out->images);
    measure(all, (size_t)hot->window, &regions, scratch, &t);
    hot->rows = t.rows;
    hot->windows = t.windows;
    hot->known = t.windows != 0;
    heat_of(&t, &hot->table);
    hot->table.regions = out->spread.regions;
    hot->table.even = table_evenness(out);
    measure(all, (size_t)hot->window, &cuts, scratch, &t);
    heat_of(&t, &hot->cut);
    describe_cut(c->cuts[table], out->images, &hot->cut);
    const sm_check_heat *judged = hot->table.regions >= SM_CHECK_CUTS ? &hot->table : &hot->cut;
    hot->index = judged->index;
    hot->even = judged->even;
    fill_variants(c, table, scratch, out);
    sm_free(scratch);
    return SM_OK;
}
