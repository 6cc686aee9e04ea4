/* SPDX-License-Identifier: Apache-2.0 */
/* One spelling of everything in a job that decides the data: the base of run_fingerprint, and what
 * --print-job shows. Limits, threads and paths are left out: they may differ between runs that must
 * write the same bytes. The key fingerprint covers what a reader must know to rebuild a key: the
 * expression with its defaults, and types, zones, charsets and null texts of the fields that it
 * reads.
 *
 * The text is a list of lines "path = value", values escaped as Bytes.toStringBinary does. */
#include "core/escape.h"
#include "core/hash.h"
#include "ingest/encoding.h"
#include "job/job_reader.h"
#include "partitioner/uids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANONICAL_MAX = 64 << 20, FORMAT_VERSION = 1 };

typedef struct writer {
    sm_buf buf;
    sm_error *err;
    sm_status st;
} writer;

static void line_bytes(writer *w, const char *path, const char *name, sm_bytes value)
{
    if (w->st == SM_OK) {
        w->st = sm_buf_printf(&w->buf, w->err, "%s%s = ", path, name);
    }
    if (w->st == SM_OK) {
        w->st = sm_escape(value, &w->buf, w->err);
    }
    if (w->st == SM_OK) {
        w->st = sm_buf_append_byte(&w->buf, '\n', w->err);
    }
}

static void line_text(writer *w, const char *path, const char *name, const char *value)
{
    if (value != NULL) {
        line_bytes(w, path, name, sm_bytes_text(value));
    }
}

static void line_number(writer *w, const char *path, const char *name, int64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    line_text(w, path, name, text);
}

static void line_expr(writer *w, const sm_schema *schema, const char *path, const char *name,
                      const sm_expr *e)
{
    if (e == NULL || w->st != SM_OK) {
        return;
    }
    sm_buf text;
    sm_buf_init(&text, CANONICAL_MAX);
    w->st = sm_expr_canonical(e, schema, &text, w->err);
    if (w->st == SM_OK) {
        line_bytes(w, path, name, sm_buf_view(&text));
    }
    sm_buf_free(&text);
}

static void write_field(writer *w, const sm_field *f)
{
    static const char *const charsets[] = {"any", "ascii", "digits"};
    char path[300];
    (void)snprintf(path, sizeof path, "field.%.256s", f->name);
    line_text(w, path, ".type", sm_type_name(f->type));
    if (f->charset != SM_CHARSET_ANY) {
        line_text(w, path, ".charset", charsets[f->charset]);
    }
    if (f->column >= 0) {
        line_number(w, path, ".column", f->column + 1);
    }
    if (f->from_path) {
        line_text(w, path, ".from", "path");
    }
    if (f->time != NULL) {
        line_text(w, path, ".format", sm_time_format_text(f->time));
    }
}

static void write_window(writer *w, const sm_field *f)
{
    char path[300];
    (void)snprintf(path, sizeof path, "field.%.256s", f->name);
    if (f->has_min) {
        line_number(w, path, ".min", f->min);
    }
    if (f->has_max) {
        line_number(w, path, ".max", f->max);
    }
}

static void write_nulls(writer *w, const sm_csv_dialect *csv)
{
    for (size_t i = 0; i < csv->null_count; i++) {
        line_bytes(w, "csv", ".null", csv->nulls[i]);
    }
}

static void write_dialect(writer *w, const sm_csv_dialect *csv)
{
    line_bytes(w, "csv", ".delimiter", csv->delimiter);
    line_number(w, "csv", ".quote", csv->quote);
    line_number(w, "csv", ".escape", csv->escape);
    line_number(w, "csv", ".comment", csv->comment);
    line_number(w, "csv", ".header", csv->header);
    line_number(w, "csv", ".trailing_delimiter", csv->trailing_delimiter);
    line_number(w, "csv", ".skip_lines", (int64_t)csv->skip_lines);
    for (size_t i = 0; i < csv->column_count; i++) {
        line_bytes(w, "csv", ".column", csv->columns[i]);
    }
    write_nulls(w, csv);
}

/* What turns bytes into other bytes also decides what a key holds. */
static void write_encoding(writer *w, const sm_feed *feed)
{
    line_text(w, "input", ".encoding", sm_encoding_name(feed->encoding));
}

static void write_feed(writer *w, const sm_feed *feed)
{
    if (feed->encoding != SM_ENCODING_BYTES) {
        write_encoding(w, feed);
    }
    line_text(w, "input", ".path_fields", feed->path_fields);
    line_text(w, "input", ".header_lines", feed->header_lines);
    line_text(w, "input", ".trailer", feed->trailer);
}

/* Which ids names have is known only after the inputs are read (pipeline.c). */
static void write_uids(writer *w, const sm_uids *uids)
{
    for (size_t i = 0; uids != NULL && i < uids->count; i++) {
        char path[300];
        if (uids->items[i].used) {
            (void)snprintf(path, sizeof path, "uids.%.256s", uids->items[i].name);
            line_text(w, path, ".new", uids->items[i].assign ? "assign" : "reject");
        }
    }
}

/* What random and pick go by. */
static void write_identity(writer *w, const sm_job *job)
{
    for (size_t i = 0; i < job->identity_count; i++) {
        line_text(w, "input", ".identity", job->schema.fields[job->identity[i]].name);
    }
    if (job->seed != 0) {
        line_number(w, "job", ".seed", (int64_t)job->seed);
    }
}

static void write_time_range(writer *w, const sm_job *job)
{
    if (job->time_range.time != NULL) {
        line_expr(w, &job->schema, "input", ".time_range", job->time_range.time);
        line_number(w, "input", ".time_range.from", job->time_range.from);
        line_number(w, "input", ".time_range.to", job->time_range.to);
    }
}

static void write_input(writer *w, const sm_job *job)
{
    line_text(w, "input", ".format", job->input_format);
    write_dialect(w, &job->csv);
    write_feed(w, &job->feed);
    for (size_t i = 0; i < job->schema.count; i++) {
        const sm_field *f = &job->schema.fields[i];
        /* Text columns that nothing reads decide nothing; typed ones can reject a record. */
        if (f->used || f->type != SM_TYPE_TEXT) {
            write_field(w, f);
            write_window(w, f);
        }
    }
    write_identity(w, job);
    line_expr(w, &job->schema, "input", ".where", job->where);
    write_time_range(w, job);
}

static void write_family(writer *w, const char *path, const sm_job_family *f)
{
    static const char *const framings[] = {NULL, "hbase", "hadoop"};
    static const char *const blooms[] = {"NONE", "ROW"};
    line_bytes(w, path, ".family", f->name);
    line_text(w, path, ".compression", sm_compression_name(f->sink.compression));
    line_text(w, path, ".zstd_framing", framings[f->sink.zstd_framing]);
    line_number(w, path, ".level", f->sink.level);
    line_text(w, path, ".bloom", blooms[f->sink.bloom]);
    line_number(w, path, ".block_size", f->sink.block_size);
    line_number(w, path, ".index_block_size", f->sink.index_block_size);
}

static void write_cell(writer *w, const sm_job *job, const sm_job_table *t, size_t i)
{
    const sm_column *column = &t->layout.columns[i];
    const sm_job_cell *cell = &t->cells[i];
    char path[64];
    (void)snprintf(path, sizeof path, "%s.cell[%zu]", t->where, i);
    line_bytes(w, path, ".family", t->layout.families[column->family]);
    if (column->qualifier_is_constant) {
        line_bytes(w, path, ".constant", column->qualifier);
    }
    line_expr(w, &job->schema, path, ".qualifier", cell->qualifier);
    line_expr(w, &job->schema, path, ".value", cell->value);
    line_expr(w, &job->schema, path, ".timestamp", cell->timestamp);
    line_expr(w, &job->schema, path, ".ttl", cell->ttl);
    line_expr(w, &job->schema, path, ".when", cell->when);
}

static void write_table(writer *w, const sm_job *job, const sm_job_table *t)
{
    line_text(w, t->where, ".name", t->name);
    line_expr(w, &job->schema, t->where, ".name", t->name_expr);
    line_text(w, t->where, ".key", t->key_canonical);
    for (size_t i = 0; i < t->splits->count; i++) {
        line_bytes(w, t->where, ".split", t->splits->keys[i]);
    }
    if (t->colocated_with != NULL) {
        line_text(w, t->where, ".colocated_with", t->colocated_with->where);
    }
    line_expr(w, &job->schema, t->where, ".when", t->when);
    line_expr(w, &job->schema, t->where, ".timestamp", t->timestamp);
    if (t->timestamp == NULL) {
        line_number(w, t->where, ".timestamp", t->fixed_timestamp);
    }
    line_number(w, t->where, ".duplicates.scope", t->layout.scope);
    line_number(w, t->where, ".duplicates.keep", t->layout.keep);
    for (size_t i = 0; i < t->family_count; i++) {
        write_family(w, t->where, &t->families[i]);
    }
    for (size_t i = 0; i < t->layout.column_count; i++) {
        write_cell(w, job, t, i);
    }
}

sm_status sm_job_make_canonical(sm_job_reader *r)
{
    sm_job *job = r->job;
    writer w = {.err = r->err, .st = SM_OK};
    sm_buf_init(&w.buf, CANONICAL_MAX);
    line_number(&w, "format", ".version", FORMAT_VERSION);
    write_input(&w, job);
    write_uids(&w, job->uids);
    for (size_t i = 0; i < job->table_count; i++) {
        write_table(&w, job, &job->tables[i]);
    }
    line_text(&w, "output", ".format", job->output_format);
    line_number(&w, "output", ".roll", (int64_t)job->roll);
    if (w.st == SM_OK) {
        job->canonical = sm_arena_text(r->arena, w.buf.data, w.buf.len);
        w.st = job->canonical == NULL ? sm_job_no_memory(r) : SM_OK;
    }
    sm_buf_free(&w.buf);
    return w.st;
}

sm_status sm_job_fingerprint(sm_bytes text, char out[SM_FINGERPRINT_TEXT], sm_error *err)
{
    static const char digits[] = "0123456789abcdef";
    sm_hasher *hasher = NULL;
    const sm_status st = sm_hasher_new(&hasher, err);
    if (st != SM_OK) {
        return st;
    }
    uint8_t hash[SM_HASH_MAX_BYTES];
    sm_hash(hasher, SM_HASH_SHA256, text, hash);
    sm_hasher_free(hasher);
    for (size_t i = 0; i < SM_FINGERPRINT_TEXT / 2; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    out[SM_FINGERPRINT_TEXT - 1] = '\0';
    return SM_OK;
}

/* A key that holds starts of regions is another one under other splits. */
static void write_regions(writer *w, const sm_expr *key)
{
    const sm_splits *splits = sm_expr_region_splits(key, 0);
    for (size_t n = 1; splits != NULL; n++) {
        line_number(w, "regions", "", (int64_t)sm_splits_regions(splits));
        for (size_t i = 0; i < splits->count; i++) {
            line_bytes(w, "regions", ".split", splits->keys[i]);
        }
        splits = sm_expr_region_splits(key, n);
    }
}

static int order_fields(const void *a, const void *b)
{
    return strcmp((*(const sm_field *const *)a)->name, (*(const sm_field *const *)b)->name);
}

/* By name: where a field stands in the job, or who else reads it first, is no part of the rule. */
static void write_key_fields(writer *w, sm_job_reader *r, const bool *used)
{
    const sm_field **list = sm_arena_array(r->arena, r->field_count + 1, sizeof *list);
    size_t count = 0;
    if (w->st == SM_OK && list == NULL) {
        w->st = sm_job_no_memory(r);
    }
    for (size_t i = 0; w->st == SM_OK && i < r->field_count; i++) {
        if (used[i]) {
            list[count++] = &r->fields[i];
        }
    }
    if (count > 1) {
        qsort(list, count, sizeof *list, order_fields);
    }
    for (size_t i = 0; i < count; i++) {
        write_field(w, list[i]);
    }
}

static int order_bytes(const void *a, const void *b)
{
    return sm_bytes_compare(*(const sm_bytes *)a, *(const sm_bytes *)b);
}

/* A set: their order says nothing. */
static void write_key_nulls(writer *w, sm_job_reader *r)
{
    sm_csv_dialect sorted = r->job->csv;
    sm_bytes *nulls = sm_arena_array(r->arena, sorted.null_count + 1, sizeof *nulls);
    if (w->st == SM_OK && nulls == NULL) {
        w->st = sm_job_no_memory(r);
    }
    if (w->st != SM_OK || sorted.null_count == 0) {
        return;
    }
    memcpy(nulls, sorted.nulls, sorted.null_count * sizeof *nulls);
    qsort(nulls, sorted.null_count, sizeof *nulls, order_bytes);
    sorted.nulls = nulls;
    write_nulls(w, &sorted);
}

sm_status sm_job_fingerprint_key(sm_job_reader *r, sm_job_table *table, const bool *used)
{
    writer w = {.err = r->err, .st = SM_OK};
    sm_buf canonical;
    sm_buf_init(&canonical, CANONICAL_MAX);
    sm_buf_init(&w.buf, CANONICAL_MAX);
    w.st = sm_expr_canonical(table->key, &r->job->schema, &canonical, r->err);
    line_bytes(&w, "key", "", sm_buf_view(&canonical));
    write_key_fields(&w, r, used);
    if (sm_expr_reads_identity(table->key)) {
        write_identity(&w, r->job);
    }
    write_regions(&w, table->key);
    write_key_nulls(&w, r);
    if (r->job->feed.encoding == SM_ENCODING_LATIN1 ||
        r->job->feed.encoding == SM_ENCODING_GB18030) {
        write_encoding(&w, &r->job->feed);
    }
    if (w.st == SM_OK) {
        table->key_canonical = sm_arena_text(r->arena, canonical.data, canonical.len);
        table->key_rule = sm_arena_text(r->arena, w.buf.data, w.buf.len);
        w.st =
            table->key_canonical == NULL || table->key_rule == NULL ? sm_job_no_memory(r) : SM_OK;
    }
    if (w.st == SM_OK) {
        w.st = sm_job_fingerprint(sm_buf_view(&w.buf), table->key_fingerprint, r->err);
    }
    sm_buf_free(&canonical);
    sm_buf_free(&w.buf);
    return w.st;
}
