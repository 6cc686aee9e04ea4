/* SPDX-License-Identifier: Apache-2.0 */
/* Time formats: patterns compiled, texts parsed, times printed. The parser of the fixed shape and
 * the one that goes step by step agree. Input: options, pattern up to a NUL, text. */
#include "core/time.h"
#include "core/time_steps.h"
#include "support.h"

#include <stdlib.h>

static sm_zone *zone_of(unsigned i)
{
    static const char *const names[] = {"UTC", "Asia/Shanghai", "America/New_York",
                                        "Australia/Lord_Howe"};
    static sm_zone *zones[4];
    if (zones[i] == NULL) {
        fuzz_ok(sm_zone_load(sm_bytes_text(names[i]), &zones[i], NULL), "a zone of tzdata");
    }
    return zones[i];
}

static void parse(const sm_time_format *f, sm_bytes text)
{
    sm_time_result one = {0};
    const sm_reject code = sm_time_parse(f, text, &one);
    if (code == SM_REJECT_NONE) {
        fuzz_require(one.ms >= SM_TIME_MIN && one.ms <= SM_TIME_MAX, "within years 1 to 9999");
    } else if (code == SM_REJECT_NOT_TIME) {
        fuzz_require(one.bad_at <= text.len, "the bad byte is in the text");
    }
    if (f->parse == sm_time_parse_fixed) {
        sm_time_result two = {0};
        fuzz_require(sm_time_parse_steps(f, text, &two) == code, "both parsers agree");
        fuzz_require(code != SM_REJECT_NONE || one.ms == two.ms, "both give the same time");
    }
}

static void print(sm_arena *arena, const sm_zone *zone, sm_bytes pattern, sm_bytes text)
{
    const sm_time_printer *p = NULL;
    if (sm_time_printer_compile(arena, pattern, zone, &p, NULL) != SM_OK) {
        return;
    }
    uint64_t raw = 0;
    for (size_t i = 0; i < text.len && i < 8; i++) {
        raw = raw << 8 | text.data[i];
    }
    const size_t size = sm_time_printer_size(p);
    char *out = malloc(size + 1);
    fuzz_require(out != NULL, "memory");
    const int64_t ms[] = {SM_TIME_MIN, SM_TIME_MAX, 0, (int64_t)raw};
    for (size_t i = 0; i < sizeof ms / sizeof ms[0]; i++) {
        out[size] = '#';
        fuzz_require(sm_time_print(p, ms[i], out) <= size, "no longer than promised");
        fuzz_require(out[size] == '#', "nothing behind the promised size");
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const unsigned bits = fuzz_byte(&in);
    const sm_bytes pattern = fuzz_until(&in, 0);
    const sm_time_options options = {.zone = zone_of(bits & 3),
                                     .repeated = (sm_local_policy)((bits >> 2 & 3) % 3),
                                     .missing = (sm_local_policy)((bits >> 4 & 3) % 3),
                                     .pivot = (bits & 64) != 0 ? 1950 : 0};
    sm_arena *arena = NULL;
    const sm_time_format *f = NULL;
    sm_error err = {.code = SM_OK};
    fuzz_ok(sm_arena_new(4096, &arena, NULL), "an arena");
    if (sm_time_compile(arena, pattern, &options, &f, &err) == SM_OK) {
        fuzz_require(sm_time_format_text(f)[0] != '\0', "a format has a text");
        parse(f, in);
    }
    print(arena, options.zone, pattern, in);
    sm_arena_free(arena);
    return 0;
}
