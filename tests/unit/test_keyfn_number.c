/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in keys and cells: struct's bytes, and the order of keys on random numbers. */
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_vectors(void **state)
{
    assert_vectors(*state, "key_number.tsv", 300);
}

enum { COUNT = 4000 };

typedef struct sample {
    int64_t number;
    double real;
    uint8_t key[24];
    size_t len;
} sample;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return *state ^ *state >> 29;
}

/* Bytes compare as the numbers do, in the same or in the opposite direction. */
static void check_order(expr_fixture *f, const char *text, sample *samples, int direction)
{
    const sm_expr *e = compile(f, SM_USE_KEY, text);
    for (size_t i = 0; i < COUNT; i++) {
        sm_value v = {0};
        set_number(f, "duration", samples[i].number);
        set_number(f, "start", samples[i].number);
        set_real(f, "cost", samples[i].real);
        sm_eval_reset(f->ev);
        assert_int_equal(sm_expr_run(e, f->ev, &f->record, &v), SM_REJECT_NONE);
        samples[i].len = v.bytes.len;
        memcpy(samples[i].key, v.bytes.data, v.bytes.len);
    }
    const bool real = strstr(text, "cost") != NULL;
    for (size_t i = 1; i < COUNT; i++) {
        const sample *a = &samples[i - 1];
        const sample *b = &samples[i];
        const int wanted = real ? (a->real > b->real) - (a->real < b->real)
                                : (a->number > b->number) - (a->number < b->number);
        const int found =
            sm_bytes_compare(sm_bytes_of(a->key, a->len), sm_bytes_of(b->key, b->len));
        assert_int_equal((found > 0) - (found < 0), wanted * direction);
    }
}

/* Random numbers of all magnitudes, with the extremes and near neighbours among them. */
static void fill_samples(sample *samples, bool negative, unsigned bits)
{
    static const int64_t EDGES[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, 255, 256};
    uint64_t state = 42;
    for (size_t i = 0; i < COUNT; i++) {
        const uint64_t r = next_random(&state);
        const unsigned shift = 64 - bits + (unsigned)(next_random(&state) % bits);
        int64_t v = negative ? (int64_t)r >> shift : (int64_t)(r >> shift);
        if (i % 7 == 0) {
            v = EDGES[(i / 7) % (sizeof EDGES / sizeof EDGES[0])];
        } else if (i % 5 == 0 && i > 0 && samples[i - 1].number < INT32_MAX) {
            v = samples[i - 1].number + 1;
        }
        const int64_t high = bits >= 63 ? INT64_MAX : ((int64_t)1 << (bits - negative)) - 1;
        v = v > high ? high : v;
        v = v < 0 && !negative ? 0 : v < -high - 1 ? -high - 1 : v;
        samples[i].number = v;
        const uint64_t real_bits = next_random(&state);
        memcpy(&samples[i].real, &real_bits, sizeof real_bits);
        if (samples[i].real != samples[i].real || i % 11 == 0) {
            samples[i].real = i % 2 == 0 ? 0.0 : -0.0;
        }
    }
}

static void test_order(void **state)
{
    expr_fixture *f = *state;
    sample *samples = test_calloc(COUNT, sizeof *samples);
    fill_samples(samples, true, 64);
    check_order(f, "i64(duration)", samples, 1);
    check_order(f, "i64(start)", samples, 1);
    check_order(f, "f64(cost)", samples, 1);
    fill_samples(samples, true, 32);
    check_order(f, "i32(duration)", samples, 1);
    check_order(f, "f64(duration)", samples, 1);
    fill_samples(samples, false, 63);
    check_order(f, "u64(duration)", samples, 1);
    check_order(f, "dec(duration, 19)", samples, 1);
    check_order(f, "ts(start)", samples, 1);
    check_order(f, "rev_ts(start)", samples, -1);
    check_order(f, "rev_ts_dec(start)", samples, -1);
    fill_samples(samples, false, 32);
    check_order(f, "u32(duration)", samples, 1);
    check_order(f, "rev_ts_dec(start, ms, 13)", samples, -1);
    fill_samples(samples, false, 16);
    check_order(f, "u16(duration)", samples, 1);
    fill_samples(samples, false, 8);
    check_order(f, "u8(duration)", samples, 1);
    test_free(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_order, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
