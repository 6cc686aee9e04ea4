/* SPDX-License-Identifier: Apache-2.0 */
/* TZif files and the rules in their footers. A local time that occurs once is its instant plus the
 * offset there. */
#include "core/time.h"
#include "core/time_rule.h"
#include "support.h"

static void ask(const sm_zone *z, int64_t ms)
{
    int64_t first = 0;
    int64_t second = 0;
    const sm_local_kind kind = sm_zone_to_instant(z, ms, &first, &second);
    (void)sm_zone_offset(z, ms);
    (void)sm_zone_repeats_between(z, ms, ms + 86400000);
    if (kind == SM_LOCAL_ONCE) {
        fuzz_require(first == second, "one instant");
        fuzz_require(first + sm_zone_offset(z, first) * INT64_C(1000) == ms,
                     "an instant has its local time");
    }
    if (kind == SM_LOCAL_TWICE) {
        fuzz_require(first < second, "the earlier instant first");
    }
}

static void rule(sm_bytes text)
{
    sm_time_rule r;
    if (sm_time_rule_parse(text, &r) && r.has_dst) {
        for (int32_t year = 0; year <= 10000; year += 1250) {
            sm_time_change changes[2];
            sm_time_rule_changes(&r, year, changes);
            fuzz_require(changes[0].at <= changes[1].at, "changes in order of time");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sm_bytes in = sm_bytes_of(data, size);
    sm_zone *zone = NULL;
    sm_error err = {.code = SM_OK};
    rule(in);
    if (sm_zone_from_tzif(sm_bytes_text("Fuzz/Zone"), in, &zone, &err) == SM_OK) {
        for (int64_t year = -30; year <= 130; year++) {
            ask(zone, year * 31556952000 + 7775999000);
        }
        ask(zone, SM_TIME_MIN);
        ask(zone, SM_TIME_MAX);
        (void)sm_zone_repeats_between(zone, SM_TIME_MIN, SM_TIME_MAX);
    } else {
        fuzz_require(err.text[0] != '\0', "an error has a text");
    }
    sm_zone_free(zone);
    return 0;
}
