/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a field and the leading parts of the key that they stand under, in bounded memory: all
 * values while they are few, else a sample of them by hash. */
#ifndef SM_JOB_CHECK_STABLE_H
#define SM_JOB_CHECK_STABLE_H

#include "core/arena.h"
#include "job/check.h"

typedef struct sm_check_ids sm_check_ids;

uint64_t sm_check_ids_memory(void); /* bytes of one table of values */
/* Lives in the arena; NULL without memory. */
sm_check_ids *sm_check_ids_new(sm_arena *arena) SM_MUST_CHECK;
void sm_check_ids_add(sm_check_ids *ids, sm_bytes value, sm_bytes lead);
void sm_check_ids_merge(sm_check_ids *into, const sm_check_ids *from);
/* Fills seen, scale, unstable and example. */
sm_status sm_check_ids_report(const sm_check_ids *ids, sm_arena *arena, sm_check_stable *out,
                              sm_error *err) SM_MUST_CHECK;

#endif
