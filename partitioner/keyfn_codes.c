/* SPDX-License-Identifier: Apache-2.0 */
/* Short spellings of long values: digits packed two to a byte, numbers in base 36 or 62,
 * hexadecimal text as bytes; the least and the greatest of several values; the number of a record.
 */
#include "core/endian.h"
#include "partitioner/keyfn.h"

static const char ALPHABET[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char ALPHABET_36[] = "0123456789abcdefghijklmnopqrstuvwxyz";

/* ---- bcd ------------------------------------------------------------------------------------- */

enum { BCD_WIDTH_MAX = 64, NIBBLE_FILL = 0x0f };

/* "138" in 3 bytes: 13 8F FF. Digits sort below the fill: numbers of one length keep their order, a
 * shorter one comes behind those that begin with it. */
static sm_reject run_bcd(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    const size_t width = (size_t)op->k[0];
    uint8_t *p = sm_eval_take(ev, width);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    if (v->bytes.len > width * 2) {
        return sm_eval_reject(ev, op, SM_REJECT_PAD_OVERFLOW, v);
    }
    memset(p, 0xff, width);
    for (size_t i = 0; i < v->bytes.len; i++) {
        const uint8_t c = v->bytes.data[i];
        if (c < '0' || c > '9') {
            return sm_eval_reject(ev, op, SM_REJECT_CHARSET, v);
        }
        const uint8_t digit = (uint8_t)(c - '0');
        p[i / 2] =
            i % 2 == 0 ? (uint8_t)(digit << 4 | NIBBLE_FILL) : (uint8_t)((p[i / 2] & 0xf0) | digit);
    }
    return sm_out_bytes(out, p, width);
}

sm_status sm_bind_bcd(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = sm_key_const_range(c, node, "width", 1, BCD_WIDTH_MAX, err);
    if (st != SM_OK) {
        return st;
    }
    const int64_t width = sm_key_const(node, "width")->number;
    sm_key_result(node, SM_TYPE_BYTES, (size_t)width, (size_t)width);
    node->run = run_bcd;
    node->k[0] = width;
    return sm_key_expect(c, node, err, "at most %lld digits 0-9 and nothing else",
                         (long long)width * 2);
}

/* ---- unhex ----------------------------------------------------------------------------------- */

static int digit_of(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static sm_reject run_unhex(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    const size_t len = v->bytes.len / 2;
    uint8_t *p = sm_eval_take(ev, len);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    for (size_t i = 0; i < len; i++) {
        const int high = digit_of(v->bytes.data[2 * i]);
        const int low = digit_of(v->bytes.data[2 * i + 1]);
        if (high < 0 || low < 0) {
            return sm_eval_reject(ev, op, SM_REJECT_CHARSET, v);
        }
        p[i] = (uint8_t)(high << 4 | low);
    }
    return v->bytes.len % 2 == 0 ? sm_out_bytes(out, p, len)
                                 : sm_eval_reject(ev, op, SM_REJECT_CHARSET, v);
}

sm_status sm_bind_unhex(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_node *x = node->args[0];
    sm_key_result(node, SM_TYPE_BYTES, x->min_width / 2,
                  x->max_width == SM_WIDTH_UNKNOWN ? SM_WIDTH_UNKNOWN : x->max_width / 2);
    node->run = run_unhex;
    return sm_key_expect(c, node, err, "an even number of hexadecimal digits");
}

/* ---- base36, base62 -------------------------------------------------------------------------- */

enum { BASE_WIDTH_MAX = 13 };

static size_t count_digits(uint64_t v, uint64_t base)
{
    size_t n = 1;
    while (v >= base) {
        v /= base;
        n++;
    }
    return n;
}

/* k[0]: the width, 0 for as many digits as the number has; k[1]: the base. */
static sm_reject run_base(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    const uint64_t base = (uint64_t)op->k[1];
    const char *alphabet = op->data;
    uint64_t rest = (uint64_t)v->number;
    const size_t width = op->k[0] != 0 ? (size_t)op->k[0] : count_digits(rest, base);
    uint8_t *p = sm_eval_take(ev, width);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    for (size_t i = width; i-- > 0;) {
        p[i] = (uint8_t)alphabet[rest % base];
        rest /= base;
    }
    return v->number >= 0 && rest == 0 ? sm_out_bytes(out, p, width)
                                       : sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, v);
}

static sm_status bind_base(sm_keycompile *c, sm_node *node, const char *alphabet, sm_error *err)
{
    const sm_keyconst *width = sm_key_const(node, "width");
    const size_t base = strlen(alphabet);
    sm_key_result(node, SM_TYPE_TEXT, 1, count_digits(INT64_MAX, base));
    node->charset = SM_CHARSET_ASCII;
    node->run = run_base;
    node->data = alphabet;
    node->k[0] = 0;
    node->k[1] = (int64_t)base;
    if (!width->present) {
        node->order = SM_ORDER_NONE; /* "z" is before "10" as a number */
        return sm_key_expect(c, node, err, "a number from 0 on");
    }
    const sm_status st = sm_key_const_range(c, node, "width", 1, BASE_WIDTH_MAX, err);
    if (st != SM_OK) {
        return st;
    }
    node->k[0] = width->number;
    sm_key_result(node, SM_TYPE_TEXT, (size_t)width->number, (size_t)width->number);
    return sm_key_expect(c, node, err, "a number from 0 on with at most %lld digits in base %zu",
                         (long long)width->number, base);
}

sm_status sm_bind_base36(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_base(c, node, ALPHABET_36, err);
}

sm_status sm_bind_base62(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_base(c, node, ALPHABET, err);
}

/* ---- least, greatest ------------------------------------------------------------------------- */

static int compare_values(sm_type type, const sm_value *a, const sm_value *b)
{
    switch (type) {
    case SM_TYPE_TEXT:
    case SM_TYPE_BYTES: return sm_bytes_compare(a->bytes, b->bytes);
    case SM_TYPE_DECIMAL: return (a->real > b->real) - (a->real < b->real);
    default: return (a->number > b->number) - (a->number < b->number);
    }
}

/* k[0]: -1 for the least, 1 for the greatest; k[1]: the type of all. */
static sm_reject run_extreme(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *best = sm_arg(ev, op, 0);
    for (uint32_t i = 1; i < op->arg_count; i++) {
        const sm_value *v = sm_arg(ev, op, i);
        const int c = compare_values((sm_type)op->k[1], v, best);
        best = (op->k[0] < 0 ? c < 0 : c > 0) ? v : best;
    }
    *out = *best;
    return SM_REJECT_NONE;
}

static sm_status bind_extreme(sm_keycompile *c, sm_node *node, int which, sm_error *err)
{
    size_t low = SIZE_MAX;
    size_t high = 0;
    node->charset = SM_CHARSET_DIGITS;
    for (size_t i = 0; i < node->arg_count; i++) {
        const sm_node *arg = node->args[i];
        if (arg->type != node->args[0]->type) {
            return sm_key_fail(c, arg->at, err,
                               "%s() compares values of one type, and these are "
                               "%s and %s",
                               node->fn->name, sm_key_type_phrase(node->args[0]->type),
                               sm_key_type_phrase(arg->type));
        }
        low = arg->min_width < low ? arg->min_width : low;
        high = arg->max_width > high ? arg->max_width : high;
        node->charset = arg->charset < node->charset ? arg->charset : node->charset;
    }
    sm_key_result(node, node->args[0]->type, low, high);
    node->run = run_extreme;
    node->k[0] = which;
    node->k[1] = node->args[0]->type;
    return SM_OK;
}

sm_status sm_bind_least(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_extreme(c, node, -1, err);
}

sm_status sm_bind_greatest(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_extreme(c, node, 1, err);
}
