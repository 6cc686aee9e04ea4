/* SPDX-License-Identifier: Apache-2.0 */
/* See support_expr.h. */
#include "support_expr.h"

#include "partitioner/splits.h"
#include "support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const sm_field FIELDS[SM_TEST_FIELDS] = {
    {.name = "caller", .type = SM_TYPE_TEXT},
    {.name = "callee", .type = SM_TYPE_TEXT},
    {.name = "name", .type = SM_TYPE_TEXT},
    {.name = "note", .type = SM_TYPE_TEXT},
    {.name = "code", .type = SM_TYPE_TEXT, .charset = SM_CHARSET_DIGITS},
    {.name = "tag", .type = SM_TYPE_TEXT, .charset = SM_CHARSET_ASCII},
    {.name = "start", .type = SM_TYPE_TIME},
    {.name = "answer", .type = SM_TYPE_TIME},
    {.name = "duration", .type = SM_TYPE_INT},
    {.name = "cost", .type = SM_TYPE_DECIMAL},
    {.name = "odd name", .type = SM_TYPE_TEXT},
};

static const int IDENTITY[] = {0, 1, 6, 8, 9};

static const sm_bytes SPLIT_KEYS[] = {
    {(const uint8_t *)"13", 2}, {(const uint8_t *)"aa", 2}, {(const uint8_t *)"\xe5\xbc", 2}};
static const uint64_t SPLIT_PREFIXES[] = {UINT64_C(0x3133) << 48, UINT64_C(0x6161) << 48,
                                          UINT64_C(0xe5bc) << 48};
static const sm_splits SPLITS = {.keys = SPLIT_KEYS, .count = 3, .prefixes = SPLIT_PREFIXES};

static sm_value *value_of(expr_fixture *f, const char *field);

expr_fixture *expr_fixture_new(void)
{
    expr_fixture *f = test_calloc(1, sizeof *f);
    assert_int_equal(sm_arena_new(65536, &f->arena, &f->err), SM_OK);
    assert_int_equal(sm_eval_new(1 << 20, &f->ev, &f->err), SM_OK);
    f->schema = (sm_schema){FIELDS, SM_TEST_FIELDS};
    f->record = (sm_record){.values = f->values, .count = SM_TEST_FIELDS};
    f->context = (sm_expr_context){.arena = f->arena,
                                   .schema = &f->schema,
                                   .identity = IDENTITY,
                                   .identity_count = sizeof IDENTITY / sizeof IDENTITY[0],
                                   .where = "tables[0].key",
                                   .fields_used = f->used,
                                   .splits = &SPLITS};
    for (size_t i = 0; i < SM_TEST_FIELDS; i++) {
        f->values[i].is_null = true;
    }
    return f;
}

void expr_fixture_free(expr_fixture *f)
{
    sm_eval_free(f->ev);
    sm_arena_free(f->arena);
    test_free(f);
}

void expr_fixture_fill(expr_fixture *f)
{
    set_text(f, "caller", "13800138000");
    set_text(f, "callee", "02087654321");
    set_text(f, "name", "\xe5\xbc\xa0\xe4\xb8\x89 Zhang");
    set_text(f, "code", "0042");
    set_text(f, "tag", "Ab-9");
    set_text(f, "odd name", "odd");
    set_number(f, "start", 1631419945000);
    set_number(f, "duration", 569);
    set_real(f, "cost", 2.5);
}

int expr_setup(void **state)
{
    expr_fixture *f = expr_fixture_new();
    expr_fixture_fill(f);
    *state = f;
    return 0;
}

int expr_teardown(void **state)
{
    expr_fixture_free(*state);
    return 0;
}

static sm_value *value_of(expr_fixture *f, const char *field)
{
    const int i = sm_schema_find(&f->schema, sm_bytes_text(field));
    assert_true(i >= 0);
    f->values[i] = (sm_value){.is_null = false};
    return &f->values[i];
}

void set_null(expr_fixture *f, const char *field)
{
    value_of(f, field)->is_null = true;
}

void set_bytes(expr_fixture *f, const char *field, sm_bytes text)
{
    value_of(f, field)->bytes = text;
}

void set_text(expr_fixture *f, const char *field, const char *text)
{
    set_bytes(f, field, sm_bytes_text(text));
}

void set_number(expr_fixture *f, const char *field, int64_t number)
{
    value_of(f, field)->number = number;
}

void set_real(expr_fixture *f, const char *field, double real)
{
    value_of(f, field)->real = real;
}

const sm_expr *compile(expr_fixture *f, sm_expr_use use, const char *text)
{
    const sm_expr *e = NULL;
    sm_error_clear(&f->err);
    if (sm_expr_compile(&f->context, use, sm_bytes_text(text), &e, &f->err) != SM_OK) {
        fail_msg("%s: %s", text, f->err.text);
    }
    return e;
}

const char *refused(expr_fixture *f, sm_expr_use use, const char *text)
{
    const sm_expr *e = NULL;
    sm_error_clear(&f->err);
    if (sm_expr_compile(&f->context, use, sm_bytes_text(text), &e, &f->err) != SM_E_EXPR) {
        fail_msg("%s: not refused", text);
    }
    assert_null(e);
    return f->err.text;
}

sm_reject run_expr(expr_fixture *f, sm_expr_use use, const char *text, sm_value *out)
{
    const sm_expr *e = compile(f, use, text);
    return sm_expr_run(e, f->ev, &f->record, out);
}

static void to_hex(sm_bytes bytes, char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < bytes.len && 2 * i + 2 < size; i++) {
        (void)snprintf(out + 2 * i, size - 2 * i, "%02x", bytes.data[i]);
    }
}

static void check_widths(const char *text, const sm_expr *e, size_t len)
{
    if (len < sm_expr_min_width(e) || len > sm_expr_max_width(e)) {
        fail_msg("%s: %zu bytes, but %zu ... %zu were promised", text, len, sm_expr_min_width(e),
                 sm_expr_max_width(e));
    }
}

void assert_key(expr_fixture *f, const char *text, const char *hex)
{
    char found[8192];
    char blame[256];
    sm_value v = {0};
    const sm_expr *e = compile(f, SM_USE_KEY, text);
    sm_eval_reset(f->ev);
    const sm_reject r = sm_expr_run(e, f->ev, &f->record, &v);
    if (r != SM_REJECT_NONE) {
        (void)sm_eval_blame(f->ev, blame, sizeof blame);
        fail_msg("%s: rejected, %s: %s", text, sm_reject_text(r), blame);
    }
    assert_false(v.is_null);
    check_widths(text, e, v.bytes.len);
    to_hex(v.bytes, found, sizeof found);
    if (strcmp(found, hex) != 0) {
        fail_msg("%s: found %s, expected %s", text, found, hex);
    }
}

void assert_key_text(expr_fixture *f, const char *text, const char *expected)
{
    char hex[8192];
    to_hex(sm_bytes_text(expected), hex, sizeof hex);
    assert_key(f, text, hex);
}

void assert_cell_text(expr_fixture *f, const char *text, const char *expected)
{
    sm_value v = {0};
    assert_int_equal(run_expr(f, SM_USE_CELL, text, &v), SM_REJECT_NONE);
    assert_int_equal(v.is_null, expected == NULL);
    if (expected != NULL) {
        assert_int_equal(v.bytes.len, strlen(expected));
        assert_memory_equal(v.bytes.data, expected, v.bytes.len);
    }
}

void assert_reject(expr_fixture *f, sm_expr_use use, const char *text, sm_reject expected,
                   const char *blamed_field)
{
    char sentence[256];
    sm_value v = {0};
    const sm_reject r = run_expr(f, use, text, &v);
    if (r != expected) {
        fail_msg("%s: %s, expected %s", text, sm_reject_text(r), sm_reject_text(expected));
    }
    const int field = sm_eval_blame(f->ev, sentence, sizeof sentence);
    if (blamed_field == NULL) {
        assert_int_equal(field, -1);
    } else {
        assert_true(field >= 0);
        assert_string_equal(f->schema.fields[field].name, blamed_field);
    }
    assert_true(strlen(sentence) > 10);
}

bool condition(expr_fixture *f, const char *text)
{
    bool yes = false;
    const sm_expr *e = compile(f, SM_USE_CONDITION, text);
    assert_int_equal(sm_expr_test(e, f->ev, &f->record, &yes), SM_REJECT_NONE);
    return yes;
}

/* ---- vectors --------------------------------------------------------------------------------- */

enum { USE, CALLER, START, DURATION, COST, EXPRESSION, EXPECTED, CELLS };

static size_t from_hex(const char *hex, uint8_t *out)
{
    const size_t len = strlen(hex) / 2;
    for (size_t i = 0; i < len; i++) {
        const char pair[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return len;
}

static void vector_row(char **cells, void *context)
{
    expr_fixture *f = context;
    uint8_t caller[1024];
    set_bytes(f, "caller", sm_bytes_of(caller, from_hex(cells[CALLER], caller)));
    set_number(f, "start", vectors_number(cells[START]));
    f->record.place = (sm_place){
        .file = 5, .offset = (uint64_t)vectors_number(cells[START]) & 0xfffffffffff, .line = 1};
    value_of(f, "duration")->bytes = sm_bytes_text(cells[DURATION]);
    f->values[8].number = vectors_number(cells[DURATION]);
    const uint64_t bits = strtoull(cells[COST], NULL, 16);
    double cost = 0;
    memcpy(&cost, &bits, sizeof cost);
    set_real(f, "cost", cost);

    const bool key = strcmp(cells[USE], "key") == 0;
    if (strcmp(cells[USE], "condition") == 0) {
        if (condition(f, cells[EXPRESSION]) != (strcmp(cells[EXPECTED], "01") == 0)) {
            fail_msg("%s: %s: expected %s", cells[EXPRESSION], cells[CALLER], cells[EXPECTED]);
        }
    } else if (key && cells[EXPECTED][0] != '!') {
        assert_key(f, cells[EXPRESSION], cells[EXPECTED]);
    } else {
        char found[2100];
        sm_value v = {0};
        const sm_reject r = run_expr(f, key ? SM_USE_KEY : SM_USE_CELL, cells[EXPRESSION], &v);
        (void)snprintf(found, sizeof found, "!%s", sm_reject_text(r));
        if (r == SM_REJECT_NONE) {
            to_hex(v.bytes, found, sizeof found);
        }
        if (strcmp(found, cells[EXPECTED]) != 0) {
            fail_msg("%s: found %s, expected %s", cells[EXPRESSION], found, cells[EXPECTED]);
        }
    }
    sm_arena_reset(f->arena);
    sm_eval_reset(f->ev);
}

void assert_vectors(expr_fixture *f, const char *name, size_t at_least)
{
    assert_true(vectors_each(name, CELLS, vector_row, f) >= at_least);
}
