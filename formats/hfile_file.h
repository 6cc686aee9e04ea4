/* SPDX-License-Identifier: Apache-2.0 */
/* An open HFile: for hfile_reader.c, which opens it and walks the cells, and hfile_verify.c, which
 * looks at everything else. */
#ifndef SM_FORMATS_HFILE_FILE_H
#define SM_FORMATS_HFILE_FILE_H

#include "formats/hfile_cell.h"
#include "formats/hfile_input.h"
#include "formats/hfile_meta.h"
#include "formats/hfile_reader.h"

enum { SM_HFILE_BLOOM_GENERAL, SM_HFILE_BLOOM_DELETE_FAMILY, SM_HFILE_BLOOMS };

/* A block kept in memory with the parsed form beside it. */
typedef struct sm_hfile_bloom_part {
    bool present;
    sm_buf payload;
    sm_hfile_bloom_meta meta;
} sm_hfile_bloom_part;

struct sm_hfile {
    sm_file *file;
    sm_hfile_input in;
    uint8_t trailer_bytes[SM_HFILE_TRAILER_SIZE];
    sm_hfile_trailer trailer;
    sm_buf root; /* payload of the data root */
    sm_buf info_payload, notes;
    sm_hfile_bloom_part blooms[SM_HFILE_BLOOMS];
    sm_buf comparator; /* with a NUL */
    sm_hfile_cell_form form;
    bool encoded;
    sm_hfile_info info;
    /* The walk over the cells. */
    uint64_t next_block;
    sm_bytes payload; /* of the block at hand */
    size_t at;
    uint64_t cells;
    bool sought; /* the walk did not begin at the first cell: nothing to count against */
    uint64_t blocks_read, bytes_read;
};

/* The next data block becomes the one at hand; *found = false behind the last. */
sm_status sm_hfile_next_block(sm_hfile *h, bool *found, sm_error *err) SM_MUST_CHECK;

/* SM_E_FORMAT that names the encoding, unless cells can be read. */
sm_status sm_hfile_check_encoding(const sm_hfile *h, sm_error *err) SM_MUST_CHECK;
/* A codec for this file's blocks. */
sm_status sm_hfile_open_codec(const sm_hfile *h, sm_codec **out, sm_error *err) SM_MUST_CHECK;

#endif
