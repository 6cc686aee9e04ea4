/* SPDX-License-Identifier: Apache-2.0 */
/* Points in time: proleptic Gregorian calendar, milliseconds since 1970-01-01T00:00:00Z as int64,
 * no leap seconds, years 1 ... 9999. Own arithmetic: nothing here reads TZ, TZDIR, the locale or
 * the clock. Whatever is finer than a millisecond is floored, towards the past: 0.0009 s is 0 ms
 * and -0.0009 s is -1 ms.
 *
 * Thread-safe: zones, formats and printers never change once they are made. */
#ifndef SM_CORE_TIME_H
#define SM_CORE_TIME_H

#include "core/arena.h"
#include "core/bytes.h"
#include "core/error.h"

/* ---- calendar ----------------------------------------------------------------------------- */

/* 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z in ms. */
#define SM_TIME_MIN INT64_C(-62135596800000)
#define SM_TIME_MAX INT64_C(253402300799999)

typedef struct sm_civil {
    int32_t year; /* 1 ... 9999 */
    uint8_t month, day, hour, minute, second;
    uint16_t milli;
} sm_civil;

static inline bool sm_is_leap_year(int32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* month 1 ... 12 */
unsigned sm_days_in_month(int32_t year, unsigned month);
/* Days since 1970-01-01 of a valid date (formula: Howard Hinnant, days_from_civil). */
int64_t sm_days_from_civil(int32_t year, unsigned month, unsigned day);
/* A date and time of day that exist; second 60 does not. */
bool sm_civil_valid(const sm_civil *c);
/* ms since the epoch of c read as UTC. c must be valid. */
int64_t sm_civil_to_ms(const sm_civil *c);
/* false outside years 1 ... 9999. */
bool sm_civil_from_ms(int64_t ms, sm_civil *out);

/* ---- zones -------------------------------------------------------------------------------- */

/* A time zone from the system's tzdata in /usr/share/zoneinfo (TZif v2+, RFC 8536: transitions,
 * then the POSIX footer rule for times behind the last one). "UTC", "Etc/UTC", "Z" and fixed
 * offsets "+08:00" need no file. Zones with leap seconds ("right/...") and this machine's own
 * ("localtime") are refused. */
typedef struct sm_zone sm_zone;
/* Names are checked (letters, digits, _ + - /; no "..", no leading /) before they become a path.
 * SM_E_JOB: no such zone, SM_E_FORMAT: its file is not what RFC 8536 demands. */
sm_status sm_zone_load(sm_bytes name, sm_zone **out, sm_error *err) SM_MUST_CHECK;
/* The same from the bytes of a TZif file; name is for messages and sm_zone_name. */
sm_status sm_zone_from_tzif(sm_bytes name, sm_bytes tzif, sm_zone **out, sm_error *err)
    SM_MUST_CHECK;
void sm_zone_free(sm_zone *z);
const char *sm_zone_name(const sm_zone *z);

typedef enum sm_local_kind { SM_LOCAL_ONCE, SM_LOCAL_TWICE, SM_LOCAL_NEVER } sm_local_kind;

/* Local time given as ms-as-if-UTC -> instant(s). ONCE: first == second. TWICE: the earlier and the
 * later instant. NEVER: first = read with the offset before the gap, second = with the one after it
 * (so that here second is the earlier instant). local_ms must lie within a year of the years 1 ...
 * 9999. */
sm_local_kind sm_zone_to_instant(const sm_zone *z, int64_t local_ms, int64_t *first,
                                 int64_t *second);
/* Offset from UTC in seconds that holds at this instant. */
int32_t sm_zone_offset(const sm_zone *z, int64_t instant_ms);
/* True when some instant from ... to (both included) has a local time that occurs twice. */
bool sm_zone_repeats_between(const sm_zone *z, int64_t from_ms, int64_t to_ms);

/* ---- text -> time ------------------------------------------------------------------------- */

/* A format is compiled once and then used without allocation. It is a strptime-like pattern or a
 * name.
 *
 *   %Y four digits    %m %d %H %M %S two digits   %j three digits   %I two digits, 01-12, with %p
 *   %y two digits (see pivot)   %e day, one or two digits or a blank and one   %p AM PM, any case
 *   %b Jan  %B January, in English whatever the locale, any case
 *   %f 1-9 digits of a second, floored to ms
 *   %z +hh:mm +hhmm +hh Z z, up to 23:59   %Z UTC or GMT; other abbreviations match nothing
 *   %T = %H:%M:%S   %F = %Y-%m-%d   %s seconds since 1970 with a sign if need be, alone or with %f
 *   %-m %-d %-H %-M %-S %-I %-j: the same with as few as one digit
 *   Every other byte stands for itself, a blank for exactly one blank; %% is %.
 *
 *   "%z?" may be absent: then the time is local in the zone of the options. "%z" must be there.
 *   ".%f?": the fraction may be absent together with the byte in front of it.
 *
 *   The date must be complete; left-out parts of the time of day from the right are 0.
 *
 *   epoch_s epoch_ms epoch_us   [+-]digits[.digits] since 1970, no exponent
 *   epoch_ns                    [+-]digits
 *   rfc3339                     %Y-%m-%dT%H:%M:%S.%f?%z, with T, t or a blank
 *   clf                         %d/%b/%Y:%H:%M:%S %z (10/Oct/2000:13:55:36 -0700) */
typedef struct sm_time_format sm_time_format;

/* What a local time becomes that occurs twice or never. EARLIEST and LATEST name instants: of a
 * time in a gap, EARLIEST is read with the offset behind the gap (an hour's gap at 02:00 makes
 * 02:30 01:30) and LATEST with the one before it (03:30). */
typedef enum sm_local_policy {
    SM_LOCAL_REJECT,
    SM_LOCAL_EARLIEST,
    SM_LOCAL_LATEST
} sm_local_policy;

typedef struct sm_time_options {
    const sm_zone *zone;      /* for local times; NULL: UTC. Borrowed, must outlive the format */
    sm_local_policy repeated; /* times that occur twice */
    sm_local_policy missing;  /* times in a gap */
    int32_t pivot; /* %y: year pivot ... pivot + 99, e.g. 1970; 0 means 1969, like POSIX */
} sm_time_options;

/* options may be NULL: UTC and the defaults. SM_E_JOB says what is wrong with the pattern. */
sm_status sm_time_compile(sm_arena *arena, sm_bytes pattern, const sm_time_options *options,
                          const sm_time_format **out, sm_error *err) SM_MUST_CHECK;

/* The format in one spelling with its zone and policies, NUL-terminated, living in the format's
 * arena: for fingerprints, so two formats with equal texts read every input alike (with the same
 * tzdata). "%Y-%m-%d %H:%M:%S zone=Asia/Shanghai repeated=reject missing=reject"; zone and policies
 * are left out where every text says its offset. Bytes outside printable ASCII are \xHH. */
const char *sm_time_format_text(const sm_time_format *f);
/* Of local times; NULL: UTC. */
const sm_zone *sm_time_format_zone(const sm_time_format *f);

/* What parsing met besides the value. */
typedef struct sm_time_result {
    int64_t ms;        /* only for SM_REJECT_NONE */
    bool was_repeated; /* the local time occurs twice: resolved by policy, or why it was rejected */
    bool was_missing;  /* the same for one that never occurs */
    size_t bad_at;     /* NOT_TIME: offset in the text where it stopped agreeing with the pattern */
} sm_time_result;

/* SM_REJECT_NONE, NOT_TIME, NO_SUCH_DATE, TIME_RANGE, TIME_AMBIGUOUS or TIME_MISSING.
 * The whole text must match. Day 31 of a short month, hour 24, second 60, %I 0 or 13: NO_SUCH_DATE.
 */
sm_reject sm_time_parse(const sm_time_format *f, sm_bytes text, sm_time_result *out);

/* ---- time -> text ----------------------------------------------------------------------- */

/* Compiled output pattern: %Y %m %d %H %M %S %y %b %B %j %f (ms, 3 digits) %L (= %f) %z +hhmm
 * %:z +hh:mm (both with seconds behind when the offset has any) %s (floored) %F %T %%. */
typedef struct sm_time_printer sm_time_printer;
/* zone NULL: UTC; borrowed, must outlive the printer. */
sm_status sm_time_printer_compile(sm_arena *arena, sm_bytes pattern, const sm_zone *zone,
                                  const sm_time_printer **out, sm_error *err) SM_MUST_CHECK;
size_t sm_time_printer_size(const sm_time_printer *p);         /* most bytes it ever writes */
const sm_zone *sm_time_printer_zone(const sm_time_printer *p); /* NULL: UTC */
/* Writes at most sm_time_printer_size bytes, no NUL; 0 = outside years 1 ... 9999 (in the zone), or
 * an empty pattern. */
size_t sm_time_print(const sm_time_printer *p, int64_t ms, char *out);

#endif
