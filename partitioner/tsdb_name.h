/* SPDX-License-Identifier: Apache-2.0 */
/* Names as OpenTSDB keeps them: in ISO-8859-1 (UniqueId.toBytes), while ours are UTF-8. */
#ifndef SM_PARTITIONER_TSDB_NAME_H
#define SM_PARTITIONER_TSDB_NAME_H

#include "core/bytes.h"

/* The ISO-8859-1 bytes of a UTF-8 name, no more than name.len, at out. False when the name is not
 * UTF-8 or has a character that ISO-8859-1 has not. */
bool sm_tsdb_name_encode(sm_bytes name, uint8_t *out, size_t *len);

/* Does OpenTSDB take it as a new name? Letters, digits and - _ . / as Tags.validateString has it;
 * letters beyond ISO-8859-1 would pass there, but be stored as '?', all under one name. */
bool sm_tsdb_name_allowed(sm_bytes name);

#endif
