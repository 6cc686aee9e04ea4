/* SPDX-License-Identifier: Apache-2.0 */
/* The only threads: fork N workers, join them. OpenMP, or pthreads where SM_PAR_PTHREADS is defined
 * (the thread sanitizer does not see into libgomp). Also the only mutex and condition. */
#ifndef SM_CORE_PAR_H
#define SM_CORE_PAR_H

#include "core/error.h"

#include <stdbool.h>

/* One worker's body. worker is 0 ... workers-1. */
typedef sm_status (*sm_worker_fn)(void *context, unsigned worker, sm_error *err);

/* Runs body on `workers` threads and waits for all. Returns the error with the smallest err->place
 * (ties: smallest worker number), so that the message does not depend on timing. */
sm_status sm_par_run(unsigned workers, sm_worker_fn body, void *context, sm_error *err)
    SM_MUST_CHECK;

typedef struct sm_lock sm_lock;
sm_status sm_lock_new(sm_lock **out, sm_error *err) SM_MUST_CHECK;
void sm_lock_free(sm_lock *l); /* takes NULL */
void sm_lock_take(sm_lock *l);
void sm_lock_give(sm_lock *l);
/* Condition that belongs to the lock: wait gives the lock up and takes it again. */
void sm_lock_wait(sm_lock *l);
void sm_lock_wake_all(sm_lock *l);

#endif
