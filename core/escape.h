/* SPDX-License-Identifier: Apache-2.0 */
/* Printable form of bytes, exactly as HBase's Bytes.toStringBinary: 0x20-0x7E except backslash
 * stand for themselves, every other byte is \xHH with upper-case digits (a backslash is \x5C). */
#ifndef SM_CORE_ESCAPE_H
#define SM_CORE_ESCAPE_H

#include "core/buf.h"

/* Appends the escaped form. */
sm_status sm_escape(sm_bytes in, sm_buf *out, sm_error *err) SM_MUST_CHECK;
/* Into a fixed text for messages: NUL-terminated, cut with "..." when longer than size. Returns
 * out. */
const char *sm_escape_short(sm_bytes in, char *out, size_t size);

typedef enum sm_unescape_result {
    SM_UNESCAPE_OK,
    SM_UNESCAPE_LOWER_CASE, /* \x0a: HBase would keep the text "x0a" */
    SM_UNESCAPE_BAD,        /* a backslash that starts no \xHH */
    SM_UNESCAPE_NOT_ASCII   /* a byte >= 0x80 or a control byte that should have been escaped */
} sm_unescape_result;

/* Strict reading: upper-case \xHH only. out has room for in.len bytes; *bad_at is the offset on
 * failure. */
sm_unescape_result sm_unescape(sm_bytes in, uint8_t *out, size_t *out_len, size_t *bad_at);

#endif
