/* SPDX-License-Identifier: Apache-2.0 */
/* Damage: every byte of small files flipped, every length cut. Reading ends with an error or gives
 * the cells that were written; verifying notices each change. */
#include "core/endian.h"
#include "core/fs.h"
#include "core/hash.h"
#include "formats/hfile_layout.h"
#include "support_hfile.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { CELLS = 12 };

typedef struct choice {
    sm_compression compression;
    sm_zstd_framing framing;
} choice;

static const choice choices[] = {
    {SM_COMPRESSION_NONE, SM_ZSTD_FRAMING_UNSET},   {SM_COMPRESSION_GZ, SM_ZSTD_FRAMING_UNSET},
    {SM_COMPRESSION_SNAPPY, SM_ZSTD_FRAMING_UNSET}, {SM_COMPRESSION_LZ4, SM_ZSTD_FRAMING_UNSET},
    {SM_COMPRESSION_ZSTD, SM_ZSTD_FRAMING_HBASE},   {SM_COMPRESSION_ZSTD, SM_ZSTD_FRAMING_HADOOP},
};

static void make_cells(sm_cell cells[CELLS])
{
    static char rows[CELLS][8];
    for (unsigned i = 0; i < CELLS; i++) {
        (void)snprintf(rows[i], sizeof rows[i], "row%02u", i / 2);
        cells[i] = hfile_put(rows[i], i % 2 == 0 ? "a" : "b", 100 + i, "some value, some value");
        cells[i].ttl = i % 3 == 0 ? 5000 : 0;
    }
    cells[4].type = SM_CELL_DELETE_FAMILY_VERSION;
    cells[4].ttl = 0;
}

/* Two index levels and two kinds of bloom. */
static void write_small(hfile_scratch *s, choice c, const sm_cell cells[CELLS])
{
    const sm_sink_options o = {.compression = c.compression,
                               .zstd_framing = c.framing,
                               .bloom = SM_BLOOM_ROW,
                               .block_size = 150,
                               .index_block_size = 60,
                               .bloom_block_size = 128,
                               .tags = true};
    (void)hfile_write(s, o, cells, CELLS);
}

/* The cells in order, then an end; or an error. True: all of them came. */
static bool reads_well(hfile_scratch *s, const sm_cell cells[CELLS])
{
    sm_hfile *h = NULL;
    sm_error err = {0};
    sm_status st = sm_hfile_open(s->path, &h, &err);
    size_t n = 0;
    bool more = st == SM_OK;
    while (more) {
        sm_cell c;
        st = sm_hfile_next(h, &c, &more, &err);
        if (more) {
            assert_true(n < CELLS);
            assert_int_equal(sm_cell_compare(&c, &cells[n]), 0);
            assert_true(sm_bytes_equal(c.value, cells[n].value));
            assert_true(c.ttl == cells[n].ttl);
            n++;
        }
    }
    sm_hfile_close(h);
    assert_int_equal(st, err.code);
    assert_true(st == SM_OK ? n == CELLS : err.text[0] != '\0');
    return st == SM_OK;
}

static bool verifies(hfile_scratch *s)
{
    sm_hfile_check c;
    sm_error err = {0};
    const sm_status st = sm_hfile_verify(s->path, &c, &err);
    assert_int_equal(st, err.code);
    return st == SM_OK;
}

static void every_byte_flipped(void **state)
{
    hfile_scratch *s = *state;
    static const uint8_t flips[] = {0xff, 0x01};
    sm_cell cells[CELLS];
    make_cells(cells);
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
        size_t size = 0;
        write_small(s, choices[k], cells);
        assert_true(verifies(s));
        uint8_t *bytes = hfile_bytes(s, &size);
        const int fd = open(s->path, O_WRONLY | O_CLOEXEC);
        assert_true(fd >= 0);
        for (size_t at = 0; at < size; at++) {
            /* The trailer's zeros are all alike. */
            if (at > size - 3500 && at + 100 < size) {
                continue;
            }
            for (size_t f = 0; f < sizeof flips; f++) {
                const uint8_t changed = bytes[at] ^ flips[f];
                assert_int_equal(pwrite(fd, &changed, 1, (off_t)at), 1);
                (void)reads_well(s, cells);
                /* Of the minor version, 0 to 3 are all right: everything else is noticed. */
                if (verifies(s) && at != size - 4) {
                    fail_msg("byte %zu of %zu changed unnoticed", at, size);
                }
            }
            assert_int_equal(pwrite(fd, &bytes[at], 1, (off_t)at), 1);
        }
        assert_int_equal(close(fd), 0);
        free(bytes);
    }
}

static void every_length_cut(void **state)
{
    hfile_scratch *s = *state;
    sm_cell cells[CELLS];
    make_cells(cells);
    write_small(s, choices[4], cells);
    size_t size = 0;
    uint8_t *bytes = hfile_bytes(s, &size);
    for (size_t n = size; n-- > 0;) {
        assert_int_equal(truncate(s->path, (off_t)n), 0);
        assert_false(reads_well(s, cells));
        assert_false(verifies(s));
    }
    free(bytes);
}

/* Damage under right checksums: the block's sums are made again after each change, so that the
 * parsers behind them are met. */
static void repair_sums(uint8_t *block, const sm_hfile_header *h)
{
    for (uint32_t at = 0, i = 0; at < h->with_header; at += h->bytes_per_checksum, i++) {
        const uint32_t left = h->with_header - at;
        const uint32_t n = left < h->bytes_per_checksum ? left : h->bytes_per_checksum;
        sm_store_be32(block + h->with_header + 4 * (size_t)i,
                      sm_crc32c(0, sm_bytes_of(block + at, n)));
    }
}

static void rewrite(hfile_scratch *s, const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(s->path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void read_whatever_comes(hfile_scratch *s)
{
    sm_hfile *h = NULL;
    sm_error err = {0};
    bool more = sm_hfile_open(s->path, &h, &err) == SM_OK;
    while (more) {
        sm_cell c;
        const sm_status st = sm_hfile_next(h, &c, &more, &err);
        assert_int_equal(st, err.code);
    }
    sm_hfile_close(h);
}

static void damage_under_right_checksums(void **state)
{
    hfile_scratch *s = *state;
    static const uint8_t values[] = {0x00, 0x7f, 0x80, 0xff};
    sm_cell cells[CELLS];
    make_cells(cells);
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k += 4) {
        size_t size = 0;
        write_small(s, choices[k], cells);
        uint8_t *bytes = hfile_bytes(s, &size);
        for (size_t at = 0; at < size - SM_HFILE_TRAILER_SIZE;) {
            sm_hfile_header h;
            assert_true(sm_hfile_header_load(bytes + at, &h));
            for (size_t i = SM_HFILE_HEADER_SIZE; i < h.with_header; i++) {
                const uint8_t old = bytes[at + i];
                for (size_t v = 0; v < sizeof values; v++) {
                    bytes[at + i] = values[v];
                    repair_sums(bytes + at, &h);
                    rewrite(s, bytes, size);
                    read_whatever_comes(s);
                    (void)verifies(s);
                }
                bytes[at + i] = old;
            }
            repair_sums(bytes + at, &h);
            at += SM_HFILE_HEADER_SIZE + (size_t)h.on_disk;
        }
        free(bytes);
    }
}

static void rewinding(void **state)
{
    hfile_scratch *s = *state;
    sm_cell cells[CELLS];
    make_cells(cells);
    write_small(s, choices[0], cells);
    sm_hfile *h = NULL;
    sm_cell c;
    bool more = false;
    assert_int_equal(sm_hfile_open(s->path, &h, &s->err), SM_OK);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(sm_hfile_next(h, &c, &more, &s->err), SM_OK);
    }
    assert_int_equal(sm_hfile_rewind(h, &s->err), SM_OK);
    assert_int_equal(sm_hfile_next(h, &c, &more, &s->err), SM_OK);
    assert_int_equal(sm_cell_compare(&c, &cells[0]), 0);
    const sm_hfile_info *info = sm_hfile_info_of(h);
    assert_true(info->has_tags);
    assert_false(info->has_mvcc);
    assert_int_equal(info->entries, CELLS);
    assert_int_equal(info->major_version, 3);
    assert_int_equal(info->minor_version, 3);
    assert_string_equal(info->encoding, "NONE");
    assert_string_equal(info->comparator, sm_hfile_comparator);
    sm_hfile_close(h);
    sm_hfile_close(NULL);
}

static void what_is_no_hfile(void **state)
{
    hfile_scratch *s = *state;
    sm_hfile *h = NULL;
    sm_error missing = {0};
    assert_int_equal(sm_hfile_open(s->path, &h, &missing), SM_E_INPUT_MISSING);
    static uint8_t zeros[10000];
    for (size_t n = 0; n <= sizeof zeros; n += 500) {
        sm_error err = {0};
        rewrite(s, zeros, n);
        assert_int_equal(sm_hfile_open(s->path, &h, &err), SM_E_FORMAT);
        assert_non_null(strstr(err.text, s->path));
    }
    assert_null(h);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, hfile_set_up, hfile_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_byte_flipped), TEST(every_length_cut), TEST(damage_under_right_checksums),
        TEST(rewinding),          TEST(what_is_no_hfile),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
