/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of reading times with compiled formats. */
#include "core/time.h"
#include "support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct parser {
    sm_arena *arena;
    const sm_time_format *format;
    char pattern[128];
} parser;

static void open_parser(parser *p, const char *pattern, const sm_time_options *options)
{
    sm_error err = {0};
    assert_int_equal(sm_arena_new(4096, &p->arena, &err), SM_OK);
    if (sm_time_compile(p->arena, sm_bytes_text(pattern), options, &p->format, &err) != SM_OK) {
        fail_msg("%s: %s", pattern, err.text);
    }
    assert_true(strlen(pattern) < sizeof p->pattern);
    memcpy(p->pattern, pattern, strlen(pattern) + 1);
}

static void close_parser(parser *p)
{
    sm_arena_free(p->arena);
}

/* Parses a copy of exactly that size, so that reading past the end is seen. */
static sm_reject parse(const parser *p, const char *text, size_t len, sm_time_result *out)
{
    uint8_t *copy = malloc(len == 0 ? 1 : len);
    assert_non_null(copy);
    memcpy(copy, text, len);
    const sm_reject reject = sm_time_parse(p->format, sm_bytes_of(copy, len), out);
    free(copy);
    return reject;
}

typedef struct row {
    const char *text;
    sm_reject reject;
    int64_t ms; /* of rejects: bad_at */
} row;

static void check_rows(const char *pattern, const sm_time_options *options, const row *rows,
                       size_t count)
{
    parser p;
    open_parser(&p, pattern, options);
    for (size_t i = 0; i < count; i++) {
        sm_time_result r;
        const sm_reject reject = parse(&p, rows[i].text, strlen(rows[i].text), &r);
        const int64_t found = reject == SM_REJECT_NONE ? r.ms : (int64_t)r.bad_at;
        if (reject != rows[i].reject ||
            (found != rows[i].ms && (reject == SM_REJECT_NONE || reject == SM_REJECT_NOT_TIME))) {
            fail_msg("%s '%s': %s %lld instead of %s %lld", pattern, rows[i].text,
                     sm_reject_text(reject), (long long)found, sm_reject_text(rows[i].reject),
                     (long long)rows[i].ms);
        }
    }
    close_parser(&p);
}

#define CHECK(pattern, options, rows) \
    check_rows(pattern, options, rows, sizeof(rows) / sizeof((rows)[0]))

static void python_row(char **cells, void *context)
{
    parser *p = context;
    sm_time_result r;
    if (p->format == NULL || strcmp(p->pattern, cells[0]) != 0) {
        if (p->format != NULL) {
            close_parser(p);
        }
        open_parser(p, cells[0], NULL);
    }
    const sm_reject reject = parse(p, cells[1], strlen(cells[1]), &r);
    if (reject != SM_REJECT_NONE || r.ms != vectors_number(cells[2])) {
        fail_msg("%s '%s': %s %lld", cells[0], cells[1], sm_reject_text(reject), (long long)r.ms);
    }
}

static void test_as_strptime(void **state)
{
    parser p = {0};
    (void)state;
    assert_true(vectors_each("time_parse.tsv", 3, python_row, &p) > 300);
    close_parser(&p);
}

static void test_epoch_seconds(void **state)
{
    static const row rows[] = {
        {"-1", SM_REJECT_NONE, -1000},
        {"-0.5", SM_REJECT_NONE, -500},
        {"-1.25", SM_REJECT_NONE, -1250},
        {"-2208988800", SM_REJECT_NONE, INT64_C(-2208988800000)},
        {"2147483648", SM_REJECT_NONE, INT64_C(2147483648000)},
        {"-2147483649", SM_REJECT_NONE, INT64_C(-2147483649000)},
        {"9223372036854775", SM_REJECT_TIME_RANGE, 0},
        {"9223372036854776", SM_REJECT_TIME_RANGE, 0},
        {"9223372036854775807", SM_REJECT_TIME_RANGE, 0},
        {"99999999999999999999999999999999999999", SM_REJECT_TIME_RANGE, 0},
        {"-99999999999999999999999999999999999999", SM_REJECT_TIME_RANGE, 0},
        {"-0", SM_REJECT_NONE, 0},
        {"+7", SM_REJECT_NONE, 7000},
        {"007", SM_REJECT_NONE, 7000},
        {"1e3", SM_REJECT_NOT_TIME, 1},
        {"0.0009", SM_REJECT_NONE, 0},
        {"-0.0009", SM_REJECT_NONE, -1},
        {"-0.0000000000000000000000001", SM_REJECT_NONE, -1},
        {"-0.0000000000000000000000000", SM_REJECT_NONE, 0},
        {"-1.0001", SM_REJECT_NONE, -1001},
        {"1.9999", SM_REJECT_NONE, 1999},
        {"253402300799.999", SM_REJECT_NONE, INT64_C(253402300799999)},
        {"253402300799.9999999", SM_REJECT_NONE, INT64_C(253402300799999)},
        {"253402300800", SM_REJECT_TIME_RANGE, 0},
        {"-62135596800", SM_REJECT_NONE, INT64_C(-62135596800000)},
        {"-62135596800.0001", SM_REJECT_TIME_RANGE, 0},
        {"", SM_REJECT_NOT_TIME, 0},
        {"-", SM_REJECT_NOT_TIME, 1},
        {".5", SM_REJECT_NOT_TIME, 0},
        {"5.", SM_REJECT_NOT_TIME, 2},
        {"1.2.3", SM_REJECT_NOT_TIME, 3},
        {" 1", SM_REJECT_NOT_TIME, 0},
        {"1 ", SM_REJECT_NOT_TIME, 1},
        {"--1", SM_REJECT_NOT_TIME, 1},
    };
    (void)state;
    CHECK("epoch_s", NULL, rows);
}

static void test_other_epochs(void **state)
{
    static const row ms[] = {{"1699162200000", SM_REJECT_NONE, INT64_C(1699162200000)},
                             {"-1.5", SM_REJECT_NONE, -2},
                             {"1.999", SM_REJECT_NONE, 1},
                             {"253402300800000", SM_REJECT_TIME_RANGE, 0}};
    static const row us[] = {{"1699162200000999", SM_REJECT_NONE, INT64_C(1699162200000)},
                             {"999", SM_REJECT_NONE, 0},
                             {"-1", SM_REJECT_NONE, -1},
                             {"-1000", SM_REJECT_NONE, -1},
                             {"-1000.5", SM_REJECT_NONE, -2},
                             {"5", SM_REJECT_NONE, 0},
                             {"253402300800000000", SM_REJECT_TIME_RANGE, 0}};
    static const row ns[] = {{"1699162200123456789", SM_REJECT_NONE, INT64_C(1699162200123)},
                             {"-1", SM_REJECT_NONE, -1},
                             {"-1000000", SM_REJECT_NONE, -1},
                             {"-1000001", SM_REJECT_NONE, -2},
                             {"253402300799999999999", SM_REJECT_NONE, SM_TIME_MAX},
                             {"253402300800000000000", SM_REJECT_TIME_RANGE, 0},
                             {"1.5", SM_REJECT_NOT_TIME, 1}};
    static const row s[] = {
        {"1.5", SM_REJECT_NONE, 1500},  {"-1.25", SM_REJECT_NONE, -1250},
        {"-0.5", SM_REJECT_NONE, -500}, {"-0.000000001", SM_REJECT_NONE, -1},
        {"12", SM_REJECT_NONE, 12000},  {"9223372036854775807", SM_REJECT_TIME_RANGE, 0},
        {"1.", SM_REJECT_NOT_TIME, 2}};
    (void)state;
    CHECK("epoch_ms", NULL, ms);
    CHECK("epoch_us", NULL, us);
    CHECK("epoch_ns", NULL, ns);
    CHECK("%s.%f?", NULL, s);
}

static void test_twelve_hours(void **state)
{
    static const row rows[] = {
        {"2024-06-10 12:00:00 AM", SM_REJECT_NONE, INT64_C(1717977600000)},
        {"2024-06-10 12:59:59 AM", SM_REJECT_NONE, INT64_C(1717981199000)},
        {"2024-06-10 01:00:00 AM", SM_REJECT_NONE, INT64_C(1717981200000)},
        {"2024-06-10 12:00:00 PM", SM_REJECT_NONE, INT64_C(1718020800000)},
        {"2024-06-10 11:59:59 pm", SM_REJECT_NONE, INT64_C(1718063999000)},
        {"2024-06-10 13:00:00 PM", SM_REJECT_NO_SUCH_DATE, 0},
        {"2024-06-10 00:30:00 AM", SM_REJECT_NO_SUCH_DATE, 0},
        {"2024-06-10 08:15:00", SM_REJECT_NOT_TIME, 19},
        {"2024-06-10 08:15:00\xE2\x80\xAFPM", SM_REJECT_NOT_TIME, 19},
        {"2024-06-10 08:15:00 PMx", SM_REJECT_NOT_TIME, 22},
        {"2024-06-10 08:15:00 XM", SM_REJECT_NOT_TIME, 20},
    };
    (void)state;
    CHECK("%Y-%m-%d %I:%M:%S %p", NULL, rows);
}

static void test_offsets(void **state)
{
    static const row rows[] = {
        {"2013-08-16T15:45:34+0435", SM_REJECT_NONE, INT64_C(1376651434000)},
        {"2013-08-16T15:45:34-0330", SM_REJECT_NONE, INT64_C(1376680534000)},
        {"2013-08-16T15:45:34+00:30", SM_REJECT_NONE, INT64_C(1376666134000)},
        {"2013-08-16T15:45:34-00:30", SM_REJECT_NONE, INT64_C(1376669734000)},
        {"2013-08-16T15:45:34Z", SM_REJECT_NONE, INT64_C(1376667934000)},
        {"2013-08-16T15:45:34+14:00", SM_REJECT_NONE, INT64_C(1376617534000)},
        {"2013-08-16T15:45:34+2500", SM_REJECT_NOT_TIME, 20},
        {"2013-08-16T15:45:34+0560", SM_REJECT_NOT_TIME, 22},
        {"2013-08-16T15:45:34", SM_REJECT_NOT_TIME, 19},
        {"2013-08-16T15:45:34+05", SM_REJECT_NONE, INT64_C(1376649934000)},
        {"2013-08-16T15:45:34z", SM_REJECT_NONE, INT64_C(1376667934000)},
        {"2013-08-16T15:45:34+05:", SM_REJECT_NOT_TIME, 23},
        {"2013-08-16T15:45:34+5", SM_REJECT_NOT_TIME, 20},
        {"2013-08-16T15:45:34+050", SM_REJECT_NOT_TIME, 22},
        {"2013-08-16T15:45:34ZZ", SM_REJECT_NOT_TIME, 20},
        {"0001-01-01T00:00:00+00:01", SM_REJECT_TIME_RANGE, 0},
        {"9999-12-31T23:59:59-00:01", SM_REJECT_TIME_RANGE, 0},
    };
    static const row with_fraction[] = {
        {"2013-08-16T15:45:34.5-08:00", SM_REJECT_NONE, INT64_C(1376696734500)},
        {"2013-08-16t15:45:34z", SM_REJECT_NONE, INT64_C(1376667934000)},
        {"2013-08-16 15:45:34.123456789Z", SM_REJECT_NONE, INT64_C(1376667934123)},
        {"2013-08-16T15:45:34.1234567890Z", SM_REJECT_NOT_TIME, 29},
        {"2013-08-16T15:45:34.Z", SM_REJECT_NOT_TIME, 20},
        {"2013-08-16_15:45:34Z", SM_REJECT_NOT_TIME, 10},
        {"2013-08-16T15:45:34", SM_REJECT_NOT_TIME, 19},
    };
    static const row abbreviations[] = {
        {"2023-11-05 01:30:00 UTC", SM_REJECT_NONE, INT64_C(1699147800000)},
        {"2023-11-05 01:30:00 GMT", SM_REJECT_NONE, INT64_C(1699147800000)},
        {"2023-11-05 01:30:00 EDT", SM_REJECT_NOT_TIME, 20},
        {"2023-11-05 01:30:00 EST", SM_REJECT_NOT_TIME, 20},
        {"2023-11-05 01:30:00 UT", SM_REJECT_NOT_TIME, 20},
    };
    (void)state;
    CHECK("%Y-%m-%dT%H:%M:%S%z", NULL, rows);
    CHECK("rfc3339", NULL, rows);
    CHECK("rfc3339", NULL, with_fraction);
    CHECK("%F %T %Z", NULL, abbreviations);
}

static void test_no_such_date(void **state)
{
    static const row rows[] = {
        {"2024-02-29 00:00:00", SM_REJECT_NONE, INT64_C(1709164800000)},
        {"2000-02-29 00:00:00", SM_REJECT_NONE, INT64_C(951782400000)},
        {"2023-02-29 00:00:00", SM_REJECT_NO_SUCH_DATE, 0},
        {"1900-02-29 00:00:00", SM_REJECT_NO_SUCH_DATE, 0},
        {"2024-04-31 00:00:00", SM_REJECT_NO_SUCH_DATE, 0},
        {"2024-01-00 00:00:00", SM_REJECT_NO_SUCH_DATE, 0},
        {"2024-00-01 00:00:00", SM_REJECT_NO_SUCH_DATE, 0},
        {"2024-13-01 00:00:00", SM_REJECT_NO_SUCH_DATE, 0},
        {"2024-01-32 00:00:00", SM_REJECT_NO_SUCH_DATE, 0},
        {"2024-01-01 24:00:00", SM_REJECT_NO_SUCH_DATE, 0},
        {"2024-01-01 00:60:00", SM_REJECT_NO_SUCH_DATE, 0},
        {"2016-12-31 23:59:60", SM_REJECT_NO_SUCH_DATE, 0},
        {"0000-01-01 00:00:00", SM_REJECT_TIME_RANGE, 0},
        {"0001-01-01 00:00:00", SM_REJECT_NONE, SM_TIME_MIN},
        {"9999-12-31 23:59:59", SM_REJECT_NONE, SM_TIME_MAX - 999},
        {"2024-1-01 00:00:00", SM_REJECT_NOT_TIME, 6},
        {"2024-01-01 00:00:0", SM_REJECT_NOT_TIME, 18},
        {"2024-01-01 00:00:0x", SM_REJECT_NOT_TIME, 18},
        {"2024-01-01 00:00:000", SM_REJECT_NOT_TIME, 19},
        {"2024-01-01T00:00:00", SM_REJECT_NOT_TIME, 10},
        {"2O24-01-01 00:00:00", SM_REJECT_NOT_TIME, 1},
        {"\xFF\xFF\xFF\xFF-01-01 00:00:00", SM_REJECT_NOT_TIME, 0},
        {" 2024-01-01 00:00:00", SM_REJECT_NOT_TIME, 0},
        {"", SM_REJECT_NOT_TIME, 0},
    };
    static const row days[] = {{"2024-366", SM_REJECT_NONE, INT64_C(1735603200000)},
                               {"2023-366", SM_REJECT_NO_SUCH_DATE, 0},
                               {"2023-365", SM_REJECT_NONE, INT64_C(1703980800000)},
                               {"2023-060", SM_REJECT_NONE, INT64_C(1677628800000)},
                               {"2023-000", SM_REJECT_NO_SUCH_DATE, 0},
                               {"2023-367", SM_REJECT_NO_SUCH_DATE, 0},
                               {"2023-60", SM_REJECT_NOT_TIME, 7}};
    (void)state;
    CHECK("%Y-%m-%d %H:%M:%S", NULL, rows);
    CHECK("%Y-%j", NULL, days);
}

static void test_loose_widths(void **state)
{
    static const row us[] = {{"6/1/2024 8:05:00", SM_REJECT_NONE, INT64_C(1717229100000)},
                             {"06/01/2024 08:05:00", SM_REJECT_NONE, INT64_C(1717229100000)},
                             {"006/01/2024 08:05:00", SM_REJECT_NOT_TIME, 2},
                             {"/1/2024 8:05:00", SM_REJECT_NOT_TIME, 0}};
    static const row padded[] = {{"Jun  1 2024", SM_REJECT_NONE, INT64_C(1717200000000)},
                                 {"Jun 11 2024", SM_REJECT_NONE, INT64_C(1718064000000)},
                                 {"Jun 01 2024", SM_REJECT_NONE, INT64_C(1717200000000)},
                                 {"JUN 1 2024", SM_REJECT_NONE, INT64_C(1717200000000)},
                                 {"Jun   1 2024", SM_REJECT_NOT_TIME, 5},
                                 {"Jum  1 2024", SM_REJECT_NOT_TIME, 0},
                                 {"June 1 2024", SM_REJECT_NOT_TIME, 3},
                                 {"J\xFCn  1 2024", SM_REJECT_NOT_TIME, 0}};
    static const row full[] = {{"29 february 2024", SM_REJECT_NONE, INT64_C(1709164800000)},
                               {"01 May 2024", SM_REJECT_NONE, INT64_C(1714521600000)},
                               {"01 Febr 2024", SM_REJECT_NOT_TIME, 3}};
    static const row comma[] = {{"2024-06-01 00:00:00,250", SM_REJECT_NONE, INT64_C(1717200000250)},
                                {"2024-06-01 00:00:00", SM_REJECT_NONE, INT64_C(1717200000000)},
                                {"2024-06-01 00:00:00.250", SM_REJECT_NOT_TIME, 19}};
    (void)state;
    CHECK("%-m/%-d/%Y %-H:%M:%S", NULL, us);
    CHECK("%b %e %Y", NULL, padded);
    CHECK("%d %B %Y", NULL, full);
    CHECK("%F %T,%f?", NULL, comma);
}

static void test_pivot(void **state)
{
    static const row posix[] = {{"690101", SM_REJECT_NONE, INT64_C(-31536000000)},
                                {"680101", SM_REJECT_NONE, INT64_C(3092601600000)},
                                {"000101", SM_REJECT_NONE, INT64_C(946684800000)}};
    static const row from_1950[] = {{"500101", SM_REJECT_NONE, INT64_C(-631152000000)},
                                    {"490101", SM_REJECT_NONE, INT64_C(2493072000000)}};
    static const row early[] = {{"000101", SM_REJECT_NONE, INT64_C(-59011459200000)}};
    const sm_time_options middle = {.pivot = 1950};
    const sm_time_options low = {.pivot = 1};
    (void)state;
    CHECK("%y%m%d", NULL, posix);
    CHECK("%y%m%d", &middle, from_1950);
    CHECK("%y%m%d", &low, early); /* 00 is the year 100 */
}

static sm_zone *load(const char *name)
{
    sm_zone *z = NULL;
    sm_error err = {0};
    if (sm_zone_load(sm_bytes_text(name), &z, &err) != SM_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    return z;
}

static void test_new_york(void **state)
{
    static const row reject[] = {
        {"2023-11-05 00:59:59", SM_REJECT_NONE, INT64_C(1699160399000)},
        {"2023-11-05 01:30:00", SM_REJECT_TIME_AMBIGUOUS, 0},
        {"2023-11-05 02:00:00", SM_REJECT_NONE, INT64_C(1699167600000)},
        {"2024-03-10 01:59:59", SM_REJECT_NONE, INT64_C(1710053999000)},
        {"2024-03-10 02:30:00", SM_REJECT_TIME_MISSING, 0},
        {"2024-03-10 03:00:00", SM_REJECT_NONE, INT64_C(1710054000000)},
    };
    static const row earliest[] = {
        {"2023-11-05 01:30:00", SM_REJECT_NONE, INT64_C(1699162200000)},
        {"2024-03-10 02:30:00", SM_REJECT_NONE, INT64_C(1710052200000)}, /* 01:30 EST */
    };
    static const row latest[] = {
        {"2023-11-05 01:30:00", SM_REJECT_NONE, INT64_C(1699165800000)},
        {"2024-03-10 02:30:00", SM_REJECT_NONE, INT64_C(1710055800000)}, /* 03:30 EDT */
    };
    sm_zone *z = load("America/New_York");
    const sm_time_options options[] = {
        {.zone = z},
        {.zone = z, .repeated = SM_LOCAL_EARLIEST, .missing = SM_LOCAL_EARLIEST},
        {.zone = z, .repeated = SM_LOCAL_LATEST, .missing = SM_LOCAL_LATEST},
    };
    (void)state;
    CHECK("%Y-%m-%d %H:%M:%S", &options[0], reject);
    CHECK("%Y-%m-%d %H:%M:%S", &options[1], earliest);
    CHECK("%Y-%m-%d %H:%M:%S", &options[2], latest);
    sm_zone_free(z);
}

static void test_optional_offset(void **state)
{
    static const row rows[] = {
        {"2024-10-27 02:30:00", SM_REJECT_TIME_AMBIGUOUS, 0},
        {"2024-10-27 02:30:00+02:00", SM_REJECT_NONE, INT64_C(1729989000000)},
        {"2024-10-27 02:30:00+01:00", SM_REJECT_NONE, INT64_C(1729992600000)},
        {"2024-10-27 12:30:00", SM_REJECT_NONE, INT64_C(1730028600000)},
        {"2024-10-27 02:30:00x", SM_REJECT_NOT_TIME, 19},
    };
    sm_zone *z = load("Europe/Berlin");
    const sm_time_options options = {.zone = z};
    (void)state;
    CHECK("%Y-%m-%d %H:%M:%S%z?", &options, rows);
    sm_zone_free(z);
}

static void test_flags(void **state)
{
    sm_zone *z = load("Europe/Berlin");
    const sm_time_options options = {.zone = z, .repeated = SM_LOCAL_LATEST};
    parser p;
    sm_time_result r;
    (void)state;
    open_parser(&p, "%F %T", &options);
    assert_int_equal(parse(&p, "2024-10-27 02:30:00", 19, &r), SM_REJECT_NONE);
    assert_true(r.was_repeated && !r.was_missing);
    assert_int_equal(parse(&p, "2024-03-31 02:30:00", 19, &r), SM_REJECT_TIME_MISSING);
    assert_true(!r.was_repeated && r.was_missing);
    assert_int_equal(parse(&p, "2024-06-01 02:30:00", 19, &r), SM_REJECT_NONE);
    assert_true(!r.was_repeated && !r.was_missing);
    /* The local year 1 begins before the range does. */
    assert_int_equal(parse(&p, "0001-01-01 00:00:00", 19, &r), SM_REJECT_TIME_RANGE);
    assert_int_equal(sm_time_parse(p.format, sm_bytes_of(NULL, 0), &r), SM_REJECT_NOT_TIME);
    close_parser(&p);
    sm_zone_free(z);
}

/* Good texts with bytes changed: specialised and plain steps must agree in everything. */
static void test_specialised_agrees(void **state)
{
    parser fast;
    parser slow;
    uint32_t seed = 3;
    (void)state;
    open_parser(&fast, "%Y-%m-%d %H:%M:%S", NULL);
    open_parser(&slow, "%Y-%m-%d %-H:%M:%S", NULL); /* not the fixed shape */
    for (unsigned round = 0; round < 500000; round++) {
        char text[20] = "2024-02-28 23:59:59";
        sm_time_result a;
        sm_time_result b;
        for (unsigned i = 0; i < 1 + round % 4; i++) {
            seed = seed * 1664525 + 1013904223;
            const size_t at = (seed >> 8) % 19;
            if (at != 12 && at != 11) { /* there the two differ on purpose */
                text[at] = (char)(round % 8 == 0 ? seed >> 24 : '0' + (seed >> 24) % 10);
            }
        }
        const sm_reject left = sm_time_parse(fast.format, sm_bytes_of(text, 19), &a);
        const sm_reject right = sm_time_parse(slow.format, sm_bytes_of(text, 19), &b);
        assert_int_equal(left, right);
        assert_true(a.ms == b.ms && a.bad_at == b.bad_at);
    }
    close_parser(&fast);
    close_parser(&slow);
}

static void test_random_bytes(void **state)
{
    static const char *patterns[] = {"rfc3339",        "clf",    "epoch_s",        "epoch_ns",
                                     "%F %I:%M:%S %p", "%s.%f?", "%b %e %Y %T%z?", "%Y%j",
                                     "%d %B %y"};
    static const char alphabet[] = "0123456789-+:. TZzJanFeb/AMPM\xE2\xFF";
    uint32_t seed = 11;
    (void)state;
    for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++) {
        parser p;
        open_parser(&p, patterns[k], NULL);
        for (unsigned round = 0; round < 20000; round++) {
            char text[40];
            sm_time_result r;
            seed = seed * 1664525 + 1013904223;
            const size_t len = (seed >> 8) % sizeof text;
            for (size_t i = 0; i < len; i++) {
                seed = seed * 1664525 + 1013904223;
                text[i] = alphabet[(seed >> 8) % sizeof alphabet];
            }
            const sm_reject reject = parse(&p, text, len, &r);
            assert_true(reject != SM_REJECT_NONE || (r.ms >= SM_TIME_MIN && r.ms <= SM_TIME_MAX));
            assert_true(r.bad_at <= len);
        }
        close_parser(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_strptime),  cmocka_unit_test(test_epoch_seconds),
        cmocka_unit_test(test_other_epochs), cmocka_unit_test(test_twelve_hours),
        cmocka_unit_test(test_offsets),      cmocka_unit_test(test_no_such_date),
        cmocka_unit_test(test_loose_widths), cmocka_unit_test(test_pivot),
        cmocka_unit_test(test_new_york),     cmocka_unit_test(test_optional_offset),
        cmocka_unit_test(test_flags),        cmocka_unit_test(test_specialised_agrees),
        cmocka_unit_test(test_random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
