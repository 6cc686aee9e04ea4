/* SPDX-License-Identifier: Apache-2.0 */
/* Where index blocks are cut, how deep the index gets, and what the root says about the middle. */
#include "core/endian.h"
#include "core/fs.h"
#include "formats/hfile_file.h"
#include "formats/hfile_index.h"
#include "support_hfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct writing {
    hfile_scratch *s;
    sm_hfile_output *out;
    sm_hfile_blocks blocks;
    sm_hfile_index index;
} writing;

static void start(writing *w, hfile_scratch *s, uint32_t block_size)
{
    const sm_sink_options o = {.compression = SM_COMPRESSION_NONE};
    w->s = s;
    assert_int_equal(sm_fs_remove_file(s->path, &s->err), SM_OK);
    assert_int_equal(sm_hfile_blocks_init(&w->blocks, &o, &s->err), SM_OK);
    assert_int_equal(sm_hfile_output_open(s->path, &w->out, &s->err), SM_OK);
    w->blocks.out = w->out;
    sm_hfile_index_init(&w->index, block_size);
}

static void end(writing *w)
{
    sm_hfile_index_free(&w->index);
    sm_hfile_blocks_free(&w->blocks);
    sm_hfile_output_close(w->out);
}

/* Entries with keys of 8 bytes: 20 bytes each in a leaf, 21 in a root. */
static void add(writing *w, uint64_t number)
{
    uint8_t key[8];
    sm_store_be64(key, number);
    const sm_hfile_place place = {number * 1000, (uint32_t)(number + 1)};
    assert_int_equal(sm_hfile_index_add(&w->index, place, sm_bytes_of(key, 8), &w->s->err), SM_OK);
    assert_int_equal(sm_hfile_index_poll(&w->index, &w->blocks, &w->s->err), SM_OK);
}

static uint32_t finish(writing *w)
{
    sm_hfile_place root;
    assert_int_equal(sm_hfile_index_close(&w->index, &w->blocks, &w->s->err), SM_OK);
    assert_int_equal(sm_hfile_index_finish(&w->index, &w->blocks, &root, &w->s->err), SM_OK);
    return w->index.levels;
}

/* A leaf of n entries takes 4 + 4 (n + 1) + 20 n bytes = 8 + 24 n. */
static void a_leaf_ends_at_the_limit(void **state)
{
    writing w;
    start(&w, *state, 8 + 24 * 10);
    for (unsigned i = 0; i < 9; i++) {
        add(&w, i);
    }
    assert_int_equal(sm_hfile_output_offset(w.out), 0);
    add(&w, 9);
    assert_int_equal(sm_hfile_output_offset(w.out), 33 + 8 + 24 * 10 + 4);
    end(&w);
}

static void a_small_index_is_its_root(void **state)
{
    writing w;
    start(&w, *state, 8 + 24 * 10);
    for (unsigned i = 0; i < 9; i++) {
        add(&w, i);
    }
    assert_int_equal(finish(&w), 1);
    assert_int_equal(w.index.root_count, 9);
    /* No leaf, nothing about a middle. */
    assert_int_equal(sm_hfile_output_offset(w.out), 33 + 9 * 21 + 4);
    /* Entry 1: offset 1000, size 2, key length 8, key 1. */
    assert_memory_equal(w.index.block.data + 33 + 21,
                        "\0\0\0\0\0\0\3\xe8\0\0\0\2\x08\0\0\0\0\0\0\0\1", 21);
    end(&w);
}

static void two_levels_and_the_middle(void **state)
{
    writing w;
    start(&w, *state, 8 + 24 * 10);
    for (unsigned i = 0; i < 25; i++) {
        add(&w, i);
    }
    assert_int_equal(finish(&w), 2);
    assert_int_equal(w.index.root_count, 3);
    /* Block (25 - 1) / 2 = 12 is entry 2 of the second leaf, which follows the first one's 285
     * bytes. */
    const uint8_t *middle = w.index.block.data + 33 + 3 * 21;
    assert_int_equal(w.index.block.len, 33 + 3 * 21 + 16 + 4);
    assert_int_equal(sm_load_be64(middle), 285);
    assert_int_equal(sm_load_be32(middle + 8), 285);
    assert_int_equal(sm_load_be32(middle + 12), 2);
    end(&w);
}

/* Leaves of 2 entries. A level is cut when its root form is over 50 bytes (3 entries of 21) and it
 * has more than 16 entries; the first chunk takes 17 whatever their size, the others 3. */
static void levels_are_added_while_the_top_is_large(void **state)
{
    /* Data blocks, levels, entries of the root. */
    static const unsigned rows[][3] = {
        {32, 2, 16},                /* 16 leaves: not more than 16 */
        {34, 3, 1},                 /* 17: all in one intermediate block */
        {36, 3, 2},                 /* 18: 17 and 1 */
        {2 * (17 + 3 * 15), 3, 16}, /* 1 + 15 */
        {2 * (17 + 3 * 16), 4, 1},  /* 17 of those: one more level */
        {2 * (17 + 3 * 16 + 1), 4, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        writing w;
        start(&w, *state, 50);
        for (unsigned k = 0; k < rows[i][0]; k++) {
            add(&w, k);
        }
        assert_int_equal(finish(&w), rows[i][1]);
        assert_int_equal(w.index.root_count, rows[i][2]);
        end(&w);
    }
}

static void deep_indexes_lead_to_their_cells(void **state)
{
    hfile_scratch *s = *state;
    static sm_cell cells[3000];
    static char rows[3000][12];
    for (unsigned i = 0; i < 3000; i++) {
        (void)snprintf(rows[i], sizeof rows[i], "r%07u", i);
        cells[i] = hfile_put(rows[i], "q", 1, "value");
    }
    for (uint32_t size = 64; size <= 4096; size *= 4) {
        const sm_sink_options o = {.compression = SM_COMPRESSION_NONE,
                                   .bloom = SM_BLOOM_ROW,
                                   .block_size = 64,
                                   .index_block_size = size};
        sm_hfile_check c;
        const sm_sink_summary u = hfile_write(s, o, cells, 3000);
        assert_true(u.index_levels >= (size == 64 ? 4u : 2u));
        assert_int_equal(sm_hfile_verify(s->path, &c, &s->err), SM_OK);
        assert_int_equal(c.cells, 3000);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, hfile_set_up, hfile_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_leaf_ends_at_the_limit),         TEST(a_small_index_is_its_root),
        TEST(two_levels_and_the_middle),        TEST(levels_are_added_while_the_top_is_large),
        TEST(deep_indexes_lead_to_their_cells),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
