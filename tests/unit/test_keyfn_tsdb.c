/* SPDX-License-Identifier: Apache-2.0 */
/* OpenTSDB's rows and cells against its own classes (tests/hbase/opentsdb), and what they say no
 * to. */
#include "support_uids.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const char DICTIONARIES[] = ", keys: \"few\", values: \"few\")";

static void test_vectors(void **state)
{
    uids_fixture *f = *state;
    assert_vectors(f->expr, "key_opentsdb.tsv", 1100);
}

static const char *tags(const char *arguments)
{
    static char text[200];
    (void)snprintf(text, sizeof text, "tsdb_tags(%s%s", arguments, DICTIONARIES);
    return text;
}

static void test_tags(void **state)
{
    uids_fixture *f = *state;
    set_text(f->expr, "tag", "a");
    set_text(f->expr, "name", "b");
    assert_key(f->expr, tags("\"b\", tag, \"a\", name"), "0000010000c80000c8000001");
    set_null(f->expr, "name");
    assert_key(f->expr, tags("\"b\", tag, \"a\", name"), "0000c8000001");
    set_text(f->expr, "name", "");
    assert_key(f->expr, tags("\"b\", tag, \"a\", name"), "0000c8000001");
    set_null(f->expr, "tag");
    assert_reject(f->expr, SM_USE_KEY, tags("\"b\", tag, \"a\", name"), SM_REJECT_NO_TAG, "tag");
    set_text(f->expr, "tag", "other");
    assert_reject(f->expr, SM_USE_KEY, tags("\"b\", tag"), SM_REJECT_UNKNOWN_UID, "tag");
    assert_non_null(strstr(refused(f->expr, SM_USE_KEY, tags("\"b\", tag, \"a\"")),
                           "pairs of a name and a value, and this one has none"));
    assert_non_null(
        strstr(refused(f->expr, SM_USE_KEY,
                       tags("\"a\", tag, \"b\", tag, \"c\", tag, \"d\", tag, \"e\", tag, "
                            "\"f\", tag, \"g\", tag, \"h\", tag, \"i\", tag")),
               "1 to 8 tags, found 9"));
    assert_non_null(strstr(refused(f->expr, SM_USE_KEY, tags("\"b \", tag")),
                           "OpenTSDB does not take this tag name"));
    assert_non_null(strstr(refused(f->expr, SM_USE_KEY, tags("tag, name")), "is a \"text\""));
    assert_non_null(
        strstr(refused(f->expr, SM_USE_KEY, tags("\"a\", tag, \"a\", name")), "stands twice"));
}

/* Whatever the order in which tags are given: the rows are the same. */
static void test_canonical(void **state)
{
    static const char *const spellings[] = {"\"b\", tag, \"a\", name", "\"a\", name, \"b\", tag"};
    uids_fixture *f = *state;
    sm_buf out;
    sm_buf_init(&out, 1000);
    for (size_t i = 0; i < 2; i++) {
        sm_buf_clear(&out);
        const sm_expr *e = compile(f->expr, SM_USE_KEY, tags(spellings[i]));
        assert_int_equal(sm_expr_canonical(e, &f->expr->schema, &out, &f->expr->err), SM_OK);
        assert_int_equal(sm_buf_append_byte(&out, 0, NULL), SM_OK);
        assert_string_equal((const char *)out.data,
                            "tsdb_tags(\"a\", name, \"b\", tag, keys: \"few\", values: \"few\", "
                            "width: 3)");
    }
    sm_buf_free(&out);
}

/* A decimal field is what its text looks like, as OpenTSDB's put reads it. */
static void test_texts_of_decimals(void **state)
{
    static const struct {
        const char *text;
        double real;
        const char *expected;
    } cases[] = {{"42", 42, "*"},
                 {"+5", 5, "\x05"},
                 {"-300", -300, "\xfe\xd4"},
                 {"42.0", 42, "\x42\x28"}, /* then two zeros */
                 {"1e1", 10, "\x41\x20"}};
    uids_fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sm_value v = {0};
        set_real(f->expr, "cost", cases[i].real);
        f->expr->values[9].bytes = sm_bytes_text(cases[i].text);
        assert_int_equal(run_expr(f->expr, SM_USE_CELL, "tsdb_value(cost)", &v), SM_REJECT_NONE);
        assert_memory_equal(v.bytes.data, cases[i].expected, strlen(cases[i].expected));
        assert_int_equal(v.bytes.len, i < 3 ? strlen(cases[i].expected) : 4);
    }
    set_real(f->expr, "cost", 1e19);
    f->expr->values[9].bytes = sm_bytes_text("10000000000000000000");
    assert_reject(f->expr, SM_USE_CELL, "tsdb_value(cost)", SM_REJECT_NUMBER_RANGE, "cost");
    set_real(f->expr, "cost", (double)NAN);
    assert_reject(f->expr, SM_USE_CELL, "tsdb_value(cost)", SM_REJECT_NOT_A_NUMBER, "cost");
}

static void test_qualifiers(void **state)
{
    uids_fixture *f = *state;
    set_number(f->expr, "start", 10000);
    assert_cell_text(f->expr, "hex(tsdb_qualifier(start, duration))", "00a1");
    assert_cell_text(f->expr, "hex(tsdb_qualifier(start, duration, unit: ms))", "f009c401");
    set_number(f->expr, "start", 10001);
    assert_cell_text(f->expr, "hex(tsdb_qualifier(start, duration))", "f009c441");
    assert_cell_text(f->expr, "hex(tsdb_qualifier(start, duration, unit: s))", "00a1");
    set_number(f->expr, "start", -1);
    assert_reject(f->expr, SM_USE_CELL, "tsdb_qualifier(start, duration)", SM_REJECT_NEGATIVE_TIME,
                  "start");
}

static void test_salt_byte(void **state)
{
    uids_fixture *f = *state;
    set_text(f->expr, "caller", "a"); /* Phoenix: SaltingUtil.getSaltingByte("a", 10) is 8 */
    assert_key(f->expr, "salt_byte(10, caller)", "08");
    set_text(f->expr, "caller", "048-13800000001-1700000000");
    assert_key(f->expr, "salt_byte(16, caller, hash: phoenix)", "06");
    assert_non_null(strstr(refused(f->expr, SM_USE_KEY, "salt_byte(257, caller)"), "1 ... 256"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, uids_setup, uids_teardown),
        cmocka_unit_test_setup_teardown(test_tags, uids_setup, uids_teardown),
        cmocka_unit_test_setup_teardown(test_canonical, uids_setup, uids_teardown),
        cmocka_unit_test_setup_teardown(test_texts_of_decimals, uids_setup, uids_teardown),
        cmocka_unit_test_setup_teardown(test_qualifiers, uids_setup, uids_teardown),
        cmocka_unit_test_setup_teardown(test_salt_byte, uids_setup, uids_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
