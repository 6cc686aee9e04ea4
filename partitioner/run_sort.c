/* SPDX-License-Identifier: Apache-2.0 */
/* In-place sort of a share: entries are distributed to their groups, then each group is sorted by
 * bytes of its sort key, with a way out for keys that the sort key cannot tell apart. */
#include "partitioner/run_sort.h"

#include "core/endian.h"
#include "partitioner/bits.h"
#include "partitioner/run_record.h"

#include <string.h>

enum {
    INSERTION_MAX = 24, /* below this, shifting costs less than counting */
    BUCKETS = 256,
    /* What the sort key of an entry holds: 0 the varying bits, then eight bytes behind a common
     * prefix that is looked for anew on each level, then (all keys equal) the order. */
    LEVEL_ORDER = 6
};

/* ---- records ----------------------------------------------------------------------------------
 */

static inline void view_of(const sm_sort_job *job, const sm_sort_entry *e, sm_record_view *out)
{
    const uint8_t *p = job->base + sm_sort_offset(e);
    if (!sm_record_get(&p, job->end, out)) {
        *out = (sm_record_view){0}; /* cannot happen: the share wrote the record */
    }
}

static SM_NOINLINE int compare_rows(const sm_sort_job *job, const sm_sort_entry *a,
                                    const sm_sort_entry *b)
{
    sm_record_view x;
    sm_record_view y;
    view_of(job, a, &x);
    view_of(job, b, &y);
    return sm_record_compare(&x, &y);
}

static inline bool before(const sm_sort_job *job, const sm_sort_entry *a, const sm_sort_entry *b)
{
    if (a->key != b->key) {
        return a->key < b->key;
    }
    return compare_rows(job, a, b) < 0;
}

/* Eight key bytes from `at` on as a number, zeros behind the end. */
static inline uint64_t load_word(sm_bytes key, size_t at)
{
    if (at >= key.len) {
        return 0;
    }
    const uint64_t v = sm_load_be64(key.data + at);
    const size_t left = key.len - at;
    return left >= 8 ? v : v & ~(UINT64_MAX >> (8 * left));
}

/* ---- sort keys from varying bits --------------------------------------------------------------
 */

static inline size_t words_of(sm_bytes key)
{
    const size_t words = (key.len + 7) / 8;
    return words < SM_SORT_MASK_WORDS ? words : SM_SORT_MASK_WORDS;
}

static inline void observe(sm_sort_mask *m, sm_bytes key)
{
    const size_t own = words_of(key);
    if (SM_UNLIKELY(m->words == 0)) {
        for (size_t w = 0; w < own; w++) {
            m->first[w] = load_word(key, w * 8);
        }
        m->words = (uint8_t)(own == 0 ? 1 : own);
        return;
    }
    const size_t words = own > m->words ? own : m->words;
    for (size_t w = 0; w < words; w++) {
        m->vary[w] |= load_word(key, w * 8) ^ m->first[w];
    }
}

/* Decides which bits make the sort key: the first 64 that vary. */
static void choose_bits(sm_sort_mask *m)
{
    unsigned total = 0;
    m->used = 0;
    for (unsigned w = 0; w < SM_SORT_MASK_WORDS && total < 64; w++) {
        uint64_t mask = m->vary[w];
        unsigned bits = (unsigned)__builtin_popcountll(mask);
        for (; total + bits > 64; bits--) {
            mask &= mask - 1; /* the lowest bits of the last word find no room */
        }
        m->vary[w] = mask;
        m->bits[w] = (uint8_t)bits;
        m->used = (uint8_t)(w + 1);
        total += bits;
    }
    m->shift = (uint8_t)(64 - total);
}

/* Always inlined, so that `fast` is a constant and the gathering one instruction. */
SM_INLINE uint64_t gather_key(const sm_sort_mask *m, sm_bytes key,
                              uint64_t (*gather)(uint64_t, uint64_t))
{
    uint64_t out = 0;
    for (unsigned w = 0; w < m->used; w++) {
        if (m->bits[w] == 0) {
            continue;
        }
        const uint64_t part = gather(load_word(key, w * 8), m->vary[w]);
        out = m->bits[w] == 64 ? part : out << m->bits[w] | part;
    }
    return m->shift == 64 ? 0 : out << m->shift;
}

SM_INLINE void gather_keys(const sm_sort_job *job, sm_sort_entry *e, size_t count,
                           uint64_t (*gather)(uint64_t, uint64_t))
{
    sm_record_view r;
    for (size_t i = 0; i < count; i++) {
        const size_t group = sm_sort_group_of(&e[i]);
        if (group < job->mask_count) {
            view_of(job, &e[i], &r);
            e[i].key = gather_key(&job->masks[group], r.key, gather);
        }
    }
}

SM_BITS_FAST static void gather_keys_fast(const sm_sort_job *job, sm_sort_entry *e, size_t count)
{
    gather_keys(job, e, count, sm_bits_gather_fast);
}

static void gather_keys_plain(const sm_sort_job *job, sm_sort_entry *e, size_t count)
{
    gather_keys(job, e, count, sm_bits_gather);
}

static void make_keys(const sm_sort_job *job, sm_sort_entry *e, size_t count)
{
    if (sm_bits_fast()) {
        gather_keys_fast(job, e, count);
    } else {
        gather_keys_plain(job, e, count);
    }
}

/* While entries still lie in the order of arrival, records are met one after the other in memory.
 */
static void prepare(const sm_sort_job *job)
{
    sm_record_view r;
    const size_t masks = job->group_count < job->mask_count ? job->group_count : job->mask_count;
    memset(job->masks, 0, masks * sizeof *job->masks);
    for (size_t i = 0; i < job->count; i++) {
        const size_t group = sm_sort_group_of(&job->entries[i]);
        if (group < masks) {
            view_of(job, &job->entries[i], &r);
            observe(&job->masks[group], r.key);
        }
    }
    for (size_t g = 0; g < masks; g++) {
        choose_bits(&job->masks[g]);
    }
    make_keys(job, job->entries, job->count);
}

/* The same for one group that had no mask; few rows each, or there would not be so many groups. */
static void prepare_late(const sm_sort_job *job, sm_sort_entry *e, size_t count)
{
    sm_record_view r;
    sm_sort_mask mask = {.words = 0};
    for (size_t i = 0; i < count; i++) {
        view_of(job, &e[i], &r);
        observe(&mask, r.key);
    }
    choose_bits(&mask);
    for (size_t i = 0; i < count; i++) {
        view_of(job, &e[i], &r);
        e[i].key = gather_key(&mask, r.key, sm_bits_gather);
    }
}

/* ---- sorting by bytes --------------------------------------------------------------------------
 */

static void sort_range(const sm_sort_job *job, sm_sort_entry *e, size_t count, unsigned level);

static void insertion_sort(const sm_sort_job *job, sm_sort_entry *e, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const sm_sort_entry moving = e[i];
        size_t at = i;
        while (at > 0 && before(job, &moving, &e[at - 1])) {
            e[at] = e[at - 1];
            at--;
        }
        e[at] = moving;
    }
}

static void sift_down(const sm_sort_job *job, sm_sort_entry *e, size_t at, size_t count)
{
    const sm_sort_entry moving = e[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && before(job, &e[child], &e[child + 1])) {
            child++;
        }
        if (!before(job, &moving, &e[child])) {
            break;
        }
        e[at] = e[child];
        at = child;
    }
    e[at] = moving;
}

/* The last resort, for rows that stay tied: n log n whatever the keys are. */
static void heap_sort(const sm_sort_job *job, sm_sort_entry *e, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(job, e, i, count);
    }
    for (size_t last = count; last-- > 1;) {
        const sm_sort_entry top = e[0];
        e[0] = e[last];
        e[last] = top;
        sift_down(job, e, 0, last);
    }
}

static size_t common_prefix(sm_bytes a, sm_bytes b)
{
    const size_t n = a.len < b.len ? a.len : b.len;
    size_t i = 0;
    while (i < n && a.data[i] == b.data[i]) {
        i++;
    }
    return i;
}

/* The sort key told these apart no further: a new one from behind what their keys have in common.
 */
static void sort_ties(const sm_sort_job *job, sm_sort_entry *e, size_t count, unsigned level)
{
    sm_record_view first;
    sm_record_view r;
    if (level >= LEVEL_ORDER) {
        heap_sort(job, e, count);
        return;
    }
    view_of(job, &e[0], &first);
    size_t common = first.key.len;
    bool all_equal = true;
    for (size_t i = 1; i < count; i++) {
        view_of(job, &e[i], &r);
        const size_t here = common_prefix(first.key, r.key);
        common = here < common ? here : common;
        all_equal = all_equal && here == first.key.len && here == r.key.len;
    }
    for (size_t i = 0; i < count; i++) {
        view_of(job, &e[i], &r);
        e[i].key = all_equal ? r.order : load_word(r.key, common);
    }
    sort_range(job, e, count, all_equal ? LEVEL_ORDER : level + 1);
}

static uint64_t varying_bits(const sm_sort_entry *e, size_t count)
{
    uint64_t vary = 0;
    for (size_t i = 1; i < count; i++) {
        vary |= e[i].key ^ e[0].key;
    }
    return vary;
}

/* Copies to the scratch and back into place: stores that do not wait for each other. */
static void scatter(const sm_sort_job *job, sm_sort_entry *e, size_t count, unsigned shift,
                    size_t heads[BUCKETS])
{
    memcpy(job->scratch, e, count * sizeof *e);
    for (size_t i = 0; i < count; i++) {
        e[heads[job->scratch[i].key >> shift & 0xff]++] = job->scratch[i];
    }
}

/* Puts each entry into the bucket of its byte; starts[b] ... starts[b + 1] is then bucket b. */
static void distribute(const sm_sort_job *job, sm_sort_entry *e, size_t count, unsigned shift,
                       size_t starts[BUCKETS + 1])
{
    size_t heads[BUCKETS] = {0};
    for (size_t i = 0; i < count; i++) {
        heads[e[i].key >> shift & 0xff]++;
    }
    size_t sum = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        const size_t here = heads[b];
        starts[b] = sum;
        heads[b] = sum;
        sum += here;
    }
    starts[BUCKETS] = sum;
    if (count <= job->scratch_count) {
        scatter(job, e, count, shift, heads);
        return;
    }
    for (size_t b = 0; b < BUCKETS; b++) {
        while (heads[b] < starts[b + 1]) {
            sm_sort_entry moving = e[heads[b]];
            size_t to = moving.key >> shift & 0xff;
            while (to != b) {
                const sm_sort_entry displaced = e[heads[to]];
                e[heads[to]++] = moving;
                moving = displaced;
                to = moving.key >> shift & 0xff;
            }
            e[heads[b]++] = moving;
        }
    }
}

/* Depth: at most eight bytes on each of LEVEL_ORDER + 1 levels. */
static void sort_range(const sm_sort_job *job, sm_sort_entry *e, size_t count, unsigned level)
{
    size_t starts[BUCKETS + 1];
    if (count <= INSERTION_MAX) {
        insertion_sort(job, e, count);
        return;
    }
    const uint64_t vary = varying_bits(e, count);
    if (vary == 0) {
        sort_ties(job, e, count, level);
        return;
    }
    distribute(job, e, count, (63U - (unsigned)__builtin_clzll(vary)) & ~7U, starts);
    for (size_t b = 0; b < BUCKETS; b++) {
        const size_t here = starts[b + 1] - starts[b];
        if (here > 1) {
            sort_range(job, e + starts[b], here, level);
        }
    }
}

/* ---- groups ------------------------------------------------------------------------------------
 */

static void gather_groups(const sm_sort_job *job)
{
    sm_sort_entry *e = job->entries;
    for (size_t g = 0; g < job->group_count; g++) {
        job->groups[g].head = job->groups[g].first;
    }
    for (size_t g = 0; g < job->group_count; g++) {
        sm_sort_group *group = &job->groups[g];
        while (group->head < group->first + group->count) {
            sm_sort_entry moving = e[group->head];
            size_t to = sm_sort_group_of(&moving);
            while (to != g) {
                const size_t at = job->groups[to].head++;
                const sm_sort_entry displaced = e[at];
                e[at] = moving;
                moving = displaced;
                to = sm_sort_group_of(&moving);
            }
            e[group->head++] = moving;
        }
    }
}

void sm_sort_share(const sm_sort_job *job)
{
    prepare(job);
    if (job->group_count > 1) {
        gather_groups(job);
    }
    for (size_t g = 0; g < job->group_count; g++) {
        const sm_sort_group *group = &job->groups[g];
        sm_sort_entry *e = job->entries + group->first;
        if (g >= job->mask_count) {
            prepare_late(job, e, group->count);
        }
        sort_range(job, e, group->count, 0);
    }
}
