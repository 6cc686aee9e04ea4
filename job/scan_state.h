/* SPDX-License-Identifier: Apache-2.0 */
/* State of a scan, shared by its files and by nobody else:
 *
 *   scan.c        the scan, rows as stored, rows gathered and sorted
 *   scan_lanes.c  all ranges at once, merged */
#ifndef SM_JOB_SCAN_STATE_H
#define SM_JOB_SCAN_STATE_H

#include "core/buf.h"
#include "job/scan_kept.h"
#include "job/scan_sources.h"

typedef struct sm_scan_state {
    const sm_scan_options *options;
    const sm_key_plan *plan;
    sm_scan_fn fn;
    void *context;
    sm_scan_stats *stats;
    sm_arena *arena;
    sm_scan_sources sources;
    sm_row_fields *fields;
    bool *keep;
    size_t keep_room;
    sm_cell *shown;
    uint64_t given;
    bool has_after;
    int64_t after_time;
    size_t after_lead;
    sm_kept_row **kept;
    size_t kept_count, kept_room;
    uint64_t kept_bytes; /* of rows to sort, and of all batches */
    sm_buf resume;       /* where a batch begins */
} sm_scan_state;

/* Each range of the plan in each table is a lane. */
static inline size_t sm_scan_lane_count(const sm_scan_state *s)
{
    return s->plan->count * s->sources.count;
}

/* The cursor's next row that meets the condition, only the cells that do; *more false at the end.
 */
sm_status sm_scan_next_match(sm_scan_state *s, sm_row_cursor *c, sm_row_view *row, bool *more,
                             sm_error *err) SM_MUST_CHECK;
/* The time that the row is ordered by: the key's time field, else the newest cell. */
sm_status sm_scan_time_of(sm_scan_state *s, const sm_row_view *row, int64_t *out, sm_error *err)
    SM_MUST_CHECK;
bool sm_scan_is_behind_after(const sm_scan_state *s, const sm_scan_place *p);
/* Hands a row over, if a wanted column is in it. */
sm_status sm_scan_give(sm_scan_state *s, const sm_row_view *row, sm_error *err) SM_MUST_CHECK;
/* --limit is reached. */
bool sm_scan_is_done(const sm_scan_state *s);

sm_status sm_scan_merge_lanes(sm_scan_state *s, sm_error *err) SM_MUST_CHECK;

#endif
