/* SPDX-License-Identifier: Apache-2.0 */
/* Split keys by arithmetic. Expected values: HBase 2.6.1's RegionSplitter in tests/vectors;
 * Python's integers after the definition of getHexSplits in the HBase book; salts by hand. */
#include "core/escape.h"
#include "partitioner/splits.h"
#include "tests/unit/support_splits.h"
#include "tests/unit/support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";
static const char effs[] = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";

static sm_split_spec salt(uint64_t salts, uint64_t regions, unsigned width)
{
    return (sm_split_spec){.kind = SM_SPLITS_SALT,
                           .where = "t.splits",
                           .salts = salts,
                           .regions = regions,
                           .width = width};
}

static sm_split_spec digits(sm_split_kind kind, const char *start, const char *end,
                            uint64_t regions)
{
    return (sm_split_spec){.kind = kind,
                           .where = "t.splits",
                           .start = sm_bytes_text(start),
                           .end = sm_bytes_text(end),
                           .regions = regions};
}

static sm_split_spec splitter(const char *algorithm, uint64_t regions)
{
    return (sm_split_spec){.kind = SM_SPLITS_REGION_SPLITTER,
                           .where = "t.splits",
                           .algorithm = sm_bytes_text(algorithm),
                           .regions = regions};
}

static void expect(splits_case *c, sm_split_spec spec, const char *keys)
{
    splits_made(c, &spec);
    splits_keys(c, keys);
    assert_int_equal(c->splits->note_count, 0);
}

static void refuse(splits_case *c, sm_split_spec spec, const char *part)
{
    splits_refused(c, &spec, part);
}

static void salts(void **state)
{
    splits_case *c = *state;
    expect(c, salt(300, 10, 0), "030 060 090 120 150 180 210 240 270");
    expect(c, salt(300, 7, 0), "042 085 128 171 214 257");
    expect(c, salt(10, 10, 0), "1 2 3 4 5 6 7 8 9");
    expect(c, salt(100, 4, 0), "25 50 75");
    expect(c, salt(101, 4, 0), "025 050 075");
    expect(c, salt(100, 2, 5), "00050");
    expect(c, salt(300, 1, 0), "");
    expect(c, salt(1, 1, 0), "");
    expect(c, salt(UINT64_MAX, 3, 0), "06148914691236517205 12297829382473034410");
    refuse(c, salt(10, 11, 0), "10 salts can't be cut into 11 regions");
    refuse(c, salt(0, 1, 0), "0 salts");
    refuse(c, salt(300, 10, 2), "salts 0 to 299 don't fit a width of 2");
    refuse(c, salt(300, 10, 21), "don't fit a width of 21");
    refuse(c, salt(300, 0, 0), "0 regions; 1 to 1048576 can be had");
    refuse(c, salt(UINT64_MAX, 1048577, 0), "1048577 regions");
}

static void hexadecimal_ranges(void **state)
{
    splits_case *c = *state;
    const sm_split_kind hex = SM_SPLITS_HEX;
    expect(c, digits(hex, "00000000", "ffffffff", 16),
           "0fffffff 1ffffffe 2ffffffd 3ffffffc 4ffffffb 5ffffffa 6ffffff9 7ffffff8 8ffffff7 "
           "9ffffff6 affffff5 bffffff4 cffffff3 dffffff2 effffff1");
    expect(c, digits(hex, "00", "ff", 4), "3f 7e bd");
    expect(c, digits(hex, "1000", "1fff", 3), "1555 1aaa");
    expect(c, digits(hex, zeros, effs, 3),
           "5555555555555555555555555555555555555555555555555555555555555555 "
           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    const sm_split_spec upper = digits(hex, "00", "FF", 4);
    splits_made(c, &upper);
    splits_keys(c, "3f 7e bd");
    assert_int_equal(c->splits->note_count, 1);
    assert_non_null(strstr(c->splits->notes[0], "lower-case"));
    refuse(c, digits(hex, "0", "ff", 2), "start has 1 digits and end 2");
    refuse(c, digits(hex, "ff", "00", 2), "start must lie below end");
    refuse(c, digits(hex, "00", "00", 2), "start must lie below end");
    refuse(c, digits(hex, "0g", "ff", 2),
           "start is '0g'; 1 to 64 hexadecimal digits were expected");
    refuse(c, digits(hex, "00", "", 2), "end is ''");
    refuse(c, digits(hex, "0", "f", 17), "the range has fewer values than the 17 regions");
    char long_text[66];
    (void)snprintf(long_text, sizeof long_text, "0%s", zeros);
    refuse(c, digits(hex, long_text, long_text, 2), "1 to 64 hexadecimal digits");
    refuse(c, (sm_split_spec){.kind = hex, .regions = 2}, "start is ''");
}

static void decimal_ranges(void **state)
{
    splits_case *c = *state;
    const sm_split_kind decimal = SM_SPLITS_DECIMAL;
    expect(c, digits(decimal, "000", "299", 10), "030 060 090 120 150 180 210 240 270");
    expect(c, digits(decimal, "00000000000000000000", "99999999999999999999", 3),
           "33333333333333333333 66666666666666666666");
    expect(c, digits(decimal, "13000000000", "19999999999", 4),
           "14750000000 16500000000 18250000000");
    expect(c, digits(decimal, "0", "9", 10), "1 2 3 4 5 6 7 8 9");
    refuse(c, digits(decimal, "0", "9", 11), "fewer values than the 11 regions");
    refuse(c, digits(decimal, "0", "a", 2), "end is 'a'; 1 to 64 decimal digits");
}

static void raw_bytes(void **state)
{
    splits_case *c = *state;
    const sm_split_kind uniform = SM_SPLITS_UNIFORM;
    expect(c, digits(uniform, "", "", 1), "");
    expect(c, digits(uniform, "", "", 4), "@ \\x80 \\xC0");
    expect(c, digits(uniform, "", "", 3), "UUUUUUUU \\xAA\\xAA\\xAA\\xAA\\xAA\\xAA\\xAA\\xAA");
    const sm_split_spec most = digits(uniform, "", "", 1 << 20);
    splits_made(c, &most);
    assert_int_equal(c->splits->count, (1 << 20) - 1);
    assert_int_equal(sm_splits_route(c->splits, sm_bytes_of("\x00\x00\x0f\xff", 4)), 0);
    assert_int_equal(sm_splits_route(c->splits, sm_bytes_of("\x00\x00\x10", 3)), 1);
    assert_int_equal(sm_splits_route(c->splits, sm_bytes_text("\xff\xff\xff")), (1 << 20) - 1);
}

static void region_splitter(void **state)
{
    splits_case *c = *state;
    expect(c, splitter("HexStringSplit", 4), "40000000 80000000 c0000000");
    expect(c, splitter("HexStringSplit", 15),
           "11111111 22222222 33333333 44444444 55555555 66666666 77777777 88888888 99999999 "
           "aaaaaaaa bbbbbbbb cccccccc dddddddd eeeeeeee");
    expect(c, splitter("DecimalStringSplit", 7),
           "14285714 28571428 42857142 57142856 71428570 85714284");
    expect(c, splitter("UniformSplit", 2), "\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x00");
    expect(c, splitter("UniformSplit", 6),
           "*\\xAA\\xAA\\xAA\\xAA\\xAA\\xAA\\xAA UUUUUUUT \\x7F\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFE "
           "\\xAA\\xAA\\xAA\\xAA\\xAA\\xAA\\xAA\\xA8 \\xD5UUUUUUR");
    refuse(c, splitter("HexSplit", 4), "no algorithm 'HexSplit'");
    refuse(c, splitter("hexStringSplit", 4), "did you mean HexStringSplit?");
    refuse(c, splitter("UniformSplit", 0), "0 regions");
}

enum { ALGORITHM, REGIONS, FIRST_ROW, LAST_ROW, NUMBER, KEY, CELLS };

typedef struct golden {
    splits_case *c;
    char made[160]; /* what the splits at hand were made of */
    size_t compared;
} golden;

/* Makes the splits unless they are those of the row before. */
static void made_once(golden *g, char **cells, const sm_split_spec *spec)
{
    char made[sizeof g->made];
    (void)snprintf(made, sizeof made, "%d %s %s %s %s", (int)spec->kind, cells[ALGORITHM],
                   cells[REGIONS], cells[FIRST_ROW], cells[LAST_ROW]);
    if (strcmp(made, g->made) != 0) {
        sm_arena_reset(g->c->arena);
        (void)snprintf(g->made, sizeof g->made, "%s", made);
        splits_made(g->c, spec);
        assert_int_equal(g->c->splits->count, spec->regions - 1);
    }
}

static void is_key(golden *g, char **cells, const char *key)
{
    char text[128];
    const size_t number = (size_t)vectors_number(cells[NUMBER]);
    assert_true(number < g->c->splits->count);
    assert_string_equal(sm_escape_short(g->c->splits->keys[number], text, sizeof text), key);
    g->compared++;
}

/* The head's line with names has no numbers. */
static bool is_head(char **cells)
{
    return strcmp(cells[ALGORITHM], "algorithm") == 0;
}

static void check_algorithm(char **cells, void *context)
{
    if (!is_head(cells) && strcmp(cells[FIRST_ROW], "-") == 0) {
        const sm_split_spec spec =
            splitter(cells[ALGORITHM], (uint64_t)vectors_number(cells[REGIONS]));
        made_once(context, cells, &spec);
        is_key(context, cells, cells[KEY]);
    }
}

static void algorithms_equal_hbase(void **state)
{
    golden g = {.c = *state};
    assert_true(vectors_each("region_splitter.tsv", CELLS, check_algorithm, &g) > 2000);
    assert_true(g.compared > 700);
}

/* `decimal` is DecimalStringSplit over a range, where both ends are given at the same width. */
static void check_decimal(char **cells, void *context)
{
    if (strcmp(cells[ALGORITHM], "DecimalStringSplit") == 0 && strcmp(cells[FIRST_ROW], "-") != 0 &&
        strlen(cells[FIRST_ROW]) == strlen(cells[LAST_ROW]) && strcmp(cells[KEY], "refused") != 0) {
        const sm_split_spec spec = digits(SM_SPLITS_DECIMAL, cells[FIRST_ROW], cells[LAST_ROW],
                                          (uint64_t)vectors_number(cells[REGIONS]));
        made_once(context, cells, &spec);
        is_key(context, cells, cells[KEY]);
    }
}

static void decimal_ranges_equal_hbase(void **state)
{
    golden g = {.c = *state};
    (void)vectors_each("region_splitter.tsv", CELLS, check_decimal, &g);
    assert_true(g.compared > 300);
}

/* `uniform` is UniformSplit without the zero bytes at the ends of its keys. */
static void check_uniform(char **cells, void *context)
{
    char key[128];
    if (strcmp(cells[ALGORITHM], "UniformSplit") == 0 && strcmp(cells[FIRST_ROW], "-") == 0) {
        const sm_split_spec spec =
            digits(SM_SPLITS_UNIFORM, "", "", (uint64_t)vectors_number(cells[REGIONS]));
        (void)snprintf(key, sizeof key, "%s", cells[KEY]);
        for (size_t len = strlen(key); len > 4 && strcmp(key + len - 4, "\\x00") == 0; len -= 4) {
            key[len - 4] = '\0';
        }
        made_once(context, cells, &spec);
        is_key(context, cells, key);
    }
}

static void uniform_equals_hbase(void **state)
{
    golden g = {.c = *state};
    (void)vectors_each("region_splitter.tsv", CELLS, check_uniform, &g);
    assert_true(g.compared > 200);
}

#define SPLITS_TEST(f) cmocka_unit_test_setup_teardown(f, splits_set_up, splits_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPLITS_TEST(salts),
        SPLITS_TEST(hexadecimal_ranges),
        SPLITS_TEST(decimal_ranges),
        SPLITS_TEST(raw_bytes),
        SPLITS_TEST(region_splitter),
        SPLITS_TEST(algorithms_equal_hbase),
        SPLITS_TEST(decimal_ranges_equal_hbase),
        SPLITS_TEST(uniform_equals_hbase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
