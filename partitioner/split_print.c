/* SPDX-License-Identifier: Apache-2.0 */
/* Printing split keys. Blanks at the ends are \x20 in every escaped form, because editors and
 * shells drop them.
 *
 * A split key in a create statement goes from Ruby to Bytes.toBytesBinary as Java text, and a byte
 * over 0x7F that Ruby had made would arrive there as U+FFFD and become 0xFD: so the backslash
 * itself is escaped, and toBytesBinary reads the rest. */
#include "partitioner/split_print.h"

#include "core/json.h"

#include <string.h>

bool sm_split_format_named(const char *name, sm_split_format *out)
{
    static const char *const names[] = {[SM_SPLIT_ESCAPED] = "escaped",
                                        [SM_SPLIT_HEX] = "hex",
                                        [SM_SPLIT_SHELL] = "shell",
                                        [SM_SPLIT_JSON] = "json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (sm_split_format)i;
            return true;
        }
    }
    return false;
}

/* ---- the shell ------------------------------------------------------------------------------- */

static bool is_end_blank(sm_bytes key, size_t i)
{
    return key.data[i] == ' ' && (i == 0 || i + 1 == key.len);
}

static bool stands_for_itself(uint8_t c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '#' && c != '\\';
}

sm_status sm_split_print_quoted(sm_bytes key, const char *escape, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_append_byte(out, '"', err);
    for (size_t i = 0; st == SM_OK && i < key.len; i++) {
        const uint8_t c = key.data[i];
        if (stands_for_itself(c) && !is_end_blank(key, i)) {
            st = sm_buf_append_byte(out, c, err);
        } else {
            st = sm_buf_printf(out, err, "%s%02X", escape, c);
        }
    }
    return st == SM_OK ? sm_buf_append_byte(out, '"', err) : st;
}

sm_status sm_splits_print_shell(const sm_splits *s, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_printf(out, err, "SPLITS => [");
    for (size_t i = 0; st == SM_OK && i < s->count; i++) {
        if (i != 0) {
            st = sm_buf_printf(out, err, ", ");
        }
        if (st == SM_OK) {
            st = sm_split_print_quoted(s->keys[i], "\\\\x", out, err);
        }
    }
    return st == SM_OK ? sm_buf_append_byte(out, ']', err) : st;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* What split_file.c tells the other forms of a file by, at the start of a key. */
static bool looks_like_a_form(sm_bytes key)
{
    static const char *const starts[] = {"[", "=", "SPLITS", "Total number"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        const size_t len = strlen(starts[i]);
        if (key.len >= len && memcmp(key.data, starts[i], len) == 0) {
            return true;
        }
    }
    return false;
}

/* toStringBinary but for blanks at the ends and a start that could be mistaken. */
static sm_status put_escaped(sm_bytes key, sm_buf *out, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < key.len; i++) {
        const uint8_t c = key.data[i];
        const bool plain = c >= 0x20 && c < 0x7F && c != '\\' && !is_end_blank(key, i) &&
                           !(i == 0 && looks_like_a_form(key));
        st = plain ? sm_buf_append_byte(out, c, err) : sm_buf_printf(out, err, "\\x%02X", c);
    }
    return st;
}

static sm_status put_hex(sm_bytes key, sm_buf *out, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < key.len; i++) {
        st = sm_buf_printf(out, err, "%02x", key.data[i]);
    }
    return st;
}

static sm_status put_lines(const sm_splits *s, bool hex, sm_buf *out, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < s->count; i++) {
        st = hex ? put_hex(s->keys[i], out, err) : put_escaped(s->keys[i], out, err);
        st = st == SM_OK ? sm_buf_append_byte(out, '\n', err) : st;
    }
    return st;
}

static sm_status put_json(const sm_splits *s, sm_buf *out, sm_error *err)
{
    sm_json j;
    sm_buf text;
    sm_status st = SM_OK;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_json_start(&j, out, false, err);
    sm_json_open_array(&j, NULL);
    for (size_t i = 0; st == SM_OK && i < s->count; i++) {
        sm_buf_clear(&text);
        st = put_escaped(s->keys[i], &text, err);
        if (st == SM_OK) {
            sm_json_bytes(&j, NULL, sm_buf_view(&text));
        }
    }
    sm_json_close_array(&j);
    sm_buf_free(&text);
    return st == SM_OK ? sm_json_finish(&j) : st;
}

sm_status sm_splits_print(const sm_splits *s, sm_split_format format, sm_buf *out, sm_error *err)
{
    sm_status st = SM_OK;
    switch (format) {
    case SM_SPLIT_ESCAPED: return put_lines(s, false, out, err);
    case SM_SPLIT_HEX: return put_lines(s, true, out, err);
    case SM_SPLIT_JSON: return put_json(s, out, err);
    case SM_SPLIT_SHELL:
        st = sm_splits_print_shell(s, out, err);
        return st == SM_OK ? sm_buf_append_byte(out, '\n', err) : st;
    }
    return sm_fail(err, SM_E_INTERNAL, "splits: no such format");
}
