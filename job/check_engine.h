/* SPDX-License-Identifier: Apache-2.0 */
/* What the phases of a check share; nothing for others.
 *
 *   design   the key's parts, salts and what-ifs, before a record is read (check_design.c,
 *            check_what_if.c)
 *   collect  fork: slices -> keys in the run store, sums per worker, probes (check_collect.c)  join
 *   merge    fork: regions -> distinct keys, duplicates, leading parts (check_merge.c)         join
 *   report   sums and estimates (check_report.c), heat of the probes (check_heat.c), the heaviest
 *            leading parts (check_leads.c)
 *
 * A row of the run store is a key with this payload: leb line | leb plain bytes | leb length of the
 * leading part. Where records name their tables, which are judged as one, a hash of the name stands
 * behind the key. The store of leading parts holds one row for each stretch of equal ones in key
 * order with equal bytes in front, with a bucket heavy enough: leb rows | leb bytes | leb region |
 * leb xxh3 of the bytes in front. */
#ifndef SM_JOB_CHECK_ENGINE_H
#define SM_JOB_CHECK_ENGINE_H

#include "core/buf.h"
#include "core/counter.h"
#include "core/kv.h"
#include "core/par.h"
#include "ingest/source.h"
#include "job/check_stable.h"
#include "partitioner/runs.h"

enum {
    SM_CHECK_SLICE = 128 << 10, /* decoded bytes; fixed, because what is sampled depends on it */
    SM_CHECK_PROBES = 64,
    SM_CHECK_PROBE_ROWS = 1024,
    SM_CHECK_PROBE_BYTES = 40 << 10, /* of the keys of one probe */
    SM_CHECK_BUCKETS = 8192,         /* leading parts are counted in, by hash */
    SM_CHECK_LEAST_SHARE = 2048,     /* a heavy leading part has one of so many rows at least */
    SM_CHECK_EXACT = 1024,           /* key lengths up to this are counted one by one */
    SM_CHECK_STEP = 64,              /* longer ones by so many bytes */
    SM_CHECK_LENGTHS = SM_CHECK_EXACT + (SM_ROW_MAX - SM_CHECK_EXACT) / SM_CHECK_STEP + 2,
    SM_CHECK_VARIANT_REGIONS = 4096, /* most regions of a what-if */
    SM_CHECK_LEB = 10,
    SM_CHECK_NAME = 8 /* bytes of a name's hash */
};

/* ---- design ---------------------------------------------------------------------------------- */

typedef struct sm_check_variant_plan {
    sm_check_variant asked;
    const char *why_not;     /* then nothing else is filled */
    const sm_expr *key;      /* NULL: the table's own */
    const sm_splits *splits; /* its regions */
    uint64_t salts;
} sm_check_variant_plan;

typedef struct sm_check_design {
    bool judged;
    sm_check_salt salt;
    const char *lead_part, *lead_why;
    size_t lead_at, lead_width; /* bytes; width 0: as `lead` gives it */
    const sm_expr *lead;        /* NULL when the width is fixed */
    const sm_check_variant_plan *variants;
} sm_check_design;

sm_status sm_check_design_make(const sm_job *job, const sm_check_options *options, size_t table,
                               sm_arena *arena, sm_check_design *out, sm_error *err) SM_MUST_CHECK;
/* salts: how many values the key's leading salt has, 0: none. */
sm_status sm_check_variant_make(const sm_job *job, const sm_job_table *table, uint64_t salts,
                                sm_arena *arena, sm_check_variant_plan *plan, sm_error *err)
    SM_MUST_CHECK;

/* ---- collect --------------------------------------------------------------------------------- */

/* Sums of one worker for one table. */
typedef struct sm_check_sums {
    uint64_t images, not_selected, without_cells;
    uint64_t shortest, longest, key_bytes;
    uint64_t *lengths;         /* SM_CHECK_LENGTHS */
    uint64_t *buckets;         /* SM_CHECK_BUCKETS; rows by hash of the leading part */
    sm_check_family *families; /* as in the report */
    uint64_t **variants;       /* rows per region of each what-if */
    sm_check_ids *ids;         /* NULL unless options.stable */
} sm_check_sums;

typedef struct sm_check_first {
    uint64_t count, order, line;
    int code;
    const char *field; /* lives in the job */
    char text[320];
    uint32_t file;
} sm_check_first;

typedef struct sm_check_worker {
    uint64_t read, accepted, filtered, rejected, slices, judged, assumed;
    bool cut_short;
    sm_check_sums *tables;
    sm_check_first *rejects; /* SM_REJECT_COUNT */
    uint64_t *queries;       /* rows in each query's ranges */
    sm_arena *arena;
    uint8_t apart[64]; /* workers lie in an array: their counters share no cache line */
} sm_check_worker;

/* Consecutive rows of one slice. */
typedef struct sm_check_probe {
    uint64_t rank, sequence; /* rank: hash of the sequence, the lowest stay */
    uint32_t rows;
    bool full;
    sm_buf keys;
    sm_buf ends;    /* u32 each: where a key ends */
    sm_buf regions; /* u16 each: of every row in every what-if */
} sm_check_probe;

/* The probes of one table; keeps those of the lowest rank. */
typedef struct sm_check_probes {
    size_t count;
    sm_check_probe items[SM_CHECK_PROBES];
} sm_check_probes;

typedef struct sm_checking {
    const sm_job *job;
    const sm_check_options *options;
    sm_stop own_stop, *stop;
    unsigned workers;
    sm_arena *arena; /* the report's */
    sm_check_design *designs;
    sm_source *source;
    sm_runs *runs, *leads;
    uint64_t runs_memory, leads_memory, open_files;
    sm_check_worker *each;    /* per worker */
    sm_lock *lock;            /* for probes and duplicates */
    sm_check_probes **probes; /* per table */
    /* merge */
    sm_counter next;
    uint64_t *part_ranks; /* rows of the table in front of each part */
    uint64_t *totals;     /* images per table */
    uint64_t **buckets;   /* per table, summed */
    uint64_t *least;      /* per table: rows that make a leading part heavy */
    sm_check_region **regions;
    struct sm_check_cut **cuts;              /* per table, SM_CHECK_CUTS - 1 */
    struct sm_check_duplicates **duplicates; /* per table */
} sm_checking;

/* Bodies of sm_par_run; context is an sm_checking. */
sm_status sm_check_collect(void *context, unsigned worker, sm_error *err) SM_MUST_CHECK;
sm_status sm_check_merge(void *context, unsigned worker, sm_error *err) SM_MUST_CHECK;

/* ---- probes and heat ------------------------------------------------------------------------- */

void sm_check_probe_init(sm_check_probe *p);
void sm_check_probe_free(sm_check_probe *p);
void sm_check_probe_start(sm_check_probe *p, uint64_t sequence);
/* regions: of each what-if. */
sm_status sm_check_probe_add(sm_check_probe *p, sm_bytes key, const uint16_t *regions, size_t count,
                             sm_error *err) SM_MUST_CHECK;
/* Hands the probe over if it is among the lowest; p is then another, empty one. Under the lock. */
void sm_check_probes_offer(sm_check_probes *all, sm_check_probe *p);
void sm_check_probes_free(sm_check_probes *all);
uint64_t sm_check_mix(uint64_t sequence);

/* Where one of the parts of equal size begins. */
typedef struct sm_check_cut {
    sm_buf key;
    uint64_t rank; /* rows in front of its first */
} sm_check_cut;

sm_status sm_check_heat_table(sm_checking *c, size_t table, sm_check_table *out, sm_error *err)
    SM_MUST_CHECK;

/* ---- duplicates ------------------------------------------------------------------------------ */

typedef struct sm_check_example {
    sm_buf key;
    uint64_t order[2], line[2], rows;
} sm_check_example;

/* The first examples in key order. */
typedef struct sm_check_duplicates {
    size_t count;
    sm_check_example items[SM_CHECK_DUPLICATES + 1]; /* the last is the one coming in */
} sm_check_duplicates;

/* ---- report ---------------------------------------------------------------------------------- */

size_t sm_check_bucket(sm_bytes lead);
sm_status sm_check_place_of(const sm_checking *c, uint64_t order, uint64_t line,
                            sm_check_place *out, sm_error *err) SM_MUST_CHECK;
/* All tables, after merge. */
sm_status sm_check_fill(sm_checking *c, sm_check_report *report, sm_error *err) SM_MUST_CHECK;
/* counts: rows per region. */
void sm_check_spread_of(const uint64_t *images, const uint64_t *bytes, size_t regions,
                        sm_check_spread *out);
/* Heaviest leading parts of all tables, from the sealed store. */
sm_status sm_check_leads_read(sm_checking *c, sm_check_leads *leads, sm_error *err) SM_MUST_CHECK;
void sm_check_estimate(const sm_job_table *table, const sm_check_table *facts,
                       sm_check_region *region);

#endif
