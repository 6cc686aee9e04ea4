/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the source, shared by source.c (slices) and source_file.c (life of a file). */
#ifndef SM_INGEST_SOURCE_FILE_H
#define SM_INGEST_SOURCE_FILE_H

#include "core/buf.h"
#include "core/hash.h"
#include "core/par.h"
#include "ingest/decoder.h"
#include "ingest/input.h"
#include "ingest/input_paths.h"
#include "ingest/pattern.h"

/* With a trailer: the last line seen, which may be the file's last one, stays at the beginning of
 * the carry until another line follows. Blank lines behind it stay with it. */
typedef struct sm_held_line {
    bool active;
    size_t content;   /* bytes of the line, without its terminator */
    uint64_t lines;   /* physical lines, the blank ones behind it too */
    uint64_t records; /* 0 or 1 */
} sm_held_line;

/* Everything below the lock is guarded by it, except that `columns` and a file's header are frozen
 * before the file's first slice is handed out. */
struct sm_source {
    sm_source_options options;
    sm_arena *arena;
    const sm_input *input;
    sm_input_state *state;
    sm_lock *lock;

    sm_input_paths paths;
    sm_input_info *infos;
    sm_columns *columns;
    size_t count;

    size_t index; /* of the file that is open or comes next */
    sm_raw raw;   /* raw.file == NULL: no file is open */
    const sm_decoder_type *decoder_type;
    sm_decoder *decoder;
    sm_xxh64_stream *hash; /* of the decoded bytes */
    bool at_end;           /* the decoder has reached its end */
    sm_error decode_error; /* met behind bytes that were still good: returned by the next call */

    sm_pattern *trailer; /* NULL: the last line is a record like others */
    size_t count_group;  /* of the trailer; SIZE_MAX: it has none */
    sm_held_line held;

    sm_scan scan;          /* positions are offsets into the carry */
    sm_buf carry;          /* bytes read and not handed out */
    sm_place place;        /* of the carry's first byte */
    uint64_t first_offset; /* of the file's first slice */
    uint64_t sequence;
    sm_error pending; /* once set, what every call returns */
};

/* Opens the next file and its decoder. */
sm_status sm_source_file_open(sm_source *s, sm_error *err) SM_MUST_CHECK;
/* Opens, and takes off header and what precedes it; the carry holds what was read beyond. */
sm_status sm_source_file_begin(sm_source *s, sm_error *err) SM_MUST_CHECK;
/* Checks that the file is what it was, completes its info, closes it. */
sm_status sm_source_file_end(sm_source *s, sm_error *err) SM_MUST_CHECK;
/* The last line of the file, which the source holds, against the trailer's pattern and count.
 * `found` false: the file has no line at all. */
sm_status sm_source_check_trailer(const sm_source *s, sm_bytes line, bool found, sm_error *err)
    SM_MUST_CHECK;
/* Decoded bytes, counted and hashed; sets s->at_end. */
sm_status sm_source_decode(sm_source *s, uint8_t *out, size_t size, size_t *got, sm_error *err)
    SM_MUST_CHECK;

/* Orders an error among workers: behind everything decoded so far of this file. */
void sm_source_set_place(const sm_source *s, sm_error *err);

typedef struct sm_quote_place {
    uint64_t record, quote; /* byte offsets */
    uint64_t line;          /* where the record starts */
    size_t column;          /* from 0 */
    const sm_bytes *name;   /* NULL when unknown */
    bool too_long;          /* the limit was reached, not the end of the file */
} sm_quote_place;

sm_status sm_source_open_quote(const sm_source *s, const sm_quote_place *q, sm_error *err)
    SM_MUST_CHECK;

#endif
