/* SPDX-License-Identifier: Apache-2.0 */
/* Successors, and spans of values through order-keeping functions. */
#include "partitioner/keybound.h"

#include "partitioner/keydomain.h"
#include "partitioner/keyfn.h"

enum { MS_PER_HOUR = 3600000, ZONE_SLACK_HOURS = 48 };

static bool has_bytes(const sm_node *node)
{
    return node->type == SM_TYPE_TEXT || node->type == SM_TYPE_BYTES;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

sm_status sm_key_successor(sm_arena *arena, sm_bytes prefix, sm_bytes *out, sm_error *err)
{
    *out = (sm_bytes){0};
    while (prefix.len > 0 && prefix.data[prefix.len - 1] == 0xFF) {
        prefix.len--;
    }
    if (prefix.len == 0) {
        return SM_OK;
    }
    uint8_t *copy = sm_arena_get(arena, prefix.len);
    if (copy == NULL) {
        return sm_fail_memory(err, prefix.len, "the end of a range of keys");
    }
    memcpy(copy, prefix.data, prefix.len);
    copy[prefix.len - 1]++;
    *out = sm_bytes_of(copy, prefix.len);
    return SM_OK;
}

sm_status sm_bound_before_more(sm_arena *arena, sm_bytes low, sm_bytes high, sm_bytes *out,
                               sm_error *err)
{
    *out = high;
    for (size_t n = 1; n < high.len; n++) {
        const sm_bytes front = sm_bytes_of(high.data, n);
        if (sm_bytes_compare(front, low) >= 0) {
            return sm_key_successor(arena, front, out, err);
        }
    }
    return SM_OK;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static bool is_number(sm_type type)
{
    return type == SM_TYPE_INT || type == SM_TYPE_TIME || type == SM_TYPE_DECIMAL;
}

/* Bytes keep their order through a function only where they all have one width, and the way to
 * bounds only where it refuses all of them or none. */
static bool keeps_order(const sm_node *node)
{
    if (node->kind != SM_NODE_CALL || node->arg_count != 1 || node->fn == NULL ||
        node->order == SM_ORDER_NONE) {
        return false;
    }
    const sm_node *x = node->args[0];
    return !has_bytes(x) || (x->min_width == x->max_width &&
                             (sm_node_calls(node, "hex") || sm_node_calls(node, "pad")));
}

bool sm_span_chain(const sm_node *node, int *field, bool *reversed, bool *exact)
{
    *reversed = false;
    *exact = true;
    while (node->kind != SM_NODE_FIELD) {
        if (!keeps_order(node)) {
            return false;
        }
        *reversed ^= node->order == SM_ORDER_REVERSED;
        *exact &= node->inverse == SM_INVERSE_EXACT;
        node = node->args[0];
    }
    *field = node->field;
    return is_number(node->type);
}

static sm_reject apply(sm_eval *ev, const sm_node *node, const sm_value *arg, sm_value *out)
{
    const uint32_t operand = (uint32_t)SM_OPERAND_CONSTANT << SM_OPERAND_SHIFT;
    const sm_op op = {.run = node->run,
                      .args = &operand,
                      .arg_count = 1,
                      .data = node->data,
                      .k = {node->k[0], node->k[1]},
                      .node = node};
    ev->bases[SM_OPERAND_CONSTANT] = arg;
    *out = (sm_value){0};
    return node->run(ev, &op, out);
}

sm_reject sm_span_value(sm_eval *ev, const sm_node *node, const sm_value *value, sm_value *out)
{
    if (node->kind == SM_NODE_FIELD) {
        *out = *value;
        return SM_REJECT_NONE;
    }
    sm_value inner = {0};
    const sm_reject r = sm_span_value(ev, node->args[0], value, &inner);
    return r != SM_REJECT_NONE ? r : apply(ev, node, &inner, out);
}

/* ---- clamping -------------------------------------------------------------------------------- */

static bool accepts(sm_eval *ev, const sm_node *node, int64_t number)
{
    const sm_value v = {.number = number};
    sm_value out;
    sm_eval_reset(ev);
    return apply(ev, node, &v, &out) == SM_REJECT_NONE;
}

/* From a number that is refused to the accepted one nearest to it on the way to `good`. */
static int64_t nearest_accepted(sm_eval *ev, const sm_node *node, int64_t bad, int64_t good)
{
    while ((good > bad ? (uint64_t)good - (uint64_t)bad : (uint64_t)bad - (uint64_t)good) > 1) {
        const int64_t middle = (int64_t)((uint64_t)(good & bad) + (uint64_t)((good ^ bad) >> 1));
        *(accepts(ev, node, middle) ? &good : &bad) = middle;
    }
    return good;
}

static void clamp_numbers(sm_eval *ev, const sm_node *node, sm_span *s)
{
    const int64_t low = s->low.number;
    const int64_t high = s->high.number;
    const int64_t anchor = low > 0 ? low : high < 0 ? high : 0;
    if (!accepts(ev, node, anchor)) {
        s->none = true;
        return;
    }
    if (!accepts(ev, node, low)) {
        s->low.number = nearest_accepted(ev, node, low, anchor);
    }
    if (!accepts(ev, node, high)) {
        s->high.number = nearest_accepted(ev, node, high, anchor);
    }
}

/* ---- rounding in a zone ---------------------------------------------------------------------- */

static const sm_zone *zone_of(const sm_node *node)
{
    return sm_node_calls(node, "floor_ts") ? node->data : NULL;
}

/* Zones know the years of the calendar, and no time lies outside them. */
static void clamp_to_calendar(sm_span *s)
{
    s->low.number = s->low.number < SM_TIME_MIN ? SM_TIME_MIN : s->low.number;
    s->high.number = s->high.number > SM_TIME_MAX ? SM_TIME_MAX : s->high.number;
    s->none |= s->low.number > s->high.number;
}

/* Where the clocks change around a bound, wall clock times near it have no simple order: the bound
 * moves out by two days. */
static void widen_in_zone(const sm_zone *zone, sm_span *s)
{
    const int64_t slack = (int64_t)ZONE_SLACK_HOURS * MS_PER_HOUR;
    int64_t *const ends[] = {&s->low.number, &s->high.number};
    for (int i = 0; i < 2; i++) {
        const int64_t t = *ends[i];
        const bool known = t > SM_TIME_MIN + 2 * slack && t < SM_TIME_MAX - 2 * slack;
        const bool calm = known && !sm_zone_repeats_between(zone, t - slack, t + slack) &&
                          sm_zone_offset(zone, t - slack) == sm_zone_offset(zone, t + slack);
        if (!calm) {
            *ends[i] = t + (i == 0 ? -slack : slack);
            s->wide = true;
        }
    }
}

/* ---- spans ----------------------------------------------------------------------------------- */

static sm_status keep(sm_arena *arena, sm_value *v, sm_error *err)
{
    if (v->bytes.len == 0) {
        return SM_OK;
    }
    v->bytes.data = (const uint8_t *)sm_arena_text(arena, v->bytes.data, v->bytes.len);
    return v->bytes.data != NULL ? SM_OK
                                 : sm_fail_memory(err, v->bytes.len, "a bound of a range of keys");
}

static sm_status through_one(sm_arena *arena, sm_eval *ev, const sm_node *node, sm_span *s,
                             sm_error *err)
{
    sm_span out = {.wide = s->wide};
    const sm_type type = node->args[0]->type;
    const sm_zone *zone = zone_of(node);
    if (zone != NULL) {
        clamp_to_calendar(s);
    }
    if (!s->none && (type == SM_TYPE_INT || type == SM_TYPE_TIME)) {
        clamp_numbers(ev, node, s);
    }
    if (s->none) {
        return sm_eval_status(ev, err);
    }
    if (zone != NULL) {
        widen_in_zone(zone, s);
    }
    out.wide = s->wide;
    sm_eval_reset(ev);
    const sm_reject low = apply(ev, node, &s->low, &out.low);
    const sm_reject high = apply(ev, node, &s->high, &out.high);
    out.none = low != SM_REJECT_NONE || high != SM_REJECT_NONE;
    sm_status st = sm_eval_status(ev, err);
    if (st == SM_OK) {
        st = keep(arena, &out.low, err);
    }
    if (st == SM_OK) {
        st = keep(arena, &out.high, err);
    }
    *s = out;
    if (node->order == SM_ORDER_REVERSED) {
        s->low = out.high;
        s->high = out.low;
    }
    return st;
}

sm_status sm_span_through(sm_arena *arena, sm_eval *ev, const sm_node *node, sm_span *span,
                          sm_error *err)
{
    if (node->kind == SM_NODE_FIELD) {
        return SM_OK;
    }
    const sm_status st = sm_span_through(arena, ev, node->args[0], span, err);
    return st == SM_OK && !span->none ? through_one(arena, ev, node, span, err) : st;
}
