/* SPDX-License-Identifier: Apache-2.0 */
/* Path resolution: stat, glob and list through core/fs.h; duplicates by sorting on identity. */
#include "ingest/input_paths.h"

#include "core/buf.h"

#include <stdlib.h>
#include <string.h>

/* More inputs than this is a mistake (place orders have 20 bits for the file). */
enum { INPUTS_MAX = 1 << 20 };

typedef struct resolver {
    sm_arena *arena;
    sm_buf items; /* of sm_input_path */
} resolver;

static sm_status add(resolver *r, const char *path, const sm_file_info *info, sm_error *err)
{
    if (r->items.len / sizeof(sm_input_path) >= INPUTS_MAX) {
        return sm_fail(err, SM_E_JOB, "input.files: more than %d files", INPUTS_MAX);
    }
    const sm_input_path item = {path, *info};
    return sm_buf_append(&r->items, &item, sizeof item, err);
}

static const char *join(sm_arena *arena, const char *directory, const char *name)
{
    const size_t a = strlen(directory);
    const size_t b = strlen(name);
    const bool slash = a == 0 || directory[a - 1] != '/';
    char *out = sm_arena_get(arena, a + b + 2);
    if (out != NULL) {
        memcpy(out, directory, a);
        out[a] = '/';
        memcpy(out + a + slash, name, b + 1);
    }
    return out;
}

static sm_status add_directory(resolver *r, const char *path, sm_error *err)
{
    sm_names names = {NULL, 0};
    sm_status st = sm_fs_list(r->arena, path, &names, err);
    const size_t before = r->items.len;
    for (size_t i = 0; st == SM_OK && i < names.count; i++) {
        if (names.items[i][0] == '.' || names.items[i][0] == '_') {
            continue;
        }
        const char *full = join(r->arena, path, names.items[i]);
        if (full == NULL) {
            return sm_fail_memory(err, strlen(path), "the list of inputs");
        }
        bool exists = false;
        sm_file_info info;
        st = sm_fs_stat(full, &exists, &info, err);
        if (st == SM_OK && exists && info.is_regular) {
            st = add(r, full, &info, err);
        }
    }
    if (st == SM_OK && r->items.len == before) {
        return sm_fail(err, SM_E_INPUT_MISSING,
                       "%s: the directory holds no input (regular files, not starting with . or _)",
                       path);
    }
    return st;
}

static sm_status add_existing(resolver *r, const char *path, const sm_file_info *info,
                              sm_error *err)
{
    return info->is_directory ? add_directory(r, path, err) : add(r, path, info, err);
}

static sm_status add_glob(resolver *r, const char *pattern, sm_error *err)
{
    sm_names names = {NULL, 0};
    sm_status st = sm_fs_glob(r->arena, pattern, &names, err);
    if (st == SM_OK && names.count == 0) {
        return sm_fail(err, SM_E_INPUT_MISSING,
                       "%s: the pattern matches no file; check it, or the folder", pattern);
    }
    for (size_t i = 0; st == SM_OK && i < names.count; i++) {
        bool exists = false;
        sm_file_info info;
        st = sm_fs_stat(names.items[i], &exists, &info, err);
        if (st == SM_OK && exists) {
            st = add_existing(r, names.items[i], &info, err);
        }
    }
    return st;
}

static sm_status add_entry(resolver *r, const char *entry, sm_error *err)
{
    bool exists = false;
    sm_file_info info = {0};
    if (strcmp(entry, "-") == 0) {
        return add(r, entry, &info, err);
    }
    const sm_status st = sm_fs_stat(entry, &exists, &info, err);
    if (st != SM_OK) {
        return st;
    }
    if (exists) {
        return add_existing(r, entry, &info, err);
    }
    if (strpbrk(entry, "*?[") != NULL) {
        return add_glob(r, entry, err);
    }
    return sm_fail(err, SM_E_INPUT_MISSING, "%s: there is no such file or directory", entry);
}

/* By identity, then by position; "-" has the identity 0, 0. */
static int by_identity(const void *left, const void *right)
{
    const sm_input_path *a = *(const sm_input_path *const *)left;
    const sm_input_path *b = *(const sm_input_path *const *)right;
    if (a->info.device != b->info.device) {
        return a->info.device < b->info.device ? -1 : 1;
    }
    if (a->info.inode != b->info.inode) {
        return a->info.inode < b->info.inode ? -1 : 1;
    }
    return (a > b) - (a < b);
}

static sm_status refuse_duplicates(const sm_input_paths *paths, sm_arena *arena, sm_error *err)
{
    const sm_input_path **order = sm_arena_array(arena, paths->count, sizeof *order);
    if (order == NULL) {
        return sm_fail_memory(err, paths->count * sizeof *order, "the list of inputs");
    }
    for (size_t i = 0; i < paths->count; i++) {
        order[i] = &paths->items[i];
    }
    qsort(order, paths->count, sizeof *order, by_identity);
    const sm_input_path *second = NULL;
    const sm_input_path *first = NULL;
    for (size_t i = 1; i < paths->count; i++) {
        const sm_input_path *a = order[i - 1];
        const sm_input_path *b = order[i];
        if (a->info.device == b->info.device && a->info.inode == b->info.inode &&
            (second == NULL || b < second)) {
            first = a;
            second = b;
        }
    }
    if (second == NULL) {
        return SM_OK;
    }
    if (strcmp(first->path, second->path) == 0) {
        return sm_fail(err, SM_E_JOB, "%s: is named twice in the list of inputs; name it once",
                       strcmp(first->path, "-") == 0 ? "- (standard input)" : first->path);
    }
    return sm_fail(err, SM_E_JOB, "%s and %s are the same file; name it once", first->path,
                   second->path);
}

static sm_status copy_items(resolver *r, sm_input_paths *out, sm_error *err)
{
    out->count = r->items.len / sizeof(sm_input_path);
    out->items = sm_arena_array(r->arena, out->count, sizeof *out->items);
    if (out->items == NULL) {
        return sm_fail_memory(err, r->items.len, "the list of inputs");
    }
    if (r->items.len != 0) {
        memcpy(out->items, r->items.data, r->items.len);
    }
    return SM_OK;
}

sm_status sm_input_paths_resolve(const char *const *entries, size_t count, sm_arena *arena,
                                 sm_input_paths *out, sm_error *err)
{
    *out = (sm_input_paths){NULL, 0};
    if (count == 0) {
        return sm_fail(err, SM_E_JOB, "input.files: no input is named");
    }
    resolver r = {.arena = arena};
    sm_buf_init(&r.items, SIZE_MAX / 2);
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < count; i++) {
        st = add_entry(&r, entries[i], err);
    }
    if (st == SM_OK) {
        st = copy_items(&r, out, err);
    }
    sm_buf_free(&r.items);
    return st == SM_OK ? refuse_duplicates(out, arena, err) : st;
}

static bool in_rejects(const char *path)
{
    static const char ENDING[] = ".rejects/";
    return strstr(path, ENDING) != NULL;
}

sm_status sm_input_paths_listed(const sm_input_paths *paths, const char *const *entries,
                                size_t count, sm_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const bool same = i < paths->count && strcmp(paths->items[i].path, entries[i]) == 0;
        if (!same || strcmp(entries[i], "-") == 0) {
            return sm_fail(err, SM_E_JOB,
                           "input.files: %s: row_number() needs a list of files, so that a later "
                           "run counts the same: no pattern, no folder, no standard input",
                           entries[i]);
        }
        if (in_rejects(entries[i])) {
            return sm_fail(err, SM_E_JOB,
                           "input.files: %s: row_number() would number these rejected records "
                           "anew, as others were numbered before; run the input they come from "
                           "again, or use a key without row_number()",
                           entries[i]);
        }
    }
    return SM_OK;
}
