/* SPDX-License-Identifier: Apache-2.0 */
/* What lands on standard error, read back through a pipe (which is no terminal). */
#include "core/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef void (*speak_fn)(const sm_log *log);

static const char *captured(const sm_log *log, speak_fn speak, char *out, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const int saved = dup(STDERR_FILENO);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    speak(log);
    assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
    (void)close(saved);
    (void)close(ends[1]);
    size_t len = 0;
    ssize_t n = 0;
    while ((n = read(ends[0], out + len, size - 1 - len)) > 0) {
        len += (size_t)n;
    }
    out[len] = '\0';
    (void)close(ends[0]);
    return out;
}

static void say_all(const sm_log *log)
{
    sm_log_error(log, "%s", "e");
    sm_log_warning(log, "%s", "w");
    sm_log_info(log, "%s", "i");
    sm_log_progress(log, "%s", "p");
}

static void levels(void **state)
{
    (void)state;
    char out[512];
    const char *all = "saltmill run: error: e\nsaltmill run: warning: w\nsaltmill run: i\n";
    sm_log log = {.level = SM_LOG_QUIET, .command = "run"};
    assert_string_equal(captured(&log, say_all, out, sizeof out), "");
    log.level = SM_LOG_ERRORS;
    assert_string_equal(captured(&log, say_all, out, sizeof out), "saltmill run: error: e\n");
    log.level = SM_LOG_NORMAL;
    assert_string_equal(captured(&log, say_all, out, sizeof out), all);
    log.level = SM_LOG_VERBOSE;
    assert_string_equal(captured(&log, say_all, out, sizeof out), all);
}

static void say_controls(const sm_log *log)
{
    sm_log_error(log, "%s", "a\033[2J\rb\x7f\nc");
}

static void terminals_obey_no_file_name(void **state)
{
    (void)state;
    char out[512];
    const sm_log log = {.level = SM_LOG_NORMAL, .command = NULL};
    assert_string_equal(captured(&log, say_controls, out, sizeof out),
                        "saltmill: error: a?[2J?b?\nc\n");
}

static void say_much(const sm_log *log)
{
    char text[10000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    sm_log_error(log, "%s", text);
}

static void long_lines_still_end(void **state)
{
    (void)state;
    char out[16384];
    const sm_log log = {.level = SM_LOG_NORMAL, .command = "run"};
    (void)captured(&log, say_much, out, sizeof out);
    assert_int_equal(strlen(out), 4096);
    assert_int_equal(out[4095], '\n');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels),
        cmocka_unit_test(terminals_obey_no_file_name),
        cmocka_unit_test(long_lines_still_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
