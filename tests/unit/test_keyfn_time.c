/* SPDX-License-Identifier: Apache-2.0 */
/* Times in keys against Python's datetime and zoneinfo. */
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_vectors(void **state)
{
    assert_vectors(*state, "key_time.tsv", 300);
}

/* No sum of a time and an offset may overflow. */
static void test_floor_of_extremes(void **state)
{
    static const int64_t EDGES[] = {INT64_MIN, INT64_MIN + 1, INT64_MIN + 86400000, INT64_MAX};
    for (size_t i = 0; i < sizeof EDGES / sizeof EDGES[0]; i++) {
        set_number(*state, "start", EDGES[i]);
        assert_reject(*state, SM_USE_KEY, "i64(floor_ts(start, 1d, zone: \"Asia/Kolkata\"))",
                      SM_REJECT_TIME_RANGE, "start");
        assert_reject(*state, SM_USE_KEY, "i64(floor_ts(start, 1h, zone: \"America/New_York\"))",
                      SM_REJECT_TIME_RANGE, "start");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_floor_of_extremes, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_vectors, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
