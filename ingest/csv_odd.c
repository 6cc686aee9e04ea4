/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the dialects that libcsv cannot express: delimiters of several bytes, an escape byte.
 * Cuts come from the framer; a field that needs no unescaping is a view into the record. It can do
 * the plain dialects as well, which lets tests compare the two engines. */
#include "core/buf.h"
#include "core/mem.h"
#include "ingest/csv_engine.h"

struct sm_csv_engine {
    const sm_csv_frame *frame;
    sm_buf values; /* fields that had to be unescaped */
    sm_buf cuts;   /* sm_csv_cut of the record */
};

static void close_odd(sm_csv_engine *e)
{
    if (e != NULL) {
        sm_buf_free(&e->values);
        sm_buf_free(&e->cuts);
        sm_free(e);
    }
}

static sm_status open_odd(const sm_csv_frame *f, sm_csv_engine **out, sm_error *err)
{
    *out = NULL;
    void *memory = NULL;
    const sm_status st = sm_new(sizeof **out, "the CSV reader", &memory, err);
    if (st != SM_OK) {
        return st;
    }
    sm_csv_engine *e = memory;
    e->frame = f;
    sm_buf_init(&e->values, SIZE_MAX / 2);
    sm_buf_init(&e->cuts, SIZE_MAX / 2);
    *out = e;
    return SM_OK;
}

static bool holds(sm_bytes text, int byte)
{
    return byte >= 0 && text.len != 0 && memchr(text.data, byte, text.len) != NULL;
}

/* An escape and the byte behind it become that byte, two quotes (in a quoted field) one; a last
 * escape with nothing behind it stays. The values buffer has room for the whole record. */
static sm_bytes unescape(sm_csv_engine *e, sm_bytes raw, bool quoted)
{
    uint8_t *const start = e->values.data + e->values.len;
    uint8_t *to = start;
    for (size_t i = 0; i < raw.len; i++) {
        const uint8_t c = raw.data[i];
        if ((c == e->frame->escape || (quoted && c == e->frame->quote)) && i + 1 < raw.len) {
            i++;
        }
        *to++ = raw.data[i];
    }
    e->values.len += (size_t)(to - start);
    return (sm_bytes){start, (size_t)(to - start)};
}

static sm_field_text value_of(sm_csv_engine *e, sm_bytes record, sm_csv_cut cut)
{
    const sm_bytes raw = {record.data + cut.start, cut.len};
    sm_field_text out = {raw, raw, cut.quoted};
    if (holds(raw, e->frame->escape) || (cut.quoted && holds(raw, e->frame->quote))) {
        out.bytes = unescape(e, raw, cut.quoted);
    }
    return out;
}

static sm_status split_odd(sm_csv_engine *e, sm_bytes record, bool quoted, sm_fields *out,
                           sm_error *err)
{
    (void)quoted;
    sm_buf_clear(&e->values);
    sm_buf_clear(&e->cuts);
    sm_status st = sm_buf_reserve(&e->values, record.len + 1, err);
    if (st == SM_OK) {
        st = sm_buf_reserve(&e->cuts, out->room * sizeof(sm_csv_cut), err);
    }
    if (st != SM_OK) {
        return st;
    }
    sm_csv_cut *cuts = (sm_csv_cut *)(void *)e->cuts.data;
    out->count = sm_csv_cut_fields(e->frame, record, cuts, out->room);
    for (size_t i = 0; i < out->count && i < out->room; i++) {
        out->items[i] = value_of(e, record, cuts[i]);
    }
    return SM_OK;
}

const sm_csv_engine_type sm_csv_odd = {
    .name = "odd", .open = open_odd, .close = close_odd, .split = split_odd};

const sm_csv_engine_type *sm_csv_engine_for(const sm_csv_frame *f)
{
    return f->odd ? &sm_csv_odd : &sm_csv_libcsv;
}
