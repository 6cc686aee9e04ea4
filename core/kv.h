/* SPDX-License-Identifier: Apache-2.0 */
/* The contract between the merge (partitioner) and the writers (formats): cells in HBase's order.
 *
 * Order of cells (hfile-format: CellComparatorImpl): row ascending, family ascending, qualifier
 * ascending, timestamp descending, type descending. */
#ifndef SM_CORE_KV_H
#define SM_CORE_KV_H

#include "core/bytes.h"
#include "core/error.h"

typedef enum sm_cell_type {
    SM_CELL_PUT = 4,
    SM_CELL_DELETE = 8,
    SM_CELL_DELETE_FAMILY_VERSION = 10,
    SM_CELL_DELETE_COLUMN = 12,
    SM_CELL_DELETE_FAMILY = 14
} sm_cell_type;

/* Views live until the sink's add returns. */
typedef struct sm_cell {
    sm_bytes row;       /* 1 ... 32767 bytes */
    sm_bytes family;    /* 1 ... 127 bytes */
    sm_bytes qualifier; /* may be empty */
    sm_bytes value;
    int64_t timestamp; /* ms, 0 ... Long.MAX - 1 */
    int64_t ttl;       /* ms relative to the timestamp; 0: none */
    uint8_t type;      /* sm_cell_type */
} sm_cell;

enum { SM_ROW_MAX = 32767, SM_FAMILY_MAX = 127 };

static inline int sm_cell_compare(const sm_cell *a, const sm_cell *b)
{
    int c = sm_bytes_compare(a->row, b->row);
    if (c != 0) {
        return c;
    }
    c = sm_bytes_compare(a->family, b->family);
    if (c != 0) {
        return c;
    }
    c = sm_bytes_compare(a->qualifier, b->qualifier);
    if (c != 0) {
        return c;
    }
    if (a->timestamp != b->timestamp) {
        return a->timestamp > b->timestamp ? -1 : 1;
    }
    return (int)b->type - (int)a->type;
}

#endif
