/* SPDX-License-Identifier: Apache-2.0 */
/* Types of nodes, from the leaves up, and the check that the whole fits its use. Calls are in
 * keycall.c, comparisons in keycond.c. */
#include "core/nearest.h"
#include "partitioner/keyfn.h"
#include "partitioner/keyutf8.h"

/* ---- leaves ---------------------------------------------------------------------------------- */

static sm_charset charset_of(sm_bytes text)
{
    bool ascii = true;
    bool digits = true;
    for (size_t i = 0; i < text.len; i++) {
        ascii &= text.data[i] < 0x80;
        digits &= text.data[i] >= '0' && text.data[i] <= '9';
    }
    return digits ? SM_CHARSET_DIGITS : ascii ? SM_CHARSET_ASCII : SM_CHARSET_ANY;
}

static void type_text_literal(sm_node *node)
{
    size_t count = 0;
    const bool characters = sm_utf8_count(node->text, &count);
    sm_key_result(node, characters ? SM_TYPE_TEXT : SM_TYPE_BYTES, node->text.len, node->text.len);
    node->charset = charset_of(node->text);
}

static sm_status unknown_field(const sm_keycompile *c, const sm_node *node, sm_error *err)
{
    const int len = (int)node->text.len;
    const char *name = (const char *)node->text.data;
    if (!node->quoted && sm_keyfn_find(node->text) != NULL) {
        return sm_key_fail(c, node->at, err, "%.*s is a function: write %.*s(...)", len, name, len,
                           name);
    }
    sm_nearest nearest;
    sm_nearest_start(&nearest, node->text);
    for (size_t i = 0; i < c->context->schema->count; i++) {
        sm_nearest_offer(&nearest, c->context->schema->fields[i].name);
    }
    const char *best = sm_nearest_best(&nearest);
    return sm_key_fail(c, node->at, err, "there is no field %.*s%s%s%s", len, name,
                       best != NULL ? "; did you mean " : "", best != NULL ? best : "",
                       best != NULL ? "?" : "");
}

static sm_status type_field(sm_keycompile *c, sm_node *node, sm_error *err)
{
    if (!node->quoted && sm_bytes_equal_text(node->text, "record")) {
        node->kind = SM_NODE_CALL;
        return sm_key_type_call(c, node, err);
    }
    const sm_expr_define *define = sm_key_find_define(c, node->text);
    if (define != NULL) {
        return sm_key_type_define(c, node, define, err);
    }
    const int index = sm_schema_find(c->context->schema, node->text);
    if (index < 0) {
        return unknown_field(c, node, err);
    }
    if (index > SM_OPERAND_INDEX) {
        return sm_key_fail(c, node->at, err, "the record has too many fields");
    }
    const sm_field *f = &c->context->schema->fields[index];
    const bool strict = c->use == SM_USE_KEY && !c->lenient;
    const bool is_text = f->type == SM_TYPE_TEXT || f->type == SM_TYPE_BYTES;
    sm_key_result(node, f->type, strict && is_text ? 1 : 0, is_text ? SM_WIDTH_UNKNOWN : 0);
    node->field = index;
    node->charset = is_text ? f->charset : SM_CHARSET_ANY;
    node->strict = strict;
    node->nullable = !strict;
    node->order = SM_ORDER_SAME;
    node->inverse = SM_INVERSE_EXACT;
    if (c->context->fields_used != NULL) {
        c->context->fields_used[index] = true;
    }
    return SM_OK;
}

/* ---- concatenation --------------------------------------------------------------------------- */

static sm_status needs_encoder(const sm_keycompile *c, const sm_node *part, sm_error *err)
{
    char encoders[200];
    const char *name = NULL;
    const int len = sm_key_called(part, &name);
    if (part->type == SM_TYPE_BOOL) {
        return sm_key_fail(c, part->at, err, "a condition has no bytes; expected text or bytes");
    }
    return sm_key_fail(c, part->at, err, "%.*s is %s and has no bytes of its own%s", len, name,
                       sm_key_type_phrase(part->type),
                       sm_key_encoders(part, c->use, encoders, sizeof encoders));
}

static bool has_bytes(const sm_node *node)
{
    return node->type == SM_TYPE_TEXT || node->type == SM_TYPE_BYTES;
}

/* Parts that are concatenations themselves give their parts instead. */
static sm_status splice(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_node flat = {.end = node->end};
    for (size_t i = 0; i < node->child_count; i++) {
        sm_node *part = node->child[i];
        const bool nested = part->kind == SM_NODE_CONCAT;
        for (size_t j = 0; j < (nested ? part->child_count : 1); j++) {
            const sm_status st = sm_node_add(c, &flat, nested ? part->child[j] : part, err);
            if (st != SM_OK) {
                return st;
            }
        }
    }
    node->child = flat.child;
    node->child_count = flat.child_count;
    node->child_room = flat.child_room;
    return SM_OK;
}

sm_status sm_key_type_concat(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = splice(c, node, err);
    if (st != SM_OK) {
        return st;
    }
    sm_key_result(node, SM_TYPE_TEXT, 0, 0);
    node->charset = SM_CHARSET_DIGITS;
    node->field = -1;
    node->nullable = false;
    node->strict = c->use == SM_USE_KEY && !c->lenient;
    for (size_t i = 0; i < node->child_count; i++) {
        const sm_node *part = node->child[i];
        if (!has_bytes(part)) {
            return needs_encoder(c, part, err);
        }
        node->type = part->type == SM_TYPE_BYTES ? SM_TYPE_BYTES : node->type;
        node->charset = part->charset < node->charset ? part->charset : node->charset;
        node->min_width = sm_key_width_sum(node->min_width, part->min_width);
        node->max_width = sm_key_width_sum(node->max_width, part->max_width);
        node->nullable |= part->nullable;
        node->field = node->field < 0 ? part->field : node->field;
    }
    node->charset = node->type == SM_TYPE_TEXT ? node->charset : SM_CHARSET_ANY;
    node->inverse = SM_INVERSE_PART;
    return SM_OK;
}

static sm_status type_children(sm_keycompile *c, sm_node *node, sm_error *err)
{
    for (size_t i = 0; i < node->child_count; i++) {
        const sm_status st = sm_key_type_node(c, node->child[i], err);
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}

/* ---- and, or, not ---------------------------------------------------------------------------- */

static sm_status type_logic(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_status st = type_children(c, node, err);
    if (st != SM_OK) {
        return st;
    }
    for (size_t i = 0; i < node->child_count; i++) {
        const sm_node *operand = node->child[i];
        if (operand->type != SM_TYPE_BOOL) {
            return sm_key_fail(c, operand->at, err,
                               "and, or, not join conditions, but this is %s; compare it with "
                               "something",
                               sm_key_type_phrase(operand->type));
        }
        node->field = node->field < 0 ? operand->field : node->field;
    }
    sm_key_result(node, SM_TYPE_BOOL, 0, 0);
    return SM_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static sm_status type_literal(const sm_keycompile *c, sm_node *node, sm_error *err)
{
    switch (node->kind) {
    case SM_NODE_TEXT: type_text_literal(node); return SM_OK;
    case SM_NODE_DECIMAL: sm_key_result(node, SM_TYPE_DECIMAL, 0, 0); return SM_OK;
    case SM_NODE_TIME: sm_key_result(node, SM_TYPE_TIME, 0, 0); return SM_OK;
    case SM_NODE_DURATION:
        return sm_key_fail(
            c, node->at, err,
            "a duration can only stand where one is expected, as in floor_ts(t, 1h)");
    default: sm_key_result(node, SM_TYPE_INT, 0, 0); return SM_OK;
    }
}

sm_status sm_key_type_node(sm_keycompile *c, sm_node *node, sm_error *err)
{
    if (sm_node_is_literal(node)) {
        return type_literal(c, node, err);
    }
    switch (node->kind) {
    case SM_NODE_FIELD: return type_field(c, node, err);
    case SM_NODE_CALL:
    case SM_NODE_DEFAULT: return sm_key_type_call(c, node, err);
    case SM_NODE_CONCAT: {
        const sm_status st = type_children(c, node, err);
        return st == SM_OK ? sm_key_type_concat(c, node, err) : st;
    }
    case SM_NODE_AND:
    case SM_NODE_OR:
    case SM_NODE_NOT: return type_logic(c, node, err);
    case SM_NODE_LIST:
        return sm_key_fail(c, node->at, err,
                           "a list can only stand behind in: x in [\"a\", \"b\"]");
    case SM_NODE_MAP: return sm_key_fail(c, node->at, err, "{...} can only stand in map(x, {...})");
    default: return sm_key_type_condition(c, node, err);
    }
}

/* ---- use ------------------------------------------------------------------------------------- */

static sm_status unfit(const sm_keycompile *c, const sm_node *root, const char *wanted,
                       sm_error *err)
{
    return sm_key_fail(c, root->at, err, "expected %s, but this is %s", wanted,
                       sm_key_type_phrase(root->type));
}

static sm_status check_use(const sm_keycompile *c, const sm_node *root, sm_error *err)
{
    switch (c->use) {
    case SM_USE_KEY:
    case SM_USE_CELL: return has_bytes(root) ? SM_OK : needs_encoder(c, root, err);
    case SM_USE_TIMESTAMP:
        return root->type == SM_TYPE_TIME || root->type == SM_TYPE_INT
                   ? SM_OK
                   : unfit(c, root, "a time, or an int of ms since 1970", err);
    case SM_USE_TTL:
        return root->type == SM_TYPE_INT ? SM_OK
                                         : unfit(c, root, "an int of ms, or a duration", err);
    case SM_USE_CONDITION:
        return root->type == SM_TYPE_BOOL ? SM_OK
                                          : unfit(c, root, "a condition, such as x = \"a\"", err);
    }
    return SM_OK;
}

sm_status sm_key_type(sm_keycompile *c, sm_node *root, sm_error *err)
{
    if (c->use == SM_USE_TTL && root->kind == SM_NODE_DURATION) {
        root->kind = SM_NODE_INT;
    }
    if (c->use == SM_USE_TIMESTAMP && root->kind == SM_NODE_TEXT) {
        const sm_status st = sm_key_time_literal(c, root, err);
        if (st != SM_OK) {
            return st;
        }
    }
    const sm_status st = sm_key_type_node(c, root, err);
    return st == SM_OK ? check_use(c, root, err) : st;
}
