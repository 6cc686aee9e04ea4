/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of printing times. */
#include "core/time.h"
#include "support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static sm_zone *load(const char *name)
{
    sm_zone *z = NULL;
    sm_error err = {0};
    if (sm_zone_load(sm_bytes_text(name), &z, &err) != SM_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    return z;
}

/* Into memory of exactly the promised size, so that writing past it is seen. */
static void check(const char *zone, const char *pattern, int64_t ms, const char *expected)
{
    sm_arena *arena = NULL;
    sm_error err = {0};
    const sm_time_printer *p = NULL;
    sm_zone *z = zone == NULL ? NULL : load(zone);
    assert_int_equal(sm_arena_new(4096, &arena, &err), SM_OK);
    assert_int_equal(sm_time_printer_compile(arena, sm_bytes_text(pattern), z, &p, &err), SM_OK);
    const size_t size = sm_time_printer_size(p);
    char *out = malloc(size + (size == 0));
    assert_non_null(out);
    const size_t len = sm_time_print(p, ms, out);
    if (len != strlen(expected) || memcmp(out, expected, len) != 0) {
        fail_msg("%s %lld: '%.*s' instead of '%s'", pattern, (long long)ms, (int)len, out,
                 expected);
    }
    assert_true(len <= size);
    free(out);
    sm_arena_free(arena);
    sm_zone_free(z);
}

static void python_row(char **cells, void *context)
{
    (void)context;
    check(cells[0], cells[1], vectors_number(cells[2]), cells[3]);
}

static void test_as_strftime(void **state)
{
    (void)state;
    assert_true(vectors_each("time_print.tsv", 4, python_row, NULL) == 400);
}

static void test_by_hand(void **state)
{
    (void)state;
    check(NULL, "%Y-%m-%dT%H:%M:%S.%f%:z", SM_TIME_MIN, "0001-01-01T00:00:00.000+00:00");
    check(NULL, "%F %T.%L", SM_TIME_MAX, "9999-12-31 23:59:59.999");
    check(NULL, "%F %T.%f", -1, "1969-12-31 23:59:59.999");
    check(NULL, "%s", -1, "-1");
    check(NULL, "%s", -1000, "-1");
    check(NULL, "%s", -1001, "-2");
    check(NULL, "%s", SM_TIME_MIN, "-62135596800");
    check("-03:30", "%T%z %:z", 0, "20:30:00-0330 -03:30");
    check("-00:30", "%T%z %:z", 0, "23:30:00-0030 -00:30");
    check("Asia/Shanghai", "%:z %z", INT64_C(-4000000000000), "+08:05:43 +080543");
    check(NULL, "", 0, "");
    check(NULL, "a%%b%%%Tc", 0, "a%b%00:00:00c");
    check(NULL, "%B", INT64_C(1725148800000), "September");
    check(NULL, "%y", INT64_C(946684800000), "00");
    check(NULL, "%T%T%T%T%T%T", 0, "00:00:0000:00:0000:00:0000:00:0000:00:0000:00:00");
}

static void test_out_of_range(void **state)
{
    (void)state;
    check(NULL, "%Y", SM_TIME_MIN - 1, "");
    check(NULL, "%Y", SM_TIME_MAX + 1, "");
    check(NULL, "%Y", INT64_MIN, "");
    check(NULL, "%Y", INT64_MAX, "");
    check("+08:00", "%Y", SM_TIME_MAX, "");
    check("-08:00", "%Y", SM_TIME_MIN, "");
    check("-08:00", "%Y", SM_TIME_MAX, "9999");
}

static void test_refused(void **state)
{
    static const char *rows[] = {"%", "%Q", "%:", "%:y", "%-d", "abc %", "%e"};
    char many[400];
    sm_arena *arena = NULL;
    sm_error err = {0};
    const sm_time_printer *p = NULL;
    (void)state;
    assert_int_equal(sm_arena_new(4096, &arena, &err), SM_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sm_error_clear(&err);
        assert_int_equal(sm_time_printer_compile(arena, sm_bytes_text(rows[i]), NULL, &p, &err),
                         SM_E_JOB);
        assert_null(p);
    }
    memset(many, 'x', sizeof many);
    sm_error_clear(&err);
    assert_int_equal(sm_time_printer_compile(arena, sm_bytes_of(many, 257), NULL, &p, &err),
                     SM_E_JOB);
    sm_error_clear(&err);
    assert_int_equal(sm_time_printer_compile(arena, sm_bytes_of(many, 256), NULL, &p, &err), SM_OK);
    char out[256];
    assert_int_equal(sm_time_printer_size(p), 256);
    assert_int_equal(sm_time_print(p, 0, out), 256);
    assert_memory_equal(out, many, 256);
    sm_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_strftime),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_out_of_range),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
