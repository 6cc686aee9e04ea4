/* SPDX-License-Identifier: Apache-2.0 */
/* From records to cells and back again: how the cells of one record are packed into a row's
 * payload, and how the payloads of all records with one key become ordered cells without
 * duplicates.
 *
 *   payload:  entry*
 *   entry:    leb column | u8 flags | i64 timestamp | [leb ttl] | [leb qualifier length, qualifier]
 * | leb value length, value            (flags: 1 = ttl follows, 2 = qualifier follows; a column
 *                                                 with a constant qualifier stores none)
 *
 * Cells of one row are ordered by family (bytewise), qualifier, timestamp descending, type
 * descending; the place in the input breaks ties only between equal cell keys, and then decides
 * which one stays. */
#ifndef SM_PARTITIONER_CELLS_H
#define SM_PARTITIONER_CELLS_H

#include "core/buf.h"
#include "core/kv.h"
#include "partitioner/runs.h"

typedef enum sm_duplicate_keep { SM_KEEP_LAST, SM_KEEP_FIRST, SM_KEEP_ERROR } sm_duplicate_keep;
typedef enum sm_duplicate_scope { SM_SCOPE_CELL, SM_SCOPE_ROW } sm_duplicate_scope;

typedef struct sm_column {
    size_t family; /* index in sm_layout.families */
    bool qualifier_is_constant;
    sm_bytes qualifier; /* when constant */
} sm_column;

/* One table's cells; frozen. families are sorted bytewise. */
typedef struct sm_layout {
    const sm_bytes *families;
    size_t family_count;
    const sm_column *columns;
    size_t column_count;
    sm_duplicate_scope scope;
    sm_duplicate_keep keep;
    const char *table; /* name, for messages */
} sm_layout;

/* ---- build ----------------------------------------------------------------------------------- */

typedef struct sm_cell_image {
    size_t column;
    sm_bytes qualifier; /* ignored when the column's is constant */
    sm_bytes value;
    int64_t timestamp;
    int64_t ttl; /* 0: none */
} sm_cell_image;

sm_status sm_payload_append(const sm_layout *layout, const sm_cell_image *cell, sm_buf *payload,
                            sm_error *err) SM_MUST_CHECK;

/* ---- merge ----------------------------------------------------------------------------------- */

/* Takes each cell of the part in HBase's order; views live until it returns. */
typedef sm_status (*sm_cell_fn)(void *context, size_t family, const sm_cell *cell, sm_error *err);

typedef struct sm_family_counts {
    uint64_t cells_made, cells_written, duplicates_dropped;
    uint64_t rows; /* distinct keys with at least one written cell in this family */
} sm_family_counts;

typedef struct sm_expand_counts {
    uint64_t row_images;        /* one per accepted and selected record */
    uint64_t rows;              /* distinct keys */
    sm_family_counts *families; /* caller's array, family_count long, added to */
} sm_expand_counts;

typedef struct sm_expand_options {
    const sm_layout *layout;
    const char *const *inputs; /* names of the inputs by file number, for messages; NULL: numbers */
    size_t input_count;
    const char *directory; /* for a key with more cells than memory */
    uint64_t memory;       /* bytes for gathering one key's cells */
    uint64_t open_files;
    sm_cell_fn emit;
    void *context;
    const sm_stop *stop;
} sm_expand_options;

/* Drains the merge. SM_E_DUPLICATE under SM_KEEP_ERROR names key, column, timestamp and both places
 * (input and byte offset, taken apart from sm_row.order: file << 44 | offset). */
sm_status sm_expand(sm_merge *merge, const sm_expand_options *options, sm_expand_counts *counts,
                    sm_error *err) SM_MUST_CHECK;

#endif
