/* SPDX-License-Identifier: Apache-2.0 */
/* A question about one table, from the words of the command line to a plan.
 *
 *   terms   caller=13800000001 from=2021-09-01 to=2021-10-01 duration>60 callee^=139
 *           NAME=VALUE  NAME!=VALUE  NAME<VALUE  NAME<=VALUE  NAME>VALUE  NAME>=VALUE
 *           NAME^=PREFIX (starts with)  NAME$=SUFFIX (ends with)
 *           NAME=A,B is not a list: use --where 'caller in ["A", "B"]'
 *           from, to: of the key's time field, half open [from, to); a field of that name wins
 *   where   a condition in the job's own language; joined with the terms by `and`
 *
 * Values are written as in the input's own types: text as it is, numbers, times as RFC 3339, a date
 * (midnight in the field's zone), or in the field's own format. */
#ifndef SM_JOB_QUERY_H
#define SM_JOB_QUERY_H

#include "job/job.h"
#include "partitioner/keyplan.h"

typedef struct sm_query_spec {
    const char *table; /* NULL: the job's only one; else its name */
    const char *const *terms;
    size_t term_count;
    const char *where; /* NULL: none */
    bool by_time;      /* see sm_plan_options: for the newest rows first */
} sm_query_spec;

typedef struct sm_query {
    const sm_job *job;
    const sm_job_table *table;
    const sm_expr *condition; /* NULL: every row */
    sm_bytes text;            /* the condition's canonical spelling; empty without one */
    const sm_key_plan *plan;
} sm_query;

/* Everything in *out lives in `arena`. SM_E_USAGE for a term that cannot be read, a field that is
 * not there, a table that is not there; SM_E_EXPR for `where`. */
sm_status sm_query_make(const sm_job *job, const sm_query_spec *spec, sm_arena *arena,
                        sm_query *out, sm_error *err) SM_MUST_CHECK;

/* The context that a table's expressions were compiled with, with another arena. */
void sm_job_expr_context(const sm_job *job, const sm_job_table *table, sm_arena *arena,
                         const char *where, sm_expr_context *out);

#endif
