/* SPDX-License-Identifier: Apache-2.0 */
/* What a compression library must offer to be a codec: for the codec*.c files alone. */
#ifndef SM_FORMATS_CODEC_ROW_H
#define SM_FORMATS_CODEC_ROW_H

#include "formats/codec.h"

typedef struct sm_codec_row {
    const char *name;
    sm_compression compression;
    bool chunked;                 /* stored with Hadoop's block framing */
    int level_default, level_max; /* 0: the codec knows no levels */
    uint32_t ratio;               /* no stored byte can stand for more plain bytes than this */
    /* NULL where there is no state. */
    sm_status (*open)(int level, void **state, sm_error *err) SM_MUST_CHECK;
    void (*close)(void *state); /* takes NULL */
    /* Room that packing `plain` bytes may need. */
    size_t (*bound)(size_t plain);
    sm_status (*pack)(void *state, sm_bytes plain, uint8_t *out, size_t *len, sm_error *err)
        SM_MUST_CHECK; /* *len: room, then bytes written */
    /* *len: room, then bytes written; SM_E_FORMAT when it does not fit or is damaged. */
    sm_status (*unpack)(void *state, sm_bytes stored, uint8_t *out, size_t *len, sm_error *err)
        SM_MUST_CHECK;
} sm_codec_row;

extern const sm_codec_row sm_codec_gz, sm_codec_snappy, sm_codec_lz4, sm_codec_zstd;

#endif
