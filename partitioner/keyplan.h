/* SPDX-License-Identifier: Apache-2.0 */
/* From a condition on fields to ranges of rows: inverts a key expression.
 *
 *   key        salt(300, caller) + pad(caller, 15) + rev_ts(start) + callee
 *   condition  caller = "138..." and start >= A and start < B
 *   ranges     "048" "138...    " (Long.MAX - B + 1)   up to, not including
 *              "048" "138...    " (Long.MAX - A + 1)
 *
 * Parts are taken from left to right. A part whose fields are all known becomes its bytes; a salt
 * whose arguments are not known becomes all its values, each the head of a range of its own; a part
 * that keeps (or turns round) the order of a field with a range becomes a lower and an upper bound,
 * and ends the range. Where nothing more is known the range ends at the successor of what is
 * known: its last byte that is not FF plus one; none left: no end.
 *
 * The promise: every row whose record meets the condition lies in a range. `exact` says that no
 * other row does; otherwise `residual` is what is left to test. */
#ifndef SM_PARTITIONER_KEYPLAN_H
#define SM_PARTITIONER_KEYPLAN_H

#include "partitioner/expr.h"

typedef struct sm_key_range {
    sm_bytes start; /* first row, included; empty: from the first of the table */
    sm_bytes stop;  /* not included; empty: to the last of the table */
    size_t lead;    /* bytes in front that only spread (salt, pick): merging compares behind them */
} sm_key_range;

typedef enum sm_time_order {
    SM_TIME_UNORDERED,
    SM_TIME_OLDEST_FIRST, /* within each range */
    SM_TIME_NEWEST_FIRST
} sm_time_order;

/* How one part of the key was used, for people. */
typedef struct sm_plan_step {
    sm_bytes rule; /* the part, canonical spelling */
    const char
        *text; /* "known: 1 value", "not known: all 300 values", "range on start", "not used" */
} sm_plan_step;

typedef struct sm_key_plan {
    const sm_key_range *ranges; /* disjoint, ascending; none: no record can match */
    size_t count;
    bool full; /* no bound could be drawn: one range over everything, or one per salt (by_lead) */
    const char *why_full; /* a sentence, when full */
    bool exact;
    const sm_expr *residual; /* condition to apply to each record; NULL when exact */
    sm_bytes residual_text;  /* canonical spelling; empty when exact */
    size_t fan_out;          /* values of spreading parts that were tried: 1 when none */
    int time_field;          /* schema index behind time_order, or -1 */
    sm_time_order time_order;
    const sm_plan_step *steps;
    size_t step_count;
} sm_key_plan;

typedef struct sm_plan_options {
    size_t most_ranges; /* more make the plan wider, not wrong; 0: 100000 */
    /* Spreading parts are also tried where only a time field stands behind them, so that a query
     * for the newest rows becomes one short scan per salt. Such a plan is not full. */
    bool by_time;
    /* A range per value of the spreading parts in front, even where nothing behind them is known,
     * so that rows can be merged by the key behind them. Such a plan may be full. */
    bool by_lead;
} sm_plan_options;

/* condition: compiled with SM_USE_CONDITION over the same schema, or NULL for every row. The plan
 * lives in the context's arena. context: the one the key was compiled with (splits and uids for
 * functions that need them). */
sm_status sm_key_plan_make(const sm_expr_context *context, const sm_expr *key,
                           const sm_expr *condition, const sm_plan_options *options,
                           const sm_key_plan **out, sm_error *err) SM_MUST_CHECK;

/* The least key greater than every key that begins with `prefix`, in the arena; empty when there is
 * none (all FF, or empty). */
sm_status sm_key_successor(sm_arena *arena, sm_bytes prefix, sm_bytes *out, sm_error *err)
    SM_MUST_CHECK;

#endif
