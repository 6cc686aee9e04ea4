/* SPDX-License-Identifier: Apache-2.0 */
/* The files of one region: cells come in HBase's order, one sink per family is opened when its
 * first cell comes, and ends at the next row once it is large enough. One worker's. */
#ifndef SM_JOB_REGION_WRITER_H
#define SM_JOB_REGION_WRITER_H

#include "core/arena.h"
#include "formats/manifest.h"
#include "job/job.h"

typedef struct sm_region_file {
    sm_manifest_file file;
    struct sm_region_file *next;
} sm_region_file;

typedef struct sm_region_writer_options {
    const sm_job *job;
    const sm_job_table *table;
    const char *data; /* the dataset's staging directory */
    const char *run_fingerprint;
    uint32_t region;
    sm_arena *arena; /* takes names, keys and file entries; lives until the manifest is written */
} sm_region_writer_options;

typedef struct sm_region_writer sm_region_writer;

sm_status sm_region_writer_open(const sm_region_writer_options *options, sm_region_writer **out,
                                sm_error *err) SM_MUST_CHECK;
/* A sm_cell_fn; context is the sm_region_writer. */
sm_status sm_region_writer_add(void *context, size_t family, const sm_cell *cell, sm_error *err)
    SM_MUST_CHECK;
/* Ends all files; *files is the list in (family, number) order, cells_shadowed[family] is added to.
 */
sm_status sm_region_writer_finish(sm_region_writer *w, sm_region_file **files,
                                  uint64_t *cells_shadowed, sm_error *err) SM_MUST_CHECK;
/* Removes unfinished files. Takes NULL. */
void sm_region_writer_close(sm_region_writer *w);

#endif
