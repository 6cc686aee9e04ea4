/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranges of a plan prove of its condition, what is left to test, and the words for people.
 */
#include "partitioner/keyplanner.h"

#include <stdarg.h>
#include <stdio.h>

enum { STEP_ROOM = 160 };

/* ---- proofs ---------------------------------------------------------------------------------- */

static bool differs(sm_planner *p, const sm_node *node, int64_t a, int64_t b)
{
    const sm_value va = {.number = a};
    const sm_value vb = {.number = b};
    sm_value x = {0};
    sm_value y = {0};
    sm_eval_reset(p->ev);
    const sm_reject ra = sm_span_value(p->ev, node, &va, &x);
    const sm_reject rb = sm_span_value(p->ev, node, &vb, &y);
    return rb != SM_REJECT_NONE || (ra == SM_REJECT_NONE && !sm_bytes_equal(x.bytes, y.bytes));
}

/* The values just outside the range become other bytes than those at its ends. */
static bool edges_differ(sm_planner *p, const sm_plan_part *part)
{
    const sm_domain *d = sm_planner_domain(p, part->field);
    return (d->low == INT64_MIN || differs(p, part->node, d->low, d->low - 1)) &&
           (d->high == INT64_MAX || differs(p, part->node, d->high, d->high + 1));
}

/* Bytes within the bounds come only from numbers of the field's range. */
bool sm_planner_says_range(sm_planner *p, const sm_plan_part *part, bool wide)
{
    const sm_domain *d = sm_planner_domain(p, part->field);
    if (!p->settled || wide) {
        return false;
    }
    if (part->kind == SM_CLASS_FORMAT) {
        return sm_format_read(sm_key_const(part->node, "pattern")->text).sorts &&
               sm_format_calm(part->node, d->low) && sm_format_calm(part->node, d->high) &&
               edges_differ(p, part);
    }
    return sm_planner_type(p, part->field) == SM_TYPE_DECIMAL
               ? part->injective
               : part->injective || edges_differ(p, part);
}

void sm_planner_prove(sm_planner *p, int field, unsigned forms)
{
    for (size_t i = 0; i < p->facts.term_count; i++) {
        sm_plan_term *t = &p->facts.terms[i];
        t->proved |= t->field == field && (t->caught & forms) != 0;
    }
}

void sm_planner_prove_all(sm_planner *p, int field)
{
    for (size_t i = 0; i < p->facts.term_count; i++) {
        p->facts.terms[i].proved |= p->facts.terms[i].field == field;
    }
}

/* The numbers beside each one of the set have other bytes, or belong to the set. */
static bool neighbours_differ(sm_planner *p, const sm_node *node, const sm_domain *d)
{
    for (size_t i = 0; i < d->count; i++) {
        const int64_t n = d->values[i].number;
        const bool first = n == INT64_MIN || (i > 0 && d->values[i - 1].number == n - 1);
        const bool last = n == INT64_MAX || (i + 1 < d->count && d->values[i + 1].number == n + 1);
        if ((!first && !differs(p, node, n, n - 1)) || (!last && !differs(p, node, n, n + 1))) {
            return false;
        }
    }
    return true;
}

bool sm_planner_says_set(sm_planner *p, const sm_plan_part *part)
{
    if (!p->settled || !part->settled_end || part->field < 0) {
        return false;
    }
    const sm_domain *d = sm_planner_domain(p, part->field);
    const bool steps = part->monotone && sm_planner_type(p, part->field) != SM_TYPE_DECIMAL;
    return d->is_set && (part->injective || (steps && neighbours_differ(p, part->node, d)));
}

/* ---- words ----------------------------------------------------------------------------------- */

sm_status sm_planner_say(sm_planner *p, size_t part, sm_error *err, const char *fmt, ...)
{
    char text[STEP_ROOM];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    p->steps[part].text = sm_arena_text(p->arena, text, strlen(text));
    return p->steps[part].text != NULL ? SM_OK : sm_planner_no_memory(p, err);
}

/* ---- results --------------------------------------------------------------------------------- */

/* A field that a key part rejects when it is null: `is not null` is then true of every row. */
static bool key_needs(const sm_node *node, int field)
{
    if (node->kind == SM_NODE_FIELD) {
        return node->strict && node->field == field;
    }
    const bool call = node->kind == SM_NODE_CALL || node->kind == SM_NODE_DEFAULT;
    sm_node *const *below = call ? node->args : node->child;
    const size_t count = call ? node->arg_count : node->child_count;
    for (size_t i = 0; i < count && !sm_node_is_literal(node); i++) {
        if (key_needs(below[i], field)) {
            return true;
        }
    }
    return false;
}

sm_status sm_planner_residual(sm_planner *p, const sm_node *key, sm_error *err)
{
    sm_keycompile *c = &p->condition;
    sm_node *all = NULL;
    sm_status st = sm_node_new(c, SM_NODE_AND, 0, &all, err);
    for (size_t i = 0; st == SM_OK && i < p->facts.term_count; i++) {
        sm_plan_term *t = &p->facts.terms[i];
        if (!t->proved && !(t->not_null && key_needs(key, t->field))) {
            st = sm_node_add(c, all, t->node, err);
        }
    }
    p->plan->exact = st == SM_OK && all->child_count == 0;
    if (st != SM_OK || p->plan->exact) {
        return st;
    }
    sm_node *root = all->child_count == 1 ? all->child[0] : all;
    all->type = SM_TYPE_BOOL;
    sm_expr *e = sm_arena_array(p->arena, 1, sizeof *e);
    if (e == NULL) {
        return sm_planner_no_memory(p, err);
    }
    *e = (sm_expr){.root = root, .use = SM_USE_CONDITION};
    st = sm_key_program(c, root, &e->program, err);
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    if (st == SM_OK) {
        st = sm_expr_canonical(e, c->context->schema, &text, err);
    }
    const char *copy = st == SM_OK ? sm_arena_text(p->arena, text.data, text.len) : NULL;
    p->plan->residual = e;
    p->plan->residual_text = sm_bytes_of(copy, text.len);
    sm_buf_free(&text);
    return st == SM_OK && copy == NULL ? sm_planner_no_memory(p, err) : st;
}

static sm_status print_rule(sm_planner *p, const sm_node *node, sm_bytes *out, sm_error *err)
{
    const sm_expr e = {.root = (sm_node *)node, .use = SM_USE_KEY};
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = sm_expr_canonical(&e, p->key.context->schema, &text, err);
    const char *copy = st == SM_OK ? sm_arena_text(p->arena, text.data, text.len) : NULL;
    *out = sm_bytes_of(copy, text.len);
    sm_buf_free(&text);
    return st == SM_OK && copy == NULL ? sm_planner_no_memory(p, err) : st;
}

static sm_status finish_steps(sm_planner *p, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < p->parts.count; i++) {
        st = print_rule(p, p->parts.items[i].node, &p->steps[i].rule, err);
        p->steps[i].text = p->steps[i].text != NULL ? p->steps[i].text : "not used";
    }
    p->plan->steps = p->steps;
    p->plan->step_count = p->parts.count;
    return st;
}

/* "caller and callee are not given" */
static sm_status name_missing(sm_planner *p, const sm_plan_part *part, sm_buf *out, sm_error *err)
{
    const sm_schema *schema = p->key.context->schema;
    size_t missing = 0;
    size_t seen = 0;
    sm_status st = SM_OK;
    for (size_t f = 0; f < schema->count; f++) {
        missing += part->foot.fields[f] && !p->facts.domains[f].given;
    }
    if (missing == 0) {
        return sm_buf_printf(out, err,
                             "what is asked says nothing about it that a range could use");
    }
    for (size_t f = 0; st == SM_OK && f < schema->count; f++) {
        if (part->foot.fields[f] && !p->facts.domains[f].given) {
            seen++;
            st = sm_buf_printf(out, err, "%s%s",
                               seen == 1         ? ""
                               : seen == missing ? " and "
                                                 : ", ",
                               schema->fields[f].name);
        }
    }
    return st == SM_OK ? sm_buf_printf(out, err, " %s not given", missing == 1 ? "is" : "are") : st;
}

static sm_status say_why_full(sm_planner *p, sm_error *err)
{
    const sm_plan_part *part = &p->parts.items[p->ended_at];
    sm_bytes rule = p->steps[p->ended_at].rule;
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = p->ended_at == 0 ? sm_buf_printf(&text, err, "the key begins with ")
                                    : sm_buf_printf(&text, err,
                                                    "the first of the key's parts that "
                                                    "vary is ");
    if (p->facts.term_count == 0) {
        sm_buf_clear(&text);
        st = sm_buf_printf(&text, err, "every row is asked for");
    } else if (st == SM_OK) {
        st = sm_buf_append(&text, rule.data, rule.len, err);
        if (st == SM_OK) {
            st = sm_buf_printf(&text, err, ", and ");
        }
        if (st == SM_OK) {
            st = name_missing(p, part, &text, err);
        }
    }
    p->plan->why_full = st == SM_OK ? sm_arena_text(p->arena, text.data, text.len) : NULL;
    sm_buf_free(&text);
    return st == SM_OK && p->plan->why_full == NULL ? sm_planner_no_memory(p, err) : st;
}

sm_status sm_planner_spell(sm_planner *p, sm_error *err)
{
    const sm_status st = finish_steps(p, err);
    return st == SM_OK && p->plan->full ? say_why_full(p, err) : st;
}
