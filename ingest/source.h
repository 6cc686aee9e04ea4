/* SPDX-License-Identifier: Apache-2.0 */
/* From files to slices: the inputs of a job in their order, decompressed, cut where a record ends.
 *
 *   paths, globs, directories, "-"  ->  file  ->  gzip | zstd | plain  ->  decoded bytes  -> slices
 *
 * One source is shared by all workers; sm_source_next takes its lock, reads the next stretch of
 * decoded bytes and cuts it behind the last whole record, by scanning in order (quotes known,
 * nothing guessed). Slices are numbered in input order and never cross files. Header, skipped
 * lines, byte order mark and comments before the header are taken off here, once per file; so are
 * the checks that every used column is there and that the last line is the trailer.
 *
 * Order: entries of the list stay in place; globs and directories sort bytewise by path (hidden
 * files and names starting with _ in a directory are passed over, sub-folders too). A path named
 * twice, a glob without match, a missing file are errors before anything is read. An input that
 * changed (size, mtime) while it was read is an error; so is truncated or damaged compression, with
 * the offset. Compression is told from the first bytes, not from the name: a plain file called .gz
 * is read as plain. An empty file has no records; an empty file called .gz or .zst is a truncated
 * one.
 *
 * Errors carry their place: whatever stands before one in the input has been handed out first, so
 * that the outcome of a run does not depend on slice size or threads. */
#ifndef SM_INGEST_SOURCE_H
#define SM_INGEST_SOURCE_H

#include "core/arena.h"
#include "core/record.h"
#include "core/stop.h"

typedef struct sm_csv_dialect {
    sm_bytes delimiter; /* 1 ... 16 bytes */
    int quote;          /* byte, or -1: quotes are data */
    int escape;         /* byte, or -1: a doubled quote stands for one */
    int comment;        /* lines that start with this byte are skipped and counted; -1: none */
    bool header;        /* first record names the columns */
    /* Names when there is no header, or to override one: then header: false and skip_lines. */
    const sm_bytes *columns;
    size_t column_count;
    const sm_bytes *nulls; /* unquoted texts that mean null; default: the empty text */
    size_t null_count;
    bool trailing_delimiter; /* each record (and header) ends with one delimiter more */
    uint64_t skip_lines;     /* physical lines before the header */
} sm_csv_dialect;

typedef enum sm_encoding {
    SM_ENCODING_BYTES, /* not looked at */
    SM_ENCODING_UTF8,
    SM_ENCODING_LATIN1,
    SM_ENCODING_GB18030
} sm_encoding;

/* What a feed brings along besides records; NULL: nothing of the kind. All but the encoding are
 * regular expressions (pattern.h). */
typedef struct sm_feed {
    sm_encoding encoding; /* of header and records; patterns see the original bytes */
    /* Matched against each path; its named groups are the fields with from_path. */
    const char *path_fields;
    /* Lines at a file's start, in front of the header, that are skipped and counted. */
    const char *header_lines;
    /* The last line of each file, which is no record; group "count": how many records there are. */
    const char *trailer;
} sm_feed;

/* Everything it points to must outlive the source. */
typedef struct sm_source_options {
    const char *const *paths; /* as the job lists them */
    size_t path_count;
    bool listed;        /* each input must be named: see sm_input_paths_listed */
    const char *format; /* "csv": a row of ingest/inputs.def */
    const sm_csv_dialect *csv;
    sm_feed feed;
    const sm_schema *schema; /* which columns are used, and how they are typed */
    uint64_t record_limit;   /* bytes; a longer record is a reject, an unclosed quote an error */
    size_t slice_size;       /* bytes of decoded input a slice aims at */
    const sm_stop *stop;
} sm_source_options;

typedef struct sm_source sm_source;

/* One stretch of whole records. The buffer belongs to the slice and is reused by the next call. */
typedef struct sm_slice {
    uint8_t *data;
    size_t len, capacity;
    uint64_t sequence; /* 0, 1, 2 ... over all files */
    sm_place place;    /* of data[0] */
    bool first;        /* first slice of its file */
    uint64_t cut;      /* 0, or: data holds only the first record_limit bytes of one record that
                        * has this many, terminator not counted */
} sm_slice;

/* One field that comes from the path of a file; equal for all of its records. */
typedef struct sm_path_value {
    size_t field; /* index in the schema */
    sm_value value;
} sm_path_value;

/* What is known of one input; complete once the source has passed its end. */
typedef struct sm_input_info {
    const char *path; /* "-" for standard input */
    uint64_t size;    /* bytes as stored; 0 for standard input */
    int64_t mtime_ns;
    const char *compression; /* "none", "gzip", "zstd" */
    uint64_t decoded_bytes;
    uint64_t decoded_xxh64;
    bool finished;
    const sm_path_value *path_values; /* known once the source is open */
    size_t path_value_count;
    uint64_t path_repeated_times, path_missing_times; /* local times among them */
    uint64_t header_lines;                            /* skipped by feed.header_lines */
    sm_bytes header; /* original bytes of header (and what precedes it), terminator included */
} sm_input_info;

/* Resolves the list and checks that each file is there. Reads nothing yet. */
sm_status sm_source_open(const sm_source_options *options, sm_source **out, sm_error *err)
    SM_MUST_CHECK;
void sm_source_close(sm_source *s); /* takes NULL */
size_t sm_source_input_count(const sm_source *s);
const sm_input_info *sm_source_input(const sm_source *s, size_t file);
const sm_source_options *sm_source_options_of(const sm_source *s);

/* The next slice; *more = false when all inputs are read. A slice is zeroed before its first use
 * and given to sm_slice_free after its last. Thread-safe. */
sm_status sm_source_next(sm_source *s, sm_slice *slice, bool *more, sm_error *err) SM_MUST_CHECK;
void sm_slice_free(sm_slice *slice);

/* Reads all inputs through without parsing: decoded sizes and hashes only. Consumes the source. */
sm_status sm_source_digest(sm_source *s, sm_error *err) SM_MUST_CHECK;

#endif
