/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of format_ts: from a text that a pattern printed to the earliest time that prints so.
 *
 *   "%Y%m"       "202109"     ->  2021-09-01T00:00 in the function's zone: a guess
 *   "%d%H%M%S"   "12041225"   ->  nothing, but "32041225" is no such time
 *   "%s%f"       "1631419945000"  ->  that very time
 *
 * The pattern was checked when the key was compiled, so all its conversions are known here. */
#include "core/time.h"
#include "partitioner/keyinvert.h"

enum { TEXT_MAX = 8192, MS_PER_S = 1000, EPOCH_DIGITS = 12 };

/* From the coarsest on: a time is known down to the first that is missing. */
typedef enum clock_part {
    PART_YEAR,
    PART_MONTH,
    PART_DAY,
    PART_HOUR,
    PART_MINUTE,
    PART_SECOND,
    PART_MILLI,
    PART_CENTURY_YEAR,
    PART_YEAR_DAY,
    PART_OFFSET, /* seconds east of UTC */
    PART_EPOCH,  /* s */
    PART_COUNT
} clock_part;

typedef struct clock_text {
    const uint8_t *at, *end;        /* text not read yet */
    const uint8_t *pattern, *after; /* the same of the pattern, behind the conversion */
    int64_t value[PART_COUNT];
    bool has[PART_COUNT];
    bool unclear; /* two conversions of unknown width stand together */
} clock_text;

/* A part that is printed twice says the same twice. */
static bool note(clock_text *c, clock_part part, int64_t v)
{
    if (c->has[part] && c->value[part] != v) {
        return false;
    }
    c->has[part] = true;
    c->value[part] = v;
    return true;
}

static bool read_digits(clock_text *c, size_t width, int64_t *out)
{
    *out = 0;
    if ((size_t)(c->end - c->at) < width) {
        return false;
    }
    for (size_t i = 0; i < width; i++, c->at++) {
        if (*c->at < '0' || *c->at > '9') {
            return false;
        }
        *out = *out * 10 + (*c->at - '0');
    }
    return true;
}

static bool read_number(clock_text *c, clock_part part, size_t width, int64_t low, int64_t high)
{
    int64_t v = 0;
    return read_digits(c, width, &v) && v >= low && v <= high && note(c, part, v);
}

static bool read_month_name(clock_text *c, bool whole)
{
    static const char *const NAMES[12] = {"January",   "February", "March",    "April",
                                          "May",       "June",     "July",     "August",
                                          "September", "October",  "November", "December"};
    for (int m = 0; m < 12; m++) {
        const size_t len = whole ? strlen(NAMES[m]) : 3;
        if ((size_t)(c->end - c->at) >= len && memcmp(c->at, NAMES[m], len) == 0) {
            c->at += len;
            return note(c, PART_MONTH, m + 1);
        }
    }
    return false;
}

/* What follows in the pattern begins with no digit, so that digits end before it. */
static bool digits_end_here(const uint8_t *pattern, const uint8_t *after)
{
    return pattern == after || (*pattern != '%' && (*pattern < '0' || *pattern > '9'));
}

static bool read_literal(clock_text *c, uint8_t byte)
{
    return c->at != c->end && *c->at++ == byte;
}

static bool read_two(clock_text *c, bool colon, int64_t *out)
{
    return (!colon || read_literal(c, ':')) && read_digits(c, 2, out);
}

static bool begins_with_digit(const clock_text *c)
{
    return c->at != c->end && *c->at >= '0' && *c->at <= '9';
}

/* +hhmm or +hh:mm, with seconds behind when the offset has any. */
static bool read_offset(clock_text *c, bool colon)
{
    int64_t part[3] = {0, 0, 0};
    const bool colon_behind = colon && c->pattern != c->after && *c->pattern == ':';
    c->unclear |= !digits_end_here(c->pattern, c->after) || colon_behind;
    if (c->at == c->end || (*c->at != '+' && *c->at != '-')) {
        return false;
    }
    const int64_t sign = *c->at++ == '-' ? -1 : 1;
    if (!read_two(c, false, &part[0]) || !read_two(c, colon, &part[1])) {
        return false;
    }
    const bool more = colon ? c->at != c->end && *c->at == ':' : begins_with_digit(c);
    if (more && !c->unclear && !read_two(c, colon, &part[2])) {
        return false;
    }
    return note(c, PART_OFFSET, sign * ((part[0] * 60 + part[1]) * 60 + part[2]));
}

/* "%s", perhaps with "%f" right behind it: then its last three digits are that one's. */
static bool read_epoch(clock_text *c)
{
    const bool milli = c->after - c->pattern >= 2 && c->pattern[0] == '%' &&
                       (c->pattern[1] == 'f' || c->pattern[1] == 'L');
    c->unclear |= !digits_end_here(c->pattern + (milli ? 2 : 0), c->after);
    const bool minus = c->at != c->end && *c->at == '-';
    c->at += minus;
    size_t count = 0;
    while (c->at + count < c->end && c->at[count] >= '0' && c->at[count] <= '9') {
        count++;
    }
    int64_t v = 0;
    const size_t own = milli && count >= 3 ? count - 3 : count;
    return own > 0 && own <= EPOCH_DIGITS && read_digits(c, own, &v) &&
           note(c, PART_EPOCH, minus ? -v : v);
}

static bool read_date(clock_text *c)
{
    return read_number(c, PART_YEAR, 4, 1, 9999) && read_literal(c, '-') &&
           read_number(c, PART_MONTH, 2, 1, 12) && read_literal(c, '-') &&
           read_number(c, PART_DAY, 2, 1, 31);
}

static bool read_time_of_day(clock_text *c)
{
    return read_number(c, PART_HOUR, 2, 0, 23) && read_literal(c, ':') &&
           read_number(c, PART_MINUTE, 2, 0, 59) && read_literal(c, ':') &&
           read_number(c, PART_SECOND, 2, 0, 59);
}

/* Conversions of so many digits. */
static const struct {
    char letter;
    clock_part part;
    size_t width;
    int64_t low, high;
} NUMBERS[] = {
    {'Y', PART_YEAR, 4, 1, 9999}, {'y', PART_CENTURY_YEAR, 2, 0, 99}, {'m', PART_MONTH, 2, 1, 12},
    {'d', PART_DAY, 2, 1, 31},    {'j', PART_YEAR_DAY, 3, 1, 366},    {'H', PART_HOUR, 2, 0, 23},
    {'M', PART_MINUTE, 2, 0, 59}, {'S', PART_SECOND, 2, 0, 59},       {'f', PART_MILLI, 3, 0, 999},
    {'L', PART_MILLI, 3, 0, 999},
};

static bool read_conversion(clock_text *c, uint8_t letter)
{
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        if (NUMBERS[i].letter == letter) {
            return read_number(c, NUMBERS[i].part, NUMBERS[i].width, NUMBERS[i].low,
                               NUMBERS[i].high);
        }
    }
    switch (letter) {
    case 'b': return read_month_name(c, false);
    case 'B': return read_month_name(c, true);
    case 'z': return read_offset(c, false);
    case 's': return read_epoch(c);
    case 'F': return read_date(c);
    case 'T': return read_time_of_day(c);
    default: return read_literal(c, letter); /* %% */
    }
}

static bool read_text(clock_text *c, sm_bytes pattern)
{
    c->pattern = pattern.data;
    c->after = pattern.data + pattern.len;
    while (c->pattern != c->after && !c->unclear) {
        const uint8_t byte = *c->pattern++;
        if (byte != '%' || c->pattern == c->after) {
            if (!read_literal(c, byte)) {
                return false;
            }
            continue;
        }
        const uint8_t letter = *c->pattern++;
        const bool colon = letter == ':';
        c->pattern += colon && c->pattern != c->after; /* %:z */
        if (colon ? !read_offset(c, true) : !read_conversion(c, letter)) {
            return c->unclear;
        }
    }
    return c->unclear || c->at == c->end;
}

/* ---- from parts to a time -------------------------------------------------------------------- */

static void split_year_day(clock_text *c)
{
    if (!c->has[PART_YEAR_DAY] || !c->has[PART_YEAR]) {
        return;
    }
    sm_civil first;
    const int64_t days = sm_days_from_civil((int32_t)c->value[PART_YEAR], 1, 1);
    if (sm_civil_from_ms((days + c->value[PART_YEAR_DAY] - 1) * 86400000, &first) &&
        first.year == c->value[PART_YEAR]) {
        (void)note(c, PART_MONTH, first.month);
        (void)note(c, PART_DAY, first.day);
    }
}

/* Parts that are known from the year on without a gap. */
static int known_parts(const clock_text *c)
{
    int n = 0;
    while (n <= PART_MILLI && c->has[n]) {
        n++;
    }
    return n;
}

/* False when there is no such date. */
static bool earliest_local(const clock_text *c, int parts, int64_t *local)
{
    const sm_civil civil = {
        .year = (int32_t)c->value[PART_YEAR],
        .month = parts > PART_MONTH ? (uint8_t)c->value[PART_MONTH] : 1,
        .day = parts > PART_DAY ? (uint8_t)c->value[PART_DAY] : 1,
        .hour = parts > PART_HOUR ? (uint8_t)c->value[PART_HOUR] : 0,
        .minute = parts > PART_MINUTE ? (uint8_t)c->value[PART_MINUTE] : 0,
        .second = parts > PART_SECOND ? (uint8_t)c->value[PART_SECOND] : 0,
        .milli = parts > PART_MILLI ? (uint16_t)c->value[PART_MILLI] : 0,
    };
    if (!sm_civil_valid(&civil)) {
        return false;
    }
    *local = sm_civil_to_ms(&civil);
    return true;
}

static bool prints(const sm_time_printer *p, int64_t t, sm_bytes text)
{
    char again[TEXT_MAX];
    if (sm_time_printer_size(p) > sizeof again) {
        return false;
    }
    return sm_bytes_equal(sm_bytes_of(again, sm_time_print(p, t, again)), text);
}

static sm_inverted give(sm_value *argument, int64_t t, bool sure)
{
    *argument = (sm_value){.number = t};
    return sure ? SM_INVERTED_SURE : SM_INVERTED_GUESS;
}

/* A local time may be one of two, or of none where clocks skip it. */
static sm_inverted from_local(const sm_time_printer *p, int64_t local, bool whole, sm_bytes text,
                              sm_value *argument)
{
    int64_t first = local;
    int64_t second = local;
    sm_local_kind kind = SM_LOCAL_ONCE;
    if (sm_time_printer_zone(p) != NULL) {
        kind = sm_zone_to_instant(sm_time_printer_zone(p), local, &first, &second);
    }
    const int64_t early = first < second ? first : second;
    const int64_t late = first < second ? second : first;
    if (prints(p, early, text)) {
        return give(argument, early, whole && kind == SM_LOCAL_ONCE);
    }
    if (prints(p, late, text)) {
        return give(argument, late, false);
    }
    const bool odd = kind == SM_LOCAL_NEVER || early < SM_TIME_MIN || late > SM_TIME_MAX;
    return odd ? SM_INVERTED_NOTHING : SM_INVERTED_MISFIT;
}

static sm_inverted conclude(clock_text *c, const sm_time_printer *p, sm_bytes text,
                            sm_value *argument)
{
    int64_t local = 0;
    if (c->has[PART_EPOCH]) {
        const int64_t t = c->value[PART_EPOCH] * MS_PER_S + c->value[PART_MILLI];
        return prints(p, t, text) ? give(argument, t, c->has[PART_MILLI]) : SM_INVERTED_NOTHING;
    }
    split_year_day(c);
    const int parts = known_parts(c);
    for (int i = parts; i <= PART_MILLI; i++) {
        if (c->has[i]) {
            return SM_INVERTED_NOTHING; /* a day without its month and the like */
        }
    }
    if (parts == 0 || (c->has[PART_YEAR_DAY] && parts <= PART_DAY)) {
        return SM_INVERTED_NOTHING;
    }
    if (!earliest_local(c, parts, &local)) {
        return SM_INVERTED_MISFIT;
    }
    const bool whole = parts > PART_MILLI;
    if (!c->has[PART_OFFSET]) {
        return from_local(p, local, whole, text, argument);
    }
    /* The offset at the earliest time need not be the one that was printed. */
    const int64_t t = local - c->value[PART_OFFSET] * MS_PER_S;
    if (prints(p, t, text)) {
        return give(argument, t, whole);
    }
    return parts > PART_SECOND ? SM_INVERTED_MISFIT : SM_INVERTED_NOTHING;
}

sm_inverted sm_invert_format_ts(const sm_node *node, const sm_value *result, sm_invert_room *room,
                                sm_value *argument)
{
    (void)room;
    clock_text c = {.at = result->bytes.data, .end = result->bytes.data + result->bytes.len};
    *argument = *result;
    if (!read_text(&c, sm_key_const(node, "pattern")->text)) {
        return SM_INVERTED_MISFIT;
    }
    return c.unclear ? SM_INVERTED_NOTHING : conclude(&c, node->data, result->bytes, argument);
}
