/* SPDX-License-Identifier: Apache-2.0 */
/* Keys taken apart: by hand, and on random expressions over random records, where what decoding
 * claims to know must be what the record had, and what it gives must build the same key again. */
#include "core/endian.h"
#include "partitioner/keydecode.h"
#include "partitioner/keyfn.h"
#include "partitioner/keyinvert.h"
#include "support_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct decoding {
    expr_fixture *f;
    sm_key_decoder *d;
    sm_key_decoded out;
} decoding;

static void begin(decoding *t, expr_fixture *f, sm_expr_use use, const char *rule)
{
    t->f = f;
    assert_int_equal(sm_key_decoder_new(compile(f, use, rule), &f->schema, &t->d, &f->err), SM_OK);
}

static void decode(decoding *t, sm_bytes key)
{
    assert_int_equal(sm_key_decode(t->d, key, &t->out, &t->f->err), SM_OK);
}

static const sm_value *known(const decoding *t, const char *field)
{
    const int i = sm_schema_find(&t->f->schema, sm_bytes_text(field));
    return t->out.known[i] ? &t->out.values[i] : NULL;
}

static void assert_text(const decoding *t, const char *field, const char *expected)
{
    const sm_value *v = known(t, field);
    assert_non_null(v);
    assert_true(sm_bytes_equal_text(v->bytes, expected));
}

/* The usual key of call records, put together by hand; 203 is mmh3.hash("13800138000") % 300. With
 * blanks behind, the number would have another salt. */
static void test_flagship(void **state)
{
    static const char KEY[] = "203"
                              "13800138000    "
                              "\x7f\xff\xfe\x84\x27\xcb\x2f\xd7"
                              "02087654321";
    decoding t;
    begin(&t, *state, SM_USE_KEY, "salt(300, caller) + pad(caller, 15) + rev_ts(start) + callee");
    decode(&t, sm_bytes_of(KEY, sizeof KEY - 1));
    assert_true(t.out.fits);
    assert_false(t.out.ambiguous);
    assert_int_equal(t.out.part_count, 4);
    assert_text(&t, "caller", "13800138000");
    assert_text(&t, "callee", "02087654321");
    assert_int_equal(known(&t, "start")->number,
                     INT64_C(0x7fffffffffffffff) - INT64_C(0x7ffffe8427cb2fd7));
    assert_null(known(&t, "code"));
    assert_int_equal(t.out.parts[0].kind, SM_PART_OPAQUE);
    assert_int_equal(t.out.parts[1].kind, SM_PART_EXACT);
    assert_int_equal(t.out.parts[3].bytes.len, 11);
    sm_key_decoder_free(t.d);
}

static void test_salt_is_checked(void **state)
{
    sm_value key;
    decoding t;
    const char *rule = "salt(300, caller) + caller";
    assert_int_equal(run_expr(*state, SM_USE_KEY, rule, &key), SM_REJECT_NONE);
    char copy[64];
    memcpy(copy, key.bytes.data, key.bytes.len);
    begin(&t, *state, SM_USE_KEY, rule);
    decode(&t, sm_bytes_of(copy, key.bytes.len));
    assert_true(t.out.fits);
    assert_text(&t, "caller", "13800138000");
    copy[2] = copy[2] == '9' ? '0' : (char)(copy[2] + 1);
    decode(&t, sm_bytes_of(copy, key.bytes.len));
    assert_false(t.out.fits);
    decode(&t, sm_bytes_text("300138"));
    assert_false(t.out.fits);
    sm_key_decoder_free(t.d);
}

static void test_borders(void **state)
{
    decoding t;
    begin(&t, *state, SM_USE_KEY, "code + \"_\" + tag");
    decode(&t, sm_bytes_text("0042_a_b"));
    assert_true(t.out.fits);
    assert_false(t.out.ambiguous); /* digits hold no _ */
    assert_text(&t, "code", "0042");
    assert_text(&t, "tag", "a_b");
    sm_key_decoder_free(t.d);
    begin(&t, *state, SM_USE_KEY, "name + \"_\" + tag");
    decode(&t, sm_bytes_text("a_b_c"));
    assert_true(t.out.fits);
    assert_true(t.out.ambiguous);
    assert_null(known(&t, "name"));
    assert_null(known(&t, "tag"));
    decode(&t, sm_bytes_text("ab"));
    assert_false(t.out.fits);
    sm_key_decoder_free(t.d);
}

static void test_a_field_twice_must_agree(void **state)
{
    decoding t;
    begin(&t, *state, SM_USE_KEY, "u32(duration) + i64(duration)");
    decode(&t, sm_bytes_of("\0\0\0\7\x80\0\0\0\0\0\0\7", 12));
    assert_true(t.out.fits);
    assert_int_equal(known(&t, "duration")->number, 7);
    decode(&t, sm_bytes_of("\0\0\0\7\x80\0\0\0\0\0\0\6", 12));
    assert_false(t.out.fits);
    sm_key_decoder_free(t.d);
}

/* A name whose readings are too many to try is not guessed at. */
static void test_too_many_readings(void **state)
{
    decoding t;
    char key[1200];
    memset(key, 'x', sizeof key);
    begin(&t, *state, SM_USE_KEY, "name + note + tag + caller + callee");
    decode(&t, sm_bytes_of(key, sizeof key));
    assert_true(t.out.fits);
    assert_true(t.out.ambiguous);
    assert_null(known(&t, "name"));
    assert_null(known(&t, "callee"));
    sm_key_decoder_free(t.d);
}

static void test_cells(void **state)
{
    decoding t;
    begin(&t, *state, SM_USE_CELL, "int32be(duration)");
    decode(&t, sm_bytes_of("\xff\xff\xff\xfe", 4));
    assert_int_equal(known(&t, "duration")->number, -2);
    decode(&t, sm_bytes_text("abc"));
    assert_false(t.out.fits);
    sm_key_decoder_free(t.d);
    begin(&t, *state, SM_USE_CELL, "callee");
    decode(&t, sm_bytes_text(""));
    assert_true(t.out.fits);
    assert_text(&t, "callee", "");
    sm_key_decoder_free(t.d);
}

static void test_what_is_only_a_guess(void **state)
{
    decoding t;
    begin(&t, *state, SM_USE_KEY, "left(code, 3) + \"|\" + default(tag, \"-\")");
    decode(&t, sm_bytes_text("138|-"));
    assert_null(known(&t, "code"));
    assert_null(known(&t, "tag"));
    assert_true(t.out.parts[0].has_value);
    assert_true(sm_bytes_equal_text(t.out.parts[0].value.bytes, "138"));
    decode(&t, sm_bytes_text("138|x"));
    assert_text(&t, "tag", "x");
    sm_key_decoder_free(t.d);
    begin(&t, *state, SM_USE_KEY, "pad(code, 8, fill: \"0\", side: left)");
    decode(&t, sm_bytes_text("00000138")); /* 138, 0138, ... */
    assert_null(known(&t, "code"));
    decode(&t, sm_bytes_text("12345678"));
    assert_text(&t, "code", "12345678");
    sm_key_decoder_free(t.d);
    begin(&t, *state, SM_USE_KEY, "pad(name, 5) + pad(code, 5)");
    decode(&t, sm_bytes_text("ab   12   ")); /* "ab", "ab ", ...; digits hold no blank */
    assert_null(known(&t, "name"));
    assert_int_equal(t.out.parts[0].kind, SM_PART_PARTIAL);
    assert_true(sm_bytes_equal_text(t.out.parts[0].value.bytes, "ab"));
    assert_text(&t, "code", "12");
    assert_int_equal(t.out.parts[1].kind, SM_PART_EXACT);
    sm_key_decoder_free(t.d);
}

typedef struct printed {
    const char *rule, *text;
    int64_t ms; /* NOTHING: fits, without a value; NEVER: no such time */
    bool sure;
} printed;

enum { NOTHING = -1, NEVER = -2 };

static void check_printed(expr_fixture *f, const printed *p)
{
    decoding t;
    begin(&t, f, SM_USE_KEY, p->rule);
    decode(&t, sm_bytes_text(p->text));
    if (t.out.fits != (p->ms != NEVER)) {
        fail_msg("%s of %s: fits", p->rule, p->text);
    }
    if (t.out.fits) {
        assert_int_equal(t.out.parts[0].has_value, p->ms >= 0);
        assert_int_equal(known(&t, "start") != NULL, p->sure);
    }
    if (p->ms >= 0 && t.out.parts[0].value.number != p->ms) {
        fail_msg("%s of %s: %lld ms", p->rule, p->text, (long long)t.out.parts[0].value.number);
    }
    sm_key_decoder_free(t.d);
}

/* Times by Python's datetime and zoneinfo. */
static void test_times_that_were_printed(void **state)
{
    static const printed ROWS[] = {
        {"format_ts(start, \"%Y%m\")", "202109", 1630454400000, false},
        {"format_ts(start, \"%Y%m\", zone: \"Asia/Shanghai\")", "202109", 1630425600000, false},
        {"format_ts(start, \"%Y%m\")", "202113", NEVER, false},
        {"format_ts(start, \"%Y%m\")", "2021-9", NEVER, false},
        {"format_ts(start, \"%d%H%M%S\")", "12041225", NOTHING, false},
        {"format_ts(start, \"%d%H%M%S\")", "32041225", NEVER, false},
        {"format_ts(start, \"%F %T\")", "2021-02-29 00:00:00", NEVER, false},
        {"format_ts(start, \"%F %T\")", "2021-09-12 04:12:25", 1631419945000, false},
        {"format_ts(start, \"%F %T.%f\")", "2021-09-12 04:12:25.125", 1631419945125, true},
        {"format_ts(start, \"%s%f\")", "1631419945125", 1631419945125, true},
        {"format_ts(start, \"%s\")", "1631419945", 1631419945000, false},
        {"format_ts(start, \"%s\")", "16314x", NEVER, false},
        {"format_ts(start, \"%Y-%j\")", "2020-366", 1609372800000, false},
        {"format_ts(start, \"%d %B %Y\")", "12 September 2021", 1631404800000, false},
        {"format_ts(start, \"%d %b %Y\")", "12 Sap 2021", NEVER, false},
        {"format_ts(start, \"%FT%T.%f%:z\", zone: \"Asia/Shanghai\")",
         "2021-09-12T12:12:25.125+08:00", 1631419945125, true},
        {"format_ts(start, \"%FT%T.%f%:z\", zone: \"Asia/Shanghai\")",
         "2021-09-12T12:12:25.125+09:00", NEVER, false},
        /* the clocks of Berlin skip 02:00 to 03:00 on one day and repeat that hour on another */
        {"format_ts(start, \"%F %H\", zone: \"Europe/Berlin\")", "2021-03-28 03", 1616893200000,
         false},
        {"format_ts(start, \"%F %T.%f\", zone: \"Europe/Berlin\")", "2021-10-31 02:30:00.000",
         1635640200000, false},
        {"ts(floor_ts(start, 1h))", "\x01\x01\x01\x01\x01\x01\x01\x01", NEVER, false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        check_printed(*state, &ROWS[i]);
    }
}

/* Bytes that these functions never write, and one that they do. */
static void test_misfits(void **state)
{
    static const struct {
        const char *rule, *good, *bad;
    } ROWS[] = {
        {"hex(tag)", "6162", "6A62"},
        {"hex(tag)", "6162", "616"},
        {"upper(tag)", "AB-9", "Ab-9"},
        {"lower(tag)", "ab-9", "aB-9"},
        {"trim(tag)", "a b", "a "},
        {"digits(tag)", "12", "1a"},
        {"left(tag, 2)", "ab", "abc"},
        {"substr(tag, 2, 2)", "ab", "abc"},
        {"dec(duration, 3)", "012", "01a"},
        {"dec(duration, 3)", "012", "0012"},
        {"dec(duration, 20)", "09223372036854775807", "09223372036854775808"},
        {"rev_ts_dec(start, unit: ms, width: 19)", "9999999999999999999", "99999999999999999a"},
        {"rev_ts(start)", "\x7f-------", "\x80-------"},
        {"ts(start)", "\x7f-------", "\x80-------"},
        {"u64(duration)", "\x7f-------", "\xff-------"},
        {"f64(cost)", "\xbf-------", "\xff\xff-------"},
        {"float64be(duration)", "\x40\x08\x01\x01\x01\x01\x01\x01", "short"},
        {"salt_byte(16, tag) + \"_\"", "\x0f_", "\x10_"},
        {"salt(300, tag) + \"_\"", "299_", "300_"},
        {"salt(300, tag) + \"_\"", "299_", "2x9_"},
        {"code", "12", "1a"},
        {"tag", "ab", "a\xff"},
        {"pad(code, 4)", "12  ", "1 2 "},
        {"pad(code, 4)", "12  ", "    "},
        {"bcd(code, 3)", "\x13\x8f\xff", "\x13\xf8\xff"},
        {"bcd(code, 3)", "\x13\x8f\xff", "\x1a\xff\xff"},
        {"unhex(code)", "\x13", "\x1a"},
        {"base36(duration, 3)", "0zz", "0Zz"},
        {"base62(duration, 12)", "0AzL8n0Y58m7", "0AzL8n0Y58m8"},
        {"base62(duration, 11)", "AzL8n0Y58m7", "AzL8n0Y58m8"},
        {"pick([\"a-\", \"b\"], by: tag) + \"_\"", "a-_", "c_"},
        {"random(10) + \"_\"", "9_", "x_"},
        {"reverse(name)", "ab", "a\xff"},
        {"default(code, \"none\")", "none", "nine"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        decoding t;
        begin(&t, *state, SM_USE_KEY, ROWS[i].rule);
        decode(&t, sm_bytes_text(ROWS[i].good));
        if (!t.out.fits && strncmp(ROWS[i].rule, "float64be", 9) != 0) {
            fail_msg("%s: %s does not fit", ROWS[i].rule, ROWS[i].good);
        }
        decode(&t, sm_bytes_text(ROWS[i].bad));
        if (t.out.fits) {
            fail_msg("%s: %s fits", ROWS[i].rule, ROWS[i].bad);
        }
        sm_key_decoder_free(t.d);
    }
}

/* Numbers come with a text, unless they were read from one. */
static void test_texts_of_numbers(void **state)
{
    decoding t;
    begin(&t, *state, SM_USE_KEY, "i64(duration) + ts(start) + f64(cost)");
    decode(&t, sm_bytes_of("\x7f\xff\xff\xff\xff\xff\xff\xfe\0\0\x01\x7b\xd8\x34\xd0\x28"
                           "\xbf\xb9\x99\x99\x99\x99\x99\x9a",
                           24));
    assert_text(&t, "duration", "-2");
    assert_text(&t, "start", "2021-09-12T04:12:25.000Z");
    assert_text(&t, "cost", "0.1");
    sm_key_decoder_free(t.d);
    begin(&t, *state, SM_USE_CELL, "text(duration) + \"/\" + int32be(duration)");
    decode(&t, sm_bytes_of("+05/\0\0\0\5", 8));
    assert_text(&t, "duration", "+05");
    assert_int_equal(known(&t, "duration")->number, 5);
    sm_key_decoder_free(t.d);
}

/* What a number was read from is not known from the number, so such a salt is not checked. */
static void test_a_salt_of_a_text(void **state)
{
    expr_fixture *f = *state;
    decoding t;
    sm_value key;
    set_number(f, "duration", 7);
    f->values[8].bytes = sm_bytes_text("007");
    const char *rule = "salt(300, text(duration)) + u32(duration)";
    assert_int_equal(run_expr(f, SM_USE_KEY, rule, &key), SM_REJECT_NONE);
    begin(&t, f, SM_USE_KEY, rule);
    decode(&t, key.bytes);
    assert_true(t.out.fits);
    assert_int_equal(known(&t, "duration")->number, 7);
    sm_key_decoder_free(t.d);
}

static void test_parts_of_a_record(void **state)
{
    expr_fixture *f = *state;
    const sm_key_part *parts = NULL;
    size_t count = 0;
    decoding t;
    begin(&t, f, SM_USE_KEY, "code + \"_\" + name + tag");
    assert_int_equal(sm_key_build(t.d, &f->record, &parts, &count), SM_REJECT_NONE);
    assert_int_equal(count, 4);
    assert_true(sm_bytes_equal_text(parts[0].bytes, "0042"));
    assert_int_equal(parts[1].kind, SM_PART_LITERAL);
    assert_true(sm_bytes_equal_text(parts[3].bytes, "Ab-9"));
    assert_true(sm_bytes_equal_text(parts[3].rule, "tag"));
    set_null(f, "name");
    assert_int_equal(sm_key_build(t.d, &f->record, &parts, &count), SM_REJECT_NULL_PART);
    sm_key_decoder_free(t.d);
}

static void test_what_can_be_recovered(void **state)
{
    expr_fixture *f = *state;
    bool flags[SM_TEST_FIELDS];
    decoding t;
    begin(&t, f, SM_USE_KEY,
          "salt(9, callee) + left(name, 2) + default(tag, \"-\") + rev_ts(start) + hex(code)");
    sm_key_recoverable(t.d, flags);
    for (size_t i = 0; i < SM_TEST_FIELDS; i++) {
        const char *name = f->schema.fields[i].name;
        assert_int_equal(flags[i], strcmp(name, "tag") == 0 || strcmp(name, "start") == 0 ||
                                       strcmp(name, "code") == 0);
    }
    sm_key_decoder_free(t.d);
}

/* Every function that claims an exact inverse has one; `record` and concat are their parts. */
static void test_exact_functions_have_inverses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sm_keyfn_count(); i++) {
        const sm_keyfn *fn = sm_keyfn_at(i);
        const sm_node call = {.kind = SM_NODE_CALL, .fn = fn};
        if (fn->inverse == SM_INVERSE_EXACT && strcmp(fn->name, "record") != 0 &&
            sm_key_inverse_of(&call) == NULL) {
            fail_msg("%s() has no inverse", fn->name);
        }
    }
}

/* ---- property -------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed += 0x9e3779b97f4a7c15U;
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % below;
}

static const char *const PARTS[] = {
    "salt(7, caller)",
    "salt(300, code, hash: md5)",
    "md5(tag)",
    "left(hex(md5(name)), 4)",
    "caller",
    "callee",
    "name",
    "code",
    "tag",
    "pad(code, 12)",
    "pad(tag, 30, fill: \"\\x7F\")",
    "pad(code, 12, fill: \"0\", side: left)",
    "reverse(code)",
    "reverse(name)",
    "hex(name)",
    "hex(reverse(tag))",
    "left(caller, 3)",
    "right(tag, 2)",
    "substr(name, 2, 1)",
    "upper(tag)",
    "default(note, \"-\")",
    "default(note, tag)",
    "u32(duration)",
    "u64(duration)",
    "i32(duration)",
    "i64(duration)",
    "f64(duration)",
    "f64(cost)",
    "dec(duration, 7)",
    "int64be(duration)",
    "ts(start)",
    "ts32(start)",
    "rev_ts(start)",
    "rev_ts_dec(start)",
    "rev_ts_dec(start, unit: s, width: 10)",
    "i64(start)",
    "format_ts(start, \"%Y%m\")",
    "ts(floor_ts(start, 1h))",
    "text(duration)",
    "text(code)",
    "\"_\"",
    "\"|\"",
    "\"\\x00\"",
    "left(xxh64(record), 4)",
};

static void random_rule(uint64_t *seed, char *out, size_t size)
{
    const uint64_t parts = 1 + draw(seed, 5);
    size_t len = 0;
    out[0] = '\0';
    for (uint64_t i = 0; i < parts; i++) {
        len += (size_t)snprintf(out + len, size - len, "%s%s", i > 0 ? " + " : "",
                                PARTS[draw(seed, sizeof PARTS / sizeof PARTS[0])]);
    }
}

static void random_text(expr_fixture *f, const char *field, uint64_t *seed, const char *alphabet,
                        char *room)
{
    const size_t len = 1 + draw(seed, 6);
    for (size_t i = 0; i < len; i++) {
        room[i] = alphabet[draw(seed, strlen(alphabet))];
    }
    set_bytes(f, field, sm_bytes_of(room, len));
}

static int64_t random_number(uint64_t *seed)
{
    static const int64_t EDGES[] = {0,         1,         -1,        127,
                                    128,       255,       65535,     INT32_MAX,
                                    INT32_MIN, INT64_MAX, INT64_MIN, INT64_C(1) << 53};
    return draw(seed, 3) == 0 ? EDGES[draw(seed, sizeof EDGES / sizeof EDGES[0])]
                              : (int64_t)draw(seed, 2000);
}

static void random_record(expr_fixture *f, uint64_t *seed, char room[6][8])
{
    random_text(f, "caller", seed, "0138 _", room[0]);
    random_text(f, "callee", seed, "0138|", room[1]);
    random_text(f, "name", seed, "ab_|\xff", room[2]);
    random_text(f, "code", seed, "0123", room[3]);
    random_text(f, "tag", seed, "ab_| -", room[4]);
    random_text(f, "note", seed, "ab-", room[5]);
    if (draw(seed, 3) == 0) {
        set_null(f, "note");
    }
    set_number(f, "start", draw(seed, 4) == 0 ? 0 : (int64_t)draw(seed, UINT64_C(4000000000000)));
    set_number(f, "duration", random_number(seed));
    set_real(f, "cost", (double)random_number(seed) / 4);
}

static bool same(const expr_fixture *f, size_t i, const sm_value *v)
{
    const sm_value *had = &f->values[i];
    switch (f->schema.fields[i].type) {
    case SM_TYPE_TEXT: return !had->is_null && sm_bytes_equal(had->bytes, v->bytes);
    case SM_TYPE_DECIMAL: return had->real == v->real;
    default: return had->number == v->number;
    }
}

/* Blanks at the end of a padded value count as padding: no such values here. */
static size_t check_rule(expr_fixture *f, uint64_t *seed, const char *rule)
{
    size_t recovered = 0;
    decoding t;
    begin(&t, f, SM_USE_KEY, rule);
    for (int n = 0; n < 20; n++) {
        char room[6][8];
        sm_value key;
        random_record(f, seed, room);
        sm_eval_reset(f->ev);
        if (sm_expr_run(compile(f, SM_USE_KEY, rule), f->ev, &f->record, &key) != SM_REJECT_NONE) {
            continue;
        }
        decode(&t, key.bytes);
        if (!t.out.fits) {
            fail_msg("%s: a key of its own does not fit", rule);
        }
        for (size_t i = 0; i < f->schema.count; i++) {
            recovered += t.out.known[i];
            if (t.out.known[i] && !same(f, i, &t.out.values[i])) {
                fail_msg("%s: field %s comes back as another value", rule,
                         f->schema.fields[i].name);
            }
        }
    }
    sm_key_decoder_free(t.d);
    return recovered;
}

static void test_what_is_known_is_what_was(void **state)
{
    (void)state;
    uint64_t seed = 4;
    size_t recovered = 0;
    for (int n = 0; n < 1500; n++) {
        char rule[400];
        expr_fixture *f = expr_fixture_new();
        random_rule(&seed, rule, sizeof rule);
        recovered += check_rule(f, &seed, rule);
        expr_fixture_free(f);
    }
    assert_true(recovered > 10000);
}

/* Bytes that nobody made: they fit nothing, or what is read from them builds them again. */
static void test_garbage(void **state)
{
    expr_fixture *f = *state;
    uint64_t seed = 9;
    const char *rule = "code + \"_\" + u32(duration) + reverse(tag)";
    decoding t;
    begin(&t, f, SM_USE_KEY, rule);
    for (int n = 0; n < 20000; n++) {
        char key[24];
        const size_t len = draw(&seed, sizeof key);
        for (size_t i = 0; i < len; i++) {
            key[i] = "0_1a\0\xff"[draw(&seed, 6)];
        }
        decode(&t, sm_bytes_of(key, len));
        if (!t.out.fits || t.out.ambiguous) {
            continue;
        }
        sm_value built;
        const sm_record record = {.values = t.out.values, .count = f->schema.count};
        sm_eval_reset(f->ev);
        assert_int_equal(sm_expr_run(compile(f, SM_USE_KEY, rule), f->ev, &record, &built),
                         SM_REJECT_NONE);
        assert_true(sm_bytes_equal(built.bytes, sm_bytes_of(key, len)));
    }
    sm_key_decoder_free(t.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_flagship, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_salt_is_checked, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_borders, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_a_field_twice_must_agree, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_too_many_readings, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_cells, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_what_is_only_a_guess, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_times_that_were_printed, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_misfits, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_texts_of_numbers, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_a_salt_of_a_text, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_parts_of_a_record, expr_setup, expr_teardown),
        cmocka_unit_test_setup_teardown(test_what_can_be_recovered, expr_setup, expr_teardown),
        cmocka_unit_test(test_exact_functions_have_inverses),
        cmocka_unit_test(test_what_is_known_is_what_was),
        cmocka_unit_test_setup_teardown(test_garbage, expr_setup, expr_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
