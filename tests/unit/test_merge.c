/* SPDX-License-Identifier: Apache-2.0 */
/* Merging by hand-made sources: any number of them, empty and uneven ones, keys that leave the
 * common prefix, rows of one key in many sources. */
#include "core/mem.h"
#include "partitioner/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SOURCES_MOST = 40, SHARE = 1 << 16, EACH_MOST = 60 };

typedef struct hand_share {
    uint8_t bytes[SHARE];
    size_t len;
    sm_sort_entry entries[EACH_MOST];
    size_t count;
} hand_share;

static void add_row(hand_share *s, const char *key, uint64_t order)
{
    s->entries[s->count++].place = s->len;
    uint8_t *p = sm_record_put(s->bytes + s->len, order, sm_bytes_text(key), 1, false);
    *p = (uint8_t)('0' + order % 10);
    s->len = (size_t)(p + 1 - s->bytes);
}

static void add_source(sm_merge *m, const hand_share *s)
{
    const sm_merge_share share = {
        .entries = s->entries, .count = s->count, .base = s->bytes, .end = s->bytes + s->len};
    sm_merge_add_share(m, &share);
}

/* Row n has key before + (n / 3) + behind and order n, so that keys repeat; its source is a hash of
 * n. */
static void merge_numbers(const char *before, const char *behind, size_t sources, unsigned rows)
{
    sm_error err = {.code = SM_OK};
    sm_merge *m;
    sm_row row;
    bool more;
    hand_share *shares = calloc(sources, sizeof *shares);
    assert_non_null(shares);
    uint32_t x = (uint32_t)sources;
    for (unsigned n = 0; n < rows; n++) {
        char key[80];
        x = x * 1664525 + 1013904223;
        size_t to = (x >> 16) % sources;
        while (shares[to].count == EACH_MOST) {
            to = (to + 1) % sources;
        }
        (void)snprintf(key, sizeof key, "%s%05u%s", before, n / 3, behind);
        add_row(&shares[to], key, n);
    }
    assert_int_equal(sm_merge_new(sources, NULL, &m, &err), SM_OK);
    for (int round = 0; round < 2; round++) { /* a merge can begin again */
        sm_merge_begin(m, 4, 5);
        for (size_t i = 0; i < sources; i++) {
            add_source(m, &shares[i]);
        }
        for (unsigned n = 0; n < rows; n++) {
            char key[80];
            (void)snprintf(key, sizeof key, "%s%05u%s", before, n / 3, behind);
            assert_int_equal(sm_merge_next(m, &row, &more, &err), SM_OK);
            assert_true(more);
            assert_int_equal(row.table, 4);
            assert_int_equal(row.region, 5);
            assert_int_equal(row.order, n);
            assert_true(sm_bytes_equal_text(row.key, key));
            assert_int_equal(row.payload.data[0], '0' + n % 10);
        }
        for (int i = 0; i < 3; i++) { /* and the end stays the end */
            assert_int_equal(sm_merge_next(m, &row, &more, &err), SM_OK);
            assert_false(more);
        }
    }
    sm_merge_close(m);
    free(shares);
}

static void test_numbers(void **state)
{
    (void)state;
    static const char *const ends[][2] = {{"", ""},
                                          {"a long common prefix of all the keys ", ""},
                                          {"", " and much that is the same behind it"}};
    for (size_t f = 0; f < 3; f++) {
        for (size_t sources = 1; sources <= SOURCES_MOST; sources++) {
            merge_numbers(ends[f][0], ends[f][1], sources, (unsigned)sources * EACH_MOST / 2);
            merge_numbers(ends[f][0], ends[f][1], sources, (unsigned)sources / 2);
        }
    }
}

/* The first keys share "pre"; later ones leave it, and are shorter than it. */
static void test_prefix_is_left(void **state)
{
    (void)state;
    static const char *const want[] = {
        "pre", "prea", "preez", "pree\xff\xff\xff\xff\xff\xff\xff\xff", "pref",
        "ps",  "q",    "\xff",  "\xff\xff\xff\xff\xff\xff\xff\xff\xff"};
    sm_error err = {.code = SM_OK};
    sm_merge *m;
    sm_row row;
    bool more;
    hand_share *s = calloc(2, sizeof *s);
    assert_non_null(s);
    add_row(&s[0], "pre", 1);
    add_row(&s[0], "preez", 1);
    add_row(&s[0], "q", 1);
    add_row(&s[0], "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 1);
    add_row(&s[1], "prea", 1);
    add_row(&s[1], "pree\xff\xff\xff\xff\xff\xff\xff\xff", 1);
    add_row(&s[1], "pref", 1);
    add_row(&s[1], "ps", 1);
    add_row(&s[1], "\xff", 1);
    assert_int_equal(sm_merge_new(2, NULL, &m, &err), SM_OK);
    sm_merge_begin(m, 0, 0);
    add_source(m, &s[0]);
    add_source(m, &s[1]);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(sm_merge_next(m, &row, &more, &err), SM_OK);
        assert_true(more);
        assert_true(sm_bytes_equal_text(row.key, want[i]));
    }
    assert_int_equal(sm_merge_next(m, &row, &more, &err), SM_OK);
    assert_false(more);
    sm_merge_close(m);
    free(s);
}

static void test_no_sources(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    sm_merge *m;
    sm_row row;
    bool more = true;
    const sm_merge_share none = {.count = 0};
    assert_int_equal(sm_merge_new(2, NULL, &m, &err), SM_OK);
    sm_merge_begin(m, 0, 0);
    assert_int_equal(sm_merge_next(m, &row, &more, &err), SM_OK);
    assert_false(more);
    sm_merge_begin(m, 0, 0);
    sm_merge_add_share(m, &none);
    sm_merge_add_share(m, &none);
    assert_int_equal(sm_merge_next(m, &row, &more, &err), SM_OK);
    assert_false(more);
    sm_merge_close(m);
}

/* No allocation per row. */
static void test_allocations(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    unsigned long long made[2];
    for (unsigned round = 0; round < 2; round++) {
        const sm_runs_options options = {
            .directory = "/tmp", .memory = 64 << 20, .writers = 1, .open_files = 8};
        sm_runs *r;
        sm_merge *m;
        sm_row row = {.order = 0};
        bool more = true;
        const unsigned long long before = sm_mem_allocations();
        assert_int_equal(sm_runs_new(&options, &r, &err), SM_OK);
        for (unsigned i = 0; i < (round == 0 ? 1000U : 300000U); i++) {
            char key[16];
            (void)snprintf(key, sizeof key, "%08u", i * 7919 % 1000003);
            row = (sm_row){.order = i, .key = sm_bytes_text(key), .payload = sm_bytes_text("v")};
            assert_int_equal(sm_runs_add(r, 0, &row, &err), SM_OK);
        }
        assert_int_equal(sm_runs_seal(r, 1, &err), SM_OK);
        assert_int_equal(sm_merge_open(r, 0, 1, &m, &err), SM_OK);
        while (more) {
            assert_int_equal(sm_merge_next(m, &row, &more, &err), SM_OK);
        }
        sm_merge_close(m);
        sm_runs_free(r);
        made[round] = sm_mem_allocations() - before;
    }
    assert_true(made[0] == made[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_prefix_is_left),
        cmocka_unit_test(test_no_sources),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
