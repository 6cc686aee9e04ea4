/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of regions when one list of split keys is replaced by another. */
#ifndef SM_PARTITIONER_SPLIT_COMPARE_H
#define SM_PARTITIONER_SPLIT_COMPARE_H

#include "core/buf.h"
#include "partitioner/splits.h"

typedef struct sm_split_difference {
    size_t removed, added; /* split keys */
    size_t kept_regions;   /* with the same start and end in both */
} sm_split_difference;

/* Appends, for each stretch between bounds that both have in which regions differ, a line
 *
 *   @ '030' to '090': 2 regions become 3
 *
 * and below it the keys that go (- ) and come (+ ) in order. Nothing when the lists are equal. */
sm_status sm_splits_compare(const sm_splits *from, const sm_splits *to, sm_buf *out,
                            sm_split_difference *difference, sm_error *err) SM_MUST_CHECK;

#endif
