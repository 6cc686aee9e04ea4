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
    /* NULL: the job's only entry; else its view, its table's name, or one that its records make */
    const char *table;
    const char *const *terms;
    size_t term_count;
    const char *where; /* NULL: none */
    bool by_time;      /* see sm_plan_options: for the newest rows first */
    /* Rule files, manifests or datasets: rows that were written under their key rules are asked
     * for, too. */
    const char *const *rules;
    size_t rule_count;
    bool by_lead; /* see sm_plan_options: for rows in the order of the key behind the salt */
} sm_query_spec;

/* Another key rule of the table whose rows the plan covers. */
typedef struct sm_query_rule {
    const char *path;
    const char *key, *fingerprint;
    const sm_key_plan *plan; /* of this rule alone */
} sm_query_rule;

typedef struct sm_query {
    const sm_job *job;
    const sm_job_table *table;
    const char *name;         /* of the table; NULL: all that the records of this entry name */
    const sm_expr *condition; /* NULL: every row */
    sm_bytes text;            /* the condition's canonical spelling; empty without one */
    /* With other rules: the union of all ranges, and the condition itself as what is left to test,
     * because rows of one rule may lie in the ranges of another. Its steps are the job's rule's. */
    const sm_key_plan *plan;
    const sm_query_rule *rules; /* those that differ from the job's */
    size_t rule_count;
} sm_query;

/* Everything in *out lives in `arena`. SM_E_USAGE for a term that cannot be read, a field that is
 * not there, a table that is not there, a rule that the job's fields cannot follow; SM_E_EXPR for
 * `where`; SM_E_RULE_FILE. */
sm_status sm_query_make(const sm_job *job, const sm_query_spec *spec, sm_arena *arena,
                        sm_query *out, sm_error *err) SM_MUST_CHECK;

/* The job's only table, or the one named (by view, name, or a name that records may make): its
 * first entry. SM_E_USAGE when there is no such. */
sm_status sm_query_first_table(const sm_job *job, const char *name, const sm_job_table **out,
                               sm_error *err) SM_MUST_CHECK;

/* The context that a table's expressions were compiled with, with another arena. */
void sm_job_expr_context(const sm_job *job, const sm_job_table *table, sm_arena *arena,
                         const char *where, sm_expr_context *out);

#endif
