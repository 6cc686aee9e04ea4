/* SPDX-License-Identifier: Apache-2.0 */
/* The run store's face: budget, writers, the list of parts, opening a merge. How a share works is
 * in runs_share.c, merge passes are in runs_seal.c. */
#include "partitioner/runs.h"

#include "core/kv.h"
#include "core/mem.h"
#include "core/par.h"
#include "partitioner/runs_store.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    PAGE = 4096,
    BLOCK_LEAST = 4096,
    BLOCK_MOST = 128 * 1024,
    SHARE_LEAST = 32 * 1024,
    MASKS_LEAST = 4,
    MASKS_MOST = 4096,
    FAN_IN_LEAST = 4,
    /* malloc may keep what is freed between adding and merging, so the two phases' small buffers
     * are not expected to share their memory; shares, which go back to the system, are. */
    NOT_SHARED = 1024 * 1024,
    SPARE = 16 * 1024 /* lists of runs and parts, their index */
};

/* ---- the budget --------------------------------------------------------------------------------
 *
 *   while rows are added, per writer:  block of the share + run writer + masks + tables
 *   while runs are merged, per merge:  reader + cursors * 2 blocks + largest payload
 *                                      (in a pass also a run writer); shares that stay in memory */

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t sm_runs_minimum_memory(unsigned writers, uint64_t row_max)
{
    const uint64_t key_max = row_max < SM_ROW_MAX ? row_max : SM_ROW_MAX;
    const uint64_t raw_max = largest(BLOCK_LEAST, key_max + SM_RECORD_HEADER_MAX);
    const uint64_t payload_max = row_max > BLOCK_LEAST ? row_max : 0;
    const sm_merge_cost cost = sm_merge_cost_of(raw_max, payload_max);
    const uint64_t build = SHARE_LEAST + sm_share_overhead(BLOCK_LEAST, MASKS_LEAST);
    const uint64_t merge = cost.fixed + FAN_IN_LEAST * cost.cursor;
    const uint64_t pass = merge + sm_spill_writer_memory(BLOCK_LEAST) + 2 * raw_max;
    return SPARE + largest(pass, writers * largest(build, merge));
}

static void plan_shares(sm_runs *r)
{
    const uint64_t each = (r->memory - SPARE) / r->writers;
    size_t block = BLOCK_LEAST;
    while (block < BLOCK_MOST && block * 2 <= each / 256) {
        block *= 2;
    }
    uint64_t masks = each / 128 / sizeof(sm_sort_mask);
    masks = masks < MASKS_LEAST ? MASKS_LEAST : masks;
    masks = masks > MASKS_MOST ? MASKS_MOST : masks;
    const uint64_t overhead = sm_share_overhead(block, masks) + NOT_SHARED;
    uint64_t share = each < overhead + SHARE_LEAST ? SHARE_LEAST : (each - overhead) / PAGE * PAGE;
    const uint64_t most = UINT64_C(1) << SM_SORT_OFFSET_BITS;
    share = share < most ? share : most;
    r->plan = (sm_share_plan){.directory = r->directory,
                              .stop = r->stop,
                              .share_size = (size_t)share,
                              .block_size = block,
                              .mask_count = (size_t)masks};
}

/* ---- life ---------------------------------------------------------------------------------------
 */

static sm_status check_options(const sm_runs_options *o, sm_error *err)
{
    if (o->writers == 0) {
        return sm_fail(err, SM_E_INTERNAL, "a run store needs at least one writer");
    }
    const uint64_t least = sm_runs_minimum_memory(o->writers, 0);
    if (o->memory < least) {
        return sm_fail(err, SM_E_MEMORY,
                       "the run store was given %" PRIu64
                       " bytes of memory for %u writers; it needs "
                       "at least %" PRIu64 "; raise limits.memory or use fewer threads",
                       o->memory, o->writers, least);
    }
    if (o->open_files < (uint64_t)o->writers + 1) {
        return sm_fail(err, SM_E_OPEN_FILES,
                       "the run store may hold %" PRIu64
                       " open files; %u writers need at least %u; "
                       "raise `ulimit -n` or use fewer threads",
                       o->open_files, o->writers, o->writers + 1);
    }
    return SM_OK;
}

static sm_status fill_new(sm_runs *r, const sm_runs_options *o, sm_error *err)
{
    const size_t len = strlen(o->directory) + 1;
    r->directory = sm_malloc(len);
    r->shares = sm_calloc(o->writers, sizeof *r->shares);
    if (r->directory == NULL || r->shares == NULL) {
        return sm_fail_memory(err, len, "the run store");
    }
    memcpy(r->directory, o->directory, len);
    r->memory = o->memory;
    r->open_files = o->open_files;
    r->writers = o->writers;
    r->stop = o->stop;
    plan_shares(r);
    sm_status st = SM_OK;
    for (unsigned w = 0; w < o->writers && st == SM_OK; w++) {
        st = sm_share_new(&r->plan, &r->shares[w], err);
    }
    return st;
}

sm_status sm_runs_new(const sm_runs_options *options, sm_runs **out, sm_error *err)
{
    *out = NULL;
    void *p;
    sm_status st = check_options(options, err);
    if (st == SM_OK) {
        st = sm_new(sizeof(sm_runs), "the run store", &p, err);
    }
    if (st != SM_OK) {
        return st;
    }
    sm_runs *r = p;
    st = fill_new(r, options, err);
    if (st != SM_OK) {
        sm_runs_free(r);
        return st;
    }
    *out = r;
    return SM_OK;
}

void sm_runs_free(sm_runs *r)
{
    if (r == NULL) {
        return;
    }
    for (unsigned w = 0; r->shares != NULL && w < r->writers; w++) {
        sm_share_free(r->shares[w]);
    }
    sm_spill_run_list_free(&r->runs);
    for (unsigned f = 0; f < r->file_count; f++) {
        sm_spill_file_free(r->files[f]);
    }
    sm_free(r->files);
    sm_free(r->shares);
    sm_free(r->parts);
    sm_free(r->directory);
    sm_free(r);
}

sm_status sm_runs_add(sm_runs *r, unsigned writer, const sm_row *row, sm_error *err)
{
    return sm_share_add(r->shares[writer], row, err);
}

/* ---- seal ---------------------------------------------------------------------------------------
 */

typedef struct sort_team {
    sm_runs *runs;
    unsigned workers;
} sort_team;

static sm_status sort_shares(void *context, unsigned worker, sm_error *err)
{
    const sort_team *team = context;
    sm_status st = SM_OK;
    for (unsigned w = worker; w < team->runs->writers && st == SM_OK; w += team->workers) {
        sm_share *s = team->runs->shares[w];
        st = sm_share_sort(s, err);
        sm_share_close(s);
    }
    return st;
}

static int compare_parts(const void *a, const void *b)
{
    const sm_runs_part *x = a;
    const sm_runs_part *y = b;
    if (x->table != y->table) {
        return x->table < y->table ? -1 : 1;
    }
    return (x->region > y->region) - (x->region < y->region);
}

/* The parts of all shares become one list. */
static sm_status list_parts(sm_runs *r, sm_error *err)
{
    size_t total = 0;
    for (unsigned w = 0; w < r->writers; w++) {
        total += r->shares[w]->part_count;
    }
    r->parts = sm_malloc(total * sizeof *r->parts);
    if (r->parts == NULL) {
        return sm_fail_memory(err, total * sizeof *r->parts, "the list of regions");
    }
    size_t count = 0;
    for (unsigned w = 0; w < r->writers; w++) {
        const sm_share *s = r->shares[w];
        for (size_t i = 0; i < s->part_count; i++) {
            const sm_share_part *p = &s->parts[i];
            r->parts[count++] = (sm_runs_part){p->table, p->region, p->rows, p->bytes};
            r->stats.rows += p->rows;
            r->stats.bytes += p->bytes;
        }
    }
    if (count > 1) {
        qsort(r->parts, count, sizeof *r->parts, compare_parts);
    }
    for (size_t i = 0; i < count; i++) {
        sm_runs_part *last = r->part_count == 0 ? NULL : &r->parts[r->part_count - 1];
        if (last != NULL && compare_parts(last, &r->parts[i]) == 0) {
            last->rows += r->parts[i].rows;
            last->bytes += r->parts[i].bytes;
        } else {
            r->parts[r->part_count++] = r->parts[i];
        }
    }
    return SM_OK;
}

sm_status sm_runs_seal(sm_runs *r, unsigned threads, sm_error *err)
{
    if (r->sealed) {
        return sm_fail(err, SM_E_INTERNAL, "the run store was sealed twice");
    }
    r->sealed = true;
    threads = threads == 0 ? 1 : threads;
    r->merges = threads > r->writers ? threads : r->writers;
    sort_team team = {.runs = r, .workers = threads < r->writers ? threads : r->writers};
    sm_status st = sm_par_run(team.workers, sort_shares, &team, err);
    if (st == SM_OK) {
        st = list_parts(r, err);
    }
    return st == SM_OK ? sm_runs_settle(r, threads, err) : st;
}

size_t sm_runs_part_count(const sm_runs *r)
{
    return r->part_count;
}

const sm_runs_part *sm_runs_part_at(const sm_runs *r, size_t index)
{
    return &r->parts[index];
}

void sm_runs_stats_of(const sm_runs *r, sm_runs_stats *out)
{
    *out = r->stats;
}

/* ---- reading ------------------------------------------------------------------------------------
 */

sm_status sm_merge_open(sm_runs *r, size_t part, unsigned concurrent, sm_merge **out, sm_error *err)
{
    *out = NULL;
    if (!r->sealed || part >= r->part_count) {
        return sm_fail(err, SM_E_INTERNAL, "part %zu of %zu parts was asked for", part,
                       r->part_count);
    }
    if (concurrent > r->merges && r->runs.count > 0) {
        return sm_fail(err, SM_E_INTERNAL,
                       "%u merges at once were asked for; memory is planned for %u", concurrent,
                       r->merges);
    }
    const uint32_t table = r->parts[part].table;
    const uint32_t region = r->parts[part].region;
    sm_merge *m;
    const sm_status st = sm_merge_new(r->writers + r->runs.count, r->stop, &m, err);
    if (st != SM_OK) {
        return st;
    }
    sm_merge_begin(m, table, region);
    for (unsigned w = 0; w < r->writers; w++) {
        sm_merge_share share;
        sm_share_view(r->shares[w], table, region, &share);
        if (share.count > 0) {
            sm_merge_add_share(m, &share);
        }
    }
    for (size_t i = 0; i < r->runs.count; i++) {
        const size_t index = sm_spill_run_find(r->runs.items[i], table, region);
        if (index < r->runs.items[i]->part_count) {
            sm_merge_add_run(m, r->runs.items[i], index);
        }
    }
    *out = m;
    return SM_OK;
}
