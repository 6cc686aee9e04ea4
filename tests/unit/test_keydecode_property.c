/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding against encoding: random rules from a grammar over the functions that give something
 * back, random records with extremes. A key that a record made always fits; what is called known is
 * what the record had; and whatever fits with all its fields known builds the same bytes again. */
#include "partitioner/keydecode.h"
#include "support_expr.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RULES = 2500, RECORDS = 12, RULE_SIZE = 2000, VALUE_SIZE = 12, TEXT_FIELDS = 6 };

static const char *const TEXTS[TEXT_FIELDS] = {"caller", "callee", "name", "note", "code", "tag"};

typedef struct maker {
    expr_fixture *f;
    uint64_t seed;
    bool cells;
    char rule[RULE_SIZE];
    size_t len;
    uint8_t room[TEXT_FIELDS][VALUE_SIZE];
    char number[24], real[40];
} maker;

/* splitmix64 */
static uint64_t draw(maker *m, uint64_t below)
{
    m->seed += 0x9e3779b97f4a7c15U;
    uint64_t z = m->seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % below;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void say(maker *m, const char *text)
{
    m->len += (size_t)snprintf(m->rule + m->len, RULE_SIZE - m->len, "%s", text);
    assert_true(m->len < RULE_SIZE);
}

static void say_one(maker *m, const char *const *choices, size_t count)
{
    say(m, choices[draw(m, count)]);
}
#define ONE_OF(m, ...)                                           \
    do {                                                         \
        static const char *const choices[] = {__VA_ARGS__};      \
        say_one(m, choices, sizeof choices / sizeof choices[0]); \
    } while (0)

static void say_time(maker *m)
{
    ONE_OF(m, "start", "start", "floor_ts(start, 1h)", "floor_ts(start, 1d, \"Europe/Berlin\")",
           "floor_ts(answer, 15m)", "default(answer, \"1970-01-01\")");
}

static void say_int(maker *m)
{
    ONE_OF(m, "duration", "duration", "default(duration, 0)", "default(duration, -1)");
}

static void say_number(maker *m)
{
    static const char *const PLAIN[] = {"u8(",      "u16(",     "u32(",       "u64(",
                                        "int32be(", "int64be(", "float64be(", "tsdb_value("};
    static const char *const FLIPPED[] = {"i32(", "i64(", "f64(", "u32("};
    const bool flipped = !m->cells && draw(m, 2) == 0;
    say(m, flipped ? FLIPPED[draw(m, 4)] : PLAIN[draw(m, 8)]);
    say_int(m);
    say(m, ")");
}

static void say_printed(maker *m)
{
    say(m, "format_ts(");
    say_time(m);
    ONE_OF(m, ", \"%Y%m\"", ", \"%d%H%M%S\"", ", \"%F %T\"", ", \"%F %T.%f\"", ", \"%s%f\"",
           ", \"%Y%j\"", ", \"%d %B %y|%H\"", ", \"%FT%T.%f%:z\"", ", \"%b%z\"", ", \"%s%z%Y\"",
           ", \"%%%m-%Y\"");
    ONE_OF(m, ")", ", zone: \"Europe/Berlin\")", ", zone: \"Asia/Shanghai\")",
           ", zone: \"America/New_York\")");
}

static void say_time_bytes(maker *m)
{
    ONE_OF(m, "ts(", "ts32(", "rev_ts(", "rev_ts_dec(", "int64be(");
    say_time(m);
    say(m, ")");
}

static void say_reversed_decimal(maker *m)
{
    say(m, "rev_ts_dec(");
    say_time(m);
    ONE_OF(m, ", unit: s, width: 10)", ", unit: ms, width: 19)", ", unit: ms, width: 14)",
           ", unit: d, width: 6)");
}

static void say_text(maker *m, int depth);

static void say_shaped(maker *m, int depth)
{
    static const char *const SHAPES[][2] = {
        {"left(", ", 2)"},
        {"right(", ", 3)"},
        {"substr(", ", 2)"},
        {"substr(", ", 1, 2)"},
        {"reverse(", ")"},
        {"hex(", ")"},
        {"upper(", ")"},
        {"lower(", ")"},
        {"trim(", ")"},
        {"digits(", ")"},
        {"pad(", ", 14)"},
        {"pad(", ", 13, fill: \"0\", side: left)"},
        {"pad(", ", 13, fill: \"\\x00\")"},
        {"default(", ", \"-\")"},
        {"default(", ", \"ab\")"},
        {"default(", ", tag)"},
        {"left(hex(md5(", ")), 4)"},
        {"salt(10, ", ")"},
        {"salt(300, ", ", hash: java_abs)"},
        {"salt_byte(7, ", ")"},
        {"murmur3(", ")"},
        {"pick([\"a-\", \"b\", \"cc-\"], by: ", ")"},
        {"bcd(", ", 6)"},
        {"unhex(", ")"},
        {"map(", ", {\"0\": \"a\", \"1\": \"\\x00\", \"-\": \"ab\"}, else: \"-\")"},
        {"map(left(", ", 1), {\"0\": \"1\", \"1\": \"2\", \"a\": \"aa\", \"3\": \"9\"})"},
        {"default(map(left(", ", 1), {\"0\": \"1\", \"a\": \"9\", \"A\": \"9\"}), \"-\")"},
    };
    const size_t i = draw(m, sizeof SHAPES / sizeof SHAPES[0]);
    say(m, SHAPES[i][0]);
    say_text(m, depth - 1);
    say(m, SHAPES[i][1]);
}

static void say_text(maker *m, int depth)
{
    if (depth == 0 || draw(m, 3) == 0) {
        say(m, TEXTS[draw(m, TEXT_FIELDS)]);
    } else if (draw(m, 12) == 0) {
        say_text(m, depth - 1);
        say(m, " + ");
        say_text(m, depth - 1);
    } else if (draw(m, 15) == 0) {
        ONE_OF(m, "dec(duration, 6)", "text(duration)", "text(cost)", "text(code)");
    } else {
        say_shaped(m, depth);
    }
}

static void say_part(maker *m)
{
    switch (draw(m, 10)) {
    case 0: say_number(m); break;
    case 1: say_printed(m); break;
    case 2: say_time_bytes(m); break;
    case 3: say_reversed_decimal(m); break;
    case 4: ONE_OF(m, "\"_\"", "\"|\"", "\"\\x00\"", "\"\\xff\\xfe\"", "\"0\""); break;
    case 5:
        ONE_OF(m, "float64be(cost)", "tsdb_value(cost)", "dec(duration, 20)", "record",
               "base36(duration, 5)", "base36(duration)", "base62(duration)",
               "base62(duration, 11)", "random(300)", "pick([\"x\", \"yy\"])",
               "greatest(caller, callee)", "left(xxh64(record), 4)",
               "tsdb_qualifier(start, duration)");
        break;
    default: say_text(m, 3); break;
    }
}

static void make_rule(maker *m)
{
    const uint64_t parts = 1 + draw(m, 4);
    m->len = 0;
    m->cells = draw(m, 4) == 0;
    for (uint64_t i = 0; i < parts; i++) {
        say(m, i > 0 ? " + " : "");
        say_part(m);
    }
}

/* ---- records --------------------------------------------------------------------------------- */

static void make_text(maker *m, size_t i)
{
    static const char *const BYTES[TEXT_FIELDS] = {"0138 _", "ab\x01\xff", "aB\xc3\xa4 9",
                                                   "-ab",    "0123",       "ab-_ 0"};
    const size_t len = draw(m, VALUE_SIZE);
    const size_t choices = strlen(BYTES[i]);
    for (size_t k = 0; k < len; k++) {
        m->room[i][k] = (uint8_t)BYTES[i][draw(m, choices)];
        if (i == 1 && m->room[i][k] == 1) {
            m->room[i][k] = 0;
        }
    }
    if (draw(m, 8) == 0) {
        set_null(m->f, TEXTS[i]);
    } else {
        set_bytes(m->f, TEXTS[i], sm_bytes_of(m->room[i], len));
    }
}

static int64_t make_number(maker *m)
{
    static const int64_t EDGES[] = {0,         1,         -1,        127,       -128,
                                    255,       -32768,    65535,     INT32_MAX, INT32_MIN,
                                    INT64_MAX, INT64_MIN, 1LL << 53, 4294967295};
    return draw(m, 2) == 0 ? EDGES[draw(m, sizeof EDGES / sizeof EDGES[0])]
                           : (int64_t)draw(m, 5000);
}

static int64_t make_time(maker *m)
{
    /* around the hours that Berlin skips and repeats in 2021, and both ends of all times */
    static const int64_t EDGES[] = {0,
                                    1,
                                    1616893199999,
                                    1616893200000,
                                    1635640200000,
                                    1635643800000,
                                    SM_TIME_MAX,
                                    1630454400000};
    return draw(m, 3) == 0 ? EDGES[draw(m, sizeof EDGES / sizeof EDGES[0])]
                           : (int64_t)draw(m, UINT64_C(4000000000000));
}

static double make_real(maker *m)
{
    static const double EDGES[] = {0, -0.0, 0.1, DBL_MAX, -DBL_MAX, DBL_MIN, 42, -300, 2.5};
    return draw(m, 2) == 0 ? EDGES[draw(m, sizeof EDGES / sizeof EDGES[0])]
                           : (double)make_number(m) / 8;
}

static void make_record(maker *m)
{
    for (size_t i = 0; i < TEXT_FIELDS; i++) {
        make_text(m, i);
    }
    set_number(m->f, "start", make_time(m));
    set_number(m->f, "answer", make_time(m));
    set_number(m->f, "duration", make_number(m));
    set_real(m->f, "cost", make_real(m));
    if (draw(m, 8) == 0) {
        set_null(m->f, "answer");
    }
    if (draw(m, 8) == 0) {
        set_null(m->f, "duration");
    }
    /* Numbers stand in the input in ways of their own. */
    sm_value *duration = &m->f->values[8];
    sm_value *cost = &m->f->values[9];
    (void)snprintf(m->number, sizeof m->number, draw(m, 2) == 0 ? "%lld" : "%05lld",
                   (long long)duration->number);
    (void)snprintf(m->real, sizeof m->real, "%.17g", cost->real);
    duration->bytes = duration->is_null ? (sm_bytes){0} : sm_bytes_text(m->number);
    cost->bytes = sm_bytes_text(m->real);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool same(const expr_fixture *f, size_t i, const sm_value *v)
{
    const sm_value *had = &f->values[i];
    switch (f->schema.fields[i].type) {
    case SM_TYPE_TEXT: return !had->is_null && sm_bytes_equal(had->bytes, v->bytes);
    case SM_TYPE_DECIMAL: return !had->is_null && had->real == v->real;
    default: return !had->is_null && had->number == v->number;
    }
}

static void show(sm_bytes bytes, char *out, size_t size)
{
    for (size_t i = 0; i < bytes.len && 2 * i + 2 < size; i++) {
        (void)snprintf(out + 2 * i, size - 2 * i, "%02x", bytes.data[i]);
    }
}

static size_t check_decoded(maker *m, const sm_key_decoded *out, sm_bytes key)
{
    char hex[400] = "";
    size_t known = 0;
    show(key, hex, sizeof hex);
    if (!out->fits) {
        fail_msg("%s: its own key %s does not fit", m->rule, hex);
    }
    for (size_t i = 0; i < m->f->schema.count; i++) {
        known += out->known[i];
        if (out->known[i] && !same(m->f, i, &out->values[i])) {
            fail_msg("%s: key %s: %s comes back as another value", m->rule, hex,
                     m->f->schema.fields[i].name);
        }
    }
    size_t at = 0;
    for (size_t i = 0; i < out->part_count; i++) {
        assert_ptr_equal(out->parts[i].bytes.data, key.data + at);
        at += out->parts[i].bytes.len;
    }
    assert_true(out->part_count == 0 || at == key.len);
    return known;
}

/* All fields that the rule reads are known, so the key can be built again. A rule that looks at
 * texts of numbers is left out: they are not known from numbers. */
static void check_rebuilt(maker *m, const sm_expr *e, const sm_key_decoded *out, sm_bytes key)
{
    sm_value built;
    sm_value values[SM_TEST_FIELDS];
    for (size_t i = 0; i < SM_TEST_FIELDS; i++) {
        if (m->f->used[i] && !out->known[i]) {
            return;
        }
        values[i] = out->values[i];
        values[i].is_null = !out->known[i];
    }
    if (strstr(m->rule, "text(") != NULL || strstr(m->rule, "record") != NULL ||
        strstr(m->rule, "tsdb_") != NULL) {
        return;
    }
    const sm_record record = {.values = values, .count = SM_TEST_FIELDS};
    sm_eval_reset(m->f->ev);
    if (sm_expr_run(e, m->f->ev, &record, &built) != SM_REJECT_NONE ||
        !sm_bytes_equal(built.bytes, key)) {
        char hex[400] = "";
        show(key, hex, sizeof hex);
        fail_msg("%s: garbage %s fits but is not built again", m->rule, hex);
    }
}

/* A key with some bytes changed, taken away or doubled. */
static sm_bytes damaged(maker *m, sm_bytes key, uint8_t *room)
{
    static const uint8_t BYTES[] = {0, 0xff, ' ', '0', '9', 'a', '_', 0x80, '-', 0x7f};
    size_t len = key.len;
    memcpy(room, key.data, len);
    for (uint64_t n = draw(m, 3) + 1; n > 0 && len > 0; n--) {
        const size_t at = draw(m, len);
        switch (draw(m, 4)) {
        case 0: len--; break;
        case 1: room[len++] = BYTES[draw(m, sizeof BYTES)]; break;
        default: room[at] = BYTES[draw(m, sizeof BYTES)]; break;
        }
    }
    return sm_bytes_of(room, len);
}

static size_t check_rule(maker *m, const sm_expr *e)
{
    enum { KEY_MOST = 400 };
    uint8_t copy[KEY_MOST + 8];
    uint8_t room[KEY_MOST + 8];
    sm_key_decoder *d = NULL;
    sm_key_decoded out;
    size_t known = 0;
    assert_int_equal(sm_key_decoder_new(e, &m->f->schema, &d, &m->f->err), SM_OK);
    for (int n = 0; n < RECORDS; n++) {
        sm_value key;
        make_record(m);
        sm_eval_reset(m->f->ev);
        if (sm_expr_run(e, m->f->ev, &m->f->record, &key) != SM_REJECT_NONE || key.is_null ||
            key.bytes.len > KEY_MOST) {
            continue;
        }
        if (key.bytes.len > 0) {
            memcpy(copy, key.bytes.data, key.bytes.len);
        }
        const sm_bytes own = sm_bytes_of(copy, key.bytes.len);
        assert_int_equal(sm_key_decode(d, own, &out, &m->f->err), SM_OK);
        known += check_decoded(m, &out, own);
        const sm_bytes other = damaged(m, own, room);
        assert_int_equal(sm_key_decode(d, other, &out, &m->f->err), SM_OK);
        if (out.fits && !out.ambiguous) {
            check_rebuilt(m, e, &out, other);
        }
    }
    sm_key_decoder_free(d);
    return known;
}

static void test_random_rules(void **state)
{
    (void)state;
    size_t compiled = 0;
    size_t known = 0;
    uint64_t seed = 2021;
    for (int n = 0; n < RULES; n++) {
        maker m = {.f = expr_fixture_new(), .seed = seed + (uint64_t)n * 1000003};
        const sm_expr *e = NULL;
        make_rule(&m);
        if (sm_expr_compile(&m.f->context, m.cells ? SM_USE_CELL : SM_USE_KEY,
                            sm_bytes_text(m.rule), &e, &m.f->err) == SM_OK) {
            compiled++;
            known += check_rule(&m, e);
        }
        expr_fixture_free(m.f);
    }
    assert_true(compiled > RULES / 2);
    assert_true(known > RULES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
