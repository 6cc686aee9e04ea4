/* SPDX-License-Identifier: Apache-2.0 */
/* Workers make rows of all records and offer them to one sample; then it is cut. */
#include "job/split_pass.h"

#include "core/endian.h"
#include "core/hash.h"
#include "core/par.h"
#include "job/record_pass.h"
#include "partitioner/payload.h"

#include <string.h>

/* What one worker has seen. */
typedef struct tally {
    sm_population all;
    uint64_t rejected;
    uint64_t assumed; /* records with names that have no id yet */
} tally;

typedef struct shared {
    const sm_split_pass *pass;
    sm_source *source;
    sm_sample *sample;
    uint64_t most_rank;
    tally *tallies; /* one per worker */
} shared;

typedef struct sampler {
    const shared *s;
    tally *tally;
    sm_record_maker *maker; /* the pass's */
} sampler;

/* ---- one row --------------------------------------------------------------------------------- */

/* Bytes of the row's cells as KeyValues: two lengths of 4, row length 2, family length 1, timestamp
 * 8, type 1, and the parts themselves. */
static sm_status row_bytes(const sm_job_table *t, const sm_made_row *row, uint64_t *out,
                           sm_error *err)
{
    enum { FIXED = 4 + 4 + 2 + 1 + 8 + 1 };
    const uint8_t *at = row->payload.data;
    *out = 0;
    for (size_t i = 0; i < row->cells; i++) {
        sm_payload_cell cell;
        if (!sm_payload_next(&t->layout, &at, row->payload.data + row->payload.len, &cell)) {
            return sm_payload_damaged(&t->layout, err);
        }
        const size_t family = t->layout.columns[cell.column].family;
        *out += FIXED + row->key.len + t->layout.families[family].len + cell.qualifier.len +
                cell.value.len;
    }
    return SM_OK;
}

/* A hash of place and entry: the same however the input is cut into slices. */
static uint64_t rank_of(uint64_t place, size_t entry)
{
    uint8_t bytes[16];
    sm_store_be64(bytes, place);
    sm_store_be64(bytes + 8, entry);
    return sm_xxh64(sm_bytes_of(bytes, sizeof bytes));
}

static sm_status take_row(sampler *w, size_t entry, const sm_made_row *row, uint64_t place,
                          sm_error *err)
{
    sm_population *all = &w->tally->all;
    sm_sample_item item = {
        .rank = rank_of(place, entry), .place = place, .weight = 1, .key = row->key};
    if (w->s->pass->by_bytes) {
        const sm_status st = row_bytes(&w->s->pass->job->tables[entry], row, &item.weight, err);
        if (st != SM_OK) {
            return st;
        }
    }
    all->rows++;
    all->weight += item.weight;
    all->most_weight = item.weight > all->most_weight ? item.weight : all->most_weight;
    all->squares += (double)item.weight * (double)item.weight;
    return item.rank <= w->s->most_rank ? sm_sample_offer(w->s->sample, &item, err) : SM_OK;
}

/* ---- one worker ------------------------------------------------------------------------------ */

static sm_status open_sampler(void *context, sm_record_maker *maker, sm_error *err)
{
    sampler *w = context;
    w->maker = maker;
    return sm_record_maker_assume_uids(maker, err);
}

static void count_reject(void *context)
{
    const sampler *w = context;
    w->tally->rejected++;
}

static sm_status take_record(void *context, const sm_record *record, sm_error *err)
{
    sampler *w = context;
    const sm_job *job = w->s->pass->job;
    const sm_made_row *rows = NULL;
    sm_reject_note why;
    sm_made what = SM_MADE_REJECT;
    sm_status st = sm_record_make(w->maker, record, &what, &rows, &why, err);
    if (st != SM_OK || what != SM_MADE_ROWS) {
        w->tally->rejected += what == SM_MADE_REJECT ? 1 : 0;
        return st;
    }
    w->tally->assumed += sm_record_maker_assumed(w->maker) ? 1 : 0;
    for (size_t i = 0; st == SM_OK && i < job->table_count; i++) {
        if (rows[i].selected && rows[i].cells != 0 &&
            strcmp(job->tables[i].name, w->s->pass->table) == 0) {
            st = take_row(w, i, &rows[i], sm_place_order(&record->place), err);
        }
    }
    return st;
}

static sm_status sample_worker(void *context, unsigned worker, sm_error *err)
{
    const shared *s = context;
    sampler w = {.s = s, .tally = &s->tallies[worker]};
    const sm_record_pass pass = {.job = s->pass->job,
                                 .source = s->source,
                                 .stop = s->pass->stop,
                                 .open = open_sampler,
                                 .take = take_record,
                                 .reject = count_reject,
                                 .context = &w};
    return sm_record_pass_work(&pass, err);
}

/* ---- the pass -------------------------------------------------------------------------------- */

static tally sum_up(const shared *s)
{
    tally sum = {0};
    for (unsigned i = 0; i < s->pass->job->threads; i++) {
        const tally *t = &s->tallies[i];
        sum.all.rows += t->all.rows;
        sum.all.weight += t->all.weight;
        sum.all.squares += t->all.squares;
        sum.all.most_weight =
            t->all.most_weight > sum.all.most_weight ? t->all.most_weight : sum.all.most_weight;
        sum.rejected += t->rejected;
        sum.assumed += t->assumed;
    }
    return sum;
}

static void warn(const sm_split_pass *pass, const tally *sum)
{
    if (sum->rejected != 0) {
        sm_log_warning(pass->log,
                       "rejected records, which make no key: %llu; saltmill preview shows why",
                       (unsigned long long)sum->rejected);
    }
    if (sum->assumed != 0) {
        sm_log_warning(pass->log,
                       "records with names for uid() that have no id yet and stand as id 0: %llu; "
                       "the split keys are not those of the rows that run will make; give the "
                       "names ids first",
                       (unsigned long long)sum->assumed);
    }
}

static void report(const sm_split_pass *pass, const tally *sum, const sm_splits *splits,
                   const sm_split_quality *q)
{
    const char *what = pass->by_bytes ? "bytes" : "rows";
    const double percent = 100;
    if (sm_splits_regions(splits) < pass->regions) {
        sm_log_warning(pass->log,
                       "%zu regions instead of %zu: the sample has %zu distinct keys, and one key "
                       "is never cut",
                       sm_splits_regions(splits), pass->regions, q->distinct);
    }
    if (q->sampled == sum->all.rows) {
        sm_log_info(pass->log,
                    "all %llu rows of table %s: regions hold %.2f %% to %.2f %% of the %s",
                    (unsigned long long)sum->all.rows, pass->table, q->least * percent,
                    q->greatest * percent, what);
        return;
    }
    sm_log_info(pass->log,
                "a sample of %zu of the %llu rows of table %s: regions hold %.2f %% to %.2f %% of "
                "the %s, each give or take %.2f %% (99 %% confidence)",
                q->sampled, (unsigned long long)sum->all.rows, pass->table, q->least * percent,
                q->greatest * percent, what, q->error * percent);
}

static sm_status cut(const shared *s, sm_arena *arena, const sm_splits **out, sm_error *err)
{
    const tally sum = sum_up(s);
    size_t sampled = 0;
    (void)sm_sample_sorted(s->sample, &sampled);
    warn(s->pass, &sum);
    if (sampled == 0) {
        return sm_fail(err, SM_E_SPLITS,
                       "no row of table %s is in the sample (the input makes %llu): there is "
                       "nothing to cut",
                       s->pass->table, (unsigned long long)sum.all.rows);
    }
    sm_split_quality quality;
    const sm_split_cut what = {.sample = s->sample, .all = &sum.all, .regions = s->pass->regions};
    const sm_status st = sm_splits_of_sample(arena, &what, out, &quality, err);
    if (st == SM_OK) {
        report(s->pass, &sum, *out, &quality);
    }
    return st;
}

/* A quarter of the budget at most for the sample: it is made of what a small job can have, too. */
static sm_status open_pass(shared *s, sm_arena *arena, sm_error *err)
{
    enum { MEMORY_PART = 4 };
    const uint64_t most_bytes = 64 << 20;
    const sm_job *job = s->pass->job;
    const uint64_t bytes = job->memory / MEMORY_PART;
    const sm_source_options options =
        sm_job_source_options(job, sm_job_slice_size(job), s->pass->stop);
    s->tallies = sm_arena_array(arena, job->threads, sizeof *s->tallies);
    if (s->tallies == NULL) {
        return sm_fail_memory(err, 0, "counters");
    }
    const sm_status st =
        sm_sample_new(s->pass->rows, bytes < most_bytes ? bytes : most_bytes, &s->sample, err);
    return st == SM_OK ? sm_source_open(&options, &s->source, err) : st;
}

static uint64_t rank_limit(double fraction)
{
    return fraction >= 1 ? UINT64_MAX : (uint64_t)(fraction * 0x1p64);
}

sm_status sm_split_pass_run(const sm_split_pass *pass, sm_arena *arena, const sm_splits **out,
                            sm_error *err)
{
    shared s = {.pass = pass, .most_rank = rank_limit(pass->fraction)};
    sm_status st = open_pass(&s, arena, err);
    if (st == SM_OK) {
        st = sm_par_run(pass->job->threads, sample_worker, &s, err);
    }
    if (st == SM_OK) {
        st = cut(&s, arena, out, err);
    }
    sm_source_close(s.source);
    sm_sample_free(s.sample);
    return st;
}
