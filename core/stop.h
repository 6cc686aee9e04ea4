/* SPDX-License-Identifier: Apache-2.0 */
/* sm_stop: asks all workers to come to an end, read once per slice or block. Set by a failing
 * worker or by the signal handler (lock-free atomic, so safe there). */
#ifndef SM_CORE_STOP_H
#define SM_CORE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sm_stop {
    atomic_int signal; /* 0: run on; SIGINT, SIGTERM; -1: a worker failed */
} sm_stop;

static inline void sm_stop_set(sm_stop *s, int why)
{
    atomic_store(&s->signal, why);
}

static inline int sm_stop_asked(const sm_stop *s)
{
    return s == NULL ? 0 : atomic_load(&s->signal);
}

#endif
