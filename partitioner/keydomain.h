/* SPDX-License-Identifier: Apache-2.0 */
/* What a condition says about single fields, for the planner: its terms (the parts of the outermost
 * `and`), and per field the values that these terms leave.
 *
 *   caller = "138" and start >= A and start < B and (duration > 60 or callee = "9")
 *   caller: the set {"138"}   start: numbers A ... B - 1   the last term belongs to no single field
 *
 * A set holds exactly the values that pass all terms of its field. A range may be wider than its
 * terms; `caught` tells which terms it says in full. Everything lives in the context's arena. */
#ifndef SM_PARTITIONER_KEYDOMAIN_H
#define SM_PARTITIONER_KEYDOMAIN_H

#include "partitioner/keyprogram.h"

/* Forms of a domain that say all of a term. */
enum { SM_CAUGHT_RANGE = 1, SM_CAUGHT_SUFFIX = 2 };

typedef struct sm_plan_term {
    sm_node *node;
    int field; /* the only one it looks at, or -1 */
    unsigned caught;
    bool not_null; /* it is `x is not null` */
    bool proved;   /* every row of the ranges meets it; filled by the planner */
} sm_plan_term;

typedef struct sm_domain {
    bool given;  /* some term speaks of this field alone */
    bool is_set; /* values[0 ... count - 1]; a null is one of them where `is null` allows it */
    sm_value *values;
    size_t count;
    bool ranged;                /* the bounds below say something */
    int64_t low, high;          /* INT, TIME: both included */
    double real_low, real_high; /* DECIMAL: both included */
    sm_bytes text_low;          /* TEXT: included */
    sm_bytes text_high;         /* TEXT: not included; empty: no end */
    sm_bytes prefix, suffix;    /* TEXT: every value begins, ends with it */
} sm_domain;

typedef struct sm_condition_facts {
    sm_plan_term *terms;
    size_t term_count;
    sm_domain *domains; /* schema order */
    bool impossible;    /* no record meets the condition */
} sm_condition_facts;

/* What the value of a node depends on. */
typedef struct sm_footprint {
    bool *fields; /* schema order */
    size_t count;
    int only; /* the field when it is one, else -1 */
    bool odd; /* also on something that no field's value tells: original texts, the place */
} sm_footprint;

sm_status sm_plan_footprint(const sm_keycompile *c, const sm_node *node, sm_footprint *out,
                            sm_error *err) SM_MUST_CHECK;
/* c->use must be SM_USE_CONDITION; condition may be NULL. */
sm_status sm_condition_read(sm_keycompile *c, sm_eval *ev, sm_node *condition,
                            sm_condition_facts *out, sm_error *err) SM_MUST_CHECK;

/* A function of this name. */
bool sm_node_calls(const sm_node *node, const char *name);

#endif
