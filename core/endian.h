/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of fixed-width integers at any address, big and little endian. */
#ifndef SM_CORE_ENDIAN_H
#define SM_CORE_ENDIAN_H

#include <stdint.h>
#include <string.h>

static inline void sm_store_be16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void sm_store_be32(uint8_t *p, uint32_t v)
{
    const uint32_t swapped = __builtin_bswap32(v);
    memcpy(p, &swapped, sizeof swapped);
}

static inline void sm_store_be64(uint8_t *p, uint64_t v)
{
    const uint64_t swapped = __builtin_bswap64(v);
    memcpy(p, &swapped, sizeof swapped);
}

static inline uint16_t sm_load_be16(const uint8_t *p)
{
    return (uint16_t)((uint16_t)(p[0] << 8) | p[1]);
}

static inline uint32_t sm_load_be32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return __builtin_bswap32(v);
}

static inline uint64_t sm_load_be64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return __builtin_bswap64(v);
}

static inline void sm_store_le32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void sm_store_le64(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline uint32_t sm_load_le32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t sm_load_le64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "endian.h is written for little-endian machines"
#endif

#endif
