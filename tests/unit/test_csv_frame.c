/* SPDX-License-Identifier: Apache-2.0 */
/* The record framer: what a record is, at every split position and flush against an unreadable
 * page. */
#include "ingest/csv_frame.h"
#include "ingest/scan_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { TEXT_SIZE = 4096, PAGE_ROOM = 65536, LIMIT = 1000 };

/* A stretch of memory that ends at an unreadable page. */
typedef struct guarded {
    uint8_t *base;
    uint8_t *end;
} guarded;

static guarded guard_make(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *base =
        mmap(NULL, PAGE_ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(base != MAP_FAILED);
    assert_int_equal(mprotect(base + PAGE_ROOM, page, PROT_NONE), 0);
    return (guarded){base, base + PAGE_ROOM};
}

static void guard_free(guarded g)
{
    assert_int_equal(munmap(g.base, PAGE_ROOM + (size_t)sysconf(_SC_PAGESIZE)), 0);
}

static const uint8_t *guard_put(guarded g, const char *text, size_t len)
{
    memcpy(g.end - len, text, len);
    return g.end - len;
}

static sm_csv_frame frame_of(const char *delimiter, int quote, int escape, int comment,
                             uint64_t limit)
{
    const sm_csv_dialect dialect = {.delimiter = sm_bytes_text(delimiter),
                                    .quote = quote,
                                    .escape = escape,
                                    .comment = comment};
    sm_csv_frame f;
    assert_int_equal(sm_csv_frame_init(&f, &dialect, limit, NULL), SM_OK);
    return f;
}

static void print_span(char *out, const sm_span *s)
{
    static const char kinds[] = {'R', 'B', 'C'};
    const size_t used = strlen(out);
    (void)snprintf(out + used, TEXT_SIZE - used, "%c%zu+%zu+%zu:%u%s", kinds[s->kind], s->start,
                   s->content, s->len - s->content, (unsigned)s->lines, s->quoted ? "q" : "");
    if (s->bad != SM_REJECT_NONE) {
        const size_t more = strlen(out);
        (void)snprintf(out + more, TEXT_SIZE - more,
                       s->bad == SM_REJECT_RECORD_SIZE ? "long" : "bad%zu", s->bad_at);
    }
    strcat(out, " ");
}

/* Windows that grow from `first` by `step` up to the whole. */
static void scan_growing(const sm_csv_frame *f, sm_bytes text, size_t first, size_t step,
                         char out[TEXT_SIZE])
{
    out[0] = '\0';
    sm_scan scan = {.pos = 0};
    size_t len = first;
    for (;;) {
        const sm_window w = {text.data, len, len == text.len};
        sm_span span;
        const sm_found found = sm_csv_next(f, &scan, w, &span);
        if (found == SM_FOUND_SPAN) {
            print_span(out, &span);
        } else if (found == SM_FOUND_OPEN_QUOTE) {
            const size_t used = strlen(out);
            (void)snprintf(out + used, TEXT_SIZE - used, "open%zu@%zu", scan.start, scan.quote_at);
            return;
        } else if (w.at_end) {
            return;
        } else {
            len = len + step < text.len ? len + step : text.len;
        }
    }
}

/* The same answer whole, in two parts split anywhere, and byte by byte, never reading past the end.
 */
static void check_len(const sm_csv_frame *f, const char *text, size_t len, const char *wanted)
{
    const guarded g = guard_make();
    const sm_bytes bytes = {guard_put(g, text, len), len};
    char got[TEXT_SIZE];
    scan_growing(f, bytes, len, 1, got);
    assert_string_equal(got, wanted);
    scan_growing(f, bytes, 0, 1, got);
    assert_string_equal(got, wanted);
    for (size_t split = 0; split <= len; split++) {
        scan_growing(f, bytes, split, len, got);
        assert_string_equal(got, wanted);
    }
    guard_free(g);
}

static void check(const sm_csv_frame *f, const char *text, const char *wanted)
{
    check_len(f, text, strlen(text), wanted);
}

/* ---- tables: START + content + terminator : physical lines ----------------------------------- */

static void line_ends(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of(",", '"', -1, -1, LIMIT);
    check(&f, "", "");
    check(&f, "a", "R0+1+0:1 ");
    check(&f, "a\n", "R0+1+1:1 ");
    check(&f, "a\r\n", "R0+1+2:1 ");
    check(&f, "a\r", "R0+1+1:1 ");
    check(&f, "a\nb\r\nc\rd", "R0+1+1:1 R2+1+2:1 R5+1+1:1 R7+1+0:1 ");
    check(&f, "\n\r\n\r\r\n", "B0+0+1:1 B1+0+2:1 B3+0+1:1 B4+0+2:1 ");
    check(&f, "a\n\rb", "R0+1+1:1 B2+0+1:1 R3+1+0:1 ");
    check(&f, "a,b\n,\n ,\n", "R0+3+1:1 R4+1+1:1 R6+2+1:1 ");
}

static void quoted_fields(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of(",", '"', -1, -1, LIMIT);
    check(&f, "\"a,b\",c\n", "R0+7+1:1q ");
    check(&f, "\"a\nb\"\nc\n", "R0+5+1:2q R6+1+1:1 ");
    check(&f, "\"a\r\nb\rc\"\r\nd", "R0+8+2:3q R10+1+0:1 ");
    check(&f, "\"a\"\"b\"\"\"\n", "R0+8+1:1q ");
    check(&f, "\"\"\n", "R0+2+1:1q ");
    check(&f, "x,\"\n\"", "R0+5+0:2q ");
    check(&f, "x,\"\",\"\"\"\"\r", "R0+9+1:1q ");
    /* Quotes inside an unquoted field are data. */
    check(&f, "a\"b\",c\n\"d\"\n", "R0+6+1:1 R7+3+1:1q ");
    check(&f, "a \"b\nc\"\n", "R0+4+1:1 R5+2+1:1 ");
}

static void malformed_records(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of(",", '"', -1, -1, LIMIT);
    check(&f, "\"a\"b\nc\n", "R0+4+1:1qbad3 R5+1+1:1 ");
    check(&f, "\"a\" ,\"b\nc\"\nd\n", "R0+7+1:1qbad3 R8+2+1:1 R11+1+1:1 ");
    check(&f, "\"a\nb\"x\r\nc", "R0+6+2:2qbad5 R8+1+0:1 ");
    check(&f, "\"a\"b", "R0+4+0:1qbad3 ");
}

static void open_quotes(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of(",", '"', -1, -1, LIMIT);
    check(&f, "a\nb,\"c\nd\n", "R0+1+1:1 open2@4");
    check(&f, "\"", "open0@0");
    check(&f, "\"a\"\"", "open0@0");
    check(&f, "\"a\",\"b\"\"\n", "open0@4");
}

static void no_quotes(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of("\t", -1, -1, -1, LIMIT);
    check(&f, "\"a\t\"\n\"\"\"\n", "R0+4+1:1 R5+3+1:1 ");
}

static void comments(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of(",", '"', -1, '#', LIMIT);
    check(&f, "#x,\"\na,#\n#\r\n\"#\"\n #\n#end",
          "C0+4+1:1 R5+3+1:1 C9+1+2:1 R12+3+1:1q R16+2+1:1 C19+4+0:1 ");
}

static void escapes(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of(",", '"', '\\', -1, LIMIT);
    check(&f, "1,\"T\\\"WO\",a\n", "R0+11+1:1q ");
    check(&f, "2,\"back\\\\\",b\n", "R0+12+1:1q ");
    check(&f, "3,un\\,\"quoted\nx\n", "R0+13+1:1 R14+1+1:1 ");
    check(&f, "a\\\nb\nc\n", "R0+4+1:2 R5+1+1:1 ");
    check(&f, "a\\\r\nb\n", "R0+3+1:1 R4+1+1:1 ");
    check(&f, "a\\\rb\n", "R0+4+1:2 ");
    check(&f, "\"a\\\r\nb\"\n", "R0+7+1:2q ");
    check(&f, "a\\", "R0+2+0:1 ");
    check(&f, "\\\"a\nb\n", "R0+3+1:1 R4+1+1:1 ");
    check(&f, "\"a\"\"b\"\n", "R0+6+1:1q ");
    check(&f, "\"a\\", "open0@0");
}

static void long_delimiters(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of("aaa", '"', -1, -1, LIMIT);
    /* Leftmost match: x aaa a"..., so the quote is inside a field. */
    check(&f, "xaaaa\"\ny\n", "R0+6+1:1 R7+1+1:1 ");
    check(&f, "xaaa\"\ny\"\n", "R0+8+1:2q ");
    check(&f, "\"x\"aaa\"y\naaa\"aaaz\n", "R0+17+1:2q ");
    check(&f, "\"x\"aab\n", "R0+6+1:1qbad3 ");
    check(&f, "\"x\"aa", "R0+5+0:1qbad3 ");
    check(&f, "baaaaaa\"q\"\n", "R0+10+1:1q ");
    check(&f, "baaaaaaa\"q\"\n", "R0+11+1:1 ");
}

static void limits(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of(",", '"', -1, '#', 5);
    check(&f, "12345\n123456\n1\n", "R0+5+1:1 R6+6+1:1long R13+1+1:1 ");
    check(&f, "12345\r\n12345", "R0+5+2:1 R7+5+0:1 ");
    check(&f, "123456", "R0+6+0:1long ");
    check(&f, "\"123\"\n\"1234\"\n", "R0+5+1:1q open6@6");
    check(&f, "\"1\"2345\nx", "R0+7+1:1qlong R8+1+0:1 ");
    check(&f, "1,2,3,\"\n\"\n", "R0+7+1:1long open8@8");
    check(&f, "#comment\n1\n", "C0+8+1:1long R9+1+1:1 ");
    check(&f, "1,\"\n\"\n", "R0+5+1:2q ");
    check(&f, "1,2,\"\"\n", "open0@4");
}

static void nul_bytes(void **state)
{
    (void)state;
    const sm_csv_frame f = frame_of(",", '"', -1, -1, LIMIT);
    check_len(&f, "a\0b,\"\0\"\n\0\n", 10, "R0+7+1:1q R8+1+1:1 ");
    const sm_csv_frame ctrl = frame_of("\x01", -1, -1, -1, LIMIT);
    check_len(&ctrl, "1\x01\xFF\x80\n", 5, "R0+4+1:1 ");
}

/* ---- fields ---------------------------------------------------------------------------------- */

static void fields_are_cut(void **state)
{
    (void)state;
    static const struct {
        const char *delimiter;
        int quote, escape;
        const char *record, *wanted;
    } rows[] = {
        {",", '"', -1, "a,b", "0+1 2+1 "},
        {",", '"', -1, "a,", "0+1 2+0 "},
        {",", '"', -1, ",", "0+0 1+0 "},
        {",", '"', -1, "\"a,b\",c", "1+3q 6+1 "},
        {",", '"', -1, "\"\"", "1+0q "},
        {",", '"', -1, "\"a\"\"\",\"\"", "1+3q 7+0q "},
        {",", '"', -1, "a\"b,c", "0+3 4+1 "},
        {",", '"', '\\', "a\\,b,c", "0+4 5+1 "},
        {",", '"', '\\', "\"\\\",\",x", "1+3q 6+1 "},
        {",", '"', '\\', "a,b\\", "0+1 2+2 "},
        {"@@@", -1, -1, "1@@@x@y@@z@@@q", "0+1 4+6 13+1 "},
        {"@@@", -1, -1, "3@@@a@@@@b", "0+1 4+1 8+2 "},
        {"aaa", -1, -1, "3aaabaaaac", "0+1 4+1 8+2 "},
        {"||", '"', -1, "\"|||\"||", "1+3q 7+0 "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sm_csv_frame f =
            frame_of(rows[i].delimiter, rows[i].quote, rows[i].escape, -1, LIMIT);
        sm_csv_cut cuts[8];
        const guarded g = guard_make();
        const size_t len = strlen(rows[i].record);
        const size_t count =
            sm_csv_cut_fields(&f, (sm_bytes){guard_put(g, rows[i].record, len), len}, cuts, 8);
        char got[TEXT_SIZE] = "";
        for (size_t k = 0; k < count; k++) {
            const size_t used = strlen(got);
            (void)snprintf(got + used, TEXT_SIZE - used, "%zu+%zu%s ", cuts[k].start, cuts[k].len,
                           cuts[k].quoted ? "q" : "");
        }
        assert_string_equal(got, rows[i].wanted);
        guard_free(g);
    }
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    static const sm_csv_dialect bad[] = {
        {.delimiter = {(const uint8_t *)"", 0}, .quote = '"', .escape = -1, .comment = -1},
        {.delimiter = {(const uint8_t *)"12345678901234567", 17},
         .quote = '"',
         .escape = -1,
         .comment = -1},
        {.delimiter = {(const uint8_t *)"\n", 1}, .quote = '"', .escape = -1, .comment = -1},
        {.delimiter = {(const uint8_t *)",", 1}, .quote = '\r', .escape = -1, .comment = -1},
        {.delimiter = {(const uint8_t *)",", 1}, .quote = ',', .escape = -1, .comment = -1},
        {.delimiter = {(const uint8_t *)"|\\", 2}, .quote = '"', .escape = '\\', .comment = -1},
        {.delimiter = {(const uint8_t *)",", 1}, .quote = '"', .escape = -1, .comment = '"'},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sm_csv_frame f;
        sm_error err = {.code = SM_OK};
        assert_int_equal(sm_csv_frame_init(&f, &bad[i], LIMIT, &err), SM_E_JOB);
        assert_non_null(strstr(err.text, "input.csv"));
    }
}

/* ---- the primitive --------------------------------------------------------------------------- */

static void primitives_agree(void **state)
{
    (void)state;
    const guarded g = guard_make();
    const uint8_t set[4] = {'\n', 0x80, 0xFF, 0x00};
    const sm_scan_set best = sm_scan_set_of(set);
    const sm_scan_plain plain = sm_scan_plain_of(set);
    srand(7);
    for (int round = 0; round < 3000; round++) {
        const size_t len = (size_t)rand() % 70;
        uint8_t *data = g.end - len;
        for (size_t i = 0; i < len; i++) {
            data[i] = rand() % 40 == 0 ? set[rand() % 4] : (uint8_t)(1 + rand() % 127);
        }
        for (size_t pos = 0; pos <= len; pos++) {
            size_t wanted = pos;
            while (wanted < len && memchr(set, data[wanted], 4) == NULL) {
                wanted++;
            }
            assert_int_equal(sm_scan_first(&best, data, pos, len), wanted);
            assert_int_equal(sm_scan_plain_first(&plain, data, pos, len), wanted);
        }
    }
    guard_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_ends),
        cmocka_unit_test(quoted_fields),
        cmocka_unit_test(malformed_records),
        cmocka_unit_test(open_quotes),
        cmocka_unit_test(no_quotes),
        cmocka_unit_test(comments),
        cmocka_unit_test(escapes),
        cmocka_unit_test(long_delimiters),
        cmocka_unit_test(limits),
        cmocka_unit_test(nul_bytes),
        cmocka_unit_test(fields_are_cut),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(primitives_agree),
    };
    return cmocka_run_group_tests_name("csv_frame", tests, NULL, NULL);
}
