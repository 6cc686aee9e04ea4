/* SPDX-License-Identifier: Apache-2.0 */
/* map(): short codes by a table in the job, and back.
 *
 *   map(country, {"CN": "\x01", "US": "\x02"})                  another country is a reject
 *   map(country, {"CN": "\x01", "US": "\x02"}, else: "\xff")    or FF
 *   default(map(country, {"CN": "\x01"}), "\xff")               or FF, for a null country too */
#include "partitioner/keyinvert.h"
#include "partitioner/keymap.h"

static const sm_map_entry *find(const sm_map *map, sm_bytes from)
{
    size_t low = 0;
    size_t high = map->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int c = sm_bytes_compare(map->entry[middle].from, from);
        if (c == 0) {
            return &map->entry[middle];
        }
        low = c < 0 ? middle + 1 : low;
        high = c < 0 ? high : middle;
    }
    return NULL;
}

static sm_reject run_map(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const sm_map *map = op->data;
    const sm_value *v = sm_arg(ev, op, 0);
    const sm_map_entry *entry = find(map, v->bytes);
    if (entry != NULL) {
        return sm_out_bytes(out, entry->to.data, entry->to.len);
    }
    if (map->has_other) {
        return sm_out_bytes(out, map->other.data, map->other.len);
    }
    if (map->null_other) {
        *out = (sm_value){.is_null = true};
        return SM_REJECT_NONE;
    }
    return sm_eval_reject(ev, op, SM_REJECT_NO_MAP_ENTRY, v);
}

static void take_value(sm_node *node, const sm_node *value)
{
    node->type = value->type == SM_TYPE_BYTES ? SM_TYPE_BYTES : node->type;
    node->charset = value->charset < node->charset ? value->charset : node->charset;
    node->min_width = value->text.len < node->min_width ? value->text.len : node->min_width;
    node->max_width = value->text.len > node->max_width ? value->text.len : node->max_width;
}

static sm_status type_other(sm_keycompile *c, sm_node *node, sm_map *map, sm_error *err)
{
    const sm_keyconst *other = sm_key_const(node, "else");
    sm_node literal = {.kind = SM_NODE_TEXT, .text = other->text};
    map->has_other = other->present;
    map->other = other->text;
    map->null_other = c->lenient && !other->present;
    node->nullable |= map->null_other;
    if (!map->has_other) {
        return SM_OK;
    }
    const sm_status st = sm_key_type_node(c, &literal, err);
    take_value(node, &literal);
    return st;
}

/* True when no two entries lead to the same code. */
static bool is_unique(const sm_map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (sm_bytes_equal(map->entry[i].to, map->entry[k].to)) {
                return false;
            }
        }
    }
    return true;
}

sm_status sm_bind_map(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_node *pairs = sm_key_const(node, "codes")->at;
    const size_t count = pairs->child_count / 2;
    sm_map *map = sm_arena_get(c->context->arena, sizeof *map + count * sizeof map->entry[0]);
    if (map == NULL) {
        return sm_key_fail_memory(c, err);
    }
    *map = (sm_map){.count = count};
    sm_key_result(node, SM_TYPE_TEXT, SIZE_MAX, 0);
    node->charset = SM_CHARSET_DIGITS;
    for (size_t i = 0; i < count; i++) {
        map->entry[i] = (sm_map_entry){pairs->child[2 * i]->text, pairs->child[2 * i + 1]->text};
        take_value(node, pairs->child[2 * i + 1]);
    }
    const sm_status st = type_other(c, node, map, err);
    node->charset = node->type == SM_TYPE_TEXT ? node->charset : SM_CHARSET_ANY;
    node->inverse = !map->has_other && is_unique(map) ? SM_INVERSE_EXACT : SM_INVERSE_PART;
    node->run = run_map;
    node->data = map;
    return st == SM_OK ? sm_key_expect(c, node, err, "one of the %zu texts of the map", count) : st;
}

/* A code of one entry alone is that entry's; one that else: gives too tells nothing. */
sm_inverted sm_invert_map(const sm_node *node, const sm_value *result, sm_invert_room *room,
                          sm_value *argument)
{
    const sm_map *map = node->data;
    const sm_map_entry *found = NULL;
    size_t count = map->has_other && sm_bytes_equal(map->other, result->bytes);
    (void)room;
    for (size_t i = 0; i < map->count; i++) {
        if (sm_bytes_equal(map->entry[i].to, result->bytes)) {
            found = &map->entry[i];
            count++;
        }
    }
    if (count == 0) {
        return SM_INVERTED_MISFIT;
    }
    if (count > 1 || found == NULL) {
        return SM_INVERTED_NOTHING;
    }
    *argument = (sm_value){.bytes = found->from};
    return SM_INVERTED_SURE;
}
