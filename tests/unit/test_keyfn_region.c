/* SPDX-License-Identifier: Apache-2.0 */
/* region_start(): its values against a walk through the split list, what it refuses, and that a
 * start and whatever follows it stay in the region. */
#include "partitioner/keydecode.h"
#include "partitioner/keyplan.h"
#include "partitioner/splits.h"
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void split_at(expr_fixture *f, const sm_bytes *texts, size_t count)
{
    const sm_split_spec spec = {.kind = SM_SPLITS_LIST, .texts = texts, .text_count = count};
    const sm_splits *splits = NULL;
    assert_int_equal(sm_splits_make(f->arena, &spec, &splits, &f->err), SM_OK);
    f->context.splits = splits;
}

/* The last key that is not above the row, from the list as it was written: no search. */
static const char *start_by_hand(const char *const *keys, size_t count, const char *first,
                                 const char *row)
{
    const char *start = first;
    for (size_t i = 0; i < count; i++) {
        start = strcmp(keys[i], row) <= 0 ? keys[i] : start;
    }
    return start;
}

static void test_by_hand(void **state)
{
    static const char *const keys[] = {"300", "450", "600", "999"};
    static const char *const rows[] = {"0",  "2",   "299", "29999", "3",    "300",  "3000", "4",
                                       "44", "45",  "450", "451",   "599",  "5999", "60",   "600",
                                       "7",  "998", "99",  "999",   "9990", "9999", "abcd", " "};
    const sm_bytes texts[] = {sm_bytes_text("300"), sm_bytes_text("450"), sm_bytes_text("600"),
                              sm_bytes_text("999")};
    expr_fixture *f = *state;
    split_at(f, texts, 4);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_text(f, "caller", rows[i]);
        assert_key_text(f, "region_start(caller, first: \"000\")",
                        start_by_hand(keys, 4, "000", rows[i]));
    }
}

/* Bytes compare unsigned and may be 00. */
static void test_bytes(void **state)
{
    const sm_bytes texts[] = {sm_bytes_text("\\x00\\x01"), sm_bytes_text("\\x7F\\xFF"),
                              sm_bytes_text("\\x80\\x00"), sm_bytes_text("\\xFF\\xFF")};
    expr_fixture *f = *state;
    split_at(f, texts, 4);
    const char *key = "region_start(u16(duration), first: \"\\x00\\x00\")";
    const struct {
        int64_t row;
        const char *start;
    } cases[] = {{0, "0000"},      {1, "0001"},      {0x7ffe, "0001"}, {0x7fff, "7fff"},
                 {0x8000, "8000"}, {0xfffe, "8000"}, {0xffff, "ffff"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_number(f, "duration", cases[i].row);
        assert_key(f, key, cases[i].start);
    }
}

/* An index row lies where its data row lies. */
static void test_same_region(void **state)
{
    expr_fixture *f = *state;
    for (unsigned i = 0; i < 2000; i++) {
        char row[4] = {(char)(1 + i % 255), (char)(1 + i / 8), (char)('0' + i % 10), '\0'};
        sm_value index = {0};
        set_text(f, "tag", row);
        sm_eval_reset(f->ev);
        assert_int_equal(run_expr(f, SM_USE_KEY,
                                  "region_start(tag, first: \"00\") + rev_ts(start) + tag", &index),
                         SM_REJECT_NONE);
        assert_int_equal(sm_splits_route(f->context.splits, index.bytes),
                         sm_splits_route(f->context.splits, sm_bytes_text(row)));
    }
}

static void assert_refused(expr_fixture *f, const char *key, const char *part)
{
    const char *text = refused(f, SM_USE_KEY, key);
    if (strstr(text, part) == NULL) {
        fail_msg("'%s' does not stand in '%s'", part, text);
    }
}

static void test_refused(void **state)
{
    const sm_bytes uneven[] = {sm_bytes_text("30"), sm_bytes_text("450")};
    expr_fixture *f = *state;
    assert_refused(f, "region_start(caller)", "2 bytes that sort below the first split key 13");
    assert_refused(f, "region_start(caller, first: \"0\")", "first has 1 byte, but");
    assert_refused(f, "region_start(caller, first: \"000\")", "give it their width");
    assert_refused(f, "region_start(caller, first: \"13\")", "below the first split key 13");
    assert_refused(f, "region_start(caller, first: \"\\xff0\")", "below the first split key 13");
    assert_refused(f, "region_start(duration, first: \"00\")", "takes text or bytes");
    split_at(f, uneven, 2);
    assert_refused(f, "region_start(caller, first: \"00\")", "30 has 2 and 450 has 3 bytes");
    split_at(f, uneven, 0);
    assert_refused(f, "region_start(caller)", "say what stands for it");
    set_text(f, "caller", "z");
    assert_key_text(f, "region_start(caller, first: \"0\")", "0");
    f->context.splits = NULL;
    assert_refused(f, "region_start(caller, first: \"00\")", "here is none");
}

/* ---- reading back ---------------------------------------------------------------------------- */

static const sm_key_plan *plan_of(expr_fixture *f, const char *condition)
{
    const sm_key_plan *plan = NULL;
    const sm_expr *key =
        compile(f, SM_USE_KEY, "region_start(code, first: \"00\") + u32(duration) + code");
    const sm_expr *asked = compile(f, SM_USE_CONDITION, condition);
    assert_int_equal(sm_key_plan_make(&f->context, key, asked, NULL, &plan, &f->err), SM_OK);
    return plan;
}

static void assert_range(const sm_key_range *r, const char *start, const char *stop)
{
    assert_true(sm_bytes_equal(r->start, sm_bytes_of(start, 6)));
    assert_true(sm_bytes_equal(r->stop, sm_bytes_of(stop, 6)));
    assert_int_equal(r->lead, 2);
}

static void test_plan(void **state)
{
    expr_fixture *f = *state;
    const sm_key_plan *plan = plan_of(f, "duration = 569");
    assert_int_equal(plan->count, 4);
    assert_true(plan->exact);
    assert_int_equal(plan->fan_out, 4);
    assert_range(&plan->ranges[0], "00\0\0\2\x39", "00\0\0\2\x3a");
    assert_range(&plan->ranges[1], "13\0\0\2\x39", "13\0\0\2\x3a");
    assert_range(&plan->ranges[2], "aa\0\0\2\x39", "aa\0\0\2\x3a");
    assert_range(&plan->ranges[3], "\xe5\xbc\0\0\2\x39", "\xe5\xbc\0\0\2\x3a");
    plan = plan_of(f, "duration = 569 and code = \"2\"");
    assert_int_equal(plan->count, 1);
    assert_true(plan->exact);
    assert_true(sm_bytes_equal(plan->ranges[0].start, sm_bytes_of("13\0\0\2\x39"
                                                                  "2",
                                                                  7)));
}

static void test_decode(void **state)
{
    expr_fixture *f = *state;
    sm_key_decoder *d = NULL;
    sm_key_decoded out;
    const sm_expr *key =
        compile(f, SM_USE_KEY, "region_start(md5(code), first: \"00\") + code + \"_\" + tag");
    assert_int_equal(sm_key_decoder_new(key, &f->schema, &d, &f->err), SM_OK);
    /* md5("7") is 8f14e45f..., which lies between "aa" and e5bc. */
    assert_int_equal(sm_key_decode(d, sm_bytes_text("aa7_x"), &out, &f->err), SM_OK);
    assert_true(out.fits && !out.ambiguous);
    assert_int_equal(out.part_count, 4);
    assert_int_equal(out.parts[0].bytes.len, 2);
    assert_int_equal(sm_key_decode(d, sm_bytes_text("137_x"), &out, &f->err), SM_OK);
    assert_false(out.fits);
    assert_int_equal(sm_key_decode(d, sm_bytes_text("ab7_x"), &out, &f->err), SM_OK);
    assert_false(out.fits);
    sm_key_decoder_free(d);
}

static void test_splits_of_the_rule(void **state)
{
    expr_fixture *f = *state;
    const sm_splits *own = f->context.splits;
    const sm_bytes texts[] = {sm_bytes_text("5")};
    split_at(f, texts, 1);
    const sm_expr_view views[] = {{sm_bytes_text("index"),
                                   sm_bytes_text("region_start(caller, first: \"0\")"),
                                   f->context.splits}};
    f->context.views = views;
    f->context.view_count = 1;
    f->context.splits = own;
    const sm_expr *e =
        compile(f, SM_USE_KEY, "region_start(caller, first: \"00\") + \"-\" + key(index)");
    assert_ptr_equal(sm_expr_region_splits(e, 0), own);
    assert_ptr_equal(sm_expr_region_splits(e, 1), views[0].splits);
    assert_null(sm_expr_region_splits(e, 2));
    set_text(f, "caller", "7");
    assert_key_text(f, "region_start(caller, first: \"00\") + \"-\" + key(index)", "13-5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_by_hand, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_bytes, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_same_region, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_refused, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_plan, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_decode, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_splits_of_the_rule, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
