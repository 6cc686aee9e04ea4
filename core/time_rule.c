/* SPDX-License-Identifier: Apache-2.0 */
/* Reading POSIX TZ rules and finding the moments they name. The text is not trusted. No files, no
 * lists of transitions. */
#include "core/time_rule.h"

#include "core/time.h"

enum { SECONDS_PER_DAY = 86400 };

typedef struct cursor {
    const uint8_t *p, *end;
} cursor;

static bool accept(cursor *c, char expected)
{
    if (c->p == c->end || *c->p != (uint8_t)expected) {
        return false;
    }
    c->p++;
    return true;
}

static bool is_digit(uint8_t c)
{
    return (unsigned)c - '0' <= 9;
}

static bool is_letter(uint8_t c)
{
    return ((unsigned)c | 0x20) - 'a' <= 25;
}

/* 1-3 digits, low ... high. */
static bool read_small(cursor *c, int32_t low, int32_t high, int32_t *out)
{
    const uint8_t *start = c->p;
    int32_t v = 0;
    while (c->p < c->end && c->p - start < 3 && is_digit(*c->p)) {
        v = v * 10 + (*c->p++ - '0');
    }
    *out = v;
    return c->p != start && v >= low && v <= high;
}

static bool read_abbreviation(cursor *c)
{
    const bool quoted = accept(c, '<');
    const uint8_t *start = c->p;
    while (c->p < c->end &&
           (is_letter(*c->p) || (quoted && (is_digit(*c->p) || *c->p == '+' || *c->p == '-')))) {
        c->p++;
    }
    return c->p - start >= 3 && (!quoted || accept(c, '>'));
}

/* [+-]h[:mm[:ss]] in seconds. */
static bool read_hms(cursor *c, int32_t max_hours, int32_t *out)
{
    const bool negative = accept(c, '-');
    if (!negative) {
        (void)accept(c, '+');
    }
    int32_t h = 0;
    int32_t m = 0;
    int32_t s = 0;
    if (!read_small(c, 0, max_hours, &h)) {
        return false;
    }
    if (accept(c, ':')) {
        if (!read_small(c, 0, 59, &m) || (accept(c, ':') && !read_small(c, 0, 59, &s))) {
            return false;
        }
    }
    *out = (negative ? -1 : 1) * ((h * 60 + m) * 60 + s);
    return true;
}

static bool read_rule_day(cursor *c, sm_time_rule_day *out)
{
    bool good = false;
    if (accept(c, 'M')) {
        out->kind = 'M';
        good = read_small(c, 1, 12, &out->month) && accept(c, '.') &&
               read_small(c, 1, 5, &out->week) && accept(c, '.') && read_small(c, 0, 6, &out->day);
    } else if (accept(c, 'J')) {
        out->kind = 'J';
        good = read_small(c, 1, 365, &out->day);
    } else {
        out->kind = 'N';
        good = read_small(c, 0, 365, &out->day);
    }
    out->time = 2 * 3600;
    return good && (!accept(c, '/') || read_hms(c, 167, &out->time));
}

bool sm_time_rule_parse(sm_bytes text, sm_time_rule *out)
{
    memset(out, 0, sizeof *out);
    if (text.len == 0) {
        return true;
    }
    cursor c = {text.data, text.data + text.len};
    int32_t west = 0;
    if (!read_abbreviation(&c) || !read_hms(&c, 24, &west)) {
        return false;
    }
    out->present = true;
    out->standard = -west;
    if (c.p == c.end) {
        return true;
    }
    out->has_dst = true;
    if (!read_abbreviation(&c)) {
        return false;
    }
    west -= 3600;
    if (c.p < c.end && *c.p != ',' && !read_hms(&c, 24, &west)) {
        return false;
    }
    out->dst = -west;
    return accept(&c, ',') && read_rule_day(&c, &out->start) && accept(&c, ',') &&
           read_rule_day(&c, &out->end) && c.p == c.end;
}

/* Local time, in seconds as if UTC, at which the rule strikes in a year. */
static int64_t rule_moment(const sm_time_rule_day *r, int32_t year)
{
    int64_t day = 0;
    if (r->kind == 'M') {
        const int64_t first = sm_days_from_civil(year, (unsigned)r->month, 1);
        const int32_t weekday = (int32_t)(((first + 4) % 7 + 7) % 7); /* day 0 was a Thursday */
        int32_t in_month = (r->day - weekday + 7) % 7 + (r->week - 1) * 7;
        if (in_month >= (int32_t)sm_days_in_month(year, (unsigned)r->month)) {
            in_month -= 7; /* week 5 means the last one */
        }
        day = first + in_month;
    } else {
        day = sm_days_from_civil(year, 1, 1) + r->day;
        if (r->kind == 'J') {
            day -= sm_is_leap_year(year) && r->day >= 60 ? 0 : 1;
        }
    }
    return day * SECONDS_PER_DAY + r->time;
}

void sm_time_rule_changes(const sm_time_rule *rule, int32_t year, sm_time_change out[2])
{
    const sm_time_change start = {rule_moment(&rule->start, year) - rule->standard, rule->dst};
    const sm_time_change end = {rule_moment(&rule->end, year) - rule->dst, rule->standard};
    out[0] = start.at < end.at ? start : end;
    out[1] = start.at < end.at ? end : start;
}
