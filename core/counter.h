/* SPDX-License-Identifier: Apache-2.0 */
/* sm_counter: hands out 0, 1, 2 ... once each to any number of threads. */
#ifndef SM_CORE_COUNTER_H
#define SM_CORE_COUNTER_H

#include <stdatomic.h>
#include <stddef.h>

typedef struct sm_counter {
    atomic_size_t next;
} sm_counter;

static inline void sm_counter_start(sm_counter *c)
{
    atomic_init(&c->next, 0);
}

static inline size_t sm_counter_take(sm_counter *c)
{
    return atomic_fetch_add(&c->next, 1);
}

#endif
