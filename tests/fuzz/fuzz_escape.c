/* SPDX-License-Identifier: Apache-2.0 */
/* Escaped texts: what is escaped comes back, and what can be read is read alike after escaping. */
#include "core/escape.h"
#include "support.h"

#include <stdlib.h>

static void round_trip(sm_bytes in)
{
    sm_buf text;
    size_t len = 0;
    size_t bad_at = 0;
    sm_buf_init(&text, SIZE_MAX / 2);
    fuzz_ok(sm_escape(in, &text, NULL), "any bytes can be escaped");
    uint8_t *back = malloc(text.len + 1);
    fuzz_require(back != NULL, "memory");
    fuzz_require(sm_unescape(sm_buf_view(&text), back, &len, &bad_at) == SM_UNESCAPE_OK,
                 "an escaped text can be read");
    fuzz_require(sm_bytes_equal(sm_bytes_of(back, len), in), "what is escaped comes back");
    free(back);
    sm_buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sm_bytes in = sm_bytes_of(data, size);
    size_t len = 0;
    size_t bad_at = 0;
    char small[24];
    uint8_t *out = malloc(size + (size == 0));
    fuzz_require(out != NULL, "memory");
    if (sm_unescape(in, out, &len, &bad_at) == SM_UNESCAPE_OK) {
        fuzz_require(len <= size, "no longer than its text");
        round_trip(sm_bytes_of(out, len));
    } else {
        fuzz_require(bad_at < size, "the bad byte is in the text");
    }
    round_trip(in);
    fuzz_require(strlen(sm_escape_short(in, small, sizeof small)) < sizeof small, "cut to size");
    free(out);
    return 0;
}
