/* SPDX-License-Identifier: Apache-2.0 */
/* Between adding and reading: what may stay in memory, and passes that merge runs into fewer,
 * larger ones until the memory suffices for merging all of them at once. */
#include "core/mem.h"
#include "core/par.h"
#include "partitioner/runs_store.h"

#include <stdlib.h>

enum {
    FAN_IN_LEAST = 2,
    FAN_IN_MOST = 512,
    PASS_FAN_IN_WANTED = 16 /* below this, fewer workers with more cursors each are better */
};

sm_merge_cost sm_merge_cost_of(uint64_t raw_max, uint64_t payload_max)
{
    /* A large payload is collected whole, from pieces of a block each. */
    const uint64_t large = payload_max == 0 ? 0 : payload_max + raw_max;
    return (sm_merge_cost){
        .fixed = SM_SPILL_READER_MEMORY + large,
        .cursor = sm_spill_cursor_memory(raw_max) + sizeof(sm_record_view) + 10 * sizeof(size_t),
    };
}

static sm_merge_cost cost_now(const sm_runs *r)
{
    uint64_t raw_max = r->plan.block_size;
    uint64_t payload_max = 0;
    for (size_t i = 0; i < r->runs.count; i++) {
        const sm_spill_run *run = r->runs.items[i];
        raw_max = run->raw_max > raw_max ? run->raw_max : raw_max;
        payload_max = run->payload_max > payload_max ? run->payload_max : payload_max;
    }
    return sm_merge_cost_of(raw_max, payload_max);
}

/* Memory taken by what is neither a merge nor a pass. */
static uint64_t held(const sm_runs *r)
{
    uint64_t sum = r->part_count * sizeof(sm_runs_part);
    for (unsigned w = 0; w < r->writers; w++) {
        const sm_share *s = r->shares[w];
        sum += sm_share_resident(s) + s->part_capacity * sizeof(sm_share_part) +
               s->group_capacity * sizeof(sm_sort_group);
    }
    for (size_t i = 0; i < r->runs.count; i++) {
        sum += sizeof(sm_spill_run) + r->runs.items[i]->part_count * sizeof(sm_spill_part);
    }
    return sum;
}

/* Cursors that each of `merges` merges can have; `extra` is what each needs besides. */
static size_t fan_in(const sm_runs *r, unsigned merges, uint64_t extra)
{
    const sm_merge_cost cost = cost_now(r);
    const uint64_t taken = held(r);
    const uint64_t each = taken < r->memory ? (r->memory - taken) / merges : 0;
    const uint64_t fixed = cost.fixed + extra;
    const uint64_t cursors = each > fixed ? (each - fixed) / cost.cursor : 0;
    return cursors < FAN_IN_MOST ? (size_t)cursors : FAN_IN_MOST;
}

static size_t least_fan_in(size_t cursors)
{
    return cursors < FAN_IN_LEAST ? FAN_IN_LEAST : cursors;
}

/* ---- what stays in memory ----------------------------------------------------------------------
 */

static sm_status take_runs(sm_runs *r, sm_share *s, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; i < s->runs.count; i++) {
        if (st == SM_OK) {
            st = sm_spill_run_list_add(&r->runs, s->runs.items[i], err);
        } else {
            sm_spill_run_free(s->runs.items[i]);
        }
    }
    s->runs.count = 0;
    return st;
}

static sm_share *fullest(const sm_runs *r)
{
    sm_share *best = NULL;
    for (unsigned w = 0; w < r->writers; w++) {
        sm_share *s = r->shares[w];
        if (s->count > 0 && (best == NULL || sm_share_resident(s) > sm_share_resident(best))) {
            best = s;
        }
    }
    return best;
}

static void drop_writer(sm_share *s)
{
    sm_spill_writer_free(s->writer);
    s->writer = NULL;
}

/* Shares are spilled, the fullest first, while what they hold leaves too little for the merges. */
static sm_status make_way(sm_runs *r, sm_error *err)
{
    sm_status st = SM_OK;
    for (sm_share *s = fullest(r); s != NULL && st == SM_OK; s = fullest(r)) {
        if (r->runs.count <= fan_in(r, r->merges, 0)) {
            break;
        }
        st = sm_share_spill(s, err);
        drop_writer(s);
        sm_share_trim(s);
        if (st == SM_OK) {
            st = take_runs(r, s, err);
        }
    }
    return st;
}

/* ---- passes -------------------------------------------------------------------------------------
 */

typedef struct pass_job {
    size_t first, count; /* of runs in the list; each job takes its own */
    sm_spill_run *out;
} pass_job;

typedef struct pass {
    sm_runs *runs;
    pass_job *jobs;
    size_t job_count;
    unsigned workers;
} pass;

/* Begins the first part, by (table, region), that any of the runs has left; false when none has. */
static bool begin_next_part(sm_merge *m, sm_spill_run *const *runs, size_t *next, size_t count,
                            sm_spill_part *out)
{
    uint64_t least = 0;
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (next[i] == runs[i]->part_count) {
            continue;
        }
        const sm_spill_part *p = &runs[i]->parts[next[i]];
        const uint64_t here = (uint64_t)p->table << 32 | p->region;
        if (!found || here < least) {
            found = true;
            least = here;
            *out = *p;
        }
    }
    if (!found) {
        return false;
    }
    sm_merge_begin(m, out->table, out->region);
    for (size_t i = 0; i < count; i++) {
        if (next[i] < runs[i]->part_count && runs[i]->parts[next[i]].table == out->table &&
            runs[i]->parts[next[i]].region == out->region) {
            sm_merge_add_run(m, runs[i], next[i]++);
        }
    }
    return true;
}

static sm_status merge_part(sm_merge *m, sm_spill_writer *w, const sm_spill_part *part,
                            sm_error *err)
{
    sm_row row;
    bool more = true;
    sm_status st = sm_spill_begin_part(w, part->table, part->region, err);
    while (st == SM_OK) {
        st = sm_merge_next(m, &row, &more, err);
        if (st != SM_OK || !more) {
            break;
        }
        st = sm_spill_put(w, row.order, row.key, row.payload, err);
    }
    return st;
}

static sm_status run_job(const pass *p, pass_job *job, sm_spill_file *file, sm_spill_writer *w,
                         sm_error *err)
{
    sm_spill_run *const *runs = p->runs->runs.items + job->first;
    sm_merge *m = NULL;
    sm_spill_part part;
    size_t *next = sm_calloc(job->count, sizeof *next);
    if (next == NULL) {
        return sm_fail_memory(err, job->count * sizeof *next, "a merge pass");
    }
    sm_status st = sm_merge_new(job->count, p->runs->stop, &m, err);
    if (st == SM_OK) {
        st = sm_spill_begin(w, file, err);
    }
    while (st == SM_OK && begin_next_part(m, runs, next, job->count, &part)) {
        st = merge_part(m, w, &part, err);
    }
    if (st == SM_OK) {
        st = sm_spill_end(w, &job->out, err);
    }
    sm_merge_close(m);
    sm_free(next);
    return st;
}

static sm_status work(void *context, unsigned worker, sm_error *err)
{
    const pass *p = context;
    sm_spill_writer *w;
    sm_status st = sm_spill_writer_new(p->runs->plan.block_size, p->runs->stop, &w, err);
    for (size_t j = worker; j < p->job_count && st == SM_OK; j += p->workers) {
        st = run_job(p, &p->jobs[j], p->runs->files[worker], w, err);
    }
    sm_spill_writer_free(w);
    return st;
}

/* Files that no run lies in any more are closed, which frees their space. */
static void close_files(sm_runs *r)
{
    for (unsigned w = 0; w < r->writers; w++) {
        sm_share *s = r->shares[w];
        bool used = s->file == NULL;
        for (size_t i = 0; i < r->runs.count && !used; i++) {
            used = r->runs.items[i]->file == s->file;
        }
        if (!used) {
            sm_spill_file_free(s->file);
            s->file = NULL;
        }
    }
}

/* Replaces the merged runs by what they became. */
static sm_status take_results(sm_runs *r, pass_job *jobs, size_t job_count, sm_error *err)
{
    size_t kept = 0;
    size_t merged = 0;
    for (size_t j = 0; j < job_count; j++) {
        merged = jobs[j].first + jobs[j].count;
    }
    for (size_t i = 0; i < merged; i++) {
        sm_spill_run_free(r->runs.items[i]);
    }
    for (size_t i = merged; i < r->runs.count; i++) {
        r->runs.items[kept++] = r->runs.items[i];
    }
    r->runs.count = kept;
    sm_status st = SM_OK;
    for (size_t j = 0; j < job_count; j++) {
        sm_spill_run *out = jobs[j].out;
        jobs[j].out = NULL;
        r->stats.spilled_bytes += out->end - out->begin;
        if (st == SM_OK) {
            st = sm_spill_run_list_add(&r->runs, out, err);
        } else {
            sm_spill_run_free(out);
        }
    }
    close_files(r);
    return st;
}

static int compare_sizes(const void *a, const void *b)
{
    const sm_spill_run *x = *(sm_spill_run *const *)a;
    const sm_spill_run *y = *(sm_spill_run *const *)b;
    const uint64_t p = x->end - x->begin;
    const uint64_t q = y->end - y->begin;
    return (p > q) - (p < q);
}

/* Cuts the smallest runs into jobs so that, if it can be done in one pass, `wanted` runs remain. */
static size_t plan_jobs(const sm_runs *r, size_t wanted, size_t width, pass_job *jobs)
{
    size_t excess = r->runs.count - wanted;
    size_t first = 0;
    size_t count = 0;
    while (excess > 0 && r->runs.count - first >= 2) {
        size_t take = excess + 1 < width ? excess + 1 : width;
        take = take < r->runs.count - first ? take : r->runs.count - first;
        jobs[count++] = (pass_job){.first = first, .count = take};
        first += take;
        excess -= take - 1;
    }
    return count;
}

static sm_status have_files(sm_runs *r, unsigned workers, sm_error *err)
{
    sm_status st = SM_OK;
    if (r->files == NULL) {
        r->files = sm_calloc(r->merges, sizeof *r->files);
    }
    if (r->files == NULL) {
        return sm_fail_memory(err, r->merges * sizeof *r->files, "the files of a merge pass");
    }
    while (r->file_count < workers && st == SM_OK) {
        st = sm_spill_file_new(r->directory, &r->files[r->file_count], err);
        r->file_count += st == SM_OK;
    }
    return st;
}

/* As many workers as open files allow and memory feeds well. */
static unsigned pass_workers(const sm_runs *r, unsigned threads)
{
    const uint64_t writer = sm_spill_writer_memory(r->plan.block_size);
    const uint64_t spare = r->open_files - r->writers;
    unsigned workers = spare < threads ? (unsigned)spare : threads;
    while (workers > 1 && fan_in(r, workers, writer) < PASS_FAN_IN_WANTED) {
        workers--;
    }
    return workers;
}

static sm_status run_pass(sm_runs *r, unsigned threads, size_t wanted, sm_error *err)
{
    const uint64_t writer = sm_spill_writer_memory(r->plan.block_size);
    pass p = {.runs = r, .workers = pass_workers(r, threads)};
    const size_t width = least_fan_in(fan_in(r, p.workers, writer));
    p.jobs = sm_calloc(r->runs.count / 2 + 1, sizeof *p.jobs);
    if (p.jobs == NULL) {
        return sm_fail_memory(err, r->runs.count * sizeof *p.jobs, "a merge pass");
    }
    qsort(r->runs.items, r->runs.count, sizeof(sm_spill_run *), compare_sizes);
    p.job_count = plan_jobs(r, wanted, width, p.jobs);
    p.workers = p.job_count < p.workers ? (unsigned)p.job_count : p.workers;
    sm_status st = have_files(r, p.workers, err);
    if (st == SM_OK) {
        st = sm_par_run(p.workers, work, &p, err);
    }
    if (st == SM_OK) {
        st = take_results(r, p.jobs, p.job_count, err);
    }
    for (size_t j = 0; j < p.job_count; j++) {
        sm_spill_run_free(p.jobs[j].out);
    }
    sm_free(p.jobs);
    r->stats.merge_passes++;
    return st;
}

static sm_status merge_runs(sm_runs *r, unsigned threads, sm_error *err)
{
    sm_status st = SM_OK;
    size_t wanted = least_fan_in(fan_in(r, r->merges, 0));
    while (r->runs.count > wanted && st == SM_OK) {
        st = run_pass(r, threads, wanted, err);
        wanted = least_fan_in(fan_in(r, r->merges, 0));
    }
    return st;
}

sm_status sm_runs_settle(sm_runs *r, unsigned threads, sm_error *err)
{
    sm_status st = SM_OK;
    for (unsigned w = 0; w < r->writers && st == SM_OK; w++) {
        st = take_runs(r, r->shares[w], err);
    }
    if (st == SM_OK && r->runs.count > 0) {
        for (unsigned w = 0; w < r->writers; w++) {
            sm_share_trim(r->shares[w]);
        }
        st = make_way(r, err);
    }
    for (unsigned w = 0; w < r->writers; w++) {
        drop_writer(r->shares[w]);
        r->stats.spilled_runs += r->shares[w]->spilled_runs;
        r->stats.spilled_bytes += r->shares[w]->spilled_bytes;
    }
    return st == SM_OK ? merge_runs(r, threads, err) : st;
}
