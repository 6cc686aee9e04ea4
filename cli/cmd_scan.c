/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill scan: a query answered from a published dataset. One cell a line, tab-separated: row,
 * column, timestamp, value, bytes escaped; or with --json one row a line, with the record's fields
 * as far as key and cells give them back. */
#include "cli/cli.h"
#include "core/escape.h"
#include "core/json.h"
#include "job/scan.h"

#include <stdio.h>

typedef struct scan_output {
    const sm_cli *cli;
    const sm_job *job;
    sm_row_fields *fields; /* for JSON */
    sm_buf text;
} scan_output;

/* ---- text ------------------------------------------------------------------------------------ */

static sm_status add_escaped(scan_output *o, sm_bytes bytes, char behind, sm_error *err)
{
    const sm_status st = sm_escape(bytes, &o->text, err);
    return st == SM_OK ? sm_buf_append_byte(&o->text, (uint8_t)behind, err) : st;
}

static sm_status add_line(scan_output *o, const sm_cell *cell, sm_error *err)
{
    sm_status st = add_escaped(o, cell->row, '\t', err);
    if (st == SM_OK) {
        st = add_escaped(o, cell->family, ':', err);
    }
    if (st == SM_OK) {
        st = add_escaped(o, cell->qualifier, '\t', err);
    }
    if (st == SM_OK) {
        st = sm_buf_printf(&o->text, err, "%lld\t", (long long)cell->timestamp);
    }
    return st == SM_OK ? add_escaped(o, cell->value, '\n', err) : st;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_time(sm_json *j, const char *name, int64_t ms)
{
    sm_civil c;
    char text[40];
    if (!sm_civil_from_ms(ms, &c)) {
        sm_json_int(j, name, ms);
        return;
    }
    (void)snprintf(text, sizeof text, "%04d-%02u-%02uT%02u:%02u:%02u.%03uZ", c.year, c.month, c.day,
                   c.hour, c.minute, c.second, c.milli);
    sm_json_text(j, name, text);
}

static void add_field(sm_json *j, const sm_field *f, const sm_value *v)
{
    char real[40];
    if (v->is_null) {
        sm_json_text(j, f->name, NULL);
        return;
    }
    switch (f->type) {
    case SM_TYPE_INT: sm_json_int(j, f->name, v->number); return;
    case SM_TYPE_TIME: add_time(j, f->name, v->number); return;
    case SM_TYPE_DECIMAL:
        (void)snprintf(real, sizeof real, "%.17g", v->real);
        sm_json_text(j, f->name, real);
        return;
    default: sm_json_bytes(j, f->name, v->bytes); return;
    }
}

static sm_status add_fields(scan_output *o, sm_json *j, const sm_row_view *row, sm_error *err)
{
    const sm_field_set *set = NULL;
    const sm_status st = sm_row_fields_read(o->fields, row, &set, err);
    sm_json_open_object(j, "fields");
    for (size_t i = 0; st == SM_OK && i < o->job->schema.count; i++) {
        if (set->known[i]) {
            add_field(j, &o->job->schema.fields[i], &set->values[i]);
        }
    }
    sm_json_close_object(j);
    return st;
}

static sm_status add_column(sm_json *j, const sm_cell *cell, sm_error *err)
{
    sm_buf name;
    sm_buf_init(&name, SIZE_MAX / 4);
    sm_status st = sm_escape(cell->family, &name, err);
    if (st == SM_OK) {
        st = sm_buf_append_byte(&name, ':', err);
    }
    if (st == SM_OK) {
        st = sm_escape(cell->qualifier, &name, err);
    }
    sm_json_open_object(j, NULL);
    sm_json_bytes(j, "column", sm_buf_view(&name));
    sm_json_int(j, "timestamp", cell->timestamp);
    sm_json_escaped(j, "value", cell->value);
    sm_json_close_object(j);
    sm_buf_free(&name);
    return st;
}

static sm_status add_object(scan_output *o, const sm_row_view *row, sm_error *err)
{
    sm_json j;
    sm_json_start(&j, &o->text, true, err);
    sm_json_open_object(&j, NULL);
    sm_json_escaped(&j, "row", row->key);
    sm_status st = add_fields(o, &j, row, err);
    sm_json_open_array(&j, "cells");
    for (size_t i = 0; st == SM_OK && i < row->count; i++) {
        st = add_column(&j, &row->cells[i], err);
    }
    sm_json_close_array(&j);
    sm_json_close_object(&j);
    return st == SM_OK ? sm_json_finish(&j) : st;
}

/* ---- the command ----------------------------------------------------------------------------- */

static sm_status print_row(void *context, const sm_row_view *row, sm_error *err)
{
    scan_output *o = context;
    sm_status st = SM_OK;
    sm_buf_clear(&o->text);
    if (o->cli->json) {
        st = add_object(o, row, err);
    }
    for (size_t i = 0; st == SM_OK && !o->cli->json && i < row->count; i++) {
        st = add_line(o, &row->cells[i], err);
    }
    sm_out_bytes(sm_buf_view(&o->text));
    return st;
}

static sm_status read_order(const sm_cli *cli, sm_scan_order *out, sm_error *err)
{
    if (cli->newest + cli->oldest + cli->merged > 1) {
        return sm_fail(err, SM_E_USAGE, "give one of --newest, --oldest, --merged");
    }
    *out = cli->newest   ? SM_SCAN_NEWEST
           : cli->oldest ? SM_SCAN_OLDEST
           : cli->merged ? SM_SCAN_MERGED
                         : SM_SCAN_STORED;
    return SM_OK;
}

static sm_status read_columns(const sm_cli *cli, sm_scan_options *out, sm_error *err)
{
    const char *const *names = NULL;
    sm_status st = sm_cli_columns(cli, &names, &out->column_count, err);
    if (st != SM_OK) {
        return st;
    }
    sm_bytes *columns = sm_arena_array(cli->arena, out->column_count + 1, sizeof *columns);
    out->columns = columns;
    if (columns == NULL) {
        return sm_fail_memory(err, 0, "the command line");
    }
    for (size_t i = 0; i < out->column_count; i++) {
        columns[i] = sm_bytes_text(names[i]);
    }
    return SM_OK;
}

static sm_status read_options(const sm_cli *cli, const sm_job *job, sm_scan_options *out,
                              sm_error *err)
{
    *out = (sm_scan_options){.dataset = cli->dataset != NULL ? cli->dataset : job->output,
                             .limit = cli->limit == UINT64_MAX ? 0 : cli->limit,
                             .allow_full = cli->full,
                             .superset = cli->superset,
                             .versions = cli->versions,
                             .memory = job->memory,
                             .stop = cli->stop};
    if (out->dataset == NULL) {
        return sm_fail(
            err, SM_E_USAGE,
            "which dataset? the job names no output.directory; give --dataset DIRECTORY");
    }
    sm_status st = read_order(cli, &out->order, err);
    if (st == SM_OK) {
        st = sm_cli_after(cli, &out->after, err);
    }
    return st == SM_OK ? read_columns(cli, out, err) : st;
}

static void explain(const sm_cli *cli, const sm_scan_stats *s)
{
    if (cli->explain) {
        sm_log_info(&cli->log,
                    "%llu rows and %llu cells shown of %llu rows read; %llu ranges, %llu files "
                    "opened, %llu blocks, %llu bytes",
                    (unsigned long long)s->rows, (unsigned long long)s->cells,
                    (unsigned long long)s->rows_tested, (unsigned long long)s->ranges,
                    (unsigned long long)s->files_opened, (unsigned long long)s->blocks_read,
                    (unsigned long long)s->bytes_read);
    }
}

static sm_status scan(sm_cli *cli, const sm_job *job, scan_output *o, sm_error *err)
{
    sm_query query;
    sm_scan_options options;
    sm_scan_stats stats;
    const sm_query_spec spec = {.table = cli->table,
                                .terms = cli->arguments.items + 1,
                                .term_count = cli->arguments.count - 1,
                                .where = cli->where,
                                .by_time = cli->newest || cli->merged,
                                .by_lead = cli->merged};
    sm_status st = read_options(cli, job, &options, err);
    if (st == SM_OK) {
        st = sm_query_make(job, &spec, cli->arena, &query, err);
    }
    if (st == SM_OK && cli->json) {
        st = sm_row_fields_new(job, query.table, NULL, true, &o->fields, err);
    }
    if (st != SM_OK) {
        return st;
    }
    options.query = &query;
    st = sm_scan(&options, print_row, o, &stats, err);
    if (st == SM_OK) {
        explain(cli, &stats);
    }
    return st;
}

int sm_cmd_scan(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_job *job = NULL;
    scan_output o = {.cli = cli};
    sm_buf_init(&o.text, SIZE_MAX / 4);
    sm_status st = sm_cli_load_job(cli, &job, &err);
    o.job = job;
    if (st == SM_OK) {
        st = scan(cli, job, &o, &err);
    }
    sm_row_fields_free(o.fields);
    sm_buf_free(&o.text);
    sm_job_free(job);
    return st == SM_OK ? SM_EXIT_OK : sm_cli_fail(cli, &err);
}
