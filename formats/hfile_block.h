/* SPDX-License-Identifier: Apache-2.0 */
/* Writing blocks: header, compressed payload, checksums; where each lies and what they add up to.
 */
#ifndef SM_FORMATS_HFILE_BLOCK_H
#define SM_FORMATS_HFILE_BLOCK_H

#include "core/buf.h"
#include "formats/codec.h"
#include "formats/hfile_layout.h"
#include "formats/hfile_output.h"

/* Where a block lies, as indexes name it: header, payload and checksums. */
typedef struct sm_hfile_place {
    uint64_t offset;
    uint32_t size;
} sm_hfile_place;

typedef struct sm_hfile_blocks {
    sm_hfile_output *out; /* not owned */
    sm_compression compression;
    sm_codec *codec; /* owned; NULL with NONE: stored as it is */
    sm_buf packed;
    int64_t previous[SM_HFILE_BLOCK_TYPES]; /* offset of the last block of each type, -1 */
    uint64_t total_plain; /* as the trailer counts: without intermediate and root index blocks */
    uint64_t index_plain; /* leaf, intermediate and root index blocks */
} sm_hfile_blocks;

/* Sets up the codec; the caller then fills in `out`. */
sm_status sm_hfile_blocks_init(sm_hfile_blocks *w, const sm_sink_options *options, sm_error *err)
    SM_MUST_CHECK;
void sm_hfile_blocks_free(sm_hfile_blocks *w); /* takes a zeroed one */

/* A block under construction is a buffer whose payload follows room for the header. */
sm_status sm_hfile_block_begin(sm_buf *block, sm_error *err) SM_MUST_CHECK;
/* Writes it; the buffer's bytes are used up. */
sm_status sm_hfile_block_write(sm_hfile_blocks *w, sm_hfile_block_type type, sm_buf *block,
                               sm_hfile_place *place, sm_error *err) SM_MUST_CHECK;

#endif
