/* SPDX-License-Identifier: Apache-2.0 */
/* salt_byte(n, ...): one byte in front of a key, 0 ... n - 1, as systems put it there that look for
 * their rows by it. OpenTSDB (RowKey.prefixKeyWithSalt) and Phoenix (SaltingUtil) both take the
 * absolute value of Arrays.hashCode mod n, which Java rounds towards 0. With another hash it is the
 * number that salt() prints. */
#include "core/hash.h"
#include "partitioner/keyfn.h"

enum { SALT_BYTES_MAX = 256 };

/* java.util.Arrays.hashCode(byte[]): bytes are signed, the sum wraps. */
static int32_t arrays_hash(sm_bytes bytes)
{
    uint32_t hash = 1;
    for (size_t i = 0; i < bytes.len; i++) {
        hash = 31 * hash + (uint32_t)(int32_t)(int8_t)bytes.data[i];
    }
    return (int32_t)hash;
}

static sm_reject run_salt_byte(sm_eval *ev, const sm_op *op, sm_value *out)
{
    uint8_t *p = sm_eval_take(ev, 1);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    const int32_t rest = arrays_hash(sm_arg(ev, op, 0)->bytes) % (int32_t)op->k[0];
    p[0] = (uint8_t)(rest < 0 ? -rest : rest);
    return sm_out_bytes(out, p, 1);
}

/* k[1]: the hash. */
static sm_reject run_digest_byte(sm_eval *ev, const sm_op *op, sm_value *out)
{
    uint8_t *p = sm_eval_take(ev, 1);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    const sm_bytes input = sm_arg(ev, op, 0)->bytes;
    p[0] = (uint8_t)sm_hash_mod(ev->hasher, (sm_hash_kind)op->k[1], input, (uint32_t)op->k[0]);
    return sm_out_bytes(out, p, 1);
}

sm_status sm_bind_salt_byte(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_status st = sm_key_const_range(c, node, "n", 1, SALT_BYTES_MAX, err);
    if (st == SM_OK) {
        st = sm_key_join_args(c, node, err);
    }
    sm_hash_kind kind = SM_HASH_MURMUR3;
    const bool digest = sm_hash_named(sm_key_const(node, "hash")->text, &kind);
    node->k[0] = sm_key_const(node, "n")->number;
    node->k[1] = kind;
    node->run = digest ? run_digest_byte : run_salt_byte;
    sm_key_result(node, SM_TYPE_BYTES, 1, 1);
    return st;
}
