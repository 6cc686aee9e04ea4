/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON into a buffer: objects and arrays are opened and closed, commas and indentation come
 * by themselves. Texts must be valid UTF-8 (bytes that are not are written as U+FFFD). The first
 * error sticks and is returned by sm_json_finish, so that callers check once. Not thread-safe. */
#ifndef SM_CORE_JSON_H
#define SM_CORE_JSON_H

#include "core/buf.h"

enum { SM_JSON_DEPTH = 32 };

typedef struct sm_json {
    sm_buf *out;
    sm_error *err;
    sm_status status;
    bool compact; /* one line, no blanks: for JSON lines */
    unsigned depth;
    bool has_items[SM_JSON_DEPTH];
} sm_json;

void sm_json_start(sm_json *j, sm_buf *out, bool compact, sm_error *err);
/* name is NULL inside arrays and at the top. */
void sm_json_open_object(sm_json *j, const char *name);
void sm_json_close_object(sm_json *j);
void sm_json_open_array(sm_json *j, const char *name);
void sm_json_close_array(sm_json *j);
void sm_json_text(sm_json *j, const char *name, const char *value); /* NULL value: null */
void sm_json_bytes(sm_json *j, const char *name, sm_bytes value);   /* text given as a view */
/* Any bytes in the escaped form of core/escape.h. */
void sm_json_escaped(sm_json *j, const char *name, sm_bytes value);
void sm_json_uint(sm_json *j, const char *name, uint64_t value);
void sm_json_int(sm_json *j, const char *name, int64_t value);
void sm_json_bool(sm_json *j, const char *name, bool value);
void sm_json_real(sm_json *j, const char *name, double value);    /* 3 decimals */
void sm_json_hex64(sm_json *j, const char *name, uint64_t value); /* 16 digits as text */
/* Ends the line. */
sm_status sm_json_finish(sm_json *j) SM_MUST_CHECK;

#endif
