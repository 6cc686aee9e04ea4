/* SPDX-License-Identifier: Apache-2.0 */
/* Schoolbook arithmetic on 32-bit limbs, with 64-bit intermediate results. */
#include "partitioner/bignum.h"

/* 16 and above: no digit. */
static uint32_t digit_of(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (uint32_t)(c - 'a' + 10);
    }
    if (c >= 'A' && c <= 'F') {
        return (uint32_t)(c - 'A' + 10);
    }
    return 16;
}

/* v = v * by + add; what is carried out of the top is returned. */
static uint32_t multiply_add(sm_big *v, uint32_t by, uint32_t add)
{
    uint64_t carry = add;
    for (size_t i = 0; i < SM_BIG_LIMBS; i++) {
        const uint64_t wide = (uint64_t)v->limbs[i] * by + carry;
        v->limbs[i] = (uint32_t)wide;
        carry = wide >> 32;
    }
    return (uint32_t)carry;
}

bool sm_big_parse(sm_bytes digits, uint32_t radix, sm_big *out)
{
    sm_big v = {0};
    for (size_t i = 0; i < digits.len; i++) {
        const uint32_t digit = digit_of(digits.data[i]);
        if (digit >= radix || multiply_add(&v, radix, digit) != 0) {
            return false;
        }
    }
    *out = v;
    return digits.len != 0;
}

bool sm_big_print(const sm_big *v, uint32_t radix, size_t width, char *out)
{
    sm_big rest = *v;
    for (size_t i = width; i > 0; i--) {
        uint32_t digit = 0;
        rest = sm_big_divide(&rest, radix, &digit);
        out[i - 1] = "0123456789abcdef"[digit];
    }
    return sm_big_is_zero(&rest);
}

bool sm_big_bytes(const sm_big *v, size_t width, uint8_t *out)
{
    sm_big rest = *v;
    for (size_t i = width; i > 0; i--) {
        uint32_t byte = 0;
        rest = sm_big_divide(&rest, 256, &byte);
        out[i - 1] = (uint8_t)byte;
    }
    return sm_big_is_zero(&rest);
}

int sm_big_compare(const sm_big *a, const sm_big *b)
{
    for (size_t i = SM_BIG_LIMBS; i > 0; i--) {
        if (a->limbs[i - 1] != b->limbs[i - 1]) {
            return a->limbs[i - 1] < b->limbs[i - 1] ? -1 : 1;
        }
    }
    return 0;
}

bool sm_big_is_zero(const sm_big *v)
{
    const sm_big zero = {0};
    return sm_big_compare(v, &zero) == 0;
}

sm_big sm_big_power(unsigned bit)
{
    sm_big v = {0};
    v.limbs[bit / 32] = UINT32_C(1) << bit % 32;
    return v;
}

sm_big sm_big_add(const sm_big *a, const sm_big *b)
{
    sm_big sum;
    uint64_t carry = 0;
    for (size_t i = 0; i < SM_BIG_LIMBS; i++) {
        carry += (uint64_t)a->limbs[i] + b->limbs[i];
        sum.limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return sum;
}

sm_big sm_big_subtract(const sm_big *a, const sm_big *b)
{
    sm_big difference;
    uint32_t borrow = 0;
    for (size_t i = 0; i < SM_BIG_LIMBS; i++) {
        const uint64_t wide = (uint64_t)a->limbs[i] - b->limbs[i] - borrow;
        difference.limbs[i] = (uint32_t)wide;
        borrow = (uint32_t)(wide >> 63);
    }
    return difference;
}

sm_big sm_big_multiply(const sm_big *v, uint32_t by)
{
    sm_big product = *v;
    (void)multiply_add(&product, by, 0);
    return product;
}

sm_big sm_big_divide(const sm_big *v, uint32_t by, uint32_t *remainder)
{
    sm_big quotient;
    uint64_t rest = 0;
    for (size_t i = SM_BIG_LIMBS; i > 0; i--) {
        const uint64_t wide = rest << 32 | v->limbs[i - 1];
        quotient.limbs[i - 1] = (uint32_t)(wide / by);
        rest = wide % by;
    }
    *remainder = (uint32_t)rest;
    return quotient;
}
