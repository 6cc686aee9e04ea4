/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the job's `input` for feeds that drift: encoding, fields of the path, header lines,
 * trailer. Patterns are compiled here once, so that a mistake has a line and a column; the source
 * compiles its own. */
#include "ingest/encoding.h"
#include "ingest/pattern.h"
#include "job/job_reader.h"

sm_status sm_job_read_encoding(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    static const char *const names[] = {"bytes", "utf-8", "latin1", "gb18030"};
    (void)target;
    size_t index = 0;
    const sm_status st = sm_job_choice(r, value, "input.encoding", names, 4, &index);
    r->job->feed.encoding = (sm_encoding)index;
    return st;
}

/* The caller frees *out. */
static sm_status open_pattern(sm_job_reader *r, const sm_yaml_node *value, const char *what,
                              const char **text, sm_pattern **out)
{
    *out = NULL;
    const sm_status st = sm_job_text(r, value, what, text);
    sm_error inner = {.code = SM_OK};
    if (st != SM_OK || sm_pattern_new(*text, what, out, &inner) == SM_OK) {
        return st;
    }
    return inner.code == SM_E_MEMORY ? sm_fail(r->err, SM_E_MEMORY, "%s", inner.text)
                                     : sm_job_fail(r, value, "%s", inner.text);
}

sm_status sm_job_read_path_fields(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    sm_pattern *pattern = NULL;
    sm_status st = open_pattern(r, value, "input.path_fields", &r->job->feed.path_fields, &pattern);
    if (st == SM_OK && sm_pattern_group_count(pattern) == 0) {
        st = sm_job_fail(
            r, value, "input.path_fields has no named group; write (?<day>\\d+) for a field day");
    }
    sm_pattern_free(pattern);
    return st;
}

sm_status sm_job_read_header_lines(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    sm_pattern *pattern = NULL;
    const sm_status st =
        open_pattern(r, value, "input.header_lines", &r->job->feed.header_lines, &pattern);
    sm_pattern_free(pattern);
    return st;
}

static sm_status check_trailer(sm_job_reader *r, const sm_yaml_node *value,
                               const sm_pattern *pattern)
{
    for (size_t i = 0; i < sm_pattern_group_count(pattern); i++) {
        const char *name = sm_pattern_group_name(pattern, i);
        if (strcmp(name, "count") != 0) {
            return sm_job_fail(r, value,
                               "input.trailer has a group \"%s\"; the only one it may have is "
                               "\"count\", the number of records",
                               name);
        }
    }
    return SM_OK;
}

sm_status sm_job_read_trailer(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    sm_pattern *pattern = NULL;
    sm_status st = open_pattern(r, value, "input.trailer", &r->job->feed.trailer, &pattern);
    if (st == SM_OK) {
        st = check_trailer(r, value, pattern);
    }
    sm_pattern_free(pattern);
    return st;
}

/* ---- path fields in the schema --------------------------------------------------------------- */

static bool listed_column(const sm_csv_dialect *csv, const char *name)
{
    for (size_t i = 0; i < csv->column_count; i++) {
        if (sm_bytes_equal_text(csv->columns[i], name)) {
            return true;
        }
    }
    return false;
}

static sm_status declare_group(sm_job_reader *r, const sm_yaml_node *at, const char *name)
{
    if (listed_column(&r->job->csv, name)) {
        return sm_job_fail(
            r, at,
            "\"%s\" is a group of input.path_fields and also one of csv.columns; call "
            "the group something else",
            name);
    }
    const int index = sm_schema_find(&r->job->schema, sm_bytes_text(name));
    sm_field *field = index < 0 ? NULL : &r->fields[index];
    if (field == NULL) {
        const char *copy = sm_arena_text(r->arena, name, strlen(name));
        const sm_status st = copy == NULL ? sm_job_no_memory(r) : sm_job_add_field(r, copy, &field);
        if (st != SM_OK) {
            return st;
        }
    }
    if (field->column >= 0) {
        return sm_job_fail(
            r, at, "field %s: comes from the path (input.path_fields), so it has no column", name);
    }
    field->from_path = true;
    return SM_OK;
}

static sm_status declare_groups(sm_job_reader *r, const sm_yaml_node *at)
{
    sm_pattern *pattern = NULL;
    sm_status st = sm_pattern_new(r->job->feed.path_fields, "input.path_fields", &pattern, r->err);
    for (size_t i = 0; st == SM_OK && i < sm_pattern_group_count(pattern); i++) {
        st = declare_group(r, at, sm_pattern_group_name(pattern, i));
    }
    sm_pattern_free(pattern);
    return st;
}

sm_status sm_job_finish_feed(sm_job_reader *r, const sm_yaml_node *input)
{
    sm_error inner = {.code = SM_OK};
    if (sm_encoding_check_dialect(r->job->feed.encoding, &r->job->csv, &inner) != SM_OK) {
        return sm_job_fail(r, sm_yaml_node_get(input, "encoding"), "%s", inner.text);
    }
    const sm_yaml_node *at = sm_yaml_node_get(input, "path_fields");
    return at == NULL ? SM_OK : declare_groups(r, at);
}
