/* SPDX-License-Identifier: Apache-2.0 */
/* The record framer: a state machine that jumps from one special byte (LF, CR, quote, escape) to
 * the next. Delimiters are looked at only next to a quote, which keeps the search for slice borders
 * near the speed of memory: whether a quote opens a field is decided by the bytes in front of it.
 */
#include "ingest/csv_frame.h"

#include "ingest/encoding.h"
#include "ingest/scan_set.h"

#include <string.h>

static bool in_delimiter(const sm_csv_frame *f, int byte)
{
    return byte >= 0 && memchr(f->delimiter, byte, f->delimiter_len) != NULL;
}

static bool is_line_end(int byte)
{
    return byte == '\n' || byte == '\r';
}

static sm_status check_dialect(const sm_csv_frame *f, sm_error *err)
{
    if (in_delimiter(f, '\n') || in_delimiter(f, '\r') || is_line_end(f->quote) ||
        is_line_end(f->escape) || is_line_end(f->comment)) {
        return sm_fail(err, SM_E_JOB,
                       "input.csv: LF and CR end lines and cannot be delimiter, quote, "
                       "escape or comment");
    }
    if (in_delimiter(f, f->quote)) {
        return sm_fail(
            err, SM_E_JOB,
            "input.csv: the quote byte is part of the delimiter; set quote: none or another one");
    }
    if (in_delimiter(f, f->escape)) {
        return sm_fail(err, SM_E_JOB, "input.csv: the escape byte is part of the delimiter");
    }
    if (f->comment >= 0 && (f->comment == f->quote || f->comment == f->delimiter[0])) {
        return sm_fail(err, SM_E_JOB,
                       "input.csv: a comment cannot start with the quote or the delimiter");
    }
    return SM_OK;
}

sm_status sm_csv_frame_init(sm_csv_frame *f, const sm_csv_dialect *dialect, uint64_t limit,
                            sm_error *err)
{
    *f = (sm_csv_frame){.quote = dialect->quote,
                        .escape = dialect->escape == dialect->quote ? -1 : dialect->escape,
                        .comment = dialect->comment,
                        .limit = limit};
    const size_t len = dialect->delimiter.len;
    if (len == 0 || len > SM_CSV_DELIMITER_MAX) {
        return sm_fail(err, SM_E_JOB, "input.csv.delimiter must have 1 to %d bytes, but has %zu",
                       SM_CSV_DELIMITER_MAX, len);
    }
    memcpy(f->delimiter, dialect->delimiter.data, len);
    f->delimiter_len = len;
    f->odd = len > 1 || f->escape >= 0;
    f->special[0] = '\n';
    f->special[1] = '\r';
    f->special[2] = f->quote < 0 ? '\n' : (uint8_t)f->quote;
    f->special[3] = f->escape < 0 ? '\n' : (uint8_t)f->escape;
    return check_dialect(f, err);
}

static bool delimiter_at(const sm_csv_frame *f, const uint8_t *p, size_t len)
{
    return len >= f->delimiter_len && p[0] == f->delimiter[0] &&
           memcmp(p, f->delimiter, f->delimiter_len) == 0;
}

/* End of the unquoted field that starts at pos: the next delimiter that no escape covers, or len.
 */
static size_t unquoted_end(const sm_csv_frame *f, const uint8_t *data, size_t pos, size_t len)
{
    if (f->escape < 0 && f->delimiter_len == 1 && !f->gb18030) {
        const uint8_t *hit = pos < len ? memchr(data + pos, f->delimiter[0], len - pos) : NULL;
        return hit == NULL ? len : (size_t)(hit - data);
    }
    while (pos < len) {
        if (data[pos] == f->escape) {
            pos += 2;
        } else if (delimiter_at(f, data + pos, len - pos)) {
            return pos;
        } else {
            pos += f->gb18030 ? sm_gb18030_length(data + pos, len - pos) : 1;
        }
    }
    return len;
}

/* The quote at p, outside quotes: does it open a field? With a one-byte delimiter and no escape the
 * byte in front decides. Otherwise the fields up to here are walked, each byte once. */
static bool opens_field(const sm_csv_frame *f, sm_scan *s, const uint8_t *data, size_t p)
{
    if (!f->odd && !f->gb18030) {
        return data[p - 1] == f->delimiter[0];
    }
    while (s->walked < p) {
        /* No delimiter holds a quote, so none that begins before p ends behind it. */
        s->walked = unquoted_end(f, data, s->walked, p);
        if (s->walked < p) {
            s->walked += f->delimiter_len;
            s->field_at = s->walked;
        }
    }
    return s->field_at == p;
}

static void begin_field(sm_scan *s, size_t pos)
{
    s->state = SM_SCAN_PLAIN;
    s->pos = pos;
    s->field_at = pos;
    s->walked = pos;
}

static sm_found finish(sm_scan *s, size_t end, size_t terminator, sm_span *out)
{
    *out = (sm_span){.start = s->start,
                     .content = end - s->start,
                     .len = end - s->start + terminator,
                     .bad_at = s->bad_at,
                     .lines = s->lines + 1,
                     .kind = SM_SPAN_RECORD,
                     .quoted = s->quoted,
                     .bad = s->bad};
    if (s->comment) {
        out->kind = SM_SPAN_COMMENT;
    } else if (out->content == 0) {
        out->kind = SM_SPAN_BLANK;
    }
    *s = (sm_scan){.pos = end + terminator, .start = end + terminator};
    return SM_FOUND_SPAN;
}

static sm_found finish_at_terminator(sm_scan *s, sm_window w, size_t p, sm_span *out)
{
    if (w.data[p] == '\n') {
        return finish(s, p, 1, out);
    }
    if (p + 1 == w.len && !w.at_end) {
        s->pos = p; /* a CR: perhaps its LF comes next */
        return SM_FOUND_MORE;
    }
    return finish(s, p, p + 1 < w.len && w.data[p + 1] == '\n' ? 2 : 1, out);
}

/* Comments, malformed and over-long records: up to the end of the physical line. */
static sm_found scan_rest(const sm_csv_frame *f, sm_scan *s, sm_window w, sm_span *out)
{
    static const uint8_t line_ends[4] = {'\n', '\r', '\n', '\r'};
    const sm_scan_set set = sm_scan_set_of(line_ends);
    const size_t p = sm_scan_first(&set, w.data, s->pos, w.len);
    if (p - s->start > f->limit) {
        s->bad = SM_REJECT_RECORD_SIZE;
    }
    s->pos = p;
    if (p < w.len) {
        return finish_at_terminator(s, w, p, out);
    }
    return w.at_end ? finish(s, p, 0, out) : SM_FOUND_MORE;
}

/* What one step of the loop came to. */
typedef enum step { STEP_ON, STEP_MORE, STEP_DONE, STEP_OPEN } step;

/* Outcome of scan_rest in the loop's terms. */
static step rest_of_line(const sm_csv_frame *f, sm_scan *s, sm_window w, sm_span *out)
{
    s->state = SM_SCAN_REST;
    return scan_rest(f, s, w, out) == SM_FOUND_SPAN ? STEP_DONE : STEP_MORE;
}

/* An escape at p covers the next byte. An escaped LF, and a CR that no LF follows, end a physical
 * line. */
static step escaped(sm_scan *s, sm_window w, size_t p)
{
    s->pos = p;
    if (p + 1 == w.len) {
        s->pos = w.at_end ? p + 1 : p;
        return w.at_end ? STEP_ON : STEP_MORE;
    }
    const uint8_t c = w.data[p + 1];
    if (c == '\r' && p + 2 == w.len && !w.at_end) {
        return STEP_MORE;
    }
    if (c == '\n' || (c == '\r' && (p + 2 == w.len || w.data[p + 2] != '\n'))) {
        s->lines++;
    }
    s->pos = p + 2;
    return STEP_ON;
}

/* A special byte at p, outside quotes. */
static step plain_byte(const sm_csv_frame *f, sm_scan *s, sm_window w, size_t p, sm_span *out)
{
    const uint8_t c = w.data[p];
    if (is_line_end(c)) {
        return finish_at_terminator(s, w, p, out) == SM_FOUND_SPAN ? STEP_DONE : STEP_MORE;
    }
    if (c == f->escape) {
        return escaped(s, w, p);
    }
    if (opens_field(f, s, w.data, p)) {
        s->state = SM_SCAN_QUOTED;
        s->quote_at = p;
        s->quoted = true;
    }
    s->pos = p + 1;
    return STEP_ON;
}

/* The byte behind the quote at p, inside quotes: a second quote, or the end of the field. */
static step quote_byte(const sm_csv_frame *f, sm_scan *s, sm_window w, size_t p, sm_span *out)
{
    s->pos = p;
    const size_t next = p + 1;
    if (next == w.len) {
        if (w.at_end) {
            begin_field(s, next);
        }
        return w.at_end ? STEP_ON : STEP_MORE;
    }
    if (w.data[next] == f->quote) {
        s->pos = next + 1;
        return STEP_ON;
    }
    if (is_line_end(w.data[next])) {
        begin_field(s, next);
        return STEP_ON;
    }
    if (delimiter_at(f, w.data + next, w.len - next)) {
        begin_field(s, next + f->delimiter_len);
        return STEP_ON;
    }
    const size_t rest = w.len - next;
    if (rest < f->delimiter_len && !w.at_end && memcmp(w.data + next, f->delimiter, rest) == 0) {
        return STEP_MORE;
    }
    s->bad = SM_REJECT_TEXT_AFTER_QUOTE;
    s->bad_at = next;
    s->pos = next;
    return rest_of_line(f, s, w, out);
}

/* A special byte at p, inside quotes. */
static step quoted_byte(const sm_csv_frame *f, sm_scan *s, sm_window w, size_t p, sm_span *out)
{
    const uint8_t c = w.data[p];
    if (c == f->quote) {
        return quote_byte(f, s, w, p, out);
    }
    if (c == f->escape) {
        return escaped(s, w, p);
    }
    s->pos = p;
    if (c == '\r' && p + 1 == w.len && !w.at_end) {
        return STEP_MORE;
    }
    /* Of CRLF only the LF is counted. */
    s->lines += c == '\n' || p + 1 == w.len || w.data[p + 1] != '\n';
    s->pos = p + 1;
    return STEP_ON;
}

/* Nothing before p ends the record: is that too much? A record may have `limit` bytes, so outside
 * quotes the terminator may stand right behind them; inside quotes the closing quote would be one
 * byte more. */
static bool past_limit(const sm_csv_frame *f, const sm_scan *s, size_t p)
{
    const size_t content = p - s->start;
    return content > f->limit || (content == f->limit && s->state == SM_SCAN_QUOTED);
}

/* The window ends, or the limit is passed, at p. */
static step no_special(const sm_csv_frame *f, sm_scan *s, sm_window w, size_t p, sm_span *out)
{
    s->pos = p;
    if (s->state == SM_SCAN_QUOTED) {
        return past_limit(f, s, p) || w.at_end ? STEP_OPEN : STEP_MORE;
    }
    if (past_limit(f, s, p)) {
        return rest_of_line(f, s, w, out);
    }
    if (!w.at_end) {
        return STEP_MORE;
    }
    (void)finish(s, p, 0, out);
    return STEP_DONE;
}

/* The loop of sm_csv_next: from special byte to special byte until the record ends. */
static step scan_record(const sm_csv_frame *f, sm_scan *s, sm_window w, sm_span *out)
{
    const sm_scan_set set = sm_scan_set_of(f->special);
    step now = STEP_ON;
    while (now == STEP_ON) {
        const size_t p = sm_scan_first(&set, w.data, s->pos, w.len);
        if (SM_UNLIKELY(p == w.len || past_limit(f, s, p))) {
            now = no_special(f, s, w, p, out);
        } else if (s->state == SM_SCAN_PLAIN) {
            now = plain_byte(f, s, w, p, out);
        } else {
            now = quoted_byte(f, s, w, p, out);
        }
    }
    return now;
}

static void begin_span(const sm_csv_frame *f, sm_scan *s, uint8_t first)
{
    begin_field(s, s->pos);
    if (first == f->comment) {
        s->comment = true;
        s->state = SM_SCAN_REST;
    } else if (first == f->quote) {
        s->state = SM_SCAN_QUOTED;
        s->quoted = true;
        s->quote_at = s->pos;
        s->pos++;
    }
}

sm_found sm_csv_next(const sm_csv_frame *f, sm_scan *s, sm_window w, sm_span *out)
{
    if (s->state == SM_SCAN_START) {
        if (s->pos == w.len) {
            return SM_FOUND_MORE;
        }
        begin_span(f, s, w.data[s->pos]);
    }
    if (s->state == SM_SCAN_REST) {
        return scan_rest(f, s, w, out);
    }
    switch (scan_record(f, s, w, out)) {
    case STEP_DONE: return SM_FOUND_SPAN;
    case STEP_OPEN: return SM_FOUND_OPEN_QUOTE;
    default: return SM_FOUND_MORE;
    }
}

/* Offset of the closing quote of a field whose text starts at pos; len when it is missing. */
static size_t closing_quote(const sm_csv_frame *f, const uint8_t *data, size_t pos, size_t len)
{
    while (pos < len) {
        if (data[pos] == f->escape) {
            pos += 2;
        } else if (data[pos] != f->quote) {
            pos++;
        } else if (pos + 1 < len && data[pos + 1] == f->quote) {
            pos += 2;
        } else {
            return pos;
        }
    }
    return len;
}

size_t sm_csv_cut_fields(const sm_csv_frame *f, sm_bytes record, sm_csv_cut *out, size_t room)
{
    size_t count = 0;
    size_t pos = 0;
    for (;;) {
        sm_csv_cut cut = {.start = pos};
        size_t end = pos;
        if (pos < record.len && record.data[pos] == f->quote) {
            cut.quoted = true;
            cut.start = pos + 1;
            end = closing_quote(f, record.data, cut.start, record.len);
            cut.len = end - cut.start;
            end += end < record.len;
        } else {
            end = unquoted_end(f, record.data, pos, record.len);
            cut.len = end - cut.start;
        }
        if (count < room) {
            out[count] = cut;
        }
        count++;
        if (record.len - end < f->delimiter_len) {
            return count;
        }
        pos = end + f->delimiter_len;
    }
}
