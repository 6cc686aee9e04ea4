/* SPDX-License-Identifier: Apache-2.0 */
/* Flat keys, the keys between two cells, tags. */
#include "formats/hfile_cell.h"
#include "support_hfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void a_flat_key(void **state)
{
    (void)state;
    /* From a file that HBase wrote: its first index key. */
    static const char expected[] = "\x00\x0brow00000000\x01"
                                   "fa\x00\x00\x01\x8b\xcf\xe5\x68\x00\x04";
    uint8_t out[64];
    const sm_cell c = hfile_put("row00000000", "a", 0x18bcfe56800, "");
    assert_int_equal(sm_hfile_key_size(&c), sizeof expected - 1);
    assert_ptr_equal(sm_hfile_key_store(out, &c), out + sizeof expected - 1);
    assert_memory_equal(out, expected, sizeof expected - 1);
    sm_cell back;
    assert_true(sm_hfile_key_load(sm_bytes_of(out, sizeof expected - 1), &back));
    assert_int_equal(sm_cell_compare(&c, &back), 0);
    for (size_t n = 0; n < SM_HFILE_KEY_FIXED; n++) {
        assert_false(sm_hfile_key_load(sm_bytes_of(out, n), &back));
    }
    out[1] = 16; /* a row that reaches into what must follow it */
    assert_false(sm_hfile_key_load(sm_bytes_of(out, sizeof expected - 1), &back));
}

typedef struct between {
    const char *left_row, *left_qualifier, *right_row, *right_qualifier;
    const char *row, *qualifier; /* of the key between; NULL row: the whole right key */
    bool with_family;
} between;

/* By hand from the rule: cut behind the first difference, the left byte plus one; a prefix gets a
 * 00. */
static void keys_between_cells(void **state)
{
    (void)state;
    static const between rows[] = {
        {"apple", "q", "banana", "q", "b", "", false},
        {"abc1", "q", "abc9zz", "q", "abc2", "", false},
        {"ab", "q", "ac", "q", "ac", "", false},
        {"ab", "q", "abc", "q", "ab", "", false}, /* and a zero byte */
        {"a\x7f", "q", "a\xff", "q", "a\x80", "", false},
        {"same", "q100", "same", "q25", "same", "q2", true},
        {"same", "", "same", "q", "same", "", true}, /* and a zero byte */
        {"same", "q", "same", "q", NULL, NULL, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const between *r = &rows[i];
        sm_error err = {0};
        sm_buf key;
        sm_buf_init(&key, 1000);
        const sm_cell left = hfile_put(r->left_row, r->left_qualifier, 9, "");
        const sm_cell right = hfile_put(r->right_row, r->right_qualifier, 5, "");
        assert_int_equal(sm_hfile_key_between(&left, &right, &key, &err), SM_OK);
        sm_cell k;
        assert_true(sm_hfile_key_load(sm_buf_view(&key), &k));
        assert_true(sm_cell_compare(&left, &k) < 0);
        assert_true(sm_cell_compare(&k, &right) <= 0);
        if (r->row == NULL) {
            assert_int_equal(sm_cell_compare(&k, &right), 0);
        } else {
            const size_t n = strlen(r->row);
            const size_t q = strlen(r->qualifier);
            assert_true(k.timestamp == INT64_MAX);
            assert_int_equal(k.type, 255);
            assert_memory_equal(k.row.data, r->row, n);
            assert_int_equal(k.row.len, n + (strcmp(r->right_row, "abc") == 0));
            assert_int_equal(k.family.len, r->with_family);
            assert_memory_equal(k.qualifier.data, r->qualifier, q);
            assert_int_equal(k.qualifier.len, q + (r->with_family && q == 0));
        }
        sm_buf_free(&key);
    }
}

static void a_cell_with_tags_and_mvcc(void **state)
{
    (void)state;
    /* Key of 15 bytes, value of 1, tags: another kind, then a TTL of 256 ms, then an mvcc of 300.
     */
    static const char bytes[] = "\0\0\0\x0f\0\0\0\x01"
                                "\0\1r\1fq\0\0\0\0\0\0\0\7\4"
                                "v"
                                "\0\x0f\0\2A!\0\x09\x08\0\0\0\0\0\0\1\0"
                                "\x8e\x01\x2c";
    const sm_bytes all = sm_bytes_of(bytes, sizeof bytes - 1);
    const sm_hfile_cell_form form = {true, true};
    size_t at = 0;
    sm_cell c;
    sm_bytes tags;
    assert_true(sm_hfile_cell_load(all, &at, form, &c, &tags));
    assert_int_equal(at, all.len);
    assert_int_equal(c.row.data[0], 'r');
    assert_int_equal(c.qualifier.data[0], 'q');
    assert_int_equal(c.value.data[0], 'v');
    assert_int_equal(c.timestamp, 7);
    assert_int_equal(c.ttl, 256);
    assert_int_equal(tags.len, 15);
    for (size_t n = 0; n < all.len; n++) {
        at = 0;
        assert_false(sm_hfile_cell_load(sm_bytes_of(bytes, n), &at, form, &c, &tags));
        assert_int_equal(at, 0);
    }
}

static void a_key_as_text(void **state)
{
    (void)state;
    char text[SM_HFILE_KEY_TEXT_SIZE];
    sm_cell c = hfile_put("a\x01", "q", 12, "");
    assert_string_equal(sm_hfile_key_text(&c, text), "a\\x01/f:q/12/Put");
    c.type = SM_CELL_DELETE_COLUMN;
    assert_string_equal(sm_hfile_key_text(&c, text), "a\\x01/f:q/12/DeleteColumn");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_key),
        cmocka_unit_test(keys_between_cells),
        cmocka_unit_test(a_cell_with_tags_and_mvcc),
        cmocka_unit_test(a_key_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
