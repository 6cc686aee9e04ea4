/* SPDX-License-Identifier: Apache-2.0 */
/* From a record's bytes to field values: unquoting and unescaping, behind one interface with two
 * engines. libcsv defines what CSV means and serves every dialect that it can express; the odd
 * engine serves delimiters of several bytes and escape bytes. Which one is decided when a reader
 * opens. One engine per thread. */
#ifndef SM_INGEST_CSV_ENGINE_H
#define SM_INGEST_CSV_ENGINE_H

#include "ingest/csv_frame.h"
#include "ingest/input.h"

typedef struct sm_csv_engine sm_csv_engine; /* each engine has its own */

typedef struct sm_csv_engine_type {
    const char *name;
    sm_status (*open)(const sm_csv_frame *f, sm_csv_engine **out, sm_error *err) SM_MUST_CHECK;
    void (*close)(sm_csv_engine *e); /* takes NULL */
    /* Splits one well-formed record, given without its terminator; `quoted` as its span says.
     * Stores the first `room` fields and counts all. Values live until the next split. */
    sm_status (*split)(sm_csv_engine *e, sm_bytes record, bool quoted, sm_fields *out,
                       sm_error *err) SM_MUST_CHECK;
} sm_csv_engine_type;

extern const sm_csv_engine_type sm_csv_libcsv;
extern const sm_csv_engine_type sm_csv_odd;

/* The engine for a dialect. */
const sm_csv_engine_type *sm_csv_engine_for(const sm_csv_frame *f);

#endif
