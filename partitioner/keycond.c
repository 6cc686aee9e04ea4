/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions: comparisons, in, is null, and the text tests. A null operand makes each of them
 * false, not only unknown: `not (x = "a")` is true where x is null. Text compares by unsigned
 * bytes. */
#include "partitioner/keyfn.h"

#include <stdlib.h>

/* ---- three-way comparisons ------------------------------------------------------------------- */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_reals(double a, double b)
{
    return (a > b) - (a < b);
}

/* Exact, although neither type holds all values of the other. */
static int compare_int_real(int64_t a, double b)
{
    if (b >= 0x1p63) {
        return -1;
    }
    if (b < -0x1p63) {
        return 1;
    }
    const int64_t whole = (int64_t)b;
    return a != whole ? compare_numbers(a, whole) : compare_reals(0.0, b - (double)whole);
}

/* k[0]: the outcomes that are true. */
static sm_reject judge(const sm_op *op, int order, sm_value *out)
{
    const int outcome = order < 0   ? SM_COMPARE_LESS
                        : order > 0 ? SM_COMPARE_GREATER
                                    : SM_COMPARE_EQUAL;
    return sm_out_number(out, (op->k[0] & outcome) != 0);
}

static sm_reject run_compare_bytes(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *a = sm_arg(ev, op, 0);
    const sm_value *b = sm_arg(ev, op, 1);
    return a->is_null || b->is_null ? sm_out_number(out, 0)
                                    : judge(op, sm_bytes_compare(a->bytes, b->bytes), out);
}

static sm_reject run_compare_numbers(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *a = sm_arg(ev, op, 0);
    const sm_value *b = sm_arg(ev, op, 1);
    return a->is_null || b->is_null ? sm_out_number(out, 0)
                                    : judge(op, compare_numbers(a->number, b->number), out);
}

static sm_reject run_compare_reals(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *a = sm_arg(ev, op, 0);
    const sm_value *b = sm_arg(ev, op, 1);
    return a->is_null || b->is_null ? sm_out_number(out, 0)
                                    : judge(op, compare_reals(a->real, b->real), out);
}

static sm_reject run_compare_int_real(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *a = sm_arg(ev, op, 0);
    const sm_value *b = sm_arg(ev, op, 1);
    return a->is_null || b->is_null ? sm_out_number(out, 0)
                                    : judge(op, compare_int_real(a->number, b->real), out);
}

static sm_reject run_compare_real_int(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *a = sm_arg(ev, op, 0);
    const sm_value *b = sm_arg(ev, op, 1);
    return a->is_null || b->is_null ? sm_out_number(out, 0)
                                    : judge(op, -compare_int_real(b->number, a->real), out);
}

/* ---- typing comparisons ---------------------------------------------------------------------- */

static bool has_bytes(const sm_node *node)
{
    return node->type == SM_TYPE_TEXT || node->type == SM_TYPE_BYTES;
}

sm_status sm_key_time_literal(const sm_keycompile *c, sm_node *node, sm_error *err)
{
    static const char *const FORMATS[] = {"rfc3339", "%Y-%m-%d"};
    const sm_time_options utc = {.pivot = 1969};
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; i++) {
        const sm_time_format *format = NULL;
        const sm_status st =
            sm_time_compile(c->context->arena, sm_bytes_text(FORMATS[i]), &utc, &format, err);
        if (st != SM_OK) {
            return st;
        }
        sm_time_result result = {0};
        if (sm_time_parse(format, node->text, &result) == SM_REJECT_NONE) {
            node->kind = SM_NODE_TIME;
            node->number = result.ms;
            sm_key_result(node, SM_TYPE_TIME, 0, 0);
            return SM_OK;
        }
    }
    return sm_key_fail(c, node->at, err,
                       "expected a time such as \"2021-09-12T12:00:00Z\" or \"2021-09-12\" (UTC)");
}

/* A text literal beside a time is a time. */
static sm_status read_time_beside(const sm_keycompile *c, const sm_node *other, sm_node *node,
                                  sm_error *err)
{
    return other->type == SM_TYPE_TIME && node->kind == SM_NODE_TEXT
               ? sm_key_time_literal(c, node, err)
               : SM_OK;
}

static sm_op_run comparison_of(const sm_node *a, const sm_node *b)
{
    if (has_bytes(a) && has_bytes(b)) {
        return run_compare_bytes;
    }
    if (a->type == b->type) {
        return a->type == SM_TYPE_DECIMAL ? run_compare_reals
               : a->type == SM_TYPE_BOOL  ? NULL
                                          : run_compare_numbers;
    }
    if (a->type == SM_TYPE_INT && b->type == SM_TYPE_DECIMAL) {
        return run_compare_int_real;
    }
    return a->type == SM_TYPE_DECIMAL && b->type == SM_TYPE_INT ? run_compare_real_int : NULL;
}

static sm_status incomparable(const sm_keycompile *c, const sm_node *a, const sm_node *b,
                              sm_error *err)
{
    const bool text_number = has_bytes(a) != has_bytes(b);
    return sm_key_fail(c, b->at, err, "%s cannot be compared with %s%s",
                       sm_key_type_phrase(a->type), sm_key_type_phrase(b->type),
                       text_number ? "; declare the type of the field in input.fields" : "");
}

static sm_status type_comparison(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_node *a = node->child[0];
    sm_node *b = node->child[1];
    sm_status st = sm_key_type_node(c, a, err);
    if (st == SM_OK) {
        st = sm_key_type_node(c, b, err);
    }
    if (st == SM_OK) {
        st = read_time_beside(c, a, b, err);
    }
    if (st == SM_OK) {
        st = read_time_beside(c, b, a, err);
    }
    if (st != SM_OK) {
        return st;
    }
    node->run = comparison_of(a, b);
    node->k[0] = node->compare;
    node->args = node->child;
    node->arg_count = 2;
    node->field = a->field >= 0 ? a->field : b->field;
    return node->run != NULL ? SM_OK : incomparable(c, a, b, err);
}

/* ---- in -------------------------------------------------------------------------------------- */

typedef struct members {
    size_t count;
    int (*compare)(const void *a, const void *b);
    sm_value value[]; /* sorted */
} members;

static int order_bytes(const void *a, const void *b)
{
    return sm_bytes_compare(((const sm_value *)a)->bytes, ((const sm_value *)b)->bytes);
}

static int order_numbers(const void *a, const void *b)
{
    return compare_numbers(((const sm_value *)a)->number, ((const sm_value *)b)->number);
}

static int order_reals(const void *a, const void *b)
{
    return compare_reals(((const sm_value *)a)->real, ((const sm_value *)b)->real);
}

/* k[0]: "not in". */
static sm_reject run_in(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const members *m = op->data;
    const sm_value *v = sm_arg(ev, op, 0);
    if (v->is_null) {
        return sm_out_number(out, 0);
    }
    const bool found = bsearch(v, m->value, m->count, sizeof *v, m->compare) != NULL;
    return sm_out_number(out, found != (op->k[0] != 0));
}

static sm_status read_member(sm_keycompile *c, const sm_node *value, sm_node *literal,
                             sm_value *out, sm_error *err)
{
    const bool known = literal->kind == SM_NODE_TEXT || literal->kind == SM_NODE_INT ||
                       literal->kind == SM_NODE_DECIMAL;
    if (!known) {
        return sm_key_fail(c, literal->at, err, "a list holds texts and numbers, written out");
    }
    sm_status st = sm_key_type_node(c, literal, err);
    if (st == SM_OK) {
        st = read_time_beside(c, value, literal, err);
    }
    if (st != SM_OK) {
        return st;
    }
    const bool widened = value->type == SM_TYPE_DECIMAL && literal->type == SM_TYPE_INT;
    const bool same = value->type == literal->type || (has_bytes(value) && has_bytes(literal));
    if (!same && !widened) {
        return incomparable(c, value, literal, err);
    }
    *out = (sm_value){.number = literal->number,
                      .real = widened ? (double)literal->number : literal->real};
    if (has_bytes(literal)) {
        out->bytes = literal->text;
    }
    return SM_OK;
}

static sm_status type_in(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_node *value = node->child[0];
    const sm_node *list = node->child[1];
    sm_status st = sm_key_type_node(c, node->child[0], err);
    if (st != SM_OK) {
        return st;
    }
    const size_t size = sizeof(members) + list->child_count * sizeof(sm_value);
    members *m = sm_arena_get(c->context->arena, size);
    if (m == NULL) {
        return sm_key_fail_memory(c, err);
    }
    m->count = list->child_count;
    m->compare = has_bytes(value)                 ? order_bytes
                 : value->type == SM_TYPE_DECIMAL ? order_reals
                                                  : order_numbers;
    for (size_t i = 0; i < m->count; i++) {
        st = read_member(c, value, list->child[i], &m->value[i], err);
        if (st != SM_OK) {
            return st;
        }
    }
    qsort(m->value, m->count, sizeof m->value[0], m->compare);
    node->run = run_in;
    node->data = m;
    node->k[0] = node->negated;
    node->args = node->child;
    node->arg_count = 1;
    node->field = value->field;
    return SM_OK;
}

/* ---- is null --------------------------------------------------------------------------------- */

static sm_reject run_is_null(sm_eval *ev, const sm_op *op, sm_value *out)
{
    return sm_out_number(out, sm_arg(ev, op, 0)->is_null != (op->k[0] != 0));
}

static sm_status type_is_null(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = sm_key_type_node(c, node->child[0], err);
    node->run = run_is_null;
    node->k[0] = node->negated;
    node->args = node->child;
    node->arg_count = 1;
    node->field = node->child[0]->field;
    return st;
}

sm_status sm_key_type_condition(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_key_result(node, SM_TYPE_BOOL, 0, 0);
    if (node->kind == SM_NODE_COMPARE) {
        return type_comparison(c, node, err);
    }
    return node->kind == SM_NODE_IN ? type_in(c, node, err) : type_is_null(c, node, err);
}

/* ---- text tests ------------------------------------------------------------------------------ */

static sm_reject run_starts_with(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    const sm_bytes *what = op->data;
    return sm_out_number(out,
                         !v->is_null && v->bytes.len >= what->len &&
                             (what->len == 0 || memcmp(v->bytes.data, what->data, what->len) == 0));
}

static sm_reject run_ends_with(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    const sm_bytes *what = op->data;
    return sm_out_number(out,
                         !v->is_null && v->bytes.len >= what->len &&
                             (what->len == 0 || memcmp(v->bytes.data + (v->bytes.len - what->len),
                                                       what->data, what->len) == 0));
}

static sm_reject run_contains(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    const sm_bytes *what = op->data;
    return sm_out_number(
        out, !v->is_null && (what->len == 0 ||
                             (v->bytes.len >= what->len &&
                              memmem(v->bytes.data, v->bytes.len, what->data, what->len) != NULL)));
}

static sm_status bind_test(sm_keycompile *c, sm_node *node, sm_op_run run, sm_error *err)
{
    sm_bytes *what = sm_arena_get(c->context->arena, sizeof *what);
    if (what == NULL) {
        return sm_key_fail_memory(c, err);
    }
    *what = sm_key_const(node, "what")->text;
    sm_key_result(node, SM_TYPE_BOOL, 0, 0);
    node->run = run;
    node->data = what;
    return SM_OK;
}

sm_status sm_bind_starts_with(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_test(c, node, run_starts_with, err);
}

sm_status sm_bind_ends_with(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_test(c, node, run_ends_with, err);
}

sm_status sm_bind_contains(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_test(c, node, run_contains, err);
}
