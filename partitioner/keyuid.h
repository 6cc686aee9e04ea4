/* SPDX-License-Identifier: Apache-2.0 */
/* How functions find their dictionary and look names up: shared by uid() and OpenTSDB's tags. */
#ifndef SM_PARTITIONER_KEYUID_H
#define SM_PARTITIONER_KEYUID_H

#include "partitioner/keyfn.h"
#include "partitioner/uids.h"

/* The dictionary that the constant `parameter` names (empty: the only one), noted as used with ids
 * of `width` bytes. What is wrong is told at the constant. */
sm_status sm_key_dictionary(const sm_keycompile *c, const sm_node *node, const char *parameter,
                            unsigned width, sm_uid_dictionary **out, sm_error *err) SM_MUST_CHECK;

/* The id of a name that may not be empty, `width` bytes at p. */
sm_reject sm_put_uid(sm_eval *ev, const sm_op *op, const sm_uid_dictionary *d, sm_bytes name,
                     unsigned width, uint8_t *p);

#endif
