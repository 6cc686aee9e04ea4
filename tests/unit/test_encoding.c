/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings against Python's codecs (tests/vectors/encodings.tsv), and which dialects they allow.
 */
#include "ingest/encoding.h"
#include "support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_MAX = 8192 };

static sm_encoding named(const char *name)
{
    for (int e = SM_ENCODING_BYTES; e <= SM_ENCODING_GB18030; e++) {
        if (strcmp(sm_encoding_name((sm_encoding)e), name) == 0) {
            return (sm_encoding)e;
        }
    }
    fail_msg("no encoding %s", name);
    return SM_ENCODING_BYTES;
}

static unsigned hex_digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static sm_bytes unhex(const char *text, uint8_t out[TEXT_MAX])
{
    const size_t len = strlen(text) / 2;
    assert_true(len <= TEXT_MAX);
    for (size_t i = 0; i < len; i++) {
        out[i] = (uint8_t)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
    }
    return (sm_bytes){out, len};
}

static void check_row(char **cells, void *context)
{
    sm_recoder **recoders = context;
    const sm_encoding e = named(cells[0]);
    static uint8_t input[TEXT_MAX];
    static uint8_t wanted[TEXT_MAX];
    const sm_bytes in = unhex(cells[1], input);
    sm_bytes out;
    size_t bad_at = 0;
    assert_int_equal(sm_recode(recoders[e], in, &out, &bad_at, NULL), SM_OK);
    if (strcmp(cells[2], "bad") == 0) {
        assert_int_equal(bad_at, vectors_number(cells[3]));
        return;
    }
    assert_int_equal(bad_at, in.len);
    const sm_bytes text = unhex(cells[3], wanted);
    if (!sm_bytes_equal(out, text)) {
        fail_msg("%s %s", cells[0], cells[1]);
    }
}

static void agrees_with_python(void **state)
{
    (void)state;
    sm_recoder *recoders[SM_ENCODING_GB18030 + 1];
    for (int e = SM_ENCODING_BYTES; e <= SM_ENCODING_GB18030; e++) {
        assert_int_equal(sm_recoder_new((sm_encoding)e, &recoders[e], NULL), SM_OK);
    }
    assert_true(vectors_each("encodings.tsv", 4, check_row, recoders) > 200);
    for (int e = SM_ENCODING_BYTES; e <= SM_ENCODING_GB18030; e++) {
        sm_recoder_free(recoders[e]);
    }
    sm_recoder_free(NULL);
}

static void ascii_is_not_copied(void **state)
{
    (void)state;
    const sm_bytes in = sm_bytes_text("0123456789,\"text\"");
    for (int e = SM_ENCODING_BYTES; e <= SM_ENCODING_GB18030; e++) {
        sm_recoder *r = NULL;
        sm_bytes out;
        size_t bad_at = 0;
        assert_int_equal(sm_recoder_new((sm_encoding)e, &r, NULL), SM_OK);
        assert_int_equal(sm_recode(r, in, &out, &bad_at, NULL), SM_OK);
        assert_ptr_equal(out.data, in.data);
        assert_int_equal(bad_at, in.len);
        sm_recoder_free(r);
    }
}

static void characters_of_gb18030_have_lengths(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len, wanted;
    } rows[] = {{"a", 1, 1},
                {"\x80\x40", 2, 1},
                {"\xD6\xD0", 2, 2},
                {"\x81\x7C", 2, 2},
                {"\x81\x7F", 2, 1},
                {"\x81\x30\x81\x30", 4, 4},
                {"\x81", 1, 1},
                {"\x81\x30\x81", 3, 1},
                {"\x81\x30\x7C\x30", 4, 1},
                {"\x81,", 2, 1},
                {"\x81\x30\x81\x30\x31", 5, 4},
                {"\xFF\x40", 2, 1},
                {"\xFE\xFE", 2, 2},
                {"\xFE\xFF", 2, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(sm_gb18030_length((const uint8_t *)rows[i].bytes, rows[i].len),
                         rows[i].wanted);
    }
}

static sm_status check(sm_encoding e, const char *delimiter, int quote, int escape, int comment)
{
    const sm_csv_dialect dialect = {.delimiter = sm_bytes_text(delimiter),
                                    .quote = quote,
                                    .escape = escape,
                                    .comment = comment};
    sm_error err = {.code = SM_OK};
    const sm_status st = sm_encoding_check_dialect(e, &dialect, &err);
    assert_true(st == SM_OK || strstr(err.text, sm_encoding_name(e)) != NULL);
    return st;
}

static void dialects_must_be_tellable(void **state)
{
    (void)state;
    assert_int_equal(check(SM_ENCODING_BYTES, "\xA7", 0xFE, 0xFF, 0x80), SM_OK);
    assert_int_equal(check(SM_ENCODING_GB18030, "|", '"', -1, '#'), SM_OK);
    assert_int_equal(check(SM_ENCODING_GB18030, "||", '\'', '!', 'A'), SM_OK);
    assert_int_equal(check(SM_ENCODING_GB18030, ",", '"', '\\', -1), SM_E_JOB);
    assert_int_equal(check(SM_ENCODING_GB18030, ",", '|', -1, -1), SM_E_JOB);
    assert_int_equal(check(SM_ENCODING_GB18030, "\xA3\xAC", '"', -1, -1), SM_E_JOB);
    assert_int_equal(check(SM_ENCODING_LATIN1, ",", '"', '\\', -1), SM_OK);
    assert_int_equal(check(SM_ENCODING_LATIN1, "\xA7", '"', -1, -1), SM_E_JOB);
    assert_int_equal(check(SM_ENCODING_UTF8, "\xC2\xA7", '"', -1, -1), SM_OK);
    assert_int_equal(check(SM_ENCODING_UTF8, "\xA7", '"', -1, -1), SM_E_JOB);
    assert_int_equal(check(SM_ENCODING_UTF8, ",", '"', -1, 0xA7), SM_E_JOB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_python),
        cmocka_unit_test(ascii_is_not_copied),
        cmocka_unit_test(characters_of_gb18030_have_lengths),
        cmocka_unit_test(dialects_must_be_tellable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
