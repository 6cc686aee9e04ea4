/* SPDX-License-Identifier: Apache-2.0 */
/* The language as a whole: spelling, the flagship key, canonical forms, limits. */
#include "core/mem.h"
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Python: mmh3.hash(b"13800138000", signed=False) % 300 == 203; Long.MAX - 1631419945000. */
static void test_flagship(void **state)
{
    assert_key(*state, "salt(300, caller) + pad(caller, 15) + rev_ts(start) + callee",
               "3230333133383030313338303030202020207ffffe8427cb2fd73032303837363534333231");
}

static void test_literals(void **state)
{
    assert_key_text(*state, "\"a\" + 'b'", "ab");
    assert_key_text(*state, "'\"' + \"'\"", "\"'");
    assert_key(*state, "\"\\x00\\xfF\\\\\\\"\\n\\t\"", "00ff5c220a09");
    assert_key_text(*state, "  caller\n\t+\r\n\"_\"  +  callee  ", "13800138000_02087654321");
    assert_key_text(*state, "((caller))", "13800138000");
    assert_key_text(*state, "\"\xc3\xa9\" + code",
                    "\xc3\xa9"
                    "0042");
    assert_key_text(*state, "dec(duration, width: 4)", "0569");
    assert_key_text(*state, "dec(0042, 3)", "042");
    assert_key(*state, "i32(-5)", "7ffffffb");
}

static void test_names(void **state)
{
    assert_key_text(*state, "`odd name` + field(\"odd name\") + field('caller')",
                    "oddodd13800138000");
    assert_key_text(*state, "`caller`", "13800138000");
    const expr_fixture *f = *state;
    (void)compile(*state, SM_USE_KEY, "salt(300, caller) + rev_ts(start)");
    assert_true(f->used[0]);
    assert_true(f->used[6]);
    assert_false(f->used[1]);
    (void)compile(*state, SM_USE_KEY, "record");
    assert_true(f->used[1]);
    assert_true(f->used[9]);
}

static void test_named_arguments(void **state)
{
    assert_key_text(*state, "pad(side: left, x: code, width: 6, fill: '*')", "**0042");
    assert_key_text(*state, "pad(code, 6, '*', left)", "**0042");
    assert_key_text(*state, "pad(code, 6, side: left)", "  0042");
    assert_key_text(*state, "substr(caller, length: 3, start: 4)", "001");
    assert_key_text(*state, "concat(code, \"-\", tag)", "0042-Ab-9");
    assert_key_text(*state, "concat(code)", "0042");
    assert_key_text(*state, "salt(300, caller, hash: murmur3)", "203");
    assert_key_text(*state, "salt(300, caller, hash: \"murmur3\")", "203");
}

static void test_other_uses(void **state)
{
    sm_value v = {0};
    expr_fixture *f = *state;
    assert_int_equal(run_expr(f, SM_USE_TIMESTAMP, "start", &v), SM_REJECT_NONE);
    assert_int_equal(v.number, 1631419945000);
    assert_int_equal(run_expr(f, SM_USE_TIMESTAMP, "answer", &v), SM_REJECT_NONE);
    assert_true(v.is_null);
    assert_int_equal(run_expr(f, SM_USE_TIMESTAMP, "default(answer, start)", &v), SM_REJECT_NONE);
    assert_int_equal(v.number, 1631419945000);
    assert_int_equal(run_expr(f, SM_USE_TIMESTAMP, "floor_ts(start, 1h)", &v), SM_REJECT_NONE);
    assert_int_equal(v.number, 1631419200000);
    assert_int_equal(run_expr(f, SM_USE_TIMESTAMP, "\"2021-09-12\"", &v), SM_REJECT_NONE);
    assert_int_equal(v.number, 1631404800000);
    assert_int_equal(run_expr(f, SM_USE_TIMESTAMP, "2021-09-12", &v), SM_REJECT_NONE);
    assert_int_equal(v.number, 1631404800000);
    assert_int_equal(run_expr(f, SM_USE_TIMESTAMP, "2021-09-12T04:00:00+04:00", &v),
                     SM_REJECT_NONE);
    assert_int_equal(v.number, 1631404800000);
    assert_int_equal(run_expr(f, SM_USE_TIMESTAMP, "1631404800001", &v), SM_REJECT_NONE);
    assert_int_equal(v.number, 1631404800001);
    assert_int_equal(run_expr(f, SM_USE_TTL, "30d", &v), SM_REJECT_NONE);
    assert_int_equal(v.number, 2592000000);
    assert_int_equal(run_expr(f, SM_USE_TTL, "duration", &v), SM_REJECT_NONE);
    assert_int_equal(v.number, 569);
    assert_cell_text(f, "text(start)", "");
    assert_cell_text(f, "caller", "13800138000");

    sm_bytes literal = {0};
    assert_true(sm_expr_literal(compile(f, SM_USE_CELL, "\"q\\x01\""), &literal));
    assert_int_equal(literal.len, 2);
    assert_false(sm_expr_literal(compile(f, SM_USE_CELL, "caller"), &literal));
    assert_int_equal(sm_expr_type(compile(f, SM_USE_KEY, "caller + tag")), SM_TYPE_TEXT);
    assert_int_equal(sm_expr_type(compile(f, SM_USE_KEY, "caller + u8(1)")), SM_TYPE_BYTES);
    assert_int_equal(sm_expr_type(compile(f, SM_USE_KEY, "caller + \"\\xff\"")), SM_TYPE_BYTES);
}

static void test_widths(void **state)
{
    static const struct {
        const char *text;
        size_t low, high;
    } ROWS[] = {
        {"salt(300, caller) + pad(caller, 15) + rev_ts(start)", 26, 26},
        {"salt(300, caller) + callee", 4, SIZE_MAX},
        {"hex(md5(caller))", 32, 32},
        {"left(hex(md5(caller)), 8)", 8, 8},
        {"left(caller, 4)", 1, 16},
        {"left(code, 4)", 1, 4},
        {"substr(hex(md5(caller)), 31, 9)", 2, 2 + 7},
        {"trim(pad(caller, 15))", 0, 15},
        {"format_ts(start, \"%Y%m\")", 6, 6},
        {"salt(300, caller, hash: java_abs)", 3, 4},
        {"default(caller, dec(duration, 3))", 0, SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const sm_expr *e = compile(*state, SM_USE_KEY, ROWS[i].text);
        assert_int_equal(sm_expr_min_width(e), ROWS[i].low);
        assert_true(sm_expr_max_width(e) <= ROWS[i].high);
    }
}

/* Results of several expressions stay until the reset, also when they outgrow a block. */
static void test_results_are_held(void **state)
{
    enum { HELD = 40, SIZE = 5000 };
    expr_fixture *f = *state;
    char *big = test_malloc(SIZE);
    memset(big, 'b', SIZE);
    set_bytes(f, "note", sm_bytes_of(big, SIZE));
    const sm_expr *e = compile(f, SM_USE_KEY, "\"<\" + hex(note) + reverse(caller) + \">\"");
    sm_value held[HELD];
    for (size_t round = 0; round < 3; round++) {
        sm_eval_reset(f->ev);
        for (size_t i = 0; i < HELD; i++) {
            assert_int_equal(sm_expr_run(e, f->ev, &f->record, &held[i]), SM_REJECT_NONE);
        }
        for (size_t i = 0; i < HELD; i++) {
            const sm_bytes b = held[i].bytes;
            assert_int_equal(b.len, 2 * SIZE + 13);
            assert_int_equal(b.data[0], '<');
            assert_memory_equal(b.data + 2 * SIZE - 1, "6200083100831>", 14);
        }
    }
    test_free(big);
}

/* Once the buffers have grown, nothing is allocated (counted in builds with SM_FAULTS). */
static void test_no_allocation_per_row(void **state)
{
    expr_fixture *f = *state;
    sm_value v = {0};
    const sm_expr *e = compile(
        f, SM_USE_KEY,
        "salt(300, caller) + pad(caller, 15) + rev_ts(start) + hex(md5(callee, tag)) + "
        "reverse(name) + format_ts(start, \"%Y%m\", zone: \"Asia/Shanghai\") + xxh64(record)");
    assert_int_equal(sm_expr_run(e, f->ev, &f->record, &v), SM_REJECT_NONE);
    const unsigned long long before = sm_mem_allocations();
    for (size_t i = 0; i < 10000; i++) {
        sm_eval_reset(f->ev);
        assert_int_equal(sm_expr_run(e, f->ev, &f->record, &v), SM_REJECT_NONE);
    }
    assert_int_equal(sm_mem_allocations(), before);
}

static void test_maximum(void **state)
{
    expr_fixture *f = *state;
    sm_eval *small = NULL;
    sm_value v = {0};
    char text[200];
    assert_int_equal(sm_eval_new(20, &small, &f->err), SM_OK);
    static const struct {
        const char *text, *blame;
    } TOO_LONG[] = {
        {"caller + caller", "caller: the value is 22 bytes, at most 20 are allowed (limits.cell)"},
        {"hex(caller)", "caller: the value is 22 bytes, at most 20 are allowed (limits.cell)"},
        {"pad(caller, 21)", "caller: the value is 21 bytes, at most 20 are allowed (limits.cell)"}};
    for (size_t i = 0; i < sizeof TOO_LONG / sizeof TOO_LONG[0]; i++) {
        const sm_expr *e = compile(f, SM_USE_CELL, TOO_LONG[i].text);
        assert_int_equal(sm_expr_run(e, small, &f->record, &v), SM_REJECT_CELL_SIZE);
        assert_int_equal(sm_eval_blame(small, text, sizeof text), 0);
        assert_string_equal(text, TOO_LONG[i].blame);
        assert_int_equal(sm_eval_status(small, &f->err), SM_OK);
    }
    sm_eval_free(small);
}

static void check_canonical(expr_fixture *f, sm_expr_use use, const char *text,
                            const char *expected)
{
    sm_buf out;
    sm_buf_init(&out, 65536);
    assert_int_equal(sm_expr_canonical(compile(f, use, text), &f->schema, &out, &f->err), SM_OK);
    assert_int_equal(sm_buf_append_byte(&out, 0, &f->err), SM_OK);
    assert_string_equal((const char *)out.data, expected);
    sm_buf again;
    sm_buf_init(&again, 65536);
    const sm_expr *e = compile(f, use, (const char *)out.data);
    assert_int_equal(sm_expr_canonical(e, &f->schema, &again, &f->err), SM_OK);
    assert_true(sm_bytes_equal_text(sm_buf_view(&again), (const char *)out.data));
    sm_buf_free(&again);
    sm_buf_free(&out);
}

static void test_canonical(void **state)
{
    static const struct {
        sm_expr_use use;
        const char *text, *expected;
    } ROWS[] = {
        {SM_USE_KEY, "salt(300,caller)+pad(caller,15)+rev_ts(start)+callee",
         "salt(300, caller, hash: murmur3) + pad(caller, 15, fill: \" \", side: right) + "
         "rev_ts(start) + callee"},
        {SM_USE_KEY, "salt(0300, caller, '_', hash: md5)", "salt(300, caller + \"_\", hash: md5)"},
        {SM_USE_KEY, "concat(caller, (tag + 'x')) + `caller`", "caller + tag + \"x\" + caller"},
        {SM_USE_KEY, "field('odd name') + \"\\x00\\\\\\\"\"", "`odd name` + \"\\x00\\\\\\\"\""},
        {SM_USE_KEY, "ts(floor_ts(start, 3600s)) + rev_ts_dec(start)",
         "ts(floor_ts(start, 1h, zone: \"UTC\")) + rev_ts_dec(start)"},
        {SM_USE_KEY, "rev_ts_dec(start, s, 10)", "rev_ts_dec(start, unit: s, width: 10)"},
        {SM_USE_KEY, "caller + left(xxh64(record), 4)", "caller + left(xxh64(record), 4)"},
        {SM_USE_KEY, "default(note, '-')", "default(note, \"-\")"},
        {SM_USE_KEY, "substr(caller, 2) + substr(caller, 2, 3)",
         "substr(caller, 2) + substr(caller, 2, length: 3)"},
        {SM_USE_TTL, "1h", "3600000"},
        {SM_USE_TIMESTAMP, "'2021-09-12'", "\"2021-09-12T00:00:00.000Z\""},
        {SM_USE_CONDITION, "not caller == 'a' and duration <> 5 or cost >= 1.50",
         "(((not (caller = \"a\")) and (duration != 5)) or (cost >= 1.5))"},
        {SM_USE_CONDITION, "note is not null and caller not in ['b','a'] and start < '2021-09-12'",
         "((note is not null) and (caller not in [\"b\", \"a\"]) and "
         "(start < \"2021-09-12T00:00:00.000Z\"))"},
        {SM_USE_CONDITION, "starts_with(caller, '138') and cost = 2e0",
         "(starts_with(caller, \"138\") and (cost = 2.0))"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        check_canonical(*state, ROWS[i].use, ROWS[i].text, ROWS[i].expected);
    }
}

/* Every string of random bytes, and of random tokens, is compiled or refused; what compiles runs.
 */
static void test_random_texts(void **state)
{
    static const char *const WORDS[] = {
        "caller",   "start",      "duration",   "cost",    "note",
        "record",   "`odd name`", "(",          ")",       "[",
        "]",        ",",          ":",          "+",       "+",
        "=",        "<",          "in",         "is",      "null",
        "not",      "and",        "or",         "\"a\"",   "'\\xff'",
        "5",        "300",        "1.5",        "1h",      "-",
        "salt(",    "pad(",       "hex(",       "md5(",    "left(",
        "default(", "rev_ts(",    "ts(",        "u32(",    "dec(",
        "text(",    "floor_ts(",  "format_ts(", "\"%Y\"",  "hash:",
        "side:",    "left",       "java_abs",   "md5",     "\\",
        "\n",       "substr(",    "reverse(",   "concat(", "starts_with(",
    };
    expr_fixture *f = *state;
    uint64_t seed = 7;
    char text[200];
    for (size_t round = 0; round < 60000; round++) {
        size_t len = 0;
        const size_t parts = 1 + (seed >> 33) % 12;
        for (size_t i = 0; i < parts; i++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            const char *word = WORDS[(seed >> 33) % (sizeof WORDS / sizeof WORDS[0])];
            if (round % 4 == 0) {
                text[len++] = (char)(seed >> 40);
            } else {
                len += (size_t)snprintf(text + len, sizeof text - len, "%s ", word);
            }
        }
        const sm_expr *e = NULL;
        sm_error_clear(&f->err);
        const sm_expr_use use = (sm_expr_use)(round % 5);
        const sm_status st = sm_expr_compile(&f->context, use, sm_bytes_of(text, len), &e, &f->err);
        assert_true(st == SM_OK || st == SM_E_EXPR);
        if (st == SM_OK) {
            sm_value v = {0};
            (void)sm_expr_run(e, f->ev, &f->record, &v);
            (void)sm_eval_blame(f->ev, text, sizeof text);
        }
        sm_arena_reset(f->arena);
        sm_eval_reset(f->ev);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_flagship, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_literals, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_names, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_named_arguments, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_other_uses, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_widths, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_results_are_held, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_no_allocation_per_row, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_maximum, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_canonical, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_random_texts, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
