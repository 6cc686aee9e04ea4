/* SPDX-License-Identifier: Apache-2.0 */
/* Seeking rows in files of one to three index levels, against a walk from the first cell; and in
 * damaged files, where it must end with an error or a right answer. */
#include "core/fs.h"
#include "support_hfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 600, KEY_SIZE = 8 };

/* Rows with 00 and FF in them, gaps between them, and some rows of many cells. */
typedef struct table {
    uint8_t keys[ROWS][KEY_SIZE];
    char qualifiers[8][4];
    sm_cell cells[ROWS * 4];
    size_t count;
} table;

static void make_table(table *t)
{
    t->count = 0;
    for (unsigned q = 0; q < 8; q++) {
        (void)snprintf(t->qualifiers[q], sizeof t->qualifiers[q], "q%u", q);
    }
    for (unsigned i = 0; i < ROWS; i++) {
        uint8_t *key = t->keys[i];
        memset(key, i % 3 == 0 ? 0xff : i % 3 == 1 ? 0 : 'k', KEY_SIZE);
        key[0] = (uint8_t)(i >> 7);
        key[1] = (uint8_t)((i >> 1) * 4);
        key[2] = (uint8_t)(i % 2 == 0 ? 0 : 0xff);
        const size_t len = i % 5 == 0 ? 3 : KEY_SIZE;
        const unsigned cells = i % 50 == 0 ? 8 : 1 + i % 2;
        for (unsigned q = 0; q < cells; q++) {
            sm_cell c = hfile_put("", t->qualifiers[q], 100, "a value of some length");
            c.row = sm_bytes_of(key, len);
            t->cells[t->count++] = c;
        }
    }
}

static size_t first_at_or_above(const table *t, sm_bytes row)
{
    size_t i = 0;
    while (i < t->count && sm_bytes_compare(t->cells[i].row, row) < 0) {
        i++;
    }
    return i;
}

static void assert_sought(const table *t, sm_hfile *h, sm_bytes row, sm_error *err)
{
    size_t i = first_at_or_above(t, row);
    const size_t stop = i + 12;
    assert_int_equal(sm_hfile_seek(h, row, err), SM_OK);
    for (bool more = true; more && i < stop;) {
        sm_cell c;
        assert_int_equal(sm_hfile_next(h, &c, &more, err), SM_OK);
        assert_int_equal(more, i < t->count);
        if (more) {
            assert_int_equal(sm_cell_compare(&c, &t->cells[i]), 0);
            i++;
        }
    }
}

static void check_file(hfile_scratch *s, uint32_t index_block_size, unsigned least_levels)
{
    static table t;
    sm_hfile *h = NULL;
    make_table(&t);
    const sm_sink_options o = {.compression = SM_COMPRESSION_GZ,
                               .bloom = SM_BLOOM_ROW,
                               .block_size = 200,
                               .index_block_size = index_block_size,
                               .bloom_block_size = 1024};
    (void)hfile_write(s, o, t.cells, t.count);
    assert_int_equal(sm_hfile_open_to_seek(s->path, &h, &s->err), SM_OK);
    assert_true(sm_hfile_info_of(h)->index_levels >= least_levels);
    for (size_t i = 0; i < t.count; i++) {
        uint8_t near[KEY_SIZE + 1];
        const sm_bytes row = t.cells[i].row;
        memcpy(near, row.data, row.len);
        near[row.len] = 0;
        assert_sought(&t, h, row, &s->err);
        assert_sought(&t, h, sm_bytes_of(near, row.len + 1), &s->err);
        assert_sought(&t, h, sm_bytes_of(near, row.len - 1), &s->err);
        near[row.len - 1]--;
        assert_sought(&t, h, sm_bytes_of(near, row.len), &s->err);
    }
    assert_sought(&t, h, sm_bytes_of("", 0), &s->err);
    assert_sought(&t, h, sm_bytes_of("\xff\xff\xff", 3), &s->err);
    sm_hfile_close(h);
    assert_int_equal(sm_fs_remove_file(s->path, &s->err), SM_OK);
}

static void test_all_levels(void **state)
{
    check_file(*state, 131072, 1);
    check_file(*state, 1000, 2);
    check_file(*state, 120, 3);
}

/* A seek reads one block a level and the data block, not the file. */
static void test_reads_little(void **state)
{
    hfile_scratch *s = *state;
    static table t;
    sm_hfile *h = NULL;
    uint64_t blocks = 0;
    uint64_t bytes = 0;
    make_table(&t);
    const sm_sink_options o = {.compression = SM_COMPRESSION_NONE,
                               .block_size = 200,
                               .index_block_size = 400,
                               .bloom_block_size = 1024};
    (void)hfile_write(s, o, t.cells, t.count);
    assert_int_equal(sm_hfile_open_to_seek(s->path, &h, &s->err), SM_OK);
    assert_int_equal(sm_hfile_seek(h, t.cells[t.count / 2].row, &s->err), SM_OK);
    sm_hfile_reads(h, &blocks, &bytes);
    assert_true(blocks <= sm_hfile_info_of(h)->index_levels + 1);
    assert_true(bytes < sm_hfile_info_of(h)->file_size / 20);
    sm_hfile_close(h);
}

static void write_bytes(hfile_scratch *s, const uint8_t *data, size_t size)
{
    FILE *f = fopen(s->path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void test_damage(void **state)
{
    hfile_scratch *s = *state;
    static table t;
    make_table(&t);
    const sm_sink_options o = {.compression = SM_COMPRESSION_NONE,
                               .block_size = 200,
                               .index_block_size = 200,
                               .bloom_block_size = 1024};
    (void)hfile_write(s, o, t.cells, 60);
    size_t size = 0;
    uint8_t *data = hfile_bytes(s, &size);
    size_t failed = 0;
    for (size_t i = 0; i < size; i += 7) {
        sm_hfile *h = NULL;
        sm_error err = {0};
        sm_cell c;
        bool more = false;
        data[i] ^= 0x41;
        write_bytes(s, data, size);
        data[i] ^= 0x41;
        sm_status st = sm_hfile_open_to_seek(s->path, &h, &err);
        if (st == SM_OK) {
            st = sm_hfile_seek(h, t.cells[40].row, &err);
        }
        if (st == SM_OK) {
            st = sm_hfile_next(h, &c, &more, &err);
        }
        failed += st != SM_OK;
        assert_true(st != SM_OK || (more && sm_bytes_equal(c.row, t.cells[40].row)));
        sm_hfile_close(h);
    }
    assert_true(failed > 10);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_levels, hfile_set_up, hfile_tear_down),
        cmocka_unit_test_setup_teardown(test_reads_little, hfile_set_up, hfile_tear_down),
        cmocka_unit_test_setup_teardown(test_damage, hfile_set_up, hfile_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
