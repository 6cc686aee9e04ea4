/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting a share: groups, keys of every shape, ties, and masks for none, some or all groups,
 * against qsort over decoded copies. */
#include "partitioner/bits.h"
#include "partitioner/run_record.h"
#include "partitioner/run_sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS_MOST = 5000, SHARE = 8 << 20, GROUPS_MOST = 600 };

static uint64_t random_state = 1;

static uint64_t below(uint64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % n;
}

typedef struct plain_row {
    size_t group;
    sm_record_view view;
} plain_row;

static int compare_plain(const void *a, const void *b)
{
    const plain_row *x = a;
    const plain_row *y = b;
    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    const int c = sm_bytes_compare(x->view.key, y->view.key);
    if (c != 0) {
        return c;
    }
    return (x->view.order > y->view.order) - (x->view.order < y->view.order);
}

typedef size_t (*key_fn)(size_t group, uint8_t *out);

static size_t key_same(size_t group, uint8_t *out)
{
    (void)group;
    memcpy(out, "same", 4);
    return 4;
}

static size_t key_digits(size_t group, uint8_t *out)
{
    return (size_t)snprintf((char *)out, 300, "%03zu%08u", group, (unsigned)below(100000000));
}

/* Nothing varies within the bytes that the mask looks at. */
static size_t key_late(size_t group, uint8_t *out)
{
    memset(out, (int)group, 70);
    return 70 + (size_t)snprintf((char *)out + 70, 200, "%0*u", 40 + (int)below(2),
                                 (unsigned)below(3000));
}

/* Ties that seven levels of eight bytes do not tell apart. */
static size_t key_deep(size_t group, uint8_t *out)
{
    (void)group;
    size_t len = 0;
    while (len < 280) {
        out[len++] = (uint8_t)(below(40) == 0 ? 'b' : 'a');
        for (int i = 0; i < 13; i++) {
            out[len++] = 'a';
        }
    }
    return len;
}

static size_t key_prefixes(size_t group, uint8_t *out)
{
    const size_t len = 1 + below(12);
    memset(out, group % 2 == 0 ? 0 : 0xff, len);
    if (below(8) == 0) {
        out[len - 1] ^= 1;
    }
    return len;
}

static size_t key_random(size_t group, uint8_t *out)
{
    const size_t len = 1 + below(100);
    (void)group;
    for (size_t i = 0; i < len; i++) {
        out[i] = (uint8_t)below(256);
    }
    return len;
}

static void sort_and_compare(key_fn make_key, size_t rows, size_t groups, size_t masks)
{
    static sm_sort_entry entries[ROWS_MOST];
    static plain_row plain[ROWS_MOST];
    static sm_sort_group group[GROUPS_MOST];
    static sm_sort_mask mask[GROUPS_MOST];
    static sm_sort_entry scratch[1000];
    uint8_t *share = malloc(SHARE);
    assert_non_null(share);
    memset(group, 0, sizeof group);
    uint8_t *p = share;
    for (size_t i = 0; i < rows; i++) {
        uint8_t key[400];
        const size_t g = below(groups);
        const sm_bytes view = sm_bytes_of(key, make_key(g, key));
        const uint8_t *at = p;
        entries[i].place = (uint64_t)g << SM_SORT_OFFSET_BITS | (uint64_t)(p - share);
        p = sm_record_put(p, (i * 7919) % 100003, view, 3, false);
        memcpy(p, "pay", 3);
        p += 3;
        group[g].count++;
        plain[i].group = g;
        assert_true(sm_record_get(&at, share + SHARE, &plain[i].view));
        assert_ptr_equal(at, p);
    }
    for (size_t g = 1; g < groups; g++) {
        group[g].first = group[g - 1].first + group[g - 1].count;
    }
    const sm_sort_job job = {.entries = entries,
                             .count = rows,
                             .base = share,
                             .end = share + SHARE - SM_RECORD_SLACK,
                             .groups = group,
                             .group_count = groups,
                             .masks = mask,
                             .mask_count = masks,
                             .scratch = scratch,
                             .scratch_count = 1000};
    sm_sort_share(&job);
    if (rows > 0) {
        qsort(plain, rows, sizeof *plain, compare_plain);
    }
    for (size_t i = 0; i < rows; i++) {
        assert_int_equal(sm_sort_group_of(&entries[i]), plain[i].group);
        const uint8_t *at = share + sm_sort_offset(&entries[i]);
        sm_record_view got = {0};
        assert_true(sm_record_get(&at, share + SHARE, &got));
        assert_int_equal(got.order, plain[i].view.order);
        assert_true(sm_bytes_equal(got.key, plain[i].view.key));
    }
    free(share);
}

static void test_against_qsort(void **state)
{
    (void)state;
    static const key_fn makers[] = {key_same, key_digits,   key_late,
                                    key_deep, key_prefixes, key_random};
    static const size_t counts[] = {0, 1, 2, 24, 25, 300, ROWS_MOST};
    static const size_t groups[] = {1, 2, 10, GROUPS_MOST};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
                sort_and_compare(makers[m], counts[c], groups[g], GROUPS_MOST);
                sort_and_compare(makers[m], counts[c], groups[g], 5);
                sort_and_compare(makers[m], counts[c], groups[g], 0);
            }
        }
    }
}

/* By hand: bits 1, 3 and 6 of 0b1001010 under 0b1001010 are all set. */
static void test_gather(void **state)
{
    (void)state;
    assert_int_equal(sm_bits_gather(0x4a, 0x4a), 7);
    assert_int_equal(sm_bits_gather(0x40, 0x4a), 4);
    assert_int_equal(sm_bits_gather(0xf0f0, 0x0ff0), 0x0f);
    assert_int_equal(sm_bits_gather(UINT64_MAX, 0), 0);
    assert_true(sm_bits_gather(UINT64_C(0x8000000000000001), UINT64_MAX) ==
                UINT64_C(0x8000000000000001));
    for (int i = 0; i < 2000 && sm_bits_fast(); i++) {
        (void)below(2);
        const uint64_t v = random_state;
        (void)below(2);
        assert_true(sm_bits_gather(v, random_state) == sm_bits_gather_fast(v, random_state));
    }
}

/* Equal keys and orders: payload length and hash decide, wherever the rows lay. */
static void test_record_order(void **state)
{
    (void)state;
    const sm_record_view a = {
        .order = 1, .key = sm_bytes_text("k"), .payload = sm_bytes_text("longer")};
    sm_record_view b = a;
    assert_int_equal(sm_record_compare(&a, &b), 0);
    b.payload = sm_bytes_text("x");
    assert_true(sm_record_compare(&a, &b) > 0);
    b.order = 2;
    assert_true(sm_record_compare(&a, &b) < 0);
    b.key = sm_bytes_text("");
    assert_true(sm_record_compare(&a, &b) > 0);
    b = a;
    b.external = true;
    b.external_hash = sm_xxh64(a.payload);
    b.payload.data = NULL;
    assert_int_equal(sm_record_compare(&a, &b), 0);
}

/* A record that claims more bytes than there are. */
static void test_cut_records(void **state)
{
    (void)state;
    uint8_t bytes[64];
    uint8_t *end = sm_record_put(bytes, 9, sm_bytes_text("key"), 5, false);
    memcpy(end, "hello", 5);
    end += 5;
    assert_int_equal(end - bytes, sm_record_size(3, 5));
    for (const uint8_t *cut = bytes; cut <= end; cut++) {
        const uint8_t *p = bytes;
        sm_record_view view;
        assert_int_equal(sm_record_get(&p, cut, &view), cut == end);
    }
    memset(bytes + 8, 0xff, 20); /* lengths of more than 64 bits */
    const uint8_t *p = bytes;
    sm_record_view view;
    assert_false(sm_record_get(&p, bytes + sizeof bytes, &view));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_qsort),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_record_order),
        cmocka_unit_test(test_cut_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
