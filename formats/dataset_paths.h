/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by dataset.c and dataset_replace.c alone: the paths around an output, and what may be
 * removed. */
#ifndef SM_FORMATS_DATASET_PATHS_H
#define SM_FORMATS_DATASET_PATHS_H

#include "core/fs.h"
#include "formats/manifest.h"

typedef struct sm_dataset_paths {
    const char *output, *parent, *partial, *lock, *data, *rejects, *final_rejects;
} sm_dataset_paths;

/* OUT.rejects: absent, or all its files listed in its _files; else SM_E_REFUSED. */
sm_status sm_dataset_check_rejects(sm_arena *arena, const char *path, bool *exists, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_dataset_mark_rejects(sm_arena *arena, const char *path, const sm_names *names,
                                  sm_error *err) SM_MUST_CHECK;
sm_status sm_dataset_remove_rejects(sm_arena *arena, const char *path, sm_error *err) SM_MUST_CHECK;

/* Every file below path is listed in the manifest (or is the manifest); else SM_E_REFUSED. */
sm_status sm_dataset_check_owned(sm_arena *arena, const char *path, const sm_manifest *m,
                                 sm_error *err) SM_MUST_CHECK;
/* Removes the listed files, the manifest, and directories that are empty then. */
sm_status sm_dataset_remove_owned(sm_arena *arena, const char *path, const sm_manifest *m,
                                  sm_error *err) SM_MUST_CHECK;

#endif
