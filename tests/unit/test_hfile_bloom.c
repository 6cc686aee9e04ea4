/* SPDX-License-Identifier: Apache-2.0 */
/* Hash vectors of HBase's own classes, sizes as its formulas give them, and a chunk that HBase
 * wrote. */
#include "core/hash.h"
#include "formats/hfile_bloom.h"
#include "support_hfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct vector {
    const char *key;
    size_t len;
    uint32_t murmur, chained, murmur3;
} vector;

static const vector vectors[] = {
    {"", 0, 0x00000000, 0x00000000, 0x00000000},
    {"a", 1, 0x92685f5e, 0x5b2b9c66, 0x3c2569b2},
    {"abc", 3, 0x13577c9b, 0xf369e600, 0xb3dd93fa},
    {"row00000000", 11, 0x48fd54e6, 0xe6a443be, 0xedec2af2},
    {"\xff\x80\x81", 3, 0x93958a53, 0xb2f276bb, 0xe30be116},
    {"\x80", 1, 0xfdab6e14, 0x97cfe73a, 0x0feb9e1d},
    {"\xfa\xfb\xfc\xfd\xfe\xff\x90", 7, 0xa34d07f5, 0x99d637e5, 0xe7d8d421},
};

static void hashes_equal_those_of_hbase(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const sm_bytes key = sm_bytes_of(vectors[i].key, vectors[i].len);
        assert_int_equal(sm_hfile_murmur(key, 0), vectors[i].murmur);
        assert_int_equal(sm_hfile_murmur(key, vectors[i].murmur), vectors[i].chained);
        assert_int_equal(sm_murmur3(key, 0), vectors[i].murmur3);
    }
}

/* 2 bytes, 55 00, is the filter of the one row in a file that HBase wrote. */
static void a_chunk_of_hbase_is_understood(void **state)
{
    (void)state;
    const uint8_t bits[] = {0x55, 0x00};
    const sm_bytes row = sm_bytes_text("row00000000");
    assert_true(sm_hfile_bloom_has(sm_bytes_of(bits, 2), row, 7, SM_HFILE_HASH_MURMUR));
    const uint8_t fewer[] = {0x54, 0x00};
    assert_false(sm_hfile_bloom_has(sm_bytes_of(fewer, 2), row, 7, SM_HFILE_HASH_MURMUR));
}

static void the_same_chunk_is_written(void **state)
{
    const sm_cell cell = hfile_put("row00000000", "a", 1700000000000, "v");
    const sm_sink_options options = {.compression = SM_COMPRESSION_NONE, .bloom = SM_BLOOM_ROW};
    (void)hfile_write(*state, options, &cell, 1);
    size_t size = 0;
    uint8_t *file = hfile_bytes(*state, &size);
    /* One data block: 33 bytes, a cell of 8 + 25 + 1, one checksum of 4; then the chunk. */
    const uint8_t *chunk = file + 33 + 34 + 4;
    assert_memory_equal(chunk, "BLMFBLK2\0\0\0\6\0\0\0\2", 16);
    assert_memory_equal(chunk + 33, "\x55\0", 2);
    free(file);
}

static void chunks_have_hbases_sizes(void **state)
{
    (void)state;
    /* Block size, bytes of a chunk, keys of a chunk: by the formulas, computed with Python. */
    static const uint32_t rows[][3] = {{131072, 131072, 109306}, {65536, 65536, 54653},
                                       {4096, 4096, 3415},       {1024, 1024, 853},
                                       {1000, 1024, 853},        {1, 128, 106}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sm_hfile_bloom b;
        sm_hfile_bloom_init(&b, rows[i][0]);
        assert_int_equal(b.chunk_bytes, rows[i][1]);
        assert_int_equal(b.chunk_keys, rows[i][2]);
        sm_hfile_bloom_free(&b);
    }
}

/* 384 bytes: no power of two, so that the remainder is a real one. */
static void every_key_is_found(void **state)
{
    (void)state;
    sm_error err = {0};
    sm_hfile_bloom b;
    sm_hfile_bloom_init(&b, 384);
    assert_int_equal(b.mask, 0);
    for (uint32_t i = 0; i < b.chunk_keys; i++) {
        assert_int_equal(sm_hfile_bloom_add(&b, sm_bytes_of(&i, sizeof i), &err), SM_OK);
    }
    const sm_bytes bits = sm_bytes_of(b.bits.data, b.chunk_bytes);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 10 * b.chunk_keys; i++) {
        const bool has =
            sm_hfile_bloom_has(bits, sm_bytes_of(&i, sizeof i), SM_HFILE_BLOOM_HASHES, 1);
        assert_true(has || i >= b.chunk_keys);
        wrong += has && i >= b.chunk_keys;
    }
    assert_true(wrong < b.chunk_keys * 9 / 20); /* 1 % was asked for */
    sm_hfile_bloom_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_equal_those_of_hbase),
        cmocka_unit_test(a_chunk_of_hbase_is_understood),
        cmocka_unit_test_setup_teardown(the_same_chunk_is_written, hfile_set_up, hfile_tear_down),
        cmocka_unit_test(chunks_have_hbases_sizes),
        cmocka_unit_test(every_key_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
