/* SPDX-License-Identifier: Apache-2.0 */
/* Many names at once: listings, patterns, removal of a whole directory. */
#include "core/fs.h"
#include "core/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Directories of ours are far shallower; a deeper one is not ours. */
enum { MOST_DEPTH = 32 };

/* ---- lists ------------------------------------------------------------------ */

/* strcmp compares unsigned bytes, whatever the locale. */
static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_dot(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* Names still without their final array. */
typedef struct pile {
    const char **items; /* from mem.h */
    size_t count;
    size_t capacity;
} pile;

static sm_status pile_add(pile *p, sm_arena *arena, const char *name, sm_error *err)
{
    if (p->count == p->capacity) {
        const size_t capacity = p->capacity == 0 ? 64 : p->capacity * 2;
        const char **items = sm_realloc(p->items, capacity * sizeof *items);
        if (items == NULL) {
            return sm_fail_memory(err, capacity * sizeof *items, "a list of file names");
        }
        p->items = items;
        p->capacity = capacity;
    }
    const char *copy = sm_arena_text(arena, name, strlen(name));
    if (copy == NULL) {
        return sm_fail_memory(err, strlen(name), "a file name");
    }
    p->items[p->count++] = copy;
    return SM_OK;
}

static sm_status pile_finish(const pile *p, sm_arena *arena, sm_names *out, sm_error *err)
{
    if (p->count == 0) {
        return SM_OK;
    }
    const char **items = sm_arena_array(arena, p->count, sizeof *items);
    if (items == NULL) {
        return sm_fail_memory(err, p->count * sizeof *items, "a list of file names");
    }
    memcpy(items, p->items, p->count * sizeof *items);
    qsort(items, p->count, sizeof *items, compare_names);
    *out = (sm_names){items, p->count};
    return SM_OK;
}

static sm_status list_into(DIR *d, const char *path, sm_arena *arena, pile *p, sm_error *err)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(d);
        if (entry == NULL) {
            break;
        }
        if (is_dot(entry->d_name)) {
            continue;
        }
        const sm_status st = pile_add(p, arena, entry->d_name, err);
        if (st != SM_OK) {
            return st;
        }
    }
    if (errno != 0) {
        return sm_fail_errno(err, SM_E_INPUT_READ, errno, "%s: the directory cannot be read", path);
    }
    return SM_OK;
}

sm_status sm_fs_list(sm_arena *arena, const char *path, sm_names *out, sm_error *err)
{
    *out = (sm_names){NULL, 0};
    DIR *d = opendir(path);
    if (d == NULL) {
        const int e = errno;
        const sm_status code = e == ENOENT || e == ENOTDIR ? SM_E_INPUT_MISSING : SM_E_INPUT_READ;
        return sm_fail_errno(err, code, e, "%s: the directory cannot be opened", path);
    }
    pile names = {0};
    sm_status st = list_into(d, path, arena, &names, err);
    if (st == SM_OK) {
        st = pile_finish(&names, arena, out, err);
    }
    sm_free(names.items);
    (void)closedir(d);
    return st;
}

/* A directory that may not be read could hide matches; one that does not exist holds none. */
static int refuse_unreadable(const char *path, int e)
{
    (void)path;
    return e != ENOENT && e != ENOTDIR;
}

static sm_status glob_failure(int result, const char *pattern, int e, sm_error *err)
{
    if (result == GLOB_NOSPACE) {
        return sm_fail_memory(err, 0, pattern);
    }
    return sm_fail_errno(err, SM_E_INPUT_READ, e == 0 ? EIO : e,
                         "%s: a directory on the way cannot be read", pattern);
}

sm_status sm_fs_glob(sm_arena *arena, const char *pattern, sm_names *out, sm_error *err)
{
    *out = (sm_names){NULL, 0};
    glob_t found = {0};
    pile names = {0};
    sm_status st = SM_OK;
    errno = 0;
    const int result = glob(pattern, GLOB_NOSORT, refuse_unreadable, &found);
    if (result == GLOB_NOMATCH) {
        goto done;
    }
    if (result != 0) {
        st = glob_failure(result, pattern, errno, err);
        goto done;
    }
    for (size_t i = 0; i < found.gl_pathc && st == SM_OK; i++) {
        st = pile_add(&names, arena, found.gl_pathv[i], err);
    }
    if (st == SM_OK) {
        st = pile_finish(&names, arena, out, err);
    }
done:
    sm_free(names.items);
    globfree(&found);
    return st;
}

/* ---- removal ---------------------------------------------------------------- */

/* Where a removal is: names are looked up in the open directory, the root is for messages. */
typedef struct spot {
    const char *root;
    int parent;
    int depth;
} spot;

static sm_status remove_entry(spot at, const char *name, sm_error *err);

/* One pass over an open directory. Entries may be missed while others go, hence *removed: the
 * caller repeats until a pass finds nothing. */
static sm_status remove_pass(DIR *d, spot at, size_t *removed, sm_error *err)
{
    const spot inside = {at.root, dirfd(d), at.depth + 1};
    *removed = 0;
    rewinddir(d);
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(d);
        if (entry == NULL) {
            break;
        }
        if (is_dot(entry->d_name)) {
            continue;
        }
        const sm_status st = remove_entry(inside, entry->d_name, err);
        if (st != SM_OK) {
            return st;
        }
        (*removed)++;
    }
    if (errno != 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: a directory in it cannot be read",
                             at.root);
    }
    return SM_OK;
}

static sm_status empty_directory(spot at, const char *name, sm_error *err)
{
    if (at.depth > MOST_DEPTH) {
        return sm_fail(err, SM_E_OUTPUT,
                       "%s: more than %d directories lie in each other, so it is not ours", at.root,
                       MOST_DEPTH);
    }
    const int fd = openat(at.parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: '%s' cannot be opened for removal",
                             at.root, name);
    }
    DIR *d = fdopendir(fd);
    if (d == NULL) {
        const int e = errno;
        (void)close(fd);
        return sm_fail_errno(err, SM_E_OUTPUT, e, "%s: '%s' cannot be read for removal", at.root,
                             name);
    }
    sm_status st = SM_OK;
    size_t removed = 0;
    do {
        st = remove_pass(d, at, &removed, err);
    } while (st == SM_OK && removed != 0);
    (void)closedir(d);
    return st;
}

/* unlinkat takes the name itself, so a symbolic link goes and what it points to stays. */
static sm_status remove_entry(spot at, const char *name, sm_error *err)
{
    if (unlinkat(at.parent, name, 0) == 0 || errno == ENOENT) {
        return SM_OK;
    }
    if (errno != EISDIR && errno != EPERM) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: '%s' cannot be removed", at.root, name);
    }
    const sm_status st = empty_directory(at, name, err);
    if (st != SM_OK) {
        return st;
    }
    if (unlinkat(at.parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: the directory '%s' cannot be removed",
                             at.root, name);
    }
    return SM_OK;
}

sm_status sm_fs_remove_tree(const char *path, sm_error *err)
{
    const int fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ENOENT) {
            return SM_OK;
        }
        return sm_fail_errno(err, SM_E_OUTPUT, errno,
                             "%s: is to be removed with all in it, but is no directory that opens",
                             path);
    }
    (void)close(fd);
    return remove_entry((spot){path, AT_FDCWD, 0}, path, err);
}
