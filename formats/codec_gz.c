/* SPDX-License-Identifier: Apache-2.0 */
/* GZ: gzip members. The header is written here, byte for byte as HBase's, so that no operating
 * system, level or clock shows in it; zlib makes the raw deflate data between header and trailer.
 */
#include "core/endian.h"
#include "core/hash.h"
#include "core/mem.h"
#include "formats/codec_row.h"

#include <zlib.h>

enum { LEVEL_DEFAULT = 6, LEVEL_MAX = 9, MEMORY_LEVEL = 8, RAW_WINDOW = -15, GZIP_WINDOW = 31 };
enum { HEADER_SIZE = 10, TRAILER_SIZE = 8 };

static const uint8_t header[HEADER_SIZE] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF};

typedef struct gz_state {
    int level;
    bool packs, unpacks; /* the stream is set up */
    z_stream packer, unpacker;
} gz_state;

static void *zlib_get(void *opaque, uInt count, uInt size)
{
    (void)opaque;
    return sm_calloc(count, size);
}

static void zlib_release(void *opaque, void *p)
{
    (void)opaque;
    sm_free(p);
}

static sm_status gz_open(int level, void **state, sm_error *err)
{
    const sm_status st = sm_new(sizeof(gz_state), "zlib", state, err);
    if (st == SM_OK) {
        gz_state *g = *state;
        g->level = level;
        g->packer.zalloc = g->unpacker.zalloc = zlib_get;
        g->packer.zfree = g->unpacker.zfree = zlib_release;
    }
    return st;
}

static void gz_close(void *state)
{
    gz_state *g = state;
    if (g == NULL) {
        return;
    }
    if (g->packs) {
        (void)deflateEnd(&g->packer);
    }
    if (g->unpacks) {
        (void)inflateEnd(&g->unpacker);
    }
    sm_free(g);
}

/* deflateBound for the default window and memory: stored blocks of 16 KiB at worst, 5 bytes each.
 */
static size_t gz_bound(size_t plain)
{
    return HEADER_SIZE + plain + (plain >> 12) + (plain >> 14) + (plain >> 25) + 13 + TRAILER_SIZE;
}

static sm_status start_packer(gz_state *g, sm_error *err)
{
    if (g->packs) {
        (void)deflateReset(&g->packer);
        return SM_OK;
    }
    if (deflateInit2(&g->packer, g->level, Z_DEFLATED, RAW_WINDOW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return sm_fail_memory(err, 1u << 18, "zlib");
    }
    g->packs = true;
    return SM_OK;
}

static sm_status gz_pack(void *state, sm_bytes plain, uint8_t *out, size_t *len, sm_error *err)
{
    gz_state *g = state;
    const sm_status st = start_packer(g, err);
    if (st != SM_OK) {
        return st;
    }
    memcpy(out, header, HEADER_SIZE);
    g->packer.next_in = (z_const Bytef *)plain.data;
    g->packer.avail_in = (uInt)plain.len;
    g->packer.next_out = out + HEADER_SIZE;
    g->packer.avail_out = (uInt)(*len - HEADER_SIZE - TRAILER_SIZE);
    if (deflate(&g->packer, Z_FINISH) != Z_STREAM_END) {
        return sm_fail(err, SM_E_INTERNAL, "zlib cannot pack %zu bytes into %zu", plain.len, *len);
    }
    uint8_t *trailer = g->packer.next_out;
    sm_store_le32(trailer, sm_crc32(plain));
    sm_store_le32(trailer + 4, (uint32_t)plain.len);
    *len = (size_t)(trailer + TRAILER_SIZE - out);
    return SM_OK;
}

static sm_status start_unpacker(gz_state *g, sm_error *err)
{
    if (g->unpacks) {
        (void)inflateReset(&g->unpacker);
        return SM_OK;
    }
    if (inflateInit2(&g->unpacker, GZIP_WINDOW) != Z_OK) {
        return sm_fail_memory(err, 1u << 16, "zlib");
    }
    g->unpacks = true;
    return SM_OK;
}

static sm_status gz_unpack(void *state, sm_bytes stored, uint8_t *out, size_t *len, sm_error *err)
{
    gz_state *g = state;
    const sm_status st = start_unpacker(g, err);
    if (st != SM_OK) {
        return st;
    }
    g->unpacker.next_in = (z_const Bytef *)stored.data;
    g->unpacker.avail_in = (uInt)stored.len;
    g->unpacker.next_out = out;
    g->unpacker.avail_out = (uInt)*len;
    do {
        if (inflate(&g->unpacker, Z_FINISH) != Z_STREAM_END) {
            return sm_fail(err, SM_E_FORMAT,
                           "gzip data is damaged or holds more than %zu bytes: %s", *len,
                           g->unpacker.msg == NULL ? "it does not end" : g->unpacker.msg);
        }
        /* Members may follow each other. */
        if (g->unpacker.avail_in != 0) {
            (void)inflateReset(&g->unpacker);
        }
    } while (g->unpacker.avail_in != 0);
    *len = (size_t)(g->unpacker.next_out - out);
    return SM_OK;
}

/* Deflate's best is 258 bytes in 2 bits. */
const sm_codec_row sm_codec_gz = {
    .name = "GZ",
    .compression = SM_COMPRESSION_GZ,
    .level_default = LEVEL_DEFAULT,
    .level_max = LEVEL_MAX,
    .ratio = 1032,
    .open = gz_open,
    .close = gz_close,
    .bound = gz_bound,
    .pack = gz_pack,
    .unpack = gz_unpack,
};
