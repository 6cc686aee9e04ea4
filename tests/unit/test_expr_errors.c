/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of expressions that are refused: where, what was found, what was expected, what to do.
 */
#include "core/fault.h"
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct message {
    const char *text, *expected; /* behind "tables[0].key: " */
} message;

static void check(expr_fixture *f, sm_expr_use use, const message *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char expected[1024];
        (void)snprintf(expected, sizeof expected, "tables[0].key: %s", rows[i].expected);
        assert_string_equal(refused(f, use, rows[i].text), expected);
    }
}

#define CHECK(f, use, rows) check(f, use, rows, sizeof(rows) / sizeof(rows)[0])

static void test_types(void **state)
{
    static const message ROWS[] = {
        {"pad(start, 15)", "column 5: pad() takes text, but start is a time; use rev_ts(start), "
                           "ts(start) or format_ts(start, \"...\")\n"
                           "    pad(start, 15)\n"
                           "        ^"},
        {"caller + duration", "column 10: duration is an int and has no bytes of its own; use "
                              "u32(duration), i64(duration) or dec(duration, width)\n"
                              "    caller + duration\n"
                              "             ^"},
        {"cost", "column 1: cost is a decimal and has no bytes of its own; use f64(cost)\n"
                 "    cost\n"
                 "    ^"},
        {"caller + rev_ts(duration)", "column 17: rev_ts() takes a time, but duration is an int\n"
                                      "    caller + rev_ts(duration)\n"
                                      "                    ^"},
        {"salt(300, duration)", "column 11: salt() hashes bytes, but duration is an int; use "
                                "u32(duration), i64(duration) or dec(duration, width), or one of "
                                "Java's hashes\n"
                                "    salt(300, duration)\n"
                                "              ^"},
        {"caller = \"x\"", "column 1: a condition has no bytes; expected text or bytes\n"
                           "    caller = \"x\"\n"
                           "    ^"},
        {"default(caller, 5)",
         "column 17: default() needs two values of one type, found text and an int\n"
         "    default(caller, 5)\n"
         "                    ^"},
    };
    CHECK(*state, SM_USE_KEY, ROWS);
}

static void test_cells(void **state)
{
    static const message ROWS[] = {
        {"caller + duration", "column 10: duration is an int and has no bytes of its own; use "
                              "int32be(duration), int64be(duration) or text(duration)\n"
                              "    caller + duration\n"
                              "             ^"},
        {"i64(duration)", "column 1: i64() flips bits so that keys sort as numbers do; HBase's "
                          "readers expect int64be() in cells\n"
                          "    i64(duration)\n"
                          "    ^"},
        {"\"x\" + i32(duration)", "column 7: i32() flips bits so that keys sort as numbers do; "
                                  "HBase's readers expect int32be() in cells\n"
                                  "    \"x\" + i32(duration)\n"
                                  "          ^"},
        {"f64(cost)", "column 1: f64() flips bits so that keys sort as numbers do; HBase's readers "
                      "expect float64be() in cells\n"
                      "    f64(cost)\n"
                      "    ^"},
    };
    CHECK(*state, SM_USE_CELL, ROWS);
}

static void test_names(void **state)
{
    static const message ROWS[] = {
        {"callr + \"x\"", "column 1: there is no field callr; did you mean caller?\n"
                          "    callr + \"x\"\n"
                          "    ^"},
        {"sallt(300, caller)", "column 1: there is no function sallt(); did you mean salt()?\n"
                               "    sallt(300, caller)\n"
                               "    ^"},
        {"hex", "column 1: hex is a function: write hex(...)\n"
                "    hex\n"
                "    ^"},
        {"`nowhere at all`", "column 1: there is no field nowhere at all\n"
                             "    `nowhere at all`\n"
                             "    ^"},
        {"caller + and", "column 10: expected a value; a field of the name and is written `and`\n"
                         "    caller + and\n"
                         "             ^"},
        {"pad(caller, 15, side: middle)", "column 23: side is one of right|left\n"
                                          "    pad(caller, 15, side: middle)\n"
                                          "                          ^"},
    };
    CHECK(*state, SM_USE_KEY, ROWS);
}

static void test_arguments(void **state)
{
    static const message ROWS[] = {
        {"pad(caller)", "column 1: the argument width is missing: pad(x, width[, fill][, side])\n"
                        "    pad(caller)\n"
                        "    ^"},
        {"pad(caller, 15, ' ', left, 5)",
         "column 28: one argument too many: pad(x, width[, fill][, side])\n"
         "    pad(caller, 15, ' ', left, 5)\n"
         "                               ^"},
        {"pad(caller, 15, width: 5)",
         "column 24: this argument is given twice: pad(x, width[, fill][, side])\n"
         "    pad(caller, 15, width: 5)\n"
         "                           ^"},
        {"pad(caller, 15, colour: 5)",
         "column 25: no such named argument: pad(x, width[, fill][, side])\n"
         "    pad(caller, 15, colour: 5)\n"
         "                            ^"},
        {"salt(caller, 300)", "column 6: n must be a whole number, written out\n"
                              "    salt(caller, 300)\n"
                              "         ^"},
        {"salt(0, caller)", "column 6: n must lie in 1 ... 1000000000, found 0\n"
                            "    salt(0, caller)\n"
                            "         ^"},
        {"salt(9, caller, callee, hash: java_abs)",
         "column 17: Java's hashes take one value; join several with + to hash their text\n"
         "    salt(9, caller, callee, hash: java_abs)\n"
         "                    ^"},
        {"rev_ts_dec(start, s)", "column 19: unit and width belong together: rev_ts_dec(t, s, 10)\n"
                                 "    rev_ts_dec(start, s)\n"
                                 "                      ^"},
        {"ts(floor_ts(start, 3))",
         "column 20: step must be a duration such as 1h, 30m, 15s, 1d, written out\n"
         "    ts(floor_ts(start, 3))\n"
         "                       ^"},
        {"text(ts(start))",
         "column 6: text() gives a field as it stood in the input; this is no field\n"
         "    text(ts(start))\n"
         "         ^"},
    };
    CHECK(*state, SM_USE_KEY, ROWS);
}

static void test_spelling(void **state)
{
    static const message ROWS[] = {
        {"", "the expression is empty"},
        {"caller +", "column 9: expected a value: a field, a \"text\", a number or a function\n"
                     "    caller +\n"
                     "            ^"},
        {"caller callee", "column 8: expected the end or an operator such as + before this\n"
                          "    caller callee\n"
                          "           ^"},
        {"left(caller, 2", "column 15: expected , or ) before the end\n"
                           "    left(caller, 2\n"
                           "                  ^"},
        {"'ab\" + caller", "column 1: this text is never closed; expected another '\n"
                           "    'ab\" + caller\n"
                           "    ^"},
        {"\"ab\\q\"", "column 4: unknown escape in a text; known are \\xHH \\\" \\' \\\\ \\n \\t\n"
                      "    \"ab\\q\"\n"
                      "       ^"},
        {"\"\\x4\"", "column 2: \\x needs two hexadecimal digits behind it, as in \\x00\n"
                     "    \"\\x4\"\n"
                     "     ^"},
        {"caller + $", "column 10: '$' means nothing here; texts are written \"...\"\n"
                       "    caller + $\n"
                       "             ^"},
        {"caller + \x01", "column 10: the control byte 0x01 cannot stand here\n"
                          "    caller +  \n"
                          "             ^"},
        {"99999999999999999999", "column 1: this number does not fit 64 bits\n"
                                 "    99999999999999999999\n"
                                 "    ^"},
    };
    CHECK(*state, SM_USE_KEY, ROWS);
}

/* Columns count characters; of several lines only the one with the place is shown; long ones are
 * cut. */
static void test_places(void **state)
{
    static const message ROWS[] = {
        {"\"\xe5\xbc\xa0\xe4\xb8\x89\" + callr", "column 8: there is no field callr; did you mean "
                                                 "caller?\n"
                                                 "    \"\xe5\xbc\xa0\xe4\xb8\x89\" + callr\n"
                                                 "           ^"},
        {"caller +\n  callr +\n  callee\n",
         "line 2, column 3: there is no field callr; did you mean "
         "caller?\n"
         "      callr +\n"
         "      ^"},
        {"caller + callee + caller + callee + caller + callee + caller + callee + nowhere + caller "
         "+ "
         "callee + caller + callee",
         "column 73: there is no field nowhere\n"
         "    ee + caller + callee + caller + callee + caller + callee + nowhere + caller + callee "
         "+ "
         "cal\n"
         "                                                               ^"},
    };
    CHECK(*state, SM_USE_KEY, ROWS);
}

static void test_conditions(void **state)
{
    static const message ROWS[] = {
        {"caller", "column 1: expected a condition, such as x = \"a\", but this is text\n"
                   "    caller\n"
                   "    ^"},
        {"duration = \"5\"", "column 12: an int cannot be compared with text; declare the type of "
                             "the field in input.fields\n"
                             "    duration = \"5\"\n"
                             "               ^"},
        {"start = \"yesterday\"", "column 9: expected a time such as \"2021-09-12T12:00:00Z\" or "
                                  "\"2021-09-12\" (UTC)\n"
                                  "    start = \"yesterday\"\n"
                                  "            ^"},
        {"1 < 2 < 3", "column 7: comparisons cannot be chained; join them with and\n"
                      "    1 < 2 < 3\n"
                      "          ^"},
        {"caller in [callee]", "column 12: a list holds texts and numbers, written out\n"
                               "    caller in [callee]\n"
                               "               ^"},
        {"caller is 5", "column 11: expected null: x is null, x is not null\n"
                        "    caller is 5\n"
                        "              ^"},
        {"caller and 1 = 1", "column 1: and, or, not join conditions, but this is text; compare it "
                             "with something\n"
                             "    caller and 1 = 1\n"
                             "    ^"},
    };
    CHECK(*state, SM_USE_CONDITION, ROWS);
}

static void test_other_uses(void **state)
{
    static const message TIMESTAMP[] = {
        {"caller", "column 1: expected a time, or an int of ms since 1970, but this is text\n"
                   "    caller\n"
                   "    ^"},
    };
    static const message TTL[] = {
        {"start", "column 1: expected an int of ms, or a duration, but this is a time\n"
                  "    start\n"
                  "    ^"},
    };
    CHECK(*state, SM_USE_TIMESTAMP, TIMESTAMP);
    CHECK(*state, SM_USE_TTL, TTL);
}

static void test_record_needs_identity(void **state)
{
    static const message ROWS[] = {
        {"xxh64(record)",
         "column 7: record needs input.identity: [field, ...], the fields that tell "
         "one record from another\n"
         "    xxh64(record)\n"
         "          ^"},
    };
    expr_fixture *f = *state;
    f->context.identity_count = 0;
    CHECK(f, SM_USE_KEY, ROWS);
}

/* Deep nesting, many parts and long texts are refused, not suffered. */
static void test_limits(void **state)
{
    enum { SIZE = 70000 };
    char *text = test_malloc(SIZE);
    memset(text, '(', 1000);
    text[1000] = '\0';
    assert_non_null(strstr(refused(*state, SM_USE_KEY, text), "nested more than 64 deep"));
    memset(text, '{', 1000);
    assert_non_null(strstr(refused(*state, SM_USE_KEY, text), "nested more than 64 deep"));
    for (size_t i = 0; i < 1000; i += 4) {
        memcpy(text + i, "not ", 4);
    }
    assert_non_null(strstr(refused(*state, SM_USE_CONDITION, text), "nested more than 64 deep"));
    for (size_t i = 0; i < 60000; i += 2) {
        memcpy(text + i, "1+", 2);
    }
    text[60001] = '\0';
    assert_non_null(strstr(refused(*state, SM_USE_KEY, text), "more than 8192 parts"));
    memset(text, ' ', SIZE - 1);
    text[SIZE - 1] = '\0';
    assert_non_null(strstr(refused(*state, SM_USE_KEY, text), "at most 65536"));
    test_free(text);
}

/* Compiles and runs with the n-th allocation failing; true when nothing failed any more. */
static bool try_with_failure(expr_fixture *f, unsigned n)
{
    char plan[32];
    char text[200];
    sm_arena *arena = NULL;
    sm_eval *ev = NULL;
    const sm_expr *e = NULL;
    sm_value v = {0};
    sm_error err = {0};
    (void)snprintf(plan, sizeof plan, "memory:%u", n);
    assert_true(sm_fault_plan(plan));
    sm_status st = sm_arena_new(64, &arena, &err); /* small blocks: many allocations */
    if (st == SM_OK) {
        st = sm_eval_new(1 << 20, &ev, &err);
    }
    if (st == SM_OK) {
        sm_expr_context context = f->context;
        context.arena = arena;
        const char *key =
            "salt(300, caller, callee) + pad(caller, 15) + hex(note) + default(name, \"x\") "
            "+ format_ts(floor_ts(start, 1d, zone: \"Asia/Shanghai\"), \"%Y\") + "
            "left(xxh64(record), 4)";
        st = sm_expr_compile(&context, SM_USE_KEY, sm_bytes_text(key), &e, &err);
    }
    if (st == SM_OK && sm_expr_run(e, ev, &f->record, &v) != SM_REJECT_NONE) {
        (void)sm_eval_blame(ev, text, sizeof text);
        st = sm_eval_status(ev, &err);
        assert_int_equal(st, SM_E_MEMORY);
    }
    (void)sm_fault_plan(NULL);
    assert_true(st == SM_OK || st == SM_E_MEMORY);
    sm_eval_free(ev);
    sm_arena_free(arena);
    return st == SM_OK;
}

static void test_out_of_memory(void **state)
{
    expr_fixture *f = *state;
    if (!sm_fault_plan("memory:1000000")) {
        skip(); /* needs a build with SM_FAULTS */
    }
    char *big = test_malloc(100000);
    memset(big, 'b', 100000);
    set_bytes(f, "note", sm_bytes_of(big, 100000));
    unsigned n = 1;
    while (!try_with_failure(f, n)) {
        n++;
    }
    assert_true(n > 50);
    test_free(big);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_types, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_cells, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_names, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_arguments, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_spelling, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_places, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_conditions, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_other_uses, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_record_needs_identity, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_limits, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_out_of_memory, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
