/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are ours, and their removal: datasets by their manifest, rejects by their _files
 * list. */
#include "formats/dataset.h"
#include "formats/dataset_paths.h"

#include <stdlib.h>
#include <string.h>

#define REJECTS_LIST "_files"

enum { LIST_MAX = 64 << 20, DEEPEST = 4 };

static sm_status no_memory(sm_error *err)
{
    return sm_fail_memory(err, 0, "paths");
}

/* ---- rejects --------------------------------------------------------------------------------- */

/* One file name a line. */
static bool line_listed(sm_bytes list, const char *name)
{
    const size_t len = strlen(name);
    const uint8_t *p = list.data;
    const uint8_t *end = list.data + list.len;
    while (p < end) {
        const uint8_t *newline = memchr(p, '\n', (size_t)(end - p));
        const uint8_t *stop = newline == NULL ? end : newline;
        if ((size_t)(stop - p) == len && memcmp(p, name, len) == 0) {
            return true;
        }
        p = newline == NULL ? end : newline + 1;
    }
    return false;
}

static sm_status check_listed(sm_arena *arena, const char *path, const sm_names *names,
                              sm_error *err)
{
    sm_bytes list = {NULL, 0};
    const char *list_path = sm_path_join(arena, path, REJECTS_LIST);
    if (list_path == NULL) {
        return no_memory(err);
    }
    sm_error ignored = {.code = SM_OK};
    if (sm_fs_read_whole(list_path, LIST_MAX, arena, &list, &ignored) != SM_OK) {
        list = (sm_bytes){NULL, 0};
    }
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], REJECTS_LIST) != 0 && !line_listed(list, names->items[i])) {
            return sm_fail(
                err, SM_E_REFUSED,
                "%s/%s: was not written by saltmill, but this directory is where rejects go; "
                "move it",
                path, names->items[i]);
        }
    }
    return SM_OK;
}

sm_status sm_dataset_check_rejects(sm_arena *arena, const char *path, bool *exists, sm_error *err)
{
    sm_file_info info;
    sm_names names;
    sm_status st = sm_fs_stat(path, exists, &info, err);
    if (st != SM_OK || !*exists) {
        return st;
    }
    if (!info.is_directory) {
        return sm_fail(err, SM_E_REFUSED, "%s: is in the way of rejected records; move it", path);
    }
    st = sm_fs_list(arena, path, &names, err);
    return st == SM_OK ? check_listed(arena, path, &names, err) : st;
}

sm_status sm_dataset_mark_rejects(sm_arena *arena, const char *path, const sm_names *names,
                                  sm_error *err)
{
    sm_buf list;
    sm_buf_init(&list, LIST_MAX);
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < names->count; i++) {
        st = sm_buf_printf(&list, err, "%s\n", names->items[i]);
    }
    const char *list_path = sm_path_join(arena, path, REJECTS_LIST);
    if (st == SM_OK) {
        st = list_path == NULL ? no_memory(err)
                               : sm_fs_write_new(list_path, sm_buf_view(&list), err);
    }
    sm_buf_free(&list);
    return st == SM_OK ? sm_fs_sync_dir(path, err) : st;
}

sm_status sm_dataset_remove_rejects(sm_arena *arena, const char *path, sm_error *err)
{
    bool exists = false;
    sm_names names;
    /* Looked at again: the list of names was checked when the run began, hours ago perhaps. */
    sm_status st = sm_dataset_check_rejects(arena, path, &exists, err);
    if (st == SM_OK) {
        st = sm_fs_list(arena, path, &names, err);
    }
    for (size_t i = 0; st == SM_OK && i < names.count; i++) {
        const char *file = sm_path_join(arena, path, names.items[i]);
        st = file == NULL ? no_memory(err) : sm_fs_remove_file(file, err);
    }
    return st == SM_OK ? sm_fs_remove_dir(path, err) : st;
}

/* ---- datasets -------------------------------------------------------------------------------- */

typedef struct path_set {
    const char **items; /* sorted */
    size_t count;
} path_set;

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static sm_status listed_paths(sm_arena *arena, const sm_manifest *m, path_set *out, sm_error *err)
{
    out->items = sm_arena_array(arena, m->file_count + 1, sizeof *out->items);
    if (out->items == NULL) {
        return no_memory(err);
    }
    out->items[0] = SM_MANIFEST_NAME;
    for (size_t i = 0; i < m->file_count; i++) {
        out->items[i + 1] = m->files[i].path;
    }
    out->count = m->file_count + 1;
    qsort((void *)out->items, out->count, sizeof *out->items, compare_paths);
    return SM_OK;
}

static bool is_listed(const path_set *set, const char *path)
{
    return bsearch(&path, (const void *)set->items, set->count, sizeof *set->items,
                   compare_paths) != NULL;
}

typedef struct walk {
    sm_arena *arena;
    const char *root;
    const path_set *listed;
    bool remove;
    sm_error *err;
} walk;

static sm_status walk_directory(walk *w, const char *path, const char *relative, unsigned depth);

static sm_status walk_entry(walk *w, const char *path, const char *relative, unsigned depth)
{
    bool exists = false;
    sm_file_info info;
    const sm_status st = sm_fs_stat(path, &exists, &info, w->err);
    if (st != SM_OK || !exists) {
        return st;
    }
    if (info.is_directory) {
        return walk_directory(w, path, relative, depth);
    }
    if (w->remove) {
        return is_listed(w->listed, relative) ? sm_fs_remove_file(path, w->err) : SM_OK;
    }
    if (!is_listed(w->listed, relative)) {
        return sm_fail(w->err, SM_E_REFUSED,
                       "%s: is not listed in the manifest of %s; move it away: a dataset is "
                       "checked and replaced "
                       "whole",
                       path, w->root);
    }
    return SM_OK;
}

static sm_status walk_directory(walk *w, const char *path, const char *relative, unsigned depth)
{
    if (depth == 0) {
        return sm_fail(w->err, SM_E_REFUSED, "%s: lies deeper than any dataset does", path);
    }
    sm_names names;
    sm_status st = sm_fs_list(w->arena, path, &names, w->err);
    for (size_t i = 0; st == SM_OK && i < names.count; i++) {
        const char *child = sm_path_join(w->arena, path, names.items[i]);
        const char *inner =
            relative[0] == '\0' ? names.items[i] : sm_path_join(w->arena, relative, names.items[i]);
        st = child == NULL || inner == NULL ? no_memory(w->err)
                                            : walk_entry(w, child, inner, depth - 1);
    }
    if (st == SM_OK && w->remove) {
        /* Not empty means that something foreign came in meanwhile: it stays. */
        sm_error ignored = {.code = SM_OK};
        (void)!sm_fs_remove_dir(path, &ignored);
    }
    return st;
}

static sm_status walk_dataset(sm_arena *arena, const char *path, const sm_manifest *m,
                              bool removing, sm_error *err)
{
    path_set listed;
    const sm_status st = listed_paths(arena, m, &listed, err);
    if (st != SM_OK) {
        return st;
    }
    walk w = {.arena = arena, .root = path, .listed = &listed, .remove = removing, .err = err};
    return walk_directory(&w, path, "", DEEPEST + 1);
}

sm_status sm_dataset_check_owned(sm_arena *arena, const char *path, const sm_manifest *m,
                                 sm_error *err)
{
    return walk_dataset(arena, path, m, false, err);
}

sm_status sm_dataset_remove_owned(sm_arena *arena, const char *path, const sm_manifest *m,
                                  sm_error *err)
{
    return walk_dataset(arena, path, m, true, err);
}
