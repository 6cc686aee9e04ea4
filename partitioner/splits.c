/* SPDX-License-Identifier: Apache-2.0 */
/* Freezing a draft of split keys, and finding the region of a key. Where keys come from is in
 * split_*.c. */
#include "partitioner/splits.h"

#include "core/endian.h"
#include "core/escape.h"
#include "core/mem.h"
#include "partitioner/split_draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* HBase's limit on a row key. */
enum { MOST_KEY_BYTES = 32767, SHOWN = 160 };

/* ---- the draft -------------------------------------------------------------- */

sm_status sm_split_draft_add(sm_split_draft *d, sm_bytes key, uint64_t place, sm_error *err)
{
    if (key.len > MOST_KEY_BYTES) {
        return sm_fail(err, SM_E_SPLITS,
                       "%s: %s %llu: a split key of %zu bytes; a row key has at most %d", d->where,
                       d->unit, (unsigned long long)place, key.len, MOST_KEY_BYTES);
    }
    if (d->count == SM_SPLITS_MOST_REGIONS - 1) {
        return sm_fail(err, SM_E_SPLITS,
                       "%s: more than %d split keys; a table has at most %d regions", d->where,
                       SM_SPLITS_MOST_REGIONS - 1, SM_SPLITS_MOST_REGIONS);
    }
    if (d->count == d->capacity) {
        const size_t capacity = d->capacity == 0 ? 64 : d->capacity * 2;
        sm_split_entry *entries = sm_realloc(d->entries, capacity * sizeof *entries);
        if (entries == NULL) {
            return sm_fail_memory(err, capacity * sizeof *entries, "split keys");
        }
        d->entries = entries;
        d->capacity = capacity;
    }
    d->entries[d->count++] = (sm_split_entry){key, place};
    return SM_OK;
}

/* Notes are few: the list grows by one at a time. */
sm_status sm_split_draft_note(sm_split_draft *d, sm_error *err, const char *fmt, ...)
{
    char text[SM_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char **notes = sm_realloc(d->notes, (d->note_count + 1) * sizeof *notes);
    const char *copy = sm_arena_text(d->arena, text, strlen(text));
    d->notes = notes != NULL ? notes : d->notes;
    if (notes == NULL || copy == NULL) {
        return sm_fail_memory(err, sizeof text, "a note on split keys");
    }
    d->notes[d->note_count++] = copy;
    return SM_OK;
}

/* ---- sorting and checking --------------------------------------------------- */

/* Equal keys stay in the order of their places, so that messages name the earlier one first. */
static int compare_entries(const void *a, const void *b)
{
    const sm_split_entry *x = a;
    const sm_split_entry *y = b;
    const int c = sm_bytes_compare(x->key, y->key);
    return c != 0 ? c : (x->place > y->place) - (x->place < y->place);
}

static sm_status sort_draft(sm_split_draft *d, sm_error *err)
{
    size_t i = 1;
    while (i < d->count && sm_bytes_compare(d->entries[i - 1].key, d->entries[i].key) <= 0) {
        i++;
    }
    if (i >= d->count) {
        return SM_OK;
    }
    char before[SHOWN];
    char after[SHOWN];
    if (d->ordered) {
        return sm_fail(err, SM_E_SPLITS,
                       "%s: %s %llu: '%s' sorts before '%s' in %s %llu; split keys must be in "
                       "order, bytes compared unsigned",
                       d->where, d->unit, (unsigned long long)d->entries[i].place,
                       sm_escape_short(d->entries[i].key, after, sizeof after),
                       sm_escape_short(d->entries[i - 1].key, before, sizeof before), d->unit,
                       (unsigned long long)d->entries[i - 1].place);
    }
    const sm_status st = sm_split_draft_note(
        d, err,
        "%s: the split keys are not in order ('%s' in %s %llu comes after '%s'); they were sorted",
        d->where, sm_escape_short(d->entries[i].key, after, sizeof after), d->unit,
        (unsigned long long)d->entries[i].place,
        sm_escape_short(d->entries[i - 1].key, before, sizeof before));
    if (st == SM_OK) {
        qsort(d->entries, d->count, sizeof *d->entries, compare_entries);
    }
    return st;
}

static sm_status check_unique(const sm_split_draft *d, sm_error *err)
{
    for (size_t i = 1; i < d->count; i++) {
        const sm_split_entry *a = &d->entries[i - 1];
        const sm_split_entry *b = &d->entries[i];
        if (sm_bytes_equal(a->key, b->key)) {
            char shown[SHOWN];
            return sm_fail(
                err, SM_E_SPLITS,
                "%s: split key '%s' occurs twice (%s %llu and %s %llu); remove one of them",
                d->where, sm_escape_short(a->key, shown, sizeof shown), d->unit,
                (unsigned long long)a->place, d->unit, (unsigned long long)b->place);
        }
    }
    return SM_OK;
}

/* The first 8 bytes as a number. Padding with zeros keeps the order: where two prefixes differ, the
 * keys differ in the same direction; where they are equal, the keys must be compared. */
static uint64_t prefix_of(sm_bytes key)
{
    if (SM_LIKELY(key.len >= 8)) {
        return sm_load_be64(key.data);
    }
    uint64_t prefix = 0;
    for (size_t i = 0; i < key.len; i++) {
        prefix |= (uint64_t)key.data[i] << (56 - 8 * i);
    }
    return prefix;
}

static sm_status freeze(const sm_split_draft *d, const sm_splits **out, sm_error *err)
{
    sm_splits *s = sm_arena_array(d->arena, 1, sizeof *s);
    sm_bytes *keys = sm_arena_array(d->arena, d->count, sizeof *keys);
    uint64_t *prefixes = sm_arena_array(d->arena, d->count, sizeof *prefixes);
    const char **notes = sm_arena_array(d->arena, d->note_count, sizeof *notes);
    if (s == NULL || keys == NULL || prefixes == NULL || notes == NULL) {
        return sm_fail_memory(err, d->count * (sizeof *keys + sizeof *prefixes), "split keys");
    }
    for (size_t i = 0; i < d->count; i++) {
        keys[i] = d->entries[i].key;
        prefixes[i] = prefix_of(keys[i]);
    }
    for (size_t i = 0; i < d->note_count; i++) {
        notes[i] = d->notes[i];
    }
    *s = (sm_splits){keys, d->count, prefixes, notes, d->note_count};
    *out = s;
    return SM_OK;
}

static sm_status collect(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
{
    switch (spec->kind) {
    case SM_SPLITS_NONE: return SM_OK;
    case SM_SPLITS_LIST: return sm_split_from_list(d, spec, err);
    case SM_SPLITS_FILE: return sm_split_from_file(d, spec, err);
    case SM_SPLITS_SALT: return sm_split_from_salt(d, spec, err);
    case SM_SPLITS_HEX: return sm_split_from_hex(d, spec, err);
    case SM_SPLITS_DECIMAL: return sm_split_from_decimal(d, spec, err);
    case SM_SPLITS_UNIFORM: return sm_split_from_uniform(d, spec, err);
    case SM_SPLITS_REGION_SPLITTER: return sm_split_from_algorithm(d, spec, err);
    }
    return sm_fail(err, SM_E_INTERNAL, "%s: no such kind of splits", d->where);
}

/* Sorts, checks and freezes what was collected, and frees the draft. */
static sm_status settle(sm_split_draft *d, sm_status st, const sm_splits **out, sm_error *err)
{
    st = st == SM_OK ? sort_draft(d, err) : st;
    st = st == SM_OK ? check_unique(d, err) : st;
    st = st == SM_OK ? freeze(d, out, err) : st;
    sm_free(d->entries);
    sm_free(d->notes);
    return st;
}

sm_status sm_splits_make(sm_arena *arena, const sm_split_spec *spec, const sm_splits **out,
                         sm_error *err)
{
    *out = NULL;
    sm_split_draft d = {.arena = arena,
                        .where = spec->where == NULL ? "splits" : spec->where,
                        .unit = "entry",
                        .ordered = spec->ordered};
    return settle(&d, collect(&d, spec, err), out, err);
}

sm_status sm_splits_of_keys(sm_arena *arena, const char *where, const sm_bytes *keys, size_t count,
                            const sm_splits **out, sm_error *err)
{
    *out = NULL;
    sm_split_draft d = {.arena = arena, .where = where, .unit = "key", .ordered = true};
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < count; i++) {
        st = sm_split_draft_add(&d, keys[i], i + 1, err);
    }
    return settle(&d, st, out, err);
}

/* ---- routing ---------------------------------------------------------------- */

/* Number of prefixes below p. Without a branch in the loop: keys come in any order, and a wrongly
 * predicted branch costs more than the whole step. */
static size_t prefixes_below(const sm_splits *s, uint64_t p)
{
    const uint64_t *base = s->prefixes;
    size_t left = s->count;
    while (left > 1) {
        const size_t half = left / 2;
        base += base[half - 1] < p ? half : 0;
        left -= half;
    }
    return (size_t)(base - s->prefixes) + (left == 1 && *base < p ? 1 : 0);
}

size_t sm_splits_route(const sm_splits *s, sm_bytes key)
{
    const uint64_t p = prefix_of(key);
    size_t low = prefixes_below(s, p);
    if (low == s->count || s->prefixes[low] != p) {
        return low;
    }
    /* Keys with the same prefix lie in low ... high - 1; the region is the number of keys <= key.
     */
    size_t high = p == UINT64_MAX ? s->count : prefixes_below(s, p + 1);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sm_bytes_compare(s->keys[middle], key) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

sm_bytes sm_splits_start(const sm_splits *s, size_t region)
{
    return region == 0 ? (sm_bytes){NULL, 0} : s->keys[region - 1];
}

sm_bytes sm_splits_end(const sm_splits *s, size_t region)
{
    return region >= s->count ? (sm_bytes){NULL, 0} : s->keys[region];
}
