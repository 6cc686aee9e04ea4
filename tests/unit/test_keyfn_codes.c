/* SPDX-License-Identifier: Apache-2.0 */
/* random, pick and the short codes against tests/vectors/key_codes.tsv, and what is refused. */
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_vectors(void **state)
{
    assert_vectors(*state, "key_codes.tsv", 330);
}

/* Another seed, another choice; the value comes from mmh3.hash(record, 7). */
static void test_seed(void **state)
{
    expr_fixture *f = *state;
    sm_value v;
    int differ = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        f->context.seed = seed;
        assert_int_equal(run_expr(f, SM_USE_KEY, "random(300)", &v), SM_REJECT_NONE);
        assert_int_equal(v.bytes.len, 3);
        differ += memcmp(v.bytes.data, "169", 3) != 0;
    }
    assert_true(differ > 40);
}

static void test_refused(void **state)
{
    expr_fixture *f = *state;
    assert_non_null(strstr(refused(f, SM_USE_KEY, "pick(caller)"), "must be a list"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "pick([\"a\", \"a\"])"), "stands twice"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "pick([1, 2])"), "\"texts\" alone"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "random(0)"), "n must lie in"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "i64(least(duration, start))"), "one type"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "map(caller, [\"a\"])"), "must be a map"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "map(caller, {\"a\": 1})"), "\"texts\" alone"));
    assert_non_null(
        strstr(refused(f, SM_USE_KEY, "map(caller, {\"a\": {\"b\": \"c\"}})"), "\"texts\" alone"));
    assert_non_null(
        strstr(refused(f, SM_USE_KEY, "map(caller, {\"a\": \"1\", 'a': \"2\"})"), "stands twice"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "map(caller, {\"a\" \"1\"})"), "expected :"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "map(caller, {\"a\": \"1\""), "expected }"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "map(caller, {})"), "expected a value"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "{\"a\": \"1\"}"), "only stand in map"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "map(duration, {\"1\": \"1\"})"), "takes text"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "u64(row_number(1))"), "row_number()"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "caller + row_number()"), "is an int"));
    assert_reject(f, SM_USE_KEY, "u64(row_number())", SM_REJECT_NUMBER_RANGE, NULL);
    f->context.identity_count = 0;
    assert_non_null(strstr(refused(f, SM_USE_KEY, "random(3)"), "input.identity"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "pick([\"a\", \"b\"])"), "input.identity"));
}

static void test_no_entry(void **state)
{
    expr_fixture *f = *state;
    set_text(f, "caller", "DE");
    assert_reject(f, SM_USE_KEY, "map(caller, {\"CN\": \"1\"})", SM_REJECT_NO_MAP_ENTRY, "caller");
    set_null(f, "caller");
    assert_reject(f, SM_USE_KEY, "map(caller, {\"CN\": \"1\"}, else: \"2\")", SM_REJECT_NULL_PART,
                  "caller");
    assert_key_text(f, "default(map(caller, {\"CN\": \"1\"}, else: \"2\"), \"3\")", "3");
    assert_cell_text(f, "map(caller, {\"CN\": \"1\"})", NULL);
    assert_true(condition(f, "not (map(caller, {\"CN\": \"1\"}) = \"1\")"));
}

/* Canonical spellings: what was not written is not printed. */
static void assert_canonical(expr_fixture *f, const char *text, const char *expected)
{
    sm_buf out;
    sm_buf_init(&out, 1000);
    assert_int_equal(sm_expr_canonical(compile(f, SM_USE_KEY, text), &f->schema, &out, &f->err),
                     SM_OK);
    assert_true(sm_bytes_equal_text(sm_buf_view(&out), expected));
    sm_buf_free(&out);
}

static void test_canonical(void **state)
{
    assert_canonical(*state, "random( 4 )", "random(4)");
    assert_canonical(*state, "pick(['a',\"b\"])", "pick([\"a\", \"b\"])");
    assert_canonical(*state, "u64( row_number( ) )", "u64(row_number())");
    assert_canonical(*state, "map(caller, {'b':\"2\",\"a\" : '\\x01'},'z')",
                     "map(caller, {\"a\": \"\\x01\", \"b\": \"2\"}, else: \"z\")");
    assert_canonical(*state, "map(caller, {\"a\": \"1\"})", "map(caller, {\"a\": \"1\"})");
    assert_canonical(*state, "pick([\"a\", \"b\"], caller)", "pick([\"a\", \"b\"], by: caller)");
}

/* Names for expressions, and other tables' keys. */
static void test_defines(void **state)
{
    expr_fixture *f = *state;
    const sm_expr_define defines[] = {
        {sm_bytes_text("part"), sm_bytes_text("pad(caller, 12)"), "define.part"},
        {sm_bytes_text("both"), sm_bytes_text("part + \"_\" + part"), "define.both"},
        {sm_bytes_text("long"), sm_bytes_text("duration > 60"), "define.long"},
        {sm_bytes_text("loop"), sm_bytes_text("hex(loop2)"), "define.loop"},
        {sm_bytes_text("loop2"), sm_bytes_text("hex(loop)"), "define.loop2"},
        {sm_bytes_text("wrong"), sm_bytes_text("pad(start, 3)"), "define.wrong"},
    };
    const sm_expr_view views[] = {
        {sm_bytes_text("calls"), sm_bytes_text("salt(300, caller) + caller"), NULL},
        {sm_bytes_text("self"), sm_bytes_text("key(self)"), NULL},
    };
    f->context.defines = defines;
    f->context.define_count = sizeof defines / sizeof defines[0];
    f->context.views = views;
    f->context.view_count = 2;
    assert_key_text(f, "both", "13800138000 _13800138000 ");
    assert_canonical(f, "both",
                     "pad(caller, 12, fill: \" \", side: right) + \"_\" + "
                     "pad(caller, 12, fill: \" \", side: right)");
    assert_true(condition(f, "long and caller = \"13800138000\""));
    assert_canonical(f, "\"i\" + key(calls)", "\"i\" + salt(300, caller, hash: murmur3) + caller");
    set_null(f, "caller");
    assert_reject(f, SM_USE_CELL, "key(calls)", SM_REJECT_NULL_PART, "caller");
    assert_non_null(strstr(refused(f, SM_USE_KEY, "loop"), "made of itself"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "key(self)"), "made of itself"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "caller + wrong"), "define.wrong: column 5"));
    assert_non_null(strstr(refused(f, SM_USE_KEY, "key(nothing)"), "calls, self"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_seed, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_refused, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_no_entry, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_canonical, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_defines, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
