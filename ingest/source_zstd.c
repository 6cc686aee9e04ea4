/* SPDX-License-Identifier: Apache-2.0 */
/* The zstd decoder: frames one after another, skippable ones passed over, checksums checked where a
 * frame has one. Windows up to 128 MiB (what zstd -d accepts without --long=31), so that memory
 * stays bounded. */
#include "core/mem.h"
#include "ingest/decoder.h"

#include <zstd.h>
#include <zstd_errors.h>

enum {
    WINDOW_LOG_MAX = 27,
    FRAME_START = 5, /* bytes that tell what kind of frame begins */
    BLOCK_HEADER = 3
};

struct sm_decoder {
    sm_raw *raw;
    ZSTD_DCtx *context;
    bool in_frame; /* a frame has begun and is not complete */
    bool full;     /* the last read left no room: decoded bytes may be waiting */
    size_t wanted; /* most stored bytes of the next call */
};

static void close_zstd(sm_decoder *d)
{
    if (d != NULL) {
        (void)ZSTD_freeDCtx(d->context);
        sm_free(d);
    }
}

static sm_status open_zstd(sm_raw *raw, sm_decoder **out, sm_error *err)
{
    *out = NULL;
    void *memory = NULL;
    const sm_status st = sm_new(sizeof **out, "the zstd decoder", &memory, err);
    if (st != SM_OK) {
        return st;
    }
    sm_decoder *d = memory;
    d->raw = raw;
    d->wanted = FRAME_START;
    d->context = ZSTD_createDCtx();
    if (d->context == NULL ||
        ZSTD_isError(ZSTD_DCtx_setParameter(d->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
        close_zstd(d);
        return sm_fail_memory(err, 160 * 1024, "the zstd decoder");
    }
    *out = d;
    return SM_OK;
}

static sm_status damaged(const sm_decoder *d, size_t code, sm_error *err)
{
    const char *path = d->raw->path;
    const unsigned long long offset = sm_raw_offset(d->raw);
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_checksum_wrong:
        return sm_fail(err, SM_E_INPUT_CORRUPT,
                       "%s: zstd checksum mismatch before compressed offset %llu: the file is "
                       "damaged; get it again",
                       path, offset);
    case ZSTD_error_prefix_unknown:
        return sm_fail(
            err, SM_E_INPUT_CORRUPT,
            "%s: trailing data after zstd frame at offset %llu: not another frame; cut it off or "
            "get the file again",
            path, offset);
    case ZSTD_error_frameParameter_windowTooLarge:
        return sm_fail(
            err, SM_E_INPUT_READ,
            "%s: the zstd frame at offset %llu needs a window of more than 128 MiB (made with "
            "--long?); pipe it in: zstd -dc --long=31 FILE | saltmill ... --input -",
            path, offset);
    case ZSTD_error_memory_allocation:
        return sm_fail_memory(err, 1ULL << WINDOW_LOG_MAX, "the zstd decoder's window");
    default:
        return sm_fail(err, SM_E_INPUT_CORRUPT,
                       "%s: damaged zstd data near compressed offset %llu (%s); get the file again",
                       path, offset, ZSTD_getErrorName(code));
    }
}

/* A call that fails gives no bytes, not even what was good in front of the error. So zstd gets no
 * more at once than the rest of a block (it asks for the header behind it too), and nothing while
 * it holds back decoded bytes: what is read before an error never depends on how much is asked for.
 */
static sm_status read_zstd(sm_decoder *d, uint8_t *out, size_t size, size_t *got, sm_error *err)
{
    sm_raw *raw = d->raw;
    ZSTD_outBuffer to = {out, size, 0};
    *got = 0;
    while (to.pos == 0) {
        const sm_status st = sm_raw_fill(raw, err);
        if (st != SM_OK) {
            return st;
        }
        const size_t left = raw->len - raw->pos;
        if (left == 0 && !d->in_frame) {
            return SM_OK;
        }
        const size_t asked = d->full ? 0 : d->wanted;
        ZSTD_inBuffer from = {raw->buffer, raw->pos + (asked < left ? asked : left), raw->pos};
        const size_t code = ZSTD_decompressStream(d->context, &to, &from);
        if (ZSTD_isError(code)) {
            return damaged(d, code, err);
        }
        raw->pos = from.pos;
        if (left == 0 && to.pos == 0 && !d->full) {
            return sm_decoder_truncated(raw, err);
        }
        d->in_frame = code != 0;
        d->wanted = code == 0 ? FRAME_START : code > BLOCK_HEADER ? code - BLOCK_HEADER : code;
        d->full = to.pos == to.size;
    }
    *got = to.pos;
    return SM_OK;
}

const sm_decoder_type sm_decoder_zstd = {
    .compression = "zstd", .open = open_zstd, .close = close_zstd, .read = read_zstd};
