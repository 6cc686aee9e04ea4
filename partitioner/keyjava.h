/* SPDX-License-Identifier: Apache-2.0 */
/* hashCode as the JDK specifies it: String over UTF-16 units, Long, and Arrays.hashCode(byte[]).
 * Shared by salt() and java_hash(). */
#ifndef SM_PARTITIONER_KEYJAVA_H
#define SM_PARTITIONER_KEYJAVA_H

#include "partitioner/keyfn.h"

/* false: text that is not valid UTF-8, which no Java String can be. */
typedef bool (*sm_java_hash_fn)(const sm_value *v, int32_t *out);

/* For arguments of this type; NULL where Java's habit is not known (decimals). */
sm_java_hash_fn sm_java_hash_of(sm_type type);
/* SM_E_EXPR unless the call has exactly one argument of a type that Java can hash. */
sm_status sm_java_check(const sm_keycompile *c, const sm_node *node, sm_error *err) SM_MUST_CHECK;

#endif
