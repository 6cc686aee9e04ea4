/* SPDX-License-Identifier: Apache-2.0 */
/* Names noted by workers: kept or dropped by record, united in byte order, bounded. */
#include "partitioner/uid_notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void note(sm_uid_notes *n, size_t dictionary, const char *name)
{
    sm_uid_notes_add(n, dictionary, sm_bytes_text(name));
}

static void test_union(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    sm_uid_notes *n[2] = {NULL, NULL};
    sm_arena *arena = NULL;
    sm_uid_names names = {NULL, 0};
    assert_int_equal(sm_arena_new(4096, &arena, &err), SM_OK);
    assert_int_equal(sm_uid_notes_new(2, 1 << 20, &n[0], &err), SM_OK);
    assert_int_equal(sm_uid_notes_new(2, 1 << 20, &n[1], &err), SM_OK);
    note(n[0], 0, "b");
    note(n[0], 1, "tag");
    note(n[0], 0, "b");
    assert_true(sm_uid_notes_pending(n[0]));
    sm_uid_notes_keep(n[0]);
    assert_false(sm_uid_notes_pending(n[0]));
    note(n[0], 0, "of a rejected record");
    sm_uid_notes_drop(n[0]);
    note(n[1], 0, "a");
    note(n[1], 0, "\xff");
    note(n[1], 0, "b");
    sm_uid_notes_keep(n[1]);
    note(n[1], 0, "b");
    assert_false(sm_uid_notes_pending(n[1]));
    assert_int_equal(sm_uid_notes_union(n, 2, 0, arena, &names, &err), SM_OK);
    assert_int_equal(names.count, 3);
    assert_true(sm_bytes_equal_text(names.items[0], "a"));
    assert_true(sm_bytes_equal_text(names.items[1], "b"));
    assert_true(sm_bytes_equal_text(names.items[2], "\xff"));
    assert_int_equal(sm_uid_notes_union(n, 2, 1, arena, &names, &err), SM_OK);
    assert_int_equal(names.count, 1);
    assert_true(sm_bytes_equal_text(names.items[0], "tag"));
    sm_uid_notes_free(n[0]);
    sm_uid_notes_free(n[1]);
    sm_uid_notes_free(NULL);
    sm_arena_free(arena);
}

static void test_bound(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    sm_uid_notes *n = NULL;
    assert_int_equal(sm_uid_notes_new(1, 250, &n, &err), SM_OK);
    note(n, 0, "one");
    note(n, 0, "two");
    sm_uid_notes_keep(n);
    assert_false(sm_uid_notes_full(n));
    note(n, 0, "three");
    sm_uid_notes_keep(n);
    assert_true(sm_uid_notes_full(n));
    sm_uid_notes_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_union),
        cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
