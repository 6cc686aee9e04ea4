/* SPDX-License-Identifier: Apache-2.0 */
/* A dataset directory that appears complete or not at all.
 *
 *   OUT.partial/lock      held while a run lives (a lock of the system: a dead run holds none)
 *   OUT.partial/data/     staged files; becomes OUT by one rename after everything is fsynced
 *   OUT.partial/rejects/  becomes OUT.rejects, also when the run fails
 *   OUT.partial/          work files of the run store (unnamed)
 *
 * What a dead run left in OUT.partial is removed by the next one, which says so. Only names that we
 * gave ourselves are ever removed: files listed in a manifest, rejects listed in
 * OUT.rejects/_files. One thread. */
#ifndef SM_FORMATS_DATASET_H
#define SM_FORMATS_DATASET_H

#include "core/arena.h"
#include "formats/manifest.h"

typedef struct sm_dataset sm_dataset;

typedef struct sm_dataset_state {
    bool exists;  /* OUT is a dataset of ours */
    bool cleaned; /* work of a dead run was removed */
} sm_dataset_state;

/* Takes the lock and looks at OUT. Anything there that is neither absent, an empty directory nor a
 * dataset is SM_E_REFUSED, so is another run's lock, a foreign OUT.partial or OUT.rejects. */
sm_status sm_dataset_open(const char *output, sm_dataset **out, sm_dataset_state *state,
                          sm_error *err) SM_MUST_CHECK;
/* The manifest of the dataset at OUT. */
sm_status sm_dataset_existing(const sm_dataset *d, sm_arena *arena, sm_manifest *out, sm_error *err)
    SM_MUST_CHECK;

const char *sm_dataset_output(const sm_dataset *d);
const char *sm_dataset_data(const sm_dataset *d);          /* exists, empty */
const char *sm_dataset_rejects(const sm_dataset *d);       /* exists, empty */
const char *sm_dataset_final_rejects(const sm_dataset *d); /* where they will be published */
const char *sm_dataset_work(const sm_dataset *d);

/* Moves the staged rejects to OUT.rejects in place of older ones; without any, removes older ones.
 */
sm_status sm_dataset_publish_rejects(sm_dataset *d, sm_error *err) SM_MUST_CHECK;
/* Writes the manifest, fsyncs all directories, renames. `old` (may be NULL) is the manifest of the
 * dataset that is replaced: the two are exchanged in one step and then only its listed files are
 * removed; a file in OUT that it does not list is SM_E_REFUSED beforehand. */
sm_status sm_dataset_publish(sm_dataset *d, sm_bytes manifest, const sm_manifest *old,
                             sm_error *err) SM_MUST_CHECK;
/* Removes what is staged and gives the lock back. Takes NULL. */
void sm_dataset_close(sm_dataset *d);

/* One file of a dataset: its path in the arena, NULL without memory. */
const char *sm_path_join(sm_arena *arena, const char *directory, const char *name);

#endif
