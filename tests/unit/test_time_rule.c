/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/time_rule.h. The moments come from Python's zoneinfo and from counting days by
 * hand. */
#include "core/time_rule.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect_changes(const char *text, int32_t year, sm_time_change first,
                           sm_time_change second)
{
    sm_time_rule rule;
    sm_time_change out[2];
    assert_true(sm_time_rule_parse(sm_bytes_text(text), &rule));
    assert_true(rule.present && rule.has_dst);
    sm_time_rule_changes(&rule, year, out);
    assert_true(out[0].at == first.at && out[0].offset == first.offset);
    assert_true(out[1].at == second.at && out[1].offset == second.offset);
}

static void test_changes(void **state)
{
    (void)state;
    /* New York 2024: 10 March 07:00Z, 3 November 06:00Z */
    expect_changes("EST5EDT,M3.2.0,M11.1.0", 2024, (sm_time_change){1710054000, -14400},
                   (sm_time_change){1730613600, -18000});
    /* Berlin 2024: 31 March 01:00Z, 27 October 01:00Z */
    expect_changes("CET-1CEST,M3.5.0,M10.5.0/3", 2024, (sm_time_change){1711846800, 7200},
                   (sm_time_change){1729990800, 3600});
    /* Lord Howe 2024: 6 April 15:00Z (to +10:30), 5 October 15:30Z (to +11) */
    expect_changes("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2024,
                   (sm_time_change){1712415600, 37800}, (sm_time_change){1728142200, 39600});
    /* Dublin 2024: winter is the negative summer time */
    expect_changes("IST-1GMT0,M10.5.0,M3.5.0/1", 2024, (sm_time_change){1711846800, 3600},
                   (sm_time_change){1729990800, 0});
    /* Day 60 is 1 March with J in leap years too, 29 February (counting from 0: day 59) without. */
    expect_changes("AAA0BBB,J60/0,59/1", 2024, (sm_time_change){1709164800, 0},
                   (sm_time_change){1709251200, 3600});
    /* A whole year of summer time: it ends when it starts again, 1 January 2025 05:00Z. */
    expect_changes("EST5EDT,0/0,J365/25", 2024, (sm_time_change){1704085200, -14400},
                   (sm_time_change){1735707600, -18000});
}

static void test_plain(void **state)
{
    sm_time_rule rule;
    (void)state;
    assert_true(sm_time_rule_parse(sm_bytes_text(""), &rule));
    assert_false(rule.present);
    assert_true(sm_time_rule_parse(sm_bytes_text("CST-8"), &rule));
    assert_true(rule.present && !rule.has_dst && rule.standard == 28800);
    assert_true(sm_time_rule_parse(sm_bytes_text("<-0330>3:30"), &rule));
    assert_true(rule.standard == -12600);
}

static void test_refused(void **state)
{
    static const char *rows[] = {"X",
                                 "EST",
                                 "EST5EDT",
                                 "EST5EDT,",
                                 "EST5EDT,M3.2.0",
                                 "EST5EDT,M3.2.0,",
                                 "EST5EDT,M3.2.0,M11.1.0x",
                                 "EST5EDT,M13.2.0,M11.1.0",
                                 "EST5EDT,M3.6.0,M11.1.0",
                                 "EST5EDT,M3.0.0,M11.1.0",
                                 "EST5EDT,M3.2.7,M11.1.0",
                                 "EST5EDT,J0,J100",
                                 "EST5EDT,J366,J100",
                                 "EST5EDT,366,1",
                                 "EST5EDT,1/168,200",
                                 "EST25",
                                 "EST5:60",
                                 "<EST5",
                                 "<>5",
                                 "EST5 ",
                                 "EST5555EDT,M3.2.0,M11.1.0",
                                 "5"};
    sm_time_rule rule;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_false(sm_time_rule_parse(sm_bytes_text(rows[i]), &rule));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
