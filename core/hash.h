/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes behind one call shape. All results are bytes as the hash's own definition prints them:
 * big endian for the numbers, so that "unsigned big-endian mod N" is the same rule for each.
 *
 *   name      bytes  definition
 *   murmur3   4      MurmurHash3_x86_32, seed 0 (Guava murmur3_32_fixed, Python mmh3)
 *   xxh3      8      XXH3 64 bits, seed 0       xxh64  8  XXH64, seed 0
 *   crc32     4      zlib's CRC-32 (java.util.zip.CRC32)
 *   md5 16, sha1 20, sha256 32
 *
 * Thread-safe; nothing allocates after sm_hasher_new (libcrypto's contexts are per hasher). */
#ifndef SM_CORE_HASH_H
#define SM_CORE_HASH_H

#include "core/bytes.h"
#include "core/error.h"

typedef enum sm_hash_kind {
    SM_HASH_MURMUR3,
    SM_HASH_XXH3,
    SM_HASH_XXH64,
    SM_HASH_CRC32,
    SM_HASH_MD5,
    SM_HASH_SHA1,
    SM_HASH_SHA256,
    SM_HASH_KINDS
} sm_hash_kind;

enum { SM_HASH_MAX_BYTES = 32 };

/* A hasher holds what libcrypto needs; one per thread. */
typedef struct sm_hasher sm_hasher;
sm_status sm_hasher_new(sm_hasher **out, sm_error *err) SM_MUST_CHECK;
void sm_hasher_free(sm_hasher *h); /* takes NULL */

bool sm_hash_named(sm_bytes name, sm_hash_kind *out); /* "murmur3" ... */
const char *sm_hash_name(sm_hash_kind kind);
size_t sm_hash_size(sm_hash_kind kind);

/* Writes sm_hash_size(kind) bytes to out. */
void sm_hash(sm_hasher *h, sm_hash_kind kind, sm_bytes input, uint8_t out[SM_HASH_MAX_BYTES]);
/* The hash as one unsigned big-endian number, whatever its length, mod n; n >= 1. */
uint32_t sm_hash_mod(sm_hasher *h, sm_hash_kind kind, sm_bytes input, uint32_t n);

/* Single hashes that need no hasher. */
uint32_t sm_murmur3(sm_bytes input, uint32_t seed);
uint64_t sm_xxh3(sm_bytes input);
uint64_t sm_xxh64(sm_bytes input);
void sm_xxh128(sm_bytes input, uint8_t out[16]); /* canonical, big endian */
uint32_t sm_crc32(sm_bytes input);
/* CRC32C (Castagnoli) continued from `crc` (0 to start); uses the CPU's instruction when it has
 * one. */
uint32_t sm_crc32c(uint32_t crc, sm_bytes input);
/* The same without the instruction: what sm_crc32c falls back to. */
uint32_t sm_crc32c_portable(uint32_t crc, sm_bytes input);

/* XXH64 over a stream. */
typedef struct sm_xxh64_stream sm_xxh64_stream;
sm_status sm_xxh64_stream_new(sm_xxh64_stream **out, sm_error *err) SM_MUST_CHECK;
void sm_xxh64_stream_free(sm_xxh64_stream *s);
void sm_xxh64_stream_add(sm_xxh64_stream *s, sm_bytes data);
uint64_t sm_xxh64_stream_value(const sm_xxh64_stream *s);

#endif
