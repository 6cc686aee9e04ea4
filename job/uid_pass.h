/* SPDX-License-Identifier: Apache-2.0 */
/* The pass before the build phase that gives new names their ids. It evaluates all of each record
 * as the build phase will, notes unknown names of accepted records, and adds them, sorted bytewise,
 * to the dictionaries: which id a name gets depends on the inputs alone. Dictionaries are on disk
 * before anything of the dataset is; a run that dies afterwards leaves ids that nothing uses. */
#ifndef SM_JOB_UID_PASS_H
#define SM_JOB_UID_PASS_H

#include "core/log.h"
#include "core/stop.h"
#include "job/job.h"

typedef struct sm_uid_pass {
    const sm_job *job;
    const sm_source_options *source; /* how the build phase opens its inputs */
    sm_stop *stop;
    const sm_log *log;
    size_t memory;    /* bytes of new names that one worker may hold */
    sm_arena *arena;  /* for hashes */
    uint64_t *hashes; /* afterwards: of each decoded input, NULL when no pass was needed */
    size_t hash_count;
} sm_uid_pass;

/* Does nothing when no dictionary in use assigns ids. */
sm_status sm_uid_pass_run(sm_uid_pass *pass, sm_error *err) SM_MUST_CHECK;
/* The inputs as they were read now must be those of the pass, else SM_E_INPUT_CHANGED. */
sm_status sm_uid_pass_compare(const sm_uid_pass *pass, const sm_source *source, sm_error *err)
    SM_MUST_CHECK;

#endif
