/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for people and their tools: the steps as comments, then one `scan` a line as the HBase
 * shell takes it; or the same as JSON. */
#ifndef SM_JOB_PLAN_PRINT_H
#define SM_JOB_PLAN_PRINT_H

#include "job/query.h"

typedef struct sm_plan_print {
    const char *const *columns; /* "f:b", or "f" for a family; none: all */
    size_t column_count;
    uint64_t limit;  /* rows of each scan; 0: all */
    bool by_time;    /* pages go on in the order of time, not of keys */
    sm_bytes after;  /* a row of the plan; only what is behind it is printed; empty: all */
    bool allow_full; /* a scan of the whole table may be printed */
} sm_plan_print;

/* SM_E_FULL_SCAN when the plan reads the whole table and that is not allowed; SM_E_USAGE for an
 * `after` that lies in no range, or a column that the table lacks. */
sm_status sm_plan_print_text(const sm_query *query, const sm_plan_print *options, sm_buf *out,
                             sm_error *err) SM_MUST_CHECK;
sm_status sm_plan_print_json(const sm_query *query, const sm_plan_print *options, sm_buf *out,
                             sm_error *err) SM_MUST_CHECK;

#endif
