/* SPDX-License-Identifier: Apache-2.0 */
/* Java's hashCode; all arithmetic wraps at 32 bits.
 *
 *   String   h = 31 h + unit over the UTF-16 units, from 0
 *   Long     low half xor high half
 *   byte[]   h = 31 h + signed byte, from 1 (Arrays.hashCode) */
#include "partitioner/keyjava.h"

#include "partitioner/keyutf8.h"

static bool hash_text(const sm_value *v, int32_t *out)
{
    const sm_bytes t = v->bytes;
    uint32_t h = 0;
    for (size_t i = 0; i < t.len;) {
        const size_t len = sm_utf8_length(t.data + i, t.len - i);
        if (len == 0) {
            return false;
        }
        const uint32_t point = sm_utf8_decode(t.data + i, len);
        if (point < 0x10000) {
            h = 31 * h + point;
        } else {
            h = 31 * h + (0xD800 + ((point - 0x10000) >> 10));
            h = 31 * h + (0xDC00 + ((point - 0x10000) & 0x3FF));
        }
        i += len;
    }
    *out = (int32_t)h;
    return true;
}

static bool hash_long(const sm_value *v, int32_t *out)
{
    const uint64_t u = (uint64_t)v->number;
    *out = (int32_t)(uint32_t)(u ^ u >> 32);
    return true;
}

static bool hash_bytes(const sm_value *v, int32_t *out)
{
    uint32_t h = 1;
    for (size_t i = 0; i < v->bytes.len; i++) {
        h = 31 * h + (uint32_t)(int8_t)v->bytes.data[i];
    }
    *out = (int32_t)h;
    return true;
}

sm_java_hash_fn sm_java_hash_of(sm_type type)
{
    switch (type) {
    case SM_TYPE_TEXT: return hash_text;
    case SM_TYPE_BYTES: return hash_bytes;
    case SM_TYPE_INT:
    case SM_TYPE_TIME: return hash_long;
    case SM_TYPE_DECIMAL:
    case SM_TYPE_BOOL: break;
    }
    return NULL;
}

sm_status sm_java_check(const sm_keycompile *c, const sm_node *node, sm_error *err)
{
    if (node->arg_count != 1) {
        return sm_key_fail(c, node->args[1]->at, err,
                           "Java's hashes take one value; join several with + to hash their text");
    }
    if (sm_java_hash_of(node->args[0]->type) == NULL) {
        return sm_key_fail(c, node->args[0]->at, err,
                           "Java's hashes take a text, bytes, an int or a time, but this is %s",
                           sm_key_type_phrase(node->args[0]->type));
    }
    return SM_OK;
}
