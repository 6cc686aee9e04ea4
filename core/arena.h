/* SPDX-License-Identifier: Apache-2.0 */
/* sm_arena: bump allocation in blocks; everything is freed at once, or reset for reuse.
 * Memory is 16-byte aligned and not zeroed. Not thread-safe; a frozen arena may be read by all. */
#ifndef SM_CORE_ARENA_H
#define SM_CORE_ARENA_H

#include "core/bytes.h"
#include "core/error.h"

typedef struct sm_arena sm_arena;

/* block_size: bytes per block asked of the system; larger requests get a block of their own. */
sm_status sm_arena_new(size_t block_size, sm_arena **out, sm_error *err) SM_MUST_CHECK;
void sm_arena_free(sm_arena *a); /* takes NULL */

/* NULL when memory cannot be had. */
void *sm_arena_get(sm_arena *a, size_t size) SM_MUST_CHECK;
/* Zeroed array; NULL also on overflow. */
void *sm_arena_array(sm_arena *a, size_t count, size_t size) SM_MUST_CHECK;
/* A copy with a NUL behind it (not counted); NULL when memory cannot be had. */
char *sm_arena_text(sm_arena *a, const void *data, size_t len) SM_MUST_CHECK;

/* Hands `thing` over: release(thing) runs when the arena is reset or freed, the youngest first. On
 * failure (SM_E_MEMORY) it has been released already. */
sm_status sm_arena_own(sm_arena *a, void *thing, void (*release)(void *thing), sm_error *err)
    SM_MUST_CHECK;

/* Forgets everything, keeps the first blocks for reuse. All pointers from before die. */
void sm_arena_reset(sm_arena *a);
/* Bytes held from the system. */
size_t sm_arena_held(const sm_arena *a);

#endif
