/* SPDX-License-Identifier: Apache-2.0 */
/* Which fields an expression names, before there is a schema. Words that stand for a choice (hash:
 * md5) look like field names to the parser and are told as well: typing alone knows the difference.
 */
#include "partitioner/keytree.h"

static sm_status visit(const sm_node *node, sm_expr_field_fn fn, void *context, sm_error *err)
{
    if (node->kind == SM_NODE_FIELD) {
        const bool field = node->quoted || sm_key_plain_name(node->text);
        return field ? fn(context, node->text, err) : SM_OK;
    }
    sm_status st = SM_OK;
    /* As deep as the parser allows, SM_KEY_DEPTH_MAX. */
    for (size_t i = 0; st == SM_OK && i < node->child_count; i++) {
        st = visit(node->child[i], fn, context, err);
    }
    return st;
}

sm_status sm_expr_each_field(sm_bytes text, sm_expr_field_fn fn, void *context, sm_error *err)
{
    sm_arena *arena = NULL;
    sm_status st = sm_arena_new(4096, &arena, err);
    if (st != SM_OK) {
        return st;
    }
    const sm_expr_context nowhere = {.arena = arena, .where = ""};
    sm_keycompile c = {.context = &nowhere, .text = text};
    sm_node *root = NULL;
    sm_error ignored = {.code = SM_OK};
    /* What cannot be parsed is told when it is compiled. */
    if (sm_key_parse(&c, &root, &ignored) == SM_OK) {
        st = visit(root, fn, context, err);
    } else if (ignored.code == SM_E_MEMORY) {
        st = sm_fail(err, SM_E_MEMORY, "%s", ignored.text);
    }
    sm_arena_free(arena);
    return st;
}
