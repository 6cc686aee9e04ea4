/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, sizes and limits as text: a decimal is the double that the C library reads. */
#include "core/number.h"
#include "ingest/rejects.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

static void compare(sm_bytes text)
{
    char copy[512];
    int64_t whole = 0;
    uint64_t plain = 0;
    double real = 0;
    if (text.len >= sizeof copy) {
        return;
    }
    if (text.len != 0) {
        memcpy(copy, text.data, text.len);
    }
    copy[text.len] = '\0';
    char *end = NULL;
    if (sm_parse_decimal(text, &real)) {
        const double wanted = strtod(copy, &end);
        fuzz_require(*end == '\0' && memcmp(&real, &wanted, sizeof real) == 0, "the same double");
    }
    if (sm_parse_int(text, &whole)) {
        fuzz_require(strtoll(copy, &end, 10) == whole && *end == '\0', "the same integer");
        char printed[20];
        int64_t again = 0;
        const size_t len = sm_print_int(whole, printed);
        fuzz_require(sm_parse_int(sm_bytes_of(printed, len), &again) && again == whole,
                     "what is printed reads back");
    }
    if (sm_parse_uint(text, &plain)) {
        fuzz_require(strtoull(copy, &end, 10) == plain && *end == '\0', "the same number");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sm_bytes text = sm_bytes_of(data, size);
    uint64_t bytes = 0;
    double real = 0;
    sm_reject_limit limit;
    compare(text);
    (void)sm_parse_decimal(text, &real);
    (void)sm_parse_size(text, &bytes);
    if (sm_reject_limit_parse(text, &limit) && limit.is_percent) {
        fuzz_require(limit.percent >= 0 && limit.percent <= 100, "a percentage");
    }
    return 0;
}
