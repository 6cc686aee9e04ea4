/* SPDX-License-Identifier: Apache-2.0 */
/* Split keys by arithmetic: ranges of digits, salts, raw bytes. Region i of n begins at
 * start + i * floor(range / n), so the last region also gets what does not divide. */
#include "core/nearest.h"
#include "core/number.h"
#include "partitioner/bignum.h"
#include "partitioner/split_draft.h"

enum { HEX = 16, DECIMAL = 10, UNIFORM_BYTES = 8, MOST_SALT_DIGITS = 20 };

static sm_status check_regions(const sm_split_draft *d, uint64_t regions, sm_error *err)
{
    if (regions >= 1 && regions <= SM_SPLITS_MOST_REGIONS) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_SPLITS, "%s: %llu regions; 1 to %d can be had", d->where,
                   (unsigned long long)regions, SM_SPLITS_MOST_REGIONS);
}

/* A key of `len` bytes in the arena, added by the caller's next step. */
static sm_status add_copy(sm_split_draft *d, const void *data, size_t len, uint64_t number,
                          sm_error *err)
{
    const char *copy = sm_arena_text(d->arena, data, len);
    if (copy == NULL) {
        return sm_fail_memory(err, len, "a split key");
    }
    return sm_split_draft_add(d, sm_bytes_of(copy, len), number, err);
}

/* ---- salts ------------------------------------------------------------------ */

static unsigned digits_of(uint64_t v)
{
    char text[24];
    return (unsigned)sm_print_uint(v, text);
}

static sm_status check_salts(const sm_split_draft *d, const sm_split_spec *spec, unsigned width,
                             sm_error *err)
{
    if (spec->salts == 0 || spec->regions > spec->salts) {
        return sm_fail(err, SM_E_SPLITS,
                       "%s: %llu salts can't be cut into %llu regions; at most one region per salt",
                       d->where, (unsigned long long)spec->salts,
                       (unsigned long long)spec->regions);
    }
    if (width < digits_of(spec->salts - 1) || width > MOST_SALT_DIGITS) {
        return sm_fail(err, SM_E_SPLITS, "%s: salts 0 to %llu don't fit a width of %u (%u to %d)",
                       d->where, (unsigned long long)(spec->salts - 1), width,
                       digits_of(spec->salts - 1), MOST_SALT_DIGITS);
    }
    return SM_OK;
}

/* floor(i * salts / regions) without a product that is too wide: i and the remainder are below
 * 2^20. */
static uint64_t salt_cut(uint64_t salts, uint64_t regions, uint64_t i)
{
    return i * (salts / regions) + i * (salts % regions) / regions;
}

sm_status sm_split_from_salt(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
{
    const unsigned natural = spec->salts == 0 ? 1 : digits_of(spec->salts - 1);
    const unsigned width = spec->width == 0 ? natural : spec->width;
    sm_status st = check_regions(d, spec->regions, err);
    st = st == SM_OK ? check_salts(d, spec, width, err) : st;
    for (uint64_t i = 1; st == SM_OK && i < spec->regions; i++) {
        char text[MOST_SALT_DIGITS];
        if (!sm_print_padded(salt_cut(spec->salts, spec->regions, i), width, text)) {
            return sm_fail(err, SM_E_INTERNAL, "%s: a salt is wider than checked", d->where);
        }
        st = add_copy(d, text, width, i, err);
    }
    return st;
}

/* ---- ranges of digits ------------------------------------------------------- */

typedef struct range {
    sm_big start;
    sm_big size; /* number of values that is divided */
    uint32_t radix;
    size_t width; /* digits, or bytes when radix is 256 */
} range;

static sm_status check_step(const sm_split_draft *d, const sm_big *step, uint64_t regions,
                            sm_error *err)
{
    if (!sm_big_is_zero(step)) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_SPLITS, "%s: the range has fewer values than the %llu regions",
                   d->where, (unsigned long long)regions);
}

static sm_status cut_digits(sm_split_draft *d, const range *r, uint64_t regions, sm_error *err)
{
    uint32_t rest = 0;
    sm_status st = check_regions(d, regions, err);
    if (st != SM_OK) {
        return st;
    }
    const sm_big step = sm_big_divide(&r->size, (uint32_t)regions, &rest);
    st = check_step(d, &step, regions, err);
    sm_big at = r->start;
    for (uint64_t i = 1; st == SM_OK && i < regions; i++) {
        char text[SM_SPLITS_MOST_DIGITS];
        at = sm_big_add(&at, &step);
        if (!sm_big_print(&at, r->radix, r->width, text)) {
            return sm_fail(err, SM_E_INTERNAL, "%s: a cut lies outside the range", d->where);
        }
        st = add_copy(d, text, r->width, i, err);
    }
    return st;
}

static sm_status parse_end(const sm_split_draft *d, const char *name, sm_bytes text, uint32_t radix,
                           sm_big *out, sm_error *err)
{
    if (text.len <= SM_SPLITS_MOST_DIGITS && sm_big_parse(text, radix, out)) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_SPLITS, "%s: %s is '%.*s'; 1 to %d %s digits were expected", d->where,
                   name, (int)(text.len < 100 ? text.len : 100), (const char *)text.data,
                   SM_SPLITS_MOST_DIGITS, radix == HEX ? "hexadecimal" : "decimal");
}

static sm_status range_of_digits(const sm_split_draft *d, const sm_split_spec *spec, uint32_t radix,
                                 range *out, sm_error *err)
{
    sm_big end = {0};
    *out = (range){.radix = radix, .width = spec->start.len};
    sm_status st = parse_end(d, "start", spec->start, radix, &out->start, err);
    st = st == SM_OK ? parse_end(d, "end", spec->end, radix, &end, err) : st;
    if (st != SM_OK) {
        return st;
    }
    if (spec->start.len != spec->end.len) {
        return sm_fail(
            err, SM_E_SPLITS,
            "%s: start has %zu digits and end %zu; keys of one width were expected, so pad "
            "the shorter one with zeros",
            d->where, spec->start.len, spec->end.len);
    }
    if (sm_big_compare(&out->start, &end) >= 0) {
        return sm_fail(err, SM_E_SPLITS, "%s: start must lie below end", d->where);
    }
    out->size = sm_big_subtract(&end, &out->start);
    return SM_OK;
}

static bool has_upper_case(sm_bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] >= 'A' && text.data[i] <= 'F') {
            return true;
        }
    }
    return false;
}

/* The end itself is not counted, as in the recipe of the HBase book. */
sm_status sm_split_from_hex(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
{
    range r;
    sm_status st = range_of_digits(d, spec, HEX, &r, err);
    st = st == SM_OK ? cut_digits(d, &r, spec->regions, err) : st;
    if (st == SM_OK && (has_upper_case(spec->start) || has_upper_case(spec->end))) {
        st = sm_split_draft_note(d, err,
                                 "%s: the split keys are written with lower-case digits; keys with "
                                 "upper-case digits sort before 'a' and miss their regions",
                                 d->where);
    }
    return st;
}

sm_status sm_split_from_decimal(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
{
    range r;
    const sm_big one = sm_big_power(0);
    const sm_status st = range_of_digits(d, spec, DECIMAL, &r, err);
    if (st != SM_OK) {
        return st;
    }
    r.size = sm_big_add(&r.size, &one);
    return cut_digits(d, &r, spec->regions, err);
}

/* ---- raw bytes -------------------------------------------------------------- */

/* 8-byte keys over the whole range of 2^64; shortest: zero bytes at their ends are left out. */
static sm_status cut_bytes(sm_split_draft *d, uint64_t regions, bool shortest, sm_error *err)
{
    uint32_t rest = 0;
    sm_status st = check_regions(d, regions, err);
    if (st != SM_OK) {
        return st;
    }
    const sm_big whole = sm_big_power(8 * UNIFORM_BYTES);
    const sm_big step = sm_big_divide(&whole, (uint32_t)regions, &rest);
    sm_big at = {0};
    for (uint64_t i = 1; st == SM_OK && i < regions; i++) {
        uint8_t key[UNIFORM_BYTES];
        at = sm_big_add(&at, &step);
        if (!sm_big_bytes(&at, sizeof key, key)) {
            return sm_fail(err, SM_E_INTERNAL, "%s: a cut lies outside the range", d->where);
        }
        size_t len = sizeof key;
        while (shortest && len > 1 && key[len - 1] == 0) {
            len--;
        }
        st = add_copy(d, key, len, i, err);
    }
    return st;
}

sm_status sm_split_from_uniform(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
{
    return cut_bytes(d, spec->regions, true, err);
}

/* ---- HBase's RegionSplitter ------------------------------------------------- */

static sm_status hex_string_split(sm_split_draft *d, uint64_t regions, sm_error *err)
{
    const range r = {.size = sm_big_power(32), .radix = HEX, .width = 8};
    return cut_digits(d, &r, regions, err);
}

static sm_status decimal_string_split(sm_split_draft *d, uint64_t regions, sm_error *err)
{
    const range r = {.size = {{100000000}}, .radix = DECIMAL, .width = 8};
    return cut_digits(d, &r, regions, err);
}

static sm_status uniform_split(sm_split_draft *d, uint64_t regions, sm_error *err)
{
    return cut_bytes(d, regions, false, err);
}

typedef struct algorithm {
    const char *name;
    sm_status (*cut)(sm_split_draft *d, uint64_t regions, sm_error *err);
} algorithm;

static const algorithm ALGORITHMS[] = {
    {"HexStringSplit", hex_string_split},
    {"DecimalStringSplit", decimal_string_split},
    {"UniformSplit", uniform_split},
};

sm_status sm_split_from_algorithm(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
{
    sm_nearest nearest;
    sm_nearest_start(&nearest, spec->algorithm);
    for (size_t i = 0; i < sizeof ALGORITHMS / sizeof ALGORITHMS[0]; i++) {
        if (sm_bytes_equal_text(spec->algorithm, ALGORITHMS[i].name)) {
            return ALGORITHMS[i].cut(d, spec->regions, err);
        }
        sm_nearest_offer(&nearest, ALGORITHMS[i].name);
    }
    const char *best = sm_nearest_best(&nearest);
    return sm_fail(
        err, SM_E_SPLITS,
        "%s: no algorithm '%.*s'; HexStringSplit, DecimalStringSplit and UniformSplit are "
        "known%s%s%s",
        d->where, (int)(spec->algorithm.len < 100 ? spec->algorithm.len : 100),
        (const char *)spec->algorithm.data, best == NULL ? "" : " (did you mean ",
        best == NULL ? "" : best, best == NULL ? "" : "?)");
}
