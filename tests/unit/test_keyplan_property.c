/* SPDX-License-Identifier: Apache-2.0 */
/* The planner's promise on random jobs: keys over the whole language, conditions over all types,
 * records from the same small pools of values. Every record that meets the condition has its key in
 * a range; when the plan says it is exact, every record with its key in a range meets it; the
 * residual never refuses a record that meets the condition. The judge is sm_expr_test on the
 * record, which knows nothing of plans. */
#include "partitioner/keyplan.h"
#include "support_keygen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KEYS = 12000, CONDITIONS = 8, RECORDS = 40 };

/* ---- records --------------------------------------------------------------------------------- */

typedef struct kept {
    sm_value values[SM_TEST_FIELDS];
    uint8_t key[4096];
    size_t len;
} kept;

/* Records that have a key; rejected ones have no row. */
static size_t keep_records(expr_fixture *f, const sm_expr *key, kept *out)
{
    size_t count = 0;
    for (size_t i = 0; i < RECORDS; i++) {
        sm_value v = {0};
        gen_record(f, i == 0 || gen_chance(4) == 0);
        sm_eval_reset(f->ev);
        if (sm_expr_run(key, f->ev, &f->record, &v) == SM_REJECT_NONE && !v.is_null &&
            v.bytes.len > 0 && v.bytes.len <= sizeof out->key) {
            memcpy(out[count].values, f->values, sizeof f->values);
            memcpy(out[count].key, v.bytes.data, v.bytes.len);
            out[count++].len = v.bytes.len;
        }
    }
    return count;
}

/* ---- the promise ----------------------------------------------------------------------------- */

typedef struct tally {
    size_t plans, bounded, exact, matches, met_bounded, outside, ordered, several;
} tally;

static bool in_range(const sm_key_range *r, sm_bytes key)
{
    return sm_bytes_compare(key, r->start) >= 0 &&
           (r->stop.len == 0 || sm_bytes_compare(key, r->stop) < 0);
}

static int range_of(const sm_key_plan *plan, sm_bytes key)
{
    int found = -1;
    for (size_t i = 0; i < plan->count; i++) {
        if (in_range(&plan->ranges[i], key)) {
            assert_int_equal(found, -1);
            found = (int)i;
        }
    }
    return found;
}

static void judge(expr_fixture *f, const sm_key_plan *plan, const sm_expr *condition,
                  const kept *record, tally *t, const char *story)
{
    bool meets = false;
    bool passes = true;
    const sm_record r = {.values = record->values, .count = SM_TEST_FIELDS};
    sm_eval_reset(f->ev);
    meets = sm_expr_test(condition, f->ev, &r, &meets) == SM_REJECT_NONE && meets;
    const bool inside = range_of(plan, sm_bytes_of(record->key, record->len)) >= 0;
    if (plan->residual != NULL) {
        passes = sm_expr_test(plan->residual, f->ev, &r, &passes) == SM_REJECT_NONE && passes;
    }
    t->matches += meets;
    t->met_bounded += meets && !plan->full;
    t->outside += !inside;
    if (meets && !(inside && passes)) {
        fail_msg("missed: %s", story);
    }
    if (inside && passes && !meets) {
        fail_msg("%s: %s", plan->exact ? "not exact" : "residual too weak", story);
    }
}

/* Two records in one range are in the order of the time that the plan names. */
static void judge_order(const sm_key_plan *plan, const kept *records, size_t count,
                        const char *story)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            const sm_bytes a = sm_bytes_of(records[i].key, records[i].len);
            const sm_bytes b = sm_bytes_of(records[k].key, records[k].len);
            const int range = range_of(plan, a);
            if (range < 0 || range != range_of(plan, b) || sm_bytes_compare(a, b) >= 0) {
                continue;
            }
            const int64_t ta = records[i].values[plan->time_field].number;
            const int64_t tb = records[k].values[plan->time_field].number;
            if (plan->time_order == SM_TIME_NEWEST_FIRST ? ta < tb : ta > tb) {
                fail_msg("not in time order: %s", story);
            }
        }
    }
}

static void try_condition(expr_fixture *f, const sm_expr *key, const gen_text *rule,
                          const kept *records, size_t count, tally *t)
{
    static gen_text asked;
    static char story[2 * GEN_TEXT_ROOM + 64];
    static const size_t LIMITS[] = {0, 0, 0, 1, 5, 400};
    const sm_expr *condition = NULL;
    const sm_key_plan *plan = NULL;
    gen_condition(&asked);
    sm_error_clear(&f->err);
    if (sm_expr_compile(&f->context, SM_USE_CONDITION, sm_bytes_of(asked.data, asked.len),
                        &condition, &f->err) != SM_OK) {
        fail_msg("%.*s: %s", (int)asked.len, asked.data, f->err.text);
    }
    const sm_plan_options options = {.most_ranges = PICK(LIMITS), .by_time = gen_chance(8) == 0};
    (void)snprintf(story, sizeof story, "key %.*s, condition %.*s, most %zu", (int)rule->len,
                   rule->data, (int)asked.len, asked.data, options.most_ranges);
    if (sm_key_plan_make(&f->context, key, condition, &options, &plan, &f->err) != SM_OK) {
        fail_msg("%s: %s", story, f->err.text);
    }
    for (size_t i = 0; i + 1 < plan->count; i++) {
        if (plan->ranges[i].stop.len == 0 ||
            sm_bytes_compare(plan->ranges[i].stop, plan->ranges[i + 1].start) > 0) {
            fail_msg("ranges overlap: %s", story);
        }
    }
    t->plans++;
    t->bounded += !plan->full;
    t->exact += !plan->full && plan->exact;
    t->ordered += plan->time_order != SM_TIME_UNORDERED;
    t->several += plan->count > 1;
    for (size_t i = 0; i < count; i++) {
        judge(f, plan, condition, &records[i], t, story);
    }
    if (plan->time_order != SM_TIME_UNORDERED) {
        judge_order(plan, records, count, story);
    }
}

static void test_promise(void **state_of_test)
{
    static kept records[RECORDS];
    static gen_text rule;
    tally t = {0};
    size_t refused_keys = 0;
    (void)state_of_test;
    expr_fixture *f = expr_fixture_new();
    for (size_t i = 0; i < KEYS; i++) {
        const sm_expr *key = NULL;
        gen_key(&rule);
        sm_error_clear(&f->err);
        if (sm_expr_compile(&f->context, SM_USE_KEY, sm_bytes_of(rule.data, rule.len), &key,
                            &f->err) != SM_OK) {
            if (getenv("SM_SHOW") != NULL) {
                print_message("%s\n", f->err.text);
            }
            refused_keys++;
            continue;
        }
        const size_t count = keep_records(f, key, records);
        for (int c = 0; c < CONDITIONS; c++) {
            try_condition(f, key, &rule, records, count, &t);
        }
        sm_arena_reset(f->arena);
    }
    print_message(
        "%zu plans: %zu bounded, %zu exact, %zu in time order, %zu of several ranges; "
        "records: %zu meet, %zu of them in bounded plans, %zu outside; %zu keys refused\n",
        t.plans, t.bounded, t.exact, t.ordered, t.several, t.matches, t.met_bounded, t.outside,
        refused_keys);
    assert_true(t.plans >= 20000);
    assert_true(t.bounded > t.plans / 4 && t.exact > t.plans / 50 && t.several > t.plans / 50);
    assert_true(t.met_bounded > 1000 && t.ordered > 100);
    expr_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_promise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
