/* SPDX-License-Identifier: Apache-2.0 */
/* gzip, zstd and plain files by their first bytes: what is decoded does not depend on how much is
 * asked for at once. Input: size of a read, then the file. */
#include "ingest/decoder.h"
#include "support.h"

enum { LARGE_READ = 1 << 16, DECODED_MAX = 4 << 20 };

typedef struct outcome {
    sm_status status;
    uint64_t bytes, sum;
    bool cut; /* stopped at DECODED_MAX */
} outcome;

static outcome decode(const char *path, size_t size)
{
    static uint8_t buffer[LARGE_READ];
    sm_raw raw = {0};
    const sm_decoder_type *type = NULL;
    sm_decoder *decoder = NULL;
    outcome o = {.status = sm_raw_open(path, &raw, NULL)};
    size_t got = 1;
    if (o.status == SM_OK) {
        o.status = sm_decoder_detect(&raw, &type, NULL);
    }
    if (o.status == SM_OK) {
        o.status = type->open(&raw, &decoder, NULL);
    }
    while (o.status == SM_OK && got != 0 && !o.cut) {
        got = 0;
        o.status = type->read(decoder, buffer, size, &got, NULL);
        fuzz_require(got <= size, "no more than asked for");
        for (size_t i = 0; i < got; i++) {
            o.sum = o.sum * 31 + buffer[i];
        }
        o.bytes += got;
        o.cut = o.bytes > DECODED_MAX;
    }
    if (type != NULL) {
        type->close(decoder);
    }
    sm_raw_close(&raw);
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const size_t small = (size_t)fuzz_byte(&in) + 1;
    const char *path = fuzz_file(in);
    const outcome large = decode(path, LARGE_READ);
    if (large.cut || large.bytes > (1 << 18)) {
        return 0;
    }
    const outcome pieces = decode(path, small);
    if (pieces.cut) {
        return 0;
    }
    fuzz_require(large.status == pieces.status, "the same outcome in pieces");
    fuzz_require(large.bytes == pieces.bytes && large.sum == pieces.sum,
                 "the same bytes in pieces, also in front of an error");
    return 0;
}
