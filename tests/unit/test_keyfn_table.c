/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of key_functions.def: readable, documented, and in golden vectors. */
#include "partitioner/keyfn.h"
#include "support_vectors.h"

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
        if (count > SM_KEY_PARAMS_MAX || strlen(fn->doc) < 10 ||
            (count == 0) != (bare || fn->signature[0] == '\0')) {
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

/* ---- golden vectors -------------------------------------------------------------------------- */

/* Files whose right answers are not ours: the JDK's, HBase's, OpenTSDB's and Phoenix's classes, and
 * Python's hashlib, zlib, struct, datetime and strings, mmh3 and xxhash. */
static const char *const VECTORS[] = {"key_salt.tsv", "key_hash.tsv",     "key_text.tsv",
                                      "key_time.tsv", "key_number.tsv",   "key_codes.tsv",
                                      "key_cond.tsv", "key_opentsdb.tsv", "key_phoenix.tsv"};

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Is it called in the expression: as a whole name, outside of texts? */
static bool calls(const char *expression, const char *call)
{
    char quote = '\0';
    for (const char *p = expression; *p != '\0'; p++) {
        if (quote != '\0') {
            quote = *p == quote ? '\0' : quote;
        } else if (*p == '"' || *p == '\'') {
            quote = *p;
        } else if (strncmp(p, call, strlen(call)) == 0 &&
                   (p == expression || !is_name_byte(p[-1]))) {
            return true;
        }
    }
    return false;
}

typedef struct tally {
    char call[40];
    size_t count;
} tally;

static void count_row(char **cells, void *context)
{
    tally *t = context;
    t->count += calls(cells[5], t->call);
}

static void test_every_function_has_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sm_keyfn_count(); i++) {
        const sm_keyfn *fn = sm_keyfn_at(i);
        const bool bare = strcmp(fn->name, "record") == 0;
        tally t = {.count = 0};
        (void)snprintf(t.call, sizeof t.call, "%s%s", fn->name, bare ? "" : "(");
        if (strcmp(fn->name, "region_start") == 0) {
            continue; /* needs a table's splits: test_keyfn_region.c */
        }
        for (size_t k = 0; k < sizeof VECTORS / sizeof VECTORS[0]; k++) {
            (void)vectors_each(VECTORS[k], 7, count_row, &t);
        }
        if (t.count < 5) {
            fail_msg("%s() is in %zu golden vectors, expected 5 or more", fn->name, t.count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_every_function_has_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
