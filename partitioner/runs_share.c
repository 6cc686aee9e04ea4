/* SPDX-License-Identifier: Apache-2.0 */
/* Filling, sorting and spilling of one writer's share. */
#include "partitioner/runs_share.h"

#include "core/mem.h"

#include <stdlib.h>

enum {
    PAGE = 4096,
    SLOTS_FIRST = 64,
    PARTS_FIRST = 32,
    PARTS_MOST = 1 << 24, /* a group's number has 24 bits in an entry */
    SORT_SCRATCH = 2048,  /* entries on the stack, 32 KiB: what the first-level cache holds */
    TABLES_FREE = 8192    /* bytes of tables that are part of the overhead */
};

uint64_t sm_share_overhead(size_t block_size, size_t mask_count)
{
    return sm_spill_writer_memory(block_size) + mask_count * sizeof(sm_sort_mask) + TABLES_FREE;
}

/* ---- list of runs -----------------------------------------------------------------------------
 */

sm_status sm_spill_run_list_add(sm_spill_run_list *l, sm_spill_run *run, sm_error *err)
{
    if (l->count == l->capacity) {
        const size_t capacity = l->capacity == 0 ? 16 : l->capacity * 2;
        sm_spill_run **items = sm_realloc(l->items, capacity * sizeof *items);
        if (items == NULL) {
            sm_spill_run_free(run);
            return sm_fail_memory(err, capacity * sizeof *items, "the list of run files");
        }
        l->items = items;
        l->capacity = capacity;
    }
    l->items[l->count++] = run;
    return SM_OK;
}

void sm_spill_run_list_free(sm_spill_run_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        sm_spill_run_free(l->items[i]);
    }
    sm_free(l->items);
    *l = (sm_spill_run_list){0};
}

/* ---- life ---------------------------------------------------------------------------------------
 */

sm_status sm_share_new(const sm_share_plan *plan, sm_share **out, sm_error *err)
{
    *out = NULL;
    void *p;
    const sm_status st = sm_new(sizeof(sm_share), "a share of the run store", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_share *s = p;
    s->plan = plan;
    s->block = sm_pages_get(plan->share_size);
    s->masks = sm_malloc(plan->mask_count * sizeof *s->masks);
    s->slots = sm_calloc(SLOTS_FIRST, sizeof *s->slots);
    s->parts = sm_malloc(PARTS_FIRST * sizeof *s->parts);
    if (s->block == NULL || s->masks == NULL || s->slots == NULL || s->parts == NULL) {
        sm_share_free(s);
        return sm_fail_memory(err, plan->share_size, "a share of the run store");
    }
    s->slot_count = SLOTS_FIRST;
    s->part_capacity = PARTS_FIRST;
    s->data_end = plan->share_size - SM_RECORD_SLACK;
    s->high = s->data_end;
    *out = s;
    return SM_OK;
}

void sm_share_close(sm_share *s)
{
    sm_free(s->masks);
    sm_free(s->slots);
    s->masks = NULL;
    s->slots = NULL;
}

static void release_block(sm_share *s)
{
    if (s->block == NULL) {
        return;
    }
    if (s->released_to > s->released_from) {
        sm_pages_release(s->released_from > 0 ? s->block : NULL, s->released_from);
        sm_pages_release(s->block + s->released_to, s->plan->share_size - s->released_to);
    } else {
        sm_pages_release(s->block, s->plan->share_size);
    }
    s->block = NULL;
}

void sm_share_free(sm_share *s)
{
    if (s == NULL) {
        return;
    }
    sm_share_close(s);
    release_block(s);
    sm_free(s->parts);
    sm_free(s->groups);
    sm_spill_run_list_free(&s->runs);
    sm_spill_writer_free(s->writer);
    sm_spill_file_free(s->file);
    sm_free(s);
}

uint64_t sm_share_resident(const sm_share *s)
{
    return s->count == 0 ? 0
                         : s->count * sizeof(sm_sort_entry) + (s->data_end - s->high) + 2 * PAGE;
}

void sm_share_trim(sm_share *s)
{
    if (s->count == 0) {
        release_block(s);
        return;
    }
    if (s->released_to > 0) {
        return;
    }
    const size_t from = (s->count * sizeof(sm_sort_entry) + PAGE - 1) / PAGE * PAGE;
    const size_t to = s->high / PAGE * PAGE;
    if (to > from) {
        sm_pages_release(s->block + from, to - from);
        s->released_from = from;
        s->released_to = to;
    }
}

/* ---- parts --------------------------------------------------------------------------------------
 */

static inline size_t slot_of(const sm_share *s, uint32_t table, uint32_t region)
{
    const uint64_t x = ((uint64_t)table << 32 | region) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(x >> 32) & (s->slot_count - 1);
}

static void put_slot(sm_share *s, size_t part)
{
    size_t at = slot_of(s, s->parts[part].table, s->parts[part].region);
    while (s->slots[at] != 0) {
        at = (at + 1) & (s->slot_count - 1);
    }
    s->slots[at] = (uint32_t)part + 1;
}

static sm_status grow_parts(sm_share *s, sm_error *err)
{
    if (s->part_count == s->part_capacity) {
        sm_share_part *parts = sm_realloc(s->parts, 2 * s->part_capacity * sizeof *parts);
        if (parts == NULL) {
            return sm_fail_memory(err, 2 * s->part_capacity * sizeof *parts, "the list of regions");
        }
        s->parts = parts;
        s->part_capacity *= 2;
    }
    if (s->part_count * 2 < s->slot_count) {
        return SM_OK;
    }
    uint32_t *slots = sm_calloc(2 * s->slot_count, sizeof *slots);
    if (slots == NULL) {
        return sm_fail_memory(err, 2 * s->slot_count * sizeof *slots, "the list of regions");
    }
    sm_free(s->slots);
    s->slots = slots;
    s->slot_count *= 2;
    for (size_t i = 0; i < s->part_count; i++) {
        put_slot(s, i);
    }
    /* What the tables take (sort groups too) is taken off the block, but never more than half of
     * it. */
    const size_t tables = s->part_capacity * (sizeof(sm_share_part) + sizeof(sm_sort_group)) +
                          s->slot_count * sizeof *s->slots;
    const size_t half = s->plan->share_size / 2;
    s->reserve = tables <= TABLES_FREE ? 0 : tables - TABLES_FREE;
    s->reserve = s->reserve < half ? s->reserve : half;
    return SM_OK;
}

static SM_NOINLINE sm_status find_part(sm_share *s, uint32_t table, uint32_t region, size_t *out,
                                       sm_error *err)
{
    size_t at = slot_of(s, table, region);
    for (; s->slots[at] != 0; at = (at + 1) & (s->slot_count - 1)) {
        const size_t part = s->slots[at] - 1;
        if (s->parts[part].table == table && s->parts[part].region == region) {
            *out = part;
            return SM_OK;
        }
    }
    if (s->part_count == PARTS_MOST) {
        return sm_fail(err, SM_E_SPLITS,
                       "rows fall into more than %d regions; use fewer split points",
                       (int)PARTS_MOST);
    }
    const sm_status st = grow_parts(s, err);
    if (st != SM_OK) {
        return st;
    }
    *out = s->part_count++;
    s->parts[*out] = (sm_share_part){.table = table, .region = region};
    put_slot(s, *out);
    return SM_OK;
}

/* ---- adding -------------------------------------------------------------------------------------
 */

static sm_status have_writer(sm_share *s, sm_error *err)
{
    sm_status st = SM_OK;
    if (s->file == NULL) {
        st = sm_spill_file_new(s->plan->directory, &s->file, err);
    }
    if (st == SM_OK && s->writer == NULL) {
        st = sm_spill_writer_new(s->plan->block_size, s->plan->stop, &s->writer, err);
    }
    return st;
}

static sm_status end_run(sm_share *s, sm_error *err)
{
    sm_spill_run *run;
    const sm_status st = sm_spill_end(s->writer, &run, err);
    if (st != SM_OK) {
        return st;
    }
    s->spilled_runs++;
    s->spilled_bytes += run->end - run->begin;
    return sm_spill_run_list_add(&s->runs, run, err);
}

/* Straight from the caller's memory: no share could hold it. */
static sm_status spill_alone(sm_share *s, const sm_row *row, sm_error *err)
{
    sm_status st = have_writer(s, err);
    if (st == SM_OK) {
        st = sm_spill_begin(s->writer, s->file, err);
    }
    if (st == SM_OK) {
        st = sm_spill_begin_part(s->writer, row->table, row->region, err);
    }
    if (st == SM_OK) {
        st = sm_spill_put(s->writer, row->order, row->key, row->payload, err);
    }
    return st == SM_OK ? end_run(s, err) : st;
}

static inline bool fits(const sm_share *s, size_t size)
{
    return size + (s->count + 1) * sizeof(sm_sort_entry) + s->reserve <= s->high;
}

/* The share is full. *done: the row has been spilled on its own. */
static SM_NOINLINE sm_status make_room(sm_share *s, const sm_row *row, size_t size, bool *done,
                                       sm_error *err)
{
    *done = false;
    if (s->count > 0) {
        sm_status st = sm_share_sort(s, err);
        if (st == SM_OK) {
            st = sm_share_spill(s, err);
        }
        if (st != SM_OK) {
            return st;
        }
    }
    if (fits(s, size)) {
        return SM_OK;
    }
    *done = true;
    return spill_alone(s, row, err);
}

sm_status sm_share_add(sm_share *s, const sm_row *row, sm_error *err)
{
    size_t part = s->last_part;
    if (part >= s->part_count || s->parts[part].table != row->table ||
        s->parts[part].region != row->region) {
        const sm_status st = find_part(s, row->table, row->region, &part, err);
        if (st != SM_OK) {
            return st;
        }
        s->last_part = part;
    }
    const size_t size = sm_record_size(row->key.len, row->payload.len);
    s->parts[part].rows++;
    s->parts[part].bytes += row->key.len + row->payload.len;
    if (SM_UNLIKELY(!fits(s, size))) {
        bool done;
        const sm_status st = make_room(s, row, size, &done, err);
        if (st != SM_OK || done) {
            return st;
        }
    }
    s->parts[part].here++;
    s->high -= size;
    uint8_t *p = sm_record_put(s->block + s->high, row->order, row->key, row->payload.len, false);
    if (row->payload.len > 0) {
        memcpy(p, row->payload.data, row->payload.len);
    }
    sm_sort_entry *e = (sm_sort_entry *)(void *)s->block + s->count++;
    e->place = (uint64_t)part << SM_SORT_OFFSET_BITS | s->high;
    return SM_OK;
}

/* ---- sorting and spilling ----------------------------------------------------------------------
 */

static int compare_groups(const void *a, const void *b)
{
    const sm_sort_group *x = a;
    const sm_sort_group *y = b;
    if (x->table != y->table) {
        return x->table < y->table ? -1 : 1;
    }
    return (x->region > y->region) - (x->region < y->region);
}

static sm_status list_groups(sm_share *s, sm_error *err)
{
    if (s->group_capacity < s->part_count) {
        sm_sort_group *groups = sm_realloc(s->groups, s->part_capacity * sizeof *groups);
        if (groups == NULL) {
            return sm_fail_memory(err, s->part_capacity * sizeof *groups, "the list of regions");
        }
        s->groups = groups;
        s->group_capacity = s->part_capacity;
    }
    s->group_count = 0;
    for (size_t i = 0; i < s->part_count; i++) {
        const sm_share_part *part = &s->parts[i];
        if (part->here > 0) {
            s->groups[s->group_count++] = (sm_sort_group){.table = part->table,
                                                          .region = part->region,
                                                          .part = (uint32_t)i,
                                                          .count = part->here};
        }
    }
    if (s->group_count > 1) {
        qsort(s->groups, s->group_count, sizeof *s->groups, compare_groups);
    }
    size_t first = 0;
    for (size_t g = 0; g < s->group_count; g++) {
        s->groups[g].first = first;
        first += s->groups[g].count;
        s->parts[s->groups[g].part].here = g; /* from here on: the part's group */
    }
    return SM_OK;
}

sm_status sm_share_sort(sm_share *s, sm_error *err)
{
    const sm_status st = list_groups(s, err);
    if (st != SM_OK) {
        return st;
    }
    sm_sort_entry *entries = (sm_sort_entry *)(void *)s->block;
    for (size_t i = 0; i < s->count; i++) {
        const uint64_t group = s->parts[sm_sort_group_of(&entries[i])].here;
        entries[i].place = group << SM_SORT_OFFSET_BITS | sm_sort_offset(&entries[i]);
    }
    for (size_t i = 0; i < s->part_count; i++) {
        s->parts[i].here = 0;
    }
    sm_sort_entry small[SORT_SCRATCH];
    sm_sort_entry *scratch = entries + s->count; /* a share that is not full has room of its own */
    size_t scratch_count = (s->high - s->count * sizeof *entries) / sizeof *entries;
    if (scratch_count <= SORT_SCRATCH) {
        scratch = small;
        scratch_count = SORT_SCRATCH;
    }
    const sm_sort_job job = {.entries = entries,
                             .count = s->count,
                             .base = s->block,
                             .end = s->block + s->data_end,
                             .groups = s->groups,
                             .group_count = s->group_count,
                             .masks = s->masks,
                             .mask_count = s->plan->mask_count,
                             .scratch = scratch,
                             .scratch_count = scratch_count};
    sm_sort_share(&job);
    return SM_OK;
}

static sm_status spill_group(sm_share *s, const sm_sort_group *group, sm_error *err)
{
    const sm_sort_entry *e = (const sm_sort_entry *)(const void *)s->block + group->first;
    sm_status st = sm_spill_begin_part(s->writer, group->table, group->region, err);
    for (size_t i = 0; i < group->count && st == SM_OK; i++) {
        if (i + SM_RECORD_AHEAD < group->count) {
            sm_record_fetch_header(s->block + sm_sort_offset(&e[i + SM_RECORD_AHEAD]));
            sm_record_fetch_rest(s->block + sm_sort_offset(&e[i + SM_RECORD_NEAR]));
        }
        sm_record_view view;
        const uint8_t *record = s->block + sm_sort_offset(&e[i]);
        const uint8_t *end = record;
        if (!sm_record_get(&end, s->block + s->data_end, &view)) {
            return sm_fail(err, SM_E_INTERNAL, "a share of memory holds a damaged record");
        }
        st = sm_spill_put_record(s->writer, record, (size_t)(end - record), err);
    }
    return st;
}

sm_status sm_share_spill(sm_share *s, sm_error *err)
{
    if (s->count == 0) {
        return SM_OK;
    }
    sm_status st = have_writer(s, err);
    if (st == SM_OK) {
        st = sm_spill_begin(s->writer, s->file, err);
    }
    for (size_t g = 0; g < s->group_count && st == SM_OK; g++) {
        st = spill_group(s, &s->groups[g], err);
    }
    if (st == SM_OK) {
        st = end_run(s, err);
    }
    s->count = 0;
    s->high = s->data_end;
    s->group_count = 0;
    return st;
}

void sm_share_view(const sm_share *s, uint32_t table, uint32_t region, sm_merge_share *out)
{
    *out = (sm_merge_share){.base = s->block, .end = s->block + s->data_end};
    size_t low = 0;
    size_t high = s->group_count;
    const sm_sort_group wanted = {.table = table, .region = region};
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (compare_groups(&s->groups[mid], &wanted) < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low < s->group_count && compare_groups(&s->groups[low], &wanted) == 0) {
        out->entries = (const sm_sort_entry *)(const void *)s->block + s->groups[low].first;
        out->count = s->groups[low].count;
    }
}
