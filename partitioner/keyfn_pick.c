/* SPDX-License-Identifier: Apache-2.0 */
/* random() and pick(): parts that only spread. Without an argument to choose by they take the
 * record's identity and the job's seed, so that a rerun, or a file that is delivered twice, writes
 * the same keys:
 *
 *   random(n)            murmur3_x86_32(record, seed) mod n, in decimal, as wide as n - 1
 *   pick([a, b, ...])    item number murmur3_x86_32(record, seed) mod count
 *   pick([...], by: x)   item number murmur3_x86_32(x, 0) mod count, whoever knows x knows it */
#include "core/hash.h"
#include "core/number.h"
#include "partitioner/keyfn.h"

enum { RANDOMS_MAX = 1000000000 };

typedef struct choices {
    uint32_t seed;
    uint32_t count;
    sm_bytes item[];
} choices;

/* The record itself becomes the argument that nobody wrote. */
static sm_status take_record(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_node *record = NULL;
    if (c->context->identity_count == 0) {
        return sm_key_fail(c, node->at, err,
                           "%s() needs input.identity: [field, ...], the fields that tell one "
                           "record from another: the same record must get the same key again",
                           node->fn->name);
    }
    sm_status st = sm_node_new(c, SM_NODE_FIELD, node->at, &record, err);
    if (st != SM_OK) {
        return st;
    }
    record->text = sm_bytes_text("record");
    st = sm_key_type_node(c, record, err);
    record->implied = true;
    node->args[node->arg_count++] = record;
    node->field = c->context->identity[0];
    return st;
}

static sm_reject run_random(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const uint32_t n = (uint32_t)op->k[0];
    const uint32_t value = sm_murmur3(sm_arg(ev, op, 0)->bytes, (uint32_t)op->k[1]) % n;
    const size_t width = op->node->min_width;
    uint8_t *p = sm_eval_take(ev, width);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    (void)sm_print_padded(value, (unsigned)width, (char *)p);
    return sm_out_bytes(out, p, width);
}

sm_status sm_bind_random(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_status st = sm_key_const_range(c, node, "n", 1, RANDOMS_MAX, err);
    if (st == SM_OK) {
        st = take_record(c, node, err);
    }
    if (st != SM_OK) {
        return st;
    }
    char digits[20];
    node->k[0] = sm_key_const(node, "n")->number;
    node->k[1] = (int64_t)c->context->seed;
    const size_t width = sm_print_uint((uint64_t)node->k[0] - 1, digits);
    sm_key_result(node, SM_TYPE_TEXT, width, width);
    node->charset = SM_CHARSET_DIGITS;
    node->run = run_random;
    return SM_OK;
}

/* ---- pick ------------------------------------------------------------------------------------ */

static sm_reject run_pick(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const choices *list = op->data;
    const uint32_t i = sm_murmur3(sm_arg(ev, op, 0)->bytes, list->seed) % list->count;
    return sm_out_bytes(out, list->item[i].data, list->item[i].len);
}

/* Each item once: two equal ones would make a load that is not what the list says. */
static sm_status check_items(const sm_keycompile *c, const sm_node *list, sm_error *err)
{
    for (size_t i = 0; i < list->child_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (sm_bytes_equal(list->child[i]->text, list->child[k]->text)) {
                return sm_key_fail(c, list->child[i]->at, err, "this choice stands twice");
            }
        }
    }
    return SM_OK;
}

sm_status sm_bind_pick(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_node *list = sm_key_const(node, "choices")->at;
    choices *made =
        sm_arena_get(c->context->arena, sizeof *made + list->child_count * sizeof made->item[0]);
    if (made == NULL) {
        return sm_key_fail_memory(c, err);
    }
    sm_status st = check_items(c, list, err);
    made->seed = 0;
    if (st == SM_OK && node->arg_count == 0) {
        made->seed = (uint32_t)c->context->seed;
        st = take_record(c, node, err);
    }
    size_t low = SIZE_MAX;
    size_t high = 0;
    node->charset = SM_CHARSET_DIGITS;
    made->count = (uint32_t)list->child_count;
    for (size_t i = 0; i < list->child_count; i++) {
        const sm_node *item = list->child[i];
        made->item[i] = item->text;
        low = item->text.len < low ? item->text.len : low;
        high = item->text.len > high ? item->text.len : high;
        node->charset = item->charset < node->charset ? item->charset : node->charset;
    }
    sm_key_result(node, SM_TYPE_TEXT, low, high);
    node->run = run_pick;
    node->data = made;
    return st;
}
