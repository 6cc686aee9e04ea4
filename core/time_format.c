/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles time formats: patterns and names become a flat list of steps, of which the common shapes
 * are recognised. Reading texts lives in time_parse.c. */
#include "core/endian.h"
#include "core/escape.h"
#include "core/time.h"
#include "core/time_steps.h"

#include <stdio.h>

/* %T in two bytes becomes eight, and each byte at most "\\xHH". */
enum { MAX_PATTERN = 256, MAX_EXPANDED = MAX_PATTERN * 4, MAX_SPELLED = MAX_EXPANDED * 4 + 4 };

#define BIT(field) (UINT32_C(1) << (field))

typedef struct builder {
    sm_time_format *f;
    uint8_t *text; /* bytes that stand for themselves, all of them */
    size_t text_len;
    char shown[MAX_PATTERN];   /* the pattern for messages */
    char spelled[MAX_SPELLED]; /* the pattern with %T, %F and clf written out, escaped */
} builder;

static const struct specifier {
    char letter;
    uint8_t field;
    uint8_t digits;
    bool unpadded; /* takes the flag "-" */
    int32_t low, high;
    sm_time_read read;
} specifiers[] = {
    {'Y', SM_TIME_YEAR, 4, false, 1, 9999, sm_time_read_number},
    {'y', SM_TIME_YEAR_OF_CENTURY, 2, false, 0, 99, sm_time_read_number},
    {'m', SM_TIME_MONTH, 2, true, 1, 12, sm_time_read_number},
    {'b', SM_TIME_MONTH, 3, false, 0, 0, sm_time_read_month_name},
    {'B', SM_TIME_MONTH, 9, false, 0, 0, sm_time_read_month_name},
    {'d', SM_TIME_DAY, 2, true, 1, 31, sm_time_read_number},
    {'e', SM_TIME_DAY, 2, false, 1, 31, sm_time_read_blank_padded},
    {'j', SM_TIME_DAY_OF_YEAR, 3, true, 1, 366, sm_time_read_number},
    {'H', SM_TIME_HOUR, 2, true, 0, 23, sm_time_read_number},
    {'I', SM_TIME_HOUR_OF_HALF, 2, true, 1, 12, sm_time_read_number},
    {'p', SM_TIME_HALF, 2, false, 0, 0, sm_time_read_half},
    {'M', SM_TIME_MINUTE, 2, true, 0, 59, sm_time_read_number},
    {'S', SM_TIME_SECOND, 2, true, 0, 59, sm_time_read_number},
    {'f', SM_TIME_NANO, 9, false, 0, 999999999, sm_time_read_fraction},
    {'z', SM_TIME_OFFSET, 0, false, 0, 0, sm_time_read_offset},
    {'Z', SM_TIME_OFFSET, 0, false, 0, 0, sm_time_read_abbreviation},
    {'s', SM_TIME_EPOCH, 0, false, 0, 0, sm_time_read_epoch},
};

static const struct specifier *find_specifier(uint8_t letter)
{
    for (size_t i = 0; i < sizeof specifiers / sizeof specifiers[0]; i++) {
        if (specifiers[i].letter == (char)letter) {
            return &specifiers[i];
        }
    }
    return NULL;
}

static sm_time_step *last_step(builder *b)
{
    return b->f->count == 0 ? NULL : &b->f->steps[b->f->count - 1];
}

static sm_time_step *new_step(builder *b, sm_time_read read)
{
    sm_time_step *s =
        &b->f->steps[b->f->count++]; /* each field comes once, so that these suffice */
    s->read = read;
    return s;
}

static void add_text(builder *b, uint8_t c)
{
    sm_time_step *s = last_step(b);
    if (s == NULL || s->read != sm_time_read_text) {
        s = new_step(b, sm_time_read_text);
        s->text = b->text + b->text_len;
    }
    b->text[b->text_len++] = c;
    s->text_len++;
}

/* The byte in front of an optional fraction leaves its own step. */
static bool take_lead(builder *b, const uint8_t **out)
{
    sm_time_step *s = last_step(b);
    if (s == NULL || s->read != sm_time_read_text) {
        return false;
    }
    s->text_len--;
    *out = s->text + s->text_len;
    if (s->text_len == 0) {
        memset(s, 0, sizeof *s);
        b->f->count--;
    }
    return true;
}

/* The specifier behind "%" at *at, which is moved behind it; NULL when it is not known. */
static const struct specifier *take_specifier(sm_bytes pattern, size_t *at, bool *unpadded)
{
    *unpadded = *at < pattern.len && pattern.data[*at] == '-';
    *at += *unpadded ? 1 : 0;
    const struct specifier *spec = *at < pattern.len ? find_specifier(pattern.data[*at]) : NULL;
    if (spec == NULL || (*unpadded && !spec->unpadded)) {
        return NULL;
    }
    ++*at;
    return spec;
}

static sm_status fail_unknown(const builder *b, sm_bytes pattern, size_t at, sm_error *err)
{
    char letter[8];
    const bool unpadded = pattern.data[at - 1] == '-';
    sm_escape_short(sm_bytes_of(pattern.data + at, at < pattern.len ? 1 : 0), letter,
                    sizeof letter);
    return sm_fail(err, SM_E_JOB,
                   "time format '%s': %%%s%s is not known; %%Y %%m %%d %%H %%M %%S %%y %%b %%B %%j "
                   "%%e %%I %%p %%f %%z %%Z %%T %%F %%s and %%%% are, and %%- before m d H M S I j",
                   b->shown, unpadded ? "-" : "", letter);
}

/* lead: of an optional fraction, the byte in front of it. */
static void add_field(builder *b, const struct specifier *spec, bool unpadded, const uint8_t *lead)
{
    const bool loose = unpadded || spec->letter == 'f' || spec->letter == 'e';
    sm_time_step *s = new_step(b, spec->read);
    s->field = spec->field;
    s->max_digits = spec->digits;
    s->min_digits = loose ? 1 : spec->digits;
    s->low = spec->low;
    s->high = spec->high;
    s->text = lead;
    b->f->gives |= BIT(spec->field);
}

static sm_status add_specifier(builder *b, sm_bytes pattern, size_t *at, sm_error *err)
{
    bool unpadded = false;
    const struct specifier *spec = take_specifier(pattern, at, &unpadded);
    if (spec == NULL) {
        return fail_unknown(b, pattern, *at, err);
    }
    if (sm_time_gives(b->f, spec->field)) {
        return sm_fail(err, SM_E_JOB, "time format '%s': %%%c gives something a second time",
                       b->shown, spec->letter);
    }
    const bool can_miss = spec->letter == 'z' || spec->letter == 'f';
    const bool optional = can_miss && *at < pattern.len && pattern.data[*at] == '?';
    *at += optional ? 1 : 0;
    const uint8_t *lead = NULL;
    if (optional && spec->letter == 'f' && !take_lead(b, &lead)) {
        return sm_fail(err, SM_E_JOB,
                       "time format '%s': %%f? goes together with the byte in front of it, and "
                       "there is none; write .%%f?",
                       b->shown);
    }
    add_field(b, spec, unpadded, lead);
    last_step(b)->optional = optional;
    return SM_OK;
}

/* Patterns without %T and %F. */
static sm_status add_plain(builder *b, sm_bytes pattern, sm_error *err)
{
    for (size_t at = 0; at < pattern.len;) {
        const uint8_t c = pattern.data[at++];
        if (c != '%') {
            add_text(b, c);
        } else if (at < pattern.len && pattern.data[at] == '%') {
            add_text(b, c);
            at++;
        } else {
            const sm_status st = add_specifier(b, pattern, &at, err);
            if (st != SM_OK) {
                return st;
            }
        }
    }
    return SM_OK;
}

/* %T and %F written out; "%%T" is no %T. */
static size_t expand(sm_bytes pattern, uint8_t *out)
{
    static const char time_of_day[] = "%H:%M:%S";
    static const char date[] = "%Y-%m-%d";
    size_t len = 0;
    for (size_t at = 0; at < pattern.len; at++) {
        const uint8_t next = at + 1 < pattern.len ? pattern.data[at + 1] : 0;
        if (pattern.data[at] == '%' && (next == 'T' || next == 'F')) {
            memcpy(out + len, next == 'T' ? time_of_day : date, 8);
            len += 8;
            at++;
        } else {
            out[len++] = pattern.data[at];
            if (pattern.data[at] == '%' && next == '%') {
                out[len++] = next;
                at++;
            }
        }
    }
    return len;
}

/* Nothing is left out between the hour and the finest part. */
static bool parts_follow(uint32_t gives, bool hour)
{
    const bool minute = (gives & BIT(SM_TIME_MINUTE)) != 0;
    const bool second = (gives & BIT(SM_TIME_SECOND)) != 0;
    const bool fraction = (gives & BIT(SM_TIME_NANO)) != 0;
    return (hour || !minute) && (minute || !second) && (second || !fraction);
}

/* What the pattern lacks or contradicts; NULL when nothing. */
static const char *find_gap(uint32_t gives)
{
    static const uint32_t month_day = BIT(SM_TIME_MONTH) | BIT(SM_TIME_DAY);
    static const uint32_t day_of_year = BIT(SM_TIME_DAY_OF_YEAR);
    static const uint32_t half = BIT(SM_TIME_HOUR_OF_HALF) | BIT(SM_TIME_HALF);
    static const uint32_t hour = BIT(SM_TIME_HOUR);

    const uint32_t years = gives & (BIT(SM_TIME_YEAR) | BIT(SM_TIME_YEAR_OF_CENTURY));
    const uint32_t days = gives & (month_day | day_of_year);
    const uint32_t hours = gives & (half | hour);
    if ((gives & BIT(SM_TIME_EPOCH)) != 0) {
        const uint32_t alone = BIT(SM_TIME_EPOCH) | BIT(SM_TIME_NANO);
        return (gives & ~alone) == 0 ? NULL : "%s goes together with nothing but %f";
    }
    if (years != BIT(SM_TIME_YEAR) && years != BIT(SM_TIME_YEAR_OF_CENTURY)) {
        return "it needs a year, once: %Y or %y";
    }
    if (days != month_day && days != day_of_year) {
        return "it needs month and day (%m or %b or %B, %d or %e), or the day of the year (%j)";
    }
    if (hours != 0 && hours != half && hours != hour) {
        return "%I and %p go together, and without %H";
    }
    return parts_follow(gives, hours != 0)
               ? NULL
               : "minutes need hours, seconds need minutes, and %f needs %S";
}

/* Does it begin with %Y?%m?%d?%H?%M?%S, one byte between each? */
static void detect_fixed(sm_time_format *f)
{
    static const uint8_t order[6] = {SM_TIME_YEAR, SM_TIME_MONTH,  SM_TIME_DAY,
                                     SM_TIME_HOUR, SM_TIME_MINUTE, SM_TIME_SECOND};
    uint8_t shape[SM_TIME_FIXED_TEXT];
    size_t at = 0;
    if (f->count < SM_TIME_FIXED_STEPS) {
        return;
    }
    for (size_t i = 0; i < SM_TIME_FIXED_STEPS; i++) {
        const sm_time_step *s = &f->steps[i];
        const bool number = i % 2 == 0;
        if (number ? s->read != sm_time_read_number || s->field != order[i / 2] ||
                         s->min_digits != s->max_digits
                   : s->read != sm_time_read_choice &&
                         (s->read != sm_time_read_text || s->text_len != 1)) {
            return;
        }
        const size_t width = number ? s->max_digits : 1;
        memset(shape + at, number ? '0' : s->text[0], width);
        at += width;
    }
    f->fixed = true;
    f->head = sm_load_le64(shape);
    f->middle = sm_load_le64(shape + 8);
    f->tail = sm_load_le64(shape + 11);
}

static sm_status add_pattern(builder *b, sm_bytes pattern, sm_error *err)
{
    uint8_t expanded[MAX_EXPANDED];
    if (sm_bytes_equal_text(pattern, "rfc3339")) {
        sm_status st = add_plain(b, sm_bytes_text("%Y-%m-%d"), err);
        if (st != SM_OK) {
            return st;
        }
        sm_time_step *s = new_step(b, sm_time_read_choice);
        s->text = (const uint8_t *)"Tt ";
        s->text_len = 3;
        return add_plain(b, sm_bytes_text("%H:%M:%S.%f?%z"), err);
    }
    if (sm_bytes_equal_text(pattern, "clf")) {
        pattern = sm_bytes_text("%d/%b/%Y:%H:%M:%S %z");
    }
    const sm_bytes plain = sm_bytes_of(expanded, expand(pattern, expanded));
    sm_escape_short(plain, b->spelled, sizeof b->spelled);
    return add_plain(b, plain, err);
}

/* epoch_s, epoch_ms, epoch_us, epoch_ns */
static bool use_named_epoch(sm_time_format *f, sm_bytes pattern)
{
    static const char names[4][9] = {"epoch_s", "epoch_ms", "epoch_us", "epoch_ns"};
    for (int i = 0; i < 4; i++) {
        if (sm_bytes_equal_text(pattern, names[i])) {
            f->parse = sm_time_parse_epoch;
            f->epoch_shift = 3 - 3 * i;
            f->epoch_fraction = i != 3;
            return true;
        }
    }
    return false;
}

static sm_status set_options(sm_time_format *f, const sm_time_options *o, sm_error *err)
{
    enum { POSIX_PIVOT = 1969, LAST_PIVOT = 9900 };
    f->pivot = POSIX_PIVOT;
    if (o == NULL) {
        return SM_OK;
    }
    if (o->pivot < 0 || o->pivot > LAST_PIVOT) {
        return sm_fail(err, SM_E_JOB, "pivot %d: not a year from 1 to %d, the first year %%y means",
                       (int)o->pivot, LAST_PIVOT);
    }
    f->pivot = o->pivot == 0 ? POSIX_PIVOT : o->pivot;
    f->zone = o->zone;
    f->repeated = o->repeated;
    f->missing = o->missing;
    return SM_OK;
}

static sm_status compile(builder *b, sm_bytes pattern, sm_error *err)
{
    sm_time_format *f = b->f;
    if (use_named_epoch(f, pattern)) {
        return SM_OK;
    }
    const sm_status st = add_pattern(b, pattern, err);
    if (st != SM_OK) {
        return st;
    }
    const char *gap = find_gap(f->gives);
    if (gap != NULL) {
        return sm_fail(err, SM_E_JOB,
                       "time format '%s': %s; formats look like \"%%Y-%%m-%%d %%H:%%M:%%S\" or are "
                       "one of epoch_s, epoch_ms, epoch_us, epoch_ns, rfc3339, clf",
                       b->shown, gap);
    }
    detect_fixed(f);
    f->parse =
        f->fixed && f->count == SM_TIME_FIXED_STEPS ? sm_time_parse_fixed : sm_time_parse_steps;
    return SM_OK;
}

/* Is there a text that is read in the zone of the options? */
static bool can_be_local(const sm_time_format *f)
{
    if (f->parse == sm_time_parse_epoch || sm_time_gives(f, SM_TIME_EPOCH)) {
        return false;
    }
    for (size_t i = 0; i < f->count; i++) {
        if (f->steps[i].field == SM_TIME_OFFSET) {
            return f->steps[i].optional;
        }
    }
    return true;
}

/* PATTERN[ pivot=YEAR][ zone=NAME repeated=POLICY missing=POLICY]: what has no influence is left
 * out. The pattern is escaped and names of zones hold no blanks, so that no two formats share a
 * text. */
static sm_status spell(builder *b, sm_arena *arena, sm_error *err)
{
    static const char *const policies[] = {"reject", "earliest", "latest"};
    enum { REST = 80 };
    sm_time_format *f = b->f;
    const char *zone = f->zone == NULL ? "UTC" : sm_zone_name(f->zone);
    const size_t size = strlen(b->spelled) + strlen(zone) + REST;
    char *text = sm_arena_get(arena, size);
    if (text == NULL) {
        return sm_fail_memory(err, size, "a time format");
    }
    char pivot[REST / 2] = "";
    if (sm_time_gives(f, SM_TIME_YEAR_OF_CENTURY)) {
        (void)snprintf(pivot, sizeof pivot, " pivot=%d", (int)f->pivot);
    }
    if (can_be_local(f)) {
        (void)snprintf(text, size, "%s%s zone=%s repeated=%s missing=%s", b->spelled, pivot, zone,
                       policies[f->repeated], policies[f->missing]);
    } else {
        (void)snprintf(text, size, "%s%s", b->spelled, pivot);
    }
    f->text = text;
    return SM_OK;
}

sm_status sm_time_compile(sm_arena *arena, sm_bytes pattern, const sm_time_options *options,
                          const sm_time_format **out, sm_error *err)
{
    *out = NULL;
    builder b = {0};
    sm_escape_short(pattern, b.shown, sizeof b.shown);
    sm_escape_short(pattern, b.spelled, sizeof b.spelled);
    if (pattern.len > MAX_PATTERN) {
        return sm_fail(err, SM_E_JOB, "time format '%s': longer than %d bytes", b.shown,
                       MAX_PATTERN);
    }
    b.f = sm_arena_array(arena, 1, sizeof *b.f);
    b.text = sm_arena_get(arena, MAX_PATTERN);
    if (b.f == NULL || b.text == NULL) {
        return sm_fail_memory(err, sizeof *b.f + MAX_PATTERN, "a time format");
    }
    sm_status st = set_options(b.f, options, err);
    if (st == SM_OK) {
        st = compile(&b, pattern, err);
    }
    if (st == SM_OK) {
        st = spell(&b, arena, err);
    }
    *out = st == SM_OK ? b.f : NULL;
    return st;
}

const char *sm_time_format_text(const sm_time_format *f)
{
    return f->text;
}

const sm_zone *sm_time_format_zone(const sm_time_format *f)
{
    return f->zone;
}
