/* SPDX-License-Identifier: Apache-2.0 */
/* Escaped texts of a list: what is read, what is refused and with which words. */
#include "partitioner/splits.h"
#include "tests/unit/support_splits.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void refuse(splits_case *c, const char *text, const char *part)
{
    const sm_bytes texts[] = {sm_bytes_text("0"), sm_bytes_text(text)};
    const sm_split_spec spec = {
        .kind = SM_SPLITS_LIST, .where = "t.splits", .texts = texts, .text_count = 2};
    splits_refused(c, &spec, part);
}

static void escapes_are_bytes(void **state)
{
    splits_case *c = *state;
    const sm_bytes texts[] = {sm_bytes_text("\\x00\\x10"), sm_bytes_text(" a b "),
                              sm_bytes_text("\\x80"), sm_bytes_text("\\xFF\\xFF")};
    const sm_split_spec spec = {.kind = SM_SPLITS_LIST, .texts = texts, .text_count = 4};
    splits_made(c, &spec);
    splits_keys(c, "\\x00\\x10  a b  \\x80 \\xFF\\xFF");
    assert_int_equal(c->splits->keys[0].len, 2);
    assert_int_equal(c->splits->note_count, 0);
}

static void what_cannot_be_meant_is_refused(void **state)
{
    splits_case *c = *state;
    refuse(c, "", "t.splits: empty split key in entry 2");
    refuse(c, "a\\x0a", "entry 2: \\x0a has lower-case digits");
    refuse(c, "a\\x0a", "write \\x0A");
    refuse(c, "a\\xfF", "write \\xFF");
    refuse(c, "a\\b", "the backslash at byte 2 of 'a\\x5Cb' starts no \\xHH");
    refuse(c, "a\\", "starts no \\xHH");
    refuse(c, "caf\xc3\xa9", "byte 0xC3 at byte 4 is no printable ASCII; write it as \\xC3");
    refuse(c, "a\tb", "write it as \\x09");
}

#define SPLITS_TEST(f) cmocka_unit_test_setup_teardown(f, splits_set_up, splits_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPLITS_TEST(escapes_are_bytes),
        SPLITS_TEST(what_cannot_be_meant_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
