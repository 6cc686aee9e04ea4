/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of one run. An entry whose name is fixed is one table; one whose name is an expression
 * over the record is as many as its records name, and which ones is known only after the build.
 *
 * Rows in the run store carry numbers: fixed tables that of their entry, named ones the next free
 * number behind them, in the order in which workers come upon them. Numbers therefore depend on
 * timing, and nothing that is written does: afterwards tables are listed entry by entry, those of
 * one entry by name, and everything goes by that list. */
#ifndef SM_JOB_TABLE_SET_H
#define SM_JOB_TABLE_SET_H

#include "core/arena.h"
#include "job/job.h"

/* Named by records, in one run. Each costs counters per worker and files of its own; a name that
 * takes in a record's id would make millions. */
enum { SM_NAMED_TABLES_MAX = 1000, SM_TABLE_SLOTS = 2048 };

typedef struct sm_table_set sm_table_set;

/* One worker's way to numbers without the lock; zeroed at first. */
typedef struct sm_table_cache {
    uint16_t slots[SM_TABLE_SLOTS]; /* index + 1, by hash of the name */
} sm_table_cache;

sm_status sm_table_set_new(const sm_job *job, sm_table_set **out, sm_error *err) SM_MUST_CHECK;
void sm_table_set_free(sm_table_set *s); /* takes NULL */

/* Room for counters by number. */
size_t sm_table_set_numbers(const sm_table_set *s);
/* entry: one whose name is an expression; name: a legal one. SM_E_JOB when another entry makes the
 * same name, or there are too many. */
sm_status sm_table_set_number(sm_table_set *s, sm_table_cache *cache, size_t entry, sm_bytes name,
                              uint32_t *out, sm_error *err) SM_MUST_CHECK;

/* What the set came to. */
typedef struct sm_run_tables {
    const sm_job_table *items; /* with their real names */
    size_t count;
    const size_t *entries;   /* of each, its index in job->tables */
    const uint32_t *numbers; /* of each, its number in the run store */
    const size_t *places;    /* by number: its index in items */
} sm_run_tables;

/* Everything in *out lives in `arena`. No worker runs any more. */
sm_status sm_table_set_list(const sm_table_set *s, sm_arena *arena, sm_run_tables *out,
                            sm_error *err) SM_MUST_CHECK;

/* A copy of the entry under one of the names that it makes; NULL fields without memory are told. */
sm_status sm_named_table(const sm_job_table *entry, sm_bytes name, sm_arena *arena,
                         sm_job_table *out, sm_error *err) SM_MUST_CHECK;

#endif
