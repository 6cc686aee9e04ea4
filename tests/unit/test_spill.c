/* SPDX-License-Identifier: Apache-2.0 */
/* Run files: what is written comes back, in blocks of any size, with payloads and keys larger than
 * a block; each damaged byte is noticed; the memory that is promised is kept. */
#include "core/fs.h"
#include "partitioner/spill.h"
#include "partitioner/spill_block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PARTS = 7, ROWS = 40, PAYLOAD_MOST = 70000 };

static uint8_t filler[PAYLOAD_MOST];

static void fill_filler(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof filler; i++) {
        x = x * 1664525 + 1013904223;
        filler[i] = (uint8_t)(i % 3000 < 1500 ? 'x' : x >> 24);
    }
}

/* Row `i` of a part: sizes around and far over a block, keys longer than one among them. */
static void row_of(size_t part, size_t i, char *key, sm_record_view *out)
{
    static const size_t sizes[] = {0, 1, 63, 64, 1000, 4000, 4090, 4096, 4097, 8192, 70000};
    const size_t key_len = i % 13 == 12 ? 9000 : 12;
    memset(key, 'k', key_len);
    (void)snprintf(key, 13, "%06u%06u", (unsigned)part % 1000000U, (unsigned)i % 1000000U);
    key[12] = 'k';
    *out = (sm_record_view){.order = part * 1000 + i,
                            .key = sm_bytes_of(key, key_len),
                            .payload = sm_bytes_of(filler + i, sizes[(part + i) % 11] == 70000
                                                                   ? PAYLOAD_MOST - i
                                                                   : sizes[(part + i) % 11])};
}

static sm_spill_run *write_run(sm_spill_writer *w, sm_spill_file *f)
{
    sm_error err = {.code = SM_OK};
    sm_spill_run *run;
    char key[9001];
    sm_record_view row;
    assert_int_equal(sm_spill_begin(w, f, &err), SM_OK);
    for (size_t p = 0; p < PARTS; p++) {
        assert_int_equal(sm_spill_begin_part(w, (uint32_t)p / 3, (uint32_t)p * 5, &err), SM_OK);
        for (size_t i = 0; i < ROWS; i++) {
            row_of(p, i, key, &row);
            assert_int_equal(sm_spill_put(w, row.order, row.key, row.payload, &err), SM_OK);
        }
    }
    assert_int_equal(sm_spill_end(w, &run, &err), SM_OK);
    assert_int_equal(run->part_count, PARTS);
    return run;
}

/* Reads it all; with `check`, every row must be there. */
static sm_status read_run(const sm_spill_run *run, bool check, sm_error *err)
{
    static uint8_t payload[PAYLOAD_MOST];
    sm_spill_reader *r;
    sm_status st = sm_spill_reader_new(NULL, &r, err);
    for (size_t p = 0; p < run->part_count && st == SM_OK; p++) {
        sm_spill_cursor c;
        bool more = true;
        sm_spill_cursor_open(run, p, &c);
        for (size_t i = 0; more && st == SM_OK; i++) {
            char key[9001];
            sm_record_view got;
            sm_record_view want;
            st = sm_spill_cursor_next(&c, r, &got, &more, err);
            if (st != SM_OK || !more) {
                assert_true(!check || i == ROWS);
                break;
            }
            if (got.external && got.payload.len <= sizeof payload) {
                st = sm_spill_load(&c, r, &got, payload, err);
                got.payload.data = payload;
            }
            if (check) {
                row_of(p, i, key, &want);
                assert_int_equal(got.order, want.order);
                assert_true(sm_bytes_equal(got.key, want.key));
                assert_true(sm_bytes_equal(got.payload, want.payload));
            }
        }
        sm_spill_cursor_close(&c);
    }
    sm_spill_reader_free(r);
    return st;
}

static void test_round_trip(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    fill_filler();
    for (size_t block = 4096; block <= 256 * 1024; block *= 4) {
        sm_spill_file *f;
        sm_spill_writer *w;
        assert_int_equal(sm_spill_file_new("/tmp", &f, &err), SM_OK);
        assert_int_equal(sm_spill_writer_new(block, NULL, &w, &err), SM_OK);
        sm_spill_run *a = write_run(w, f);
        sm_spill_run *b = write_run(w, f); /* behind the first, in the same file */
        assert_true(b->begin == a->end);
        assert_int_equal(b->number, 2);
        sm_spill_writer_free(w);
        assert_int_equal(read_run(a, true, &err), SM_OK);
        assert_int_equal(read_run(b, true, &err), SM_OK);
        assert_int_equal(sm_spill_run_find(a, 0, 5), 1);
        assert_int_equal(sm_spill_run_find(a, 2, 30), 6);
        assert_int_equal(sm_spill_run_find(a, 0, 6), PARTS);
        assert_int_equal(sm_spill_run_find(a, 9, 0), PARTS);
        sm_spill_run_free(a);
        sm_spill_run_free(b);
        sm_spill_file_free(f);
    }
    sm_spill_run_free(NULL);
    sm_spill_file_free(NULL);
    sm_spill_writer_free(NULL);
    sm_spill_reader_free(NULL);
}

/* A copy of the file with one byte changed, read back by the same index. */
static void read_damaged(const sm_spill_run *run, const uint8_t *bytes, size_t size, size_t at)
{
    sm_error err = {.code = SM_OK};
    sm_spill_file *f;
    assert_int_equal(sm_spill_file_new("/tmp", &f, &err), SM_OK);
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    copy[at] ^= (uint8_t)(1 + at % 255);
    assert_int_equal(sm_file_write(f->file, copy, size, &err), SM_OK);
    free(copy);
    sm_spill_run damaged = *run;
    damaged.file = f;
    assert_int_equal(read_run(&damaged, false, &err), SM_E_FORMAT);
    assert_non_null(strstr(err.text, "run 1: block at offset "));
    sm_spill_file_free(f);
}

static void test_damage(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    sm_spill_file *f;
    sm_spill_writer *w;
    fill_filler();
    assert_int_equal(sm_spill_file_new("/tmp", &f, &err), SM_OK);
    assert_int_equal(sm_spill_writer_new(4096, NULL, &w, &err), SM_OK);
    sm_spill_run *run = write_run(w, f);
    sm_spill_writer_free(w);
    const size_t size = (size_t)run->end;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(sm_file_read_at(f->file, 0, bytes, size, &err), SM_OK);
    for (size_t at = 0; at < 40; at++) {
        read_damaged(run, bytes, size, at);
    }
    for (size_t at = 40; at < size; at += size / 150) {
        read_damaged(run, bytes, size, at);
    }
    /* A file that ends early. */
    sm_spill_run cut = *run;
    sm_spill_file *g;
    assert_int_equal(sm_spill_file_new("/tmp", &g, &err), SM_OK);
    assert_int_equal(sm_file_write(g->file, bytes, size / 2, &err), SM_OK);
    cut.file = g;
    assert_int_equal(read_run(&cut, false, &err), SM_E_OUTPUT);
    assert_non_null(strstr(err.text, "run 1 cannot be read back"));
    sm_spill_file_free(g);
    free(bytes);
    sm_spill_run_free(run);
    sm_spill_file_free(f);
}

/* A block's layout, taken apart by hand. */
static void test_layout(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    sm_spill_file *f;
    sm_spill_writer *w;
    sm_spill_run *run;
    uint8_t got[17 + 13];
    static const uint8_t want[] = {13, 0, 0, 0, 13, 0, 0, 0, 0, /* sizes, kind */
                                   5,  0, 0, 0, 0,  0, 0, 1, 1, 4, 'k', 'v', 'w'};
    assert_int_equal(sm_spill_file_new("/tmp", &f, &err), SM_OK);
    assert_int_equal(sm_spill_writer_new(4096, NULL, &w, &err), SM_OK);
    assert_int_equal(sm_spill_begin(w, f, &err), SM_OK);
    assert_int_equal(sm_spill_begin_part(w, 1, 2, &err), SM_OK);
    assert_int_equal(
        sm_spill_put(w, UINT64_C(1) << 56 | 5, sm_bytes_text("k"), sm_bytes_text("vw"), &err),
        SM_OK);
    assert_int_equal(sm_spill_end(w, &run, &err), SM_OK);
    assert_int_equal(run->end, sizeof got);
    assert_int_equal(sm_file_read_at(f->file, 0, got, sizeof got, &err), SM_OK);
    assert_memory_equal(got + 8, want, sizeof want);
    assert_true(sm_load_le64(got) == sm_xxh64(sm_bytes_of(want, sizeof want)));
    sm_spill_run_free(run);
    sm_spill_writer_free(w);
    sm_spill_file_free(f);
}

static void test_stop(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    sm_stop stop = {.signal = 0};
    sm_spill_file *f;
    sm_spill_writer *w;
    sm_spill_reader *r;
    sm_spill_cursor c;
    sm_record_view view;
    bool more;
    fill_filler();
    assert_int_equal(sm_spill_file_new("/tmp", &f, &err), SM_OK);
    assert_int_equal(sm_spill_writer_new(4096, &stop, &w, &err), SM_OK);
    sm_spill_run *run = write_run(w, f);
    sm_stop_set(&stop, -1);
    assert_int_equal(sm_spill_reader_new(&stop, &r, &err), SM_OK);
    sm_spill_cursor_open(run, 0, &c);
    assert_int_equal(sm_spill_cursor_next(&c, r, &view, &more, &err), SM_E_INTERRUPTED);
    sm_spill_cursor_close(&c);
    sm_spill_reader_free(r);
    sm_spill_run_free(run);
    sm_spill_writer_free(w);
    sm_spill_file_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
