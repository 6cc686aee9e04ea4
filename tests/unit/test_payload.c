/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads byte for byte as cells.h draws them, read back, and cut anywhere without being believed.
 */
#include "partitioner/payload.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const sm_bytes FAMILIES[] = {{(const uint8_t *)"f", 1}, {(const uint8_t *)"\x01g", 2}};
static const sm_column COLUMNS[] = {
    {.family = 0, .qualifier_is_constant = true, .qualifier = {(const uint8_t *)"d", 1}},
    {.family = 1, .qualifier_is_constant = false},
};
static const sm_layout LAYOUT = {.families = FAMILIES,
                                 .family_count = 2,
                                 .columns = COLUMNS,
                                 .column_count = 2,
                                 .table = "calls"};

static void append(sm_buf *b, const sm_cell_image *cell)
{
    sm_error err = {.code = SM_OK};
    assert_int_equal(sm_payload_append(&LAYOUT, cell, b, &err), SM_OK);
}

static void test_bytes(void **state)
{
    (void)state;
    static const uint8_t want[] = {
        0,    0,    0x39, 0x30, 0,    0,    0,    0,    0,    0,    /* column 0, 12345 ms */
        2,    'v',  'w',                                            /* value */
        1,    3,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, /* Long.MAX */
        0xac, 0x02,                                                 /* ttl 300 */
        3,    'q',  0,    'r',                                      /* qualifier */
        0,                                                          /* empty value */
    };
    sm_buf b;
    sm_buf_init(&b, 1000);
    append(&b, &(sm_cell_image){.column = 0,
                                .qualifier = sm_bytes_text("ignored"),
                                .value = sm_bytes_text("vw"),
                                .timestamp = 12345});
    append(&b, &(sm_cell_image){.column = 1,
                                .qualifier = sm_bytes_of("q\0r", 3),
                                .timestamp = INT64_MAX,
                                .ttl = 300});
    assert_int_equal(b.len, sizeof want);
    assert_memory_equal(b.data, want, sizeof want);

    const uint8_t *p = b.data;
    sm_payload_cell cell;
    assert_true(sm_payload_next(&LAYOUT, &p, b.data + b.len, &cell));
    assert_int_equal(cell.column, 0);
    assert_true(sm_bytes_equal_text(cell.qualifier, "d"));
    assert_true(sm_bytes_equal_text(cell.value, "vw"));
    assert_int_equal(cell.timestamp, 12345);
    assert_int_equal(cell.ttl, 0);
    assert_true(sm_payload_next(&LAYOUT, &p, b.data + b.len, &cell));
    assert_int_equal(cell.column, 1);
    assert_true(sm_bytes_equal(cell.qualifier, sm_bytes_of("q\0r", 3)));
    assert_int_equal(cell.value.len, 0);
    assert_true(cell.timestamp == INT64_MAX);
    assert_int_equal(cell.ttl, 300);
    assert_ptr_equal(p, b.data + b.len);
    sm_buf_free(&b);
}

static void test_cut(void **state)
{
    (void)state;
    sm_buf b;
    sm_buf_init(&b, 1000);
    append(&b, &(sm_cell_image){.column = 1,
                                .qualifier = sm_bytes_text("some qualifier"),
                                .value = sm_bytes_text("some value"),
                                .timestamp = 1,
                                .ttl = 1000000});
    sm_payload_cell cell;
    for (size_t cut = 0; cut <= b.len; cut++) {
        const uint8_t *p = b.data;
        assert_int_equal(sm_payload_next(&LAYOUT, &p, b.data + cut, &cell), cut == b.len);
    }
    b.data[0] = 2; /* there are two columns, 0 and 1 */
    const uint8_t *p = b.data;
    assert_false(sm_payload_next(&LAYOUT, &p, b.data + b.len, &cell));
    sm_buf_free(&b);
}

static void test_refusals(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    sm_buf b;
    sm_buf_init(&b, 100);
    const sm_cell_image unknown = {.column = 2};
    const sm_cell_image negative = {.column = 0, .ttl = -1};
    const sm_cell_image large = {.column = 0, .value = {(const uint8_t *)"", 4096}};
    assert_int_equal(sm_payload_append(&LAYOUT, &unknown, &b, &err), SM_E_INTERNAL);
    sm_error_clear(&err);
    assert_int_equal(sm_payload_append(&LAYOUT, &negative, &b, &err), SM_E_INTERNAL);
    sm_error_clear(&err);
    assert_int_equal(sm_payload_append(&LAYOUT, &large, &b, &err), SM_E_MEMORY);
    assert_int_equal(b.len, 0);
    sm_buf_free(&b);
}

/* Known encodings of LEB128. */
static void test_leb(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        uint8_t bytes[SM_LEB_MAX];
        size_t len;
    } known[] = {
        {0, {0}, 1},
        {127, {0x7f}, 1},
        {128, {0x80, 0x01}, 2},
        {624485, {0xe5, 0x8e, 0x26}, 3},
        {UINT64_MAX, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 10},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint8_t out[SM_LEB_MAX];
        uint64_t back = 1;
        const uint8_t *p = known[i].bytes;
        assert_int_equal(sm_leb_put(out, known[i].value) - out, known[i].len);
        assert_int_equal(sm_leb_size(known[i].value), known[i].len);
        assert_memory_equal(out, known[i].bytes, known[i].len);
        assert_true(sm_leb_get(&p, known[i].bytes + known[i].len, &back));
        assert_true(back == known[i].value);
        p = known[i].bytes;
        assert_false(sm_leb_get(&p, known[i].bytes + known[i].len - 1, &back));
    }
    static const uint8_t too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    const uint8_t *p = too_long;
    uint64_t value;
    assert_false(sm_leb_get(&p, too_long + sizeof too_long, &value));
}

static void test_column_text(void **state)
{
    (void)state;
    char out[100];
    assert_string_equal(sm_column_text(&LAYOUT, 1, sm_bytes_of("q\0\xff", 3), out, sizeof out),
                        "\\x01g:q\\x00\\xFF");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),       cmocka_unit_test(test_cut),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_leb),
        cmocka_unit_test(test_column_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
