/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean ...?": the known name nearest to a mistyped one, by edit distance. For messages
 * only. */
#ifndef SM_CORE_NEAREST_H
#define SM_CORE_NEAREST_H

#include "core/bytes.h"

typedef struct sm_nearest {
    sm_bytes wanted;
    const char *best;
    size_t distance;
} sm_nearest;

void sm_nearest_start(sm_nearest *n, sm_bytes wanted);
/* name must outlive the answer. */
void sm_nearest_offer(sm_nearest *n, const char *name);
/* NULL when nothing is near enough (at most a third of the name's length, 1 from three letters on).
 */
const char *sm_nearest_best(const sm_nearest *n);

#endif
