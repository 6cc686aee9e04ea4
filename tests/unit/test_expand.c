/* SPDX-License-Identifier: Apache-2.0 */
/* Expansion of rows to cells against a slow oracle that holds all cells in one array, for each
 * policy, with memory for everything and with so little that large rows are sorted outside. */
#include "core/fault.h"
#include "partitioner/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 1;

static uint64_t below(uint64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % n;
}

enum { FAMILIES = 3, COLUMNS_MOST = 8 };

/* ---- the oracle ------------------------------------------------------------------------------ */

typedef struct flat_cell {
    char key[16];
    size_t family, column;
    uint8_t qualifier[8];
    size_t qualifier_len;
    char value[24];
    int64_t timestamp, ttl;
    uint64_t order;
    size_t sequence; /* within all cells, in the order they were made */
} flat_cell;

typedef struct flat {
    flat_cell *items;
    size_t count, capacity;
} flat;

static flat_cell *flat_add(flat *f)
{
    if (f->count == f->capacity) {
        f->capacity = f->capacity == 0 ? 64 : 2 * f->capacity;
        f->items = realloc(f->items, f->capacity * sizeof *f->items);
        assert_non_null(f->items);
    }
    flat_cell *c = &f->items[f->count];
    memset(c, 0, sizeof *c);
    c->sequence = f->count++;
    return c;
}

static int compare_keys(const flat_cell *a, const flat_cell *b)
{
    int c = strcmp(a->key, b->key);
    if (c != 0) {
        return c;
    }
    if (a->family != b->family) {
        return a->family < b->family ? -1 : 1;
    }
    c = sm_bytes_compare(sm_bytes_of(a->qualifier, a->qualifier_len),
                         sm_bytes_of(b->qualifier, b->qualifier_len));
    if (c != 0) {
        return c;
    }
    return (a->timestamp < b->timestamp) - (a->timestamp > b->timestamp);
}

static int compare_cells(const void *a, const void *b)
{
    const flat_cell *x = a;
    const flat_cell *y = b;
    const int c = compare_keys(x, y);
    if (c != 0) {
        return c;
    }
    if (x->order != y->order) {
        return x->order < y->order ? -1 : 1;
    }
    if (x->column != y->column) {
        return x->column < y->column ? -1 : 1;
    }
    return x->sequence < y->sequence ? -1 : 1;
}

typedef struct expected {
    flat cells;
    sm_family_counts families[FAMILIES];
    uint64_t rows;
    bool duplicates;
} expected;

/* Scope row: only the first or the last record of each key stays. */
static bool loses_as_a_row(const flat *all, const flat_cell *c, sm_duplicate_keep keep)
{
    for (size_t i = 0; i < all->count; i++) {
        const flat_cell *o = &all->items[i];
        if (strcmp(o->key, c->key) == 0 && o->order != c->order) {
            if (keep == SM_KEEP_LAST ? o->order > c->order : o->order < c->order) {
                return true;
            }
        }
    }
    return false;
}

static void work_out(const flat *all, const sm_layout *layout, expected *out)
{
    memset(out, 0, sizeof *out);
    flat left = {.count = 0};
    for (size_t i = 0; i < all->count; i++) {
        const flat_cell *c = &all->items[i];
        out->families[c->family].cells_made++;
        if (layout->scope == SM_SCOPE_ROW) {
            const bool loses = loses_as_a_row(all, c, layout->keep);
            out->duplicates = out->duplicates || loses;
            if (loses) {
                continue;
            }
        }
        *flat_add(&left) = *c;
        left.items[left.count - 1].sequence = i;
    }
    if (left.count > 0) {
        qsort(left.items, left.count, sizeof *left.items, compare_cells);
    }
    bool has[FAMILIES] = {false};
    for (size_t i = 0; i < left.count; i++) {
        const flat_cell *c = &left.items[i];
        if (i == 0 || strcmp(c->key, left.items[i - 1].key) != 0) {
            out->rows++;
            memset(has, 0, sizeof has);
        }
        const bool again = i > 0 && compare_keys(c, &left.items[i - 1]) == 0;
        out->duplicates = out->duplicates || again;
        if (again && layout->keep == SM_KEEP_FIRST) {
            continue;
        }
        if (again) {
            out->cells.items[out->cells.count - 1] = *c;
            continue;
        }
        out->families[c->family].cells_written++;
        out->families[c->family].rows += !has[c->family];
        has[c->family] = true;
        *flat_add(&out->cells) = *c;
    }
    for (size_t f = 0; f < FAMILIES; f++) {
        out->families[f].duplicates_dropped =
            out->families[f].cells_made - out->families[f].cells_written;
    }
    free(left.items);
}

/* ---- input ----------------------------------------------------------------------------------- */

static const char *const QUALIFIERS[] = {"b", "", "a", "bb", "\xff", "ab", "a\x01", "z"};

typedef struct table {
    sm_bytes families[FAMILIES];
    sm_column columns[COLUMNS_MOST];
    sm_layout layout;
} table;

static void make_table(table *t, unsigned kind)
{
    *t = (table){.families = {sm_bytes_text("a"), sm_bytes_text("f"), sm_bytes_text("g")}};
    const size_t count = 1 + below(COLUMNS_MOST);
    for (size_t i = 0; i < count; i++) {
        t->columns[i] = (sm_column){
            .family = below(FAMILIES),
            .qualifier_is_constant = kind % 3 != 0 || below(2) == 0,
            .qualifier = sm_bytes_text(QUALIFIERS[kind % 3 == 1 ? i : below(8)]),
        };
    }
    t->layout = (sm_layout){.families = t->families,
                            .family_count = FAMILIES,
                            .columns = t->columns,
                            .column_count = count,
                            .table = "calls"};
}

static void one_column(table *t, sm_duplicate_keep keep)
{
    t->layout = (sm_layout){.families = t->families,
                            .family_count = 1,
                            .columns = t->columns,
                            .column_count = 1,
                            .keep = keep,
                            .table = "calls"};
}

/* One cell of a record, for both sides. */
static void make_cell(const table *t, const char *key, uint64_t order, size_t column, flat *all,
                      sm_buf *payload)
{
    flat_cell *c = flat_add(all);
    (void)snprintf(c->key, sizeof c->key, "%s", key);
    c->column = column;
    c->family = t->columns[column].family;
    c->order = order;
    c->timestamp = 1000 + (int64_t)below(2);
    c->ttl = below(4) == 0 ? (int64_t)below(100000) : 0;
    (void)snprintf(c->value, sizeof c->value, "v%zu", c->sequence);
    if (t->columns[column].qualifier_is_constant) {
        c->qualifier_len = t->columns[column].qualifier.len;
        memcpy(c->qualifier, t->columns[column].qualifier.data, c->qualifier_len);
    } else {
        static const uint8_t odd[] = {0, 1, 0xff, 'a'};
        c->qualifier_len = below(6);
        for (size_t i = 0; i < c->qualifier_len; i++) {
            c->qualifier[i] = odd[below(4)];
        }
    }
    const sm_cell_image image = {.column = column,
                                 .qualifier = sm_bytes_of(c->qualifier, c->qualifier_len),
                                 .value = sm_bytes_text(c->value),
                                 .timestamp = c->timestamp,
                                 .ttl = c->ttl};
    sm_error err = {.code = SM_OK};
    assert_int_equal(sm_payload_append(&t->layout, &image, payload, &err), SM_OK);
}

typedef struct input {
    unsigned records, keys;
    bool shuffled; /* columns out of order, or more than once */
} input;

static void fill(const table *t, const input *in, sm_runs *runs, flat *all)
{
    sm_error err = {.code = SM_OK};
    sm_buf payload;
    sm_buf_init(&payload, 1 << 20);
    for (unsigned r = 0; r < in->records; r++) {
        char key[16];
        (void)snprintf(key, sizeof key, "key%u", (unsigned)below(in->keys));
        const uint64_t order = (uint64_t)(r % 2) << 44 | r * 100;
        sm_buf_clear(&payload);
        size_t made = 0;
        for (size_t c = 0; c < t->layout.column_count; c++) {
            if (below(4) != 0 || (made == 0 && c + 1 == t->layout.column_count)) {
                const size_t column = in->shuffled ? below(t->layout.column_count) : c;
                make_cell(t, key, order, column, all, &payload);
                made++;
            }
        }
        const sm_row row = {
            .order = order, .key = sm_bytes_text(key), .payload = sm_buf_view(&payload)};
        assert_int_equal(sm_runs_add(runs, r % 2, &row, &err), SM_OK);
    }
    sm_buf_free(&payload);
}

/* ---- comparing ------------------------------------------------------------------------------- */

typedef struct check {
    const table *t;
    const expected *want;
    size_t at;
} check;

static sm_status expect_cell(void *context, size_t family, const sm_cell *cell, sm_error *err)
{
    (void)err;
    check *c = context;
    if (c->want == NULL) {
        return SM_OK;
    }
    assert_true(c->at < c->want->cells.count);
    const flat_cell *want = &c->want->cells.items[c->at++];
    assert_true(sm_bytes_equal_text(cell->row, want->key));
    assert_int_equal(family, want->family);
    assert_true(sm_bytes_equal(cell->family, c->t->families[want->family]));
    assert_true(sm_bytes_equal(cell->qualifier, sm_bytes_of(want->qualifier, want->qualifier_len)));
    assert_true(sm_bytes_equal_text(cell->value, want->value));
    assert_int_equal(cell->timestamp, want->timestamp);
    assert_int_equal(cell->ttl, want->ttl);
    assert_int_equal(cell->type, SM_CELL_PUT);
    return SM_OK;
}

static sm_runs *open_runs(uint64_t memory)
{
    sm_error err = {.code = SM_OK};
    sm_runs *runs;
    const sm_runs_options options = {
        .directory = "/tmp", .memory = memory, .writers = 2, .open_files = 16};
    assert_int_equal(sm_runs_new(&options, &runs, &err), SM_OK);
    return runs;
}

typedef struct receiver {
    sm_cell_fn emit;
    void *context;
} receiver;

static sm_status expand(sm_runs *runs, const table *t, uint64_t memory, receiver to,
                        sm_expand_counts *counts, sm_error *err)
{
    sm_merge *m;
    sm_status st = sm_runs_seal(runs, 1, err);
    st = st == SM_OK ? sm_merge_open(runs, 0, 1, &m, err) : st;
    if (st != SM_OK) {
        return st;
    }
    const sm_expand_options options = {.layout = &t->layout,
                                       .directory = "/tmp",
                                       .memory = memory,
                                       .open_files = 16,
                                       .emit = to.emit,
                                       .context = to.context};
    st = sm_expand(m, &options, counts, err);
    sm_merge_close(m);
    return st;
}

static void compare_with_oracle(table *t, const input *in, uint64_t memory)
{
    sm_error err = {.code = SM_OK};
    sm_runs *runs = open_runs(8 << 20);
    flat all = {.count = 0};
    expected want;
    fill(t, in, runs, &all);
    work_out(&all, &t->layout, &want);
    sm_family_counts families[FAMILIES] = {{0}};
    sm_expand_counts counts = {.families = families};
    check c = {.t = t, .want = &want};
    if (t->layout.keep == SM_KEEP_ERROR && want.duplicates) {
        c.want = NULL;
        assert_int_equal(expand(runs, t, memory, (receiver){expect_cell, &c}, &counts, &err),
                         SM_E_DUPLICATE);
        assert_non_null(strstr(err.text, "is made twice"));
    } else {
        assert_int_equal(expand(runs, t, memory, (receiver){expect_cell, &c}, &counts, &err),
                         SM_OK);
        assert_int_equal(c.at, want.cells.count);
        assert_int_equal(counts.row_images, in->records);
        assert_int_equal(counts.rows, want.rows);
        assert_memory_equal(families, want.families, sizeof families);
    }
    free(all.items);
    free(want.cells.items);
    sm_runs_free(runs);
}

static void test_policies(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 900; round++) {
        random_state = 10 + round;
        table t;
        make_table(&t, round);
        const input in = {.records = 1 + (unsigned)below(60),
                          .keys = 1 + (unsigned)below(round % 2 == 0 ? 5 : 200),
                          .shuffled = round % 5 == 4};
        t.layout.keep = (sm_duplicate_keep)(round / 3 % 3);
        t.layout.scope = (sm_duplicate_scope)(round / 9 % 2);
        compare_with_oracle(&t, &in, 1 << 20);
    }
}

/* Some keys have more cells than fit. */
static void test_sorted_outside(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 12; round++) {
        random_state = 3000 + round;
        table t;
        make_table(&t, round);
        const input in = {
            .records = 6000, .keys = 1 + (unsigned)below(4), .shuffled = round % 4 == 3};
        t.layout.keep = (sm_duplicate_keep)(round / 3 % 2);
        compare_with_oracle(&t, &in, 2 * sm_runs_minimum_memory(1, 0));
        t.layout.keep = SM_KEEP_ERROR;
        compare_with_oracle(&t, &in, 2 * sm_runs_minimum_memory(1, 0));
    }
}

/* ---- a million records of one row ------------------------------------------------------------ */

typedef struct counter {
    uint64_t cells;
    char last[32];
} counter;

static sm_status count_cell(void *context, size_t family, const sm_cell *cell, sm_error *err)
{
    counter *c = context;
    char now[32] = "";
    (void)family;
    (void)err;
    memcpy(now, cell->qualifier.data, cell->qualifier.len);
    assert_true(strcmp(c->last, now) < 0);
    memcpy(c->last, now, sizeof now);
    c->cells++;
    return SM_OK;
}

static void test_a_million_in_one_row(void **state)
{
    (void)state;
    enum { MILLION = 1000000, EACH_TWICE = 1000 };
    sm_error err = {.code = SM_OK};
    table t = {.families = {sm_bytes_text("f")}};
    one_column(&t, SM_KEEP_LAST);
    sm_runs *runs = open_runs(4 << 20);
    sm_buf payload;
    sm_buf_init(&payload, 1000);
    for (unsigned i = 0; i < MILLION; i++) {
        char qualifier[32];
        /* 7919 is prime to the modulus, so that each number comes once, EACH_TWICE of them again.
         */
        const unsigned n = (unsigned)((uint64_t)i * 7919 % (MILLION - EACH_TWICE));
        (void)snprintf(qualifier, sizeof qualifier, "%08u", n);
        const sm_cell_image image = {.qualifier = sm_bytes_text(qualifier),
                                     .value = sm_bytes_text("value"),
                                     .timestamp = 1600000000000};
        sm_buf_clear(&payload);
        assert_int_equal(sm_payload_append(&t.layout, &image, &payload, &err), SM_OK);
        const sm_row row = {
            .order = i, .key = sm_bytes_text("month"), .payload = sm_buf_view(&payload)};
        assert_int_equal(sm_runs_add(runs, 0, &row, &err), SM_OK);
    }
    counter c = {.cells = 0};
    sm_family_counts families[1] = {{0}};
    sm_expand_counts counts = {.families = families};
    assert_int_equal(expand(runs, &t, 4 << 20, (receiver){count_cell, &c}, &counts, &err), SM_OK);
    sm_runs_free(runs);
    sm_buf_free(&payload);
    assert_int_equal(c.cells, MILLION - EACH_TWICE);
    assert_int_equal(counts.rows, 1);
    assert_int_equal(counts.row_images, MILLION);
    assert_int_equal(families[0].rows, 1);
    assert_int_equal(families[0].cells_made, MILLION);
    assert_int_equal(families[0].cells_written, MILLION - EACH_TWICE);
    assert_int_equal(families[0].duplicates_dropped, EACH_TWICE);
}

/* ---- messages and failures ------------------------------------------------------------------- */

static void test_message(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    table t = {.families = {sm_bytes_text("f")},
               .columns = {{.qualifier_is_constant = true, .qualifier = sm_bytes_text("q\x01")}}};
    one_column(&t, SM_KEEP_ERROR);
    sm_buf payload;
    sm_buf_init(&payload, 1000);
    const sm_cell_image image = {.value = sm_bytes_text("v"), .timestamp = 77};
    assert_int_equal(sm_payload_append(&t.layout, &image, &payload, &err), SM_OK);
    sm_runs *runs = open_runs(2 << 20);
    const uint64_t orders[] = {UINT64_C(3) << 44 | 500, UINT64_C(2) << 44 | 90};
    for (size_t i = 0; i < 2; i++) {
        const sm_row row = {
            .order = orders[i], .key = sm_bytes_text("k\xff"), .payload = sm_buf_view(&payload)};
        assert_int_equal(sm_runs_add(runs, 0, &row, &err), SM_OK);
    }
    sm_family_counts families[1] = {{0}};
    sm_expand_counts counts = {.families = families};
    check c = {.t = &t};
    assert_int_equal(expand(runs, &t, 1 << 20, (receiver){expect_cell, &c}, &counts, &err),
                     SM_E_DUPLICATE);
    assert_string_equal(err.text,
                        "table calls: key k\\xFF, column f:q\\x01, timestamp 77 is made twice: by "
                        "file 2 at byte offset 90 and by file 3 at byte offset 500; put a unique "
                        "part in the key or keep the first or the last");
    sm_runs_free(runs);
    sm_buf_free(&payload);
}

static void test_damaged_payload(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    random_state = 4;
    table t;
    make_table(&t, 1);
    sm_runs *runs = open_runs(2 << 20);
    const sm_row row = {.key = sm_bytes_text("k"), .payload = sm_bytes_of("\x7f\x00zzz", 5)};
    assert_int_equal(sm_runs_add(runs, 0, &row, &err), SM_OK);
    sm_family_counts families[FAMILIES] = {{0}};
    sm_expand_counts counts = {.families = families};
    check c = {.t = &t};
    assert_int_equal(expand(runs, &t, 1 << 20, (receiver){expect_cell, &c}, &counts, &err),
                     SM_E_INTERNAL);
    sm_runs_free(runs);
}

static sm_status refuse(void *context, size_t family, const sm_cell *cell, sm_error *err)
{
    unsigned *calls = context;
    (void)family;
    (void)cell;
    return ++*calls == 3 ? sm_fail(err, SM_E_DISK_FULL, "the sink is full") : SM_OK;
}

static void test_sink_fails(void **state)
{
    (void)state;
    sm_error err = {.code = SM_OK};
    random_state = 5;
    table t;
    make_table(&t, 1);
    sm_runs *runs = open_runs(2 << 20);
    flat all = {.count = 0};
    const input in = {.records = 100, .keys = 40};
    fill(&t, &in, runs, &all);
    free(all.items);
    unsigned calls = 0;
    sm_family_counts families[FAMILIES] = {{0}};
    sm_expand_counts counts = {.families = families};
    assert_int_equal(expand(runs, &t, 1 << 20, (receiver){refuse, &calls}, &counts, &err),
                     SM_E_DISK_FULL);
    assert_int_equal(calls, 3);
    sm_runs_free(runs);
}

#ifdef SM_FAULTS

/* The plan begins once the rows are in: the store's own faults are tested with it. */
static sm_status giant_run(const char *plan)
{
    sm_error err = {.code = SM_OK};
    random_state = 8;
    table t;
    make_table(&t, 0);
    sm_runs *runs = open_runs(8 << 20);
    flat all = {.count = 0};
    const input in = {.records = 4000, .keys = 2};
    fill(&t, &in, runs, &all);
    free(all.items);
    sm_family_counts families[FAMILIES] = {{0}};
    sm_expand_counts counts = {.families = families};
    check c = {.t = &t};
    assert_true(sm_fault_plan(plan));
    const sm_status st = expand(runs, &t, 2 * sm_runs_minimum_memory(1, 0),
                                (receiver){expect_cell, &c}, &counts, &err);
    sm_runs_free(runs);
    return st;
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        sm_fault_kind kind;
        sm_status want;
    } kinds[] = {{"write", SM_FAULT_WRITE, SM_E_OUTPUT},
                 {"read", SM_FAULT_READ, SM_E_OUTPUT},
                 {"open", SM_FAULT_OPEN, SM_E_OUTPUT},
                 {"memory", SM_FAULT_MEMORY, SM_E_MEMORY}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        assert_int_equal(giant_run(NULL), SM_OK);
        const unsigned long long calls = sm_fault_count(kinds[k].kind);
        assert_true(calls > 0);
        for (unsigned long long n = 1; n <= calls; n += calls / 60 + 1) {
            char plan[64];
            (void)snprintf(plan, sizeof plan, "%s:%llu", kinds[k].name, n);
            const sm_status got = giant_run(plan);
            assert_true(sm_fault_plan(NULL));
            /* Memory that was only to be given back may fail to shrink without harm. */
            if (got != kinds[k].want && (got != SM_OK || kinds[k].kind != SM_FAULT_MEMORY)) {
                fail_msg("%s: %s", plan, sm_status_name(got));
            }
        }
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_sorted_outside),
        cmocka_unit_test(test_a_million_in_one_row),
        cmocka_unit_test(test_message),
        cmocka_unit_test(test_damaged_payload),
        cmocka_unit_test(test_sink_fails),
#ifdef SM_FAULTS
        cmocka_unit_test(test_faults),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
