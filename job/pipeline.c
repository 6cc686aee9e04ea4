/* SPDX-License-Identifier: Apache-2.0 */
/* A run, from frozen job to published dataset: the file to read first.
 *
 *   open      lock the output, look what is there, resolve the inputs, share out the memory
 *   names     only with uid(): new names get ids, before anything else is written (uid_pass.c)
 *   build     fork: slices -> records -> rows in the run store (build.c)          join
 *   merge     fork: regions, largest first -> files (merge_phase.c)                join
 *   publish   manifest, fsync, rename (formats/dataset.c); rejects also when the run failed
 *
 * Nothing here handles bytes. Memory: limits.memory is shared out by plan_memory alone. */
#include "core/clock.h"
#include "core/escape.h"
#include "core/fs.h"
#include "core/mem.h"
#include "core/par.h"
#include "formats/dataset.h"
#include "job/build.h"
#include "job/merge_phase.h"
#include "job/record_pass.h"
#include "job/rule_check.h"
#include "job/run_report.h"
#include "job/saltmill.h"
#include "job/uid_pass.h"
#include "job/uid_rows.h"
#include "partitioner/uids.h"

#include <string.h>

typedef struct memory_plan {
    size_t slice;    /* bytes of one slice */
    uint64_t runs;   /* the run store, all workers */
    uint64_t expand; /* one worker's gathering of one key's cells */
} memory_plan;

typedef struct run {
    const sm_job *job;
    const sm_run_options *options;
    sm_run_report *report;
    sm_stop own_stop;
    sm_stop *stop;
    memory_plan plan;
    sm_dataset *dataset;
    sm_dataset_state state;
    sm_source *source;
    sm_rejects *rejects;
    sm_runs *runs;
    sm_table_set *table_set;
    sm_run_tables tables; /* items NULL: not listed yet */
    sm_build_counts **counts;
    sm_uid_pass uid_pass;
    const sm_manifest *compared; /* the old dataset's, while it is asked whether it is this run's */
    sm_merge_phase merge;
    char fingerprint[SM_FINGERPRINT_TEXT];
    double build_seconds, merge_seconds;
    bool rejects_published;
} run;

/* limits.memory = runs + workers x (expand + SLICE_PARTS x slice)
 *
 * SLICE_PARTS: the slice itself, the source's read-ahead, the record being unquoted and evaluated,
 * rejects. What a sink holds (one block, one bloom chunk, the codec) is within the 64 MiB that a
 * run may take on top. */
static sm_status plan_memory(const sm_job *job, memory_plan *plan, sm_error *err)
{
    enum { SLICE_PARTS = 4 };
    const uint64_t least_expand = 640 << 10;
    const uint64_t row_max = 64 << 10;
    const uint64_t workers = job->threads;
    const size_t slice = sm_job_slice_size(job);
    uint64_t expand = job->memory / workers / 8;
    expand = expand < least_expand ? least_expand : expand;
    const uint64_t fixed = workers * (expand + SLICE_PARTS * slice);
    const uint64_t least_runs = sm_runs_minimum_memory(job->threads, row_max);
    const uint64_t least =
        workers * (least_expand + SLICE_PARTS * (uint64_t)SM_LEAST_SLICE) + least_runs;
    if (job->memory < least || job->memory < fixed + least_runs) {
        return sm_fail(
            err, SM_E_MEMORY,
            "limits.memory is %llu bytes, but --threads %u needs at least %llu; give more memory "
            "or "
            "fewer threads",
            (unsigned long long)job->memory, job->threads,
            (unsigned long long)(least > fixed + least_runs ? least : fixed + least_runs));
    }
    *plan = (memory_plan){.slice = slice, .expand = expand, .runs = job->memory - fixed};
    return SM_OK;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static sm_source_options source_options(const run *r)
{
    return sm_job_source_options(r->job, r->plan.slice, r->stop);
}

static sm_status open_source(run *r, sm_source **out, sm_error *err)
{
    const sm_source_options options = source_options(r);
    return sm_source_open(&options, out, err);
}

/* An estimate made to fail early, not to be exact: compressed inputs count four times, each table
 * may take as much as the input in work files and again in output. */
static sm_status check_disk(run *r, sm_error *err)
{
    enum { UNPACKED = 4, SURELY_TOO_LITTLE = 20 };
    uint64_t need = 0;
    uint64_t free_bytes = 0;
    for (size_t i = 0; i < sm_source_input_count(r->source); i++) {
        const sm_input_info *in = sm_source_input(r->source, i);
        need += in->size * (in->compression[0] == 'n' ? 1 : UNPACKED);
    }
    need *= r->job->table_count;
    const sm_status st = sm_fs_free_bytes(sm_dataset_work(r->dataset), &free_bytes, err);
    if (st != SM_OK || free_bytes >= need) {
        return st;
    }
    if (free_bytes < need / SURELY_TOO_LITTLE) {
        return sm_fail(err, SM_E_DISK_FULL,
                       "%s: %llu MiB are free, but this job will need about %llu MiB for work "
                       "files and output",
                       sm_dataset_output(r->dataset), (unsigned long long)(free_bytes >> 20),
                       (unsigned long long)(need >> 20));
    }
    sm_log_warning(r->options->log, "%s: %llu MiB are free; this job may need %llu MiB",
                   sm_dataset_output(r->dataset), (unsigned long long)(free_bytes >> 20),
                   (unsigned long long)(need >> 20));
    return SM_OK;
}

/* Paths decide nothing, but values taken from them do. */
static sm_status add_path_values(const sm_job *job, const sm_input_info *in, sm_buf *text,
                                 sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < in->path_value_count; i++) {
        const sm_path_value *p = &in->path_values[i];
        if (!job->schema.fields[p->field].used) {
            continue;
        }
        st = sm_buf_printf(text, err, "input.%s%s", job->schema.fields[p->field].name,
                           p->value.is_null ? " is null" : " = ");
        if (st == SM_OK && !p->value.is_null) {
            st = sm_escape(p->value.bytes, text, err);
        }
        if (st == SM_OK) {
            st = sm_buf_append_byte(text, '\n', err);
        }
    }
    return st;
}

/* Of how many entries the ids are vouched for. A dictionary that assigns has only grown since the
 * dataset was made, and what it has now decides nothing about that data; where names without an id
 * are rejects, each further entry may. */
static size_t entries_that_count(const run *r, const sm_uid_dictionary *d)
{
    for (size_t i = 0; d->assign && r->compared != NULL && i < r->compared->uid_count; i++) {
        if (sm_bytes_equal_text(sm_bytes_text(r->compared->uids[i].name), d->name)) {
            return r->compared->uids[i].entries;
        }
    }
    return d->table->count;
}

static sm_status add_uids(const run *r, sm_buf *text, sm_error *err)
{
    const sm_uids *uids = r->job->uids;
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && uids != NULL && i < uids->count; i++) {
        const sm_uid_dictionary *d = &uids->items[i];
        const size_t count = entries_that_count(r, d);
        uint64_t hash = 0;
        if (!d->used) {
            continue;
        }
        st = sm_uid_hash(d, count, &hash, err);
        if (st == SM_OK) {
            st = sm_buf_printf(text, err, "uids.%s = %zu %016llx\n", d->name, count,
                               (unsigned long long)hash);
        }
    }
    return st;
}

/* What decides the data: the job's canonical text, the ids of names, and the decoded inputs in
 * their order. */
static sm_status fingerprint_run(run *r, const sm_source *source, sm_error *err)
{
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = sm_buf_printf(&text, err, "%s", r->job->canonical);
    if (st == SM_OK) {
        st = add_uids(r, &text, err);
    }
    for (size_t i = 0; st == SM_OK && i < sm_source_input_count(source); i++) {
        const sm_input_info *in = sm_source_input(source, i);
        st = sm_buf_printf(&text, err, "input = %llu %016llx\n",
                           (unsigned long long)in->decoded_bytes,
                           (unsigned long long)in->decoded_xxh64);
        if (st == SM_OK) {
            st = add_path_values(r->job, in, &text, err);
        }
    }
    if (st == SM_OK) {
        st = sm_job_fingerprint(sm_buf_view(&text), r->fingerprint, err);
    }
    sm_buf_free(&text);
    return st;
}

/* ---- a dataset is there already -------------------------------------------------------------- */

static sm_status refuse_existing(run *r, const sm_manifest *old, sm_error *err)
{
    return sm_fail(
        err, SM_E_REFUSED,
        "%s: holds a dataset made by another job or from other inputs (its run_fingerprint is %s, "
        "this run's would be %s); nothing was touched; name another output or give --replace",
        sm_dataset_output(r->dataset), old->run_fingerprint, r->fingerprint);
}

/* Equal fingerprint and every file whole: nothing is left to do. */
static sm_status check_existing(run *r, const sm_manifest *old, sm_error *err)
{
    sm_source *source = NULL;
    sm_verify_report verified;
    sm_status st = open_source(r, &source, err);
    if (st == SM_OK) {
        st = sm_source_digest(source, err);
    }
    if (st == SM_OK) {
        r->compared = old;
        st = fingerprint_run(r, source, err);
        r->compared = NULL;
    }
    sm_source_close(source);
    if (st != SM_OK) {
        return st;
    }
    if (!sm_bytes_equal_text(sm_bytes_text(old->run_fingerprint), r->fingerprint)) {
        return refuse_existing(r, old, err);
    }
    r->report->already_complete = true;
    st = sm_verify(sm_dataset_output(r->dataset), r->job->threads, &verified, err);
    return st;
}

/* ---- build ----------------------------------------------------------------------------------- */

static sm_status open_stores(run *r, sm_error *err)
{
    uint64_t files = 0;
    sm_status st = sm_job_store_files(r->job->threads, &files, err);
    if (st != SM_OK) {
        return st;
    }
    const sm_runs_options options = {.directory = sm_dataset_work(r->dataset),
                                     .memory = r->plan.runs,
                                     .writers = r->job->threads,
                                     .open_files = files,
                                     .stop = r->stop};
    r->merge.open_files = files / r->job->threads;
    st = sm_runs_new(&options, &r->runs, err);
    if (st != SM_OK) {
        return st;
    }
    const sm_rejects_options rejects = {.directory = sm_dataset_rejects(r->dataset),
                                        .published = sm_dataset_final_rejects(r->dataset),
                                        .limit = r->job->rejects,
                                        .source = r->source,
                                        .stop = r->stop,
                                        .workers = r->job->threads};
    return sm_rejects_open(&rejects, &r->rejects, err);
}

static sm_status make_counts(run *r, sm_error *err)
{
    sm_arena *arena = r->report->arena;
    r->counts = sm_arena_array(arena, r->job->threads, sizeof *r->counts);
    for (unsigned i = 0; r->counts != NULL && i < r->job->threads; i++) {
        r->counts[i] =
            sm_arena_array(arena, sm_table_set_numbers(r->table_set), sizeof **r->counts);
        if (r->counts[i] == NULL) {
            return sm_fail_memory(err, 0, "counters");
        }
    }
    return r->counts == NULL ? sm_fail_memory(err, 0, "counters") : SM_OK;
}

static sm_status assign_uids(run *r, sm_error *err)
{
    enum { NOTES_PART = 2 }; /* the run store holds nothing yet */
    const sm_source_options options = source_options(r);
    r->uid_pass = (sm_uid_pass){.job = r->job,
                                .source = &options,
                                .stop = r->stop,
                                .log = r->options->log,
                                .memory = r->plan.runs / NOTES_PART / r->job->threads,
                                .arena = r->report->arena};
    const sm_status st = sm_uid_pass_run(&r->uid_pass, err);
    r->uid_pass.source = NULL;
    return st;
}

static sm_status build(run *r, sm_error *err)
{
    enum {
        REJECTS_PART = 8
    }; /* the list being filled and those that wait for their turn take less than a slice */
    sm_status st = open_stores(r, err);
    if (st == SM_OK) {
        st = make_counts(r, err);
    }
    if (st != SM_OK) {
        return st;
    }
    sm_build shared = {.job = r->job,
                       .source = r->source,
                       .rejects = r->rejects,
                       .runs = r->runs,
                       .stop = r->stop,
                       .log = r->options->log,
                       .rejects_memory = r->plan.slice / REJECTS_PART,
                       .tables = r->table_set,
                       .counts = r->counts};
    const double start = sm_clock_seconds();
    st = sm_par_run(r->job->threads, sm_build_worker, &shared, err);
    if (st == SM_OK) {
        st = sm_rejects_finish(r->rejects, err);
    }
    if (st == SM_OK) {
        st = sm_uid_pass_compare(&r->uid_pass, r->source, err);
    }
    if (st == SM_OK) {
        st = sm_uid_rows_add(r->job, r->runs, r->counts[0], err);
    }
    if (st == SM_OK) {
        st = fingerprint_run(r, r->source, err);
    }
    if (st == SM_OK) {
        st = sm_runs_seal(r->runs, r->job->threads, err);
    }
    r->build_seconds = sm_clock_seconds() - start;
    return st;
}

/* ---- merge ----------------------------------------------------------------------------------- */

static sm_status open_arenas(run *r, sm_error *err)
{
    sm_arena *arena = r->report->arena;
    sm_status st = SM_OK;
    r->merge.worker_arenas = sm_arena_array(arena, r->job->threads, sizeof *r->merge.worker_arenas);
    if (r->merge.worker_arenas == NULL) {
        return sm_fail_memory(err, 0, "workers");
    }
    for (unsigned i = 0; st == SM_OK && i < r->job->threads; i++) {
        st = sm_arena_new(16 << 10, &r->merge.worker_arenas[i], err);
    }
    return st;
}

static sm_status name_inputs(run *r, sm_error *err)
{
    const size_t n = sm_source_input_count(r->source);
    const char **names = sm_arena_array(r->report->arena, n + 1, sizeof *names);
    if (names == NULL) {
        return sm_fail_memory(err, n * sizeof *names, "names of inputs");
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = sm_source_input(r->source, i)->path;
    }
    r->merge.inputs = names;
    r->merge.input_count = n;
    return SM_OK;
}

static sm_status list_tables(run *r, sm_error *err)
{
    sm_run_tables *t = &r->tables;
    return t->items != NULL ? SM_OK : sm_table_set_list(r->table_set, r->report->arena, t, err);
}

static sm_status merge(run *r, sm_error *err)
{
    r->merge.job = r->job;
    r->merge.tables = &r->tables;
    r->merge.runs = r->runs;
    r->merge.data = sm_dataset_data(r->dataset);
    r->merge.work = sm_dataset_work(r->dataset);
    r->merge.run_fingerprint = r->fingerprint;
    r->merge.workers = r->job->threads;
    r->merge.expand_memory = r->plan.expand;
    r->merge.stop = r->stop;
    r->merge.log = r->options->log;
    r->merge.arena = r->report->arena;
    sm_status st = list_tables(r, err);
    if (st == SM_OK) {
        st = open_arenas(r, err);
    }
    if (st == SM_OK) {
        st = name_inputs(r, err);
    }
    if (st == SM_OK) {
        st = sm_merge_phase_prepare(&r->merge, err);
    }
    if (st != SM_OK) {
        return st;
    }
    const double start = sm_clock_seconds();
    st = sm_par_run(r->job->threads, sm_merge_phase_worker, &r->merge, err);
    r->merge_seconds = sm_clock_seconds() - start;
    return st;
}

/* ---- publish --------------------------------------------------------------------------------- */

static sm_status fill_report(run *r, sm_error *err)
{
    sm_runs_stats stats = {0};
    const sm_status listed = list_tables(r, err);
    if (listed != SM_OK) {
        return listed;
    }
    if (r->runs != NULL) {
        sm_runs_stats_of(r->runs, &stats);
    }
    const sm_report_facts facts = {.job = r->job,
                                   .source = r->source,
                                   .rejects = r->rejects,
                                   .rejects_path = sm_dataset_final_rejects(r->dataset),
                                   .runs = r->merge.parts == NULL ? NULL : r->runs,
                                   .tables = &r->tables,
                                   .counts = r->counts,
                                   .parts = r->merge.parts,
                                   .listed = r->merge.listed,
                                   .fingerprint = r->fingerprint,
                                   .stats = stats,
                                   .build_seconds = r->build_seconds,
                                   .merge_seconds = r->merge_seconds};
    return sm_report_fill(&facts, r->report, err);
}

static sm_status publish(run *r, const sm_manifest *old, sm_error *err)
{
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = fill_report(r, err);
    if (st == SM_OK) {
        st = sm_manifest_write(&r->report->manifest, &text, err);
    }
    if (st == SM_OK) {
        st = sm_dataset_publish_rejects(r->dataset, err);
        r->rejects_published = st == SM_OK;
    }
    if (st == SM_OK) {
        st = sm_dataset_publish(r->dataset, sm_buf_view(&text), old, err);
    }
    sm_buf_free(&text);
    return st;
}

/* The run failed: bad rows are data and outlive it, whatever else went wrong. The first error
 * stays. */
static void keep_rejects(run *r)
{
    sm_error ignored = {.code = SM_OK};
    if (r->rejects == NULL || r->rejects_published || sm_rejects_total(r->rejects) == 0) {
        return;
    }
    (void)!fill_report(r, &ignored);
    sm_rejects_free(r->rejects);
    r->rejects = NULL;
    sm_error_clear(&ignored);
    if (sm_dataset_publish_rejects(r->dataset, &ignored) != SM_OK) {
        sm_log_warning(r->options->log, "the rejected records could not be kept: %s", ignored.text);
        r->report->rejects = NULL;
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

static sm_status build_merge_publish(run *r, const sm_manifest *old, sm_error *err)
{
    sm_status st = sm_table_set_new(r->job, &r->table_set, err);
    if (st == SM_OK) {
        st = open_source(r, &r->source, err);
    }
    if (st == SM_OK) {
        st = check_disk(r, err);
    }
    if (st == SM_OK) {
        st = assign_uids(r, err);
    }
    if (st == SM_OK) {
        st = build(r, err);
    }
    if (st == SM_OK) {
        st = merge(r, err);
    }
    const int asked = sm_stop_asked(r->stop);
    if (asked > 0) {
        sm_error_clear(err);
        st = sm_fail(err, SM_E_INTERRUPTED,
                     "interrupted by signal %d; the output is as it was before", asked);
    }
    if (st == SM_OK) {
        st = publish(r, old, err);
    }
    if (st != SM_OK) {
        keep_rejects(r);
    }
    return st;
}

/* A manifest that cannot be read says nothing about whose files these are: hands off. */
static sm_status read_existing(run *r, sm_manifest *old, sm_error *err)
{
    sm_error inner = {.code = SM_OK};
    const sm_status st = sm_dataset_existing(r->dataset, r->report->arena, old, &inner);
    if (st == SM_E_FORMAT) {
        return sm_fail(err, SM_E_REFUSED, "%s; nothing was touched", inner.text);
    }
    return st == SM_OK ? st : sm_fail(err, st, "%s", inner.text);
}

static sm_status run_locked(run *r, sm_error *err)
{
    sm_manifest old;
    const bool exists = r->state.exists;
    sm_status st = SM_OK;
    if (r->state.cleaned) {
        sm_log_info(r->options->log, "%s: work files of a run that died were removed",
                    sm_dataset_work(r->dataset));
    }
    if (exists) {
        st = read_existing(r, &old, err);
    }
    if (st == SM_OK && exists && r->options->replace && !r->options->new_rule) {
        st = sm_rules_keep_to_manifest(r->job, &old, sm_dataset_output(r->dataset), err);
    }
    if (st == SM_OK && exists && !r->options->replace) {
        r->report->manifest = old;
        return check_existing(r, &old, err);
    }
    return st == SM_OK ? build_merge_publish(r, exists ? &old : NULL, err) : st;
}

static void close_run(run *r)
{
    for (unsigned i = 0; r->merge.worker_arenas != NULL && i < r->job->threads; i++) {
        sm_report_adopt(r->report, r->merge.worker_arenas[i]);
    }
    sm_table_set_free(r->table_set);
    sm_rejects_free(r->rejects);
    sm_runs_free(r->runs);
    sm_source_close(r->source);
    sm_dataset_close(r->dataset);
}

sm_status sm_run(const sm_job *job, const sm_run_options *options, sm_run_report *report,
                 sm_error *err)
{
    *report = (sm_run_report){0};
    run r = {.job = job, .options = options, .report = report};
    r.stop = options->stop != NULL ? options->stop : &r.own_stop;
    sm_status st = sm_arena_new(64 << 10, &report->arena, err);
    if (st == SM_OK) {
        st = plan_memory(job, &r.plan, err);
    }
    if (st == SM_OK) {
        st = sm_rules_before_run(job, options, err);
    }
    if (st == SM_OK) {
        st = sm_dataset_open(job->output, &r.dataset, &r.state, err);
    }
    if (st == SM_OK) {
        report->output = sm_arena_text(report->arena, job->output, strlen(job->output));
        st = report->output == NULL ? sm_fail_memory(err, 0, "the report") : run_locked(&r, err);
    }
    close_run(&r);
    return st == SM_OK ? sm_rules_after_run(job, options, err) : st;
}
