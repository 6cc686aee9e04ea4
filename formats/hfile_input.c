/* SPDX-License-Identifier: Apache-2.0 */
/* One block from the file: header, size, checksums, payload. */
#include "formats/hfile_input.h"

#include "core/endian.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void sm_hfile_input_init(sm_hfile_input *in, const sm_file *file, uint64_t size)
{
    *in = (sm_hfile_input){.file = file, .size = size};
    in->end = size < SM_HFILE_TRAILER_SIZE ? 0 : size - SM_HFILE_TRAILER_SIZE;
    sm_buf_init(&in->stored, UINT32_MAX);
    sm_buf_init(&in->plain, UINT32_MAX);
}

void sm_hfile_input_free(sm_hfile_input *in)
{
    sm_codec_close(in->codec);
    sm_buf_free(&in->stored);
    sm_buf_free(&in->plain);
    in->codec = NULL;
}

sm_status sm_hfile_bad(const sm_hfile_input *in, uint64_t offset, sm_error *err, const char *fmt,
                       ...)
{
    char text[SM_ERROR_TEXT_SIZE / 2];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return sm_fail(err, SM_E_FORMAT, "%s: at byte %" PRIu64 ": %s", sm_file_path(in->file), offset,
                   text);
}

static sm_status check_header(const sm_hfile_input *in, uint64_t offset, const uint8_t *bytes,
                              sm_hfile_header *out, uint64_t *next, sm_error *err)
{
    if (!sm_hfile_header_load(bytes, out)) {
        return sm_hfile_bad(in, offset, err,
                            "no header of a block, or its sizes do not fit together");
    }
    *next = offset + SM_HFILE_HEADER_SIZE + out->on_disk;
    if (*next > in->end) {
        return sm_hfile_bad(in, offset, err, "a %s block of %u bytes runs into the trailer",
                            sm_hfile_block_name(out->type), out->on_disk);
    }
    return SM_OK;
}

sm_status sm_hfile_read_header(const sm_hfile_input *in, uint64_t offset, sm_hfile_header *out,
                               uint64_t *next, sm_error *err)
{
    uint8_t bytes[SM_HFILE_HEADER_SIZE];
    if (offset > in->end || in->end - offset < sizeof bytes) {
        return sm_hfile_bad(in, offset, err, "no room for a block before the trailer at %" PRIu64,
                            in->end);
    }
    const sm_status st = sm_file_read_at(in->file, offset, bytes, sizeof bytes, err);
    return st == SM_OK ? check_header(in, offset, bytes, out, next, err) : st;
}

static sm_status check_sums(const sm_hfile_input *in, const sm_hfile_read_block *b, sm_error *err)
{
    const sm_hfile_header *h = &b->header;
    const uint8_t *sum = b->stored.data + h->with_header;
    for (uint64_t at = 0; at < h->with_header; at += h->bytes_per_checksum, sum += 4) {
        const uint64_t left = h->with_header - at;
        const size_t n = left < h->bytes_per_checksum ? left : h->bytes_per_checksum;
        const uint32_t real =
            sm_hfile_checksum_of(h->checksum, sm_bytes_of(b->stored.data + at, n));
        if (sm_load_be32(sum) != real) {
            return sm_hfile_bad(in, b->offset, err,
                                "%s block: checksum is %08x, its bytes %" PRIu64 " to %" PRIu64
                                " give %08x; the file is damaged",
                                sm_hfile_block_name(h->type), sm_load_be32(sum), at, at + n, real);
        }
    }
    return SM_OK;
}

/* The codec's own message, with the place put in front. */
static sm_status unpack(sm_hfile_input *in, sm_hfile_read_block *b, sm_error *err)
{
    const sm_bytes packed = sm_bytes_of(b->stored.data + SM_HFILE_HEADER_SIZE,
                                        b->header.with_header - SM_HFILE_HEADER_SIZE);
    sm_error inner = {0};
    sm_buf_clear(&in->plain);
    const sm_status st = sm_codec_unpack(in->codec, packed, b->header.plain, &in->plain, &inner);
    if (st == SM_E_FORMAT) {
        return sm_hfile_bad(in, b->offset, err, "%s block: %s", sm_hfile_block_name(b->header.type),
                            inner.text);
    }
    if (st != SM_OK) {
        return sm_fail(err, st, "%s: %s", sm_file_path(in->file), inner.text);
    }
    b->payload = sm_buf_view(&in->plain);
    return SM_OK;
}

sm_status sm_hfile_read(sm_hfile_input *in, uint64_t offset, sm_hfile_read_block *out,
                        sm_error *err)
{
    *out = (sm_hfile_read_block){.offset = offset};
    sm_status st = sm_hfile_read_header(in, offset, &out->header, &out->next, err);
    if (st != SM_OK) {
        return st;
    }
    const size_t size = out->next - offset;
    sm_buf_clear(&in->stored);
    st = sm_buf_reserve(&in->stored, size, err);
    if (st == SM_OK) {
        st = sm_file_read_at(in->file, offset, in->stored.data, size, err);
    }
    if (st != SM_OK) {
        return st;
    }
    in->stored.len = size;
    out->stored = sm_buf_view(&in->stored);
    /* The bytes may have changed since the header was read: only these count. */
    uint64_t next = 0;
    st = check_header(in, offset, out->stored.data, &out->header, &next, err);
    if (st == SM_OK && next != out->next) {
        return sm_hfile_bad(in, offset, err, "the file changes while it is read");
    }
    if (st == SM_OK) {
        st = check_sums(in, out, err);
    }
    return st == SM_OK ? unpack(in, out, err) : st;
}
