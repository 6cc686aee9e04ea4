/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: joins the parts of a key from left to right into ranges of rows. What a condition
 * says is read in keydomain.c, what a part makes of it in keypart.c. */
#include "partitioner/keyplan.h"

#include "partitioner/keyplanner.h"
#include "partitioner/keyrange.h"

enum { MOST_RANGES = 100000 };

static const size_t EVAL_MAXIMUM = (size_t)1 << 26;

/* ---- ranges of numbers ----------------------------------------------------------------------- */

static sm_status span_of(sm_planner *p, const sm_plan_part *part, const sm_branch *b, sm_span *out,
                         sm_error *err)
{
    const sm_domain *d = sm_planner_domain(p, part->field);
    const sm_choice *c = &b->choices[p->slots[part->field]];
    if (part->kind == SM_CLASS_FORMAT) {
        const sm_label_query q = {.low = c->low, .high = c->high};
        return sm_span_of_format(p->arena, part->node, &q, out, err);
    }
    *out = (sm_span){.low = {.number = c->low, .real = d->real_low},
                     .high = {.number = c->high, .real = d->real_high}};
    return sm_span_through(p->arena, p->ev, part->node, out, err);
}

static sm_status put_range(sm_planner *p, const sm_branch *b, sm_bytes low, sm_bytes stop,
                           sm_error *err)
{
    sm_branch from;
    sm_status st = sm_branch_fork(p, b, &from, err);
    if (st == SM_OK) {
        st = sm_branch_append(p, &from, low, err);
    }
    p->ranges[p->range_count++] =
        (sm_key_range){.start = sm_bytes_of(from.head, from.len), .stop = stop, .lead = b->lead};
    return st;
}

/* The successor of head and bytes. */
static sm_status behind(sm_planner *p, const sm_branch *b, sm_bytes bytes, sm_bytes *out,
                        sm_error *err)
{
    sm_branch to;
    sm_status st = sm_branch_fork(p, b, &to, err);
    if (st == SM_OK) {
        st = sm_branch_append(p, &to, bytes, err);
    }
    return st == SM_OK ? sm_key_successor(p->arena, sm_bytes_of(to.head, to.len), out, err) : st;
}

static sm_status end_in_span(sm_planner *p, const sm_plan_part *part, const sm_branch *b,
                             bool *wide, sm_error *err)
{
    sm_span span;
    sm_bytes stop = {0};
    sm_status st = span_of(p, part, b, &span, err);
    *wide |= span.wide;
    if (st != SM_OK || span.none) {
        return st;
    }
    st = behind(p, b, span.high.bytes, &stop, err);
    return st == SM_OK ? put_range(p, b, span.low.bytes, stop, err) : st;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static sm_status ranges_new(sm_planner *p, sm_error *err)
{
    p->ranges = sm_arena_array(p->arena, p->now.count + 1, sizeof *p->ranges);
    return p->ranges != NULL ? SM_OK : sm_planner_no_memory(p, err);
}

static sm_status end_in_numbers(sm_planner *p, size_t i, sm_error *err)
{
    const sm_plan_part *part = &p->parts.items[i];
    bool wide = false;
    sm_status st = ranges_new(p, err);
    for (size_t b = 0; st == SM_OK && b < p->now.count; b++) {
        st = end_in_span(p, part, &p->now.items[b], &wide, err);
    }
    p->used = true;
    p->ended_at = i;
    if (st == SM_OK && sm_planner_says_range(p, part, wide)) {
        sm_planner_prove(p, part->field, SM_CAUGHT_RANGE);
    }
    return st == SM_OK ? sm_planner_say(p, i, err, "range on %s",
                                        p->key.context->schema->fields[part->field].name)
                       : st;
}

static sm_status end_in_texts(sm_planner *p, size_t i, sm_error *err)
{
    const sm_plan_part *part = &p->parts.items[i];
    sm_status st = ranges_new(p, err);
    for (size_t b = 0; st == SM_OK && b < p->now.count; b++) {
        sm_bytes stop = {0};
        sm_branch to;
        st = sm_branch_fork(p, &p->now.items[b], &to, err);
        if (st == SM_OK && part->end.len == 0) {
            st = sm_key_successor(p->arena, sm_bytes_of(to.head, to.len), &stop, err);
        } else if (st == SM_OK) {
            st = sm_branch_append(p, &to, part->end, err);
            stop = sm_bytes_of(to.head, to.len);
        }
        if (st == SM_OK) {
            st = put_range(p, &p->now.items[b], part->low, stop, err);
        }
    }
    p->used = true;
    p->ended_at = i;
    if (p->settled) {
        sm_planner_prove(p, part->field, part->says);
    }
    return st == SM_OK ? sm_planner_say(p, i, err, "beginning or range of %s",
                                        p->key.context->schema->fields[part->field].name)
                       : st;
}

static sm_status end_open(sm_planner *p, size_t i, sm_error *err)
{
    sm_status st = ranges_new(p, err);
    for (size_t b = 0; st == SM_OK && b < p->now.count; b++) {
        const sm_branch *from = &p->now.items[b];
        sm_bytes stop = {0};
        st = sm_key_successor(p->arena, sm_bytes_of(from->head, from->len), &stop, err);
        if (st == SM_OK) {
            st = put_range(p, from, (sm_bytes){0}, stop, err);
        }
    }
    p->ended_at = i;
    if (st == SM_OK && p->steps[i].text == NULL) {
        st = sm_planner_say(p, i, err, "not known: the ranges end here");
    }
    return st;
}

/* All parts are known: single rows. */
static sm_status end_in_rows(sm_planner *p, sm_error *err)
{
    sm_status st = ranges_new(p, err);
    for (size_t b = 0; st == SM_OK && b < p->now.count; b++) {
        const sm_branch *from = &p->now.items[b];
        sm_branch to;
        st = sm_branch_fork(p, from, &to, err);
        if (st == SM_OK) {
            st = sm_branch_append(p, &to, sm_bytes_of("", 1), err);
        }
        if (st == SM_OK) {
            st = put_range(p, from, (sm_bytes){0}, sm_bytes_of(to.head, to.len), err);
        }
    }
    p->ended_at = p->parts.count;
    return st;
}

/* ---- left to right --------------------------------------------------------------------------- */

static sm_status end_at(sm_planner *p, size_t i, sm_error *err)
{
    const sm_plan_part *part = &p->parts.items[i];
    switch (part->kind) {
    case SM_CLASS_NUMBERS: return end_in_numbers(p, i, err);
    case SM_CLASS_FORMAT:
        return sm_format_read(sm_key_const(part->node, "pattern")->text).sorts
                   ? end_in_numbers(p, i, err)
                   : end_open(p, i, err);
    case SM_CLASS_TEXTS: return end_in_texts(p, i, err);
    default: return end_open(p, i, err);
    }
}

static void count_lead(sm_planner *p)
{
    for (size_t b = 0; b < p->now.count; b++) {
        p->now.items[b].lead = p->now.items[b].len;
    }
}

static sm_status go_through(sm_planner *p, sm_error *err)
{
    bool leading = true;
    for (size_t i = 0; i < p->parts.count; i++) {
        bool done = false;
        sm_status st = sm_planner_use(p, i, &done, err);
        if (st != SM_OK || !done) {
            return st == SM_OK ? end_at(p, i, err) : st;
        }
        const sm_plan_part *part = &p->parts.items[i];
        leading &= part->scatters || part->kind == SM_CLASS_FIXED;
        if (leading && part->scatters) {
            count_lead(p);
        }
        p->settled &= part->settled_end;
    }
    return end_in_rows(p, err);
}

/* ---- results --------------------------------------------------------------------------------- */

static void order_of_ranges(sm_planner *p)
{
    if (p->ended_at == p->parts.count || !p->settled ||
        !sm_planner_in_time_order(p, &p->parts.items[p->ended_at])) {
        return;
    }
    const sm_plan_part *part = &p->parts.items[p->ended_at];
    p->plan->time_field = part->field;
    p->plan->time_order = part->reversed ? SM_TIME_NEWEST_FIRST : SM_TIME_OLDEST_FIRST;
}

static void one_range(sm_planner *p)
{
    if (p->range_count > 1 && p->options != NULL && p->options->by_lead) {
        return;
    }
    p->plan->fan_out = 1;
    p->ranges[0] = (sm_key_range){0};
    p->range_count = 1;
}

static sm_status finish(sm_planner *p, const sm_node *key, sm_error *err)
{
    sm_key_plan *plan = p->plan;
    bool overlapped = false;
    order_of_ranges(p);
    const bool pieces = p->range_count > 1 && plan->time_order != SM_TIME_UNORDERED;
    if (!p->used && !p->facts.impossible && !pieces && p->ended_at < p->parts.count) {
        plan->full = true;
        one_range(p);
    }
    plan->count = sm_key_ranges_join(p->ranges, p->range_count,
                                     plan->time_order == SM_TIME_UNORDERED, &overlapped);
    plan->ranges = p->ranges;
    if (overlapped) {
        plan->time_order = SM_TIME_UNORDERED;
        plan->time_field = -1;
    }
    const sm_status st = sm_planner_spell(p, err);
    if (st == SM_OK && plan->count > 0) {
        return sm_planner_residual(p, key, err);
    }
    plan->exact = true;
    return st;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* A slot for each field of the key of which the condition knows a set or a range. */
static sm_status make_slots(sm_planner *p, sm_error *err)
{
    const size_t n = p->key.context->schema->count;
    p->slots = sm_arena_array(p->arena, n + 1, sizeof *p->slots);
    p->slot_fields = sm_arena_array(p->arena, n + 1, sizeof *p->slot_fields);
    p->values = sm_arena_array(p->arena, n + 1, sizeof *p->values);
    if (p->slots == NULL || p->slot_fields == NULL || p->values == NULL) {
        return sm_planner_no_memory(p, err);
    }
    for (size_t f = 0; f < n; f++) {
        bool in_key = false;
        for (size_t i = 0; i < p->parts.count && !in_key; i++) {
            in_key = p->parts.items[i].foot.fields[f];
        }
        const bool wanted = in_key && (p->facts.domains[f].is_set || p->facts.domains[f].ranged);
        p->values[f].is_null = true;
        p->slots[f] = wanted ? (int)p->slot_count : -1;
        if (wanted) {
            p->slot_fields[p->slot_count++] = (int)f;
        }
    }
    return SM_OK;
}

static sm_choice whole_range(const sm_planner *p, int field)
{
    const sm_domain *d = sm_planner_domain(p, field);
    return (sm_choice){SIZE_MAX, d->low, d->high};
}

static sm_status first_branch(sm_planner *p, sm_error *err)
{
    p->now.items = sm_arena_array(p->arena, 1, sizeof *p->now.items);
    sm_choice *choices = sm_arena_array(p->arena, p->slot_count + 1, sizeof *choices);
    if (p->now.items == NULL || choices == NULL) {
        return sm_planner_no_memory(p, err);
    }
    for (size_t s = 0; s < p->slot_count; s++) {
        choices[s] = whole_range(p, p->slot_fields[s]);
    }
    p->now.items[0].choices = choices;
    p->now.count = p->facts.impossible ? 0 : 1;
    return SM_OK;
}

static sm_status plan_with(sm_planner *p, const sm_expr *key, const sm_expr *condition,
                           sm_error *err)
{
    sm_node *root = condition == NULL ? NULL : condition->root;
    sm_status st = sm_condition_read(&p->condition, p->ev, root, &p->facts, err);
    if (st == SM_OK) {
        st = sm_plan_parts_read(&p->key, p->ev, key->root, &p->facts, &p->parts, err);
    }
    if (st == SM_OK) {
        st = make_slots(p, err);
    }
    p->steps = sm_arena_array(p->arena, p->parts.count + 1, sizeof *p->steps);
    if (st == SM_OK && p->steps == NULL) {
        st = sm_planner_no_memory(p, err);
    }
    if (st == SM_OK) {
        st = first_branch(p, err);
    }
    if (st == SM_OK) {
        st = go_through(p, err);
    }
    return st == SM_OK ? finish(p, key->root, err) : st;
}

sm_status sm_key_plan_make(const sm_expr_context *context, const sm_expr *key,
                           const sm_expr *condition, const sm_plan_options *options,
                           const sm_key_plan **out, sm_error *err)
{
    sm_planner p = {.key = {.context = context, .use = SM_USE_KEY},
                    .condition = {.context = context, .use = SM_USE_CONDITION},
                    .arena = context->arena,
                    .options = options,
                    .settled = true};
    *out = NULL;
    p.most = options == NULL || options->most_ranges == 0 ? MOST_RANGES : options->most_ranges;
    p.plan = sm_arena_array(p.arena, 1, sizeof *p.plan);
    if (p.plan == NULL) {
        return sm_planner_no_memory(&p, err);
    }
    p.plan->time_field = -1;
    p.plan->fan_out = 1;
    sm_status st = sm_eval_new(EVAL_MAXIMUM, &p.ev, err);
    if (st == SM_OK) {
        st = plan_with(&p, key, condition, err);
    }
    sm_eval_free(p.ev);
    *out = st == SM_OK ? p.plan : NULL;
    return st;
}
