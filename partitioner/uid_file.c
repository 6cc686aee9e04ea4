/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a dictionary's file: reading with every doubt told by its line, and replacing the
 * file as a whole. The format stands in uids.h. */
#include "core/buf.h"
#include "core/escape.h"
#include "core/fs.h"
#include "core/number.h"
#include "partitioner/uids.h"

#include <stdio.h>

static const char HEAD[] = "saltmill uids 1";

enum { FILE_MAX = 2047 << 20 };

typedef struct reading {
    const char *path;
    sm_bytes rest; /* not yet read */
    uint64_t line;
    sm_uid_table *table;
    sm_arena *arena; /* for one name */
} reading;

static sm_status damaged(const reading *r, sm_error *err, const char *what)
{
    return sm_fail(err, SM_E_UIDS,
                   "%s line %llu: %s; ids that change their meaning would ruin the tables that "
                   "use them: restore the file from a copy",
                   r->path, (unsigned long long)r->line, what);
}

/* The next line without its end; false when no whole one is left. */
static bool next_line(reading *r, sm_bytes *out)
{
    const uint8_t *end = r->rest.len == 0 ? NULL : memchr(r->rest.data, '\n', r->rest.len);
    r->line++;
    if (end == NULL) {
        return false;
    }
    *out = sm_bytes_of(r->rest.data, (size_t)(end - r->rest.data));
    r->rest = sm_bytes_of(end + 1, r->rest.len - out->len - 1);
    return true;
}

static sm_status read_entry(reading *r, sm_bytes id_text, sm_bytes escaped, sm_error *err)
{
    uint64_t id = 0;
    size_t len = 0;
    size_t bad_at = 0;
    bool added = false;
    if (!sm_parse_uint(id_text, &id) || id == 0 || id > INT64_MAX || id_text.data[0] == '0') {
        return damaged(r, err, "expected an id from 1 on, a tab and a name");
    }
    if (escaped.len == 0 || escaped.len > (size_t)SM_UID_NAME_MAX * 4) {
        return damaged(r, err, "the name is empty or longer than 32767 bytes");
    }
    sm_arena_reset(r->arena);
    uint8_t *name = sm_arena_get(r->arena, escaped.len);
    if (name == NULL) {
        return sm_fail_memory(err, escaped.len, r->path);
    }
    if (sm_unescape(escaped, name, &len, &bad_at) != SM_UNESCAPE_OK) {
        return damaged(r, err,
                       "a name is written as printable ASCII, with \\x and two upper-case digits "
                       "for any other byte");
    }
    const sm_status st = sm_uid_table_add(r->table, id, sm_bytes_of(name, len), &added, err);
    return st != SM_OK || added
               ? st
               : damaged(r, err,
                         "the id is not above the ones before it, or the name stands twice");
}

static sm_status read_lines(reading *r, sm_error *err)
{
    sm_bytes line;
    if (!next_line(r, &line) || !sm_bytes_equal_text(line, HEAD)) {
        return damaged(r, err, "expected \"saltmill uids 1\"");
    }
    while (next_line(r, &line)) {
        const uint8_t *tab = line.len == 0 ? NULL : memchr(line.data, '\t', line.len);
        if (tab == NULL) {
            return damaged(r, err, "expected an id, a tab and a name");
        }
        const sm_bytes first = sm_bytes_of(line.data, (size_t)(tab - line.data));
        const sm_bytes second = sm_bytes_of(tab + 1, line.len - first.len - 1);
        uint64_t count = 0;
        if (sm_bytes_equal_text(first, "end")) {
            return sm_parse_uint(second, &count) && count == r->table->count && r->rest.len == 0
                       ? SM_OK
                       : damaged(r, err, "the number of entries is not that of the last line");
        }
        const sm_status st = read_entry(r, first, second, err);
        if (st != SM_OK) {
            return st;
        }
    }
    return damaged(r, err, "the file is cut: its last line, \"end\" and a count, is missing");
}

static sm_status read_text(const char *path, sm_arena *arena, sm_uid_table *table, sm_error *err)
{
    bool exists = false;
    sm_file_info info;
    sm_bytes text;
    sm_status st = sm_fs_stat(path, &exists, &info, err);
    if (st != SM_OK || !exists) {
        return st;
    }
    st = sm_fs_read_whole(path, FILE_MAX, arena, &text, err);
    reading r = {.path = path, .rest = text, .table = table};
    if (st == SM_OK) {
        st = sm_arena_new(64 << 10, &r.arena, err);
    }
    if (st == SM_OK) {
        st = read_lines(&r, err);
    }
    sm_arena_free(r.arena);
    return st;
}

sm_status sm_uid_file_read(const char *path, sm_uid_table **out, sm_error *err)
{
    *out = NULL;
    sm_arena *arena = NULL;
    sm_uid_table *table = NULL;
    sm_status st = sm_uid_table_new(&table, err);
    if (st == SM_OK) {
        st = sm_arena_new(64 << 10, &arena, err);
    }
    if (st == SM_OK) {
        st = read_text(path, arena, table, err);
    }
    sm_arena_free(arena);
    if (st != SM_OK) {
        sm_uid_table_free(table);
        return st;
    }
    *out = table;
    return SM_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static sm_status print_table(const sm_uid_table *t, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_printf(out, err, "%s\n", HEAD);
    for (size_t i = 0; st == SM_OK && i < t->count; i++) {
        st = sm_buf_printf(out, err, "%llu\t", (unsigned long long)t->entries[i].id);
        if (st == SM_OK) {
            st = sm_escape(t->entries[i].name, out, err);
        }
        if (st == SM_OK) {
            st = sm_buf_append_byte(out, '\n', err);
        }
    }
    return st == SM_OK ? sm_buf_printf(out, err, "end\t%zu\n", t->count) : st;
}

sm_status sm_uid_file_write(const char *path, const sm_uid_table *t, sm_error *err)
{
    sm_buf text;
    sm_buf_init(&text, FILE_MAX);
    sm_status st = print_table(t, &text, err);
    if (st == SM_OK) {
        st = sm_fs_replace(path, sm_buf_view(&text), err);
    }
    sm_buf_free(&text);
    return st;
}
