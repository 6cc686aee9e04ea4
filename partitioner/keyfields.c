/* SPDX-License-Identifier: Apache-2.0 */
/* Which fields an expression names: before there is a schema, and after it was typed. Before, words
 * that stand for a choice (hash: md5) look like field names and are told as well: typing alone
 * knows the difference. */
#include "partitioner/keyfn.h"
#include "partitioner/keyregion.h"

static sm_status visit(const sm_node *node, sm_expr_field_fn fn, void *context, sm_error *err)
{
    if (node->kind == SM_NODE_FIELD) {
        const bool field = node->quoted || sm_key_plain_name(node->text);
        return field ? fn(context, node->text, err) : SM_OK;
    }
    sm_status st = SM_OK;
    if (node->kind == SM_NODE_CALL && sm_bytes_equal_text(node->text, "key")) {
        return SM_OK; /* a table's name */
    }
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

/* As deep as the parser allows. */
static void flag(const sm_node *node, bool *flags)
{
    if (node->kind == SM_NODE_FIELD) {
        flags[node->field] = true;
        return;
    }
    for (size_t i = 0; i < node->arg_count; i++) {
        flag(node->args[i], flags);
    }
    for (size_t i = 0; node->arg_count == 0 && i < node->child_count; i++) {
        flag(node->child[i], flags);
    }
}

void sm_expr_fields(const sm_expr *e, bool *flags)
{
    flag(e->root, flags);
}

int sm_expr_field(const sm_expr *e)
{
    return e->root->kind == SM_NODE_FIELD ? e->root->field : -1;
}

static bool reads_identity(const sm_node *node)
{
    bool reads = node->kind == SM_NODE_CALL && strcmp(node->fn->name, "record") == 0;
    for (size_t i = 0; i < node->arg_count && !reads; i++) {
        reads = reads_identity(node->args[i]);
    }
    for (size_t i = 0; node->arg_count == 0 && i < node->child_count && !reads; i++) {
        reads = reads_identity(node->child[i]);
    }
    return reads;
}

bool sm_expr_reads_identity(const sm_expr *e)
{
    return reads_identity(e->root);
}

/* Counts down; as deep as the parser allows. */
static const sm_splits *region_splits(const sm_node *node, size_t *n)
{
    const sm_splits *found = NULL;
    if (node->kind == SM_NODE_CALL && strcmp(node->fn->name, "region_start") == 0 && (*n)-- == 0) {
        return sm_region_start_splits(node);
    }
    for (size_t i = 0; i < node->arg_count && found == NULL; i++) {
        found = region_splits(node->args[i], n);
    }
    for (size_t i = 0; node->arg_count == 0 && i < node->child_count && found == NULL; i++) {
        found = region_splits(node->child[i], n);
    }
    return found;
}

const sm_splits *sm_expr_region_splits(const sm_expr *e, size_t n)
{
    return region_splits(e->root, &n);
}

bool sm_expr_plain_name(sm_bytes name)
{
    return sm_key_plain_name(name) && sm_keyfn_find(name) == NULL &&
           !sm_bytes_equal_text(name, "key");
}
