/* SPDX-License-Identifier: Apache-2.0 */
/* The run store's inside, shared by runs.c (life, adding, reading) and runs_seal.c (planning of
 * memory, merge passes); nobody else includes this. */
#ifndef SM_PARTITIONER_RUNS_STORE_H
#define SM_PARTITIONER_RUNS_STORE_H

#include "partitioner/runs.h"
#include "partitioner/runs_share.h"

struct sm_runs {
    char *directory; /* own copy */
    uint64_t memory;
    uint64_t open_files;
    unsigned writers;
    const sm_stop *stop;
    sm_share_plan plan;
    sm_share **shares; /* one per writer */
    bool sealed;
    /* From here on: after seal. */
    unsigned merges;        /* how many merges the memory was planned for */
    sm_spill_run_list runs; /* of all shares and passes */
    sm_spill_file **files;  /* written by merge passes, one per worker */
    unsigned file_count;
    sm_runs_part *parts;
    size_t part_count;
    sm_runs_stats stats;
};

/* What a merge of rows like those in `runs` needs beside its cursors, and for each cursor. */
typedef struct sm_merge_cost {
    uint64_t fixed, cursor;
} sm_merge_cost;
sm_merge_cost sm_merge_cost_of(uint64_t raw_max, uint64_t payload_max);

/* Spills shares and merges runs until `r->merges` merges can be open at once. */
sm_status sm_runs_settle(sm_runs *r, unsigned threads, sm_error *err) SM_MUST_CHECK;

#endif
