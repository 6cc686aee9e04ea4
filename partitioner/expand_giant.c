/* SPDX-License-Identifier: Apache-2.0 */
/* A row with more cells than memory, sorted by a run store of its own whose keys are cell keys:
 *
 *   key:     | family index, 4 BE | qualifier, 00 as 00 FF | 00 00 | ~timestamp, 8 BE | ~type |
 *   order:   number of the cell in place order
 *   payload: | order of the record, 8 LE | leb ttl | value |
 *
 * The escape keeps qualifiers in order: the terminator is less than any byte that may follow in a
 * longer one. The timestamp's sign bit is flipped before it is inverted, so that greater comes
 * first. */
#include "core/endian.h"
#include "core/mem.h"
#include "partitioner/expander.h"

#include <inttypes.h>

enum { KEY_FIXED = 4 + 2 + 8 + 1 };

struct sm_giant {
    sm_expander *x;
    sm_runs *runs;
    uint64_t next; /* number of the next cell */
    sm_buf key, payload;
    /* The cell that waits for its successors, which may replace it. */
    bool waiting;
    sm_gathered cell;
    sm_buf cell_key, cell_qualifier, cell_value;
};

sm_status sm_giant_new(sm_expander *x, sm_giant **out, sm_error *err)
{
    *out = NULL;
    void *p;
    const uint64_t memory = x->options->memory / 2;
    const uint64_t least = sm_runs_minimum_memory(1, 0);
    if (memory < least) {
        return sm_fail(err, SM_E_MEMORY,
                       "table %s: a row with more cells than fit into %" PRIu64
                       " bytes needs at least %" PRIu64 " for sorting; raise limits.memory",
                       x->layout->table, x->options->memory, 2 * least);
    }
    sm_status st = sm_new(sizeof(sm_giant), "the sort of a large row", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_giant *g = p;
    g->x = x;
    sm_buf_init(&g->key, SIZE_MAX / 2);
    sm_buf_init(&g->payload, SIZE_MAX / 2);
    sm_buf_init(&g->cell_key, SIZE_MAX / 2);
    sm_buf_init(&g->cell_qualifier, SIZE_MAX / 2);
    sm_buf_init(&g->cell_value, SIZE_MAX / 2);
    const sm_runs_options options = {.directory = x->options->directory,
                                     .memory = memory,
                                     .writers = 1,
                                     .open_files = x->options->open_files,
                                     .stop = x->options->stop};
    st = sm_runs_new(&options, &g->runs, err);
    if (st != SM_OK) {
        sm_giant_free(g);
        return st;
    }
    *out = g;
    return SM_OK;
}

void sm_giant_free(sm_giant *g)
{
    if (g == NULL) {
        return;
    }
    sm_runs_free(g->runs);
    sm_buf_free(&g->key);
    sm_buf_free(&g->payload);
    sm_buf_free(&g->cell_key);
    sm_buf_free(&g->cell_qualifier);
    sm_buf_free(&g->cell_value);
    sm_free(g);
}

/* ---- in -------------------------------------------------------------------------------------- */

static uint64_t flip_timestamp(uint64_t timestamp)
{
    return ~(timestamp ^ UINT64_C(1) << 63);
}

static sm_status encode_key(sm_giant *g, size_t family, const sm_payload_cell *cell, sm_error *err)
{
    sm_buf_clear(&g->key);
    const sm_status st = sm_buf_reserve(&g->key, KEY_FIXED + 2 * cell->qualifier.len, err);
    if (st != SM_OK) {
        return st;
    }
    uint8_t *p = g->key.data;
    sm_store_be32(p, (uint32_t)family);
    p += 4;
    for (size_t i = 0; i < cell->qualifier.len; i++) {
        *p++ = cell->qualifier.data[i];
        if (cell->qualifier.data[i] == 0) {
            *p++ = 0xff;
        }
    }
    *p++ = 0;
    *p++ = 0;
    sm_store_be64(p, flip_timestamp((uint64_t)cell->timestamp));
    p[8] = (uint8_t)~SM_CELL_PUT;
    g->key.len = (size_t)(p + 9 - g->key.data);
    return SM_OK;
}

static sm_status add_cell(sm_giant *g, uint64_t order, const sm_payload_cell *cell, sm_error *err)
{
    const size_t family = g->x->layout->columns[cell->column].family;
    g->x->counts->families[family].cells_made++;
    sm_status st = encode_key(g, family, cell, err);
    sm_buf_clear(&g->payload);
    if (st == SM_OK) {
        st = sm_buf_reserve(&g->payload, 8 + SM_LEB_MAX + cell->value.len, err);
    }
    if (st != SM_OK) {
        return st;
    }
    sm_store_le64(g->payload.data, order);
    uint8_t *p = sm_leb_put(g->payload.data + 8, (uint64_t)cell->ttl);
    g->payload.len = (size_t)(p - g->payload.data);
    st = sm_buf_append(&g->payload, cell->value.data, cell->value.len, err);
    if (st != SM_OK) {
        return st;
    }
    const sm_row row = {
        .order = g->next++, .key = sm_buf_view(&g->key), .payload = sm_buf_view(&g->payload)};
    return sm_runs_add(g->runs, 0, &row, err);
}

/* The slow way, for a record whose cells were not appended in column order: column by column. */
static sm_status add_in_column_order(sm_giant *g, uint64_t order, sm_bytes payload, sm_error *err)
{
    const sm_layout *layout = g->x->layout;
    const uint8_t *end = payload.data + payload.len;
    sm_payload_cell cell;
    for (size_t column = 0; column < layout->column_count; column++) {
        for (const uint8_t *p = payload.data; p < end;) {
            if (!sm_payload_next(layout, &p, end, &cell)) {
                return sm_payload_damaged(layout, err);
            }
            const sm_status st = cell.column == column ? add_cell(g, order, &cell, err) : SM_OK;
            if (st != SM_OK) {
                return st;
            }
        }
    }
    return SM_OK;
}

static bool columns_ascend(const sm_layout *layout, sm_bytes payload)
{
    const uint8_t *end = payload.data + payload.len;
    sm_payload_cell cell;
    uint32_t last = 0;
    for (const uint8_t *p = payload.data; p < end;) {
        if (!sm_payload_next(layout, &p, end, &cell) || cell.column < last) {
            return false;
        }
        last = cell.column;
    }
    return true;
}

sm_status sm_giant_add(sm_giant *g, uint64_t order, sm_bytes payload, sm_error *err)
{
    const sm_layout *layout = g->x->layout;
    if (payload.len == 0) {
        return SM_OK;
    }
    if (!columns_ascend(layout, payload)) {
        return add_in_column_order(g, order, payload, err);
    }
    const uint8_t *end = payload.data + payload.len;
    sm_payload_cell cell;
    sm_status st = SM_OK;
    for (const uint8_t *p = payload.data; p < end && st == SM_OK;) {
        if (!sm_payload_next(layout, &p, end, &cell)) {
            return sm_payload_damaged(layout, err);
        }
        st = add_cell(g, order, &cell, err);
    }
    return st;
}

/* ---- out ------------------------------------------------------------------------------------- */

/* Takes the waiting cell's family, qualifier and timestamp out of its key. */
static sm_status decode_key(sm_giant *g, sm_bytes key, sm_error *err)
{
    const uint8_t *p = key.data + 4;
    const uint8_t *end = key.data + key.len - 9;
    sm_buf_clear(&g->cell_qualifier);
    const sm_status st = sm_buf_reserve(&g->cell_qualifier, key.len, err);
    if (st != SM_OK) {
        return st;
    }
    uint8_t *to = g->cell_qualifier.data;
    while (p + 2 < end) { /* the terminator is the last two bytes */
        *to++ = *p;
        p += *p == 0 ? 2 : 1;
    }
    g->cell_qualifier.len = (size_t)(to - g->cell_qualifier.data);
    g->cell.family = sm_load_be32(key.data);
    g->cell.qualifier = sm_buf_view(&g->cell_qualifier);
    g->cell.timestamp = (int64_t)flip_timestamp(sm_load_be64(end));
    return SM_OK;
}

static sm_status take_payload(sm_giant *g, sm_bytes payload, sm_error *err)
{
    const uint8_t *end = payload.data + payload.len;
    const uint8_t *p = payload.data + 8;
    uint64_t ttl;
    if (payload.len < 8 || !sm_leb_get(&p, end, &ttl)) {
        return sm_payload_damaged(g->x->layout, err);
    }
    g->cell.order = sm_load_le64(payload.data);
    g->cell.ttl = (int64_t)ttl;
    sm_buf_clear(&g->cell_value);
    const sm_status st = sm_buf_append(&g->cell_value, p, (size_t)(end - p), err);
    g->cell.value = sm_buf_view(&g->cell_value);
    return st;
}

static sm_status emit_waiting(sm_giant *g, sm_error *err)
{
    if (!g->waiting) {
        return SM_OK;
    }
    g->waiting = false;
    return sm_expand_emit(g->x, g->cell.family, &g->cell, err);
}

static sm_status take_cell(sm_giant *g, const sm_row *row, sm_error *err)
{
    if (g->waiting && sm_bytes_equal(row->key, sm_buf_view(&g->cell_key))) {
        if (g->x->layout->keep == SM_KEEP_ERROR) {
            const sm_gathered other = {.order = sm_load_le64(row->payload.data)};
            return sm_expand_duplicate(g->x, &g->cell, &other, err);
        }
        g->x->counts->families[g->cell.family].duplicates_dropped++;
        return g->x->layout->keep == SM_KEEP_LAST ? take_payload(g, row->payload, err) : SM_OK;
    }
    sm_status st = emit_waiting(g, err);
    if (st != SM_OK) {
        return st;
    }
    if (row->key.len < KEY_FIXED) {
        return sm_payload_damaged(g->x->layout, err);
    }
    sm_buf_clear(&g->cell_key);
    st = sm_buf_append(&g->cell_key, row->key.data, row->key.len, err);
    if (st == SM_OK) {
        st = decode_key(g, row->key, err);
    }
    if (st == SM_OK) {
        st = take_payload(g, row->payload, err);
    }
    g->waiting = st == SM_OK;
    return st;
}

sm_status sm_giant_finish(sm_giant *g, sm_error *err)
{
    sm_merge *m = NULL;
    sm_row row;
    bool more = true;
    sm_status st = sm_runs_seal(g->runs, 1, err);
    if (st != SM_OK || sm_runs_part_count(g->runs) == 0) {
        return st;
    }
    st = sm_merge_open(g->runs, 0, 1, &m, err);
    while (st == SM_OK) {
        st = sm_merge_next(m, &row, &more, err);
        if (st != SM_OK || !more) {
            break;
        }
        st = take_cell(g, &row, err);
    }
    if (st == SM_OK) {
        st = emit_waiting(g, err);
    }
    sm_merge_close(m);
    return st;
}
