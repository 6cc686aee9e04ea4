/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates the values of a part over a range. */
#include "partitioner/keylabels.h"

#include "partitioner/keyfn.h"

enum { MS_PER_SECOND = 1000, MS_PER_MINUTE = 60000, MS_PER_HOUR = 3600000, MS_PER_DAY = 86400000 };
/* Clocks were never set by more than a day at once. */
enum { JUMP_HOURS = 26, NEAR_HOURS = 48 };

static sm_status no_memory(size_t bytes, sm_error *err)
{
    return sm_fail_memory(err, bytes, "the values of a part of the key");
}

static sm_status add(sm_arena *arena, sm_labels *out, sm_label label, sm_error *err)
{
    const char *copy = sm_arena_text(
        arena, label.bytes.len == 0 ? (const void *)"" : label.bytes.data, label.bytes.len);
    if (copy == NULL) {
        return no_memory(label.bytes.len, err);
    }
    label.bytes.data = (const uint8_t *)copy;
    out->items[out->count++] = label;
    return SM_OK;
}

static sm_status start(sm_arena *arena, sm_labels *out, size_t most, sm_error *err)
{
    *out = (sm_labels){0};
    out->items = sm_arena_array(arena, most + 1, sizeof *out->items);
    return out->items != NULL ? SM_OK : no_memory(most * sizeof *out->items, err);
}

/* ---- chains ---------------------------------------------------------------------------------- */

typedef struct walk {
    sm_eval *ev;
    const sm_node *node;
} walk;

static bool value_at(walk *w, int64_t number, sm_value *out)
{
    const sm_value v = {.number = number};
    return sm_span_value(w->ev, w->node, &v, out) == SM_REJECT_NONE;
}

static bool same_at(walk *w, int64_t number, sm_bytes wanted)
{
    sm_value v = {0};
    return value_at(w, number, &v) && sm_bytes_equal(v.bytes, wanted);
}

/* The last number up to `high` with the value that `from` has. */
static int64_t last_same(walk *w, int64_t from, int64_t high, sm_bytes value)
{
    uint64_t step = 1;
    if (same_at(w, high, value)) {
        return high;
    }
    int64_t good = from;
    while (step <= (uint64_t)high - (uint64_t)good &&
           same_at(w, (int64_t)((uint64_t)good + step), value)) {
        good = (int64_t)((uint64_t)good + step);
        step *= 2;
    }
    /* good + step is another value, or behind high. */
    while (step > 1) {
        step /= 2;
        if (step <= (uint64_t)high - (uint64_t)good &&
            same_at(w, (int64_t)((uint64_t)good + step), value)) {
            good = (int64_t)((uint64_t)good + step);
        }
    }
    return good;
}

sm_status sm_labels_of_chain(sm_arena *arena, sm_eval *ev, const sm_node *node,
                             const sm_label_query *q, sm_labels *out, sm_error *err)
{
    walk w = {ev, node};
    sm_value v = {0};
    int64_t low = q->low;
    sm_status st = start(arena, out, q->most, err);
    sm_eval_reset(ev);
    while (st == SM_OK && out->count < q->most && value_at(&w, low, &v)) {
        const int64_t last = last_same(&w, low, q->high, v.bytes);
        st = add(arena, out, (sm_label){v.bytes, low, last}, err);
        sm_eval_reset(ev);
        if (last == q->high) {
            out->complete = true;
            break;
        }
        low = last + 1;
    }
    return st;
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* Rank of a conversion from coarse to fine, and what %F and %T stand for. */
static const char ORDER[] = "YmdHMSf";

static int64_t unit_of(char letter)
{
    switch (letter) {
    case 'Y':
    case 'y': return -1;
    case 'm':
    case 'b':
    case 'B': return 0;
    case 'd':
    case 'j': return MS_PER_DAY;
    case 'H': return MS_PER_HOUR;
    case 'M': return MS_PER_MINUTE;
    case 'S': return MS_PER_SECOND;
    default: return 1;
    }
}

typedef struct reading {
    sm_format_facts facts;
    size_t rank; /* conversions of ORDER read so far, while it sorts */
    bool any;
} reading;

static int coarseness(int64_t unit)
{
    return unit == -1 ? INT32_MAX : unit == 0 ? INT32_MAX - 1 : (int)unit;
}

static void read_letter(reading *r, char letter)
{
    const bool fine = letter == 'L';
    const char c = fine ? 'f' : letter;
    const int64_t unit = unit_of(c);
    if (!r->any || coarseness(unit) < coarseness(r->facts.unit)) {
        r->facts.unit = unit;
    }
    r->any = true;
    if (c == 'j' && r->rank == 1) {
        r->rank = 3;
        return;
    }
    if (r->rank < sizeof ORDER - 1 && ORDER[r->rank] == c) {
        r->rank++;
    } else {
        r->facts.sorts = false;
    }
}

sm_format_facts sm_format_read(sm_bytes pattern)
{
    reading r = {.facts = {.known = true, .sorts = true}};
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.data[i] != '%') {
            continue;
        }
        i++;
        const char c = i < pattern.len ? (char)pattern.data[i] : '?';
        const char *letters = c == 'F' ? "Ymd" : c == 'T' ? "HMS" : NULL;
        if (letters != NULL) {
            for (; *letters != '\0'; letters++) {
                read_letter(&r, *letters);
            }
        } else if (c != '\0' && strchr("YymbBdjHMSfL", c) != NULL) {
            read_letter(&r, c);
        } else {
            r.facts.known &= c == '%';
        }
    }
    r.facts.known &= r.any;
    r.facts.sorts &= r.facts.known;
    return r.facts;
}

/* ---- wall clocks ----------------------------------------------------------------------------- */

static int64_t within(int64_t t, int64_t low, int64_t high)
{
    return t < low ? low : t > high ? high : t;
}

static const sm_zone *zone_of(const sm_node *node, sm_zone **loaded, sm_error *err)
{
    const sm_bytes name = sm_key_const(node, "zone")->text;
    *loaded = NULL;
    return sm_bytes_equal_text(name, "UTC") || sm_zone_load(name, loaded, err) != SM_OK ? NULL
                                                                                        : *loaded;
}

static bool calm(const sm_zone *zone, int64_t t)
{
    const int64_t slack = (int64_t)NEAR_HOURS * MS_PER_HOUR;
    const int64_t from = within(t, SM_TIME_MIN + slack, SM_TIME_MAX - slack);
    return zone == NULL || !sm_zone_repeats_between(zone, from - slack, from + slack);
}

bool sm_format_calm(const sm_node *node, int64_t instant)
{
    sm_zone *loaded = NULL;
    const sm_zone *zone = zone_of(node, &loaded, NULL);
    const bool utc = sm_bytes_equal_text(sm_key_const(node, "zone")->text, "UTC");
    const bool answer = utc || (zone != NULL && calm(zone, instant));
    sm_zone_free(loaded);
    return answer;
}

/* Instants [low, high] as wall clock times, read as if they were UTC; a bit more where clocks are
 * set back near an end. */
typedef struct wall {
    int64_t low, high;
    const sm_zone *zone;
    const sm_time_printer *print;
    size_t room;
    char *text;
} wall;

static int64_t to_wall(const sm_zone *zone, int64_t t, int direction)
{
    if (zone == NULL) {
        return t;
    }
    const int64_t local = t + (int64_t)sm_zone_offset(zone, t) * MS_PER_SECOND;
    return calm(zone, t) ? local : local + direction * (int64_t)JUMP_HOURS * MS_PER_HOUR;
}

static sm_status open_wall(sm_arena *arena, const sm_node *node, const sm_zone *zone,
                           const sm_label_query *q, wall *out, sm_error *err)
{
    *out = (wall){.zone = zone};
    const int64_t low = within(q->low, SM_TIME_MIN, SM_TIME_MAX);
    const int64_t high = within(q->high, SM_TIME_MIN, SM_TIME_MAX);
    out->low = within(to_wall(zone, low, -1), SM_TIME_MIN, SM_TIME_MAX);
    out->high = within(to_wall(zone, high, 1), SM_TIME_MIN, SM_TIME_MAX);
    const sm_status st =
        sm_time_printer_compile(arena, sm_key_const(node, "pattern")->text, NULL, &out->print, err);
    if (st != SM_OK) {
        return st;
    }
    out->room = sm_time_printer_size(out->print);
    out->text = sm_arena_get(arena, out->room + 1);
    return out->text != NULL ? SM_OK : no_memory(out->room, err);
}

/* ---- units ----------------------------------------------------------------------------------- */

static int64_t month_start(int32_t year, unsigned month)
{
    return sm_days_from_civil(year, month, 1) * MS_PER_DAY;
}

static int64_t unit_start(int64_t t, int64_t unit)
{
    sm_civil c = {0};
    if (unit > 0) {
        const int64_t rest = t % unit;
        return t - (rest < 0 ? rest + unit : rest);
    }
    (void)sm_civil_from_ms(t, &c);
    return month_start(c.year, unit == 0 ? c.month : 1);
}

static int64_t next_start(int64_t t, int64_t unit)
{
    sm_civil c = {0};
    if (unit > 0) {
        return t + unit;
    }
    (void)sm_civil_from_ms(t, &c);
    const bool turn = unit < 0 || c.month == 12;
    if (turn && c.year == 9999) {
        return SM_TIME_MAX + 1;
    }
    return month_start(turn ? c.year + 1 : c.year, turn ? 1 : c.month + 1U);
}

/* The first instant whose wall clock shows `t`, or the last. */
static int64_t to_instant(const sm_zone *zone, int64_t t, bool last)
{
    int64_t first = t;
    int64_t second = t;
    if (zone != NULL) {
        (void)sm_zone_to_instant(zone, t, &first, &second);
    }
    return (first < second) != last ? first : second;
}

static sm_status list_units(sm_arena *arena, const wall *w, int64_t unit, const sm_label_query *q,
                            sm_labels *out, sm_error *err)
{
    sm_status st = SM_OK;
    for (int64_t t = unit_start(w->low, unit); st == SM_OK && t <= w->high;) {
        if (out->count == q->most) {
            return SM_OK;
        }
        const int64_t next = next_start(t, unit);
        const int64_t inside = within(t, SM_TIME_MIN, SM_TIME_MAX);
        const size_t len = sm_time_print(w->print, inside, w->text);
        const sm_label label = {
            .bytes = sm_bytes_of(w->text, len),
            .low = within(to_instant(w->zone, inside, false), q->low, q->high),
            .high = within(to_instant(w->zone, next, true) - 1, q->low, q->high),
        };
        st = add(arena, out, label, err);
        t = next;
    }
    out->complete = st == SM_OK;
    return st;
}

sm_status sm_labels_of_format(sm_arena *arena, const sm_node *node, const sm_label_query *q,
                              sm_labels *out, sm_error *err)
{
    const sm_format_facts facts = sm_format_read(sm_key_const(node, "pattern")->text);
    sm_zone *loaded = NULL;
    sm_error why = {.code = SM_OK};
    wall w;
    sm_status st = start(arena, out, q->most, err);
    const sm_zone *zone = zone_of(node, &loaded, &why);
    if (st == SM_OK && facts.known && why.code == SM_OK) {
        st = open_wall(arena, node, zone, q, &w, err);
        if (st == SM_OK) {
            st = list_units(arena, &w, facts.unit, q, out, err);
        }
    }
    sm_zone_free(loaded);
    return st;
}

sm_status sm_span_of_format(sm_arena *arena, const sm_node *node, const sm_label_query *q,
                            sm_span *out, sm_error *err)
{
    sm_zone *loaded = NULL;
    wall w;
    *out = (sm_span){0};
    sm_error why = {.code = SM_OK};
    const sm_zone *zone = zone_of(node, &loaded, &why);
    sm_status st = why.code == SM_OK ? open_wall(arena, node, zone, q, &w, err)
                                     : sm_fail(err, why.code, "%s", why.text);
    for (int end = 0; st == SM_OK && end < 2; end++) {
        const size_t len = sm_time_print(w.print, end == 0 ? w.low : w.high, w.text);
        const char *copy = sm_arena_text(arena, w.text, len);
        st = copy != NULL ? SM_OK : no_memory(len, err);
        (end == 0 ? &out->low : &out->high)->bytes = sm_bytes_of(copy, len);
    }
    sm_zone_free(loaded);
    return st;
}
