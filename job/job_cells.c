/* SPDX-License-Identifier: Apache-2.0 */
/* A table's families and cells: `families: {f: {compression: ...}}`, and cells in the short form
 * ("f:q": EXPR) or the long one (family, qualifier, value, timestamp, ttl, when). */
#include "job/job_reader.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- families -------------------------------------------------------------------------------- */

static sm_status read_compression(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    static const char *const names[] = {"NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"};
    size_t index = 0;
    const sm_status st = sm_job_choice(r, value, "compression", names, 5, &index);
    if (st != SM_OK) {
        return st;
    }
    return sm_compression_named(sm_bytes_text(names[index]),
                                &((sm_job_family *)target)->sink.compression)
               ? SM_OK
               : sm_fail(r->err, SM_E_INTERNAL, "compression %s is unknown to the writer",
                         names[index]);
}

static sm_status read_framing(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    static const char *const names[] = {"hbase", "hadoop"};
    size_t index = 0;
    const sm_status st = sm_job_choice(r, value, "zstd_framing", names, 2, &index);
    ((sm_job_family *)target)->sink.zstd_framing =
        index == 0 ? SM_ZSTD_FRAMING_HBASE : SM_ZSTD_FRAMING_HADOOP;
    return st;
}

static sm_status read_bloom(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    static const char *const names[] = {"NONE", "ROW"};
    size_t index = 0;
    const sm_status st = sm_job_choice(r, value, "bloom", names, 2, &index);
    ((sm_job_family *)target)->sink.bloom = index == 0 ? SM_BLOOM_NONE : SM_BLOOM_ROW;
    return st;
}

static sm_status small_size(sm_job_reader *r, const sm_yaml_node *value, const char *what,
                            uint64_t low, uint32_t *out)
{
    const uint64_t high = UINT64_C(16) << 20;
    uint64_t size = 0;
    const sm_status st = sm_job_size(r, value, what, &size);
    if (st == SM_OK && (size < low || size > high)) {
        return sm_job_fail(r, value, "%s is %llu, but must lie between %llu bytes and 16MiB", what,
                           (unsigned long long)size, (unsigned long long)low);
    }
    *out = (uint32_t)size;
    return st;
}

static sm_status read_block_size(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return small_size(r, value, "block_size", 64, &((sm_job_family *)target)->sink.block_size);
}

static sm_status read_index_block_size(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return small_size(r, value, "index_block_size", 64,
                      &((sm_job_family *)target)->sink.index_block_size);
}

static sm_status read_level(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    int64_t level = 0;
    const sm_status st = sm_job_int(r, value, "level", 1, 22, &level);
    ((sm_job_family *)target)->sink.level = (int)level;
    return st;
}

static sm_status read_ttl(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return sm_job_int(r, value, "ttl", 1, INT32_MAX, &((sm_job_family *)target)->ttl_s);
}

static sm_status read_versions(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return sm_job_int(r, value, "versions", 1, INT32_MAX, &((sm_job_family *)target)->versions);
}

static const sm_bind FAMILY_RULES[] = {
    {.key = "compression", .read = read_compression},
    {.key = "zstd_framing", .read = read_framing},
    {.key = "bloom", .read = read_bloom},
    {.key = "block_size", .read = read_block_size},
    {.key = "level", .read = read_level},
    {.key = "ttl", .read = read_ttl},
    {.key = "versions", .read = read_versions},
    {.key = "index_block_size", .read = read_index_block_size},
};

static bool legal_family(sm_bytes name)
{
    bool legal = name.len != 0 && name.len <= SM_FAMILY_MAX && name.data[0] != '.' &&
                 !sm_bytes_equal_text(name, "recovered.edits");
    for (size_t i = 0; legal && i < name.len; i++) {
        const uint8_t c = name.data[i];
        legal = c > 0x20 && c < 0x7F && c != ':' && c != '/' && c != '\\';
    }
    return legal;
}

static sm_status check_family(sm_job_reader *r, const sm_yaml_node *at, const sm_job_family *family)
{
    const sm_sink_options *sink = &family->sink;
    if (sink->compression == SM_COMPRESSION_ZSTD && sink->zstd_framing == SM_ZSTD_FRAMING_UNSET) {
        return sm_job_fail(
            r, at,
            "family %s: ZSTD needs zstd_framing: hbase or hadoop, since two codecs of that "
            "name write different bytes: look at hbase.io.compress.zstd.codec on the "
            "region servers, or run inspect on a file of the table",
            family->name_text);
    }
    if (sink->compression != SM_COMPRESSION_ZSTD && sink->zstd_framing != SM_ZSTD_FRAMING_UNSET) {
        return sm_job_fail(r, at, "family %s: zstd_framing belongs to compression: ZSTD",
                           family->name_text);
    }
    if (sink->level > 9 && sink->compression == SM_COMPRESSION_GZ) {
        return sm_job_fail(r, at, "family %s: GZ has levels 1 to 9", family->name_text);
    }
    return SM_OK;
}

static sm_status read_family(sm_job_reader *r, const sm_yaml_node_pair *pair, sm_job_family *family)
{
    const sm_yaml_node key_at = {.line = pair->line, .column = pair->column};
    family->name_text = pair->key;
    family->name = sm_bytes_text(pair->key);
    family->sink = (sm_sink_options){.compression = SM_COMPRESSION_NONE, .bloom = SM_BLOOM_ROW};
    if (!legal_family(family->name)) {
        return sm_job_fail(r, &key_at,
                           "\"%s\" is no family name: 1 to 127 printable bytes without : and /",
                           pair->key);
    }
    const sm_status st = sm_job_bind(r, pair->value, "a family", FAMILY_RULES,
                                     sizeof FAMILY_RULES / sizeof FAMILY_RULES[0], family);
    return st == SM_OK ? check_family(r, pair->value, family) : st;
}

static int compare_families(const void *a, const void *b)
{
    return sm_bytes_compare(((const sm_job_family *)a)->name, ((const sm_job_family *)b)->name);
}

sm_status sm_job_read_families(sm_job_reader *r, const sm_yaml_node *map, sm_job_table *table)
{
    sm_status st = sm_job_want(r, map, SM_YAML_MAP, "families");
    if (st != SM_OK) {
        return st;
    }
    if (map->count == 0) {
        return sm_job_fail(r, map, "families is empty; a table needs at least one");
    }
    sm_job_family *families = sm_arena_array(r->arena, map->count, sizeof *families);
    sm_bytes *names = sm_arena_array(r->arena, map->count, sizeof *names);
    if (families == NULL || names == NULL) {
        return sm_job_no_memory(r);
    }
    for (size_t i = 0; i < map->count; i++) {
        st = read_family(r, &map->pairs[i], &families[i]);
        if (st != SM_OK) {
            return st;
        }
    }
    qsort(families, map->count, sizeof *families, compare_families);
    for (size_t i = 0; i < map->count; i++) {
        names[i] = families[i].name;
    }
    table->families = families;
    table->family_count = map->count;
    table->layout.families = names;
    table->layout.family_count = map->count;
    return SM_OK;
}

/* ---- cells ----------------------------------------------------------------------------------- */

typedef struct cell_nodes {
    const sm_yaml_node *at;
    const char *where;
    const sm_yaml_node *family, *qualifier, *value, *timestamp, *ttl, *when;
} cell_nodes;

static const sm_bind CELL_RULES[] = {
    {.key = "family", .offset = offsetof(cell_nodes, family)},
    {.key = "qualifier", .offset = offsetof(cell_nodes, qualifier)},
    {.key = "value", .offset = offsetof(cell_nodes, value)},
    {.key = "timestamp", .offset = offsetof(cell_nodes, timestamp)},
    {.key = "ttl", .offset = offsetof(cell_nodes, ttl)},
    {.key = "when", .offset = offsetof(cell_nodes, when)},
};

static sm_status find_family(sm_job_reader *r, const sm_yaml_node *at, sm_bytes name,
                             const sm_job_table *table, size_t *out)
{
    for (size_t i = 0; i < table->family_count; i++) {
        if (sm_bytes_equal(table->families[i].name, name)) {
            *out = i;
            return SM_OK;
        }
    }
    return sm_job_fail(
        r, at, "family \"%.*s\" is not among the families of table %s; declare it there",
        (int)(name.len < 128 ? name.len : 128), (const char *)name.data, table->name);
}

/* "f:q": the family up to the first colon, the rest is the qualifier (with \xHH for any byte). */
static sm_status read_short(sm_job_reader *r, const sm_yaml_node_pair *pair,
                            const sm_job_table *table, sm_job_cell *cell, sm_column *column)
{
    const sm_yaml_node key_at = {
        .kind = SM_YAML_SCALAR, .line = pair->line, .column = pair->column};
    const char *colon = strchr(pair->key, ':');
    if (colon == NULL) {
        return sm_job_fail(r, &key_at, "\"%s\" must be family:qualifier", pair->key);
    }
    sm_status st = find_family(r, &key_at, sm_bytes_of(pair->key, (size_t)(colon - pair->key)),
                               table, &column->family);
    if (st != SM_OK) {
        return st;
    }
    sm_yaml_node qualifier = key_at;
    qualifier.text = colon + 1;
    qualifier.text_len = strlen(colon + 1);
    column->qualifier_is_constant = true;
    st = sm_job_bytes(r, &qualifier, "a qualifier", &column->qualifier);
    cell->where = sm_job_format(r, "%s.cells.%s", table->where, pair->key);
    if (st == SM_OK && cell->where == NULL) {
        return sm_job_no_memory(r);
    }
    return st == SM_OK ? sm_job_compile(r, pair->value, SM_USE_CELL, cell->where, &cell->value)
                       : st;
}

static sm_status compile_part(sm_job_reader *r, const cell_nodes *nodes, const sm_yaml_node *node,
                              const char *part, sm_expr_use use, const sm_expr **out)
{
    *out = NULL;
    if (node == NULL) {
        return SM_OK;
    }
    const char *where = sm_job_format(r, "%s.%s", nodes->where, part);
    return where == NULL ? sm_job_no_memory(r) : sm_job_compile(r, node, use, where, out);
}

static sm_status read_long(sm_job_reader *r, const sm_yaml_node *item, const sm_job_table *table,
                           sm_job_cell *cell, sm_column *column)
{
    cell_nodes nodes = {.at = item, .where = cell->where};
    sm_status st = sm_job_bind(r, item, cell->where, CELL_RULES,
                               sizeof CELL_RULES / sizeof CELL_RULES[0], &nodes);
    for (size_t i = 0; st == SM_OK && i < item->count; i++) {
        st = sm_job_want(r, item->pairs[i].value, SM_YAML_SCALAR, item->pairs[i].key);
    }
    if (st != SM_OK) {
        return st;
    }
    if (nodes.family == NULL || nodes.qualifier == NULL || nodes.value == NULL) {
        return sm_job_fail(r, item, "%s needs family, qualifier and value", cell->where);
    }
    st = find_family(r, nodes.family, sm_yaml_node_bytes(nodes.family), table, &column->family);
    if (st == SM_OK) {
        st = compile_part(r, &nodes, nodes.qualifier, "qualifier", SM_USE_CELL, &cell->qualifier);
    }
    if (st == SM_OK) {
        st = compile_part(r, &nodes, nodes.value, "value", SM_USE_CELL, &cell->value);
    }
    if (st == SM_OK && nodes.timestamp != NULL) {
        st = sm_job_compile_timestamp(r, nodes.timestamp, cell->where, &cell->timestamp);
    }
    if (st == SM_OK) {
        st = compile_part(r, &nodes, nodes.ttl, "ttl", SM_USE_TTL, &cell->ttl);
    }
    if (st == SM_OK) {
        st = compile_part(r, &nodes, nodes.when, "when", SM_USE_CONDITION, &cell->when);
    }
    if (st == SM_OK && sm_expr_literal(cell->qualifier, &column->qualifier)) {
        column->qualifier_is_constant = true;
        cell->qualifier = NULL;
    }
    return st;
}

static sm_status read_cell(sm_job_reader *r, const sm_yaml_node *cells, size_t i,
                           const sm_job_table *table, sm_job_cell *cell, sm_column *column)
{
    if (cells->kind == SM_YAML_MAP) {
        return read_short(r, &cells->pairs[i], table, cell, column);
    }
    cell->where = sm_job_format(r, "%s.cells[%zu]", table->where, i);
    return cell->where == NULL ? sm_job_no_memory(r)
                               : read_long(r, cells->items[i], table, cell, column);
}

/* A family with TTL cells carries tags in each cell. */
static void mark_tags(sm_job_table *table, sm_job_family *families)
{
    for (size_t i = 0; i < table->layout.column_count; i++) {
        if (table->cells[i].ttl != NULL) {
            families[table->layout.columns[i].family].sink.tags = true;
        }
    }
}

sm_status sm_job_read_cells(sm_job_reader *r, const sm_yaml_node *cells, sm_job_table *table)
{
    if (cells->kind == SM_YAML_SCALAR || cells->count == 0) {
        return sm_job_fail(r, cells,
                           "cells must be a map {\"f:q\": EXPRESSION} or a list, not empty");
    }
    sm_job_cell *list = sm_arena_array(r->arena, cells->count, sizeof *list);
    sm_column *columns = sm_arena_array(r->arena, cells->count, sizeof *columns);
    if (list == NULL || columns == NULL) {
        return sm_job_no_memory(r);
    }
    for (size_t i = 0; i < cells->count; i++) {
        const sm_status st = read_cell(r, cells, i, table, &list[i], &columns[i]);
        if (st != SM_OK) {
            return st;
        }
    }
    table->cells = list;
    table->layout.columns = columns;
    table->layout.column_count = cells->count;
    mark_tags(table, (sm_job_family *)table->families);
    return SM_OK;
}
