/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about where rows go: empty and crowded regions, salts against regions, hot spots, heavy
 * values. Thresholds stand at the top. */
#include "job/check_judge.h"
#include "partitioner/keytree.h"

#include <string.h>

/* Below this many rows to a region, chance alone makes regions empty or crowded. */
static const uint64_t ENOUGH_PER_REGION = 20;
static const double SKEW = 2.0;          /* the greatest region against the mean */
static const double HOT = 0.5;           /* chance that two near records share a region ... */
static const double HOT_OVER_EVEN = 3.0; /* ... and how much more than without any order */
static const double HEAVY_MOST = 0.10;   /* share of the rows */
static const double HEAVY_LEAST = 0.01;
static const double SALT_UNEVEN = 1.25; /* most salts of a region against the fewest */

enum { ALPHABET_ROOM = 40 };

static bool enough(const sm_check_table *t)
{
    return t->images >= ENOUGH_PER_REGION * t->spread.regions;
}

/* ---- empty regions --------------------------------------------------------------------------- */

/* The least text over the alphabet (ascending) that is not below `start`; false when there is none.
 * A text may go on, so what `start` has behind the first other byte does not count. */
static bool least_text(const char *alphabet, sm_bytes start, uint8_t *out, size_t *len)
{
    size_t at = 0;
    if (start.len == 0) {
        out[0] = (uint8_t)alphabet[0];
        *len = 1;
        return true;
    }
    while (at < start.len && at < ALPHABET_ROOM && start.data[at] != 0 &&
           strchr(alphabet, start.data[at]) != NULL) {
        out[at] = start.data[at];
        at++;
    }
    *len = at;
    if (at == start.len || at == ALPHABET_ROOM) {
        return true;
    }
    uint8_t over = start.data[at];
    for (;;) {
        for (const char *c = alphabet; *c != '\0'; c++) {
            if ((uint8_t)*c > over) {
                out[at] = (uint8_t)*c;
                *len = at + 1;
                return true;
            }
        }
        if (at == 0) {
            return false;
        }
        over = out[--at];
    }
}

static bool can_hold(const char *alphabet, const sm_check_region *r)
{
    uint8_t low[ALPHABET_ROOM + 1];
    size_t len = 0;
    if (!least_text(alphabet, r->start, low, &len)) {
        return false;
    }
    return r->end.len == 0 || sm_bytes_compare(sm_bytes_of(low, len), r->end) < 0;
}

/* True when rows lie in regions that texts over the alphabet reach, in all of these, and nowhere
 * else: then it is the alphabet that leaves the others empty. */
static bool explains(const sm_check_table *t, const char *alphabet)
{
    bool unreachable = false;
    for (uint64_t i = 0; i < t->spread.regions; i++) {
        const bool reached = can_hold(alphabet, &t->regions[i]);
        if (reached != (t->regions[i].images > 0)) {
            return false;
        }
        unreachable = unreachable || !reached;
    }
    return unreachable;
}

static void digits_remedy(sm_judge *j, sm_finding *f, bool hex)
{
    const uint64_t width = j->table->length.min < 8 ? j->table->length.min : 8;
    f->remedy = sm_judge_format(
        j,
        "splits: {%s: {start: \"%.*s\", end: \"%.*s\", regions: %llu}} cuts where such texts are",
        hex ? "hex" : "decimal", (int)width, "00000000", (int)width, hex ? "ffffffff" : "99999999",
        (unsigned long long)j->table->spread.regions);
}

/* What the key begins with is known to hold digits alone. */
static bool begins_with_digits(const sm_job_table *t)
{
    const sm_node *first = t->key->root;
    first = first->kind == SM_NODE_CONCAT ? first->child[0] : first;
    return first->type == SM_TYPE_TEXT && first->charset == SM_CHARSET_DIGITS;
}

static void empty_remedy(sm_judge *j, sm_finding *f, const char **why)
{
    const sm_check_table *t = j->table;
    if (t->salt.salts > 0) {
        f->remedy =
            sm_judge_format(j, "splits: {salt: %llu, regions: R}, with at most %llu regions",
                            (unsigned long long)t->salt.salts, (unsigned long long)t->salt.salts);
    } else if (begins_with_digits(t->table) && explains(t, "0123456789")) {
        *why = "; keys of decimal digits never sort outside of '0' ... '9'";
        digits_remedy(j, f, false);
    } else if (explains(t, "0123456789abcdef")) {
        *why = "; keys of hexadecimal digits never sort between '9' and 'a' or behind 'f', where "
               "byte-wise splits put regions";
        digits_remedy(j, f, true);
    }
}

static const sm_check_region *first_empty(const sm_check_table *t)
{
    uint64_t i = 0;
    while (i + 1 < t->spread.regions && t->regions[i].images > 0) {
        i++;
    }
    return &t->regions[i];
}

static void judge_empty(sm_judge *j)
{
    const sm_check_table *t = j->table;
    const char *why = "";
    if (t->spread.empty == 0 || !enough(t)) {
        return;
    }
    const sm_check_region *r = first_empty(t);
    const char *start = sm_judge_shown(j, r->start);
    const char *end = sm_judge_shown(j, r->end);
    sm_finding *f = sm_judge_add(j, SM_FINDING_EMPTY_REGIONS);
    empty_remedy(j, f, &why);
    f->text =
        sm_judge_format(j, "%llu of %llu regions get no row, the first from \"%s\" to \"%s\"%s",
                        (unsigned long long)t->spread.empty, (unsigned long long)t->spread.regions,
                        start, end, why);
    sm_judge_number(f, "regions", (double)t->spread.empty);
}

/* ---- crowded regions ------------------------------------------------------------------------- */

static void judge_skew(sm_judge *j)
{
    const sm_check_spread *s = &j->table->spread;
    const double skew = s->skew_bytes > s->skew_images ? s->skew_bytes : s->skew_images;
    if (s->regions < 2 || skew < SKEW || !enough(j->table)) {
        return;
    }
    uint64_t at = 0;
    for (uint64_t i = 1; i < s->regions; i++) {
        at = j->table->regions[i].bytes > j->table->regions[at].bytes ? i : at;
    }
    const sm_check_region *r = &j->table->regions[at];
    const char *start = sm_judge_shown(j, r->start);
    sm_finding *f = sm_judge_add(j, SM_FINDING_REGION_SKEW);
    f->text = sm_judge_format(
        j,
        "region %llu, from \"%s\", gets %llu of %llu rows; the greatest region has %.2f times "
        "the mean (%.2f times in bytes)",
        (unsigned long long)at + 1, start, (unsigned long long)r->images,
        (unsigned long long)j->table->images, s->skew_images, s->skew_bytes);
    sm_judge_number(f, "times the mean", skew);
}

static void judge_one_region(sm_judge *j)
{
    if (j->table->spread.regions != 1) {
        return;
    }
    sm_finding *f = sm_judge_add(j, SM_FINDING_ONE_REGION);
    f->text =
        sm_judge_format(j, "all %llu rows go to one region", (unsigned long long)j->table->images);
    sm_judge_number(f, "rows", (double)j->table->images);
}

/* ---- salts ----------------------------------------------------------------------------------- */

static void judge_salts(sm_judge *j)
{
    const sm_check_salt *s = &j->table->salt;
    const uint64_t regions = j->table->spread.regions;
    const bool uneven = (double)s->max_per_region > SALT_UNEVEN * (double)s->min_per_region;
    if (s->salts == 0 || regions < 2 || (s->cut_inside == 0 && !uneven)) {
        return;
    }
    sm_finding *f = sm_judge_add(j, SM_FINDING_SALT_REGION_MISMATCH);
    f->part = s->part;
    if (s->cut_inside > 0) {
        f->text = sm_judge_format(
            j, "%llu values over %llu regions, and %llu split keys fall inside a value",
            (unsigned long long)s->salts, (unsigned long long)regions,
            (unsigned long long)s->cut_inside);
        sm_judge_number(f, "split keys", (double)s->cut_inside);
        return;
    }
    f->text = sm_judge_format(j, "%llu values over %llu regions: from %llu to %llu values a region",
                              (unsigned long long)s->salts, (unsigned long long)regions,
                              (unsigned long long)s->min_per_region,
                              (unsigned long long)s->max_per_region);
    sm_judge_number(f, "values a region", (double)s->max_per_region);
}

/* ---- hot spots and heavy values -------------------------------------------------------------- */

static bool is_hot(double index, double even)
{
    return index >= HOT && index >= HOT_OVER_EVEN * even;
}

/* Where all rows lie in few regions anyway, only cuts by equal numbers of rows show the order. */
static void judge_hot(sm_judge *j)
{
    const sm_check_hot *h = &j->table->hot;
    const bool by_cut = !is_hot(h->index, h->even);
    const double index = by_cut ? h->cut.index : h->index;
    const double even = by_cut ? h->cut.even : h->even;
    if (!h->known || !is_hot(index, even)) {
        return;
    }
    sm_finding *f = sm_judge_add(j, SM_FINDING_HOT_SPOT);
    f->text = sm_judge_format(
        j,
        "two records near each other in the input go to the same %s with chance %.2f; without "
        "order it would be %.2f",
        by_cut ? "sixteenth of the keys" : "place", index, even);
    sm_judge_number(f, "chance", index);
}

static double heavy_share(const sm_check_table *t)
{
    const double mean = 1.0 / (double)t->spread.regions;
    return mean > HEAVY_MOST ? HEAVY_MOST : mean < HEAVY_LEAST ? HEAVY_LEAST : mean;
}

/* Rows that a group of one value may have: a hash shares out evenly only in the mean. */
static double heavy_rows(const sm_check_table *t, const sm_check_lead *l)
{
    return heavy_share(t) * (double)t->images * (l->groups > 1 ? SALT_UNEVEN : 1);
}

static bool is_heavy(const sm_check_table *t, const sm_check_lead *l)
{
    return (double)l->greatest > heavy_rows(t, l);
}

/* The least number of sub-salts whose mean share of the greatest group is no more than wanted. */
static uint64_t sub_salts(const sm_check_table *t, const sm_check_lead *l)
{
    static const double ROUNDING = 1e-9;
    const double wanted = heavy_share(t) * (double)t->images;
    uint64_t n = 2;
    while (wanted * (double)n * (1 + ROUNDING) < (double)l->greatest) {
        n++;
    }
    return n;
}

static void heavy_remedy(sm_judge *j, sm_finding *f, const sm_check_lead *l)
{
    const sm_check_table *t = j->table;
    const char *front = t->salt.salts > 0 ? t->salt.part : NULL;
    const unsigned long long n = sub_salts(t, l);
    const char *rule =
        front != NULL
            ? sm_judge_format(j, "%s -> %s + salt(%llu, record)", front, front, n)
            : sm_judge_format(j, "%s -> salt(%llu, record) + %s", t->leads.part, n, t->leads.part);
    f->sub_salts = n;
    f->scans = n * l->groups;
    f->remedy = sm_judge_format(
        j,
        "%s, with regions cut where the keys are (saltmill splits): each sub-salt then holds about "
        "%.1f%% of the rows; a query for this value needs %llu scans instead of %llu%s",
        rule, 100 * (double)l->greatest / (double)n / (double)t->images,
        (unsigned long long)f->scans, (unsigned long long)l->groups,
        j->result->job->identity_count == 0 ? "; record needs input.identity" : "");
}

static void report_heavy(sm_judge *j, const sm_check_lead *l, size_t heavy)
{
    const double rows = (double)j->table->images;
    sm_finding *f = sm_judge_add(j, SM_FINDING_HEAVY_LEAD);
    heavy_remedy(j, f, l);
    f->part = j->table->leads.part;
    f->text = sm_judge_format(
        j,
        "\"%s\" holds %.1f%% of the rows (%llu, %llu bytes), in %llu region%s; %zu value%s more "
        "than %.1f%%%s",
        sm_judge_shown(j, l->value), 100 * (double)l->images / rows, (unsigned long long)l->images,
        (unsigned long long)l->bytes, (unsigned long long)l->regions, l->regions == 1 ? "" : "s",
        heavy, heavy == 1 ? " holds" : "s hold", 100 * heavy_rows(j->table, l) / rows,
        l->groups > 1 ? " behind one salt" : "");
    sm_judge_number(f, "share", (double)l->images / rows);
}

static void judge_heavy(sm_judge *j)
{
    const sm_check_leads *l = &j->table->leads;
    const sm_check_lead *worst = NULL;
    size_t heavy = 0;
    if (l->part == NULL || !enough(j->table) || j->table->images < 100) {
        return;
    }
    for (size_t i = 0; i < l->count; i++) {
        const sm_check_lead *at = &l->items[i];
        if (is_heavy(j->table, at)) {
            worst = worst == NULL || at->greatest > worst->greatest ? at : worst;
            heavy++;
        }
    }
    if (worst != NULL) {
        report_heavy(j, worst, heavy);
    }
}

/* ---- values under several leading parts ------------------------------------------------------ */

static void judge_stable(sm_judge *j)
{
    const sm_check_stable *s = &j->table->stable;
    if (s->unstable == 0) {
        return;
    }
    const unsigned long long unstable = s->unstable * s->scale;
    sm_finding *f = sm_judge_add(j, SM_FINDING_UNSTABLE_KEY);
    f->part = s->field;
    f->text = sm_judge_format(
        j, "%s%llu of %llu values of %s stand under more than one %s, such as \"%s\"",
        s->scale > 1 ? "estimated from those with low hashes, about " : "", unstable,
        (unsigned long long)(s->seen * s->scale), s->field, j->table->leads.part,
        sm_judge_shown(j, s->example));
    sm_judge_number(f, "values", (double)unstable);
}

void sm_judge_regions(sm_judge *j)
{
    if (j->table->images == 0) {
        return;
    }
    judge_one_region(j);
    judge_skew(j);
    judge_empty(j);
    judge_salts(j);
    judge_hot(j);
    judge_heavy(j);
    judge_stable(j);
}
