/* SPDX-License-Identifier: Apache-2.0 */
/* Bloom chunks of the size, fill and hash that HBase's own writer would choose. */
#include "formats/hfile_bloom.h"

#include "core/endian.h"
#include "core/hash.h"

enum { FOLDS = 7 };

/* Keys for each bit at a rate p of false positives: -ln(1 - exp(ln p / k)) / k, where p is 0.01 as
 * a 32-bit float and k = 7. The number of hashes comes to 7 for every size that can be folded 7
 * times. */
static const double keys_numerator = 0.7297021797280255;

void sm_hfile_bloom_init(sm_hfile_bloom *b, uint32_t block_size)
{
    const uint32_t unit = 1u << FOLDS;
    const uint32_t bytes = (block_size + unit - 1) / unit * unit;
    const uint32_t bits = bytes * 8;
    *b = (sm_hfile_bloom){
        .chunk_bytes = bytes,
        .chunk_keys = (uint32_t)((double)bits * keys_numerator / SM_HFILE_BLOOM_HASHES),
        .mask = (bits & (bits - 1)) == 0 ? bits - 1 : 0,
    };
    sm_buf_init(&b->bits, bytes);
    sm_buf_init(&b->first_key, SM_ROW_MAX);
    sm_buf_init(&b->ready, UINT32_MAX);
    sm_buf_init(&b->entries, INT32_MAX);
    sm_buf_init(&b->block, UINT32_MAX);
}

void sm_hfile_bloom_free(sm_hfile_bloom *b)
{
    sm_buf_free(&b->bits);
    sm_buf_free(&b->first_key);
    sm_buf_free(&b->ready);
    sm_buf_free(&b->entries);
    sm_buf_free(&b->block);
}

/* ---- hashing ------------------------------------------------------------------------------------
 */

static uint32_t signed_byte(uint8_t byte)
{
    return (uint32_t)(int32_t)(int8_t)byte;
}

uint32_t sm_hfile_murmur(sm_bytes key, uint32_t seed)
{
    const uint32_t m = 0x5BD1E995u;
    uint32_t h = seed ^ (uint32_t)key.len;
    size_t at = 0;
    for (; key.len - at >= 4; at += 4) {
        uint32_t k = sm_load_le32(key.data + at) * m;
        k = (k ^ k >> 24) * m;
        h = h * m ^ k;
    }
    const size_t left = key.len - at;
    if (left != 0) {
        h ^= left == 3 ? signed_byte(key.data[at + 2]) << 16 : 0;
        h ^= left >= 2 ? signed_byte(key.data[at + 1]) << 8 : 0;
        h = (h ^ signed_byte(key.data[at])) * m;
    }
    h = (h ^ h >> 13) * m;
    return h ^ h >> 15;
}

/* Java takes the absolute value of a signed remainder. */
static uint32_t magnitude(uint32_t hash)
{
    return (int32_t)hash < 0 ? 0u - hash : hash;
}

bool sm_hfile_bloom_has(sm_bytes bits, sm_bytes key, uint32_t hashes, uint32_t hash_type)
{
    const bool murmur3 = hash_type == SM_HFILE_HASH_MURMUR3;
    uint32_t hash = murmur3 ? sm_murmur3(key, 0) : sm_hfile_murmur(key, 0);
    const uint32_t step = murmur3 ? sm_murmur3(key, hash) : sm_hfile_murmur(key, hash);
    const uint64_t count = (uint64_t)bits.len * 8;
    for (uint32_t i = 0; i < hashes; i++) {
        const uint64_t bit = magnitude(hash) % count;
        if ((bits.data[bit >> 3] >> (bit & 7) & 1) == 0) {
            return false;
        }
        hash += step;
    }
    return true;
}

static void set_bits(sm_hfile_bloom *b, sm_bytes key)
{
    uint32_t hash = sm_hfile_murmur(key, 0);
    const uint32_t step = sm_hfile_murmur(key, hash);
    for (int i = 0; i < SM_HFILE_BLOOM_HASHES; i++) {
        const uint32_t u = magnitude(hash);
        const uint32_t bit = b->mask != 0 ? u & b->mask : u % (b->chunk_bytes * 8);
        b->bits.data[bit >> 3] |= (uint8_t)(1u << (bit & 7));
        hash += step;
    }
}

/* ---- chunks -------------------------------------------------------------------------------------
 */

/* Halves a sparse chunk, one half laid over the other, while that keeps the rate. */
static uint32_t fold(sm_hfile_bloom *b, uint32_t *most)
{
    uint32_t bytes = b->chunk_bytes;
    *most = b->chunk_keys;
    while ((bytes & 1) == 0 && *most > 2 * b->keys) {
        bytes /= 2;
        *most /= 2;
        for (uint32_t i = 0; i < bytes; i++) {
            b->bits.data[i] |= b->bits.data[bytes + i];
        }
    }
    return bytes;
}

static sm_status close_chunk(sm_hfile_bloom *b, sm_error *err)
{
    uint32_t most = 0;
    const uint32_t bytes = fold(b, &most);
    const uint32_t sizes[2] = {(uint32_t)b->first_key.len, bytes};
    sm_status st = sm_buf_append(&b->ready, sizes, sizeof sizes, err);
    if (st == SM_OK) {
        st = sm_buf_append(&b->ready, b->first_key.data, b->first_key.len, err);
    }
    if (st == SM_OK) {
        st = sm_buf_append(&b->ready, b->bits.data, bytes, err);
    }
    b->total_bytes += bytes;
    b->total_keys += b->keys;
    b->total_most += most;
    b->keys = 0;
    return st;
}

static sm_status open_chunk(sm_hfile_bloom *b, sm_bytes key, sm_error *err)
{
    sm_buf_clear(&b->bits);
    sm_buf_clear(&b->first_key);
    sm_status st = sm_buf_reserve(&b->bits, b->chunk_bytes, err);
    if (st != SM_OK) {
        return st;
    }
    memset(b->bits.data, 0, b->chunk_bytes);
    return sm_buf_append(&b->first_key, key.data, key.len, err);
}

sm_status sm_hfile_bloom_add(sm_hfile_bloom *b, sm_bytes key, sm_error *err)
{
    sm_status st = SM_OK;
    if (b->keys == b->chunk_keys) {
        st = close_chunk(b, err);
    }
    if (st == SM_OK && b->keys == 0) {
        st = open_chunk(b, key, err);
    }
    if (st == SM_OK) {
        set_bits(b, key);
        b->keys++;
    }
    return st;
}

static sm_status add_entry(sm_hfile_bloom *b, sm_hfile_place place, sm_bytes key, sm_error *err)
{
    uint8_t head[12 + SM_HFILE_VINT_MAX];
    sm_store_be64(head, place.offset);
    sm_store_be32(head + 8, place.size);
    const size_t n = 12 + sm_hfile_vint_store(head + 12, (int64_t)key.len);
    const sm_status st = sm_buf_append(&b->entries, head, n, err);
    b->chunks++;
    return st == SM_OK ? sm_buf_append(&b->entries, key.data, key.len, err) : st;
}

sm_status sm_hfile_bloom_poll(sm_hfile_bloom *b, sm_hfile_blocks *w, sm_error *err)
{
    for (size_t at = 0; at < b->ready.len;) {
        uint32_t sizes[2];
        memcpy(sizes, b->ready.data + at, sizeof sizes);
        const sm_bytes key = sm_bytes_of(b->ready.data + at + sizeof sizes, sizes[0]);
        sm_hfile_place place;
        sm_status st = sm_hfile_block_begin(&b->block, err);
        if (st == SM_OK) {
            st = sm_buf_append(&b->block, key.data + key.len, sizes[1], err);
        }
        if (st == SM_OK) {
            st = sm_hfile_block_write(w, SM_HFILE_BLOOM_CHUNK, &b->block, &place, err);
        }
        if (st == SM_OK) {
            st = add_entry(b, place, key, err);
        }
        if (st != SM_OK) {
            return st;
        }
        at += sizeof sizes + sizes[0] + sizes[1];
    }
    sm_buf_clear(&b->ready);
    return SM_OK;
}

sm_status sm_hfile_bloom_close(sm_hfile_bloom *b, sm_hfile_blocks *w, sm_error *err)
{
    const sm_status st = b->keys == 0 ? SM_OK : close_chunk(b, err);
    return st == SM_OK ? sm_hfile_bloom_poll(b, w, err) : st;
}

sm_status sm_hfile_bloom_finish(sm_hfile_bloom *b, sm_hfile_block_type type, sm_hfile_blocks *w,
                                sm_error *err)
{
    if (b->total_keys == 0) {
        return SM_OK;
    }
    uint8_t fixed[SM_HFILE_BLOOM_FIXED + 1];
    sm_store_be32(fixed, SM_HFILE_BLOOM_VERSION);
    sm_store_be64(fixed + 4, b->total_bytes);
    sm_store_be32(fixed + 12, SM_HFILE_BLOOM_HASHES);
    sm_store_be32(fixed + 16, SM_HFILE_HASH_MURMUR);
    sm_store_be64(fixed + 20, b->total_keys);
    sm_store_be64(fixed + 28, b->total_most);
    sm_store_be32(fixed + 36, b->chunks);
    fixed[SM_HFILE_BLOOM_FIXED] = 0; /* no comparator: keys compare as bytes */
    sm_hfile_place place;
    sm_status st = sm_hfile_block_begin(&b->block, err);
    if (st == SM_OK) {
        st = sm_buf_append(&b->block, fixed, sizeof fixed, err);
    }
    if (st == SM_OK) {
        st = sm_buf_append(&b->block, b->entries.data, b->entries.len, err);
    }
    return st == SM_OK ? sm_hfile_block_write(w, type, &b->block, &place, err) : st;
}
