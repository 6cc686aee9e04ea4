/* SPDX-License-Identifier: Apache-2.0 */
/* LZ4: raw blocks, neither a frame nor a size in front. */
#include "core/mem.h"
#include "formats/codec_row.h"

#include <lz4.h>

static sm_status lz4_open(int level, void **state, sm_error *err)
{
    (void)level;
    return sm_new((size_t)LZ4_sizeofState(), "lz4", state, err);
}

static size_t lz4_bound(size_t plain)
{
    return (size_t)LZ4_compressBound((int)plain);
}

static sm_status lz4_pack(void *state, sm_bytes plain, uint8_t *out, size_t *len, sm_error *err)
{
    const int got = LZ4_compress_fast_extState(state, (const char *)plain.data, (char *)out,
                                               (int)plain.len, (int)*len, 1);
    if (got <= 0) {
        return sm_fail(err, SM_E_INTERNAL, "lz4 cannot pack %zu bytes into %zu", plain.len, *len);
    }
    *len = (size_t)got;
    return SM_OK;
}

static sm_status lz4_unpack(void *state, sm_bytes stored, uint8_t *out, size_t *len, sm_error *err)
{
    (void)state;
    const size_t room = *len < LZ4_MAX_INPUT_SIZE ? *len : LZ4_MAX_INPUT_SIZE;
    const int got = stored.len > INT32_MAX
                        ? -1
                        : LZ4_decompress_safe((const char *)stored.data, (char *)out,
                                              (int)stored.len, (int)room);
    if (got < 0) {
        return sm_fail(err, SM_E_FORMAT, "lz4 data is damaged or holds more than %zu bytes", *len);
    }
    *len = (size_t)got;
    return SM_OK;
}

/* A match grows by 255 bytes with each byte of its length. */
const sm_codec_row sm_codec_lz4 = {
    .name = "LZ4",
    .compression = SM_COMPRESSION_LZ4,
    .chunked = true,
    .ratio = 256,
    .open = lz4_open,
    .close = sm_free,
    .bound = lz4_bound,
    .pack = lz4_pack,
    .unpack = lz4_unpack,
};
