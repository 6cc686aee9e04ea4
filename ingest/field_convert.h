/* SPDX-License-Identifier: Apache-2.0 */
/* From a field's text to its typed value: null rules, charset, int, decimal, time with its window.
 * Knows no input format. Thread-safe. */
#ifndef SM_INGEST_FIELD_CONVERT_H
#define SM_INGEST_FIELD_CONVERT_H

#include "ingest/input.h"
#include "ingest/reader.h"

typedef struct sm_nulls {
    const sm_bytes *texts; /* unquoted texts that mean null */
    size_t count;
} sm_nulls;

/* SM_REJECT_NONE, or why the field can't be what the schema says. Counts local times that a policy
 * resolved. */
sm_reject sm_field_convert(const sm_field *field, const sm_field_text *text, const sm_nulls *nulls,
                           sm_value *out, sm_reader_counts *counts);
/* The sentence for the sidecar: what was found, what was expected, what to do. */
void sm_field_describe(const sm_field *field, const sm_field_text *text, sm_reject code,
                       char out[SM_REJECT_TEXT_SIZE]);

#endif
