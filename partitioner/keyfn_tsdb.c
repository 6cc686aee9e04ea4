/* SPDX-License-Identifier: Apache-2.0 */
/* OpenTSDB 2.4's rows and cells, as far as they differ from plain ids and times.
 *
 *   row        [salt] metric id | base hour, u32 s | tag name id, tag value id | ...   by name id
 *   qualifier  2 bytes: seconds in the hour << 4 | flags
 *              4 bytes: 1111 | ms in the hour (22 bits) << 6 | 00 | flags
 *   flags      8: floating point; low 3 bits: bytes of the value minus 1
 *   value      a whole number in 1, 2, 4 or 8 bytes, the fewest; a float or a double */
#include "core/endian.h"
#include "core/number.h"
#include "partitioner/keyuid.h"
#include "partitioner/tsdb_name.h"

#include <math.h>

enum {
    TAGS_MAX = 8, /* Const.MAX_NUM_TAGS */
    HOUR_S = 3600,
    HOUR_MS = HOUR_S * 1000,
    FLAG_FLOAT = 8,
    FLAG_BITS = 4,
    MS_FLAG_BITS = 6
};

static const uint32_t MS_FLAG = 0xF0000000U;

/* ---- tags ------------------------------------------------------------------------------------ */

typedef struct tags {
    const sm_uid_dictionary *keys, *values;
    unsigned width;
} tags;

/* Pairs are few: insertion sort, in place. A pair is two ids; the name's id decides. */
static void sort_pairs(uint8_t *pairs, size_t count, unsigned width)
{
    const size_t size = 2 * (size_t)width;
    uint8_t moved[2 * SM_UID_WIDTH_MAX];
    for (size_t i = 1; i < count; i++) {
        size_t at = i;
        memcpy(moved, pairs + i * size, size);
        while (at > 0 && memcmp(pairs + (at - 1) * size, moved, width) > 0) {
            memcpy(pairs + at * size, pairs + (at - 1) * size, size);
            at--;
        }
        memcpy(pairs + at * size, moved, size);
    }
}

static sm_reject run_tags(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const tags *t = op->data;
    const size_t size = 2 * (size_t)t->width;
    uint8_t *p = sm_eval_take(ev, size * op->arg_count / 2);
    size_t count = 0;
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    for (uint32_t i = 0; i + 1 < op->arg_count; i += 2) {
        const sm_value *value = sm_arg(ev, op, i + 1);
        if (value->is_null || value->bytes.len == 0) {
            continue;
        }
        uint8_t *pair = p + count++ * size;
        sm_reject code = sm_put_uid(ev, op, t->keys, sm_arg(ev, op, i)->bytes, t->width, pair);
        if (code == SM_REJECT_NONE) {
            code = sm_put_uid(ev, op, t->values, value->bytes, t->width, pair + t->width);
        }
        if (code != SM_REJECT_NONE) {
            return code;
        }
    }
    sm_eval_untake(ev, size * op->arg_count / 2 - size * count);
    if (count == 0) {
        const sm_value nothing = {.is_null = true};
        return sm_eval_reject(ev, op, SM_REJECT_NO_TAG, &nothing);
    }
    sort_pairs(p, count, t->width);
    return sm_out_bytes(out, p, size * count);
}

static sm_status check_pairs(const sm_keycompile *c, const sm_node *node, sm_error *err)
{
    if (node->arg_count % 2 != 0) {
        return sm_key_fail(c, node->args[node->arg_count - 1]->at, err,
                           "tsdb_tags() takes pairs of a name and a value, and this one has none: "
                           "tsdb_tags(\"host\", host, \"dc\", dc)");
    }
    if (node->arg_count > 2 * TAGS_MAX) {
        return sm_key_fail(c, node->args[2 * TAGS_MAX]->at, err,
                           "OpenTSDB takes 1 to %d tags, found %zu", TAGS_MAX, node->arg_count / 2);
    }
    for (size_t i = 0; i < node->arg_count; i += 2) {
        if (node->args[i]->kind != SM_NODE_TEXT || node->args[i]->text.len == 0) {
            return sm_key_fail(c, node->args[i]->at, err,
                               "the name of a tag is a \"text\", such as \"host\"");
        }
        for (size_t k = 0; k < i; k += 2) {
            if (sm_bytes_equal(node->args[i]->text, node->args[k]->text)) {
                return sm_key_fail(c, node->args[i]->at, err,
                                   "the tag \"%.*s\" stands twice; each is written once",
                                   (int)node->args[i]->text.len,
                                   (const char *)node->args[i]->text.data);
            }
        }
    }
    return SM_OK;
}

/* The row does not depend on the order in which tags are given, so the rule's spelling does not
 * either. */
static void order_pairs(sm_node *node)
{
    for (size_t i = 2; i < node->arg_count; i += 2) {
        for (size_t at = i;
             at > 0 && sm_bytes_compare(node->args[at - 2]->text, node->args[at]->text) > 0;
             at -= 2) {
            for (size_t k = at; k < at + 2; k++) {
                sm_node *moved = node->args[k];
                node->args[k] = node->args[k - 2];
                node->args[k - 2] = moved;
            }
        }
    }
}

/* A tag name that could never get an id would make a reject of every record. */
static sm_status check_tag_name(const sm_keycompile *c, const sm_node *name,
                                const sm_uid_dictionary *keys, sm_error *err)
{
    if (sm_tsdb_name_allowed(name->text) || sm_uid_of(keys, name->text) != 0) {
        return SM_OK;
    }
    return sm_key_fail(c, name->at, err,
                       "OpenTSDB does not take this tag name: letters of ISO-8859-1, digits and "
                       "- _ . / may stand in it");
}

sm_status sm_bind_tsdb_tags(sm_keycompile *c, sm_node *node, sm_error *err)
{
    tags *t = sm_arena_array(c->context->arena, 1, sizeof *t);
    sm_uid_dictionary *keys = NULL;
    sm_uid_dictionary *values = NULL;
    sm_status st = t == NULL ? sm_key_fail_memory(c, err) : check_pairs(c, node, err);
    if (st == SM_OK) {
        order_pairs(node);
        st = sm_key_const_range(c, node, "width", 1, SM_UID_WIDTH_MAX, err);
    }
    if (st != SM_OK) {
        return st;
    }
    t->width = (unsigned)sm_key_const(node, "width")->number;
    st = sm_key_dictionary(c, node, "keys", t->width, &keys, err);
    if (st == SM_OK) {
        st = sm_key_dictionary(c, node, "values", t->width, &values, err);
    }
    if (st != SM_OK) {
        return st;
    }
    t->keys = keys;
    t->values = values;
    keys->opentsdb = true;
    values->opentsdb = true;
    for (size_t i = 0; st == SM_OK && i < node->arg_count; i += 2) {
        st = check_tag_name(c, node->args[i], keys, err);
        const sm_node *value = node->args[i + 1];
        node->field = node->field < 0 ? value->field : node->field;
    }
    if (st != SM_OK) {
        return st;
    }
    sm_key_result(node, SM_TYPE_BYTES, 2 * (size_t)t->width, t->width * node->arg_count);
    node->run = run_tags;
    node->data = t;
    return sm_key_expect(c, node, err, "names that %s and %s hold", keys->path, values->path);
}

/* ---- numbers --------------------------------------------------------------------------------- */

typedef struct number {
    bool is_float;
    size_t size; /* 1, 2, 4, 8 */
    uint64_t bits;
} number;

static size_t least_size(int64_t v)
{
    return v == (int8_t)v ? 1 : v == (int16_t)v ? 2 : v == (int32_t)v ? 4 : 8;
}

/* As OpenTSDB's put reads a text: no dot and no exponent make it a whole number. */
static bool looks_whole(sm_bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        const uint8_t c = text.data[i];
        if (c == '.' || c == 'e' || c == 'E') {
            return false;
        }
    }
    return text.len > 0;
}

static void take_whole(int64_t v, number *out)
{
    *out = (number){.size = least_size(v), .bits = (uint64_t)v};
}

static void take_real(double real, number *out)
{
    const float narrow = (float)real;
    out->is_float = true;
    if ((double)narrow == real) {
        uint32_t bits = 0;
        memcpy(&bits, &narrow, sizeof bits);
        out->bits = bits;
        out->size = sizeof narrow;
        return;
    }
    memcpy(&out->bits, &real, sizeof real);
    out->size = sizeof real;
}

static sm_reject take_number(sm_eval *ev, const sm_op *op, uint32_t arg, sm_type type, number *out)
{
    const sm_value *v = sm_arg(ev, op, arg);
    int64_t whole = v->number;
    *out = (number){0};
    if (type != SM_TYPE_INT && looks_whole(v->bytes) && !sm_parse_int(v->bytes, &whole)) {
        return sm_eval_reject(ev, op, SM_REJECT_NUMBER_RANGE, v);
    }
    if (type == SM_TYPE_INT || looks_whole(v->bytes)) {
        take_whole(whole, out);
        return SM_REJECT_NONE;
    }
    if (!isfinite(v->real)) {
        return sm_eval_reject(ev, op, SM_REJECT_NOT_A_NUMBER, v);
    }
    take_real(v->real, out);
    return SM_REJECT_NONE;
}

static sm_reject run_value(sm_eval *ev, const sm_op *op, sm_value *out)
{
    number n;
    uint8_t wide[8];
    const sm_reject code = take_number(ev, op, 0, (sm_type)op->k[0], &n);
    if (code != SM_REJECT_NONE) {
        return code;
    }
    uint8_t *p = sm_eval_take(ev, n.size);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    sm_store_be64(wide, n.bits);
    memcpy(p, wide + sizeof wide - n.size, n.size);
    return sm_out_bytes(out, p, n.size);
}

sm_status sm_bind_tsdb_value(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_key_result(node, SM_TYPE_BYTES, 1, 8);
    node->run = run_value;
    node->k[0] = node->args[0]->type;
    return sm_key_expect(c, node, err, "a finite number; a whole one in 64 bits");
}

/* ---- qualifiers ------------------------------------------------------------------------------ */

enum { UNIT_AUTO, UNIT_S, UNIT_MS };

static sm_reject run_qualifier(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *t = sm_arg(ev, op, 0);
    number n;
    if (t->number < 0) {
        return sm_eval_reject(ev, op, SM_REJECT_NEGATIVE_TIME, t);
    }
    const sm_reject code = take_number(ev, op, 1, (sm_type)op->k[1], &n);
    if (code != SM_REJECT_NONE) {
        return code;
    }
    const uint32_t offset = (uint32_t)(t->number % HOUR_MS);
    const uint32_t flags = (uint32_t)(n.size - 1) | (n.is_float ? FLAG_FLOAT : 0);
    const bool ms = op->k[0] == UNIT_MS || (op->k[0] == UNIT_AUTO && offset % 1000 != 0);
    const size_t size = ms ? 4 : 2;
    uint8_t *p = sm_eval_take(ev, size);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    if (ms) {
        sm_store_be32(p, MS_FLAG | offset << MS_FLAG_BITS | flags);
    } else {
        sm_store_be16(p, (uint16_t)(offset / 1000 << FLAG_BITS | flags));
    }
    return sm_out_bytes(out, p, size);
}

sm_status sm_bind_tsdb_qualifier(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const int64_t unit = sm_key_const(node, "unit")->number;
    sm_key_result(node, SM_TYPE_BYTES, unit == UNIT_MS ? 4 : 2, unit == UNIT_S ? 2 : 4);
    node->run = run_qualifier;
    node->k[0] = unit;
    node->k[1] = node->args[1]->type;
    return sm_key_expect(c, node, err, "a time from 1970 on and a finite number");
}
