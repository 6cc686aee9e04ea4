/* SPDX-License-Identifier: Apache-2.0 */
/* What is risky about a key expression. The expected lists are drawn from the meaning of the
 * functions, not from the program. */
#include "partitioner/keytraps.h"
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const NAMES[] = {
    [SM_TRAP_OPEN_END] = "open-end",     [SM_TRAP_OPEN_ORDER] = "open-order",
    [SM_TRAP_SEPARATOR] = "separator",   [SM_TRAP_UNPADDED_NUMBER] = "unpadded",
    [SM_TRAP_SIGNED_NUMBER] = "signed",  [SM_TRAP_UNSORTED_TIME] = "unsorted",
    [SM_TRAP_ZERO_PADDING] = "zeros",    [SM_TRAP_RANDOM] = "random",
    [SM_TRAP_WHOLE_HASH] = "whole-hash", [SM_TRAP_NO_TIME] = "no-time",
};

static void assert_traps(expr_fixture *f, const char *key, const char *expected)
{
    char found[256] = "";
    sm_key_traps traps;
    const sm_expr *e = compile(f, SM_USE_KEY, key);
    assert_int_equal(sm_key_traps_find(&f->schema, e, f->arena, &traps, &f->err), SM_OK);
    for (size_t i = 0; i < traps.count; i++) {
        const size_t len = strlen(found);
        (void)snprintf(found + len, sizeof found - len, "%s%s", len == 0 ? "" : " ",
                       NAMES[traps.items[i].kind]);
    }
    if (strcmp(found, expected) != 0) {
        fail_msg("%s: found \"%s\", expected \"%s\"", key, found, expected);
    }
}

static void sound_keys_have_none(void **state)
{
    expr_fixture *f = *state;
    assert_traps(f, "salt(300, caller) + pad(caller, 15) + rev_ts(start) + callee", "");
    assert_traps(f, "pad(caller, 15) + rev_ts(start) + callee + left(xxh64(record), 4)", "");
    assert_traps(f, "code + \"_\" + ts(start) + u32(duration)", "");
    assert_traps(f, "format_ts(start, \"%Y%m%d\") + dec(duration, 6) + i32(duration)", "");
    assert_traps(f, "pick([\"a\", \"b\"], by: caller) + ts(start)", "");
}

static void ends_that_cannot_be_told(void **state)
{
    expr_fixture *f = *state;
    assert_traps(f, "caller + callee + ts(start)", "open-end open-order");
    assert_traps(f, "caller + ts(start)", "open-order");
    assert_traps(f, "caller + \"_\" + ts(start)", "separator");
    assert_traps(f, "tag + \"_\" + ts(start)", "separator");
    assert_traps(f, "code + \"7\" + ts(start)", "separator");
    assert_traps(f, "left(caller, 3) + callee + ts(start)", "open-end open-order");
}

static void order_of_numbers_and_times(void **state)
{
    expr_fixture *f = *state;
    assert_traps(f, "ts(start) + text(duration)", "unpadded");
    assert_traps(f, "ts(start) + int32be(duration)", "signed");
    assert_traps(f, "int64be(start)", "");
    assert_traps(f, "format_ts(start, \"%d%m%Y\")", "unsorted");
    assert_traps(f, "ts(start) + pad(caller, 15, fill: \"0\", side: left)", "zeros");
    assert_traps(f, "salt(10, text(duration)) + ts(start)", "");
}

static void keys_that_cannot_be_rebuilt_or_scanned(void **state)
{
    expr_fixture *f = *state;
    assert_traps(f, "random(10) + ts(start)", "random");
    assert_traps(f, "pick([\"a\", \"b\"]) + ts(start)", "random");
    assert_traps(f, "md5(caller + callee)", "no-time whole-hash open-end");
    assert_traps(f, "md5(caller + ts(start))", "no-time whole-hash");
    assert_traps(f, "md5(caller) + md5(callee)", "no-time");
    assert_traps(f, "pad(caller, 15)", "no-time");
}

static void the_part_and_what_follows_are_told(void **state)
{
    expr_fixture *f = *state;
    sm_key_traps traps;
    const sm_expr *e = compile(f, SM_USE_KEY, "caller + \"_\" + random(12) + ts(start)");
    assert_int_equal(sm_key_traps_find(&f->schema, e, f->arena, &traps, &f->err), SM_OK);
    assert_int_equal(traps.count, 2);
    assert_true(sm_bytes_equal_text(traps.items[0].part, "caller"));
    assert_true(sm_bytes_equal_text(traps.items[0].literal, "_"));
    assert_string_equal(f->schema.fields[traps.items[0].field].name, "caller");
    assert_int_equal(traps.items[1].values, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sound_keys_have_none, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(ends_that_cannot_be_told, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(order_of_numbers_and_times, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(keys_that_cannot_be_rebuilt_or_scanned, expr_setup,
                                        expr_teardown),
        cmocka_unit_test_setup_teardown(the_part_and_what_follows_are_told, expr_setup,
                                        expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
