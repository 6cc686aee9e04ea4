/* SPDX-License-Identifier: Apache-2.0 */
/* A small file written as a whole, or replaced by one: readers see the old text or the new one,
 * never a part. */
#include "core/fs.h"

#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = 4096 };

/* The folder that holds the path, into out. */
static void folder_of(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        (void)snprintf(out, size, ".");
    } else {
        (void)snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    }
}

sm_status sm_fs_write_new(const char *path, sm_bytes text, sm_error *err)
{
    sm_file *f = NULL;
    sm_status st = sm_file_create(path, &f, err);
    if (st == SM_OK) {
        st = sm_file_write(f, text.data, text.len, err);
    }
    if (st == SM_OK) {
        st = sm_file_sync(f, err);
    }
    if (st == SM_OK) {
        return sm_file_close(&f, err);
    }
    sm_file_discard(&f);
    return st;
}

static sm_status write_beside(const char *beside, sm_bytes text, sm_error *err)
{
    const sm_status st = sm_fs_remove_file(beside, err); /* of a run that died */
    return st == SM_OK ? sm_fs_write_new(beside, text, err) : st;
}

sm_status sm_fs_replace(const char *path, sm_bytes text, sm_error *err)
{
    char beside[PATH_ROOM];
    char folder[PATH_ROOM];
    bool link = false;
    if ((size_t)snprintf(beside, sizeof beside, "%s.new", path) >= sizeof beside) {
        return sm_fail(err, SM_E_OUTPUT, "%s: the path is too long", path);
    }
    sm_status st = sm_fs_is_link(path, &link, err);
    if (st == SM_OK && link) {
        return sm_fail(err, SM_E_OUTPUT,
                       "%s: is a symbolic link, and writing would replace it by a file; name the "
                       "file that it points to",
                       path);
    }
    folder_of(path, folder, sizeof folder);
    if (st == SM_OK) {
        st = write_beside(beside, text, err);
    }
    if (st == SM_OK) {
        st = sm_fs_rename(beside, path, err);
    }
    return st == SM_OK ? sm_fs_sync_dir(folder, err) : st;
}
