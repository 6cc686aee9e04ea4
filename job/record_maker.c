/* SPDX-License-Identifier: Apache-2.0 */
/* One record -> the rows of all tables: selection, key, timestamp, cells, and the checks that
 * HBase's formats demand. A record that fails for one table fails whole, before anything of it is
 * stored. */
#include "core/escape.h"
#include "core/mem.h"
#include "job/build.h"
#include "partitioner/uid_notes.h"

#include <stdio.h>
#include <string.h>

struct sm_record_maker {
    const sm_job *job;
    sm_eval *eval;
    sm_buf payloads;        /* of all tables of one record, one behind the other */
    size_t *payload_starts; /* per table */
    sm_made_row *rows;
    sm_uid_notes *assumed; /* own ones, or NULL */
};

sm_status sm_record_maker_new(const sm_job *job, sm_record_maker **out, sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    sm_status st = sm_new(sizeof(sm_record_maker), "a worker", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_record_maker *m = p;
    m->job = job;
    sm_buf_init(&m->payloads, SIZE_MAX / 4);
    m->payload_starts = sm_calloc(job->table_count, sizeof *m->payload_starts);
    m->rows = sm_calloc(job->table_count, sizeof *m->rows);
    st = m->payload_starts == NULL || m->rows == NULL ? sm_fail_memory(err, 0, "a worker")
                                                      : sm_eval_new(job->cell_limit, &m->eval, err);
    if (st != SM_OK) {
        sm_record_maker_free(m);
        return st;
    }
    *out = m;
    return SM_OK;
}

void sm_record_maker_free(sm_record_maker *m)
{
    if (m == NULL) {
        return;
    }
    sm_eval_free(m->eval);
    sm_buf_free(&m->payloads);
    sm_free(m->payload_starts);
    sm_free(m->rows);
    sm_uid_notes_free(m->assumed);
    sm_free(m);
}

void sm_record_maker_collect(sm_record_maker *m, sm_uid_notes *notes)
{
    sm_eval_collect_uids(m->eval, notes);
}

sm_status sm_record_maker_assume_uids(sm_record_maker *m, sm_error *err)
{
    if (m->job->uids == NULL || m->assumed != NULL) {
        return SM_OK;
    }
    const sm_status st = sm_uid_notes_new(m->job->uids->count, 0, &m->assumed, err);
    sm_eval_collect_uids(m->eval, m->assumed);
    return st;
}

bool sm_record_maker_assumed(const sm_record_maker *m)
{
    return m->assumed != NULL && sm_uid_notes_pending(m->assumed);
}

/* ---- reasons --------------------------------------------------------------------------------- */

/* The evaluator knows which field is to blame and what was found. */
static void blame(const sm_record_maker *m, sm_reject code, const char *where, sm_reject_note *why)
{
    char text[SM_REJECT_TEXT_SIZE];
    const int field = sm_eval_blame(m->eval, text, sizeof text);
    why->code = code;
    why->field = field >= 0 ? m->job->schema.fields[field].name : where;
    if (field >= 0) {
        (void)snprintf(why->text, sizeof why->text, "%.60s: %.250s", where, text);
    } else {
        (void)snprintf(why->text, sizeof why->text, "%.310s", text);
    }
}

static sm_reject explain(sm_reject_note *why, sm_reject code, const char *where, const char *text)
{
    why->code = code;
    why->field = where;
    (void)snprintf(why->text, sizeof why->text, "%s", text);
    return code;
}

static sm_reject explain_size(sm_reject_note *why, sm_reject code, const char *where,
                              const char *thing, const uint64_t found_allowed[2])
{
    why->code = code;
    why->field = where;
    (void)snprintf(why->text, sizeof why->text, "%s is %llu bytes, at most %llu are allowed", thing,
                   (unsigned long long)found_allowed[0], (unsigned long long)found_allowed[1]);
    return code;
}

/* ---- parts of a row -------------------------------------------------------------------------- */

static sm_reject make_key(sm_record_maker *m, const sm_job_table *t, const sm_record *record,
                          sm_bytes *out, sm_reject_note *why)
{
    sm_value key;
    const sm_reject code = sm_expr_run(t->key, m->eval, record, &key);
    if (code != SM_REJECT_NONE) {
        blame(m, code, t->key_where, why);
        return code;
    }
    if (key.is_null || key.bytes.len == 0) {
        return explain(why, SM_REJECT_KEY_EMPTY, t->key_where,
                       "row key is empty; HBase has no such row");
    }
    if (key.bytes.len > SM_ROW_MAX) {
        return explain_size(why, SM_REJECT_KEY_SIZE, t->key_where, "row key",
                            (const uint64_t[]){key.bytes.len, SM_ROW_MAX});
    }
    *out = key.bytes;
    return SM_REJECT_NONE;
}

static const char *region_text(const sm_splits *splits, size_t region, char *out, size_t size)
{
    char start[60];
    if (region == 0) {
        return "the first region";
    }
    (void)snprintf(out, size, "the region from %s",
                   sm_escape_short(sm_splits_start(splits, region), start, sizeof start));
    return out;
}

/* Both keys must fall into one region. The data row's key is made anew: it may not be selected, or
 * stand behind this entry. */
static sm_reject check_region(sm_record_maker *m, const sm_job_table *t, const sm_record *record,
                              sm_bytes key, sm_reject_note *why)
{
    char here[76];
    char there[76];
    sm_bytes data = {0};
    const sm_reject code = make_key(m, t->colocated_with, record, &data, why);
    if (code != SM_REJECT_NONE) {
        return code;
    }
    const size_t own = sm_splits_route(t->splits, key);
    const size_t wanted = sm_splits_route(t->splits, data);
    if (own == wanted) {
        return SM_REJECT_NONE;
    }
    why->code = SM_REJECT_OTHER_REGION;
    why->field = t->key_where;
    (void)snprintf(why->text, sizeof why->text,
                   "the row would lie in %s, but its row of %.60s lies in %s; begin the key with "
                   "region_start()",
                   region_text(t->splits, own, here, sizeof here), t->colocated_with->view,
                   region_text(t->splits, wanted, there, sizeof there));
    return SM_REJECT_OTHER_REGION;
}

/* The table that the record belongs to. */
static sm_reject make_name(sm_record_maker *m, const sm_job_table *t, const sm_record *record,
                           sm_bytes *out, sm_reject_note *why)
{
    enum { SHOWN = 100 };
    sm_value name;
    const sm_reject code = sm_expr_run(t->name_expr, m->eval, record, &name);
    if (code != SM_REJECT_NONE) {
        blame(m, code, t->where, why);
        return code;
    }
    if (name.is_null || !sm_job_legal_table_name(name.bytes)) {
        char shown[4 * SHOWN + 8];
        const size_t len = name.is_null || name.bytes.len < SHOWN ? name.bytes.len : SHOWN;
        const sm_bytes front = name.is_null ? sm_bytes_text("") : sm_bytes_of(name.bytes.data, len);
        why->code = SM_REJECT_TABLE_NAME;
        why->field = t->where;
        (void)snprintf(why->text, sizeof why->text, "\"%.200s\" is no table name",
                       sm_escape_short(front, shown, sizeof shown));
        return why->code;
    }
    *out = name.bytes;
    return SM_REJECT_NONE;
}

static sm_reject make_timestamp(sm_record_maker *m, const sm_expr *e, const char *where,
                                const sm_record *record, int64_t *out, sm_reject_note *why)
{
    sm_value time;
    const sm_reject code = sm_expr_run(e, m->eval, record, &time);
    if (code != SM_REJECT_NONE) {
        blame(m, code, where, why);
        return code;
    }
    if (time.is_null) {
        return explain(why, SM_REJECT_TIMESTAMP_NULL, where, "cell timestamp is null");
    }
    if (time.number < 0 || time.number == INT64_MAX) {
        why->code = SM_REJECT_TIMESTAMP;
        why->field = where;
        (void)snprintf(why->text, sizeof why->text,
                       "cell timestamp is %lld ms, outside 0 ... Long.MAX - 1",
                       (long long)time.number);
        return SM_REJECT_TIMESTAMP;
    }
    *out = time.number;
    return SM_REJECT_NONE;
}

static sm_reject run_cell_part(sm_record_maker *m, const sm_job_cell *cell, const sm_expr *e,
                               const sm_record *record, sm_value *out, sm_reject_note *why)
{
    const sm_reject code = sm_expr_run(e, m->eval, record, out);
    if (code != SM_REJECT_NONE) {
        blame(m, code, cell->where, why);
        return code;
    }
    if (!out->is_null && out->bytes.len > m->job->cell_limit) {
        return explain_size(why, SM_REJECT_CELL_SIZE, cell->where, "cell value",
                            (const uint64_t[]){out->bytes.len, m->job->cell_limit});
    }
    return SM_REJECT_NONE;
}

static sm_reject make_ttl(sm_record_maker *m, const sm_job_cell *cell, const sm_record *record,
                          sm_cell_image *image, sm_reject_note *why)
{
    sm_value ttl;
    const sm_reject code = run_cell_part(m, cell, cell->ttl, record, &ttl, why);
    if (code != SM_REJECT_NONE) {
        return code;
    }
    if (!ttl.is_null && ttl.number <= 0) {
        return explain(why, SM_REJECT_NUMBER_RANGE, cell->where, "ttl must be more than 0 ms");
    }
    image->ttl = ttl.is_null ? 0 : ttl.number;
    return SM_REJECT_NONE;
}

static sm_reject make_qualifier(sm_record_maker *m, const sm_job_cell *cell,
                                const sm_record *record, sm_cell_image *image, sm_reject_note *why)
{
    sm_value qualifier;
    const sm_reject code = run_cell_part(m, cell, cell->qualifier, record, &qualifier, why);
    if (code == SM_REJECT_NONE && qualifier.is_null) {
        return explain(why, SM_REJECT_QUALIFIER_NULL, cell->where, "qualifier is null");
    }
    image->qualifier = qualifier.bytes;
    return code;
}

/* Value, qualifier, timestamp and ttl of one cell; *present = false when there is none. */
static sm_reject make_cell(sm_record_maker *m, const sm_job_cell *cell, const sm_record *record,
                           sm_cell_image *image, bool *present, sm_reject_note *why)
{
    sm_value value;
    *present = false;
    if (cell->when != NULL) {
        bool wanted = false;
        const sm_reject tested = sm_expr_test(cell->when, m->eval, record, &wanted);
        if (tested != SM_REJECT_NONE) {
            blame(m, tested, cell->where, why);
        }
        if (tested != SM_REJECT_NONE || !wanted) {
            return tested;
        }
    }
    sm_reject code = run_cell_part(m, cell, cell->value, record, &value, why);
    if (code != SM_REJECT_NONE || value.is_null) {
        return code;
    }
    image->value = value.bytes;
    if (cell->qualifier != NULL) {
        code = make_qualifier(m, cell, record, image, why);
    }
    if (code == SM_REJECT_NONE && cell->timestamp != NULL) {
        code = make_timestamp(m, cell->timestamp, cell->where, record, &image->timestamp, why);
    }
    if (code == SM_REJECT_NONE && cell->ttl != NULL) {
        code = make_ttl(m, cell, record, image, why);
    }
    *present = code == SM_REJECT_NONE;
    return code;
}

/* ---- a row ----------------------------------------------------------------------------------- */

static sm_status make_cells(sm_record_maker *m, const sm_job_table *t, const sm_record *record,
                            sm_made_row *row, sm_reject_note *why, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && why->code == SM_REJECT_NONE && i < t->layout.column_count;
         i++) {
        sm_cell_image image = {.column = i, .timestamp = row->timestamp};
        bool present = false;
        if (make_cell(m, &t->cells[i], record, &image, &present, why) == SM_REJECT_NONE &&
            present) {
            row->cells++;
            st = sm_payload_append(&t->layout, &image, &m->payloads, err);
        }
    }
    return st;
}

static sm_status make_row(sm_record_maker *m, size_t table, const sm_record *record,
                          sm_reject_note *why, sm_error *err)
{
    const sm_job_table *t = &m->job->tables[table];
    sm_made_row *row = &m->rows[table];
    *row = (sm_made_row){.selected = true, .timestamp = t->fixed_timestamp};
    m->payload_starts[table] = m->payloads.len;
    if (t->when != NULL) {
        const sm_reject tested = sm_expr_test(t->when, m->eval, record, &row->selected);
        if (tested != SM_REJECT_NONE) {
            blame(m, tested, t->where, why);
        }
        if (tested != SM_REJECT_NONE || !row->selected) {
            return SM_OK;
        }
    }
    if (t->name_expr != NULL && make_name(m, t, record, &row->name, why) != SM_REJECT_NONE) {
        return SM_OK;
    }
    if (make_key(m, t, record, &row->key, why) != SM_REJECT_NONE) {
        return SM_OK;
    }
    if (t->colocated_with != NULL && check_region(m, t, record, row->key, why) != SM_REJECT_NONE) {
        return SM_OK;
    }
    if (t->timestamp != NULL &&
        make_timestamp(m, t->timestamp, t->where, record, &row->timestamp, why) != SM_REJECT_NONE) {
        return SM_OK;
    }
    return make_cells(m, t, record, row, why, err);
}

/* Payload views are taken only now: the buffer may have moved while it grew. */
static void take_payloads(sm_record_maker *m)
{
    const size_t n = m->job->table_count;
    for (size_t i = 0; i < n; i++) {
        const size_t end = i + 1 < n ? m->payload_starts[i + 1] : m->payloads.len;
        m->rows[i].payload =
            sm_bytes_of(m->payloads.data + m->payload_starts[i], end - m->payload_starts[i]);
    }
}

static sm_status make_rows(sm_record_maker *m, const sm_record *record, sm_reject_note *why,
                           sm_error *err)
{
    sm_status st = SM_OK;
    size_t cells = 0;
    size_t selected = 0;
    for (size_t i = 0; st == SM_OK && why->code == SM_REJECT_NONE && i < m->job->table_count; i++) {
        st = make_row(m, i, record, why, err);
        cells += m->rows[i].cells;
        selected += m->rows[i].selected;
    }
    if (st == SM_OK && why->code == SM_REJECT_NONE && selected != 0 && cells == 0) {
        (void)explain(why, SM_REJECT_NO_CELL, NULL,
                      "the record makes no cell: every cell value is null");
    }
    if (st == SM_OK && why->code == SM_REJECT_NONE) {
        take_payloads(m);
    }
    return st;
}

/* ---- selection ------------------------------------------------------------------------------- */

static sm_made test_where(sm_record_maker *m, const sm_record *record, sm_reject_note *why)
{
    bool wanted = false;
    const sm_reject tested = sm_expr_test(m->job->where, m->eval, record, &wanted);
    if (tested != SM_REJECT_NONE) {
        blame(m, tested, "input.where", why);
        return SM_MADE_REJECT;
    }
    return wanted ? SM_MADE_ROWS : SM_MADE_FILTERED;
}

/* A record without a time is neither within nor outside, so it is no filter's to drop. */
static sm_made test_range(sm_record_maker *m, const sm_record *record, sm_reject_note *why)
{
    static const char where[] = "input.time_range";
    const sm_job_time_range *range = &m->job->time_range;
    sm_value time;
    const sm_reject code = sm_expr_run(range->time, m->eval, record, &time);
    if (code != SM_REJECT_NONE) {
        blame(m, code, where, why);
        return SM_MADE_REJECT;
    }
    if (time.is_null) {
        (void)explain(why, SM_REJECT_TIME_RANGE_NULL, where,
                      "the time that input.time_range goes by is null");
        return SM_MADE_REJECT;
    }
    return time.number >= range->from && time.number < range->to ? SM_MADE_ROWS
                                                                 : SM_MADE_OUT_OF_RANGE;
}

/* SM_MADE_ROWS: the record is wanted. */
static sm_made select_record(sm_record_maker *m, const sm_record *record, sm_reject_note *why)
{
    const sm_made what = m->job->where == NULL ? SM_MADE_ROWS : test_where(m, record, why);
    return what == SM_MADE_ROWS && m->job->time_range.time != NULL ? test_range(m, record, why)
                                                                   : what;
}

sm_status sm_record_make(sm_record_maker *m, const sm_record *record, sm_made *what,
                         const sm_made_row **rows, sm_reject_note *why, sm_error *err)
{
    sm_eval_reset(m->eval);
    sm_buf_clear(&m->payloads);
    if (m->assumed != NULL) {
        sm_uid_notes_drop(m->assumed);
    }
    why->code = SM_REJECT_NONE;
    why->field = NULL;
    *rows = m->rows;
    *what = select_record(m, record, why);
    if (*what != SM_MADE_ROWS) {
        return SM_OK;
    }
    sm_status st = make_rows(m, record, why, err);
    *what = why->code == SM_REJECT_NONE ? SM_MADE_ROWS : SM_MADE_REJECT;
    /* Memory that could not be had looks like a value that is too large until one asks. */
    if (st == SM_OK && why->code == SM_REJECT_CELL_SIZE) {
        st = sm_eval_status(m->eval, err);
    }
    return st;
}
