/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of ingest: a scratch folder, a dialect and schema with usual defaults, and a small
 * pipeline that reads everything with some workers and prints it as text, in input order. Nothing
 * here is checked. */
#ifndef SM_TESTS_UNIT_SUPPORT_INGEST_H
#define SM_TESTS_UNIT_SUPPORT_INGEST_H

#include "core/buf.h"
#include "ingest/rejects.h"

enum { INGEST_PATH_SIZE = 512, INGEST_FIELDS = 32, INGEST_INPUTS = 8 };

/* A folder of its own below /tmp; removed by ingest_scratch_remove. */
typedef struct ingest_scratch {
    char path[INGEST_PATH_SIZE];
} ingest_scratch;

void ingest_scratch_make(ingest_scratch *s);
void ingest_scratch_remove(const ingest_scratch *s);
/* Writes a file in it (replacing one); out is its path. */
const char *ingest_scratch_file(const ingest_scratch *s, const char *name, sm_bytes data,
                                char out[INGEST_PATH_SIZE]);
/* A file of the source tree or elsewhere; the caller frees. */
sm_bytes ingest_slurp(const char *path);

typedef struct ingest_job {
    const char *paths[INGEST_INPUTS];
    size_t path_count;
    sm_csv_dialect csv;
    sm_feed feed;
    sm_field fields[INGEST_FIELDS];
    size_t field_count;
    sm_bytes columns[INGEST_FIELDS];
    uint64_t record_limit;
    size_t slice_size;
    unsigned workers;
    const char *rejects; /* folder for reject files, or NULL: rejects are printed only */
    const char *limit;   /* "100", "5%"; NULL: no end */
} ingest_job;

/* Comma, double quote, header, the empty text is null; 64 MiB records, 1 MiB slices, one worker. */
void ingest_job_init(ingest_job *job);
/* Adds text fields, given as "a,b,c". */
void ingest_job_fields(ingest_job *job, const char *names);
/* Names the columns of a file without header, likewise. */
void ingest_job_columns(ingest_job *job, const char *names);

/* Reads all. `out` (initialised) receives one line per record:
 *   + FILE LINE OFFSET RECORD [a][b][null]        values in escaped form, null as ~, numbers as
 * written by type
 *   - FILE LINE OFFSET RECORD code field: message {original, escaped}
 * and a last line "= read accepted rejected blank comment extra". The status is the run's. */
sm_status ingest_run(const ingest_job *job, sm_buf *out, sm_error *err);

/* As ingest_run, into a NUL-terminated text that the caller frees; fails the test on an error. */
char *ingest_text(const ingest_job *job);

#endif
