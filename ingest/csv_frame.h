/* SPDX-License-Identifier: Apache-2.0 */
/* CSV records and fields as stretches of bytes: where a record ends, whether it is well-formed,
 * which fields are quoted. Values are none of its business (see csv_engine.h).
 *
 * What a record is
 *   - It ends at LF, CRLF or CR outside quotes, or at the end of the input. A line with nothing but
 * its terminator is blank, in a file of one column too; a line whose first byte is the comment byte
 * is a comment.
 *   - A field is quoted when its first byte is the quote. Inside, delimiters and line ends are
 * data, and two quotes stand for one. Behind the closing quote only a delimiter or the record's end
 * may follow; anything else makes the record malformed, and it then ends at the next line end,
 * quotes or not.
 *   - A quote inside an unquoted field is data.
 *   - Escape byte, when the dialect has one: it and the byte behind it are that byte, in every
 * field; doubled quotes still work. At the very end of the input it stands for itself.
 *   - Delimiters of several bytes: the leftmost match counts, and matching goes on behind it.
 *   - GB18030 with a delimiter that may be the end of a character: fields are walked character by
 * character. Quote and escape never hide (see encoding.h).
 *   - More bytes than the limit without an end: too long, the rest of the physical line belongs to
 * it. With a quoted field open at that point nobody can tell where it ends: SM_FOUND_OPEN_QUOTE. */
#ifndef SM_INGEST_CSV_FRAME_H
#define SM_INGEST_CSV_FRAME_H

#include "ingest/frame.h"
#include "ingest/source.h"

enum { SM_CSV_DELIMITER_MAX = 16 };

/* A dialect made ready; frozen, shared by all threads. */
typedef struct sm_csv_frame {
    uint8_t delimiter[SM_CSV_DELIMITER_MAX];
    size_t delimiter_len;
    int quote, escape, comment; /* byte or -1 */
    bool odd;                   /* several-byte delimiter or escape: more than libcsv can do */
    bool gb18030;               /* the delimiter may hide in characters of GB18030: walk them */
    uint64_t limit;             /* most bytes of a record, terminator not counted */
    uint8_t special[4]; /* the bytes a scan stops at; LF stands in for what the dialect lacks */
} sm_csv_frame;

/* SM_E_JOB when the dialect's bytes contradict each other. */
sm_status sm_csv_frame_init(sm_csv_frame *f, const sm_csv_dialect *dialect, uint64_t limit,
                            sm_error *err) SM_MUST_CHECK;

/* The next span. The scan starts zeroed; after SM_FOUND_SPAN it stands behind the span, ready for
 * the next. */
sm_found sm_csv_next(const sm_csv_frame *f, sm_scan *s, sm_window w, sm_span *out);

/* One field: its bytes between the quotes (still with doubled quotes and escapes), or as they
 * stand. */
typedef struct sm_csv_cut {
    size_t start, len;
    bool quoted;
} sm_csv_cut;

/* Cuts a well-formed record (or the beginning of one) without its terminator into fields. Stores
 * the first `room` of them and returns how many there are. */
size_t sm_csv_cut_fields(const sm_csv_frame *f, sm_bytes record, sm_csv_cut *out, size_t room);

#endif
