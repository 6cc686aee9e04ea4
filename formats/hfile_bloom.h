/* SPDX-License-Identifier: Apache-2.0 */
/* A compound bloom filter while it is written, and the test of one key against one chunk.
 *
 * Keys come in ascending order. A chunk holds keys up to a limit, is then closed, folded down if it
 * is sparse, and waits for the next border between data blocks to be written there.
 *
 *   meta block:  version i32 = 3 | bytes of chunks i64 | hashes i32 | hash type i32 | keys i64 |
 *                most keys i64 | chunks i32 | comparator vint 0 |
 *                for each chunk: offset i64 | size i32 | vint length | first key */
#ifndef SM_FORMATS_HFILE_BLOOM_H
#define SM_FORMATS_HFILE_BLOOM_H

#include "core/kv.h"
#include "formats/hfile_block.h"

enum { SM_HFILE_BLOOM_VERSION = 3, SM_HFILE_BLOOM_HASHES = 7, SM_HFILE_BLOOM_FIXED = 40 };
enum { SM_HFILE_HASH_JENKINS = 0, SM_HFILE_HASH_MURMUR = 1, SM_HFILE_HASH_MURMUR3 = 2 };
enum { SM_HFILE_BLOOM_BLOCK_MAX = 1 << 27 };

typedef struct sm_hfile_bloom {
    uint32_t chunk_bytes, chunk_keys; /* of a chunk before folding */
    uint32_t mask;                    /* number of bits - 1 when that is a power of two, else 0 */
    /* The open chunk. */
    sm_buf bits, first_key;
    uint32_t keys;
    /* Closed chunks waiting: key length u32 | bytes u32 | key | bits. */
    sm_buf ready;
    /* Entries of the meta block, for the chunks written. */
    sm_buf entries, block;
    uint32_t chunks;
    uint64_t total_bytes, total_keys, total_most;
} sm_hfile_bloom;

/* block_size is rounded up to what can be folded seven times. Allocates nothing yet. */
void sm_hfile_bloom_init(sm_hfile_bloom *b, uint32_t block_size);
void sm_hfile_bloom_free(sm_hfile_bloom *b); /* takes a zeroed one */
sm_status sm_hfile_bloom_add(sm_hfile_bloom *b, sm_bytes key, sm_error *err) SM_MUST_CHECK;
/* Writes the chunks that wait. */
sm_status sm_hfile_bloom_poll(sm_hfile_bloom *b, sm_hfile_blocks *w, sm_error *err) SM_MUST_CHECK;
/* Closes and writes the open chunk too. */
sm_status sm_hfile_bloom_close(sm_hfile_bloom *b, sm_hfile_blocks *w, sm_error *err) SM_MUST_CHECK;
/* The meta block; nothing for a filter without keys. */
sm_status sm_hfile_bloom_finish(sm_hfile_bloom *b, sm_hfile_block_type type, sm_hfile_blocks *w,
                                sm_error *err) SM_MUST_CHECK;

/* MurmurHash2 as HBase computes it: bytes behind the last whole word are signed. */
uint32_t sm_hfile_murmur(sm_bytes key, uint32_t seed);
/* Whether the bits of `key` are all set. hash_type MURMUR or MURMUR3; bits not empty. */
bool sm_hfile_bloom_has(sm_bytes bits, sm_bytes key, uint32_t hashes, uint32_t hash_type);

#endif
