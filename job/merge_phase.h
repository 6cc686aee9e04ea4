/* SPDX-License-Identifier: Apache-2.0 */
/* The merge phase: workers take regions, largest first, and merge each one's runs into its files.
 */
#ifndef SM_JOB_MERGE_PHASE_H
#define SM_JOB_MERGE_PHASE_H

#include "core/counter.h"
#include "core/stop.h"
#include "job/region_writer.h"
#include "job/table_set.h"
#include "partitioner/runs.h"

/* What became of one region; filled by the worker that had it. */
typedef struct sm_merged_part {
    uint64_t row_images, rows;
    sm_family_counts *families; /* family_count of the table */
    uint64_t *shadowed;         /* likewise */
    sm_region_file *files;
} sm_merged_part;

typedef struct sm_merge_phase {
    const sm_job *job;
    const sm_run_tables *tables;
    sm_runs *runs;
    const char *data, *work;
    const char *const *inputs; /* paths, for messages about duplicates */
    size_t input_count;
    const char *run_fingerprint;
    unsigned workers;
    uint64_t expand_memory; /* bytes per worker for one key's cells */
    uint64_t open_files;    /* per worker, for the same */
    sm_stop *stop;
    const sm_log *log;
    /* From sm_merge_phase_prepare. */
    sm_arena *arena;          /* the caller's: plan and results */
    sm_arena **worker_arenas; /* the caller's, one per worker */
    size_t *listed;           /* parts, by table as listed and region: the order of the manifest */
    size_t *order;            /* parts, largest first */
    sm_merged_part *parts;    /* as sm_runs_part_at */
    sm_counter next;
    sm_stop no_more; /* asked: no further region is begun, those begun are ended */
} sm_merge_phase;

sm_status sm_merge_phase_prepare(sm_merge_phase *m, sm_error *err) SM_MUST_CHECK;
/* Body of sm_par_run; context is the sm_merge_phase. */
sm_status sm_merge_phase_worker(void *context, unsigned worker, sm_error *err) SM_MUST_CHECK;

#endif
