/* SPDX-License-Identifier: Apache-2.0 */
/* Holds index blocks against the blocks that they name. Everything passes in file order, in which a
 * block stands behind all that it names: what is named next waits in a queue. */
#ifndef SM_FORMATS_HFILE_VERIFY_INDEX_H
#define SM_FORMATS_HFILE_VERIFY_INDEX_H

#include "formats/hfile_file.h"

typedef struct sm_hfile_index_check {
    const sm_hfile *h;
    sm_buf data;    /* data blocks not yet named */
    size_t data_at; /* of the first of them */
    sm_buf nodes;   /* index blocks not yet named */
    size_t nodes_at;
    sm_buf leaves; /* place and number of entries of each leaf */
    uint64_t data_blocks;
} sm_hfile_index_check;

void sm_hfile_index_check_init(sm_hfile_index_check *x, const sm_hfile *h);
void sm_hfile_index_check_free(sm_hfile_index_check *x); /* takes a zeroed one */

/* A data block passed; `before` is the flat key of the cell before it, empty at the start. */
sm_status sm_hfile_index_check_data(sm_hfile_index_check *x, sm_hfile_place place, sm_bytes first,
                                    sm_bytes before, sm_error *err) SM_MUST_CHECK;
/* A leaf or intermediate block passed. */
sm_status sm_hfile_index_check_node(sm_hfile_index_check *x, const sm_hfile_read_block *b,
                                    sm_error *err) SM_MUST_CHECK;
/* The data root; nothing may wait after it. */
sm_status sm_hfile_index_check_root(sm_hfile_index_check *x, const sm_hfile_read_block *b,
                                    sm_error *err) SM_MUST_CHECK;

#endif
