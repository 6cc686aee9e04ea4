/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts and joins ranges of keys. */
#include "partitioner/keyrange.h"

#include <stdlib.h>

static int order_ranges(const void *a, const void *b)
{
    const sm_key_range *x = a;
    const sm_key_range *y = b;
    const int starts = sm_bytes_compare(x->start, y->start);
    if (starts != 0) {
        return starts;
    }
    if (x->stop.len == 0 || y->stop.len == 0) { /* the longer one first */
        return (int)(y->stop.len == 0) - (int)(x->stop.len == 0);
    }
    return sm_bytes_compare(y->stop, x->stop);
}

static bool is_empty(const sm_key_range *r)
{
    return r->stop.len != 0 && sm_bytes_compare(r->start, r->stop) >= 0;
}

static bool same_lead(const sm_key_range *a, const sm_key_range *b)
{
    return a->lead == b->lead && a->start.len >= a->lead && b->start.len >= b->lead &&
           (a->lead == 0 || memcmp(a->start.data, b->start.data, a->lead) == 0);
}

/* b begins at or behind a's start. */
static void swallow(sm_key_range *a, const sm_key_range *b)
{
    a->lead = same_lead(a, b) ? a->lead : 0;
    if (a->stop.len != 0 && (b->stop.len == 0 || sm_bytes_compare(b->stop, a->stop) > 0)) {
        a->stop = b->stop;
    }
}

static bool same_range(const sm_key_range *a, const sm_key_range *b)
{
    return sm_bytes_equal(a->start, b->start) && sm_bytes_equal(a->stop, b->stop);
}

size_t sm_key_ranges_join(sm_key_range *ranges, size_t count, bool touching, bool *overlapped)
{
    size_t kept = 0;
    *overlapped = false;
    if (count == 0) {
        return 0;
    }
    qsort(ranges, count, sizeof *ranges, order_ranges);
    for (size_t i = 0; i < count; i++) {
        sm_key_range *last = kept > 0 ? &ranges[kept - 1] : NULL;
        if (is_empty(&ranges[i])) {
            continue;
        }
        const int gap = last == NULL          ? 1
                        : last->stop.len == 0 ? -1
                                              : sm_bytes_compare(ranges[i].start, last->stop);
        if (gap < 0) {
            *overlapped |= !same_range(last, &ranges[i]);
            swallow(last, &ranges[i]);
        } else if (gap == 0 && touching && same_lead(last, &ranges[i])) {
            swallow(last, &ranges[i]);
        } else {
            ranges[kept++] = ranges[i];
        }
    }
    return kept;
}
