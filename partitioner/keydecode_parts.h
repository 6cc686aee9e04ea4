/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that a decoder cuts a key into, read off the tree once. Shared by keydecode.c and
 * keydecode_parts.c. */
#ifndef SM_PARTITIONER_KEYDECODE_PARTS_H
#define SM_PARTITIONER_KEYDECODE_PARTS_H

#include "partitioner/keydecode.h"
#include "partitioner/keyinvert.h"

typedef struct sm_decode_part {
    sm_node *node;
    sm_part_kind kind;
    sm_bytes rule;
    int field;       /* at the end of the chain, or -1 */
    size_t min, max; /* bytes */
    size_t links;    /* calls on the chain: how many copies inverting may make */
    /* What it takes to build the part again. */
    const int *needs; /* schema indexes */
    size_t need_count;
    bool rebuilds; /* false: needs more than the values of fields */
    /* pad(field) whose fill may be data, where other parts tell which of the values it was */
    bool padded, pad_left;
    uint64_t salts;         /* 0: any bytes; else the part is a number below this */
    bool salt_byte;         /* that number is one byte, not digits */
    const sm_node *choices; /* LIST: the texts that the part may be; NULL: no such list */
    bool region;            /* the part is the start of a region */
    sm_expr run;
} sm_decode_part;

/* Parts of e in order; everything lies in the arena. */
sm_status sm_decode_parts_read(sm_arena *arena, const sm_expr *e, const sm_schema *schema,
                               sm_decode_part **out, size_t *count, sm_error *err) SM_MUST_CHECK;

#endif
