/* SPDX-License-Identifier: Apache-2.0 */
/* Points in time as a job file writes them: "2020-01-01", "2021-09-12 08:00:00", RFC 3339, or epoch
 * ms, each with "+ 2d" or "- 12h" behind it. Dates without an offset are read in the zone that the
 * caller names. */
#include "core/number.h"
#include "job/job_reader.h"

#include <string.h>

static const struct {
    char unit;
    int64_t ms;
} UNITS[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}, {'w', 604800000}};

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static sm_bytes trim(sm_bytes t)
{
    while (t.len != 0 && is_blank(t.data[0])) {
        t = sm_bytes_of(t.data + 1, t.len - 1);
    }
    while (t.len != 0 && is_blank(t.data[t.len - 1])) {
        t.len--;
    }
    return t;
}

/* "2d" -> ms */
static bool parse_span(sm_bytes t, int64_t *out)
{
    if (t.len < 2) {
        return false;
    }
    uint64_t number = 0;
    if (!sm_parse_uint(sm_bytes_of(t.data, t.len - 1), &number) || number > 10000000) {
        return false;
    }
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (t.data[t.len - 1] == (uint8_t)UNITS[i].unit) {
            *out = (int64_t)number * UNITS[i].ms;
            return true;
        }
    }
    return false;
}

/* Splits "BASE + SPAN" at a sign with blanks on both sides; *span is 0 without one. */
static bool split_span(sm_bytes text, sm_bytes *base, int64_t *span)
{
    *base = trim(text);
    *span = 0;
    for (size_t i = 1; i + 1 < text.len; i++) {
        const bool sign = text.data[i] == '+' || text.data[i] == '-';
        if (!sign || !is_blank(text.data[i - 1]) || !is_blank(text.data[i + 1])) {
            continue;
        }
        *base = trim(sm_bytes_of(text.data, i));
        if (!parse_span(trim(sm_bytes_of(text.data + i + 1, text.len - i - 1)), span)) {
            return false;
        }
        *span = text.data[i] == '-' ? -*span : *span;
        return true;
    }
    return true;
}

static bool parse_with(sm_arena *arena, const char *pattern, const sm_zone *zone, sm_bytes text,
                       int64_t *out)
{
    const sm_time_options options = {
        .zone = zone, .repeated = SM_LOCAL_EARLIEST, .missing = SM_LOCAL_EARLIEST};
    const sm_time_format *format = NULL;
    if (sm_time_compile(arena, sm_bytes_text(pattern), &options, &format, NULL) != SM_OK) {
        return false;
    }
    sm_time_result result;
    if (sm_time_parse(format, text, &result) != SM_REJECT_NONE) {
        return false;
    }
    *out = result.ms;
    return true;
}

static bool parse_base(sm_arena *arena, const sm_zone *zone, sm_bytes text, int64_t *out)
{
    static const char *const patterns[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
                                           "rfc3339"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (parse_with(arena, patterns[i], zone, text, out)) {
            return true;
        }
    }
    /* Short numbers are years in disguise more often than milliseconds of 1970. */
    return text.len > 8 && sm_parse_int(text, out);
}

bool sm_job_is_instant(sm_bytes text, const sm_zone *zone, int64_t *out)
{
    sm_bytes base;
    int64_t span = 0;
    int64_t ms = 0;
    sm_arena *arena = NULL;
    if (!split_span(text, &base, &span) || sm_arena_new(4096, &arena, NULL) != SM_OK) {
        return false;
    }
    const bool good = parse_base(arena, zone, base, &ms) && !__builtin_add_overflow(ms, span, out);
    sm_arena_free(arena);
    return good;
}

sm_status sm_job_instant(sm_job_reader *r, const sm_yaml_node *node, const char *what,
                         const sm_zone *zone, int64_t *out)
{
    const sm_status st = sm_job_want(r, node, SM_YAML_SCALAR, what);
    if (st != SM_OK) {
        return st;
    }
    if (!sm_job_is_instant(sm_yaml_node_bytes(node), zone, out)) {
        return sm_job_fail(
            r, node,
            "%s is \"%s\", but must be a date, an RFC 3339 time or epoch milliseconds, "
            "such as 2021-09-12 or \"2021-09-12 + 2d\"",
            what, node->text);
    }
    return SM_OK;
}
