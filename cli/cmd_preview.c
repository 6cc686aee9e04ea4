/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill preview: what the first records become, as the job stands. Reads, evaluates and prints;
 * writes nothing. */
#include "cli/cli.h"
#include "core/escape.h"
#include "job/record_pass.h"
#include "partitioner/payload.h"

enum { DEFAULT_LIMIT = 10 };

typedef struct preview {
    const sm_cli *cli;
    const sm_job *job;
    sm_source *source;
    sm_reader *reader;
    sm_record_maker *maker;
    sm_slice slice;
    sm_buf scratch;
    uint64_t left;
} preview;

static sm_status print_bytes(preview *p, sm_bytes bytes, sm_error *err)
{
    sm_buf_clear(&p->scratch);
    const sm_status st = sm_escape(bytes, &p->scratch, err);
    sm_out_bytes(sm_buf_view(&p->scratch));
    return st;
}

static sm_status print_fields(preview *p, const sm_record *record, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < p->job->schema.count; i++) {
        const sm_field *f = &p->job->schema.fields[i];
        if (!f->used && f->type == SM_TYPE_TEXT) {
            continue;
        }
        sm_out_text("  %s = ", f->name);
        if (record->values[i].is_null) {
            sm_out_text("null\n");
            continue;
        }
        st = print_bytes(p, record->values[i].bytes, err);
        if (f->type == SM_TYPE_TIME) {
            sm_out_text(" (%lld ms)", (long long)record->values[i].number);
        }
        sm_out_text("\n");
    }
    return st;
}

static sm_status print_cell(preview *p, const sm_layout *layout, const sm_payload_cell *cell,
                            sm_error *err)
{
    const sm_column *column = &layout->columns[cell->column];
    sm_out_text("    ");
    sm_status st = print_bytes(p, layout->families[column->family], err);
    if (st == SM_OK) {
        sm_out_text(":");
        st = print_bytes(p, cell->qualifier, err);
    }
    if (st == SM_OK) {
        sm_out_text(" @%lld = ", (long long)cell->timestamp);
        st = print_bytes(p, cell->value, err);
    }
    if (st == SM_OK && cell->ttl != 0) {
        sm_out_text(" (ttl %lld ms)", (long long)cell->ttl);
    }
    sm_out_text("\n");
    return st;
}

static sm_status print_row(preview *p, const sm_job_table *t, const sm_made_row *row, sm_error *err)
{
    if (!row->selected) {
        sm_out_text("  -> %s: not selected\n", t->view);
        return SM_OK;
    }
    const size_t region = sm_splits_route(t->splits, row->key);
    const sm_bytes name = row->name.len == 0 ? sm_bytes_text(t->view) : row->name;
    sm_out_text("  -> %.*s: row ", (int)name.len, (const char *)name.data);
    sm_status st = print_bytes(p, row->key, err);
    sm_out_text(" (%zu bytes), region %zu of %zu\n", row->key.len, region,
                sm_splits_regions(t->splits));
    const uint8_t *at = row->payload.data;
    for (size_t i = 0; st == SM_OK && i < row->cells; i++) {
        sm_payload_cell cell;
        st = sm_payload_next(&t->layout, &at, row->payload.data + row->payload.len, &cell)
                 ? print_cell(p, &t->layout, &cell, err)
                 : sm_payload_damaged(&t->layout, err);
    }
    return st;
}

static sm_status print_record(preview *p, const sm_record *record, sm_error *err)
{
    const sm_made_row *rows = NULL;
    sm_reject_note why;
    sm_made what = SM_MADE_REJECT;
    sm_status st = print_fields(p, record, err);
    if (st == SM_OK) {
        st = sm_record_make(p->maker, record, &what, &rows, &why, err);
    }
    if (st == SM_OK && sm_record_maker_assumed(p->maker)) {
        sm_out_text("  (names without an id yet stand as id 0; run gives them ids)\n");
    }
    if (st == SM_OK && (what == SM_MADE_FILTERED || what == SM_MADE_OUT_OF_RANGE)) {
        sm_out_text("  -> filtered by input.%s\n",
                    what == SM_MADE_FILTERED ? "where" : "time_range");
    }
    if (st != SM_OK || what == SM_MADE_FILTERED || what == SM_MADE_OUT_OF_RANGE) {
        return st;
    }
    if (what == SM_MADE_REJECT) {
        sm_out_text("  -> rejected: %s: %s\n", sm_reject_text(why.code), why.text);
        return SM_OK;
    }
    for (size_t i = 0; st == SM_OK && i < p->job->table_count; i++) {
        st = print_row(p, &p->job->tables[i], &rows[i], err);
    }
    return st;
}

static void print_place(const preview *p, const sm_place *place)
{
    sm_out_text("%s line %llu record %llu\n", sm_source_input(p->source, place->file)->path,
                (unsigned long long)place->line, (unsigned long long)place->record);
}

static sm_status show_slice(preview *p, sm_error *err)
{
    sm_status st = SM_OK;
    sm_reader_start(p->reader, &p->slice);
    while (st == SM_OK && p->left != 0) {
        sm_read what = SM_READ_END;
        sm_record record;
        sm_reject_note why;
        st = sm_reader_next(p->reader, &what, &record, &why, err);
        if (st != SM_OK || what == SM_READ_END) {
            return st;
        }
        p->left--;
        print_place(p, &record.place);
        if (what == SM_READ_REJECT) {
            sm_out_text("  -> rejected: %s: %s\n", sm_reject_text(why.code), why.text);
            continue;
        }
        st = print_record(p, &record, err);
    }
    return st;
}

static sm_status show(preview *p, sm_error *err)
{
    sm_status st = SM_OK;
    bool more = true;
    while (st == SM_OK && more && p->left != 0) {
        st = sm_source_next(p->source, &p->slice, &more, err);
        if (st == SM_OK && more) {
            st = show_slice(p, err);
        }
    }
    return st;
}

static sm_status open_preview(preview *p, sm_error *err)
{
    enum { SLICE = 64 << 10 };
    const sm_source_options options = sm_job_source_options(p->job, SLICE, p->cli->stop);
    sm_status st = sm_source_open(&options, &p->source, err);
    if (st == SM_OK) {
        st = sm_reader_new(p->source, &p->reader, err);
    }
    if (st == SM_OK) {
        st = sm_record_maker_new(p->job, &p->maker, err);
    }
    return st == SM_OK ? sm_record_maker_assume_uids(p->maker, err) : st;
}

int sm_cmd_preview(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_job *job = NULL;
    preview p = {.cli = cli, .left = cli->limit == UINT64_MAX ? DEFAULT_LIMIT : cli->limit};
    sm_buf_init(&p.scratch, SIZE_MAX / 4);
    sm_status st = sm_cli_load_job(cli, &job, &err);
    p.job = job;
    if (st == SM_OK) {
        st = open_preview(&p, &err);
    }
    if (st == SM_OK) {
        st = show(&p, &err);
    }
    sm_slice_free(&p.slice);
    sm_record_maker_free(p.maker);
    sm_reader_free(p.reader);
    sm_source_close(p.source);
    sm_buf_free(&p.scratch);
    sm_job_free(job);
    return st == SM_OK ? SM_EXIT_OK : sm_cli_fail(cli, &err);
}
