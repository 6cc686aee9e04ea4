/* SPDX-License-Identifier: Apache-2.0 */
/* The trailer: magic, a protobuf message with its length, zeros, version. */
#include "core/endian.h"
#include "formats/hfile_layout.h"

#include <inttypes.h>

/* Field numbers of HBase's FileTrailerProto; the wire type is 0 but for the comparator's name. */
enum {
    FILE_INFO_OFFSET = 1,
    LOAD_ON_OPEN_OFFSET,
    INDEX_PLAIN_SIZE,
    TOTAL_PLAIN_SIZE,
    INDEX_COUNT,
    META_INDEX_COUNT,
    ENTRIES,
    INDEX_LEVELS,
    FIRST_DATA_OFFSET,
    LAST_DATA_OFFSET,
    COMPARATOR,
    COMPRESSION,
    ENCRYPTION_KEY,
    FIELDS
};

enum { MAGIC_SIZE = 8, VERSION_SIZE = 4, MESSAGE_MAX = 256 };

static const uint8_t magic[MAGIC_SIZE] = {'T', 'R', 'A', 'B', 'L', 'K', '"', '$'};

const char sm_hfile_comparator[] = "org.apache.hadoop.hbase.KeyValue$KVComparator";

static size_t store_number(uint8_t *out, unsigned field, uint64_t value)
{
    out[0] = (uint8_t)(field << 3);
    return 1 + sm_hfile_leb_store(out + 1, value);
}

static size_t store_bytes(uint8_t *out, unsigned field, sm_bytes value)
{
    out[0] = (uint8_t)(field << 3 | 2);
    const size_t n = 1 + sm_hfile_leb_store(out + 1, value.len);
    memcpy(out + n, value.data, value.len);
    return n + value.len;
}

void sm_hfile_trailer_store(const sm_hfile_trailer *t, uint8_t out[SM_HFILE_TRAILER_SIZE])
{
    uint8_t message[MESSAGE_MAX];
    const uint64_t before[] = {t->file_info_offset,
                               t->load_on_open_offset,
                               t->index_plain_size,
                               t->total_plain_size,
                               t->index_count,
                               t->meta_index_count,
                               t->entries,
                               t->index_levels,
                               (uint64_t)t->first_data_offset,
                               (uint64_t)t->last_data_offset};
    size_t n = 0;
    for (unsigned i = 0; i < sizeof before / sizeof before[0]; i++) {
        n += store_number(message + n, FILE_INFO_OFFSET + i, before[i]);
    }
    n += store_bytes(message + n, COMPARATOR, sm_bytes_text(sm_hfile_comparator));
    n += store_number(message + n, COMPRESSION, t->compression);

    memset(out, 0, SM_HFILE_TRAILER_SIZE);
    memcpy(out, magic, MAGIC_SIZE);
    const size_t at = MAGIC_SIZE + sm_hfile_leb_store(out + MAGIC_SIZE, n);
    memcpy(out + at, message, n);
    sm_store_be32(out + SM_HFILE_TRAILER_SIZE - VERSION_SIZE,
                  (uint32_t)SM_HFILE_MINOR << 24 | SM_HFILE_MAJOR);
}

static sm_status check_frame(const uint8_t *in, sm_hfile_trailer *out, sm_bytes *message,
                             sm_error *err)
{
    const uint32_t version = sm_load_be32(in + SM_HFILE_TRAILER_SIZE - VERSION_SIZE);
    out->major = version & 0xFFFFFF;
    out->minor = version >> 24;
    if (memcmp(in, magic, MAGIC_SIZE) != 0) {
        return sm_fail(err, SM_E_FORMAT, "no trailer of an HFile; the file is none or was cut");
    }
    if (out->major != SM_HFILE_MAJOR || out->minor > SM_HFILE_MINOR) {
        return sm_fail(err, SM_E_FORMAT, "HFile version %u.%u, expected 3.0 to 3.3", out->major,
                       out->minor);
    }
    const sm_bytes body = sm_bytes_of(in, SM_HFILE_TRAILER_SIZE - VERSION_SIZE);
    size_t at = MAGIC_SIZE;
    uint64_t n = 0;
    if (!sm_hfile_leb_load(body, &at, &n) || n > body.len - at) {
        return sm_fail(err, SM_E_FORMAT, "the trailer's message does not fit into the trailer");
    }
    *message = sm_bytes_of(in + at, n);
    for (at += n; at < body.len; at++) {
        if (in[at] != 0) {
            return sm_fail(err, SM_E_FORMAT, "the trailer is not filled up with zeros");
        }
    }
    return SM_OK;
}

static bool load_fields(sm_bytes message, uint64_t values[FIELDS], bool present[FIELDS],
                        sm_bytes *comparator)
{
    size_t at = 0;
    while (at < message.len) {
        sm_hfile_field f;
        if (!sm_hfile_field_load(message, &at, &f)) {
            return false;
        }
        if (f.number == 0 || f.number >= FIELDS) {
            continue; /* of a later version */
        }
        if (f.is_bytes != (f.number == COMPARATOR || f.number == ENCRYPTION_KEY)) {
            return false;
        }
        present[f.number] = true;
        values[f.number] = f.value;
        if (f.number == COMPARATOR) {
            *comparator = f.bytes;
        }
    }
    return true;
}

static sm_status check_fields(const uint64_t values[FIELDS], const bool present[FIELDS],
                              sm_error *err)
{
    for (unsigned i = FILE_INFO_OFFSET; i < ENCRYPTION_KEY; i++) {
        if (!present[i]) {
            return sm_fail(err, SM_E_FORMAT, "the trailer lacks field %u", i);
        }
    }
    if (present[ENCRYPTION_KEY]) {
        return sm_fail(err, SM_E_FORMAT, "the file is encrypted, which is not supported");
    }
    static const unsigned small[] = {INDEX_COUNT, META_INDEX_COUNT, INDEX_LEVELS, COMPRESSION};
    for (unsigned i = 0; i < sizeof small / sizeof small[0]; i++) {
        if (values[small[i]] > INT32_MAX) {
            return sm_fail(err, SM_E_FORMAT,
                           "the trailer's field %u is %" PRIu64 ", at most %d fit", small[i],
                           values[small[i]], INT32_MAX);
        }
    }
    return SM_OK;
}

sm_status sm_hfile_trailer_load(const uint8_t in[SM_HFILE_TRAILER_SIZE], sm_hfile_trailer *out,
                                sm_error *err)
{
    uint64_t v[FIELDS] = {0};
    bool present[FIELDS] = {false};
    sm_bytes message = {NULL, 0};
    *out = (sm_hfile_trailer){0};
    sm_status st = check_frame(in, out, &message, err);
    if (st != SM_OK) {
        return st;
    }
    if (!load_fields(message, v, present, &out->comparator)) {
        return sm_fail(err, SM_E_FORMAT, "the trailer's message is damaged");
    }
    st = check_fields(v, present, err);
    if (st != SM_OK) {
        return st;
    }
    out->file_info_offset = v[FILE_INFO_OFFSET];
    out->load_on_open_offset = v[LOAD_ON_OPEN_OFFSET];
    out->index_plain_size = v[INDEX_PLAIN_SIZE];
    out->total_plain_size = v[TOTAL_PLAIN_SIZE];
    out->index_count = (uint32_t)v[INDEX_COUNT];
    out->meta_index_count = (uint32_t)v[META_INDEX_COUNT];
    out->entries = v[ENTRIES];
    out->index_levels = (uint32_t)v[INDEX_LEVELS];
    out->first_data_offset = (int64_t)v[FIRST_DATA_OFFSET];
    out->last_data_offset = (int64_t)v[LAST_DATA_OFFSET];
    out->compression = (uint32_t)v[COMPRESSION];
    return SM_OK;
}
