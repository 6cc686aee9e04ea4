/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the zones in core/time.h: against Python's zoneinfo, and with damaged files. */
#include "core/endian.h"
#include "core/time.h"
#include "support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static sm_zone *load(const char *name)
{
    sm_zone *z = NULL;
    sm_error err = {0};
    if (sm_zone_load(sm_bytes_text(name), &z, &err) != SM_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    return z;
}

/* "2024-06-10 08:15:00" as if UTC, in ms. */
static int64_t local_of(const char *text)
{
    int v[6];
    assert_int_equal(sscanf(text, "%d-%d-%d %d:%d:%d", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]),
                     6);
    const sm_civil c = {
        v[0], (uint8_t)v[1], (uint8_t)v[2], (uint8_t)v[3], (uint8_t)v[4], (uint8_t)v[5], 0};
    return sm_civil_to_ms(&c);
}

typedef struct zone_rows {
    sm_zone *zone;
    size_t kinds[3];
} zone_rows;

static void check_offsets(const sm_zone *z, int64_t local, int64_t instant)
{
    assert_true(sm_zone_offset(z, instant) == (local - instant) / 1000);
    assert_true(sm_zone_offset(z, instant + 999) == (local - instant) / 1000);
}

static void zone_row(char **cells, void *context)
{
    static const char *kinds[] = {"once", "twice", "never"};
    zone_rows *rows = context;
    if (rows->zone == NULL || strcmp(sm_zone_name(rows->zone), cells[0]) != 0) {
        sm_zone_free(rows->zone);
        rows->zone = load(cells[0]);
    }
    const int64_t local = local_of(cells[1]);
    int64_t first = 0;
    int64_t second = 0;
    const sm_local_kind kind = sm_zone_to_instant(rows->zone, local, &first, &second);
    if (strcmp(kinds[kind], cells[4]) != 0 || first != vectors_number(cells[2]) * 1000 ||
        second != vectors_number(cells[3]) * 1000) {
        fail_msg("%s %s: %s %lld %lld instead of %s %s %s", cells[0], cells[1], kinds[kind],
                 (long long)first, (long long)second, cells[4], cells[2], cells[3]);
    }
    if (kind != SM_LOCAL_NEVER) {
        check_offsets(rows->zone, local, first);
        check_offsets(rows->zone, local, second);
    }
    assert_true(sm_zone_repeats_between(rows->zone, first, first) == (kind == SM_LOCAL_TWICE) ||
                kind == SM_LOCAL_NEVER);
    rows->kinds[kind]++;
}

static void test_as_zoneinfo(void **state)
{
    zone_rows rows = {0};
    (void)state;
    assert_true(vectors_each("zone_instants.tsv", 5, zone_row, &rows) > 2000);
    assert_true(rows.kinds[0] > 1000 && rows.kinds[1] > 300 && rows.kinds[2] > 300);
    sm_zone_free(rows.zone);
}

static void test_fixed(void **state)
{
    static const struct {
        const char *name;
        int32_t offset;
    } rows[] = {{"UTC", 0},         {"Etc/UTC", 0},    {"Z", 0},      {"+08:00", 28800},
                {"-03:30", -12600}, {"-00:30", -1800}, {"+00:00", 0}, {"+23:59", 86340}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sm_zone *z = load(rows[i].name);
        int64_t first = 0;
        int64_t second = 0;
        assert_string_equal(sm_zone_name(z), rows[i].name);
        assert_int_equal(sm_zone_offset(z, 0), rows[i].offset);
        assert_int_equal(sm_zone_offset(z, INT64_MAX), rows[i].offset);
        assert_int_equal(sm_zone_offset(z, INT64_MIN), rows[i].offset);
        assert_int_equal(sm_zone_to_instant(z, 1000, &first, &second), SM_LOCAL_ONCE);
        assert_true(first == 1000 - (int64_t)rows[i].offset * 1000 && second == first);
        assert_false(sm_zone_repeats_between(z, INT64_MIN, INT64_MAX));
        sm_zone_free(z);
    }
}

static void test_names_refused(void **state)
{
    static const char *rows[] = {"",
                                 "/etc/passwd",
                                 "../../../etc/passwd",
                                 "Europe/../UTC",
                                 "Europe/",
                                 "Mars/Phobos",
                                 "localtime",
                                 "posixrules",
                                 "Europe",
                                 "+24:00",
                                 "+08:60",
                                 "08:00",
                                 "+0800",
                                 "Asia/Shang hai",
                                 "tzdata.zi",
                                 "Europe\\Berlin"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sm_zone *z = (sm_zone *)state;
        sm_error err = {0};
        assert_int_equal(sm_zone_load(sm_bytes_text(rows[i]), &z, &err), SM_E_JOB);
        assert_null(z);
        assert_non_null(strstr(err.text, "time zone"));
    }
    sm_zone *z = NULL;
    sm_error err = {0};
    assert_int_equal(sm_zone_load(sm_bytes_text("right/Europe/Berlin"), &z, &err), SM_E_FORMAT);
    assert_non_null(strstr(err.text, "leap seconds"));
    sm_zone_free(NULL);
}

static void test_repeats_between(void **state)
{
    sm_zone *z = load("America/New_York");
    const int64_t change = INT64_C(1699164000000); /* 2023-11-05T06:00Z: 02:00 EDT becomes 01:00 */
    const int64_t hour = 3600000;
    const int64_t day = 24 * hour;
    (void)state;
    assert_true(sm_zone_repeats_between(z, change - hour, change - hour));
    assert_true(sm_zone_repeats_between(z, change + hour - 1, change + hour - 1));
    assert_false(sm_zone_repeats_between(z, change - 100 * day, change - hour - 1));
    assert_false(sm_zone_repeats_between(z, change + hour, change + 100 * day));
    assert_true(sm_zone_repeats_between(z, change - day, change + day));
    assert_true(sm_zone_repeats_between(z, INT64_MIN, INT64_MAX));
    assert_false(sm_zone_repeats_between(z, change + day, change - day));
    /* The footer's years too: 2090-11-05T06:00Z */
    assert_true(sm_zone_repeats_between(z, INT64_C(3813544800000) - hour, INT64_C(3813544800000)));
    sm_zone_free(z);

    z = load("Asia/Kolkata");
    assert_false(sm_zone_repeats_between(z, 0, SM_TIME_MAX));
    assert_true(sm_zone_repeats_between(z, SM_TIME_MIN, 0));
    sm_zone_free(z);
}

/* ---- files made here --------------------------------------------------------------------------
 */

typedef struct spec {
    uint32_t times, types;
    const int64_t *at;
    const uint8_t *index;
    const int32_t *offset;
    const char *footer;
} spec;

static size_t put_header(uint8_t *p, const spec *s)
{
    memset(p, 0, 44);
    memcpy(p, "TZif2", 5);
    if (s != NULL) {
        sm_store_be32(p + 32, s->times);
        sm_store_be32(p + 36, s->types);
        sm_store_be32(p + 40, 4);
    }
    return 44;
}

static size_t make_file(const spec *s, uint8_t *out)
{
    size_t n = put_header(out, NULL);
    n += put_header(out + n, s);
    for (uint32_t i = 0; i < s->times; i++, n += 8) {
        sm_store_be64(out + n, (uint64_t)s->at[i]);
    }
    memcpy(out + n, s->index, s->times);
    n += s->times;
    for (uint32_t i = 0; i < s->types; i++, n += 6) {
        sm_store_be32(out + n, (uint32_t)s->offset[i]);
        out[n + 4] = out[n + 5] = 0;
    }
    memcpy(out + n, "ABC", 4);
    n += 4;
    out[n++] = '\n';
    memcpy(out + n, s->footer, strlen(s->footer));
    n += strlen(s->footer);
    out[n++] = '\n';
    return n;
}

static sm_status from_bytes(const uint8_t *data, size_t len, sm_zone **out)
{
    /* A copy of just this size, so that reading past the end is seen. */
    uint8_t *copy = malloc(len == 0 ? 1 : len);
    assert_non_null(copy);
    memcpy(copy, data, len);
    sm_error err = {0};
    const sm_status st =
        sm_zone_from_tzif(sm_bytes_text("Test/Zone"), sm_bytes_of(copy, len), out, &err);
    assert_int_equal(st, err.code);
    free(copy);
    return st;
}

static sm_status from_spec(const spec *s, sm_zone **out)
{
    uint8_t file[512];
    const size_t len = make_file(s, file);
    return from_bytes(file, len, out);
}

/* Back an hour at 1000000, and another half an hour later: some local times come three times. */
static void test_close_changes(void **state)
{
    static const int64_t at[] = {1000000, 1001800};
    static const uint8_t index[] = {1, 2};
    static const int32_t offset[] = {7200, 3600, 0};
    const spec s = {2, 3, at, index, offset, "ABC0"};
    sm_zone *z = NULL;
    int64_t first = 0;
    int64_t second = 0;
    (void)state;
    assert_int_equal(from_spec(&s, &z), SM_OK);
    /* 1004000 = 996800 + 7200 = 1000400 + 3600 = 1004000 + 0 */
    assert_int_equal(sm_zone_to_instant(z, 1004000000, &first, &second), SM_LOCAL_TWICE);
    assert_true(first == 996800000 && second == 1004000000);
    /* 1001900: under the middle offset only before it began, so just the last one */
    assert_int_equal(sm_zone_to_instant(z, 1001900000, &first, &second), SM_LOCAL_TWICE);
    assert_true(first == 994700000 && second == 1001900000);
    assert_int_equal(sm_zone_to_instant(z, 1001700000, &first, &second), SM_LOCAL_ONCE);
    assert_true(first == 994500000);
    sm_zone_free(z);
}

/* Forward and at once back: the gap is half closed again. */
static void test_gap_then_repeat(void **state)
{
    static const int64_t at[] = {1000000, 1000600};
    static const uint8_t index[] = {1, 0};
    static const int32_t offset[] = {0, 3600};
    const spec s = {2, 2, at, index, offset, "ABC0"};
    sm_zone *z = NULL;
    int64_t first = 0;
    int64_t second = 0;
    (void)state;
    assert_int_equal(from_spec(&s, &z), SM_OK);
    /* 1000300 is skipped at the first change and left out until the second. */
    assert_int_equal(sm_zone_to_instant(z, 1000300000, &first, &second), SM_LOCAL_NEVER);
    assert_true(first == 1000300000 && second == 996700000);
    /* 1000700 too is skipped, but comes after the way back. */
    assert_int_equal(sm_zone_to_instant(z, 1000700000, &first, &second), SM_LOCAL_ONCE);
    assert_true(first == 1000700000);
    assert_int_equal(sm_zone_to_instant(z, 1003700000, &first, &second), SM_LOCAL_TWICE);
    assert_true(first == 1000100000 && second == 1003700000);
    sm_zone_free(z);
}

/* No transitions at all: the footer's rule holds for every year. */
static void test_footer_alone(void **state)
{
    static const int32_t offset[] = {0};
    const spec summer = {0, 1, NULL, (const uint8_t *)"", offset, "EST5EDT,M3.2.0,M11.1.0"};
    const spec always = {0, 1, NULL, (const uint8_t *)"", offset, "EST5EDT,0/0,J365/25"};
    sm_zone *z = NULL;
    (void)state;
    assert_int_equal(from_spec(&summer, &z), SM_OK);
    assert_int_equal(sm_zone_offset(z, INT64_C(1710054000000) - 1), -18000);
    assert_int_equal(sm_zone_offset(z, INT64_C(1710054000000)), -14400);
    assert_int_equal(sm_zone_offset(z, SM_TIME_MIN), -18000);
    assert_int_equal(sm_zone_offset(z, SM_TIME_MAX), -18000);
    assert_int_equal(sm_zone_offset(z, SM_TIME_MAX - INT64_C(180) * 86400000), -14400);
    sm_zone_free(z);
    assert_int_equal(from_spec(&always, &z), SM_OK);
    for (int64_t day = 0; day < 2000; day++) {
        assert_int_equal(sm_zone_offset(z, day * 86400000), -14400);
    }
    assert_false(sm_zone_repeats_between(z, 0, SM_TIME_MAX));
    sm_zone_free(z);
}

static void test_damaged(void **state)
{
    static const int64_t unsorted[] = {1000, 1000};
    static const int64_t sorted[] = {1000, 2000};
    static const uint8_t index[] = {1, 0};
    static const uint8_t far_index[] = {2, 0};
    static const int32_t offset[] = {0, 3600};
    static const int32_t far_offset[] = {0, 26 * 3600};
    static const int32_t far_first[] = {-25 * 3600, 0};
    const spec rows[] = {
        {2, 2, unsorted, index, offset, "ABC0"},
        {2, 2, sorted, far_index, offset, "ABC0"},
        {2, 2, sorted, index, far_offset, "ABC0"},
        {2, 2, sorted, index, far_first, "ABC0"},
        {2, 2, sorted, index, offset, "ABC"},
        {2, 0, sorted, index, offset, "ABC0"},
        {2, 2, sorted, index, offset, "AAA0BBB,J1/0,J1/1"},
        {2, 2, sorted, index, offset, "AAA0BBB,J1/0,J365/167"},
    };
    sm_zone *z = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sm_status st = from_spec(&rows[i], &z);
        if (st == SM_OK) { /* odd, but not contradictory */
            assert_int_equal(i, 6);
            sm_zone_free(z);
            continue;
        }
        assert_int_equal(st, SM_E_FORMAT);
        assert_null(z);
    }
}

/* Every prefix, and every byte flipped: an error or a zone that answers. */
static void test_hostile(void **state)
{
    static const int64_t at[] = {-3000, 1000, 2000};
    static const uint8_t index[] = {1, 0, 1};
    static const int32_t offset[] = {0, 3600};
    const spec s = {3, 2, at, index, offset, "CET-1CEST,M3.5.0,M10.5.0/3"};
    uint8_t file[512];
    const size_t len = make_file(&s, file);
    sm_zone *z = NULL;
    (void)state;
    for (size_t n = 0; n < len; n++) {
        assert_int_equal(from_bytes(file, n, &z), SM_E_FORMAT);
    }
    uint32_t seed = 1;
    for (size_t round = 0; round < 3000; round++) {
        uint8_t copy[512];
        memcpy(copy, file, len);
        for (unsigned i = 0; i <= round % 3; i++) {
            seed = seed * 1664525 + 1013904223;
            copy[(seed >> 8) % len] = (uint8_t)(seed >> 24);
        }
        if (from_bytes(copy, len, &z) == SM_OK) {
            int64_t first = 0;
            int64_t second = 0;
            const int64_t t = (int64_t)(seed % 4000) * 1000;
            (void)sm_zone_to_instant(z, t, &first, &second);
            (void)sm_zone_to_instant(z, SM_TIME_MAX, &first, &second);
            assert_true(sm_zone_offset(z, SM_TIME_MIN) > -26 * 3600);
            sm_zone_free(z);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_zoneinfo),   cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_names_refused), cmocka_unit_test(test_repeats_between),
        cmocka_unit_test(test_close_changes), cmocka_unit_test(test_gap_then_repeat),
        cmocka_unit_test(test_footer_alone),  cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
