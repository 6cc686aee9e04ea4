/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns: groups, bytes, limits. Expectations are Perl's rules. */
#include "ingest/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static sm_pattern *pattern_of(const char *text)
{
    sm_pattern *p = NULL;
    sm_error err = {.code = SM_OK};
    if (sm_pattern_new(text, "input.trailer", &p, &err) != SM_OK) {
        fail_msg("%s", err.text);
    }
    return p;
}

static bool matches(sm_pattern *p, sm_bytes subject)
{
    bool found = false;
    assert_int_equal(sm_pattern_match(p, subject, "here", &found, NULL), SM_OK);
    return found;
}

static void searches_anywhere(void **state)
{
    (void)state;
    sm_pattern *p = pattern_of("b+c$");
    assert_string_equal(sm_pattern_text(p), "b+c$");
    assert_true(matches(p, sm_bytes_text("aabbc")));
    assert_false(matches(p, sm_bytes_text("aabbcd")));
    assert_false(matches(p, sm_bytes_text("aabbc\n")));
    assert_false(matches(p, (sm_bytes){NULL, 0}));
    sm_pattern_free(p);
    sm_pattern_free(NULL);
}

static void groups_are_sorted_and_may_take_no_part(void **state)
{
    (void)state;
    sm_pattern *p = pattern_of("(?<year>\\d{4})(-(?<day>\\d\\d))?(x)?(?<empty>z*)");
    assert_int_equal(sm_pattern_group_count(p), 3);
    assert_string_equal(sm_pattern_group_name(p, 0), "day");
    assert_string_equal(sm_pattern_group_name(p, 1), "empty");
    assert_string_equal(sm_pattern_group_name(p, 2), "year");
    sm_bytes took;
    assert_true(matches(p, sm_bytes_text("in 2024-05.csv")));
    assert_true(sm_pattern_group(p, 0, &took));
    assert_true(sm_bytes_equal_text(took, "05"));
    assert_true(matches(p, sm_bytes_text("in 2024.csv")));
    assert_false(sm_pattern_group(p, 0, &took));
    assert_true(sm_pattern_group(p, 1, &took));
    assert_int_equal(took.len, 0);
    assert_true(sm_pattern_group(p, 2, &took));
    assert_true(sm_bytes_equal_text(took, "2024"));
    sm_pattern_free(p);
}

static void bytes_are_bytes(void **state)
{
    (void)state;
    sm_pattern *p = pattern_of("^\xD6\xD0(?<rest>.)\\x00$");
    sm_bytes took;
    assert_true(matches(p, sm_bytes_of("\xD6\xD0\xFF\0", 4)));
    assert_true(sm_pattern_group(p, 0, &took));
    assert_true(sm_bytes_equal_text(took, "\xFF"));
    sm_pattern_free(p);
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    static const char *const texts[] = {"a(b",    "(?J)(?<a>x)(?<a>y)", "(*UTF)a", "a{2,1}", "\\",
                                        "(*UCP)a"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sm_pattern *p = NULL;
        sm_error err = {.code = SM_OK};
        assert_int_equal(sm_pattern_new(texts[i], "input.trailer", &p, &err), SM_E_JOB);
        assert_null(p);
        assert_non_null(strstr(err.text, "input.trailer: "));
    }
}

static void endless_searches_end(void **state)
{
    (void)state;
    sm_pattern *p = pattern_of("^(a+)+$");
    bool found = true;
    sm_error err = {.code = SM_OK};
    const sm_bytes subject = sm_bytes_text("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
    assert_int_equal(sm_pattern_match(p, subject, "f.csv", &found, &err), SM_E_INPUT_READ);
    assert_false(found);
    assert_non_null(strstr(err.text, "f.csv: the pattern"));
    sm_pattern_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_anywhere),
        cmocka_unit_test(groups_are_sorted_and_may_take_no_part),
        cmocka_unit_test(bytes_are_bytes),
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(endless_searches_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
