/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocation: alignment, large requests, reuse after a reset. */
#include "core/arena.h"
#include "core/fault.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static sm_arena *new_arena(size_t block)
{
    sm_error err = {0};
    sm_arena *a = NULL;
    assert_int_equal(sm_arena_new(block, &a, &err), SM_OK);
    return a;
}

static void pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    sm_arena *a = new_arena(128);
    uint8_t *pieces[50];
    for (size_t i = 0; i < 50; i++) {
        pieces[i] = sm_arena_get(a, i);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], (int)i, i);
    }
    for (size_t i = 0; i < 50; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_int_equal(pieces[i][k], i);
        }
    }
    sm_arena_free(a);
    sm_arena_free(NULL);
}

static void large_pieces_get_their_own_block(void **state)
{
    (void)state;
    sm_arena *a = new_arena(64);
    assert_non_null(sm_arena_get(a, 8));
    uint8_t *large = sm_arena_get(a, 100000);
    assert_non_null(large);
    memset(large, 1, 100000);
    assert_true(sm_arena_held(a) >= 100064);
    assert_null(sm_arena_get(a, SIZE_MAX));
    assert_null(sm_arena_get(a, SIZE_MAX - 8));
    sm_arena_free(a);
}

static void arrays_are_zeroed_and_checked(void **state)
{
    (void)state;
    sm_arena *a = new_arena(64);
    memset(sm_arena_get(a, 64), 0xFF, 64);
    sm_arena_reset(a);
    const uint32_t *items = sm_arena_array(a, 16, sizeof *items);
    assert_non_null(items);
    for (size_t i = 0; i < 16; i++) {
        assert_int_equal(items[i], 0);
    }
    assert_null(sm_arena_array(a, SIZE_MAX / 2, 4));
    sm_arena_free(a);
}

static void texts_end_in_nul(void **state)
{
    (void)state;
    sm_arena *a = new_arena(64);
    assert_string_equal(sm_arena_text(a, "abcdef", 3), "abc");
    assert_string_equal(sm_arena_text(a, NULL, 0), "");
    sm_arena_free(a);
}

static void a_reset_arena_asks_for_nothing_new(void **state)
{
    (void)state;
    sm_arena *a = new_arena(256);
    size_t held = 0;
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 100; i++) {
            assert_non_null(sm_arena_get(a, 40));
        }
        assert_true(round == 0 || sm_arena_held(a) == held);
        held = sm_arena_held(a);
        sm_arena_reset(a);
    }
    sm_arena_free(a);
}

/* After a reset a large piece goes between blocks that wait for reuse; nothing may overlap. */
static void blocks_behind_a_reset_stay_apart(void **state)
{
    (void)state;
    sm_arena *a = new_arena(64);
    for (int round = 0; round < 3; round++) {
        uint8_t *pieces[30];
        for (size_t i = 0; i < 30; i++) {
            const size_t size = (i + (size_t)round) % 5 == 4 ? 200 : 40;
            pieces[i] = sm_arena_get(a, size);
            assert_non_null(pieces[i]);
            memset(pieces[i], (int)i, size);
        }
        for (size_t i = 0; i < 30; i++) {
            const size_t size = (i + (size_t)round) % 5 == 4 ? 200 : 40;
            assert_true(pieces[i][0] == i && pieces[i][size - 1] == i);
        }
        sm_arena_reset(a);
    }
    sm_arena_free(a);
}

typedef struct releases {
    char order[8];
    size_t count;
} releases;

typedef struct thing {
    releases *log;
    char name;
} thing;

static void note_release(void *p)
{
    const thing *t = p;
    t->log->order[t->log->count++] = t->name;
}

static void owned_things_go_youngest_first(void **state)
{
    (void)state;
    sm_error err = {0};
    releases log = {0};
    thing things[3] = {{&log, 'a'}, {&log, 'b'}, {&log, 'c'}};
    sm_arena *a = new_arena(64);
    assert_int_equal(sm_arena_own(a, &things[0], note_release, &err), SM_OK);
    assert_int_equal(sm_arena_own(a, &things[1], note_release, &err), SM_OK);
    sm_arena_reset(a);
    assert_string_equal(log.order, "ba");
    assert_int_equal(sm_arena_own(a, &things[2], note_release, &err), SM_OK);
    sm_arena_free(a);
    assert_string_equal(log.order, "bac");
}

static void memory_that_cannot_be_had(void **state)
{
    (void)state;
    sm_error err = {0};
    sm_arena *a = NULL;
    if (!sm_fault_plan("memory:1")) {
        skip();
    }
    assert_int_equal(sm_arena_new(64, &a, &err), SM_E_MEMORY);
    assert_null(a);
    assert_true(sm_fault_plan("memory:2"));
    assert_int_equal(sm_arena_new(64, &a, NULL), SM_OK);
    assert_null(sm_arena_get(a, 10));
    assert_non_null(sm_arena_get(a, 10));
    (void)sm_fault_plan(NULL);
    sm_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(large_pieces_get_their_own_block),
        cmocka_unit_test(arrays_are_zeroed_and_checked),
        cmocka_unit_test(texts_end_in_nul),
        cmocka_unit_test(a_reset_arena_asks_for_nothing_new),
        cmocka_unit_test(blocks_behind_a_reset_stay_apart),
        cmocka_unit_test(owned_things_go_youngest_first),
        cmocka_unit_test(memory_that_cannot_be_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
