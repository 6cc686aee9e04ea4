/* SPDX-License-Identifier: Apache-2.0 */
/* Raw hashes, Java's hashCode as bytes, and `record`, the bytes that stand for a record's identity:
 *
 *   field*   in the order of input.identity
 *   field:   u32 length | bytes             length 0xFFFFFFFF and no bytes: null
 *   bytes:   text as it is; int and time 8 bytes big endian (ms since 1970); decimal its IEEE 754
 * bits, 8 bytes big endian, -0.0 as 0.0
 *
 * Lengths are big endian. Two records have equal bytes exactly when their identity fields are
 * equal. */
#include "core/endian.h"
#include "core/hash.h"
#include "partitioner/keyjava.h"

static sm_reject run_hash(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_hash_kind kind = (sm_hash_kind)op->k[0];
    uint8_t digest[SM_HASH_MAX_BYTES];
    sm_hash(ev->hasher, kind, sm_arg(ev, op, 0)->bytes, digest);
    uint8_t *p = sm_eval_take(ev, (size_t)op->k[1]);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    memcpy(p, digest, (size_t)op->k[1]);
    return sm_out_bytes(out, p, (size_t)op->k[1]);
}

static sm_status bind_hash(sm_keycompile *c, sm_node *node, sm_hash_kind kind, sm_error *err)
{
    const size_t size = sm_hash_size(kind);
    sm_key_result(node, SM_TYPE_BYTES, size, size);
    node->run = run_hash;
    node->k[0] = kind;
    node->k[1] = (int64_t)size;
    return sm_key_join_args(c, node, err);
}

sm_status sm_bind_murmur3(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_hash(c, node, SM_HASH_MURMUR3, err);
}

sm_status sm_bind_xxh3(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_hash(c, node, SM_HASH_XXH3, err);
}

sm_status sm_bind_xxh64(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_hash(c, node, SM_HASH_XXH64, err);
}

sm_status sm_bind_crc32(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_hash(c, node, SM_HASH_CRC32, err);
}

sm_status sm_bind_md5(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_hash(c, node, SM_HASH_MD5, err);
}

sm_status sm_bind_sha1(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_hash(c, node, SM_HASH_SHA1, err);
}

sm_status sm_bind_sha256(sm_keycompile *c, sm_node *node, sm_error *err)
{
    return bind_hash(c, node, SM_HASH_SHA256, err);
}

/* ---- java_hash ------------------------------------------------------------------------------- */

static sm_reject run_java_hash(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    int32_t h = 0;
    if (!sm_java_hash_of((sm_type)op->k[0])(v, &h)) {
        return sm_eval_reject(ev, op, SM_REJECT_NOT_UTF8, v);
    }
    uint8_t *p = sm_eval_take(ev, 4);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    sm_store_be32(p, (uint32_t)h);
    return sm_out_bytes(out, p, 4);
}

sm_status sm_bind_java_hash(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_key_result(node, SM_TYPE_BYTES, 4, 4);
    node->run = run_java_hash;
    node->k[0] = node->args[0]->type;
    return sm_java_check(c, node, err);
}

/* ---- record ---------------------------------------------------------------------------------- */

enum { LENGTH_SIZE = 4, NUMBER_SIZE = 8 };

static const uint32_t NULL_LENGTH = 0xFFFFFFFFU;

typedef struct identity {
    size_t count;
    struct {
        int field;
        sm_type type;
    } part[];
} identity;

static bool is_number(sm_type type)
{
    return type == SM_TYPE_INT || type == SM_TYPE_TIME || type == SM_TYPE_DECIMAL;
}

static uint64_t number_bits(const sm_value *v, sm_type type)
{
    if (type != SM_TYPE_DECIMAL) {
        return (uint64_t)v->number;
    }
    const double real = v->real + 0.0; /* -0.0 becomes 0.0 */
    uint64_t bits = 0;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static uint8_t *put_part(uint8_t *p, const sm_value *v, sm_type type)
{
    if (v->is_null) {
        sm_store_be32(p, NULL_LENGTH);
        return p + LENGTH_SIZE;
    }
    if (is_number(type)) {
        sm_store_be32(p, NUMBER_SIZE);
        sm_store_be64(p + LENGTH_SIZE, number_bits(v, type));
        return p + LENGTH_SIZE + NUMBER_SIZE;
    }
    sm_store_be32(p, (uint32_t)v->bytes.len);
    if (v->bytes.len > 0) {
        memcpy(p + LENGTH_SIZE, v->bytes.data, v->bytes.len);
    }
    return p + LENGTH_SIZE + v->bytes.len;
}

static sm_reject run_record(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const identity *id = op->data;
    const sm_value *values = ev->bases[SM_OPERAND_FIELD];
    size_t size = 0;
    for (size_t i = 0; i < id->count; i++) {
        const sm_value *v = &values[id->part[i].field];
        size += LENGTH_SIZE;
        if (!v->is_null) {
            size += is_number(id->part[i].type) ? NUMBER_SIZE : v->bytes.len;
        }
    }
    uint8_t *start = sm_eval_take(ev, size);
    if (start == NULL) {
        return sm_eval_full(ev, op);
    }
    uint8_t *p = start;
    for (size_t i = 0; i < id->count; i++) {
        p = put_part(p, &values[id->part[i].field], id->part[i].type);
    }
    return sm_out_bytes(out, start, size);
}

/* A record that nobody read, such as one that `key encode` makes up, has no place. */
static sm_reject run_row_number(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_place *place = &ev->record->place;
    const uint64_t order = sm_place_order(place);
    return place->line != 0 && order <= INT64_MAX
               ? sm_out_number(out, (int64_t)order)
               : sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, out);
}

sm_status sm_bind_row_number(sm_keycompile *c, sm_node *node, sm_error *err)
{
    if (c->context->numbers_rows != NULL) {
        *c->context->numbers_rows = true;
    }
    sm_key_result(node, SM_TYPE_INT, 0, 0);
    node->run = run_row_number;
    return sm_key_expect(c, node, err, "a record that was read from one of the first 2^19 inputs");
}

sm_status sm_bind_record(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_expr_context *x = c->context;
    if (x->identity_count == 0) {
        return sm_key_fail(c, node->at, err,
                           "record needs input.identity: [field, ...], the fields that tell one "
                           "record from another");
    }
    identity *id = sm_arena_get(x->arena, sizeof *id + x->identity_count * sizeof id->part[0]);
    if (id == NULL) {
        return sm_key_fail_memory(c, err);
    }
    id->count = x->identity_count;
    for (size_t i = 0; i < id->count; i++) {
        id->part[i].field = x->identity[i];
        id->part[i].type = x->schema->fields[x->identity[i]].type;
        if (x->fields_used != NULL) {
            x->fields_used[x->identity[i]] = true;
        }
    }
    sm_key_result(node, SM_TYPE_BYTES, LENGTH_SIZE * id->count, SM_WIDTH_UNKNOWN);
    node->run = run_record;
    node->data = id;
    return SM_OK;
}
