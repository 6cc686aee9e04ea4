/* SPDX-License-Identifier: Apache-2.0 */
/* The table of hashes and their makers: murmur3 is written here, the others come from libxxhash,
 * zlib and libcrypto. */
#include "core/hash.h"

#include "core/endian.h"
#include "core/mem.h"

#include <openssl/evp.h>
#define XXH_STATIC_LINKING_ONLY /* for the size of XXH64_state_t, so that mem.h allocates it */
#include <xxhash.h>
#include <zlib.h>

typedef struct hash_row {
    const char *name;
    size_t size;           /* bytes of a result */
    const char *algorithm; /* libcrypto's name; NULL: not from libcrypto */
} hash_row;

static const hash_row ROWS[SM_HASH_KINDS] = {
    [SM_HASH_MURMUR3] = {"murmur3", 4, NULL},    [SM_HASH_XXH3] = {"xxh3", 8, NULL},
    [SM_HASH_XXH64] = {"xxh64", 8, NULL},        [SM_HASH_CRC32] = {"crc32", 4, NULL},
    [SM_HASH_MD5] = {"md5", 16, "MD5"},          [SM_HASH_SHA1] = {"sha1", 20, "SHA1"},
    [SM_HASH_SHA256] = {"sha256", 32, "SHA256"},
};

/* One context per algorithm, so that starting it again reuses what it holds and allocates nothing.
 */
struct sm_hasher {
    EVP_MD_CTX *contexts[SM_HASH_KINDS]; /* NULL: not from libcrypto */
};

static sm_status new_context(const hash_row *row, EVP_MD_CTX **out, sm_error *err)
{
    EVP_MD *algorithm = EVP_MD_fetch(NULL, row->algorithm, NULL);
    if (algorithm == NULL) {
        return sm_fail(err, SM_E_JOB,
                       "%s: this machine's libcrypto does not offer it (a FIPS setting?)",
                       row->name);
    }
    *out = EVP_MD_CTX_new();
    /* The context keeps its own reference to the algorithm. */
    const bool started = *out != NULL && EVP_DigestInit_ex2(*out, algorithm, NULL) == 1;
    EVP_MD_free(algorithm);
    if (!started) {
        return sm_fail(err, SM_E_MEMORY, "%s: libcrypto could not start it", row->name);
    }
    return SM_OK;
}

sm_status sm_hasher_new(sm_hasher **out, sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    sm_status st = sm_new(sizeof(sm_hasher), "a hasher", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_hasher *h = p;
    for (int kind = 0; kind < SM_HASH_KINDS && st == SM_OK; kind++) {
        if (ROWS[kind].algorithm != NULL) {
            st = new_context(&ROWS[kind], &h->contexts[kind], err);
        }
    }
    if (st != SM_OK) {
        sm_hasher_free(h);
        return st;
    }
    *out = h;
    return SM_OK;
}

void sm_hasher_free(sm_hasher *h)
{
    if (h == NULL) {
        return;
    }
    for (int kind = 0; kind < SM_HASH_KINDS; kind++) {
        EVP_MD_CTX_free(h->contexts[kind]);
    }
    sm_free(h);
}

bool sm_hash_named(sm_bytes name, sm_hash_kind *out)
{
    for (int kind = 0; kind < SM_HASH_KINDS; kind++) {
        if (sm_bytes_equal_text(name, ROWS[kind].name)) {
            *out = (sm_hash_kind)kind;
            return true;
        }
    }
    return false;
}

const char *sm_hash_name(sm_hash_kind kind)
{
    return ROWS[kind].name;
}

size_t sm_hash_size(sm_hash_kind kind)
{
    return ROWS[kind].size;
}

/* After a start that went well nothing here allocates, so nothing can fail; should libcrypto ever
 * say otherwise, stopping is better than rows under a wrong key. */
static void digest(EVP_MD_CTX *context, sm_bytes input, uint8_t *out)
{
    if (EVP_DigestInit_ex2(context, NULL, NULL) != 1 ||
        EVP_DigestUpdate(context, input.data, input.len) != 1 ||
        EVP_DigestFinal_ex(context, out, NULL) != 1) {
        __builtin_trap();
    }
}

void sm_hash(sm_hasher *h, sm_hash_kind kind, sm_bytes input, uint8_t out[SM_HASH_MAX_BYTES])
{
    switch (kind) {
    case SM_HASH_MURMUR3: sm_store_be32(out, sm_murmur3(input, 0)); break;
    case SM_HASH_XXH3: sm_store_be64(out, sm_xxh3(input)); break;
    case SM_HASH_XXH64: sm_store_be64(out, sm_xxh64(input)); break;
    case SM_HASH_CRC32: sm_store_be32(out, sm_crc32(input)); break;
    case SM_HASH_MD5:
    case SM_HASH_SHA1:
    case SM_HASH_SHA256: digest(h->contexts[kind], input, out); break;
    case SM_HASH_KINDS: break;
    }
}

uint32_t sm_hash_mod(sm_hasher *h, sm_hash_kind kind, sm_bytes input, uint32_t n)
{
    uint8_t hash[SM_HASH_MAX_BYTES];
    sm_hash(h, kind, input, hash);
    uint64_t rest = 0; /* below 2^32, so it fits in front of 32 more bits; all sizes are 4 * k */
    for (size_t i = 0; i < ROWS[kind].size; i += 4) {
        rest = (rest << 32 | sm_load_be32(hash + i)) % n;
    }
    return (uint32_t)rest;
}

static uint32_t rotate_left(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

static uint32_t murmur3_scramble(uint32_t k)
{
    return rotate_left(k * 0xCC9E2D51u, 15) * 0x1B873593u;
}

static uint32_t murmur3_finish(uint32_t h)
{
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    return h ^ h >> 16;
}

uint32_t sm_murmur3(sm_bytes input, uint32_t seed)
{
    uint32_t h = seed;
    size_t at = 0;
    for (; input.len - at >= 4; at += 4) {
        h = rotate_left(h ^ murmur3_scramble(sm_load_le32(input.data + at)), 13) * 5 + 0xE6546B64u;
    }
    uint32_t tail = 0;
    for (size_t i = input.len; i > at; i--) {
        tail = tail << 8 | input.data[i - 1];
    }
    h ^= murmur3_scramble(tail);
    return murmur3_finish(h ^ (uint32_t)input.len);
}

uint64_t sm_xxh3(sm_bytes input)
{
    return XXH3_64bits(input.data, input.len);
}

uint64_t sm_xxh64(sm_bytes input)
{
    return XXH64(input.data, input.len, 0);
}

void sm_xxh128(sm_bytes input, uint8_t out[16])
{
    const XXH128_hash_t value = XXH3_128bits(input.data, input.len);
    sm_store_be64(out, value.high64);
    sm_store_be64(out + 8, value.low64);
}

uint32_t sm_crc32(sm_bytes input)
{
    /* zlib takes a NULL pointer for a question about the start value. */
    return input.len == 0 ? 0 : (uint32_t)crc32_z(0, input.data, input.len);
}

struct sm_xxh64_stream {
    XXH64_state_t state;
};

sm_status sm_xxh64_stream_new(sm_xxh64_stream **out, sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    const sm_status st = sm_new(sizeof(sm_xxh64_stream), "a checksum", &p, err);
    if (st == SM_OK) {
        *out = p;
        (void)XXH64_reset(&(*out)->state, 0);
    }
    return st;
}

void sm_xxh64_stream_free(sm_xxh64_stream *s)
{
    sm_free(s);
}

void sm_xxh64_stream_add(sm_xxh64_stream *s, sm_bytes data)
{
    if (data.len != 0) {
        (void)XXH64_update(&s->state, data.data, data.len);
    }
}

uint64_t sm_xxh64_stream_value(const sm_xxh64_stream *s)
{
    return XXH64_digest(&s->state);
}
