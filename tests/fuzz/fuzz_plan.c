/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: a key and a condition, compiled and inverted. A record that meets the condition has its
 * key in a range and passes the residual; in an exact plan a key in a range means that the record
 * meets it. Input: key up to a NUL, condition up to a NUL, a byte (most ranges), record. */
#include "partitioner/keyplan.h"
#include "support.h"

static bool in_ranges(const sm_key_plan *plan, sm_bytes key)
{
    size_t hits = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const sm_key_range *r = &plan->ranges[i];
        fuzz_require(r->stop.len == 0 || sm_bytes_compare(r->start, r->stop) < 0,
                     "a range holds something");
        fuzz_require(r->lead <= r->start.len, "the lead lies in the range's start");
        hits += sm_bytes_compare(key, r->start) >= 0 &&
                (r->stop.len == 0 || sm_bytes_compare(key, r->stop) < 0);
    }
    fuzz_require(hits <= 1, "ranges do not overlap");
    return hits == 1;
}

static void judge(const sm_key_plan *plan, const sm_expr *key, const sm_expr *condition,
                  sm_eval *ev, const sm_record *record)
{
    sm_value v = {0};
    bool meets = false;
    bool passes = true;
    if (sm_expr_run(key, ev, record, &v) != SM_REJECT_NONE || v.is_null || v.bytes.len == 0) {
        return;
    }
    const bool tested = sm_expr_test(condition, ev, record, &meets) == SM_REJECT_NONE;
    if (plan->residual != NULL) {
        passes = sm_expr_test(plan->residual, ev, record, &passes) == SM_REJECT_NONE && passes;
    }
    const bool inside = in_ranges(plan, v.bytes);
    fuzz_require(!(tested && meets) || (inside && passes), "no row is missed");
    fuzz_require(!plan->exact || !inside || !tested || meets, "an exact plan is exact");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const sm_bytes rule = fuzz_until(&in, 0);
    const sm_bytes asked = fuzz_until(&in, 0);
    const sm_plan_options options = {.most_ranges = 1U + fuzz_byte(&in)};
    sm_value values[FUZZ_FIELDS];
    sm_record record;
    fuzz_record(&in, values, &record);
    sm_arena *arena = NULL;
    sm_eval *ev = NULL;
    fuzz_ok(sm_arena_new(4096, &arena, NULL), "an arena");
    fuzz_ok(sm_eval_new(1 << 20, &ev, NULL), "an evaluation");
    const sm_expr_context context = {.arena = arena,
                                     .schema = &fuzz_schema,
                                     .identity = fuzz_identity,
                                     .identity_count = 3,
                                     .where = "key"};
    const sm_expr *key = NULL;
    const sm_expr *condition = NULL;
    const sm_key_plan *plan = NULL;
    if (sm_expr_compile(&context, SM_USE_KEY, rule, &key, NULL) == SM_OK &&
        sm_expr_compile(&context, SM_USE_CONDITION, asked, &condition, NULL) == SM_OK) {
        fuzz_ok(sm_key_plan_make(&context, key, condition, &options, &plan, NULL), "a plan");
        judge(plan, key, condition, ev, &record);
    }
    sm_eval_free(ev);
    sm_arena_free(arena);
    return 0;
}
