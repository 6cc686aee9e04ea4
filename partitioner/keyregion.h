/* SPDX-License-Identifier: Apache-2.0 */
/* What a call of region_start() can be: shared by the function itself, the planner and the decoder,
 * which try or check its values. */
#ifndef SM_PARTITIONER_KEYREGION_H
#define SM_PARTITIONER_KEYREGION_H

#include "partitioner/keytree.h"
#include "partitioner/splits.h"

/* The node must be a typed call of region_start(). */
const sm_splits *sm_region_start_splits(const sm_node *node);
/* Region 0 begins with the declared stand-in for its empty start. */
sm_bytes sm_region_start_at(const sm_node *node, size_t region);
/* False: no region begins with these bytes. */
bool sm_region_start_is(const sm_node *node, sm_bytes bytes);

#endif
