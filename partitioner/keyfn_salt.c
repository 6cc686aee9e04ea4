/* SPDX-License-Identifier: Apache-2.0 */
/* salt(n, ...): a hash mod n as zero-padded decimal, as wide as n - 1.
 *
 * A digest is one unsigned big-endian number, whatever its length. Java's three habits act on the
 * signed 32-bit hashCode h:
 *
 *   java_floormod   Math.floorMod(h, n)
 *   java_mask       (h & 0x7fffffff) % n
 *   java_abs        Math.abs(h) % n, printed as String.format("%0<width>d") prints it. For the one
 * h whose abs is negative (-2^31) the result is negative too: "-248" for n = 300, "-8" for n = 10;
 * those who wrote their tables so find their rows. */
#include "core/endian.h"
#include "core/hash.h"
#include "core/number.h"
#include "partitioner/keyjava.h"

enum { SALTS_MAX = 1000000000 };

/* In the order of the words in the signature, behind the hashes. */
typedef enum java_habit { FLOORMOD, ABS, MASK } java_habit;

typedef struct salt {
    sm_hash_kind kind;
    java_habit habit;
    sm_java_hash_fn java;
    uint32_t n;
    uint32_t width;
} salt;

static sm_reject print_salt(sm_eval *ev, const sm_op *op, uint32_t value, sm_value *out)
{
    const salt *s = op->data;
    uint8_t *p = sm_eval_take(ev, s->width);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    for (uint32_t i = s->width; i-- > 0;) {
        p[i] = (uint8_t)('0' + value % 10);
        value /= 10;
    }
    return sm_out_bytes(out, p, s->width);
}

static sm_reject run_murmur3(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const salt *s = op->data;
    return print_salt(ev, op, sm_murmur3(sm_arg(ev, op, 0)->bytes, 0) % s->n, out);
}

static sm_reject run_digest(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const salt *s = op->data;
    const uint32_t rest = sm_hash_mod(ev->hasher, s->kind, sm_arg(ev, op, 0)->bytes, s->n);
    return print_salt(ev, op, rest, out);
}

/* "%0<width>d" of a negative number: the sign counts as one of the places. */
static sm_reject print_negative(sm_eval *ev, const sm_op *op, uint32_t magnitude, sm_value *out)
{
    const salt *s = op->data;
    char digits[20];
    const size_t len = sm_print_uint(magnitude, digits);
    const size_t size = len + 1 > s->width ? len + 1 : s->width;
    uint8_t *p = sm_eval_take(ev, size);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    memset(p, '0', size);
    p[0] = '-';
    memcpy(p + size - len, digits, len);
    return sm_out_bytes(out, p, size);
}

static sm_reject run_java(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const salt *s = op->data;
    const sm_value *v = sm_arg(ev, op, 0);
    int32_t h = 0;
    if (!s->java(v, &h)) {
        return sm_eval_reject(ev, op, SM_REJECT_NOT_UTF8, v);
    }
    const uint32_t magnitude = h < 0 ? 0U - (uint32_t)h : (uint32_t)h;
    switch (s->habit) {
    case MASK: return print_salt(ev, op, ((uint32_t)h & 0x7fffffffU) % s->n, out);
    case ABS:
        if (h == INT32_MIN && magnitude % s->n != 0) {
            return print_negative(ev, op, magnitude % s->n, out);
        }
        return print_salt(ev, op, magnitude % s->n, out);
    case FLOORMOD: break;
    }
    const uint32_t rest = magnitude % s->n;
    return print_salt(ev, op, h < 0 && rest != 0 ? s->n - rest : rest, out);
}

static sm_status check_bytes(const sm_keycompile *c, const sm_node *node, sm_error *err)
{
    char encoders[200];
    const char *name = NULL;
    for (size_t i = 0; i < node->arg_count; i++) {
        const sm_node *arg = node->args[i];
        if (arg->type != SM_TYPE_TEXT && arg->type != SM_TYPE_BYTES) {
            const int n = sm_key_called(arg, &name);
            return sm_key_fail(c, arg->at, err,
                               "salt() hashes bytes, but %.*s is %s%s, or one of Java's hashes", n,
                               name, sm_key_type_phrase(arg->type),
                               sm_key_encoders(arg, c->use, encoders, sizeof encoders));
        }
    }
    return SM_OK;
}

static sm_status bind_java(const sm_keycompile *c, sm_node *node, salt *s, sm_error *err)
{
    const sm_status st = sm_java_check(c, node, err);
    if (st != SM_OK) {
        return st;
    }
    s->java = sm_java_hash_of(node->args[0]->type);
    s->habit = (java_habit)(sm_key_const(node, "hash")->number - SM_HASH_KINDS);
    node->run = run_java;
    if (s->habit == ABS) {
        node->max_width = s->width + 1;
        node->charset = SM_CHARSET_ASCII;
    }
    return SM_OK;
}

sm_status sm_bind_salt(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_status st = sm_key_const_range(c, node, "n", 1, SALTS_MAX, err);
    salt *s = sm_arena_array(c->context->arena, 1, sizeof *s);
    if (st != SM_OK || s == NULL) {
        return st != SM_OK ? st : sm_key_fail_memory(c, err);
    }
    const sm_keyconst *hash = sm_key_const(node, "hash");
    char digits[20];
    s->n = (uint32_t)sm_key_const(node, "n")->number;
    s->width = (uint32_t)sm_print_uint(s->n - 1, digits);
    node->data = s;
    sm_key_result(node, SM_TYPE_TEXT, s->width, s->width);
    node->charset = SM_CHARSET_DIGITS;
    if (!sm_hash_named(hash->text, &s->kind)) {
        return bind_java(c, node, s, err);
    }
    st = check_bytes(c, node, err);
    if (st == SM_OK) {
        st = sm_key_join_args(c, node, err);
    }
    node->run = s->kind == SM_HASH_MURMUR3 ? run_murmur3 : run_digest;
    return st;
}
