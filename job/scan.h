/* SPDX-License-Identifier: Apache-2.0 */
/* A query run over a published dataset: the ranges of its plan are sought through the block indexes
 * of the files (no full read), the rows of all families and files put together, the residual
 * condition applied, and the ranges of N salts merged.
 *
 *   order  as stored: range after range, plain key order
 *          merged: by the key behind the salt
 *          newest or oldest first: by the time field of the key, or the row's newest cell
 *
 * Where records name their tables, all of them that the dataset has are read, unless the query
 * names one; as stored means one after the other, by name.
 *
 * A query that needs a full scan is refused unless it is allowed. One thread. */
#ifndef SM_JOB_SCAN_H
#define SM_JOB_SCAN_H

#include "core/kv.h"
#include "core/stop.h"
#include "job/query.h"
#include "job/row_fields.h"

typedef enum sm_scan_order {
    SM_SCAN_STORED,
    SM_SCAN_MERGED,
    SM_SCAN_NEWEST,
    SM_SCAN_OLDEST
} sm_scan_order;

typedef struct sm_scan_options {
    const char *dataset;
    const sm_query *query;
    sm_scan_order order;
    uint64_t limit;          /* rows; 0: all */
    bool allow_full;         /* --full */
    const sm_bytes *columns; /* "f:b", or "f" for a family; none: all */
    size_t column_count;
    sm_bytes after;    /* rows behind this one, in the chosen order; empty: from the start */
    bool superset;     /* rows whose fields cannot be had are shown untested */
    uint64_t versions; /* cells of one column, newest first; 0: one */
    uint64_t memory;   /* for one row, and for sorting where ranges are not in order */
    const sm_stop *stop;
} sm_scan_options;

/* The row lives until it returns. */
typedef sm_status (*sm_scan_fn)(void *context, const sm_row_view *row, sm_error *err);

/* What it cost: for --explain and for tests that a scan is no full read. */
typedef struct sm_scan_stats {
    uint64_t rows, cells, rows_tested, ranges, files_opened, blocks_read, bytes_read;
} sm_scan_stats;

sm_status sm_scan(const sm_scan_options *options, sm_scan_fn fn, void *context,
                  sm_scan_stats *stats, sm_error *err) SM_MUST_CHECK;

#endif
