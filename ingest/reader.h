/* SPDX-License-Identifier: Apache-2.0 */
/* From a slice to typed records: one reader per worker. A record is either read whole, every
 * declared field converted, or it is a reject with field, reason and original bytes. Blank and
 * comment lines are counted and are no records. Allocates nothing per record once its buffers have
 * grown. */
#ifndef SM_INGEST_READER_H
#define SM_INGEST_READER_H

#include "ingest/source.h"

typedef struct sm_reader sm_reader;

typedef enum sm_read { SM_READ_RECORD, SM_READ_REJECT, SM_READ_END } sm_read;

enum { SM_REJECT_TEXT_SIZE = 320 };

/* Why a record was rejected, ready for the sidecar. */
typedef struct sm_reject_note {
    sm_reject code;
    const char *field; /* column name or table's place; NULL when the record as a whole is bad */
    /* Found, expected, what to do; valid UTF-8, no control characters. */
    char text[SM_REJECT_TEXT_SIZE];
} sm_reject_note;

typedef struct sm_reader_counts {
    uint64_t blank_lines, comment_lines; /* behind the header */
    /* Columns of a file that no used field reads; counted once, with the file's first slice. */
    uint64_t extra_columns;
    uint64_t repeated_local_times; /* resolved by the policy 'ambiguous' */
    uint64_t missing_local_times;
} sm_reader_counts;

sm_status sm_reader_new(sm_source *source, sm_reader **out, sm_error *err) SM_MUST_CHECK;
void sm_reader_free(sm_reader *r); /* takes NULL */

/* The slice must stay unchanged until SM_READ_END. Counts begin at zero. */
void sm_reader_start(sm_reader *r, const sm_slice *slice);
/* *out is filled for RECORD (values live until the next call); for REJECT out->place and
 * out->original are filled and *why says the rest. The status is for real failures (memory). */
sm_status sm_reader_next(sm_reader *r, sm_read *what, sm_record *out, sm_reject_note *why,
                         sm_error *err) SM_MUST_CHECK;
const sm_reader_counts *sm_reader_counts_of(const sm_reader *r); /* since start */

#endif
