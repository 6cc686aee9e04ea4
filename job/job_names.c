/* SPDX-License-Identifier: Apache-2.0 */
/* Names of tables: fixed ones, and templates whose parts in braces are expressions over the record.
 *
 *   name: cdr                                 name: 'cdr_{format_ts(start, "%Y%m")}' */
#include "job/job_reader.h"

#include <string.h>

enum { TABLE_NAME_MAX = 200, TEMPLATE_MAX = 4096 };

static bool name_byte(uint8_t c, bool first)
{
    const bool word =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    return word || (!first && (c == '-' || c == '.'));
}

/* Words of letters, digits, _ and, not in front, - and dot. */
bool sm_job_legal_table_name(sm_bytes name)
{
    const uint8_t *colon = name.len == 0 ? NULL : memchr(name.data, ':', name.len);
    const size_t start = colon == NULL ? 0 : (size_t)(colon - name.data) + 1;
    if (start == name.len || start == 1 || name.len > TABLE_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (i + 1 != start && !name_byte(name.data[i], i == 0 || i == start)) {
            return false;
        }
    }
    return true;
}

/* ---- templates ------------------------------------------------------------------------------- */

/* Where the brace that opens at `open` closes; 0 when it does not. Texts and braces within are
 * passed over. */
static size_t closing_brace(sm_bytes text, size_t open)
{
    size_t depth = 0;
    uint8_t quote = 0;
    for (size_t i = open; i < text.len; i++) {
        const uint8_t c = text.data[i];
        if (quote != 0) {
            i += c == '\\';
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'' || c == '`') {
            quote = c;
        } else if (c == '{') {
            depth++;
        } else if (c == '}' && --depth == 0) {
            return i;
        }
    }
    return 0;
}

typedef struct template_text {
    sm_job_reader *r;
    const sm_yaml_node *at;
    sm_buf out;
    bool has_expression;
} template_text;

static sm_status put_join(template_text *t)
{
    return t->out.len == 0 ? SM_OK : sm_buf_append(&t->out, " + ", 3, t->r->err);
}

static sm_status put_literal(template_text *t, sm_bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != ':' && !name_byte(text.data[i], false)) {
            return sm_job_fail(t->r, t->at,
                               "name: \"%c\" cannot stand in a table's name; use letters, digits, "
                               "_ - and dot, and {EXPRESSION}",
                               text.data[i]);
        }
    }
    sm_status st = text.len == 0 ? SM_OK : put_join(t);
    return st == SM_OK && text.len != 0 ? sm_buf_printf(&t->out, t->r->err, "\"%.*s\"",
                                                        (int)text.len, (const char *)text.data)
                                        : st;
}

static sm_status put_expression(template_text *t, sm_bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < ' ') {
            return sm_job_fail(t->r, t->at,
                               "name: an expression in a table's name must stand in one line, "
                               "without tabs");
        }
    }
    const sm_status st = put_join(t);
    t->has_expression = true;
    return st == SM_OK
               ? sm_buf_printf(&t->out, t->r->err, "(%.*s)", (int)text.len, (const char *)text.data)
               : st;
}

static sm_status read_template(template_text *t, sm_bytes text)
{
    size_t at = 0;
    sm_status st = SM_OK;
    while (st == SM_OK && at < text.len) {
        const uint8_t *brace = memchr(text.data + at, '{', text.len - at);
        const size_t open = brace == NULL ? text.len : (size_t)(brace - text.data);
        st = put_literal(t, sm_bytes_of(text.data + at, open - at));
        if (st != SM_OK || open == text.len) {
            return st;
        }
        const size_t close = closing_brace(text, open);
        if (close == 0) {
            return sm_job_fail(t->r, t->at, "name: a { is never closed: %s", t->at->text);
        }
        st = put_expression(t, sm_bytes_of(text.data + open + 1, close - open - 1));
        at = close + 1;
    }
    return st;
}

sm_status sm_job_name_template(sm_job_reader *r, const sm_yaml_node *name, sm_bytes *out)
{
    const sm_bytes text = sm_yaml_node_bytes(name);
    *out = (sm_bytes){0};
    if (memchr(text.data, '{', text.len) == NULL) {
        return SM_OK;
    }
    template_text t = {.r = r, .at = name};
    sm_buf_init(&t.out, TEMPLATE_MAX);
    sm_status st = read_template(&t, text);
    if (st == SM_OK) {
        const char *copy = sm_arena_text(r->arena, t.out.data, t.out.len);
        *out = sm_bytes_of(copy, t.out.len);
        st = copy == NULL ? sm_job_no_memory(r) : SM_OK;
    }
    sm_buf_free(&t.out);
    return st;
}

/* ---- a table's name -------------------------------------------------------------------------- */

static sm_status compile_template(sm_job_reader *r, const sm_yaml_node *node, sm_bytes expression,
                                  sm_job_table *table)
{
    sm_yaml_node written = *node;
    const char *where = sm_job_format(r, "%s.name", table->where);
    if (where == NULL) {
        return sm_job_no_memory(r);
    }
    written.text = (const char *)expression.data;
    written.text_len = expression.len;
    const sm_status st = sm_job_compile(r, &written, SM_USE_KEY, where, &table->name_expr);
    table->directory = table->name;
    return st;
}

static sm_status set_fixed(sm_job_reader *r, const sm_yaml_node *node, sm_job_table *table)
{
    if (!sm_job_legal_table_name(sm_bytes_text(table->name))) {
        return sm_job_fail(
            r, node,
            "\"%s\" is no table name; use letters, digits, _ and, not in front, - and "
            "dot, with namespace: before it if there is one",
            table->name);
    }
    char *directory = sm_arena_text(r->arena, table->name, strlen(table->name));
    if (directory == NULL) {
        return sm_job_no_memory(r);
    }
    char *colon = strchr(directory, ':');
    if (colon != NULL) {
        *colon = '/';
    }
    table->directory = directory;
    return SM_OK;
}

sm_status sm_job_read_name(sm_job_reader *r, const sm_yaml_node *name, sm_job_table *table)
{
    sm_bytes expression = {0};
    sm_status st = sm_job_text(r, name, "name", &table->name);
    table->layout.table = table->name;
    if (st == SM_OK) {
        st = sm_job_name_template(r, name, &expression);
    }
    if (st != SM_OK) {
        return st;
    }
    return expression.len == 0 ? set_fixed(r, name, table)
                               : compile_template(r, name, expression, table);
}
