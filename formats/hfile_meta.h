/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind the cells of an HFile: root index, file info, bloom metas, and the entries of
 * index blocks. Parsing only; each function says what is wrong and the caller where. */
#ifndef SM_FORMATS_HFILE_META_H
#define SM_FORMATS_HFILE_META_H

#include "core/buf.h"
#include "formats/hfile_block.h"
#include "formats/sink.h"

/* One entry of an index or of a bloom's list of chunks. */
typedef struct sm_hfile_entry {
    sm_hfile_place place;
    sm_bytes key; /* into the payload */
} sm_hfile_entry;

/* Root form: offset i64 | size i32 | vint length | key. Moves *at; false when it does not fit. */
bool sm_hfile_root_entry_load(sm_bytes payload, size_t *at, sm_hfile_entry *out);

/* Leaf form; *count > 0 on success. */
bool sm_hfile_leaf_load(sm_bytes payload, uint32_t *count);
/* Entry i < count of a payload that sm_hfile_leaf_load took; false when it does not fit. */
bool sm_hfile_leaf_entry(sm_bytes payload, uint32_t count, uint32_t i, sm_hfile_entry *out);

typedef struct sm_hfile_bloom_meta {
    uint64_t total_bytes, keys, most_keys;
    uint32_t hashes, hash_type, chunks;
    sm_bytes comparator;
    size_t entries_at; /* in the payload: root form */
} sm_hfile_bloom_meta;
bool sm_hfile_bloom_meta_load(sm_bytes payload, sm_hfile_bloom_meta *out);

/* Appends sm_file_note structs, views into the payload, to `notes`, in stored order. */
sm_status sm_hfile_info_load(sm_bytes payload, sm_buf *notes, sm_error *err) SM_MUST_CHECK;
/* NULL data when there is no such entry. */
sm_bytes sm_hfile_info_find(const sm_buf *notes, const char *key);
/* An entry of exactly `size` bytes (1, 4 or 8) as a number; *present false when it is missing.
 * False when its size is another. */
bool sm_hfile_info_number(const sm_buf *notes, const char *key, size_t size, int64_t *out,
                          bool *present);

#endif
