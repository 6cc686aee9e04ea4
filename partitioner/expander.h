/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one expansion, shared by expand.c (rows in, the short way for plain rows),
 * expand_group.c (rows of several records) and expand_giant.c (rows larger than memory); nobody
 * else includes this. */
#ifndef SM_PARTITIONER_EXPANDER_H
#define SM_PARTITIONER_EXPANDER_H

#include "partitioner/cells_sort.h"
#include "partitioner/payload.h"

/* One record's payload, kept in `images`. */
typedef struct sm_image {
    uint64_t order;
    size_t at, len;
} sm_image;

typedef struct sm_column_slot {
    uint64_t stamp; /* of the row that filled it */
    sm_bytes value;
    int64_t timestamp, ttl;
} sm_column_slot;

typedef struct sm_giant sm_giant;

typedef struct sm_expander {
    const sm_expand_options *options;
    const sm_layout *layout;
    sm_expand_counts *counts;
    sm_buf key; /* of the row being gathered */
    bool has_key;
    size_t family_written; /* last family that got a cell of this row; SIZE_MAX: none */
    sm_buf images;
    sm_image *list;
    size_t list_count, list_capacity;
    uint64_t cells; /* in the images; counted from the second image on */
    /* Columns with constant qualifiers, no two alike: their output order never changes. */
    bool simple;
    uint32_t *position;    /* of each column in output order */
    uint32_t *by_position; /* the reverse */
    sm_column_slot *slots; /* by position */
    uint64_t stamp;
    /* Rows of several records. */
    sm_gathered *gathered;
    sm_cell_entry *entries, *scratch;
    size_t gathered_capacity;
    sm_giant *giant; /* while a row is too large for all this */
} sm_expander;

/* Bytes that gathering a cell costs beside its payload. */
enum { SM_GATHER_COST = sizeof(sm_gathered) + 2 * sizeof(sm_cell_entry) };

static inline bool sm_gather_fits(const sm_expander *x, uint64_t bytes, uint64_t cells)
{
    /* Half of the memory is for this, half for the external sort; a growing buffer may double. */
    const uint64_t half = x->options->memory / 2;
    return bytes <= half / 2 && cells <= (half - 2 * bytes) / SM_GATHER_COST;
}

/* Counts and emits a cell of the current row. */
sm_status sm_expand_emit(sm_expander *x, size_t family, const sm_gathered *cell, sm_error *err)
    SM_MUST_CHECK;
/* Two records (or columns) with one cell key under the policy `error`. */
sm_status sm_expand_duplicate(const sm_expander *x, const sm_gathered *a, const sm_gathered *b,
                              sm_error *err) SM_MUST_CHECK;

/* Gathers, sorts and emits the images of the current row. */
sm_status sm_expand_group(sm_expander *x, sm_error *err) SM_MUST_CHECK;

/* The external sort: begin, add each image in place order, finish. */
sm_status sm_giant_new(sm_expander *x, sm_giant **out, sm_error *err) SM_MUST_CHECK;
void sm_giant_free(sm_giant *g); /* takes NULL */
sm_status sm_giant_add(sm_giant *g, uint64_t order, sm_bytes payload, sm_error *err) SM_MUST_CHECK;
sm_status sm_giant_finish(sm_giant *g, sm_error *err) SM_MUST_CHECK;

#endif
