/* SPDX-License-Identifier: Apache-2.0 */
/* Successors, and ranges put in order. */
#include "partitioner/keyrange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static sm_bytes text(const char *t)
{
    return sm_bytes_text(t);
}

static sm_key_range range(const char *start, const char *stop, size_t lead)
{
    return (sm_key_range){text(start), text(stop), lead};
}

static void assert_bytes(sm_bytes found, const char *expected)
{
    assert_int_equal(found.len, strlen(expected));
    assert_true(found.len == 0 || memcmp(found.data, expected, found.len) == 0);
}

static void assert_successor(const char *prefix, const char *expected)
{
    sm_arena *arena = NULL;
    sm_bytes out = {0};
    assert_int_equal(sm_arena_new(4096, &arena, NULL), SM_OK);
    assert_int_equal(sm_key_successor(arena, text(prefix), &out, NULL), SM_OK);
    assert_bytes(out, expected);
    sm_arena_free(arena);
}

static void test_successor(void **state)
{
    (void)state;
    assert_successor("138", "139");
    assert_successor("a\xff", "b");
    assert_successor("a\xff\xff", "b");
    assert_successor("\x7f", "\x80");
    assert_successor("\xfe\xff", "\xff");
    assert_successor("\xff\xff", "");
    assert_successor("", "");
}

static void test_sorts_and_drops_empty(void **state)
{
    bool mixed = true;
    sm_key_range r[] = {range("c", "d", 0), range("a", "b", 0), range("x", "x", 0),
                        range("z", "y", 0)};
    (void)state;
    assert_int_equal(sm_key_ranges_join(r, 4, true, &mixed), 2);
    assert_bytes(r[0].start, "a");
    assert_bytes(r[1].start, "c");
    assert_false(mixed);
    assert_int_equal(sm_key_ranges_join(NULL, 0, true, &mixed), 0);
}

static void test_joins_overlapping(void **state)
{
    bool mixed = false;
    sm_key_range r[] = {range("a", "c", 1), range("b", "d", 1), range("e", "", 0),
                        range("f", "g", 0)};
    (void)state;
    assert_int_equal(sm_key_ranges_join(r, 4, false, &mixed), 2);
    assert_bytes(r[0].stop, "d");
    assert_int_equal(r[0].lead, 0); /* a... and b... have different leads */
    assert_bytes(r[1].start, "e");
    assert_bytes(r[1].stop, "");
    assert_true(mixed);
}

static void test_joins_touching_of_one_lead(void **state)
{
    bool mixed = false;
    sm_key_range r[] = {range("1a", "1b", 1), range("1b", "1c", 1), range("1c", "2", 1),
                        range("2", "3", 1)};
    (void)state;
    assert_int_equal(sm_key_ranges_join(r, 4, true, &mixed), 2);
    assert_bytes(r[0].start, "1a");
    assert_bytes(r[0].stop, "2");
    assert_bytes(r[1].start, "2");
    assert_false(mixed);
    sm_key_range apart[] = {range("1a", "1b", 1), range("1b", "1c", 1)};
    assert_int_equal(sm_key_ranges_join(apart, 2, false, &mixed), 2);
}

static void test_equal_ranges_become_one(void **state)
{
    bool mixed = true;
    sm_key_range r[] = {range("a", "b", 1), range("a", "b", 1)};
    (void)state;
    assert_int_equal(sm_key_ranges_join(r, 2, false, &mixed), 1);
    assert_int_equal(r[0].lead, 1);
    assert_false(mixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_successor), cmocka_unit_test(test_sorts_and_drops_empty),
        cmocka_unit_test(test_joins_overlapping), cmocka_unit_test(test_joins_touching_of_one_lead),
        cmocka_unit_test(test_equal_ranges_become_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
