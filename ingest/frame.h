/* SPDX-License-Identifier: Apache-2.0 */
/* Where records end: the part of an input format that the source (slice borders) and the reader
 * (records) share, so that there is one idea of a record and not two.
 *
 * A format's `next` looks at a window of bytes and finds the next span: a record, a blank line or a
 * comment line. A scan remembers how far it has looked; when a span isn't complete within the
 * window, the caller comes again with the same bytes and more behind them, and nothing is looked at
 * twice. All positions are offsets into the window. */
#ifndef SM_INGEST_FRAME_H
#define SM_INGEST_FRAME_H

#include "core/bytes.h"
#include "core/error.h"

typedef enum sm_scan_state {
    SM_SCAN_START,  /* before the first byte of a span */
    SM_SCAN_PLAIN,  /* in a record, outside quotes */
    SM_SCAN_QUOTED, /* inside a quoted field */
    SM_SCAN_REST /* comment, malformed or too long: ends with the physical line, whatever is in it
                  */
} sm_scan_state;

typedef struct sm_scan {
    size_t pos;      /* next byte to look at */
    size_t start;    /* first byte of the span */
    size_t quote_at; /* opening quote of the field looked at last */
    size_t field_at; /* start of a field, at or before pos; only for dialects that need it */
    size_t walked;   /* delimiters before this are known; likewise */
    size_t bad_at;   /* first byte that should not be there; with bad == TEXT_AFTER_QUOTE */
    uint64_t lines;  /* line ends inside the span so far */
    sm_scan_state state;
    bool comment, quoted;
    sm_reject bad; /* NONE, TEXT_AFTER_QUOTE, RECORD_SIZE */
} sm_scan;

typedef enum sm_span_kind { SM_SPAN_RECORD, SM_SPAN_BLANK, SM_SPAN_COMMENT } sm_span_kind;

typedef struct sm_span {
    size_t start;
    size_t content; /* bytes without the terminator */
    size_t len;     /* bytes with the terminator */
    size_t bad_at;
    uint64_t lines; /* physical lines covered, at least 1 */
    sm_span_kind kind;
    bool quoted;   /* at least one field is quoted */
    sm_reject bad; /* NONE, TEXT_AFTER_QUOTE, RECORD_SIZE */
} sm_span;

typedef enum sm_found {
    SM_FOUND_SPAN,
    SM_FOUND_MORE, /* not complete: needs more bytes, or, at the end of the input, there is none */
    SM_FOUND_OPEN_QUOTE /* a quoted field is open at the end of the input or past the record limit
                         */
} sm_found;

/* The bytes at hand. at_end: nothing follows data[len - 1]. */
typedef struct sm_window {
    const uint8_t *data;
    size_t len;
    bool at_end;
} sm_window;

/* Forgets the first n bytes of the window (n <= start of the present span). */
static inline void sm_scan_shift(sm_scan *s, size_t n)
{
    s->pos -= n;
    s->start -= n;
    s->quote_at -= s->quote_at < n ? s->quote_at : n;
    s->field_at -= s->field_at < n ? s->field_at : n;
    s->walked -= s->walked < n ? s->walked : n;
    s->bad_at -= s->bad_at < n ? s->bad_at : n;
}

#endif
