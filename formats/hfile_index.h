/* SPDX-License-Identifier: Apache-2.0 */
/* The data index while it is written: entries gather in an open leaf chunk; a full chunk becomes a
 * LEAF_INDEX block just behind its data; at the end levels are added until the top one is small.
 *
 *   leaf, intermediate:  n i32 | start of each entry i32 | end of the last i32 | entries
 *                        entry: child's offset i64 | child's size i32 | key
 *   root:                entries with a vint key length, then 16 bytes about the middle key if
 * there is more than one level */
#ifndef SM_FORMATS_HFILE_INDEX_H
#define SM_FORMATS_HFILE_INDEX_H

#include "formats/hfile_block.h"

/* Entries of one level, in the form of a leaf block. */
typedef struct sm_hfile_index_list {
    sm_buf entries;
    sm_buf starts; /* i32 each */
    size_t count;
    uint64_t root_size; /* bytes that the entries would take in a root block */
} sm_hfile_index_list;

typedef struct sm_hfile_index {
    uint32_t block_size;
    sm_hfile_index_list open;         /* the leaf chunk */
    sm_hfile_index_list top;          /* leaves written, then the topmost level */
    sm_hfile_index_list chunk, above; /* for intermediate levels */
    sm_buf leaf_counts;               /* u32 entries of each leaf */
    sm_buf middle;                    /* the 16 bytes, empty with one level */
    sm_buf block;
    uint64_t data_blocks;
    uint32_t levels, root_count; /* known once written */
} sm_hfile_index;

void sm_hfile_index_init(sm_hfile_index *x, uint32_t block_size);
void sm_hfile_index_free(sm_hfile_index *x); /* takes a zeroed one */

/* A data block was written; `key` is above the block before and not above its first cell. */
sm_status sm_hfile_index_add(sm_hfile_index *x, sm_hfile_place place, sm_bytes key, sm_error *err)
    SM_MUST_CHECK;
/* At the border behind a data block: writes the leaf if it is full. */
sm_status sm_hfile_index_poll(sm_hfile_index *x, sm_hfile_blocks *w, sm_error *err) SM_MUST_CHECK;
/* Behind the last data block: writes the last leaf, unless the open chunk will be the root. */
sm_status sm_hfile_index_close(sm_hfile_index *x, sm_hfile_blocks *w, sm_error *err) SM_MUST_CHECK;
/* Intermediate levels, when there are enough leaves, and the root. */
sm_status sm_hfile_index_finish(sm_hfile_index *x, sm_hfile_blocks *w, sm_hfile_place *root,
                                sm_error *err) SM_MUST_CHECK;

#endif
