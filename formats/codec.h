/* SPDX-License-Identifier: Apache-2.0 */
/* Compression of one block's payload, as HBase's readers expect it to be stored.
 *
 *   NONE                 the bytes
 *   GZ                   one gzip member, header 1f 8b 08 00 00000000 00 ff
 *   ZSTD, hadoop         one bare zstd frame
 *   SNAPPY, LZ4, ZSTD    Hadoop's block framing:
 *                          groups of  i32 plain length | chunks of  i32 packed length | packed
 * bytes
 *
 * A codec keeps its contexts from block to block; one thread uses it at a time. */
#ifndef SM_FORMATS_CODEC_H
#define SM_FORMATS_CODEC_H

#include "core/buf.h"
#include "formats/sink.h"

typedef struct sm_codec sm_codec;

/* level 0 is the codec's default. ZSTD with framing UNSET is SM_E_JOB, and so is a level out of
 * range. */
sm_status sm_codec_open(sm_compression compression, sm_zstd_framing framing, int level,
                        sm_codec **out, sm_error *err) SM_MUST_CHECK;
void sm_codec_close(sm_codec *c); /* takes NULL */

/* Appends what is to be stored for `plain`. */
sm_status sm_codec_pack(sm_codec *c, sm_bytes plain, sm_buf *out, sm_error *err) SM_MUST_CHECK;
/* Appends exactly plain_len bytes, else SM_E_FORMAT. The stored bytes may be anything. */
sm_status sm_codec_unpack(sm_codec *c, sm_bytes stored, size_t plain_len, sm_buf *out,
                          sm_error *err) SM_MUST_CHECK;

/* Stored ZSTD payload: a bare frame begins with zstd's magic, which no sane group length equals. */
sm_zstd_framing sm_codec_zstd_framing_of(sm_bytes stored);

#endif
