/* SPDX-License-Identifier: Apache-2.0 */
/* See scan_order.h. */
#include "job/scan_order.h"

static sm_bytes behind_lead(const sm_scan_place *p)
{
    return p->lead >= p->key.len ? (sm_bytes){0}
                                 : sm_bytes_of(p->key.data + p->lead, p->key.len - p->lead);
}

int sm_scan_compare(sm_scan_order order, const sm_scan_place *a, const sm_scan_place *b)
{
    if (order != SM_SCAN_MERGED && a->time != b->time) {
        const int up = a->time < b->time ? -1 : 1;
        return order == SM_SCAN_NEWEST ? -up : up;
    }
    const int c = sm_bytes_compare(behind_lead(a), behind_lead(b));
    return c != 0 ? c : sm_bytes_compare(a->key, b->key);
}
