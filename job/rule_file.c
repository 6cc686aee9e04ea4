/* SPDX-License-Identifier: Apache-2.0 */
/* Rule files read and written, and the same rules taken from a job or a manifest. */
#include "job/rule_file.h"

#include "core/escape.h"
#include "core/fs.h"
#include "formats/dataset.h"
#include "job/rule_parts.h"

#include <string.h>

enum { RULE_FILE_MAX = 16 << 20, RULES_MAX = 4096, LINES_MAX = 4096, SHOWN = 120 };

#define FIRST_LINE "saltmill rules 1"
#define CONTINUED  "+ "

static sm_status no_memory(sm_error *err)
{
    return sm_fail_memory(err, 0, "key rules");
}

/* ---- from a job or a manifest ---------------------------------------------------------------- */

static bool stands_there(const sm_rules *rules, const sm_rule *rule)
{
    for (size_t i = 0; i < rules->count; i++) {
        if (strcmp(rules->items[i].table, rule->table) == 0 &&
            strcmp(rules->items[i].fingerprint, rule->fingerprint) == 0) {
            return true;
        }
    }
    return false;
}

/* Entries that fill one table under one key have one rule. */
static void add_once(sm_rule *list, sm_rules *out, sm_rule rule)
{
    if (!stands_there(out, &rule)) {
        list[out->count++] = rule;
    }
}

sm_status sm_rules_of_job(const sm_job *job, sm_arena *arena, sm_rules *out, sm_error *err)
{
    sm_rule *list = sm_arena_array(arena, job->table_count + 1, sizeof *list);
    *out = (sm_rules){.items = list};
    for (size_t i = 0; list != NULL && i < job->table_count; i++) {
        const sm_job_table *t = &job->tables[i];
        add_once(list, out,
                 (sm_rule){.table = t->name,
                           .key = t->key_canonical,
                           .text = t->key_rule,
                           .fingerprint = t->key_fingerprint});
    }
    return list == NULL ? no_memory(err) : SM_OK;
}

static bool has_many_lines(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count > LINES_MAX;
}

static sm_status agrees(const char *text, const char *fingerprint, bool *out, sm_error *err)
{
    char own[SM_FINGERPRINT_TEXT];
    const sm_status st = sm_job_fingerprint(sm_bytes_text(text), own, err);
    *out = st == SM_OK && strcmp(own, fingerprint) == 0;
    return st;
}

sm_status sm_rule_of_table(const sm_manifest_table *t, sm_rule *out, sm_error *err)
{
    bool whole = false;
    sm_status st = SM_OK;
    if (t->rule != NULL && !has_many_lines(t->rule)) {
        st = agrees(t->rule, t->fingerprint, &whole, err);
    }
    *out = (sm_rule){.table = t->template != NULL ? t->template : t->name,
                     .key = t->key,
                     .text = whole ? t->rule : NULL,
                     .fingerprint = t->fingerprint};
    return st;
}

sm_status sm_rules_of_manifest(const sm_manifest *m, sm_arena *arena, sm_rules *out, sm_error *err)
{
    sm_rule *list = sm_arena_array(arena, m->table_count + 1, sizeof *list);
    sm_status st = list == NULL ? no_memory(err) : SM_OK;
    *out = (sm_rules){.items = list};
    for (size_t i = 0; st == SM_OK && i < m->table_count; i++) {
        sm_rule rule;
        st = sm_rule_of_table(&m->tables[i], &rule, err);
        add_once(list, out, rule);
    }
    return st;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct parser {
    const char *where;
    sm_arena *arena;
    sm_error *err;
    size_t line;
    size_t lines_of_table;
    bool begun;    /* the first line was there */
    bool in_key;   /* the line before belongs to the key */
    sm_bytes name; /* of the table whose block is read; empty: none is */
    sm_buf key, lines;
    sm_rule *list;
    sm_rules *out;
} parser;

static sm_status damaged(const parser *p, const char *what, sm_bytes found)
{
    char shown[SHOWN];
    return sm_fail(p->err, SM_E_RULE_FILE,
                   "%s:%zu: %s, found \"%s\"; take the file from version control, or move it away "
                   "and write it anew with saltmill rule JOB.yaml --write FILE",
                   p->where, p->line, what, sm_escape_short(found, shown, sizeof shown));
}

static sm_status take_first(parser *p, sm_bytes line)
{
    if (!sm_bytes_equal_text(line, FIRST_LINE)) {
        return damaged(p, "a rule file of this version begins with \"" FIRST_LINE "\"", line);
    }
    p->begun = true;
    return SM_OK;
}

static sm_status take_table(parser *p, sm_bytes name)
{
    if (p->name.len != 0) {
        return damaged(p, "the table before ends without its key_fingerprint", name);
    }
    /* Between braces stands an expression, which may hold blanks. */
    if (name.len == 0 ||
        (memchr(name.data, ' ', name.len) != NULL && memchr(name.data, '{', name.len) == NULL)) {
        return damaged(p, "expected the name of a table", name);
    }
    if (p->out->count == RULES_MAX) {
        return damaged(p, "there are more rules than a file may hold", name);
    }
    p->name = name;
    p->lines_of_table = 0;
    sm_buf_clear(&p->key);
    sm_buf_clear(&p->lines);
    return SM_OK;
}

static sm_status take_key(parser *p, sm_bytes value)
{
    if (p->key.len != 0 || value.len == 0) {
        return damaged(p, "expected one key for a table", value);
    }
    p->in_key = true;
    return sm_buf_append(&p->key, value.data, value.len, p->err);
}

static sm_status take_more_key(parser *p, sm_bytes part)
{
    if (!p->in_key) {
        return damaged(p, "only a key goes on in the next line", part);
    }
    const sm_status st = sm_buf_printf(&p->key, p->err, " + ");
    return st == SM_OK ? sm_buf_append(&p->key, part.data, part.len, p->err) : st;
}

/* Spelled again, so that \x20 at the end of a line is the blank that it stands for. */
static sm_status take_line(parser *p, sm_bytes path, sm_bytes value)
{
    size_t len = 0;
    size_t bad_at = 0;
    uint8_t *plain = sm_arena_get(p->arena, value.len + 1);
    if (plain == NULL) {
        return no_memory(p->err);
    }
    /* UTF-8 as it is would be escaped in a file of ours. */
    if (sm_unescape(value, plain, &len, &bad_at) != SM_UNESCAPE_OK) {
        return damaged(p, "expected a value as it was written, with \\xHH for odd bytes", value);
    }
    sm_status st = sm_buf_append(&p->lines, path.data, path.len, p->err);
    if (st == SM_OK) {
        st = sm_buf_printf(&p->lines, p->err, " = ");
    }
    if (st == SM_OK) {
        st = sm_escape(sm_bytes_of(plain, len), &p->lines, p->err);
    }
    return st == SM_OK ? sm_buf_append_byte(&p->lines, '\n', p->err) : st;
}

/* "key = ...", escaped, and the other lines. */
static sm_status join_lines(parser *p, const char **out)
{
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = sm_buf_printf(&text, p->err, "key = ");
    if (st == SM_OK) {
        st = sm_escape(sm_buf_view(&p->key), &text, p->err);
    }
    if (st == SM_OK) {
        st = sm_buf_append_byte(&text, '\n', p->err);
    }
    if (st == SM_OK) {
        st = sm_buf_append(&text, p->lines.data, p->lines.len, p->err);
    }
    *out = st == SM_OK ? sm_arena_text(p->arena, text.data, text.len) : NULL;
    sm_buf_free(&text);
    return st == SM_OK && *out == NULL ? no_memory(p->err) : st;
}

static sm_status take_fingerprint(parser *p, sm_bytes value)
{
    sm_rule rule = {0};
    bool whole = false;
    if (p->key.len == 0) {
        return damaged(p, "the table has no key", p->name);
    }
    sm_status st = join_lines(p, &rule.text);
    if (st != SM_OK) {
        return st;
    }
    rule.table = sm_arena_text(p->arena, p->name.data, p->name.len);
    rule.key = sm_arena_text(p->arena, p->key.data, p->key.len);
    rule.fingerprint = sm_arena_text(p->arena, value.data, value.len);
    if (rule.table == NULL || rule.key == NULL || rule.fingerprint == NULL) {
        return no_memory(p->err);
    }
    st = agrees(rule.text, rule.fingerprint, &whole, p->err);
    if (st == SM_OK && !whole) {
        return sm_fail(p->err, SM_E_RULE_FILE,
                       "%s:%zu: table %s: the key_fingerprint is not that of the lines before it, "
                       "so they were edited or damaged; take the file from version control, or "
                       "move it away and write it anew with saltmill rule JOB.yaml --write FILE",
                       p->where, p->line, rule.table);
    }
    p->name = (sm_bytes){0};
    if (st == SM_OK) {
        add_once(p->list, p->out, rule);
    }
    return st;
}

static sm_status take_pair(parser *p, sm_bytes line)
{
    sm_bytes path;
    sm_bytes value;
    if (!sm_rule_split_line(line, &path, &value)) {
        return damaged(p, "expected NAME = VALUE", line);
    }
    if (sm_bytes_equal_text(path, "key")) {
        return take_key(p, value);
    }
    p->in_key = false;
    return sm_bytes_equal_text(path, "key_fingerprint") ? take_fingerprint(p, value)
                                                        : take_line(p, path, value);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* They would end up in messages, on terminals. */
static bool has_control(sm_bytes line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.data[i] < 0x20 || line.data[i] == 0x7F) {
            return true;
        }
    }
    return false;
}

/* A line of a table's block. */
static sm_status take_in_block(parser *p, sm_bytes line)
{
    if (p->lines_of_table++ == LINES_MAX) {
        return damaged(p, "a rule has no more than 4096 lines", line);
    }
    if (line.data[0] != ' ') {
        return take_pair(p, line);
    }
    while (line.data[0] == ' ') {
        line = sm_rule_behind(line, 1);
    }
    return sm_rule_starts(line, CONTINUED)
               ? take_more_key(p, sm_rule_behind(line, strlen(CONTINUED)))
               : damaged(p, "expected \"" CONTINUED "\" and a part of the key", line);
}

static sm_status take(parser *p, sm_bytes line)
{
    while (line.len > 0 && is_blank(line.data[line.len - 1])) {
        line.len--;
    }
    if (line.len == 0 || line.data[0] == '#') {
        return SM_OK;
    }
    if (has_control(line)) {
        return damaged(p, "expected text", line);
    }
    if (!p->begun) {
        return take_first(p, line);
    }
    if (sm_rule_starts(line, "table ")) {
        return take_table(p, sm_rule_behind(line, strlen("table ")));
    }
    if (p->name.len == 0) {
        return damaged(p, "expected \"table NAME\"", line);
    }
    return take_in_block(p, line);
}

static size_t count_tables(sm_bytes text)
{
    size_t count = 0;
    sm_bytes line;
    while (sm_rule_next_line(&text, &line)) {
        count += sm_rule_starts(line, "table ");
    }
    return count < RULES_MAX ? count : RULES_MAX;
}

static sm_status parse(parser *p, sm_bytes text)
{
    sm_status st = SM_OK;
    sm_bytes line;
    while (st == SM_OK && sm_rule_next_line(&text, &line)) {
        p->line++;
        st = take(p, line);
    }
    if (st == SM_OK && !p->begun) {
        return damaged(p, "expected \"" FIRST_LINE "\"", text);
    }
    return st == SM_OK && p->name.len != 0
               ? damaged(p, "the file ends before the table's key_fingerprint", p->name)
               : st;
}

sm_status sm_rules_parse(sm_bytes text, const char *where, sm_arena *arena, sm_rules *out,
                         sm_error *err)
{
    parser p = {.where = where, .arena = arena, .err = err, .out = out};
    p.list = sm_arena_array(arena, count_tables(text) + 1, sizeof *p.list);
    *out = (sm_rules){.items = p.list};
    if (p.list == NULL) {
        return no_memory(err);
    }
    sm_buf_init(&p.key, RULE_FILE_MAX);
    sm_buf_init(&p.lines, SIZE_MAX / 4);
    const sm_status st = parse(&p, text);
    sm_buf_free(&p.key);
    sm_buf_free(&p.lines);
    return st;
}

/* ---- whatever stands at a path --------------------------------------------------------------- */

static sm_status read_manifest(const char *path, sm_arena *arena, sm_rules *out, sm_error *err)
{
    sm_manifest *m = sm_arena_array(arena, 1, sizeof *m);
    sm_error inner = {.code = SM_OK};
    if (m == NULL) {
        return no_memory(err);
    }
    if (sm_manifest_read(path, arena, m, &inner) != SM_OK) {
        return sm_fail(err, inner.code == SM_E_MEMORY ? SM_E_MEMORY : SM_E_RULE_FILE, "%s",
                       inner.text);
    }
    return sm_rules_of_manifest(m, arena, out, err);
}

static bool is_manifest(sm_bytes text)
{
    size_t at = 0;
    while (at < text.len && (is_blank(text.data[at]) || text.data[at] == '\n')) {
        at++;
    }
    return at < text.len && text.data[at] == '{';
}

/* The first bytes tell which it is: a manifest may be larger than any rule file. */
static sm_status read_head(const char *path, bool *manifest, sm_error *err)
{
    enum { HEAD = 64 };
    uint8_t head[HEAD];
    size_t got = 0;
    sm_file *f = NULL;
    sm_status st = sm_file_open_read(path, &f, err);
    if (st == SM_OK) {
        st = sm_file_read(f, head, sizeof head, &got, err);
    }
    sm_file_discard(&f);
    *manifest = st == SM_OK && is_manifest(sm_bytes_of(head, got));
    return st;
}

static sm_status read_file(const char *path, sm_arena *arena, sm_rules *out, sm_error *err)
{
    sm_error inner = {.code = SM_OK};
    sm_bytes text = {0};
    bool manifest = false;
    sm_status st = read_head(path, &manifest, &inner);
    if (st == SM_OK && manifest) {
        return read_manifest(path, arena, out, err);
    }
    if (st == SM_OK) {
        st = sm_fs_read_whole(path, RULE_FILE_MAX, arena, &text, &inner);
    }
    if (st != SM_OK) {
        return sm_fail(err, st == SM_E_MEMORY ? st : SM_E_RULE_FILE, "%s", inner.text);
    }
    return sm_rules_parse(text, path, arena, out, err);
}

sm_status sm_rules_read(const char *path, sm_arena *arena, sm_rules *out, sm_error *err)
{
    bool exists = false;
    sm_file_info info = {0};
    sm_error inner = {.code = SM_OK};
    *out = (sm_rules){0};
    const sm_status st = sm_fs_stat(path, &exists, &info, &inner);
    if (st != SM_OK || !exists) {
        return sm_fail(err, SM_E_RULE_FILE, "%s: %s", path,
                       st != SM_OK ? inner.text
                                   : "there is no such rule file, manifest or dataset");
    }
    if (!info.is_directory) {
        return read_file(path, arena, out, err);
    }
    const char *manifest = sm_path_join(arena, path, SM_MANIFEST_NAME);
    return manifest == NULL ? no_memory(err) : read_manifest(manifest, arena, out, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* No blank of a part would be lost at the end or the beginning of a line. */
static bool comes_apart(const char *key)
{
    sm_bytes rest = sm_bytes_text(key);
    sm_bytes part;
    bool clean = true;
    while (sm_rule_next_part(&rest, &part)) {
        clean &= part.len != 0 && part.data[0] != ' ' && part.data[part.len - 1] != ' ';
    }
    return clean;
}

static sm_status print_key(const char *key, sm_buf *out, sm_error *err)
{
    sm_bytes rest = sm_bytes_text(key);
    sm_bytes part;
    const char *front = "key = ";
    sm_status st = SM_OK;
    if (!comes_apart(key)) {
        return sm_buf_printf(out, err, "key = %s\n", key);
    }
    while (st == SM_OK && sm_rule_next_part(&rest, &part)) {
        st = sm_buf_printf(out, err, "%s", front);
        if (st == SM_OK) {
            st = sm_buf_append(out, part.data, part.len, err);
        }
        if (st == SM_OK) {
            st = sm_buf_append_byte(out, '\n', err);
        }
        front = "    " CONTINUED;
    }
    return st;
}

/* Without a blank at the end, which editors and version control take away. */
static sm_status print_line(sm_bytes line, sm_buf *out, sm_error *err)
{
    sm_bytes path;
    sm_bytes value;
    const bool blank = line.len > 0 && line.data[line.len - 1] == ' ';
    sm_status st = sm_buf_append(out, line.data, blank ? line.len - 1 : line.len, err);
    if (st == SM_OK && blank && sm_rule_split_line(line, &path, &value) && value.len != 0) {
        st = sm_buf_printf(out, err, "\\x20");
    }
    return st == SM_OK ? sm_buf_append_byte(out, '\n', err) : st;
}

static sm_status print_rule(const sm_rule *rule, sm_buf *out, sm_error *err)
{
    sm_bytes rest = sm_bytes_text(rule->text);
    sm_bytes line;
    sm_status st = sm_buf_printf(out, err, "\ntable %s\n", rule->table);
    if (st == SM_OK) {
        st = print_key(rule->key, out, err);
    }
    while (st == SM_OK && sm_rule_next_line(&rest, &line)) {
        st = sm_rule_starts(line, "key = ") ? SM_OK : print_line(line, out, err);
    }
    return st == SM_OK ? sm_buf_printf(out, err, "key_fingerprint = %s\n", rule->fingerprint) : st;
}

sm_status sm_rules_print(const sm_rules *rules, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_printf(
        out, err,
        FIRST_LINE
        "\n"
        "# How the row keys of these tables are made. Keep this file in version control:\n"
        "# saltmill rule JOB.yaml --write FILE writes it, saltmill run checks against "
        "it.\n");
    for (size_t i = 0; st == SM_OK && i < rules->count; i++) {
        st = print_rule(&rules->items[i], out, err);
    }
    return st;
}

/* What cannot be read back (a line break in a field's name) must not be written. */
static sm_status check_readable(sm_bytes text, const char *path, sm_error *err)
{
    sm_arena *arena = NULL;
    sm_rules again;
    sm_error inner = {.code = SM_OK};
    sm_status st = sm_arena_new(16 << 10, &arena, err);
    if (st == SM_OK) {
        st = sm_rules_parse(text, path, arena, &again, &inner);
    }
    sm_arena_free(arena);
    return st == SM_OK || inner.code == SM_OK
               ? st
               : sm_fail(err, st,
                         "%s: the rule cannot be kept in a text file, because the name of a field "
                         "breaks a line or ends in a blank: %s",
                         path, inner.text);
}

sm_status sm_rules_write(const sm_rules *rules, const char *path, sm_error *err)
{
    sm_buf text;
    sm_buf_init(&text, RULE_FILE_MAX);
    sm_status st = sm_rules_print(rules, &text, err);
    if (st == SM_OK) {
        st = check_readable(sm_buf_view(&text), path, err);
    }
    if (st == SM_OK) {
        st = sm_fs_replace(path, sm_buf_view(&text), err);
    }
    sm_buf_free(&text);
    return st;
}
