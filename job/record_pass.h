/* SPDX-License-Identifier: Apache-2.0 */
/* How whatever reads a job's inputs does it: the source's options from the job, the size of a
 * slice, open files, how a worker ends, and the plain pass over all records for those that keep no
 * account of slices (names of uid(), samples of split keys). */
#ifndef SM_JOB_RECORD_PASS_H
#define SM_JOB_RECORD_PASS_H

#include "core/stop.h"
#include "job/build.h"
#include "job/job.h"

/* Points into the job. */
sm_source_options sm_job_source_options(const sm_job *job, size_t slice_size, const sm_stop *stop);
enum { SM_LEAST_SLICE = 32 << 10 };
/* Bytes, from limits.memory and the number of workers; at least SM_LEAST_SLICE. */
size_t sm_job_slice_size(const sm_job *job);

/* Open files that a run store of so many writers may hold: half of what the system allows beyond
 * the workers' own. SM_E_OPEN_FILES when that is less than they need. */
sm_status sm_job_store_files(unsigned workers, uint64_t *out, sm_error *err) SM_MUST_CHECK;

/* Gives a worker's error the place of its slice: the place decides which of several workers' errors
 * is told, the earliest in the input. A worker that was merely stopped must not hide the error that
 * stopped it. */
void sm_worker_error_place(sm_status st, const sm_slice *slice, sm_error *err);
/* The others stop at the next slice, unless they are asked to already. */
void sm_worker_stop_others(sm_stop *stop);

typedef struct sm_record_pass {
    const sm_job *job;
    sm_source *source;
    sm_stop *stop;
    /* Once, before the first record; the maker lives as long as the pass. */
    sm_status (*open)(void *context, sm_record_maker *maker, sm_error *err);
    sm_status (*take)(void *context, const sm_record *record, sm_error *err);
    void (*reject)(void *context); /* what is no record; NULL: passed over */
    void *context;
} sm_record_pass;

/* One worker's part, all of it: makes its reader and maker, and stops the others on failure. */
sm_status sm_record_pass_work(const sm_record_pass *pass, sm_error *err) SM_MUST_CHECK;

#endif
