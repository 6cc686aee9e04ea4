/* SPDX-License-Identifier: Apache-2.0 */
/* Both CSV engines against what RFC 4180 says and what Python's csv module reads
 * (tests/vectors/csv.tsv). Where libcsv can do a dialect, the two engines must give the same bytes.
 */
#include "core/buf.h"
#include "ingest/csv_engine.h"
#include "support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FIELDS_MAX = 64, DATA_MAX = 2048 };

static const struct {
    const char *name, *delimiter;
    int quote, escape;
} DIALECTS[] = {
    {"comma", ",", '"', -1}, {"tab", "\t", '"', -1},   {"pipe", "|", '\'', -1},
    {"blank", " ", '"', -1}, {"noquote", ",", -1, -1}, {"escape", ",", '"', '\\'},
    {"aaa", "aaa", -1, -1},  {"pipes", "||", -1, -1},
};

static sm_csv_frame frame_of(const char *name)
{
    sm_csv_frame f = {.quote = -1};
    for (size_t i = 0; i < sizeof DIALECTS / sizeof DIALECTS[0]; i++) {
        if (strcmp(DIALECTS[i].name, name) == 0) {
            const sm_csv_dialect d = {.delimiter = sm_bytes_text(DIALECTS[i].delimiter),
                                      .quote = DIALECTS[i].quote,
                                      .escape = DIALECTS[i].escape,
                                      .comment = -1};
            assert_int_equal(sm_csv_frame_init(&f, &d, 1 << 20, NULL), SM_OK);
            return f;
        }
    }
    fail_msg("no dialect %s", name);
    return f;
}

static void put_hex(sm_buf *out, sm_bytes field)
{
    if (field.len == 0) {
        assert_int_equal(sm_buf_printf(out, NULL, "-"), SM_OK);
    }
    for (size_t i = 0; i < field.len; i++) {
        assert_int_equal(sm_buf_printf(out, NULL, "%02x", field.data[i]), SM_OK);
    }
}

static void put_record(sm_buf *out, sm_csv_engine *e, const sm_csv_engine_type *type,
                       sm_bytes record, bool quoted)
{
    sm_field_text items[FIELDS_MAX];
    sm_fields fields = {.items = items, .room = FIELDS_MAX};
    sm_error err = {.code = SM_OK};
    assert_int_equal(type->split(e, record, quoted, &fields, &err), SM_OK);
    assert_true(fields.count <= FIELDS_MAX);
    for (size_t i = 0; i < fields.count; i++) {
        assert_int_equal(sm_buf_printf(out, NULL, "%s", i == 0 ? "" : ","), SM_OK);
        put_hex(out, items[i].bytes);
    }
}

/* The records in the notation of the vectors. */
static void read_all(const sm_csv_engine_type *type, const sm_csv_frame *f, sm_bytes data,
                     sm_buf *out)
{
    sm_csv_engine *e = NULL;
    assert_int_equal(type->open(f, &e, NULL), SM_OK);
    sm_scan scan = {.pos = 0};
    const sm_window w = {data.data, data.len, true};
    sm_span span;
    sm_found found = SM_FOUND_MORE;
    bool bad = false;
    uint64_t line = 1;
    sm_buf_clear(out);
    while ((found = sm_csv_next(f, &scan, w, &span)) == SM_FOUND_SPAN) {
        bad = bad || span.bad != SM_REJECT_NONE;
        if (span.kind == SM_SPAN_RECORD && span.bad == SM_REJECT_NONE) {
            assert_int_equal(
                sm_buf_printf(out, NULL, "%s%u:", out->len == 0 ? "" : ";", (unsigned)line), SM_OK);
            put_record(out, e, type, (sm_bytes){data.data + span.start, span.content}, span.quoted);
        }
        line += span.lines;
    }
    type->close(e);
    if (bad || found == SM_FOUND_OPEN_QUOTE) {
        sm_buf_clear(out);
        assert_int_equal(sm_buf_printf(out, NULL, "error"), SM_OK);
    } else if (out->len == 0) {
        assert_int_equal(sm_buf_printf(out, NULL, "none"), SM_OK);
    }
    assert_int_equal(sm_buf_append_byte(out, '\0', NULL), SM_OK);
}

static void check(const char *dialect, sm_bytes data, const char *wanted)
{
    const sm_csv_frame f = frame_of(dialect);
    sm_buf out;
    sm_buf_init(&out, 1 << 20);
    read_all(&sm_csv_odd, &f, data, &out);
    assert_string_equal((const char *)out.data, wanted);
    if (!f.odd) {
        read_all(&sm_csv_libcsv, &f, data, &out);
        assert_string_equal((const char *)out.data, wanted);
    }
    sm_buf_free(&out);
}

static void one_vector(char **cells, void *context)
{
    (void)context;
    uint8_t data[DATA_MAX];
    const size_t len = strlen(cells[1]) / 2;
    assert_true(len <= sizeof data);
    for (size_t i = 0; i < len; i++) {
        char digits[3] = {cells[1][2 * i], cells[1][2 * i + 1], '\0'};
        data[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    check(cells[0], (sm_bytes){data, len}, cells[2]);
}

static void python_reads_the_same(void **state)
{
    (void)state;
    assert_int_equal(vectors_each("csv.tsv", 3, one_vector, NULL), 2400);
}

/* The rules of RFC 4180, section 2, with its own examples: a = 61, b = 62 ... */
static void rfc_4180(void **state)
{
    (void)state;
    static const struct {
        const char *data, *wanted;
    } rows[] = {
        {"aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", "1:616161,626262,636363;2:7a7a7a,797979,787878"},
        {"aaa,bbb,ccc\r\nzzz,yyy,xxx", "1:616161,626262,636363;2:7a7a7a,797979,787878"},
        {" a , b\r\n", "1:206120,2062"},
        {"\"aaa\",\"bbb\",\"ccc\"\r\nz,y,x", "1:616161,626262,636363;2:7a,79,78"},
        {"\"aaa\",\"b\r\nbb\",\"ccc\"\r\n", "1:616161,620d0a6262,636363"},
        {"\"aaa\",\"b\"\"bb\",\"ccc\"", "1:616161,62226262,636363"},
        {"\"\",,\"\"\"\"", "1:-,-,22"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check("comma", sm_bytes_text(rows[i].data), rows[i].wanted);
    }
}

/* Null texts are compared with what stands in the file, and only outside quotes. */
static void raw_text_and_quotes(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of("escape");
    sm_csv_engine *e = NULL;
    assert_int_equal(sm_csv_odd.open(&f, &e, NULL), SM_OK);
    sm_field_text items[3];
    sm_fields fields = {.items = items, .room = 3};
    assert_int_equal(
        sm_csv_odd.split(e, sm_bytes_text("\\N,\"\\N\",a\\,\"b,x\\"), true, &fields, NULL), SM_OK);
    assert_int_equal(fields.count, 4);
    assert_true(sm_bytes_equal_text(items[0].raw, "\\N") &&
                sm_bytes_equal_text(items[0].bytes, "N"));
    assert_true(!items[0].quoted && items[1].quoted && !items[2].quoted);
    assert_true(sm_bytes_equal_text(items[1].bytes, "N"));
    assert_true(sm_bytes_equal_text(items[2].bytes, "a,\"b"));
    sm_csv_odd.close(e);
    const sm_csv_frame plain = frame_of("comma");
    assert_int_equal(sm_csv_libcsv.open(&plain, &e, NULL), SM_OK);
    assert_int_equal(sm_csv_libcsv.split(e, sm_bytes_text("a,\"\",,\"b\""), true, &fields, NULL),
                     SM_OK);
    assert_int_equal(fields.count, 4);
    assert_true(!items[0].quoted && items[1].quoted && !items[2].quoted);
    sm_csv_libcsv.close(e);
    sm_csv_libcsv.close(NULL);
    sm_csv_odd.close(NULL);
}

static void engines_are_chosen_by_dialect(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof DIALECTS / sizeof DIALECTS[0]; i++) {
        const sm_csv_frame f = frame_of(DIALECTS[i].name);
        const bool odd = DIALECTS[i].escape >= 0 || strlen(DIALECTS[i].delimiter) > 1;
        assert_ptr_equal(sm_csv_engine_for(&f), odd ? &sm_csv_odd : &sm_csv_libcsv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(python_reads_the_same),
        cmocka_unit_test(rfc_4180),
        cmocka_unit_test(raw_text_and_quotes),
        cmocka_unit_test(engines_are_chosen_by_dialect),
    };
    return cmocka_run_group_tests_name("csv_engines", tests, NULL, NULL);
}
