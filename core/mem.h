/* SPDX-License-Identifier: Apache-2.0 */
/* The only malloc. Results must be given to sm_free. In builds with SM_FAULTS each allocation can
 * be made to fail (core/fault.h). Thread-safe. */
#ifndef SM_CORE_MEM_H
#define SM_CORE_MEM_H

#include "core/compiler.h"
#include "core/error.h"

#include <stddef.h>

void *sm_malloc(size_t size) SM_MUST_CHECK;
void *sm_calloc(size_t count, size_t size) SM_MUST_CHECK;
void *sm_realloc(void *old, size_t size) SM_MUST_CHECK;
void sm_free(void *p); /* takes NULL */

/* *out = zeroed memory, or SM_E_MEMORY with `what` named. */
sm_status sm_new(size_t size, const char *what, void **out, sm_error *err) SM_MUST_CHECK;

/* Whole pages straight from the system, given back at once on release: for big stores, so that a
 * memory budget is also what the process holds. NULL on failure. */
void *sm_pages_get(size_t size) SM_MUST_CHECK;
void sm_pages_release(void *p, size_t size);

/* Allocations made so far in this process; always 0 in builds without SM_FAULTS. */
unsigned long long sm_mem_allocations(void);

#endif
