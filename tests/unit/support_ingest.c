/* SPDX-License-Identifier: Apache-2.0 */
/* The small pipeline behind support_ingest.h. */
#include "support_ingest.h"

#include "core/escape.h"
#include "core/fs.h"
#include "core/mem.h"
#include "core/par.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { SLICES_MAX = 1 << 12 };

void ingest_scratch_make(ingest_scratch *s)
{
    (void)snprintf(s->path, sizeof s->path, "/tmp/sm-ingest-XXXXXX");
    assert_non_null(mkdtemp(s->path));
}

void ingest_scratch_remove(const ingest_scratch *s)
{
    assert_int_equal(sm_fs_remove_tree(s->path, NULL), SM_OK);
}

const char *ingest_scratch_file(const ingest_scratch *s, const char *name, sm_bytes data,
                                char out[INGEST_PATH_SIZE])
{
    (void)snprintf(out, INGEST_PATH_SIZE, "%.300s/%.150s", s->path, name);
    FILE *f = fopen(out, "wb");
    assert_non_null(f);
    assert_int_equal(data.len == 0 ? 0 : fwrite(data.data, 1, data.len, f), data.len);
    assert_int_equal(fclose(f), 0);
    return out;
}

sm_bytes ingest_slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        fail_msg("%s cannot be opened", path);
        return (sm_bytes){NULL, 0};
    }
    size_t len = 0;
    uint8_t *data = malloc(1);
    size_t got = 0;
    do {
        data = realloc(data, len + 65536 + 1);
        assert_non_null(data);
        got = fread(data + len, 1, 65536, f);
        len += got;
    } while (got != 0);
    data[len] = '\0';
    (void)fclose(f);
    return (sm_bytes){data, len};
}

void ingest_job_init(ingest_job *job)
{
    static const sm_bytes empty[] = {{(const uint8_t *)"", 0}};
    *job = (ingest_job){.csv = {.delimiter = sm_bytes_text(","),
                                .quote = '"',
                                .escape = -1,
                                .comment = -1,
                                .header = true,
                                .nulls = empty,
                                .null_count = 1},
                        .record_limit = 64 << 20,
                        .slice_size = 1 << 20,
                        .workers = 1};
}

static const char *next_name(const char *names, sm_bytes *out)
{
    const char *comma = strchr(names, ',');
    const size_t len = comma == NULL ? strlen(names) : (size_t)(comma - names);
    *out = sm_bytes_of(names, len);
    return comma == NULL ? names + len : comma + 1;
}

/* The name as a text that lives as long as the test program. */
static const char *kept_name(sm_bytes name)
{
    static char pool[128][32];
    assert_true(name.len < sizeof pool[0]);
    for (size_t i = 0; i < sizeof pool / sizeof pool[0]; i++) {
        if (pool[i][0] == '\0') {
            memcpy(pool[i], name.data, name.len);
        }
        if (sm_bytes_equal_text(name, pool[i])) {
            return pool[i];
        }
    }
    fail_msg("too many field names");
    return "";
}

void ingest_job_fields(ingest_job *job, const char *names)
{
    while (*names != '\0') {
        sm_bytes name;
        names = next_name(names, &name);
        job->fields[job->field_count++] =
            (sm_field){.name = kept_name(name), .type = SM_TYPE_TEXT, .column = -1, .used = true};
    }
}

void ingest_job_columns(ingest_job *job, const char *names)
{
    job->csv.header = false;
    job->csv.column_count = 0;
    while (*names != '\0') {
        names = next_name(names, &job->columns[job->csv.column_count++]);
    }
    job->csv.columns = job->columns;
}

typedef struct run {
    const ingest_job *job;
    sm_source *source;
    sm_rejects *rejects;
    sm_buf *texts; /* per slice */
} run;

static void print_value(sm_buf *out, const sm_field *field, const sm_value *v)
{
    sm_status st = SM_OK;
    if (v->is_null) {
        st = sm_buf_printf(out, NULL, "[~]");
    } else if (field->type == SM_TYPE_INT || field->type == SM_TYPE_TIME) {
        st = sm_buf_printf(out, NULL, "[%" PRId64 "]", v->number);
    } else if (field->type == SM_TYPE_DECIMAL) {
        st = sm_buf_printf(out, NULL, "[%.17g]", v->real);
    } else {
        st = sm_buf_append_byte(out, '[', NULL);
        assert_int_equal(sm_escape(v->bytes, out, NULL), SM_OK);
        assert_int_equal(sm_buf_append_byte(out, ']', NULL), SM_OK);
    }
    assert_int_equal(st, SM_OK);
}

static void print_record(const run *r, sm_buf *out, sm_read what, const sm_record *record,
                         const sm_reject_note *why)
{
    const sm_place *p = &record->place;
    assert_int_equal(sm_buf_printf(out, NULL, "%c %u %" PRIu64 " %" PRIu64 " %" PRIu64 " ",
                                   what == SM_READ_RECORD ? '+' : '-', p->file, p->line, p->offset,
                                   p->record),
                     SM_OK);
    if (what == SM_READ_RECORD) {
        for (size_t i = 0; i < record->count; i++) {
            print_value(out, &r->job->fields[i], &record->values[i]);
        }
    } else {
        assert_int_equal(sm_buf_printf(out, NULL, "%s %s: %s {", sm_reject_text(why->code),
                                       why->field == NULL ? "" : why->field, why->text),
                         SM_OK);
        assert_int_equal(sm_escape(record->original, out, NULL), SM_OK);
        assert_int_equal(sm_buf_append_byte(out, '}', NULL), SM_OK);
    }
    assert_int_equal(sm_buf_append_byte(out, '\n', NULL), SM_OK);
}

typedef struct worker_state {
    sm_reader *reader;
    sm_reject_list *list;
    sm_slice slice;
} worker_state;

static sm_status read_slice(run *r, worker_state *w, sm_error *err)
{
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 2);
    sm_input_counts counts = {0};
    sm_read what = SM_READ_END;
    sm_reader_start(w->reader, &w->slice);
    sm_status st = SM_OK;
    do {
        sm_record record;
        sm_reject_note why;
        st = sm_reader_next(w->reader, &what, &record, &why, err);
        if (st != SM_OK || what == SM_READ_END) {
            break;
        }
        print_record(r, &text, what, &record, &why);
        counts.records_read++;
        counts.records_accepted += what == SM_READ_RECORD;
        counts.records_rejected += what == SM_READ_REJECT;
        if (what == SM_READ_REJECT && r->job->rejects != NULL) {
            st = sm_reject_list_add(w->list, &record, &why, err);
        }
    } while (st == SM_OK);
    counts.reader = *sm_reader_counts_of(w->reader);
    assert_true(w->slice.sequence < SLICES_MAX);
    r->texts[w->slice.sequence] = text;
    if (st == SM_OK) {
        st = sm_rejects_commit(r->rejects, &w->slice, &counts, w->list, err);
    }
    return st;
}

static sm_status work(void *context, unsigned worker, sm_error *err)
{
    (void)worker;
    run *r = context;
    worker_state w = {.reader = NULL};
    bool more = true;
    sm_status st = sm_reader_new(r->source, &w.reader, err);
    if (st == SM_OK) {
        st = sm_reject_list_new(&w.list, err);
    }
    while (st == SM_OK && more) {
        st = sm_source_next(r->source, &w.slice, &more, err);
        if (st == SM_OK && more) {
            st = read_slice(r, &w, err);
        }
    }
    if (st != SM_OK) {
        sm_rejects_abandon(r->rejects);
    }
    sm_slice_free(&w.slice);
    sm_reject_list_free(w.list);
    sm_reader_free(w.reader);
    return st;
}

static void print_counts(const run *r, sm_buf *out)
{
    sm_input_counts sum = {0};
    for (size_t i = 0; i < sm_source_input_count(r->source); i++) {
        const sm_input_counts *c = sm_rejects_counts(r->rejects, i);
        sum.records_read += c->records_read;
        sum.records_accepted += c->records_accepted;
        sum.records_rejected += c->records_rejected;
        sum.reader.blank_lines += c->reader.blank_lines;
        sum.reader.comment_lines += c->reader.comment_lines;
        sum.reader.extra_columns += c->reader.extra_columns;
    }
    assert_int_equal(
        sm_buf_printf(out, NULL,
                      "= %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                      sum.records_read, sum.records_accepted, sum.records_rejected,
                      sum.reader.blank_lines, sum.reader.comment_lines, sum.reader.extra_columns),
        SM_OK);
}

static sm_status open_rejects(run *r, sm_error *err)
{
    const ingest_job *job = r->job;
    sm_rejects_options options = {.directory = job->rejects == NULL ? "/nowhere" : job->rejects,
                                  .limit = {.count = UINT64_MAX},
                                  .source = r->source,
                                  .workers = job->workers};
    if (job->limit != NULL) {
        assert_true(sm_reject_limit_parse(sm_bytes_text(job->limit), &options.limit));
    }
    return sm_rejects_open(&options, &r->rejects, err);
}

static sm_status run_opened(run *r, sm_buf *out, sm_error *err)
{
    sm_status st = open_rejects(r, err);
    if (st != SM_OK) {
        return st;
    }
    st = sm_par_run(r->job->workers, work, r, err);
    if (st == SM_OK) {
        st = sm_rejects_finish(r->rejects, err);
    }
    for (size_t i = 0; i < SLICES_MAX; i++) {
        if (r->texts[i].len != 0) {
            assert_int_equal(sm_buf_append(out, r->texts[i].data, r->texts[i].len, NULL), SM_OK);
        }
        sm_buf_free(&r->texts[i]);
    }
    if (st == SM_OK) {
        print_counts(r, out);
    }
    sm_rejects_free(r->rejects);
    return st;
}

sm_status ingest_run(const ingest_job *job, sm_buf *out, sm_error *err)
{
    const sm_schema schema = {job->fields, job->field_count};
    const sm_source_options options = {.paths = job->paths,
                                       .path_count = job->path_count,
                                       .format = "csv",
                                       .csv = &job->csv,
                                       .feed = job->feed,
                                       .schema = &schema,
                                       .record_limit = job->record_limit,
                                       .slice_size = job->slice_size};
    run r = {.job = job};
    sm_status st = sm_source_open(&options, &r.source, err);
    if (st == SM_OK) {
        r.texts = calloc(SLICES_MAX, sizeof *r.texts);
        assert_non_null(r.texts);
        st = run_opened(&r, out, err);
        free(r.texts);
    }
    sm_source_close(r.source);
    return st;
}

char *ingest_text(const ingest_job *job)
{
    sm_buf out;
    sm_buf_init(&out, SIZE_MAX / 2);
    sm_error err = {.code = SM_OK};
    const sm_status st = ingest_run(job, &out, &err);
    if (st != SM_OK) {
        fail_msg("%s: %s", sm_status_name(st), err.text);
    }
    assert_int_equal(sm_buf_append_byte(&out, '\0', NULL), SM_OK);
    char *text = strdup((const char *)out.data);
    assert_non_null(text);
    sm_buf_free(&out);
    return text;
}
