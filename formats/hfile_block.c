/* SPDX-License-Identifier: Apache-2.0 */
/* One block to the file. A payload that is not compressed is written from where it was built. */
#include "formats/hfile_block.h"

#include "core/endian.h"

static const uint8_t no_header[SM_HFILE_HEADER_SIZE];

sm_status sm_hfile_blocks_init(sm_hfile_blocks *w, const sm_sink_options *options, sm_error *err)
{
    *w = (sm_hfile_blocks){.compression = options->compression};
    sm_buf_init(&w->packed, UINT32_MAX);
    for (int i = 0; i < SM_HFILE_BLOCK_TYPES; i++) {
        w->previous[i] = -1;
    }
    if (options->compression == SM_COMPRESSION_NONE) {
        return SM_OK;
    }
    return sm_codec_open(options->compression, options->zstd_framing, options->level, &w->codec,
                         err);
}

void sm_hfile_blocks_free(sm_hfile_blocks *w)
{
    sm_codec_close(w->codec);
    sm_buf_free(&w->packed);
    w->codec = NULL;
}

sm_status sm_hfile_block_begin(sm_buf *block, sm_error *err)
{
    sm_buf_clear(block);
    return sm_buf_append(block, no_header, sizeof no_header, err);
}

static sm_status pack(sm_hfile_blocks *w, const sm_buf *block, sm_error *err)
{
    const sm_status st = sm_hfile_block_begin(&w->packed, err);
    if (st != SM_OK) {
        return st;
    }
    const sm_bytes payload =
        sm_bytes_of(block->data + SM_HFILE_HEADER_SIZE, block->len - SM_HFILE_HEADER_SIZE);
    return sm_codec_pack(w->codec, payload, &w->packed, err);
}

static sm_status append_checksums(sm_buf *stored, size_t with_header, sm_error *err)
{
    const size_t sums = sm_hfile_checksum_bytes(with_header, SM_HFILE_BYTES_PER_CHECKSUM);
    const sm_status st = sm_buf_reserve(stored, sums, err);
    if (st != SM_OK) {
        return st;
    }
    for (size_t at = 0; at < with_header; at += SM_HFILE_BYTES_PER_CHECKSUM) {
        const size_t left = with_header - at;
        const size_t n = left < SM_HFILE_BYTES_PER_CHECKSUM ? left : SM_HFILE_BYTES_PER_CHECKSUM;
        const sm_bytes piece = sm_bytes_of(stored->data + at, n);
        sm_store_be32(stored->data + stored->len,
                      sm_hfile_checksum_of(SM_HFILE_CHECKSUM_CRC32C, piece));
        stored->len += 4;
    }
    return SM_OK;
}

static void account(sm_hfile_blocks *w, sm_hfile_block_type type, uint64_t plain, uint64_t offset)
{
    const bool upper = type == SM_HFILE_INTERMEDIATE_INDEX || type == SM_HFILE_ROOT_INDEX;
    if (!upper) {
        w->total_plain += plain + SM_HFILE_HEADER_SIZE;
    }
    if (upper || type == SM_HFILE_LEAF_INDEX) {
        w->index_plain += plain;
    }
    w->previous[type] = (int64_t)offset;
}

sm_status sm_hfile_block_write(sm_hfile_blocks *w, sm_hfile_block_type type, sm_buf *block,
                               sm_hfile_place *place, sm_error *err)
{
    const uint64_t offset = sm_hfile_output_offset(w->out);
    const size_t plain = block->len - SM_HFILE_HEADER_SIZE;
    sm_buf *stored = w->codec == NULL ? block : &w->packed;
    sm_status st = w->codec == NULL ? SM_OK : pack(w, block, err);
    if (st != SM_OK) {
        return st;
    }
    const size_t with_header = stored->len;
    const uint64_t size =
        with_header + sm_hfile_checksum_bytes(with_header, SM_HFILE_BYTES_PER_CHECKSUM);
    if (plain > INT32_MAX || size > INT32_MAX) {
        return sm_fail(err, SM_E_FORMAT, "%s: a %s block of %zu bytes, at most %d fit",
                       sm_hfile_output_path(w->out), sm_hfile_block_name(type), plain, INT32_MAX);
    }
    const sm_hfile_header header = {
        .type = type,
        .on_disk = (uint32_t)(size - SM_HFILE_HEADER_SIZE),
        .plain = (uint32_t)plain,
        .previous = w->previous[type],
        .checksum = SM_HFILE_CHECKSUM_CRC32C,
        .bytes_per_checksum = SM_HFILE_BYTES_PER_CHECKSUM,
        .with_header = (uint32_t)with_header,
    };
    sm_hfile_header_store(&header, stored->data);
    st = append_checksums(stored, with_header, err);
    if (st != SM_OK) {
        return st;
    }
    account(w, type, plain, offset);
    *place = (sm_hfile_place){offset, (uint32_t)size};
    return sm_hfile_output_add(w->out, sm_buf_view(stored), err);
}
