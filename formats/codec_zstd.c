/* SPDX-License-Identifier: Apache-2.0 */
/* ZSTD: one frame a piece, its content size in the header, no checksum (the block has its own). */
#include "core/mem.h"
#include "formats/codec_row.h"

#include <zstd.h>
#include <zstd_errors.h>

enum { LEVEL_DEFAULT = 3, LEVEL_MAX = 22 };

typedef struct zstd_state {
    int level;
    ZSTD_CCtx *packer; /* each made when first needed */
    ZSTD_DCtx *unpacker;
} zstd_state;

static sm_status zstd_open(int level, void **state, sm_error *err)
{
    const sm_status st = sm_new(sizeof(zstd_state), "zstd", state, err);
    if (st == SM_OK) {
        ((zstd_state *)*state)->level = level;
    }
    return st;
}

static void zstd_close(void *state)
{
    zstd_state *z = state;
    if (z != NULL) {
        (void)ZSTD_freeCCtx(z->packer);
        (void)ZSTD_freeDCtx(z->unpacker);
        sm_free(z);
    }
}

static size_t zstd_bound(size_t plain)
{
    return ZSTD_compressBound(plain);
}

static sm_status zstd_pack(void *state, sm_bytes plain, uint8_t *out, size_t *len, sm_error *err)
{
    zstd_state *z = state;
    if (z->packer == NULL) {
        z->packer = ZSTD_createCCtx();
        if (z->packer == NULL) {
            return sm_fail_memory(err, 1u << 20, "zstd");
        }
    }
    const size_t got = ZSTD_compressCCtx(z->packer, out, *len, plain.data, plain.len, z->level);
    if (ZSTD_isError(got)) {
        return sm_fail(err, SM_E_MEMORY, "zstd cannot pack %zu bytes: %s", plain.len,
                       ZSTD_getErrorName(got));
    }
    *len = got;
    return SM_OK;
}

static sm_status zstd_unpack(void *state, sm_bytes stored, uint8_t *out, size_t *len, sm_error *err)
{
    zstd_state *z = state;
    if (z->unpacker == NULL) {
        z->unpacker = ZSTD_createDCtx();
        if (z->unpacker == NULL) {
            return sm_fail_memory(err, 1u << 17, "zstd");
        }
    }
    const size_t got = ZSTD_decompressDCtx(z->unpacker, out, *len, stored.data, stored.len);
    if (ZSTD_isError(got)) {
        return sm_fail(err, SM_E_FORMAT, "zstd data is damaged: %s", ZSTD_getErrorName(got));
    }
    *len = got;
    return SM_OK;
}

/* A block of a frame is 3 bytes of header for at most 128 KiB of one repeated byte. */
const sm_codec_row sm_codec_zstd = {
    .name = "ZSTD",
    .compression = SM_COMPRESSION_ZSTD,
    .chunked = true,
    .level_default = LEVEL_DEFAULT,
    .level_max = LEVEL_MAX,
    .ratio = 131072,
    .open = zstd_open,
    .close = zstd_close,
    .bound = zstd_bound,
    .pack = zstd_pack,
    .unpack = zstd_unpack,
};
