/* SPDX-License-Identifier: Apache-2.0 */
/* sm_watermark: one number that any thread may read and one at a time sets. No order with other
 * memory is promised: whoever needs that reads it again under a lock. */
#ifndef SM_CORE_WATERMARK_H
#define SM_CORE_WATERMARK_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct sm_watermark {
    _Atomic uint64_t value;
} sm_watermark;

static inline void sm_watermark_start(sm_watermark *w, uint64_t value)
{
    atomic_init(&w->value, value);
}

static inline void sm_watermark_set(sm_watermark *w, uint64_t value)
{
    atomic_store_explicit(&w->value, value, memory_order_relaxed);
}

static inline uint64_t sm_watermark_read(const sm_watermark *w)
{
    return atomic_load_explicit(&w->value, memory_order_relaxed);
}

#endif
