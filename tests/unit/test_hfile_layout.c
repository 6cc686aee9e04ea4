/* SPDX-License-Identifier: Apache-2.0 */
/* Varints and headers, against the examples of the format's description. */
#include "formats/hfile_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct number {
    int64_t value;
    const char *bytes;
    size_t len;
} number;

static void vints(void **state)
{
    (void)state;
    static const number rows[] = {
        {0, "\x00", 1},
        {127, "\x7f", 1},
        {128, "\x8f\x80", 2},
        {255, "\x8f\xff", 2},
        {256, "\x8e\x01\x00", 3},
        {65536, "\x8d\x01\x00\x00", 4},
        {INT32_MAX, "\x8c\x7f\xff\xff\xff", 5},
        {-1, "\xff", 1},
        {-112, "\x90", 1},
        {-113, "\x87\x70", 2},
        {-256, "\x87\xff", 2},
        {INT64_MAX, "\x88\x7f\xff\xff\xff\xff\xff\xff\xff", 9},
        {INT64_MIN, "\x80\x7f\xff\xff\xff\xff\xff\xff\xff", 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t out[SM_HFILE_VINT_MAX];
        assert_int_equal(sm_hfile_vint_size(rows[i].value), rows[i].len);
        assert_int_equal(sm_hfile_vint_store(out, rows[i].value), rows[i].len);
        assert_memory_equal(out, rows[i].bytes, rows[i].len);
        size_t at = 0;
        int64_t back = 0;
        assert_true(sm_hfile_vint_load(sm_bytes_of(out, rows[i].len), &at, &back));
        assert_true(back == rows[i].value);
        assert_int_equal(at, rows[i].len);
        at = 0;
        assert_false(sm_hfile_vint_load(sm_bytes_of(out, rows[i].len - 1), &at, &back));
    }
}

static void protobuf_varints(void **state)
{
    (void)state;
    static const number rows[] = {
        {0, "\x00", 1},       {1, "\x01", 1},
        {127, "\x7f", 1},     {128, "\x80\x01", 2},
        {300, "\xac\x02", 2}, {-1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t out[SM_HFILE_LEB_MAX];
        uint64_t back = 0;
        size_t at = 0;
        assert_int_equal(sm_hfile_leb_size((uint64_t)rows[i].value), rows[i].len);
        assert_int_equal(sm_hfile_leb_store(out, (uint64_t)rows[i].value), rows[i].len);
        assert_memory_equal(out, rows[i].bytes, rows[i].len);
        assert_true(sm_hfile_leb_load(sm_bytes_of(out, rows[i].len), &at, &back));
        assert_true((int64_t)back == rows[i].value);
        at = 0;
        assert_false(sm_hfile_leb_load(sm_bytes_of(out, rows[i].len - 1), &at, &back));
    }
}

/* The first block of a file that HBase wrote. */
static const uint8_t data_header[SM_HFILE_HEADER_SIZE] =
    "DATABLK*\x00\x00\x01\x2c\x00\x00\x01\x28\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00\x00\x40\x00"
    "\x00\x00\x01\x49";

static void headers(void **state)
{
    (void)state;
    sm_hfile_header h;
    assert_true(sm_hfile_header_load(data_header, &h));
    assert_int_equal(h.type, SM_HFILE_DATA);
    assert_int_equal(h.on_disk, 300);
    assert_int_equal(h.plain, 296);
    assert_true(h.previous == -1);
    assert_int_equal(h.checksum, SM_HFILE_CHECKSUM_CRC32C);
    assert_int_equal(h.bytes_per_checksum, 16384);
    assert_int_equal(h.with_header, 329);
    uint8_t out[SM_HFILE_HEADER_SIZE];
    sm_hfile_header_store(&h, out);
    assert_memory_equal(out, data_header, sizeof out);
}

static void broken_headers_are_refused(void **state)
{
    (void)state;
    /* Byte to change and its new value: magic, sizes negative or at odds, checksum type, chunk 0.
     */
    static const uint8_t rows[][2] = {{0, 'E'},   {8, 0x80}, {11, 0x2d}, {12, 0x80}, {24, 3},
                                      {25, 0x80}, {27, 0},   {29, 0x80}, {31, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[SM_HFILE_HEADER_SIZE];
        sm_hfile_header h;
        memcpy(bytes, data_header, sizeof bytes);
        bytes[rows[i][0]] = rows[i][1];
        assert_false(sm_hfile_header_load(bytes, &h));
    }
}

static void trailers(void **state)
{
    (void)state;
    static uint8_t bytes[SM_HFILE_TRAILER_SIZE];
    sm_error err = {0};
    const sm_hfile_trailer t = {.file_info_offset = 484,
                                .load_on_open_offset = 372,
                                .index_plain_size = 38,
                                .total_plain_size = 5000,
                                .index_count = 1,
                                .entries = 4,
                                .index_levels = 1,
                                .first_data_offset = 0,
                                .last_data_offset = -1,
                                .compression = 2};
    sm_hfile_trailer_store(&t, bytes);
    /* Tag, then varint, field by field. */
    static const uint8_t start[] = {'T', 'R', 'A', 'B', 'L', 'K', '"', '$'};
    static const uint8_t fields[] = {0x08, 0xe4, 0x03, 0x10, 0xf4, 0x02, 0x18, 0x26, 0x20,
                                     0x88, 0x27, 0x28, 0x01, 0x30, 0x00, 0x38, 0x04, 0x40,
                                     0x01, 0x48, 0x00, 0x50, 0xff, 0xff, 0xff, 0xff, 0xff,
                                     0xff, 0xff, 0xff, 0xff, 0x01, 0x5a, 45};
    static const char name[] = "org.apache.hadoop.hbase.KeyValue$KVComparator";
    assert_memory_equal(bytes, start, sizeof start);
    assert_int_equal(bytes[8], sizeof fields + strlen(name) + 2);
    assert_memory_equal(bytes + 9, fields, sizeof fields);
    assert_memory_equal(bytes + 9 + sizeof fields, name, strlen(name));
    assert_memory_equal(bytes + 9 + sizeof fields + strlen(name), "\x60\x02\x00", 3);
    assert_memory_equal(bytes + sizeof bytes - 4, "\x03\x00\x00\x03", 4);

    sm_hfile_trailer back;
    assert_int_equal(sm_hfile_trailer_load(bytes, &back, &err), SM_OK);
    assert_int_equal(back.file_info_offset, 484);
    assert_int_equal(back.entries, 4);
    assert_true(back.last_data_offset == -1);
    assert_int_equal(back.comparator.len, strlen(name));

    bytes[sizeof bytes - 1] = 2;
    assert_int_equal(sm_hfile_trailer_load(bytes, &back, &err), SM_E_FORMAT);
    assert_non_null(strstr(err.text, "HFile version 2.3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vints),    cmocka_unit_test(protobuf_varints),
        cmocka_unit_test(headers),  cmocka_unit_test(broken_headers_are_refused),
        cmocka_unit_test(trailers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
