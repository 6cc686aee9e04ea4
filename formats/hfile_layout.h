/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of an HFile v3 that writer and reader share: block header, trailer, varints.
 *
 *   scanned section    DATA blocks with LEAF_INDEX and BLOOM_CHUNK blocks between them
 *   INTERMEDIATE_INDEX blocks, only with 3 index levels or more
 *   load-on-open       ROOT_INDEX (data), ROOT_INDEX (meta, empty), FILE_INFO, bloom metas
 *   trailer            4096 bytes
 *
 *   block:  magic 8 | on-disk size without header i32 | plain size i32 | offset of the previous
 * block of this type i64 | checksum type u8 | bytes per checksum i32 | header + payload size i32
 *           stored payload | a CRC32C for each 16 KiB of header and payload
 *
 * Integers are big endian. Sizes of blocks are below 2 GiB everywhere. */
#ifndef SM_FORMATS_HFILE_LAYOUT_H
#define SM_FORMATS_HFILE_LAYOUT_H

#include "core/bytes.h"
#include "core/error.h"

enum {
    SM_HFILE_HEADER_SIZE = 33,
    SM_HFILE_TRAILER_SIZE = 4096,
    SM_HFILE_BYTES_PER_CHECKSUM = 16384,
    SM_HFILE_VINT_MAX = 9,
    SM_HFILE_LEB_MAX = 10,
    SM_HFILE_MAJOR = 3,
    SM_HFILE_MINOR = 3
};

typedef enum sm_hfile_block_type {
    SM_HFILE_DATA,
    SM_HFILE_ENCODED_DATA,
    SM_HFILE_LEAF_INDEX,
    SM_HFILE_BLOOM_CHUNK,
    SM_HFILE_META,
    SM_HFILE_INTERMEDIATE_INDEX,
    SM_HFILE_ROOT_INDEX,
    SM_HFILE_FILE_INFO,
    SM_HFILE_GENERAL_BLOOM_META,
    SM_HFILE_DELETE_FAMILY_BLOOM_META,
    SM_HFILE_BLOCK_TYPES
} sm_hfile_block_type;

const char *sm_hfile_block_name(sm_hfile_block_type type); /* "LEAF_INDEX" */

typedef enum sm_hfile_checksum {
    SM_HFILE_CHECKSUM_NULL, /* stored as zeros */
    SM_HFILE_CHECKSUM_CRC32,
    SM_HFILE_CHECKSUM_CRC32C
} sm_hfile_checksum;

typedef struct sm_hfile_header {
    sm_hfile_block_type type;
    uint32_t on_disk; /* payload and checksums */
    uint32_t plain;   /* payload before compression */
    int64_t previous; /* -1: none */
    uint8_t checksum; /* sm_hfile_checksum */
    uint32_t bytes_per_checksum;
    uint32_t with_header; /* header and payload, no checksums */
} sm_hfile_header;

void sm_hfile_header_store(const sm_hfile_header *h, uint8_t out[SM_HFILE_HEADER_SIZE]);
/* False: the magic is unknown, a size is negative or the sizes contradict each other. */
bool sm_hfile_header_load(const uint8_t in[SM_HFILE_HEADER_SIZE], sm_hfile_header *out);
/* Bytes of checksums behind `with_header` bytes. */
uint64_t sm_hfile_checksum_bytes(uint64_t with_header, uint32_t bytes_per_checksum);
/* Of one piece of header and payload. */
uint32_t sm_hfile_checksum_of(uint8_t kind, sm_bytes piece);

typedef struct sm_hfile_trailer {
    uint64_t file_info_offset, load_on_open_offset;
    uint64_t index_plain_size, total_plain_size;
    uint32_t index_count, meta_index_count;
    uint64_t entries;
    uint32_t index_levels;
    int64_t first_data_offset, last_data_offset; /* -1: no data block */
    sm_bytes comparator;
    uint32_t compression;
    unsigned major, minor;
} sm_hfile_trailer;

extern const char sm_hfile_comparator[]; /* what every 2.x version writes and opens */

void sm_hfile_trailer_store(const sm_hfile_trailer *t, uint8_t out[SM_HFILE_TRAILER_SIZE]);
/* Views point into `in`. The text says what is wrong, without the file's name. */
sm_status sm_hfile_trailer_load(const uint8_t in[SM_HFILE_TRAILER_SIZE], sm_hfile_trailer *out,
                                sm_error *err) SM_MUST_CHECK;

/* Hadoop's vint: one byte for -112 ... 127, else a length byte and the value, big endian. */
size_t sm_hfile_vint_size(int64_t value);
size_t sm_hfile_vint_store(uint8_t *out, int64_t value); /* at most SM_HFILE_VINT_MAX bytes */
/* Moves *at behind it; false when the bytes end first. */
bool sm_hfile_vint_load(sm_bytes in, size_t *at, int64_t *out);

/* Protobuf's varint: little-endian groups of 7 bits. */
size_t sm_hfile_leb_size(uint64_t value);
size_t sm_hfile_leb_store(uint8_t *out, uint64_t value);
bool sm_hfile_leb_load(sm_bytes in, size_t *at, uint64_t *out);

/* One field of a protobuf message: a number, or bytes. */
typedef struct sm_hfile_field {
    uint64_t number; /* of the field */
    bool is_bytes;
    uint64_t value;
    sm_bytes bytes;
} sm_hfile_field;
/* False when the message is damaged; call while *at < message.len. */
bool sm_hfile_field_load(sm_bytes message, size_t *at, sm_hfile_field *out);

#endif
