/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: opening, reading, writing, flushing, closing, locking. What works on paths alone is in
 * fs_path.c, listings and removal in fs_tree.c, the machine's limits in fs_system.c. */
#include "core/fs.h"

#include "core/buf.h"
#include "core/fault.h"
#include "core/fs_internal.h"
#include "core/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel moves at most this much per call. */
enum { MOST_PER_CALL = 0x7FFFF000 };

struct sm_file {
    char *path; /* for messages */
    int fd;
    sm_status failed; /* code of a failing read or write */
    uint64_t written;
    const sm_stop *stop; /* asked while waiting for a pipe or terminal */
    bool waits;          /* no regular file: a read may take for ever */
};

/* ---- system calls with fault hooks, -1 and errno on failure ----------------- */

int sm_fs_open_fd(const char *path, int flags, mode_t mode)
{
    if (sm_fault_hit(SM_FAULT_OPEN)) {
        errno = sm_fault_errno();
        return -1;
    }
    int fd = -1;
    do {
        fd = open(path, flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

int sm_fs_sync_fd(int fd)
{
    if (sm_fault_hit(SM_FAULT_SYNC)) {
        errno = sm_fault_errno();
        return -1;
    }
    int result = -1;
    do {
        result = fsync(fd);
    } while (result != 0 && errno == EINTR);
    return result;
}

static ssize_t read_some(int fd, void *out, size_t size)
{
    if (sm_fault_hit(SM_FAULT_READ)) {
        errno = sm_fault_errno();
        return -1;
    }
    ssize_t n = -1;
    do {
        n = read(fd, out, size < MOST_PER_CALL ? size : MOST_PER_CALL);
        if (n < 0 && errno == EAGAIN) {
            struct pollfd p = {.fd = fd, .events = POLLIN};
            (void)poll(&p, 1, -1);
            errno = EINTR;
        }
    } while (n < 0 && errno == EINTR);
    return n;
}

static ssize_t read_some_at(int fd, void *out, size_t size, uint64_t offset)
{
    if (sm_fault_hit(SM_FAULT_READ)) {
        errno = sm_fault_errno();
        return -1;
    }
    ssize_t n = -1;
    do {
        n = pread(fd, out, size < MOST_PER_CALL ? size : MOST_PER_CALL, (off_t)offset);
    } while (n < 0 && errno == EINTR);
    return n;
}

static ssize_t write_some(int fd, const void *data, size_t size)
{
    if (sm_fault_hit(SM_FAULT_WRITE)) {
        errno = sm_fault_errno();
        return -1;
    }
    ssize_t n = -1;
    do {
        n = write(fd, data, size < MOST_PER_CALL ? size : MOST_PER_CALL);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* ---- handles ---------------------------------------------------------------- */

/* Takes the descriptor over, also when it fails. */
static sm_status wrap(const char *path, int fd, sm_status failed, sm_file **out, sm_error *err)
{
    const size_t len = strlen(path);
    sm_file *f = sm_calloc(1, sizeof *f);
    char *copy = sm_malloc(len + 1);
    if (f == NULL || copy == NULL) {
        sm_free(f);
        sm_free(copy);
        (void)close(fd);
        return sm_fail_memory(err, sizeof *f + len + 1, path);
    }
    memcpy(copy, path, len + 1);
    *f = (sm_file){.path = copy, .fd = fd, .failed = failed};
    *out = f;
    return SM_OK;
}

/* A descriptor of its own, so that closing it is nothing special. */
static sm_status open_standard_input(sm_file **out, sm_error *err)
{
    static const char name[] = "standard input";
    const int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fd < 0) {
        return sm_fail_errno(err, SM_E_INPUT_READ, errno, "%s: cannot be opened", name);
    }
    return wrap(name, fd, SM_E_INPUT_READ, out, err);
}

sm_status sm_file_open_read(const char *path, sm_file **out, sm_error *err)
{
    *out = NULL;
    if (strcmp(path, "-") == 0) {
        return open_standard_input(out, err);
    }
    /* Not blocking, for a pipe by name that nobody writes to yet; regular files do not care. */
    const int fd = sm_fs_open_fd(path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0) {
        const int e = errno;
        const sm_status code = e == ENOENT || e == ENOTDIR ? SM_E_INPUT_MISSING : SM_E_INPUT_READ;
        return sm_fail_errno(err, code, e, "%s: cannot be opened for reading", path);
    }
    struct stat info;
    if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        (void)close(fd);
        return sm_fail(err, SM_E_INPUT_READ, "%s: is a directory, a file was expected", path);
    }
    return wrap(path, fd, SM_E_INPUT_READ, out, err);
}

void sm_file_stop_with(sm_file *f, const sm_stop *stop)
{
    struct stat info;
    f->stop = stop;
    f->waits = fstat(f->fd, &info) == 0 && !S_ISREG(info.st_mode);
}

/* Until something can be read. A signal need not come to the thread that waits here, so it looks
 * now and then. */
static sm_status wait_readable(const sm_file *f, sm_error *err)
{
    enum { LOOK_EVERY_MS = 200 };
    struct pollfd p = {.fd = f->fd, .events = POLLIN};
    while (sm_stop_asked(f->stop) == 0) {
        const int ready = poll(&p, 1, LOOK_EVERY_MS);
        if (ready > 0) {
            return SM_OK;
        }
        if (ready < 0 && errno != EINTR) {
            return sm_fail_errno(err, f->failed, errno, "%s: cannot be waited for", f->path);
        }
    }
    return sm_fail(err, SM_E_INTERRUPTED, "%s: stopped while waiting for input", f->path);
}

sm_status sm_file_read(sm_file *f, void *out, size_t size, size_t *got, sm_error *err)
{
    *got = 0;
    const sm_status st = f->waits ? wait_readable(f, err) : SM_OK;
    if (st != SM_OK) {
        return st;
    }
    const ssize_t n = read_some(f->fd, out, size);
    if (n < 0) {
        return sm_fail_errno(err, f->failed, errno, "%s: cannot be read", f->path);
    }
    *got = (size_t)n;
    return SM_OK;
}

sm_status sm_file_read_at(const sm_file *f, uint64_t offset, void *out, size_t size, sm_error *err)
{
    uint64_t end = 0;
    if (__builtin_add_overflow(offset, size, &end) || end > INT64_MAX) {
        return sm_fail(err, SM_E_INPUT_TRUNCATED, "%s: %zu bytes at %llu lie behind any file's end",
                       f->path, size, (unsigned long long)offset);
    }
    size_t done = 0;
    while (done < size) {
        const ssize_t n = read_some_at(f->fd, (uint8_t *)out + done, size - done, offset + done);
        if (n < 0) {
            return sm_fail_errno(err, f->failed, errno, "%s: cannot be read at byte %llu", f->path,
                                 (unsigned long long)(offset + done));
        }
        if (n == 0) {
            return sm_fail(err, SM_E_INPUT_TRUNCATED,
                           "%s: ends at byte %llu, %zu more were expected; the file was cut",
                           f->path, (unsigned long long)(offset + done), size - done);
        }
        done += (size_t)n;
    }
    return SM_OK;
}

void sm_fs_fill_info(const struct stat *from, sm_file_info *out)
{
    *out = (sm_file_info){
        .size = (uint64_t)from->st_size,
        .mtime_ns = (int64_t)from->st_mtim.tv_sec * 1000000000 + from->st_mtim.tv_nsec,
        .device = (uint64_t)from->st_dev,
        .inode = (uint64_t)from->st_ino,
        .is_directory = S_ISDIR(from->st_mode),
        .is_regular = S_ISREG(from->st_mode),
    };
}

sm_status sm_file_info_of(const sm_file *f, sm_file_info *out, sm_error *err)
{
    struct stat info;
    *out = (sm_file_info){0};
    if (fstat(f->fd, &info) != 0) {
        return sm_fail_errno(err, f->failed, errno, "%s: its size cannot be read", f->path);
    }
    sm_fs_fill_info(&info, out);
    return SM_OK;
}

sm_status sm_file_create(const char *path, sm_file **out, sm_error *err)
{
    *out = NULL;
    const int fd = sm_fs_open_fd(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: cannot be created", path);
    }
    const sm_status st = wrap(path, fd, SM_E_OUTPUT, out, err);
    if (st != SM_OK) {
        (void)unlink(path); /* ours, made two lines above */
    }
    return st;
}

sm_status sm_file_write(sm_file *f, const void *data, size_t size, sm_error *err)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t n = write_some(f->fd, (const uint8_t *)data + done, size - done);
        if (n <= 0) {
            return sm_fail_errno(err, SM_E_OUTPUT, n < 0 ? errno : EIO,
                                 "%s: cannot be written at byte %llu", f->path,
                                 (unsigned long long)f->written);
        }
        done += (size_t)n;
        f->written += (uint64_t)n;
    }
    return SM_OK;
}

uint64_t sm_file_written(const sm_file *f)
{
    return f->written;
}

sm_status sm_file_sync(sm_file *f, sm_error *err)
{
    if (sm_fs_sync_fd(f->fd) != 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: cannot be flushed to the disk", f->path);
    }
    return SM_OK;
}

/* 0, or -1 and errno. The descriptor is gone either way, also after EINTR, as Linux has it. */
static int close_handle(sm_file **f)
{
    sm_file *old = *f;
    *f = NULL;
    const int result = close(old->fd);
    const int e = errno;
    sm_free(old->path);
    sm_free(old);
    errno = e;
    return result != 0 && e == EINTR ? 0 : result;
}

sm_status sm_file_close(sm_file **f, sm_error *err)
{
    if (*f == NULL) {
        return SM_OK;
    }
    char path[256];
    (void)snprintf(path, sizeof path, "%s", (*f)->path);
    const bool wrote = (*f)->written != 0;
    const bool faulty = wrote && sm_fault_hit(SM_FAULT_SYNC);
    const int result = close_handle(f);
    if (!wrote || (result == 0 && !faulty)) {
        return SM_OK;
    }
    return sm_fail_errno(err, SM_E_OUTPUT, faulty ? sm_fault_errno() : errno,
                         "%s: what was written may be incomplete", path);
}

void sm_file_discard(sm_file **f)
{
    if (*f != NULL) {
        (void)close_handle(f);
    }
}

const char *sm_file_path(const sm_file *f)
{
    return f->path;
}

/* For file systems without unnamed files: made under a random name that goes at once. */
static int open_and_unlink(const char *directory)
{
    static const char name[] = "/.saltmill-XXXXXX";
    const size_t len = strlen(directory);
    char *path = sm_malloc(len + sizeof name);
    if (path == NULL) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(path, directory, len);
    memcpy(path + len, name, sizeof name);
    const int fd = mkostemp(path, O_CLOEXEC);
    const int e = errno;
    if (fd >= 0) {
        (void)unlink(path);
    }
    sm_free(path);
    errno = e;
    return fd;
}

sm_status sm_file_create_unnamed(const char *directory, sm_file **out, sm_error *err)
{
    *out = NULL;
    int fd = sm_fs_open_fd(directory, O_RDWR | O_TMPFILE, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        fd = open_and_unlink(directory);
    }
    if (fd < 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: no temporary file can be made here",
                             directory);
    }
    return wrap(directory, fd, SM_E_OUTPUT, out, err);
}

sm_status sm_fs_lock(const char *path, sm_file **out, sm_error *err)
{
    *out = NULL;
    const int fd = sm_fs_open_fd(path, O_RDWR | O_CREAT, 0666);
    if (fd < 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "%s: the lock file cannot be opened", path);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        const int e = errno;
        (void)close(fd);
        if (e == EWOULDBLOCK) {
            return sm_fail(err, SM_E_REFUSED,
                           "%s: another process holds this lock; wait for it to end", path);
        }
        return sm_fail_errno(err, SM_E_OUTPUT, e, "%s: cannot be locked", path);
    }
    return wrap(path, fd, SM_E_OUTPUT, out, err);
}

/* ---- whole files ------------------------------------------------------------ */

static sm_status read_all(sm_file *f, uint64_t maximum, sm_buf *into, sm_error *err)
{
    enum { STEP = 65536 };
    for (;;) {
        sm_status st = sm_buf_reserve(into, STEP, err);
        if (st != SM_OK) {
            return st;
        }
        size_t got = 0;
        st = sm_file_read(f, into->data + into->len, STEP, &got, err);
        if (st != SM_OK || got == 0) {
            return st;
        }
        into->len += got;
        if (into->len > maximum) {
            return sm_fail(err, f->failed, "%s: is larger than the %llu bytes that are read of it",
                           f->path, (unsigned long long)maximum);
        }
    }
}

sm_status sm_fs_read_whole(const char *path, uint64_t maximum, sm_arena *arena, sm_bytes *out,
                           sm_error *err)
{
    *out = (sm_bytes){NULL, 0};
    sm_file *f = NULL;
    sm_status st = sm_file_open_read(path, &f, err);
    if (st != SM_OK) {
        return st;
    }
    sm_buf content;
    sm_buf_init(&content, SIZE_MAX / 2);
    st = read_all(f, maximum, &content, err);
    if (st != SM_OK) {
        goto done;
    }
    const char *copy = sm_arena_text(arena, content.data, content.len);
    if (copy == NULL) {
        st = sm_fail_memory(err, content.len, path);
        goto done;
    }
    *out = sm_bytes_of(copy, content.len);
done:
    sm_buf_free(&content);
    sm_file_discard(&f);
    return st;
}
