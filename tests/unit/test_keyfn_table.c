/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of key_functions.def: readable, documented, and named in the tests of its family. */
#include "partitioner/keyfn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sm_keyfn_count(); i++) {
        const sm_keyfn *fn = sm_keyfn_at(i);
        sm_keyparam params[SM_KEY_PARAMS_MAX];
        bool bare = false;
        const size_t count = sm_keysig_parse(fn->signature, params, &bare);
        if (count > SM_KEY_PARAMS_MAX || strlen(fn->doc) < 10 || (count == 0) != bare) {
            fail_msg("key_functions.def: %s: unreadable or undocumented", fn->name);
        }
        assert_ptr_equal(sm_keyfn_find(sm_bytes_text(fn->name)), fn); /* no name twice */
        for (size_t p = 0; p < count; p++) {
            const bool word = params[p].kind == SM_PARAM_WORD && params[p].has_preset;
            assert_true(!word || sm_keysig_word(params[p].words, params[p].preset) >= 0);
        }
    }
    assert_null(sm_keyfn_find(sm_bytes_text("nothing")));
}

static void test_signatures(void **state)
{
    (void)state;
    sm_keyparam p[SM_KEY_PARAMS_MAX];
    bool bare = true;
    assert_int_equal(
        sm_keysig_parse("x int|text|null, more any..., f #text = \", | \", n #int?, w #a|b = b", p,
                        &bare),
        5);
    assert_false(bare);
    assert_int_equal(p[0].types, 1U << SM_TYPE_INT | 1U << SM_TYPE_TEXT);
    assert_true(p[0].takes_null && !p[0].optional && !p[0].variadic);
    assert_true(p[1].variadic && sm_bytes_equal_text(p[1].name, "more"));
    assert_true(p[2].kind == SM_PARAM_TEXT && sm_bytes_equal_text(p[2].preset, ", | "));
    assert_true(p[3].kind == SM_PARAM_INT && p[3].optional && !p[3].has_preset);
    assert_true(p[4].kind == SM_PARAM_WORD && sm_bytes_equal_text(p[4].preset, "b"));
    assert_int_equal(sm_keysig_word(p[4].words, sm_bytes_text("b")), 1);
    assert_int_equal(sm_keysig_word(p[4].words, sm_bytes_text("c")), -1);
    assert_int_equal(sm_keysig_parse("x nothing", p, &bare), SIZE_MAX);
    assert_int_equal(sm_keysig_parse("x", p, &bare), SIZE_MAX);
}

static void test_usage(void **state)
{
    (void)state;
    char usage[100];
    assert_string_equal(sm_keysig_usage(sm_keyfn_find(sm_bytes_text("salt")), usage, sizeof usage),
                        "salt(n, args, ...[, hash])");
    assert_string_equal(
        sm_keysig_usage(sm_keyfn_find(sm_bytes_text("record")), usage, sizeof usage), "record");
    for (size_t size = 1; size < 40; size++) { /* cut, never overrun */
        const sm_keyfn *pad = sm_keyfn_find(sm_bytes_text("pad"));
        assert_true(strlen(sm_keysig_usage(pad, usage, size)) < size);
    }
}

static void test_every_function_is_tested(void **state)
{
    (void)state;
    static char text[4 << 20];
    static const char *const FILES[] = {
        "tests/vectors/key_salt.tsv",     "tests/vectors/key_hash.tsv",
        "tests/vectors/key_text.tsv",     "tests/vectors/key_time.tsv",
        "tests/vectors/key_number.tsv",   "tests/unit/test_cond.c",
        "tests/unit/test_keyparse.c",     "tests/unit/test_keyfn_text.c",
        "tests/vectors/key_opentsdb.tsv", "tests/vectors/key_codes.tsv"};
    size_t len = 0;
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        FILE *in = fopen(FILES[i], "rb");
        assert_non_null(in);
        len += fread(text + len, 1, sizeof text - 1 - len, in);
        (void)fclose(in);
    }
    text[len] = '\0';
    for (size_t i = 0; i < sm_keyfn_count(); i++) {
        char call[40];
        const sm_keyfn *fn = sm_keyfn_at(i);
        (void)snprintf(call, sizeof call, "%s%s", fn->name, strcmp(fn->name, "record") ? "(" : "");
        if (strstr(text, call) == NULL) {
            fail_msg("%s() is in no vector and no test", fn->name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_every_function_is_tested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
