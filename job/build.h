/* SPDX-License-Identifier: Apache-2.0 */
/* The build phase: slices -> records -> keys and cells -> run store. One builder per worker; what
 * they share is in sm_build. */
#ifndef SM_JOB_BUILD_H
#define SM_JOB_BUILD_H

#include "core/stop.h"
#include "ingest/rejects.h"
#include "job/job.h"
#include "job/table_set.h"
#include "partitioner/runs.h"

/* Per table, summed over workers. accepted = row_images - uid_rows + not_selected + without_cells;
 * uid_rows are those that come from dictionaries (uid_rows.h). Where records name their tables, the
 * entry's own number counts those not selected, and the rest is with each table's. */
typedef struct sm_build_counts {
    uint64_t row_images, not_selected, without_cells, uid_rows;
} sm_build_counts;

typedef struct sm_build {
    const sm_job *job;
    sm_source *source;
    sm_rejects *rejects;
    sm_runs *runs;
    sm_stop *stop;
    const sm_log *log;
    size_t rejects_memory; /* of one slice: when they take more they are written before its end */
    sm_table_set *tables;
    sm_build_counts **counts; /* [worker][number of the table], caller's */
} sm_build;

/* Body of sm_par_run; context is a sm_build. */
sm_status sm_build_worker(void *context, unsigned worker, sm_error *err) SM_MUST_CHECK;

/* ---- one record (also for preview) ----------------------------------------------------------- */

/* The rows that one record makes, one slot per table. */
typedef struct sm_made_row {
    bool selected;
    size_t cells;
    sm_bytes key, payload; /* live until the next record */
    sm_bytes name;         /* likewise; of the table, where its name is an expression */
    int64_t timestamp;     /* ms, the row's */
} sm_made_row;

typedef struct sm_record_maker sm_record_maker;

sm_status sm_record_maker_new(const sm_job *job, sm_record_maker **out, sm_error *err)
    SM_MUST_CHECK;
void sm_record_maker_free(sm_record_maker *m); /* takes NULL */

/* Names without an id are noted instead of rejected; whoever reads the notes says what becomes of
 * them. */
void sm_record_maker_collect(sm_record_maker *m, struct sm_uid_notes *notes);
/* For whoever assigns no ids: names that a run would give ids to stand as id 0. */
sm_status sm_record_maker_assume_uids(sm_record_maker *m, sm_error *err) SM_MUST_CHECK;
/* Whether the last record had such names. */
bool sm_record_maker_assumed(const sm_record_maker *m);

typedef enum sm_made {
    SM_MADE_ROWS,
    SM_MADE_FILTERED,     /* by input.where */
    SM_MADE_OUT_OF_RANGE, /* by input.time_range, which is asked after where */
    SM_MADE_REJECT
} sm_made;

/* Evaluates where, time range, keys, timestamps and cells of all tables. rows[] is table_count long
 * and belongs to m. For REJECT *why is filled. The status is for real failures (memory). */
sm_status sm_record_make(sm_record_maker *m, const sm_record *record, sm_made *what,
                         const sm_made_row **rows, sm_reject_note *why, sm_error *err)
    SM_MUST_CHECK;

#endif
