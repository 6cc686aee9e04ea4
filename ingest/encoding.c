/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 is checked and Latin-1 widened here; GB18030 is left to iconv of the C library, which no
 * other file knows. Text that is all ASCII passes as it is. */
#include "ingest/encoding.h"

#include "core/buf.h"
#include "core/endian.h"
#include "core/mem.h"
#include "core/utf8.h"

#include <errno.h>
#include <iconv.h>

struct sm_recoder {
    sm_encoding encoding;
    bool has_table;
    iconv_t table;
    sm_buf text;
};

const char *sm_encoding_name(sm_encoding e)
{
    static const char *const names[] = {"bytes", "utf-8", "latin1", "gb18030"};
    return names[e];
}

/* ---- bytes that hide in characters ----------------------------------------------------------- */

static bool is_lead(uint8_t byte)
{
    return byte >= 0x81 && byte <= 0xFE;
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_second(uint8_t byte)
{
    return byte >= 0x40 && byte != 0x7F && byte != 0xFF;
}

size_t sm_gb18030_length(const uint8_t *p, size_t len)
{
    if (!is_lead(p[0]) || len < 2) {
        return 1;
    }
    if (is_second(p[1])) {
        return 2;
    }
    return len >= 4 && is_digit(p[1]) && is_lead(p[2]) && is_digit(p[3]) ? 4 : 1;
}

bool sm_encoding_hides(sm_encoding e, uint8_t byte)
{
    return e == SM_ENCODING_GB18030 && (is_digit(byte) || is_second(byte));
}

static sm_status check_byte(sm_encoding e, const char *what, int byte, bool whole, sm_error *err)
{
    if (byte < 0 || e == SM_ENCODING_BYTES) {
        return SM_OK;
    }
    if (byte >= 0x80) {
        return sm_fail(err, SM_E_JOB,
                       "input.csv.%s is the byte 0x%02X, which is no character of its own in "
                       "input.encoding %s; take an ASCII byte, or encoding: bytes",
                       what, (unsigned)byte, sm_encoding_name(e));
    }
    if (whole && sm_encoding_hides(e, (uint8_t)byte)) {
        return sm_fail(err, SM_E_JOB,
                       "input.csv.%s is \"%c\", a byte that is also the second half of characters "
                       "in input.encoding %s; convert the files first: iconv -f %s -t UTF-8",
                       what, byte, sm_encoding_name(e), sm_encoding_name(e));
    }
    return SM_OK;
}

sm_status sm_encoding_check_dialect(sm_encoding e, const sm_csv_dialect *dialect, sm_error *err)
{
    sm_status st = check_byte(e, "quote", dialect->quote, true, err);
    if (st == SM_OK) {
        st = check_byte(e, "escape", dialect->escape, true, err);
    }
    if (st == SM_OK) {
        /* Looked for at the beginning of a line only, where a character begins too. */
        st = check_byte(e, "comment", dialect->comment, false, err);
    }
    const bool utf8 = e == SM_ENCODING_UTF8;
    if (utf8 && !sm_utf8_valid(dialect->delimiter)) {
        return sm_fail(err, SM_E_JOB,
                       "input.csv.delimiter is not valid UTF-8, but input.encoding is utf-8");
    }
    for (size_t i = 0; st == SM_OK && !utf8 && i < dialect->delimiter.len; i++) {
        /* The framer walks character by character to find a delimiter that could hide. */
        st = check_byte(e, "delimiter", dialect->delimiter.data[i], false, err);
    }
    return st;
}

/* ---- recoding -------------------------------------------------------------------------------- */

static bool needs_table(sm_encoding e)
{
    return e == SM_ENCODING_GB18030;
}

void sm_recoder_free(sm_recoder *r)
{
    if (r == NULL) {
        return;
    }
    if (r->has_table) {
        (void)iconv_close(r->table);
    }
    sm_buf_free(&r->text);
    sm_free(r);
}

sm_status sm_recoder_new(sm_encoding e, sm_recoder **out, sm_error *err)
{
    *out = NULL;
    void *memory = NULL;
    const sm_status st = sm_new(sizeof **out, "an encoding", &memory, err);
    if (st != SM_OK) {
        return st;
    }
    sm_recoder *r = memory;
    r->encoding = e;
    sm_buf_init(&r->text, SIZE_MAX / 2);
    if (needs_table(e)) {
        r->table = iconv_open("UTF-8", "GB18030");
        /* iconv_open's own sign of failure. */
        r->has_table = (intptr_t)r->table != -1;
        if (!r->has_table) {
            sm_recoder_free(r);
            return sm_fail(err, SM_E_JOB,
                           "input.encoding: the C library of this system has no table for %s; "
                           "install its gconv modules, or convert the files first",
                           sm_encoding_name(e));
        }
    }
    *out = r;
    return SM_OK;
}

/* Offset of the first byte above 0x7F, or the length. */
static size_t ascii_end(sm_bytes text)
{
    size_t i = 0;
    while (text.len - i >= 8 && (sm_load_le64(text.data + i) & UINT64_C(0x8080808080808080)) == 0) {
        i += 8;
    }
    while (i < text.len && text.data[i] < 0x80) {
        i++;
    }
    return i;
}

static size_t utf8_end(sm_bytes text, size_t at)
{
    while (at < text.len) {
        const size_t n = sm_utf8_length(text.data + at, text.len - at);
        if (n == 0) {
            break;
        }
        at += n;
    }
    return at;
}

static sm_status widen(sm_recoder *r, sm_bytes in, size_t ascii, sm_error *err)
{
    const sm_status st = sm_buf_reserve(&r->text, in.len + (in.len - ascii), err);
    if (st != SM_OK) {
        return st;
    }
    uint8_t *to = r->text.data;
    memcpy(to, in.data, ascii);
    to += ascii;
    for (size_t i = ascii; i < in.len; i++) {
        const uint8_t c = in.data[i];
        if (c < 0x80) {
            *to++ = c;
        } else {
            *to++ = (uint8_t)(0xC0 | c >> 6);
            *to++ = (uint8_t)(0x80 | (c & 0x3F));
        }
    }
    r->text.len = (size_t)(to - r->text.data);
    return SM_OK;
}

static sm_status convert(sm_recoder *r, sm_bytes in, size_t *bad_at, sm_error *err)
{
    char *from = (char *)(uintptr_t)in.data; /* iconv only reads it */
    size_t left = in.len;
    (void)iconv(r->table, NULL, NULL, NULL, NULL);
    for (;;) {
        const sm_status st = sm_buf_reserve(&r->text, left * 2 + 16, err);
        if (st != SM_OK) {
            return st;
        }
        char *to = (char *)r->text.data + r->text.len;
        size_t room = r->text.capacity - r->text.len;
        const size_t got = iconv(r->table, &from, &left, &to, &room);
        const int why = errno;
        r->text.len = r->text.capacity - room;
        if (got == (size_t)-1 && why == E2BIG) {
            continue;
        }
        *bad_at = in.len - left;
        return SM_OK;
    }
}

sm_status sm_recode(sm_recoder *r, sm_bytes in, sm_bytes *out, size_t *bad_at, sm_error *err)
{
    *out = in;
    *bad_at = in.len;
    if (r->encoding == SM_ENCODING_BYTES) {
        return SM_OK;
    }
    const size_t ascii = ascii_end(in);
    if (ascii == in.len) {
        return SM_OK;
    }
    if (r->encoding == SM_ENCODING_UTF8) {
        *bad_at = utf8_end(in, ascii);
        return SM_OK;
    }
    sm_buf_clear(&r->text);
    const sm_status st =
        r->encoding == SM_ENCODING_LATIN1 ? widen(r, in, ascii, err) : convert(r, in, bad_at, err);
    *out = sm_buf_view(&r->text);
    return st;
}
