/* SPDX-License-Identifier: Apache-2.0 */
/* Split keys from a file, in one of three forms that are told apart by how the file begins:
 *
 *   lines    HBase's SPLITS_FILE: one escaped key a line, LF or CRLF
 *   printed  what the shell's get_splits prints: "Total number of splits = N", then one key a line,
 * up to a line "Took ... seconds" or "=> [...]"; what stands before it (a banner) is skipped array
 * ["", "030", "060"], with or without "=> " or "SPLITS => " before it: the value that the shell
 * shows, and what saltmill splits prints as shell and json. Within the
 * quotes \" \# and \\ stand for the second character, as Ruby writes them, and \xHH for a byte,
 * however many backslashes Ruby put before the x
 *
 * In the last two a first empty key is dropped: there it is the start of the first region. */
#include "core/fs.h"
#include "core/number.h"
#include "partitioner/split_draft.h"

/* A million keys of 256 bytes. */
enum { MOST_FILE_BYTES = 1 << 28 };

static const char total_line[] = "Total number of splits = ";

typedef struct cursor {
    sm_bytes content;
    size_t at;
    uint64_t line;    /* of the last line taken, from 1 */
    uint8_t *room;    /* where keys are unescaped to; as long as the content */
    uint8_t *scratch; /* array: a text without its Ruby escapes; as long as the content */
    bool hex;         /* lines of hexadecimal digits */
    size_t padded;    /* keys with raw blanks at an end */
    uint64_t first_padded;
} cursor;

static bool starts_with(sm_bytes text, const char *start)
{
    const size_t len = strlen(start);
    return text.len >= len && memcmp(text.data, start, len) == 0;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static bool all_blank(sm_bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_blank(text.data[i])) {
            return false;
        }
    }
    return true;
}

/* The next line without its LF or CRLF; false at the end of the file. */
static bool next_line(cursor *c, sm_bytes *line)
{
    if (c->at == c->content.len) {
        return false;
    }
    const uint8_t *start = c->content.data + c->at;
    const size_t left = c->content.len - c->at;
    const uint8_t *end = memchr(start, '\n', left);
    size_t len = end == NULL ? left : (size_t)(end - start);
    c->at += end == NULL ? len : len + 1;
    c->line++;
    if (len > 0 && start[len - 1] == '\r') {
        len--;
    }
    *line = sm_bytes_of(start, len);
    return true;
}

static int digit_of(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const int letter = c | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* Two digits a byte, in either case. */
static sm_status add_hex_line(sm_split_draft *d, cursor *c, sm_bytes line, sm_error *err)
{
    const uint64_t number = c->line;
    bool good = line.len != 0 && line.len % 2 == 0;
    for (size_t i = 0; good && i < line.len; i += 2) {
        const int high = digit_of(line.data[i]);
        const int low = digit_of(line.data[i + 1]);
        good = high >= 0 && low >= 0;
        c->room[i / 2] = (uint8_t)(good ? high * 16 + low : 0);
    }
    if (!good) {
        return sm_fail(err, SM_E_SPLITS,
                       "%s: line %llu: two hexadecimal digits for each byte of a key were "
                       "expected; for escaped keys leave --hex out",
                       d->where, (unsigned long long)number);
    }
    const sm_bytes key = sm_bytes_of(c->room, line.len / 2);
    c->room += key.len;
    return sm_split_draft_add(d, key, number, err);
}

static sm_status add_line(sm_split_draft *d, cursor *c, sm_bytes line, sm_error *err)
{
    sm_bytes key;
    if (line.len != 0 && all_blank(line)) {
        return sm_fail(err, SM_E_SPLITS,
                       "%s: line %llu holds nothing but blanks; a key of blanks is written \\x20",
                       d->where, (unsigned long long)c->line);
    }
    sm_status st = sm_split_unescape(d, line, c->line, c->room, &key, err);
    if (st != SM_OK) {
        return st;
    }
    c->room += key.len;
    if (line.data[0] == ' ' || line.data[line.len - 1] == ' ') {
        c->first_padded = c->padded == 0 ? c->line : c->first_padded;
        c->padded++;
    }
    return sm_split_draft_add(d, key, c->line, err);
}

static sm_status note_padded(sm_split_draft *d, const cursor *c, sm_error *err)
{
    if (c->padded == 0) {
        return SM_OK;
    }
    return sm_split_draft_note(d, err,
                               "%s: line %llu: a blank at an end of the key is taken as part of it "
                               "(%zu such keys); write it as \\x20, which no editor or shell drops",
                               d->where, (unsigned long long)c->first_padded, c->padded);
}

static sm_status read_lines(sm_split_draft *d, cursor *c, sm_error *err)
{
    sm_bytes line;
    while (next_line(c, &line)) {
        /* An empty first line is the start of the first region in lists of region starts. */
        if (line.len == 0 && c->line == 1) {
            continue;
        }
        const sm_status st = c->hex ? add_hex_line(d, c, line, err) : add_line(d, c, line, err);
        if (st != SM_OK) {
            return st;
        }
    }
    if (d->count == 0) {
        return sm_fail(err, SM_E_SPLITS,
                       "%s: holds no split key; for a table of one region leave 'splits' out",
                       d->where);
    }
    return SM_OK;
}

/* ---- what get_splits printed ------------------------------------------------ */

/* Moves behind the line with the total, or leaves the cursor alone and says false. */
static bool find_total(cursor *c, uint64_t *total)
{
    cursor probe = *c;
    sm_bytes line;
    while (next_line(&probe, &line)) {
        const size_t len = sizeof total_line - 1;
        if (starts_with(line, total_line) &&
            sm_parse_uint(sm_bytes_of(line.data + len, line.len - len), total)) {
            *c = probe;
            return true;
        }
    }
    return false;
}

static bool ends_listing(sm_bytes line)
{
    static const char seconds[] = " seconds";
    const size_t len = sizeof seconds - 1;
    return starts_with(line, "=> [") || (starts_with(line, "Took ") && line.len > len &&
                                         memcmp(line.data + line.len - len, seconds, len) == 0);
}

static sm_status read_printed(sm_split_draft *d, cursor *c, uint64_t total, sm_error *err)
{
    const uint64_t total_at = c->line;
    sm_bytes line;
    while (next_line(c, &line) && !ends_listing(line)) {
        if (line.len == 0 && c->line == total_at + 1) {
            continue;
        }
        const sm_status st = add_line(d, c, line, err);
        if (st != SM_OK) {
            return st;
        }
    }
    if (total != d->count + 1) {
        return sm_fail(
            err, SM_E_SPLITS,
            "%s: line %llu says %llu regions, but %zu split keys follow (%llu were expected); "
            "the file is not the whole output of get_splits",
            d->where, (unsigned long long)total_at, (unsigned long long)total, d->count,
            (unsigned long long)(total == 0 ? 0 : total - 1));
    }
    return SM_OK;
}

/* ---- the array -------------------------------------------------------------- */

static bool take(cursor *c, char wanted)
{
    if (c->at < c->content.len && c->content.data[c->at] == (uint8_t)wanted) {
        c->at++;
        return true;
    }
    return false;
}

static void skip_space(cursor *c)
{
    while (c->at < c->content.len) {
        const uint8_t byte = c->content.data[c->at];
        if (!is_blank(byte) && byte != '\n' && byte != '\r') {
            return;
        }
        c->at++;
    }
}

/* Behind the opening bracket of an array, or the cursor is left alone and false. A key of a plain
 * file may begin with a bracket too; then no quote follows it. */
static bool find_array(cursor *c)
{
    static const char option[] = "SPLITS";
    cursor probe = *c;
    skip_space(&probe);
    if (starts_with(sm_bytes_of(c->content.data + probe.at, c->content.len - probe.at), option)) {
        probe.at += sizeof option - 1;
        skip_space(&probe);
    }
    if (take(&probe, '=') && !take(&probe, '>')) {
        return false;
    }
    skip_space(&probe);
    if (!take(&probe, '[')) {
        return false;
    }
    cursor inside = probe;
    skip_space(&inside);
    if (inside.at == inside.content.len ||
        (inside.content.data[inside.at] != '"' && inside.content.data[inside.at] != ']')) {
        return false;
    }
    *c = probe;
    return true;
}

static sm_status bad_array(const sm_split_draft *d, const cursor *c, const char *expected,
                           sm_error *err)
{
    return sm_fail(err, SM_E_SPLITS, "%s: byte %zu of the list: %s was expected", d->where,
                   c->at + 1, expected);
}

/* A quoted text, its Ruby escapes undone, into the scratch; \xHH stays as it is. */
static sm_status take_quoted(const sm_split_draft *d, cursor *c, sm_bytes *text, sm_error *err)
{
    uint8_t *out = c->scratch;
    if (!take(c, '"')) {
        return bad_array(d, c, "a key in double quotes", err);
    }
    while (c->at < c->content.len && c->content.data[c->at] != '"') {
        const uint8_t byte = c->content.data[c->at++];
        const uint8_t next = c->at < c->content.len ? c->content.data[c->at] : 0;
        if (byte == '\\' && (next == '\\' || next == '"' || next == '#')) {
            *out++ = next;
            c->at++;
        } else {
            *out++ = byte;
        }
    }
    *text = sm_bytes_of(c->scratch, (size_t)(out - c->scratch));
    return take(c, '"') ? SM_OK : bad_array(d, c, "the closing quote", err);
}

static sm_status take_item(sm_split_draft *d, cursor *c, uint64_t number, sm_error *err)
{
    sm_bytes text;
    sm_bytes key;
    sm_status st = take_quoted(d, c, &text, err);
    if (st != SM_OK || (text.len == 0 && number == 1)) {
        return st;
    }
    st = sm_split_unescape(d, text, number, c->room, &key, err);
    if (st != SM_OK) {
        return st;
    }
    c->room += key.len;
    return sm_split_draft_add(d, key, number, err);
}

static sm_status read_array(sm_split_draft *d, cursor *c, sm_error *err)
{
    d->unit = "entry";
    c->scratch = sm_arena_get(d->arena, c->content.len);
    if (c->scratch == NULL) {
        return sm_fail_memory(err, c->content.len, d->where);
    }
    skip_space(c);
    bool more = !take(c, ']');
    for (uint64_t number = 1; more; number++) {
        const sm_status st = take_item(d, c, number, err);
        if (st != SM_OK) {
            return st;
        }
        skip_space(c);
        more = take(c, ',');
        if (!more && !take(c, ']')) {
            return bad_array(d, c, "a comma or the closing bracket", err);
        }
        skip_space(c);
    }
    skip_space(c);
    return c->at == c->content.len ? SM_OK : bad_array(d, c, "the end of the file", err);
}

sm_status sm_split_from_file(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
{
    cursor c = {.hex = spec->hex};
    sm_status st = sm_fs_read_whole(spec->path, MOST_FILE_BYTES, d->arena, &c.content, err);
    if (st != SM_OK) {
        return st;
    }
    d->where = spec->path;
    d->unit = "line";
    c.room = sm_arena_get(d->arena, c.content.len);
    if (c.room == NULL) {
        return sm_fail_memory(err, c.content.len, spec->path);
    }
    uint64_t total = 0;
    if (c.hex) {
        st = read_lines(d, &c, err);
    } else if (find_array(&c)) {
        st = read_array(d, &c, err);
    } else if (find_total(&c, &total)) {
        st = read_printed(d, &c, total, err);
    } else {
        st = read_lines(d, &c, err);
    }
    return st == SM_OK ? note_padded(d, &c, err) : st;
}
