/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as bytes, big endian.
 *
 *   u8 u16 u32 u64      as they are; the order of bytes is the order of numbers
 *   i32 i64             the sign bit flipped, so that -1 (7F FF ..) sorts before 0 (80 00 ..)
 *   f64                 positive: sign bit flipped; negative: all bits flipped. -0.0 is written as
 * 0.0, so that equal numbers give equal keys int32be int64be float64be   Bytes.toBytes of HBase:
 * for cells. float64be keeps -0.0
 *
 * Flipped forms are refused in cells, where HBase's readers and counters would misread them. */
#include "core/endian.h"
#include "core/number.h"
#include "partitioner/keyfn.h"

/* Whole numbers that a double holds exactly reach to here. */
static const int64_t DOUBLE_EXACT = (int64_t)1 << 53;

static bool in_range(const sm_op *op, int64_t v)
{
    return v >= op->k[0] && v <= op->k[1];
}

static sm_reject run_u8(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    uint8_t *p = sm_eval_take(ev, 1);
    if (!in_range(op, v->number)) {
        return sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, v);
    }
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    *p = (uint8_t)v->number;
    return sm_out_bytes(out, p, 1);
}

static sm_reject run_u16(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    uint8_t *p = sm_eval_take(ev, 2);
    if (!in_range(op, v->number)) {
        return sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, v);
    }
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    sm_store_be16(p, (uint16_t)v->number);
    return sm_out_bytes(out, p, 2);
}

SM_INLINE sm_reject put_32(sm_eval *ev, const sm_op *op, uint32_t flip, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    uint8_t *p = sm_eval_take(ev, 4);
    if (!in_range(op, v->number)) {
        return sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, v);
    }
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    sm_store_be32(p, (uint32_t)(uint64_t)v->number ^ flip);
    return sm_out_bytes(out, p, 4);
}

static sm_reject run_32(sm_eval *ev, const sm_op *op, sm_value *out)
{
    return put_32(ev, op, 0, out);
}

static sm_reject run_i32(sm_eval *ev, const sm_op *op, sm_value *out)
{
    return put_32(ev, op, 0x80000000U, out);
}

SM_INLINE sm_reject put_64(sm_eval *ev, const sm_op *op, uint64_t bits, sm_value *out)
{
    uint8_t *p = sm_eval_take(ev, 8);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    sm_store_be64(p, bits);
    return sm_out_bytes(out, p, 8);
}

static sm_reject run_64(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    return in_range(op, v->number) ? put_64(ev, op, (uint64_t)v->number, out)
                                   : sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, v);
}

static sm_reject run_i64(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const uint64_t bits = (uint64_t)sm_arg(ev, op, 0)->number;
    return put_64(ev, op, bits ^ (uint64_t)1 << 63, out);
}

/* ---- doubles --------------------------------------------------------------------------------- */

/* The argument as a double; a whole number must be one exactly, or two keys could become one. */
static sm_reject take_double(sm_eval *ev, const sm_op *op, double *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    *out = v->real;
    if (op->k[0] == SM_TYPE_INT) {
        *out = (double)v->number;
        if (v->number > DOUBLE_EXACT || v->number < -DOUBLE_EXACT) {
            return sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, v);
        }
    }
    return *out != *out ? sm_eval_reject(ev, op, SM_REJECT_NOT_A_NUMBER, v) : SM_REJECT_NONE;
}

static uint64_t bits_of(double real)
{
    uint64_t bits = 0;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static sm_reject run_f64(sm_eval *ev, const sm_op *op, sm_value *out)
{
    double real = 0;
    const sm_reject r = take_double(ev, op, &real);
    if (r != SM_REJECT_NONE) {
        return r;
    }
    const uint64_t bits = bits_of(real + 0.0); /* -0.0 becomes 0.0 */
    const uint64_t flip = (bits >> 63) != 0 ? UINT64_MAX : (uint64_t)1 << 63;
    return put_64(ev, op, bits ^ flip, out);
}

static sm_reject run_float64be(sm_eval *ev, const sm_op *op, sm_value *out)
{
    double real = 0;
    const sm_reject r = take_double(ev, op, &real);
    return r != SM_REJECT_NONE ? r : put_64(ev, op, bits_of(real), out);
}

/* ---- dec ------------------------------------------------------------------------------------- */

static sm_reject run_dec(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    const size_t width = (size_t)op->k[0];
    uint8_t *p = sm_eval_take(ev, width);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    if (v->number < 0 || !sm_print_padded((uint64_t)v->number, (unsigned)width, (char *)p)) {
        return sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, v);
    }
    return sm_out_bytes(out, p, width);
}

sm_status sm_bind_dec(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = sm_key_const_range(c, node, "width", 1, 20, err);
    if (st != SM_OK) {
        return st;
    }
    const int64_t width = sm_key_const(node, "width")->number;
    sm_key_result(node, SM_TYPE_TEXT, (size_t)width, (size_t)width);
    node->charset = SM_CHARSET_DIGITS;
    node->run = run_dec;
    node->k[0] = width;
    return sm_key_expect(c, node, err, "a number from 0 on with at most %lld digits",
                         (long long)width);
}

/* ---- binding --------------------------------------------------------------------------------- */

typedef struct encoding {
    sm_op_run run;
    size_t width;
    int64_t low, high;
} encoding;

static sm_status bind_whole(sm_keycompile *c, sm_node *node, encoding e, sm_error *err)
{
    sm_key_result(node, SM_TYPE_BYTES, e.width, e.width);
    node->run = e.run;
    node->k[0] = e.low;
    node->k[1] = e.high;
    return sm_key_expect(c, node, err, "a number in %lld ... %lld", (long long)e.low,
                         (long long)e.high);
}

static sm_status refuse_in_cells(const sm_keycompile *c, const sm_node *node, const char *instead,
                                 sm_error *err)
{
    if (c->use != SM_USE_CELL) {
        return SM_OK;
    }
    return sm_key_fail(
        c, node->at, err,
        "%s() flips bits so that keys sort as numbers do; HBase's readers expect %s() "
        "in cells",
        node->fn->name, instead);
}

sm_status sm_bind_u8(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_whole(c, node, (encoding){run_u8, 1, 0, UINT8_MAX}, err);
}

sm_status sm_bind_u16(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_whole(c, node, (encoding){run_u16, 2, 0, UINT16_MAX}, err);
}

sm_status sm_bind_u32(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_whole(c, node, (encoding){run_32, 4, 0, UINT32_MAX}, err);
}

sm_status sm_bind_u64(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_whole(c, node, (encoding){run_64, 8, 0, INT64_MAX}, err);
}

sm_status sm_bind_i32(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = refuse_in_cells(c, node, "int32be", err);
    return st != SM_OK ? st
                       : bind_whole(c, node, (encoding){run_i32, 4, INT32_MIN, INT32_MAX}, err);
}

sm_status sm_bind_i64(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = refuse_in_cells(c, node, "int64be", err);
    return st != SM_OK ? st
                       : bind_whole(c, node, (encoding){run_i64, 8, INT64_MIN, INT64_MAX}, err);
}

sm_status sm_bind_int32be(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_whole(c, node, (encoding){run_32, 4, INT32_MIN, INT32_MAX}, err);
}

sm_status sm_bind_int64be(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_whole(c, node, (encoding){run_64, 8, INT64_MIN, INT64_MAX}, err);
}

static sm_status bind_double(sm_keycompile *c, sm_node *node, sm_op_run run, sm_error *err)
{
    sm_key_result(node, SM_TYPE_BYTES, 8, 8);
    node->run = run;
    node->k[0] = node->args[0]->type;
    return sm_key_expect(c, node, err,
                         "a number that a double holds exactly (whole numbers up to 2^53)");
}

sm_status sm_bind_f64(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = refuse_in_cells(c, node, "float64be", err);
    return st != SM_OK ? st : bind_double(c, node, run_f64, err);
}

sm_status sm_bind_float64be(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_double(c, node, run_float64be, err);
}
