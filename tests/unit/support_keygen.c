/* SPDX-License-Identifier: Apache-2.0 */
/* See support_keygen.h. */
#include "support_keygen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- chance ---------------------------------------------------------------------------------- */

static uint64_t state = 0x9E3779B97F4A7C15U;

uint32_t gen_chance(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % below);
}

/* ---- pools ----------------------------------------------------------------------------------- */

static const char *const TEXTS[] = {"a",
                                    "ab",
                                    "abc",
                                    "b",
                                    "ba",
                                    "a_b",
                                    "_",
                                    "__",
                                    "a ",
                                    "a\x01",
                                    "\xc3\xa9",
                                    "\xc3\xa9"
                                    "a",
                                    "a\xc3\xa9",
                                    "\xe5\xbc\xa0",
                                    "138",
                                    "1380",
                                    "x",
                                    "y",
                                    "z\x7f",
                                    "\xff",
                                    "\xff\xff",
                                    "a\xff",
                                    "",
                                    "polygenelubricants" /* whose hashCode is -2^31 */};
static const char *const CODES[] = {"0", "00", "1", "10", "138", "1380", "13", "9", "99", "0042"};
static const char *const TAGS[] = {"A", "Ab", "Ab-9", "b", "_", "A_", "A_b", "-", "Z", "zz"};
static const int64_t NUMBERS[] = {0,
                                  1,
                                  2,
                                  3,
                                  5,
                                  9,
                                  10,
                                  60,
                                  255,
                                  256,
                                  569,
                                  65535,
                                  65536,
                                  99999,
                                  -1,
                                  -2,
                                  2147483647,
                                  2147483648,
                                  4294967295,
                                  4294967296,
                                  INT64_MAX,
                                  INT64_MIN + 1,
                                  INT64_C(1) << 53,
                                  -255};
static const double REALS[] = {0.0, -0.0, 0.5, -0.5, 1, 2, 2.5, -2.5, 1e300, -1e300, 5e-324, 569};
/* In 2021 in Berlin clocks go forward on March 28 and back on October 31. */
static const int64_t TIMES[] = {0,
                                1,
                                -1,
                                999,
                                1000,
                                59999,
                                3599999,
                                3600000,
                                86399999,
                                86400000,
                                1616893199999,
                                1616893200000,
                                1635638400000,
                                1635641999999,
                                1635642000000,
                                1635645599999,
                                1635645600000,
                                1631419945000,
                                1631419945001,
                                1630454399999,
                                1630454400000,
                                1632988800000,
                                1633046399999,
                                1633046400000,
                                1633046400001,
                                4294967295000,
                                4294967296000,
                                253402300799999,
                                -62135596800000,
                                1640995200000,
                                1631404800000,
                                1631491200000};

static int64_t any_time(void)
{
    static const int64_t CHANGES[] = {1616893200000, 1635642000000};
    const int64_t base = gen_chance(3) == 0 ? PICK(CHANGES) : PICK(TIMES);
    const int64_t shift = gen_chance(3) != 0 ? (int64_t)gen_chance(7200000) - 3600000 : 0;
    const int64_t t = base + shift;
    return t < SM_TIME_MIN ? SM_TIME_MIN : t > SM_TIME_MAX ? SM_TIME_MAX : t;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void put(gen_text *t, const char *fmt, ...) SM_PRINTF(2, 3);

static void put(gen_text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(t->data + t->len, sizeof t->data - t->len, fmt, args);
    va_end(args);
    assert_true(n >= 0 && (size_t)n < sizeof t->data - t->len);
    t->len += (size_t)n;
}

static void put_literal(gen_text *t, const char *literal)
{
    put(t, "\"");
    for (const unsigned char *p = (const unsigned char *)literal; *p != 0; p++) {
        put(t, *p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\' ? "%c" : "\\x%02X", *p);
    }
    put(t, "\"");
}

static void put_time(gen_text *t, int64_t ms)
{
    sm_civil c = {0};
    assert_true(sm_civil_from_ms(ms, &c));
    put(t, "\"%04d-%02u-%02uT%02u:%02u:%02u.%03uZ\"", c.year, c.month, c.day, c.hour, c.minute,
        c.second, c.milli);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static const char *const TEXT_FIELDS[] = {"caller", "name", "code", "tag"};

/* Keys and conditions of one round speak mostly of these two. */
static const char *favourites[2];

static void choose_favourites(void)
{
    favourites[0] = PICK(TEXT_FIELDS);
    favourites[1] = PICK(TEXT_FIELDS);
}

static const char *text_field(void)
{
    return gen_chance(8) == 0 ? PICK(TEXT_FIELDS) : PICK(favourites);
}

static const char *const ZONES[] = {"Europe/Berlin", "Asia/Shanghai", "UTC", "America/New_York"};
static const char *const PATTERNS[] = {
    "%Y%m",           "%Y%m%d", "%Y-%m-%d %H", "%Y",   "%d%H%M%S", "%H", "%Y%j",     "%m",
    "%Y%m%d%H%M%S%f", "%F",     "%b%Y",        "%y%m", "%FT%T",    "%B", "%Y%m%d%z", "%s"};
static const char *const STEPS[] = {"1h", "1d", "15m", "7d", "90m", "1s", "1ms"};
static const char *const HASHES[] = {"murmur3",       "xxh3",     "crc32",    "md5",
                                     "java_floormod", "java_abs", "java_mask"};

static void put_text_value(gen_text *t, int depth);

static void put_text_call(gen_text *t, int depth)
{
    static const char *const ONE[] = {"reverse", "upper", "lower", "trim",
                                      "digits",  "hex",   "unhex"};
    switch (gen_chance(11)) {
    case 10:
        put(t, "map(left(");
        put_text_value(t, depth - 1);
        put(t, gen_chance(2)
                   ? ", 1), {\"a\": \"1\", \"b\": \"\\xff\", \"0\": \"1\", \"1\": \"ba\"}, else: "
                     "\"b\")"
                   : ", 1), {\"a\": \"1\", \"b\": \"\\xff\", \"0\": \"2\", \"1\": \"b\"})");
        break;
    case 9:
        put(t, "bcd(");
        put_text_value(t, depth - 1);
        put(t, ", %u)", 1 + gen_chance(4));
        break;
    case 8:
        put(t, gen_chance(2) ? "least(" : "greatest(");
        put_text_value(t, depth - 1);
        put(t, ", ");
        put_text_value(t, depth - 1);
        put(t, ")");
        break;
    case 0:
        put(t, "left(");
        put_text_value(t, depth - 1);
        put(t, ", %u)", 1 + gen_chance(4));
        break;
    case 1:
        put(t, "right(");
        put_text_value(t, depth - 1);
        put(t, ", %u)", 1 + gen_chance(4));
        break;
    case 2:
        put(t, "substr(");
        put_text_value(t, depth - 1);
        put(t, gen_chance(3) == 0 ? ", %u)" : ", %u, 2)", 1 + gen_chance(3));
        break;
    case 3:
        put(t, "pad(");
        put_text_value(t, depth - 1);
        put(t, ", %u%s%s)", 4 + gen_chance(6), gen_chance(3) == 0 ? ", fill: \"0\"" : "",
            gen_chance(3) == 0 ? ", side: left" : "");
        break;
    case 4:
        put(t, "default(");
        put_text_value(t, depth - 1);
        put(t, ", ");
        put_literal(t, PICK(TEXTS));
        put(t, ")");
        break;
    default:
        put(t, "%s(", PICK(ONE));
        put_text_value(t, depth - 1);
        put(t, ")");
        break;
    }
}

static void put_text_value(gen_text *t, int depth)
{
    if (depth <= 0 || gen_chance(3) == 0) {
        put(t, "%s", text_field());
    } else {
        put_text_call(t, depth);
    }
}

static const char *time_field(void)
{
    return gen_chance(4) == 0 ? "answer" : "start";
}

static void put_time_value(gen_text *t)
{
    switch (gen_chance(5)) {
    case 0: put(t, "floor_ts(%s, %s)", time_field(), PICK(STEPS)); break;
    case 1: put(t, "floor_ts(%s, %s, zone: \"%s\")", time_field(), PICK(STEPS), PICK(ZONES)); break;
    default: put(t, "%s", time_field()); break;
    }
}

static void put_time_part(gen_text *t)
{
    static const char *const PLAIN[] = {"ts", "ts32", "rev_ts", "rev_ts_dec", "i64", "int64be"};
    static const char *const UNITS[] = {"ms", "s", "m", "h", "d"};
    const bool units = gen_chance(4) == 0;
    put(t, "%s(", units ? "rev_ts_dec" : PICK(PLAIN));
    put_time_value(t);
    if (units) {
        put(t, ", unit: %s, width: %u", PICK(UNITS), 4 + gen_chance(12));
    }
    put(t, ")");
}

/* A zone in its quotes, now and then. */
static void put_format_part(gen_text *t)
{
    put(t, "format_ts(");
    put_time_value(t);
    put(t, ", \"%s\"", PICK(PATTERNS));
    if (gen_chance(2) == 0) {
        put(t, ", zone: \"%s\"", PICK(ZONES));
    }
    put(t, ")");
}

static void put_number_part(gen_text *t)
{
    static const char *const CALLS[] = {"u8", "u16", "u32", "u64", "i32", "i64", "f64", "int32be"};
    static const char *const CODED[] = {"base36(", "base62(", "unhex(dec(", "hex(base36(",
                                        "unhex(base36("};
    if (gen_chance(6) == 0) {
        const char *call = PICK(CODED);
        if (gen_chance(4) == 0) {
            put(t, gen_chance(2) ? "base36(duration)" : "hex(base62(duration))");
            return;
        }
        put(t, "%sduration, %u%s", call, 2 * (1 + gen_chance(6)),
            strchr(call, '(') == strrchr(call, '(') ? ")" : "))");
        return;
    }
    if (gen_chance(4) == 0) {
        put(t, gen_chance(2) ? "f64(cost)" : "float64be(cost)");
    } else if (gen_chance(3) == 0) {
        put(t, gen_chance(2) ? "dec(duration, %u)" : "hex(dec(duration, %u))", 1 + gen_chance(12));
    } else {
        put(t, gen_chance(5) ? "%s(duration)" : "hex(%s(duration))", PICK(CALLS));
    }
}

static void put_record_part(gen_text *t)
{
    switch (gen_chance(4)) {
    case 0: put(t, "random(%u)", 1 + gen_chance(20)); break;
    case 1: put(t, "pick([\"a-\", \"b\", \"ba\"])"); break;
    case 2:
        put(t, "pick([\"a-\", \"b-\", \"c-\"], by: ");
        put_text_value(t, 1);
        put(t, ")");
        break;
    default: put(t, "xxh64(record)"); break;
    }
}

static void put_spread_part(gen_text *t)
{
    static const uint32_t COUNTS[] = {1, 2, 7, 10, 16, 300};
    switch (gen_chance(7)) {
    case 6:
        put(t, "region_start(");
        put_text_value(t, 1);
        put(t, ", first: \"00\")");
        break;
    case 0:
        put(t, "left(hex(md5(");
        put_text_value(t, 1);
        put(t, ")), %u)", 1 + gen_chance(4));
        break;
    case 1:
        put(t, "murmur3(");
        put_text_value(t, 1);
        put(t, ")");
        break;
    case 2:
        put(t, "salt_byte(%u, ", 1 + gen_chance(20));
        put_text_value(t, 1);
        put(t, ")");
        break;
    case 3: put_record_part(t); break;
    default:
        put(t, "salt(%u, ", PICK(COUNTS));
        put_text_value(t, 1);
        put(t, ", hash: %s)", PICK(HASHES));
        break;
    }
}

static void put_part(gen_text *t)
{
    static const char *const LITERALS[] = {"_", "-", "a", "0", "__", "\xff", "\x80", "\xc3\xa9"};
    switch (gen_chance(9)) {
    case 0: put_spread_part(t); break;
    case 1: put_literal(t, PICK(LITERALS)); break;
    case 2: put_number_part(t); break;
    case 3: put_format_part(t); break;
    case 4: put_time_part(t); break;
    case 5:
        put(t, "concat(");
        put_text_value(t, 1);
        put(t, ", \"_\", ");
        put_text_value(t, 1);
        put(t, ")");
        break;
    default: put_text_value(t, gen_chance(2) == 0 ? 0 : 1 + (int)gen_chance(2)); break;
    }
}

void gen_key(gen_text *t)
{
    const uint32_t parts = 1 + gen_chance(4);
    t->len = 0;
    choose_favourites();
    if (gen_chance(3) == 0) {
        put_spread_part(t);
        put(t, " + ");
    }
    for (uint32_t i = 0; i < parts; i++) {
        put(t, "%s", i == 0 ? "" : " + ");
        put_part(t);
    }
}

/* ---- conditions ------------------------------------------------------------------------------ */

static const char *const SIGNS[] = {"=", "=", "=", "<", "<=", ">", ">=", "!="};

static const char *text_for(const char *field)
{
    return strcmp(field, "code") == 0  ? PICK(CODES)
           : strcmp(field, "tag") == 0 ? PICK(TAGS)
                                       : PICK(TEXTS);
}

static void put_text_term(gen_text *t)
{
    const char *field = text_field();
    switch (gen_chance(8)) {
    case 0:
        put(t, "starts_with(%s, ", field);
        put_literal(t, text_for(field));
        if (gen_chance(5) == 0) {
            t->data[t->len - 1] = '_';
            put(t, "\"");
        }
        put(t, ")");
        break;
    case 1:
        put(t, "ends_with(%s, ", field);
        put_literal(t, text_for(field));
        put(t, ")");
        break;
    case 2:
        put(t, "%s %s [", field, gen_chance(5) == 0 ? "not in" : "in");
        put_literal(t, text_for(field));
        put(t, ", ");
        put_literal(t, text_for(field));
        put(t, "]");
        break;
    case 3: put(t, "%s is %snull", field, gen_chance(2) ? "not " : ""); break;
    case 4:
        put(t, "left(%s, 1) = ", field);
        put_literal(t, text_for(field));
        break;
    case 5: {
        const char *a = text_for(field);
        const char *b = text_for(field);
        put(t, "%s >= ", field);
        put_literal(t, strcmp(a, b) < 0 ? a : b);
        put(t, " and %s <= ", field);
        put_literal(t, strcmp(a, b) < 0 ? b : a);
        break;
    }
    default:
        put(t, "%s %s ", field, PICK(SIGNS));
        put_literal(t, text_for(field));
        break;
    }
}

static void put_number_term(gen_text *t)
{
    if (gen_chance(3) == 0) {
        put(t, gen_chance(3) ? "cost %s %.17g" : "duration %s %.17g", PICK(SIGNS), PICK(REALS));
        if (strpbrk(strrchr(t->data, ' '), ".e") == NULL) {
            put(t, ".0");
        }
    } else if (gen_chance(5) == 0) {
        put(t, "duration in [%lld, %lld]", (long long)PICK(NUMBERS), (long long)PICK(NUMBERS));
    } else {
        put(t, gen_chance(6) ? "duration %s %lld" : "cost %s %lld", PICK(SIGNS),
            (long long)PICK(NUMBERS));
    }
}

static void put_time_term(gen_text *t)
{
    const char *field = time_field();
    if (gen_chance(2) == 0) {
        const int64_t a = any_time();
        put(t, "%s >= ", field);
        put_time(t, a);
        put(t, " and %s < ", field);
        const int64_t b = gen_chance(2) ? any_time()
                                        : a + 1 +
                                              (gen_chance(2) ? gen_chance(40) * INT64_C(10000000)
                                                             : gen_chance(5400000));
        put_time(t, b > SM_TIME_MAX ? SM_TIME_MAX : b);
        return;
    }
    if (gen_chance(4) == 0) {
        put_time(t, any_time());
        put(t, " %s %s", PICK(SIGNS), field);
        return;
    }
    put(t, "%s %s ", field, PICK(SIGNS));
    put_time(t, any_time());
}

static void put_term(gen_text *t)
{
    switch (gen_chance(5)) {
    case 0: put_number_term(t); break;
    case 1: put_time_term(t); break;
    default: put_text_term(t); break;
    }
}

void gen_condition(gen_text *t)
{
    const uint32_t terms = 1 + gen_chance(gen_chance(3) == 0 ? 4 : 2);
    t->len = 0;
    for (uint32_t i = 0; i < terms; i++) {
        put(t, "%s", i == 0 ? "" : " and ");
        switch (gen_chance(12)) {
        case 0:
            put(t, "not (");
            put_term(t);
            put(t, ")");
            break;
        case 1: {
            const char *field = text_field();
            put(t, "(%s = ", field);
            put_literal(t, text_for(field));
            put(t, " or %s = ", field);
            put_literal(t, text_for(field));
            put(t, ")");
            break;
        }
        case 2:
            put(t, "(");
            put_term(t);
            put(t, " or ");
            put_term(t);
            put(t, ")");
            break;
        default: put_term(t); break;
        }
    }
}

/* ---- records --------------------------------------------------------------------------------- */

static void fill_field(expr_fixture *f, size_t i)
{
    const char *name = f->schema.fields[i].name;
    switch (f->schema.fields[i].type) {
    case SM_TYPE_TIME: set_number(f, name, any_time()); break;
    case SM_TYPE_INT: set_number(f, name, PICK(NUMBERS)); break;
    case SM_TYPE_DECIMAL: set_real(f, name, PICK(REALS)); break;
    default: set_text(f, name, text_for(name)); break;
    }
    f->values[i].is_null = gen_chance(16) == 0;
}

/* A new record, or the last one with another value or two: neighbours in the order of keys. */
void gen_record(expr_fixture *f, bool anew)
{
    for (size_t i = 0; i < SM_TEST_FIELDS; i++) {
        if (anew || gen_chance(SM_TEST_FIELDS) == 0) {
            fill_field(f, i);
        }
    }
}
