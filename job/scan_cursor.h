/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of one range of a table in a dataset, in key order: one walk per family through the files
 * that the range touches, put together row by row. At most one file is open per family. One thread.
 */
#ifndef SM_JOB_SCAN_CURSOR_H
#define SM_JOB_SCAN_CURSOR_H

#include "formats/manifest.h"
#include "job/scan.h"

/* What all cursors of a scan share; frozen but for the statistics. */
typedef struct sm_scan_source {
    const char *dataset;
    const sm_manifest *manifest;
    const sm_manifest_table *table;
    uint64_t versions; /* cells of one column that are shown */
    uint64_t memory;   /* bytes that one row may take */
    const sm_stop *stop;
    sm_scan_stats *stats;
} sm_scan_source;

typedef struct sm_row_cursor sm_row_cursor;

/* start included, stop not; empty: no bound. */
sm_status sm_row_cursor_open(const sm_scan_source *source, sm_bytes start, sm_bytes stop,
                             sm_row_cursor **out, sm_error *err) SM_MUST_CHECK;
/* *row lives until the next call. */
sm_status sm_row_cursor_next(sm_row_cursor *c, sm_row_view *row, bool *more, sm_error *err)
    SM_MUST_CHECK;
void sm_row_cursor_close(sm_row_cursor *c); /* takes NULL; adds to the statistics */

#endif
