/* SPDX-License-Identifier: Apache-2.0 */
/* Rule files: reading, hostile texts, and differences in words. The fingerprints were made by
 * hashlib of Python (sha256 of the lines, first 16 bytes). */
#include "job/rule_diff.h"
#include "job/rule_file.h"
#include "job/rule_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD  "saltmill rules 1\n"
#define BLOCK "table t\nkey = salt(300, caller) + \"a + b\"\n"
#define LINES "field.caller.type = text\ncsv.null = \n"
#define SUM   "key_fingerprint = 5c8733b643249cbb247f6ab7030987ec\n"

typedef struct fixture {
    sm_arena *arena;
    sm_error err;
} fixture;

static int setup(void **state)
{
    static fixture f;
    f = (fixture){0};
    *state = &f;
    return sm_arena_new(4096, &f.arena, &f.err);
}

static int teardown(void **state)
{
    sm_arena_free(((fixture *)*state)->arena);
    return 0;
}

static sm_status parse(fixture *f, const char *text, sm_rules *out)
{
    sm_error_clear(&f->err);
    return sm_rules_parse(sm_bytes_text(text), "t.rule", f->arena, out, &f->err);
}

static void assert_whole(fixture *f, const char *text)
{
    sm_rules rules;
    if (parse(f, text, &rules) != SM_OK) {
        fail_msg("%s", f->err.text);
    }
    assert_int_equal(rules.count, 1);
    assert_string_equal(rules.items[0].table, "t");
    assert_string_equal(rules.items[0].key, "salt(300, caller) + \"a + b\"");
    assert_string_equal(rules.items[0].text, "key = salt(300, caller) + \"a + b\"\n" LINES);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void reads_what_means_the_same(void **state)
{
    assert_whole(*state, HEAD BLOCK LINES SUM);
    assert_whole(*state, "# before\n\n" HEAD "\n# c\n" BLOCK "# within\n" LINES SUM);
    assert_whole(*state, HEAD "table t\nkey = salt(300, caller)\n    + \"a + b\"\n" LINES SUM);
    assert_whole(*state, HEAD BLOCK "field.caller.type = text  \ncsv.null =\n" SUM);
    assert_whole(*state, HEAD BLOCK "field.caller.type = text\r\ncsv.null =\r\n" SUM);
    assert_whole(*state, HEAD BLOCK LINES SUM BLOCK LINES SUM); /* twice is once */
}

static void refuses(fixture *f, const char *text, const char *words)
{
    sm_rules rules;
    assert_int_equal(parse(f, text, &rules), SM_E_RULE_FILE);
    if (strstr(f->err.text, words) == NULL || strncmp(f->err.text, "t.rule:", 7) != 0) {
        fail_msg("expected \"%s\" in: %s", words, f->err.text);
    }
}

static void refuses_what_is_damaged(void **state)
{
    refuses(*state, "", "saltmill rules 1");
    refuses(*state, "saltmill rules 2\n", "of this version");
    refuses(*state, "saltmill uids 1\n", "of this version");
    refuses(*state, HEAD BLOCK, "ends before");
    refuses(*state, HEAD BLOCK LINES BLOCK LINES SUM, "ends without its key_fingerprint");
    refuses(*state, HEAD LINES, "expected \"table NAME\"");
    refuses(*state, HEAD "table \n", "expected \"table NAME\"");
    refuses(*state, HEAD "table a b\n", "expected the name of a table");
    refuses(*state, HEAD "table t\n" LINES SUM, "has no key");
    refuses(*state, HEAD BLOCK "key = b\n", "expected one key");
    refuses(*state, HEAD BLOCK LINES "    + c\n", "only a key goes on");
    refuses(*state, HEAD BLOCK "    - c\n", "a part of the key");
    refuses(*state, HEAD BLOCK "nonsense\n", "expected NAME = VALUE");
    refuses(*state, HEAD BLOCK "csv.null = \\x0\n", "expected a value");
    refuses(*state, HEAD BLOCK "csv.null = \x01x\n", "expected text");
    refuses(*state, HEAD BLOCK "field.caller.type = int\ncsv.null = \n" SUM, "edited or damaged");
    refuses(*state, HEAD BLOCK "csv.null = \nfield.caller.type = text\n" SUM, "edited or damaged");
    refuses(*state, HEAD BLOCK LINES "key_fingerprint = \n", "edited or damaged");
}

static void bounds_what_it_takes(void **state)
{
    fixture *f = *state;
    sm_buf text;
    sm_buf_init(&text, 1 << 20);
    assert_int_equal(sm_buf_printf(&text, &f->err, HEAD BLOCK), SM_OK);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(sm_buf_printf(&text, &f->err, "csv.null = %d\n", i), SM_OK);
    }
    assert_int_equal(sm_buf_append_byte(&text, 0, &f->err), SM_OK);
    refuses(f, (const char *)text.data, "no more than 4096 lines");
    sm_buf_free(&text);
}

static void prints_what_it_reads(void **state)
{
    fixture *f = *state;
    const sm_rule rule = {.table = "t",
                          .key = "salt(300, caller) + \"a + b\"",
                          .text = "key = salt(300, caller) + \"a + b\"\n"
                                  "field.caller.type = text\n"
                                  "csv.null = \n"
                                  "csv.null = x \n"
                                  "csv.null = a = \n",
                          .fingerprint = "53bf25e10b020d396b035e17560f7487"};
    const sm_rules rules = {.items = &rule, .count = 1};
    sm_rules again;
    sm_buf text;
    sm_buf_init(&text, 1 << 20);
    assert_int_equal(sm_rules_print(&rules, &text, &f->err), SM_OK);
    assert_int_equal(sm_buf_append_byte(&text, 0, &f->err), SM_OK);
    assert_non_null(strstr((char *)text.data, "\nkey = salt(300, caller)\n    + \"a + b\"\n"));
    assert_non_null(strstr((char *)text.data, "\ncsv.null =\ncsv.null = x\\x20\n"));
    assert_non_null(strstr((char *)text.data, "\ncsv.null = a =\\x20\n"));
    assert_int_equal(parse(f, (const char *)text.data, &again), SM_OK);
    assert_string_equal(again.items[0].text, rule.text);
    assert_string_equal(again.items[0].key, rule.key);
    sm_buf_free(&text);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void takes_keys_apart(void **state)
{
    static const char *const PARTS[] = {"salt(300, a + b, hash: md5)", "\" + \\\" + \"", "`x + y`",
                                        "pick([\"a + \", \"b\"], by: c)", "\"\\x5C\""};
    char key[200] = "";
    sm_bytes part;
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        const size_t len = strlen(key);
        (void)snprintf(key + len, sizeof key - len, "%s%s", i == 0 ? "" : " + ", PARTS[i]);
    }
    sm_bytes rest = sm_bytes_text(key);
    for (size_t i = 0; i < 5; i++) {
        assert_true(sm_rule_next_part(&rest, &part));
        assert_true(sm_bytes_equal_text(part, PARTS[i]));
    }
    assert_false(sm_rule_next_part(&rest, &part));
}

/* ---- differences ----------------------------------------------------------------------------- */

static void assert_lines_told(const char *old_key, const char *old_text, const char *new_key,
                              const char *new_text, const char *expected)
{
    const sm_rule was = {.table = "t", .key = old_key, .text = old_text, .fingerprint = "1"};
    const sm_rule now = {.table = "t", .key = new_key, .text = new_text, .fingerprint = "2"};
    sm_buf text;
    sm_buf_init(&text, 1 << 20);
    assert_int_equal(sm_rule_difference(&was, &now, &text, NULL), SM_OK);
    assert_int_equal(sm_buf_append_byte(&text, 0, NULL), SM_OK);
    assert_string_equal((const char *)text.data, expected);
    sm_buf_free(&text);
}

static void assert_told(const char *was, const char *now, const char *expected)
{
    assert_lines_told(was, NULL, now, NULL, expected);
}

static void tells_parts(void **state)
{
    (void)state;
    assert_told("salt(300, c) + a", "salt(100, c) + a", "salt(300, c) is now salt(100, c)");
    assert_told("salt(300, c) + a", "a", "salt(300, c) is gone");
    assert_told("a", "salt(9, c) + a", "salt(9, c) is new in front");
    assert_told("a + b", "a + \"_\" + b", "\"_\" is new behind a");
    assert_told("a + b", "a + b + c", "c is new behind b");
    assert_told("a + b + c", "a + c + b", "the same parts in another order: b + c is now c + b");
    assert_told("a + b + c", "c + b + a",
                "the same parts in another order: a + b + c is now c + b + a");
    assert_told("f(1) + a + g(2)", "f(2) + a + g(3)", "f(1) is now f(2); g(2) is now g(3)");
    assert_told("f(1) + g(2)", "g(3)", "f(1) is gone; g(2) is now g(3)");
    assert_told("md5(a)", "sha1(a)", "md5(a) is now sha1(a)");
    assert_told("a + a", "a", "a is gone");
    assert_told("a", "a",
                "the key is the same, but types, zones, charsets or null texts of its "
                "fields are not (key_fingerprint 1 is now 2)");
}

static void tells_lines(void **state)
{
#define FORMAT "field.s.format = %H zone="
    (void)state;
    assert_lines_told("a", FORMAT "UTC repeated=reject missing=reject\n", "a",
                      FORMAT "Asia/Tokyo repeated=reject missing=reject\n",
                      "field s: zone UTC is now Asia/Tokyo");
    assert_lines_told("a", FORMAT "UTC repeated=reject missing=reject\n", "a",
                      FORMAT "UTC repeated=earliest missing=reject\n",
                      "field s: repeated local times reject is now earliest");
    assert_lines_told("a", "field.s.format = epoch_s\n", "a", "field.s.format = epoch_ms\n",
                      "field s: time format epoch_s is now epoch_ms");
    assert_lines_told("a", "field.a.type = text\n", "a", "field.a.type = int\n",
                      "field a: type text is now int");
    assert_lines_told("a", "field.a.type = text\nfield.a.charset = digits\n", "a",
                      "field.a.type = text\n", "field a: charset digits is now any");
    assert_lines_told("a", "field.a.type = text\n", "a",
                      "field.a.type = text\nfield.a.charset = digits\n",
                      "field a: charset any is now digits");
    assert_lines_told("a", "csv.null = \n", "a", "csv.null = \ncsv.null = NULL\n",
                      "null texts: \"\" is now \"\", \"NULL\"");
    assert_lines_told("a", "csv.null = \n", "a", "", "null texts: \"\" is now none");
    assert_lines_told("a", "", "a", "job.seed = 7\n", "seed: 0 is now 7");
    assert_lines_told("a", "input.encoding = latin1\n", "a", "", "encoding: latin1 is now utf-8");
    assert_lines_told("a", "x.y = 1\n", "a", "x.y = 2\n", "x.y: 1 is now 2");
    /* A field that came with a part of the key is no change of its own. */
    assert_lines_told("a", "field.a.type = text\n", "a + b",
                      "field.a.type = text\nfield.b.type = text\n", "b is new behind a");
}

static void tells_nothing_of_equal_rules(void **state)
{
    const sm_rule rule = {.table = "t", .key = "a", .text = "key = a\n", .fingerprint = "1"};
    sm_buf text;
    (void)state;
    sm_buf_init(&text, 64);
    assert_int_equal(sm_rule_difference(&rule, &rule, &text, NULL), SM_OK);
    assert_int_equal(text.len, 0);
    sm_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_what_means_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_what_is_damaged, setup, teardown),
        cmocka_unit_test_setup_teardown(bounds_what_it_takes, setup, teardown),
        cmocka_unit_test_setup_teardown(prints_what_it_reads, setup, teardown),
        cmocka_unit_test(takes_keys_apart),
        cmocka_unit_test(tells_parts),
        cmocka_unit_test(tells_lines),
        cmocka_unit_test(tells_nothing_of_equal_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
