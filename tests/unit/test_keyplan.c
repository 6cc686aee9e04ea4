/* SPDX-License-Identifier: Apache-2.0 */
/* Plans with bounds worked out by hand. Expected ranges are written "START STOP" in hexadecimal
 * digits, literal text in '...', `-` for an open end; several ranges follow each other. */
#include "partitioner/keyplan.h"
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 8192 };

static const sm_key_plan *plan_with(expr_fixture *f, const char *key, const char *condition,
                                    sm_plan_options options)
{
    const sm_key_plan *plan = NULL;
    const sm_expr *k = compile(f, SM_USE_KEY, key);
    const sm_expr *c = condition == NULL ? NULL : compile(f, SM_USE_CONDITION, condition);
    if (sm_key_plan_make(&f->context, k, c, &options, &plan, &f->err) != SM_OK) {
        fail_msg("%s, %s: %s", key, condition, f->err.text);
    }
    return plan;
}

static const sm_key_plan *plan_of(expr_fixture *f, const char *key, const char *condition)
{
    return plan_with(f, key, condition, (sm_plan_options){0});
}

static void put_hex(char *out, sm_bytes bytes)
{
    size_t at = strlen(out);
    for (size_t i = 0; i < bytes.len && at + 3 < ROOM; i++) {
        at += (size_t)snprintf(out + at, ROOM - at, "%02x", bytes.data[i]);
    }
    (void)snprintf(out + at, ROOM - at, "%s ", bytes.len == 0 ? "-" : "");
}

/* 'ab'01 -> 616201 */
static void expand(const char *pattern, char *out)
{
    bool text = false;
    size_t at = 0;
    for (const char *p = pattern; *p != '\0' && at + 3 < ROOM; p++) {
        if (*p == '\'') {
            text = !text;
        } else if (text) {
            at += (size_t)snprintf(out + at, ROOM - at, "%02x", (unsigned char)*p);
        } else {
            out[at++] = *p;
        }
    }
    out[at++] = ' ';
    out[at] = '\0';
}

static void assert_ranges(const sm_key_plan *plan, const char *expected)
{
    static char found[ROOM];
    static char wanted[ROOM];
    found[0] = '\0';
    for (size_t i = 0; i < plan->count; i++) {
        put_hex(found, plan->ranges[i].start);
        put_hex(found, plan->ranges[i].stop);
    }
    expand(expected, wanted);
    if (plan->count == 0) {
        (void)snprintf(found, sizeof found, "none ");
    }
    assert_string_equal(found, wanted);
}

static void assert_exact(expr_fixture *f, const char *key, const char *condition,
                         const char *expected)
{
    const sm_key_plan *plan = plan_of(f, key, condition);
    assert_ranges(plan, expected);
    assert_true(plan->exact);
    assert_null(plan->residual);
    assert_int_equal(plan->residual_text.len, 0);
}

static void assert_superset(expr_fixture *f, const char *key, const char *condition,
                            const char *expected, const char *residual)
{
    const sm_key_plan *plan = plan_of(f, key, condition);
    assert_ranges(plan, expected);
    assert_false(plan->exact);
    assert_non_null(plan->residual);
    assert_int_equal(plan->residual_text.len, strlen(residual));
    assert_memory_equal(plan->residual_text.data, residual, strlen(residual));
}

static void assert_full(expr_fixture *f, const char *key, const char *condition, const char *why)
{
    const sm_key_plan *plan = plan_of(f, key, condition);
    assert_true(plan->full);
    assert_ranges(plan, "- -");
    assert_string_equal(plan->why_full, why);
}

/* ---- known parts ----------------------------------------------------------------------------- */

static void test_single_rows(void **state)
{
    expr_fixture *f = *state;
    assert_exact(f, "code", "code = \"0042\"", "'0042' '0042'00");
    assert_exact(f, "code + \"-\" + tag", "code = \"1\" and tag = \"b\"", "'1-b' '1-b'00");
    /* Without a border, 1 + 1b and 11 + b are the same row. */
    assert_superset(f, "code + tag", "code = \"1\" and tag = \"b\"", "'1b' '1b'00",
                    "((code = \"1\") and (tag = \"b\"))");
    assert_exact(f, "u32(duration) + code", "duration = 569 and code = \"7\"",
                 "00000239'7' 00000239'7'00");
    assert_exact(f, "md5(caller) + caller", "caller = \"a\" and caller is not null",
                 "0cc175b9c0f1b6a831c399e269772661'a' 0cc175b9c0f1b6a831c399e269772661'a'00");
}

static void test_sets(void **state)
{
    expr_fixture *f = *state;
    assert_exact(f, "pad(code, 3)", "code in [\"2\", \"1\"] or code = \"3\"",
                 "'1  ' '1  '00 '2  ' '2  '00 '3  ' '3  '00");
    assert_exact(f, "u8(duration) + u8(duration)", "duration in [1, 300, 2]",
                 "0101 010100 0202 020200");
    assert_exact(f, "u8(duration)", "duration in [1, 2, 3] and duration > 1 and not (duration = 3)",
                 "02 0200");
    assert_exact(f, "u8(duration)", "duration = 1 and duration = 2", "none");
    assert_exact(f, "code", "duration = 2.5", "none");
    assert_exact(f, "i64(duration)", "duration >= 7 and duration <= 7.0",
                 "8000000000000007 800000000000000700");
}

static void test_pads_that_collide(void **state)
{
    expr_fixture *f = *state;
    /* "a" and "a " fill up to the same bytes; digits hold no blank. */
    assert_superset(f, "pad(caller, 3)", "caller = \"a\"", "'a  ' 'a  '00", "(caller = \"a\")");
    assert_exact(f, "pad(code, 3)", "code = \"1\"", "'1  ' '1  '00");
    assert_superset(f, "pad(code, 3, fill: \"0\", side: left)", "code = \"1\"", "'001' '001'00",
                    "(code = \"1\")");
}

static void test_nulls(void **state)
{
    expr_fixture *f = *state;
    assert_exact(f, "caller", "caller is null", "none");
    assert_superset(f, "default(code, \"y\")", "code = \"1\"", "'1' '1'00", "(code = \"1\")");
    assert_superset(f, "default(code, \"1\")", "code is null", "'1' '1'00", "(code is null)");
}

/* ---- times ----------------------------------------------------------------------------------- */

/* 2021-09-12T00:00Z = 1631404800000 = 17BD74DB800, a day later 17BDC741400. An end drops the zeros
 * behind it. */
static void test_time_forward_and_reversed(void **state)
{
    expr_fixture *f = *state;
    assert_exact(f, "ts(start)", "start >= \"2021-09-12\" and start < \"2021-09-13\"",
                 "0000017bd74db800 0000017bdc7414");
    /* Long.MAX - to + 1 ... Long.MAX - from + 1: the end gives the start row. */
    assert_exact(f, "rev_ts(start)", "start >= \"2021-09-12\" and start < \"2021-09-13\"",
                 "7ffffe84238bec00 7ffffe8428b248");
    assert_exact(f, "rev_ts(start)", "start >= \"1970-01-01\"", "0000000000000000 80");
    assert_exact(f, "rev_ts(start)", "start < \"1970-01-01\"", "none");
    assert_exact(f, "ts32(start)", "start >= \"2021-09-12\" and start < \"2021-09-13\"",
                 "613d4300 613e9480");
    assert_superset(f, "ts32(start)",
                    "start >= \"2021-09-12T00:00:00.001Z\" and start < "
                    "\"2021-09-13\"",
                    "613d4300 613e9480",
                    "((start >= \"2021-09-12T00:00:00.001Z\") and (start < "
                    "\"2021-09-13T00:00:00.000Z\"))");
    assert_exact(f, "ts32(start)", "start >= \"2200-01-01\"", "none");
    assert_exact(f, "ts32(start)", "start >= \"2106-01-01\"", "ffcedd80 -");
    const sm_key_plan *plan = plan_of(f, "pad(code, 2) + rev_ts(start)", "code = \"1\"");
    assert_int_equal(plan->time_order, SM_TIME_NEWEST_FIRST);
    assert_int_equal(plan->time_field, 6);
    assert_ranges(plan, "'1 ' '1!'");
    plan = plan_of(f, "code + rev_ts(start)", "code = \"1\"");
    assert_int_equal(plan->time_order, SM_TIME_UNORDERED);
}

static void test_months(void **state)
{
    expr_fixture *f = *state;
    assert_exact(f, "pad(code, 2) + format_ts(start, \"%Y%m\") + tag",
                 "code = \"1\" and start >= \"2021-09-01\" and start < \"2021-11-01\"",
                 "'1 202109' '1 202111'");
    /* The call after the month lets each month be a scan of its own. */
    assert_exact(f, "format_ts(start, \"%Y%m\") + pad(code, 2)",
                 "code = \"1\" and start >= \"2021-09-01\" and start < \"2021-11-01\"",
                 "'2021091 ' '2021091 '00 '2021101 ' '2021101 '00");
    assert_superset(f, "format_ts(start, \"%Y%m\", zone: \"Asia/Shanghai\") + tag",
                    "start >= \"2021-09-01\" and start < \"2021-09-30T16:00:00Z\"",
                    "'202109' '20210:'",
                    "((start >= \"2021-09-01T00:00:00.000Z\") and (start < "
                    "\"2021-09-30T16:00:00.000Z\"))");
    assert_full(f, "format_ts(start, \"%m\") + tag", "start >= \"2021-09-01\"",
                "the key begins with format_ts(start, \"%m\", zone: \"UTC\"), and what is asked "
                "says nothing about it that a range could use");
}

static void test_base_hours(void **state)
{
    expr_fixture *f = *state;
    assert_exact(f, "ts32(floor_ts(start, 1h)) + pad(code, 2)",
                 "code = \"1\" and start >= \"2021-09-12\" and start < \"2021-09-12T02:00:00Z\"",
                 "613d4300'1 ' 613d4300'1 '00 613d5110'1 ' 613d5110'1 '00");
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
    expr_fixture *f = *state;
    assert_exact(f, "dec(duration, 3)", "duration > 5 and duration <= 20", "'006' '021'");
    assert_exact(f, "dec(duration, 3)", "duration > -5", "'000' '99:'");
    assert_exact(f, "dec(duration, 3)", "duration >= 1000", "none");
    assert_exact(f, "i32(duration)", "duration < 0", "00000000 80");
    assert_exact(f, "i64(duration)", "duration >= -1 and duration < 1.5",
                 "7fffffffffffffff 8000000000000002");
    assert_exact(f, "u8(duration)", "duration >= 255", "ff -");
    assert_exact(f, "f64(cost)", "cost >= 0 and cost < 1", "8000000000000000 bff0");
    assert_exact(f, "hex(u8(duration))", "duration < 16", "'00' '0g'");
    assert_superset(f, "float64be(cost) + code", "cost = 0 and duration > 1",
                    "0000000000000000 0000000000000001 8000000000000000 8000000000000001",
                    "(duration > 1)");
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void test_prefixes(void **state)
{
    expr_fixture *f = *state;
    assert_exact(f, "caller", "starts_with(caller, \"138\")", "'138' '139'");
    assert_exact(f, "code + \"-\" + tag", "starts_with(code, \"13\")", "'13' '14'");
    assert_superset(f, "code + tag", "starts_with(code, \"13\")", "'13' '14'",
                    "starts_with(code, \"13\")");
    assert_exact(f, "pad(caller, 9)", "starts_with(caller, \"13\")", "'13' '14'");
    assert_superset(f, "pad(caller, 9)", "starts_with(caller, \"1 \")", "'1 ' '1!'",
                    "starts_with(caller, \"1 \")");
    assert_exact(f, "reverse(caller)", "ends_with(caller, \"\\xE5\\xBC\\xA0z\")",
                 "'z'e5bca0 'z'e5bca1");
    assert_exact(f, "left(tag, 2) + \"\\x00\" + tag", "starts_with(tag, \"Ab\")",
                 "'Ab'00'Ab' 'Ab'00'Ac'");
    assert_exact(f, "hex(caller)", "starts_with(caller, \"a\")", "'61' '62'");
    assert_full(f, "upper(caller)", "starts_with(caller, \"a\")",
                "the key begins with upper(caller), and what is asked says nothing about it that "
                "a range could use");
}

static void test_text_ranges(void **state)
{
    expr_fixture *f = *state;
    assert_exact(f, "caller", "caller > \"a\" and caller <= \"b\"", "'a'00 'b'00");
    /* "b" may be followed by anything. */
    assert_superset(f, "caller + name", "caller >= \"a\" and caller <= \"b\"", "'a' 'c'",
                    "((caller >= \"a\") and (caller <= \"b\"))");
    assert_exact(f, "caller", "caller < \"\"", "none");
}

/* ---- spreading parts ------------------------------------------------------------------------- */

static void test_salts(void **state)
{
    expr_fixture *f = *state;
    const sm_key_plan *plan =
        plan_of(f, "salt(3, callee) + pad(code, 2)", "code = \"1\" and caller = \"x\"");
    assert_ranges(plan, "'01 ' '01 '00 '11 ' '11 '00 '21 ' '21 '00");
    assert_int_equal(plan->fan_out, 3);
    assert_int_equal(plan->ranges[0].lead, 1);
    plan = plan_of(f, "salt(300, callee, hash: java_abs) + code", "code = \"1\"");
    assert_int_equal(plan->count, 301);
    assert_memory_equal(plan->ranges[0].start.data, "-2481", 5); /* -2^31 % 300 */
    plan = plan_of(f, "salt_byte(2, callee) + code", "code = \"1\"");
    assert_ranges(plan, "00'1' 00'1'00 01'1' 01'1'00");
    assert_full(f, "salt(300, caller) + caller", "callee = \"1\"",
                "the key begins with salt(300, caller, hash: murmur3), and caller is not given");
    assert_full(f, "salt(3, caller) + rev_ts(start)", NULL, "every row is asked for");
}

static void test_codes(void **state)
{
    expr_fixture *f = *state;
    static const char KEY[] = "map(tag, {\"b\": \"\\x02\", \"a\": \"\\x01\"}) + code";
    static const char ELSE[] = "map(tag, {\"b\": \"\\x02\"}, else: \"\\xff\") + code";
    assert_exact(f, KEY, "tag = \"b\" and code = \"1\"", "02'1' 02'1'00");
    assert_exact(f, KEY, "tag in [\"a\", \"b\", \"zz\"]", "01 03");
    assert_exact(f, KEY, "code = \"1\"", "01'1' 01'1'00 02'1' 02'1'00");
    assert_ranges(plan_of(f, KEY, "tag = \"zz\""), "none");
    assert_superset(f, ELSE, "tag = \"zz\"", "ff -", "(tag = \"zz\")");
    assert_exact(f, ELSE, "code = \"1\"", "02'1' 02'1'00 ff'1' ff'1'00");
}

static void test_by_time(void **state)
{
    expr_fixture *f = *state;
    const sm_plan_options options = {.by_time = true};
    const sm_key_plan *plan = plan_with(f, "salt(3, caller) + rev_ts(start)", NULL, options);
    assert_false(plan->full);
    assert_ranges(plan, "'0' '1' '1' '2' '2' '3'");
    assert_int_equal(plan->time_order, SM_TIME_NEWEST_FIRST);
}

static void assert_leads(const sm_key_plan *plan, size_t lead)
{
    for (size_t i = 0; i < plan->count; i++) {
        assert_int_equal(plan->ranges[i].lead, lead);
    }
}

static void test_by_lead(void **state)
{
    expr_fixture *f = *state;
    const sm_plan_options options = {.by_lead = true};
    const sm_key_plan *plan = plan_with(f, "salt(3, caller) + pad(caller, 15)", NULL, options);
    assert_true(plan->full && plan->exact);
    assert_int_equal(plan->fan_out, 3);
    assert_ranges(plan, "'0' '1' '1' '2' '2' '3'");
    assert_leads(plan, 1);
    plan = plan_with(f, "\"x\" + salt(2, caller) + pad(caller, 15)", NULL, options);
    assert_ranges(plan, "'x0' 'x1' 'x1' 'x2'");
    assert_leads(plan, 2);
    plan = plan_with(f, "pad(caller, 15) + salt(3, caller)", NULL, options);
    assert_true(plan->full);
    assert_ranges(plan, "- -");
    plan = plan_with(f, "salt(3, caller) + pad(caller, 15)", "caller = \"1\"", options);
    assert_false(plan->full);
    assert_int_equal(plan->count, 1);
    const sm_plan_options few = {.most_ranges = 2, .by_lead = true};
    plan = plan_with(f, "salt(3, caller) + pad(caller, 15)", NULL, few);
    assert_true(plan->full);
    assert_ranges(plan, "- -");
}

static void test_most_ranges(void **state)
{
    expr_fixture *f = *state;
    const sm_plan_options options = {.most_ranges = 2};
    const sm_key_plan *plan = plan_with(f, "\"k\" + u8(duration) + salt(3, callee) + pad(code, 2)",
                                        "duration in [1, 2] and code = \"1\"", options);
    assert_ranges(plan, "'k'01 'k'03");
    assert_false(plan->exact);
}

static void test_ends(void **state)
{
    expr_fixture *f = *state;
    assert_exact(f, "\"\\xFF\" + u8(duration) + code", "duration = 255", "ffff -");
    assert_full(f, "md5(caller) + rev_ts(start)", "start > \"2021-09-12\"",
                "the key begins with md5(caller), and caller is not given");
    const sm_key_plan *plan = plan_of(f, "caller + name", NULL);
    assert_true(plan->full && plan->exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_single_rows, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_sets, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_pads_that_collide, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_nulls, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_time_forward_and_reversed, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_months, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_base_hours, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_numbers, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_prefixes, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_text_ranges, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_salts, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_codes, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_by_time, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_by_lead, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_most_ranges, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_ends, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
