/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder of files that are not compressed. */
#include "ingest/decoder.h"

#include <string.h>

/* A plain decoder has no state of its own: the raw input stands in for it. */
static sm_status open_plain(sm_raw *raw, sm_decoder **out, sm_error *err)
{
    (void)err;
    *out = (sm_decoder *)(void *)raw;
    return SM_OK;
}

static void close_plain(sm_decoder *d)
{
    (void)d;
}

static sm_status read_plain(sm_decoder *d, uint8_t *out, size_t size, size_t *got, sm_error *err)
{
    sm_raw *raw = (sm_raw *)(void *)d;
    const size_t buffered = raw->len - raw->pos;
    if (buffered != 0) {
        *got = buffered < size ? buffered : size;
        memcpy(out, raw->buffer + raw->pos, *got);
        raw->pos += *got;
        return SM_OK;
    }
    *got = 0;
    if (raw->at_end) {
        return SM_OK;
    }
    /* Straight into the caller's memory. */
    const sm_status st = sm_file_read(raw->file, out, size, got, err);
    raw->offset += raw->len + *got;
    raw->pos = 0;
    raw->len = 0;
    raw->at_end = st == SM_OK && *got == 0;
    return st;
}

const sm_decoder_type sm_decoder_plain = {
    .compression = "none", .open = open_plain, .close = close_plain, .read = read_plain};
