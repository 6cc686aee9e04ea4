/* SPDX-License-Identifier: Apache-2.0 */
/* A query over a table that holds rows of several key rules: while it is moved from one rule to the
 * next, or for as long as the old rows live. For query.c alone. */
#ifndef SM_JOB_QUERY_RULES_H
#define SM_JOB_QUERY_RULES_H

#include "job/query.h"

/* Widens out->plan by the rules in spec->rules. condition: its text, empty for every row. */
sm_status sm_query_add_rules(const sm_query_spec *spec, sm_bytes condition, sm_arena *arena,
                             sm_query *out, sm_error *err) SM_MUST_CHECK;

#endif
