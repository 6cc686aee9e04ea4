/* SPDX-License-Identifier: Apache-2.0 */
/* Unsigned LEB128 numbers (seven bits a byte, lowest first), as records and payloads store lengths.
 * Nothing else may live here. */
#ifndef SM_PARTITIONER_LEB_H
#define SM_PARTITIONER_LEB_H

#include "core/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SM_LEB_MAX = 10 }; /* bytes of the longest 64-bit number */

static inline size_t sm_leb_size(uint64_t v)
{
    size_t n = 1;
    while (v >= 0x80) {
        v >>= 7;
        n++;
    }
    return n;
}

/* Writes up to SM_LEB_MAX bytes; returns the byte behind them. */
static inline uint8_t *sm_leb_put(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* Reads a number and moves *p behind it; false when it does not end before `end` or exceeds 64
 * bits. */
static inline bool sm_leb_get(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    const uint8_t *at = *p;
    if (SM_LIKELY(at < end && *at < 0x80)) {
        *out = *at;
        *p = at + 1;
        return true;
    }
    uint64_t v = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        const uint8_t byte = *at++;
        if (shift == 63 && byte > 1) {
            return false;
        }
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = v;
            *p = at;
            return true;
        }
    }
    return false;
}

#endif
