/* SPDX-License-Identifier: Apache-2.0 */
/* Code points of UTF-8 text, counted and found. Thread-safe, no allocation. */
#ifndef SM_PARTITIONER_KEYUTF8_H
#define SM_PARTITIONER_KEYUTF8_H

#include "core/utf8.h"

/* *count = code points; false when text is not valid UTF-8. */
bool sm_utf8_count(sm_bytes text, size_t *count);
/* Offset of the n-th code point of valid text; text.len when there are not so many. */
size_t sm_utf8_offset(sm_bytes text, size_t n);
/* The code point of a character of `len` bytes, as sm_utf8_length gave it. */
uint32_t sm_utf8_decode(const uint8_t *p, size_t len);

#endif
