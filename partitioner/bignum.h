/* SPDX-License-Identifier: Apache-2.0 */
/* Unsigned integers of up to 320 bits, just wide enough to cut ranges of 64 hexadecimal digits:
 * such a range has at most 2^256 values and is multiplied by at most 2^20. Plain values, nothing
 * allocates. Results that do not fit are the caller's mistake: within those bounds there are none.
 */
#ifndef SM_PARTITIONER_BIGNUM_H
#define SM_PARTITIONER_BIGNUM_H

#include "core/bytes.h"

enum { SM_BIG_LIMBS = 10 };

typedef struct sm_big {
    uint32_t limbs[SM_BIG_LIMBS]; /* least significant first */
} sm_big;

/* Digits of the radix (2 ... 16, either case); false for anything else, for none, or when too
 * large. */
bool sm_big_parse(sm_bytes digits, uint32_t radix, sm_big *out);
/* Exactly `width` digits, lower case, zero-padded, no NUL; false when it needs more. */
bool sm_big_print(const sm_big *v, uint32_t radix, size_t width, char *out);
/* Exactly `width` bytes, big endian; false when it needs more. */
bool sm_big_bytes(const sm_big *v, size_t width, uint8_t *out);

int sm_big_compare(const sm_big *a, const sm_big *b);
bool sm_big_is_zero(const sm_big *v);
/* 2 to the power of `bit`. */
sm_big sm_big_power(unsigned bit);
sm_big sm_big_add(const sm_big *a, const sm_big *b);
sm_big sm_big_subtract(const sm_big *a, const sm_big *b); /* a >= b */
sm_big sm_big_multiply(const sm_big *v, uint32_t by);
sm_big sm_big_divide(const sm_big *v, uint32_t by, uint32_t *remainder); /* by > 0 */

#endif
