/* SPDX-License-Identifier: Apache-2.0 */
/* One writer's share of the run store: a block of memory with entries growing from its front and
 * records from its back, the parts it has seen, and the runs it has spilled. Used by one thread at
 * a time; nobody but the run store includes this. */
#ifndef SM_PARTITIONER_RUNS_SHARE_H
#define SM_PARTITIONER_RUNS_SHARE_H

#include "partitioner/merge.h"
#include "partitioner/run_sort.h"
#include "partitioner/spill.h"

/* Sizes derived from the budget, the same for all shares. */
typedef struct sm_share_plan {
    const char *directory;
    const sm_stop *stop;
    size_t share_size; /* of the block, whole pages */
    size_t block_size; /* of run files */
    size_t mask_count;
} sm_share_plan;

/* A (table, region) this share has seen, and what it held in all. */
typedef struct sm_share_part {
    uint32_t table, region;
    uint64_t rows, bytes;
    size_t here; /* rows in memory now */
} sm_share_part;

/* A growing list of runs. */
typedef struct sm_spill_run_list {
    sm_spill_run **items;
    size_t count, capacity;
} sm_spill_run_list;
sm_status sm_spill_run_list_add(sm_spill_run_list *l, sm_spill_run *run, sm_error *err)
    SM_MUST_CHECK;                                 /* takes the run */
void sm_spill_run_list_free(sm_spill_run_list *l); /* and the runs */

/*   | entries -> ... room ... <- records | slack |
 *   0          count * 16    high      data_end     */
typedef struct sm_share {
    const sm_share_plan *plan;
    uint8_t *block;
    size_t count, high, data_end;
    size_t released_from, released_to; /* pages in the middle given back at seal */
    sm_share_part *parts;
    size_t part_count, part_capacity;
    uint32_t *slots; /* hash table of part index + 1 */
    size_t slot_count;
    size_t last_part;
    size_t reserve; /* bytes of the block left alone for what the tables take */
    sm_sort_group *groups;
    size_t group_count, group_capacity;
    sm_sort_mask *masks;
    sm_spill_file *file;
    sm_spill_writer *writer;
    sm_spill_run_list runs;
    uint64_t spilled_runs, spilled_bytes;
} sm_share;

sm_status sm_share_new(const sm_share_plan *plan, sm_share **out, sm_error *err) SM_MUST_CHECK;
void sm_share_free(sm_share *s); /* takes NULL */
sm_status sm_share_add(sm_share *s, const sm_row *row, sm_error *err) SM_MUST_CHECK;
/* Sorts what is in memory and sets groups. */
sm_status sm_share_sort(sm_share *s, sm_error *err) SM_MUST_CHECK;
/* Writes what is in memory (sorted) as a run; the share is empty then. */
sm_status sm_share_spill(sm_share *s, sm_error *err) SM_MUST_CHECK;
/* The share's rows of a part; count is 0 when there are none. Valid after sort. */
void sm_share_view(const sm_share *s, uint32_t table, uint32_t region, sm_merge_share *out);
/* No more rows will come: frees what only adding needs. The writer stays. */
void sm_share_close(sm_share *s);
/* Gives back pages that hold nothing; with no rows, all of them. */
void sm_share_trim(sm_share *s);
uint64_t sm_share_resident(const sm_share *s); /* bytes in use by rows */

/* What a share costs beside its block. */
uint64_t sm_share_overhead(size_t block_size, size_t mask_count);

#endif
