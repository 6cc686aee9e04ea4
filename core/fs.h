/* SPDX-License-Identifier: Apache-2.0 */
/* The only open, read, write, fsync, rename. Full reads and writes, EINTR retried, errors with the
 * path, each able to be made to fail (core/fault.h). Thread-safe unless one sm_file is shared
 * (pread is safe). */
#ifndef SM_CORE_FS_H
#define SM_CORE_FS_H

#include "core/arena.h"
#include "core/bytes.h"
#include "core/error.h"
#include "core/stop.h"

typedef struct sm_file sm_file; /* owns a descriptor and a copy of its path */

typedef struct sm_file_info {
    uint64_t size;
    int64_t mtime_ns;
    uint64_t device, inode;
    bool is_directory, is_regular;
} sm_file_info;

/* Reading. A missing file is SM_E_INPUT_MISSING, other failures SM_E_INPUT_READ. "-" is standard
 * input. */
sm_status sm_file_open_read(const char *path, sm_file **out, sm_error *err) SM_MUST_CHECK;
/* Reads of pipes and terminals end with SM_E_INTERRUPTED once `stop` is asked. */
void sm_file_stop_with(sm_file *f, const sm_stop *stop);
/* Up to `size` bytes; *got == 0 means end of file. May return less than asked for. */
sm_status sm_file_read(sm_file *f, void *out, size_t size, size_t *got, sm_error *err)
    SM_MUST_CHECK;
/* Exactly `size` bytes at `offset`, else SM_E_INPUT_TRUNCATED. */
sm_status sm_file_read_at(const sm_file *f, uint64_t offset, void *out, size_t size, sm_error *err)
    SM_MUST_CHECK;
/* As the open file is at this moment: asked before and after reading it shows a change. */
sm_status sm_file_info_of(const sm_file *f, sm_file_info *out, sm_error *err) SM_MUST_CHECK;

/* Writing. create: must not exist. Failures are SM_E_OUTPUT / SM_E_DISK_FULL. */
sm_status sm_file_create(const char *path, sm_file **out, sm_error *err) SM_MUST_CHECK;
sm_status sm_file_write(sm_file *f, const void *data, size_t size, sm_error *err) SM_MUST_CHECK;
uint64_t sm_file_written(const sm_file *f); /* bytes written through this handle */
sm_status sm_file_sync(sm_file *f, sm_error *err) SM_MUST_CHECK;
/* Closes and nulls. For written files the status matters (delayed write errors). Takes *f == NULL.
 */
sm_status sm_file_close(sm_file **f, sm_error *err) SM_MUST_CHECK;
void sm_file_discard(sm_file **f); /* close without looking; for clean-up after another error */
const char *sm_file_path(const sm_file *f);
/* An unnamed temporary file in `directory` for reading back with read_at (unlinked at once). */
sm_status sm_file_create_unnamed(const char *directory, sm_file **out, sm_error *err) SM_MUST_CHECK;

/* Paths. */
sm_status sm_fs_stat(const char *path, bool *exists, sm_file_info *out, sm_error *err)
    SM_MUST_CHECK;
/* Of the name itself; an absent one is none. For outputs: failures are SM_E_OUTPUT. */
sm_status sm_fs_is_link(const char *path, bool *out, sm_error *err) SM_MUST_CHECK;
sm_status sm_fs_make_dir(const char *path, sm_error *err) SM_MUST_CHECK;  /* SM_OK if it is there */
sm_status sm_fs_make_dirs(const char *path, sm_error *err) SM_MUST_CHECK; /* with parents */
sm_status sm_fs_sync_dir(const char *path, sm_error *err) SM_MUST_CHECK;
sm_status sm_fs_rename(const char *from, const char *to, sm_error *err) SM_MUST_CHECK;
/* Both exist: swapped atomically (renameat2 RENAME_EXCHANGE). */
sm_status sm_fs_exchange(const char *a, const char *b, sm_error *err) SM_MUST_CHECK;
sm_status sm_fs_remove_file(const char *path, sm_error *err) SM_MUST_CHECK; /* SM_OK if absent */
sm_status sm_fs_remove_dir(const char *path, sm_error *err)
    SM_MUST_CHECK; /* must be empty; OK if absent */
/* Depth-bounded recursive removal; never follows symbolic links. Only for directories we made. */
sm_status sm_fs_remove_tree(const char *path, sm_error *err) SM_MUST_CHECK;
sm_status sm_fs_free_bytes(const char *path, uint64_t *out, sm_error *err) SM_MUST_CHECK;

/* Names in a directory (no "." and ".."), sorted bytewise, in the arena. */
typedef struct sm_names {
    const char **items;
    size_t count;
} sm_names;
sm_status sm_fs_list(sm_arena *arena, const char *path, sm_names *out, sm_error *err) SM_MUST_CHECK;
/* glob(3)-like pattern, sorted bytewise; no match gives count 0. */
sm_status sm_fs_glob(sm_arena *arena, const char *pattern, sm_names *out, sm_error *err)
    SM_MUST_CHECK;

/* Whole small file into a buffer (bounded by the buffer's maximum). */
sm_status sm_fs_read_whole(const char *path, uint64_t maximum, sm_arena *arena, sm_bytes *out,
                           sm_error *err) SM_MUST_CHECK;

/* Creates, writes, fsyncs, closes; what is there already is an error. */
sm_status sm_fs_write_new(const char *path, sm_bytes text, sm_error *err) SM_MUST_CHECK;
/* The file as a whole becomes `text`: written beside it (PATH.new), synced, renamed over it, and
 * the folder synced. A symbolic link in its place is SM_E_OUTPUT. */
sm_status sm_fs_replace(const char *path, sm_bytes text, sm_error *err) SM_MUST_CHECK;

/* Exclusive advisory lock on a file that is created if needed; released on close or death.
 * Held by another process: SM_E_REFUSED. */
sm_status sm_fs_lock(const char *path, sm_file **out, sm_error *err) SM_MUST_CHECK;

/* Gives descriptors 0, 1 and 2, where the caller closed them, to the null device, opened the wrong
 * way round: no file of ours gets such a number, and using the stream still fails. Before anything
 * else is opened. */
void sm_fs_hold_standard_streams(void);

/* Open files that the system lets us have (RLIMIT_NOFILE, soft raised to hard where possible). */
uint64_t sm_fs_open_file_limit(void);
/* min(physical memory, cgroup limit) in bytes. */
uint64_t sm_fs_memory_limit(void);
unsigned sm_fs_cpu_count(void);

#endif
