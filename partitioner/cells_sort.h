/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting the gathered cells of one row: family, qualifier, timestamp and type descending, and
 * between equal cell keys by the place in the input. Cells stay where they are; small entries move.
 */
#ifndef SM_PARTITIONER_CELLS_SORT_H
#define SM_PARTITIONER_CELLS_SORT_H

#include "core/bytes.h"

/* One gathered cell; bytes belong to whoever gathered. */
typedef struct sm_gathered {
    uint32_t family, column;
    uint32_t image; /* which record of the row, in place order */
    sm_bytes qualifier, value;
    int64_t timestamp, ttl;
    uint64_t order; /* of the record, for messages */
} sm_gathered;

typedef struct sm_cell_entry {
    uint64_t word; /* eight bytes of the qualifier behind what all have in common */
    uint32_t family;
    uint32_t index; /* of the cell */
} sm_cell_entry;

/* Same family, qualifier and timestamp (the type is Put for all). */
bool sm_gathered_same(const sm_gathered *a, const sm_gathered *b);

/* Fills and sorts entries; scratch has room for `count` too. Returns whichever of the two holds the
 * result. */
const sm_cell_entry *sm_cells_sort(const sm_gathered *cells, uint32_t count, sm_cell_entry *entries,
                                   sm_cell_entry *scratch);

#endif
