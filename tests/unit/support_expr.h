/* SPDX-License-Identifier: Apache-2.0 */
/* One record with fields of every type, and expressions compiled and run over it. Tests only. */
#ifndef SM_TESTS_UNIT_SUPPORT_EXPR_H
#define SM_TESTS_UNIT_SUPPORT_EXPR_H

#include "partitioner/expr.h"

enum { SM_TEST_FIELDS = 11 };

/* Splits "13" "aa" "\xe5\xbc" for region_start().
 * caller callee name note: text; code: text of digits; tag: ASCII text; start answer: time;
 * duration: int; cost: decimal; "odd name": text. Identity: caller, callee, start, duration, cost.
 */
typedef struct expr_fixture {
    sm_arena *arena;
    sm_eval *ev;
    sm_schema schema;
    sm_value values[SM_TEST_FIELDS];
    bool used[SM_TEST_FIELDS];
    sm_record record;
    sm_expr_context context;
    sm_error err;
} expr_fixture;

expr_fixture *expr_fixture_new(void);
void expr_fixture_free(expr_fixture *f);

/* The record that most tests start from: caller 13800138000, callee 02087654321, name "张三 Zhang",
 * code 0042, tag Ab-9, "odd name" odd, start 2021-09-12T04:12:25Z, duration 569, cost 2.5; the rest
 * is null. */
void expr_fixture_fill(expr_fixture *f);
/* cmocka's setup and teardown around a filled fixture. */
int expr_setup(void **state);
int expr_teardown(void **state);
/* Every row of tests/vectors/<name>, as make_key_vectors.py writes them. */
void assert_vectors(expr_fixture *f, const char *name, size_t at_least);

void set_null(expr_fixture *f, const char *field);
/* text stays where it is */
void set_text(expr_fixture *f, const char *field, const char *text);
void set_bytes(expr_fixture *f, const char *field, sm_bytes text);
void set_number(expr_fixture *f, const char *field, int64_t number); /* int and time */
void set_real(expr_fixture *f, const char *field, double real);

/* Fails the test when the text does not compile. */
const sm_expr *compile(expr_fixture *f, sm_expr_use use, const char *text);
/* Fails the test unless the text is refused; returns the message. */
const char *refused(expr_fixture *f, sm_expr_use use, const char *text);
sm_reject run_expr(expr_fixture *f, sm_expr_use use, const char *text, sm_value *out);

/* The key's bytes as lower-case hexadecimal digits. */
void assert_key(expr_fixture *f, const char *text, const char *hex);
void assert_key_text(expr_fixture *f, const char *text, const char *expected);
void assert_cell_text(expr_fixture *f, const char *text, const char *expected);
void assert_reject(expr_fixture *f, sm_expr_use use, const char *text, sm_reject expected,
                   const char *blamed_field);
bool condition(expr_fixture *f, const char *text);

#endif
