/* SPDX-License-Identifier: Apache-2.0 */
/* The file under a writer: bytes in order through one buffer, hashed as they pass. */
#ifndef SM_FORMATS_HFILE_OUTPUT_H
#define SM_FORMATS_HFILE_OUTPUT_H

#include "core/bytes.h"
#include "core/error.h"

typedef struct sm_hfile_output sm_hfile_output;

/* Creates the file; it must not exist. */
sm_status sm_hfile_output_open(const char *path, sm_hfile_output **out, sm_error *err)
    SM_MUST_CHECK;
/* Frees; removes the file unless it was finished. Takes NULL. */
void sm_hfile_output_close(sm_hfile_output *o);
sm_status sm_hfile_output_add(sm_hfile_output *o, sm_bytes data, sm_error *err) SM_MUST_CHECK;
uint64_t sm_hfile_output_offset(const sm_hfile_output *o); /* bytes added so far */
/* Flushes, fsyncs, closes the file; *xxh64 of all of it. */
sm_status sm_hfile_output_finish(sm_hfile_output *o, uint64_t *xxh64, sm_error *err) SM_MUST_CHECK;
const char *sm_hfile_output_path(const sm_hfile_output *o);

#endif
