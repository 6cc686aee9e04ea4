/* SPDX-License-Identifier: Apache-2.0 */
/* Typed tree -> flat program. What null and empty mean is settled here, so that functions never see
 * it: in keys a field is checked before its first use, elsewhere a null argument makes its call
 * null. */
#include "partitioner/keyprogram.h"

#include "partitioner/keyfn.h"

typedef struct emitter {
    sm_keycompile *c;
    sm_op *ops;
    size_t op_count, op_room;
    sm_value *constants;
    size_t constant_count, constant_room;
    uint32_t slots;
    bool *checked; /* by field: checked on every path to here */
    int branches;  /* > 0: what is emitted may be jumped over */
} emitter;

static sm_status emit(emitter *e, const sm_node *node, uint32_t *operand, sm_error *err)
    SM_MUST_CHECK;

static uint32_t operand_of(uint32_t base, size_t index)
{
    return base << SM_OPERAND_SHIFT | (uint32_t)index;
}

/* The array moved to one of twice the size when it is full. */
static void *with_room(emitter *e, void *old, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return old;
    }
    const size_t more = *room == 0 ? 16 : *room * 2;
    void *grown = sm_arena_array(e->c->context->arena, more, size);
    if (grown != NULL && count > 0) {
        memcpy(grown, old, count * size);
    }
    *room = more;
    return grown;
}

typedef struct op_plan {
    sm_op_run run;
    const sm_node *node;
    const uint32_t *args;
    size_t arg_count;
    uint32_t out;
} op_plan;

/* Appends an op; its index is e->op_count - 1 afterwards. */
static sm_status add_op(emitter *e, const op_plan *plan, sm_error *err)
{
    uint32_t *args = sm_arena_array(e->c->context->arena, plan->arg_count + 1, sizeof *args);
    e->ops = with_room(e, e->ops, e->op_count, &e->op_room, sizeof *e->ops);
    if (e->ops == NULL || args == NULL) {
        return sm_key_fail_memory(e->c, err);
    }
    for (size_t i = 0; i < plan->arg_count; i++) {
        args[i] = plan->args[i];
    }
    e->ops[e->op_count++] = (sm_op){.run = plan->run,
                                    .args = args,
                                    .arg_count = (uint32_t)plan->arg_count,
                                    .out = plan->out,
                                    .data = plan->node->data,
                                    .k = {plan->node->k[0], plan->node->k[1]},
                                    .node = plan->node};
    return SM_OK;
}

/* Ops from index `first` on that wait for a target go to here. */
static void land(emitter *e, size_t first)
{
    for (size_t i = first; i < e->op_count; i++) {
        if (e->ops[i].jump == UINT32_MAX) {
            e->ops[i].jump = (uint32_t)e->op_count;
        }
    }
}

static void wait_for_target(emitter *e)
{
    e->ops[e->op_count - 1].jump = UINT32_MAX;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static sm_status emit_literal(emitter *e, const sm_node *node, uint32_t *operand, sm_error *err)
{
    e->constants =
        with_room(e, e->constants, e->constant_count, &e->constant_room, sizeof *e->constants);
    if (e->constants == NULL) {
        return sm_key_fail_memory(e->c, err);
    }
    sm_value *v = &e->constants[e->constant_count];
    *v = (sm_value){.number = node->number, .real = node->real};
    if (node->kind == SM_NODE_TEXT) {
        v->bytes = node->text;
    }
    *operand = operand_of(SM_OPERAND_CONSTANT, e->constant_count++);
    return SM_OK;
}

static bool has_bytes(const sm_node *node)
{
    return node->type == SM_TYPE_TEXT || node->type == SM_TYPE_BYTES;
}

static sm_status emit_field(emitter *e, const sm_node *node, uint32_t *operand, sm_error *err)
{
    *operand = operand_of(SM_OPERAND_FIELD, (size_t)node->field);
    op_plan plan = {.node = node, .args = operand, .arg_count = 1, .out = 0};
    if (node->strict) {
        if (e->checked[node->field]) {
            return SM_OK;
        }
        e->checked[node->field] = e->branches == 0;
        plan.run = has_bytes(node) ? sm_run_check_text : sm_run_check_number;
        return add_op(e, &plan, err);
    }
    if (e->c->use != SM_USE_KEY || !has_bytes(node)) {
        return SM_OK;
    }
    plan.run = sm_run_null_if_empty;
    plan.out = e->slots++;
    const sm_status st = add_op(e, &plan, err);
    *operand = operand_of(SM_OPERAND_SLOT, plan.out);
    return st;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static sm_status emit_guard(emitter *e, const sm_node *node, const uint32_t *args, uint32_t out,
                            sm_error *err)
{
    const op_plan plan = {sm_run_guard, node, args, node->arg_count, out};
    const sm_status st = add_op(e, &plan, err);
    if (st == SM_OK) {
        wait_for_target(e);
    }
    return st;
}

static sm_status emit_call(emitter *e, const sm_node *node, uint32_t *operand, sm_error *err)
{
    uint32_t *args = sm_arena_array(e->c->context->arena, node->arg_count + 1, sizeof *args);
    if (args == NULL) {
        return sm_key_fail_memory(e->c, err);
    }
    for (size_t i = 0; i < node->arg_count; i++) {
        const sm_status st = emit(e, node->args[i], &args[i], err);
        if (st != SM_OK) {
            return st;
        }
    }
    const uint32_t out = e->slots++;
    *operand = operand_of(SM_OPERAND_SLOT, out);
    const size_t first = e->op_count;
    sm_status st = node->nullable ? emit_guard(e, node, args, out, err) : SM_OK;
    const op_plan plan = {node->run, node, args, node->arg_count, out};
    if (st == SM_OK) {
        st = add_op(e, &plan, err);
    }
    if (st == SM_OK) {
        land(e, first);
    }
    return st;
}

/* x; keep it and jump; y; move it */
static sm_status emit_default(emitter *e, const sm_node *node, uint32_t *operand, sm_error *err)
{
    const uint32_t out = e->slots++;
    *operand = operand_of(SM_OPERAND_SLOT, out);
    uint32_t x = 0;
    uint32_t y = 0;
    sm_status st = emit(e, node->args[0], &x, err);
    const size_t first = e->op_count;
    op_plan plan = {sm_run_keep, node, &x, 1, out};
    if (e->c->use == SM_USE_KEY && has_bytes(node)) {
        plan.run = sm_run_keep_not_empty;
    }
    if (st == SM_OK) {
        st = add_op(e, &plan, err);
    }
    if (st != SM_OK) {
        return st;
    }
    wait_for_target(e);
    e->branches++;
    st = emit(e, node->args[1], &y, err);
    e->branches--;
    plan.run = sm_run_move;
    plan.args = &y;
    if (st == SM_OK) {
        st = add_op(e, &plan, err);
    }
    if (st == SM_OK) {
        land(e, first);
    }
    return st;
}

/* ---- concatenation --------------------------------------------------------------------------- */

static bool may_be_empty(const sm_node *part)
{
    return part->min_width == 0 && part->kind != SM_NODE_TEXT && part->kind != SM_NODE_DEFAULT;
}

static sm_status emit_part(emitter *e, const sm_node *concat, const sm_node *part, uint32_t out,
                           sm_error *err)
{
    uint32_t operand = 0;
    sm_status st = emit(e, part, &operand, err);
    op_plan plan = {sm_run_part, part, &operand, 1, out};
    if (part->nullable) {
        plan.run = sm_run_part_or_null;
    } else if (concat->strict && may_be_empty(part)) {
        plan.run = sm_run_part_not_empty;
    }
    if (st == SM_OK) {
        st = add_op(e, &plan, err);
    }
    if (st == SM_OK && part->nullable) {
        wait_for_target(e);
    }
    return st;
}

static sm_status emit_concat(emitter *e, const sm_node *node, uint32_t *operand, sm_error *err)
{
    const uint32_t out = e->slots++;
    *operand = operand_of(SM_OPERAND_SLOT, out);
    const size_t first = e->op_count;
    const op_plan plan = {sm_run_concat, node, NULL, 0, out};
    sm_status st = add_op(e, &plan, err);
    for (size_t i = 0; st == SM_OK && i < node->child_count; i++) {
        st = emit_part(e, node, node->child[i], out, err);
    }
    if (st == SM_OK) {
        land(e, first);
    }
    return st;
}

/* ---- logic ----------------------------------------------------------------------------------- */

static sm_status emit_logic(emitter *e, const sm_node *node, uint32_t *operand, sm_error *err)
{
    const uint32_t out = e->slots++;
    *operand = operand_of(SM_OPERAND_SLOT, out);
    const size_t first = e->op_count;
    op_plan plan = {sm_run_not, node, NULL, 1, out};
    if (node->kind != SM_NODE_NOT) {
        plan.run = node->kind == SM_NODE_AND ? sm_run_and : sm_run_or;
    }
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < node->child_count; i++) {
        uint32_t arg = 0;
        plan.args = &arg;
        st = emit(e, node->child[i], &arg, err);
        if (st == SM_OK) {
            st = add_op(e, &plan, err);
        }
        if (st == SM_OK) {
            wait_for_target(e);
        }
    }
    if (st == SM_OK) {
        land(e, first);
    }
    return st;
}

static sm_status emit(emitter *e, const sm_node *node, uint32_t *operand, sm_error *err)
{
    if (sm_node_is_literal(node)) {
        return emit_literal(e, node, operand, err);
    }
    switch (node->kind) {
    case SM_NODE_FIELD: return emit_field(e, node, operand, err);
    case SM_NODE_CONCAT: return emit_concat(e, node, operand, err);
    case SM_NODE_DEFAULT: return emit_default(e, node, operand, err);
    case SM_NODE_AND:
    case SM_NODE_OR:
    case SM_NODE_NOT: return emit_logic(e, node, operand, err);
    case SM_NODE_LIST:
    case SM_NODE_MAP: return sm_fail(err, SM_E_INTERNAL, "an expression node that cannot be run");
    default: return emit_call(e, node, operand, err);
    }
}

/* A key that is one function, such as trim(x), is a part too. */
static sm_status emit_result_check(emitter *e, const sm_node *root, uint32_t operand, sm_error *err)
{
    if (e->c->use != SM_USE_KEY || root->kind == SM_NODE_CONCAT || root->kind == SM_NODE_FIELD ||
        !may_be_empty(root)) {
        return SM_OK;
    }
    const op_plan plan = {sm_run_result_not_empty, root, &operand, 1, 0};
    return add_op(e, &plan, err);
}

sm_status sm_key_program(sm_keycompile *c, sm_node *root, const sm_program **out, sm_error *err)
{
    *out = NULL;
    sm_arena *arena = c->context->arena;
    emitter e = {.c = c};
    sm_program *p = sm_arena_array(arena, 1, sizeof *p);
    e.checked = sm_arena_array(arena, c->context->schema->count + 1, sizeof *e.checked);
    if (p == NULL || e.checked == NULL) {
        return sm_key_fail_memory(c, err);
    }
    sm_status st = emit(&e, root, &p->result, err);
    if (st == SM_OK) {
        st = emit_result_check(&e, root, p->result, err);
    }
    p->ops = e.ops;
    p->op_count = e.op_count;
    p->constants = e.constants;
    p->slot_count = e.slots;
    p->schema = c->context->schema;
    *out = p;
    return st;
}
