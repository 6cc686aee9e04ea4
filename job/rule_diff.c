/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two key rules: first the parts of the key, then the other lines. */
#include "job/rule_diff.h"

#include "job/rule_parts.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 128, SHOWN = 160 };

typedef struct parts {
    sm_bytes items[PARTS_MAX];
    bool paired[PARTS_MAX];
    size_t count;
} parts;

typedef struct teller {
    sm_buf *out;
    sm_error *err;
    sm_status st;
    size_t start; /* of what is told, in out */
} teller;

/* ---- words ----------------------------------------------------------------------------------- */

static void say(teller *t, const char *text)
{
    if (t->st == SM_OK) {
        t->st = sm_buf_append(t->out, text, strlen(text), t->err);
    }
}

static void say_bytes(teller *t, sm_bytes text)
{
    const size_t len = text.len > SHOWN ? SHOWN - 3 : text.len;
    if (t->st == SM_OK) {
        t->st = sm_buf_append(t->out, text.data, len, t->err);
    }
    if (len < text.len) {
        say(t, "...");
    }
}

static void next_change(teller *t)
{
    if (t->out->len > t->start) {
        say(t, "; ");
    }
}

static void say_changed(teller *t, sm_bytes was, sm_bytes now)
{
    say_bytes(t, was);
    say(t, " is now ");
    say_bytes(t, now);
}

/* ---- the key --------------------------------------------------------------------------------- */

/* False when there are more parts than are worth comparing. */
static bool take_apart(const char *key, parts *out)
{
    sm_bytes rest = sm_bytes_text(key);
    *out = (parts){.count = 0};
    while (out->count < PARTS_MAX && sm_rule_next_part(&rest, &out->items[out->count])) {
        out->count++;
    }
    return rest.len == 0;
}

static int order_parts(const void *a, const void *b)
{
    return sm_bytes_compare(*(const sm_bytes *)a, *(const sm_bytes *)b);
}

static bool same_parts(const parts *was, const parts *now)
{
    parts a = *was;
    parts b = *now;
    if (a.count != b.count) {
        return false;
    }
    qsort(a.items, a.count, sizeof *a.items, order_parts);
    qsort(b.items, b.count, sizeof *b.items, order_parts);
    for (size_t i = 0; i < a.count; i++) {
        if (!sm_bytes_equal(a.items[i], b.items[i])) {
            return false;
        }
    }
    return true;
}

/* The stretch of parts from `from` to `to`, as it stands in the key. */
static sm_bytes stretch(const parts *p, size_t from, size_t to)
{
    const uint8_t *begin = p->items[from].data;
    const uint8_t *end = p->items[to - 1].data + p->items[to - 1].len;
    return sm_bytes_of(begin, (size_t)(end - begin));
}

static void tell_order(teller *t, const parts *was, const parts *now)
{
    size_t from = 0;
    size_t to = was->count;
    while (from < to && sm_bytes_equal(was->items[from], now->items[from])) {
        from++;
    }
    while (to > from && sm_bytes_equal(was->items[to - 1], now->items[to - 1])) {
        to--;
    }
    if (from < to) {
        next_change(t);
        say(t, "the same parts in another order: ");
        say_changed(t, stretch(was, from, to), stretch(now, from, to));
    }
}

/* Pairs equal parts so that as many as possible keep their order: the longest common subsequence.
 */
static void pair_equal(parts *was, parts *now)
{
    uint8_t best[PARTS_MAX + 1][PARTS_MAX + 1] = {{0}};
    for (size_t i = was->count; i-- > 0;) {
        for (size_t k = now->count; k-- > 0;) {
            const uint8_t skip = best[i + 1][k] > best[i][k + 1] ? best[i + 1][k] : best[i][k + 1];
            best[i][k] = sm_bytes_equal(was->items[i], now->items[k])
                             ? (uint8_t)(best[i + 1][k + 1] + 1)
                             : skip;
        }
    }
    for (size_t i = 0, k = 0; i < was->count && k < now->count;) {
        if (sm_bytes_equal(was->items[i], now->items[k])) {
            was->paired[i++] = now->paired[k++] = true;
        } else if (best[i + 1][k] >= best[i][k + 1]) {
            i++;
        } else {
            k++;
        }
    }
}

static bool same_function(sm_bytes a, sm_bytes b)
{
    const uint8_t *open = memchr(a.data, '(', a.len);
    const size_t len = open == NULL ? 0 : (size_t)(open - a.data) + 1;
    return len > 1 && b.len >= len && memcmp(a.data, b.data, len) == 0;
}

/* A gap between equal parts: [i, i_end) of the old key stands against [k, k_end) of the new one.
 * As many on both sides: one by one; else the ones of the same function. */
static void tell_gap(teller *t, parts *was, parts *now, const size_t at[2], const size_t end[2])
{
    const bool one_by_one = end[0] - at[0] == end[1] - at[1];
    for (size_t i = at[0]; i < end[0]; i++) {
        for (size_t k = at[1]; k < end[1] && !was->paired[i]; k++) {
            const bool pair =
                one_by_one ? i - at[0] == k - at[1] : same_function(was->items[i], now->items[k]);
            if (!now->paired[k] && pair) {
                was->paired[i] = now->paired[k] = true;
                next_change(t);
                say_changed(t, was->items[i], now->items[k]);
            }
        }
        if (!was->paired[i]) {
            next_change(t);
            say_bytes(t, was->items[i]);
            say(t, " is gone");
        }
    }
    for (size_t k = at[1]; k < end[1]; k++) {
        if (!now->paired[k]) {
            next_change(t);
            say_bytes(t, now->items[k]);
            say(t, k == 0 ? " is new in front" : " is new behind ");
            say_bytes(t, k == 0 ? (sm_bytes){0} : now->items[k - 1]);
        }
    }
}

static size_t gap_end(const parts *p, size_t at)
{
    while (at < p->count && !p->paired[at]) {
        at++;
    }
    return at;
}

static void tell_parts(teller *t, parts *was, parts *now)
{
    size_t at[2] = {0, 0};
    pair_equal(was, now);
    while (at[0] < was->count || at[1] < now->count) {
        const size_t end[2] = {gap_end(was, at[0]), gap_end(now, at[1])};
        tell_gap(t, was, now, at, end);
        at[0] = end[0] < was->count ? end[0] + 1 : end[0];
        at[1] = end[1] < now->count ? end[1] + 1 : end[1];
    }
}

static void tell_key(teller *t, const char *was, const char *now)
{
    parts a;
    parts b;
    if (strcmp(was, now) == 0) {
        return;
    }
    if (!take_apart(was, &a) || !take_apart(now, &b)) {
        say(t, "the key ");
        say_changed(t, sm_bytes_text(was), sm_bytes_text(now));
    } else if (same_parts(&a, &b)) {
        tell_order(t, &a, &b);
    } else {
        tell_parts(t, &a, &b);
    }
}

/* ---- the other lines ------------------------------------------------------------------------- */

/* The n-th value of a path, from 0. */
static bool value_of(const char *text, sm_bytes path, size_t n, sm_bytes *out)
{
    sm_bytes rest = sm_bytes_text(text);
    sm_bytes line;
    sm_bytes name;
    sm_bytes value;
    while (sm_rule_next_line(&rest, &line)) {
        if (sm_rule_split_line(line, &name, &value) && sm_bytes_equal(name, path) && n-- == 0) {
            *out = value;
            return true;
        }
    }
    return false;
}

static bool same_values(const char *was, const char *now, sm_bytes path)
{
    bool more = true;
    for (size_t n = 0; more; n++) {
        sm_bytes a = {0};
        sm_bytes b = {0};
        more = value_of(was, path, n, &a);
        if (more != value_of(now, path, n, &b) || !sm_bytes_equal(a, b)) {
            return false;
        }
    }
    return true;
}

/* How a path is called, and what it means that it is not there. Of fields the last word. */
typedef struct path_words {
    const char *path, *called, *absent;
} path_words;

static const path_words WORDS[] = {
    {"csv.null", "null texts", "none"},
    {"input.identity", "identity", "none"},
    {"job.seed", "seed", "0"},
    {"input.encoding", "encoding", "utf-8"},
    {".type", "type", "none"},
    {".charset", "charset", "any"},
    {".column", "column", "taken by name"},
    {".from", "from", "a column"},
    {".format", "time format", "not given"},
};

static const path_words *words_of(sm_bytes path)
{
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        const size_t len = strlen(WORDS[i].path);
        const bool tail = WORDS[i].path[0] == '.' && sm_rule_starts(path, "field.");
        const size_t from = tail && path.len > len ? path.len - len : 0;
        if (sm_bytes_equal_text(sm_rule_behind(path, from), WORDS[i].path)) {
            return &WORDS[i];
        }
    }
    return NULL;
}

static void say_values(teller *t, const char *text, sm_bytes path, const path_words *words)
{
    const bool quoted = sm_bytes_equal_text(path, "csv.null");
    sm_bytes value;
    size_t n = 0;
    for (; value_of(text, path, n, &value); n++) {
        say(t, n == 0 ? "" : ", ");
        say(t, quoted ? "\"" : "");
        say_bytes(t, value);
        say(t, quoted ? "\"" : "");
    }
    if (n == 0) {
        say(t, words == NULL ? "not given" : words->absent);
    }
}

/* "zone=Asia/Shanghai" and its like, behind the pattern of a time format. */
static bool setting_of(sm_bytes format, const char *name, sm_bytes *pattern, sm_bytes *value)
{
    const size_t len = strlen(name);
    for (size_t i = 0; i + len < format.len; i++) {
        const sm_bytes rest = sm_rule_behind(format, i);
        if (sm_rule_starts(rest, name)) {
            const uint8_t *blank = memchr(rest.data + len, ' ', rest.len - len);
            const size_t end = blank == NULL ? rest.len : (size_t)(blank - rest.data);
            *pattern = sm_bytes_of(format.data, i);
            *value = sm_bytes_of(rest.data + len, end - len);
            return true;
        }
    }
    return false;
}

/* A change of the zone, or of how it is read at a change of clocks, alone. False: something else.
 */
static bool tell_time_format(teller *t, sm_bytes was, sm_bytes now)
{
    static const char *const NAMES[] = {" zone=", " repeated=", " missing="};
    static const char *const CALLED[] = {"zone ", "repeated local times ", "missing local times "};
    sm_bytes front[2];
    sm_bytes value[2];
    bool told = false;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (!setting_of(was, NAMES[i], &front[0], &value[0]) ||
            !setting_of(now, NAMES[i], &front[1], &value[1]) ||
            (i == 0 && !sm_bytes_equal(front[0], front[1]))) {
            return false;
        }
        if (!sm_bytes_equal(value[0], value[1])) {
            say(t, told ? ", " : "");
            say(t, CALLED[i]);
            say_changed(t, value[0], value[1]);
            told = true;
        }
    }
    return told;
}

static void tell_path(teller *t, const char *was, const char *now, sm_bytes path)
{
    const path_words *words = words_of(path);
    const bool field = words != NULL && words->path[0] == '.';
    sm_bytes a = {0};
    sm_bytes b = {0};
    next_change(t);
    if (field) {
        const size_t front = strlen("field.");
        say(t, "field ");
        say_bytes(t, sm_bytes_of(path.data + front, path.len - front - strlen(words->path)));
        say(t, ": ");
        if (strcmp(words->path, ".format") == 0 && value_of(was, path, 0, &a) &&
            value_of(now, path, 0, &b) && tell_time_format(t, a, b)) {
            return;
        }
    }
    if (words == NULL) {
        say_bytes(t, path);
    } else {
        say(t, words->called);
    }
    say(t, field ? " " : ": ");
    say_values(t, was, path, words);
    say(t, " is now ");
    say_values(t, now, path, words);
}

/* A field that only one key reads is told by its part. */
static bool field_on_one_side(const char *was, const char *now, sm_bytes path)
{
    const path_words *words = words_of(path);
    sm_bytes ignored;
    char type[300];
    if (words == NULL || words->path[0] != '.') {
        return false;
    }
    const size_t len = path.len - strlen(words->path);
    if (len + sizeof ".type" > sizeof type) {
        return false;
    }
    memcpy(type, path.data, len);
    memcpy(type + len, ".type", sizeof ".type");
    const sm_bytes name = sm_bytes_text(type);
    return value_of(was, name, 0, &ignored) != value_of(now, name, 0, &ignored);
}

/* The paths of one of the rules, each where its first line stands; of the new rule only those that
 * the old one lacks. */
static void tell_lines(teller *t, const sm_rule *was, const sm_rule *now, bool of_new)
{
    const char *text = of_new ? now->text : was->text;
    sm_bytes rest = sm_bytes_text(text);
    sm_bytes line;
    sm_bytes path;
    sm_bytes value;
    sm_bytes first;
    while (sm_rule_next_line(&rest, &line)) {
        if (!sm_rule_split_line(line, &path, &value) || sm_bytes_equal_text(path, "key") ||
            !value_of(text, path, 0, &first) || first.data != value.data ||
            (of_new && value_of(was->text, path, 0, &first))) {
            continue;
        }
        if (!same_values(was->text, now->text, path) &&
            !field_on_one_side(was->text, now->text, path)) {
            tell_path(t, was->text, now->text, path);
        }
    }
}

sm_status sm_rule_difference(const sm_rule *was, const sm_rule *now, sm_buf *out, sm_error *err)
{
    teller t = {.out = out, .err = err, .st = SM_OK, .start = out->len};
    if (strcmp(was->fingerprint, now->fingerprint) == 0) {
        return SM_OK;
    }
    tell_key(&t, was->key, now->key);
    if (was->text != NULL && now->text != NULL) {
        tell_lines(&t, was, now, false);
        tell_lines(&t, was, now, true);
    }
    if (t.st == SM_OK && out->len == t.start) {
        say(&t, "the key is the same, but types, zones, charsets or null texts of its fields are "
                "not (key_fingerprint ");
        say_changed(&t, sm_bytes_text(was->fingerprint), sm_bytes_text(now->fingerprint));
        say(&t, ")");
    }
    return t.st;
}
