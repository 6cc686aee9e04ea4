/* SPDX-License-Identifier: Apache-2.0 */
/* What a node of an expression depends on. */
#include "partitioner/keydomain.h"
#include "partitioner/keyfn.h"

bool sm_node_calls(const sm_node *node, const char *name)
{
    return (node->kind == SM_NODE_CALL || node->kind == SM_NODE_DEFAULT) && node->fn != NULL &&
           strcmp(node->fn->name, name) == 0;
}

static bool has_bytes(sm_type type)
{
    return type == SM_TYPE_TEXT || type == SM_TYPE_BYTES;
}

static void step_on(sm_footprint *f, int field)
{
    if (!f->fields[field]) {
        f->fields[field] = true;
        f->only = f->count++ == 0 ? field : -1;
    }
}

/* Functions that look at the record itself. Those that stand for its identity depend on the fields
 * of it; what is not known here depends on anything. */
static void step_beside(const sm_keycompile *c, const sm_node *node, sm_footprint *f)
{
    const sm_expr_context *x = c->context;
    const bool identity = sm_node_calls(node, "record") || sm_node_calls(node, "random") ||
                          (sm_node_calls(node, "pick") && node->arg_count == 0);
    if (identity) {
        for (size_t i = 0; i < x->identity_count; i++) {
            step_on(f, x->identity[i]);
        }
        f->odd |= x->identity_count == 0;
    } else if (node->arg_count == 0 || sm_node_calls(node, "row_number")) {
        f->odd = true;
    }
    if (sm_node_calls(node, "text") && node->arg_count == 1 && !has_bytes(node->args[0]->type)) {
        f->odd = true;
    }
}

/* Depth is bounded by the parser (SM_KEY_DEPTH_MAX). */
static void walk(const sm_keycompile *c, const sm_node *node, sm_footprint *f)
{
    if (sm_node_is_literal(node)) {
        return;
    }
    if (node->kind == SM_NODE_FIELD) {
        step_on(f, node->field);
        return;
    }
    const bool call = node->kind == SM_NODE_CALL || node->kind == SM_NODE_DEFAULT;
    sm_node *const *below = call ? node->args : node->child;
    const size_t count = call ? node->arg_count : node->child_count;
    for (size_t i = 0; i < count; i++) {
        walk(c, below[i], f);
    }
    if (call) {
        step_beside(c, node, f);
    }
}

sm_status sm_plan_footprint(const sm_keycompile *c, const sm_node *node, sm_footprint *out,
                            sm_error *err)
{
    *out = (sm_footprint){.only = -1};
    out->fields =
        sm_arena_array(c->context->arena, c->context->schema->count + 1, sizeof *out->fields);
    if (out->fields == NULL) {
        return sm_key_fail_memory(c, err);
    }
    walk(c, node, out);
    return SM_OK;
}
