/* SPDX-License-Identifier: Apache-2.0 */
/* Time to text with a compiled output pattern. English names, no locale, no padding options. */
#include "core/escape.h"
#include "core/number.h"
#include "core/time.h"

enum { MAX_PATTERN = 256 };

/* What a piece may look at. */
typedef struct moment {
    sm_civil c;     /* local */
    int64_t ms;     /* instant */
    int32_t offset; /* seconds east of UTC */
} moment;

typedef struct piece piece;
/* Writes to out, returns the count of bytes. */
typedef size_t (*piece_write)(const piece *p, const moment *m, char *out);

struct piece {
    piece_write write;
    uint8_t size; /* most bytes */
    char letter;
    const char *text; /* bytes that stand for themselves */
};

struct sm_time_printer {
    const sm_zone *zone;
    size_t size;
    size_t count;
    piece *pieces;
};

/* ---- pieces ----------------------------------------------------------------------------- */

static size_t put_digits(uint32_t v, unsigned width, char *out)
{
    for (unsigned i = width; i-- > 0; v /= 10) {
        out[i] = (char)('0' + v % 10);
    }
    return width;
}

static size_t write_text(const piece *p, const moment *m, char *out)
{
    (void)m;
    memcpy(out, p->text, p->size);
    return p->size;
}

static size_t write_year(const piece *p, const moment *m, char *out)
{
    return put_digits((uint32_t)m->c.year % (p->size == 2 ? 100 : 10000), p->size, out);
}

static size_t write_month(const piece *p, const moment *m, char *out)
{
    return put_digits(m->c.month, p->size, out);
}

static size_t write_day(const piece *p, const moment *m, char *out)
{
    return put_digits(m->c.day, p->size, out);
}

static size_t write_day_of_year(const piece *p, const moment *m, char *out)
{
    const int64_t day = sm_days_from_civil(m->c.year, m->c.month, m->c.day) -
                        sm_days_from_civil(m->c.year, 1, 1) + 1;
    return put_digits((uint32_t)day, p->size, out);
}

static size_t write_hour(const piece *p, const moment *m, char *out)
{
    return put_digits(m->c.hour, p->size, out);
}

static size_t write_minute(const piece *p, const moment *m, char *out)
{
    return put_digits(m->c.minute, p->size, out);
}

static size_t write_second(const piece *p, const moment *m, char *out)
{
    return put_digits(m->c.second, p->size, out);
}

static size_t write_milli(const piece *p, const moment *m, char *out)
{
    return put_digits(m->c.milli, p->size, out);
}

static size_t write_month_name(const piece *p, const moment *m, char *out)
{
    static const char names[12][10] = {"January",   "February", "March",    "April",
                                       "May",       "June",     "July",     "August",
                                       "September", "October",  "November", "December"};
    const char *name = names[m->c.month - 1];
    const size_t full = strlen(name);
    const size_t len = p->size < full ? p->size : full;
    memcpy(out, name, len);
    return len;
}

/* +hhmm or +hh:mm; offsets from the days of local mean time have seconds, and these follow. */
static size_t write_offset(const piece *p, const moment *m, char *out)
{
    const bool colon = p->letter == ':';
    const uint32_t v = (uint32_t)(m->offset < 0 ? -m->offset : m->offset);
    size_t n = 0;
    out[n++] = m->offset < 0 ? '-' : '+';
    n += put_digits(v / 3600, 2, out + n);
    if (colon) {
        out[n++] = ':';
    }
    n += put_digits(v / 60 % 60, 2, out + n);
    if (v % 60 != 0) {
        if (colon) {
            out[n++] = ':';
        }
        n += put_digits(v % 60, 2, out + n);
    }
    return n;
}

static size_t write_epoch(const piece *p, const moment *m, char *out)
{
    (void)p;
    return sm_print_int((m->ms - m->c.milli) / 1000, out);
}

/* ---- compiling -------------------------------------------------------------------------- */

/* Most bytes a piece writes; for the numbers it is also the width. An epoch of the years 1 ... 9999
 * has up to 12 bytes, but sm_print_int wants room for 20. */
static const piece known[] = {
    {write_year, 4, 'Y', NULL},        {write_year, 2, 'y', NULL},
    {write_month, 2, 'm', NULL},       {write_day, 2, 'd', NULL},
    {write_day_of_year, 3, 'j', NULL}, {write_hour, 2, 'H', NULL},
    {write_minute, 2, 'M', NULL},      {write_second, 2, 'S', NULL},
    {write_milli, 3, 'f', NULL},       {write_milli, 3, 'L', NULL},
    {write_month_name, 3, 'b', NULL},  {write_month_name, 9, 'B', NULL},
    {write_offset, 7, 'z', NULL},      {write_offset, 9, ':', NULL}, /* %:z */
    {write_epoch, 20, 's', NULL},
};

static void add_piece(sm_time_printer *p, const piece *new_piece)
{
    p->pieces[p->count++] = *new_piece;
    p->size += new_piece->size;
}

static bool add_known(sm_time_printer *p, char letter)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].letter == letter) {
            add_piece(p, &known[i]);
            return true;
        }
    }
    return false;
}

static void add_list(sm_time_printer *p, const char *letters, const char *separator)
{
    const piece between = {write_text, 1, '\0', separator};
    for (size_t i = 0; i < 3; i++) {
        if (i != 0) {
            add_piece(p, &between);
        }
        (void)add_known(p, letters[i]);
    }
}

/* What stands behind a %; returns the bytes of the pattern used, 0 when it is not known. */
static size_t add_specifier(sm_time_printer *p, const char *pattern, size_t left)
{
    static const piece percent = {write_text, 1, '\0', "%"};
    const char letter = left == 0 ? '\0' : pattern[0];
    switch (letter) {
    case '%': add_piece(p, &percent); return 1;
    case 'T': add_list(p, "HMS", ":"); return 1;
    case 'F': add_list(p, "Ymd", "-"); return 1;
    case ':': return left > 1 && pattern[1] == 'z' && add_known(p, ':') ? 2 : 0;
    default: return letter != '\0' && add_known(p, letter) ? 1 : 0;
    }
}

static sm_status fail_specifier(sm_bytes pattern, size_t at, sm_error *err)
{
    char shown[MAX_PATTERN];
    return sm_fail(err, SM_E_JOB,
                   "output time format '%s': what follows the %% at byte %zu is not known; %%Y %%m "
                   "%%d %%H %%M %%S %%y %%b %%B %%j %%f %%L %%z %%:z %%s %%F %%T and %%%% are",
                   sm_escape_short(pattern, shown, sizeof shown), at);
}

/* text: the pattern in memory that lives as long as the printer. */
static sm_status compile(sm_time_printer *p, const char *text, size_t len, sm_error *err)
{
    for (size_t at = 0; at < len;) {
        if (text[at] != '%') {
            const piece verbatim = {write_text, 1, '\0', text + at};
            piece *last = p->count == 0 ? NULL : &p->pieces[p->count - 1];
            if (last != NULL && last->text != NULL && last->text + last->size == text + at &&
                last->size < UINT8_MAX) {
                last->size++;
                p->size++;
            } else {
                add_piece(p, &verbatim);
            }
            at++;
            continue;
        }
        const size_t used = add_specifier(p, text + at + 1, len - at - 1);
        if (used == 0) {
            return fail_specifier(sm_bytes_of(text, len), at, err);
        }
        at += 1 + used;
    }
    return SM_OK;
}

sm_status sm_time_printer_compile(sm_arena *arena, sm_bytes pattern, const sm_zone *zone,
                                  const sm_time_printer **out, sm_error *err)
{
    enum { PIECES_PER_BYTE = 3 }; /* %T makes five pieces of two bytes */
    *out = NULL;
    if (pattern.len > MAX_PATTERN) {
        return sm_fail(err, SM_E_JOB, "output time format: %zu bytes long; at most %d are allowed",
                       pattern.len, MAX_PATTERN);
    }
    sm_time_printer *p = sm_arena_array(arena, 1, sizeof *p);
    const char *text = sm_arena_text(arena, pattern.data, pattern.len);
    piece *pieces = sm_arena_array(arena, pattern.len * PIECES_PER_BYTE + 1, sizeof *pieces);
    if (p == NULL || text == NULL || pieces == NULL) {
        return sm_fail_memory(err, sizeof *p + pattern.len * PIECES_PER_BYTE * sizeof *pieces,
                              "an output time format");
    }
    p->zone = zone;
    p->pieces = pieces;
    const sm_status st = compile(p, text, pattern.len, err);
    *out = st == SM_OK ? p : NULL;
    return st;
}

size_t sm_time_printer_size(const sm_time_printer *p)
{
    return p->size;
}

const sm_zone *sm_time_printer_zone(const sm_time_printer *p)
{
    return p->zone;
}

size_t sm_time_print(const sm_time_printer *p, int64_t ms, char *out)
{
    moment m = {.ms = ms};
    if (ms < SM_TIME_MIN || ms > SM_TIME_MAX) {
        return 0;
    }
    m.offset = p->zone == NULL ? 0 : sm_zone_offset(p->zone, ms);
    if (!sm_civil_from_ms(ms + (int64_t)m.offset * 1000, &m.c)) {
        return 0;
    }
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        n += p->pieces[i].write(&p->pieces[i], &m, out + n);
    }
    return n;
}
