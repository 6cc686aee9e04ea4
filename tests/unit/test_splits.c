/* SPDX-License-Identifier: Apache-2.0 */
/* What holds whatever the source: order, uniqueness, limits, and the routing of keys against a
 * linear search. */
#include "core/fault.h"
#include "partitioner/splits.h"
#include "tests/unit/support_splits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST_KEYS = 400, MOST_LEN = 12 };

static sm_split_spec list_of(const sm_bytes *texts, size_t count)
{
    return (sm_split_spec){
        .kind = SM_SPLITS_LIST, .where = "tables[0].splits", .texts = texts, .text_count = count};
}

static void without_splits_there_is_one_region(void **state)
{
    splits_case *c = *state;
    splits_made(c, &(sm_split_spec){.kind = SM_SPLITS_NONE});
    assert_int_equal(sm_splits_regions(c->splits), 1);
    assert_int_equal(sm_splits_route(c->splits, sm_bytes_text("")), 0);
    assert_int_equal(sm_splits_route(c->splits, sm_bytes_text("\xff\xff\xff\xff\xff\xff\xff\xff")),
                     0);
    assert_int_equal(sm_splits_start(c->splits, 0).len, 0);
    assert_int_equal(sm_splits_end(c->splits, 0).len, 0);
}

static void regions_have_ends(void **state)
{
    splits_case *c = *state;
    const sm_bytes texts[] = {sm_bytes_text("d"), sm_bytes_text("m"), sm_bytes_text("t")};
    const sm_split_spec spec = list_of(texts, 3);
    splits_made(c, &spec);
    assert_int_equal(sm_splits_regions(c->splits), 4);
    assert_int_equal(sm_splits_start(c->splits, 0).len, 0);
    assert_true(sm_bytes_equal_text(sm_splits_end(c->splits, 0), "d"));
    assert_true(sm_bytes_equal_text(sm_splits_start(c->splits, 3), "t"));
    assert_int_equal(sm_splits_end(c->splits, 3).len, 0);
    assert_int_equal(c->splits->note_count, 0);
    /* By hand: [-, d) [d, m) [m, t) [t, -). */
    const struct {
        const char *key;
        size_t region;
    } rows[] = {{"", 0},  {"a", 0}, {"c\xff", 0}, {"d", 1}, {"d!", 1},  {"lz", 1},
                {"m", 2}, {"s", 2}, {"t", 3},     {"z", 3}, {"\xff", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(sm_splits_route(c->splits, sm_bytes_text(rows[i].key)), rows[i].region);
    }
}

static void unsorted_keys_are_sorted_with_a_note(void **state)
{
    splits_case *c = *state;
    const sm_bytes texts[] = {sm_bytes_text("t"), sm_bytes_text("d"), sm_bytes_text("\\xFF"),
                              sm_bytes_text("m")};
    const sm_split_spec spec = list_of(texts, 4);
    splits_made(c, &spec);
    splits_keys(c, "d m t \\xFF");
    assert_int_equal(c->splits->note_count, 1);
    assert_non_null(strstr(c->splits->notes[0], "'d' in entry 2 comes after 't'"));
}

static void keys_stand_once(void **state)
{
    splits_case *c = *state;
    const sm_bytes texts[] = {sm_bytes_text("t"), sm_bytes_text("a\\x00"), sm_bytes_text("b"),
                              sm_bytes_text("a\\x00")};
    const sm_split_spec spec = list_of(texts, 4);
    splits_refused(c, &spec, "split key 'a\\x00' occurs twice (entry 2 and entry 4)");
}

static void keys_and_lists_have_a_limit(void **state)
{
    splits_case *c = *state;
    char long_key[32768];
    memset(long_key, 'k', sizeof long_key);
    sm_bytes text = sm_bytes_of(long_key, sizeof long_key);
    const sm_split_spec spec = list_of(&text, 1);
    splits_refused(c, &spec, "a split key of 32768 bytes");
    text.len = 32767;
    splits_made(c, &spec);
    assert_int_equal(c->splits->count, 1);
}

/* ---- routing against the obvious way ---------------------------------------- */

typedef struct random_bits {
    uint64_t state;
} random_bits;

/* xorshift64 */
static uint64_t draw(random_bits *r, uint64_t below)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (r->state >> 11) % below;
}

/* Few different bytes and a common start, so that prefixes of 8 bytes meet and zeros stand at ends.
 */
static sm_bytes draw_key(random_bits *r, uint8_t *room)
{
    static const uint8_t alphabet[] = {0x00, 0x01, 'a', 0xFF};
    const size_t common = draw(r, 2) * 6;
    const size_t len = common + draw(r, MOST_LEN - common + 1);
    for (size_t i = 0; i < len; i++) {
        room[i] = i < common ? 0xFF : alphabet[draw(r, sizeof alphabet)];
    }
    return sm_bytes_of(room, len);
}

static size_t route_slowly(const sm_splits *s, sm_bytes key)
{
    size_t region = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (sm_bytes_compare(s->keys[i], key) <= 0) {
            region = i + 1;
        }
    }
    return region;
}

static int compare_keys(const void *a, const void *b)
{
    return sm_bytes_compare(*(const sm_bytes *)a, *(const sm_bytes *)b);
}

/* Random keys as escaped texts, sorted, each once. */
static size_t draw_texts(random_bits *r, size_t count, sm_bytes *texts, char (*rooms)[4 * MOST_LEN])
{
    uint8_t bytes[MOST_KEYS][MOST_LEN];
    sm_bytes keys[MOST_KEYS];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        keys[i] = draw_key(r, bytes[i]);
    }
    qsort(keys, count, sizeof keys[0], compare_keys);
    for (size_t i = 0; i < count; i++) {
        if (keys[i].len == 0 || (i > 0 && sm_bytes_equal(keys[i], keys[i - 1]))) {
            continue;
        }
        static const char digits[] = "0123456789ABCDEF";
        char *out = rooms[kept];
        for (size_t k = 0; k < keys[i].len; k++) {
            const char one[4] = {'\\', 'x', digits[keys[i].data[k] >> 4],
                                 digits[keys[i].data[k] & 15]};
            memcpy(out + 4 * k, one, 4);
        }
        texts[kept++] = sm_bytes_of(out, 4 * keys[i].len);
    }
    return kept;
}

static void routing_equals_a_linear_search(void **state)
{
    splits_case *c = *state;
    static char rooms[MOST_KEYS][4 * MOST_LEN];
    sm_bytes texts[MOST_KEYS];
    random_bits r = {.state = 88172645463325252u};
    for (int round = 0; round < 200; round++) {
        const size_t count = draw_texts(&r, draw(&r, round < 100 ? 8 : MOST_KEYS), texts, rooms);
        const sm_split_spec spec = list_of(texts, count);
        splits_made(c, &spec);
        assert_int_equal(c->splits->note_count, 0);
        for (int i = 0; i < 300; i++) {
            uint8_t room[MOST_LEN];
            const sm_bytes key = draw_key(&r, room);
            assert_int_equal(sm_splits_route(c->splits, key), route_slowly(c->splits, key));
        }
        for (size_t i = 0; i < c->splits->count; i++) {
            assert_int_equal(sm_splits_route(c->splits, c->splits->keys[i]), i + 1);
        }
        sm_arena_reset(c->arena);
    }
}

static void memory_that_cannot_be_had(void **state)
{
    splits_case *c = *state;
    const sm_bytes texts[] = {sm_bytes_text("t"), sm_bytes_text("d")};
    const sm_split_spec spec = list_of(texts, 2);
    if (!sm_fault_plan("memory:1")) {
        skip();
    }
    sm_status st = SM_E_MEMORY;
    for (int n = 1; st != SM_OK && n < 20; n++) {
        const char plan[] = {
            'm', 'e', 'm', 'o', 'r', 'y', ':', (char)('0' + n / 10), (char)('0' + n % 10), '\0'};
        (void)sm_fault_plan(NULL);
        sm_arena_free(c->arena);
        assert_int_equal(sm_arena_new(16, &c->arena, NULL), SM_OK);
        assert_true(sm_fault_plan(plan));
        sm_error err = {0};
        st = sm_splits_make(c->arena, &spec, &c->splits, &err);
        assert_true(st == SM_OK ? n > 5 : st == SM_E_MEMORY && c->splits == NULL);
    }
    (void)sm_fault_plan(NULL);
    assert_int_equal(st, SM_OK);
}

#define SPLITS_TEST(f) cmocka_unit_test_setup_teardown(f, splits_set_up, splits_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPLITS_TEST(without_splits_there_is_one_region),
        SPLITS_TEST(regions_have_ends),
        SPLITS_TEST(unsorted_keys_are_sorted_with_a_note),
        SPLITS_TEST(keys_stand_once),
        SPLITS_TEST(keys_and_lists_have_a_limit),
        SPLITS_TEST(routing_equals_a_linear_search),
        SPLITS_TEST(memory_that_cannot_be_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
