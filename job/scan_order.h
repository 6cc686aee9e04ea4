/* SPDX-License-Identifier: Apache-2.0 */
/* In which order a scan gives out rows that lie in several ranges. */
#ifndef SM_JOB_SCAN_ORDER_H
#define SM_JOB_SCAN_ORDER_H

#include "job/scan.h"

/* Where a row stands. */
typedef struct sm_scan_place {
    sm_bytes key;
    size_t lead;  /* bytes of the key in front that only spread */
    int64_t time; /* ms */
} sm_scan_place;

/* Time first where it is asked for, then the key behind the salt, then the salt. */
int sm_scan_compare(sm_scan_order order, const sm_scan_place *a, const sm_scan_place *b);

#endif
