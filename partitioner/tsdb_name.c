/* SPDX-License-Identifier: Apache-2.0 */
/* See tsdb_name.h. */
#include "partitioner/tsdb_name.h"

#include "partitioner/keyutf8.h"

static const uint32_t LATIN1_LAST = 0xFF;

/* The character at `name`, *size bytes long; false when it is none of ISO-8859-1. */
static bool next_point(sm_bytes name, uint32_t *point, size_t *size)
{
    *size = sm_utf8_length(name.data, name.len);
    if (*size == 0) {
        return false;
    }
    *point = sm_utf8_decode(name.data, *size);
    return *point <= LATIN1_LAST;
}

bool sm_tsdb_name_encode(sm_bytes name, uint8_t *out, size_t *len)
{
    uint32_t point = 0;
    size_t size = 0;
    *len = 0;
    for (size_t at = 0; at < name.len; at += size) {
        if (!next_point(sm_bytes_of(name.data + at, name.len - at), &point, &size)) {
            return false;
        }
        out[(*len)++] = (uint8_t)point;
    }
    return true;
}

/* Character.isLetter within ISO-8859-1, digits, and the four signs. */
static bool is_allowed(uint32_t c)
{
    const uint32_t lower = c | 0x20U;
    if (c < 0x80) {
        return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.' || c == '/';
    }
    return c == 0xAA || c == 0xB5 || c == 0xBA || (c >= 0xC0 && c != 0xD7 && c != 0xF7);
}

bool sm_tsdb_name_allowed(sm_bytes name)
{
    uint32_t point = 0;
    size_t size = 0;
    for (size_t at = 0; at < name.len; at += size) {
        if (!next_point(sm_bytes_of(name.data + at, name.len - at), &point, &size) ||
            !is_allowed(point)) {
            return false;
        }
    }
    return name.len != 0;
}
