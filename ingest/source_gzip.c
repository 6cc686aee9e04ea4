/* SPDX-License-Identifier: Apache-2.0 */
/* The gzip decoder, by zlib: members one after another (cat a.gz b.gz, bgzip, rotated logs), empty
 * ones among them, each with its checksum and length checked. Zero bytes behind the last member are
 * padding, as gzip itself sees them; anything else there is an error. */
#include "core/mem.h"
#include "ingest/decoder.h"

#include <zlib.h>

#include <string.h>

struct sm_decoder {
    sm_raw *raw;
    z_stream z;
    bool in_member; /* false: between members, or at the end */
    bool ended;
};

static void *gzip_alloc(void *context, unsigned count, unsigned size)
{
    (void)context;
    return sm_calloc(count, size);
}

static void gzip_free(void *context, void *p)
{
    (void)context;
    sm_free(p);
}

static void close_gzip(sm_decoder *d)
{
    if (d != NULL) {
        (void)inflateEnd(&d->z);
        sm_free(d);
    }
}

static sm_status open_gzip(sm_raw *raw, sm_decoder **out, sm_error *err)
{
    *out = NULL;
    void *memory = NULL;
    const sm_status st = sm_new(sizeof **out, "the gzip decoder", &memory, err);
    if (st != SM_OK) {
        return st;
    }
    sm_decoder *d = memory;
    d->raw = raw;
    d->in_member = true;
    d->z.zalloc = gzip_alloc;
    d->z.zfree = gzip_free;
    /* 15: the largest window; + 16: gzip's header and trailer, nothing else. */
    if (inflateInit2(&d->z, 15 + 16) != Z_OK) {
        sm_free(d);
        return sm_fail_memory(err, 48 * 1024, "the gzip decoder");
    }
    *out = d;
    return SM_OK;
}

static sm_status damaged(const sm_decoder *d, sm_error *err)
{
    const char *why = d->z.msg == NULL ? "bad data" : d->z.msg;
    const unsigned long long offset = sm_raw_offset(d->raw);
    if (strcmp(why, "incorrect data check") == 0) {
        return sm_fail(err, SM_E_INPUT_CORRUPT,
                       "%s: gzip checksum mismatch at compressed offset %llu: the file is damaged; "
                       "get it again",
                       d->raw->path, offset);
    }
    return sm_fail(err, SM_E_INPUT_CORRUPT,
                   "%s: damaged gzip data at compressed offset %llu (%s); get the file again",
                   d->raw->path, offset, why);
}

/* Behind a member: another one, padding, or rubbish. */
static sm_status after_member(sm_decoder *d, sm_error *err)
{
    sm_raw *raw = d->raw;
    sm_status st = sm_raw_peek(raw, 2, err);
    if (st != SM_OK) {
        return st;
    }
    const size_t left = raw->len - raw->pos;
    const uint8_t *p = raw->buffer + raw->pos;
    if (left >= 1 && p[0] == 0x1F && (left == 1 || p[1] == 0x8B)) {
        d->in_member = true;
        return inflateReset(&d->z) == Z_OK
                   ? SM_OK
                   : sm_fail(err, SM_E_INTERNAL, "zlib refuses to start a member");
    }
    while (st == SM_OK && raw->pos < raw->len) {
        for (; raw->pos < raw->len && raw->buffer[raw->pos] == 0; raw->pos++) {
        }
        if (raw->pos < raw->len) {
            return sm_fail(err, SM_E_INPUT_CORRUPT,
                           "%s: trailing data after gzip member at offset %llu: not another member "
                           "and not zero "
                           "padding; cut it off or get the file again",
                           raw->path, (unsigned long long)sm_raw_offset(raw));
        }
        st = sm_raw_fill(raw, err);
    }
    d->ended = true;
    return st;
}

/* One call of inflate. */
static sm_status inflate_some(sm_decoder *d, sm_error *err)
{
    sm_raw *raw = d->raw;
    const sm_status st = sm_raw_fill(raw, err);
    if (st != SM_OK) {
        return st;
    }
    const size_t left = raw->len - raw->pos;
    d->z.next_in = raw->buffer + raw->pos;
    d->z.avail_in = (unsigned)left;
    const unsigned room = d->z.avail_out;
    const int result = inflate(&d->z, Z_NO_FLUSH);
    raw->pos += left - d->z.avail_in;
    switch (result) {
    case Z_STREAM_END: d->in_member = false; return SM_OK;
    case Z_OK:
    case Z_BUF_ERROR:
        if (left == 0 && d->z.avail_out == room) {
            return sm_decoder_truncated(raw, err);
        }
        return SM_OK;
    case Z_MEM_ERROR: return sm_fail_memory(err, 32 * 1024, "the gzip decoder");
    default: return damaged(d, err);
    }
}

static sm_status read_gzip(sm_decoder *d, uint8_t *out, size_t size, size_t *got, sm_error *err)
{
    const unsigned room = size > (1U << 30) ? 1U << 30 : (unsigned)size;
    d->z.next_out = out;
    d->z.avail_out = room;
    sm_status st = SM_OK;
    while (st == SM_OK && !d->ended && d->z.avail_out != 0) {
        st = d->in_member ? inflate_some(d, err) : after_member(d, err);
    }
    *got = room - d->z.avail_out;
    return st;
}

const sm_decoder_type sm_decoder_gzip = {
    .compression = "gzip", .open = open_gzip, .close = close_gzip, .read = read_gzip};
