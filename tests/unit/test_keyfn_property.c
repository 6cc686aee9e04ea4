/* SPDX-License-Identifier: Apache-2.0 */
/* What key_functions.def promises, tried on random values with the extremes among them: functions
 * that keep or turn round the order do so, and what is read back whole is what went in. Every row
 * of the table that promises something must stand in a table here. Random rules as a whole are
 * tried in test_keydecode_property.c. */
#include "partitioner/keydecode.h"
#include "partitioner/keyfn.h"
#include "support_uids.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 3000, TEXT_MOST = 10, KEY_MOST = 120 };

/* What the field holds. */
typedef enum kind { NUMBERS, TIMES, REALS, BYTES, PRINTABLE, DIGITS, NAMES } kind;

typedef struct sample {
    int64_t number;
    double real;
    uint8_t text[TEXT_MOST];
    size_t text_len;
    bool made; /* not rejected */
    uint8_t key[KEY_MOST];
    size_t key_len;
} sample;

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed += 0x9e3779b97f4a7c15U;
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    z ^= z >> 31;
    return below == 0 ? z : z % below;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int64_t draw_number(uint64_t *seed, size_t i)
{
    static const int64_t EDGES[] = {
        INT64_MIN,     INT64_MAX,     0,          -1,         1,
        127,           128,           -128,       -129,       255,
        256,           32767,         -32768,     65535,      65536,
        INT32_MAX,     INT32_MIN,     4294967295, 4294967296, 2147483648,
        -2147483649,   1LL << 53,     999999,     -32769,     (1LL << 53) + 1,
        INT64_MAX - 1, INT64_MIN + 1, 86399999,   86400000,   1635640200000};
    const size_t edges = sizeof EDGES / sizeof EDGES[0];
    if (i < edges) {
        return EDGES[i];
    }
    const int64_t any = (int64_t)(draw(seed, 0) >> draw(seed, 64));
    return draw(seed, 3) == 0 ? -any : any;
}

static double draw_real(uint64_t *seed, size_t i)
{
    const double edges[] = {0.0,      -0.0, NAN,          INFINITY,      -INFINITY, DBL_MAX,
                            -DBL_MAX, 1.5,  DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MIN,   -DBL_MIN,
                            -1.5,     0.1,  FLT_MAX,      -FLT_MAX};
    if (i < sizeof edges / sizeof edges[0]) {
        return edges[i];
    }
    const uint64_t bits = draw(seed, 0);
    double real = 0;
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* The first four are "", 00, FF and FF FF where the alphabet has them. */
static void draw_text(uint64_t *seed, size_t i, kind what, sample *out)
{
    static const char *const ALPHABETS[] = {[BYTES] = "\xff\x80\x7f@a0 \x01",
                                            [PRINTABLE] = "~za Z90!",
                                            [DIGITS] = "0123456789",
                                            [NAMES] = "ab"};
    const char *alphabet = ALPHABETS[what];
    const size_t choices = strlen(alphabet) + (what == BYTES); /* the terminator: a 00 */
    out->text_len = i == 0 ? 0 : i < 3 ? 1 : i == 3 ? 2 : draw(seed, TEXT_MOST + 1);
    out->text_len = what == NAMES ? 1 : out->text_len;
    for (size_t k = 0; k < out->text_len; k++) {
        out->text[k] = (uint8_t)alphabet[draw(seed, choices)];
    }
    if (what == BYTES && i < 4) {
        memset(out->text, i == 1 ? 0 : 0xff, out->text_len);
    }
}

static void draw_sample(uint64_t *seed, size_t i, kind what, sample *out)
{
    switch (what) {
    case NUMBERS:
    case TIMES: out->number = draw_number(seed, i); break;
    case REALS: out->real = draw_real(seed, i); break;
    default: draw_text(seed, i, what, out); break;
    }
}

static void put_field(expr_fixture *f, kind what, const char *field, const sample *s)
{
    switch (what) {
    case NUMBERS:
    case TIMES: set_number(f, field, s->number); break;
    case REALS: set_real(f, field, s->real); break;
    default: set_bytes(f, field, sm_bytes_of(s->text, s->text_len)); break;
    }
}

/* Makes the samples and their keys; returns how many were not rejected. */
static size_t make_samples(expr_fixture *f, const sm_expr *e, kind what, const char *field,
                           sample *samples)
{
    uint64_t seed = 7;
    size_t made = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        sample *s = &samples[i];
        sm_value v = {0};
        draw_sample(&seed, i, what, s);
        put_field(f, what, field, s);
        sm_eval_reset(f->ev);
        s->made = sm_expr_run(e, f->ev, &f->record, &v) == SM_REJECT_NONE && !v.is_null;
        if (s->made) {
            assert_true(v.bytes.len <= KEY_MOST);
            s->key_len = v.bytes.len;
            if (v.bytes.len > 0) {
                memcpy(s->key, v.bytes.data, v.bytes.len);
            }
            made++;
        }
    }
    return made;
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct ordered {
    const char *name, *rule, *field;
    kind what;
    int direction; /* 1, -1 */
    bool weak;     /* different values may meet */
} ordered;

static const ordered ORDERED[] = {
    {"hex", "hex(callee)", "callee", BYTES, 1, false},
    {"pad", "pad(tag, 12)", "tag", PRINTABLE, 1, true},
    {"pad", "pad(callee, 12, fill: \"\\x00\")", "callee", BYTES, 1, true},
    {"base36", "base36(duration, 13)", "duration", NUMBERS, 1, false},
    {"base36", "base36(duration, 4)", "duration", NUMBERS, 1, false},
    {"base62", "base62(duration, 11)", "duration", NUMBERS, 1, false},
    {"ts", "ts(start)", "start", TIMES, 1, false},
    {"ts32", "ts32(start)", "start", TIMES, 1, true},
    {"rev_ts", "rev_ts(start)", "start", TIMES, -1, false},
    {"rev_ts_dec", "rev_ts_dec(start)", "start", TIMES, -1, false},
    {"rev_ts_dec", "rev_ts_dec(start, ms, 13)", "start", TIMES, -1, false},
    {"rev_ts_dec", "rev_ts_dec(start, s, 10)", "start", TIMES, -1, true},
    {"floor_ts", "i64(floor_ts(start, 1h))", "start", TIMES, 1, true},
    {"floor_ts", "i64(floor_ts(start, 1d, zone: \"Asia/Kolkata\"))", "start", TIMES, 1, true},
    {"u8", "u8(duration)", "duration", NUMBERS, 1, false},
    {"u16", "u16(duration)", "duration", NUMBERS, 1, false},
    {"u32", "u32(duration)", "duration", NUMBERS, 1, false},
    {"u64", "u64(duration)", "duration", NUMBERS, 1, false},
    {"i32", "i32(duration)", "duration", NUMBERS, 1, false},
    {"i64", "i64(duration)", "duration", NUMBERS, 1, false},
    {"i64", "i64(start)", "start", TIMES, 1, false},
    {"f64", "f64(cost)", "cost", REALS, 1, false},
    {"f64", "f64(duration)", "duration", NUMBERS, 1, false},
    {"dec", "dec(duration, 19)", "duration", NUMBERS, 1, false},
    {"dec", "dec(duration, 3)", "duration", NUMBERS, 1, false},
};

static int compare_samples(kind what, const sample *a, const sample *b)
{
    switch (what) {
    case NUMBERS:
    case TIMES: return (a->number > b->number) - (a->number < b->number);
    case REALS: return (a->real > b->real) - (a->real < b->real);
    default:
        return sm_bytes_compare(sm_bytes_of(a->text, a->text_len),
                                sm_bytes_of(b->text, b->text_len));
    }
}

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static void check_pair(const ordered *o, const sample *a, const sample *b)
{
    if (!a->made || !b->made) {
        return;
    }
    const int wanted = o->direction * sign(compare_samples(o->what, a, b));
    const int found =
        sign(sm_bytes_compare(sm_bytes_of(a->key, a->key_len), sm_bytes_of(b->key, b->key_len)));
    if (found != wanted && !(o->weak && found == 0)) {
        fail_msg("%s: the order of %lld, %g, '%.*s' and %lld, %g, '%.*s' is lost", o->rule,
                 (long long)a->number, a->real, (int)a->text_len, a->text, (long long)b->number,
                 b->real, (int)b->text_len, b->text);
    }
}

static void check_ordered(const ordered *o)
{
    uids_fixture *f = NULL;
    sample *samples = test_calloc(SAMPLES, sizeof *samples);
    assert_int_equal(uids_setup((void **)&f), 0);
    const bool text = o->what >= BYTES;
    const sm_expr *e = compile(f->expr, text ? SM_USE_CELL : SM_USE_KEY, o->rule);
    assert_true(make_samples(f->expr, e, o->what, o->field, samples) > 50);
    for (size_t i = 0; i < SAMPLES; i++) {
        for (size_t k = 0; k < 40; k++) {
            check_pair(o, &samples[i], &samples[k]);
        }
        check_pair(o, &samples[i], &samples[i > 0 ? i - 1 : 0]);
        check_pair(o, &samples[i], &samples[SAMPLES - 1 - i]);
    }
    assert_int_equal(uids_teardown((void **)&f), 0);
    test_free(samples);
}

static void test_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ORDERED / sizeof ORDERED[0]; i++) {
        check_ordered(&ORDERED[i]);
    }
}

/* ---- inverses -------------------------------------------------------------------------------- */

typedef struct inverted {
    const char *name, *rule, *field;
    kind what;
    bool cell;
} inverted;

static const inverted INVERTED[] = {
    {"hex", "hex(callee)", "callee", BYTES, true},
    {"reverse", "reverse(callee)", "callee", PRINTABLE, true},
    {"reverse", "reverse(code)", "code", DIGITS, false},
    {"pad", "pad(code, 12)", "code", DIGITS, false},
    {"pad", "pad(code, 12, fill: \"x\", side: left)", "code", DIGITS, false},
    {"text", "text(callee)", "callee", BYTES, false},
    {"map", "map(callee, {\"a\": \"\\x00\", \"b\": \"\\xff\"})", "callee", NAMES, false},
    {"map", "map(callee, {\"b\": \"1\", \"a\": \"11\", \"c\": \"111\"})", "callee", NAMES, false},
    {"bcd", "bcd(code, 6)", "code", DIGITS, false},
    {"base36", "base36(duration, 13)", "duration", NUMBERS, false},
    {"base62", "base62(duration, 11)", "duration", NUMBERS, false},
    {"base36", "base36(duration)", "duration", NUMBERS, false},
    {"base62", "base62(duration) + \"-\"", "duration", NUMBERS, false},
    {"ts", "ts(start)", "start", TIMES, false},
    {"rev_ts", "rev_ts(start)", "start", TIMES, false},
    {"rev_ts_dec", "rev_ts_dec(start)", "start", TIMES, false},
    {"rev_ts_dec", "rev_ts_dec(start, ms, 13)", "start", TIMES, false},
    {"u8", "u8(duration)", "duration", NUMBERS, false},
    {"u16", "u16(duration)", "duration", NUMBERS, false},
    {"u32", "u32(duration)", "duration", NUMBERS, false},
    {"u64", "u64(duration)", "duration", NUMBERS, false},
    {"i32", "i32(duration)", "duration", NUMBERS, false},
    {"i64", "i64(duration)", "duration", NUMBERS, false},
    {"i64", "i64(start)", "start", TIMES, false},
    {"f64", "f64(cost)", "cost", REALS, false},
    {"f64", "f64(duration)", "duration", NUMBERS, false},
    {"int32be", "int32be(duration)", "duration", NUMBERS, true},
    {"int64be", "int64be(duration)", "duration", NUMBERS, true},
    {"int64be", "int64be(start)", "start", TIMES, true},
    {"float64be", "float64be(cost)", "cost", REALS, true},
    {"float64be", "float64be(duration)", "duration", NUMBERS, true},
    {"dec", "dec(duration, 19)", "duration", NUMBERS, false},
    {"uid", "uid(callee, 3, \"few\")", "callee", NAMES, false},
    {"tsdb_value", "tsdb_value(duration)", "duration", NUMBERS, true},
};

static bool same(const inverted *v, const sample *s, const sm_value *found)
{
    switch (v->what) {
    case NUMBERS:
    case TIMES: return found->number == s->number;
    case REALS: return found->real == s->real || (isnan(found->real) && isnan(s->real));
    default: return sm_bytes_equal(found->bytes, sm_bytes_of(s->text, s->text_len));
    }
}

static void check_inverted(const inverted *v)
{
    uids_fixture *f = NULL;
    sm_key_decoder *d = NULL;
    sm_key_decoded out;
    sample *samples = test_calloc(SAMPLES, sizeof *samples);
    assert_int_equal(uids_setup((void **)&f), 0);
    const sm_expr *e = compile(f->expr, v->cell ? SM_USE_CELL : SM_USE_KEY, v->rule);
    const int field = sm_schema_find(&f->expr->schema, sm_bytes_text(v->field));
    assert_true(make_samples(f->expr, e, v->what, v->field, samples) > 50);
    assert_int_equal(sm_key_decoder_new(e, &f->expr->schema, &d, &f->expr->err), SM_OK);
    for (size_t i = 0; i < SAMPLES; i++) {
        const sample *s = &samples[i];
        if (!s->made || !isfinite(s->real)) { /* records hold finite numbers */
            continue;
        }
        const sm_bytes key = sm_bytes_of(s->key, s->key_len);
        assert_int_equal(sm_key_decode(d, key, &out, &f->expr->err), SM_OK);
        if (!out.fits || !out.known[field] || !same(v, s, &out.values[field])) {
            fail_msg("%s: %lld, %g, '%.*s' does not come back", v->rule, (long long)s->number,
                     s->real, (int)s->text_len, s->text);
        }
    }
    sm_key_decoder_free(d);
    assert_int_equal(uids_teardown((void **)&f), 0);
    test_free(samples);
}

static void test_inverses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof INVERTED / sizeof INVERTED[0]; i++) {
        check_inverted(&INVERTED[i]);
    }
}

/* ---- nothing left out ------------------------------------------------------------------------ */

static bool is_ordered_here(const char *name)
{
    for (size_t i = 0; i < sizeof ORDERED / sizeof ORDERED[0]; i++) {
        if (strcmp(ORDERED[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_inverted_here(const char *name)
{
    for (size_t i = 0; i < sizeof INVERTED / sizeof INVERTED[0]; i++) {
        if (strcmp(INVERTED[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void test_every_promise_is_tried(void **state)
{
    (void)state;
    for (size_t i = 0; i < sm_keyfn_count(); i++) {
        const sm_keyfn *fn = sm_keyfn_at(i);
        if (fn->order != SM_ORDER_NONE && !is_ordered_here(fn->name)) {
            fail_msg("%s() promises an order, and no row of ORDERED tries it", fn->name);
        }
        if (fn->inverse == SM_INVERSE_EXACT && !is_inverted_here(fn->name)) {
            fail_msg("%s() can be read back, and no row of INVERTED tries it", fn->name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_promise_is_tried),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_inverses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
