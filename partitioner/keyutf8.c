/* SPDX-License-Identifier: Apache-2.0 */
/* Counting and finding code points; what is well-formed is core/utf8.h's business. */
#include "partitioner/keyutf8.h"

static bool continues_character(uint8_t b)
{
    return (b & 0xC0) == 0x80;
}

bool sm_utf8_count(sm_bytes text, size_t *count)
{
    size_t i = 0;
    *count = 0;
    while (i < text.len) {
        uint64_t eight = 0;
        if (text.len - i >= 8) {
            memcpy(&eight, text.data + i, 8);
            if ((eight & 0x8080808080808080ULL) == 0) {
                i += 8;
                *count += 8;
                continue;
            }
        }
        const size_t len = sm_utf8_length(text.data + i, text.len - i);
        if (len == 0) {
            return false;
        }
        i += len;
        (*count)++;
    }
    return true;
}

size_t sm_utf8_offset(sm_bytes text, size_t n)
{
    size_t i = 0;
    for (; i < text.len; i++) {
        if (!continues_character(text.data[i]) && n-- == 0) {
            return i;
        }
    }
    return i;
}

uint32_t sm_utf8_decode(const uint8_t *p, size_t len)
{
    static const uint8_t LEAD_MASK[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t point = p[0] & LEAD_MASK[len];
    for (size_t i = 1; i < len; i++) {
        point = point << 6 | (p[i] & 0x3F);
    }
    return point;
}
