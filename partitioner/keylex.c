/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of an expression -> tokens. Only spelling is judged here, never meaning. */
#include "partitioner/keylex.h"

#include "core/number.h"

static bool is_digit(uint8_t b)
{
    return b >= '0' && b <= '9';
}

static bool is_name_start(uint8_t b)
{
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == '_' || b >= 0x80;
}

static bool is_name(uint8_t b)
{
    return is_name_start(b) || is_digit(b);
}

bool sm_key_identifier(sm_bytes name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!is_name(name.data[i])) {
            return false;
        }
    }
    return name.len > 0 && is_name_start(name.data[0]);
}

static bool is_blank(uint8_t b)
{
    return b == ' ' || b == '\t' || b == '\n' || b == '\r';
}

static int hex_value(uint8_t b)
{
    if (is_digit(b)) {
        return b - '0';
    }
    const uint8_t lower = b | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* ---- quoted texts ---------------------------------------------------------------------------- */

/* One escape that starts with the backslash at *at; moves *at behind it. */
static sm_status undo_escape(const sm_keycompile *c, size_t *at, uint8_t *out, sm_error *err)
{
    const sm_bytes t = c->text;
    const size_t start = *at;
    const uint8_t kind = start + 1 < t.len ? t.data[start + 1] : 0;
    *at = start + 2;
    switch (kind) {
    case '"':
    case '\'':
    case '\\': *out = kind; return SM_OK;
    case 'n': *out = '\n'; return SM_OK;
    case 't': *out = '\t'; return SM_OK;
    case 'x': break;
    default:
        return sm_key_fail(c, start, err,
                           "unknown escape in a text; known are \\xHH \\\" \\' \\\\ \\n \\t");
    }
    const int high = start + 2 < t.len ? hex_value(t.data[start + 2]) : -1;
    const int low = start + 3 < t.len ? hex_value(t.data[start + 3]) : -1;
    if (high < 0 || low < 0) {
        return sm_key_fail(c, start, err,
                           "\\x needs two hexadecimal digits behind it, as in \\x00");
    }
    *out = (uint8_t)(high << 4 | low);
    *at = start + 4;
    return SM_OK;
}

/* Offset of the quote that closes the text starting at `at`; the text's length when there is none.
 */
static size_t closing_quote(sm_bytes t, size_t at)
{
    size_t i = at + 1;
    while (i < t.len && t.data[i] != t.data[at]) {
        i += t.data[i] == '\\' ? 2 : 1;
    }
    return i < t.len ? i : t.len;
}

static sm_status lex_text(const sm_keycompile *c, size_t *at, sm_token *out, sm_error *err)
{
    const sm_bytes t = c->text;
    const size_t close = closing_quote(t, *at);
    if (close == t.len) {
        return sm_key_fail(c, *at, err, "this text is never closed; expected another %c",
                           t.data[*at]);
    }
    uint8_t *value = sm_arena_get(c->context->arena, close - *at);
    if (value == NULL) {
        return sm_key_fail_memory(c, err);
    }
    size_t len = 0;
    size_t i = *at + 1;
    while (i < close) {
        if (t.data[i] != '\\') {
            value[len++] = t.data[i++];
            continue;
        }
        const sm_status st = undo_escape(c, &i, &value[len], err);
        if (st != SM_OK) {
            return st;
        }
        len++;
    }
    out->kind = SM_TOKEN_TEXT;
    out->text = sm_bytes_of(value, len);
    *at = close + 1;
    return SM_OK;
}

static sm_status lex_quoted_name(const sm_keycompile *c, size_t *at, sm_token *out, sm_error *err)
{
    const sm_bytes t = c->text;
    const uint8_t *end = memchr(t.data + *at + 1, '`', t.len - *at - 1);
    if (end == NULL) {
        return sm_key_fail(c, *at, err, "this field name is never closed; expected another `");
    }
    const size_t start = *at + 1;
    out->kind = SM_TOKEN_QUOTED;
    out->text = sm_bytes_of(t.data + start, (size_t)(end - t.data) - start);
    *at = (size_t)(end - t.data) + 1;
    return SM_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const struct {
    const char *unit;
    int64_t ms;
} UNITS[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}, {"w", 604800000},
};

static size_t skip_digits(sm_bytes t, size_t i)
{
    while (i < t.len && is_digit(t.data[i])) {
        i++;
    }
    return i;
}

/* Behind a number's digits: an exponent such as e9 or e-9, or nothing. */
static size_t skip_exponent(sm_bytes t, size_t i)
{
    if (i >= t.len || (t.data[i] | 0x20) != 'e') {
        return i;
    }
    size_t j = i + 1;
    if (j < t.len && (t.data[j] == '+' || t.data[j] == '-')) {
        j++;
    }
    return j < t.len && is_digit(t.data[j]) ? skip_digits(t, j) : i;
}

static size_t skip_name(sm_bytes t, size_t i)
{
    while (i < t.len && is_name(t.data[i])) {
        i++;
    }
    return i;
}

static sm_status lex_unit(const sm_keycompile *c, size_t digits_end, size_t end, sm_token *out,
                          sm_error *err)
{
    const sm_bytes unit = sm_bytes_of(c->text.data + digits_end, end - digits_end);
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (!sm_bytes_equal_text(unit, UNITS[i].unit)) {
            continue;
        }
        if (__builtin_mul_overflow(out->number, UNITS[i].ms, &out->number)) {
            return sm_key_fail(c, out->at, err, "this duration does not fit 64-bit milliseconds");
        }
        out->kind = SM_TOKEN_DURATION;
        return SM_OK;
    }
    return sm_key_fail(
        c, out->at, err,
        "a number with letters behind it; durations end in ms, s, m, h, d or w, and a "
        "field whose name begins with a digit is written `name`");
}

static sm_status lex_number(const sm_keycompile *c, size_t *at, sm_token *out, sm_error *err)
{
    const sm_bytes t = c->text;
    const size_t digits_end = skip_digits(t, *at + (t.data[*at] == '-'));
    size_t end = digits_end;
    if (end + 1 < t.len && t.data[end] == '.' && is_digit(t.data[end + 1])) {
        end = skip_digits(t, end + 1);
    }
    end = skip_exponent(t, end);
    const sm_bytes number = sm_bytes_of(t.data + *at, end - *at);
    const bool is_int = end == digits_end;
    if (is_int ? !sm_parse_int(number, &out->number) : !sm_parse_decimal(number, &out->real)) {
        return sm_key_fail(c, *at, err, "this number does not fit %s",
                           is_int ? "64 bits" : "a double");
    }
    out->kind = is_int ? SM_TOKEN_INT : SM_TOKEN_DECIMAL;
    const size_t name_end = skip_name(t, end);
    *at = name_end;
    if (name_end == end) {
        return SM_OK;
    }
    if (!is_int) {
        return sm_key_fail(c, out->at, err, "a decimal number with letters behind it");
    }
    return lex_unit(c, end, name_end, out, err);
}

/* ---- signs ----------------------------------------------------------------------------------- */

static const struct {
    const char *written, *means;
} SIGNS[] = {
    /* longer ones first */
    {"==", "="}, {"!=", "!="}, {"<>", "!="}, {"<=", "<="}, {">=", ">="}, {"<", "<"},
    {">", ">"},  {"=", "="},   {"+", "+"},   {"(", "("},   {")", ")"},   {"[", "["},
    {"]", "]"},  {"{", "{"},   {"}", "}"},   {",", ","},   {":", ":"},
};

static sm_status lex_sign(const sm_keycompile *c, size_t *at, sm_token *out, sm_error *err)
{
    const size_t left = c->text.len - *at;
    for (size_t i = 0; i < sizeof SIGNS / sizeof SIGNS[0]; i++) {
        const size_t len = strlen(SIGNS[i].written);
        if (len <= left && memcmp(c->text.data + *at, SIGNS[i].written, len) == 0) {
            out->kind = SM_TOKEN_SIGN;
            out->text = sm_bytes_text(SIGNS[i].means);
            *at += len;
            return SM_OK;
        }
    }
    const uint8_t b = c->text.data[*at];
    if (b < 0x20 || b == 0x7f) {
        return sm_key_fail(c, *at, err, "the control byte 0x%02X cannot stand here", b);
    }
    return sm_key_fail(c, *at, err, "'%c' means nothing here; texts are written \"...\"", b);
}

sm_status sm_key_lex(const sm_keycompile *c, size_t *at, sm_token *out, sm_error *err)
{
    const sm_bytes t = c->text;
    while (*at < t.len && is_blank(t.data[*at])) {
        (*at)++;
    }
    *out = (sm_token){.kind = SM_TOKEN_END, .at = *at, .end = *at};
    if (*at >= t.len) {
        return SM_OK;
    }
    sm_status st = SM_OK;
    const uint8_t b = t.data[*at];
    if (is_name_start(b)) {
        out->kind = SM_TOKEN_NAME;
        *at = skip_name(t, *at);
        out->text = sm_bytes_of(t.data + out->at, *at - out->at);
    } else if (is_digit(b) || (b == '-' && *at + 1 < t.len && is_digit(t.data[*at + 1]))) {
        st = lex_number(c, at, out, err);
    } else if (b == '"' || b == '\'') {
        st = lex_text(c, at, out, err);
    } else if (b == '`') {
        st = lex_quoted_name(c, at, out, err);
    } else {
        st = lex_sign(c, at, out, err);
    }
    out->end = *at;
    return st;
}
