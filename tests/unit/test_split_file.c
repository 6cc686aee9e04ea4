/* SPDX-License-Identifier: Apache-2.0 */
/* Split files: plain lines, what get_splits prints, and the array that the shell shows. The printed
 * form is that of HBase 2's get_splits.rb; the array's quoting is Ruby's String#inspect. */
#include "partitioner/splits.h"
#include "tests/unit/support_splits.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect(splits_case *c, const char *content, const char *keys, size_t notes)
{
    const sm_split_spec spec = splits_file(c, sm_bytes_text(content));
    splits_made(c, &spec);
    splits_keys(c, keys);
    assert_int_equal(c->splits->note_count, notes);
}

static void refuse(splits_case *c, const char *content, const char *part)
{
    const sm_split_spec spec = splits_file(c, sm_bytes_text(content));
    splits_refused(c, &spec, part);
}

static void lines(void **state)
{
    splits_case *c = *state;
    expect(c, "d\nm\nt\n", "d m t", 0);
    expect(c, "d\nm\nt", "d m t", 0);
    expect(c, "d\r\nm\r\nt\r\n", "d m t", 0);
    expect(c, "d\r\nm\nt\r", "d m t", 0);
    expect(c, "\\x00\\x10\n\\x80\n\\xFF\\xFF\n", "\\x00\\x10 \\x80 \\xFF\\xFF", 0);
    expect(c, "[a\n[b\n", "[a [b", 0);
    expect(c, "=> x\n", "=> x", 0);
}

static void lines_out_of_order_are_sorted(void **state)
{
    splits_case *c = *state;
    expect(c, "t\nd\nm\n", "d m t", 1);
    assert_non_null(strstr(c->splits->notes[0], "'d' in line 2 comes after 't'"));
}

static void a_first_empty_line_is_the_first_region(void **state)
{
    splits_case *c = *state;
    expect(c, "\n030\n060\n", "030 060", 0);
    refuse(c, "\n\n060\n", "empty split key in line 2");
}

static void blanks_at_the_ends_are_kept_with_a_note(void **state)
{
    splits_case *c = *state;
    expect(c, "d \nm\n t\n", " t d  m", 2);
    assert_int_equal(c->splits->keys[1].len, 2);
    assert_non_null(strstr(c->splits->notes[0], "line 1"));
    assert_non_null(strstr(c->splits->notes[0], "write it as \\x20"));
    assert_non_null(strstr(c->splits->notes[0], "(2 such keys)"));
    expect(c, "d\\x20\nm\n", "d  m", 0);
}

static void wrong_lines_are_named(void **state)
{
    splits_case *c = *state;
    refuse(c, "d\n\nm\nt\n", "splits.txt: empty split key in line 2");
    refuse(c, "d\nm\n\n", "empty split key in line 3");
    refuse(c, "d\n  \nt\n", "line 2 holds nothing but blanks");
    refuse(c, "d\nm\nm\nt\n", "split key 'm' occurs twice (line 2 and line 3)");
    refuse(c, "d\n\\x0a\n", "line 2: \\x0a has lower-case digits");
    refuse(c, "d\n\\y\n", "line 2: the backslash");
    refuse(c, "d\nk\xc3\xa9\n", "line 2: byte 0xC3 at byte 2");
    refuse(c,
           "\xef\xbb\xbf"
           "d\n",
           "line 1: byte 0xEF at byte 1");
    refuse(c, "d\r\r\n", "line 1: byte 0x0D");
    refuse(c, "", "holds no split key");
    refuse(c, "\n", "holds no split key");
    const sm_split_spec nul = splits_file(c, sm_bytes_of("d\0e\n", 4));
    splits_refused(c, &nul, "byte 0x00 at byte 2");
}

static void what_get_splits_prints(void **state)
{
    splits_case *c = *state;
    expect(c, "Total number of splits = 3\n030\n060\n", "030 060", 0);
    expect(c, "Total number of splits = 3\r\n\r\n030\r\n060\r\n", "030 060", 0);
    expect(c, "Total number of splits = 1\n", "", 0);
    expect(c,
           "HBase Shell\nUse \"help\" to get list of supported commands.\n\n"
           "Total number of splits = 3\n\\x00a\n060\nTook 0.5123 seconds\n=> [\"\\\\x00a\", "
           "\"060\"]\n",
           "\\x00a 060", 0);
    expect(c, "Total number of splits = 2\n030\n=> [\"030\"]\n", "030", 0);
    refuse(c, "Total number of splits = 4\n030\n060\n",
           "line 1 says 4 regions, but 2 split keys follow");
    refuse(c, "Total number of splits = 0\n", "line 1 says 0 regions");
    refuse(c, "Total number of splits = 3\n030\n\n", "empty split key in line 3");
}

static void the_array_of_the_shell(void **state)
{
    splits_case *c = *state;
    expect(c, "[\"\", \"030\", \"060\"]", "030 060", 0);
    expect(c, "=> [\"\", \"030\", \"060\"]\n", "030 060", 0);
    expect(c, "[\"030\",\n \"060\"]\r\n", "030 060", 0);
    expect(c, "[]", "", 0);
    expect(c, "[\"\"]", "", 0);
    /* Ours and Ruby's spelling of the same bytes. */
    expect(c, "[\"\\x00\\x5C\", \"\\x22\\x23\"]", "\\x00\\x5C \"#", 0);
    expect(c, "[\"\\\\x00\\\\x5C\", \"\\\"\\#{\"]", "\\x00\\x5C \"#{", 0);
    expect(c, "[\"b\", \"a \"]", "a  b", 1);
}

static void broken_arrays(void **state)
{
    splits_case *c = *state;
    refuse(c, "[\"030\", \"\"]", "empty split key in entry 2");
    refuse(c, "[\"030\" \"060\"]", "byte 8 of the list: a comma or the closing bracket");
    refuse(c, "[\"030\", 060]", "byte 9 of the list: a key in double quotes");
    refuse(c, "[\"030\"", "a comma or the closing bracket was expected");
    refuse(c, "[\"030", "the closing quote was expected");
    refuse(c, "[\"030\\", "the closing quote was expected");
    refuse(c, "[\"030\",", "a key in double quotes was expected");
    refuse(c, "[\"030\"] x", "the end of the file was expected");
    refuse(c, "[\"\\x00\\x0a\"]", "entry 1: \\x0a has lower-case digits");
    refuse(c, "[\"\\x00\\n\"]", "of '\\x5Cx00\\x5Cn'");
    refuse(c, "[\"a\", \"a\"]", "'a' occurs twice (entry 1 and entry 2)");
}

static void a_missing_file_is_an_input_error(void **state)
{
    splits_case *c = *state;
    const sm_split_spec spec = {.kind = SM_SPLITS_FILE, .path = "/nonexistent/splits.txt"};
    assert_int_equal(sm_splits_make(c->arena, &spec, &c->splits, &c->err), SM_E_INPUT_MISSING);
    assert_null(c->splits);
}

/* Twenty thousand regions, the number of an awkward but real table. */
static void many_lines(void **state)
{
    splits_case *c = *state;
    enum { COUNT = 20000, WIDTH = 9 };
    char *text = sm_arena_get(c->arena, COUNT * WIDTH);
    assert_non_null(text);
    for (size_t i = 0; i < COUNT; i++) {
        size_t v = 10 * (i + 1);
        for (size_t k = WIDTH - 1; k > 0; k--) {
            text[i * WIDTH + k - 1] = (char)('0' + v % 10);
            v /= 10;
        }
        text[i * WIDTH + WIDTH - 1] = '\n';
    }
    const sm_split_spec spec = splits_file(c, sm_bytes_of(text, COUNT * WIDTH));
    splits_made(c, &spec);
    assert_int_equal(c->splits->count, COUNT);
    assert_int_equal(sm_splits_route(c->splits, sm_bytes_text("00000009")), 0);
    assert_int_equal(sm_splits_route(c->splits, sm_bytes_text("00000010")), 1);
    assert_int_equal(sm_splits_route(c->splits, sm_bytes_text("00123456")), 12345);
    assert_int_equal(sm_splits_route(c->splits, sm_bytes_text("9")), COUNT);
}

#define SPLITS_TEST(f) cmocka_unit_test_setup_teardown(f, splits_set_up, splits_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPLITS_TEST(lines),
        SPLITS_TEST(lines_out_of_order_are_sorted),
        SPLITS_TEST(a_first_empty_line_is_the_first_region),
        SPLITS_TEST(blanks_at_the_ends_are_kept_with_a_note),
        SPLITS_TEST(wrong_lines_are_named),
        SPLITS_TEST(what_get_splits_prints),
        SPLITS_TEST(the_array_of_the_shell),
        SPLITS_TEST(broken_arrays),
        SPLITS_TEST(a_missing_file_is_an_input_error),
        SPLITS_TEST(many_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
