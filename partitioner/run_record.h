/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of one row in a share of memory and in a run file, and the total order of rows in a
 * part.
 *
 *   | order, 8 LE | leb key length | leb payload length * 2 + external | key | payload |
 *
 * external = 1 (run files only): the payload is larger than a block and lies in blocks of its own;
 * in its place stand | file offset of the first of them, 8 LE | xxh64 of the payload, 8 LE |.
 *
 * Rows compare by key, then order. Rows that agree in both are told apart by payload length and the
 * payload's xxh64, so that their order never depends on where they were kept. */
#ifndef SM_PARTITIONER_RUN_RECORD_H
#define SM_PARTITIONER_RUN_RECORD_H

#include "core/bytes.h"
#include "core/endian.h"
#include "core/hash.h"
#include "partitioner/leb.h"

typedef struct sm_record_view {
    uint64_t order;
    sm_bytes key;
    sm_bytes payload;     /* data is NULL while external */
    uint64_t external_at; /* file offset, when external */
    uint64_t external_hash;
    bool external;
} sm_record_view;

/* Bytes behind a record that may be read (never used) by code that loads eight at a time. */
enum { SM_RECORD_SLACK = 8, SM_RECORD_EXTERNAL = 16, SM_RECORD_HEADER_MAX = 8 + 2 * SM_LEB_MAX };

static inline size_t sm_record_size(size_t key_len, size_t payload_len)
{
    return 8 + sm_leb_size(key_len) + sm_leb_size((uint64_t)payload_len << 1) + key_len +
           payload_len;
}

/* Writes the header and the key; returns the place of the payload. */
static inline uint8_t *sm_record_put(uint8_t *p, uint64_t order, sm_bytes key, size_t payload_len,
                                     bool external)
{
    sm_store_le64(p, order);
    p = sm_leb_put(p + 8, key.len);
    p = sm_leb_put(p, (uint64_t)payload_len << 1 | external);
    memcpy(p, key.data, key.len);
    return p + key.len;
}

/* Reads the record at *p and moves *p behind it; false when it does not fit before `end`. */
static inline bool sm_record_get(const uint8_t **p, const uint8_t *end, sm_record_view *out)
{
    const uint8_t *at = *p;
    uint64_t key_len;
    uint64_t tagged;
    if (end - at < 8) {
        return false;
    }
    out->order = sm_load_le64(at);
    at += 8;
    if (!sm_leb_get(&at, end, &key_len) || !sm_leb_get(&at, end, &tagged)) {
        return false;
    }
    const uint64_t payload_len = tagged >> 1;
    const uint64_t stored = (tagged & 1) != 0 ? SM_RECORD_EXTERNAL : payload_len;
    const uint64_t left = (uint64_t)(end - at);
    if (key_len > left || stored > left - key_len) {
        return false;
    }
    out->key = sm_bytes_of(at, key_len);
    at += key_len;
    out->external = (tagged & 1) != 0;
    out->payload = sm_bytes_of(out->external ? NULL : at, payload_len);
    out->external_at = out->external ? sm_load_le64(at) : 0;
    out->external_hash = out->external ? sm_load_le64(at + 8) : 0;
    *p = at + stored;
    return true;
}

/* Fetching a record into the cache in two steps, for walks in sorted order: the line with its
 * header long before it is needed, and once that is there, the lines behind it. */
enum { SM_RECORD_AHEAD = 16, SM_RECORD_NEAR = 6, SM_RECORD_FETCHED_MOST = 512 };

static inline void sm_record_fetch_header(const uint8_t *p)
{
    __builtin_prefetch(p);
}

static inline void sm_record_fetch_rest(const uint8_t *p)
{
    /* Right for lengths of one byte each, which is when exactness saves anything. */
    const bool small = (p[8] | p[9]) < 0x80;
    const size_t size = small ? (size_t)10 + p[8] + p[9] / 2 : SM_RECORD_FETCHED_MOST;
    for (size_t at = 64; at < size + 63; at += 64) {
        __builtin_prefetch(p + at);
    }
}

static inline uint64_t sm_record_hash(const sm_record_view *r)
{
    return r->external ? r->external_hash : sm_xxh64(r->payload);
}

/* Order of two rows with equal keys. */
static inline int sm_record_compare_ties(const sm_record_view *a, const sm_record_view *b)
{
    if (a->order != b->order) {
        return a->order < b->order ? -1 : 1;
    }
    if (a->payload.len != b->payload.len) {
        return a->payload.len < b->payload.len ? -1 : 1;
    }
    const uint64_t x = sm_record_hash(a);
    const uint64_t y = sm_record_hash(b);
    return (x > y) - (x < y);
}

static inline int sm_record_compare(const sm_record_view *a, const sm_record_view *b)
{
    const int c = sm_bytes_compare(a->key, b->key);
    return c != 0 ? c : sm_record_compare_ties(a, b);
}

#endif
