/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions: compiled and tested. `not (X)` is the opposite wherever X has an outcome. Input: text
 * up to a NUL, record. */
#include "partitioner/expr.h"
#include "support.h"

static const sm_expr *compiled(const sm_expr_context *context, sm_bytes text)
{
    const sm_expr *e = NULL;
    sm_error err = {.code = SM_OK};
    return sm_expr_compile(context, SM_USE_CONDITION, text, &e, &err) == SM_OK ? e : NULL;
}

static void opposite(const sm_expr_context *context, sm_eval *ev, const sm_record *record,
                     sm_bytes text, bool outcome)
{
    sm_buf negated;
    bool other = outcome;
    sm_buf_init(&negated, 1 << 20);
    fuzz_ok(sm_buf_printf(&negated, NULL, "not (%.*s\n)", (int)text.len, (const char *)text.data),
            "a text");
    const sm_expr *e = compiled(context, sm_buf_view(&negated));
    if (e != NULL && sm_expr_test(e, ev, record, &other) == SM_REJECT_NONE) {
        fuzz_require(other != outcome, "not turns an outcome around");
    }
    sm_buf_free(&negated);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const sm_bytes text = fuzz_until(&in, 0);
    sm_value values[FUZZ_FIELDS];
    sm_record record;
    fuzz_record(&in, values, &record);
    sm_arena *arena = NULL;
    sm_eval *ev = NULL;
    fuzz_ok(sm_arena_new(4096, &arena, NULL), "an arena");
    fuzz_ok(sm_eval_new(1 << 16, &ev, NULL), "an evaluation");
    const sm_expr_context context = {.arena = arena,
                                     .schema = &fuzz_schema,
                                     .identity = fuzz_identity,
                                     .identity_count = 3,
                                     .where = "where"};
    const sm_expr *e = compiled(&context, text);
    bool outcome = false;
    char blame[64];
    if (e != NULL && sm_expr_test(e, ev, &record, &outcome) == SM_REJECT_NONE) {
        opposite(&context, ev, &record, text, outcome);
    } else if (e != NULL) {
        fuzz_require(sm_eval_blame(ev, blame, sizeof blame) < FUZZ_FIELDS, "the field exists");
    }
    sm_eval_free(ev);
    sm_arena_free(arena);
    return 0;
}
