/* SPDX-License-Identifier: Apache-2.0 */
/* Split keys while they are collected: the makers (split_text.c, split_file.c, split_range.c) add
 * keys in any order, splits.c then sorts, checks and freezes them. For these files alone. */
#ifndef SM_PARTITIONER_SPLIT_DRAFT_H
#define SM_PARTITIONER_SPLIT_DRAFT_H

#include "partitioner/splits.h"

typedef struct sm_split_entry {
    sm_bytes key;
    uint64_t place; /* line of a file or number of an entry, from 1 */
} sm_split_entry;

typedef struct sm_split_draft {
    sm_arena *arena;         /* keys and notes live here */
    const char *where;       /* opens the messages: the job's path, or the file's */
    const char *unit;        /* what a place is: "line", "entry" */
    bool ordered;            /* unsorted keys are an error */
    sm_split_entry *entries; /* from core/mem.h */
    size_t count, capacity;
    const char **notes; /* from core/mem.h */
    size_t note_count;
} sm_split_draft;

/* The key must live in the arena. */
sm_status sm_split_draft_add(sm_split_draft *d, sm_bytes key, uint64_t place, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_split_draft_note(sm_split_draft *d, sm_error *err, const char *fmt, ...)
    SM_MUST_CHECK SM_PRINTF(3, 4);

/* Reads one escaped text strictly into out (text.len bytes of room) and says what is wrong with it.
 * An empty text is refused. */
sm_status sm_split_unescape(const sm_split_draft *d, sm_bytes text, uint64_t place, uint8_t *out,
                            sm_bytes *key, sm_error *err) SM_MUST_CHECK;

/* The makers, one per kind. */
sm_status sm_split_from_list(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_split_from_file(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_split_from_salt(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_split_from_hex(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_split_from_decimal(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_split_from_uniform(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_split_from_algorithm(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
    SM_MUST_CHECK;

#endif
