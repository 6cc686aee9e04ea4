/* SPDX-License-Identifier: Apache-2.0 */
/* uid(): ids of known names, rejects and placeholders for others, what is refused, the canonical
 * spelling. */
#include "partitioner/uid_notes.h"
#include "support_uids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_known(void **state)
{
    uids_fixture *f = *state;
    set_text(f->expr, "tag", "b");
    assert_key(f->expr, "uid(tag, 1, \"few\")", "c8");
    assert_key(f->expr, "uid(tag, 3, dictionary: \"few\")", "0000c8");
    assert_key(f->expr, "uid(tag, 8, \"few\") + uid(\"a\", 2, \"few\")", "00000000000000c80001");
    assert_key(f->expr, "uid(\"id7f8081\", 3, \"names\")", "7f8081");
    assert_int_equal(f->items[1].width, 1);
    assert_int_equal(f->items[0].width, 3);
    assert_true(f->items[0].used);
}

static void test_unknown(void **state)
{
    uids_fixture *f = *state;
    char text[256];
    set_text(f->expr, "tag", "c");
    assert_reject(f->expr, SM_USE_KEY, "uid(tag, 1, \"few\")", SM_REJECT_UNKNOWN_UID, "tag");
    (void)sm_eval_blame(f->expr->ev, text, sizeof text);
    assert_string_equal(text,
                        "tag: found c (1 bytes), uid() expects a name that /nowhere/few.uid holds");
    set_null(f->expr, "tag");
    assert_reject(f->expr, SM_USE_KEY, "uid(tag, 1, \"few\")", SM_REJECT_NULL_PART, "tag");
}

static void test_collecting(void **state)
{
    uids_fixture *f = *state;
    sm_uid_notes *notes = NULL;
    assert_int_equal(sm_uid_notes_new(2, 1 << 20, &notes, &f->expr->err), SM_OK);
    sm_eval_collect_uids(f->expr->ev, notes);
    set_text(f->expr, "tag", "a");
    assert_key(f->expr, "uid(tag, 2, \"few\")", "0001");
    assert_false(sm_uid_notes_pending(notes));
    set_text(f->expr, "tag", "c");
    assert_key(f->expr, "uid(tag, 2, \"few\")", "0000");
    assert_true(sm_uid_notes_pending(notes));
    sm_uid_notes_drop(notes);
    /* A dictionary that does not assign. */
    assert_reject(f->expr, SM_USE_KEY, "uid(tag, 3, \"names\")", SM_REJECT_UNKNOWN_UID, "tag");
    assert_false(sm_uid_notes_pending(notes));
    sm_eval_collect_uids(f->expr->ev, NULL);
    assert_reject(f->expr, SM_USE_KEY, "uid(tag, 2, \"few\")", SM_REJECT_UNKNOWN_UID, "tag");
    sm_uid_notes_free(notes);
}

static void test_refused(void **state)
{
    uids_fixture *f = *state;
    assert_non_null(strstr(refused(f->expr, SM_USE_KEY, "uid(tag, 3)"),
                           "which dictionary? the job declares names, few"));
    assert_non_null(strstr(refused(f->expr, SM_USE_KEY, "uid(tag, 3, \"fewer\")"),
                           "there is no dictionary fewer; the job declares names, few"));
    assert_non_null(strstr(refused(f->expr, SM_USE_KEY, "uid(tag, 2, \"names\")"),
                           "holds the id 16777215, which does not fit 2 bytes"));
    assert_non_null(strstr(refused(f->expr, SM_USE_KEY, "uid(tag, 9, \"few\")"), "1 ... 8"));
    f->expr->context.uids = NULL;
    assert_non_null(strstr(refused(f->expr, SM_USE_KEY, "uid(tag, 3)"), "the job declares none"));
}

static void assert_canonical(uids_fixture *f, const char *text, const char *expected)
{
    sm_buf out;
    sm_buf_init(&out, 4096);
    const sm_expr *e = compile(f->expr, SM_USE_KEY, text);
    assert_int_equal(sm_expr_canonical(e, &f->expr->schema, &out, &f->expr->err), SM_OK);
    assert_int_equal(sm_buf_append_byte(&out, 0, &f->expr->err), SM_OK);
    assert_string_equal((const char *)out.data, expected);
    sm_buf_free(&out);
}

static void test_canonical(void **state)
{
    uids_fixture *f = *state;
    assert_canonical(f, "uid( tag,3,\"few\" )", "uid(tag, 3, dictionary: \"few\")");
    assert_canonical(
        f, "tsdb_tags(\"a\", tag, \"b\", code, keys: \"few\", values: \"names\")",
        "tsdb_tags(\"a\", tag, \"b\", code, keys: \"few\", values: \"names\", width: 3)");
    f->uids->count = 1; /* the only one needs no name, but has it in the canonical spelling */
    assert_canonical(f, "uid(tag, 3)", "uid(tag, 3, dictionary: \"names\")");
    f->uids->count = 2;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known, uids_setup, uids_teardown),
        cmocka_unit_test_setup_teardown(test_unknown, uids_setup, uids_teardown),
        cmocka_unit_test_setup_teardown(test_collecting, uids_setup, uids_teardown),
        cmocka_unit_test_setup_teardown(test_refused, uids_setup, uids_teardown),
        cmocka_unit_test_setup_teardown(test_canonical, uids_setup, uids_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
