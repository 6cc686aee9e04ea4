/* SPDX-License-Identifier: Apache-2.0 */
/* Key, cell, timestamp and ttl expressions: compiled and run. A result is as wide as the expression
 * promised; the canonical spelling compiles, and to itself. Input: use, text up to a NUL, record.
 */
#include "partitioner/expr.h"
#include "support.h"

static sm_status no_field(void *context, sm_bytes name, sm_error *err)
{
    (void)context;
    (void)err;
    fuzz_require(name.len <= 1 << 16, "a name is a part of the text");
    return SM_OK;
}

static void run(const sm_expr *e, const sm_record *record)
{
    sm_eval *ev = NULL;
    sm_value out;
    char text[200];
    fuzz_ok(sm_eval_new(1 << 16, &ev, NULL), "an evaluation");
    const sm_reject code = sm_expr_run(e, ev, record, &out);
    const sm_type type = sm_expr_type(e);
    if (code != SM_REJECT_NONE) {
        fuzz_require(sm_eval_blame(ev, text, sizeof text) < FUZZ_FIELDS, "the field exists");
    } else if (!out.is_null && (type == SM_TYPE_TEXT || type == SM_TYPE_BYTES)) {
        fuzz_require(out.bytes.len >= sm_expr_min_width(e), "as wide as promised");
        fuzz_require(out.bytes.len <= sm_expr_max_width(e), "no wider than promised");
    }
    sm_eval_free(ev);
}

static void canonical(const sm_expr_context *context, sm_expr_use use, const sm_expr *e)
{
    sm_buf one;
    sm_buf two;
    const sm_expr *again = NULL;
    sm_error err = {.code = SM_OK};
    sm_buf_init(&one, 1 << 20);
    sm_buf_init(&two, 1 << 20);
    fuzz_ok(sm_expr_canonical(e, context->schema, &one, NULL), "a canonical spelling");
    if (sm_expr_compile(context, use, sm_buf_view(&one), &again, &err) == SM_OK) {
        fuzz_ok(sm_expr_canonical(again, context->schema, &two, NULL), "its canonical spelling");
        fuzz_require(sm_bytes_equal(sm_buf_view(&one), sm_buf_view(&two)), "one spelling");
    } else {
        fuzz_require(one.len > 1 << 15, err.text);
    }
    sm_buf_free(&one);
    sm_buf_free(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const sm_expr_use use = (sm_expr_use)(fuzz_byte(&in) % SM_USE_CONDITION);
    const sm_bytes text = fuzz_until(&in, 0);
    sm_value values[FUZZ_FIELDS];
    sm_record record;
    fuzz_record(&in, values, &record);
    sm_arena *arena = NULL;
    bool used[FUZZ_FIELDS] = {false};
    sm_error err = {.code = SM_OK};
    fuzz_ok(sm_arena_new(4096, &arena, NULL), "an arena");
    const sm_expr_context context = {.arena = arena,
                                     .schema = &fuzz_schema,
                                     .identity = fuzz_identity,
                                     .identity_count = 3,
                                     .where = "key",
                                     .fields_used = used};
    const sm_expr *e = NULL;
    fuzz_ok(sm_expr_each_field(text, no_field, NULL, NULL), "names of any text");
    if (sm_expr_compile(&context, use, text, &e, &err) == SM_OK) {
        run(e, &record);
        canonical(&context, use, e);
    } else {
        fuzz_require(err.text[0] != '\0', "an error has a text");
    }
    sm_arena_free(arena);
    return 0;
}
