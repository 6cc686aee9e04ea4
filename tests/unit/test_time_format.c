/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of compiling time formats: which patterns are refused, and how. What they read is in
 * test_time_parse.c. */
#include "core/time.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static sm_status compile(const char *pattern, size_t len, const sm_time_options *options,
                         sm_error *err)
{
    sm_arena *arena = NULL;
    sm_error none = {0};
    assert_int_equal(sm_arena_new(1024, &arena, &none), SM_OK);
    const sm_time_format *f = NULL;
    const sm_status st = sm_time_compile(arena, sm_bytes_of(pattern, len), options, &f, err);
    assert_true((f != NULL) == (st == SM_OK));
    sm_arena_free(arena);
    return st;
}

static void test_accepted(void **state)
{
    static const char *rows[] = {"%Y-%m-%d %H:%M:%S",
                                 "epoch_s",
                                 "epoch_ms",
                                 "epoch_us",
                                 "epoch_ns",
                                 "rfc3339",
                                 "clf",
                                 "%F %T",
                                 "%FT%T.%f?%z?",
                                 "%Y%j",
                                 "%s.%f?",
                                 "%s",
                                 "%y%m%d",
                                 "%F %I %p",
                                 "%F %H:%M",
                                 "%e %B %Y",
                                 "%F %T %Z",
                                 "%%%F%%",
                                 "%-d.%-m.%Y %-H:%M"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sm_error err = {0};
        if (compile(rows[i], strlen(rows[i]), NULL, &err) != SM_OK) {
            fail_msg("%s: %s", rows[i], err.text);
        }
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *pattern;
        const char *reason;
    } rows[] = {
        {"", "needs a year"},
        {"yyyy-MM-dd", "needs a year"},
        {"%m-%d", "needs a year"},
        {"%Y %y-%m-%d", "needs a year"},
        {"%Y", "needs month and day"},
        {"%Y-%m", "needs month and day"},
        {"%Y-%d", "needs month and day"},
        {"%Y-%m-%j", "needs month and day"},
        {"%F %Y", "second time"},
        {"%F %T %H", "second time"},
        {"%b %m %d %Y", "second time"},
        {"%F %T %z %Z", "second time"},
        {"%F %M", "minutes need hours"},
        {"%F %H %S", "seconds need minutes"},
        {"%F %H:%M.%f", "%f needs %S"},
        {"%F %I", "go together"},
        {"%F %H %p", "go together"},
        {"%F %H %I %p", "go together"},
        {"%s %F", "nothing but %f"},
        {"%s %z", "nothing but %f"},
        {"%F %Q", "%Q is not known"},
        {"%F %", "% is not known"},
        {"%-Y-%m-%d", "%-Y is not known"},
        {"%F %T %-", "%- is not known"},
        {"%f?%F %T", "write .%f?"},
        {"epoch", "epoch_s"},
        {"EPOCH_S", "epoch_s"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sm_error err = {0};
        assert_int_equal(compile(rows[i].pattern, strlen(rows[i].pattern), NULL, &err), SM_E_JOB);
        if (strstr(err.text, rows[i].reason) == NULL) {
            fail_msg("'%s': %s", rows[i].pattern, err.text);
        }
    }
}

static void test_long(void **state)
{
    char pattern[400];
    sm_error err = {0};
    (void)state;
    memset(pattern, 'x', sizeof pattern);
    memcpy(pattern, "%F", 2);
    assert_int_equal(compile(pattern, 256, NULL, &err), SM_OK);
    assert_int_equal(compile(pattern, 257, NULL, &err), SM_E_JOB);
}

static void test_pivot(void **state)
{
    (void)state;
    static const int32_t bad[] = {-1, 9901, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sm_error err = {0};
        const sm_time_options o = {.pivot = bad[i]};
        assert_int_equal(compile("%y%m%d", 6, &o, &err), SM_E_JOB);
        assert_non_null(strstr(err.text, "pivot"));
    }
}

static void expect_text(sm_arena *arena, const char *pattern, const sm_time_options *options,
                        const char *expected)
{
    sm_error err = {0};
    const sm_time_format *f = NULL;
    assert_int_equal(sm_time_compile(arena, sm_bytes_text(pattern), options, &f, &err), SM_OK);
    assert_string_equal(sm_time_format_text(f), expected);
}

static void test_text(void **state)
{
    sm_arena *arena = NULL;
    sm_error err = {0};
    sm_zone *z = NULL;
    (void)state;
    assert_int_equal(sm_arena_new(4096, &arena, &err), SM_OK);
    assert_int_equal(sm_zone_load(sm_bytes_text("Asia/Shanghai"), &z, &err), SM_OK);
    const sm_time_options o = {.zone = z, .repeated = SM_LOCAL_LATEST, .pivot = 1950};
    expect_text(arena, "%F %T", NULL, "%Y-%m-%d %H:%M:%S zone=UTC repeated=reject missing=reject");
    expect_text(arena, "%F %T", &o,
                "%Y-%m-%d %H:%M:%S zone=Asia/Shanghai repeated=latest missing=reject");
    expect_text(arena, "%y%m%d", &o,
                "%y%m%d pivot=1950 zone=Asia/Shanghai repeated=latest missing=reject");
    expect_text(arena, "%F%z?", &o,
                "%Y-%m-%d%z? zone=Asia/Shanghai repeated=latest missing=reject");
    expect_text(arena, "%F\t%T%z", &o, "%Y-%m-%d\\x09%H:%M:%S%z");
    expect_text(arena, "clf", &o, "%d/%b/%Y:%H:%M:%S %z");
    expect_text(arena, "rfc3339", &o, "rfc3339");
    expect_text(arena, "epoch_ms", &o, "epoch_ms");
    expect_text(arena, "%s.%f?", &o, "%s.%f?");
    sm_zone_free(z);
    sm_arena_free(arena);
}

/* Patterns of random pieces: whatever comes out, nothing breaks. */
static void test_random(void **state)
{
    static const char letters[] = "%%%%YmdHMSybBjeIpfzZTFs-? .:xT%\xE2";
    uint32_t seed = 7;
    unsigned accepted = 0;
    (void)state;
    for (unsigned round = 0; round < 200000; round++) {
        char pattern[64];
        seed = seed * 1664525 + 1013904223;
        const size_t len = (seed >> 8) % 24;
        for (size_t i = 0; i < len; i++) {
            seed = seed * 1664525 + 1013904223;
            pattern[i] = letters[(seed >> 8) % (sizeof letters - 1)];
        }
        if (round % 2 == 0 && len >= 2) {
            memcpy(pattern, "%F", 2);
        }
        sm_error err = {0};
        accepted += compile(pattern, len, NULL, &err) == SM_OK;
    }
    assert_true(accepted > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_long),     cmocka_unit_test(test_pivot),
        cmocka_unit_test(test_text),     cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
