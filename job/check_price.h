/* SPDX-License-Identifier: Apache-2.0 */
/* What the queries cost that a job declares: planned before the pass over the input, so that the
 * rows of their ranges can be counted in it. */
#ifndef SM_JOB_CHECK_PRICE_H
#define SM_JOB_CHECK_PRICE_H

#include "job/check.h"
#include "job/query.h"

typedef struct sm_check_price {
    size_t table; /* index in job->tables */
    const char *text;
    const sm_key_plan *plan;
} sm_check_price;

typedef struct sm_check_prices {
    const sm_check_price *items;  /* by table, then as declared */
    const sm_check_query *ranges; /* the same for the pass over the input */
    size_t count;
} sm_check_prices;

/* Everything in *out lives in the arena. */
sm_status sm_check_plan_queries(const sm_job *job, sm_arena *arena, sm_check_prices *out,
                                sm_error *err) SM_MUST_CHECK;

#endif
