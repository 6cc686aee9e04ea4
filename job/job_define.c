/* SPDX-License-Identifier: Apache-2.0 */
/* Names that stand for expressions: the job's `define`, `input.let`, and the tables whose keys
 * key(table) repeats. Only read here; the language puts them in (partitioner/keydefine.c). */
#include "job/job_reader.h"

#include <string.h>

typedef struct define_list {
    sm_expr_define *items;
    size_t count;
} define_list;

static size_t size_of(const sm_yaml_node *map)
{
    return map != NULL && map->kind == SM_YAML_MAP ? map->count : 0;
}

static sm_status add_define(sm_job_reader *r, const sm_yaml_node_pair *pair, const char *what,
                            define_list *list)
{
    const sm_yaml_node *value = pair->value;
    const sm_bytes name = sm_bytes_text(pair->key);
    const char *label = sm_job_format(r, "%s.%s", what, pair->key);
    if (label == NULL) {
        return sm_job_no_memory(r);
    }
    const sm_status st = sm_job_want(r, value, SM_YAML_SCALAR, label);
    if (st != SM_OK) {
        return st;
    }
    if (!sm_expr_plain_name(name)) {
        return sm_job_fail(r, value,
                           "%s: a name is made of letters, digits and _, and is no word of the "
                           "language and no function",
                           label);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (sm_bytes_equal(list->items[i].name, name)) {
            return sm_job_fail(r, value, "%s: this name stands for something already", label);
        }
    }
    const char *where =
        sm_job_format(r, "%s:%u:%u: %s", r->job->path, value->line, value->column, label);
    if (where == NULL) {
        return sm_job_no_memory(r);
    }
    list->items[list->count++] =
        (sm_expr_define){.name = name, .text = sm_yaml_node_bytes(value), .where = where};
    return SM_OK;
}

static sm_status add_map(sm_job_reader *r, const sm_yaml_node *map, const char *what,
                         define_list *list)
{
    sm_status st = map == NULL ? SM_OK : sm_job_want(r, map, SM_YAML_MAP, what);
    for (size_t i = 0; st == SM_OK && i < size_of(map); i++) {
        st = add_define(r, &map->pairs[i], what, list);
    }
    return st;
}

sm_status sm_job_read_defines(sm_job_reader *r, const sm_yaml_node *input,
                              const sm_yaml_node *define)
{
    const sm_yaml_node *let = input->kind == SM_YAML_MAP ? sm_yaml_node_get(input, "let") : NULL;
    define_list list = {.count = 0};
    list.items = sm_arena_array(r->arena, size_of(let) + size_of(define) + 1, sizeof *list.items);
    if (list.items == NULL) {
        return sm_job_no_memory(r);
    }
    sm_status st = add_map(r, let, "input.let", &list);
    if (st == SM_OK) {
        st = add_map(r, define, "define", &list);
    }
    r->job->defines = list.items;
    r->job->define_count = list.count;
    return st;
}

sm_status sm_job_name_views(sm_job_reader *r, const sm_yaml_node *tables)
{
    sm_expr_view *views = sm_arena_array(r->arena, tables->count + 1, sizeof *views);
    size_t count = 0;
    if (views == NULL) {
        return sm_job_no_memory(r);
    }
    /* What is missing or no text is told when the table is read. */
    for (size_t i = 0; i < tables->count; i++) {
        const sm_yaml_node *item = tables->items[i];
        const bool map = item->kind == SM_YAML_MAP;
        const sm_yaml_node *view = map ? sm_yaml_node_get(item, "view") : NULL;
        const sm_yaml_node *name = view == NULL && map ? sm_yaml_node_get(item, "name") : view;
        const sm_yaml_node *key = map ? sm_yaml_node_get(item, "key") : NULL;
        if (name != NULL && key != NULL && name->kind == SM_YAML_SCALAR &&
            key->kind == SM_YAML_SCALAR) {
            views[count++] =
                (sm_expr_view){.name = sm_yaml_node_bytes(name), .key = sm_yaml_node_bytes(key)};
        }
    }
    r->views = views;
    r->job->views = views;
    r->job->view_count = count;
    return SM_OK;
}
