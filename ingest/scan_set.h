/* SPDX-License-Identifier: Apache-2.0 */
/* The one choice of an instruction set for sm_scan_first: whatever every machine of this build has.
 */
#ifndef SM_INGEST_SCAN_SET_H
#define SM_INGEST_SCAN_SET_H

#ifdef __SSE2__
#include "ingest/scan_sse2.h"

typedef sm_scan_sse2 sm_scan_set;
#define sm_scan_set_of sm_scan_sse2_of
#define sm_scan_first  sm_scan_sse2_first
#else
#include "ingest/scan_plain.h"

typedef sm_scan_plain sm_scan_set;
#define sm_scan_set_of sm_scan_plain_of
#define sm_scan_first  sm_scan_plain_first
#endif

#endif
