/* SPDX-License-Identifier: Apache-2.0 */
/* The table of codecs and Hadoop's block framing around those that need it. No compression library
 * is called here. */
#include "formats/codec.h"

#include "core/endian.h"
#include "core/mem.h"
#include "formats/codec_row.h"

/* A region server's buffer takes 256 KiB of plain bytes in a chunk unless it was set lower; half of
 * that leaves it room. A block of the usual 64 KiB is one chunk. */
enum { CHUNK_MAX = 131072 };

struct sm_codec {
    const sm_codec_row *row;
    void *state;
    bool chunked;
};

static size_t none_bound(size_t plain)
{
    return plain;
}

static sm_status none_pack(void *state, sm_bytes plain, uint8_t *out, size_t *len, sm_error *err)
{
    (void)state;
    if (plain.len > *len) {
        return sm_fail(err, SM_E_FORMAT, "%zu stored bytes where %zu were expected", plain.len,
                       *len);
    }
    if (plain.len != 0) {
        memcpy(out, plain.data, plain.len);
    }
    *len = plain.len;
    return SM_OK;
}

static const sm_codec_row codec_none = {
    .name = "NONE",
    .compression = SM_COMPRESSION_NONE,
    .ratio = 1,
    .bound = none_bound,
    .pack = none_pack,
    .unpack = none_pack,
};

static const sm_codec_row *const rows[] = {
    &codec_none, &sm_codec_gz, &sm_codec_snappy, &sm_codec_lz4, &sm_codec_zstd,
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static const sm_codec_row *row_of(sm_compression c)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i]->compression == c) {
            return rows[i];
        }
    }
    return NULL;
}

bool sm_compression_named(sm_bytes name, sm_compression *out)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (sm_bytes_equal_text(name, rows[i]->name)) {
            *out = rows[i]->compression;
            return true;
        }
    }
    return false;
}

const char *sm_compression_name(sm_compression c)
{
    const sm_codec_row *row = row_of(c);
    return row == NULL ? "unknown" : row->name;
}

static sm_status check_choice(const sm_codec_row *row, sm_zstd_framing framing, int level,
                              sm_error *err)
{
    if (level < 0 || level > row->level_max) {
        return sm_fail(err, SM_E_JOB,
                       "compression %s: level %d, expected 0 (the default) to %d; change the level",
                       row->name, level, row->level_max);
    }
    if (row->compression == SM_COMPRESSION_ZSTD && framing == SM_ZSTD_FRAMING_UNSET) {
        return sm_fail(
            err, SM_E_JOB,
            "compression ZSTD: zstd_framing is not given and the two kinds cannot read each "
            "other; give hbase or hadoop: hbase.io.compress.zstd.codec on the region servers "
            "says which, and so does `saltmill inspect` on a file of the table");
    }
    return SM_OK;
}

sm_status sm_codec_open(sm_compression compression, sm_zstd_framing framing, int level,
                        sm_codec **out, sm_error *err)
{
    *out = NULL;
    const sm_codec_row *row = row_of(compression);
    if (row == NULL) {
        return sm_fail(err, SM_E_FORMAT, "compression %d is none of NONE, GZ, SNAPPY, LZ4, ZSTD",
                       (int)compression);
    }
    sm_status st = check_choice(row, framing, level, err);
    if (st != SM_OK) {
        return st;
    }
    void *p = NULL;
    st = sm_new(sizeof(sm_codec), "a codec", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_codec *c = p;
    c->row = row;
    const bool bare = compression == SM_COMPRESSION_ZSTD && framing == SM_ZSTD_FRAMING_HADOOP;
    c->chunked = row->chunked && !bare;
    if (row->open != NULL) {
        st = row->open(level == 0 ? row->level_default : level, &c->state, err);
    }
    if (st != SM_OK) {
        sm_codec_close(c);
        return st;
    }
    *out = c;
    return SM_OK;
}

void sm_codec_close(sm_codec *c)
{
    if (c == NULL) {
        return;
    }
    if (c->row->close != NULL) {
        c->row->close(c->state);
    }
    sm_free(c);
}

/* ---- packing ------------------------------------------------------------------------------------
 */

static sm_status pack_piece(sm_codec *c, sm_bytes plain, sm_buf *out, sm_error *err)
{
    size_t len = c->row->bound(plain.len);
    sm_status st = sm_buf_reserve(out, len + 1, err); /* never a NULL pointer */
    if (st != SM_OK) {
        return st;
    }
    st = c->row->pack(c->state, plain, out->data + out->len, &len, err);
    if (st == SM_OK) {
        out->len += len;
    }
    return st;
}

static sm_status append_be32(sm_buf *out, uint32_t value, sm_error *err)
{
    uint8_t bytes[4];
    sm_store_be32(bytes, value);
    return sm_buf_append(out, bytes, sizeof bytes, err);
}

static sm_status pack_chunk(sm_codec *c, sm_bytes plain, sm_buf *out, sm_error *err)
{
    const size_t at = out->len;
    sm_status st = append_be32(out, 0, err);
    if (st == SM_OK) {
        st = pack_piece(c, plain, out, err);
    }
    if (st == SM_OK) {
        sm_store_be32(out->data + at, (uint32_t)(out->len - at - 4));
    }
    return st;
}

/* One group; an empty payload is the group's zero length alone. */
static sm_status pack_group(sm_codec *c, sm_bytes plain, sm_buf *out, sm_error *err)
{
    sm_status st = append_be32(out, (uint32_t)plain.len, err);
    for (size_t at = 0; st == SM_OK && at < plain.len; at += CHUNK_MAX) {
        const size_t left = plain.len - at;
        st = pack_chunk(c, sm_bytes_of(plain.data + at, left < CHUNK_MAX ? left : CHUNK_MAX), out,
                        err);
    }
    return st;
}

sm_status sm_codec_pack(sm_codec *c, sm_bytes plain, sm_buf *out, sm_error *err)
{
    if (plain.len > INT32_MAX) {
        return sm_fail(err, SM_E_FORMAT, "a block of %zu bytes, at most %d fit", plain.len,
                       INT32_MAX);
    }
    return c->chunked ? pack_group(c, plain, out, err) : pack_piece(c, plain, out, err);
}

/* ---- unpacking ----------------------------------------------------------------------------------
 */

/* At most `room` bytes from one piece, into space that is already reserved. */
static sm_status unpack_piece(sm_codec *c, sm_bytes stored, size_t room, sm_buf *out, sm_error *err)
{
    size_t len = room;
    const sm_status st = c->row->unpack(c->state, stored, out->data + out->len, &len, err);
    if (st == SM_OK) {
        out->len += len;
    }
    return st;
}

static sm_status take_be32(sm_bytes stored, size_t *at, uint32_t *out, sm_error *err)
{
    if (stored.len - *at < 4) {
        return sm_fail(err, SM_E_FORMAT,
                       "the block framing ends within a length, at byte %zu of %zu", *at,
                       stored.len);
    }
    *out = sm_load_be32(stored.data + *at);
    *at += 4;
    return SM_OK;
}

static sm_status unpack_chunk(sm_codec *c, sm_bytes stored, size_t *at, size_t room, sm_buf *out,
                              sm_error *err)
{
    uint32_t packed = 0;
    const size_t before = out->len;
    sm_status st = take_be32(stored, at, &packed, err);
    if (st != SM_OK) {
        return st;
    }
    if (packed == 0 || packed > stored.len - *at) {
        return sm_fail(err, SM_E_FORMAT, "a chunk of %u bytes where %zu are left", packed,
                       stored.len - *at);
    }
    st = unpack_piece(c, sm_bytes_of(stored.data + *at, packed), room, out, err);
    *at += packed;
    if (st == SM_OK && out->len == before) {
        return sm_fail(err, SM_E_FORMAT, "a chunk of %u bytes unpacks to nothing", packed);
    }
    return st;
}

static sm_status unpack_groups(sm_codec *c, sm_bytes stored, size_t end, sm_buf *out, sm_error *err)
{
    size_t at = 0;
    while (at < stored.len) {
        uint32_t plain = 0;
        sm_status st = take_be32(stored, &at, &plain, err);
        if (st != SM_OK) {
            return st;
        }
        if (plain > end - out->len) {
            return sm_fail(err, SM_E_FORMAT, "a group of %u plain bytes where %zu are expected",
                           plain, end - out->len);
        }
        if (plain == 0 && at != stored.len) {
            return sm_fail(err, SM_E_FORMAT,
                           "an empty group ends the data, but %zu bytes follow it",
                           stored.len - at);
        }
        const size_t group_end = out->len + plain;
        while (out->len < group_end) {
            st = unpack_chunk(c, stored, &at, group_end - out->len, out, err);
            if (st != SM_OK) {
                return st;
            }
        }
    }
    return SM_OK;
}

sm_status sm_codec_unpack(sm_codec *c, sm_bytes stored, size_t plain_len, sm_buf *out,
                          sm_error *err)
{
    /* A small block that claims to be huge must not make us allocate before it is looked at. */
    if (plain_len / c->row->ratio > stored.len) {
        return sm_fail(err, SM_E_FORMAT, "%zu stored bytes cannot hold %zu plain bytes", stored.len,
                       plain_len);
    }
    sm_status st = sm_buf_reserve(out, plain_len + 1, err); /* never a NULL pointer */
    if (st != SM_OK) {
        return st;
    }
    const size_t end = out->len + plain_len;
    st = c->chunked ? unpack_groups(c, stored, end, out, err)
                    : unpack_piece(c, stored, plain_len, out, err);
    if (st == SM_OK && out->len != end) {
        return sm_fail(err, SM_E_FORMAT, "%s data unpacks to %zu bytes less than the %zu expected",
                       c->row->name, end - out->len, plain_len);
    }
    return st;
}

sm_zstd_framing sm_codec_zstd_framing_of(sm_bytes stored)
{
    static const uint8_t magic[4] = {0x28, 0xB5, 0x2F, 0xFD};
    const bool bare = stored.len >= sizeof magic && memcmp(stored.data, magic, sizeof magic) == 0;
    return bare ? SM_ZSTD_FRAMING_HADOOP : SM_ZSTD_FRAMING_HBASE;
}
