/* SPDX-License-Identifier: Apache-2.0 */
/* From merged rows to ordered cells: finds the records of each key, applies the policy for
 * duplicates of whole rows, and sends plain rows the short way: columns have a known order, so that
 * the cells of a record are neither gathered nor sorted. */
#include "core/escape.h"
#include "core/mem.h"
#include "partitioner/expander.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { STOP_EVERY = 1024, ORDER_FILE_SHIFT = 44, KEY_TEXT = 200, COLUMN_TEXT = 200 };

sm_status sm_expand_emit(sm_expander *x, size_t family, const sm_gathered *cell, sm_error *err)
{
    sm_family_counts *counts = &x->counts->families[family];
    counts->cells_written++;
    if (x->family_written != family) {
        x->family_written = family;
        counts->rows++;
    }
    const sm_cell out = {.row = sm_buf_view(&x->key),
                         .family = x->layout->families[family],
                         .qualifier = cell->qualifier,
                         .value = cell->value,
                         .timestamp = cell->timestamp,
                         .ttl = cell->ttl,
                         .type = SM_CELL_PUT};
    return x->options->emit(x->options->context, family, &out, err);
}

/* ---- messages -----------------------------------------------------------------------------------
 */

enum { PLACE_TEXT = 300 };

/* "calls.csv at byte offset 120" */
static const char *place_text(const sm_expander *x, uint64_t order, char out[PLACE_TEXT])
{
    const uint64_t file = order >> ORDER_FILE_SHIFT;
    const uint64_t offset = order & ((UINT64_C(1) << ORDER_FILE_SHIFT) - 1);
    if (file < x->options->input_count) {
        (void)snprintf(out, PLACE_TEXT, "%.250s at byte offset %" PRIu64, x->options->inputs[file],
                       offset);
    } else {
        (void)snprintf(out, PLACE_TEXT, "file %" PRIu64 " at byte offset %" PRIu64, file, offset);
    }
    return out;
}

sm_status sm_expand_duplicate(const sm_expander *x, const sm_gathered *a, const sm_gathered *b,
                              sm_error *err)
{
    char key[KEY_TEXT];
    char column[COLUMN_TEXT];
    char first[PLACE_TEXT];
    char second[PLACE_TEXT];
    return sm_fail(
        err, SM_E_DUPLICATE,
        "table %s: key %s, column %s, timestamp %" PRId64
        " is made twice: by %s and by %s; put a unique part in the key or keep the first or "
        "the last",
        x->layout->table, sm_escape_short(sm_buf_view(&x->key), key, sizeof key),
        sm_column_text(x->layout, a->family, a->qualifier, column, sizeof column), a->timestamp,
        place_text(x, a->order, first), place_text(x, b->order, second));
}

static sm_status fail_row(const sm_expander *x, uint64_t first, uint64_t second, sm_error *err)
{
    char key[KEY_TEXT];
    char one[PLACE_TEXT];
    char other[PLACE_TEXT];
    return sm_fail(
        err, SM_E_DUPLICATE,
        "table %s: the row with key %s is made twice: by %s and by %s; put a unique part in the "
        "key or keep the first or the last",
        x->layout->table, sm_escape_short(sm_buf_view(&x->key), key, sizeof key),
        place_text(x, first, one), place_text(x, second, other));
}

/* ---- the order of columns ----------------------------------------------------------------------
 */

static int compare_columns(const sm_layout *layout, uint32_t a, uint32_t b)
{
    const sm_column *x = &layout->columns[a];
    const sm_column *y = &layout->columns[b];
    if (x->family != y->family) {
        return x->family < y->family ? -1 : 1;
    }
    return sm_bytes_compare(x->qualifier, y->qualifier);
}

/* Insertion: columns are few and mostly in order. *alike: two have one family and qualifier. */
static void order_columns(const sm_layout *layout, uint32_t *by_position, bool *alike)
{
    *alike = false;
    for (uint32_t i = 0; i < layout->column_count; i++) {
        uint32_t at = i;
        for (; at > 0; at--) {
            const int c = compare_columns(layout, by_position[at - 1], i);
            *alike = *alike || c == 0;
            if (c <= 0) {
                break;
            }
            by_position[at] = by_position[at - 1];
        }
        by_position[at] = i;
    }
}

static sm_status prepare_columns(sm_expander *x, sm_error *err)
{
    const sm_layout *layout = x->layout;
    const size_t n = layout->column_count;
    for (size_t i = 0; i < n; i++) {
        if (layout->columns[i].family >= layout->family_count) {
            return sm_fail(err, SM_E_INTERNAL, "table %s: column %zu is in family %zu of %zu",
                           layout->table, i, layout->columns[i].family, layout->family_count);
        }
        if (!layout->columns[i].qualifier_is_constant) {
            return SM_OK;
        }
    }
    x->position = sm_malloc(n * sizeof *x->position);
    x->by_position = sm_malloc(n * sizeof *x->by_position);
    x->slots = sm_calloc(n, sizeof *x->slots);
    if (x->position == NULL || x->by_position == NULL || x->slots == NULL) {
        return sm_fail_memory(err, n * sizeof *x->slots, "the columns of a table");
    }
    bool alike;
    order_columns(layout, x->by_position, &alike);
    for (uint32_t i = 0; i < n; i++) {
        x->position[x->by_position[i]] = i;
    }
    x->simple = !alike;
    return SM_OK;
}

/* ---- one row --------------------------------------------------------------------------------- */

/* Fills the slots; *repeated: the record names a column twice, so that this way is not open to it.
 */
static bool fill_slots(sm_expander *x, sm_bytes payload, bool *repeated)
{
    const uint8_t *p = payload.data;
    const uint8_t *end = p + payload.len;
    sm_payload_cell cell;
    x->stamp++;
    *repeated = false;
    while (p < end) {
        if (!sm_payload_next(x->layout, &p, end, &cell)) {
            return false;
        }
        sm_column_slot *slot = &x->slots[x->position[cell.column]];
        *repeated = *repeated || slot->stamp == x->stamp;
        *slot = (sm_column_slot){x->stamp, cell.value, cell.timestamp, cell.ttl};
    }
    return true;
}

static sm_status emit_simple(sm_expander *x, sm_bytes payload, bool *done, sm_error *err)
{
    bool repeated;
    if (!fill_slots(x, payload, &repeated)) {
        return sm_payload_damaged(x->layout, err);
    }
    *done = !repeated;
    for (size_t i = 0; i < x->layout->column_count && !repeated; i++) {
        const sm_column_slot *slot = &x->slots[i];
        if (slot->stamp != x->stamp) {
            continue;
        }
        const sm_column *column = &x->layout->columns[x->by_position[i]];
        const sm_gathered cell = {.qualifier = column->qualifier,
                                  .value = slot->value,
                                  .timestamp = slot->timestamp,
                                  .ttl = slot->ttl};
        x->counts->families[column->family].cells_made++;
        const sm_status st = sm_expand_emit(x, column->family, &cell, err);
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}

static sm_bytes image_bytes(const sm_expander *x, size_t image)
{
    return sm_bytes_of(x->images.data + x->list[image].at, x->list[image].len);
}

static void forget_images(sm_expander *x)
{
    x->list_count = 0;
    x->cells = 0;
    sm_buf_clear(&x->images);
}

/* The current key has no more records: out with its cells. */
static sm_status end_row(sm_expander *x, sm_error *err)
{
    if (!x->has_key) {
        return SM_OK;
    }
    x->has_key = false;
    x->counts->rows++;
    x->family_written = SIZE_MAX;
    sm_status st = SM_OK;
    bool done = false;
    if (x->giant != NULL) {
        st = sm_giant_finish(x->giant, err);
        sm_giant_free(x->giant);
        x->giant = NULL;
        done = true;
    } else if (x->simple && x->list_count == 1) {
        st = emit_simple(x, image_bytes(x, 0), &done, err);
    }
    if (st == SM_OK && !done) {
        st = sm_expand_group(x, err);
    }
    forget_images(x);
    return st;
}

/* ---- records of one key ------------------------------------------------------------------------
 */

static sm_status keep_image(sm_expander *x, const sm_row *row, sm_error *err)
{
    if (x->list_count == x->list_capacity) {
        const size_t capacity = x->list_capacity == 0 ? 16 : 2 * x->list_capacity;
        sm_image *list = sm_realloc(x->list, capacity * sizeof *list);
        if (list == NULL) {
            return sm_fail_memory(err, capacity * sizeof *list, "the records of a row");
        }
        x->list = list;
        x->list_capacity = capacity;
    }
    x->list[x->list_count++] = (sm_image){row->order, x->images.len, row->payload.len};
    return sm_buf_append(&x->images, row->payload.data, row->payload.len, err);
}

static bool count_cells(const sm_expander *x, sm_bytes payload, uint64_t *cells)
{
    const uint8_t *p = payload.data;
    const uint8_t *end = p + payload.len;
    sm_payload_cell cell;
    while (p < end) {
        if (!sm_payload_next(x->layout, &p, end, &cell)) {
            return false;
        }
        (*cells)++;
    }
    return true;
}

/* The cells of a record that loses as a whole. */
static sm_status drop_image(sm_expander *x, sm_bytes payload, sm_error *err)
{
    const uint8_t *p = payload.data;
    const uint8_t *end = p + payload.len;
    sm_payload_cell cell;
    while (p < end) {
        if (!sm_payload_next(x->layout, &p, end, &cell)) {
            return sm_payload_damaged(x->layout, err);
        }
        sm_family_counts *counts = &x->counts->families[x->layout->columns[cell.column].family];
        counts->cells_made++;
        counts->duplicates_dropped++;
    }
    return SM_OK;
}

static sm_status next_whole_row(sm_expander *x, const sm_row *row, sm_error *err)
{
    if (x->layout->keep == SM_KEEP_ERROR) {
        return fail_row(x, x->list[0].order, row->order, err);
    }
    if (x->layout->keep == SM_KEEP_FIRST) {
        return drop_image(x, row->payload, err);
    }
    const sm_status st = drop_image(x, image_bytes(x, 0), err);
    forget_images(x);
    return st == SM_OK ? keep_image(x, row, err) : st;
}

/* What was gathered so far goes to the external sort, and so will the rest. */
static sm_status become_giant(sm_expander *x, sm_error *err)
{
    sm_status st = sm_giant_new(x, &x->giant, err);
    for (size_t i = 0; i < x->list_count && st == SM_OK; i++) {
        st = sm_giant_add(x->giant, x->list[i].order, image_bytes(x, i), err);
    }
    forget_images(x);
    sm_buf_free(&x->images);
    return st;
}

static sm_status next_image(sm_expander *x, const sm_row *row, sm_error *err)
{
    if (x->giant != NULL) {
        return sm_giant_add(x->giant, row->order, row->payload, err);
    }
    if (x->list_count == 1 && !count_cells(x, image_bytes(x, 0), &x->cells)) {
        return sm_payload_damaged(x->layout, err);
    }
    if (!count_cells(x, row->payload, &x->cells)) {
        return sm_payload_damaged(x->layout, err);
    }
    const uint64_t bytes =
        x->images.len + row->payload.len + (x->list_count + 1) * sizeof(sm_image);
    if (!sm_gather_fits(x, bytes, x->cells)) {
        const sm_status st = become_giant(x, err);
        return st == SM_OK ? sm_giant_add(x->giant, row->order, row->payload, err) : st;
    }
    return keep_image(x, row, err);
}

static sm_status take_row(sm_expander *x, const sm_row *row, sm_error *err)
{
    x->counts->row_images++;
    if (x->has_key && sm_bytes_equal(row->key, sm_buf_view(&x->key))) {
        return x->layout->scope == SM_SCOPE_ROW ? next_whole_row(x, row, err)
                                                : next_image(x, row, err);
    }
    sm_status st = end_row(x, err);
    if (st != SM_OK) {
        return st;
    }
    x->has_key = true;
    sm_buf_clear(&x->key);
    st = sm_buf_append(&x->key, row->key.data, row->key.len, err);
    return st == SM_OK ? keep_image(x, row, err) : st;
}

static sm_status drain(sm_expander *x, sm_merge *merge, sm_error *err)
{
    sm_row row;
    bool more = true;
    sm_status st = SM_OK;
    for (uint64_t n = 0; st == SM_OK; n++) {
        if (n % STOP_EVERY == 0 && sm_stop_asked(x->options->stop) != 0) {
            return sm_fail(err, SM_E_INTERRUPTED, "table %s: stopped while cells were written",
                           x->layout->table);
        }
        st = sm_merge_next(merge, &row, &more, err);
        if (st != SM_OK || !more) {
            break;
        }
        st = take_row(x, &row, err);
    }
    return st == SM_OK ? end_row(x, err) : st;
}

sm_status sm_expand(sm_merge *merge, const sm_expand_options *options, sm_expand_counts *counts,
                    sm_error *err)
{
    sm_expander x = {.options = options, .layout = options->layout, .counts = counts};
    sm_buf_init(&x.key, SIZE_MAX / 2);
    sm_buf_init(&x.images, SIZE_MAX / 2);
    sm_status st = prepare_columns(&x, err);
    if (st == SM_OK) {
        st = drain(&x, merge, err);
    }
    sm_giant_free(x.giant);
    sm_buf_free(&x.key);
    sm_buf_free(&x.images);
    sm_free(x.list);
    sm_free(x.position);
    sm_free(x.by_position);
    sm_free(x.slots);
    sm_free(x.gathered);
    sm_free(x.entries);
    sm_free(x.scratch);
    return st;
}
