/* SPDX-License-Identifier: Apache-2.0 */
/* The job's `input`: files, dialect, fields with their types, identity, where. */
#include "core/number.h"
#include "job/job_reader.h"

#include <stdio.h>
#include <string.h>

enum { FIELDS_MAX = 4096 };

/* ---- the growing schema ---------------------------------------------------------------------- */

static sm_status grow_fields(sm_job_reader *r)
{
    if (r->field_count < r->field_capacity) {
        return SM_OK;
    }
    const size_t capacity = r->field_capacity == 0 ? 32 : r->field_capacity * 2;
    sm_field *fields = sm_arena_array(r->arena, capacity, sizeof *fields);
    bool *used = sm_arena_array(r->arena, capacity, sizeof *used);
    if (fields == NULL || used == NULL || capacity > FIELDS_MAX) {
        return sm_fail(r->err, SM_E_JOB, "%s: more than %d fields", r->job->path, FIELDS_MAX);
    }
    if (r->field_count != 0) {
        memcpy(fields, r->fields, r->field_count * sizeof *fields);
        memcpy(used, r->fields_used, r->field_count * sizeof *used);
    }
    r->fields = fields;
    r->fields_used = used;
    r->field_capacity = capacity;
    return SM_OK;
}

sm_status sm_job_add_field(sm_job_reader *r, const char *name, sm_field **out)
{
    const sm_status st = grow_fields(r);
    if (st != SM_OK) {
        return st;
    }
    sm_field *field = &r->fields[r->field_count++];
    *field = (sm_field){.name = name, .type = SM_TYPE_TEXT, .column = -1, .used = true};
    r->job->schema = (sm_schema){r->fields, r->field_count};
    *out = field;
    return SM_OK;
}

static bool known_column(const sm_job *job, sm_bytes name)
{
    for (size_t i = 0; i < job->csv.column_count; i++) {
        if (sm_bytes_equal(job->csv.columns[i], name)) {
            return true;
        }
    }
    return job->csv.column_count == 0;
}

static bool is_define(const sm_job *job, sm_bytes name)
{
    for (size_t i = 0; i < job->define_count; i++) {
        if (sm_bytes_equal(job->defines[i].name, name)) {
            return true;
        }
    }
    return false;
}

static sm_status declare_one(void *context, sm_bytes name, sm_error *err)
{
    sm_job_reader *r = context;
    if (sm_schema_find(&r->job->schema, name) >= 0 || is_define(r->job, name)) {
        return SM_OK;
    }
    if (!known_column(r->job, name)) {
        /* Left to the compiler, which shows the spot and the nearest name. */
        return SM_OK;
    }
    const char *text = sm_arena_text(r->arena, name.data, name.len);
    if (text == NULL) {
        return sm_fail_memory(err, name.len, "the job file");
    }
    sm_field *field = NULL;
    return sm_job_add_field(r, text, &field);
}

sm_status sm_job_declare_names(sm_job_reader *r, sm_bytes expression)
{
    return sm_expr_each_field(expression, declare_one, r, r->err);
}

/* ---- fields ---------------------------------------------------------------------------------- */

typedef struct field_text {
    sm_field *field;
    const char *format, *zone_name, *ambiguous, *nonexistent;
    const sm_yaml_node *at, *min, *max;
    sm_zone *zone;
} field_text;

static sm_status read_type(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    static const char *const names[] = {"text", "int", "decimal", "time"};
    static const sm_type types[] = {SM_TYPE_TEXT, SM_TYPE_INT, SM_TYPE_DECIMAL, SM_TYPE_TIME};
    field_text *f = target;
    size_t index = 0;
    const sm_status st = sm_job_choice(r, value, "type", names, 4, &index);
    f->field->type = types[index];
    return st;
}

static sm_status read_charset(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    static const char *const names[] = {"any", "ascii", "digits"};
    field_text *f = target;
    size_t index = 0;
    const sm_status st = sm_job_choice(r, value, "charset", names, 3, &index);
    f->field->charset = (sm_charset)index;
    return st;
}

static sm_status read_column(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    field_text *f = target;
    int64_t number = 0;
    const sm_status st = sm_job_int(r, value, "column", 1, 65535, &number);
    f->field->column = (int)number - 1;
    return st;
}

static sm_status read_format(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return sm_job_text(r, value, "format", &((field_text *)target)->format);
}

static sm_status read_zone(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    field_text *f = target;
    const sm_status st = sm_job_text(r, value, "zone", &f->zone_name);
    return st == SM_OK ? sm_job_zone(r, value, f->zone_name, &f->zone) : st;
}

static sm_status read_ambiguous(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return sm_job_text(r, value, "ambiguous", &((field_text *)target)->ambiguous);
}

static sm_status read_nonexistent(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return sm_job_text(r, value, "nonexistent", &((field_text *)target)->nonexistent);
}

static sm_status read_min(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    ((field_text *)target)->min = value;
    return sm_job_text(r, value, "min", &((field_text *)target)->field->min_text);
}

static sm_status read_max(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    ((field_text *)target)->max = value;
    return sm_job_text(r, value, "max", &((field_text *)target)->field->max_text);
}

static const sm_bind FIELD_RULES[] = {
    {.key = "type", .read = read_type},       {.key = "format", .read = read_format},
    {.key = "zone", .read = read_zone},       {.key = "min", .read = read_min},
    {.key = "max", .read = read_max},         {.key = "ambiguous", .read = read_ambiguous},
    {.key = "column", .read = read_column},   {.key = "nonexistent", .read = read_nonexistent},
    {.key = "charset", .read = read_charset},
};

static sm_status policy_of(sm_job_reader *r, const field_text *f, const char *text,
                           sm_local_policy *out)
{
    static const char *const names[] = {"reject", "earliest", "latest"};
    *out = SM_LOCAL_REJECT;
    for (size_t i = 0; text != NULL && i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (sm_local_policy)i;
            return SM_OK;
        }
    }
    if (text == NULL) {
        return SM_OK;
    }
    return sm_job_fail(r, f->at, "field %s: \"%s\" must be one of: reject, earliest, latest",
                       f->field->name, text);
}

/* Offsets in the text, or epochs, leave nothing for a zone to decide. */
static bool format_is_local(const char *format)
{
    return strstr(format, "%z") == NULL && strstr(format, "%s") == NULL &&
           strncmp(format, "epoch_", 6) != 0 && strcmp(format, "rfc3339") != 0 &&
           strcmp(format, "clf") != 0;
}

static sm_status read_window(sm_job_reader *r, field_text *f)
{
    sm_status st = SM_OK;
    if (f->min != NULL) {
        f->field->has_min = true;
        st = sm_job_instant(r, f->min, "min", f->zone, &f->field->min);
    }
    if (st == SM_OK && f->max != NULL) {
        f->field->has_max = true;
        st = sm_job_instant(r, f->max, "max", f->zone, &f->field->max);
    }
    if (st == SM_OK && f->min != NULL && f->max != NULL && f->field->min > f->field->max) {
        return sm_job_fail(r, f->at, "field %s: min lies after max", f->field->name);
    }
    return st;
}

/* Clocks that repeat an hour within the window need a stated rule now, not on the night it happens.
 */
static sm_status check_repeats(sm_job_reader *r, const field_text *f)
{
    enum { YEAR_1970 = 0 };
    const int64_t year_2038 = INT64_C(2145916800000);
    const int64_t from = f->field->has_min ? f->field->min : YEAR_1970;
    const int64_t to = f->field->has_max ? f->field->max : year_2038;
    if (f->ambiguous != NULL || f->zone == NULL || !format_is_local(f->format) ||
        !sm_zone_repeats_between(f->zone, from, to)) {
        return SM_OK;
    }
    return sm_job_fail(r, f->at,
                       "field %s: clocks in %s repeat an hour within %s; say what is meant with "
                       "ambiguous: earliest, latest or reject",
                       f->field->name, f->zone_name,
                       f->field->has_min && f->field->has_max
                           ? "min and max"
                           : "1970 to 2037 (narrow it with min and max)");
}

static sm_status compile_time(sm_job_reader *r, field_text *f)
{
    if (f->format == NULL) {
        return sm_job_fail(r, f->at,
                           "field %s: a time needs a format, such as \"%%Y-%%m-%%d %%H:%%M:%%S\"",
                           f->field->name);
    }
    sm_time_options options = {.pivot = 1969};
    sm_status st = policy_of(r, f, f->ambiguous, &options.repeated);
    if (st == SM_OK) {
        st = policy_of(r, f, f->nonexistent, &options.missing);
    }
    if (st != SM_OK) {
        return st;
    }
    options.zone = f->zone;
    sm_error inner = {.code = SM_OK};
    if (sm_time_compile(r->arena, sm_bytes_text(f->format), &options, &f->field->time, &inner) !=
        SM_OK) {
        return sm_job_fail(r, f->at, "field %s: format: %s", f->field->name, inner.text);
    }
    st = read_window(r, f);
    return st == SM_OK ? check_repeats(r, f) : st;
}

static sm_status check_field(sm_job_reader *r, field_text *f)
{
    if (f->field->type == SM_TYPE_TIME) {
        return compile_time(r, f);
    }
    if (f->format != NULL || f->zone_name != NULL || f->min != NULL || f->max != NULL ||
        f->ambiguous != NULL || f->nonexistent != NULL) {
        return sm_job_fail(r, f->at,
                           "field %s: format, zone, min, max, ambiguous and nonexistent belong to "
                           "type: time, but this field is %s",
                           f->field->name, sm_type_name(f->field->type));
    }
    if (f->field->charset != SM_CHARSET_ANY && f->field->type != SM_TYPE_TEXT) {
        return sm_job_fail(r, f->at, "field %s: charset belongs to text fields", f->field->name);
    }
    return SM_OK;
}

static sm_status read_field(sm_job_reader *r, const sm_yaml_node_pair *pair)
{
    sm_field *field = NULL;
    sm_status st = sm_job_add_field(r, pair->key, &field);
    if (st != SM_OK) {
        return st;
    }
    field_text f = {.field = field, .at = pair->value};
    const char *what = sm_job_format(r, "input.fields.%s", pair->key);
    if (what == NULL) {
        return sm_job_no_memory(r);
    }
    st = sm_job_bind(r, pair->value, what, FIELD_RULES, sizeof FIELD_RULES / sizeof FIELD_RULES[0],
                     &f);
    return st == SM_OK ? check_field(r, &f) : st;
}

static sm_status read_fields(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    sm_status st = sm_job_want(r, value, SM_YAML_MAP, "input.fields");
    for (size_t i = 0; st == SM_OK && i < value->count; i++) {
        st = read_field(r, &value->pairs[i]);
    }
    return st;
}

/* ---- csv ------------------------------------------------------------------------------------- */

/* One byte, or -1 for "none". Escapes: \t and \xHH. */
static sm_status one_byte(sm_job_reader *r, const sm_yaml_node *value, const char *what, int *out)
{
    sm_bytes bytes = {NULL, 0};
    *out = -1;
    const char *text = NULL;
    sm_status st = sm_job_text(r, value, what, &text);
    if (st != SM_OK || strcmp(text, "none") == 0) {
        return st;
    }
    st = sm_job_bytes(r, value, what, &bytes);
    if (st == SM_OK && bytes.len != 1) {
        return sm_job_fail(r, value, "%s is %zu bytes long, but must be one byte, or none", what,
                           bytes.len);
    }
    *out = st == SM_OK ? bytes.data[0] : -1;
    return st;
}

static sm_status read_delimiter(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    sm_csv_dialect *csv = target;
    const sm_status st = sm_job_bytes(r, value, "input.csv.delimiter", &csv->delimiter);
    if (st == SM_OK && (csv->delimiter.len == 0 || csv->delimiter.len > 16)) {
        return sm_job_fail(r, value, "input.csv.delimiter must have 1 to 16 bytes, but has %zu",
                           csv->delimiter.len);
    }
    return st;
}

static sm_status read_quote(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return one_byte(r, value, "input.csv.quote", &((sm_csv_dialect *)target)->quote);
}

static sm_status read_escape(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return one_byte(r, value, "input.csv.escape", &((sm_csv_dialect *)target)->escape);
}

static sm_status read_comment(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return one_byte(r, value, "input.csv.comment", &((sm_csv_dialect *)target)->comment);
}

static sm_status read_header(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return sm_job_bool(r, value, "input.csv.header", &((sm_csv_dialect *)target)->header);
}

static sm_status read_trailing(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return sm_job_bool(r, value, "input.csv.trailing_delimiter",
                       &((sm_csv_dialect *)target)->trailing_delimiter);
}

static sm_status read_skip_lines(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    int64_t lines = 0;
    const sm_status st = sm_job_int(r, value, "input.csv.skip_lines", 0, 1000000, &lines);
    ((sm_csv_dialect *)target)->skip_lines = (uint64_t)lines;
    return st;
}

static sm_status bytes_list(sm_job_reader *r, const sm_yaml_node *value, const char *what,
                            const sm_bytes **out, size_t *count)
{
    const char *const *texts = NULL;
    const sm_status st = sm_job_texts(r, value, what, &texts, count);
    if (st != SM_OK) {
        return st;
    }
    sm_bytes *list = sm_arena_array(r->arena, *count, sizeof *list);
    if (list == NULL) {
        return sm_job_no_memory(r);
    }
    for (size_t i = 0; i < *count; i++) {
        list[i] = sm_bytes_text(texts[i]);
    }
    *out = list;
    return SM_OK;
}

static sm_status read_columns(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    sm_csv_dialect *csv = target;
    return bytes_list(r, value, "input.csv.columns", &csv->columns, &csv->column_count);
}

static sm_status read_nulls(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    sm_csv_dialect *csv = target;
    return bytes_list(r, value, "input.csv.nulls", &csv->nulls, &csv->null_count);
}

static const sm_bind CSV_RULES[] = {
    {.key = "delimiter", .read = read_delimiter},
    {.key = "quote", .read = read_quote},
    {.key = "escape", .read = read_escape},
    {.key = "comment", .read = read_comment},
    {.key = "header", .read = read_header},
    {.key = "columns", .read = read_columns},
    {.key = "nulls", .read = read_nulls},
    {.key = "trailing_delimiter", .read = read_trailing},
    {.key = "skip_lines", .read = read_skip_lines},
};

static sm_status read_csv(sm_job_reader *r, const sm_yaml_node *value)
{
    sm_csv_dialect *csv = &r->job->csv;
    const sm_status st =
        sm_job_bind(r, value, "input.csv", CSV_RULES, sizeof CSV_RULES / sizeof CSV_RULES[0], csv);
    if (st != SM_OK) {
        return st;
    }
    if (csv->quote >= 0 && memchr(csv->delimiter.data, csv->quote, csv->delimiter.len) != NULL) {
        return sm_job_fail(r, value,
                           "input.csv: the quote byte is part of the delimiter; set quote: none");
    }
    return SM_OK;
}

/* ---- input ----------------------------------------------------------------------------------- */

static sm_status read_files(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    return sm_job_texts(r, value, "input.files", &r->job->inputs, &r->job->input_count);
}

static sm_status read_input_format(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    static const char *const names[] = {"csv"};
    (void)target;
    size_t index = 0;
    const sm_status st = sm_job_choice(r, value, "input.format", names, 1, &index);
    r->job->input_format = names[index];
    return st;
}

static sm_status read_where(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    r->where = value;
    return sm_job_want(r, value, SM_YAML_SCALAR, "input.where");
}

static sm_status read_time_range(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    r->time_range = value;
    return sm_job_want(r, value, SM_YAML_MAP, "input.time_range");
}

static sm_status read_identity(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    r->identity = value;
    return SM_OK;
}

/* The dialect is read before the rest. */
static sm_status skip_csv(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)r;
    (void)value;
    (void)target;
    return SM_OK;
}

/* What defines are made of; a name that is a declared field as well would hide it. */
static sm_status declare_defines(sm_job_reader *r, const sm_yaml_node *input)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < r->job->define_count; i++) {
        const sm_expr_define *d = &r->job->defines[i];
        if (sm_schema_find(&r->job->schema, d->name) >= 0) {
            return sm_job_fail(r, input,
                               "%.*s is a declared field and the name of an expression; "
                               "rename one",
                               (int)d->name.len, (const char *)d->name.data);
        }
        st = sm_job_declare_names(r, d->text);
    }
    return st;
}

/* Read before all fields, by sm_job_read_defines. */
static sm_status skip_let(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)r;
    (void)value;
    (void)target;
    return SM_OK;
}

static const sm_bind INPUT_RULES[] = {
    {.key = "files", .read = read_files},
    {.key = "format", .read = read_input_format},
    {.key = "csv", .read = skip_csv},
    {.key = "fields", .read = read_fields},
    {.key = "where", .read = read_where},
    {.key = "time_range", .read = read_time_range},
    {.key = "identity", .read = read_identity},
    {.key = "let", .read = skip_let},
    {.key = "encoding", .read = sm_job_read_encoding},
    {.key = "path_fields", .read = sm_job_read_path_fields},
    {.key = "header_lines", .read = sm_job_read_header_lines},
    {.key = "trailer", .read = sm_job_read_trailer},
};

static void set_input_defaults(sm_job *job)
{
    static const sm_bytes empty_text[] = {{(const uint8_t *)"", 0}};
    job->input_format = "csv";
    job->csv = (sm_csv_dialect){.delimiter = sm_bytes_text(","),
                                .quote = '"',
                                .escape = -1,
                                .comment = -1,
                                .header = true,
                                .nulls = empty_text,
                                .null_count = 1};
}

sm_status sm_job_read_input(sm_job_reader *r, const sm_yaml_node *input)
{
    set_input_defaults(r->job);
    /* The dialect first: whether a name can be a column depends on it. */
    const sm_yaml_node *csv = input->kind == SM_YAML_MAP ? sm_yaml_node_get(input, "csv") : NULL;
    sm_status st = csv == NULL ? SM_OK : read_csv(r, csv);
    if (st == SM_OK) {
        st = sm_job_bind(r, input, "input", INPUT_RULES, sizeof INPUT_RULES / sizeof INPUT_RULES[0],
                         NULL);
    }
    if (st == SM_OK) {
        st = sm_job_finish_feed(r, input);
    }
    if (st == SM_OK && r->where != NULL) {
        st = sm_job_declare_names(r, sm_yaml_node_bytes(r->where));
    }
    if (st == SM_OK && r->time_range != NULL) {
        st = sm_job_declare_time_range(r);
    }
    return st == SM_OK ? declare_defines(r, input) : st;
}

static sm_status finish_identity(sm_job_reader *r)
{
    const char *const *names = NULL;
    size_t count = 0;
    const sm_status st = sm_job_texts(r, r->identity, "input.identity", &names, &count);
    if (st != SM_OK) {
        return st;
    }
    int *indexes = sm_arena_array(r->arena, count, sizeof *indexes);
    if (indexes == NULL) {
        return sm_job_no_memory(r);
    }
    for (size_t i = 0; i < count; i++) {
        sm_status named = declare_one(r, sm_bytes_text(names[i]), r->err);
        if (named != SM_OK) {
            return named;
        }
        indexes[i] = sm_schema_find(&r->job->schema, sm_bytes_text(names[i]));
        if (indexes[i] < 0) {
            return sm_job_fail(r, r->identity, "input.identity: there is no column \"%s\"",
                               names[i]);
        }
    }
    r->job->identity = indexes;
    r->job->identity_count = count;
    return SM_OK;
}

sm_status sm_job_finish_input(sm_job_reader *r)
{
    sm_status st = r->identity == NULL ? SM_OK : finish_identity(r);
    if (st == SM_OK && r->where != NULL) {
        st = sm_job_compile(r, r->where, SM_USE_CONDITION, "input.where", &r->job->where);
    }
    return st == SM_OK && r->time_range != NULL ? sm_job_read_time_range(r) : st;
}
