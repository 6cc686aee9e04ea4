/* SPDX-License-Identifier: Apache-2.0 */
/* Runs programs: the blocks that results lie in, the control ops, and the words for rejects. */
#include "core/escape.h"
#include "core/mem.h"
#include "core/number.h"
#include "partitioner/keyfn.h"
#include "partitioner/keyprogram.h"

#include <stdio.h>

enum { BLOCK_SIZE = 65536 };

struct sm_eval_block {
    uint8_t *data;
    size_t size;
};

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Makes block `index` current with at least `size` bytes. Blocks behind the current one hold
 * nothing. */
static bool open_block(sm_eval *ev, size_t index, size_t size)
{
    if (index == ev->block_room) {
        const size_t room = index == 0 ? 4 : index * 2;
        void *grown = sm_realloc(ev->blocks, room * sizeof *ev->blocks);
        if (grown == NULL) {
            return false;
        }
        ev->blocks = grown;
        ev->block_room = room;
    }
    if (index == ev->block_count) {
        ev->blocks[index] = (struct sm_eval_block){NULL, 0};
        ev->block_count++;
    }
    struct sm_eval_block *b = &ev->blocks[index];
    if (b->size < size || b->data == NULL) {
        const size_t wanted = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        sm_free(b->data);
        b->data = sm_malloc(wanted);
        b->size = b->data == NULL ? 0 : wanted;
        if (b->data == NULL) {
            return false;
        }
    }
    ev->current = index;
    ev->top = b->data;
    ev->end = b->data + b->size;
    return true;
}

uint8_t *sm_eval_take_slow(sm_eval *ev, size_t size)
{
    if (size > ev->maximum) {
        ev->larger = size;
        return NULL;
    }
    if (!open_block(ev, ev->current + 1, size)) {
        ev->no_memory = true;
        return NULL;
    }
    uint8_t *p = ev->top;
    ev->top += size;
    return p;
}

sm_status sm_eval_new(size_t maximum, sm_eval **out, sm_error *err)
{
    void *p = NULL;
    *out = NULL;
    sm_status st = sm_new(sizeof(sm_eval), "the evaluation of keys", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_eval *ev = p;
    ev->maximum = maximum;
    ev->blame = -1;
    st = sm_hasher_new(&ev->hasher, err);
    if (st == SM_OK && !open_block(ev, 0, BLOCK_SIZE)) {
        st = sm_fail_memory(err, BLOCK_SIZE, "the evaluation of keys");
    }
    if (st != SM_OK) {
        sm_eval_free(ev);
        return st;
    }
    *out = ev;
    return SM_OK;
}

void sm_eval_free(sm_eval *ev)
{
    if (ev == NULL) {
        return;
    }
    for (size_t i = 0; i < ev->block_count; i++) {
        sm_free(ev->blocks[i].data);
    }
    sm_free(ev->blocks);
    sm_free(ev->slots);
    sm_hasher_free(ev->hasher);
    sm_free(ev);
}

void sm_eval_reset(sm_eval *ev)
{
    ev->current = 0;
    ev->top = ev->blocks[0].data;
    ev->end = ev->top + ev->blocks[0].size;
}

void sm_eval_collect_uids(sm_eval *ev, struct sm_uid_notes *notes)
{
    ev->uid_notes = notes;
}

sm_status sm_eval_status(const sm_eval *ev, sm_error *err)
{
    return ev->no_memory ? sm_fail_memory(err, ev->maximum, "the evaluation of keys") : SM_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool grow_slots(sm_eval *ev, size_t count)
{
    sm_value *grown = sm_realloc(ev->slots, count * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    memset(grown + ev->slot_room, 0, (count - ev->slot_room) * sizeof *grown);
    ev->slots = grown;
    ev->slot_room = count;
    return true;
}

static sm_reject too_large(sm_eval *ev, const sm_node *node)
{
    ev->reject = SM_REJECT_CELL_SIZE;
    ev->blame = node->field;
    ev->blamed = node;
    return SM_REJECT_CELL_SIZE;
}

sm_reject sm_eval_full(sm_eval *ev, const sm_op *op)
{
    return too_large(ev, op->node);
}

sm_reject sm_expr_run(const sm_expr *e, sm_eval *ev, const sm_record *record, sm_value *out)
{
    const sm_program *p = e->program;
    ev->program = p;
    ev->record = record;
    if (SM_UNLIKELY(ev->slot_room <= p->slot_count) && !grow_slots(ev, p->slot_count + 1)) {
        ev->no_memory = true;
        return too_large(ev, e->root);
    }
    ev->bases[SM_OPERAND_FIELD] = record->values;
    ev->bases[SM_OPERAND_SLOT] = ev->slots;
    ev->bases[SM_OPERAND_CONSTANT] = p->constants;
    for (ev->next = 0; ev->next < p->op_count;) {
        const sm_op *op = &p->ops[ev->next++];
        const sm_reject r = op->run(ev, op, &ev->slots[op->out]);
        if (SM_UNLIKELY(r != SM_REJECT_NONE)) {
            return r;
        }
    }
    *out = ev->bases[p->result >> SM_OPERAND_SHIFT][p->result & SM_OPERAND_INDEX];
    const bool has_bytes = e->root->type == SM_TYPE_TEXT || e->root->type == SM_TYPE_BYTES;
    if (SM_LIKELY(!has_bytes || out->bytes.len <= ev->maximum)) {
        return SM_REJECT_NONE;
    }
    ev->larger = out->bytes.len;
    return too_large(ev, e->root);
}

sm_reject sm_expr_test(const sm_expr *e, sm_eval *ev, const sm_record *record, bool *out)
{
    sm_value v = {0};
    const sm_reject r = sm_expr_run(e, ev, record, &v);
    *out = r == SM_REJECT_NONE && !v.is_null && v.number != 0;
    return r;
}

/* ---- fields and nulls ------------------------------------------------------------------------ */

sm_reject sm_run_check_text(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    (void)out;
    if (SM_UNLIKELY(v->is_null)) {
        return sm_eval_reject(ev, op, SM_REJECT_NULL_PART, NULL);
    }
    return SM_LIKELY(v->bytes.len > 0) ? SM_REJECT_NONE
                                       : sm_eval_reject(ev, op, SM_REJECT_EMPTY_PART, NULL);
}

sm_reject sm_run_check_number(sm_eval *ev, const sm_op *op, sm_value *out)
{
    (void)out;
    return SM_UNLIKELY(sm_arg(ev, op, 0)->is_null)
               ? sm_eval_reject(ev, op, SM_REJECT_NULL_PART, NULL)
               : SM_REJECT_NONE;
}

sm_reject sm_run_null_if_empty(sm_eval *ev, const sm_op *op, sm_value *out)
{
    *out = *sm_arg(ev, op, 0);
    out->is_null |= out->bytes.len == 0;
    return SM_REJECT_NONE;
}

static sm_reject null_and_jump(sm_eval *ev, const sm_op *op, sm_value *out)
{
    *out = (sm_value){.is_null = true};
    ev->next = op->jump;
    return SM_REJECT_NONE;
}

sm_reject sm_run_guard(sm_eval *ev, const sm_op *op, sm_value *out)
{
    for (uint32_t i = 0; i < op->arg_count; i++) {
        if (sm_arg(ev, op, i)->is_null) {
            return null_and_jump(ev, op, out);
        }
    }
    return SM_REJECT_NONE;
}

sm_reject sm_run_keep(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    if (!v->is_null) {
        *out = *v;
        ev->next = op->jump;
    }
    return SM_REJECT_NONE;
}

sm_reject sm_run_keep_not_empty(sm_eval *ev, const sm_op *op, sm_value *out)
{
    return sm_arg(ev, op, 0)->bytes.len == 0 ? SM_REJECT_NONE : sm_run_keep(ev, op, out);
}

sm_reject sm_run_move(sm_eval *ev, const sm_op *op, sm_value *out)
{
    *out = *sm_arg(ev, op, 0);
    return SM_REJECT_NONE;
}

sm_reject sm_run_result_not_empty(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_value *v = sm_arg(ev, op, 0);
    (void)out;
    return v->is_null || v->bytes.len > 0 ? SM_REJECT_NONE
                                          : sm_eval_reject(ev, op, SM_REJECT_EMPTY_PART, NULL);
}

/* ---- concatenation --------------------------------------------------------------------------- */

sm_reject sm_run_concat(sm_eval *ev, const sm_op *op, sm_value *out)
{
    (void)op;
    return sm_out_bytes(out, ev->top, 0);
}

/* The concatenation lies in another block than the one in use, or that one is full. */
static sm_reject append_elsewhere(sm_eval *ev, const sm_op *op, sm_value *out, sm_bytes part)
{
    const size_t total = out->bytes.len + part.len;
    uint8_t *p = sm_eval_take(ev, total);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    if (out->bytes.len > 0) {
        memcpy(p, out->bytes.data, out->bytes.len);
    }
    memcpy(p + out->bytes.len, part.data, part.len);
    return sm_out_bytes(out, p, total);
}

sm_reject sm_run_part(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_bytes part = sm_arg(ev, op, 0)->bytes;
    if (part.len == 0) {
        return SM_REJECT_NONE;
    }
    const struct sm_eval_block *b = &ev->blocks[ev->current];
    const size_t offset = (size_t)((uintptr_t)out->bytes.data - (uintptr_t)b->data);
    const size_t total = out->bytes.len + part.len;
    if (SM_UNLIKELY(total > ev->maximum)) {
        ev->larger = total;
        return sm_eval_full(ev, op);
    }
    if (SM_UNLIKELY(offset > b->size || total > b->size - offset)) {
        return append_elsewhere(ev, op, out, part);
    }
    uint8_t *to = b->data + offset + out->bytes.len;
    if (part.data != to) {
        memmove(to, part.data, part.len);
    }
    ev->top = to + part.len;
    out->bytes.len = total;
    return SM_REJECT_NONE;
}

sm_reject sm_run_part_not_empty(sm_eval *ev, const sm_op *op, sm_value *out)
{
    return SM_LIKELY(sm_arg(ev, op, 0)->bytes.len > 0)
               ? sm_run_part(ev, op, out)
               : sm_eval_reject(ev, op, SM_REJECT_EMPTY_PART, NULL);
}

sm_reject sm_run_part_or_null(sm_eval *ev, const sm_op *op, sm_value *out)
{
    return sm_arg(ev, op, 0)->is_null ? null_and_jump(ev, op, out) : sm_run_part(ev, op, out);
}

/* ---- logic ----------------------------------------------------------------------------------- */

sm_reject sm_run_and(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const bool yes = sm_arg(ev, op, 0)->number != 0;
    ev->next = yes ? ev->next : op->jump;
    return sm_out_number(out, yes);
}

sm_reject sm_run_or(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const bool yes = sm_arg(ev, op, 0)->number != 0;
    ev->next = yes ? op->jump : ev->next;
    return sm_out_number(out, yes);
}

sm_reject sm_run_not(sm_eval *ev, const sm_op *op, sm_value *out)
{
    return sm_out_number(out, sm_arg(ev, op, 0)->number == 0);
}

/* ---- rejects --------------------------------------------------------------------------------- */

static void note_found(sm_eval *ev, sm_type type, const sm_value *found)
{
    ev->found[0] = '\0';
    ev->found_size = 0;
    ev->found_type = type;
    if (found == NULL) {
        return;
    }
    ev->found_size = found->bytes.len;
    if (type == SM_TYPE_TEXT || type == SM_TYPE_BYTES || found->bytes.len > 0) {
        (void)sm_escape_short(found->bytes, ev->found, sizeof ev->found);
        return;
    }
    char number[24];
    const size_t len = sm_print_int(found->number, number);
    (void)snprintf(ev->found, sizeof ev->found, "%.*s", (int)len, number);
}

sm_reject sm_eval_reject(sm_eval *ev, const sm_op *op, sm_reject code, const sm_value *found)
{
    const sm_node *n = op->node;
    ev->reject = code;
    ev->blame = n->field;
    ev->blamed = n;
    note_found(ev, n->arg_count > 0 ? n->args[0]->type : n->type, found);
    return code;
}

static void describe_found(const sm_eval *ev, const char *name, char *text, size_t size)
{
    const sm_node *n = ev->blamed;
    char measure[32] = "";
    if (ev->found_type == SM_TYPE_TEXT || ev->found_type == SM_TYPE_BYTES) {
        (void)snprintf(measure, sizeof measure, " (%zu bytes)", ev->found_size);
    }
    (void)snprintf(text, size, "%s: found %s%s, %s%s%s", name, ev->found, measure,
                   n->fn != NULL ? n->fn->name : "", n->fn != NULL ? "() expects " : "expected ",
                   n->expected != NULL ? n->expected : sm_reject_sentence(ev->reject));
}

int sm_eval_blame(const sm_eval *ev, char *text, size_t size)
{
    if (size == 0) {
        return ev->blame;
    }
    text[0] = '\0';
    if (ev->reject == SM_REJECT_NONE) {
        return -1;
    }
    const char *name = ev->blame >= 0 ? ev->program->schema->fields[ev->blame].name : "a literal";
    switch (ev->reject) {
    case SM_REJECT_NULL_PART:
    case SM_REJECT_EMPTY_PART:
        (void)snprintf(text, size,
                       "%s gives %s part of the key; expected a value, or default(...) around it",
                       name, ev->reject == SM_REJECT_NULL_PART ? "a null" : "an empty");
        break;
    case SM_REJECT_CELL_SIZE:
        (void)snprintf(text, size,
                       "%s: the value is %zu bytes, at most %zu are allowed (limits.cell)", name,
                       ev->larger, ev->maximum);
        break;
    case SM_REJECT_NO_TAG:
        (void)snprintf(text, size, "all tags are null or empty; expected a value for one of them");
        break;
    default: describe_found(ev, name, text, size); break;
    }
    return ev->blame;
}
