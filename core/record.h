/* SPDX-License-Identifier: Apache-2.0 */
/* The contract between parsers (ingest) and keys (partitioner): a schema of named, typed fields,
 * and a record as an array of values in schema order. */
#ifndef SM_CORE_RECORD_H
#define SM_CORE_RECORD_H

#include "core/bytes.h"
#include "core/error.h"
#include "core/time.h"

typedef enum sm_type {
    SM_TYPE_TEXT,    /* bytes that are meant as characters; not necessarily valid UTF-8 */
    SM_TYPE_BYTES,   /* raw bytes: hashes, encoded numbers */
    SM_TYPE_INT,     /* int64 in sm_value.number */
    SM_TYPE_DECIMAL, /* double in sm_value.real; bytes hold its text */
    SM_TYPE_TIME,    /* ms since the epoch in sm_value.number */
    SM_TYPE_BOOL     /* 0 or 1 in sm_value.number; conditions only */
} sm_type;

const char *sm_type_name(sm_type type); /* "text", "int", ... */

typedef enum sm_charset {
    SM_CHARSET_ANY,
    SM_CHARSET_ASCII,  /* 0x01-0x7F */
    SM_CHARSET_DIGITS, /* 0-9 */
} sm_charset;

/* One value: a field, or the result of an expression.
 * Field values live until the next record of the same parser; results until the next evaluation. */
typedef struct sm_value {
    sm_bytes bytes; /* TEXT, BYTES: the value. Fields of other types: the text as it stood in the
                       input */
    int64_t number;
    double real;
    bool is_null;
} sm_value;

typedef struct sm_field {
    const char *name;
    sm_type type;               /* TEXT, INT, DECIMAL, TIME */
    sm_charset charset;         /* TEXT only */
    const sm_time_format *time; /* TIME only */
    bool has_min, has_max;
    int64_t min, max;                /* inclusive window in ms, TIME only */
    const char *min_text, *max_text; /* as the job wrote them, for messages */
    int column;                      /* position of the column counted from 0, or -1: by name */
    bool used;                       /* false: declared or present but never read */
    bool from_path; /* a group of input.path_fields: one value per file, no column */
} sm_field;

/* Frozen after the job is read; shared by all threads. */
typedef struct sm_schema {
    const sm_field *fields;
    size_t count;
} sm_schema;

/* Index of a field, or -1. */
int sm_schema_find(const sm_schema *s, sm_bytes name);

/* Where a record starts. `order` grows with (file in job order, byte offset in the decoded stream):
 * it is the total order of the input, equal for any number of threads. order = file << 44 | offset
 */
typedef struct sm_place {
    uint32_t file;   /* index in the list of inputs */
    uint64_t offset; /* bytes into the decoded stream */
    uint64_t line;   /* physical line, from 1 */
    uint64_t record; /* record number in the file, from 1, header not counted */
} sm_place;

enum { SM_PLACE_OFFSET_BITS = 44 };

static inline uint64_t sm_place_order(const sm_place *p)
{
    return (uint64_t)p->file << SM_PLACE_OFFSET_BITS | p->offset;
}

typedef struct sm_record {
    const sm_value *values; /* schema order */
    size_t count;
    sm_place place;
    sm_bytes original; /* the record's bytes in the input, terminator included */
} sm_record;

#endif
