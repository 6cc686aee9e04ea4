/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the terms of a command line into a condition in the job's own language, and that into a
 * plan. */
#include "job/query.h"

#include "core/nearest.h"
#include "core/number.h"
#include "job/job_reader.h"
#include "job/query_rules.h"
#include "partitioner/keytree.h"

#include <string.h>

typedef struct query_maker {
    const sm_job *job;
    const sm_job_table *table;
    sm_arena *arena;
    sm_buf text; /* of the condition */
} query_maker;

/* ---- the table ------------------------------------------------------------------------------- */

static sm_status unknown_table(const sm_job *job, const char *name, sm_error *err)
{
    sm_nearest near;
    sm_nearest_start(&near, sm_bytes_text(name));
    for (size_t i = 0; i < job->table_count; i++) {
        sm_nearest_offer(&near, job->tables[i].view);
    }
    const char *best = sm_nearest_best(&near);
    return sm_fail(err, SM_E_USAGE, "--table %s: the job has no such table; did you mean %s?", name,
                   best != NULL ? best : job->tables[0].view);
}

static sm_status several_entries(const sm_job_table *a, const sm_job_table *b, sm_error *err)
{
    if (strcmp(a->view, b->view) == 0) {
        return sm_fail(
            err, SM_E_USAGE,
            "%s and %s both fill table %s, each with rows of its own; give one of them a "
            "name to be asked by, such as view: %s_2, and say which one is asked: "
            "--table VIEW",
            a->where, b->where, a->name, a->name);
    }
    if (strcmp(a->name, b->name) == 0) {
        return sm_fail(err, SM_E_USAGE,
                       "several entries fill table %s (%s, %s ...); say which one is asked: "
                       "--table %s",
                       a->name, a->view, b->view, a->view);
    }
    return sm_fail(err, SM_E_USAGE,
                   "the job fills several tables (%s, %s ...); say which one is asked: "
                   "--table %s",
                   a->view, b->view, a->view);
}

static bool answers_to(const sm_job_table *t, const char *name, bool by_view)
{
    return name == NULL || strcmp(by_view ? t->view : t->name, name) == 0;
}

/* The one entry of that name (NULL: of all); *out stays NULL when there is none. */
static sm_status find_entry(const sm_job *job, const char *name, bool by_view,
                            const sm_job_table **out, sm_error *err)
{
    *out = NULL;
    for (size_t i = 0; i < job->table_count; i++) {
        const sm_job_table *t = &job->tables[i];
        if (answers_to(t, name, by_view) && *out != NULL) {
            return several_entries(*out, t, err);
        }
        *out = answers_to(t, name, by_view) ? t : *out;
    }
    return SM_OK;
}

/* Whether the fixed front and end of a name with braces are those of this one. */
static bool may_make(const sm_job_table *t, const char *name)
{
    const size_t front = strcspn(t->name, "{");
    const char *brace = strrchr(t->name, '}');
    const size_t len = strlen(name);
    const size_t end = t->name_expr == NULL || brace == NULL ? 0 : strlen(brace + 1);
    return t->name_expr != NULL && brace != NULL && len > front + end &&
           strncmp(t->name, name, front) == 0 && strcmp(name + len - end, brace + 1) == 0 &&
           sm_job_legal_table_name(sm_bytes_text(name));
}

static const sm_job_table *find_maker(const sm_job *job, const char *name)
{
    for (size_t i = 0; name != NULL && i < job->table_count; i++) {
        if (may_make(&job->tables[i], name)) {
            return &job->tables[i];
        }
    }
    return NULL;
}

sm_status sm_query_first_table(const sm_job *job, const char *name, const sm_job_table **out,
                               sm_error *err)
{
    *out = NULL;
    for (size_t i = 0; i < job->table_count; i++) {
        const sm_job_table *t = &job->tables[i];
        if (!answers_to(t, name, true) && !answers_to(t, name, false)) {
            continue;
        }
        if (*out != NULL && strcmp((*out)->name, t->name) != 0) {
            return several_entries(*out, t, err);
        }
        *out = *out == NULL ? t : *out;
    }
    *out = *out == NULL ? find_maker(job, name) : *out;
    return *out == NULL ? unknown_table(job, name, err) : SM_OK;
}

/* By its view; by its table where only one entry fills that; by a name that its records may make.
 */
static sm_status find_table(const sm_job *job, const char *name, const sm_job_table **out,
                            sm_error *err)
{
    sm_status st = find_entry(job, name, true, out, err);
    if (st == SM_OK && *out == NULL) {
        st = find_entry(job, name, false, out, err);
    }
    if (st != SM_OK) {
        return st;
    }
    if (*out == NULL) {
        *out = find_maker(job, name);
    }
    if (*out == NULL) {
        return unknown_table(job, name, err);
    }
    if ((*out)->uid_rows != NULL) {
        return sm_fail(err, SM_E_USAGE,
                       "table %s is filled from dictionaries, not from records; it has no fields "
                       "to ask for",
                       (*out)->name);
    }
    return SM_OK;
}

/* ---- terms ----------------------------------------------------------------------------------- */

typedef struct term {
    const char *whole; /* as given */
    sm_bytes name, sign, value;
} term;

static bool read_term(const char *text, term *out)
{
    static const char *const SIGNS[] = {"!=", "<=", ">=", "^=", "$=", "=", "<", ">"};
    const size_t name = strcspn(text, "!<>^$=");
    *out = (term){.whole = text, .name = sm_bytes_of(text, name)};
    for (size_t i = 0; name > 0 && i < sizeof SIGNS / sizeof SIGNS[0]; i++) {
        const size_t len = strlen(SIGNS[i]);
        if (strncmp(text + name, SIGNS[i], len) == 0) {
            out->sign = sm_bytes_of(text + name, len);
            out->value = sm_bytes_text(text + name + len);
            return true;
        }
    }
    return false;
}

static sm_status put_text(query_maker *m, sm_bytes text, sm_error *err)
{
    sm_status st = sm_buf_append_byte(&m->text, '"', err);
    for (size_t i = 0; st == SM_OK && i < text.len; i++) {
        const uint8_t c = text.data[i];
        const bool plain = c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
        st = plain ? sm_buf_append_byte(&m->text, c, err)
                   : sm_buf_printf(&m->text, err, "\\x%02X", c);
    }
    return st == SM_OK ? sm_buf_append_byte(&m->text, '"', err) : st;
}

static sm_status put_name(query_maker *m, const sm_field *f, sm_error *err)
{
    const sm_bytes name = sm_bytes_text(f->name);
    if (sm_key_plain_name(name)) {
        return sm_buf_append(&m->text, name.data, name.len, err);
    }
    sm_status st = sm_buf_printf(&m->text, err, "field(");
    if (st == SM_OK) {
        st = put_text(m, name, err);
    }
    return st == SM_OK ? sm_buf_append_byte(&m->text, ')', err) : st;
}

static sm_status bad_value(const term *t, const sm_field *f, const char *wanted, sm_error *err)
{
    return sm_fail(err, SM_E_USAGE, "%s: %s is %s; expected %s", t->whole, f->name,
                   sm_key_type_phrase(f->type), wanted);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* The zone that the field's format names, or UTC where every text says its own offset. */
static sm_status zone_of(const sm_field *f, sm_zone **out, sm_error *err)
{
    const char *text = f->time == NULL ? NULL : sm_time_format_text(f->time);
    const char *zone = text == NULL ? NULL : strstr(text, " zone=");
    *out = NULL;
    if (zone == NULL) {
        return SM_OK;
    }
    zone += strlen(" zone=");
    return sm_zone_load(sm_bytes_of(zone, strcspn(zone, " ")), out, err);
}

/* The field's own format, a date, RFC 3339, epoch ms, or 0. */
static sm_status read_time(const term *t, const sm_field *f, int64_t *out, sm_error *err)
{
    sm_time_result result = {0};
    sm_zone *zone = NULL;
    int64_t zero = 1;
    if (sm_parse_int(t->value, &zero) && zero == 0) {
        *out = 0;
        return SM_OK;
    }
    if (f->time != NULL && sm_time_parse(f->time, t->value, &result) == SM_REJECT_NONE) {
        *out = result.ms;
        return SM_OK;
    }
    const sm_status st = zone_of(f, &zone, err);
    if (st != SM_OK) {
        return st;
    }
    const bool good = sm_job_is_instant(t->value, zone, out);
    sm_zone_free(zone);
    return good ? SM_OK
                : bad_value(t, f,
                            "a date (2021-09-12), an RFC 3339 time, epoch ms, or the form that the "
                            "input has",
                            err);
}

static sm_status put_time(query_maker *m, int64_t ms, sm_error *err)
{
    sm_civil c = {0};
    (void)sm_civil_from_ms(ms, &c);
    return sm_buf_printf(&m->text, err, "\"%04d-%02u-%02uT%02u:%02u:%02u.%03uZ\"", c.year, c.month,
                         c.day, c.hour, c.minute, c.second, c.milli);
}

/* ---- from terms to text ---------------------------------------------------------------------- */

static sm_status put_value(query_maker *m, const term *t, const sm_field *f, sm_error *err)
{
    int64_t number = 0;
    double real = 0;
    sm_status st = SM_OK;
    switch (f->type) {
    case SM_TYPE_INT:
        return sm_parse_int(t->value, &number)
                   ? sm_buf_printf(&m->text, err, "%lld", (long long)number)
                   : bad_value(t, f, "a whole number", err);
    case SM_TYPE_DECIMAL: {
        if (!sm_parse_decimal(t->value, &real)) {
            return bad_value(t, f, "a number", err);
        }
        const size_t start = m->text.len;
        st = sm_buf_printf(&m->text, err, "%.17g", real);
        const bool whole = st == SM_OK &&
                           memchr(m->text.data + start, '.', m->text.len - start) == NULL &&
                           memchr(m->text.data + start, 'e', m->text.len - start) == NULL;
        return whole ? sm_buf_printf(&m->text, err, ".0") : st;
    }
    case SM_TYPE_TIME:
        st = read_time(t, f, &number, err);
        if (st == SM_OK && (number < SM_TIME_MIN || number > SM_TIME_MAX)) {
            return bad_value(t, f, "a time in the years 1 to 9999", err);
        }
        return st == SM_OK ? put_time(m, number, err) : st;
    default: return put_text(m, t->value, err);
    }
}

static sm_status and_then(query_maker *m, sm_error *err)
{
    return m->text.len == 0 ? SM_OK : sm_buf_printf(&m->text, err, " and ");
}

/* starts_with and ends_with */
static sm_status put_end_term(query_maker *m, const term *t, const sm_field *f, sm_error *err)
{
    if (f->type != SM_TYPE_TEXT && f->type != SM_TYPE_BYTES) {
        return bad_value(t, f, "a text field in front of ^= and $=", err);
    }
    sm_status st =
        sm_buf_printf(&m->text, err, "%s(", t->sign.data[0] == '^' ? "starts_with" : "ends_with");
    if (st == SM_OK) {
        st = put_name(m, f, err);
    }
    if (st == SM_OK) {
        st = sm_buf_printf(&m->text, err, ", ");
    }
    if (st == SM_OK) {
        st = put_text(m, t->value, err);
    }
    return st == SM_OK ? sm_buf_append_byte(&m->text, ')', err) : st;
}

static sm_status put_term(query_maker *m, const term *t, const sm_field *f, sm_error *err)
{
    sm_status st = and_then(m, err);
    if (st != SM_OK || t->sign.data[0] == '^' || t->sign.data[0] == '$') {
        return st == SM_OK ? put_end_term(m, t, f, err) : st;
    }
    st = put_name(m, f, err);
    if (st == SM_OK) {
        st = sm_buf_printf(&m->text, err, " %.*s ", (int)t->sign.len, t->sign.data);
    }
    return st == SM_OK ? put_value(m, t, f, err) : st;
}

/* The first time field of the key, from left to right. Depth is bounded by the parser. */
static int time_field_of(const sm_schema *schema, const sm_node *node)
{
    if (node->kind == SM_NODE_FIELD) {
        return schema->fields[node->field].type == SM_TYPE_TIME ? node->field : -1;
    }
    const bool call = node->kind == SM_NODE_CALL || node->kind == SM_NODE_DEFAULT;
    sm_node *const *below = call ? node->args : node->child;
    const size_t count = call ? node->arg_count : node->child_count;
    for (size_t i = 0; i < count && !sm_node_is_literal(node); i++) {
        const int found = time_field_of(schema, below[i]);
        if (found >= 0) {
            return found;
        }
    }
    return -1;
}

/* from=A and to=B: [A, B) of the key's time. Beyond the calendar they bound nothing. */
static sm_status put_period(query_maker *m, term *t, bool from, sm_error *err)
{
    const int index = time_field_of(&m->job->schema, m->table->key->root);
    int64_t ms = 0;
    if (index < 0) {
        return sm_fail(err, SM_E_USAGE,
                       "%s: the key of table %s has no time field; name the field that is meant, "
                       "such as start>=2021-09-01",
                       t->whole, m->table->name);
    }
    const sm_field *f = &m->job->schema.fields[index];
    const sm_status st = read_time(t, f, &ms, err);
    if (st != SM_OK || (from ? ms <= SM_TIME_MIN : ms > SM_TIME_MAX)) {
        return st;
    }
    t->sign = sm_bytes_text(from ? ">=" : "<");
    return put_term(m, t, f, err);
}

static sm_status unknown_field(const sm_job *job, const term *t, sm_error *err)
{
    sm_nearest near;
    sm_nearest_start(&near, t->name);
    for (size_t i = 0; i < job->schema.count; i++) {
        sm_nearest_offer(&near, job->schema.fields[i].name);
    }
    const char *best = sm_nearest_best(&near);
    return sm_fail(err, SM_E_USAGE, "%s: there is no field %.*s%s%s%s", t->whole, (int)t->name.len,
                   t->name.data, best != NULL ? "; did you mean " : "", best != NULL ? best : "",
                   best != NULL ? "?" : "");
}

static sm_status add_term(query_maker *m, const char *text, sm_error *err)
{
    term t;
    if (!read_term(text, &t)) {
        return sm_fail(err, SM_E_USAGE,
                       "%s: expected NAME=VALUE (or != < <= > >=, ^= for starts with, $= for ends "
                       "with); other conditions go into --where",
                       text);
    }
    const int index = sm_schema_find(&m->job->schema, t.name);
    if (index >= 0) {
        return put_term(m, &t, &m->job->schema.fields[index], err);
    }
    const bool from = sm_bytes_equal_text(t.name, "from");
    if ((from || sm_bytes_equal_text(t.name, "to")) && sm_bytes_equal_text(t.sign, "=")) {
        return put_period(m, &t, from, err);
    }
    return unknown_field(m->job, &t, err);
}

/* ---- condition and plan ---------------------------------------------------------------------- */

static sm_status add_where(query_maker *m, const char *where, sm_error *err)
{
    sm_expr_context context;
    const sm_expr *alone = NULL;
    bool numbers_rows = false;
    sm_job_expr_context(m->job, m->table, m->arena, "--where", &context);
    context.numbers_rows = &numbers_rows;
    sm_status st = sm_expr_compile(&context, SM_USE_CONDITION, sm_bytes_text(where), &alone, err);
    if (st == SM_OK && numbers_rows) {
        return sm_fail(
            err, SM_E_EXPR,
            "--where: row_number() is the place of a record in the inputs of a run, which "
            "a row does not tell; ask for a part of the key or a range of rows");
    }
    if (st == SM_OK) {
        st = and_then(m, err);
    }
    return st == SM_OK ? sm_buf_printf(&m->text, err, "(%s\n)", where) : st;
}

static sm_status compile(query_maker *m, sm_query *out, sm_error *err)
{
    sm_expr_context context;
    sm_buf text;
    if (m->text.len == 0) {
        return SM_OK;
    }
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_job_expr_context(m->job, m->table, m->arena, "query", &context);
    sm_status st =
        sm_expr_compile(&context, SM_USE_CONDITION, sm_buf_view(&m->text), &out->condition, err);
    if (st == SM_OK) {
        st = sm_expr_canonical(out->condition, &m->job->schema, &text, err);
    }
    const char *copy = st == SM_OK ? sm_arena_text(m->arena, text.data, text.len) : NULL;
    out->text = sm_bytes_of(copy, text.len);
    sm_buf_free(&text);
    return st == SM_OK && copy == NULL ? sm_fail_memory(err, text.len, "the query") : st;
}

/* NULL: all tables that the entry's records name. */
static const char *asked_name(const sm_job_table *t, const char *name)
{
    if (t->name_expr == NULL) {
        return t->name;
    }
    return answers_to(t, name, true) || answers_to(t, name, false) ? NULL : name;
}

sm_status sm_query_make(const sm_job *job, const sm_query_spec *spec, sm_arena *arena,
                        sm_query *out, sm_error *err)
{
    query_maker m = {.job = job, .arena = arena};
    const sm_plan_options options = {.by_time = spec->by_time, .by_lead = spec->by_lead};
    sm_expr_context context;
    *out = (sm_query){.job = job};
    sm_buf_init(&m.text, SM_KEY_TEXT_MAX * 4);
    sm_status st = find_table(job, spec->table, &m.table, err);
    for (size_t i = 0; st == SM_OK && i < spec->term_count; i++) {
        st = add_term(&m, spec->terms[i], err);
    }
    if (st == SM_OK && spec->where != NULL) {
        st = add_where(&m, spec->where, err);
    }
    if (st == SM_OK) {
        st = compile(&m, out, err);
    }
    if (st == SM_OK) {
        out->table = m.table;
        out->name = asked_name(m.table, spec->table);
        sm_job_expr_context(job, m.table, arena, m.table->key_where, &context);
        st = sm_key_plan_make(&context, m.table->key, out->condition, &options, &out->plan, err);
    }
    if (st == SM_OK && spec->rule_count != 0) {
        st = sm_query_add_rules(spec, sm_buf_view(&m.text), arena, out, err);
    }
    sm_buf_free(&m.text);
    return st;
}
