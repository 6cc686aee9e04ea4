/* SPDX-License-Identifier: Apache-2.0 */
/* The table of inverses, the walk down a chain of calls, and the inverses of text functions.
 *
 *   hex(reverse(caller))    "3833312e"  ->  "831."  ->  ".138": caller
 *
 * A chain is as sure as its least sure link. */
#include "partitioner/keyinvert.h"

#include "core/number.h"
#include "partitioner/keyutf8.h"
#include "partitioner/uids.h"

uint8_t *sm_invert_take(sm_invert_room *room, size_t size)
{
    if ((size_t)(room->end - room->at) < size) {
        room->full = true;
        return NULL;
    }
    uint8_t *p = room->at;
    room->at += size;
    return p;
}

static sm_inverted keep(const sm_value *result, sm_value *argument, sm_inverted how)
{
    *argument = *result;
    return how;
}

/* ---- text ------------------------------------------------------------------------------------ */

static int hex_digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static sm_inverted invert_hex(const sm_node *node, const sm_value *result, sm_invert_room *room,
                              sm_value *argument)
{
    (void)node;
    const size_t len = result->bytes.len / 2;
    uint8_t *p = sm_invert_take(room, len);
    if (result->bytes.len % 2 != 0) {
        return SM_INVERTED_MISFIT;
    }
    for (size_t i = 0; p != NULL && i < len; i++) {
        const int high = hex_digit(result->bytes.data[2 * i]);
        const int low = hex_digit(result->bytes.data[2 * i + 1]);
        if (high < 0 || low < 0) {
            return SM_INVERTED_MISFIT;
        }
        p[i] = (uint8_t)(high << 4 | low);
    }
    *argument = (sm_value){.bytes = sm_bytes_of(p, p == NULL ? 0 : len)};
    return p == NULL ? SM_INVERTED_NOTHING : SM_INVERTED_SURE;
}

/* Bytes are bytes where the type or the charset says so, else characters of UTF-8. */
static bool by_bytes(const sm_node *x)
{
    return x->type == SM_TYPE_BYTES || x->charset != SM_CHARSET_ANY;
}

static sm_inverted invert_reverse(const sm_node *node, const sm_value *result, sm_invert_room *room,
                                  sm_value *argument)
{
    const sm_bytes text = result->bytes;
    size_t count = 0;
    if (!by_bytes(node->args[0]) && !sm_utf8_count(text, &count)) {
        return SM_INVERTED_MISFIT;
    }
    uint8_t *p = sm_invert_take(room, text.len);
    if (p == NULL) {
        return SM_INVERTED_NOTHING;
    }
    for (size_t at = 0; at < text.len;) {
        const size_t len =
            by_bytes(node->args[0]) ? 1 : sm_utf8_length(text.data + at, text.len - at);
        memcpy(p + text.len - at - len, text.data + at, len);
        at += len;
    }
    *argument = (sm_value){.bytes = sm_bytes_of(p, text.len)};
    return SM_INVERTED_SURE;
}

/* Could x hold this byte? ASCII fields hold no 00; what is built from them may. */
static bool may_hold(const sm_node *x, uint8_t c)
{
    return x->charset == SM_CHARSET_DIGITS  ? c >= '0' && c <= '9'
           : x->charset == SM_CHARSET_ASCII ? c < 0x80 && (c > 0 || x->kind != SM_NODE_FIELD)
                                            : true;
}

/* Fill is not told from data that looks like it: 0138 padded on the left with zeros is 138 as well,
 * and "ab " padded with blanks is "ab". So the value is sure only where it cannot end in fill, or
 * leaves no room for any. */
static sm_inverted invert_pad(const sm_node *node, const sm_value *result, sm_invert_room *room,
                              sm_value *argument)
{
    (void)room;
    sm_bytes text = result->bytes;
    const uint8_t fill = sm_key_const(node, "fill")->text.data[0];
    const bool left = sm_bytes_equal_text(sm_key_const(node, "side")->text, "left");
    if (text.len != node->min_width) {
        return SM_INVERTED_MISFIT;
    }
    size_t filled = 0;
    while (filled < text.len && text.data[left ? filled : text.len - 1 - filled] == fill) {
        filled++;
    }
    text.len -= filled;
    text.data += left ? filled : 0;
    *argument = (sm_value){.bytes = text};
    const bool sure = filled == 0 || !may_hold(node->args[0], fill);
    return sure ? SM_INVERTED_SURE : SM_INVERTED_GUESS;
}

/* A shorter value stays whole, so a short result is the value. */
static sm_inverted invert_cut(const sm_node *node, const sm_value *result, sm_invert_room *room,
                              sm_value *argument)
{
    (void)room;
    size_t units = result->bytes.len;
    if (!by_bytes(node->args[0]) && !sm_utf8_count(result->bytes, &units)) {
        return SM_INVERTED_MISFIT;
    }
    const size_t most = (size_t)sm_key_const(node, "n")->number;
    return units > most
               ? SM_INVERTED_MISFIT
               : keep(result, argument, units < most ? SM_INVERTED_SURE : SM_INVERTED_GUESS);
}

static sm_inverted invert_substr(const sm_node *node, const sm_value *result, sm_invert_room *room,
                                 sm_value *argument)
{
    (void)room;
    const sm_keyconst *length = sm_key_const(node, "length");
    size_t units = result->bytes.len;
    if (!by_bytes(node->args[0]) && !sm_utf8_count(result->bytes, &units)) {
        return SM_INVERTED_MISFIT;
    }
    const bool longer = length->present && units > (size_t)length->number;
    return longer ? SM_INVERTED_MISFIT : keep(result, argument, SM_INVERTED_GUESS);
}

/* A result holds none of the letters that change. Without their partners nothing has changed. */
static sm_inverted invert_case(const sm_node *node, const sm_value *result, sm_invert_room *room,
                               sm_value *argument)
{
    (void)room;
    bool plain = true;
    const uint8_t changed = node->fn->name[0] == 'u' ? 'a' : 'A';
    for (size_t i = 0; i < result->bytes.len; i++) {
        const uint8_t c = result->bytes.data[i];
        if (c >= changed && c < changed + 26) {
            return SM_INVERTED_MISFIT;
        }
        plain &= (c | 0x20) < 'a' || (c | 0x20) > 'z';
    }
    return keep(result, argument, plain ? SM_INVERTED_SURE : SM_INVERTED_GUESS);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static sm_inverted invert_trim(const sm_node *node, const sm_value *result, sm_invert_room *room,
                               sm_value *argument)
{
    (void)room;
    const sm_bytes text = result->bytes;
    if (text.len > 0 && (is_blank(text.data[0]) || is_blank(text.data[text.len - 1]))) {
        return SM_INVERTED_MISFIT;
    }
    const bool sure = node->args[0]->charset == SM_CHARSET_DIGITS;
    return keep(result, argument, sure ? SM_INVERTED_SURE : SM_INVERTED_GUESS);
}

static sm_inverted invert_digits(const sm_node *node, const sm_value *result, sm_invert_room *room,
                                 sm_value *argument)
{
    (void)room;
    for (size_t i = 0; i < result->bytes.len; i++) {
        if (result->bytes.data[i] < '0' || result->bytes.data[i] > '9') {
            return SM_INVERTED_MISFIT;
        }
    }
    const bool sure = node->args[0]->charset == SM_CHARSET_DIGITS;
    return keep(result, argument, sure ? SM_INVERTED_SURE : SM_INVERTED_GUESS);
}

/* What stood in the input: of numbers the number is known, whatever zeros stood before it. What
 * the text of a time means only its field knows. */
static sm_inverted invert_text(const sm_node *node, const sm_value *result, sm_invert_room *room,
                               sm_value *argument)
{
    (void)room;
    *argument = *result;
    switch (node->args[0]->type) {
    case SM_TYPE_TEXT:
    case SM_TYPE_BYTES: return SM_INVERTED_SURE;
    case SM_TYPE_INT:
        return sm_parse_int(result->bytes, &argument->number) ? SM_INVERTED_SURE
                                                              : SM_INVERTED_MISFIT;
    case SM_TYPE_DECIMAL:
        return sm_parse_decimal(result->bytes, &argument->real) ? SM_INVERTED_SURE
                                                                : SM_INVERTED_MISFIT;
    default: return SM_INVERTED_NOTHING;
    }
}

/* Where the substitute stands, the value may have been null, empty or the same text. */
static sm_inverted invert_default(const sm_node *node, const sm_value *result, sm_invert_room *room,
                                  sm_value *argument)
{
    (void)room;
    const sm_node *y = node->args[1];
    const bool text = node->type == SM_TYPE_TEXT || node->type == SM_TYPE_BYTES;
    bool differs = sm_node_is_literal(y);
    if (differs && text) {
        differs = !sm_bytes_equal(y->text, result->bytes);
    } else if (differs && node->type == SM_TYPE_DECIMAL) {
        differs = y->real != result->real;
    } else if (differs) {
        differs = y->number != result->number;
    }
    return keep(result, argument, differs ? SM_INVERTED_SURE : SM_INVERTED_GUESS);
}

/* An id that the dictionary does not hold was made with another one. */
static sm_inverted invert_uid(const sm_node *node, const sm_value *result, sm_invert_room *room,
                              sm_value *argument)
{
    (void)room;
    const sm_uid_dictionary *d = node->data;
    uint64_t id = 0;
    for (size_t i = 0; i < result->bytes.len; i++) {
        id = id << 8 | result->bytes.data[i];
    }
    const sm_uid_entry *entry = sm_uid_table_id(d->table, id);
    *argument = (sm_value){.bytes = entry == NULL ? (sm_bytes){0} : entry->name};
    return entry == NULL ? SM_INVERTED_MISFIT : SM_INVERTED_SURE;
}

/* ---- table ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    sm_invert_fn invert;
} INVERSES[] = {
    {"hex", invert_hex},
    {"left", invert_cut},
    {"right", invert_cut},
    {"substr", invert_substr},
    {"reverse", invert_reverse},
    {"pad", invert_pad},
    {"upper", invert_case},
    {"lower", invert_case},
    {"trim", invert_trim},
    {"digits", invert_digits},
    {"text", invert_text},
    {"default", invert_default},
    {"ts", sm_invert_ts},
    {"ts32", sm_invert_ts32},
    {"rev_ts", sm_invert_rev_ts},
    {"rev_ts_dec", sm_invert_rev_ts_dec},
    {"format_ts", sm_invert_format_ts},
    {"floor_ts", sm_invert_floor_ts},
    {"u8", sm_invert_unsigned},
    {"u16", sm_invert_unsigned},
    {"u32", sm_invert_unsigned},
    {"u64", sm_invert_unsigned},
    {"i32", sm_invert_flipped},
    {"i64", sm_invert_flipped},
    {"f64", sm_invert_ordered_double},
    {"int32be", sm_invert_twos},
    {"int64be", sm_invert_twos},
    {"float64be", sm_invert_double},
    {"dec", sm_invert_dec},
    {"map", sm_invert_map},
    {"bcd", sm_invert_bcd},
    {"unhex", sm_invert_unhex},
    {"base36", sm_invert_base},
    {"base62", sm_invert_base},
    {"uid", invert_uid},
    {"tsdb_value", sm_invert_tsdb_value},
    {"tsdb_qualifier", sm_invert_tsdb_qualifier},
};

sm_invert_fn sm_key_inverse_of(const sm_node *node)
{
    const char *name = node->fn == NULL ? "" : node->fn->name;
    for (size_t i = 0; i < sizeof INVERSES / sizeof INVERSES[0]; i++) {
        if (strcmp(INVERSES[i].name, name) == 0) {
            return INVERSES[i].invert;
        }
    }
    return NULL;
}

/* ---- chains ---------------------------------------------------------------------------------- */

sm_inverted sm_key_invert(const sm_node *node, const sm_value *result, sm_invert_room *room,
                          sm_value *value, const sm_node **leaf)
{
    sm_inverted how = SM_INVERTED_SURE;
    *value = *result;
    *leaf = NULL;
    while (node->kind == SM_NODE_CALL || node->kind == SM_NODE_DEFAULT) {
        const sm_invert_fn invert = sm_key_inverse_of(node);
        if (invert == NULL) {
            return SM_INVERTED_NOTHING;
        }
        const sm_value inner = *value;
        const sm_inverted step =
            how == SM_INVERTED_NOTHING ? SM_INVERTED_NOTHING : invert(node, &inner, room, value);
        if (step == SM_INVERTED_MISFIT) {
            /* Below a guess a misfit may be the guess's fault. */
            return how == SM_INVERTED_SURE ? SM_INVERTED_MISFIT : SM_INVERTED_NOTHING;
        }
        how = step > how ? step : how;
        node = node->args[0];
    }
    *leaf = node->kind == SM_NODE_FIELD ? node : NULL;
    return *leaf == NULL ? SM_INVERTED_NOTHING : how;
}
