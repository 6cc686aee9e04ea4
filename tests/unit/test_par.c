/* SPDX-License-Identifier: Apache-2.0 */
/* Fork, join, which error is told, and the lock. Runs over whichever back end the build has. */
#include "core/par.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 8 };

typedef struct tally {
    sm_lock *lock;
    unsigned seen[MOST];
    unsigned arrived;
    unsigned workers;
    long sum;
} tally;

static sm_status count_once(void *context, unsigned worker, sm_error *err)
{
    (void)err;
    tally *t = context;
    t->seen[worker]++;
    return SM_OK;
}

static void every_worker_runs_once(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= MOST; workers++) {
        sm_error err = {0};
        tally t = {0};
        assert_int_equal(sm_par_run(workers, count_once, &t, &err), SM_OK);
        for (unsigned i = 0; i < MOST; i++) {
            assert_int_equal(t.seen[i], i < workers ? 1 : 0);
        }
    }
}

/* No worker passes before the last one has come: all run at the same time. */
static sm_status meet(void *context, unsigned worker, sm_error *err)
{
    (void)worker;
    (void)err;
    tally *t = context;
    sm_lock_take(t->lock);
    t->arrived++;
    sm_lock_wake_all(t->lock);
    while (t->arrived < t->workers) {
        sm_lock_wait(t->lock);
    }
    sm_lock_give(t->lock);
    for (int i = 0; i < 10000; i++) {
        sm_lock_take(t->lock);
        t->sum++;
        sm_lock_give(t->lock);
    }
    return SM_OK;
}

static void workers_meet_and_exclude_each_other(void **state)
{
    (void)state;
    sm_error err = {0};
    tally t = {.workers = 4};
    assert_int_equal(sm_lock_new(&t.lock, &err), SM_OK);
    assert_int_equal(sm_par_run(4, meet, &t, &err), SM_OK);
    assert_int_equal(t.sum, 40000);
    sm_lock_free(t.lock);
    sm_lock_free(NULL);
}

/* Places per worker; 0 means success. */
static sm_status fail_at_place(void *context, unsigned worker, sm_error *err)
{
    const uint64_t *places = context;
    if (places[worker] == 0) {
        return SM_OK;
    }
    err->place = places[worker];
    return sm_fail(err, SM_E_INPUT_READ, "worker %u", worker);
}

static void the_first_place_is_told(void **state)
{
    (void)state;
    const uint64_t places[4] = {0, 9, 5, 7};
    sm_error err = {0};
    assert_int_equal(sm_par_run(4, fail_at_place, (void *)(uintptr_t)places, &err),
                     SM_E_INPUT_READ);
    assert_string_equal(err.text, "worker 2");
    assert_true(err.place == 5);
}

static void at_the_same_place_the_first_worker_is_told(void **state)
{
    (void)state;
    const uint64_t places[4] = {8, 0, 3, 3};
    sm_error err = {0};
    assert_int_equal(sm_par_run(4, fail_at_place, (void *)(uintptr_t)places, &err),
                     SM_E_INPUT_READ);
    assert_string_equal(err.text, "worker 2");
}

static void one_worker_runs_in_the_caller(void **state)
{
    (void)state;
    const uint64_t places[1] = {4};
    sm_error err = {0};
    assert_int_equal(sm_par_run(1, fail_at_place, (void *)(uintptr_t)places, &err),
                     SM_E_INPUT_READ);
    assert_string_equal(err.text, "worker 0");
    assert_int_equal(
        sm_par_run(3, fail_at_place, (void *)(uintptr_t)((uint64_t[3]){0, 1, 0}), NULL),
        SM_E_INPUT_READ);
}

static void an_earlier_error_is_kept(void **state)
{
    (void)state;
    const uint64_t places[2] = {1, 1};
    sm_error err = {0};
    (void)sm_fail(&err, SM_E_JOB, "earlier");
    assert_int_equal(sm_par_run(2, fail_at_place, (void *)(uintptr_t)places, &err),
                     SM_E_INPUT_READ);
    assert_string_equal(err.text, "earlier");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_worker_runs_once),
        cmocka_unit_test(workers_meet_and_exclude_each_other),
        cmocka_unit_test(the_first_place_is_told),
        cmocka_unit_test(at_the_same_place_the_first_worker_is_told),
        cmocka_unit_test(one_worker_runs_in_the_caller),
        cmocka_unit_test(an_earlier_error_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
