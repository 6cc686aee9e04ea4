/* SPDX-License-Identifier: Apache-2.0 */
/* Reading blocks of a file that may be anything: every size is checked against the file before it
 * is used, every checksum is computed. */
#ifndef SM_FORMATS_HFILE_INPUT_H
#define SM_FORMATS_HFILE_INPUT_H

#include "core/buf.h"
#include "core/fs.h"
#include "formats/codec.h"
#include "formats/hfile_layout.h"

typedef struct sm_hfile_input {
    const sm_file *file; /* not owned */
    uint64_t size;       /* of the file */
    uint64_t end;        /* where the trailer begins */
    sm_codec *codec;     /* owned */
    sm_buf stored, plain;
} sm_hfile_input;

typedef struct sm_hfile_read_block {
    sm_hfile_header header;
    uint64_t offset;
    uint64_t next;    /* offset behind it */
    sm_bytes stored;  /* header, payload, checksums as in the file */
    sm_bytes payload; /* unpacked */
    /* Both views live until the next block is read through the same input. */
} sm_hfile_read_block;

void sm_hfile_input_init(sm_hfile_input *in, const sm_file *file, uint64_t size);
void sm_hfile_input_free(sm_hfile_input *in); /* takes a zeroed one */

/* The header alone: for walking from block to block. */
sm_status sm_hfile_read_header(const sm_hfile_input *in, uint64_t offset, sm_hfile_header *out,
                               uint64_t *next, sm_error *err) SM_MUST_CHECK;
/* The block at `offset`, checked and unpacked. The codec must have been set. */
sm_status sm_hfile_read(sm_hfile_input *in, uint64_t offset, sm_hfile_read_block *out,
                        sm_error *err) SM_MUST_CHECK;
/* SM_E_FORMAT with file and offset. */
sm_status sm_hfile_bad(const sm_hfile_input *in, uint64_t offset, sm_error *err, const char *fmt,
                       ...) SM_PRINTF(4, 5);

#endif
