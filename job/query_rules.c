/* SPDX-License-Identifier: Apache-2.0 */
/* Plans one condition under each key rule of a table and joins the ranges.
 *
 * A rule's key is compiled over the job's fields, with the character sets that the rule recorded.
 * The time window of a field (min, max) belongs to today's input and binds no older row. */
#include "job/query_rules.h"

#include "core/escape.h"
#include "job/rule_file.h"
#include "job/rule_parts.h"
#include "partitioner/keyrange.h"

#include <stdio.h>
#include <string.h>

/* How a rule is compiled: the job's context, changed where the rule says otherwise. */
typedef struct old_rule {
    const sm_query *query;
    const sm_query_spec *spec;
    const char *path;
    const sm_rule *rule;
    sm_arena *arena;
    sm_bytes condition;
    sm_schema schema;
    sm_field *fields;
    int *identity;
    size_t identity_count;
    sm_expr_context context;
} old_rule;

static sm_status no_memory(sm_error *err)
{
    return sm_fail_memory(err, 0, "the query");
}

static sm_status cannot_follow(const old_rule *o, sm_bytes field, const char *why, sm_error *err)
{
    char shown[100];
    return sm_fail(err, SM_E_USAGE,
                   "--rule %s: the key of table %s reads the field %s, %s; rows under that rule "
                   "need a job of their own to be asked for",
                   o->path, o->rule->table, sm_escape_short(field, shown, sizeof shown), why);
}

/* ---- fields as the rule has them ------------------------------------------------------------- */

/* "field.NAME.type" -> NAME, for this last word. */
static bool is_field_line(sm_bytes path, const char *word, sm_bytes *name)
{
    const size_t front = strlen("field.");
    const size_t back = strlen(word);
    if (!sm_rule_starts(path, "field.") || path.len <= front + back ||
        memcmp(path.data + path.len - back, word, back) != 0) {
        return false;
    }
    *name = sm_bytes_of(path.data + front, path.len - front - back);
    return true;
}

static sm_status take_type(old_rule *o, sm_bytes name, sm_bytes type, sm_error *err)
{
    const int index = sm_schema_find(&o->schema, name);
    if (index < 0) {
        return cannot_follow(o, name, "which the job does not have", err);
    }
    if (!sm_bytes_equal_text(type, sm_type_name(o->fields[index].type))) {
        return cannot_follow(o, name, "which has another type in the job", err);
    }
    o->fields[index].charset = SM_CHARSET_ANY;
    return SM_OK;
}

static void take_charset(old_rule *o, sm_bytes name, sm_bytes charset)
{
    const int index = sm_schema_find(&o->schema, name);
    if (index >= 0) {
        o->fields[index].charset = sm_bytes_equal_text(charset, "digits")  ? SM_CHARSET_DIGITS
                                   : sm_bytes_equal_text(charset, "ascii") ? SM_CHARSET_ASCII
                                                                           : SM_CHARSET_ANY;
    }
}

/* Values are escaped; names in them that need it are not found. */
static sm_status take_identity(old_rule *o, sm_bytes name, sm_error *err)
{
    const int index = sm_schema_find(&o->schema, name);
    if (index < 0) {
        return cannot_follow(o, name, "which the job does not have", err);
    }
    if (o->identity_count < o->schema.count) {
        o->identity[o->identity_count++] = index;
    }
    return SM_OK;
}

/* The charset of a field stands behind its type. */
static sm_status take_lines(old_rule *o, sm_error *err)
{
    sm_bytes rest = sm_bytes_text(o->rule->text == NULL ? "" : o->rule->text);
    sm_bytes line;
    sm_bytes path;
    sm_bytes value;
    sm_bytes name;
    sm_status st = SM_OK;
    while (st == SM_OK && sm_rule_next_line(&rest, &line)) {
        if (!sm_rule_split_line(line, &path, &value)) {
            continue;
        }
        if (is_field_line(path, ".type", &name)) {
            st = take_type(o, name, value, err);
        } else if (is_field_line(path, ".charset", &name)) {
            take_charset(o, name, value);
        } else if (sm_bytes_equal_text(path, "input.identity")) {
            st = take_identity(o, value, err);
        }
    }
    return st;
}

static sm_status copy_schema(old_rule *o, sm_error *err)
{
    const sm_schema *schema = &o->query->job->schema;
    o->fields = sm_arena_array(o->arena, schema->count + 1, sizeof *o->fields);
    o->identity = sm_arena_array(o->arena, schema->count + 1, sizeof *o->identity);
    if (o->fields == NULL || o->identity == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < schema->count; i++) {
        o->fields[i] = schema->fields[i];
        o->fields[i].has_min = false;
        o->fields[i].has_max = false;
    }
    o->schema = (sm_schema){.fields = o->fields, .count = schema->count};
    return SM_OK;
}

/* ---- one rule -------------------------------------------------------------------------------- */

static sm_status make_context(old_rule *o, sm_error *err)
{
    enum { WHERE = 400 };
    char *where = sm_arena_get(o->arena, WHERE);
    if (where == NULL) {
        return no_memory(err);
    }
    (void)snprintf(where, WHERE, "--rule %.200s: table %.100s", o->path, o->rule->table);
    sm_job_expr_context(o->query->job, o->query->table, o->arena, where, &o->context);
    o->context.schema = &o->schema;
    if (o->identity_count != 0) {
        o->context.identity = o->identity;
        o->context.identity_count = o->identity_count;
    }
    return SM_OK;
}

/* A canonical key has no names for expressions in it; one of the job's must not hide a field. */
static sm_status compile_key(const old_rule *o, const sm_expr **out, sm_error *err)
{
    sm_expr_context context = o->context;
    sm_buf text;
    context.defines = NULL;
    context.define_count = 0;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = sm_expr_compile(&context, SM_USE_KEY, sm_bytes_text(o->rule->key), out, err);
    if (st == SM_OK) {
        st = sm_expr_canonical(*out, &o->schema, &text, err);
    }
    if (st == SM_OK && !sm_bytes_equal_text(sm_buf_view(&text), o->rule->key)) {
        st = sm_fail(err, SM_E_RULE_FILE,
                     "--rule %s: table %s: the key is not spelled as this version of saltmill "
                     "spells it, so it may mean something else",
                     o->path, o->rule->table);
    }
    sm_buf_free(&text);
    return st;
}

static sm_status plan_rule(old_rule *o, sm_query_rule *out, sm_error *err)
{
    const sm_plan_options options = {.by_time = o->spec->by_time};
    const sm_expr *key = NULL;
    const sm_expr *condition = NULL;
    sm_status st = copy_schema(o, err);
    if (st == SM_OK) {
        st = take_lines(o, err);
    }
    if (st == SM_OK) {
        st = make_context(o, err);
    }
    if (st == SM_OK) {
        st = compile_key(o, &key, err);
    }
    if (st == SM_OK && o->condition.len != 0) {
        st = sm_expr_compile(&o->context, SM_USE_CONDITION, o->condition, &condition, err);
    }
    *out =
        (sm_query_rule){.path = o->path, .key = o->rule->key, .fingerprint = o->rule->fingerprint};
    return st == SM_OK ? sm_key_plan_make(&o->context, key, condition, &options, &out->plan, err)
                       : st;
}

/* ---- the union ------------------------------------------------------------------------------- */

/* One more plan for the same rows: the order by time holds where both have it. */
static void widen(sm_key_plan *all, sm_key_range *ranges, const sm_key_plan *more)
{
    if (more->count == 0) {
        return;
    }
    if (all->count == 0) {
        all->time_order = more->time_order;
        all->time_field = more->time_field;
    } else if (all->time_order != more->time_order || all->time_field != more->time_field) {
        all->time_order = SM_TIME_UNORDERED;
        all->time_field = -1;
    }
    if (more->full && !all->full) {
        all->full = true;
        all->why_full = more->why_full;
    }
    memcpy(ranges + all->count, more->ranges, more->count * sizeof *ranges);
    all->count += more->count;
    all->fan_out += more->fan_out;
}

/* Nothing is exact any more: salt "12" before 1380... of one rule and salt "121" before 380... of
 * another are the same bytes. */
static sm_status join(sm_query *q, sm_arena *arena, sm_error *err)
{
    size_t count = q->plan->count;
    bool overlapped = false;
    for (size_t i = 0; i < q->rule_count; i++) {
        count += q->rules[i].plan->count;
    }
    sm_key_plan *all = sm_arena_array(arena, 1, sizeof *all);
    sm_key_range *ranges = sm_arena_array(arena, count + 1, sizeof *ranges);
    if (all == NULL || ranges == NULL) {
        return no_memory(err);
    }
    *all = *q->plan;
    all->ranges = ranges;
    if (all->count != 0) {
        memcpy(ranges, q->plan->ranges, all->count * sizeof *ranges);
    }
    for (size_t i = 0; i < q->rule_count; i++) {
        widen(all, ranges, q->rules[i].plan);
    }
    all->count =
        sm_key_ranges_join(ranges, all->count, all->time_order == SM_TIME_UNORDERED, &overlapped);
    if (overlapped) {
        all->time_order = SM_TIME_UNORDERED;
        all->time_field = -1;
    }
    all->exact = all->count == 0 || q->condition == NULL;
    all->residual = all->exact ? NULL : q->condition;
    all->residual_text = all->exact ? (sm_bytes){0} : q->text;
    q->plan = all;
    return SM_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_known(const sm_query *q, const sm_query_rule *list, const sm_rule *rule)
{
    bool known = strcmp(rule->fingerprint, q->table->key_fingerprint) == 0;
    for (size_t i = 0; i < q->rule_count; i++) {
        known |= strcmp(rule->fingerprint, list[i].fingerprint) == 0;
    }
    return known;
}

/* The rules of the table in one file; those that are known already add nothing. */
static sm_status add_file(old_rule *o, const sm_rules *rules, sm_query_rule *list, sm_query *q,
                          sm_error *err)
{
    bool found = false;
    for (size_t i = 0; i < rules->count; i++) {
        o->rule = &rules->items[i];
        if (strcmp(o->rule->table, q->table->name) != 0) {
            continue;
        }
        found = true;
        o->identity_count = 0;
        if (!is_known(q, list, o->rule)) {
            const sm_status st = plan_rule(o, &list[q->rule_count], err);
            if (st != SM_OK) {
                return st;
            }
            q->rule_count++;
        }
    }
    return found ? SM_OK
                 : sm_fail(err, SM_E_USAGE, "--rule %s: holds no key rule of table %s", o->path,
                           q->table->name);
}

sm_status sm_query_add_rules(const sm_query_spec *spec, sm_bytes condition, sm_arena *arena,
                             sm_query *out, sm_error *err)
{
    old_rule o = {.query = out, .spec = spec, .arena = arena, .condition = condition};
    sm_rules *files = sm_arena_array(arena, spec->rule_count, sizeof *files);
    sm_status st = files == NULL ? no_memory(err) : SM_OK;
    size_t most = 0;
    for (size_t i = 0; st == SM_OK && i < spec->rule_count; i++) {
        st = sm_rules_read(spec->rules[i], arena, &files[i], err);
        most += files[i].count;
    }
    sm_query_rule *list = sm_arena_array(arena, most + 1, sizeof *list);
    if (st == SM_OK && list == NULL) {
        return no_memory(err);
    }
    out->rules = list;
    for (size_t i = 0; st == SM_OK && i < spec->rule_count; i++) {
        o.path = spec->rules[i];
        st = add_file(&o, &files[i], list, out, err);
    }
    return st == SM_OK && out->rule_count != 0 ? join(out, arena, err) : st;
}
