/* SPDX-License-Identifier: Apache-2.0 */
/* Merging the sorted rows of one part from shares in memory and from runs: the inner face of
 * sm_merge, for runs.c and its passes. Users of the run store see partitioner/runs.h. */
#ifndef SM_PARTITIONER_MERGE_H
#define SM_PARTITIONER_MERGE_H

#include "partitioner/run_sort.h"
#include "partitioner/runs.h"
#include "partitioner/spill.h"

/* Room for up to `sources` sources. */
sm_status sm_merge_new(size_t sources, const sm_stop *stop, sm_merge **out, sm_error *err)
    SM_MUST_CHECK;
/* Forgets the sources and begins a part. */
void sm_merge_begin(sm_merge *m, uint32_t table, uint32_t region);

/* Sorted entries of a share; all records lie between base and end. */
typedef struct sm_merge_share {
    const sm_sort_entry *entries;
    size_t count;
    const uint8_t *base, *end;
} sm_merge_share;
void sm_merge_add_share(sm_merge *m, const sm_merge_share *share);
void sm_merge_add_run(sm_merge *m, const sm_spill_run *run, size_t part);

#endif
