/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan looks like in the shell's words, and pages. */
#include "job/plan_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const char JOB[] =
    "input:\n"
    "  files: [none.csv]\n"
    "  fields: {code: {type: text, charset: digits}, n: {type: int}}\n"
    "tables:\n"
    "  - {name: t, key: \"salt(3, code) + u8(n) + tag\", timestamp: 2021-09-12, families: {f: {}}, "
    "cells: {\"f:a\": other}}\n";

typedef struct fixture {
    sm_job *job;
    sm_arena *arena;
    sm_buf out;
    sm_error err;
} fixture;

static int setup(void **state)
{
    char path[] = "/tmp/saltmill-print-XXXXXX";
    fixture *f = test_calloc(1, sizeof *f);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, JOB, sizeof JOB - 1), sizeof JOB - 1);
    assert_int_equal(close(fd), 0);
    sm_job_options options = {.no_output = true};
    if (sm_job_load(path, &options, &f->job, &f->err) != SM_OK) {
        fail_msg("%s", f->err.text);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(sm_arena_new(4096, &f->arena, &f->err), SM_OK);
    sm_buf_init(&f->out, 1 << 20);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    sm_buf_free(&f->out);
    sm_arena_free(f->arena);
    sm_job_free(f->job);
    test_free(f);
    return 0;
}

static sm_status print(fixture *f, const char *where, const sm_plan_print *options)
{
    sm_query q;
    const sm_query_spec spec = {.where = where};
    sm_error_clear(&f->err);
    sm_buf_clear(&f->out);
    if (sm_query_make(f->job, &spec, f->arena, &q, &f->err) != SM_OK) {
        fail_msg("%s: %s", where, f->err.text);
    }
    const sm_status st = sm_plan_print_text(&q, options, &f->out, &f->err);
    assert_int_equal(sm_buf_append_byte(&f->out, 0, NULL), SM_OK);
    return st;
}

/* The lines that are no comments. */
static void assert_scans(fixture *f, const char *where, const sm_plan_print *options,
                         const char *expected)
{
    if (print(f, where, options) != SM_OK) {
        fail_msg("%s: %s", where, f->err.text);
    }
    const char *scans = strstr((const char *)f->out.data, "\nscan ");
    assert_string_equal(scans == NULL ? "" : scans + 1, expected);
}

static void test_quoting(void **state)
{
    const sm_plan_print plain = {0};
    assert_scans(*state, "code = \"1\" and n = 35 and tag = \"\\\"\\\\ \\x80\"", &plain,
                 "scan 't', {STARTROW => \"0\\x23\\x22\\x5C \\x80\", STOPROW => "
                 "\"0\\x23\\x22\\x5C \\x80\\x00\"}\n");
    assert_scans(*state, "code = \"1\" and n = 35 and tag = \"a\" and other = \"b\"", &plain,
                 "scan 't', {STARTROW => \"0\\x23a\", STOPROW => \"0\\x23a\\x00\"}\n");
}

static void test_limits_and_columns(void **state)
{
    const char *const columns[] = {"f:a", "f"};
    const sm_plan_print options = {.columns = columns, .column_count = 2, .limit = 7};
    assert_scans(*state, "n = 65 and tag >= \"b\"", &options,
                 "scan 't', {STARTROW => \"0Ab\", STOPROW => \"0B\", COLUMNS => [\"f:a\", \"f\"], "
                 "LIMIT => 7}\n"
                 "scan 't', {STARTROW => \"1Ab\", STOPROW => \"1B\", COLUMNS => [\"f:a\", \"f\"], "
                 "LIMIT => 7}\n"
                 "scan 't', {STARTROW => \"2Ab\", STOPROW => \"2B\", COLUMNS => [\"f:a\", \"f\"], "
                 "LIMIT => 7}\n");
}

static void test_pages(void **state)
{
    sm_plan_print options = {.after = sm_bytes_text("1Ac")};
    assert_scans(*state, "n = 65", &options,
                 "scan 't', {STARTROW => \"1Ac\\x00\", STOPROW => \"1B\"}\n"
                 "scan 't', {STARTROW => \"2A\", STOPROW => \"2B\"}\n");
    options.by_time = true; /* behind this row in every scan; a tie belongs to the later salts */
    assert_scans(*state, "n = 65", &options,
                 "scan 't', {STARTROW => \"0Ac\\x00\", STOPROW => \"0B\"}\n"
                 "scan 't', {STARTROW => \"1Ac\\x00\", STOPROW => \"1B\"}\n"
                 "scan 't', {STARTROW => \"2Ac\", STOPROW => \"2B\"}\n");
    options.after = sm_bytes_text("1C");
    assert_int_equal(print(*state, "n = 65", &options), SM_E_USAGE);
}

static void test_full_scans(void **state)
{
    fixture *f = *state;
    sm_plan_print options = {0};
    assert_int_equal(print(f, "other = \"1\"", &options), SM_E_FULL_SCAN);
    assert_int_equal(sm_status_exit(SM_E_FULL_SCAN), 6);
    assert_non_null(strstr(f->err.text, "the key begins with salt(3, code, hash: murmur3), and "
                                        "code is not given; --full allows it"));
    options.allow_full = true;
    assert_scans(f, "other = \"1\"", &options, "scan 't', {STARTROW => \"\"}\n");
    assert_scans(f, "n = 1 and n = 2", &options, "");
}

static void test_columns_that_cannot_be_asked(void **state)
{
    fixture *f = *state;
    const char *columns[] = {"g:a"};
    const sm_plan_print options = {.columns = columns, .column_count = 1};
    assert_int_equal(print(f, "n = 1", &options), SM_E_USAGE);
    assert_non_null(strstr(f->err.text, "has no family g"));
    columns[0] = "f:a:toInt";
    assert_int_equal(print(f, "n = 1", &options), SM_E_USAGE);
    assert_non_null(strstr(f->err.text, "second colon"));
}

static void test_json(void **state)
{
    fixture *f = *state;
    sm_query q;
    const sm_plan_print options = {0};
    const sm_query_spec spec = {.where = "code = \"1\" and n = 255"};
    assert_int_equal(sm_query_make(f->job, &spec, f->arena, &q, &f->err), SM_OK);
    assert_int_equal(sm_plan_print_json(&q, &options, &f->out, &f->err), SM_OK);
    assert_int_equal(sm_buf_append_byte(&f->out, 0, NULL), SM_OK);
    const char *text = (const char *)f->out.data;
    /* salt of "1": murmur3_x86_32 = 0x9416AC93 = 2484513939, mod 3 = 0 */
    assert_non_null(strstr(text, "\"start_hex\": \"30ff\""));
    assert_non_null(strstr(text, "\"stop\": \"1\""));
    assert_non_null(strstr(text, "\"lead\": 1"));
    assert_non_null(strstr(text, "\"exact\": false"));
    assert_non_null(strstr(text, "\"residual\": \"(code = \\\"1\\\")\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_quoting, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits_and_columns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pages, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full_scans, setup, teardown),
        cmocka_unit_test_setup_teardown(test_columns_that_cannot_be_asked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_json, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
