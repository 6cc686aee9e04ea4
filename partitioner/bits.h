/* SPDX-License-Identifier: Apache-2.0 */
/* Gathering the bits of a word under a mask: the processor's instruction where it has it, a loop
 * elsewhere. The only place in this folder with an instruction set in it. */
#ifndef SM_PARTITIONER_BITS_H
#define SM_PARTITIONER_BITS_H

#include "core/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define SM_BITS_FAST __attribute__((target("bmi2")))
#else
#define SM_BITS_FAST
#endif

static inline bool sm_bits_fast(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("bmi2") != 0;
#else
    return false;
#endif
}

/* The bits of v under mask, moved together at the low end in their order. */
static inline uint64_t sm_bits_gather(uint64_t v, uint64_t mask)
{
    uint64_t out = 0;
    for (uint64_t bit = 1; mask != 0; bit += bit) {
        if ((v & mask & -mask) != 0) {
            out |= bit;
        }
        mask &= mask - 1;
    }
    return out;
}

/* The same; only where sm_bits_fast(). */
SM_BITS_FAST static inline uint64_t sm_bits_gather_fast(uint64_t v, uint64_t mask)
{
#if defined(__x86_64__)
    return _pext_u64(v, mask);
#else
    return sm_bits_gather(v, mask);
#endif
}

#endif
