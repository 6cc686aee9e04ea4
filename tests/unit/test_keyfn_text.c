/* SPDX-License-Identifier: Apache-2.0 */
/* Text shaping, default(), and what null and empty mean in keys and cells. */
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_vectors(void **state)
{
    assert_vectors(*state, "key_text.tsv", 300);
}

/* Fields that are declared ascii or digits are counted in bytes, with the same results. */
static void test_declared_charsets(void **state)
{
    assert_key_text(*state, "left(code, 2) + right(tag, 2) + reverse(code)", "00-92400");
    assert_key_text(*state, "substr(tag, 2, 2) + upper(tag) + lower(tag)", "b-AB-9ab-9");
    assert_key_text(*state, "pad(code, 6, \"0\", left) + reverse(hex(tag))",
                    "0000429"
                    "3d22614");
}

static void test_default_in_keys(void **state)
{
    set_null(*state, "note");
    assert_key_text(*state, "default(note, \"-\") + caller", "-13800138000");
    assert_key_text(*state, "default(note, callee)", "02087654321");
    assert_key_text(*state, "caller + default(note, \"\")", "13800138000");
    assert_key_text(*state, "pad(default(note, callee), 12)", "02087654321 ");
    assert_key_text(*state, "default(pad(note, 3), default(note, \"zz\"))", "zz");
    set_text(*state, "note", "");
    assert_key_text(*state, "default(note, \"-\") + code", "-0042");
    assert_key_text(*state, "default(left(note, 3) + \"x\", \"y\")", "y");
    set_text(*state, "note", "  ");
    assert_key_text(*state, "default(trim(note), \"-\")", "-");
    set_text(*state, "note", "n");
    assert_key_text(*state, "default(note, \"-\")", "n");
    set_null(*state, "callee");
    assert_key_text(*state, "default(note, callee)", "n");
    set_null(*state, "note");
    assert_reject(*state, SM_USE_KEY, "default(note, callee)", SM_REJECT_NULL_PART, "callee");
    assert_key(*state, "i64(default(answer, start))", "8000017bd834d028");
}

static void test_null_and_empty_in_keys(void **state)
{
    assert_reject(*state, SM_USE_KEY, "caller + note", SM_REJECT_NULL_PART, "note");
    assert_reject(*state, SM_USE_KEY, "salt(300, note) + caller", SM_REJECT_NULL_PART, "note");
    assert_reject(*state, SM_USE_KEY, "caller + rev_ts(answer)", SM_REJECT_NULL_PART, "answer");
    set_text(*state, "note", "");
    assert_reject(*state, SM_USE_KEY, "note", SM_REJECT_EMPTY_PART, "note");
    assert_reject(*state, SM_USE_KEY, "caller + pad(note, 5)", SM_REJECT_EMPTY_PART, "note");
    set_text(*state, "note", " ");
    assert_reject(*state, SM_USE_KEY, "trim(note)", SM_REJECT_EMPTY_PART, "note");
    assert_reject(*state, SM_USE_KEY, "caller + trim(note) + callee", SM_REJECT_EMPTY_PART, "note");
    assert_reject(*state, SM_USE_KEY, "md5(caller + digits(note))", SM_REJECT_EMPTY_PART, "note");
}

static void test_null_in_cells(void **state)
{
    assert_cell_text(*state, "note", NULL);
    assert_cell_text(*state, "caller + note", NULL);
    assert_cell_text(*state, "pad(note, 3) + caller", NULL);
    assert_cell_text(*state, "int64be(answer)", NULL);
    assert_cell_text(*state, "hex(md5(note + caller))", NULL);
    assert_cell_text(*state, "default(note, \"-\") + callee", "-02087654321");
    assert_cell_text(*state, "default(note + caller, note)", NULL);
    set_text(*state, "note", "");
    assert_cell_text(*state, "note", "");
    assert_cell_text(*state, "default(note, \"-\")", "");
    assert_cell_text(*state, "note + trim(\" \")", "");
}

static void test_pad_names_the_value(void **state)
{
    char text[256];
    sm_value v = {0};
    assert_int_equal(run_expr(*state, SM_USE_KEY, "pad(caller, 10)", &v), SM_REJECT_PAD_OVERFLOW);
    assert_int_equal(sm_eval_blame(((expr_fixture *)*state)->ev, text, sizeof text), 0);
    assert_string_equal(text,
                        "caller: found 13800138000 (11 bytes), pad() expects at most 10 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_declared_charsets, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_default_in_keys, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_null_and_empty_in_keys, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_null_in_cells, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_pad_names_the_value, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
