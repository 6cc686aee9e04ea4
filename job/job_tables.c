/* SPDX-License-Identifier: Apache-2.0 */
/* The job's `tables`: key, selection, timestamp, duplicates. Names are in job_names.c,
 * families and cells in job_cells.c. */
#include "job/job_reader.h"

#include <stddef.h>
#include <string.h>

typedef struct table_nodes {
    const sm_yaml_node *at, *name, *key, *splits, *timestamp, *families, *cells, *when, *duplicates,
        *uid_rows, *view, *colocated_with, *queries;
} table_nodes;

static const sm_bind TABLE_RULES[] = {
    {.key = "name", .offset = offsetof(table_nodes, name)},
    {.key = "key", .offset = offsetof(table_nodes, key)},
    {.key = "splits", .offset = offsetof(table_nodes, splits)},
    {.key = "timestamp", .offset = offsetof(table_nodes, timestamp)},
    {.key = "families", .offset = offsetof(table_nodes, families)},
    {.key = "cells", .offset = offsetof(table_nodes, cells)},
    {.key = "when", .offset = offsetof(table_nodes, when)},
    {.key = "duplicates", .offset = offsetof(table_nodes, duplicates)},
    {.key = "uid_rows", .offset = offsetof(table_nodes, uid_rows)},
    {.key = "view", .offset = offsetof(table_nodes, view)},
    {.key = "colocated_with", .offset = offsetof(table_nodes, colocated_with)},
    {.key = "queries", .offset = offsetof(table_nodes, queries)},
};

static sm_status collect(sm_job_reader *r, const sm_yaml_node *item, const char *where,
                         table_nodes *nodes)
{
    *nodes = (table_nodes){.at = item};
    const sm_status st =
        sm_job_bind(r, item, where, TABLE_RULES, sizeof TABLE_RULES / sizeof TABLE_RULES[0], nodes);
    if (st != SM_OK) {
        return st;
    }
    const struct {
        const char *name;
        const sm_yaml_node *node;
    } needed[] = {{"name", nodes->name},
                  {"key", nodes->key},
                  {"timestamp", nodes->timestamp},
                  {"families", nodes->families},
                  {"cells", nodes->cells}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (needed[i].node == NULL) {
            return sm_job_fail(r, item, "%s needs \"%s\"", where, needed[i].name);
        }
    }
    return SM_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* What else the entry is called; its table's name where nothing is said. */
static sm_status read_view(sm_job_reader *r, const sm_yaml_node *node, sm_job_table *table)
{
    table->view = table->name;
    if (node == NULL) {
        return SM_OK;
    }
    const sm_status st = sm_job_text(r, node, "view", &table->view);
    if (st == SM_OK && !sm_job_legal_table_name(sm_bytes_text(table->view))) {
        return sm_job_fail(r, node,
                           "\"%s\" is no name for a view; use letters, digits, _ and, not in "
                           "front, - and dot",
                           table->view);
    }
    return st;
}

/* ---- duplicates ------------------------------------------------------------------------------ */

static sm_status read_scope(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    static const char *const names[] = {"cell", "row"};
    size_t index = 0;
    const sm_status st = sm_job_choice(r, value, "duplicates.scope", names, 2, &index);
    ((sm_layout *)target)->scope = (sm_duplicate_scope)index;
    return st;
}

static sm_status read_keep(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    static const char *const names[] = {"last", "first", "error"};
    size_t index = 0;
    const sm_status st = sm_job_choice(r, value, "duplicates.keep", names, 3, &index);
    ((sm_layout *)target)->keep = (sm_duplicate_keep)index;
    return st;
}

static const sm_bind DUPLICATE_RULES[] = {{.key = "scope", .read = read_scope},
                                          {.key = "keep", .read = read_keep}};

static sm_status read_duplicates(sm_job_reader *r, const sm_yaml_node *node, sm_layout *layout)
{
    const sm_status st = sm_job_bind(r, node, "duplicates", DUPLICATE_RULES, 2, layout);
    for (size_t i = 0; st == SM_OK && layout->scope == SM_SCOPE_ROW && i < layout->column_count;
         i++) {
        if (!layout->columns[i].qualifier_is_constant) {
            return sm_job_fail(
                r, node,
                "duplicates: scope row does not work with qualifiers that are expressions "
                "(records that share a row would drop each other's cells); use scope: cell");
        }
    }
    return st;
}

/* ---- timestamp ------------------------------------------------------------------------------- */

static sm_status read_timestamp(sm_job_reader *r, const sm_yaml_node *node, sm_job_table *table)
{
    const sm_status st = sm_job_want(r, node, SM_YAML_SCALAR, "timestamp");
    if (st != SM_OK) {
        return st;
    }
    if (sm_job_is_instant(sm_yaml_node_bytes(node), NULL, &table->fixed_timestamp)) {
        if (table->fixed_timestamp < 0 || table->fixed_timestamp == INT64_MAX) {
            return sm_job_fail(r, node, "timestamp \"%s\" lies outside 0 ... Long.MAX - 1",
                               node->text);
        }
        return SM_OK;
    }
    const char *where = sm_job_format(r, "%s.timestamp", table->where);
    return where == NULL ? sm_job_no_memory(r)
                         : sm_job_compile_timestamp(r, node, where, &table->timestamp);
}

/* ---- key ------------------------------------------------------------------------------------- */

static sm_status read_key(sm_job_reader *r, const sm_yaml_node *node, sm_job_table *table)
{
    const bool *used = NULL;
    table->key_where = sm_job_format(r, "%s.key", table->where);
    if (table->key_where == NULL) {
        return sm_job_no_memory(r);
    }
    const sm_status st =
        sm_job_compile_tracked(r, node, SM_USE_KEY, table->key_where, &table->key, &used);
    return st == SM_OK ? sm_job_fingerprint_key(r, table, used) : st;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static sm_status read_table(sm_job_reader *r, const table_nodes *nodes, sm_job_table *table)
{
    r->splits = table->splits;
    sm_status st = read_key(r, nodes->key, table);
    if (st == SM_OK && nodes->when != NULL) {
        const char *where = sm_job_format(r, "%s.when", table->where);
        st = where == NULL ? sm_job_no_memory(r)
                           : sm_job_compile(r, nodes->when, SM_USE_CONDITION, where, &table->when);
    }
    if (st == SM_OK) {
        st = read_timestamp(r, nodes->timestamp, table);
    }
    if (st == SM_OK) {
        st = sm_job_read_families(r, nodes->families, table);
    }
    if (st == SM_OK) {
        st = sm_job_read_cells(r, nodes->cells, table);
    }
    if (st == SM_OK && nodes->duplicates != NULL) {
        st = read_duplicates(r, nodes->duplicates, &table->layout);
    }
    if (st == SM_OK && nodes->queries != NULL) {
        st = sm_job_read_queries(r, nodes->queries, table);
    }
    return st == SM_OK && nodes->uid_rows != NULL ? sm_job_read_uid_rows(r, nodes->uid_rows, table)
                                                  : st;
}

/* Names and regions: what expressions of any table may look at. */
static sm_status begin_table(sm_job_reader *r, const sm_yaml_node *item, size_t at,
                             table_nodes *nodes, sm_job_table *table)
{
    table->where = sm_job_format(r, "tables[%zu]", at);
    if (table->where == NULL) {
        return sm_job_no_memory(r);
    }
    sm_status st = collect(r, item, table->where, nodes);
    if (st == SM_OK) {
        st = sm_job_read_name(r, nodes->name, table);
    }
    if (st == SM_OK) {
        st = read_view(r, nodes->view, table);
    }
    return st == SM_OK ? sm_job_read_splits(r, nodes->splits, table) : st;
}

static bool same_splits(const sm_splits *a, const sm_splits *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        same = sm_bytes_equal(a->keys[i], b->keys[i]);
    }
    return same;
}

static bool share_family(const sm_job_table *a, const sm_job_table *b)
{
    for (size_t i = 0; i < a->family_count; i++) {
        for (size_t k = 0; k < b->family_count; k++) {
            if (sm_bytes_equal(a->families[i].name, b->families[k].name)) {
                return true;
            }
        }
    }
    return false;
}

/* "cdr" beside "cdr:calls" would put a table's folder into a namespace's. */
static bool folder_within(const sm_job_table *a, const sm_job_table *b)
{
    const size_t len = strlen(a->directory);
    return strncmp(a->directory, b->directory, len) == 0 && b->directory[len] == '/';
}

static sm_status check_pair(sm_job_reader *r, const sm_yaml_node *at, const sm_job_table *a,
                            const sm_job_table *b)
{
    if (folder_within(a, b) || folder_within(b, a)) {
        return sm_job_fail(r, at,
                           "table %s and table %s: one's name is the other's namespace; their "
                           "folders would lie in each other",
                           a->name, b->name);
    }
    if (strcmp(a->view, b->view) == 0 && (a->view != a->name || b->view != b->name)) {
        return sm_job_fail(r, at,
                           "%s and %s are both called %s; a view is a name of one entry alone",
                           a->where, b->where, b->view);
    }
    if (strcmp(a->name, b->name) != 0) {
        return SM_OK;
    }
    if (a->name_expr != NULL) {
        return sm_job_fail(r, at, "%s stands twice; two entries must not name the same tables",
                           a->name);
    }
    if (share_family(a, b)) {
        return sm_job_fail(r, at,
                           "table %s stands twice with a family in common; give each entry its own "
                           "families",
                           a->name);
    }
    if (!same_splits(a->splits, b->splits)) {
        return sm_job_fail(r, at,
                           "table %s stands twice with different splits; a table has one set of "
                           "regions",
                           a->name);
    }
    return SM_OK;
}

static sm_status check_tables(sm_job_reader *r, const sm_yaml_node *tables,
                              const sm_job_table *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            const sm_status st = check_pair(r, tables->items[i], &list[k], &list[i]);
            if (st != SM_OK) {
                return st;
            }
        }
    }
    return SM_OK;
}

/* Every expression of a table, so that undeclared columns enter the schema before anything
 * compiles. */
static sm_status declare_cells(sm_job_reader *r, const sm_yaml_node *cells)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && cells->kind != SM_YAML_SCALAR && i < cells->count; i++) {
        const sm_yaml_node *item =
            cells->kind == SM_YAML_MAP ? cells->pairs[i].value : cells->items[i];
        if (item->kind == SM_YAML_SCALAR) {
            st = sm_job_declare_names(r, sm_yaml_node_bytes(item));
            continue;
        }
        for (size_t k = 0; st == SM_OK && item->kind == SM_YAML_MAP && k < item->count; k++) {
            const sm_yaml_node *part = item->pairs[k].value;
            if (strcmp(item->pairs[k].key, "family") != 0 && part->kind == SM_YAML_SCALAR) {
                st = sm_job_declare_names(r, sm_yaml_node_bytes(part));
            }
        }
    }
    return st;
}

static sm_status declare_name(sm_job_reader *r, const sm_yaml_node *name)
{
    sm_bytes expression = {0};
    if (name == NULL || name->kind != SM_YAML_SCALAR) {
        return SM_OK;
    }
    const sm_status st = sm_job_name_template(r, name, &expression);
    return st == SM_OK && expression.len != 0 ? sm_job_declare_names(r, expression) : st;
}

static sm_status declare_table(sm_job_reader *r, const sm_yaml_node *item)
{
    static const char *const expressions[] = {"key", "when", "timestamp"};
    sm_status st =
        item->kind == SM_YAML_MAP ? declare_name(r, sm_yaml_node_get(item, "name")) : SM_OK;
    for (size_t i = 0; st == SM_OK && i < 3; i++) {
        const sm_yaml_node *node = sm_yaml_node_get(item, expressions[i]);
        int64_t ignored;
        if (node != NULL && node->kind == SM_YAML_SCALAR &&
            !(i == 2 && sm_job_is_instant(sm_yaml_node_bytes(node), NULL, &ignored))) {
            st = sm_job_declare_names(r, sm_yaml_node_bytes(node));
        }
    }
    const sm_yaml_node *cells = sm_yaml_node_get(item, "cells");
    return st == SM_OK && cells != NULL ? declare_cells(r, cells) : st;
}

sm_status sm_job_declare_tables(sm_job_reader *r, const sm_yaml_node *tables)
{
    sm_status st = sm_job_want(r, tables, SM_YAML_LIST, "tables");
    if (st == SM_OK && tables->count == 0) {
        return sm_job_fail(r, tables, "tables is empty; a job fills at least one");
    }
    for (size_t i = 0; st == SM_OK && i < tables->count; i++) {
        st = declare_table(r, tables->items[i]);
    }
    return st;
}

static sm_status read_tables(sm_job_reader *r, const sm_yaml_node *tables, table_nodes *nodes,
                             sm_job_table *list)
{
    const size_t n = tables->count;
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < n; i++) {
        st = begin_table(r, tables->items[i], i, &nodes[i], &list[i]);
    }
    for (size_t i = 0; st == SM_OK && i < r->job->view_count && i < n; i++) {
        r->views[i].splits = list[i].splits;
    }
    for (size_t i = 0; st == SM_OK && i < n; i++) {
        st = read_table(r, &nodes[i], &list[i]);
    }
    for (size_t i = 0; st == SM_OK && i < n; i++) {
        st = sm_job_read_colocated(r, nodes[i].at, nodes[i].colocated_with, list, i, n);
    }
    r->splits = NULL;
    return st;
}

sm_status sm_job_read_tables(sm_job_reader *r, const sm_yaml_node *tables)
{
    const size_t n = tables->count;
    sm_job_table *list = sm_arena_array(r->arena, n, sizeof *list);
    table_nodes *nodes = sm_arena_array(r->arena, n, sizeof *nodes);
    if (list == NULL || nodes == NULL) {
        return sm_job_no_memory(r);
    }
    const sm_status st = read_tables(r, tables, nodes, list);
    r->job->tables = list;
    r->job->table_count = n;
    return st == SM_OK ? check_tables(r, tables, list, n) : st;
}
