/* SPDX-License-Identifier: Apache-2.0 */
/* What a key expression alone shows to be risky, before any record is read: parts whose end cannot
 * be told, text that does not sort as its numbers do, padding that makes different values equal,
 * and keys that cannot be rebuilt or scanned. `run` accepts all of these; `check` tells them. */
#ifndef SM_PARTITIONER_KEYTRAPS_H
#define SM_PARTITIONER_KEYTRAPS_H

#include "partitioner/expr.h"

typedef enum sm_trap_kind {
    SM_TRAP_OPEN_END,        /* no fixed width, and what follows does not tell where it ends: two
                                records may give the same bytes */
    SM_TRAP_OPEN_ORDER,      /* likewise, but the rest has a fixed width: keys differ, and ranges
                                also hold longer values */
    SM_TRAP_SEPARATOR,       /* the literal behind it may occur inside it */
    SM_TRAP_UNPADDED_NUMBER, /* 10 sorts before 9 */
    SM_TRAP_SIGNED_NUMBER,   /* negative numbers sort behind positive ones */
    SM_TRAP_UNSORTED_TIME,   /* a text of a time whose order is not the time's */
    SM_TRAP_ZERO_PADDING,    /* padded with a character that values may have at that end */
    SM_TRAP_RANDOM,          /* not made of the record's meaning: a get needs all values */
    SM_TRAP_WHOLE_HASH,      /* one hash of everything: no scans */
    SM_TRAP_NO_TIME          /* no time outside of hashes */
} sm_trap_kind;

typedef struct sm_key_trap {
    sm_trap_kind kind;
    sm_bytes part;    /* canonical spelling; empty for NO_TIME */
    sm_bytes next;    /* OPEN_END, OPEN_ORDER, SEPARATOR: what stands behind it */
    int field;        /* schema index of the field that the remedy is about, or -1 */
    uint64_t values;  /* RANDOM: how many */
    sm_bytes literal; /* SEPARATOR: its bytes */
} sm_key_trap;

typedef struct sm_key_traps {
    sm_key_trap *items; /* from left to right */
    size_t count;
} sm_key_traps;

/* key: compiled with SM_USE_KEY over this schema. Everything in *out lives in the arena. */
sm_status sm_key_traps_find(const sm_schema *schema, const sm_expr *key, sm_arena *arena,
                            sm_key_traps *out, sm_error *err) SM_MUST_CHECK;

#endif
