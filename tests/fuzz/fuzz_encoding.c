/* SPDX-License-Identifier: Apache-2.0 */
/* Text of each encoding into UTF-8: what was read to its end is valid, and reading it again as
 * UTF-8 changes nothing. Input: encoding, text. */
#include "core/utf8.h"
#include "ingest/encoding.h"
#include "support.h"

static void check(sm_bytes text)
{
    sm_recoder *r = NULL;
    sm_bytes out;
    size_t bad_at = 0;
    fuzz_ok(sm_recoder_new(SM_ENCODING_UTF8, &r, NULL), "UTF-8");
    fuzz_ok(sm_recode(r, text, &out, &bad_at, NULL), "any text");
    fuzz_require(bad_at == text.len && sm_bytes_equal(out, text), "what was recoded is UTF-8");
    sm_recoder_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const sm_encoding encoding = (sm_encoding)(fuzz_byte(&in) % 4);
    sm_recoder *r = NULL;
    sm_bytes out;
    size_t bad_at = 0;
    fuzz_ok(sm_recoder_new(encoding, &r, NULL), "an encoding");
    fuzz_ok(sm_recode(r, in, &out, &bad_at, NULL), "any text");
    fuzz_require(bad_at <= in.len, "the bad byte is in the text");
    if (bad_at == in.len && encoding != SM_ENCODING_BYTES) {
        check(out);
    }
    sm_recoder_free(r);
    return 0;
}
