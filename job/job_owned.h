/* SPDX-License-Identifier: Apache-2.0 */
/* What a job owns besides its public face: the arena and the time zones. Only job_*.c may look
 * inside. */
#ifndef SM_JOB_JOB_OWNED_H
#define SM_JOB_JOB_OWNED_H

#include "job/job.h"

enum { SM_JOB_ZONES_MAX = 256 };

typedef struct sm_job_owned {
    sm_job job; /* first: a sm_job of sm_job_load is the head of one of these */
    sm_arena *arena;
    sm_zone *zones[SM_JOB_ZONES_MAX];
    size_t zone_count;
} sm_job_owned;

static inline sm_job_owned *sm_job_owned_of(sm_job *job)
{
    return (sm_job_owned *)job;
}

#endif
