/* SPDX-License-Identifier: Apache-2.0 */
/* All the values that a part with few values can have: salts, random numbers, pick lists, salt
 * bytes, codes of a map, starts of regions. */
#include "core/number.h"
#include "partitioner/keyfn.h"
#include "partitioner/keymap.h"
#include "partitioner/keypart.h"
#include "partitioner/keyregion.h"

#include <stdio.h>

enum { NUMBER_ROOM = 24 };

static sm_status values_new(const sm_keycompile *c, size_t count, sm_bytes **out, sm_error *err)
{
    *out = sm_arena_array(c->context->arena, count + 1, sizeof **out);
    return *out != NULL ? SM_OK : sm_key_fail_memory(c, err);
}

static sm_status put_text(const sm_keycompile *c, const char *text, size_t len, sm_bytes *out,
                          sm_error *err)
{
    const char *copy = sm_arena_text(c->context->arena, text, len);
    *out = sm_bytes_of(copy, len);
    return copy != NULL ? SM_OK : sm_key_fail_memory(c, err);
}

/* 000 ... 299; and for java_abs the one negative number that -2^31 leaves. */
static sm_status list_numbers(const sm_keycompile *c, const sm_node *node, size_t most,
                              sm_bytes **out, size_t *count, sm_error *err)
{
    const uint64_t n = (uint64_t)sm_key_const(node, "n")->number;
    char text[NUMBER_ROOM];
    if (n > most) {
        return SM_OK;
    }
    const int width = (int)sm_print_uint(n - 1, text);
    const bool abs = sm_node_calls(node, "salt") &&
                     sm_bytes_equal_text(sm_key_const(node, "hash")->text, "java_abs");
    const uint64_t below = (UINT64_C(1) << 31) % n;
    sm_status st = values_new(c, (size_t)n + 1, out, err);
    for (uint64_t i = 0; st == SM_OK && i < n; i++) {
        const int len = snprintf(text, sizeof text, "%0*llu", width, (unsigned long long)i);
        st = put_text(c, text, (size_t)len, &(*out)[*count], err);
        (*count)++;
    }
    if (st == SM_OK && abs && below != 0) {
        const int len = snprintf(text, sizeof text, "%0*lld", width, -(long long)below);
        st = put_text(c, text, (size_t)len, &(*out)[*count], err);
        (*count)++;
    }
    return st;
}

static sm_status list_bytes(const sm_keycompile *c, const sm_node *node, size_t most,
                            sm_bytes **out, size_t *count, sm_error *err)
{
    const size_t n = (size_t)sm_key_const(node, "n")->number;
    sm_status st = n <= most ? values_new(c, n, out, err) : SM_OK;
    for (size_t i = 0; st == SM_OK && n <= most && i < n; i++) {
        const char byte = (char)(uint8_t)i;
        st = put_text(c, &byte, 1, &(*out)[i], err);
        *count = i + 1;
    }
    return st;
}

static const sm_node *list_below(const sm_node *node)
{
    for (size_t i = 0; i < node->child_count; i++) {
        if (node->child[i]->kind == SM_NODE_LIST) {
            return node->child[i];
        }
    }
    return NULL;
}

static sm_status list_choices(const sm_keycompile *c, const sm_node *node, size_t most,
                              sm_bytes **out, size_t *count, sm_error *err)
{
    const sm_node *list = list_below(node);
    if (list == NULL || list->child_count > most) {
        return SM_OK;
    }
    const sm_status st = values_new(c, list->child_count, out, err);
    for (size_t i = 0; st == SM_OK && i < list->child_count; i++) {
        if (list->child[i]->kind != SM_NODE_TEXT) {
            *count = 0;
            return SM_OK;
        }
        (*out)[(*count)++] = list->child[i]->text;
    }
    return st;
}

static void put_once(sm_bytes value, sm_bytes *out, size_t *count)
{
    for (size_t i = 0; i < *count; i++) {
        if (sm_bytes_equal(out[i], value)) {
            return;
        }
    }
    out[(*count)++] = value;
}

static sm_status list_codes(const sm_keycompile *c, const sm_node *node, size_t most,
                            sm_bytes **out, size_t *count, sm_error *err)
{
    const sm_map *map = node->data;
    if (map->count >= most) {
        return SM_OK;
    }
    const sm_status st = values_new(c, map->count + 1, out, err);
    for (size_t i = 0; st == SM_OK && i < map->count; i++) {
        put_once(map->entry[i].to, *out, count);
    }
    if (st == SM_OK && map->has_other) {
        put_once(map->other, *out, count);
    }
    return st;
}

static sm_status list_starts(const sm_keycompile *c, const sm_node *node, size_t most,
                             sm_bytes **out, size_t *count, sm_error *err)
{
    const size_t n = sm_splits_regions(sm_region_start_splits(node));
    const sm_status st = n <= most ? values_new(c, n, out, err) : SM_OK;
    for (size_t i = 0; st == SM_OK && n <= most && i < n; i++) {
        (*out)[i] = sm_region_start_at(node, i);
        *count = i + 1;
    }
    return st;
}

sm_status sm_spread_values(const sm_keycompile *c, const sm_node *node, size_t most,
                           const sm_bytes **out, size_t *count, sm_error *err)
{
    sm_bytes *values = NULL;
    sm_status st = SM_OK;
    *out = NULL;
    *count = 0;
    if (sm_node_calls(node, "salt") || sm_node_calls(node, "random")) {
        st = list_numbers(c, node, most, &values, count, err);
    } else if (sm_node_calls(node, "salt_byte")) {
        st = list_bytes(c, node, most, &values, count, err);
    } else if (sm_node_calls(node, "pick")) {
        st = list_choices(c, node, most, &values, count, err);
    } else if (sm_node_calls(node, "map")) {
        st = list_codes(c, node, most, &values, count, err);
    } else if (sm_node_calls(node, "region_start")) {
        st = list_starts(c, node, most, &values, count, err);
    }
    *out = values;
    return st;
}
