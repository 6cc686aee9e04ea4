/* SPDX-License-Identifier: Apache-2.0 */
/* Job text -> tree: every node of the tree can be walked, and its texts end where they say. */
#include "job/yaml_node.h"
#include "support.h"

static void walk(const sm_yaml_node *node, unsigned depth)
{
    fuzz_require(depth <= 40, "trees are no deeper than promised");
    if (node->kind == SM_YAML_SCALAR) {
        fuzz_require(node->text[node->text_len] == '\0', "a scalar ends with NUL");
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        walk(node->kind == SM_YAML_LIST ? node->items[i] : node->pairs[i].value, depth + 1);
    }
    for (size_t i = 0; node->kind == SM_YAML_MAP && i < node->count; i++) {
        fuzz_require(sm_yaml_node_get(node, node->pairs[i].key) == node->pairs[i].value,
                     "each key is found and occurs once");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_arena *arena = NULL;
    const sm_yaml_node *root = NULL;
    sm_error err = {.code = SM_OK};
    sm_setting items[] = {{.name = "date", .value = "2021-09-12"}, {.name = "x", .value = ""}};
    sm_settings settings = {items, sizeof items / sizeof items[0]};
    fuzz_ok(sm_arena_new(4096, &arena, NULL), "an arena");
    if (sm_yaml_parse(arena, "job.yaml", sm_bytes_of(data, size), &settings, &root, &err) ==
        SM_OK) {
        walk(root, 0);
    } else {
        fuzz_require(err.text[0] != '\0', "an error has a text");
    }
    sm_arena_free(arena);
    return 0;
}
