/* SPDX-License-Identifier: Apache-2.0 */
/* The few values that a part takes over a range of its field: the months that a range of time
 * touches, the hours, the numbers from 1 to 5.
 *
 *   format_ts(start, "%Y%m"), start from 2021-08-20 to before 2021-10-01: "202108", "202109"
 *
 * Each comes with the numbers of the field that have it, so that parts behind it can be narrower.
 */
#ifndef SM_PARTITIONER_KEYLABELS_H
#define SM_PARTITIONER_KEYLABELS_H

#include "partitioner/keybound.h"

typedef struct sm_label {
    sm_bytes bytes;
    int64_t low, high; /* no other number of the field has it; both included */
} sm_label;

typedef struct sm_labels {
    sm_label *items;
    size_t count;
    bool complete; /* false: more than were asked for, or they cannot be told */
} sm_labels;

/* Which part of the field is asked for, and how many values are still useful. */
typedef struct sm_label_query {
    int64_t low, high; /* both included */
    size_t most;
} sm_label_query;

/* Of an order-keeping chain (sm_span_chain) over an int or time. */
sm_status sm_labels_of_chain(sm_arena *arena, sm_eval *ev, const sm_node *node,
                             const sm_label_query *q, sm_labels *out, sm_error *err) SM_MUST_CHECK;

/* What a pattern of format_ts says about order. */
typedef struct sm_format_facts {
    bool known;   /* only conversions that depend on the wall clock, at least one */
    bool sorts;   /* texts sort as wall clock times do */
    int64_t unit; /* ms of the finest conversion; 0: months, -1: years */
} sm_format_facts;

sm_format_facts sm_format_read(sm_bytes pattern);

/* Texts of format_ts over instants. */
sm_status sm_labels_of_format(sm_arena *arena, const sm_node *node, const sm_label_query *q,
                              sm_labels *out, sm_error *err) SM_MUST_CHECK;
/* The same as bounds; only for patterns that sort. */
sm_status sm_span_of_format(sm_arena *arena, const sm_node *node, const sm_label_query *q,
                            sm_span *out, sm_error *err) SM_MUST_CHECK;
/* True when no clock changes near this instant. */
bool sm_format_calm(const sm_node *node, int64_t instant);

#endif
