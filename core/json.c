/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer. Control characters are escaped; invalid UTF-8 becomes U+FFFD, one per bad byte.
 */
#include "core/json.h"

#include "core/escape.h"
#include "core/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void sm_json_start(sm_json *j, sm_buf *out, bool compact, sm_error *err)
{
    *j = (sm_json){.out = out, .err = err, .status = SM_OK, .compact = compact};
}

static void put(sm_json *j, const char *text, size_t len)
{
    if (j->status == SM_OK) {
        j->status = sm_buf_append(j->out, text, len, j->err);
    }
}

static void put_text(sm_json *j, const char *text)
{
    put(j, text, strlen(text));
}

static void put_newline(sm_json *j)
{
    if (j->compact) {
        return;
    }
    put(j, "\n", 1);
    for (unsigned i = 0; i < j->depth; i++) {
        put(j, "  ", 2);
    }
}

static void put_char(sm_json *j, uint8_t c)
{
    static const char digits[] = "0123456789abcdef";
    if (c == '"' || c == '\\') {
        const char escaped[2] = {'\\', (char)c};
        put(j, escaped, 2);
    } else if (c < 0x20 || c == 0x7F) {
        const char escaped[6] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
        put(j, escaped, 6);
    } else {
        put(j, (const char *)&c, 1);
    }
}

static void put_quoted(sm_json *j, sm_bytes text)
{
    put(j, "\"", 1);
    for (size_t i = 0; i < text.len;) {
        const size_t n = sm_utf8_length(text.data + i, text.len - i);
        if (n == 0) {
            put_text(j, "\xEF\xBF\xBD");
            i++;
        } else if (n == 1) {
            put_char(j, text.data[i]);
            i++;
        } else {
            put(j, (const char *)text.data + i, n);
            i += n;
        }
    }
    put(j, "\"", 1);
}

/* Comma, newline and name before any value. */
static void begin_value(sm_json *j, const char *name)
{
    if (j->depth != 0) {
        if (j->has_items[j->depth]) {
            put(j, ",", 1);
        }
        j->has_items[j->depth] = true;
        put_newline(j);
    }
    if (name != NULL) {
        put_quoted(j, sm_bytes_text(name));
        put_text(j, j->compact ? ":" : ": ");
    }
}

static void open_nested(sm_json *j, const char *name, const char *bracket)
{
    begin_value(j, name);
    put_text(j, bracket);
    if (j->depth + 1 >= SM_JSON_DEPTH) {
        j->status = sm_fail(j->err, SM_E_INTERNAL, "JSON nested too deep");
        return;
    }
    j->depth++;
    j->has_items[j->depth] = false;
}

static void close_nested(sm_json *j, const char *bracket)
{
    const bool had_items = j->has_items[j->depth];
    if (j->depth != 0) {
        j->depth--;
    }
    if (had_items) {
        put_newline(j);
    }
    put_text(j, bracket);
}

void sm_json_open_object(sm_json *j, const char *name)
{
    open_nested(j, name, "{");
}

void sm_json_close_object(sm_json *j)
{
    close_nested(j, "}");
}

void sm_json_open_array(sm_json *j, const char *name)
{
    open_nested(j, name, "[");
}

void sm_json_close_array(sm_json *j)
{
    close_nested(j, "]");
}

void sm_json_bytes(sm_json *j, const char *name, sm_bytes value)
{
    begin_value(j, name);
    put_quoted(j, value);
}

void sm_json_text(sm_json *j, const char *name, const char *value)
{
    if (value == NULL) {
        begin_value(j, name);
        put_text(j, "null");
        return;
    }
    sm_json_bytes(j, name, sm_bytes_text(value));
}

void sm_json_escaped(sm_json *j, const char *name, sm_bytes value)
{
    sm_buf escaped;
    sm_buf_init(&escaped, value.len * 4 + 1);
    if (j->status == SM_OK) {
        j->status = sm_escape(value, &escaped, j->err);
    }
    sm_json_bytes(j, name, sm_buf_view(&escaped));
    sm_buf_free(&escaped);
}

static void put_number(sm_json *j, const char *name, const char *text)
{
    begin_value(j, name);
    put_text(j, text);
}

void sm_json_uint(sm_json *j, const char *name, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    put_number(j, name, text);
}

void sm_json_int(sm_json *j, const char *name, int64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    put_number(j, name, text);
}

void sm_json_bool(sm_json *j, const char *name, bool value)
{
    put_number(j, name, value ? "true" : "false");
}

void sm_json_real(sm_json *j, const char *name, double value)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%.3f", value);
    put_number(j, name, text);
}

void sm_json_hex64(sm_json *j, const char *name, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%016" PRIx64, value);
    sm_json_text(j, name, text);
}

sm_status sm_json_finish(sm_json *j)
{
    put(j, "\n", 1);
    return j->status;
}
