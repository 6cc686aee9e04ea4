/* SPDX-License-Identifier: Apache-2.0 */
/* Parsers of the blocks behind the cells. */
#include "formats/hfile_meta.h"

#include "core/endian.h"
#include "formats/hfile_bloom.h"
#include "formats/hfile_info.h"

enum { ENTRY_FIXED = 12 };

static sm_hfile_place load_place(const uint8_t *p)
{
    return (sm_hfile_place){sm_load_be64(p), sm_load_be32(p + 8)};
}

bool sm_hfile_root_entry_load(sm_bytes payload, size_t *at, sm_hfile_entry *out)
{
    int64_t len = 0;
    *out = (sm_hfile_entry){0};
    if (*at > payload.len || payload.len - *at < ENTRY_FIXED) {
        return false;
    }
    out->place = load_place(payload.data + *at);
    *at += ENTRY_FIXED;
    if (!sm_hfile_vint_load(payload, at, &len) || len < 0 || (uint64_t)len > payload.len - *at) {
        return false;
    }
    out->key = sm_bytes_of(payload.data + *at, (size_t)len);
    *at += (size_t)len;
    return true;
}

bool sm_hfile_leaf_load(sm_bytes payload, uint32_t *count)
{
    *count = 0;
    if (payload.len < 4) {
        return false;
    }
    const uint32_t n = sm_load_be32(payload.data);
    const uint64_t table = 4 + 4 * ((uint64_t)n + 1);
    if (n == 0 || table > payload.len || sm_load_be32(payload.data + 4) != 0 ||
        sm_load_be32(payload.data + 4 + 4 * (size_t)n) != payload.len - table) {
        return false;
    }
    *count = n;
    return true;
}

bool sm_hfile_leaf_entry(sm_bytes payload, uint32_t count, uint32_t i, sm_hfile_entry *out)
{
    const uint8_t *starts = payload.data + 4 + 4 * (size_t)i;
    const size_t table = 4 + 4 * ((size_t)count + 1);
    const uint32_t start = sm_load_be32(starts);
    const uint32_t end = sm_load_be32(starts + 4);
    *out = (sm_hfile_entry){0};
    if (end < start || end - start < ENTRY_FIXED || end > payload.len - table) {
        return false;
    }
    const uint8_t *p = payload.data + table + start;
    out->place = load_place(p);
    out->key = sm_bytes_of(p + ENTRY_FIXED, end - start - ENTRY_FIXED);
    return true;
}

bool sm_hfile_bloom_meta_load(sm_bytes payload, sm_hfile_bloom_meta *out)
{
    int64_t len = 0;
    *out = (sm_hfile_bloom_meta){0};
    if (payload.len < SM_HFILE_BLOOM_FIXED ||
        sm_load_be32(payload.data) != SM_HFILE_BLOOM_VERSION) {
        return false;
    }
    out->total_bytes = sm_load_be64(payload.data + 4);
    out->hashes = sm_load_be32(payload.data + 12);
    out->hash_type = sm_load_be32(payload.data + 16);
    out->keys = sm_load_be64(payload.data + 20);
    out->most_keys = sm_load_be64(payload.data + 28);
    out->chunks = sm_load_be32(payload.data + 36);
    size_t at = SM_HFILE_BLOOM_FIXED;
    if (!sm_hfile_vint_load(payload, &at, &len) || len < 0 || (uint64_t)len > payload.len - at) {
        return false;
    }
    out->comparator = sm_bytes_of(payload.data + at, (size_t)len);
    out->entries_at = at + (size_t)len;
    return out->hashes > 0 && out->hashes < 256 && out->hash_type <= SM_HFILE_HASH_MURMUR3 &&
           out->chunks > 0 && out->chunks <= payload.len;
}

/* ---- file info ----------------------------------------------------------------------------------
 */

static bool load_pair(sm_bytes pair, sm_file_note *out)
{
    bool first = false;
    bool second = false;
    *out = (sm_file_note){0};
    for (size_t at = 0; at < pair.len;) {
        sm_hfile_field f;
        if (!sm_hfile_field_load(pair, &at, &f) || !f.is_bytes) {
            return false;
        }
        if (f.number == 1) {
            out->key = f.bytes;
            first = true;
        } else if (f.number == 2) {
            out->value = f.bytes;
            second = true;
        }
    }
    return first && second;
}

sm_status sm_hfile_info_load(sm_bytes payload, sm_buf *notes, sm_error *err)
{
    size_t at = SM_HFILE_INFO_MAGIC_SIZE;
    uint64_t len = 0;
    if (payload.len < at || memcmp(payload.data, sm_hfile_info_magic, at) != 0) {
        return sm_fail(err, SM_E_FORMAT, "the file info does not begin with PBUF");
    }
    if (!sm_hfile_leb_load(payload, &at, &len) || len != payload.len - at) {
        return sm_fail(err, SM_E_FORMAT, "the file info's length is not what its block holds");
    }
    while (at < payload.len) {
        sm_hfile_field f;
        sm_file_note note;
        if (!sm_hfile_field_load(payload, &at, &f) || !f.is_bytes || f.number != 1 ||
            !load_pair(f.bytes, &note)) {
            return sm_fail(err, SM_E_FORMAT, "the file info is damaged before its byte %zu", at);
        }
        const sm_status st = sm_buf_append(notes, &note, sizeof note, err);
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}

sm_bytes sm_hfile_info_find(const sm_buf *notes, const char *key)
{
    for (size_t at = 0; at < notes->len; at += sizeof(sm_file_note)) {
        sm_file_note note;
        memcpy(&note, notes->data + at, sizeof note);
        if (sm_bytes_equal_text(note.key, key)) {
            return note.value;
        }
    }
    return sm_bytes_of(NULL, 0);
}

bool sm_hfile_info_number(const sm_buf *notes, const char *key, size_t size, int64_t *out,
                          bool *present)
{
    const sm_bytes value = sm_hfile_info_find(notes, key);
    *out = 0;
    *present = value.data != NULL;
    if (!*present) {
        return true;
    }
    if (value.len != size) {
        return false;
    }
    switch (size) {
    case 1: *out = value.data[0]; return true;
    case 4: *out = (int32_t)sm_load_be32(value.data); return true;
    default: *out = (int64_t)sm_load_be64(value.data); return true;
    }
}
