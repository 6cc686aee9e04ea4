/* SPDX-License-Identifier: Apache-2.0 */
/* Which column of a CSV file each field of the schema reads. Internal to the CSV input. */
#ifndef SM_INGEST_CSV_COLUMNS_H
#define SM_INGEST_CSV_COLUMNS_H

#include "ingest/input.h"

/* The columns that a file has. */
typedef struct sm_csv_header {
    const char *path; /* for messages */
    const sm_bytes
        *names; /* NULL when the file has none: then its columns are called c1, c2, ... */
    size_t count;
} sm_csv_header;

/* out->of_field lives in the arena, out->names is header->names. SM_E_INPUT_COLUMN: a used column
 * is missing or its name occurs twice. */
sm_status sm_csv_resolve_columns(const sm_schema *schema, const sm_csv_header *header,
                                 sm_arena *arena, sm_columns *out, sm_error *err) SM_MUST_CHECK;

#endif
