/* SPDX-License-Identifier: Apache-2.0 */
/* What a key design does on the real input, measured before anything is loaded: one pass over the
 * inputs that makes the rows as a run would, keeps keys alone, and reports facts. Judging them is
 * left to others.
 *
 * The report is the same for any number of threads and any limits.memory: all numbers are sums,
 * or taken in key order, or in the order of the input. Nothing is written but work files without
 * names, which are gone when this returns. */
#ifndef SM_JOB_CHECK_H
#define SM_JOB_CHECK_H

#include "core/stop.h"
#include "job/job.h"
#include "partitioner/keyplan.h"

enum {
    SM_CHECK_DUPLICATES = 5, /* examples per table */
    SM_CHECK_HEAVY = 20,     /* heaviest leading parts per table */
    SM_CHECK_CUTS = 16,      /* parts of equal size of sm_check_hot.cut */
    SM_CHECK_VARIANTS = 16   /* most what-ifs */
};

/* What if: the first salt() of the key had other salts, or the table other regions. */
typedef struct sm_check_variant {
    uint64_t salts;   /* 0: as the key has it */
    uint64_t regions; /* 0: as many as the table has */
} sm_check_variant;

/* A declared query as ranges of rows: how many rows does it read? */
typedef struct sm_check_query {
    size_t table;               /* index in job->tables */
    const sm_key_range *ranges; /* disjoint, ascending; stop empty: to the end of the table */
    size_t count;
} sm_check_query;

typedef struct sm_check_options {
    double share;     /* of the input to judge, by slices of 128 KiB; 0 or 1: all */
    uint64_t records; /* judge the first so many records of the input (one thread); 0: all */
    const sm_check_variant *variants;
    size_t variant_count;          /* at most SM_CHECK_VARIANTS */
    const sm_check_query *queries; /* their rows are counted as keys pass */
    size_t query_count;
    size_t stable;         /* a field's index in the schema and 1: see sm_check_stable; 0: none */
    const char *directory; /* for work files; NULL: where the output will lie, or the current one */
    const sm_log *log;     /* NULL: silent */
    sm_stop *stop;         /* NULL: cannot be interrupted */
} sm_check_options;

typedef struct sm_check_place {
    const char *input; /* path */
    uint64_t line;     /* from 1, where the record begins */
    uint64_t offset;   /* bytes into the decoded input */
} sm_check_place;

typedef struct sm_check_reject {
    uint64_t count;       /* 0: none with this code */
    sm_check_place first; /* in input order */
    const char *field;    /* NULL: the record as a whole */
    const char *text;
} sm_check_reject;

/* Of the row images: one for each record that makes a row of the table. Exact up to 1024 bytes;
 * percentiles above that are rounded up to whole 64 bytes. */
typedef struct sm_check_length {
    uint64_t min, p50, p90, p99, max, sum;
    double mean;
} sm_check_length;

typedef struct sm_check_family {
    const char *name;
    uint64_t cells, key_bytes, family_bytes, qualifier_bytes, value_bytes;
    uint64_t plain_bytes; /* of an HFile's cells before encoding and compression: all of the above
                             and 20 bytes more for each cell */
} sm_check_family;

typedef struct sm_check_duplicate {
    sm_bytes key;
    sm_check_place first, second; /* the first two records with this key, in input order */
    uint64_t rows;                /* images with this key */
} sm_check_duplicate;

typedef struct sm_check_region {
    sm_bytes start, end;                            /* empty: open */
    uint64_t images;                                /* rows, equal keys counted each time */
    uint64_t keys;                                  /* distinct */
    uint64_t bytes;                                 /* plain bytes of its cells */
    uint64_t data_blocks, index_bytes, bloom_bytes; /* estimates, over all families */
} sm_check_region;

/* Skew is max / mean over all regions, the empty ones too; 1 is even, 0 when there are no rows. */
typedef struct sm_check_spread {
    uint64_t regions, empty;
    uint64_t max_images, max_bytes; /* of the greatest region */
    double skew_images, skew_bytes;
} sm_check_spread;

/* Hot spotting: do records that follow each other in the input go to the same place?
 *
 * index: the chance that two records out of the same window (up to 1000 records in a row) land in
 * the same region. 1: all of them do, as with a key that begins with the time. Records that arrive
 * without any order have the chance `even`, the sum of the squares of the regions' shares: 1/16 for
 * 16 regions of equal size. 1 / index is to how many regions a load goes at a time.
 *
 * Measured on up to 64 slices of the input chosen by a hash of their number, at most 1024 rows of
 * each. Windows are shorter for small inputs: a 320th of the rows, but at least 16. */
typedef struct sm_check_heat {
    uint64_t regions;
    double index, even;
    double busiest; /* mean share of a window's busiest region */
    double next;    /* share of rows that land where the row before them did */
} sm_check_heat;

typedef struct sm_check_hot {
    bool known;                     /* false: fewer than 2 rows */
    uint64_t rows, windows, window; /* rows looked at; windows; rows of each */
    sm_check_heat table;            /* over the table's own regions */
    /* Over SM_CHECK_CUTS parts with equally many rows, cut out of the keys as they are: shows a key
     * in input order also where the table has one region. Fewer parts when keys repeat. */
    sm_check_heat cut;
    /* The number to judge by: that of `table` when it has SM_CHECK_CUTS regions or more, else that
     * of `cut`. */
    double index, even;
} sm_check_hot;

typedef struct sm_check_lead {
    sm_bytes value; /* the part's bytes in the key */
    uint64_t images, bytes;
    uint64_t regions;  /* it lies in */
    uint64_t groups;   /* one for each value of what stands in front: how many scans read it */
    uint64_t greatest; /* rows of the greatest group */
} sm_check_lead;

/* The first part of the key that does not merely spread: what stands behind salts, hashes and
 * constants. */
typedef struct sm_check_leads {
    const char *part; /* canonical spelling; NULL when the key has none, or its place varies */
    const char *why;  /* a sentence, when part is NULL */
    /* Heaviest first (then bytewise); exact, but only parts with at least `least` rows are found.
     */
    const sm_check_lead *items;
    size_t count;
    uint64_t least;
} sm_check_leads;

/* The leading salt(), random(), salt_byte() or pick() against the regions. */
typedef struct sm_check_salt {
    uint64_t salts;      /* values it can have; 0: the key does not begin with one */
    const char *part;    /* canonical spelling; NULL likewise */
    uint64_t cut_inside; /* split keys that fall inside a salt: its rows lie on both sides */
    uint64_t min_per_region, max_per_region; /* salts that begin in a region */
} sm_check_salt;

typedef struct sm_check_what_if {
    sm_check_variant asked;
    const char *why_not; /* a sentence when it could not be judged, else NULL */
    uint64_t salts;      /* 0: the key has none */
    sm_check_spread spread;
    sm_check_heat hot;      /* over its regions */
    const uint64_t *images; /* per region, spread.regions long */
} sm_check_what_if;

/* Does a value of a field always stand under one leading part, salts and hashes in front of it
 * included? Values without one are left out. */
typedef struct sm_check_stable {
    const char *field;       /* NULL: not asked */
    const char *why;         /* a sentence when it could not be judged, else NULL */
    uint64_t seen, unstable; /* values */
    uint64_t
        scale; /* 1: all values; else those with the lowest hashes, one of so many in the mean */
    sm_bytes example; /* the first 40 bytes of an unstable one */
} sm_check_stable;

typedef struct sm_check_table {
    const sm_job_table *table;
    bool judged; /* false: its rows come from dictionaries; nothing else is filled */
    /* Records. accepted = images + not_selected + without_cells */
    uint64_t images, not_selected, without_cells;
    sm_check_length length;
    const sm_check_family *families; /* in the order of table->families */
    uint64_t cells, plain_bytes;
    uint64_t keys;                       /* distinct */
    uint64_t duplicates;                 /* images - keys: rows whose key was there already */
    const sm_check_duplicate *duplicate; /* the first in key order */
    size_t duplicate_count;
    const sm_check_region *regions; /* all, in order */
    sm_check_spread spread;
    sm_check_hot hot;
    sm_check_leads leads;
    sm_check_salt salt;
    sm_check_stable stable;
    const sm_check_what_if *what_if; /* one per variant asked for */
    size_t what_if_count;
} sm_check_table;

typedef struct sm_check_report {
    /* Of the slices that were judged; read = accepted + filtered + rejected. Filtered: by
     * input.where or outside input.time_range. */
    uint64_t records_read, accepted, filtered, rejected;
    uint64_t slices, slices_judged;
    double share;   /* slices_judged / slices; 1: whole, as far as `records` let it read */
    bool cut_short; /* there were more records than options.records */
    sm_check_reject rejects[SM_REJECT_COUNT]; /* by sm_reject */
    const sm_check_table *tables;             /* all of the job */
    size_t table_count;
    uint64_t assumed; /* accepted records with names that have no id yet: they stand as id 0, so
                         that their keys may meet */
    /* Row images inside each query's ranges, options.query_count long; NULL: not counted. */
    const uint64_t *query_images;
    double seconds;  /* of the whole; differs from run to run */
    sm_arena *arena; /* owns all of the above but what the job owns */
} sm_check_report;

/* Rejects are counted, however many there are; inputs that cannot be read make it fail. Afterwards
 * the report is freed in either case. */
sm_status sm_check(const sm_job *job, const sm_check_options *options, sm_check_report *report,
                   sm_error *err) SM_MUST_CHECK;
void sm_check_report_free(sm_check_report *report); /* takes a zeroed report */

#endif
