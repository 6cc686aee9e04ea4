/* SPDX-License-Identifier: Apache-2.0 */
/* Files written and read back, what is refused, and what the file says about itself. */
#include "core/endian.h"
#include "core/fault.h"
#include "core/fs.h"
#include "core/hash.h"
#include "core/mem.h"
#include "support_hfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sm_sink_options plain_options(void)
{
    return (sm_sink_options){.compression = SM_COMPRESSION_NONE, .bloom = SM_BLOOM_ROW};
}

static sm_sink *open_sink(hfile_scratch *s, sm_sink_options options)
{
    sm_sink *sink = NULL;
    options.path = s->path;
    assert_int_equal(sm_sink_format_named(sm_bytes_text("hfile"))->open(&options, &sink, &s->err),
                     SM_OK);
    return sink;
}

static bool exists(hfile_scratch *s)
{
    bool there = false;
    sm_file_info info;
    assert_int_equal(sm_fs_stat(s->path, &there, &info, &s->err), SM_OK);
    return there;
}

/* ---- cells come back ----------------------------------------------------------------------------
 */

enum { MANY = 600 };

typedef struct many {
    sm_cell cells[MANY];
    uint8_t rows[MANY][300], qualifiers[MANY][2];
    uint8_t *value;
} many;

/* Rows of 3 cells, of up to 300 bytes with 00 and FF in them; values up to 1.5 MB; all types. */
static many *make_many(void)
{
    many *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->value = malloc(1500000);
    assert_non_null(m->value);
    for (size_t i = 0; i < 1500000; i++) {
        m->value[i] = (uint8_t)(i * i >> 7);
    }
    for (size_t i = 0; i < MANY; i++) {
        const size_t row = i / 3;
        uint8_t *r = m->rows[i];
        memset(r, row % 2 == 0 ? 0 : 0xff, 300);
        sm_store_be16(r, (uint16_t)(row * 200));
        sm_store_be16(m->qualifiers[i], (uint16_t)(i % 3));
        const size_t value = i == 100 ? 1500000 : i == 101 ? 300000 : i * 7 % 500;
        m->cells[i] = (sm_cell){.row = sm_bytes_of(r, 2 + row * 3 % 299),
                                .family = sm_bytes_text("fam"),
                                .qualifier = sm_bytes_of(m->qualifiers[i], i % 3 == 0 ? 0 : 2),
                                .value = sm_bytes_of(m->value, value),
                                .timestamp = (int64_t)(1000 + i * 31 % 100),
                                .type = SM_CELL_PUT};
        if (i % 30 == 0) {
            m->cells[i].type = i % 60 == 0 ? SM_CELL_DELETE_FAMILY : SM_CELL_DELETE_FAMILY_VERSION;
        } else if (i % 30 == 1) {
            m->cells[i].type = i % 60 == 1 ? SM_CELL_DELETE_COLUMN : SM_CELL_DELETE;
        }
    }
    return m;
}

static void cells_come_back(void **state)
{
    hfile_scratch *s = *state;
    many *m = make_many();
    static const sm_compression kinds[] = {SM_COMPRESSION_NONE,   SM_COMPRESSION_GZ,
                                           SM_COMPRESSION_SNAPPY, SM_COMPRESSION_LZ4,
                                           SM_COMPRESSION_ZSTD,   SM_COMPRESSION_ZSTD};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        sm_sink_options o = plain_options();
        o.compression = kinds[k];
        o.zstd_framing = k == 4 ? SM_ZSTD_FRAMING_HBASE : SM_ZSTD_FRAMING_HADOOP;
        o.block_size = 1000;
        o.index_block_size = 700;
        o.bloom_block_size = 128;
        o.tags = k % 2 == 0;
        for (size_t i = 0; i < MANY; i++) {
            m->cells[i].ttl = o.tags && i % 5 == 0 ? (int64_t)i + 1 : 0;
        }
        const sm_sink_summary u = hfile_write(s, o, m->cells, MANY);
        assert_int_equal(u.cells, MANY);
        assert_int_equal(u.rows, MANY / 3);
        assert_int_equal(u.oldest, 1000);
        assert_int_equal(u.newest, 1099);
        assert_true(u.index_levels >= 3);
        hfile_expect(s, m->cells, MANY);

        sm_hfile_check c;
        assert_int_equal(sm_hfile_verify(s->path, &c, &s->err), SM_OK);
        size_t size = 0;
        uint8_t *bytes = hfile_bytes(s, &size);
        assert_int_equal(u.bytes, size);
        assert_true(u.xxh64 == sm_xxh64(sm_bytes_of(bytes, size)));
        assert_true(c.xxh64 == u.xxh64 && c.bytes == u.bytes && c.rows == u.rows);
        free(bytes);
    }
    free(m->value);
    free(m);
}

static void a_file_without_cells(void **state)
{
    hfile_scratch *s = *state;
    const sm_sink_summary u = hfile_write(s, plain_options(), NULL, 0);
    assert_int_equal(u.cells, 0);
    assert_int_equal(u.data_blocks, 0);
    hfile_expect(s, NULL, 0);
    sm_hfile_check c;
    assert_int_equal(sm_hfile_verify(s->path, &c, &s->err), SM_OK);
    assert_int_equal(c.blocks, 3);
}

static void equal_cells_give_equal_bytes(void **state)
{
    hfile_scratch *s = *state;
    const sm_cell cells[] = {hfile_put("a", "q", 5, "x"), hfile_put("b", "q", 5, "y")};
    sm_sink_options o = plain_options();
    o.compression = SM_COMPRESSION_GZ;
    const uint64_t first = hfile_write(s, o, cells, 2).xxh64;
    assert_true(hfile_write(s, o, cells, 2).xxh64 == first);
}

/* ---- file info ----------------------------------------------------------------------------------
 */

static sm_bytes note(const sm_hfile *h, const char *key)
{
    for (size_t i = 0; i < sm_hfile_note_count(h); i++) {
        const sm_file_note n = sm_hfile_note_at(h, i);
        if (sm_bytes_equal_text(n.key, key)) {
            return n.value;
        }
    }
    return sm_bytes_of(NULL, 0);
}

static void expect_note(const sm_hfile *h, const char *key, const char *bytes, size_t len)
{
    const sm_bytes value = note(h, key);
    assert_int_equal(value.len, len);
    assert_memory_equal(value.data, bytes, len);
}

static void what_the_file_info_says(void **state)
{
    hfile_scratch *s = *state;
    sm_cell cells[] = {hfile_put("a", "", 700, ""), hfile_put("a", "q", 300, "1234"),
                       hfile_put("b", "q", 500, "123")};
    cells[0].type = SM_CELL_DELETE_FAMILY;
    const sm_file_note notes[] = {{sm_bytes_text("zz"), sm_bytes_text("last")},
                                  {sm_bytes_text("saltmill.rule"), sm_bytes_text("1a2b")}};
    sm_sink_options o = plain_options();
    o.notes = notes;
    o.note_count = 2;
    (void)hfile_write(s, o, cells, 3);
    sm_hfile *h = NULL;
    assert_int_equal(sm_hfile_open(s->path, &h, &s->err), SM_OK);
    for (size_t i = 1; i < sm_hfile_note_count(h); i++) {
        assert_true(sm_bytes_compare(sm_hfile_note_at(h, i - 1).key, sm_hfile_note_at(h, i).key) <
                    0);
    }
    expect_note(h, "saltmill.rule", "1a2b", 4);
    expect_note(h, "zz", "last", 4);
    expect_note(h, "hfile.AVG_KEY_LEN", "\0\0\0\x0e", 4); /* (14 + 15 + 15) / 3 */
    expect_note(h, "hfile.AVG_VALUE_LEN", "\0\0\0\2", 4);
    expect_note(h, "hfile.CREATE_TIME_TS", "\0\0\0\0\0\0\2\xbc", 8);
    expect_note(h, "BULKLOAD_TIMESTAMP", "\0\0\0\0\0\0\2\xbc", 8);
    expect_note(h, "BULKLOAD_SOURCE_TASK", "saltmill", 8);
    /* The marker deletes everything before 700: the range begins at 0. */
    expect_note(h, "TIMERANGE", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\xbc", 16);
    expect_note(h, "EARLIEST_PUT_TS", "\0\0\0\0\0\0\1\x2c", 8);
    expect_note(h, "DELETE_FAMILY_COUNT", "\0\0\0\0\0\0\0\1", 8);
    expect_note(h, "BLOOM_FILTER_TYPE", "ROW", 3);
    expect_note(h, "LAST_BLOOM_KEY", "b", 1);
    expect_note(h, "MAJOR_COMPACTION_KEY", "\xff", 1);
    expect_note(h, "EXCLUDE_FROM_MINOR_COMPACTION", "\0", 1);
    expect_note(h, "hfile.LEN_OF_BIGGEST_CELL", "\0\0\0\0\0\0\0\x1f", 8); /* 12 + 15 + 4 */
    expect_note(h, "hfile.KEY_OF_BIGGEST_CELL", "\0\1a\1fq\0\0\0\0\0\0\1\x2c\4", 15);
    expect_note(h, "hfile.LASTKEY", "\0\1b\1fq\0\0\0\0\0\0\1\xf4\4", 15);
    assert_null(note(h, "hfile.MAX_TAGS_LEN").data);
    assert_null(note(h, "KEY_VALUE_VERSION").data);
    const sm_hfile_info *info = sm_hfile_info_of(h);
    assert_string_equal(info->bloom, "ROW");
    assert_int_equal(info->bloom_keys, 2);
    assert_int_equal(info->data_blocks, 1);
    assert_true(sm_bytes_equal_text(info->first_row, "a"));
    assert_true(sm_bytes_equal_text(info->last_row, "b"));
    assert_int_equal(info->newest, 700);
    sm_hfile_close(h);
}

/* ---- refusals -----------------------------------------------------------------------------------
 */

static void refused_second(hfile_scratch *s, sm_cell first, sm_cell second, const char *words)
{
    sm_error err = {0};
    sm_sink *sink = open_sink(s, plain_options());
    assert_int_equal(sm_sink_add(sink, &first, &err), SM_OK);
    assert_int_not_equal(sm_sink_add(sink, &second, &err), SM_OK);
    if (strstr(err.text, words) == NULL) {
        fail_msg("'%s' is not in: %s", words, err.text);
    }
    sm_sink_close(sink);
    assert_false(exists(s));
}

static void wrong_order_shows_both_keys(void **state)
{
    hfile_scratch *s = *state;
    const sm_cell middle = hfile_put("b\x01", "q", 5, "x");
    refused_second(s, middle, hfile_put("a", "q", 5, "x"),
                   "cell a/f:q/5/Put came after b\\x01/f:q/5/Put");
    refused_second(s, middle, hfile_put("b", "q", 5, "x"), "came after"); /* a prefix */
    refused_second(s, middle, hfile_put("b\x01", "p", 5, "x"), "b\\x01/f:p/5/Put came after");
    refused_second(s, middle, hfile_put("b\x01", "q", 6, "x"), "b\\x01/f:q/6/Put came after");
    refused_second(s, middle, middle, "came after");
    sm_cell marker = middle;
    marker.type = SM_CELL_DELETE;
    refused_second(s, middle, marker, "b\\x01/f:q/5/Delete came after b\\x01/f:q/5/Put");
}

static void wrong_cells_are_refused(void **state)
{
    hfile_scratch *s = *state;
    static uint8_t long_row[SM_ROW_MAX + 1];
    static uint8_t long_family[SM_FAMILY_MAX + 1];
    const sm_cell first = hfile_put("a", "q", 5, "x");
    sm_cell c = hfile_put("b", "q", 5, "x");
    c.family = sm_bytes_text("g");
    refused_second(s, first, c, "one family");
    c.family = sm_bytes_of(long_family, sizeof long_family);
    refused_second(s, first, c, "1 to 127 bytes");
    refused_second(s, first, hfile_put("", "q", 5, "x"), "1 to 32767 bytes");
    c = hfile_put("b", "q", 5, "x");
    c.row = sm_bytes_of(long_row, sizeof long_row);
    memset(long_row, 'z', sizeof long_row);
    refused_second(s, first, c, "1 to 32767 bytes");
    refused_second(s, first, hfile_put("b", "q", INT64_MAX, "x"), "timestamp");
    refused_second(s, first, hfile_put("b", "q", -1, "x"), "timestamp");
    c = hfile_put("b", "q", 5, "x");
    c.type = 5;
    refused_second(s, first, c, "type");
    c = hfile_put("b", "q", 5, "x");
    c.ttl = 1;
    refused_second(s, first, c, "TTL");
    c = hfile_put("b", "q", 5, "x");
    c.value.len = (size_t)1 << 31;
    refused_second(s, first, c, "512 MiB");
}

static void refused_open(hfile_scratch *s, sm_sink_options o, sm_status code, const char *words)
{
    sm_error err = {0};
    sm_sink *sink = NULL;
    o.path = s->path;
    assert_int_equal(sm_sink_format_named(sm_bytes_text("hfile"))->open(&o, &sink, &err), code);
    assert_null(sink);
    if (strstr(err.text, words) == NULL) {
        fail_msg("'%s' is not in: %s", words, err.text);
    }
}

static void wrong_options_are_refused(void **state)
{
    hfile_scratch *s = *state;
    static const char *const taken[] = {"hfile.MINE", "TIMERANGE", "MAX_SEQ_ID_KEY", "MOB_X", ""};
    sm_sink_options o = plain_options();
    o.compression = SM_COMPRESSION_ZSTD;
    refused_open(s, o, SM_E_JOB, "zstd_framing");
    o = plain_options();
    o.block_size = UINT32_MAX;
    refused_open(s, o, SM_E_JOB, "block size");
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        const sm_file_note bad = {sm_bytes_text(taken[i]), sm_bytes_text("v")};
        o = plain_options();
        o.notes = &bad;
        o.note_count = 1;
        refused_open(s, o, SM_E_JOB, "belongs to HBase");
    }
    const sm_file_note twice[] = {{sm_bytes_text("k"), sm_bytes_text("1")},
                                  {sm_bytes_text("k"), sm_bytes_text("2")}};
    o = plain_options();
    o.notes = twice;
    o.note_count = 2;
    refused_open(s, o, SM_E_JOB, "given twice");
    assert_false(exists(s));
}

static void a_file_that_is_there_stays(void **state)
{
    hfile_scratch *s = *state;
    const sm_cell cell = hfile_put("a", "q", 5, "x");
    (void)hfile_write(s, plain_options(), &cell, 1);
    refused_open(s, plain_options(), SM_E_OUTPUT, s->path);
    hfile_expect(s, &cell, 1);
}

static void a_sink_that_is_closed_early_leaves_nothing(void **state)
{
    hfile_scratch *s = *state;
    const sm_cell cell = hfile_put("a", "q", 5, "x");
    sm_sink *sink = open_sink(s, plain_options());
    assert_true(exists(s));
    assert_int_equal(sm_sink_add(sink, &cell, &s->err), SM_OK);
    sm_sink_close(sink);
    assert_false(exists(s));
    sm_sink_close(NULL);
}

static void a_broken_sink_cannot_be_finished(void **state)
{
    hfile_scratch *s = *state;
    sm_error err = {0};
    sm_error second = {0};
    sm_sink_summary u;
    const sm_cell cells[] = {hfile_put("b", "q", 5, "x"), hfile_put("a", "q", 5, "x")};
    sm_sink *sink = open_sink(s, plain_options());
    assert_int_equal(sm_sink_add(sink, &cells[0], &err), SM_OK);
    assert_int_equal(sm_sink_add(sink, &cells[1], &err), SM_E_KEY_ORDER);
    assert_int_equal(sm_sink_finish(sink, &u, &second), SM_E_INTERNAL);
    sm_sink_close(sink);
    assert_false(exists(s));
}

/* ---- memory and faults --------------------------------------------------------------------------
 */

static sm_status add_rows(sm_sink *sink, unsigned from, unsigned to, sm_error *err)
{
    sm_status st = SM_OK;
    for (unsigned i = from; st == SM_OK && i < to; i++) {
        char row[16];
        (void)snprintf(row, sizeof row, "row%08u", i);
        const sm_cell c = hfile_put(row, "q", 5, "some value of a cell");
        st = sm_sink_add(sink, &c, err);
    }
    return st;
}

/* Counted in builds with faults alone; there, 100 000 rows cost what growing buffers cost. */
static void nothing_is_allocated_for_a_row(void **state)
{
    hfile_scratch *s = *state;
    sm_sink_options o = plain_options();
    o.compression = SM_COMPRESSION_ZSTD;
    o.zstd_framing = SM_ZSTD_FRAMING_HBASE;
    sm_sink *sink = open_sink(s, o);
    assert_int_equal(add_rows(sink, 0, 10000, &s->err), SM_OK);
    const unsigned long long before = sm_mem_allocations();
    assert_int_equal(add_rows(sink, 10000, 110000, &s->err), SM_OK);
    assert_true(sm_mem_allocations() - before < 40);
    sm_sink_close(sink);
}

static sm_status write_once(hfile_scratch *s, sm_error *err)
{
    sm_sink *sink = NULL;
    sm_sink_summary u;
    sm_sink_options o = plain_options();
    const sm_file_note one = {sm_bytes_text("k"), sm_bytes_text("1")};
    o.path = s->path;
    o.compression = SM_COMPRESSION_GZ;
    o.block_size = 300;
    o.index_block_size = 300;
    o.bloom_block_size = 128;
    o.notes = &one;
    o.note_count = 1;
    sm_status st = sm_sink_format_named(sm_bytes_text("hfile"))->open(&o, &sink, err);
    if (st == SM_OK) {
        st = add_rows(sink, 0, 400, err);
    }
    if (st == SM_OK) {
        st = sm_sink_finish(sink, &u, err);
    }
    sm_sink_close(sink);
    return st;
}

/* -1: there is none. */
static int64_t size_of(hfile_scratch *s)
{
    bool there = false;
    sm_file_info info;
    assert_int_equal(sm_fs_stat(s->path, &there, &info, &s->err), SM_OK);
    return there ? (int64_t)info.size : -1;
}

/* Each allocation and file operation fails in turn: an error, and nothing half written is left. (An
 * empty file may be: where creating it succeeds and the memory for its handle fails.) */
static void every_failure_is_clean(void **state)
{
    hfile_scratch *s = *state;
    static const char *const kinds[] = {"memory", "open", "write", "sync"};
    if (!sm_fault_plan("memory:1")) {
        return; /* a build without faults */
    }
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        sm_status st = SM_E_INTERNAL;
        for (unsigned n = 1; n < 2000 && st != SM_OK; n++) {
            char plan[32];
            sm_error err = {0};
            (void)snprintf(plan, sizeof plan, "%s:%u", kinds[k], n);
            assert_true(sm_fault_plan(plan));
            st = write_once(s, &err);
            (void)sm_fault_plan(NULL);
            assert_int_equal(st, err.code);
            if (st == SM_OK ? size_of(s) <= 0 : size_of(s) > 0) {
                fail_msg("%s: status %d, the file has %lld bytes", plan, (int)st,
                         (long long)size_of(s));
            }
            assert_true(st == SM_OK || sm_fs_remove_file(s->path, NULL) == SM_OK);
        }
        assert_int_equal(st, SM_OK);
        assert_int_equal(sm_fs_remove_file(s->path, &s->err), SM_OK);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, hfile_set_up, hfile_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(cells_come_back),
        TEST(a_file_without_cells),
        TEST(equal_cells_give_equal_bytes),
        TEST(what_the_file_info_says),
        TEST(wrong_order_shows_both_keys),
        TEST(wrong_cells_are_refused),
        TEST(wrong_options_are_refused),
        TEST(a_file_that_is_there_stays),
        TEST(a_sink_that_is_closed_early_leaves_nothing),
        TEST(a_broken_sink_cannot_be_finished),
        TEST(nothing_is_allocated_for_a_row),
        TEST(every_failure_is_clean),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
