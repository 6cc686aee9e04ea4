/* SPDX-License-Identifier: Apache-2.0 */
/* Failure injection for tests: the n-th call of a kind fails. Compiled in with SM_FAULTS only;
 * without it every function here is an empty inline. The counters are the one piece of global
 * mutable state besides the signal flag, and exist in test builds alone. Thread-safe.
 *
 * A test sets SALTMILL_FAULT=kind:n[:errno], kind one of memory, open, read, write, sync, rename;
 * cli/main.c hands it to sm_fault_plan. */
#ifndef SM_CORE_FAULT_H
#define SM_CORE_FAULT_H

#include <stdbool.h>

typedef enum sm_fault_kind {
    SM_FAULT_MEMORY,
    SM_FAULT_OPEN,
    SM_FAULT_READ,
    SM_FAULT_WRITE,
    SM_FAULT_SYNC,
    SM_FAULT_RENAME,
    SM_FAULT_KINDS
} sm_fault_kind;

#ifdef SM_FAULTS

/* "write:3:ENOSPC"-like plan, errno as a number; false when it cannot be read. NULL clears the
 * plan. */
bool sm_fault_plan(const char *plan);
/* Counts one call of this kind; true when it must fail. */
bool sm_fault_hit(sm_fault_kind kind);
/* errno that a failing call should report. */
int sm_fault_errno(void);
/* Calls of this kind so far. */
unsigned long long sm_fault_count(sm_fault_kind kind);

#else

static inline bool sm_fault_plan(const char *plan)
{
    (void)plan;
    return false;
}

static inline bool sm_fault_hit(sm_fault_kind kind)
{
    (void)kind;
    return false;
}

static inline int sm_fault_errno(void)
{
    return 0;
}

static inline unsigned long long sm_fault_count(sm_fault_kind kind)
{
    (void)kind;
    return 0;
}

#endif
#endif
