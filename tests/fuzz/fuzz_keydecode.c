/* SPDX-License-Identifier: Apache-2.0 */
/* Keys taken apart under any rule. What a record made fits, and what is called known is what the
 * record had; of any other bytes the parts lie one behind the other. Input: use, rule up to a NUL,
 * record; what the record leaves is one more key. */
#include "partitioner/keydecode.h"
#include "support.h"

#include <stdio.h>

enum { KEY_MOST = 4096, TEXT_SIZE = 64 };

static void check_known(const sm_key_decoded *out, const sm_record *record)
{
    for (size_t i = 0; i < FUZZ_FIELDS; i++) {
        const sm_value *had = &record->values[i];
        const sm_value *v = &out->values[i];
        if (!out->known[i]) {
            continue;
        }
        fuzz_require(!had->is_null, "no null is known");
        switch (fuzz_schema.fields[i].type) {
        case SM_TYPE_TEXT: fuzz_require(sm_bytes_equal(had->bytes, v->bytes), "its text"); break;
        case SM_TYPE_DECIMAL: fuzz_require(had->real == v->real, "its number"); break;
        default: fuzz_require(had->number == v->number, "its number"); break;
        }
    }
}

static void check_parts(const sm_key_decoded *out, sm_bytes key)
{
    size_t at = 0;
    for (size_t i = 0; out->fits && i < out->part_count; i++) {
        fuzz_require(out->parts[i].bytes.data == key.data + at, "parts follow each other");
        at += out->parts[i].bytes.len;
    }
    fuzz_require(!out->fits || out->part_count == 0 || at == key.len, "parts fill the key");
}

/* Numbers of a record stood in the input as texts. */
static void give_texts(sm_value values[FUZZ_FIELDS], char texts[FUZZ_FIELDS][TEXT_SIZE])
{
    for (size_t i = 0; i < FUZZ_FIELDS; i++) {
        const sm_type type = fuzz_schema.fields[i].type;
        int len = 0;
        if (type == SM_TYPE_INT || type == SM_TYPE_TIME) {
            len = snprintf(texts[i], TEXT_SIZE, "%lld", (long long)values[i].number);
        } else if (type == SM_TYPE_DECIMAL) {
            len = snprintf(texts[i], TEXT_SIZE, "%.17g", values[i].real);
        }
        if (type != SM_TYPE_TEXT && !values[i].is_null) {
            values[i].bytes = sm_bytes_of(texts[i], (size_t)len);
        }
    }
}

static void decode(const sm_expr *e, const sm_record *record, sm_bytes other)
{
    uint8_t copy[KEY_MOST];
    sm_key_decoder *d = NULL;
    sm_key_decoded out;
    sm_eval *ev = NULL;
    sm_value key;
    fuzz_ok(sm_eval_new(KEY_MOST, &ev, NULL), "an evaluation");
    fuzz_ok(sm_key_decoder_new(e, &fuzz_schema, &d, NULL), "a decoder");
    if (sm_expr_run(e, ev, record, &key) == SM_REJECT_NONE && !key.is_null && key.bytes.len > 0) {
        memcpy(copy, key.bytes.data, key.bytes.len);
        const sm_bytes own = sm_bytes_of(copy, key.bytes.len);
        fuzz_ok(sm_key_decode(d, own, &out, NULL), "a key");
        fuzz_require(out.fits, "a key of its own fits");
        check_known(&out, record);
        check_parts(&out, own);
    }
    other.len = other.len > KEY_MOST ? KEY_MOST : other.len;
    fuzz_ok(sm_key_decode(d, other, &out, NULL), "any bytes");
    check_parts(&out, other);
    sm_key_decoder_free(d);
    sm_eval_free(ev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const sm_expr_use use = fuzz_byte(&in) % 2 == 0 ? SM_USE_KEY : SM_USE_CELL;
    const sm_bytes text = fuzz_until(&in, 0);
    sm_value values[FUZZ_FIELDS];
    sm_record record;
    char texts[FUZZ_FIELDS][TEXT_SIZE];
    fuzz_record(&in, values, &record);
    give_texts(values, texts);
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
    if (sm_expr_compile(&context, use, text, &e, &err) == SM_OK) {
        decode(e, &record, in);
    }
    sm_arena_free(arena);
    return 0;
}
