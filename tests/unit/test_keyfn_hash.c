/* SPDX-License-Identifier: Apache-2.0 */
/* Raw hashes, java_hash and record. */
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_vectors(void **state)
{
    assert_vectors(*state, "key_hash.tsv", 300);
}

static void test_record_of_nulls(void **state)
{
    set_null(*state, "callee");
    set_text(*state, "caller", "");
    set_null(*state, "start");
    assert_key(*state, "record",
               "00000000"
               "ffffffff"
               "ffffffff"
               "00000008"
               "0000000000000239"
               "00000008"
               "4004000000000000");
}

static void test_hash_of_several_is_hash_of_joined(void **state)
{
    sm_value a = {0};
    sm_value b = {0};
    assert_int_equal(run_expr(*state, SM_USE_KEY, "md5(caller, \"_\", callee)", &a),
                     SM_REJECT_NONE);
    assert_int_equal(run_expr(*state, SM_USE_KEY, "md5(caller + (\"_\" + callee))", &b),
                     SM_REJECT_NONE);
    assert_true(sm_bytes_equal(a.bytes, b.bytes)); /* both are still held */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_record_of_nulls, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_hash_of_several_is_hash_of_joined, expr_setup,
                                        expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
