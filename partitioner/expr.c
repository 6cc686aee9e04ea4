/* SPDX-License-Identifier: Apache-2.0 */
/* The face of the key expression language: compiling, and questions about a compiled expression.
 * Running is in keyeval.c, the canonical spelling in keycanon.c. */
#include "partitioner/expr.h"

#include "partitioner/keyprogram.h"
#include "partitioner/keytree.h"

/* A timestamp may be a bare time, such as 2021-09-12 or 2021-09-12T08:00:00+08:00: `timestamp:
 * ${date}` in a job leaves no quotes. *root stays NULL when the text is none. */
static sm_status read_bare_time(sm_keycompile *c, sm_node **root, sm_error *err)
{
    if (c->use != SM_USE_TIMESTAMP || c->text.len == 0) {
        return SM_OK;
    }
    sm_node *n = NULL;
    const sm_status st = sm_node_new(c, SM_NODE_TEXT, 0, &n, err);
    if (st != SM_OK) {
        return st;
    }
    n->text = c->text;
    n->end = c->text.len;
    sm_error unused = {0};
    *root = sm_key_time_literal(c, n, &unused) == SM_OK ? n : NULL;
    return SM_OK;
}

sm_status sm_expr_compile(const sm_expr_context *context, sm_expr_use use, sm_bytes text,
                          const sm_expr **out, sm_error *err)
{
    *out = NULL;
    sm_keycompile c = {.context = context, .use = use, .text = text};
    sm_expr *e = sm_arena_array(context->arena, 1, sizeof *e);
    uint8_t *copy = sm_arena_get(context->arena, text.len + 1);
    if (e == NULL || copy == NULL) {
        return sm_key_fail_memory(&c, err);
    }
    if (text.len > 0) {
        memcpy(copy, text.data, text.len);
    }
    c.text = sm_bytes_of(copy, text.len); /* names in the tree are views of it */
    e->use = use;
    sm_status st = read_bare_time(&c, &e->root, err);
    if (st == SM_OK && e->root == NULL) {
        st = sm_key_parse(&c, &e->root, err);
    }
    if (st == SM_OK) {
        st = sm_key_type(&c, e->root, err);
    }
    if (st == SM_OK) {
        st = sm_key_program(&c, e->root, &e->program, err);
    }
    if (st == SM_OK) {
        *out = e;
    }
    return st;
}

sm_type sm_expr_type(const sm_expr *e)
{
    return e->root->type;
}

size_t sm_expr_min_width(const sm_expr *e)
{
    return e->root->min_width;
}

size_t sm_expr_max_width(const sm_expr *e)
{
    return e->root->max_width;
}

bool sm_expr_literal(const sm_expr *e, sm_bytes *out)
{
    if (e->root->kind != SM_NODE_TEXT) {
        *out = (sm_bytes){0};
        return false;
    }
    *out = e->root->text;
    return true;
}
