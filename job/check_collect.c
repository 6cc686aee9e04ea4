/* SPDX-License-Identifier: Apache-2.0 */
/* A worker of a check's first phase: slices -> rows -> keys in the run store, sums and probes. */
#include "core/endian.h"
#include "core/hash.h"
#include "core/mem.h"
#include "ingest/reader.h"
#include "job/build.h"
#include "job/check_engine.h"
#include "job/record_pass.h"
#include "partitioner/leb.h"
#include "partitioner/payload.h"
#include "partitioner/uid_notes.h"

#include <string.h>

enum { CELL_FIXED = 20 }; /* lengths, timestamp and type of a cell in an HFile */

typedef struct collector {
    sm_checking *c;
    unsigned worker;
    sm_check_worker *sums;
    sm_slice slice;
    sm_reader *reader;
    sm_record_maker *maker;
    sm_buf named_key;
    sm_eval *eval;          /* of leading parts and what-ifs */
    sm_uid_notes *notes;    /* of eval */
    sm_check_probe *probes; /* per table, of the slice at hand */
    bool done;              /* options.records are read */
} collector;

/* ---- one row --------------------------------------------------------------------------------- */

size_t sm_check_bucket(sm_bytes lead)
{
    return (size_t)(sm_xxh3(lead) % SM_CHECK_BUCKETS);
}

static sm_reject evaluate(collector *w, const sm_expr *e, const sm_record *record, sm_value *out)
{
    sm_eval_reset(w->eval);
    if (w->notes != NULL) {
        sm_uid_notes_drop(w->notes);
    }
    return sm_expr_run(e, w->eval, record, out);
}

static size_t lead_length(collector *w, const sm_check_design *design, const sm_record *record,
                          sm_bytes key)
{
    sm_value value = {0};
    size_t len = design->lead_width;
    if (design->lead_part == NULL || key.len < design->lead_at) {
        return 0;
    }
    if (design->lead != NULL) {
        const sm_reject code = evaluate(w, design->lead, record, &value);
        len = code == SM_REJECT_NONE && !value.is_null ? value.bytes.len : 0;
    }
    return len <= key.len - design->lead_at ? len : 0;
}

static void count_length(sm_check_sums *sums, size_t len)
{
    const size_t over = len - SM_CHECK_EXACT;
    const size_t at =
        len <= SM_CHECK_EXACT ? len : SM_CHECK_EXACT + (over + SM_CHECK_STEP - 1) / SM_CHECK_STEP;
    sums->lengths[at]++;
    sums->shortest = sums->images == 0 || len < sums->shortest ? len : sums->shortest;
    sums->longest = len > sums->longest ? len : sums->longest;
    sums->key_bytes += len;
    sums->images++;
}

/* Plain bytes of the row's cells. */
static sm_status count_cells(const sm_job_table *t, const sm_made_row *row, sm_check_sums *sums,
                             uint64_t *bytes, sm_error *err)
{
    const uint8_t *at = row->payload.data;
    const uint8_t *end = at + row->payload.len;
    *bytes = 0;
    while (at < end) {
        sm_payload_cell cell;
        if (!sm_payload_next(&t->layout, &at, end, &cell)) {
            return sm_payload_damaged(&t->layout, err);
        }
        const size_t family = t->layout.columns[cell.column].family;
        const size_t name = t->layout.families[family].len;
        sm_check_family *f = &sums->families[family];
        const uint64_t plain =
            row->key.len + name + cell.qualifier.len + cell.value.len + CELL_FIXED;
        f->cells++;
        f->key_bytes += row->key.len;
        f->family_bytes += name;
        f->qualifier_bytes += cell.qualifier.len;
        f->value_bytes += cell.value.len;
        f->plain_bytes += plain;
        *bytes += plain;
    }
    return SM_OK;
}

static sm_status try_variants(collector *w, size_t table, const sm_record *record, sm_bytes key,
                              sm_error *err)
{
    const sm_check_design *design = &w->c->designs[table];
    const size_t count = w->c->options->variant_count;
    sm_check_sums *sums = &w->sums->tables[table];
    uint16_t regions[SM_CHECK_VARIANTS] = {0};
    for (size_t i = 0; i < count; i++) {
        const sm_check_variant_plan *plan = &design->variants[i];
        sm_value value = {.bytes = key};
        if (plan->why_not != NULL ||
            (plan->key != NULL &&
             (evaluate(w, plan->key, record, &value) != SM_REJECT_NONE || value.is_null))) {
            continue;
        }
        regions[i] = (uint16_t)sm_splits_route(plan->splits, value.bytes);
        sums->variants[i][regions[i]]++;
    }
    return sm_check_probe_add(&w->probes[table], key, regions, count, err);
}

/* The last range that starts at or before the key is the only one that may hold it. */
static bool in_ranges(const sm_check_query *q, sm_bytes key)
{
    size_t low = 0;
    size_t high = q->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sm_bytes_compare(q->ranges[middle].start, key) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low != 0 &&
           (q->ranges[low - 1].stop.len == 0 || sm_bytes_compare(key, q->ranges[low - 1].stop) < 0);
}

static void count_queries(collector *w, size_t table, sm_bytes key)
{
    const sm_check_options *o = w->c->options;
    for (size_t i = 0; i < o->query_count; i++) {
        w->sums->queries[i] += o->queries[i].table == table && in_ranges(&o->queries[i], key);
    }
}

/* Equal keys in different tables are no duplicates: a hash of the name behind the key tells them
 * apart. */
static sm_status put_name(collector *w, const sm_made_row *made, sm_bytes *out, sm_error *err)
{
    uint8_t hash[SM_CHECK_NAME];
    sm_store_be64(hash, sm_xxh3(made->name));
    sm_buf_clear(&w->named_key);
    sm_status st = sm_buf_append(&w->named_key, made->key.data, made->key.len, err);
    if (st == SM_OK) {
        st = sm_buf_append(&w->named_key, hash, sizeof hash, err);
    }
    *out = sm_buf_view(&w->named_key);
    return st;
}

/* lead: with all that stands in front of it; empty: the key has none. */
static void count_id(collector *w, sm_check_sums *sums, const sm_record *record, sm_bytes lead)
{
    const size_t field = w->c->options->stable;
    if (field != 0 && lead.len != 0 && !record->values[field - 1].is_null) {
        sm_check_ids_add(sums->ids, record->values[field - 1].bytes, lead);
    }
}

static sm_status take_row(collector *w, size_t table, const sm_record *record,
                          const sm_made_row *made, sm_error *err)
{
    const sm_job_table *t = &w->c->job->tables[table];
    const sm_check_design *design = &w->c->designs[table];
    sm_check_sums *sums = &w->sums->tables[table];
    uint8_t payload[3 * SM_CHECK_LEB];
    uint64_t bytes = 0;
    sm_status st = count_cells(t, made, sums, &bytes, err);
    if (st != SM_OK) {
        return st;
    }
    count_length(sums, made->key.len);
    count_queries(w, table, made->key);
    const size_t lead = lead_length(w, design, record, made->key);
    if (lead != 0) {
        sums->buckets[sm_check_bucket(sm_bytes_of(made->key.data + design->lead_at, lead))]++;
    }
    count_id(w, sums, record, sm_bytes_of(made->key.data, lead == 0 ? 0 : design->lead_at + lead));
    uint8_t *end = sm_leb_put(payload, record->place.line);
    end = sm_leb_put(end, bytes);
    end = sm_leb_put(end, lead);
    sm_row row = {.table = (uint32_t)table,
                  .region = (uint32_t)sm_splits_route(t->splits, made->key),
                  .order = sm_place_order(&record->place),
                  .key = made->key,
                  .payload = sm_bytes_of(payload, (size_t)(end - payload))};
    if (t->name_expr != NULL) {
        st = put_name(w, made, &row.key, err);
    }
    if (st == SM_OK) {
        st = sm_runs_add(w->c->runs, w->worker, &row, err);
    }
    return st == SM_OK ? try_variants(w, table, record, made->key, err) : st;
}

static sm_status take_rows(collector *w, const sm_record *record, const sm_made_row *rows,
                           sm_error *err)
{
    sm_status st = SM_OK;
    w->sums->accepted++;
    w->sums->assumed += sm_record_maker_assumed(w->maker);
    for (size_t i = 0; st == SM_OK && i < w->c->job->table_count; i++) {
        sm_check_sums *sums = &w->sums->tables[i];
        if (!rows[i].selected) {
            sums->not_selected++;
        } else if (rows[i].cells == 0) {
            sums->without_cells++;
        } else {
            st = take_row(w, i, record, &rows[i], err);
        }
    }
    return st;
}

/* ---- records --------------------------------------------------------------------------------- */

static void reject(collector *w, const sm_record *record, const sm_reject_note *why)
{
    sm_check_first *first = &w->sums->rejects[why->code];
    const uint64_t order = sm_place_order(&record->place);
    w->sums->rejected++;
    if (first->count++ == 0 || order < first->order) {
        first->order = order;
        first->line = record->place.line;
        first->field = why->field;
        memcpy(first->text, why->text, sizeof first->text);
    }
}

static sm_status take_record(collector *w, const sm_record *record, sm_error *err)
{
    const sm_made_row *rows = NULL;
    sm_reject_note why;
    sm_made what = SM_MADE_REJECT;
    const sm_status st = sm_record_make(w->maker, record, &what, &rows, &why, err);
    if (st != SM_OK) {
        return st;
    }
    switch (what) {
    case SM_MADE_ROWS: return take_rows(w, record, rows, err);
    case SM_MADE_OUT_OF_RANGE: /* filtered, too */
    case SM_MADE_FILTERED: w->sums->filtered++; return SM_OK;
    case SM_MADE_REJECT: break;
    }
    reject(w, record, &why);
    return SM_OK;
}

static bool enough(collector *w)
{
    const uint64_t most = w->c->options->records;
    w->done = most != 0 && w->sums->read == most;
    w->sums->cut_short |= w->done;
    return w->done;
}

static sm_status take_slice(collector *w, sm_error *err)
{
    sm_status st = SM_OK;
    sm_reader_start(w->reader, &w->slice);
    while (st == SM_OK) {
        sm_read what = SM_READ_END;
        sm_record record;
        sm_reject_note why;
        st = sm_reader_next(w->reader, &what, &record, &why, err);
        if (st != SM_OK || what == SM_READ_END || enough(w)) {
            return st;
        }
        w->sums->read++;
        if (what == SM_READ_RECORD) {
            st = take_record(w, &record, err);
        } else {
            reject(w, &record, &why);
        }
    }
    return st;
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* By a hash of its number, so that a share is the same records for any number of threads. */
static bool chosen(const collector *w)
{
    const double share = w->c->options->share;
    const double unit = (double)(sm_check_mix(~w->slice.sequence) >> 11) * 0x1p-53;
    return share <= 0 || share >= 1 || unit < share;
}

static sm_status judge_slice(collector *w, sm_error *err)
{
    const size_t tables = w->c->job->table_count;
    w->sums->slices++;
    if (!chosen(w)) {
        return SM_OK;
    }
    w->sums->judged++;
    for (size_t i = 0; i < tables; i++) {
        sm_check_probe_start(&w->probes[i], w->slice.sequence);
    }
    const sm_status st = take_slice(w, err);
    sm_lock_take(w->c->lock);
    for (size_t i = 0; st == SM_OK && i < tables; i++) {
        sm_check_probes_offer(w->c->probes[i], &w->probes[i]);
    }
    sm_lock_give(w->c->lock);
    return st;
}

static void show_progress(const collector *w)
{
    enum { EVERY = 128 };
    if (w->c->options->log != NULL && w->slice.sequence % EVERY == 0) {
        sm_log_progress(w->c->options->log, "%s: %llu MiB read",
                        sm_source_input(w->c->source, w->slice.place.file)->path,
                        (unsigned long long)(w->slice.place.offset >> 20));
    }
}

static sm_status work(collector *w, sm_error *err)
{
    sm_status st = SM_OK;
    bool more = true;
    while (st == SM_OK && !w->done && sm_stop_asked(w->c->stop) == 0) {
        st = sm_source_next(w->c->source, &w->slice, &more, err);
        if (st != SM_OK || !more) {
            return st;
        }
        st = judge_slice(w, err);
        show_progress(w);
    }
    return st == SM_OK && !w->done ? sm_fail(err, SM_E_INTERRUPTED, "stopped") : st;
}

static sm_status open_collector(collector *w, sm_error *err)
{
    const sm_job *job = w->c->job;
    w->probes = sm_calloc(job->table_count + 1, sizeof *w->probes);
    if (w->probes == NULL) {
        return sm_fail_memory(err, 0, "a worker");
    }
    for (size_t i = 0; i < job->table_count; i++) {
        sm_check_probe_init(&w->probes[i]);
    }
    sm_status st = sm_reader_new(w->c->source, &w->reader, err);
    if (st == SM_OK) {
        st = sm_record_maker_new(job, &w->maker, err);
    }
    if (st == SM_OK) {
        st = sm_record_maker_assume_uids(w->maker, err);
    }
    if (st == SM_OK) {
        st = sm_eval_new(job->cell_limit, &w->eval, err);
    }
    if (st == SM_OK && job->uids != NULL) {
        st = sm_uid_notes_new(job->uids->count, 0, &w->notes, err);
        if (st == SM_OK) {
            sm_eval_collect_uids(w->eval, w->notes);
        }
    }
    return st;
}

static void close_collector(collector *w)
{
    for (size_t i = 0; w->probes != NULL && i < w->c->job->table_count; i++) {
        sm_check_probe_free(&w->probes[i]);
    }
    sm_free(w->probes);
    sm_slice_free(&w->slice);
    sm_reader_free(w->reader);
    sm_record_maker_free(w->maker);
    sm_buf_free(&w->named_key);
    sm_eval_free(w->eval);
    sm_uid_notes_free(w->notes);
}

sm_status sm_check_collect(void *context, unsigned worker, sm_error *err)
{
    collector w = {.c = context, .worker = worker};
    sm_buf_init(&w.named_key, SM_ROW_MAX + SM_CHECK_NAME);
    w.sums = &w.c->each[worker];
    sm_status st = open_collector(&w, err);
    if (st == SM_OK) {
        st = work(&w, err);
    }
    if (st != SM_OK) {
        sm_worker_error_place(st, &w.slice, err);
        sm_worker_stop_others(w.c->stop);
    }
    close_collector(&w);
    return st;
}
