/* SPDX-License-Identifier: Apache-2.0 */
/* Fields through libcsv, the only file that knows it. One well-formed record at a time, without its
 * terminator; libcsv unquotes, copies and reports fields, the framer says which of them were
 * quoted. Blanks are data here (libcsv would trim them), and so are NUL bytes. */
#include "core/buf.h"
#include "core/mem.h"
#include "ingest/csv_engine.h"

#include <csv.h>

/* libcsv grows its field buffer in steps of this; a field of 64 MiB takes 512 of them. */
enum { FIELD_STEP = 128 * 1024 };

struct sm_csv_engine {
    const sm_csv_frame *frame;
    struct csv_parser parser;
    sm_buf values;     /* all stored fields of the record, back to back */
    sm_buf cuts;       /* sm_csv_cut of a record with quotes */
    sm_fields *fields; /* target of the split that is running */
};

static int never(unsigned char byte)
{
    (void)byte;
    return 0;
}

static void close_libcsv(sm_csv_engine *e)
{
    if (e != NULL) {
        csv_free(&e->parser);
        sm_buf_free(&e->values);
        sm_buf_free(&e->cuts);
        sm_free(e);
    }
}

static sm_status open_libcsv(const sm_csv_frame *f, sm_csv_engine **out, sm_error *err)
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
    (void)csv_init(&e->parser, 0); /* fails for a NULL parser only */
    csv_set_delim(&e->parser, f->delimiter[0]);
    /* libcsv cannot do without a quote. Where the dialect has none, records hold no line end (it
     * would have ended them), so LF as the quote never occurs. */
    csv_set_quote(&e->parser, f->quote < 0 ? '\n' : (unsigned char)f->quote);
    csv_set_space_func(&e->parser, never);
    if (f->quote < 0) {
        csv_set_term_func(&e->parser, never);
    }
    csv_set_realloc_func(&e->parser, sm_realloc);
    csv_set_free_func(&e->parser, sm_free);
    csv_set_blk_size(&e->parser, FIELD_STEP);
    *out = e;
    return SM_OK;
}

/* libcsv's callback: one field. Room in `values` was made before, so nothing moves or fails. */
static void take_field(void *data, size_t len, void *context)
{
    sm_csv_engine *e = context;
    sm_fields *fields = e->fields;
    if (fields->count < fields->room && len <= e->values.capacity - e->values.len) {
        uint8_t *copy = e->values.data + e->values.len;
        if (len != 0) {
            memcpy(copy, data, len);
        }
        e->values.len += len;
        const sm_bytes value = {copy, len};
        fields->items[fields->count] = (sm_field_text){value, value, false};
    }
    fields->count++;
}

static sm_status mark_quoted(sm_csv_engine *e, sm_bytes record, sm_fields *out, sm_error *err)
{
    sm_buf_clear(&e->cuts);
    const sm_status st = sm_buf_reserve(&e->cuts, out->room * sizeof(sm_csv_cut), err);
    if (st != SM_OK) {
        return st;
    }
    sm_csv_cut *cuts = (sm_csv_cut *)(void *)e->cuts.data;
    const size_t count = sm_csv_cut_fields(e->frame, record, cuts, out->room);
    if (count != out->count) {
        return sm_fail(err, SM_E_INTERNAL,
                       "libcsv finds %zu fields in a record, the framer %zu; please report this",
                       out->count, count);
    }
    for (size_t i = 0; i < count && i < out->room; i++) {
        out->items[i].quoted = cuts[i].quoted;
    }
    return SM_OK;
}

static sm_status split_libcsv(sm_csv_engine *e, sm_bytes record, bool quoted, sm_fields *out,
                              sm_error *err)
{
    sm_buf_clear(&e->values);
    const sm_status st = sm_buf_reserve(&e->values, record.len + 1, err);
    if (st != SM_OK) {
        return st;
    }
    e->fields = out;
    out->count = 0;
    if (csv_parse(&e->parser, record.data, record.len, take_field, NULL, e) != record.len ||
        csv_fini(&e->parser, take_field, NULL, e) != 0) {
        return sm_fail_memory(err, record.len, "the CSV reader");
    }
    return quoted ? mark_quoted(e, record, out, err) : SM_OK;
}

const sm_csv_engine_type sm_csv_libcsv = {
    .name = "libcsv", .open = open_libcsv, .close = close_libcsv, .split = split_libcsv};
