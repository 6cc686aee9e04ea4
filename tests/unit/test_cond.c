/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions: truth tables, exact comparisons, nulls. */
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check(expr_fixture *f, const char *const *texts, size_t count, bool expected)
{
    for (size_t i = 0; i < count; i++) {
        if (condition(f, texts[i]) != expected) {
            fail_msg("%s is not %s", texts[i], expected ? "true" : "false");
        }
    }
}

#define CHECK(f, expected, ...)                  \
    check(f, (const char *const[]){__VA_ARGS__}, \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), expected)

static void test_text(void **state)
{
    CHECK(*state, true, "caller = \"13800138000\"", "caller == '13800138000'", "caller != 'x'",
          "caller < '139'", "caller <= '13800138000'", "caller > '1380013800'", "'a' < 'b'",
          "caller <> callee", "left(caller, 3) = '138'", "name > 'zzz'", "\"\\xff\" > \"\\x7f\"",
          "caller + callee = '1380013800002087654321'", "code in ['0042']",
          "code in ['z', '0042', 'a', '0043']", "code not in ['42', '0', '']", "'' < 'a'");
    CHECK(*state, false, "caller = '138'", "caller < caller", "caller != caller", "name < 'zzz'",
          "code in ['42', '']", "code not in ['1', '0042']", "'\\x00' < ''");
}

static void test_numbers(void **state)
{
    CHECK(*state, true, "duration = 569", "duration > 568", "duration >= 569.0", "duration < 569.5",
          "569 = duration", "cost = 2.5", "cost > 2", "2 < cost", "cost <= 2.5", "duration != -569",
          "duration in [1, 569]", "cost in [2, 2.5]", "-5 < 3", "1e3 = 1000");
    CHECK(*state, false, "duration = 570", "duration >= 569.5", "cost = 2", "cost < -2.5",
          "duration in [1, 2, 3]", "cost not in [2.5]");
    /* 2^53 + 1 is no double: compared as doubles these would be equal. */
    set_number(*state, "duration", 9007199254740993);
    set_real(*state, "cost", 9007199254740992.0);
    CHECK(*state, true, "duration > cost", "cost < duration", "duration != cost");
    set_number(*state, "duration", INT64_MAX);
    set_real(*state, "cost", 9223372036854775808.0);
    CHECK(*state, true, "duration < cost", "cost > duration", "duration > -1e300");
    set_number(*state, "duration", INT64_MIN);
    set_real(*state, "cost", -9223372036854775808.0);
    CHECK(*state, true, "duration = cost", "cost = duration", "duration > -1e19");
    set_number(*state, "duration", -3);
    CHECK(*state, true, "duration > -3.5", "duration < -2.5", "-2.5 > duration");
}

static void test_times(void **state)
{
    CHECK(*state, true, "start = '2021-09-12T04:12:25Z'", "start = '2021-09-12T12:12:25+08:00'",
          "start >= '2021-09-12'", "start < '2021-09-13'", "'2021-09-12' < start",
          "start in ['2021-09-12', '2021-09-12T04:12:25.000Z']",
          "floor_ts(start, 1d) = '2021-09-12'", "start = start",
          "start > '1969-12-31T23:59:59.999Z'");
    CHECK(*state, false, "start < '2021-09-12'", "start != '2021-09-12T04:12:25Z'",
          "start not in ['2021-09-12T04:12:25Z']");
}

static void test_null_is_false(void **state)
{
    CHECK(*state, false, "note = 'a'", "note != 'a'", "note = note", "answer < '2030-01-01'",
          "answer > '2000-01-01'", "note in ['a']", "note not in ['a']", "starts_with(note, '')",
          "contains(note, '')", "ends_with(note, '')", "note is not null", "caller is null",
          "left(note, 3) = 'abc'", "note + caller = 'a'", "md5(note) = 'a'");
    CHECK(*state, true, "note is null", "caller is not null", "not note = 'a'",
          "not (note in ['a'])", "left(note, 2) is null", "(note + caller) is null",
          "default(note, 'x') = 'x'", "answer is null and duration is not null");
    set_text(*state, "note", "");
    CHECK(*state, true, "note is not null", "note = ''", "default(note, 'x') = ''");
}

static void test_logic(void **state)
{
    CHECK(*state, true, "1 = 1 and 2 = 2", "1 = 2 or 2 = 2", "not 1 = 2", "not not 1 = 1",
          "1 = 2 and 1 = 2 or 1 = 1", "1 = 1 or 1 = 1 and 1 = 2", "not (1 = 1 and 1 = 2)",
          "1 = 1 and 1 = 1 and 1 = 1", "1 = 2 or 1 = 3 or 1 = 1", "not 1 = 2 and 1 = 1");
    CHECK(*state, false, "1 = 1 and 1 = 2", "1 = 2 or 1 = 3", "not 1 = 1",
          "(1 = 1 or 1 = 1) and 1 = 2", "1 = 1 and 1 = 1 and 1 = 2", "not (1 = 2 or 1 = 1)",
          "not not 1 = 2");
}

static void test_tests(void **state)
{
    CHECK(*state, true, "starts_with(caller, '138')", "ends_with(caller, '8000')",
          "contains(caller, '0013')", "contains(caller, '')", "starts_with(caller, '13800138000')",
          "contains(md5(caller), '') and not contains(caller, 'x')");
    CHECK(*state, false, "starts_with(caller, '38')", "ends_with(caller, '80')",
          "contains(caller, '999')", "starts_with(caller, '138001380000')",
          "ends_with(caller, '013800138000')");
}

/* What stands behind a decided and/or is not run: its rejects do not count. */
static void test_short_circuit(void **state)
{
    bool yes = true;
    expr_fixture *f = *state;
    set_text(f, "note", "\xff\xff");
    CHECK(f, false, "caller = 'x' and left(note, 1) = 'a'");
    CHECK(f, true, "caller != 'x' or left(note, 1) = 'a'");
    const sm_expr *e = compile(f, SM_USE_CONDITION, "left(note, 1) = 'a' or caller != 'x'");
    assert_int_equal(sm_expr_test(e, f->ev, &f->record, &yes), SM_REJECT_NOT_UTF8);
    assert_false(yes);
    assert_reject(f, SM_USE_CONDITION, "left(note, 1) = 'a'", SM_REJECT_NOT_UTF8, "note");
}

static void test_vectors(void **state)
{
    assert_vectors(*state, "key_cond.tsv", 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_text, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_numbers, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_times, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_null_is_false, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_logic, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_tests, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_short_circuit, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
