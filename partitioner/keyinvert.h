/* SPDX-License-Identifier: Apache-2.0 */
/* Inverses of key functions: from a result back to the argument that gave it. Which function has
 * one is a table in keyinvert.c; numbers and times are in keyinvert_number.c, times that were
 * printed in keyinvert_time.c. */
#ifndef SM_PARTITIONER_KEYINVERT_H
#define SM_PARTITIONER_KEYINVERT_H

#include "partitioner/keyfn.h"

typedef enum sm_inverted {
    SM_INVERTED_MISFIT, /* no argument gives this result */
    SM_INVERTED_SURE,   /* this argument and no other */
    SM_INVERTED_GUESS,  /* an argument that may have been it, or a piece of it: a prefix, a day */
    SM_INVERTED_NOTHING /* nothing can be said */
} sm_inverted;

/* Memory for arguments that are no stretch of the key; never grows while it is used. */
typedef struct sm_invert_room {
    uint8_t *at, *end;
    bool full; /* something did not fit: the answer NOTHING is for want of room */
} sm_invert_room;

typedef sm_inverted (*sm_invert_fn)(const sm_node *node, const sm_value *result,
                                    sm_invert_room *room, sm_value *argument);

/* NULL when the call gives nothing back. */
sm_invert_fn sm_key_inverse_of(const sm_node *node);

/* The chain of calls with one argument from `node` down to a field, walked: the field's value.
 * *leaf is the FIELD node, NULL when the chain does not end in one (then NOTHING). */
sm_inverted sm_key_invert(const sm_node *node, const sm_value *result, sm_invert_room *room,
                          sm_value *value, const sm_node **leaf);

/* NULL and room->full when there are not so many bytes. */
uint8_t *sm_invert_take(sm_invert_room *room, size_t size);

/* numbers and times (keyinvert_number.c) */
sm_inverted sm_invert_unsigned(const sm_node *node, const sm_value *result, sm_invert_room *room,
                               sm_value *argument);
sm_inverted sm_invert_flipped(const sm_node *node, const sm_value *result, sm_invert_room *room,
                              sm_value *argument);
sm_inverted sm_invert_twos(const sm_node *node, const sm_value *result, sm_invert_room *room,
                           sm_value *argument);
sm_inverted sm_invert_double(const sm_node *node, const sm_value *result, sm_invert_room *room,
                             sm_value *argument);
sm_inverted sm_invert_ordered_double(const sm_node *node, const sm_value *result,
                                     sm_invert_room *room, sm_value *argument);
sm_inverted sm_invert_dec(const sm_node *node, const sm_value *result, sm_invert_room *room,
                          sm_value *argument);
sm_inverted sm_invert_ts(const sm_node *node, const sm_value *result, sm_invert_room *room,
                         sm_value *argument);
sm_inverted sm_invert_ts32(const sm_node *node, const sm_value *result, sm_invert_room *room,
                           sm_value *argument);
sm_inverted sm_invert_rev_ts(const sm_node *node, const sm_value *result, sm_invert_room *room,
                             sm_value *argument);
sm_inverted sm_invert_rev_ts_dec(const sm_node *node, const sm_value *result, sm_invert_room *room,
                                 sm_value *argument);
sm_inverted sm_invert_tsdb_value(const sm_node *node, const sm_value *result, sm_invert_room *room,
                                 sm_value *argument);
sm_inverted sm_invert_tsdb_qualifier(const sm_node *node, const sm_value *result,
                                     sm_invert_room *room, sm_value *argument);
sm_inverted sm_invert_floor_ts(const sm_node *node, const sm_value *result, sm_invert_room *room,
                               sm_value *argument);

/* keyinvert_codes.c */
sm_inverted sm_invert_bcd(const sm_node *node, const sm_value *result, sm_invert_room *room,
                          sm_value *argument);
sm_inverted sm_invert_unhex(const sm_node *node, const sm_value *result, sm_invert_room *room,
                            sm_value *argument);
sm_inverted sm_invert_base(const sm_node *node, const sm_value *result, sm_invert_room *room,
                           sm_value *argument);

/* keyfn_map.c */
sm_inverted sm_invert_map(const sm_node *node, const sm_value *result, sm_invert_room *room,
                          sm_value *argument);

/* keyinvert_time.c */
sm_inverted sm_invert_format_ts(const sm_node *node, const sm_value *result, sm_invert_room *room,
                                sm_value *argument);

#endif
