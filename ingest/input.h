/* SPDX-License-Identifier: Apache-2.0 */
/* What the source and the reader need of an input format. A format is one file that defines
 * `const sm_input sm_input_NAME` and one row in inputs.def. Everything else (files, decompression,
 * slices, typed conversion, rejects) doesn't know which format it serves.
 *
 *   open      -> shared state from the options, frozen, used by all threads
 *   head      what stands before the records of a file, and which column each field of the schema
 * reads next      finds the next span of bytes (frame.h); used for slice borders and by readers
 * alike splitter  per thread: a record's bytes -> fields */
#ifndef SM_INGEST_INPUT_H
#define SM_INGEST_INPUT_H

#include "core/arena.h"
#include "ingest/frame.h"
#include "ingest/source.h"

/* One field as the format's own rules decode it. */
typedef struct sm_field_text {
    sm_bytes bytes; /* the value */
    sm_bytes raw;   /* what is compared with null texts: the value before unescaping */
    bool quoted;    /* never null */
} sm_field_text;

typedef struct sm_fields {
    sm_field_text *items;
    size_t room;  /* of items; the caller's */
    size_t count; /* fields of the record, may be more than room */
} sm_fields;

/* The columns of one file. */
typedef struct sm_columns {
    size_t count;          /* fields of a record; 0: the file has no record to tell */
    const int *of_field;   /* schema index -> column, -1: not in the file */
    const sm_bytes *names; /* count of them, or NULL */
    uint64_t extra;        /* columns that no field of the schema reads */
} sm_columns;

/* Beginning of a file, as head found it. */
typedef struct sm_head {
    bool complete;         /* false: come again with more bytes */
    size_t len;            /* bytes before the first record */
    uint64_t lines;        /* physical lines in them */
    uint64_t header_lines; /* of these, the ones that feed.header_lines matched */
    sm_columns columns;
} sm_head;

typedef struct sm_input_state sm_input_state; /* each format has its own */
typedef struct sm_splitter sm_splitter;       /* likewise */

typedef struct sm_input {
    const char *name;
    sm_status (*open)(const sm_source_options *options, sm_input_state **out, sm_error *err)
        SM_MUST_CHECK;
    void (*close)(sm_input_state *state); /* takes NULL */

    /* `path` is for messages. What *out points to is allocated in the arena, once complete. */
    sm_status (*head)(const sm_input_state *state, const char *path, sm_window w, sm_arena *arena,
                      sm_head *out, sm_error *err) SM_MUST_CHECK;
    sm_found (*next)(const sm_input_state *state, sm_scan *scan, sm_window w, sm_span *out);
    /* Number of the field (from 0) that the byte at the end of `record` belongs to; for messages.
     */
    size_t (*field_of)(const sm_input_state *state, sm_bytes record);

    sm_status (*splitter_new)(const sm_input_state *state, sm_splitter **out, sm_error *err)
        SM_MUST_CHECK;
    void (*splitter_free)(sm_splitter *s); /* takes NULL */
    /* A well-formed record without its terminator. Values live until the next call. A last field
     * too many is taken off here where the format says so. */
    sm_status (*split)(sm_splitter *s, const sm_columns *columns, sm_bytes record, bool quoted,
                       sm_fields *out, sm_error *err) SM_MUST_CHECK;
} sm_input;

/* NULL when there is no such format. */
const sm_input *sm_input_named(const char *name);

/* For readers: what the source knows. Valid for the files of slices that the calling thread was
 * given. */
const sm_input *sm_source_input_type(const sm_source *s);
const sm_input_state *sm_source_input_state(const sm_source *s);
const sm_columns *sm_source_columns(const sm_source *s, size_t file);

#endif
