/* SPDX-License-Identifier: Apache-2.0 */
/* Functions against what the JDK's, HBase's, Guava's and lz4-java's classes answer: the files that
 * tests/hbase/Vectors.java writes. */
#include "support_expr.h"
#include "support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INPUT_MOST = 4096 };

typedef struct reading {
    expr_fixture *f;
    size_t rows;
    uint8_t input[INPUT_MOST];
} reading;

/* The cell's hexadecimal digits as the bytes of `caller`. */
static void set_caller(reading *r, const char *hex)
{
    const size_t len = strlen(hex) / 2;
    assert_true(len <= INPUT_MOST);
    for (size_t i = 0; i < len; i++) {
        const char pair[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        r->input[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    set_bytes(r->f, "caller", sm_bytes_of(r->input, len));
}

static void done(reading *r)
{
    r->rows++;
    sm_arena_reset(r->f->arena);
    sm_eval_reset(r->f->ev);
}

static void expect_hex(reading *r, const char *expression, const char *expected)
{
    char found[200] = "";
    sm_value v = {0};
    assert_int_equal(run_expr(r->f, SM_USE_CELL, expression, &v), SM_REJECT_NONE);
    for (size_t i = 0; i < v.bytes.len && 2 * i + 2 < sizeof found; i++) {
        (void)snprintf(found + 2 * i, sizeof found - 2 * i, "%02x", v.bytes.data[i]);
    }
    if (strcmp(found, expected) != 0) {
        fail_msg("%s: found %s, expected %s", expression, found, expected);
    }
}

/* ---- hashes ---------------------------------------------------------------------------------- */

static void digest_row(char **cells, void *context)
{
    static const struct {
        const char *call;
        size_t cell;
    } CALLS[] = {{"md5(caller)", 1},   {"sha1(caller)", 2},    {"sha256(caller)", 3},
                 {"crc32(caller)", 4}, {"murmur3(caller)", 8}, {"xxh64(caller)", 10}};
    reading *r = context;
    if (strcmp(cells[0], "hex") == 0) {
        return;
    }
    set_caller(r, cells[0]);
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        expect_hex(r, CALLS[i].call, cells[CALLS[i].cell]);
    }
    done(r);
}

static void test_digests(void **state)
{
    reading r = {.f = *state};
    (void)vectors_each("digest.tsv", 11, digest_row, &r);
    assert_true(r.rows > 300);
}

/* ---- hashCode and its three habits ----------------------------------------------------------- */

static void expect_salt(reading *r, const char *argument, const char *habit, const char *rest)
{
    char expression[100];
    char printed[8];
    char hex[20] = "";
    const int64_t number = vectors_number(rest);
    (void)snprintf(expression, sizeof expression, "salt(300, %s, hash: %s)", argument, habit);
    (void)snprintf(printed, sizeof printed, "%03d", (int)number);
    for (size_t i = 0; printed[i] != '\0'; i++) {
        (void)snprintf(hex + 2 * i, sizeof hex - 2 * i, "%02x", (unsigned)printed[i]);
    }
    expect_hex(r, expression, hex);
}

static void java_row(char **cells, void *context)
{
    reading *r = context;
    const bool text = strcmp(cells[0], "text") == 0;
    const bool bytes = strcmp(cells[0], "bytes") == 0;
    const char *argument = text ? "caller" : bytes ? "unhex(caller)" : "duration";
    char call[60];
    if (!text && !bytes && strcmp(cells[0], "long") != 0) {
        return; /* the heading; an Integer's hash, which no field has */
    }
    if (text) {
        set_caller(r, cells[1]);
    } else if (bytes) {
        set_text(r->f, "caller", cells[1]);
    } else {
        set_number(r->f, "duration", vectors_number(cells[1]));
    }
    (void)snprintf(call, sizeof call, "java_hash(%s)", argument);
    expect_hex(r, call, cells[3]);
    expect_salt(r, argument, "java_floormod", cells[4]);
    expect_salt(r, argument, "java_abs", cells[5]);
    expect_salt(r, argument, "java_mask", cells[6]);
    done(r);
}

static void test_java(void **state)
{
    reading r = {.f = *state};
    (void)vectors_each("java_hash.tsv", 7, java_row, &r);
    assert_true(r.rows > 600);
}

/* ---- Bytes.toBytes --------------------------------------------------------------------------- */

static void number_row(char **cells, void *context)
{
    reading *r = context;
    if (strcmp(cells[0], "int") == 0) {
        set_number(r->f, "duration", vectors_number(cells[1]));
        expect_hex(r, "int32be(duration)", cells[2]);
    } else if (strcmp(cells[0], "long") == 0) {
        set_number(r->f, "duration", vectors_number(cells[1]));
        expect_hex(r, "int64be(duration)", cells[2]);
    } else if (strcmp(cells[0], "double") == 0) {
        sm_value v;
        set_real(r->f, "cost", strtod(cells[1], NULL));
        if (strcmp(cells[1], "NaN") == 0) { /* no record has one */
            assert_int_equal(run_expr(r->f, SM_USE_CELL, "float64be(cost)", &v),
                             SM_REJECT_NOT_A_NUMBER);
            return;
        }
        expect_hex(r, "float64be(cost)", cells[2]);
    } else {
        return;
    }
    done(r);
}

static void test_numbers(void **state)
{
    reading r = {.f = *state};
    (void)vectors_each("numbers.tsv", 3, number_row, &r);
    assert_true(r.rows > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_digests, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_java, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_numbers, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
