/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of payloads, for the expansion of rows; the layout is drawn in cells.h. */
#ifndef SM_PARTITIONER_PAYLOAD_H
#define SM_PARTITIONER_PAYLOAD_H

#include "partitioner/cells.h"
#include "partitioner/leb.h"

typedef struct sm_payload_cell {
    uint32_t column;
    sm_bytes qualifier; /* the column's own when that is constant */
    sm_bytes value;
    int64_t timestamp, ttl;
} sm_payload_cell;

enum { SM_PAYLOAD_TTL = 1, SM_PAYLOAD_QUALIFIER = 2 };

/* Reads the entry at *p and moves *p behind it; false when the bytes are not an entry of this
 * layout. */
bool sm_payload_next(const sm_layout *layout, const uint8_t **p, const uint8_t *end,
                     sm_payload_cell *out);
sm_status sm_payload_damaged(const sm_layout *layout, sm_error *err) SM_MUST_CHECK;

/* "f:qualifier" in printable form, for messages. */
const char *sm_column_text(const sm_layout *layout, size_t family, sm_bytes qualifier, char *out,
                           size_t size);

#endif
