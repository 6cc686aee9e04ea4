/* SPDX-License-Identifier: Apache-2.0 */
/* SNAPPY: raw blocks without snappy's framing format. The library keeps no context; it takes its
 * working memory anew with each call. */
#include "formats/codec_row.h"

#include <snappy-c.h>

static size_t snappy_bound(size_t plain)
{
    return snappy_max_compressed_length(plain);
}

static sm_status snappy_pack(void *state, sm_bytes plain, uint8_t *out, size_t *len, sm_error *err)
{
    (void)state;
    if (snappy_compress((const char *)plain.data, plain.len, (char *)out, len) != SNAPPY_OK) {
        return sm_fail(err, SM_E_INTERNAL, "snappy cannot pack %zu bytes", plain.len);
    }
    return SM_OK;
}

static sm_status snappy_unpack(void *state, sm_bytes stored, uint8_t *out, size_t *len,
                               sm_error *err)
{
    (void)state;
    size_t plain = 0;
    const char *data = (const char *)stored.data;
    if (snappy_uncompressed_length(data, stored.len, &plain) != SNAPPY_OK || plain > *len) {
        return sm_fail(err, SM_E_FORMAT,
                       "snappy data says %zu bytes where at most %zu are expected", plain, *len);
    }
    if (snappy_uncompress(data, stored.len, (char *)out, len) != SNAPPY_OK) {
        return sm_fail(err, SM_E_FORMAT, "snappy data is damaged");
    }
    return SM_OK;
}

/* A copy of at most 64 bytes takes 2 bytes or more. */
const sm_codec_row sm_codec_snappy = {
    .name = "SNAPPY",
    .compression = SM_COMPRESSION_SNAPPY,
    .chunked = true,
    .ratio = 64,
    .bound = snappy_bound,
    .pack = snappy_pack,
    .unpack = snappy_unpack,
};
