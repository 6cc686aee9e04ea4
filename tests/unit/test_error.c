/* SPDX-License-Identifier: Apache-2.0 */
/* Codes, texts and the rule that the first error wins. */
#include "core/error.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void the_first_error_wins(void **state)
{
    (void)state;
    sm_error err = {0};
    assert_int_equal(sm_fail(&err, SM_E_JOB, "%s:%d", "job.yaml", 3), SM_E_JOB);
    assert_int_equal(sm_fail(&err, SM_E_OUTPUT, "later"), SM_E_OUTPUT);
    assert_int_equal(err.code, SM_E_JOB);
    assert_string_equal(err.text, "job.yaml:3");
    sm_error_clear(&err);
    assert_int_equal(err.code, SM_OK);
    assert_string_equal(err.text, "");
    assert_int_equal(sm_fail(NULL, SM_E_USAGE, "nobody listens"), SM_E_USAGE);
}

static void system_errors_choose_the_code(void **state)
{
    (void)state;
    const struct {
        int number;
        sm_status given, expected;
    } rows[] = {
        {ENOSPC, SM_E_OUTPUT, SM_E_DISK_FULL},      {EDQUOT, SM_E_OUTPUT, SM_E_DISK_FULL},
        {ENOSPC, SM_E_INPUT_READ, SM_E_INPUT_READ}, {ENOMEM, SM_E_INPUT_READ, SM_E_MEMORY},
        {EMFILE, SM_E_INPUT_READ, SM_E_OPEN_FILES}, {ENFILE, SM_E_OUTPUT, SM_E_OPEN_FILES},
        {EACCES, SM_E_INPUT_READ, SM_E_INPUT_READ},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sm_error err = {0};
        assert_int_equal(sm_fail_errno(&err, rows[i].given, rows[i].number, "f"), rows[i].expected);
        assert_int_equal(err.code, rows[i].expected);
        assert_int_equal(err.system_errno, rows[i].number);
        assert_int_equal(sm_fail_errno(NULL, rows[i].given, rows[i].number, "f"), rows[i].expected);
    }
    sm_error err = {0};
    (void)sm_fail_errno(&err, SM_E_INPUT_READ, EACCES, "%s", "a.csv");
    assert_string_equal(err.text, "a.csv: Permission denied");
}

static void long_texts_are_cut_visibly(void **state)
{
    (void)state;
    sm_error err = {0};
    char text[3 * SM_ERROR_TEXT_SIZE];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    (void)sm_fail(&err, SM_E_JOB, "%s", text);
    assert_int_equal(strlen(err.text), SM_ERROR_TEXT_SIZE - 1);
    assert_string_equal(err.text + SM_ERROR_TEXT_SIZE - 4, "...");
    sm_error_clear(&err);
    text[SM_ERROR_TEXT_SIZE - 5] = '\0';
    (void)sm_fail_errno(&err, SM_E_JOB, EACCES, "%s", text);
    assert_string_equal(err.text + SM_ERROR_TEXT_SIZE - 4, "...");
    sm_error_clear(&err);
    text[SM_ERROR_TEXT_SIZE - 5] = 'x';
    (void)sm_fail_errno(&err, SM_E_JOB, EACCES, "%s", text);
    assert_string_equal(err.text + SM_ERROR_TEXT_SIZE - 4, "...");
}

static void the_table_is_whole(void **state)
{
    (void)state;
    assert_int_equal(sm_status_exit(SM_OK), 0);
    assert_int_equal(sm_status_exit(SM_E_DISK_FULL), 5);
    assert_int_equal(sm_status_exit(SM_E_INTERRUPTED), 130);
    assert_string_equal(sm_status_name(SM_E_SPLITS), "SPLITS");
    for (int code = 0; code < SM_REJECT_COUNT; code++) {
        assert_non_null(sm_reject_text((sm_reject)code));
        assert_non_null(sm_reject_sentence((sm_reject)code));
    }
    sm_error err = {0};
    assert_int_equal(sm_fail_memory(&err, 4096, "a table"), SM_E_MEMORY);
    assert_non_null(strstr(err.text, "a table: 4096 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_error_wins),
        cmocka_unit_test(system_errors_choose_the_code),
        cmocka_unit_test(long_texts_are_cut_visibly),
        cmocka_unit_test(the_table_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
