/* SPDX-License-Identifier: Apache-2.0 */
/* Staging, lock and publication of a dataset; removal of what is replaced is in dataset_replace.c.
 */
#include "formats/dataset.h"

#include "core/fs.h"
#include "core/mem.h"
#include "formats/dataset_paths.h"

#include <string.h>

enum { LOCK_ATTEMPTS = 5 };

struct sm_dataset {
    sm_arena *arena;
    sm_dataset_paths paths;
    sm_file *lock;
    bool have_rejects_before; /* OUT.rejects exists and is ours */
    bool exchanged;           /* data holds what stood at OUT before */
};

const char *sm_path_join(sm_arena *arena, const char *directory, const char *name)
{
    const size_t a = strlen(directory);
    const size_t b = strlen(name);
    char *path = sm_arena_get(arena, a + b + 2);
    if (path == NULL) {
        return NULL;
    }
    memcpy(path, directory, a);
    path[a] = '/';
    memcpy(path + a + 1, name, b + 1);
    return path;
}

static const char *with_suffix(sm_arena *arena, const char *path, const char *suffix)
{
    const size_t a = strlen(path);
    const size_t b = strlen(suffix);
    char *out = sm_arena_get(arena, a + b + 1);
    if (out != NULL) {
        memcpy(out, path, a);
        memcpy(out + a, suffix, b + 1);
    }
    return out;
}

/* "out/" -> "out"; "/" stays and is refused later. */
static const char *without_slashes(sm_arena *arena, const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/') {
        len--;
    }
    return sm_arena_text(arena, path, len);
}

static sm_status make_paths(sm_arena *arena, const char *output, sm_dataset_paths *p, sm_error *err)
{
    p->output = without_slashes(arena, output);
    if (p->output == NULL) {
        return sm_fail_memory(err, strlen(output), "paths");
    }
    const char *base = strrchr(p->output, '/');
    base = base == NULL ? p->output : base + 1;
    if (*base == '\0' || strcmp(base, ".") == 0 || strcmp(base, "..") == 0) {
        return sm_fail(err, SM_E_USAGE,
                       "output \"%s\": must be the name of a directory that is to appear", output);
    }
    const size_t parent_len = (size_t)(base - p->output);
    p->parent = parent_len == 0 ? "." : sm_arena_text(arena, p->output, parent_len);
    p->partial = with_suffix(arena, p->output, ".partial");
    p->final_rejects = with_suffix(arena, p->output, ".rejects");
    if (p->parent == NULL || p->partial == NULL || p->final_rejects == NULL) {
        return sm_fail_memory(err, strlen(output), "paths");
    }
    p->lock = sm_path_join(arena, p->partial, "lock");
    p->data = sm_path_join(arena, p->partial, "data");
    p->rejects = sm_path_join(arena, p->partial, "rejects");
    if (p->lock == NULL || p->data == NULL || p->rejects == NULL) {
        return sm_fail_memory(err, strlen(output), "paths");
    }
    return SM_OK;
}

/* ---- the lock -------------------------------------------------------------------------------- */

/* A run that ends removes OUT.partial with the lock in it; whoever opened that file a moment before
 * then holds a lock on nothing. So the file at the path must be the file that is locked. */
static sm_status lock_is_in_place(sm_dataset *d, bool *in_place, sm_error *err)
{
    sm_file_info held;
    sm_file_info there;
    bool exists = false;
    sm_status st = sm_file_info_of(d->lock, &held, err);
    if (st == SM_OK) {
        st = sm_fs_stat(d->paths.lock, &exists, &there, err);
    }
    *in_place = st == SM_OK && exists && held.inode == there.inode && held.device == there.device;
    return st;
}

/* OUT.partial must be ours before anything in it is touched: absent, empty or with a lock file. */
static sm_status check_partial(const sm_dataset *d, sm_error *err)
{
    bool exists = false;
    sm_file_info info;
    sm_status st = sm_fs_stat(d->paths.partial, &exists, &info, err);
    if (st != SM_OK || !exists) {
        return st;
    }
    if (!info.is_directory) {
        return sm_fail(err, SM_E_REFUSED, "%s: is in the way of this run's work files; move it",
                       d->paths.partial);
    }
    sm_names names;
    st = sm_fs_list(d->arena, d->paths.partial, &names, err);
    for (size_t i = 0; st == SM_OK && i < names.count; i++) {
        if (strcmp(names.items[i], "lock") == 0) {
            return SM_OK;
        }
    }
    if (st == SM_OK && names.count != 0) {
        return sm_fail(err, SM_E_REFUSED,
                       "%s: is not a work directory of saltmill (it has no lock file); move it",
                       d->paths.partial);
    }
    return st;
}

static sm_status take_lock(sm_dataset *d, sm_error *err)
{
    for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
        bool in_place = false;
        sm_error inner = {.code = SM_OK};
        sm_status st = sm_fs_make_dir(d->paths.partial, err);
        if (st == SM_OK) {
            st = sm_fs_lock(d->paths.lock, &d->lock, &inner);
        }
        if (inner.code == SM_E_REFUSED) {
            return sm_fail(err, SM_E_REFUSED,
                           "%s: another run is writing to this output; wait for it or name another "
                           "output",
                           d->paths.output);
        }
        if (st == SM_OK) {
            st = lock_is_in_place(d, &in_place, err);
        }
        if (st != SM_OK || in_place) {
            return inner.code != SM_OK ? sm_fail(err, st, "%s", inner.text) : st;
        }
        sm_file_discard(&d->lock);
    }
    return sm_fail(err, SM_E_REFUSED, "%s: other runs keep coming and going on this output",
                   d->paths.output);
}

/* ---- what is there before -------------------------------------------------------------------- */

/* A rename would replace a link, and a swap would leave it pointing at what is then removed. */
static sm_status check_no_link(const sm_dataset *d, sm_error *err)
{
    bool is_link = false;
    const sm_status st = sm_fs_is_link(d->paths.output, &is_link, err);
    if (st == SM_OK && is_link) {
        return sm_fail(
            err, SM_E_REFUSED,
            "%s: is a symbolic link, a directory or nothing was expected; name what it points to",
            d->paths.output);
    }
    return st;
}

static sm_status check_output(sm_dataset *d, sm_dataset_state *state, sm_error *err)
{
    bool exists = false;
    sm_file_info info;
    const char *path = d->paths.output;
    sm_status st = check_no_link(d, err);
    if (st == SM_OK) {
        st = sm_fs_stat(path, &exists, &info, err);
    }
    if (st != SM_OK || !exists) {
        return st;
    }
    if (!info.is_directory) {
        return sm_fail(err, SM_E_REFUSED, "%s: exists and is not a directory; name another output",
                       path);
    }
    sm_names names;
    st = sm_fs_list(d->arena, path, &names, err);
    if (st != SM_OK) {
        return st;
    }
    for (size_t i = 0; i < names.count; i++) {
        state->exists = state->exists || strcmp(names.items[i], SM_MANIFEST_NAME) == 0;
    }
    if (names.count != 0 && !state->exists) {
        return sm_fail(
            err, SM_E_REFUSED,
            "%s: exists, is not empty and is no dataset of saltmill (it has no %s); nothing in it "
            "was touched; name another output",
            path, SM_MANIFEST_NAME);
    }
    return SM_OK;
}

static sm_status remove_leftovers(sm_dataset *d, sm_dataset_state *state, sm_error *err)
{
    sm_names names;
    sm_status st = sm_fs_list(d->arena, d->paths.partial, &names, err);
    for (size_t i = 0; st == SM_OK && i < names.count; i++) {
        if (strcmp(names.items[i], "lock") == 0) {
            continue;
        }
        const char *path = sm_path_join(d->arena, d->paths.partial, names.items[i]);
        state->cleaned = true;
        st = path == NULL ? sm_fail_memory(err, 0, "paths") : sm_fs_remove_tree(path, err);
    }
    return st;
}

static sm_status prepare(sm_dataset *d, sm_dataset_state *state, sm_error *err)
{
    sm_status st = sm_fs_make_dirs(d->paths.parent, err);
    if (st == SM_OK) {
        st = check_output(d, state, err);
    }
    if (st == SM_OK) {
        st = sm_dataset_check_rejects(d->arena, d->paths.final_rejects, &d->have_rejects_before,
                                      err);
    }
    if (st == SM_OK) {
        st = check_partial(d, err);
    }
    if (st == SM_OK) {
        st = take_lock(d, err);
    }
    if (st == SM_OK) {
        st = remove_leftovers(d, state, err);
    }
    if (st == SM_OK) {
        st = sm_fs_make_dir(d->paths.data, err);
    }
    return st == SM_OK ? sm_fs_make_dir(d->paths.rejects, err) : st;
}

sm_status sm_dataset_open(const char *output, sm_dataset **out, sm_dataset_state *state,
                          sm_error *err)
{
    *out = NULL;
    *state = (sm_dataset_state){false, false};
    void *p = NULL;
    sm_status st = sm_new(sizeof(sm_dataset), "the dataset", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_dataset *d = p;
    st = sm_arena_new(16 << 10, &d->arena, err);
    if (st == SM_OK) {
        st = make_paths(d->arena, output, &d->paths, err);
    }
    if (st == SM_OK) {
        st = prepare(d, state, err);
    }
    if (st != SM_OK) {
        sm_dataset_close(d);
        return st;
    }
    *out = d;
    return SM_OK;
}

sm_status sm_dataset_existing(const sm_dataset *d, sm_arena *arena, sm_manifest *out, sm_error *err)
{
    const char *path = sm_path_join(arena, d->paths.output, SM_MANIFEST_NAME);
    return path == NULL ? sm_fail_memory(err, 0, "paths") : sm_manifest_read(path, arena, out, err);
}

const char *sm_dataset_output(const sm_dataset *d)
{
    return d->paths.output;
}

const char *sm_dataset_data(const sm_dataset *d)
{
    return d->paths.data;
}

const char *sm_dataset_rejects(const sm_dataset *d)
{
    return d->paths.rejects;
}

const char *sm_dataset_final_rejects(const sm_dataset *d)
{
    return d->paths.final_rejects;
}

const char *sm_dataset_work(const sm_dataset *d)
{
    return d->paths.partial;
}

/* ---- publication ----------------------------------------------------------------------------- */

sm_status sm_dataset_publish_rejects(sm_dataset *d, sm_error *err)
{
    sm_names names;
    sm_status st = sm_fs_list(d->arena, d->paths.rejects, &names, err);
    if (st == SM_OK && names.count != 0) {
        st = sm_dataset_mark_rejects(d->arena, d->paths.rejects, &names, err);
    }
    if (st == SM_OK && d->have_rejects_before) {
        st = sm_dataset_remove_rejects(d->arena, d->paths.final_rejects, err);
        d->have_rejects_before = false;
    }
    if (st != SM_OK || names.count == 0) {
        return st;
    }
    st = sm_fs_rename(d->paths.rejects, d->paths.final_rejects, err);
    return st == SM_OK ? sm_fs_sync_dir(d->paths.parent, err) : st;
}

/* Depth first: a directory is synced after what it holds. */
static sm_status sync_tree(sm_arena *arena, const char *path, unsigned depth, sm_error *err)
{
    sm_names names;
    sm_status st = sm_fs_list(arena, path, &names, err);
    for (size_t i = 0; st == SM_OK && depth != 0 && i < names.count; i++) {
        bool exists = false;
        sm_file_info info;
        const char *child = sm_path_join(arena, path, names.items[i]);
        st = child == NULL ? sm_fail_memory(err, 0, "paths")
                           : sm_fs_stat(child, &exists, &info, err);
        if (st == SM_OK && exists && info.is_directory) {
            st = sync_tree(arena, child, depth - 1, err);
        }
    }
    return st == SM_OK ? sm_fs_sync_dir(path, err) : st;
}

/* Whatever is left of a replaced dataset goes to OUT.replaced. */
static sm_status move_aside(sm_dataset *d, sm_error *err)
{
    bool left = false;
    sm_file_info info;
    const sm_status st = sm_fs_stat(d->paths.data, &left, &info, err);
    if (st != SM_OK || !left) {
        return st;
    }
    const char *aside = with_suffix(d->arena, d->paths.output, ".replaced");
    return aside == NULL ? sm_fail_memory(err, 0, "paths")
                         : sm_fs_rename(d->paths.data, aside, err);
}

/* The old dataset now lies in data: its listed files go; what came into it since the check is kept
 * aside. */
static sm_status remove_old(sm_dataset *d, const sm_manifest *old, sm_error *err)
{
    const sm_status st = sm_dataset_remove_owned(d->arena, d->paths.data, old, err);
    return st == SM_OK ? move_aside(d, err) : st;
}

sm_status sm_dataset_publish(sm_dataset *d, sm_bytes manifest, const sm_manifest *old,
                             sm_error *err)
{
    enum { DEEPEST = 4 }; /* namespace/table/family below the root */
    const char *path = sm_path_join(d->arena, d->paths.data, SM_MANIFEST_NAME);
    sm_status st = path == NULL ? sm_fail_memory(err, 0, "paths") : SM_OK;
    if (st == SM_OK && old != NULL) {
        st = sm_dataset_check_owned(d->arena, d->paths.output, old, err);
    }
    if (st == SM_OK) {
        st = sm_fs_write_new(path, manifest, err);
    }
    if (st == SM_OK) {
        st = sync_tree(d->arena, d->paths.data, DEEPEST, err);
    }
    if (st != SM_OK) {
        return st;
    }
    st = old == NULL ? sm_fs_rename(d->paths.data, d->paths.output, err)
                     : sm_fs_exchange(d->paths.data, d->paths.output, err);
    d->exchanged = st == SM_OK && old != NULL;
    if (st == SM_OK) {
        st = sm_fs_sync_dir(d->paths.parent, err);
    }
    return st == SM_OK && old != NULL ? remove_old(d, old, err) : st;
}

/* What could not be removed keeps the lock file beside it: by that the next run knows it for ours.
 */
static void leave_partial(sm_dataset *d)
{
    sm_names names;
    if (sm_fs_list(d->arena, d->paths.partial, &names, NULL) == SM_OK && names.count <= 1) {
        (void)!sm_fs_remove_file(d->paths.lock, NULL);
        (void)!sm_fs_remove_dir(d->paths.partial, NULL);
    }
}

void sm_dataset_close(sm_dataset *d)
{
    if (d == NULL) {
        return;
    }
    if (d->lock != NULL) {
        /* Clean-up after success or after an error that is already on its way: its own failures
         * leave files that the next run removes. */
        if (d->exchanged) {
            (void)!move_aside(d, NULL);
        } else {
            (void)!sm_fs_remove_tree(d->paths.data, NULL);
        }
        (void)!sm_fs_remove_tree(d->paths.rejects, NULL);
        leave_partial(d);
        sm_file_discard(&d->lock);
    }
    sm_arena_free(d->arena);
    sm_free(d);
}
