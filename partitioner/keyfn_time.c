/* SPDX-License-Identifier: Apache-2.0 */
/* Times in keys: forward, reversed, as text, rounded down. Times are ms since 1970; what is written
 * unsigned refuses earlier ones. */
#include "core/endian.h"
#include "core/number.h"
#include "partitioner/keyfn.h"

enum { MS_PER_S = 1000, WIDTH_MAX = 19 };

static const char NOT_NEGATIVE[] = "a time from 1970-01-01 00:00:00 UTC on";

static sm_reject put_64(sm_eval *ev, const sm_op *op, uint64_t bits, sm_value *out)
{
    uint8_t *p = sm_eval_take(ev, 8);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    sm_store_be64(p, bits);
    return sm_out_bytes(out, p, 8);
}

static sm_reject run_ts(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *t = sm_arg(ev, op, 0);
    return SM_UNLIKELY(t->number < 0) ? sm_eval_reject(ev, op, SM_REJECT_NEGATIVE_TIME, t)
                                      : put_64(ev, op, (uint64_t)t->number, out);
}

static sm_reject run_rev_ts(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *t = sm_arg(ev, op, 0);
    return SM_UNLIKELY(t->number < 0) ? sm_eval_reject(ev, op, SM_REJECT_NEGATIVE_TIME, t)
                                      : put_64(ev, op, (uint64_t)(INT64_MAX - t->number), out);
}

static sm_reject run_ts32(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *t = sm_arg(ev, op, 0);
    if (t->number < 0) {
        return sm_eval_reject(ev, op, SM_REJECT_NEGATIVE_TIME, t);
    }
    if (t->number / MS_PER_S > UINT32_MAX) {
        return sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, t);
    }
    uint8_t *p = sm_eval_take(ev, 4);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    sm_store_be32(p, (uint32_t)(t->number / MS_PER_S));
    return sm_out_bytes(out, p, 4);
}

static sm_status bind_binary(sm_keycompile *c, sm_node *node, sm_op_run run, sm_error *err)
{
    sm_key_result(node, SM_TYPE_BYTES, 8, 8);
    node->run = run;
    return sm_key_expect(c, node, err, "%s", NOT_NEGATIVE);
}

sm_status sm_bind_ts(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_binary(c, node, run_ts, err);
}

sm_status sm_bind_rev_ts(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_binary(c, node, run_rev_ts, err);
}

sm_status sm_bind_ts32(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_key_result(node, SM_TYPE_BYTES, 4, 4);
    node->run = run_ts32;
    return sm_key_expect(c, node, err, "a time from 1970 to 2106-02-07 06:28:15 UTC");
}

/* ---- rev_ts_dec ------------------------------------------------------------------------------ */

typedef struct reversed {
    uint64_t highest; /* Long.MAX, or 10^width - 1 */
    int64_t unit;     /* ms */
    unsigned width;
} reversed;

static sm_reject run_rev_ts_dec(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const reversed *r = op->data;
    const sm_value *t = sm_arg(ev, op, 0);
    if (t->number < 0) {
        return sm_eval_reject(ev, op, SM_REJECT_NEGATIVE_TIME, t);
    }
    const uint64_t units = (uint64_t)(t->number / r->unit);
    if (units > r->highest) {
        return sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, t);
    }
    uint8_t *p = sm_eval_take(ev, r->width);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    if (!sm_print_padded(r->highest - units, r->width, (char *)p)) {
        return sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, t);
    }
    return sm_out_bytes(out, p, r->width);
}

static uint64_t power_of_ten(unsigned n)
{
    uint64_t power = 1;
    while (n-- > 0) {
        power *= 10; /* 10^19 still fits 64 unsigned bits */
    }
    return power;
}

sm_status sm_bind_rev_ts_dec(sm_keycompile *c, sm_node *node, sm_error *err)
{
    static const int64_t UNITS[] = {1, 1000, 60000, 3600000, 86400000};
    const sm_keyconst *unit = sm_key_const(node, "unit");
    const sm_keyconst *width = sm_key_const(node, "width");
    reversed *r = sm_arena_array(c->context->arena, 1, sizeof *r);
    if (r == NULL) {
        return sm_key_fail_memory(c, err);
    }
    if (unit->present != width->present) {
        return sm_key_fail(c, unit->present ? unit->at->at : width->at->at, err,
                           "unit and width belong together: rev_ts_dec(t, s, 10)");
    }
    *r = (reversed){INT64_MAX, 1, WIDTH_MAX};
    if (width->present) {
        const sm_status st = sm_key_const_range(c, node, "width", 1, WIDTH_MAX, err);
        if (st != SM_OK) {
            return st;
        }
        r->unit = UNITS[unit->number];
        r->width = (unsigned)width->number;
        r->highest = power_of_ten(r->width) - 1;
        node->inverse = r->unit == 1 ? SM_INVERSE_EXACT : SM_INVERSE_PART;
    }
    sm_key_result(node, SM_TYPE_TEXT, r->width, r->width);
    node->charset = SM_CHARSET_DIGITS;
    node->run = run_rev_ts_dec;
    node->data = r;
    return sm_key_expect(c, node, err, "a time from 1970 on that fits %u digits", r->width);
}

/* ---- zones ----------------------------------------------------------------------------------- */

static void release_zone(void *zone)
{
    sm_zone_free(zone);
}

static sm_status load_zone(const sm_keycompile *c, const sm_node *node, const sm_zone **out,
                           sm_error *err)
{
    const sm_keyconst *name = sm_key_const(node, "zone");
    sm_error why = {0};
    sm_zone *zone = NULL;
    *out = NULL;
    if (sm_zone_load(name->text, &zone, &why) != SM_OK) {
        return sm_key_fail_because(c, name->at != NULL ? name->at->at : node->at, &why, err);
    }
    *out = zone;
    return sm_arena_own(c->context->arena, zone, release_zone, err);
}

/* ---- format_ts ------------------------------------------------------------------------------- */

static sm_reject run_format_ts(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *t = sm_arg(ev, op, 0);
    const size_t room = (size_t)op->k[0];
    uint8_t *p = sm_eval_take(ev, room);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    const size_t len = sm_time_print(op->data, t->number, (char *)p);
    sm_eval_untake(ev, room - len);
    return len == 0 ? sm_eval_reject(ev, op, SM_REJECT_TIME_RANGE, t) : sm_out_bytes(out, p, len);
}

/* True when each conversion of the pattern always gives the same number of bytes. Offsets of old
 * times have seconds. */
static bool fixed_width(sm_bytes pattern)
{
    bool fixed = true;
    for (size_t i = 0; i + 1 < pattern.len; i++) {
        if (pattern.data[i] == '%') {
            i++;
            fixed &= memchr("Bsz:", pattern.data[i], 4) == NULL;
        }
    }
    return fixed;
}

static sm_status measure_format(const sm_keycompile *c, sm_node *node, const sm_time_printer *p,
                                sm_error *err)
{
    const sm_bytes pattern = sm_key_const(node, "pattern")->text;
    const size_t most = sm_time_printer_size(p);
    char *sample = sm_arena_get(c->context->arena, most + 1);
    if (sample == NULL) {
        return sm_key_fail_memory(c, err);
    }
    const size_t len = sm_time_print(p, 0, sample);
    const bool fixed = fixed_width(pattern);
    sm_key_result(node, SM_TYPE_TEXT, fixed ? len : 1, fixed ? len : most);
    node->charset = SM_CHARSET_ASCII;
    for (size_t i = 0; i < pattern.len; i++) {
        node->charset = pattern.data[i] >= 0x80 ? SM_CHARSET_ANY : node->charset;
    }
    node->k[0] = (int64_t)most;
    return SM_OK;
}

sm_status sm_bind_format_ts(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_keyconst *pattern = sm_key_const(node, "pattern");
    const sm_zone *zone = NULL;
    const sm_time_printer *printer = NULL;
    sm_status st = load_zone(c, node, &zone, err);
    if (st != SM_OK) {
        return st;
    }
    if (pattern->text.len == 0) {
        return sm_key_fail(c, pattern->at->at, err, "the pattern is empty; expected \"%%Y%%m%%d\"");
    }
    sm_error why = {0};
    if (sm_time_printer_compile(c->context->arena, pattern->text, zone, &printer, &why) != SM_OK) {
        return sm_key_fail_because(c, pattern->at->at, &why, err);
    }
    node->run = run_format_ts;
    node->data = printer;
    st = measure_format(c, node, printer, err);
    return st == SM_OK ? sm_key_expect(c, node, err, "a time in the years 1 ... 9999") : st;
}

/* ---- floor_ts -------------------------------------------------------------------------------- */

static int64_t floor_to(int64_t t, int64_t step)
{
    int64_t rest = t % step;
    rest += rest < 0 ? step : 0;
    return t < INT64_MIN + rest ? t : t - rest;
}

static sm_reject run_floor_utc(sm_eval *ev, const sm_op *op, sm_value *out)
{
    return sm_out_number(out, floor_to(sm_arg(ev, op, 0)->number, op->k[0]));
}

/* Rounded on the wall clock, then taken back. Where the rounded local time occurs twice, the later
 * of the two that is not behind t; where it does not exist, the instant that the offset before the
 * gap gives. */
static sm_reject run_floor_local(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const int64_t margin = INT64_C(2) * 86400000; /* more than two offsets of a zone differ by */
    const sm_zone *zone = op->data;
    const sm_value *t = sm_arg(ev, op, 0);
    int64_t local = 0;
    if (__builtin_add_overflow(t->number, (int64_t)sm_zone_offset(zone, t->number) * MS_PER_S,
                               &local)) {
        return sm_eval_reject(ev, op, SM_REJECT_TIME_RANGE, t);
    }
    const int64_t wall = floor_to(local, op->k[0]);
    if (wall < INT64_MIN + margin || wall > INT64_MAX - margin) {
        return sm_eval_reject(ev, op, SM_REJECT_TIME_RANGE, t);
    }
    int64_t first = 0;
    int64_t second = 0;
    const sm_local_kind kind = sm_zone_to_instant(zone, wall, &first, &second);
    if (kind == SM_LOCAL_TWICE && second <= t->number) {
        first = second;
    }
    if (kind == SM_LOCAL_NEVER && first > t->number) {
        first = second;
    }
    return sm_out_number(out, first);
}

sm_status sm_bind_floor_ts(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_keyconst *step = sm_key_const(node, "step");
    const sm_keyconst *name = sm_key_const(node, "zone");
    sm_key_result(node, SM_TYPE_TIME, 0, 0);
    if (step->number <= 0) {
        return sm_key_fail(c, step->at->at, err, "the step must be longer than 0");
    }
    node->k[0] = step->number;
    node->run = run_floor_utc;
    if (sm_bytes_equal_text(name->text, "UTC")) {
        return SM_OK;
    }
    const sm_zone *zone = NULL;
    const sm_status st = load_zone(c, node, &zone, err);
    node->data = zone;
    node->run = run_floor_local;
    return st;
}
