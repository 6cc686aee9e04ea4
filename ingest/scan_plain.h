/* SPDX-License-Identifier: Apache-2.0 */
/* First byte of a set of four, portable: eight bytes at a time in a 64-bit word. Nothing but this
 * primitive may live here; scan.h chooses between its variants. */
#ifndef SM_INGEST_SCAN_PLAIN_H
#define SM_INGEST_SCAN_PLAIN_H

#include "core/compiler.h"
#include "core/endian.h"

#include <stddef.h>

typedef struct sm_scan_plain {
    uint8_t byte[4];
    uint64_t word[4]; /* the byte in each of the eight places */
} sm_scan_plain;

SM_INLINE sm_scan_plain sm_scan_plain_of(const uint8_t bytes[4])
{
    sm_scan_plain set;
    for (int i = 0; i < 4; i++) {
        set.byte[i] = bytes[i];
        set.word[i] = UINT64_C(0x0101010101010101) * bytes[i];
    }
    return set;
}

/* 0x80 in the lowest place whose byte is zero; places above it may be wrong, so only the lowest
 * counts. */
SM_INLINE uint64_t sm_scan_plain_zero(uint64_t word)
{
    return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

/* Offset of the first byte of the set in data[pos, len), or len. */
SM_INLINE size_t sm_scan_plain_first(const sm_scan_plain *set, const uint8_t *data, size_t pos,
                                     size_t len)
{
    for (; len - pos >= 8; pos += 8) {
        const uint64_t word = sm_load_le64(data + pos);
        const uint64_t hit =
            sm_scan_plain_zero(word ^ set->word[0]) | sm_scan_plain_zero(word ^ set->word[1]) |
            sm_scan_plain_zero(word ^ set->word[2]) | sm_scan_plain_zero(word ^ set->word[3]);
        if (hit != 0) {
            return pos + (size_t)__builtin_ctzll(hit) / 8;
        }
    }
    for (; pos < len; pos++) {
        const uint8_t c = data[pos];
        if (c == set->byte[0] || c == set->byte[1] || c == set->byte[2] || c == set->byte[3]) {
            break;
        }
    }
    return pos;
}

#endif
