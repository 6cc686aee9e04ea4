/* SPDX-License-Identifier: Apache-2.0 */
/* A worker of the build phase: takes slices until there are none, makes rows, stores them, commits
 * the slice's counts and rejects. No byte handling here. */
#include "job/build.h"

#include "job/record_pass.h"

typedef struct builder {
    sm_build *shared;
    unsigned worker;
    sm_slice slice;
    sm_reader *reader;
    sm_record_maker *maker;
    sm_reject_list *rejects;
    sm_table_cache tables;
    sm_input_counts counts; /* of the slice at hand */
    bool input_ended;       /* by an error of the source, which every worker meets */
} builder;

static sm_status open_builder(builder *b, sm_error *err)
{
    sm_status st = sm_reader_new(b->shared->source, &b->reader, err);
    if (st == SM_OK) {
        st = sm_record_maker_new(b->shared->job, &b->maker, err);
    }
    if (st == SM_OK) {
        st = sm_record_maker_assume_uids(b->maker, err);
    }
    return st == SM_OK ? sm_reject_list_new(&b->rejects, err) : st;
}

static void close_builder(builder *b)
{
    sm_slice_free(&b->slice);
    sm_reader_free(b->reader);
    sm_record_maker_free(b->maker);
    sm_reject_list_free(b->rejects);
}

static sm_status store_row(builder *b, size_t entry, const sm_record *record,
                           const sm_made_row *made, sm_error *err)
{
    const sm_job_table *t = &b->shared->job->tables[entry];
    uint32_t number = (uint32_t)entry;
    if (t->name_expr != NULL) {
        const sm_status st =
            sm_table_set_number(b->shared->tables, &b->tables, entry, made->name, &number, err);
        if (st != SM_OK) {
            return st;
        }
    }
    sm_build_counts *counts = &b->shared->counts[b->worker][number];
    if (made->cells == 0) {
        counts->without_cells++;
        return SM_OK;
    }
    counts->row_images++;
    const sm_row row = {.table = number,
                        .region = (uint32_t)sm_splits_route(t->splits, made->key),
                        .order = sm_place_order(&record->place),
                        .key = made->key,
                        .payload = made->payload};
    return sm_runs_add(b->shared->runs, b->worker, &row, err);
}

static sm_status store_rows(builder *b, const sm_record *record, const sm_made_row *rows,
                            sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < b->shared->job->table_count; i++) {
        if (rows[i].selected) {
            st = store_row(b, i, record, &rows[i], err);
        } else {
            b->shared->counts[b->worker][i].not_selected++;
        }
    }
    return st;
}

static sm_status reject(builder *b, const sm_record *record, const sm_reject_note *why,
                        sm_error *err)
{
    b->counts.records_rejected++;
    sm_reject_list_reached(b->rejects, &b->counts);
    const sm_status st = sm_reject_list_add(b->rejects, record, why, err);
    if (st != SM_OK || sm_reject_list_bytes(b->rejects) <= b->shared->rejects_memory) {
        return st;
    }
    return sm_rejects_commit_part(b->shared->rejects, &b->slice, b->rejects, err);
}

/* All names of accepted records have ids by now, if their dictionary assigns any. That names of
 * rejected ones stand as id 0 until the reason is found makes it the true reason. */
static sm_status unseen_name(const builder *b, const sm_record *record, sm_error *err)
{
    return sm_fail(err, SM_E_INPUT_CHANGED,
                   "%s line %llu: holds a name for uid() that was not there when new names were "
                   "collected; the input changed since: run again",
                   sm_source_input(b->shared->source, record->place.file)->path,
                   (unsigned long long)record->place.line);
}

static sm_status take_record(builder *b, const sm_record *record, sm_error *err)
{
    const sm_made_row *rows = NULL;
    sm_reject_note why;
    sm_made what = SM_MADE_REJECT;
    const sm_status st = sm_record_make(b->maker, record, &what, &rows, &why, err);
    if (st != SM_OK) {
        return st;
    }
    if (what == SM_MADE_ROWS && sm_record_maker_assumed(b->maker)) {
        return unseen_name(b, record, err);
    }
    switch (what) {
    case SM_MADE_ROWS: b->counts.records_accepted++; return store_rows(b, record, rows, err);
    case SM_MADE_OUT_OF_RANGE: b->counts.records_out_of_range++; /* fallthrough */
    case SM_MADE_FILTERED: b->counts.records_filtered++; return SM_OK;
    case SM_MADE_REJECT: break;
    }
    return reject(b, record, &why, err);
}

static sm_status take_slice(builder *b, sm_error *err)
{
    b->counts = (sm_input_counts){0};
    sm_reader_start(b->reader, &b->slice);
    for (;;) {
        sm_read what = SM_READ_END;
        sm_record record;
        sm_reject_note why;
        sm_status st = sm_reader_next(b->reader, &what, &record, &why, err);
        if (st != SM_OK) {
            return st;
        }
        if (what == SM_READ_END) {
            break;
        }
        b->counts.records_read++;
        st = what == SM_READ_RECORD ? take_record(b, &record, err) : reject(b, &record, &why, err);
        if (st != SM_OK) {
            return st;
        }
    }
    b->counts.reader = *sm_reader_counts_of(b->reader);
    return sm_rejects_commit(b->shared->rejects, &b->slice, &b->counts, b->rejects, err);
}

static void show_progress(const builder *b)
{
    enum { EVERY = 16 };
    if (b->shared->log != NULL && b->slice.sequence % EVERY == 0) {
        const sm_input_info *in = sm_source_input(b->shared->source, b->slice.place.file);
        sm_log_progress(b->shared->log, "%s: %llu MiB read", in->path,
                        (unsigned long long)(b->slice.place.offset >> 20));
    }
}

static sm_status work(builder *b, sm_error *err)
{
    sm_status st = SM_OK;
    bool more = true;
    while (st == SM_OK && sm_stop_asked(b->shared->stop) == 0) {
        st = sm_source_next(b->shared->source, &b->slice, &more, err);
        if (st != SM_OK || !more) {
            b->input_ended = st != SM_OK && st != SM_E_INTERRUPTED;
            return st;
        }
        st = take_slice(b, err);
        show_progress(b);
    }
    return st == SM_OK ? sm_fail(err, SM_E_INTERRUPTED, "stopped") : st;
}

/* The others stop at the next slice. Not after an error of the source: the slices before it are
 * still to be judged, so that the outcome and the reject files are those of one worker. */
static void stop_others(const builder *b)
{
    if (b->input_ended) {
        return;
    }
    sm_worker_stop_others(b->shared->stop);
    sm_rejects_abandon(b->shared->rejects);
}

sm_status sm_build_worker(void *context, unsigned worker, sm_error *err)
{
    builder b = {.shared = context, .worker = worker};
    sm_status st = open_builder(&b, err);
    if (st == SM_OK) {
        st = work(&b, err);
    }
    if (st != SM_OK) {
        sm_worker_error_place(st, &b.slice, err);
        stop_others(&b);
    }
    close_builder(&b);
    return st;
}
