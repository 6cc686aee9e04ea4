/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a scan that outlive their cursor: copied for sorting, or read ahead. */
#ifndef SM_JOB_SCAN_KEPT_H
#define SM_JOB_SCAN_KEPT_H

#include "job/scan_order.h"

/* One allocation: the struct, its cells, their bytes. Given back with sm_free. */
typedef struct sm_kept_row {
    struct sm_kept_row *next; /* for the owner */
    sm_row_view row;
    size_t lead, size; /* size: bytes in all */
    int64_t time;
    sm_scan_order order;
} sm_kept_row;

size_t sm_kept_size(const sm_row_view *row);
/* size: as sm_kept_size says. place->key is the row's own. */
sm_status sm_kept_new(const sm_row_view *row, const sm_scan_place *place, size_t size,
                      sm_kept_row **out, sm_error *err) SM_MUST_CHECK;
sm_scan_place sm_kept_place(const sm_kept_row *k);

#endif
