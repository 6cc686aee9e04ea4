/* SPDX-License-Identifier: Apache-2.0 */
/* Single steps on paths: look, make a directory, rename, swap, remove, room left. */
#include "core/fault.h"
#include "core/fs.h"
#include "core/fs_internal.h"
#include "core/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

sm_status sm_fs_stat(const char *path, bool *exists, sm_file_info *out, sm_error *err)
{
    struct stat info;
    *exists = false;
    *out = (sm_file_info){0};
    if (stat(path, &info) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) {
            return SM_OK;
        }
        return sm_fail_errno(err, SM_E_INPUT_READ, errno, "%s: cannot be looked at", path);
    }
    *exists = true;
    sm_fs_fill_info(&info, out);
    return SM_OK;
}

sm_status sm_fs_is_link(const char *path, bool *out, sm_error *err)
{
    struct stat info;
    *out = false;
    if (lstat(path, &info) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) {
            return SM_OK;
        }
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: cannot be looked at", path);
    }
    *out = S_ISLNK(info.st_mode);
    return SM_OK;
}

/* 0, or -1 and errno. Making a directory counts as an open among the faults. */
static int make_dir(const char *path)
{
    if (sm_fault_hit(SM_FAULT_OPEN)) {
        errno = sm_fault_errno();
        return -1;
    }
    return mkdir(path, 0777);
}

sm_status sm_fs_make_dir(const char *path, sm_error *err)
{
    if (make_dir(path) == 0) {
        return SM_OK;
    }
    const int e = errno;
    struct stat info;
    if (e == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return SM_OK;
    }
    return sm_fail_errno(err, SM_E_OUTPUT, e, "%s: the directory cannot be made", path);
}

/* path is changed on the way and put back. */
static sm_status make_each(char *path, sm_error *err)
{
    for (char *p = path + 1; *p != '\0'; p++) {
        if (*p != '/' || p[-1] == '/') {
            continue;
        }
        *p = '\0';
        const sm_status st = sm_fs_make_dir(path, err);
        *p = '/';
        if (st != SM_OK) {
            return st;
        }
    }
    return sm_fs_make_dir(path, err);
}

sm_status sm_fs_make_dirs(const char *path, sm_error *err)
{
    const size_t len = strlen(path);
    if (len == 0) {
        return sm_fail(err, SM_E_OUTPUT, "a directory was to be made under an empty name");
    }
    char *copy = sm_malloc(len + 1);
    if (copy == NULL) {
        return sm_fail_memory(err, len + 1, path);
    }
    memcpy(copy, path, len + 1);
    const sm_status st = make_each(copy, err);
    sm_free(copy);
    return st;
}

sm_status sm_fs_sync_dir(const char *path, sm_error *err)
{
    const int fd = sm_fs_open_fd(path, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: the directory cannot be opened", path);
    }
    const int result = sm_fs_sync_fd(fd);
    const int e = errno;
    (void)close(fd);
    if (result != 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, e, "%s: the directory cannot be flushed to the disk",
                             path);
    }
    return SM_OK;
}

static int rename_with(const char *from, const char *to, unsigned flags)
{
    if (sm_fault_hit(SM_FAULT_RENAME)) {
        errno = sm_fault_errno();
        return -1;
    }
    return flags == 0 ? rename(from, to) : renameat2(AT_FDCWD, from, AT_FDCWD, to, flags);
}

sm_status sm_fs_rename(const char *from, const char *to, sm_error *err)
{
    if (rename_with(from, to, 0) != 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: cannot be renamed to %s", from, to);
    }
    return SM_OK;
}

sm_status sm_fs_exchange(const char *a, const char *b, sm_error *err)
{
    if (rename_with(a, b, RENAME_EXCHANGE) == 0) {
        return SM_OK;
    }
    const int e = errno;
    const bool unable = e == EINVAL || e == ENOSYS;
    return sm_fail_errno(err, SM_E_OUTPUT, e, "%s: cannot be swapped with %s%s", a, b,
                         unable ? " (their file system can't swap names; use another one)" : "");
}

sm_status sm_fs_remove_file(const char *path, sm_error *err)
{
    if (unlink(path) != 0 && errno != ENOENT) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: cannot be removed", path);
    }
    return SM_OK;
}

sm_status sm_fs_remove_dir(const char *path, sm_error *err)
{
    if (rmdir(path) != 0 && errno != ENOENT) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: the directory cannot be removed", path);
    }
    return SM_OK;
}

sm_status sm_fs_free_bytes(const char *path, uint64_t *out, sm_error *err)
{
    struct statvfs info;
    *out = 0;
    if (statvfs(path, &info) != 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: its free space cannot be asked for",
                             path);
    }
    if (__builtin_mul_overflow((uint64_t)info.f_bavail, (uint64_t)info.f_frsize, out)) {
        *out = UINT64_MAX;
    }
    return SM_OK;
}
