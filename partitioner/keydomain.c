/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a condition for the planner. Nothing here knows keys. */
#include "partitioner/keydomain.h"

#include "partitioner/keybound.h"
#include "partitioner/keyfn.h"

#include <float.h>
#include <stdlib.h>

static bool has_bytes(sm_type type)
{
    return type == SM_TYPE_TEXT || type == SM_TYPE_BYTES;
}

/* ---- terms ----------------------------------------------------------------------------------- */

static size_t count_terms(const sm_node *node)
{
    size_t count = 0;
    if (node->kind != SM_NODE_AND) {
        return 1;
    }
    for (size_t i = 0; i < node->child_count; i++) {
        count += count_terms(node->child[i]);
    }
    return count;
}

static void list_terms(sm_node *node, sm_condition_facts *out)
{
    if (node->kind != SM_NODE_AND) {
        out->terms[out->term_count++] = (sm_plan_term){.node = node, .field = -1};
        return;
    }
    for (size_t i = 0; i < node->child_count; i++) {
        list_terms(node->child[i], out);
    }
}

/* A comparison of a field with a literal, turned so that the field stands left. */
typedef struct sm_comparison {
    const sm_node *field, *literal;
    int compare;
} sm_comparison;

static bool read_comparison(const sm_node *node, sm_comparison *out)
{
    if (node->kind != SM_NODE_COMPARE) {
        return false;
    }
    const sm_node *a = node->child[0];
    const sm_node *b = node->child[1];
    const int c = node->compare;
    if (a->kind == SM_NODE_FIELD && sm_node_is_literal(b)) {
        *out = (sm_comparison){a, b, c};
        return true;
    }
    const int turned = (c & SM_COMPARE_EQUAL) | ((c & SM_COMPARE_LESS) ? SM_COMPARE_GREATER : 0) |
                       ((c & SM_COMPARE_GREATER) ? SM_COMPARE_LESS : 0);
    *out = (sm_comparison){b, a, turned};
    return b->kind == SM_NODE_FIELD && sm_node_is_literal(a);
}

/* ---- sets ------------------------------------------------------------------------------------ */

typedef struct value_list {
    sm_value *items; /* NULL: only count */
    size_t count;
} value_list;

static void put_value(value_list *list, sm_value v)
{
    if (list->items != NULL) {
        list->items[list->count] = v;
    }
    list->count++;
}

/* The values of this type that may equal the literal: both zeros, none for 5.5 as an int. */
static void put_literal(value_list *list, sm_type type, const sm_node *literal)
{
    sm_value v = {.number = literal->number, .real = literal->real};
    const bool real = literal->kind == SM_NODE_DECIMAL;
    if (has_bytes(type)) {
        v.bytes = literal->text;
    } else if (type == SM_TYPE_DECIMAL) {
        v.real = real ? literal->real : (double)literal->number;
        if (v.real == 0) {
            put_value(list, (sm_value){.real = -0.0});
            v.real = 0.0;
        }
    } else if (real) {
        if (!(literal->real >= -0x1p63 && literal->real < 0x1p63)) {
            return;
        }
        v.number = (int64_t)literal->real;
    }
    put_value(list, v);
}

/* Appends the values of one field that alone may meet the term; false when they are not few. */
static bool list_values(const sm_node *node, int field, value_list *list)
{
    sm_comparison k;
    if (read_comparison(node, &k) && k.compare == SM_COMPARE_EQUAL) {
        put_literal(list, k.field->type, k.literal);
        return k.field->field == field;
    }
    if (node->kind == SM_NODE_IN && !node->negated) {
        const sm_node *x = node->child[0];
        for (size_t i = 0; i < node->child[1]->child_count; i++) {
            put_literal(list, x->type, node->child[1]->child[i]);
        }
        return x->kind == SM_NODE_FIELD && x->field == field;
    }
    if (node->kind == SM_NODE_IS_NULL && !node->negated) {
        put_value(list, (sm_value){.is_null = true});
        return node->child[0]->kind == SM_NODE_FIELD && node->child[0]->field == field;
    }
    if (node->kind != SM_NODE_OR) {
        return false;
    }
    for (size_t i = 0; i < node->child_count; i++) {
        if (!list_values(node->child[i], field, list)) {
            return false;
        }
    }
    return true;
}

static sm_status try_set(const sm_keycompile *c, const sm_plan_term *term, sm_domain *d,
                         sm_error *err)
{
    value_list list = {NULL, 0};
    if (!list_values(term->node, term->field, &list) || (d->is_set && d->count <= list.count)) {
        return SM_OK;
    }
    sm_value *items = sm_arena_array(c->context->arena, list.count + 1, sizeof *items);
    if (items == NULL) {
        return sm_key_fail_memory(c, err);
    }
    list = (value_list){items, 0};
    (void)list_values(term->node, term->field, &list);
    d->is_set = true;
    d->values = items;
    d->count = list.count;
    return SM_OK;
}

/* Records hold finite numbers. */
#define HUGE_REAL DBL_MAX

/* ---- ranges ---------------------------------------------------------------------------------- */

static void raise_low(sm_domain *d, int64_t low)
{
    d->low = low > d->low ? low : d->low;
}

static void lower_high(sm_domain *d, int64_t high)
{
    d->high = high < d->high ? high : d->high;
}

static void empty_numbers(sm_domain *d)
{
    d->low = 1;
    d->high = 0;
}

static void bound_number(sm_domain *d, int compare, int64_t n)
{
    const bool equal = (compare & SM_COMPARE_EQUAL) != 0;
    if (compare & SM_COMPARE_GREATER) {
        if (!equal && n == INT64_MAX) {
            empty_numbers(d);
        } else {
            raise_low(d, equal ? n : n + 1);
        }
    } else if (!equal && n == INT64_MIN) {
        empty_numbers(d);
    } else {
        lower_high(d, equal ? n : n - 1);
    }
}

/* x is within int64. */
static double round_to(double x, bool up)
{
    const double whole = (double)(int64_t)x;
    return up ? whole + (whole < x) : whole - (whole > x);
}

/* The next double after x in that direction; infinities stay. */
static double next_real(double x, bool up)
{
    int64_t bits = 0;
    if (x == 0) {
        return up ? DBL_TRUE_MIN : -DBL_TRUE_MIN;
    }
    if (x < -DBL_MAX || x > DBL_MAX) {
        return x;
    }
    memcpy(&bits, &x, sizeof bits); /* growing bits are a growing distance from 0 */
    bits += up == (x > 0) ? 1 : -1;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

/* A whole number against a decimal: the next whole number on the right side of it. */
static void bound_number_real(sm_domain *d, int compare, double x)
{
    const bool greater = (compare & SM_COMPARE_GREATER) != 0;
    if (x >= 0x1p63 || x < -0x1p63) {
        if (greater == (x > 0)) {
            empty_numbers(d);
        }
        return;
    }
    const double whole = round_to(x, greater);
    const int inclusive = whole != x ? compare | SM_COMPARE_EQUAL : compare;
    if (whole >= 0x1p63) {
        empty_numbers(d);
        return;
    }
    bound_number(d, inclusive, (int64_t)whole);
}

static void bound_real(sm_domain *d, int compare, double x)
{
    const bool equal = (compare & SM_COMPARE_EQUAL) != 0;
    if (compare & SM_COMPARE_GREATER) {
        const double low = equal ? x : next_real(x, true);
        d->real_low = low > d->real_low ? low : d->real_low;
    } else {
        const double high = equal ? x : next_real(x, false);
        d->real_high = high < d->real_high ? high : d->real_high;
    }
}

/* False when the bound had to be made wider than the term. */
static bool bound_real_int(sm_domain *d, int compare, int64_t n)
{
    const double x = (double)n;
    const bool same = x < 0x1p63 && (int64_t)x == n;
    bound_real(d, same ? compare : compare | SM_COMPARE_EQUAL, x);
    return same;
}

static void raise_text_low(sm_domain *d, sm_bytes low)
{
    d->text_low = sm_bytes_compare(low, d->text_low) > 0 ? low : d->text_low;
}

static void lower_text_high(sm_domain *d, sm_bytes high)
{
    if (d->text_high.len == 0 || sm_bytes_compare(high, d->text_high) < 0) {
        d->text_high = high;
    }
}

/* The least text behind t: t and a 00. */
static sm_status behind(const sm_keycompile *c, sm_bytes t, sm_bytes *out, sm_error *err)
{
    const char *copy =
        sm_arena_text(c->context->arena, t.len == 0 ? "" : (const char *)t.data, t.len);
    *out = sm_bytes_of(copy, t.len + 1);
    return copy != NULL ? SM_OK : sm_key_fail_memory(c, err);
}

static sm_status bound_text(const sm_keycompile *c, sm_domain *d, int compare, sm_bytes t,
                            sm_error *err)
{
    const bool equal = (compare & SM_COMPARE_EQUAL) != 0;
    const bool greater = (compare & SM_COMPARE_GREATER) != 0;
    if (equal != greater) { /* > and <= have their bound behind t */
        const sm_status st = behind(c, t, &t, err);
        if (st != SM_OK) {
            return st;
        }
    }
    if (greater) {
        raise_text_low(d, t);
    } else if (t.len == 0) { /* nothing is before the empty text */
        d->is_set = true;
        d->count = 0;
    } else {
        lower_text_high(d, t);
    }
    return SM_OK;
}

static sm_status bound_comparison(const sm_keycompile *c, sm_plan_term *term,
                                  const sm_comparison *k, sm_domain *d, sm_error *err)
{
    const sm_type type = k->field->type;
    term->caught = SM_CAUGHT_RANGE;
    d->ranged = true;
    if (has_bytes(type)) {
        return bound_text(c, d, k->compare, k->literal->text, err);
    }
    const bool real = k->literal->kind == SM_NODE_DECIMAL;
    if (type == SM_TYPE_DECIMAL && real) {
        bound_real(d, k->compare, k->literal->real);
    } else if (type == SM_TYPE_DECIMAL) {
        term->caught = bound_real_int(d, k->compare, k->literal->number) ? SM_CAUGHT_RANGE : 0;
    } else if (real) {
        bound_number_real(d, k->compare, k->literal->real);
    } else {
        bound_number(d, k->compare, k->literal->number);
    }
    return SM_OK;
}

static sm_status bound_prefix(const sm_keycompile *c, sm_plan_term *term, sm_domain *d,
                              sm_error *err)
{
    const sm_bytes what = sm_key_const(term->node, "what")->text;
    sm_bytes high = {0};
    const sm_status st = sm_key_successor(c->context->arena, what, &high, err);
    if (st != SM_OK || what.len == 0) {
        return st;
    }
    term->caught = SM_CAUGHT_RANGE;
    d->ranged = true;
    raise_text_low(d, what);
    if (high.len != 0) {
        lower_text_high(d, high);
    }
    d->prefix = what.len > d->prefix.len ? what : d->prefix;
    return SM_OK;
}

static bool ends_with(sm_bytes x, sm_bytes suffix)
{
    return x.len >= suffix.len &&
           sm_bytes_equal(sm_bytes_of(x.data + (x.len - suffix.len), suffix.len), suffix);
}

static sm_status read_range(const sm_keycompile *c, sm_plan_term *term, sm_domain *d, sm_error *err)
{
    sm_comparison k;
    sm_node *node = term->node;
    term->not_null =
        node->kind == SM_NODE_IS_NULL && node->negated && node->child[0]->kind == SM_NODE_FIELD;
    if (read_comparison(node, &k)) {
        const bool both = (k.compare & SM_COMPARE_LESS) && (k.compare & SM_COMPARE_GREATER);
        return both || k.compare == SM_COMPARE_EQUAL ? SM_OK
                                                     : bound_comparison(c, term, &k, d, err);
    }
    if (node->kind != SM_NODE_CALL || node->arg_count != 1 ||
        node->args[0]->kind != SM_NODE_FIELD) {
        return SM_OK;
    }
    if (sm_node_calls(node, "starts_with")) {
        return bound_prefix(c, term, d, err);
    }
    if (sm_node_calls(node, "ends_with")) {
        const sm_bytes what = sm_key_const(node, "what")->text;
        d->suffix = what.len > d->suffix.len ? what : d->suffix;
    }
    return SM_OK;
}

/* All texts from low to before high begin with what both begin with, and with one byte more where
 * high is the next value of that byte alone. */
static void derive_prefix(sm_domain *d)
{
    const sm_bytes low = d->text_low;
    const sm_bytes high = d->text_high;
    size_t n = 0;
    while (n < low.len && n < high.len && low.data[n] == high.data[n]) {
        n++;
    }
    n += n < low.len && high.len == n + 1 && high.data[n] == low.data[n] + 1;
    d->prefix = n > d->prefix.len ? sm_bytes_of(low.data, n) : d->prefix;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static sm_domain everything(void)
{
    return (sm_domain){
        .low = INT64_MIN, .high = INT64_MAX, .real_low = -HUGE_REAL, .real_high = HUGE_REAL};
}

/* A range of one value is a set of it; one of none an empty set. */
static sm_status settle_range(const sm_keycompile *c, sm_type type, sm_domain *d, sm_error *err)
{
    const bool text = has_bytes(type);
    const bool real = type == SM_TYPE_DECIMAL;
    if (d->is_set || !d->ranged) {
        return SM_OK;
    }
    if (text) {
        derive_prefix(d);
        d->is_set = d->text_high.len != 0 && sm_bytes_compare(d->text_low, d->text_high) >= 0;
        return SM_OK;
    }
    d->is_set = real ? d->real_low > d->real_high : d->low > d->high;
    const bool one = real ? d->real_low == d->real_high : d->low == d->high;
    if (!one) {
        return SM_OK;
    }
    d->values = sm_arena_array(c->context->arena, 2, sizeof *d->values);
    if (d->values == NULL) {
        return sm_key_fail_memory(c, err);
    }
    value_list list = {d->values, 0};
    const sm_node literal = {
        .kind = real ? SM_NODE_DECIMAL : SM_NODE_INT, .number = d->low, .real = d->real_low};
    put_literal(&list, type, &literal);
    d->count = list.count;
    d->is_set = true;
    return SM_OK;
}

static int order_values(const sm_value *a, const sm_value *b)
{
    if (a->is_null || b->is_null) {
        return (int)b->is_null - (int)a->is_null;
    }
    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    const int reals = memcmp(&a->real, &b->real, sizeof a->real);
    return reals != 0 ? reals : sm_bytes_compare(a->bytes, b->bytes);
}

static int order_for_sort(const void *a, const void *b)
{
    return order_values(a, b);
}

static void sort_values(sm_domain *d)
{
    size_t kept = 0;
    if (d->count == 0) {
        return;
    }
    qsort(d->values, d->count, sizeof d->values[0], order_for_sort);
    for (size_t i = 1; i < d->count; i++) {
        if (order_values(&d->values[kept], &d->values[i]) != 0) {
            d->values[++kept] = d->values[i];
        }
    }
    d->count = kept + 1;
}

/* A record with this field alone. */
typedef struct probe {
    sm_eval *ev;
    sm_value *values;
    sm_record record;
} probe;

/* Keeps the values that meet the term. One that makes the term err does not meet the condition. */
static sm_status filter(sm_keycompile *c, probe *p, const sm_plan_term *term, sm_domain *d,
                        sm_error *err)
{
    sm_expr e = {.root = term->node, .use = SM_USE_CONDITION};
    const sm_status st = sm_key_program(c, term->node, &e.program, err);
    size_t kept = 0;
    if (st != SM_OK) {
        return st;
    }
    for (size_t i = 0; i < d->count; i++) {
        bool yes = false;
        p->values[term->field] = d->values[i];
        sm_eval_reset(p->ev);
        const sm_reject r = sm_expr_test(&e, p->ev, &p->record, &yes);
        if (yes || r == SM_REJECT_CELL_SIZE) {
            d->values[kept++] = d->values[i];
        }
    }
    p->values[term->field] = (sm_value){.is_null = true};
    d->count = kept;
    return sm_eval_status(p->ev, err);
}

static sm_status read_term(sm_keycompile *c, sm_plan_term *term, sm_domain *domains, sm_error *err)
{
    sm_footprint f;
    sm_status st = sm_plan_footprint(c, term->node, &f, err);
    if (st != SM_OK || f.only < 0 || f.odd) {
        return st;
    }
    term->field = f.only;
    sm_domain *d = &domains[f.only];
    d->given = true;
    st = try_set(c, term, d, err);
    return st == SM_OK ? read_range(c, term, d, err) : st;
}

static sm_status settle(sm_keycompile *c, sm_eval *ev, sm_condition_facts *facts, sm_error *err)
{
    const sm_schema *schema = c->context->schema;
    probe p = {.ev = ev};
    p.values = sm_arena_array(c->context->arena, schema->count + 1, sizeof *p.values);
    if (p.values == NULL) {
        return sm_key_fail_memory(c, err);
    }
    p.record = (sm_record){.values = p.values, .count = schema->count};
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < schema->count; i++) {
        p.values[i].is_null = true;
        st = settle_range(c, schema->fields[i].type, &facts->domains[i], err);
    }
    for (size_t i = 0; st == SM_OK && i < facts->term_count; i++) {
        sm_plan_term *t = &facts->terms[i];
        sm_domain *d = t->field >= 0 ? &facts->domains[t->field] : NULL;
        if (d != NULL && d->is_set) {
            st = filter(c, &p, t, d, err);
        }
        if (d != NULL && sm_node_calls(t->node, "ends_with") && d->suffix.len != 0 &&
            ends_with(d->suffix, sm_key_const(t->node, "what")->text)) {
            t->caught = SM_CAUGHT_SUFFIX;
        }
    }
    for (size_t i = 0; i < schema->count; i++) {
        sort_values(&facts->domains[i]);
        facts->impossible |= facts->domains[i].is_set && facts->domains[i].count == 0;
    }
    return st;
}

sm_status sm_condition_read(sm_keycompile *c, sm_eval *ev, sm_node *condition,
                            sm_condition_facts *out, sm_error *err)
{
    const sm_expr_context *x = c->context;
    const size_t most = condition == NULL ? 0 : count_terms(condition);
    *out = (sm_condition_facts){0};
    out->terms = sm_arena_array(x->arena, most + 1, sizeof *out->terms);
    out->domains = sm_arena_array(x->arena, x->schema->count + 1, sizeof *out->domains);
    if (out->terms == NULL || out->domains == NULL) {
        return sm_key_fail_memory(c, err);
    }
    for (size_t i = 0; i < x->schema->count; i++) {
        out->domains[i] = everything();
    }
    if (condition != NULL) {
        list_terms(condition, out);
    }
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < out->term_count; i++) {
        st = read_term(c, &out->terms[i], out->domains, err);
    }
    return st == SM_OK ? settle(c, ev, out, err) : st;
}
