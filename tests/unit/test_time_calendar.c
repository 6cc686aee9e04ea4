/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the calendar in core/time.h. */
#include "core/time.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_known_days(void **state)
{
    (void)state;
    /* Python: (date(...) - date(1970, 1, 1)).days */
    assert_int_equal(sm_days_from_civil(1970, 1, 1), 0);
    assert_int_equal(sm_days_from_civil(1969, 12, 31), -1);
    assert_int_equal(sm_days_from_civil(2000, 2, 29), 11016);
    assert_int_equal(sm_days_from_civil(2000, 3, 1), 11017);
    assert_int_equal(sm_days_from_civil(1, 1, 1), -719162);
    assert_int_equal(sm_days_from_civil(9999, 12, 31), 2932896);
}

/* Each day follows the one before, whatever way one counts. */
static void test_every_day(void **state)
{
    int64_t day = -719162;
    (void)state;
    for (int32_t year = 1; year <= 9999; year++) {
        for (unsigned month = 1; month <= 12; month++) {
            for (unsigned d = 1; d <= sm_days_in_month(year, month); d++, day++) {
                sm_civil c;
                assert_true(sm_days_from_civil(year, month, d) == day);
                assert_true(sm_civil_from_ms(day * 86400000 + 86399999, &c));
                assert_true(c.year == year && c.month == month && c.day == d && c.hour == 23 &&
                            c.minute == 59 && c.second == 59 && c.milli == 999);
                assert_true(sm_civil_to_ms(&c) == day * 86400000 + 86399999);
            }
        }
    }
    assert_true(day == 2932897);
}

static void test_valid(void **state)
{
    const sm_civil good = {2024, 2, 29, 23, 59, 59, 999};
    (void)state;
    assert_true(sm_civil_valid(&good));
    const sm_civil bad[] = {
        {2023, 2, 29, 0, 0, 0, 0}, {1900, 2, 29, 0, 0, 0, 0},   {2024, 4, 31, 0, 0, 0, 0},
        {2024, 0, 1, 0, 0, 0, 0},  {2024, 13, 1, 0, 0, 0, 0},   {2024, 1, 0, 0, 0, 0, 0},
        {2024, 1, 32, 0, 0, 0, 0}, {2024, 1, 1, 24, 0, 0, 0},   {2024, 1, 1, 0, 60, 0, 0},
        {2024, 1, 1, 0, 0, 60, 0}, {2024, 1, 1, 0, 0, 0, 1000}, {0, 1, 1, 0, 0, 0, 0},
        {10000, 1, 1, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(sm_civil_valid(&bad[i]));
    }
    const sm_civil leap = {2000, 2, 29, 0, 0, 0, 0};
    assert_true(sm_civil_valid(&leap));
}

static void test_range(void **state)
{
    sm_civil c;
    (void)state;
    assert_true(sm_civil_from_ms(SM_TIME_MIN, &c));
    assert_true(c.year == 1 && c.month == 1 && c.day == 1 && c.hour == 0 && c.milli == 0);
    assert_true(sm_civil_from_ms(SM_TIME_MAX, &c));
    assert_true(c.year == 9999 && c.month == 12 && c.day == 31 && c.hour == 23 && c.milli == 999);
    assert_false(sm_civil_from_ms(SM_TIME_MIN - 1, &c));
    assert_false(sm_civil_from_ms(SM_TIME_MAX + 1, &c));
    assert_false(sm_civil_from_ms(INT64_MIN, &c));
    assert_false(sm_civil_from_ms(INT64_MAX, &c));
    assert_true(sm_civil_from_ms(-1, &c));
    assert_true(c.year == 1969 && c.month == 12 && c.day == 31 && c.second == 59 && c.milli == 999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_days),
        cmocka_unit_test(test_every_day),
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
