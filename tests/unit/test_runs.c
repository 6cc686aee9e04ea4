/* SPDX-License-Identifier: Apache-2.0 */
/* The run store against a slow and obvious oracle: all rows in one array, sorted by qsort. Whatever
 * the number of writers, the budget and the open files, the same rows must come out in the same
 * order. */
#include "core/fault.h"
#include "core/mem.h"
#include "core/par.h"
#include "core/stop.h"
#include "partitioner/runs.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WRITERS_MOST = 7 };

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint64_t below(uint64_t n)
{
    return next_random() % n;
}

/* ---- rows --------------------------------------------------------------------------------------
 */

typedef struct rows {
    sm_row *items;
    size_t count;
    uint8_t *bytes; /* all keys and payloads */
} rows;

typedef struct recipe {
    size_t count;
    unsigned tables, regions, kind;
    size_t payload_max;
} recipe;

static size_t make_key(unsigned kind, uint8_t *out)
{
    static const uint8_t odd[] = {0x00, 0xff, 'a', 0x80};
    size_t len;
    switch (kind % 6) {
    case 0: /* short, of few byte values: equal keys, prefixes of each other */
        len = 1 + below(4);
        for (size_t i = 0; i < len; i++) {
            out[i] = odd[below(4)];
        }
        return len;
    case 1: /* a long common prefix, longer than any sort key looks */
        memset(out, 'p', 90);
        len = 90 + below(6);
        for (size_t i = 90; i < len; i++) {
            out[i] = odd[below(4)];
        }
        return len;
    case 2: /* like a salted call record */
        return (size_t)sprintf((char *)out, "%03u%011u%08u", (unsigned)below(9),
                               (unsigned)below(300), (unsigned)below(100));
    case 3: /* one key for all */ memcpy(out, "the same key", 12); return 12;
    case 4: /* random bytes */
        len = 1 + below(40);
        for (size_t i = 0; i < len; i++) {
            out[i] = (uint8_t)next_random();
        }
        return len;
    default: /* differs at its two ends only */
        len = 200 + below(3);
        memset(out, 0, len);
        out[0] = odd[below(2)];
        out[len - 1] = odd[below(4)];
        return len;
    }
}

static rows make_rows(const recipe *r)
{
    rows out = {.count = r->count};
    out.items = calloc(r->count, sizeof *out.items);
    out.bytes = malloc(r->count * (256 + r->payload_max) + 1);
    assert_non_null(out.items);
    assert_non_null(out.bytes);
    uint8_t *p = out.bytes;
    for (size_t i = 0; i < r->count; i++) {
        sm_row *row = &out.items[i];
        row->table = (uint32_t)below(r->tables);
        row->region = (uint32_t)below(r->regions) * 7;
        row->order = (uint64_t)below(3) << 44 | i; /* of three input files */
        row->key = sm_bytes_of(p, make_key(r->kind == 6 ? (unsigned)below(6) : r->kind, p));
        p += row->key.len;
        const size_t len = below(10) == 0 ? below(r->payload_max + 1) : below(20);
        row->payload = sm_bytes_of(p, len);
        for (size_t b = 0; b < len; b++) {
            p[b] = (uint8_t)(below(3) == 0 ? next_random() : 'x');
        }
        p += len;
    }
    return out;
}

static void free_rows(rows *r)
{
    free(r->items);
    free(r->bytes);
}

static int compare_rows(const void *a, const void *b)
{
    const sm_row *x = a;
    const sm_row *y = b;
    if (x->table != y->table) {
        return x->table < y->table ? -1 : 1;
    }
    if (x->region != y->region) {
        return x->region < y->region ? -1 : 1;
    }
    const int c = sm_bytes_compare(x->key, y->key);
    if (c != 0) {
        return c;
    }
    return (x->order > y->order) - (x->order < y->order);
}

/* ---- one run of the store -----------------------------------------------------------------------
 */

typedef struct setting {
    unsigned writers, threads;
    uint64_t memory, open_files;
} setting;

static sm_status add_all(sm_runs *r, const rows *in, unsigned writers, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; i < in->count && st == SM_OK; i++) {
        st = sm_runs_add(r, (unsigned)below(writers), &in->items[i], err);
    }
    return st;
}

static void expect_row(const sm_row *got, const sm_row *want)
{
    assert_int_equal(got->table, want->table);
    assert_int_equal(got->region, want->region);
    assert_int_equal(got->order, want->order);
    assert_true(sm_bytes_equal(got->key, want->key));
    assert_true(sm_bytes_equal(got->payload, want->payload));
}

/* Reads everything back; with sorted == NULL only statuses matter. */
static sm_status read_all(sm_runs *r, const rows *sorted, unsigned concurrent, sm_error *err)
{
    size_t at = 0;
    sm_status st = SM_OK;
    for (size_t p = 0; p < sm_runs_part_count(r) && st == SM_OK; p++) {
        sm_merge *m;
        sm_row row;
        bool more = true;
        uint64_t count = 0;
        uint64_t bytes = 0;
        st = sm_merge_open(r, p, concurrent, &m, err);
        while (st == SM_OK && more) {
            st = sm_merge_next(m, &row, &more, err);
            if (st == SM_OK && more && sorted != NULL) {
                assert_true(at < sorted->count);
                expect_row(&row, &sorted->items[at++]);
                count++;
                bytes += row.key.len + row.payload.len;
            }
        }
        if (st == SM_OK && sorted != NULL) {
            const sm_runs_part *part = sm_runs_part_at(r, p);
            assert_int_equal(part->rows, count);
            assert_int_equal(part->bytes, bytes);
        }
        sm_merge_close(m);
    }
    if (st == SM_OK && sorted != NULL) {
        assert_int_equal(at, sorted->count);
    }
    return st;
}

static void expect_sorted(const rows *in, const rows *sorted, const setting *s,
                          sm_runs_stats *stats)
{
    sm_error err = {.code = SM_OK};
    sm_runs *r;
    const sm_runs_options options = {.directory = "/tmp",
                                     .memory = s->memory,
                                     .writers = s->writers,
                                     .open_files = s->open_files};
    assert_int_equal(sm_runs_new(&options, &r, &err), SM_OK);
    assert_int_equal(add_all(r, in, s->writers, &err), SM_OK);
    assert_int_equal(sm_runs_seal(r, s->threads, &err), SM_OK);
    assert_int_equal(read_all(r, sorted, s->threads, &err), SM_OK);
    sm_runs_stats_of(r, stats);
    assert_int_equal(stats->rows, in->count);
    sm_runs_free(r);
}

static void test_random_rows(void **state)
{
    (void)state;
    uint64_t spilled = 0;
    uint64_t passes = 0;
    for (unsigned round = 0; round < 28; round++) {
        random_state = 1000 + round;
        const recipe what = {.count = round % 5 == 0 ? below(50) : 500 + below(3000),
                             .tables = 1 + (unsigned)below(3),
                             .regions = round % 3 == 0 ? 1 : 1 + (unsigned)below(400),
                             .kind = round % 7,
                             .payload_max = round % 4 == 0 ? 60000 : 300};
        rows in = make_rows(&what);
        rows sorted = {.count = in.count};
        sorted.items = malloc((in.count + 1) * sizeof *sorted.items);
        assert_non_null(sorted.items);
        memcpy(sorted.items, in.items, in.count * sizeof *in.items);
        qsort(sorted.items, in.count, sizeof *sorted.items, compare_rows);
        for (unsigned w = 1; w <= WRITERS_MOST; w += 1 + (unsigned)below(3)) {
            const uint64_t least = sm_runs_minimum_memory(w, 60300);
            const uint64_t budgets[] = {sm_runs_minimum_memory(w, 0), least, 2 * least,
                                        UINT64_C(1) << 30};
            for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
                const setting s = {.writers = w,
                                   .threads = 1 + (unsigned)below(3),
                                   .memory = budgets[b],
                                   .open_files = 8};
                sm_runs_stats stats;
                expect_sorted(&in, &sorted, &s, &stats);
                spilled += stats.spilled_runs;
                passes += stats.merge_passes;
                if (b == 3) {
                    assert_int_equal(stats.spilled_runs, 0);
                }
            }
        }
        free(sorted.items);
        free_rows(&in);
    }
    assert_true(spilled > 500);
    assert_true(passes > 5);
}

/* Rows that agree in key and order still come out in one order only. */
static void test_repeated_places(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    char expected[400] = "";
    for (unsigned round = 0; round < 20; round++) {
        random_state = 77 + round;
        const unsigned writers = 1 + round % 5;
        const sm_runs_options options = {.directory = "/tmp",
                                         .memory = sm_runs_minimum_memory(writers, 0),
                                         .writers = writers,
                                         .open_files = 16};
        sm_runs *r;
        bool used[8] = {false};
        assert_int_equal(sm_runs_new(&options, &r, &err), SM_OK);
        for (unsigned i = 0; i < 8; i++) {
            unsigned pick = (unsigned)below(8);
            while (used[pick]) {
                pick = (pick + 1) % 8;
            }
            used[pick] = true;
            /* Large ones lie outside of blocks, small ones inside. */
            uint8_t payload[9000];
            memset(payload, 'a' + (int)pick, sizeof payload);
            const sm_row row = {.order = 5,
                                .key = sm_bytes_text("k"),
                                .payload = sm_bytes_of(payload, pick % 2 == 0 ? 9000 : 10)};
            assert_int_equal(sm_runs_add(r, (unsigned)below(writers), &row, &err), SM_OK);
            for (unsigned f = 0; f < 4; f++) { /* fills the shares */
                uint8_t filler[9000] = {0};
                const sm_row other = {.table = 1,
                                      .order = i * 4 + f,
                                      .key = sm_bytes_text("f"),
                                      .payload = sm_bytes_of(filler, sizeof filler)};
                assert_int_equal(sm_runs_add(r, (unsigned)below(writers), &other, &err), SM_OK);
            }
        }
        assert_int_equal(sm_runs_seal(r, 1, &err), SM_OK);
        char got[400] = "";
        sm_merge *m;
        bool more = true;
        assert_int_equal(sm_merge_open(r, 0, 1, &m, &err), SM_OK);
        for (size_t n = 0; more; n++) {
            sm_row row;
            assert_int_equal(sm_merge_next(m, &row, &more, &err), SM_OK);
            if (more) {
                got[n] = (char)row.payload.data[row.payload.len - 1];
            }
        }
        sm_merge_close(m);
        sm_runs_free(r);
        assert_int_equal(strlen(got), 8);
        if (round == 0) {
            memcpy(expected, got, sizeof got);
        }
        assert_string_equal(got, expected);
    }
}

/* Case 46: keys compare as unsigned bytes, a prefix before what it is a prefix of. */
static void test_unsigned_order(void **state)
{
    (void)state;
    static const char *const keys[] = {"\xff",     "\x7f", "a",    "0",        "\x80", "a\x01",
                                       "\xc3\xa9", "B",    "\x01", "\xff\xff", "9",    "10"};
    static const char *const want[] = {"\x01",  "0",    "10",   "9",        "B",    "a",
                                       "a\x01", "\x7f", "\x80", "\xc3\xa9", "\xff", "\xff\xff"};
    sm_error err = {.code = SM_OK};
    const sm_runs_options options = {
        .directory = "/tmp", .memory = 1 << 20, .writers = 1, .open_files = 8};
    sm_runs *r;
    sm_merge *m;
    sm_row row = {.order = 0};
    bool more;
    assert_int_equal(sm_runs_new(&options, &r, &err), SM_OK);
    for (size_t i = 0; i < 12; i++) {
        row.key = sm_bytes_text(keys[i]);
        row.order = i;
        assert_int_equal(sm_runs_add(r, 0, &row, &err), SM_OK);
    }
    assert_int_equal(sm_runs_seal(r, 1, &err), SM_OK);
    assert_int_equal(sm_merge_open(r, 0, 1, &m, &err), SM_OK);
    for (size_t i = 0; i < 12; i++) {
        assert_int_equal(sm_merge_next(m, &row, &more, &err), SM_OK);
        assert_true(more);
        assert_true(sm_bytes_equal_text(row.key, want[i]));
    }
    sm_merge_close(m);
    sm_runs_free(r);
}

/* Case 55: the smallest budget makes more than a hundred runs of 100,000 small rows. */
static void test_smallest_budget(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    const sm_runs_options options = {
        .directory = "/tmp", .memory = sm_runs_minimum_memory(1, 0), .writers = 1, .open_files = 8};
    sm_runs *r;
    sm_runs_stats stats;
    random_state = 2;
    assert_true(options.memory <= 1 << 20);
    assert_int_equal(sm_runs_new(&options, &r, &err), SM_OK);
    for (unsigned i = 0; i < 100000; i++) {
        char key[16];
        char value[16];
        (void)snprintf(key, sizeof key, "%08x", (unsigned)next_random());
        (void)snprintf(value, sizeof value, "%u", i);
        const sm_row row = {.order = i, .key = sm_bytes_text(key), .payload = sm_bytes_text(value)};
        assert_int_equal(sm_runs_add(r, 0, &row, &err), SM_OK);
    }
    assert_int_equal(sm_runs_seal(r, 2, &err), SM_OK);
    sm_runs_stats_of(r, &stats);
    assert_true(stats.spilled_runs > 100);
    assert_true(stats.merge_passes >= 1);
    assert_int_equal(sm_runs_part_at(r, 0)->rows, 100000);
    assert_int_equal(read_all(r, NULL, 2, &err), SM_OK);
    sm_runs_free(r);
}

static void test_refusals(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    sm_runs *r;
    sm_runs_options options = {.directory = "/tmp",
                               .memory = sm_runs_minimum_memory(3, 0) - 1,
                               .writers = 3,
                               .open_files = 8};
    char least[32];
    assert_int_equal(sm_runs_new(&options, &r, &err), SM_E_MEMORY);
    assert_null(r);
    (void)snprintf(least, sizeof least, "%llu", (unsigned long long)sm_runs_minimum_memory(3, 0));
    assert_non_null(strstr(err.text, least));
    sm_error_clear(&err);
    options.memory++;
    options.open_files = 3;
    assert_int_equal(sm_runs_new(&options, &r, &err), SM_E_OPEN_FILES);
    assert_non_null(strstr(err.text, "at least 4"));
    assert_null(r);
    assert_true(sm_runs_minimum_memory(1, 100000) > sm_runs_minimum_memory(1, 100));
    assert_true(sm_runs_minimum_memory(2, 100) > sm_runs_minimum_memory(1, 100));
    sm_runs_free(NULL);
    sm_merge_close(NULL);
}

static void test_nothing_added(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    const sm_runs_options options = {
        .directory = "/tmp", .memory = 1 << 20, .writers = 2, .open_files = 8};
    sm_runs *r;
    sm_merge *m;
    assert_int_equal(sm_runs_new(&options, &r, &err), SM_OK);
    assert_int_equal(sm_runs_seal(r, 1, &err), SM_OK);
    assert_int_equal(sm_runs_part_count(r), 0);
    assert_int_equal(sm_merge_open(r, 0, 1, &m, &err), SM_E_INTERNAL);
    assert_null(m);
    sm_runs_free(r);
}

static void test_stop(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    sm_stop stop = {.signal = 0};
    const sm_runs_options options = {.directory = "/tmp",
                                     .memory = sm_runs_minimum_memory(1, 0),
                                     .writers = 1,
                                     .open_files = 8,
                                     .stop = &stop};
    sm_runs *r;
    sm_status st = SM_OK;
    assert_int_equal(sm_runs_new(&options, &r, &err), SM_OK);
    sm_stop_set(&stop, SIGTERM);
    for (unsigned i = 0; i < 10000 && st == SM_OK; i++) {
        const sm_row row = {.order = i, .key = sm_bytes_text("key")};
        st = sm_runs_add(r, 0, &row, &err);
    }
    assert_int_equal(st, SM_E_INTERRUPTED);
    sm_runs_free(r);
}

/* ---- several threads ----------------------------------------------------------------------------
 */

typedef struct team {
    sm_runs *runs;
    const rows *in;
    unsigned workers;
    uint64_t seen[8];
} team;

static sm_status add_some(void *context, unsigned worker, sm_error *err)
{
    const team *t = context;
    sm_status st = SM_OK;
    for (size_t i = worker; i < t->in->count && st == SM_OK; i += t->workers) {
        st = sm_runs_add(t->runs, worker, &t->in->items[i], err);
    }
    return st;
}

static sm_status read_some(void *context, unsigned worker, sm_error *err)
{
    team *t = context;
    sm_status st = SM_OK;
    for (size_t p = worker; p < sm_runs_part_count(t->runs) && st == SM_OK; p += t->workers) {
        sm_merge *m;
        sm_row row;
        bool more = true;
        st = sm_merge_open(t->runs, p, t->workers, &m, err);
        while (st == SM_OK && more) {
            st = sm_merge_next(m, &row, &more, err);
            t->seen[worker] += st == SM_OK && more;
        }
        sm_merge_close(m);
    }
    return st;
}

static void test_threads(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    random_state = 4711;
    const recipe what = {
        .count = 20000, .tables = 2, .regions = 20, .kind = 2, .payload_max = 9000};
    rows in = make_rows(&what);
    const sm_runs_options options = {.directory = "/tmp",
                                     .memory = sm_runs_minimum_memory(4, 9100),
                                     .writers = 4,
                                     .open_files = 64};
    team t = {.in = &in, .workers = 4};
    assert_int_equal(sm_runs_new(&options, &t.runs, &err), SM_OK);
    assert_int_equal(sm_par_run(4, add_some, &t, &err), SM_OK);
    assert_int_equal(sm_runs_seal(t.runs, 4, &err), SM_OK);
    assert_int_equal(sm_par_run(4, read_some, &t, &err), SM_OK);
    assert_int_equal(t.seen[0] + t.seen[1] + t.seen[2] + t.seen[3], in.count);
    sm_runs_free(t.runs);
    free_rows(&in);
}

/* ---- faults -------------------------------------------------------------------------------------
 */

#ifdef SM_FAULTS

static sm_status whole_run(const rows *in)
{
    sm_error err = {.code = SM_OK};
    sm_runs *r;
    const sm_runs_options options = {.directory = "/tmp",
                                     .memory = sm_runs_minimum_memory(2, 9100),
                                     .writers = 2,
                                     .open_files = 8};
    random_state = 99;
    sm_status st = sm_runs_new(&options, &r, &err);
    if (st == SM_OK) {
        st = add_all(r, in, 2, &err);
    }
    if (st == SM_OK) {
        st = sm_runs_seal(r, 2, &err);
    }
    if (st == SM_OK) {
        st = read_all(r, NULL, 2, &err);
    }
    assert_int_equal(st, err.code);
    sm_runs_free(r);
    return st;
}

/* Every call of a kind fails once; the sanitizer sees what leaks. */
static void fail_each(const rows *in, sm_fault_kind kind, const char *name, sm_status want)
{
    assert_true(sm_fault_plan(NULL));
    assert_int_equal(whole_run(in), SM_OK);
    const unsigned long long calls = sm_fault_count(kind);
    assert_true(calls > 0);
    const unsigned long long step = calls / 150 + 1;
    for (unsigned long long n = 1; n <= calls; n += step) {
        char plan[64];
        (void)snprintf(plan, sizeof plan, "%s:%llu", name, n);
        assert_true(sm_fault_plan(plan));
        const sm_status got = whole_run(in);
        /* Memory that was only to be given back may fail to shrink without harm. */
        if (got != want && (got != SM_OK || kind != SM_FAULT_MEMORY)) {
            fail_msg("%s: %s instead of %s", plan, sm_status_name(got), sm_status_name(want));
        }
    }
    assert_true(sm_fault_plan("write:3:28"));
    assert_int_equal(whole_run(in), SM_E_DISK_FULL);
    assert_true(sm_fault_plan(NULL));
}

static void test_faults(void **state)
{
    (void)state;
    random_state = 5;
    const recipe what = {.count = 3000, .tables = 1, .regions = 5, .kind = 2, .payload_max = 9000};
    rows in = make_rows(&what);
    fail_each(&in, SM_FAULT_WRITE, "write", SM_E_OUTPUT);
    fail_each(&in, SM_FAULT_READ, "read", SM_E_OUTPUT);
    fail_each(&in, SM_FAULT_OPEN, "open", SM_E_OUTPUT);
    fail_each(&in, SM_FAULT_MEMORY, "memory", SM_E_MEMORY);
    free_rows(&in);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_rows),    cmocka_unit_test(test_repeated_places),
        cmocka_unit_test(test_unsigned_order), cmocka_unit_test(test_smallest_budget),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_nothing_added),
        cmocka_unit_test(test_stop),           cmocka_unit_test(test_threads),
#ifdef SM_FAULTS
        cmocka_unit_test(test_faults),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
