/* SPDX-License-Identifier: Apache-2.0 */
/* malloc behind mem.h: the one place where allocation can be counted or made to fail. */
#include "core/mem.h"

#include "core/fault.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void *sm_malloc(size_t size)
{
    if (sm_fault_hit(SM_FAULT_MEMORY)) {
        return NULL;
    }
    return malloc(size == 0 ? 1 : size);
}

void *sm_calloc(size_t count, size_t size)
{
    if (sm_fault_hit(SM_FAULT_MEMORY)) {
        return NULL;
    }
    return calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
}

void *sm_realloc(void *old, size_t size)
{
    if (sm_fault_hit(SM_FAULT_MEMORY)) {
        return NULL;
    }
    return realloc(old, size == 0 ? 1 : size);
}

void sm_free(void *p)
{
    free(p);
}

sm_status sm_new(size_t size, const char *what, void **out, sm_error *err)
{
    *out = sm_calloc(1, size);
    if (*out == NULL) {
        return sm_fail_memory(err, size, what);
    }
    return SM_OK;
}

void *sm_pages_get(size_t size)
{
    if (sm_fault_hit(SM_FAULT_MEMORY)) {
        return NULL;
    }
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void sm_pages_release(void *p, size_t size)
{
    if (p != NULL) {
        (void)munmap(p, size);
    }
}

unsigned long long sm_mem_allocations(void)
{
    return sm_fault_count(SM_FAULT_MEMORY);
}
