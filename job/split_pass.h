/* SPDX-License-Identifier: Apache-2.0 */
/* Split keys from the input itself: a pass over all records with all workers, as the build phase
 * makes rows, of which a sample is kept. Writes nothing. */
#ifndef SM_JOB_SPLIT_PASS_H
#define SM_JOB_SPLIT_PASS_H

#include "core/log.h"
#include "core/stop.h"
#include "job/job.h"
#include "partitioner/split_sample.h"

enum { SM_SPLIT_SAMPLE_ROWS = 1 << 17, SM_SPLIT_SAMPLE_MOST = 10000000 };

typedef struct sm_split_pass {
    const sm_job *job;
    const char *table; /* all entries that fill it are sampled */
    size_t regions;
    bool by_bytes;   /* a row weighs what its cells take in an HFile before encoding, not 1 */
    size_t rows;     /* to sample at most */
    double fraction; /* of the rows to sample at most: 1 for all */
    sm_stop *stop;
    const sm_log *log;
} sm_split_pass;

/* SM_E_SPLITS when the sample is empty. What the sample is and how far to be trusted goes to the
 * log. The result lives in `arena`. Its keys depend on the inputs, the job and the sample's size
 * alone. */
sm_status sm_split_pass_run(const sm_split_pass *pass, sm_arena *arena, const sm_splits **out,
                            sm_error *err) SM_MUST_CHECK;

#endif
