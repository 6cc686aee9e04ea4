/* SPDX-License-Identifier: Apache-2.0 */
/* Counters behind fault.h; empty unless SM_FAULTS is defined. */
#include "core/fault.h"

#ifdef SM_FAULTS

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static const char *const KIND_NAMES[SM_FAULT_KINDS] = {"memory", "open", "read",
                                                       "write",  "sync", "rename"};

/* Lint: global mutable state, test builds only (see fault.h). */
static atomic_ullong counts[SM_FAULT_KINDS];
static atomic_ullong fail_at[SM_FAULT_KINDS]; /* 0: never */
static atomic_int fail_errno = EIO;

static bool parse_number(const char **text, unsigned long long *out)
{
    unsigned long long value = 0;
    const char *p = *text;
    while (*p >= '0' && *p <= '9') {
        value = value * 10 + (unsigned)(*p - '0');
        p++;
    }
    const bool found = p != *text;
    *text = p;
    *out = value;
    return found;
}

bool sm_fault_plan(const char *plan)
{
    for (int kind = 0; kind < SM_FAULT_KINDS; kind++) {
        atomic_store(&fail_at[kind], 0);
        atomic_store(&counts[kind], 0);
    }
    if (plan == NULL) {
        return true;
    }
    for (int kind = 0; kind < SM_FAULT_KINDS; kind++) {
        const size_t len = strlen(KIND_NAMES[kind]);
        if (strncmp(plan, KIND_NAMES[kind], len) != 0 || plan[len] != ':') {
            continue;
        }
        const char *p = plan + len + 1;
        unsigned long long nth = 0;
        unsigned long long number = EIO;
        if (!parse_number(&p, &nth)) {
            return false;
        }
        if (*p == ':') {
            p++;
            if (!parse_number(&p, &number)) {
                return false;
            }
        }
        atomic_store(&fail_errno, (int)number);
        atomic_store(&fail_at[kind], nth);
        return *p == '\0';
    }
    return false;
}

bool sm_fault_hit(sm_fault_kind kind)
{
    const unsigned long long call = atomic_fetch_add(&counts[kind], 1) + 1;
    const unsigned long long nth = atomic_load(&fail_at[kind]);
    return nth != 0 && call == nth;
}

int sm_fault_errno(void)
{
    return atomic_load(&fail_errno);
}

unsigned long long sm_fault_count(sm_fault_kind kind)
{
    return atomic_load(&counts[kind]);
}

#else

/* ISO C wants at least one declaration in a file. */
typedef int sm_fault_unused;

#endif
