/* SPDX-License-Identifier: Apache-2.0 */
/* Inverses of the short spellings: packed digits, numbers in base 36 and 62, hexadecimal text. */
#include "partitioner/keyinvert.h"

enum { NIBBLE_FILL = 0x0f };

/* 13 8F FF -> "138". Nothing but fill follows fill. */
sm_inverted sm_invert_bcd(const sm_node *node, const sm_value *result, sm_invert_room *room,
                          sm_value *argument)
{
    const size_t count = result->bytes.len * 2;
    if (result->bytes.len != node->min_width) {
        return SM_INVERTED_MISFIT;
    }
    uint8_t *p = sm_invert_take(room, count);
    if (p == NULL) {
        return SM_INVERTED_NOTHING;
    }
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t pair = result->bytes.data[i / 2];
        const uint8_t digit = i % 2 == 0 ? pair >> 4 : pair & NIBBLE_FILL;
        if (digit == NIBBLE_FILL) {
            continue;
        }
        if (digit > 9 || len != i) {
            return SM_INVERTED_MISFIT;
        }
        p[len++] = (uint8_t)('0' + digit);
    }
    *argument = (sm_value){.bytes = sm_bytes_of(p, len)};
    return SM_INVERTED_SURE;
}

/* Letters may have stood there in either case. */
sm_inverted sm_invert_unhex(const sm_node *node, const sm_value *result, sm_invert_room *room,
                            sm_value *argument)
{
    static const char DIGITS[] = "0123456789abcdef";
    const size_t len = result->bytes.len;
    uint8_t *p = sm_invert_take(room, 2 * len);
    if (p == NULL) {
        return SM_INVERTED_NOTHING;
    }
    bool letters = false;
    for (size_t i = 0; i < len; i++) {
        const uint8_t b = result->bytes.data[i];
        p[2 * i] = (uint8_t)DIGITS[b >> 4];
        p[2 * i + 1] = (uint8_t)DIGITS[b & 15];
        letters |= b >> 4 > 9 || (b & 15) > 9;
    }
    *argument = (sm_value){.bytes = sm_bytes_of(p, 2 * len)};
    if (letters && node->args[0]->charset == SM_CHARSET_DIGITS) {
        return SM_INVERTED_MISFIT;
    }
    return letters ? SM_INVERTED_GUESS : SM_INVERTED_SURE;
}

/* Without a width no zero stands in front. */
static bool base_length_fits(const sm_node *node, sm_bytes text)
{
    if (node->k[0] != 0) {
        return text.len == node->min_width;
    }
    return text.len == 1 || (text.len > 1 && text.len <= node->max_width && text.data[0] != '0');
}

sm_inverted sm_invert_base(const sm_node *node, const sm_value *result, sm_invert_room *room,
                           sm_value *argument)
{
    const char *alphabet = node->data;
    const int64_t base = node->k[1];
    int64_t v = 0;
    (void)room;
    if (!base_length_fits(node, result->bytes)) {
        return SM_INVERTED_MISFIT;
    }
    for (size_t i = 0; i < result->bytes.len; i++) {
        const uint8_t c = result->bytes.data[i];
        const char *at = c == 0 ? NULL : strchr(alphabet, c);
        if (at == NULL || __builtin_mul_overflow(v, base, &v) ||
            __builtin_add_overflow(v, at - alphabet, &v)) {
            return SM_INVERTED_MISFIT;
        }
    }
    *argument = (sm_value){.number = v};
    return SM_INVERTED_SURE;
}
