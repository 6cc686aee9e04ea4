/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds carried through the functions of a key, for the planner. Nothing here knows conditions.
 *
 *   start in [A, B]        rev_ts(start) in [Long.MAX - B, Long.MAX - A]
 *
 * Functions that keep or turn round the order accept one interval of numbers, and 0 or the number
 * next to 0 lies in it; bounds beyond it are drawn in to it, since no record has a key there. */
#ifndef SM_PARTITIONER_KEYBOUND_H
#define SM_PARTITIONER_KEYBOUND_H

#include "partitioner/keyplan.h"
#include "partitioner/keyprogram.h"

/* Lowest and highest value of a node, both included. */
typedef struct sm_span {
    sm_value low, high;
    bool none; /* no record has a value */
    bool wide; /* wider than the order of the function alone would make it */
} sm_span;

/* True when the node is made of functions of one field, a number or a time, that keep its order or
 * turn it round: *field and *reversed are filled, and *exact when different fields' values always
 * differ here too. */
bool sm_span_chain(const sm_node *node, int *field, bool *reversed, bool *exact);
/* The field's span in, the node's span out; bytes lie in the arena. */
sm_status sm_span_through(sm_arena *arena, sm_eval *ev, const sm_node *node, sm_span *span,
                          sm_error *err) SM_MUST_CHECK;
/* Runs a chain on one value of its field; bytes lie in ev until it is reset. */
sm_reject sm_span_value(sm_eval *ev, const sm_node *node, const sm_value *value, sm_value *out);

/* x in [low, high) as bounds of rows that begin with x, whatever follows it: a row may go past high
 * where x is what high begins with. high empty: no end. Returns the end in the arena, or empty. */
sm_status sm_bound_before_more(sm_arena *arena, sm_bytes low, sm_bytes high, sm_bytes *out,
                               sm_error *err) SM_MUST_CHECK;

#endif
