/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the parts of an expression for decoding: their widths, what each gives back, and a program
 * of its own for each, to build it again. */
#include "partitioner/keydecode_parts.h"

#include "partitioner/keydomain.h"

typedef struct reading {
    sm_keycompile compile;
    const sm_schema *schema;
    bool *seen; /* by field, of the part at hand */
} reading;

/* Looks at more than values: at the record itself, or at the text that a number was read from. */
static bool looks_elsewhere(const sm_node *call)
{
    if (call->arg_count == 0) {
        return true;
    }
    const sm_node *last = call->args[call->arg_count - 1];
    if (sm_node_calls(call, "text")) {
        return last->type != SM_TYPE_TEXT && last->type != SM_TYPE_BYTES;
    }
    return last->type == SM_TYPE_DECIMAL &&
           (sm_node_calls(call, "tsdb_value") || sm_node_calls(call, "tsdb_qualifier"));
}

/* As deep as the parser allows. */
static void collect(reading *r, const sm_node *node, sm_decode_part *part)
{
    if (node->kind == SM_NODE_FIELD) {
        part->need_count += !r->seen[node->field];
        r->seen[node->field] = true;
        return;
    }
    const bool call = node->kind == SM_NODE_CALL || node->kind == SM_NODE_DEFAULT;
    sm_node *const *below = call ? node->args : node->child;
    const size_t count = call ? node->arg_count : node->child_count;
    part->rebuilds = part->rebuilds && !(call && looks_elsewhere(node));
    for (size_t i = 0; i < count; i++) {
        collect(r, below[i], part);
    }
}

static sm_status read_needs(reading *r, sm_decode_part *part, sm_error *err)
{
    sm_arena *arena = r->compile.context->arena;
    memset(r->seen, 0, (r->schema->count + 1) * sizeof *r->seen);
    part->rebuilds = true;
    collect(r, part->node, part);
    int *needs = sm_arena_array(arena, part->need_count + 1, sizeof *needs);
    if (needs == NULL) {
        return sm_key_fail_memory(&r->compile, err);
    }
    size_t n = 0;
    for (size_t i = 0; i < r->schema->count; i++) {
        if (r->seen[i]) {
            needs[n++] = (int)i;
        }
    }
    part->needs = needs;
    return SM_OK;
}

static void read_kind(sm_decode_part *part)
{
    const sm_node *node = part->node;
    part->kind = sm_node_is_literal(node) ? SM_PART_LITERAL : SM_PART_EXACT;
    part->field = -1;
    while (node->kind == SM_NODE_CALL || node->kind == SM_NODE_DEFAULT) {
        if (sm_key_inverse_of(node) == NULL) {
            part->kind = SM_PART_OPAQUE;
            return;
        }
        if (node->inverse != SM_INVERSE_EXACT) {
            part->kind = SM_PART_PARTIAL;
        }
        part->links++;
        node = node->args[0];
    }
    if (node->kind == SM_NODE_FIELD) {
        part->field = node->field;
    } else if (part->kind != SM_PART_LITERAL) {
        part->kind = SM_PART_OPAQUE;
    }
}

static sm_status read_rule(reading *r, sm_decode_part *part, sm_error *err)
{
    const sm_expr alone = {.root = part->node, .use = r->compile.use};
    sm_buf text;
    sm_buf_init(&text, SM_KEY_TEXT_MAX * 4);
    sm_status st = sm_expr_canonical(&alone, r->schema, &text, err);
    if (st == SM_OK) {
        const char *copy = sm_arena_text(r->compile.context->arena, text.data, text.len);
        part->rule = sm_bytes_of(copy, text.len);
        st = copy == NULL ? sm_key_fail_memory(&r->compile, err) : SM_OK;
    }
    sm_buf_free(&text);
    return st;
}

/* Key fields are never empty: an empty one is a reject. */
static void read_widths(sm_decode_part *part, sm_expr_use use)
{
    const sm_node *node = part->node;
    part->min = node->min_width;
    part->max = node->max_width;
    if (use == SM_USE_KEY && part->min == 0 && node->kind != SM_NODE_TEXT &&
        node->kind != SM_NODE_DEFAULT) {
        part->min = 1;
    }
}

/* Deterministic or not, a salt is one of n values. java_abs also writes negative ones. */
static void read_salt(sm_decode_part *part)
{
    const sm_node *node = part->node;
    part->salt_byte = sm_node_calls(node, "salt_byte");
    const bool digits = node->charset == SM_CHARSET_DIGITS &&
                        (sm_node_calls(node, "salt") || sm_node_calls(node, "random"));
    if (digits || part->salt_byte) {
        part->salts = (uint64_t)sm_key_const(node, "n")->number;
    }
    if (sm_node_calls(node, "pick")) {
        part->choices = sm_key_const(node, "choices")->at;
    }
    part->region = sm_node_calls(node, "region_start");
}

static bool needs(const sm_decode_part *part, int field)
{
    size_t i = 0;
    while (i < part->need_count && part->needs[i] != field) {
        i++;
    }
    return i < part->need_count;
}

static void read_padding(sm_decode_part *parts, size_t count, size_t at)
{
    sm_decode_part *part = &parts[at];
    const sm_node *node = part->node;
    if (!sm_node_calls(node, "pad") || node->args[0]->kind != SM_NODE_FIELD) {
        return;
    }
    part->pad_left = sm_bytes_equal_text(sm_key_const(node, "side")->text, "left");
    for (size_t i = 0; i < count; i++) {
        part->padded |= i != at && parts[i].rebuilds && needs(&parts[i], part->field);
    }
}

static sm_status read_part(reading *r, sm_node *node, sm_decode_part *part, sm_error *err)
{
    *part = (sm_decode_part){.node = node};
    read_kind(part);
    read_widths(part, r->compile.use);
    read_salt(part);
    sm_status st = read_needs(r, part, err);
    if (st == SM_OK) {
        st = read_rule(r, part, err);
    }
    part->run = (sm_expr){.root = node, .use = r->compile.use};
    return st == SM_OK ? sm_key_program(&r->compile, node, &part->run.program, err) : st;
}

sm_status sm_decode_parts_read(sm_arena *arena, const sm_expr *e, const sm_schema *schema,
                               sm_decode_part **out, size_t *count, sm_error *err)
{
    const sm_expr_context context = {.arena = arena, .schema = schema, .where = "decoding"};
    reading r = {.compile = {.context = &context, .use = e->use}, .schema = schema};
    const bool several = e->root->kind == SM_NODE_CONCAT;
    sm_node *alone[] = {e->root};
    sm_node *const *nodes = several ? e->root->child : alone;
    *count = several ? e->root->child_count : 1;
    *out = sm_arena_array(arena, *count, sizeof **out);
    r.seen = sm_arena_array(arena, schema->count + 1, sizeof *r.seen);
    if (*out == NULL || r.seen == NULL) {
        return sm_fail_memory(err, *count * sizeof **out, "the parts of a key");
    }
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < *count; i++) {
        st = read_part(&r, nodes[i], &(*out)[i], err);
    }
    for (size_t i = 0; st == SM_OK && i < *count; i++) {
        read_padding(*out, *count, i);
    }
    return st;
}
