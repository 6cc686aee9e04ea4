/* SPDX-License-Identifier: Apache-2.0 */
/* Terms of a command line become a condition; its spelling is what the job's language prints. */
#include "job/query.h"

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
    "  fields:\n"
    "    start: {type: time, format: \"%Y-%m-%d %H:%M:%S\", zone: Asia/Shanghai, min: 2020-01-01, "
    "max: 2030-01-01}\n"
    "    seen: {type: time, format: epoch_s}\n"
    "    duration: {type: int}\n"
    "    cost: {type: decimal}\n"
    "    to: {type: text}\n"
    "    \"odd name\": {type: text}\n"
    "tables:\n"
    "  - {name: t, key: \"caller + rev_ts(start)\", timestamp: start, families: {f: {}}, "
    "cells: {\"f:a\": \"`odd name`\"}}\n"
    "  - {name: u, key: caller, timestamp: start, families: {f: {}}, cells: {\"f:a\": to}}\n";

typedef struct fixture {
    sm_job *job;
    sm_arena *arena;
    sm_error err;
} fixture;

static int setup(void **state)
{
    char path[] = "/tmp/saltmill-query-XXXXXX";
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
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    sm_arena_free(f->arena);
    sm_job_free(f->job);
    test_free(f);
    return 0;
}

static sm_status make(fixture *f, const char *table, const char *term, const char *where,
                      sm_query *out)
{
    const char *terms[] = {term};
    const sm_query_spec spec = {
        .table = table, .terms = terms, .term_count = term != NULL, .where = where};
    sm_error_clear(&f->err);
    return sm_query_make(f->job, &spec, f->arena, out, &f->err);
}

static void assert_condition(fixture *f, const char *term, const char *expected)
{
    sm_query q;
    if (make(f, "t", term, NULL, &q) != SM_OK) {
        fail_msg("%s: %s", term, f->err.text);
    }
    assert_int_equal(q.text.len, strlen(expected));
    assert_true(q.text.len == 0 || memcmp(q.text.data, expected, q.text.len) == 0);
    assert_non_null(q.plan);
}

static void assert_refused(fixture *f, const char *table, const char *term, const char *part)
{
    sm_query q;
    assert_int_equal(make(f, table, term, NULL, &q), SM_E_USAGE);
    if (strstr(f->err.text, part) == NULL) {
        fail_msg("%s: %s", term, f->err.text);
    }
}

static void test_texts(void **state)
{
    fixture *f = *state;
    assert_condition(f, "caller=138", "(caller = \"138\")");
    assert_condition(f, "caller=a=b", "(caller = \"a=b\")");
    assert_condition(f, "caller=", "(caller = \"\")");
    assert_condition(f, "caller!=\"\\", "(caller != \"\\\"\\\\\")");
    assert_condition(f, "caller>=\xe5\xbc\xa0", "(caller >= \"\\xE5\\xBC\\xA0\")");
    assert_condition(f, "caller^=13", "starts_with(caller, \"13\")");
    assert_condition(f, "caller$=9", "ends_with(caller, \"9\")");
    assert_condition(f, "odd name<x", "(`odd name` < \"x\")");
    assert_condition(f, "to=x", "(to = \"x\")"); /* a field of that name wins */
}

static void test_numbers(void **state)
{
    fixture *f = *state;
    assert_condition(f, "duration=-5", "(duration = -5)");
    assert_condition(f, "duration<=007", "(duration <= 7)");
    assert_condition(f, "cost>2", "(cost > 2.0)");
    assert_condition(f, "cost<1e300", "(cost < 1.0000000000000001e+300)");
    assert_refused(f, "t", "duration=5.5", "expected a whole number");
    assert_refused(f, "t", "cost=x", "expected a number");
    assert_refused(f, "t", "duration^=5", "a text field in front of ^= and $=");
}

static void test_times(void **state)
{
    fixture *f = *state;
    assert_condition(f, "start>2021-09-12 08:00:00", "(start > \"2021-09-12T00:00:00.000Z\")");
    assert_condition(f, "start>=2021-09-12", "(start >= \"2021-09-11T16:00:00.000Z\")");
    assert_condition(f, "start<2021-09-12T00:00:00+02:00",
                     "(start < \"2021-09-11T22:00:00.000Z\")");
    assert_condition(f, "seen=1631404800", "(seen = \"2021-09-12T00:00:00.000Z\")");
    assert_condition(f, "seen>=2021-09-12", "(seen >= \"2021-09-12T00:00:00.000Z\")");
    assert_condition(f, "from=2021-09-12", "(start >= \"2021-09-11T16:00:00.000Z\")");
    assert_condition(f, "from=0", "(start >= \"1970-01-01T00:00:00.000Z\")");
    assert_refused(f, "t", "start=yesterday", "expected a date");
    assert_refused(f, "t", "start=9223372036854775807", "the years 1 to 9999");
    assert_refused(f, "u", "from=2021-09-12", "has no time field");
}

static void test_terms_and_tables(void **state)
{
    fixture *f = *state;
    sm_query q;
    assert_refused(f, "t", "caler=1", "did you mean caller?");
    assert_refused(f, "t", "caller", "expected NAME=VALUE");
    assert_refused(f, "t", "=1", "expected NAME=VALUE");
    assert_refused(f, NULL, "caller=1", "--table t");
    assert_refused(f, "x", "caller=1", "no such table");
    assert_int_equal(make(f, "t", "caller=1", "duration > 5 or cost = 1 # why", &q), SM_E_EXPR);
    assert_int_equal(make(f, "t", "caller=1", "duration > 5 or cost = 1", &q), SM_OK);
    const char *expected = "((caller = \"1\") and ((duration > 5) or (cost = 1)))";
    assert_int_equal(q.text.len, strlen(expected));
    assert_memory_equal(q.text.data, expected, q.text.len);
    assert_int_equal(make(f, "t", NULL, NULL, &q), SM_OK);
    assert_null(q.condition);
    assert_true(q.plan->full && q.plan->exact);
    assert_int_equal(make(f, "t", NULL, "caller = ", &q), SM_E_EXPR);
    assert_int_equal(strncmp(f->err.text, "--where: ", 9), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_texts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_times, setup, teardown),
        cmocka_unit_test_setup_teardown(test_terms_and_tables, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
