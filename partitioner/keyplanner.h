/* SPDX-License-Identifier: Apache-2.0 */
/* State of the planner, shared by its files and by nobody else:
 *
 *   keyplan.c        from left to right through the parts, and the ends of ranges
 *   keyplan_use.c    parts that go on: known ones, spreading ones, few values of a range
 *   keyplan_prove.c  which terms the ranges prove, the residual, words for people
 *
 * A branch is one combination of what is known so far: the bytes that its rows begin with, and
 * which values of the sets these bytes were made of. A part multiplies the branches (a set of
 * values, all salts) or ends them (a range, or nothing known). */
#ifndef SM_PARTITIONER_KEYPLANNER_H
#define SM_PARTITIONER_KEYPLANNER_H

#include "partitioner/keyfn.h"
#include "partitioner/keypart.h"
#include "partitioner/keyplan.h"

/* What a branch has taken from one field. */
typedef struct sm_choice {
    size_t pick;       /* of its set; SIZE_MAX: not yet */
    int64_t low, high; /* of its range */
} sm_choice;

typedef struct sm_branch {
    uint8_t *head;
    size_t len, room;
    size_t lead;
    sm_choice *choices; /* one per slot */
} sm_branch;

typedef struct sm_branches {
    sm_branch *items;
    size_t count;
} sm_branches;

typedef struct sm_planner {
    sm_keycompile key, condition;
    sm_arena *arena;
    sm_eval *ev;
    const sm_plan_options *options;
    sm_condition_facts facts;
    sm_plan_parts parts;
    int *slots; /* by field: index of its choice, or -1 */
    int *slot_fields;
    size_t slot_count;
    sm_branches now;
    sm_value *values; /* the made-up record */
    bool settled;     /* the places of all parts so far are told by the key itself */
    bool used;        /* the condition has narrowed something */
    size_t most;
    sm_key_range *ranges;
    size_t range_count;
    size_t ended_at; /* part that ended the ranges; parts.count: none did */
    sm_plan_step *steps;
    sm_key_plan *plan;
} sm_planner;

static inline const sm_domain *sm_planner_domain(const sm_planner *p, int field)
{
    return &p->facts.domains[field];
}

static inline sm_type sm_planner_type(const sm_planner *p, int field)
{
    return p->key.context->schema->fields[field].type;
}

static inline sm_status sm_planner_no_memory(const sm_planner *p, sm_error *err)
{
    return sm_key_fail_memory(&p->key, err);
}

/* ---- branches and parts that go on (keyplan_use.c) ------------------------------------------- */

sm_status sm_branch_append(sm_planner *p, sm_branch *b, sm_bytes bytes, sm_error *err)
    SM_MUST_CHECK;
/* A copy that grows on its own. */
sm_status sm_branch_fork(sm_planner *p, const sm_branch *from, sm_branch *out, sm_error *err)
    SM_MUST_CHECK;
/* *done is false when the part cannot be used; the branches are then as before. */
sm_status sm_planner_use(sm_planner *p, size_t part, bool *done, sm_error *err) SM_MUST_CHECK;
/* The part's bytes sort as the times of a field do, to the millisecond. */
bool sm_planner_in_time_order(const sm_planner *p, const sm_plan_part *part);

/* ---- proofs and words (keyplan_prove.c) ------------------------------------------------------ */

/* Terms of this field that these forms of its domain say in full hold in all ranges. */
void sm_planner_prove(sm_planner *p, int field, unsigned forms);
void sm_planner_prove_all(sm_planner *p, int field);
/* Bytes within the bounds come only from numbers of the field's range. */
bool sm_planner_says_range(sm_planner *p, const sm_plan_part *part, bool wide);
/* No two values of the field, one in its set and one outside, have equal bytes. */
bool sm_planner_says_set(sm_planner *p, const sm_plan_part *part);
/* What a step did with its part. */
sm_status sm_planner_say(sm_planner *p, size_t part, sm_error *err, const char *fmt, ...)
    SM_PRINTF(4, 5);
/* Spells the steps; and why the plan is full. */
sm_status sm_planner_spell(sm_planner *p, sm_error *err) SM_MUST_CHECK;
/* exact, residual and its text. */
sm_status sm_planner_residual(sm_planner *p, const sm_node *key, sm_error *err) SM_MUST_CHECK;

#endif
