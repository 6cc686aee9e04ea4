/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the traps of a key expression in its typed tree. Depth of recursion is bounded by the
 * parser. */
#include "partitioner/keytraps.h"

#include "partitioner/keyfn.h"
#include "partitioner/keypart.h"

#include <string.h>

typedef struct finder {
    const sm_schema *schema;
    sm_arena *arena;
    sm_key_traps *out;
    size_t room;
    sm_error *err;
    bool hashed; /* looking at what one hash of the whole key takes in: order does not matter */
} finder;

typedef struct parts {
    sm_node *const *items;
    size_t count;
} parts;

static parts parts_of(sm_node *const *root)
{
    const sm_node *node = *root;
    return node->kind == SM_NODE_CONCAT ? (parts){node->child, node->child_count}
                                        : (parts){root, 1};
}

/* ---- keeping them ---------------------------------------------------------------------------- */

static sm_status spell(finder *f, const sm_node *node, sm_bytes *out)
{
    const sm_expr e = {.root = (sm_node *)node, .use = SM_USE_KEY};
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    const sm_status st = sm_expr_canonical(&e, f->schema, &text, f->err);
    const char *copy = st == SM_OK ? sm_arena_text(f->arena, text.data, text.len) : NULL;
    *out = sm_bytes_of(copy, text.len);
    sm_buf_free(&text);
    return st == SM_OK && copy == NULL ? sm_fail_memory(f->err, 0, "the findings about a key") : st;
}

static sm_status make_room(finder *f)
{
    if (f->out->count < f->room) {
        return SM_OK;
    }
    const size_t room = f->room == 0 ? 8 : f->room * 2;
    sm_key_trap *items = sm_arena_array(f->arena, room, sizeof *items);
    if (items == NULL) {
        return sm_fail_memory(f->err, room * sizeof *items, "the findings about a key");
    }
    if (f->out->count > 0) {
        memcpy(items, f->out->items, f->out->count * sizeof *items);
    }
    f->out->items = items;
    f->room = room;
    return SM_OK;
}

/* part and next may be NULL. */
static sm_status add(finder *f, sm_key_trap trap, const sm_node *part, const sm_node *next)
{
    sm_status st = make_room(f);
    trap.field = part != NULL ? part->field : -1;
    if (st == SM_OK && part != NULL) {
        st = spell(f, part, &trap.part);
    }
    if (st == SM_OK && next != NULL) {
        st = spell(f, next, &trap.next);
    }
    if (st == SM_OK) {
        f->out->items[f->out->count++] = trap;
    }
    return st;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static bool is_fixed(const sm_node *node)
{
    return node->min_width == node->max_width && node->max_width != SM_WIDTH_UNKNOWN;
}

/* What stands behind part `at`: fixed width throughout, and nothing but hashes. */
static void read_rest(parts p, size_t at, bool *fixed, bool *hashes)
{
    *fixed = true;
    *hashes = true;
    for (size_t i = at + 1; i < p.count; i++) {
        *fixed = *fixed && is_fixed(p.items[i]);
        *hashes = *hashes && sm_node_scatters(p.items[i]);
    }
}

static sm_status check_separator(finder *f, const sm_node *part, const sm_node *next)
{
    if (next->text.len == 0 || sm_charset_excludes(part->charset, next->text.data[0])) {
        return SM_OK;
    }
    return add(f, (sm_key_trap){.kind = SM_TRAP_SEPARATOR, .literal = next->text}, part, next);
}

static sm_status check_end(finder *f, parts p, size_t at)
{
    const sm_node *part = p.items[at];
    bool fixed = false;
    bool hashes = false;
    if (at + 1 == p.count || is_fixed(part) || sm_node_is_literal(part)) {
        return SM_OK;
    }
    const sm_node *next = p.items[at + 1];
    read_rest(p, at, &fixed, &hashes);
    if (next->kind == SM_NODE_TEXT) {
        return fixed && f->hashed ? SM_OK : check_separator(f, part, next);
    }
    if (fixed && (hashes || f->hashed)) {
        return SM_OK;
    }
    return add(f, (sm_key_trap){.kind = fixed ? SM_TRAP_OPEN_ORDER : SM_TRAP_OPEN_END}, part, next);
}

/* ---- single functions ------------------------------------------------------------------------ */

static bool is_number(const sm_node *node)
{
    return node->type == SM_TYPE_INT || node->type == SM_TYPE_DECIMAL;
}

static sm_status check_text(finder *f, const sm_node *node)
{
    if (node->args[0]->type == SM_TYPE_TIME) {
        return add(f, (sm_key_trap){.kind = SM_TRAP_UNSORTED_TIME}, node, NULL);
    }
    return is_number(node->args[0])
               ? add(f, (sm_key_trap){.kind = SM_TRAP_UNPADDED_NUMBER}, node, NULL)
               : SM_OK;
}

static sm_status check_format(finder *f, const sm_node *node)
{
    const sm_format_facts facts = sm_format_read(sm_key_const(node, "pattern")->text);
    return facts.sorts ? SM_OK : add(f, (sm_key_trap){.kind = SM_TRAP_UNSORTED_TIME}, node, NULL);
}

/* Blanks at the end of a text are rare; digits at either end are not. */
static sm_status check_pad(finder *f, const sm_node *node)
{
    const sm_bytes fill = sm_key_const(node, "fill")->text;
    const sm_node *x = node->args[0];
    const bool digit = fill.data[0] >= '0' && fill.data[0] <= '9';
    if (is_fixed(x) || !digit) {
        return SM_OK;
    }
    return add(f, (sm_key_trap){.kind = SM_TRAP_ZERO_PADDING}, node, NULL);
}

static uint64_t choices_of(const sm_node *node)
{
    for (size_t i = 0; i < node->child_count; i++) {
        if (node->child[i]->kind == SM_NODE_LIST) {
            return node->child[i]->child_count;
        }
    }
    return 0;
}

static sm_status check_random(finder *f, const sm_node *node)
{
    const bool random = sm_node_calls(node, "random");
    if (!random && node->arg_count > 0 && !node->args[0]->implied) {
        return SM_OK;
    }
    const uint64_t values = random ? (uint64_t)sm_key_const(node, "n")->number : choices_of(node);
    return add(f, (sm_key_trap){.kind = SM_TRAP_RANDOM, .values = values}, node, NULL);
}

static sm_status check_order(finder *f, const sm_node *node)
{
    if (sm_node_calls(node, "text")) {
        return check_text(f, node);
    }
    if (sm_node_calls(node, "format_ts")) {
        return check_format(f, node);
    }
    const bool plain = sm_node_calls(node, "int32be") || sm_node_calls(node, "int64be") ||
                       sm_node_calls(node, "float64be");
    return plain && node->args[0]->type != SM_TYPE_TIME
               ? add(f, (sm_key_trap){.kind = SM_TRAP_SIGNED_NUMBER}, node, NULL)
               : SM_OK;
}

static sm_status check_node(finder *f, const sm_node *node)
{
    if (node->kind != SM_NODE_CALL) {
        return SM_OK;
    }
    if (sm_node_calls(node, "pad")) {
        return check_pad(f, node);
    }
    if (sm_node_calls(node, "random") || sm_node_calls(node, "pick")) {
        return check_random(f, node);
    }
    return f->hashed ? SM_OK : check_order(f, node);
}

/* Below hashes only the hash counts. */
static sm_status walk(finder *f, const sm_node *node)
{
    sm_status st = check_node(f, node);
    if (sm_node_is_literal(node) || sm_node_scatters(node)) {
        return st;
    }
    const bool call = node->kind == SM_NODE_CALL || node->kind == SM_NODE_DEFAULT;
    sm_node *const *below = call ? node->args : node->child;
    const size_t count = call ? node->arg_count : node->child_count;
    for (size_t i = 0; st == SM_OK && i < count; i++) {
        st = walk(f, below[i]);
    }
    return st;
}

static sm_status walk_parts(finder *f, parts p)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < p.count; i++) {
        st = walk(f, p.items[i]);
        if (st == SM_OK) {
            st = check_end(f, p, i);
        }
    }
    return st;
}

/* ---- the whole key --------------------------------------------------------------------------- */

static bool reads_time(const finder *f, const sm_node *node)
{
    if (node->kind == SM_NODE_FIELD) {
        return f->schema->fields[node->field].type == SM_TYPE_TIME;
    }
    if (sm_node_is_literal(node) || sm_node_scatters(node)) {
        return false;
    }
    const bool call = node->kind == SM_NODE_CALL || node->kind == SM_NODE_DEFAULT;
    sm_node *const *below = call ? node->args : node->child;
    const size_t count = call ? node->arg_count : node->child_count;
    for (size_t i = 0; i < count; i++) {
        if (reads_time(f, below[i])) {
            return true;
        }
    }
    return false;
}

/* The only part that says anything, when that is a hash. */
static const sm_node *whole_hash(parts p)
{
    const sm_node *only = NULL;
    for (size_t i = 0; i < p.count; i++) {
        if (sm_node_is_literal(p.items[i])) {
            continue;
        }
        if (only != NULL || !sm_node_scatters(p.items[i])) {
            return NULL;
        }
        only = p.items[i];
    }
    return only;
}

/* hex(md5(a + b)): what the hash takes in. */
static sm_node *const *hashed_of(const sm_node *node)
{
    while (node->arg_count > 0 && sm_node_scatters(node->args[0])) {
        node = node->args[0];
    }
    return node->arg_count == 1 ? &node->args[0] : NULL;
}

static sm_status check_whole(finder *f, parts p)
{
    const sm_node *hash = whole_hash(p);
    if (hash == NULL || sm_node_calls(hash, "random")) {
        return SM_OK;
    }
    const sm_status st = add(f, (sm_key_trap){.kind = SM_TRAP_WHOLE_HASH}, hash, NULL);
    sm_node *const *inside = hashed_of(hash);
    if (st != SM_OK || inside == NULL || hash->kind == SM_NODE_CONCAT) {
        return st;
    }
    f->hashed = true;
    return walk_parts(f, parts_of(inside));
}

sm_status sm_key_traps_find(const sm_schema *schema, const sm_expr *key, sm_arena *arena,
                            sm_key_traps *out, sm_error *err)
{
    finder f = {.schema = schema, .arena = arena, .out = out, .err = err};
    *out = (sm_key_traps){.count = 0};
    sm_status st = walk_parts(&f, parts_of(&key->root));
    if (st == SM_OK && !reads_time(&f, key->root)) {
        st = add(&f, (sm_key_trap){.kind = SM_TRAP_NO_TIME}, NULL, NULL);
    }
    return st == SM_OK ? check_whole(&f, parts_of(&key->root)) : st;
}
