/* SPDX-License-Identifier: Apache-2.0 */
/* The printable form of bytes, there and back. */
#include "core/escape.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect_escaped(sm_bytes in, const char *expected)
{
    sm_error err = {0};
    sm_buf out;
    sm_buf_init(&out, 4096);
    assert_int_equal(sm_escape(in, &out, &err), SM_OK);
    assert_int_equal(out.len, strlen(expected));
    assert_memory_equal(out.data, expected, out.len);
    sm_buf_free(&out);
}

static void escapes_as_hbase_prints(void **state)
{
    (void)state;
    expect_escaped(sm_bytes_of("\x00\x10\x80\xff", 4), "\\x00\\x10\\x80\\xFF");
    expect_escaped(sm_bytes_text("a b~\x7f!\"#\\x"), "a b~\\x7F!\"#\\x5Cx");
}

static void an_escape_that_does_not_fit_fails(void **state)
{
    (void)state;
    sm_error err = {0};
    sm_buf out;
    sm_buf_init(&out, 6);
    assert_int_equal(sm_escape(sm_bytes_of("\0\0", 2), &out, &err), SM_E_MEMORY);
    sm_buf_free(&out);
}

static void short_form_is_cut_between_escapes(void **state)
{
    (void)state;
    char out[12];
    const sm_bytes key = sm_bytes_of("ab\0\0\0", 5);
    assert_string_equal(sm_escape_short(sm_bytes_of("ab", 2), out, sizeof out), "ab");
    assert_string_equal(sm_escape_short(sm_bytes_of("ab\0\0", 4), out, 11), "ab\\x00\\x00");
    assert_string_equal(sm_escape_short(key, out, sizeof out), "ab\\x00...");
    assert_string_equal(sm_escape_short(key, out, 10), "ab\\x00...");
    assert_string_equal(sm_escape_short(key, out, 9), "ab...");
    assert_string_equal(sm_escape_short(key, out, 4), "...");
    assert_string_equal(sm_escape_short(key, out, 3), "");
    assert_string_equal(sm_escape_short(key, out, 1), "");
    assert_string_equal(sm_escape_short((sm_bytes){NULL, 0}, out, sizeof out), "");
}

static void every_byte_comes_back(void **state)
{
    (void)state;
    sm_error err = {0};
    uint8_t all[256];
    for (size_t i = 0; i < sizeof all; i++) {
        all[i] = (uint8_t)i;
    }
    sm_buf text;
    sm_buf_init(&text, 4096);
    assert_int_equal(sm_escape(sm_bytes_of(all, sizeof all), &text, &err), SM_OK);
    uint8_t back[1024];
    size_t len = 0;
    size_t bad = 0;
    assert_true(text.len <= sizeof back);
    assert_int_equal(sm_unescape(sm_buf_view(&text), back, &len, &bad), SM_UNESCAPE_OK);
    assert_int_equal(len, sizeof all);
    assert_memory_equal(back, all, sizeof all);
    sm_buf_free(&text);
}

static void expect_refused(const char *text, sm_unescape_result expected, size_t at)
{
    uint8_t out[64];
    size_t len = 99;
    size_t bad = 99;
    assert_int_equal(sm_unescape(sm_bytes_text(text), out, &len, &bad), expected);
    assert_int_equal(len, 0);
    assert_int_equal(bad, at);
}

static void strict_reading(void **state)
{
    (void)state;
    expect_refused("a\\x0a", SM_UNESCAPE_LOWER_CASE, 1);
    expect_refused("\\xFf", SM_UNESCAPE_LOWER_CASE, 0);
    expect_refused("\\", SM_UNESCAPE_BAD, 0);
    expect_refused("ab\\x0", SM_UNESCAPE_BAD, 2);
    expect_refused("\\X00", SM_UNESCAPE_BAD, 0);
    expect_refused("\\n00", SM_UNESCAPE_BAD, 0);
    expect_refused("\\xG0", SM_UNESCAPE_BAD, 0);
    expect_refused("\\\\", SM_UNESCAPE_BAD, 0);
    expect_refused("k\xc3\xa9", SM_UNESCAPE_NOT_ASCII, 1);
    expect_refused("k\t", SM_UNESCAPE_NOT_ASCII, 1);
    expect_refused("k\x7f", SM_UNESCAPE_NOT_ASCII, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_as_hbase_prints),
        cmocka_unit_test(an_escape_that_does_not_fit_fails),
        cmocka_unit_test(short_form_is_cut_between_escapes),
        cmocka_unit_test(every_byte_comes_back),
        cmocka_unit_test(strict_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
