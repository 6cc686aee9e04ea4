/* SPDX-License-Identifier: Apache-2.0 */
/* Samples and the split keys made of them. */
#include "core/fault.h"
#include "core/hash.h"
#include "partitioner/split_sample.h"
#include "tests/unit/support_splits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 2000 };

typedef struct row {
    char text[24];
    sm_sample_item item;
} row;

static row *rows_made(void)
{
    row *rows = calloc(ROWS, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < ROWS; i++) {
        (void)snprintf(rows[i].text, sizeof rows[i].text, "%.*s%zu", (int)(i % 9), "xxxxxxxx", i);
        /* Few ranks, so that places decide, too. */
        rows[i].item = (sm_sample_item){.rank = sm_xxh64(sm_bytes_of(&i, sizeof i)) % 500,
                                        .place = i,
                                        .weight = 1,
                                        .key = sm_bytes_text(rows[i].text)};
    }
    return rows;
}

static sm_sample *offered(const row *rows, size_t step, size_t most, size_t bytes)
{
    sm_sample *s = NULL;
    assert_int_equal(sm_sample_new(most, bytes, &s, NULL), SM_OK);
    for (size_t i = 0, at = 0; i < ROWS; i++, at = (at + step) % ROWS) {
        assert_int_equal(sm_sample_offer(s, &rows[at].item, NULL), SM_OK);
    }
    return s;
}

static int by_rank(const void *a, const void *b)
{
    const sm_sample_item *x = a;
    const sm_sample_item *y = b;
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return x->place < y->place ? -1 : 1;
}

/* The sample is the first rows by (rank, place), in whatever order they came. */
static void is_first(const row *rows, size_t step, size_t most, size_t bytes)
{
    sm_sample_item all[ROWS];
    sm_sample_item kept[ROWS];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        all[i] = rows[i].item;
    }
    qsort(all, ROWS, sizeof *all, by_rank);
    sm_sample *s = offered(rows, step, most, bytes);
    const sm_sample_item *sorted = sm_sample_sorted(s, &count);
    assert_true(count > 0 && count <= most);
    assert_int_equal(sm_sample_is_whole(s), count == ROWS);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || sm_bytes_compare(sorted[i - 1].key, sorted[i].key) < 0);
        kept[i] = sorted[i];
    }
    qsort(kept, count, sizeof *kept, by_rank);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(kept[i].place, all[i].place);
        assert_true(sm_bytes_equal(kept[i].key, all[i].key));
    }
    sm_sample_free(s);
}

static void order_of_offers_does_not_matter(void **state)
{
    (void)state;
    row *rows = rows_made();
    static const size_t steps[] = {1, 7, 1999, 1001};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        is_first(rows, steps[i], ROWS, SIZE_MAX / 4);
        is_first(rows, steps[i], 300, SIZE_MAX / 4);
        is_first(rows, steps[i], 1, SIZE_MAX / 4);
        is_first(rows, steps[i], ROWS, 20000);
    }
    free(rows);
}

static void quantiles(splits_case *c, const char *const *keys, size_t count, size_t regions,
                      const char *expected)
{
    sm_sample *s = NULL;
    sm_split_quality q;
    const sm_population all = {
        .rows = count, .weight = count, .most_weight = 1, .squares = (double)count};
    assert_int_equal(sm_sample_new(count, SIZE_MAX / 4, &s, NULL), SM_OK);
    for (size_t i = 0; i < count; i++) {
        const sm_sample_item item = {
            .rank = count - i, .place = i, .weight = 1, .key = sm_bytes_text(keys[i])};
        assert_int_equal(sm_sample_offer(s, &item, NULL), SM_OK);
    }
    const sm_split_cut what = {s, &all, regions};
    assert_int_equal(sm_splits_of_sample(c->arena, &what, &c->splits, &q, &c->err), SM_OK);
    splits_keys(c, expected);
    assert_true(q.error == 0);
    sm_sample_free(s);
}

/* By hand. */
static void keys_are_as_short_as_can_be(void **state)
{
    splits_case *c = *state;
    static const char *const plain[] = {"callA1", "callA2", "callB7", "callB8"};
    quantiles(c, plain, 4, 2, "callB");
    quantiles(c, plain, 4, 4, "callA2 callB callB8");
    quantiles(c, plain, 4, 100, "callA2 callB callB8");
    quantiles(c, plain, 4, 1, "");
    static const char *const inside[] = {"a", "ab", "abc", "abcdef"};
    quantiles(c, inside, 4, 4, "ab abc abcd");
    static const char *const equal[] = {"k", "k", "k", "k"};
    quantiles(c, equal, 4, 3, "");
    static const char *const heavy[] = {"a", "k", "k", "k", "k", "k", "k", "k", "z", "zz"};
    quantiles(c, heavy, 10, 3, "k z");
}

/* Worked out by Python from the formulas: t = min(Hoeffding, Bernstein) + 1/1000. */
static void errors_follow_the_formulas(void **state)
{
    (void)state;
    const sm_population rows = {
        .rows = 1000000, .weight = 1000000, .most_weight = 1, .squares = 1e6};
    assert_float_equal(sm_sample_error(&rows, 131072), 0.007823669976, 1e-9);
    assert_true(sm_sample_error(&rows, 1000000) == 0);
    /* Weights 1, and 100 for one row of a hundred: the mean is 1.99, that of squares 100.99. */
    const sm_population mixed = {
        .rows = 1000000, .weight = 1990000, .most_weight = 100, .squares = 100990000};
    assert_float_equal(sm_sample_error(&mixed, 131072), 0.071495763285, 1e-9);
}

static void memory_that_cannot_be_had(void **state)
{
    splits_case *c = *state;
    const sm_sample_item item = {.rank = 1, .weight = 1, .key = sm_bytes_text("k")};
    sm_status st = SM_E_MEMORY;
    if (!sm_fault_plan("memory:1")) {
        skip();
    }
    for (int n = 1; st != SM_OK && n < 9; n++) {
        const char plan[] = {'m', 'e', 'm', 'o', 'r', 'y', ':', (char)('0' + n), '\0'};
        sm_sample *s = NULL;
        (void)sm_fault_plan(NULL);
        assert_true(sm_fault_plan(plan));
        st = sm_sample_new(4, 1000, &s, &c->err);
        st = st == SM_OK ? sm_sample_offer(s, &item, &c->err) : st;
        assert_true(st == SM_OK ? n > 3 : st == SM_E_MEMORY);
        sm_sample_free(s);
    }
    (void)sm_fault_plan(NULL);
    assert_int_equal(st, SM_OK);
}

#define SPLITS_TEST(f) cmocka_unit_test_setup_teardown(f, splits_set_up, splits_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPLITS_TEST(order_of_offers_does_not_matter),
        SPLITS_TEST(keys_are_as_short_as_can_be),
        SPLITS_TEST(errors_follow_the_formulas),
        SPLITS_TEST(memory_that_cannot_be_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
