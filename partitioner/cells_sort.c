/* SPDX-License-Identifier: Apache-2.0 */
/* Merge sort of cell entries, bottom up; input that is in order already costs one comparison a
 * cell. */
#include "partitioner/cells_sort.h"

#include "core/endian.h"

enum { RUN = 8 }; /* sorted by insertion before merging begins */

bool sm_gathered_same(const sm_gathered *a, const sm_gathered *b)
{
    return a->family == b->family && a->timestamp == b->timestamp &&
           sm_bytes_equal(a->qualifier, b->qualifier);
}

static bool before(const sm_gathered *cells, const sm_cell_entry *a, const sm_cell_entry *b)
{
    if (a->family != b->family) {
        return a->family < b->family;
    }
    if (a->word != b->word) {
        return a->word < b->word;
    }
    const sm_gathered *x = &cells[a->index];
    const sm_gathered *y = &cells[b->index];
    const int c = sm_bytes_compare(x->qualifier, y->qualifier);
    if (c != 0) {
        return c < 0;
    }
    if (x->timestamp != y->timestamp) {
        return x->timestamp > y->timestamp;
    }
    if (x->image != y->image) {
        return x->image < y->image;
    }
    if (x->column != y->column) {
        return x->column < y->column;
    }
    return a->index < b->index;
}

static size_t common_prefix(const sm_gathered *cells, uint32_t count)
{
    const sm_bytes first = cells[0].qualifier;
    size_t common = first.len;
    for (uint32_t i = 1; i < count && common > 0; i++) {
        const sm_bytes q = cells[i].qualifier;
        size_t n = 0;
        while (n < common && n < q.len && q.data[n] == first.data[n]) {
            n++;
        }
        common = n;
    }
    return common;
}

/* The next eight bytes as a number, zeros behind the end. */
static uint64_t word_at(sm_bytes q, size_t at)
{
    const size_t left = q.len - at;
    if (left >= 8) {
        return sm_load_be64(q.data + at);
    }
    uint8_t padded[8] = {0};
    if (left > 0) {
        memcpy(padded, q.data + at, left);
    }
    return sm_load_be64(padded);
}

static void insertion_sort(const sm_gathered *cells, sm_cell_entry *e, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const sm_cell_entry moving = e[i];
        size_t at = i;
        while (at > 0 && before(cells, &moving, &e[at - 1])) {
            e[at] = e[at - 1];
            at--;
        }
        e[at] = moving;
    }
}

static void merge(const sm_gathered *cells, const sm_cell_entry *left, size_t left_count,
                  size_t right_count, sm_cell_entry *to)
{
    const sm_cell_entry *right = left + left_count;
    const sm_cell_entry *left_end = right;
    const sm_cell_entry *right_end = right + right_count;
    if (right_count == 0 || !before(cells, right, left_end - 1)) {
        memcpy(to, left, (left_count + right_count) * sizeof *to);
        return;
    }
    while (left < left_end && right < right_end) {
        *to++ = before(cells, right, left) ? *right++ : *left++;
    }
    memcpy(to, left, (size_t)(left_end - left) * sizeof *to);
    to += left_end - left;
    memcpy(to, right, (size_t)(right_end - right) * sizeof *to);
}

const sm_cell_entry *sm_cells_sort(const sm_gathered *cells, uint32_t count, sm_cell_entry *entries,
                                   sm_cell_entry *scratch)
{
    if (count == 0) {
        return entries;
    }
    const size_t common = common_prefix(cells, count);
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = (sm_cell_entry){word_at(cells[i].qualifier, common), cells[i].family, i};
    }
    for (size_t at = 0; at < count; at += RUN) {
        insertion_sort(cells, entries + at, count - at < RUN ? count - at : RUN);
    }
    sm_cell_entry *from = entries;
    sm_cell_entry *to = scratch;
    for (size_t width = RUN; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            const size_t left = count - at < width ? count - at : width;
            const size_t rest = count - at - left;
            merge(cells, from + at, left, rest < width ? rest : width, to + at);
        }
        sm_cell_entry *swap = from;
        from = to;
        to = swap;
    }
    return from;
}
