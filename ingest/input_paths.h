/* SPDX-License-Identifier: Apache-2.0 */
/* The job's list of inputs turned into files: globs, directories, "-". Internal to the source. */
#ifndef SM_INGEST_INPUT_PATHS_H
#define SM_INGEST_INPUT_PATHS_H

#include "core/arena.h"
#include "core/fs.h"

typedef struct sm_input_path {
    const char *path;  /* "-": standard input */
    sm_file_info info; /* zeroed for standard input */
} sm_input_path;

typedef struct sm_input_paths {
    sm_input_path *items;
    size_t count;
} sm_input_paths;

/* Entries stay in place. A path that exists is taken as it is, even with * ? [ in its name;
 * otherwise those make it a glob. A directory, named or matched, stands for the regular files in
 * it, bytewise by name, without those whose name starts with "." or "_"; it isn't searched deeper.
 * SM_E_INPUT_MISSING: no such file, no match, nothing in a directory. SM_E_JOB: a file named twice
 * (by path, or by device and inode: links to one file are one file). Everything lives in the arena.
 */
sm_status sm_input_paths_resolve(const char *const *entries, size_t count, sm_arena *arena,
                                 sm_input_paths *out, sm_error *err) SM_MUST_CHECK;
/* For jobs whose keys hold the place of a record (row_number): SM_E_JOB unless each entry is one
 * file, by its own name, and none lies in the rejects of an earlier run (a folder NAME.rejects),
 * where records have other places than in the input they came from. */
sm_status sm_input_paths_listed(const sm_input_paths *paths, const char *const *entries,
                                size_t count, sm_error *err) SM_MUST_CHECK;

#endif
