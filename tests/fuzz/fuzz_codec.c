/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression of blocks: any stored bytes, any claimed size. Input: codec, claimed size in three
 * bytes, stored bytes. */
#include "formats/codec.h"
#include "support.h"

static const struct {
    sm_compression compression;
    sm_zstd_framing framing;
} CODECS[] = {
    {SM_COMPRESSION_NONE, SM_ZSTD_FRAMING_UNSET},   {SM_COMPRESSION_GZ, SM_ZSTD_FRAMING_UNSET},
    {SM_COMPRESSION_SNAPPY, SM_ZSTD_FRAMING_UNSET}, {SM_COMPRESSION_LZ4, SM_ZSTD_FRAMING_UNSET},
    {SM_COMPRESSION_ZSTD, SM_ZSTD_FRAMING_HBASE},   {SM_COMPRESSION_ZSTD, SM_ZSTD_FRAMING_HADOOP},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const size_t i = fuzz_byte(&in) % (sizeof CODECS / sizeof CODECS[0]);
    size_t plain = fuzz_byte(&in);
    plain = plain << 8 | fuzz_byte(&in);
    plain = plain << 8 | fuzz_byte(&in);
    sm_codec *codec = NULL;
    sm_buf out;
    sm_error err = {.code = SM_OK};
    sm_buf_init(&out, SIZE_MAX / 2);
    fuzz_ok(sm_codec_open(CODECS[i].compression, CODECS[i].framing, 0, &codec, NULL), "a codec");
    if (sm_codec_unpack(codec, in, plain, &out, &err) == SM_OK) {
        fuzz_require(out.len == plain, "exactly the claimed size");
    } else {
        fuzz_require(err.code == SM_E_FORMAT && err.text[0] != '\0', "an error says what is wrong");
    }
    sm_codec_close(codec);
    sm_buf_free(&out);
    return 0;
}
