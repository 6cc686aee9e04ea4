/* SPDX-License-Identifier: Apache-2.0 */
/* Block headers, checksums and varints, stored and loaded. */
#include "formats/hfile_layout.h"

#include "core/endian.h"
#include "core/hash.h"

enum { MAGIC_SIZE = 8 };

typedef struct block_kind {
    char magic[MAGIC_SIZE + 1];
    const char *name;
} block_kind;

static const block_kind kinds[SM_HFILE_BLOCK_TYPES] = {
    [SM_HFILE_DATA] = {"DATABLK*", "DATA"},
    [SM_HFILE_ENCODED_DATA] = {"DATABLKE", "ENCODED_DATA"},
    [SM_HFILE_LEAF_INDEX] = {"IDXLEAF2", "LEAF_INDEX"},
    [SM_HFILE_BLOOM_CHUNK] = {"BLMFBLK2", "BLOOM_CHUNK"},
    [SM_HFILE_META] = {"METABLKc", "META"},
    [SM_HFILE_INTERMEDIATE_INDEX] = {"IDXINTE2", "INTERMEDIATE_INDEX"},
    [SM_HFILE_ROOT_INDEX] = {"IDXROOT2", "ROOT_INDEX"},
    [SM_HFILE_FILE_INFO] = {"FILEINF2", "FILE_INFO"},
    [SM_HFILE_GENERAL_BLOOM_META] = {"BLMFMET2", "GENERAL_BLOOM_META"},
    [SM_HFILE_DELETE_FAMILY_BLOOM_META] = {"DFBLMET2", "DELETE_FAMILY_BLOOM_META"},
};

const char *sm_hfile_block_name(sm_hfile_block_type type)
{
    return type < SM_HFILE_BLOCK_TYPES ? kinds[type].name : "unknown";
}

void sm_hfile_header_store(const sm_hfile_header *h, uint8_t out[SM_HFILE_HEADER_SIZE])
{
    memcpy(out, kinds[h->type].magic, MAGIC_SIZE);
    sm_store_be32(out + 8, h->on_disk);
    sm_store_be32(out + 12, h->plain);
    sm_store_be64(out + 16, (uint64_t)h->previous);
    out[24] = h->checksum;
    sm_store_be32(out + 25, h->bytes_per_checksum);
    sm_store_be32(out + 29, h->with_header);
}

static bool type_of_magic(const uint8_t *magic, sm_hfile_block_type *out)
{
    for (int i = 0; i < SM_HFILE_BLOCK_TYPES; i++) {
        if (memcmp(magic, kinds[i].magic, MAGIC_SIZE) == 0) {
            *out = (sm_hfile_block_type)i;
            return true;
        }
    }
    return false;
}

bool sm_hfile_header_load(const uint8_t in[SM_HFILE_HEADER_SIZE], sm_hfile_header *out)
{
    *out = (sm_hfile_header){
        .on_disk = sm_load_be32(in + 8),
        .plain = sm_load_be32(in + 12),
        .previous = (int64_t)sm_load_be64(in + 16),
        .checksum = in[24],
        .bytes_per_checksum = sm_load_be32(in + 25),
        .with_header = sm_load_be32(in + 29),
    };
    if (!type_of_magic(in, &out->type) || out->on_disk > INT32_MAX || out->plain > INT32_MAX ||
        out->with_header > INT32_MAX || out->with_header < SM_HFILE_HEADER_SIZE ||
        out->bytes_per_checksum == 0 || out->bytes_per_checksum > INT32_MAX ||
        out->checksum > SM_HFILE_CHECKSUM_CRC32C) {
        return false;
    }
    const uint64_t sums = sm_hfile_checksum_bytes(out->with_header, out->bytes_per_checksum);
    return (uint64_t)out->on_disk + SM_HFILE_HEADER_SIZE == out->with_header + sums;
}

uint64_t sm_hfile_checksum_bytes(uint64_t with_header, uint32_t bytes_per_checksum)
{
    return 4 * ((with_header + bytes_per_checksum - 1) / bytes_per_checksum);
}

uint32_t sm_hfile_checksum_of(uint8_t kind, sm_bytes piece)
{
    switch (kind) {
    case SM_HFILE_CHECKSUM_CRC32: return sm_crc32(piece);
    case SM_HFILE_CHECKSUM_CRC32C: return sm_crc32c(0, piece);
    default: return 0;
    }
}

/* ---- vint ---------------------------------------------------------------------------------------
 */

/* The length byte is -112 - n for a value of n bytes, -120 - n for the complement of a negative
 * one. */
enum { VINT_SMALLEST = -112, VINT_NEGATIVE = -120, VINT_LARGEST = 127 };

static size_t significant_bytes(uint64_t value)
{
    return value == 0 ? 1 : (size_t)(64 - __builtin_clzll(value) + 7) / 8;
}

size_t sm_hfile_vint_size(int64_t value)
{
    if (value >= VINT_SMALLEST && value <= VINT_LARGEST) {
        return 1;
    }
    return 1 + significant_bytes((uint64_t)(value < 0 ? ~value : value));
}

size_t sm_hfile_vint_store(uint8_t *out, int64_t value)
{
    if (value >= VINT_SMALLEST && value <= VINT_LARGEST) {
        out[0] = (uint8_t)value;
        return 1;
    }
    const uint64_t bits = (uint64_t)(value < 0 ? ~value : value);
    const size_t n = significant_bytes(bits);
    out[0] = (uint8_t)((value < 0 ? VINT_NEGATIVE : VINT_SMALLEST) - (int)n);
    for (size_t i = 0; i < n; i++) {
        out[1 + i] = (uint8_t)(bits >> 8 * (n - 1 - i));
    }
    return 1 + n;
}

bool sm_hfile_vint_load(sm_bytes in, size_t *at, int64_t *out)
{
    if (*at >= in.len) {
        return false;
    }
    const int8_t first = (int8_t)in.data[*at];
    *at += 1;
    if (first >= VINT_SMALLEST) {
        *out = first;
        return true;
    }
    const bool negative = first < VINT_NEGATIVE;
    const size_t n = (size_t)((negative ? VINT_NEGATIVE : VINT_SMALLEST) - first);
    if (n > in.len - *at) {
        return false;
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        bits = bits << 8 | in.data[*at + i];
    }
    *at += n;
    *out = (int64_t)(negative ? ~bits : bits);
    return true;
}

/* ---- protobuf -----------------------------------------------------------------------------------
 */

size_t sm_hfile_leb_size(uint64_t value)
{
    size_t n = 1;
    while (value >= 0x80) {
        value >>= 7;
        n++;
    }
    return n;
}

size_t sm_hfile_leb_store(uint8_t *out, uint64_t value)
{
    size_t n = 0;
    while (value >= 0x80) {
        out[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[n++] = (uint8_t)value;
    return n;
}

bool sm_hfile_leb_load(sm_bytes in, size_t *at, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < SM_HFILE_LEB_MAX && *at < in.len; i++) {
        const uint8_t byte = in.data[(*at)++];
        value |= (uint64_t)(byte & 0x7F) << 7 * i;
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

bool sm_hfile_field_load(sm_bytes message, size_t *at, sm_hfile_field *out)
{
    uint64_t tag = 0;
    *out = (sm_hfile_field){0};
    if (!sm_hfile_leb_load(message, at, &tag) || !sm_hfile_leb_load(message, at, &out->value)) {
        return false;
    }
    out->number = tag >> 3;
    out->is_bytes = (tag & 7) == WIRE_BYTES;
    if (!out->is_bytes) {
        return (tag & 7) == WIRE_NUMBER;
    }
    if (out->value > message.len - *at) {
        return false;
    }
    out->bytes = sm_bytes_of(message.data + *at, out->value);
    *at += out->value;
    return true;
}
