/* SPDX-License-Identifier: Apache-2.0 */
/* Text shaping. Functions that count, count characters of text and bytes of bytes; text that is
 * known to be ASCII (a field's charset, hex, dec ...) is counted in bytes without looking at it. */
#include "partitioner/keyfn.h"
#include "partitioner/keyutf8.h"

static const char VALID_UTF8[] = "valid UTF-8";

static bool counts_bytes(const sm_node *x)
{
    return x->type == SM_TYPE_BYTES || x->charset != SM_CHARSET_ANY;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- hex ------------------------------------------------------------------------------------- */

static sm_reject run_hex(sm_eval *ev, const sm_op *op, sm_value *out)
{
    static const char DIGITS[] = "0123456789abcdef";
    const sm_bytes x = sm_arg(ev, op, 0)->bytes;
    uint8_t *p = sm_eval_take(ev, x.len * 2);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    for (size_t i = 0; i < x.len; i++) {
        p[2 * i] = (uint8_t)DIGITS[x.data[i] >> 4];
        p[2 * i + 1] = (uint8_t)DIGITS[x.data[i] & 15];
    }
    return sm_out_bytes(out, p, x.len * 2);
}

sm_status sm_bind_hex(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_node *x = node->args[0];
    (void)c;
    (void)err;
    sm_key_result(node, SM_TYPE_TEXT, sm_key_width_sum(x->min_width, x->min_width),
                  sm_key_width_sum(x->max_width, x->max_width));
    node->charset = SM_CHARSET_ASCII;
    node->run = run_hex;
    return SM_OK;
}

/* ---- left, right, substr --------------------------------------------------------------------- */

/* k[0]: units to skip; k[1]: most units to keep. */
static sm_reject run_slice_bytes(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_bytes x = sm_arg(ev, op, 0)->bytes;
    const size_t from = least((size_t)op->k[0], x.len);
    return sm_out_bytes(out, x.data + from, least((size_t)op->k[1], x.len - from));
}

static sm_reject run_slice_characters(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    size_t count = 0;
    if (!sm_utf8_count(v->bytes, &count)) {
        return sm_eval_reject(ev, op, SM_REJECT_NOT_UTF8, v);
    }
    const size_t from = sm_utf8_offset(v->bytes, (size_t)op->k[0]);
    const sm_bytes rest = sm_bytes_of(v->bytes.data + from, v->bytes.len - from);
    return sm_out_bytes(out, rest.data, sm_utf8_offset(rest, (size_t)op->k[1]));
}

static sm_reject run_right_bytes(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_bytes x = sm_arg(ev, op, 0)->bytes;
    const size_t n = least((size_t)op->k[1], x.len);
    return sm_out_bytes(out, x.data + (x.len - n), n);
}

static sm_reject run_right_characters(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    size_t count = 0;
    if (!sm_utf8_count(v->bytes, &count)) {
        return sm_eval_reject(ev, op, SM_REJECT_NOT_UTF8, v);
    }
    const size_t keep = least((size_t)op->k[1], count);
    const size_t from = sm_utf8_offset(v->bytes, count - keep);
    return sm_out_bytes(out, v->bytes.data + from, v->bytes.len - from);
}

/* Widths of a slice that skips `skip` units of x and keeps at most `keep`. A character has 1 ... 4
 * bytes. */
static void slice_widths(sm_node *node, size_t skip, size_t keep)
{
    const sm_node *x = node->args[0];
    const bool bytes = counts_bytes(x);
    const size_t units = bytes ? x->min_width : x->min_width / 4 + (x->min_width % 4 != 0);
    const size_t low = least(units > skip ? units - skip : 0, keep);
    const size_t gone = least(skip, x->max_width);
    const size_t left = x->max_width == SM_WIDTH_UNKNOWN ? SM_WIDTH_UNKNOWN : x->max_width - gone;
    const size_t most = bytes || keep > SM_WIDTH_UNKNOWN / 4 ? keep : keep * 4;
    sm_key_result(node, x->type, low, least(left, most));
    node->charset = x->charset;
}

sm_status sm_bind_left(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = sm_key_const_range(c, node, "n", 1, INT32_MAX, err);
    if (st != SM_OK) {
        return st;
    }
    node->k[0] = 0;
    node->k[1] = sm_key_const(node, "n")->number;
    node->run = counts_bytes(node->args[0]) ? run_slice_bytes : run_slice_characters;
    slice_widths(node, 0, (size_t)node->k[1]);
    return sm_key_expect(c, node, err, "%s", VALID_UTF8);
}

sm_status sm_bind_right(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = sm_key_const_range(c, node, "n", 1, INT32_MAX, err);
    if (st != SM_OK) {
        return st;
    }
    node->k[1] = sm_key_const(node, "n")->number;
    node->run = counts_bytes(node->args[0]) ? run_right_bytes : run_right_characters;
    slice_widths(node, 0, (size_t)node->k[1]);
    return sm_key_expect(c, node, err, "%s", VALID_UTF8);
}

sm_status sm_bind_substr(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_keyconst *length = sm_key_const(node, "length");
    sm_status st = sm_key_const_range(c, node, "start", 1, INT32_MAX, err);
    if (st == SM_OK && length->present) {
        st = sm_key_const_range(c, node, "length", 1, INT32_MAX, err);
    }
    if (st != SM_OK) {
        return st;
    }
    node->k[0] = sm_key_const(node, "start")->number - 1;
    node->k[1] = length->present ? length->number : INT64_MAX;
    node->run = counts_bytes(node->args[0]) ? run_slice_bytes : run_slice_characters;
    slice_widths(node, (size_t)node->k[0], length->present ? (size_t)node->k[1] : SM_WIDTH_UNKNOWN);
    return sm_key_expect(c, node, err, "%s", VALID_UTF8);
}

/* ---- reverse --------------------------------------------------------------------------------- */

static sm_reject run_reverse_bytes(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_bytes x = sm_arg(ev, op, 0)->bytes;
    uint8_t *p = sm_eval_take(ev, x.len);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    for (size_t i = 0; i < x.len; i++) {
        p[i] = x.data[x.len - 1 - i];
    }
    return sm_out_bytes(out, p, x.len);
}

static sm_reject run_reverse_characters(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    const sm_bytes x = v->bytes;
    uint8_t *p = sm_eval_take(ev, x.len);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    for (size_t i = 0; i < x.len;) {
        const size_t len = sm_utf8_length(x.data + i, x.len - i);
        if (len == 0) {
            return sm_eval_reject(ev, op, SM_REJECT_NOT_UTF8, v);
        }
        memcpy(p + (x.len - i - len), x.data + i, len);
        i += len;
    }
    return sm_out_bytes(out, p, x.len);
}

sm_status sm_bind_reverse(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_node *x = node->args[0];
    sm_key_result(node, x->type, x->min_width, x->max_width);
    node->charset = x->charset;
    node->run = counts_bytes(x) ? run_reverse_bytes : run_reverse_characters;
    return sm_key_expect(c, node, err, "%s", VALID_UTF8);
}

/* ---- pad ------------------------------------------------------------------------------------- */

enum { PAD_MAX = 32767 };

static sm_reject run_pad_right(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    const size_t width = (size_t)op->k[0];
    if (SM_UNLIKELY(v->bytes.len > width)) {
        return sm_eval_reject(ev, op, SM_REJECT_PAD_OVERFLOW, v);
    }
    uint8_t *p = sm_eval_take(ev, width);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    memset(p, (int)op->k[1], width);
    if (v->bytes.len > 0) {
        memcpy(p, v->bytes.data, v->bytes.len);
    }
    return sm_out_bytes(out, p, width);
}

static sm_reject run_pad_left(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    const size_t width = (size_t)op->k[0];
    if (SM_UNLIKELY(v->bytes.len > width)) {
        return sm_eval_reject(ev, op, SM_REJECT_PAD_OVERFLOW, v);
    }
    uint8_t *p = sm_eval_take(ev, width);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    memset(p, (int)op->k[1], width);
    if (v->bytes.len > 0) {
        memcpy(p + (width - v->bytes.len), v->bytes.data, v->bytes.len);
    }
    return sm_out_bytes(out, p, width);
}

sm_status sm_bind_pad(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = sm_key_const_range(c, node, "width", 1, PAD_MAX, err);
    const sm_keyconst *fill = sm_key_const(node, "fill");
    if (st != SM_OK) {
        return st;
    }
    if (fill->text.len != 1 || fill->text.data[0] >= 0x80) {
        return sm_key_fail(c, fill->at->at, err, "the fill must be one ASCII character");
    }
    const int64_t width = sm_key_const(node, "width")->number;
    const bool right = sm_key_const(node, "side")->number == 0;
    const bool digit = fill->text.data[0] >= '0' && fill->text.data[0] <= '9';
    const sm_charset own = digit ? SM_CHARSET_DIGITS : SM_CHARSET_ASCII;
    sm_key_result(node, SM_TYPE_TEXT, (size_t)width, (size_t)width);
    node->charset = node->args[0]->charset < own ? node->args[0]->charset : own;
    node->order = right ? SM_ORDER_SAME : SM_ORDER_NONE;
    node->run = right ? run_pad_right : run_pad_left;
    node->k[0] = width;
    node->k[1] = fill->text.data[0];
    return sm_key_expect(c, node, err, "at most %lld bytes", (long long)width);
}

/* ---- upper, lower, trim, digits -------------------------------------------------------------- */

/* k[0], k[1]: the letters that change, which differ from their partners in bit 5. */
static sm_reject run_case(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_bytes x = sm_arg(ev, op, 0)->bytes;
    uint8_t *p = sm_eval_take(ev, x.len);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    for (size_t i = 0; i < x.len; i++) {
        const uint8_t b = x.data[i];
        p[i] = b >= op->k[0] && b <= op->k[1] ? (uint8_t)(b ^ 0x20) : b;
    }
    return sm_out_bytes(out, p, x.len);
}

static sm_status bind_case(sm_node *node, uint8_t first, uint8_t last)
{
    const sm_node *x = node->args[0];
    sm_key_result(node, SM_TYPE_TEXT, x->min_width, x->max_width);
    node->charset = x->charset;
    node->run = run_case;
    node->k[0] = first;
    node->k[1] = last;
    return SM_OK;
}

sm_status sm_bind_upper(sm_keycompile *c, sm_node *node, sm_error *err)
{
    (void)c;
    (void)err;
    return bind_case(node, 'a', 'z');
}

sm_status sm_bind_lower(sm_keycompile *c, sm_node *node, sm_error *err)
{
    (void)c;
    (void)err;
    return bind_case(node, 'A', 'Z');
}

static bool is_blank(uint8_t b)
{
    return b == ' ' || (b >= '\t' && b <= '\r');
}

static sm_reject run_trim(sm_eval *ev, const sm_op *op, sm_value *out)
{
    sm_bytes x = sm_arg(ev, op, 0)->bytes;
    while (x.len > 0 && is_blank(x.data[x.len - 1])) {
        x.len--;
    }
    while (x.len > 0 && is_blank(x.data[0])) {
        x.data++;
        x.len--;
    }
    return sm_out_bytes(out, x.data, x.len);
}

sm_status sm_bind_trim(sm_keycompile *c, sm_node *node, sm_error *err)
{
    (void)c;
    (void)err;
    sm_key_result(node, SM_TYPE_TEXT, 0, node->args[0]->max_width);
    node->charset = node->args[0]->charset;
    node->run = run_trim;
    return SM_OK;
}

static sm_reject run_digits(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_bytes x = sm_arg(ev, op, 0)->bytes;
    uint8_t *p = sm_eval_take(ev, x.len);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    size_t len = 0;
    for (size_t i = 0; i < x.len; i++) {
        p[len] = x.data[i];
        len += x.data[i] >= '0' && x.data[i] <= '9';
    }
    sm_eval_untake(ev, x.len - len);
    return sm_out_bytes(out, p, len);
}

sm_status sm_bind_digits(sm_keycompile *c, sm_node *node, sm_error *err)
{
    (void)c;
    (void)err;
    sm_key_result(node, SM_TYPE_TEXT, 0, node->args[0]->max_width);
    node->charset = SM_CHARSET_DIGITS;
    node->run = run_digits;
    return SM_OK;
}

/* ---- text, concat, default ------------------------------------------------------------------- */

static sm_reject run_text(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_bytes x = sm_arg(ev, op, 0)->bytes;
    return sm_out_bytes(out, x.data, x.len);
}

sm_status sm_bind_text(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_node *x = node->args[0];
    if (x->kind != SM_NODE_FIELD) {
        return sm_key_fail(c, x->at, err,
                           "text() gives a field as it stood in the input; this is no field");
    }
    const bool is_text = x->type == SM_TYPE_TEXT;
    sm_key_result(node, SM_TYPE_TEXT, x->min_width, SM_WIDTH_UNKNOWN);
    node->charset = is_text ? x->charset : SM_CHARSET_ANY;
    node->run = run_text;
    return SM_OK;
}

sm_status sm_bind_concat(sm_keycompile *c, sm_node *node, sm_error *err)
{
    node->kind = SM_NODE_CONCAT;
    return sm_key_type_concat(c, node, err);
}

sm_status sm_bind_default(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_node *x = node->args[0];
    sm_node *y = node->args[1];
    /* A time's default is written as a text, as in comparisons. */
    if (x->type == SM_TYPE_TIME && y->kind == SM_NODE_TEXT) {
        const sm_status st = sm_key_time_literal(c, y, err);
        if (st != SM_OK) {
            return st;
        }
    }
    const bool x_bytes = x->type == SM_TYPE_TEXT || x->type == SM_TYPE_BYTES;
    const bool y_bytes = y->type == SM_TYPE_TEXT || y->type == SM_TYPE_BYTES;
    if (x->type != y->type && !(x_bytes && y_bytes)) {
        return sm_key_fail(c, y->at, err, "default() needs two values of one type, found %s and %s",
                           sm_key_type_phrase(x->type), sm_key_type_phrase(y->type));
    }
    const size_t most = x->max_width > y->max_width ? x->max_width : y->max_width;
    sm_key_result(node, x->type == y->type ? x->type : SM_TYPE_BYTES,
                  least(x->min_width, y->min_width), most);
    node->charset = x->charset < y->charset ? x->charset : y->charset;
    node->kind = SM_NODE_DEFAULT;
    return SM_OK;
}
