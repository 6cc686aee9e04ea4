/* SPDX-License-Identifier: Apache-2.0 */
/* Zones: TZif files read into one flat list of intervals, and look-ups in it. The bytes of a file
 * are not trusted. No text of dates and no policy for odd local times lives here.
 *
 *   at[0] = INT64_MIN   at[1]        at[2]       ...   at[count] = INT64_MAX
 *   |--- offset[0] -----|- offset[1] -|- offset[2] ...  |
 *
 * The footer's rule is written out to the year 10000 when a zone is loaded: up to 16000 intervals,
 * 200 KB, and then there is one kind of look-up only. */
#include "core/endian.h"
#include "core/escape.h"
#include "core/fs.h"
#include "core/mem.h"
#include "core/time.h"
#include "core/time_rule.h"

enum {
    MS = 1000,
    LAST_RULE_YEAR = 10000,
    BUCKET_SHIFT = 32, /* 2^32 ms, about 50 days */
    BUCKETS = 1024     /* 1970 ... 2109 */
};

/* Transitions are clamped to this many seconds, about year +-33000: so that ms and sums never
 * overflow. */
static const int64_t time_limit = INT64_C(1000000000000);

struct sm_zone {
    sm_arena *arena; /* owns all of this but the struct itself */
    char *name;
    size_t count;             /* intervals */
    size_t room;              /* for intervals; at[] has one more */
    int64_t *at;              /* ms: where each interval begins */
    int32_t *offset;          /* ms: local time minus UTC */
    int32_t min, max;         /* of offset[] */
    uint32_t bucket[BUCKETS]; /* the interval at the start of each 2^32 ms since 1970 */
};

/* ---- building the list ------------------------------------------------------------------ */

static sm_status new_zone(sm_bytes name, sm_zone **out, sm_error *err)
{
    void *p = NULL;
    sm_status st = sm_new(sizeof(sm_zone), "a time zone", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_zone *z = p;
    st = sm_arena_new(512, &z->arena, err);
    if (st == SM_OK) {
        z->name = sm_arena_text(z->arena, name.data, name.len);
        if (z->name == NULL) {
            st = sm_fail_memory(err, name.len, "the name of a time zone");
        }
    }
    if (st != SM_OK) {
        sm_zone_free(z);
        return st;
    }
    *out = z;
    return SM_OK;
}

/* Room for `room` intervals, the first of which is set. */
static sm_status begin_list(sm_zone *z, size_t room, int32_t first_offset, sm_error *err)
{
    z->at = sm_arena_array(z->arena, room + 1, sizeof *z->at);
    z->offset = sm_arena_array(z->arena, room, sizeof *z->offset);
    if (z->at == NULL || z->offset == NULL) {
        return sm_fail_memory(err, room * (sizeof *z->at + sizeof *z->offset), z->name);
    }
    z->room = room;
    z->count = 1;
    z->at[0] = INT64_MIN;
    z->offset[0] = first_offset * MS;
    return SM_OK;
}

/* A transition, in seconds. Those that change no offset are left out; of two at the same moment the
 * later wins (a footer can say that DST ends when it starts again). False when time goes backwards.
 */
static bool add_transition(sm_zone *z, int64_t at, int32_t offset)
{
    at = at > time_limit ? time_limit : at < -time_limit ? -time_limit : at;
    const int64_t at_ms = at * MS;
    const int32_t offset_ms = offset * MS;
    if (z->count > 1 && at_ms == z->at[z->count - 1]) {
        z->count--;
    }
    if (at_ms < z->at[z->count - 1] || z->count == z->room) {
        return false;
    }
    if (offset_ms != z->offset[z->count - 1]) {
        z->at[z->count] = at_ms;
        z->offset[z->count] = offset_ms;
        z->count++;
    }
    return true;
}

static void finish_list(sm_zone *z)
{
    z->at[z->count] = INT64_MAX;
    z->min = z->max = z->offset[0];
    for (size_t i = 1; i < z->count; i++) {
        z->min = z->offset[i] < z->min ? z->offset[i] : z->min;
        z->max = z->offset[i] > z->max ? z->offset[i] : z->max;
    }
    size_t i = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        while (z->at[i + 1] <= (int64_t)((uint64_t)b << BUCKET_SHIFT)) {
            i++;
        }
        z->bucket[b] = (uint32_t)i;
    }
}

/* ---- TZif (RFC 8536) -------------------------------------------------------------------- */

/* Header, 44 bytes:
 *   0 "TZif"  4 version  5 reserved, 15 bytes  then six 32-bit big-endian counts:
 *   20 isut  24 isstd  28 leap  32 time  36 type  40 char
 * Version 1 data (32-bit times) follow, then a second header, data with 64-bit times, "\n" footer
 * "\n". */
enum { HEADER_SIZE = 44, TYPE_SIZE = 6, MAX_FILE = 1 << 20 };

typedef struct tzif {
    uint32_t isut, isstd, leap, time, type, chars;
    const uint8_t *times;   /* 8 bytes each */
    const uint8_t *indices; /* into types */
    const uint8_t *types;   /* offset, 4 bytes; is DST; place of the abbreviation */
    sm_bytes footer;
} tzif;

static bool read_header(sm_bytes in, size_t at, tzif *t)
{
    if (in.len < at || in.len - at < HEADER_SIZE || memcmp(in.data + at, "TZif", 4) != 0 ||
        in.data[at + 4] < '2') {
        return false;
    }
    const uint8_t *p = in.data + at + 20;
    t->isut = sm_load_be32(p);
    t->isstd = sm_load_be32(p + 4);
    t->leap = sm_load_be32(p + 8);
    t->time = sm_load_be32(p + 12);
    t->type = sm_load_be32(p + 16);
    t->chars = sm_load_be32(p + 20);
    return true;
}

/* Bytes behind a header; no overflow, since each count is below 2^32. */
static uint64_t data_size(const tzif *t, uint64_t time_size)
{
    return t->time * (time_size + 1) + (uint64_t)t->type * TYPE_SIZE + t->chars +
           t->leap * (time_size + 4) + t->isstd + (uint64_t)t->isut;
}

/* Finds the parts; NULL, or what is wrong with the file. */
static const char *split_tzif(sm_bytes in, tzif *t)
{
    if (!read_header(in, 0, t)) {
        return "it does not begin like a TZif file of version 2 or later";
    }
    const uint64_t second = HEADER_SIZE + data_size(t, 4);
    if (second > in.len || !read_header(in, (size_t)second, t)) {
        return "its second header is missing";
    }
    const uint64_t size = data_size(t, 8);
    const size_t start = (size_t)second + HEADER_SIZE;
    if (size > in.len - start) {
        return "it ends within its data";
    }
    if (t->leap != 0) {
        return "it counts leap seconds, which epoch times do not";
    }
    if (t->type == 0 || t->type > 256) {
        return "it has no local time types, or too many";
    }
    t->times = in.data + start;
    t->indices = t->times + (size_t)t->time * 8;
    t->types = t->indices + t->time;

    const sm_bytes tail = sm_bytes_of(in.data + start + size, in.len - start - (size_t)size);
    if (tail.len < 2 || tail.data[0] != '\n' || tail.data[tail.len - 1] != '\n') {
        return "its footer is not between line ends";
    }
    t->footer = sm_bytes_of(tail.data + 1, tail.len - 2);
    return NULL;
}

static bool type_offset(const tzif *t, unsigned index, int32_t *out)
{
    enum { MIN_OFFSET = -25 * 3600 + 1, MAX_OFFSET = 26 * 3600 - 1 };
    if (index >= t->type) {
        return false;
    }
    *out = (int32_t)sm_load_be32(t->types + (size_t)index * TYPE_SIZE);
    return *out >= MIN_OFFSET && *out <= MAX_OFFSET;
}

static const char *add_file_transitions(sm_zone *z, const tzif *t, int64_t *last)
{
    *last = INT64_MIN;
    for (uint32_t i = 0; i < t->time; i++) {
        const int64_t at = (int64_t)sm_load_be64(t->times + (size_t)i * 8);
        int32_t offset = 0;
        if (!type_offset(t, t->indices[i], &offset)) {
            return "a transition has no valid local time type";
        }
        if (i != 0 && at <= *last) {
            return "its transitions are not in ascending order";
        }
        if (!add_transition(z, at, offset)) {
            return "its transitions are not in ascending order";
        }
        *last = at;
    }
    return NULL;
}

static const char *add_footer_transitions(sm_zone *z, const sm_time_rule *rule, int64_t last)
{
    if (!rule->has_dst || last > SM_TIME_MAX / MS) {
        return NULL;
    }
    sm_civil c = {0};
    int32_t year = sm_civil_from_ms(last < SM_TIME_MIN / MS ? SM_TIME_MIN : last * MS, &c)
                       ? c.year - 1 /* its last change can reach into the next year */
                       : 0;
    for (; year <= LAST_RULE_YEAR; year++) {
        sm_time_change changes[2];
        sm_time_rule_changes(rule, year, changes);
        for (size_t i = 0; i < 2; i++) {
            if (changes[i].at > last && !add_transition(z, changes[i].at, changes[i].offset)) {
                return "the rule in its footer contradicts itself";
            }
        }
    }
    return NULL;
}

/* NULL, or what is wrong; *st tells of a lack of memory. */
static const char *build_from_tzif(sm_zone *z, sm_bytes in, sm_status *st, sm_error *err)
{
    tzif t;
    sm_time_rule rule;
    int32_t first = 0;
    const char *wrong = split_tzif(in, &t);
    if (wrong != NULL) {
        return wrong;
    }
    if (!sm_time_rule_parse(t.footer, &rule)) {
        return "its footer is not a POSIX TZ rule";
    }
    if (!type_offset(&t, 0, &first)) {
        return "its first local time type has no valid offset";
    }
    if (t.time == 0 && rule.present) {
        first = rule.standard; /* no transitions: the footer holds for all times */
    }
    const size_t by_rule = rule.has_dst ? (size_t)2 * (LAST_RULE_YEAR + 1) : 0;
    *st = begin_list(z, 1 + (size_t)t.time + by_rule, first, err);
    if (*st != SM_OK) {
        return NULL;
    }
    int64_t last = 0;
    wrong = add_file_transitions(z, &t, &last);
    return wrong != NULL ? wrong : add_footer_transitions(z, &rule, last);
}

sm_status sm_zone_from_tzif(sm_bytes name, sm_bytes tzif_bytes, sm_zone **out, sm_error *err)
{
    *out = NULL;
    sm_zone *z = NULL;
    sm_status st = new_zone(name, &z, err);
    if (st != SM_OK) {
        return st;
    }
    const char *wrong = build_from_tzif(z, tzif_bytes, &st, err);
    if (wrong != NULL) {
        char shown[128];
        st = sm_fail(err, SM_E_FORMAT,
                     "time zone %s: its file is damaged: %s; reinstall the tzdata package",
                     sm_escape_short(name, shown, sizeof shown), wrong);
    }
    if (st != SM_OK) {
        sm_zone_free(z);
        return st;
    }
    finish_list(z);
    *out = z;
    return SM_OK;
}

/* ---- by name ---------------------------------------------------------------------------- */

static bool is_digit(uint8_t c)
{
    return (unsigned)c - '0' <= 9;
}

static bool is_letter(uint8_t c)
{
    return ((unsigned)c | 0x20) - 'a' <= 25;
}

/* "UTC", "Etc/UTC", "Z" or "+hh:mm". */
static bool fixed_zone(sm_bytes name, int32_t *offset)
{
    *offset = 0;
    if (sm_bytes_equal_text(name, "UTC") || sm_bytes_equal_text(name, "Etc/UTC") ||
        sm_bytes_equal_text(name, "Z")) {
        return true;
    }
    const uint8_t *p = name.data;
    if (name.len != 6 || (p[0] != '+' && p[0] != '-') || !is_digit(p[1]) || !is_digit(p[2]) ||
        p[3] != ':' || !is_digit(p[4]) || !is_digit(p[5])) {
        return false;
    }
    const int32_t hours = (p[1] - '0') * 10 + (p[2] - '0');
    const int32_t minutes = (p[4] - '0') * 10 + (p[5] - '0');
    *offset = (p[0] == '-' ? -1 : 1) * (hours * 60 + minutes) * 60;
    return hours <= 23 && minutes <= 59;
}

static bool name_is_safe(sm_bytes name)
{
    enum { MAX_NAME = 100 };
    if (name.len == 0 || name.len > MAX_NAME || name.data[0] == '/' ||
        name.data[name.len - 1] == '/') {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        const uint8_t c = name.data[i];
        if (!is_letter(c) && !is_digit(c) && c != '_' && c != '+' && c != '-' && c != '/') {
            return false;
        }
    }
    /* What these say differs from machine to machine. */
    return !sm_bytes_equal_text(name, "localtime") && !sm_bytes_equal_text(name, "posixrules");
}

static sm_status load_fixed(sm_bytes name, int32_t offset, sm_zone **out, sm_error *err)
{
    sm_zone *z = NULL;
    sm_status st = new_zone(name, &z, err);
    if (st != SM_OK) {
        return st;
    }
    st = begin_list(z, 1, offset, err);
    if (st != SM_OK) {
        sm_zone_free(z);
        return st;
    }
    finish_list(z);
    *out = z;
    return SM_OK;
}

static sm_status load_file(sm_bytes name, sm_zone **out, sm_error *err)
{
    static const char folder[] = "/usr/share/zoneinfo/";
    char path[160];
    memcpy(path, folder, sizeof folder - 1);
    memcpy(path + sizeof folder - 1, name.data, name.len);
    path[sizeof folder - 1 + name.len] = '\0';

    sm_arena *scratch = NULL;
    sm_bytes content = {NULL, 0};
    sm_error read_error;
    sm_error_clear(&read_error);
    sm_status st = sm_arena_new(4096, &scratch, err);
    if (st != SM_OK) {
        return st;
    }
    if (sm_fs_read_whole(path, MAX_FILE, scratch, &content, &read_error) == SM_OK) {
        st = sm_zone_from_tzif(name, content, out, err);
    } else if (read_error.code == SM_E_MEMORY) {
        st = sm_fail(err, SM_E_MEMORY, "%s", read_error.text);
    } else {
        st = sm_fail(err, SM_E_JOB,
                     "time zone '%.*s': not to be had from tzdata (%s); write a name such as "
                     "Europe/Berlin, UTC or +08:00, and have the tzdata package installed",
                     (int)name.len, (const char *)name.data, read_error.text);
    }
    sm_arena_free(scratch);
    return st;
}

sm_status sm_zone_load(sm_bytes name, sm_zone **out, sm_error *err)
{
    *out = NULL;
    int32_t offset = 0;
    if (fixed_zone(name, &offset)) {
        return load_fixed(name, offset, out, err);
    }
    if (!name_is_safe(name)) {
        char shown[128];
        return sm_fail(err, SM_E_JOB,
                       "time zone '%s': not a name of a zone; write one such as Europe/Berlin, UTC "
                       "or +08:00",
                       sm_escape_short(name, shown, sizeof shown));
    }
    return load_file(name, out, err);
}

void sm_zone_free(sm_zone *z)
{
    if (z != NULL) {
        sm_arena_free(z->arena);
        sm_free(z);
    }
}

const char *sm_zone_name(const sm_zone *z)
{
    return z->name;
}

/* ---- look-ups --------------------------------------------------------------------------- */

/* The interval that holds t: the last one that begins at t or before. */
static inline size_t find(const sm_zone *z, int64_t t)
{
    const uint64_t b = (uint64_t)t >> BUCKET_SHIFT; /* huge for times before 1970 */
    if (SM_LIKELY(b < BUCKETS)) {
        size_t i = z->bucket[b];
        while (z->at[i + 1] <= t) {
            i++;
        }
        return i;
    }
    size_t low = 0;
    size_t high = z->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (z->at[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The clock jumps over local time: at the first change that has it on both sides. */
static void fill_gap(const sm_zone *z, size_t i, int64_t local_ms, int64_t *first, int64_t *second)
{
    size_t j = i + 1;
    while (j < z->count - 1 &&
           !(z->at[j] + z->offset[j - 1] <= local_ms && local_ms < z->at[j] + z->offset[j])) {
        j++;
    }
    *first = local_ms - z->offset[j - 1];
    *second = local_ms - z->offset[j];
}

sm_local_kind sm_zone_to_instant(const sm_zone *z, int64_t local_ms, int64_t *first,
                                 int64_t *second)
{
    if (z->count == 1) {
        *first = *second = local_ms - z->offset[0];
        return SM_LOCAL_ONCE;
    }
    /* Each interval overlapping the instants that any offset could give has its say. */
    const int64_t latest = local_ms - z->min;
    const size_t start = find(z, local_ms - z->max);
    unsigned found = 0;
    for (size_t i = start; z->at[i] <= latest; i++) {
        const int64_t t = local_ms - z->offset[i];
        if (t >= z->at[i] && t < z->at[i + 1]) {
            if (found == 0) {
                *first = t;
            }
            *second = t;
            found++;
        }
    }
    if (SM_UNLIKELY(found == 0)) {
        fill_gap(z, start, local_ms, first, second);
        return SM_LOCAL_NEVER;
    }
    return found == 1 ? SM_LOCAL_ONCE : SM_LOCAL_TWICE;
}

int32_t sm_zone_offset(const sm_zone *z, int64_t instant_ms)
{
    return z->offset[find(z, instant_ms)] / MS;
}

bool sm_zone_repeats_between(const sm_zone *z, int64_t from_ms, int64_t to_ms)
{
    const int64_t limit = time_limit * MS;
    const int64_t from = from_ms < -limit ? -limit : from_ms;
    const int64_t to = to_ms > limit ? limit : to_ms;
    const int64_t span = (int64_t)z->max - z->min;
    if (from > to) {
        return false;
    }
    for (size_t i = find(z, from - span) + 1; i < z->count && z->at[i] - span <= to; i++) {
        const int64_t back = (int64_t)z->offset[i - 1] - z->offset[i];
        if (back > 0 && from < z->at[i] + back && to >= z->at[i] - back) {
            return true;
        }
    }
    return false;
}
