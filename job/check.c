/* SPDX-License-Identifier: Apache-2.0 */
/* A check from frozen job to report: opens what the phases of check_engine.h need, runs them, and
 * closes it. Memory: limits.memory is shared out by plan_memory alone. */
#include "core/clock.h"
#include "core/fs.h"
#include "core/mem.h"
#include "job/check_engine.h"
#include "job/record_pass.h"

#include <string.h>

/* limits.memory = runs + leading parts + workers x (SLICE_PARTS x slice + sums) + probes
 *
 * SLICE_PARTS: the slice, the source's read-ahead, the record being unquoted and evaluated. Kept
 * probes and those being filled are counted as if they were full, buffers rounded up. */
static uint64_t fixed_memory(const sm_checking *c)
{
    enum { SLICE_PARTS = 4, REJECTS = 32 << 10, PROBE = 64 << 10 };
    const uint64_t tables = c->job->table_count;
    const uint64_t variants = c->options->variant_count;
    const uint64_t sums = (SM_CHECK_LENGTHS + SM_CHECK_BUCKETS) * sizeof(uint64_t) +
                          variants * SM_CHECK_VARIANT_REGIONS * sizeof(uint64_t);
    const uint64_t ids = c->options->stable != 0 ? sm_check_ids_memory() : 0;
    const uint64_t probe =
        PROBE + SM_CHECK_PROBE_ROWS * (sizeof(uint32_t) + variants * sizeof(uint16_t)) * 2;
    return c->workers * ((uint64_t)SLICE_PARTS * SM_CHECK_SLICE + REJECTS + tables * (sums + ids)) +
           (SM_CHECK_PROBES + c->workers) * tables * probe;
}

static sm_status plan_memory(sm_checking *c, sm_error *err)
{
    enum { LEADS_PART = 8 };
    const uint64_t fixed = fixed_memory(c);
    const uint64_t least = sm_runs_minimum_memory(c->workers, 0);
    if (c->job->memory < fixed + 2 * least) {
        return sm_fail(err, SM_E_MEMORY,
                       "limits.memory is %llu bytes, but check with --threads %u needs at least "
                       "%llu; give more memory or fewer threads",
                       (unsigned long long)c->job->memory, c->job->threads,
                       (unsigned long long)(fixed + 2 * least));
    }
    const uint64_t rest = c->job->memory - fixed;
    c->leads_memory = rest / LEADS_PART < least ? least : rest / LEADS_PART;
    c->runs_memory = rest - c->leads_memory;
    return SM_OK;
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Where the output will lie: on the disk that is meant to hold such amounts. */
static sm_status work_directory(const sm_checking *c, const char **out, sm_error *err)
{
    const char *output = c->job->output;
    *out = c->options->directory != NULL ? c->options->directory : ".";
    if (c->options->directory != NULL || output == NULL) {
        return SM_OK;
    }
    const char *slash = strrchr(output, '/');
    if (slash == NULL) {
        return SM_OK;
    }
    const size_t len = slash == output ? 1 : (size_t)(slash - output);
    const char *parent = sm_arena_text(c->arena, output, len);
    bool exists = false;
    sm_file_info info = {.is_directory = false};
    if (parent == NULL) {
        return sm_fail_memory(err, len, "the work files");
    }
    const sm_status st = sm_fs_stat(parent, &exists, &info, err);
    *out = exists && info.is_directory ? parent : ".";
    return st;
}

static sm_status open_stores(sm_checking *c, sm_error *err)
{
    uint64_t files = 0;
    sm_status st = sm_job_store_files(c->workers, &files, err);
    if (st != SM_OK) {
        return st;
    }
    sm_runs_options options = {
        .memory = c->runs_memory, .writers = c->workers, .open_files = files, .stop = c->stop};
    st = work_directory(c, &options.directory, err);
    if (st == SM_OK) {
        st = sm_runs_new(&options, &c->runs, err);
    }
    if (st == SM_OK) {
        options.memory = c->leads_memory;
        st = sm_runs_new(&options, &c->leads, err);
    }
    return st == SM_OK ? sm_lock_new(&c->lock, err) : st;
}

static sm_status open_source(sm_checking *c, sm_error *err)
{
    const sm_source_options options = sm_job_source_options(c->job, SM_CHECK_SLICE, c->stop);
    return sm_source_open(&options, &c->source, err);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static bool make_sums(const sm_checking *c, size_t table, sm_arena *arena, sm_check_sums *s)
{
    const sm_check_design *design = &c->designs[table];
    const size_t variants = design->judged ? c->options->variant_count : 0;
    s->lengths = sm_arena_array(arena, SM_CHECK_LENGTHS, sizeof *s->lengths);
    s->buckets = sm_arena_array(arena, SM_CHECK_BUCKETS, sizeof *s->buckets);
    s->families =
        sm_arena_array(arena, c->job->tables[table].family_count + 1, sizeof *s->families);
    s->variants = sm_arena_array(arena, variants + 1, sizeof *s->variants);
    bool made =
        s->lengths != NULL && s->buckets != NULL && s->families != NULL && s->variants != NULL;
    if (made && c->options->stable != 0 && design->judged) {
        s->ids = sm_check_ids_new(arena);
        made = s->ids != NULL;
    }
    for (size_t i = 0; made && i < variants; i++) {
        const sm_check_variant_plan *plan = &design->variants[i];
        const size_t regions = plan->why_not == NULL ? sm_splits_regions(plan->splits) : 1;
        s->variants[i] = sm_arena_array(arena, regions, sizeof **s->variants);
        made = s->variants[i] != NULL;
    }
    return made;
}

static sm_status make_worker(sm_checking *c, sm_check_worker *w, sm_error *err)
{
    sm_status st = sm_arena_new(64 << 10, &w->arena, err);
    if (st != SM_OK) {
        return st;
    }
    w->tables = sm_arena_array(w->arena, c->job->table_count + 1, sizeof *w->tables);
    w->rejects = sm_arena_array(w->arena, SM_REJECT_COUNT, sizeof *w->rejects);
    w->queries = sm_arena_array(w->arena, c->options->query_count + 1, sizeof *w->queries);
    bool made = w->tables != NULL && w->rejects != NULL && w->queries != NULL;
    for (size_t i = 0; made && i < c->job->table_count; i++) {
        made = make_sums(c, i, w->arena, &w->tables[i]);
    }
    return made ? SM_OK : sm_fail_memory(err, 0, "counters");
}

static bool make_table(sm_checking *c, size_t table)
{
    const size_t regions = sm_splits_regions(c->job->tables[table].splits);
    c->buckets[table] = sm_arena_array(c->arena, SM_CHECK_BUCKETS, sizeof **c->buckets);
    c->regions[table] = sm_arena_array(c->arena, regions, sizeof **c->regions);
    c->probes[table] = sm_arena_array(c->arena, 1, sizeof **c->probes);
    c->cuts[table] = sm_arena_array(c->arena, SM_CHECK_CUTS, sizeof **c->cuts);
    c->duplicates[table] = sm_arena_array(c->arena, 1, sizeof **c->duplicates);
    if (c->buckets[table] == NULL || c->regions[table] == NULL || c->probes[table] == NULL ||
        c->cuts[table] == NULL || c->duplicates[table] == NULL) {
        return false;
    }
    for (size_t i = 0; i < SM_CHECK_CUTS; i++) {
        sm_buf_init(&c->cuts[table][i].key, SM_ROW_MAX);
    }
    for (size_t i = 0; i <= SM_CHECK_DUPLICATES; i++) {
        sm_buf_init(&c->duplicates[table]->items[i].key, SM_ROW_MAX);
    }
    return true;
}

static sm_status make_tables(sm_checking *c, sm_error *err)
{
    const size_t n = c->job->table_count;
    c->totals = sm_arena_array(c->arena, n, sizeof *c->totals);
    c->least = sm_arena_array(c->arena, n, sizeof *c->least);
    c->buckets = sm_arena_array(c->arena, n, sizeof *c->buckets);
    c->regions = sm_arena_array(c->arena, n, sizeof *c->regions);
    c->probes = sm_arena_array(c->arena, n, sizeof(sm_check_probes *));
    c->cuts = sm_arena_array(c->arena, n, sizeof *c->cuts);
    c->duplicates = sm_arena_array(c->arena, n, sizeof *c->duplicates);
    c->each = sm_arena_array(c->arena, c->workers, sizeof *c->each);
    bool made = c->totals != NULL && c->least != NULL && c->buckets != NULL && c->regions != NULL &&
                c->probes != NULL && c->cuts != NULL && c->duplicates != NULL && c->each != NULL;
    for (size_t i = 0; made && i < n; i++) {
        made = make_table(c, i);
    }
    sm_status st = made ? SM_OK : sm_fail_memory(err, 0, "counters");
    for (unsigned i = 0; st == SM_OK && i < c->workers; i++) {
        st = make_worker(c, &c->each[i], err);
    }
    return st;
}

static void free_table(sm_checking *c, size_t table)
{
    if (c->probes != NULL && c->probes[table] != NULL) {
        sm_check_probes_free(c->probes[table]);
    }
    for (size_t i = 0; c->cuts != NULL && c->cuts[table] != NULL && i < SM_CHECK_CUTS; i++) {
        sm_buf_free(&c->cuts[table][i].key);
    }
    for (size_t i = 0;
         c->duplicates != NULL && c->duplicates[table] != NULL && i <= SM_CHECK_DUPLICATES; i++) {
        sm_buf_free(&c->duplicates[table]->items[i].key);
    }
}

static void close_all(sm_checking *c)
{
    for (size_t i = 0; i < c->job->table_count; i++) {
        free_table(c, i);
    }
    for (unsigned i = 0; c->each != NULL && i < c->workers; i++) {
        sm_arena_free(c->each[i].arena);
    }
    sm_runs_free(c->runs);
    sm_runs_free(c->leads);
    sm_lock_free(c->lock);
    sm_source_close(c->source);
}

/* ---- phases ---------------------------------------------------------------------------------- */

static sm_status design(sm_checking *c, sm_error *err)
{
    const size_t n = c->job->table_count;
    c->designs = sm_arena_array(c->arena, n, sizeof *c->designs);
    sm_status st = c->designs != NULL ? SM_OK : sm_fail_memory(err, 0, "designs");
    for (size_t i = 0; st == SM_OK && i < n; i++) {
        st = sm_check_design_make(c->job, c->options, i, c->arena, &c->designs[i], err);
    }
    return st;
}

/* What the merge must know: totals, which buckets are heavy, and where each part begins. */
static sm_status prepare_merge(sm_checking *c, sm_error *err)
{
    const size_t parts = sm_runs_part_count(c->runs);
    c->part_ranks = sm_arena_array(c->arena, parts + 1, sizeof *c->part_ranks);
    if (c->part_ranks == NULL) {
        return sm_fail_memory(err, parts * sizeof *c->part_ranks, "regions");
    }
    for (size_t i = 0; i < parts; i++) {
        const sm_runs_part *p = sm_runs_part_at(c->runs, i);
        c->part_ranks[i] = c->totals[p->table];
        c->totals[p->table] += p->rows;
    }
    for (size_t t = 0; t < c->job->table_count; t++) {
        const uint64_t least = c->totals[t] / SM_CHECK_LEAST_SHARE;
        c->least[t] = least < 2 ? 2 : least;
        for (unsigned w = 0; w < c->workers; w++) {
            for (size_t i = 0; i < SM_CHECK_BUCKETS; i++) {
                c->buckets[t][i] += c->each[w].tables[t].buckets[i];
            }
        }
    }
    sm_counter_start(&c->next);
    return SM_OK;
}

static sm_status collect_and_merge(sm_checking *c, sm_error *err)
{
    sm_status st = sm_par_run(c->workers, sm_check_collect, c, err);
    if (st == SM_OK) {
        st = sm_runs_seal(c->runs, c->workers, err);
    }
    if (st == SM_OK) {
        st = prepare_merge(c, err);
    }
    if (st == SM_OK) {
        st = sm_par_run(c->workers, sm_check_merge, c, err);
    }
    return st == SM_OK ? sm_runs_seal(c->leads, c->workers, err) : st;
}

static sm_status run_phases(sm_checking *c, sm_check_report *report, sm_error *err)
{
    sm_status st = plan_memory(c, err);
    if (st == SM_OK) {
        st = design(c, err);
    }
    if (st == SM_OK) {
        st = open_source(c, err);
    }
    if (st == SM_OK) {
        st = open_stores(c, err);
    }
    if (st == SM_OK) {
        st = make_tables(c, err);
    }
    if (st == SM_OK) {
        st = collect_and_merge(c, err);
    }
    const int asked = sm_stop_asked(c->stop);
    if (asked > 0) {
        sm_error_clear(err);
        return sm_fail(err, SM_E_INTERRUPTED, "interrupted by signal %d", asked);
    }
    return st == SM_OK ? sm_check_fill(c, report, err) : st;
}

sm_status sm_check(const sm_job *job, const sm_check_options *options, sm_check_report *report,
                   sm_error *err)
{
    const double start = sm_clock_seconds();
    *report = (sm_check_report){0};
    if (options->variant_count > SM_CHECK_VARIANTS) {
        return sm_fail(err, SM_E_USAGE,
                       "%zu what-ifs were asked for; at most %d are judged at once",
                       options->variant_count, SM_CHECK_VARIANTS);
    }
    sm_checking c = {.job = job, .options = options};
    c.stop = options->stop != NULL ? options->stop : &c.own_stop;
    c.workers = options->records != 0 ? 1 : job->threads;
    sm_status st = sm_arena_new(64 << 10, &report->arena, err);
    if (st == SM_OK) {
        c.arena = report->arena;
        st = run_phases(&c, report, err);
    }
    close_all(&c);
    report->seconds = sm_clock_seconds() - start;
    return st;
}

void sm_check_report_free(sm_check_report *report)
{
    sm_arena_free(report->arena);
    *report = (sm_check_report){0};
}
