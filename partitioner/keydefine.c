/* SPDX-License-Identifier: Apache-2.0 */
/* Names that stand for expressions: `define`s, and key(table), another table's row key. The text is
 * parsed and typed anew at each use, as if it stood there in parentheses, so that planning,
 * decoding and the canonical spelling see through the name. Errors inside it are told at its own
 * text. */
#include "partitioner/keyfn.h"

#include <stdio.h>

enum { DEFINE_DEPTH_MAX = 16 };

const sm_expr_define *sm_key_find_define(const sm_keycompile *c, sm_bytes name)
{
    for (size_t i = 0; i < c->context->define_count; i++) {
        if (sm_bytes_equal(c->context->defines[i].name, name)) {
            return &c->context->defines[i];
        }
    }
    return NULL;
}

/* Later messages about these nodes point to the name that stands in the text at hand. */
static void move_nodes(sm_node *node, size_t at, size_t end)
{
    node->at = at;
    node->end = end;
    for (size_t i = 0; i < node->child_count; i++) {
        move_nodes(node->child[i], at, end);
    }
}

/* The name is in use already, further out: it would never end. */
static bool is_open(const sm_keycompile *c, sm_bytes text)
{
    for (const sm_keycompile *o = c; o != NULL; o = o->outer) {
        if (o->source.data == text.data) {
            return true;
        }
    }
    return false;
}

typedef struct substitute {
    sm_bytes name, text;
    const char *where;
    sm_expr_use use;
    const struct sm_splits *splits;
} substitute;

static sm_status replace(sm_keycompile *c, sm_node *node, const substitute *s, sm_error *err)
{
    if (is_open(c, s->text) || c->depth_outer >= DEFINE_DEPTH_MAX) {
        return sm_key_fail(c, node->at, err,
                           "%.*s is made of itself, or of names nested more than "
                           "%d deep",
                           (int)s->name.len, (const char *)s->name.data, DEFINE_DEPTH_MAX);
    }
    sm_expr_context context = *c->context;
    context.where = s->where;
    context.splits = s->splits;
    sm_keycompile inner = {.context = &context,
                           .use = s->use,
                           .text = s->text,
                           .source = s->text,
                           .nodes = c->nodes,
                           .lenient = c->lenient && s->use == c->use,
                           .outer = c,
                           .depth_outer = c->depth_outer + 1};
    sm_node *root = NULL;
    sm_status st = sm_key_parse(&inner, &root, err);
    if (st == SM_OK) {
        st = sm_key_type_node(&inner, root, err);
    }
    c->nodes = inner.nodes;
    if (st != SM_OK) {
        return st;
    }
    const sm_bytes argument_name = node->argument_name;
    move_nodes(root, node->at, node->end);
    *node = *root;
    node->argument_name = argument_name;
    return SM_OK;
}

sm_status sm_key_type_define(sm_keycompile *c, sm_node *node, const sm_expr_define *define,
                             sm_error *err)
{
    const substitute s = {.name = define->name,
                          .text = define->text,
                          .where = define->where,
                          .use = c->use,
                          .splits = c->context->splits};
    return replace(c, node, &s, err);
}

static sm_status unknown_view(const sm_keycompile *c, const sm_node *node, sm_error *err)
{
    char names[200] = "";
    size_t len = 0;
    for (size_t i = 0; i < c->context->view_count && len < sizeof names; i++) {
        const sm_bytes name = c->context->views[i].name;
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%.*s", i > 0 ? ", " : "",
                                (int)name.len, (const char *)name.data);
    }
    return sm_key_fail(c, node->at, err,
                       "key() takes the name of one of the job's tables: key(orders), or "
                       "key(\"ns:orders\"); they are %s",
                       names);
}

/* Its nulls are rejects here as they are there: a row that does not exist has no key. */
sm_status sm_key_type_view(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_node *name = node->child_count == 1 ? node->child[0] : NULL;
    const bool named = name != NULL && (name->kind == SM_NODE_FIELD || name->kind == SM_NODE_TEXT);
    for (size_t i = 0; named && i < c->context->view_count; i++) {
        const sm_expr_view *view = &c->context->views[i];
        if (sm_bytes_equal(view->name, name->text)) {
            const substitute s = {.name = view->name,
                                  .text = view->key,
                                  .where = "key()",
                                  .use = SM_USE_KEY,
                                  .splits = view->splits};
            return replace(c, node, &s, err);
        }
    }
    return unknown_view(c, node, err);
}
