/* SPDX-License-Identifier: Apache-2.0 */
/* Path -> groups of the pattern -> typed values. What would be a reject in a record is an error
 * here: it would reject every record of the file. */
#include "ingest/path_fields.h"

#include "core/escape.h"
#include "ingest/field_convert.h"
#include "ingest/pattern.h"

typedef struct path_reader {
    const sm_source_options *options;
    sm_pattern *pattern;
    sm_arena *arena;
    size_t field_count;     /* of the schema, that come from the path */
    const size_t *of_group; /* group -> index in the schema */
} path_reader;

static sm_status find_fields(path_reader *p, sm_error *err)
{
    const sm_schema *schema = p->options->schema;
    const size_t groups = sm_pattern_group_count(p->pattern);
    size_t *of_group = sm_arena_array(p->arena, groups, sizeof *of_group);
    if (of_group == NULL) {
        return sm_fail_memory(err, groups * sizeof *of_group, "the path fields");
    }
    for (size_t g = 0; g < groups; g++) {
        const char *name = sm_pattern_group_name(p->pattern, g);
        const int field = sm_schema_find(schema, sm_bytes_text(name));
        if (field < 0 || !schema->fields[field].from_path) {
            return sm_fail(err, SM_E_INTERNAL, "input.path_fields: group %s is no path field",
                           name);
        }
        of_group[g] = (size_t)field;
    }
    p->of_group = of_group;
    p->field_count = groups;
    return SM_OK;
}

static sm_status no_match(const path_reader *p, const char *path, sm_error *err)
{
    char shown[200];
    (void)sm_escape_short(sm_bytes_text(sm_pattern_text(p->pattern)), shown, sizeof shown);
    if (strcmp(path, "-") == 0) {
        return sm_fail(err, SM_E_INPUT_PATH,
                       "- (standard input): has no path that input.path_fields \"%s\" could take "
                       "fields from; name a file",
                       shown);
    }
    return sm_fail(
        err, SM_E_INPUT_PATH,
        "%s: the path does not match input.path_fields \"%s\"; take the file off the list "
        "of inputs, or change the pattern",
        path, shown);
}

static sm_status read_group(const path_reader *p, sm_input_info *info, size_t group,
                            sm_path_value *out, sm_error *err)
{
    const sm_csv_dialect *csv = p->options->csv;
    const sm_nulls nulls = {csv->nulls, csv->null_count};
    sm_bytes bytes;
    *out = (sm_path_value){.field = p->of_group[group], .value = {.is_null = true}};
    if (!sm_pattern_group(p->pattern, group, &bytes)) {
        return SM_OK;
    }
    const sm_field *field = &p->options->schema->fields[out->field];
    const sm_field_text text = {bytes, bytes, false};
    sm_reader_counts counts = {0};
    const sm_reject code = sm_field_convert(field, &text, &nulls, &out->value, &counts);
    if (code != SM_REJECT_NONE) {
        char why[SM_REJECT_TEXT_SIZE];
        sm_field_describe(field, &text, code, why);
        return sm_fail(err, SM_E_INPUT_PATH,
                       "%s: field %s, which input.path_fields takes from the path: %s", info->path,
                       field->name, why);
    }
    info->path_repeated_times += counts.repeated_local_times;
    info->path_missing_times += counts.missing_local_times;
    return SM_OK;
}

static sm_status read_path(const path_reader *p, sm_input_info *info, sm_error *err)
{
    bool found = false;
    sm_status st = SM_OK;
    if (strcmp(info->path, "-") != 0) {
        st = sm_pattern_match(p->pattern, sm_bytes_text(info->path), info->path, &found, err);
    }
    if (st != SM_OK || !found) {
        return st == SM_OK ? no_match(p, info->path, err) : st;
    }
    sm_path_value *values = sm_arena_array(p->arena, p->field_count, sizeof *values);
    if (values == NULL) {
        return sm_fail_memory(err, p->field_count * sizeof *values, "the path fields");
    }
    for (size_t g = 0; st == SM_OK && g < p->field_count; g++) {
        st = read_group(p, info, g, &values[g], err);
    }
    info->path_values = values;
    info->path_value_count = p->field_count;
    return st;
}

sm_status sm_path_fields_read(const sm_source_options *options, sm_arena *arena,
                              sm_input_info *infos, size_t count, sm_error *err)
{
    if (options->feed.path_fields == NULL) {
        return SM_OK;
    }
    path_reader p = {.options = options, .arena = arena};
    sm_status st = sm_pattern_new(options->feed.path_fields, "input.path_fields", &p.pattern, err);
    if (st == SM_OK) {
        st = find_fields(&p, err);
    }
    for (size_t i = 0; st == SM_OK && i < count; i++) {
        st = read_path(&p, &infos[i], err);
    }
    sm_pattern_free(p.pattern);
    return st;
}
