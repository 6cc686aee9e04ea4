/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of keys put in order. Pure functions over arrays. */
#ifndef SM_PARTITIONER_KEYRANGE_H
#define SM_PARTITIONER_KEYRANGE_H

#include "partitioner/keyplan.h"

/* Sorts by start, drops empty ranges and joins those that overlap; `touching`: also those that
 * follow each other without a gap and have the same lead. *overlapped tells whether rows of two
 * ranges may have got mixed. Returns the new count. */
size_t sm_key_ranges_join(sm_key_range *ranges, size_t count, bool touching, bool *overlapped);

#endif
