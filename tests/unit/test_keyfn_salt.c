/* SPDX-License-Identifier: Apache-2.0 */
/* salt() against mmh3, hashlib, zlib, xxhash and the JDK's definition of hashCode. */
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_vectors(void **state)
{
    assert_vectors(*state, "key_salt.tsv", 2000);
}

/* Phoenix's own class: tests/hbase/phoenix. */
static void test_phoenix(void **state)
{
    assert_vectors(*state, "key_phoenix.tsv", 700);
}

static void test_sentence_for_bad_text(void **state)
{
    char text[256];
    sm_value v = {0};
    set_text(*state, "caller", "ab\xff");
    assert_int_equal(run_expr(*state, SM_USE_KEY, "salt(10, caller, hash: java_abs)", &v),
                     SM_REJECT_NOT_UTF8);
    assert_int_equal(sm_eval_blame(((expr_fixture *)*state)->ev, text, sizeof text), 0);
    assert_non_null(strstr(text, "ab\\xFF"));
}

/* String.format("%03d", Math.abs(Integer.MIN_VALUE) % 300) in Java. */
static void test_abs_of_the_smallest(void **state)
{
    assert_key_text(*state, "salt(300, caller + \"\", hash: murmur3)", "203");
    set_number(*state, "duration", 2147483648);
    assert_key_text(*state, "salt(300, duration, hash: java_abs)", "-248");
    assert_key_text(*state, "salt(10, duration, hash: java_abs)", "-8");
    assert_key_text(*state, "salt(1000, duration, hash: java_abs)", "-648");
    assert_key_text(*state, "salt(2000, duration, hash: java_abs)", "-1648");
    assert_key_text(*state, "salt(2000000, duration, hash: java_abs)", "-1483648");
    assert_key_text(*state, "salt(4, duration, hash: java_abs)", "0");
    assert_key_text(*state, "salt(1000000000, duration, hash: java_abs)", "-147483648");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_phoenix, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_sentence_for_bad_text, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_abs_of_the_smallest, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
