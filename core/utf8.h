/* SPDX-License-Identifier: Apache-2.0 */
/* Well-formed UTF-8 as Unicode's table 3-7 has it: no overlong forms, no surrogates, up to
 * U+10FFFF. */
#ifndef SM_CORE_UTF8_H
#define SM_CORE_UTF8_H

#include "core/bytes.h"

/* Bytes that the lead byte asks for (0: no lead byte), and the range of its second byte. */
static inline size_t sm_utf8_lead(uint8_t lead, uint8_t *low, uint8_t *high)
{
    *low = 0x80;
    *high = 0xBF;
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2 || lead > 0xF4) {
        return 0;
    }
    if (lead < 0xE0) {
        return 2;
    }
    *low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return lead < 0xF0 ? 3 : 4;
}

/* Bytes of the well-formed character at p (1 to 4), or 0 when there is none within len. */
static inline size_t sm_utf8_length(const uint8_t *p, size_t len)
{
    uint8_t low;
    uint8_t high;
    const size_t n = len == 0 ? 0 : sm_utf8_lead(p[0], &low, &high);
    if (n < 2) {
        return n;
    }
    if (n > len || p[1] < low || p[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return n;
}

static inline bool sm_utf8_valid(sm_bytes text)
{
    for (size_t i = 0; i < text.len;) {
        const size_t n = sm_utf8_length(text.data + i, text.len - i);
        if (n == 0) {
            return false;
        }
        i += n;
    }
    return true;
}

#endif
