/* SPDX-License-Identifier: Apache-2.0 */
/* Rows whose cells must be looked at together: several records of one key, qualifiers that are
 * computed, or columns that may make the same cell. Gather, sort, keep one of each cell key. */
#include "core/mem.h"
#include "partitioner/expander.h"

static sm_status have_room(sm_expander *x, size_t cells, sm_error *err)
{
    if (cells <= x->gathered_capacity) {
        return SM_OK;
    }
    if (cells > UINT32_MAX) {
        return sm_fail(err, SM_E_INTERNAL, "table %s: a record makes %zu cells", x->layout->table,
                       cells);
    }
    sm_free(x->gathered);
    sm_free(x->entries);
    sm_free(x->scratch);
    x->gathered_capacity = 0;
    x->gathered = sm_malloc(cells * sizeof *x->gathered);
    x->entries = sm_malloc(cells * sizeof *x->entries);
    x->scratch = sm_malloc(cells * sizeof *x->scratch);
    if (x->gathered == NULL || x->entries == NULL || x->scratch == NULL) {
        return sm_fail_memory(err, cells * SM_GATHER_COST, "the cells of a row");
    }
    x->gathered_capacity = cells;
    return SM_OK;
}

/* Counts with out == NULL. */
static bool gather_image(const sm_expander *x, size_t image, sm_gathered *out, size_t *count)
{
    const sm_image *from = &x->list[image];
    if (from->len == 0) {
        return true;
    }
    const uint8_t *p = x->images.data + from->at;
    const uint8_t *end = p + from->len;
    sm_payload_cell cell;
    while (p < end) {
        if (!sm_payload_next(x->layout, &p, end, &cell)) {
            return false;
        }
        if (out != NULL) {
            out[*count] = (sm_gathered){
                .family = (uint32_t)x->layout->columns[cell.column].family,
                .column = cell.column,
                .image = (uint32_t)image,
                .qualifier = cell.qualifier,
                .value = cell.value,
                .timestamp = cell.timestamp,
                .ttl = cell.ttl,
                .order = from->order,
            };
        }
        (*count)++;
    }
    return true;
}

/* All images; counts with out == NULL. */
static bool gather(const sm_expander *x, sm_gathered *out, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < x->list_count; i++) {
        if (!gather_image(x, i, out, count)) {
            return false;
        }
    }
    return true;
}

static sm_status emit_sorted(sm_expander *x, const sm_cell_entry *sorted, size_t count,
                             sm_error *err)
{
    for (size_t i = 0; i < count;) {
        const sm_gathered *first = &x->gathered[sorted[i].index];
        const sm_gathered *kept = first;
        size_t end = i + 1;
        while (end < count && sm_gathered_same(first, &x->gathered[sorted[end].index])) {
            if (x->layout->keep == SM_KEEP_ERROR) {
                return sm_expand_duplicate(x, first, &x->gathered[sorted[end].index], err);
            }
            if (x->layout->keep == SM_KEEP_LAST) {
                kept = &x->gathered[sorted[end].index];
            }
            end++;
        }
        sm_family_counts *counts = &x->counts->families[first->family];
        counts->cells_made += end - i;
        counts->duplicates_dropped += end - i - 1;
        const sm_status st = sm_expand_emit(x, kept->family, kept, err);
        if (st != SM_OK) {
            return st;
        }
        i = end;
    }
    return SM_OK;
}

/* A single record too large to be gathered. */
static sm_status sort_outside(sm_expander *x, sm_error *err)
{
    sm_giant *giant;
    sm_status st = sm_giant_new(x, &giant, err);
    for (size_t i = 0; i < x->list_count && st == SM_OK; i++) {
        st = sm_giant_add(giant, x->list[i].order,
                          sm_bytes_of(x->images.data + x->list[i].at, x->list[i].len), err);
    }
    if (st == SM_OK) {
        st = sm_giant_finish(giant, err);
    }
    sm_giant_free(giant);
    return st;
}

sm_status sm_expand_group(sm_expander *x, sm_error *err)
{
    size_t count;
    if (!gather(x, NULL, &count)) {
        return sm_payload_damaged(x->layout, err);
    }
    if (!sm_gather_fits(x, 0, count)) {
        return sort_outside(x, err);
    }
    const sm_status st = have_room(x, count, err);
    if (st != SM_OK || count == 0) {
        return st;
    }
    (void)gather(x, x->gathered, &count);
    const sm_cell_entry *sorted =
        sm_cells_sort(x->gathered, (uint32_t)count, x->entries, x->scratch);
    return emit_sorted(x, sorted, count, err);
}
