/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on wide numbers. Expected values: Python's integers. */
#include "partitioner/bignum.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static sm_big parsed(const char *text, uint32_t radix)
{
    sm_big v = {0};
    assert_true(sm_big_parse(sm_bytes_text(text), radix, &v));
    return v;
}

static void expect(const sm_big *v, uint32_t radix, const char *expected)
{
    char text[128] = "";
    assert_true(sm_big_print(v, radix, strlen(expected), text));
    assert_string_equal(text, expected);
}

static void numbers_come_back(void **state)
{
    (void)state;
    const char *most = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
    sm_big v = parsed(most, 16);
    expect(&v, 16, most);
    expect(&v, 10,
           "0115792089237316195423570985008687907853269984665640564039457584007913129639935");
    v = parsed("00ABCdef", 16);
    expect(&v, 16, "0000abcdef");
    v = parsed("1234567890123456789012345678901234567890123456789012345678901234", 10);
    expect(&v, 16, "030046030f26f462d7ac21a27eb9d53fff233c7acd12d87e96aff2");
}

static void what_is_no_number(void **state)
{
    (void)state;
    sm_big v = {0};
    assert_false(sm_big_parse(sm_bytes_text(""), 16, &v));
    assert_false(sm_big_parse(sm_bytes_text("1g"), 16, &v));
    assert_false(sm_big_parse(sm_bytes_text("1a"), 10, &v));
    assert_false(sm_big_parse(sm_bytes_text("-1"), 10, &v));
    /* 80 digits are 320 bits, 81 are too many. */
    char text[82];
    memset(text, 'f', 81);
    text[81] = '\0';
    assert_false(sm_big_parse(sm_bytes_text(text), 16, &v));
    text[80] = '\0';
    assert_true(sm_big_parse(sm_bytes_text(text), 16, &v));
    char out[8];
    v = parsed("100", 16);
    assert_false(sm_big_print(&v, 16, 2, out));
    assert_false(sm_big_bytes(&v, 1, (uint8_t *)out));
}

static void sums_and_quotients(void **state)
{
    (void)state;
    const sm_big a = parsed("ffffffffffffffffffffffff", 16);
    const sm_big one = sm_big_power(0);
    sm_big v = sm_big_add(&a, &one);
    expect(&v, 16, "1000000000000000000000000");
    const sm_big power = sm_big_power(96);
    assert_int_equal(sm_big_compare(&v, &power), 0);
    assert_int_equal(sm_big_compare(&a, &v), -1);
    assert_int_equal(sm_big_compare(&v, &a), 1);
    v = sm_big_subtract(&v, &one);
    assert_int_equal(sm_big_compare(&v, &a), 0);
    v = sm_big_multiply(&a, 1000003);
    expect(&v, 16, "f4242fffffffffffffffffff0bdbd");
    uint32_t rest = 0;
    v = sm_big_divide(&v, 999, &rest);
    expect(&v, 10, "79307707906658538925482213180031");
    assert_int_equal(rest, 36);
    v = sm_big_subtract(&one, &one);
    assert_true(sm_big_is_zero(&v));
    assert_false(sm_big_is_zero(&one));
}

static void bytes_are_big_endian(void **state)
{
    (void)state;
    uint8_t out[5];
    const sm_big v = parsed("01020304", 16);
    assert_true(sm_big_bytes(&v, sizeof out, out));
    assert_memory_equal(out, "\0\1\2\3\4", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(sums_and_quotients),
        cmocka_unit_test(bytes_are_big_endian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
