/* SPDX-License-Identifier: Apache-2.0 */
/* Prints plans. The HBase shell hands STARTROW and STOPROW to to_java_bytes, which gives the bytes
 * of the Ruby text as they are (table.rb, _hash_to_scan): so Ruby's own \xHH says any byte. The
 * three bytes that mean something between double quotes (" # \) are written so, too. */
#include "job/plan_print.h"

#include "core/escape.h"
#include "core/json.h"

#include <string.h>

static sm_status put_ruby(sm_bytes bytes, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_append_byte(out, '"', err);
    for (size_t i = 0; st == SM_OK && i < bytes.len; i++) {
        const uint8_t c = bytes.data[i];
        const bool plain = c >= 0x20 && c < 0x7F && c != '"' && c != '#' && c != '\\';
        st = plain ? sm_buf_append_byte(out, c, err) : sm_buf_printf(out, err, "\\x%02X", c);
    }
    return st == SM_OK ? sm_buf_append_byte(out, '"', err) : st;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool has_family(const sm_job_table *t, sm_bytes family)
{
    for (size_t i = 0; i < t->family_count; i++) {
        if (sm_bytes_equal(t->families[i].name, family)) {
            return true;
        }
    }
    return false;
}

static sm_status check_columns(const sm_query *q, const sm_plan_print *o, sm_error *err)
{
    for (size_t i = 0; i < o->column_count; i++) {
        const sm_bytes family = sm_bytes_of(o->columns[i], strcspn(o->columns[i], ":"));
        const char *qualifier = strchr(o->columns[i], ':');
        if (!has_family(q->table, family)) {
            return sm_fail(err, SM_E_USAGE, "--columns %s: table %s has no family %.*s",
                           o->columns[i], q->table->name, (int)family.len, family.data);
        }
        if (qualifier != NULL && strchr(qualifier + 1, ':') != NULL) {
            return sm_fail(err, SM_E_USAGE,
                           "--columns %s: the shell would take what stands behind the second colon "
                           "for a converter; ask for the family %.*s instead",
                           o->columns[i], (int)family.len, family.data);
        }
    }
    return SM_OK;
}

static sm_status check(const sm_query *q, const sm_plan_print *o, sm_error *err)
{
    const sm_status st = check_columns(q, o, err);
    if (st != SM_OK || !q->plan->full || o->allow_full) {
        return st;
    }
    return sm_fail(err, SM_E_FULL_SCAN,
                   "table %s: this needs a scan of the whole table, because %s; --full allows it",
                   q->table->name, q->plan->why_full);
}

/* Other entries fill this table, too. */
static bool shares_table(const sm_query *q)
{
    bool shares = false;
    for (size_t i = 0; i < q->job->table_count; i++) {
        const sm_job_table *t = &q->job->tables[i];
        shares |= t != q->table && strcmp(t->name, q->table->name) == 0;
    }
    return shares;
}

/* The options as they are printed: where other entries' rows lie in between, only the families of
 * this one are asked for. */
static sm_status settle(const sm_query *q, const sm_plan_print *given, sm_arena *arena,
                        sm_plan_print *out, sm_error *err)
{
    const size_t count = q->table->family_count;
    *out = *given;
    if (given->column_count != 0 || !shares_table(q)) {
        return SM_OK;
    }
    const char **columns = sm_arena_array(arena, count, sizeof *columns);
    if (columns == NULL) {
        return sm_fail_memory(err, count * sizeof *columns, "a plan");
    }
    for (size_t i = 0; i < count; i++) {
        columns[i] = q->table->families[i].name_text;
    }
    out->columns = columns;
    out->column_count = count;
    return SM_OK;
}

/* ---- pages ----------------------------------------------------------------------------------- */

typedef struct pages {
    sm_key_range *ranges;
    size_t count;
} pages;

static bool holds(const sm_key_range *r, sm_bytes row)
{
    return sm_bytes_compare(row, r->start) >= 0 &&
           (r->stop.len == 0 || sm_bytes_compare(row, r->stop) < 0);
}

/* lead of this range, then row without its lead, then a 00 when a row of these bytes was read. */
static sm_status start_behind(sm_arena *arena, sm_key_range *r, sm_bytes row, size_t row_lead,
                              bool by_time, sm_error *err)
{
    const size_t rest = row.len - row_lead;
    uint8_t *start = sm_arena_get(arena, r->lead + rest + row.len + 2);
    if (start == NULL) {
        return sm_fail_memory(err, row.len, "the plan");
    }
    size_t len = 0;
    if (by_time) {
        const sm_bytes own = sm_bytes_of(r->start.data, r->lead);
        const bool read = sm_bytes_compare(own, sm_bytes_of(row.data, row_lead)) <= 0;
        memcpy(start, own.data, own.len);
        memcpy(start + own.len, row.data + row_lead, rest);
        len = own.len + rest;
        start[len] = 0;
        len += read;
    } else {
        memcpy(start, row.data, row.len);
        start[row.len] = 0;
        len = row.len + 1;
    }
    const sm_bytes moved = sm_bytes_of(start, len);
    r->start = sm_bytes_compare(moved, r->start) > 0 ? moved : r->start;
    return SM_OK;
}

static sm_status not_there(sm_bytes row, sm_error *err)
{
    char shown[200];
    return sm_fail(err, SM_E_USAGE,
                   "--after %s: this row lies in none of the plan's ranges; give the last row that "
                   "was read, as the shell printed it",
                   sm_escape_short(row, shown, sizeof shown));
}

/* The ranges that are left behind `after`. */
static sm_status turn_page(const sm_query *q, const sm_plan_print *o, sm_arena *arena, pages *out,
                           sm_error *err)
{
    const sm_key_plan *plan = q->plan;
    size_t at = 0;
    out->ranges = sm_arena_array(arena, plan->count + 1, sizeof *out->ranges);
    out->count = 0;
    if (out->ranges == NULL) {
        return sm_fail_memory(err, plan->count * sizeof *out->ranges, "the plan");
    }
    while (o->after.len != 0 && at < plan->count && !holds(&plan->ranges[at], o->after)) {
        at++;
    }
    if (o->after.len != 0 && at == plan->count) {
        return not_there(o->after, err);
    }
    sm_status st = SM_OK;
    const size_t lead =
        o->after.len != 0 && plan->ranges[at].lead < o->after.len ? plan->ranges[at].lead : 0;
    for (size_t i = 0; st == SM_OK && i < plan->count; i++) {
        sm_key_range r = plan->ranges[i];
        if (o->after.len != 0) {
            st = start_behind(arena, &r, o->after, lead, o->by_time, err);
        }
        if (r.stop.len == 0 || sm_bytes_compare(r.start, r.stop) < 0) {
            out->ranges[out->count++] = r;
        }
    }
    return st;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *order_name(sm_time_order order)
{
    return order == SM_TIME_NEWEST_FIRST   ? "newest first"
           : order == SM_TIME_OLDEST_FIRST ? "oldest first"
                                           : "by key";
}

static sm_status put_line(sm_buf *out, const char *front, sm_bytes text, sm_error *err)
{
    sm_status st = sm_buf_printf(out, err, "%s", front);
    if (st == SM_OK) {
        st = sm_buf_append(out, text.data, text.len, err);
    }
    return st == SM_OK ? sm_buf_append_byte(out, '\n', err) : st;
}

static sm_status put_steps(const sm_key_plan *plan, sm_buf *out, sm_error *err)
{
    size_t width = 0;
    sm_status st = SM_OK;
    for (size_t i = 0; i < plan->step_count; i++) {
        width = plan->steps[i].rule.len > width ? plan->steps[i].rule.len : width;
    }
    width = width > 48 ? 48 : width;
    for (size_t i = 0; st == SM_OK && i < plan->step_count; i++) {
        const sm_bytes rule = plan->steps[i].rule;
        st = sm_buf_printf(out, err, "#   %-*.*s  %s\n", (int)width, (int)rule.len, rule.data,
                           plan->steps[i].text);
    }
    return st;
}

static sm_status put_rules(const sm_query *q, sm_buf *out, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < q->rule_count; i++) {
        const sm_query_rule *rule = &q->rules[i];
        st = sm_buf_printf(out, err, "# and rows under the rule in %s, key %s\n", rule->path,
                           rule->key);
        if (st == SM_OK) {
            st = put_steps(rule->plan, out, err);
        }
    }
    return st;
}

static sm_status put_outcome(const sm_query *q, const sm_plan_print *o, size_t scans, sm_buf *out,
                             sm_error *err)
{
    const sm_key_plan *plan = q->plan;
    if (plan->count == 0) {
        return sm_buf_printf(out, err, "# no row can match\n");
    }
    sm_status st = sm_buf_printf(out, err, "# %zu scan%s", scans, scans == 1 ? "" : "s");
    if (st == SM_OK && plan->time_order != SM_TIME_UNORDERED) {
        st = sm_buf_printf(out, err, "%s %s by %s", scans == 1 ? "," : ", each",
                           order_name(plan->time_order),
                           q->job->schema.fields[plan->time_field].name);
    }
    if (st == SM_OK && plan->full) {
        st = sm_buf_printf(out, err, ", of the whole table: %s", plan->why_full);
    }
    if (st == SM_OK && plan->exact) {
        return sm_buf_printf(out, err, "; exact: every row read is a row asked for\n");
    }
    if (st == SM_OK) {
        st = sm_buf_printf(out, err, "; more rows than asked for: keep those where\n");
    }
    if (st == SM_OK) {
        st = put_line(out, "#   ", plan->residual_text, err);
    }
    return st == SM_OK && o->limit != 0
               ? sm_buf_printf(out, err,
                               "# and stop after %llu of them: a LIMIT would count the "
                               "others, too\n",
                               (unsigned long long)o->limit)
               : st;
}

static sm_status put_columns(const sm_plan_print *o, sm_buf *out, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < o->column_count; i++) {
        st = sm_buf_printf(out, err, "%s", i == 0 ? ", COLUMNS => [" : ", ");
        if (st == SM_OK) {
            st = put_ruby(sm_bytes_text(o->columns[i]), out, err);
        }
    }
    return st == SM_OK ? sm_buf_append_byte(out, ']', err) : st;
}

static const char *shown_name(const sm_query *q)
{
    return q->name != NULL ? q->name : q->table->name;
}

static sm_status put_scan(const sm_query *q, const sm_plan_print *o, const sm_key_range *r,
                          sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_printf(out, err, "scan '%s', {STARTROW => ", shown_name(q));
    if (st == SM_OK) {
        st = put_ruby(r->start, out, err);
    }
    if (st == SM_OK && r->stop.len != 0) {
        st = sm_buf_printf(out, err, ", STOPROW => ");
    }
    if (st == SM_OK && r->stop.len != 0) {
        st = put_ruby(r->stop, out, err);
    }
    if (st == SM_OK && o->column_count != 0) {
        st = put_columns(o, out, err);
    }
    if (st == SM_OK && o->limit != 0 && q->plan->exact) {
        st = sm_buf_printf(out, err, ", LIMIT => %llu", (unsigned long long)o->limit);
    }
    return st == SM_OK ? sm_buf_printf(out, err, "}\n") : st;
}

static sm_status put_text(const sm_query *q, const sm_plan_print *o, const pages *p, sm_buf *out,
                          sm_error *err)
{
    sm_status st =
        sm_buf_printf(out, err, "# table %s, key %s\n", shown_name(q), q->table->key_canonical);
    if (st == SM_OK && q->name == NULL) {
        st =
            sm_buf_printf(out, err,
                          "# records name their table: scan each that can hold the answer, or name "
                          "one with --table\n");
    }
    if (st == SM_OK && q->text.len != 0) {
        st = put_line(out, "# where ", q->text, err);
    }
    if (st == SM_OK) {
        st = put_steps(q->plan, out, err);
    }
    if (st == SM_OK) {
        st = put_rules(q, out, err);
    }
    if (st == SM_OK) {
        st = put_outcome(q, o, p->count, out, err);
    }
    for (size_t i = 0; st == SM_OK && i < p->count; i++) {
        st = put_scan(q, o, &p->ranges[i], out, err);
    }
    return st;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_hex(sm_json *j, const char *name, sm_bytes bytes, sm_buf *scratch)
{
    static const char DIGITS[] = "0123456789abcdef";
    sm_buf_clear(scratch);
    for (size_t i = 0; j->status == SM_OK && i < bytes.len; i++) {
        const char pair[2] = {DIGITS[bytes.data[i] >> 4], DIGITS[bytes.data[i] & 15]};
        j->status = sm_buf_append(scratch, pair, sizeof pair, j->err);
    }
    sm_json_bytes(j, name, sm_buf_view(scratch));
}

static void put_json_ranges(sm_json *j, const pages *p, sm_buf *scratch)
{
    sm_json_open_array(j, "ranges");
    for (size_t i = 0; i < p->count; i++) {
        const sm_key_range *r = &p->ranges[i];
        sm_json_open_object(j, NULL);
        sm_json_escaped(j, "start", r->start);
        sm_json_escaped(j, "stop", r->stop);
        put_hex(j, "start_hex", r->start, scratch);
        put_hex(j, "stop_hex", r->stop, scratch);
        sm_json_uint(j, "lead", r->lead);
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
}

static void put_json_steps(sm_json *j, const sm_key_plan *plan)
{
    sm_json_open_array(j, "steps");
    for (size_t i = 0; i < plan->step_count; i++) {
        sm_json_open_object(j, NULL);
        sm_json_bytes(j, "part", plan->steps[i].rule);
        sm_json_text(j, "use", plan->steps[i].text);
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
}

static void put_json_rules(sm_json *j, const sm_query *q)
{
    sm_json_open_array(j, "rules");
    for (size_t i = 0; i < q->rule_count; i++) {
        sm_json_open_object(j, NULL);
        sm_json_text(j, "file", q->rules[i].path);
        sm_json_text(j, "key", q->rules[i].key);
        sm_json_text(j, "key_fingerprint", q->rules[i].fingerprint);
        put_json_steps(j, q->rules[i].plan);
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
}

static void put_json(const sm_query *q, const sm_plan_print *o, const pages *p, sm_json *j,
                     sm_buf *scratch)
{
    const sm_key_plan *plan = q->plan;
    const bool timed = plan->time_field >= 0;
    sm_json_open_object(j, NULL);
    sm_json_text(j, "table", shown_name(q));
    if (q->table->name_expr != NULL) {
        sm_json_text(j, "template", q->table->name);
    }
    sm_json_text(j, "key", q->table->key_canonical);
    sm_json_text(j, "key_fingerprint", q->table->key_fingerprint);
    sm_json_bytes(j, "where", q->text);
    sm_json_bool(j, "full", plan->full);
    if (plan->full) {
        sm_json_text(j, "why_full", plan->why_full);
    }
    sm_json_bool(j, "exact", plan->exact);
    if (plan->residual == NULL) {
        sm_json_text(j, "residual", NULL);
    } else {
        sm_json_bytes(j, "residual", plan->residual_text);
    }
    sm_json_text(j, "order", order_name(plan->time_order));
    sm_json_text(j, "time_field", timed ? q->job->schema.fields[plan->time_field].name : NULL);
    sm_json_uint(j, "fan_out", plan->fan_out);
    sm_json_open_array(j, "columns");
    for (size_t i = 0; i < o->column_count; i++) {
        sm_json_text(j, NULL, o->columns[i]);
    }
    sm_json_close_array(j);
    sm_json_uint(j, "limit", o->limit);
    put_json_steps(j, plan);
    if (q->rule_count != 0) {
        put_json_rules(j, q);
    }
    put_json_ranges(j, p, scratch);
    sm_json_close_object(j);
}

/* ---- doors ----------------------------------------------------------------------------------- */

sm_status sm_plan_print_text(const sm_query *query, const sm_plan_print *options, sm_buf *out,
                             sm_error *err)
{
    sm_arena *arena = NULL;
    sm_plan_print settled;
    pages p = {0};
    sm_status st = check(query, options, err);
    if (st == SM_OK) {
        st = sm_arena_new(1 << 16, &arena, err);
    }
    if (st == SM_OK) {
        st = settle(query, options, arena, &settled, err);
    }
    if (st == SM_OK) {
        st = turn_page(query, options, arena, &p, err);
    }
    if (st == SM_OK) {
        st = put_text(query, &settled, &p, out, err);
    }
    sm_arena_free(arena);
    return st;
}

sm_status sm_plan_print_json(const sm_query *query, const sm_plan_print *options, sm_buf *out,
                             sm_error *err)
{
    sm_arena *arena = NULL;
    sm_buf scratch;
    sm_json j;
    sm_plan_print settled;
    pages p = {0};
    sm_buf_init(&scratch, SIZE_MAX / 4);
    sm_status st = check(query, options, err);
    if (st == SM_OK) {
        st = sm_arena_new(1 << 16, &arena, err);
    }
    if (st == SM_OK) {
        st = settle(query, options, arena, &settled, err);
    }
    if (st == SM_OK) {
        st = turn_page(query, options, arena, &p, err);
    }
    if (st == SM_OK) {
        sm_json_start(&j, out, false, err);
        put_json(query, &settled, &p, &j, &scratch);
        st = sm_json_finish(&j);
    }
    sm_buf_free(&scratch);
    sm_arena_free(arena);
    return st;
}
