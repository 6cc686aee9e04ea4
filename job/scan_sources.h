/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a dataset that a scan reads: one, or all that the records of an entry named. */
#ifndef SM_JOB_SCAN_SOURCES_H
#define SM_JOB_SCAN_SOURCES_H

#include "job/scan_cursor.h"

typedef struct sm_scan_sources {
    sm_manifest manifest;
    sm_scan_source *items; /* by name */
    size_t count;          /* at least 1 */
} sm_scan_sources;

/* Reads the manifest; *out stays where it is and lives as long as `arena`. SM_E_REFUSED where the
 * dataset holds no such table, or one that was written with another key rule. */
sm_status sm_scan_sources_open(const sm_scan_options *options, sm_scan_stats *stats,
                               sm_arena *arena, sm_scan_sources *out, sm_error *err) SM_MUST_CHECK;

#endif
