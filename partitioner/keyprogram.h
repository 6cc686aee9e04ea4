/* SPDX-License-Identifier: Apache-2.0 */
/* The flat program of an expression and the state that runs it.
 *
 * Ops run in order; each reads operands and fills one slot. An operand is a field of the record, a
 * slot or a constant:
 *
 *   operand = base << 28 | index      base 0: record->values   1: slots   2: constants
 *
 * Result bytes lie in the eval's blocks. A concatenation grows at the top of the current block:
 * what an op writes right behind it is already in place, other parts are moved there.
 *
 *   block  [ results held | concatenation ... | part being made | free ]
 *                          ^ slot.bytes.data                     ^ top */
#ifndef SM_PARTITIONER_KEYPROGRAM_H
#define SM_PARTITIONER_KEYPROGRAM_H

#include "core/hash.h"
#include "partitioner/keytree.h"

enum {
    SM_OPERAND_SHIFT = 28,
    SM_OPERAND_FIELD = 0,
    SM_OPERAND_SLOT = 1,
    SM_OPERAND_CONSTANT = 2,
    SM_OPERAND_INDEX = (1 << SM_OPERAND_SHIFT) - 1
};

typedef struct sm_op {
    sm_op_run run;
    const uint32_t *args; /* operands */
    uint32_t arg_count;
    uint32_t out;     /* slot */
    uint32_t jump;    /* where the control ops may go on */
    const void *data; /* of the function */
    int64_t k[2];
    const sm_node *node; /* for messages */
} sm_op;

typedef struct sm_program {
    const sm_op *ops;
    size_t op_count;
    const sm_value *constants;
    size_t slot_count;
    uint32_t result; /* operand */
    const sm_schema *schema;
} sm_program;

struct sm_eval {
    const sm_value *bases[3];
    sm_value *slots;
    size_t slot_room;
    uint32_t next;      /* index of the op to run next */
    uint8_t *top, *end; /* free part of the current block */
    struct sm_eval_block *blocks;
    size_t block_count, block_room, current;
    size_t maximum;
    size_t larger; /* after SM_REJECT_CELL_SIZE: bytes that the value would have had */
    sm_hasher *hasher;
    const sm_program *program;
    const sm_record *record;        /* at hand, for functions of the record itself */
    struct sm_uid_notes *uid_notes; /* NULL: unknown names are rejects */
    bool no_memory;
    /* about the last reject */
    sm_reject reject;
    int blame; /* schema index or -1 */
    const sm_node *blamed;
    sm_type found_type;
    size_t found_size;
    char found[96];
};

/* ---- control ops (keyeval.c) ----------------------------------------------------------------- */

sm_reject sm_run_check_text(sm_eval *ev, const sm_op *op,
                            sm_value *out); /* null or empty: reject */
sm_reject sm_run_check_number(sm_eval *ev, const sm_op *op, sm_value *out); /* null: reject */
sm_reject sm_run_null_if_empty(sm_eval *ev, const sm_op *op, sm_value *out);
sm_reject sm_run_guard(sm_eval *ev, const sm_op *op,
                       sm_value *out); /* a null arg: null, and jump */
sm_reject sm_run_concat(sm_eval *ev, const sm_op *op, sm_value *out); /* begins an empty one */
sm_reject sm_run_part(sm_eval *ev, const sm_op *op, sm_value *out);   /* appends arg to out */
sm_reject sm_run_part_not_empty(sm_eval *ev, const sm_op *op, sm_value *out);
sm_reject sm_run_part_or_null(sm_eval *ev, const sm_op *op,
                              sm_value *out);                       /* null: null, and jump */
sm_reject sm_run_keep(sm_eval *ev, const sm_op *op, sm_value *out); /* arg unless null, and jump */
sm_reject sm_run_keep_not_empty(sm_eval *ev, const sm_op *op, sm_value *out);
sm_reject sm_run_move(sm_eval *ev, const sm_op *op, sm_value *out);
sm_reject sm_run_and(sm_eval *ev, const sm_op *op, sm_value *out); /* false: jump */
sm_reject sm_run_or(sm_eval *ev, const sm_op *op, sm_value *out);  /* true: jump */
sm_reject sm_run_not(sm_eval *ev, const sm_op *op, sm_value *out);
sm_reject sm_run_result_not_empty(sm_eval *ev, const sm_op *op, sm_value *out);

/* Builds the program of a typed tree. */
sm_status sm_key_program(sm_keycompile *c, sm_node *root, const sm_program **out, sm_error *err)
    SM_MUST_CHECK;

/* ---- for the functions that ops run ---------------------------------------------------------- */

static inline const sm_value *sm_arg(const sm_eval *ev, const sm_op *op, uint32_t i)
{
    const uint32_t operand = op->args[i];
    return ev->bases[operand >> SM_OPERAND_SHIFT] + (operand & SM_OPERAND_INDEX);
}

/* Room for `size` bytes that become part of a result; NULL when that is more than ev's maximum or
 * memory is out. */
uint8_t *sm_eval_take_slow(sm_eval *ev, size_t size);

static inline uint8_t *sm_eval_take(sm_eval *ev, size_t size)
{
    if (SM_UNLIKELY((size_t)(ev->end - ev->top) < size)) {
        return sm_eval_take_slow(ev, size);
    }
    uint8_t *p = ev->top;
    ev->top += size;
    return p;
}

/* Gives back the last bytes of what was taken last. */
static inline void sm_eval_untake(sm_eval *ev, size_t size)
{
    ev->top -= size;
}

static inline sm_reject sm_out_bytes(sm_value *out, const uint8_t *data, size_t len)
{
    out->bytes = sm_bytes_of(data, len);
    out->is_null = false;
    return SM_REJECT_NONE;
}

static inline sm_reject sm_out_number(sm_value *out, int64_t number)
{
    out->bytes = (sm_bytes){0};
    out->number = number;
    out->is_null = false;
    return SM_REJECT_NONE;
}

/* Notes what was found, for the message, and returns the code. */
sm_reject sm_eval_reject(sm_eval *ev, const sm_op *op, sm_reject code, const sm_value *found)
    SM_NOINLINE;
/* sm_eval_take gave NULL. */
sm_reject sm_eval_full(sm_eval *ev, const sm_op *op) SM_NOINLINE;

#endif
