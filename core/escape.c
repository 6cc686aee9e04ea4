/* SPDX-License-Identifier: Apache-2.0 */
/* The two directions of HBase's printable form of bytes. No files, no quoting for any shell. */
#include "core/escape.h"

enum { ESCAPED = 4 }; /* bytes of "\xHH" */

static const char hex_digits[] = "0123456789ABCDEF";

static bool stands_for_itself(uint8_t c)
{
    return c >= 0x20 && c <= 0x7E && c != '\\';
}

/* Writes 1 or 4 bytes and returns how many. */
static size_t escape_byte(uint8_t c, uint8_t *out)
{
    if (stands_for_itself(c)) {
        out[0] = c;
        return 1;
    }
    out[0] = '\\';
    out[1] = 'x';
    out[2] = (uint8_t)hex_digits[c >> 4];
    out[3] = (uint8_t)hex_digits[c & 15];
    return ESCAPED;
}

sm_status sm_escape(sm_bytes in, sm_buf *out, sm_error *err)
{
    for (size_t i = 0; i < in.len; i++) {
        const sm_status st = sm_buf_reserve(out, ESCAPED, err);
        if (st != SM_OK) {
            return st;
        }
        out->len += escape_byte(in.data[i], out->data + out->len);
    }
    return SM_OK;
}

/* Length of the longest escaped prefix within `room` bytes; *taken is how much of the input that
 * is. */
static size_t fitting(sm_bytes in, size_t room, size_t *taken)
{
    size_t used = 0;
    size_t i = 0;
    for (; i < in.len; i++) {
        const size_t n = stands_for_itself(in.data[i]) ? 1 : ESCAPED;
        if (n > room - used) {
            break;
        }
        used += n;
    }
    *taken = i;
    return used;
}

const char *sm_escape_short(sm_bytes in, char *out, size_t size)
{
    static const char cut[] = "...";
    if (size == 0) {
        return out;
    }
    size_t taken = 0;
    (void)fitting(in, size - 1, &taken);
    const bool whole = taken == in.len;
    if (!whole) {
        (void)fitting(in, size >= sizeof cut ? size - sizeof cut : 0, &taken);
    }
    size_t at = 0;
    for (size_t i = 0; i < taken; i++) {
        at += escape_byte(in.data[i], (uint8_t *)out + at);
    }
    if (!whole && size >= sizeof cut) {
        memcpy(out + at, cut, sizeof cut - 1);
        at += sizeof cut - 1;
    }
    out[at] = '\0';
    return out;
}

/* 0 ... 15, 16 more for a lower-case digit, or -1. */
static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10 + 16;
    }
    return -1;
}

static sm_unescape_result unescape_one(sm_bytes in, size_t at, uint8_t *byte)
{
    if (in.len - at < ESCAPED || in.data[at + 1] != 'x') {
        return SM_UNESCAPE_BAD;
    }
    const int high = hex_value(in.data[at + 2]);
    const int low = hex_value(in.data[at + 3]);
    if (high < 0 || low < 0) {
        return SM_UNESCAPE_BAD;
    }
    if (high > 15 || low > 15) {
        return SM_UNESCAPE_LOWER_CASE;
    }
    *byte = (uint8_t)(high << 4 | low);
    return SM_UNESCAPE_OK;
}

sm_unescape_result sm_unescape(sm_bytes in, uint8_t *out, size_t *out_len, size_t *bad_at)
{
    size_t len = 0;
    *out_len = 0;
    for (size_t i = 0; i < in.len;) {
        *bad_at = i;
        if (stands_for_itself(in.data[i])) {
            out[len++] = in.data[i++];
            continue;
        }
        if (in.data[i] != '\\') {
            return SM_UNESCAPE_NOT_ASCII;
        }
        const sm_unescape_result result = unescape_one(in, i, &out[len]);
        if (result != SM_UNESCAPE_OK) {
            return result;
        }
        len++;
        i += ESCAPED;
    }
    *out_len = len;
    return SM_UNESCAPE_OK;
}
