/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/number.h. */
#include "core/number.h"
#include "support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static bool int_of(const char *text, int64_t *out)
{
    return sm_parse_int(sm_bytes_text(text), out);
}

static void test_int_accepted(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"42", 42},
        {"-9223372036854775808", INT64_MIN},
        {"9223372036854775807", INT64_MAX},
        {"010", 10},
        {"+5", 5},
        {"-0", 0},
        {"0", 0},
        {"00000000000000000000000000000000000000000007", 7},
        {"-00000000000000000009223372036854775808", INT64_MIN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t v = 99;
        assert_true(int_of(rows[i].text, &v));
        assert_true(v == rows[i].value);
    }
}

static void test_int_refused(void **state)
{
    static const char *rows[] = {"9223372036854775808",
                                 "-9223372036854775809",
                                 "18446744073709551616",
                                 "2.2E+11",
                                 "6e+05",
                                 "12.0",
                                 " 7",
                                 "7 ",
                                 "",
                                 "-",
                                 "+",
                                 "--1",
                                 "+-1",
                                 "0x10",
                                 "1_000",
                                 "1,000",
                                 "99999999999999999999999999999999999999",
                                 "1/",
                                 "1:",
                                 "nan"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t v = 99;
        assert_false(int_of(rows[i], &v));
        assert_true(v == 99);
    }
    int64_t v = 99;
    assert_false(sm_parse_int(sm_bytes_of(NULL, 0), &v));
    assert_false(sm_parse_int(sm_bytes_of("1\0", 2), &v));
}

static void test_uint(void **state)
{
    uint64_t v = 0;
    (void)state;
    assert_true(sm_parse_uint(sm_bytes_text("18446744073709551615"), &v));
    assert_true(v == UINT64_MAX);
    assert_true(sm_parse_uint(sm_bytes_text("000000000000000000000000000012"), &v));
    assert_true(v == 12);
    assert_false(sm_parse_uint(sm_bytes_text("18446744073709551616"), &v));
    assert_false(sm_parse_uint(sm_bytes_text("99999999999999999999"), &v));
    assert_false(sm_parse_uint(sm_bytes_text("+1"), &v));
    assert_false(sm_parse_uint(sm_bytes_text("-1"), &v));
    assert_false(sm_parse_uint(sm_bytes_text(""), &v));
}

static void decimal_row(char **cells, void *context)
{
    double v = 0;
    (void)context;
    const bool good = sm_parse_decimal(sm_bytes_text(cells[0]), &v);
    if (strcmp(cells[1], "infinite") == 0) {
        assert_false(good);
        return;
    }
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof bits);
    if (!good || bits != strtoull(cells[1], NULL, 16)) {
        fail_msg("%s: read as %016llx, not %s", cells[0], (unsigned long long)bits, cells[1]);
    }
}

static void test_decimal_as_python(void **state)
{
    (void)state;
    assert_true(vectors_each("decimals.tsv", 2, decimal_row, NULL) > 800);
}

static void test_decimal_refused(void **state)
{
    static const char *rows[] = {"",      "-",   ".5",   "5.",    "1e",   "1e+",   "1e-", "1.e5",
                                 " 1",    "1 ",  "nan",  "inf",   "-inf", "0x1p3", "1,5", "1e5.0",
                                 "1e309", "--1", "1..2", "1.2.3", "1_0",  "e5",    "+",   "1f"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double v = 7;
        assert_false(sm_parse_decimal(sm_bytes_text(rows[i]), &v));
        assert_true(v == 7);
    }
}

static void test_size(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } rows[] = {
        {"0", 0},
        {"4096", 4096},
        {"7B", 7},
        {"3KB", 3000},
        {"10MB", 10000000},
        {"2GB", 2000000000},
        {"5TB", 5000000000000},
        {"512KiB", 524288},
        {"64MiB", 67108864},
        {"1GiB", 1073741824},
        {"2TiB", 2199023255552},
        {"64 MiB", 67108864},
        {"16777215TiB", UINT64_C(18446742974197923840)},
    };
    static const char *bad[] = {
        "",   "MiB",    "64  MiB", "64 ",   "64mib",       "64M", "-1",
        "+1", "1.5GiB", " 1",      "1KiB ", "16777216TiB", "1k",  "18446744073709551616"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t v = 1;
        assert_true(sm_parse_size(sm_bytes_text(rows[i].text), &v));
        assert_true(v == rows[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t v = 1;
        assert_false(sm_parse_size(sm_bytes_text(bad[i]), &v));
    }
}

static void expect_text(const char *out, size_t len, const char *expected)
{
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(out, expected, len);
}

static void test_print(void **state)
{
    char out[24];
    (void)state;
    expect_text(out, sm_print_uint(0, out), "0");
    expect_text(out, sm_print_uint(UINT64_MAX, out), "18446744073709551615");
    expect_text(out, sm_print_uint(1000, out), "1000");
    expect_text(out, sm_print_int(INT64_MIN, out), "-9223372036854775808");
    expect_text(out, sm_print_int(INT64_MAX, out), "9223372036854775807");
    expect_text(out, sm_print_int(-7, out), "-7");
}

static void test_print_padded(void **state)
{
    char out[32];
    (void)state;
    assert_true(sm_print_padded(42, 5, out));
    expect_text(out, 5, "00042");
    assert_true(sm_print_padded(99999, 5, out));
    expect_text(out, 5, "99999");
    assert_false(sm_print_padded(100000, 5, out));
    expect_text(out, 5, "99999");
    assert_true(sm_print_padded(0, 1, out));
    expect_text(out, 1, "0");
    assert_false(sm_print_padded(0, 0, out));
    assert_true(sm_print_padded(UINT64_MAX, 25, out));
    expect_text(out, 25, "0000018446744073709551615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int_accepted),
        cmocka_unit_test(test_int_refused),
        cmocka_unit_test(test_uint),
        cmocka_unit_test(test_decimal_as_python),
        cmocka_unit_test(test_decimal_refused),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_padded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
