/* SPDX-License-Identifier: Apache-2.0 */
/* The run store: rows of all tables and regions, sorted within a memory budget.
 *
 * Build: each writer (one per worker, never shared) appends rows to its own share of memory. A full
 * share is sorted by (table, region, key, order) and spilled as one run file: zstd-1 blocks, each
 * with an xxh64, a new block at each region's start, and an index of regions. Seal: the last shares
 * are sorted and stay in memory; if there are more runs than can be merged at once (open files,
 * memory) they are merged in passes. Merge: any number of threads each open one region and read its
 * rows in (key, order) order.
 *
 * Order is total (order is unique), so the output does not depend on threads or memory. Regions
 * cost nothing while they are empty. Run files are unnamed (unlinked at once): nothing stays after
 * a crash.
 *
 * Memory: `memory` bytes over all writers, entries and bytes together; the merge reuses it. */
#ifndef SM_PARTITIONER_RUNS_H
#define SM_PARTITIONER_RUNS_H

#include "core/bytes.h"
#include "core/error.h"
#include "core/stop.h"

typedef struct sm_runs sm_runs;

typedef struct sm_row {
    uint32_t table;
    uint32_t region;
    uint64_t
        order;    /* place in the input; unique within (table, key) up to records that repeat it */
    sm_bytes key; /* 1 ... 32767 bytes (longer for the inner sort of cells) */
    sm_bytes payload; /* opaque here */
} sm_row;

typedef struct sm_runs_options {
    const char *directory; /* where run files are made */
    uint64_t memory;       /* bytes for everything here */
    unsigned writers;
    uint64_t open_files; /* most descriptors this may hold */
    const sm_stop *stop; /* read once per block; NULL: never */
} sm_runs_options;

/* Smallest budget that works for this many writers and rows of at most row_max bytes. */
uint64_t sm_runs_minimum_memory(unsigned writers, uint64_t row_max);

sm_status sm_runs_new(const sm_runs_options *options, sm_runs **out, sm_error *err) SM_MUST_CHECK;
void sm_runs_free(sm_runs *r); /* takes NULL; removes run files */

/* Copies the row. A row larger than the writer's whole share is spilled as a run of its own. */
sm_status sm_runs_add(sm_runs *r, unsigned writer, const sm_row *row, sm_error *err) SM_MUST_CHECK;

/* Once, after all writers are done. threads: how many may merge passes use. */
sm_status sm_runs_seal(sm_runs *r, unsigned threads, sm_error *err) SM_MUST_CHECK;

/* Non-empty regions, in (table, region) order. Valid after seal. */
typedef struct sm_runs_part {
    uint32_t table, region;
    uint64_t rows;
    uint64_t bytes; /* keys and payloads */
} sm_runs_part;
size_t sm_runs_part_count(const sm_runs *r);
const sm_runs_part *sm_runs_part_at(const sm_runs *r, size_t index);

typedef struct sm_runs_stats {
    uint64_t rows, bytes, spilled_runs, spilled_bytes, merge_passes;
} sm_runs_stats;
void sm_runs_stats_of(const sm_runs *r, sm_runs_stats *out);

/* Reading one part in order. Several merges may be open at once, each used by one thread.
 * concurrent: how many merges share the memory. */
typedef struct sm_merge sm_merge;
sm_status sm_merge_open(sm_runs *r, size_t part, unsigned concurrent, sm_merge **out, sm_error *err)
    SM_MUST_CHECK;
/* *out lives until the next call. *more = false at the end (then *out is not set). */
sm_status sm_merge_next(sm_merge *m, sm_row *out, bool *more, sm_error *err) SM_MUST_CHECK;
void sm_merge_close(sm_merge *m); /* takes NULL */

#endif
