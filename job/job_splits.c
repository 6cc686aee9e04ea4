/* SPDX-License-Identifier: Apache-2.0 */
/* A table's `splits`: a list of keys, or a map that names one source.
 *
 *   splits: ["030", "060"]                 splits: {file: splits.txt}      splits: {table:
 * get_splits.txt} splits: {salt: 300, regions: 10}       splits: {uniform: 16} splits: {hex:
 * {start: "00", end: "ff", regions: 10}}      splits: {decimal: {...}} splits: {algorithm:
 * HexStringSplit, regions: 10} */
#include "job/job_reader.h"

static sm_status read_count(sm_job_reader *r, const sm_yaml_node *value, const char *what,
                            uint64_t *out)
{
    int64_t number = 0;
    const sm_status st = sm_job_int(r, value, what, 1, SM_SPLITS_MOST_REGIONS, &number);
    *out = (uint64_t)number;
    return st;
}

static sm_status set_kind(sm_job_reader *r, const sm_yaml_node *at, sm_split_spec *spec,
                          sm_split_kind kind)
{
    if (spec->kind != SM_SPLITS_NONE) {
        return sm_job_fail(r, at,
                           "splits names two sources; keep one of list, file, table, salt, hex, "
                           "decimal, uniform, algorithm");
    }
    spec->kind = kind;
    return SM_OK;
}

static sm_status read_file(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    sm_split_spec *spec = target;
    const sm_status st = set_kind(r, value, spec, SM_SPLITS_FILE);
    return st == SM_OK ? sm_job_text(r, value, "splits.file", &spec->path) : st;
}

static sm_status read_list_node(sm_job_reader *r, const sm_yaml_node *value, sm_split_spec *spec)
{
    sm_status st = set_kind(r, value, spec, SM_SPLITS_LIST);
    if (st != SM_OK) {
        return st;
    }
    sm_bytes *texts = sm_arena_array(r->arena, value->count + 1, sizeof *texts);
    if (texts == NULL) {
        return sm_job_no_memory(r);
    }
    for (size_t i = 0; i < value->count; i++) {
        st = sm_job_want(r, value->items[i], SM_YAML_SCALAR, "a split key");
        if (st != SM_OK) {
            return st;
        }
        texts[i] = sm_yaml_node_bytes(value->items[i]);
    }
    spec->texts = texts;
    spec->text_count = value->count;
    return SM_OK;
}

static sm_status read_list(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    const sm_status st = sm_job_want(r, value, SM_YAML_LIST, "splits.list");
    return st == SM_OK ? read_list_node(r, value, target) : st;
}

static sm_status read_salt(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    sm_split_spec *spec = target;
    const sm_status st = set_kind(r, value, spec, SM_SPLITS_SALT);
    return st == SM_OK ? read_count(r, value, "splits.salt", &spec->salts) : st;
}

static sm_status read_width(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    int64_t width = 0;
    const sm_status st = sm_job_int(r, value, "splits.width", 1, 20, &width);
    ((sm_split_spec *)target)->width = (unsigned)width;
    return st;
}

static sm_status read_regions(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return read_count(r, value, "splits.regions", &((sm_split_spec *)target)->regions);
}

static sm_status read_uniform(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    sm_split_spec *spec = target;
    const sm_status st = set_kind(r, value, spec, SM_SPLITS_UNIFORM);
    return st == SM_OK ? read_count(r, value, "splits.uniform", &spec->regions) : st;
}

static sm_status read_algorithm(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    sm_split_spec *spec = target;
    const sm_status st = set_kind(r, value, spec, SM_SPLITS_REGION_SPLITTER);
    if (st != SM_OK) {
        return st;
    }
    spec->algorithm = sm_yaml_node_bytes(value);
    return sm_job_want(r, value, SM_YAML_SCALAR, "splits.algorithm");
}

static sm_status read_start(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    ((sm_split_spec *)target)->start = sm_yaml_node_bytes(value);
    return sm_job_want(r, value, SM_YAML_SCALAR, "start");
}

static sm_status read_end(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    ((sm_split_spec *)target)->end = sm_yaml_node_bytes(value);
    return sm_job_want(r, value, SM_YAML_SCALAR, "end");
}

static const sm_bind RANGE_RULES[] = {{.key = "start", .read = read_start},
                                      {.key = "end", .read = read_end},
                                      {.key = "regions", .read = read_regions}};

static sm_status read_range(sm_job_reader *r, const sm_yaml_node *value, sm_split_spec *spec,
                            sm_split_kind kind, const char *what)
{
    const sm_status st = set_kind(r, value, spec, kind);
    return st == SM_OK ? sm_job_bind(r, value, what, RANGE_RULES, 3, spec) : st;
}

static sm_status read_hex(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return read_range(r, value, target, SM_SPLITS_HEX, "splits.hex");
}

static sm_status read_decimal(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return read_range(r, value, target, SM_SPLITS_DECIMAL, "splits.decimal");
}

static const sm_bind SPLIT_RULES[] = {
    {.key = "file", .read = read_file},       {.key = "table", .read = read_file},
    {.key = "list", .read = read_list},       {.key = "salt", .read = read_salt},
    {.key = "regions", .read = read_regions}, {.key = "width", .read = read_width},
    {.key = "hex", .read = read_hex},         {.key = "decimal", .read = read_decimal},
    {.key = "uniform", .read = read_uniform}, {.key = "algorithm", .read = read_algorithm},
};

static sm_status read_spec(sm_job_reader *r, const sm_yaml_node *node, sm_split_spec *spec)
{
    if (node->kind == SM_YAML_LIST) {
        return read_list_node(r, node, spec);
    }
    return sm_job_bind(r, node, "splits", SPLIT_RULES, sizeof SPLIT_RULES / sizeof SPLIT_RULES[0],
                       spec);
}

static sm_status keep_notes(sm_job_reader *r, const sm_splits *splits)
{
    if (splits->note_count == 0) {
        return SM_OK;
    }
    const char **notes =
        sm_arena_array(r->arena, r->note_count + splits->note_count, sizeof *notes);
    if (notes == NULL) {
        return sm_job_no_memory(r);
    }
    for (size_t i = 0; i < r->note_count; i++) {
        notes[i] = r->notes[i];
    }
    for (size_t i = 0; i < splits->note_count; i++) {
        notes[r->note_count + i] = splits->notes[i];
    }
    r->notes = notes;
    r->note_count += splits->note_count;
    return SM_OK;
}

sm_status sm_job_read_splits(sm_job_reader *r, const sm_yaml_node *node, sm_job_table *table)
{
    sm_split_spec spec = {.kind = SM_SPLITS_NONE};
    const sm_status st = node == NULL ? SM_OK : read_spec(r, node, &spec);
    if (st != SM_OK) {
        return st;
    }
    spec.where = node == NULL
                     ? "splits"
                     : sm_job_format(r, "%s:%u:%u: splits", r->job->path, node->line, node->column);
    if (spec.where == NULL) {
        return sm_job_no_memory(r);
    }
    if (node != NULL && spec.kind == SM_SPLITS_NONE) {
        return sm_job_fail(
            r, node,
            "splits names no source: list, file, table, salt, hex, decimal, uniform or "
            "algorithm");
    }
    const bool counted =
        spec.kind != SM_SPLITS_NONE && spec.kind != SM_SPLITS_LIST && spec.kind != SM_SPLITS_FILE;
    if (counted && spec.regions == 0) {
        return sm_job_fail(
            r, node, "splits needs regions: into how many regions to cut, such as regions: 10");
    }
    const sm_status made = sm_splits_make(r->arena, &spec, &table->splits, r->err);
    table->split_spec = spec;
    return made == SM_OK ? keep_notes(r, table->splits) : made;
}
