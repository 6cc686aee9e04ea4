/* SPDX-License-Identifier: Apache-2.0 */
/* The names that one worker meets and no dictionary has yet, while a pass over the input collects
 * them. Names of a record are pending until it is known whether the record is accepted. Bounded:
 * when there is no room left, `full` says so and the pass ends with an error. */
#ifndef SM_PARTITIONER_UID_NOTES_H
#define SM_PARTITIONER_UID_NOTES_H

#include "partitioner/uids.h"

typedef struct sm_uid_notes sm_uid_notes;

/* maximum: bytes that it may hold. */
sm_status sm_uid_notes_new(size_t dictionaries, size_t maximum, sm_uid_notes **out, sm_error *err)
    SM_MUST_CHECK;
void sm_uid_notes_free(sm_uid_notes *n); /* takes NULL */

/* Notes the name as pending. */
void sm_uid_notes_add(sm_uid_notes *n, size_t dictionary, sm_bytes name);
/* The record was accepted: its names stay. */
void sm_uid_notes_keep(sm_uid_notes *n);
/* It was not: its names are forgotten. */
void sm_uid_notes_drop(sm_uid_notes *n);
bool sm_uid_notes_pending(const sm_uid_notes *n); /* names wait to be kept or dropped */
bool sm_uid_notes_full(const sm_uid_notes *n);

/* The names of one dictionary over all workers, sorted bytewise, no name twice; views of the notes,
 * the list in the arena. */
typedef struct sm_uid_names {
    const sm_bytes *items;
    size_t count;
} sm_uid_names;
sm_status sm_uid_notes_union(sm_uid_notes *const *notes, size_t count, size_t dictionary,
                             sm_arena *arena, sm_uid_names *out, sm_error *err) SM_MUST_CHECK;

#endif
