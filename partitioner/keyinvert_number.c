/* SPDX-License-Identifier: Apache-2.0 */
/* Inverses of functions that write numbers and times. Each result has the width of its function:
 * that was checked when the key was cut into parts, and is checked again here. */
#include "core/endian.h"
#include "core/number.h"
#include "partitioner/keyinvert.h"

#include <math.h>

static const int64_t DOUBLE_EXACT = INT64_C(1) << 53;

static sm_inverted sure(sm_value *argument, int64_t number)
{
    *argument = (sm_value){.number = number};
    return SM_INVERTED_SURE;
}

/* Big endian, 1 to 8 bytes. */
static uint64_t load(sm_bytes bytes)
{
    uint64_t v = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        v = v << 8 | bytes.data[i];
    }
    return v;
}

static bool has_width(const sm_node *node, const sm_value *result)
{
    return result->bytes.len == node->min_width && result->bytes.len <= 8;
}

sm_inverted sm_invert_unsigned(const sm_node *node, const sm_value *result, sm_invert_room *room,
                               sm_value *argument)
{
    (void)room;
    const uint64_t v = has_width(node, result) ? load(result->bytes) : UINT64_MAX;
    return v > INT64_MAX ? SM_INVERTED_MISFIT : sure(argument, (int64_t)v);
}

sm_inverted sm_invert_flipped(const sm_node *node, const sm_value *result, sm_invert_room *room,
                              sm_value *argument)
{
    (void)room;
    if (!has_width(node, result)) {
        return SM_INVERTED_MISFIT;
    }
    const uint64_t v = load(result->bytes);
    return sure(argument, result->bytes.len == 4 ? (int32_t)((uint32_t)v ^ 0x80000000U)
                                                 : (int64_t)(v ^ UINT64_C(1) << 63));
}

sm_inverted sm_invert_twos(const sm_node *node, const sm_value *result, sm_invert_room *room,
                           sm_value *argument)
{
    (void)room;
    if (!has_width(node, result)) {
        return SM_INVERTED_MISFIT;
    }
    const uint64_t v = load(result->bytes);
    return sure(argument, result->bytes.len == 4 ? (int32_t)(uint32_t)v : (int64_t)v);
}

/* ---- doubles --------------------------------------------------------------------------------- */

/* Whole numbers are written only where a double holds them exactly. */
static sm_inverted from_double(const sm_node *node, uint64_t bits, sm_value *argument)
{
    double real = 0;
    memcpy(&real, &bits, sizeof real);
    *argument = (sm_value){.real = real};
    if (!isfinite(real)) {
        return SM_INVERTED_MISFIT;
    }
    if (node->args[0]->type != SM_TYPE_INT) {
        return SM_INVERTED_SURE;
    }
    if (real > (double)DOUBLE_EXACT || real < -(double)DOUBLE_EXACT ||
        real != (double)(int64_t)real || (real == 0 && signbit(real))) {
        return SM_INVERTED_MISFIT;
    }
    return sure(argument, (int64_t)real);
}

sm_inverted sm_invert_double(const sm_node *node, const sm_value *result, sm_invert_room *room,
                             sm_value *argument)
{
    (void)room;
    return has_width(node, result) ? from_double(node, load(result->bytes), argument)
                                   : SM_INVERTED_MISFIT;
}

sm_inverted sm_invert_ordered_double(const sm_node *node, const sm_value *result,
                                     sm_invert_room *room, sm_value *argument)
{
    (void)room;
    if (!has_width(node, result)) {
        return SM_INVERTED_MISFIT;
    }
    const uint64_t v = load(result->bytes);
    const bool positive = (v >> 63) != 0;
    if (~v == UINT64_C(1) << 63) { /* -0.0 is written as 0.0 */
        return SM_INVERTED_MISFIT;
    }
    return from_double(node, positive ? v ^ UINT64_C(1) << 63 : ~v, argument);
}

/* ---- digits ---------------------------------------------------------------------------------- */

sm_inverted sm_invert_dec(const sm_node *node, const sm_value *result, sm_invert_room *room,
                          sm_value *argument)
{
    uint64_t v = 0;
    (void)room;
    if (result->bytes.len != node->min_width || !sm_parse_uint(result->bytes, &v) ||
        v > INT64_MAX) {
        return SM_INVERTED_MISFIT;
    }
    return sure(argument, (int64_t)v);
}

/* ---- times ----------------------------------------------------------------------------------- */

sm_inverted sm_invert_ts(const sm_node *node, const sm_value *result, sm_invert_room *room,
                         sm_value *argument)
{
    return sm_invert_unsigned(node, result, room, argument);
}

/* The second in which the time lies. */
sm_inverted sm_invert_ts32(const sm_node *node, const sm_value *result, sm_invert_room *room,
                           sm_value *argument)
{
    const sm_inverted how = sm_invert_unsigned(node, result, room, argument);
    if (how != SM_INVERTED_SURE) {
        return how;
    }
    argument->number *= 1000;
    return SM_INVERTED_GUESS;
}

sm_inverted sm_invert_rev_ts(const sm_node *node, const sm_value *result, sm_invert_room *room,
                             sm_value *argument)
{
    const sm_inverted how = sm_invert_unsigned(node, result, room, argument);
    if (how == SM_INVERTED_SURE) {
        argument->number = INT64_MAX - argument->number;
    }
    return how;
}

/* Without a width: Long.MAX - ms. With one: 10^width - 1 - t in units; the first ms of the unit. */
sm_inverted sm_invert_rev_ts_dec(const sm_node *node, const sm_value *result, sm_invert_room *room,
                                 sm_value *argument)
{
    static const int64_t UNITS[] = {1, 1000, 60000, 3600000, 86400000};
    const sm_keyconst *unit = sm_key_const(node, "unit");
    const sm_keyconst *width = sm_key_const(node, "width");
    uint64_t v = 0;
    uint64_t power = 1; /* 10^19 still fits */
    (void)room;
    if (result->bytes.len != node->min_width || !sm_parse_uint(result->bytes, &v)) {
        return SM_INVERTED_MISFIT;
    }
    for (int64_t i = 0; width->present && i < width->number; i++) {
        power *= 10;
    }
    const uint64_t top = width->present ? power - 1 : INT64_MAX;
    const int64_t ms = unit->present ? UNITS[unit->number] : 1;
    int64_t t = 0;
    if (v > top || __builtin_mul_overflow(top - v, ms, &t)) {
        return SM_INVERTED_MISFIT;
    }
    *argument = (sm_value){.number = t};
    return ms == 1 ? SM_INVERTED_SURE : SM_INVERTED_GUESS;
}

/* Steps of UTC divide the time; on other clocks a rounded time is taken as it is. */
sm_inverted sm_invert_floor_ts(const sm_node *node, const sm_value *result, sm_invert_room *room,
                               sm_value *argument)
{
    (void)room;
    *argument = *result;
    if (node->data != NULL) {
        return SM_INVERTED_GUESS;
    }
    if (result->number % node->k[0] != 0) {
        return SM_INVERTED_MISFIT;
    }
    return node->k[0] == 1 ? SM_INVERTED_SURE : SM_INVERTED_GUESS;
}

/* ---- OpenTSDB -------------------------------------------------------------------------------- */

/* Four and eight bytes of a decimal field are a whole number or a float: the qualifier tells. */
sm_inverted sm_invert_tsdb_value(const sm_node *node, const sm_value *result, sm_invert_room *room,
                                 sm_value *argument)
{
    (void)room;
    const size_t len = result->bytes.len;
    if (len != 1 && len != 2 && len != 4 && len != 8) {
        return SM_INVERTED_MISFIT;
    }
    const uint64_t bits = load(result->bytes) << (64 - 8 * len);
    const int64_t v = (int64_t)bits >> (64 - 8 * len);
    const bool least = len == 1 || (len == 2 && v != (int8_t)v) || (len == 4 && v != (int16_t)v) ||
                       (len == 8 && v != (int32_t)v);
    if (node->args[0]->type == SM_TYPE_INT) {
        return least ? sure(argument, v) : SM_INVERTED_MISFIT;
    }
    *argument = (sm_value){.real = (double)v, .number = v};
    if (len <= 2) {
        return least ? SM_INVERTED_SURE : SM_INVERTED_MISFIT;
    }
    return SM_INVERTED_NOTHING;
}

/* The time is known within its hour only; which hour stands in the row. */
sm_inverted sm_invert_tsdb_qualifier(const sm_node *node, const sm_value *result,
                                     sm_invert_room *room, sm_value *argument)
{
    (void)node;
    (void)room;
    *argument = *result;
    return result->bytes.len == 2 || result->bytes.len == 4 ? SM_INVERTED_NOTHING
                                                            : SM_INVERTED_MISFIT;
}
