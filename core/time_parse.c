/* SPDX-License-Identifier: Apache-2.0 */
/* Text to time with a compiled format: the steps, the specialised parsers, and the way from fields
 * to an instant. Nothing here writes to the format. Compiling lives in time_format.c. */
#include "core/endian.h"
#include "core/time_steps.h"

/* Epoch values are held below this: larger ones are out of range in any unit, and x1000 still fits.
 */
static const int64_t epoch_limit = INT64_C(1000000000000000);

/* ---- steps ------------------------------------------------------------------------------ */

static bool is_digit(uint8_t c)
{
    return (unsigned)c - '0' <= 9;
}

bool sm_time_read_number(const sm_time_step *s, sm_time_reader *r)
{
    int32_t v = 0;
    unsigned n = 0;
    while (n < s->max_digits && r->p < r->end && is_digit(*r->p)) {
        v = v * 10 + (*r->p++ - '0');
        n++;
    }
    if (n < s->min_digits) {
        return false;
    }
    r->value[s->field] = v;
    if ((v < s->low || v > s->high) && r->unfit == SM_REJECT_NONE) {
        r->unfit = s->field == SM_TIME_YEAR ? SM_REJECT_TIME_RANGE : SM_REJECT_NO_SUCH_DATE;
    }
    return true;
}

/* %e: "7", "07" or " 7". */
bool sm_time_read_blank_padded(const sm_time_step *s, sm_time_reader *r)
{
    sm_time_step digits = *s;
    if (r->p < r->end && *r->p == ' ') {
        r->p++;
        digits.max_digits = 1;
    }
    return sm_time_read_number(&digits, r);
}

bool sm_time_read_text(const sm_time_step *s, sm_time_reader *r)
{
    for (size_t i = 0; i < s->text_len; i++) {
        if (r->p == r->end || *r->p != s->text[i]) {
            return false;
        }
        r->p++;
    }
    return true;
}

/* One of several bytes. */
bool sm_time_read_choice(const sm_time_step *s, sm_time_reader *r)
{
    if (r->p == r->end || memchr(s->text, *r->p, s->text_len) == NULL) {
        return false;
    }
    r->p++;
    return true;
}

static bool accept_word(sm_time_reader *r, const char *lower, size_t len)
{
    if ((size_t)(r->end - r->p) < len) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if ((r->p[i] | 0x20) != (uint8_t)lower[i]) {
            return false;
        }
    }
    r->p += len;
    return true;
}

/* max_digits: letters that count, so that one function serves %b and %B. */
bool sm_time_read_month_name(const sm_time_step *s, sm_time_reader *r)
{
    static const char names[12][10] = {"january",   "february", "march",    "april",
                                       "may",       "june",     "july",     "august",
                                       "september", "october",  "november", "december"};
    for (int32_t i = 0; i < 12; i++) {
        const size_t len = strlen(names[i]);
        if (accept_word(r, names[i], len < s->max_digits ? len : s->max_digits)) {
            r->value[SM_TIME_MONTH] = i + 1;
            return true;
        }
    }
    return false;
}

bool sm_time_read_half(const sm_time_step *s, sm_time_reader *r)
{
    const bool pm = accept_word(r, "pm", 2);
    if (!pm && !accept_word(r, "am", 2)) {
        return false;
    }
    r->value[s->field] = pm;
    return true;
}

bool sm_time_read_fraction(const sm_time_step *s, sm_time_reader *r)
{
    static const int32_t scale[10] = {0,     100000000, 10000000, 1000000, 100000,
                                      10000, 1000,      100,      10,      1};
    if (s->optional) {
        if (r->p == r->end || *r->p != s->text[0]) {
            return true;
        }
        r->p++;
    }
    const uint8_t *start = r->p;
    if (!sm_time_read_number(s, r)) {
        return false;
    }
    r->value[SM_TIME_NANO] *= scale[r->p - start];
    return true;
}

/* Two digits below a limit, as number. */
static bool accept_pair(sm_time_reader *r, int32_t high, int32_t *out)
{
    if (r->end - r->p < 2 || !is_digit(r->p[0]) || !is_digit(r->p[1])) {
        return false;
    }
    *out = (r->p[0] - '0') * 10 + (r->p[1] - '0');
    if (*out > high) {
        return false;
    }
    r->p += 2;
    return true;
}

/* The sign holds for hours and minutes. */
bool sm_time_read_offset(const sm_time_step *s, sm_time_reader *r)
{
    const uint8_t c = r->p < r->end ? *r->p : 0;
    const bool sign = c == '+' || c == '-';
    if (!sign && c != 'Z' && c != 'z') {
        return s->optional;
    }
    r->p++;
    r->has_offset = true;
    if (!sign) {
        return true;
    }
    int32_t hours = 0;
    int32_t minutes = 0;
    if (!accept_pair(r, 23, &hours)) {
        return false;
    }
    const bool colon = r->p < r->end && *r->p == ':';
    if (colon || (r->p < r->end && is_digit(*r->p))) {
        r->p += colon ? 1 : 0;
        if (!accept_pair(r, 59, &minutes)) {
            return false;
        }
    }
    r->value[s->field] = (c == '-' ? -1 : 1) * (hours * 60 + minutes) * 60;
    return true;
}

bool sm_time_read_abbreviation(const sm_time_step *s, sm_time_reader *r)
{
    (void)s;
    if (r->end - r->p < 3 || (memcmp(r->p, "UTC", 3) != 0 && memcmp(r->p, "GMT", 3) != 0)) {
        return false;
    }
    r->p += 3;
    r->has_offset = true;
    return true;
}

static void read_sign(sm_time_reader *r)
{
    if (r->p < r->end && (*r->p == '-' || *r->p == '+')) {
        r->negative = *r->p == '-';
        r->p++;
    }
}

bool sm_time_read_epoch(const sm_time_step *s, sm_time_reader *r)
{
    (void)s;
    read_sign(r);
    const uint8_t *start = r->p;
    while (r->p < r->end && is_digit(*r->p)) {
        r->epoch = r->epoch * 10 + (*r->p++ - '0');
        r->epoch = r->epoch > epoch_limit ? epoch_limit : r->epoch;
    }
    return r->p != start;
}

/* ---- from fields to an instant ---------------------------------------------------------- */

static sm_reject finish(int64_t ms, sm_time_result *out)
{
    if (ms < SM_TIME_MIN || ms > SM_TIME_MAX) {
        return SM_REJECT_TIME_RANGE;
    }
    out->ms = ms;
    return SM_REJECT_NONE;
}

/* magnitude in ms; rest: there was more than whole ms, so that negative times floor one down. */
static sm_reject finish_epoch(int64_t magnitude, bool rest, bool negative, sm_time_result *out)
{
    return finish(negative ? -magnitude - (rest ? 1 : 0) : magnitude, out);
}

static sm_reject finish_local(const sm_time_format *f, int64_t local_ms, sm_time_result *out)
{
    if (f->zone == NULL) {
        return finish(local_ms, out);
    }
    int64_t first = 0;
    int64_t second = 0;
    const sm_local_kind kind = sm_zone_to_instant(f->zone, local_ms, &first, &second);
    if (SM_LIKELY(kind == SM_LOCAL_ONCE)) {
        return finish(first, out);
    }
    const bool twice = kind == SM_LOCAL_TWICE;
    out->was_repeated = twice;
    out->was_missing = !twice;
    const sm_local_policy policy = twice ? f->repeated : f->missing;
    if (policy == SM_LOCAL_REJECT) {
        return twice ? SM_REJECT_TIME_AMBIGUOUS : SM_REJECT_TIME_MISSING;
    }
    const bool ascending = first <= second;
    return finish((policy == SM_LOCAL_EARLIEST) == ascending ? first : second, out);
}

/* Month and day of a day of the year. */
static sm_reject split_day_of_year(sm_civil *c, int32_t day)
{
    for (c->month = 1; c->month <= 12; c->month++) {
        const int32_t length = (int32_t)sm_days_in_month(c->year, c->month);
        if (day <= length) {
            c->day = (uint8_t)day;
            return SM_REJECT_NONE;
        }
        day -= length;
    }
    return SM_REJECT_NO_SUCH_DATE;
}

static sm_reject civil_of(const sm_time_format *f, const sm_time_reader *r, int64_t *local_ms)
{
    const int32_t *v = r->value;
    sm_civil c = {.year = v[SM_TIME_YEAR],
                  .month = (uint8_t)v[SM_TIME_MONTH],
                  .day = (uint8_t)v[SM_TIME_DAY],
                  .hour = (uint8_t)v[SM_TIME_HOUR],
                  .minute = (uint8_t)v[SM_TIME_MINUTE],
                  .second = (uint8_t)v[SM_TIME_SECOND]};
    if (sm_time_gives(f, SM_TIME_YEAR_OF_CENTURY)) {
        c.year = f->pivot + (v[SM_TIME_YEAR_OF_CENTURY] - f->pivot % 100 + 100) % 100;
    }
    if (sm_time_gives(f, SM_TIME_HOUR_OF_HALF)) {
        c.hour = (uint8_t)(v[SM_TIME_HOUR_OF_HALF] % 12 + v[SM_TIME_HALF] * 12);
    }
    if (sm_time_gives(f, SM_TIME_DAY_OF_YEAR) &&
        split_day_of_year(&c, v[SM_TIME_DAY_OF_YEAR]) != SM_REJECT_NONE) {
        return SM_REJECT_NO_SUCH_DATE;
    }
    if (!sm_civil_valid(&c)) {
        return SM_REJECT_NO_SUCH_DATE;
    }
    *local_ms = sm_civil_to_ms(&c);
    return SM_REJECT_NONE;
}

static sm_reject conclude(const sm_time_format *f, const sm_time_reader *r, sm_time_result *out)
{
    const int32_t nano = r->value[SM_TIME_NANO];
    if (sm_time_gives(f, SM_TIME_EPOCH)) {
        return finish_epoch(r->epoch * 1000 + nano / 1000000, nano % 1000000 != 0, r->negative,
                            out);
    }
    int64_t local_ms = r->whole_ms;
    const sm_reject reject = r->has_whole ? SM_REJECT_NONE : civil_of(f, r, &local_ms);
    if (reject != SM_REJECT_NONE) {
        return reject;
    }
    local_ms += nano / 1000000;
    if (r->has_offset) {
        return finish(local_ms - (int64_t)r->value[SM_TIME_OFFSET] * 1000, out);
    }
    return finish_local(f, local_ms, out);
}

/* ---- the three ways to parse ------------------------------------------------------------ */

static inline unsigned pair_at(uint64_t word, unsigned byte)
{
    return (unsigned)(word >> (8 * byte) & 0xFF) * 10 + (unsigned)(word >> (8 * byte + 8) & 0xFF);
}

/* True when each byte of word (text XOR template) is at most 9 where `slack` has 0x76, and 0 where
 * it has 0x7F: then nothing reaches bit 7. A byte with bit 7 set shows in the word itself. */
static inline bool fits(uint64_t word, uint64_t slack)
{
    return (((word + slack) | word) & UINT64_C(0x8080808080808080)) == 0;
}

/* "2024-06-10 08:15:00" with any separators, 8 bytes at a time:
 *   head "2024-06-"  middle "10 08:15"  tail "08:15:00"
 * False whenever something is off: the steps then find out what. */
static inline bool read_fixed(const sm_time_format *f, const uint8_t *p, int64_t *local_ms)
{
    const uint64_t head = sm_load_le64(p) ^ f->head;
    const uint64_t middle = sm_load_le64(p + 8) ^ f->middle;
    const uint64_t tail = sm_load_le64(p + 11) ^ f->tail;
    if (!fits(head, UINT64_C(0x7F76767F76767676)) || !fits(middle, UINT64_C(0x76767F76767F7676)) ||
        !fits(tail, UINT64_C(0x76767F76767F7676))) {
        return false;
    }
    const int32_t year = (int32_t)(pair_at(head, 0) * 100 + pair_at(head, 2));
    const unsigned month = pair_at(head, 5);
    const unsigned day = pair_at(middle, 0);
    const unsigned hour = pair_at(middle, 3);
    const unsigned minute = pair_at(middle, 6);
    const unsigned second = pair_at(tail, 6);
    if (year == 0 || month - 1 > 11 || day - 1 > 30 || hour > 23 || minute > 59 || second > 59 ||
        (day > 28 && day > sm_days_in_month(year, month))) {
        return false;
    }
    const int64_t of_day = (int64_t)((hour * 60 + minute) * 60 + second) * 1000;
    *local_ms = sm_days_from_civil(year, month, day) * INT64_C(86400000) + of_day;
    return true;
}

sm_reject sm_time_parse_steps(const sm_time_format *f, sm_bytes text, sm_time_result *out)
{
    sm_time_reader r;
    memset(&r, 0, sizeof r);
    r.p = text.data;
    r.end = text.data + text.len;
    size_t i = 0;
    if (f->fixed && text.len >= SM_TIME_FIXED_TEXT && read_fixed(f, text.data, &r.whole_ms)) {
        r.has_whole = true;
        r.p += SM_TIME_FIXED_TEXT;
        i = SM_TIME_FIXED_STEPS;
    }
    for (; i < f->count; i++) {
        if (!f->steps[i].read(&f->steps[i], &r)) {
            out->bad_at = (size_t)(r.p - text.data);
            return SM_REJECT_NOT_TIME;
        }
    }
    if (r.p != r.end) {
        out->bad_at = (size_t)(r.p - text.data);
        return SM_REJECT_NOT_TIME;
    }
    return r.unfit == SM_REJECT_NONE ? conclude(f, &r, out) : r.unfit;
}

sm_reject sm_time_parse_fixed(const sm_time_format *f, sm_bytes text, sm_time_result *out)
{
    int64_t local_ms = 0;
    if (SM_LIKELY(text.len == SM_TIME_FIXED_TEXT && read_fixed(f, text.data, &local_ms))) {
        return finish_local(f, local_ms, out);
    }
    return sm_time_parse_steps(f, text, out);
}

static void skip_digits(sm_time_reader *r)
{
    while (r->p < r->end && is_digit(*r->p)) {
        r->p++;
    }
}

/* The first `wanted` of the digits start ... end, zeros appended if there are fewer; the point is
 * passed over. *rest: something other than zeros was left. */
static int64_t first_digits(const uint8_t *start, const uint8_t *end, int64_t wanted, bool *rest)
{
    int64_t value = 0;
    for (const uint8_t *p = start; p < end; p++) {
        if (*p == '.') {
            continue;
        }
        if (wanted-- <= 0) {
            *rest = *rest || *p != '0';
        } else if (value < epoch_limit) {
            value = value * 10 + (*p - '0');
        }
    }
    for (; wanted > 0 && value < epoch_limit; wanted--) {
        value *= 10;
    }
    return value;
}

/* Digits before the place of the ms make the value, the others only say whether something is left:
 *   epoch_s  12.3456   ->  12345 | 6        epoch_us  1234567  ->  1234 | 567 */
sm_reject sm_time_parse_epoch(const sm_time_format *f, sm_bytes text, sm_time_result *out)
{
    sm_time_reader r = {.p = text.data, .end = text.data + text.len};
    read_sign(&r);
    const uint8_t *start = r.p;
    skip_digits(&r);
    const int64_t whole = r.p - start;
    if (whole != 0 && f->epoch_fraction && r.p < r.end && *r.p == '.') {
        r.p++;
        skip_digits(&r);
    }
    if (r.p != r.end || whole == 0 || r.p[-1] == '.') {
        out->bad_at = (size_t)(r.p - text.data);
        return SM_REJECT_NOT_TIME;
    }
    bool rest = false;
    const int64_t magnitude = first_digits(start, r.end, whole + f->epoch_shift, &rest);
    return finish_epoch(magnitude, rest, r.negative, out);
}

sm_reject sm_time_parse(const sm_time_format *f, sm_bytes text, sm_time_result *out)
{
    static const uint8_t nothing[1] = {0};
    *out = (sm_time_result){0};
    if (text.data == NULL) {
        text = sm_bytes_of(nothing, 0);
    }
    return f->parse(f, text, out);
}
