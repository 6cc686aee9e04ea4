/* SPDX-License-Identifier: Apache-2.0 */
/* First byte of a set of four, sixteen bytes at a time with SSE2 (part of every x86-64). Same
 * primitive as scan_plain.h, which also finishes the last fifteen bytes: nothing behind data[len -
 * 1] is read. */
#ifndef SM_INGEST_SCAN_SSE2_H
#define SM_INGEST_SCAN_SSE2_H

#include "ingest/scan_plain.h"

#include <immintrin.h>

typedef struct sm_scan_sse2 {
    __m128i byte[4];
    sm_scan_plain plain;
} sm_scan_sse2;

SM_INLINE sm_scan_sse2 sm_scan_sse2_of(const uint8_t bytes[4])
{
    sm_scan_sse2 set;
    for (int i = 0; i < 4; i++) {
        set.byte[i] = _mm_set1_epi8((char)bytes[i]);
    }
    set.plain = sm_scan_plain_of(bytes);
    return set;
}

SM_INLINE size_t sm_scan_sse2_first(const sm_scan_sse2 *set, const uint8_t *data, size_t pos,
                                    size_t len)
{
    for (; len - pos >= 16; pos += 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)(const void *)(data + pos));
        const __m128i ab =
            _mm_or_si128(_mm_cmpeq_epi8(block, set->byte[0]), _mm_cmpeq_epi8(block, set->byte[1]));
        const __m128i cd =
            _mm_or_si128(_mm_cmpeq_epi8(block, set->byte[2]), _mm_cmpeq_epi8(block, set->byte[3]));
        const unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(ab, cd));
        if (hits != 0) {
            return pos + (size_t)__builtin_ctz(hits);
        }
    }
    return sm_scan_plain_first(&set->plain, data, pos, len);
}

#endif
