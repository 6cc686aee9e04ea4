/* SPDX-License-Identifier: Apache-2.0 */
/* The frozen job: everything that a job file says, typed and checked, before a record is read.
 *
 * sm_job_load reads the YAML, fills ${name}, applies the options of the command line (option > job
 * file > default), compiles all expressions and makes the split points. What cannot work is refused
 * here with file, line and column. Afterwards the job is never changed and is shared by all
 * threads. Everything it points to lives in its arena until sm_job_free. */
#ifndef SM_JOB_JOB_H
#define SM_JOB_JOB_H

#include "core/log.h"
#include "formats/sink.h"
#include "ingest/rejects.h"
#include "job/yaml_node.h"
#include "partitioner/cells.h"
#include "partitioner/expr.h"
#include "partitioner/splits.h"

enum { SM_FINGERPRINT_TEXT = 33 }; /* 32 hexadecimal digits and a NUL */
enum { SM_THREADS_MAX = 256 };

typedef struct sm_job_family {
    sm_bytes name;
    const char *name_text;
    sm_sink_options sink; /* path and notes are filled per file */
    int64_t ttl_s;        /* for the create statement; 0: not said */
    int64_t versions;     /* likewise */
} sm_job_family;

typedef struct sm_job_cell {
    const char *where; /* "tables[0].cells.f:b", for rejects and messages */
    const sm_expr *value;
    const sm_expr *qualifier; /* NULL: constant, in the layout's column */
    const sm_expr *timestamp; /* NULL: the row's */
    const sm_expr *ttl;       /* NULL: none */
    const sm_expr *when;      /* NULL: always */
} sm_job_cell;

/* A declared question, in the terms of `plan`; read by `check` alone. */
typedef struct sm_job_query {
    const char *text;
    const char *const *terms;
    size_t term_count;
} sm_job_query;

typedef struct sm_job_table {
    /* "table" or "namespace:table"; as the job file has it where records name their tables. */
    const char *name;
    const char *view;         /* what key(), colocated_with and --table call this entry: `view`, or
                               * its name */
    const sm_expr *name_expr; /* NULL: one table of a fixed name; else see table_set.h */
    const char *directory;    /* "table" or "namespace/table" */
    const char *where;        /* "tables[0]" */
    const sm_expr *key;
    const char *key_where; /* "tables[0].key" */
    const char *key_canonical;
    const char *key_rule; /* the lines that the fingerprint covers; see job_canonical.c */
    char key_fingerprint[SM_FINGERPRINT_TEXT];
    const sm_splits *splits;
    sm_split_spec split_spec; /* what the job said about them */
    const sm_expr *when;      /* NULL: every record */
    /* The entry beside whose rows these lie, in the same regions; NULL: none. */
    const struct sm_job_table *colocated_with;
    const sm_expr *timestamp;      /* NULL: fixed */
    int64_t fixed_timestamp;       /* ms */
    const sm_job_family *families; /* sorted bytewise */
    size_t family_count;
    const sm_job_cell *cells; /* one per column of the layout */
    sm_layout layout;
    /* Rows come from the dictionaries and not from records, which `when` never selects: OpenTSDB's
     * tsdb-uid. NULL: an ordinary table. */
    const struct sm_uid_rows *uid_rows;
    const sm_job_query *queries; /* what will be asked; decides nothing of the data */
    size_t query_count;
} sm_job_table;

/* Only records whose time lies in [from, to) are wanted. */
typedef struct sm_job_time_range {
    const sm_expr *time; /* NULL: all are */
    int64_t from, to;    /* ms */
} sm_job_time_range;

typedef struct sm_job {
    const char *path; /* of the job file, for messages */

    const char *const *inputs;
    size_t input_count;
    const char *input_format;
    sm_csv_dialect csv;
    sm_feed feed;
    sm_schema schema;
    const sm_expr *where; /* NULL: every record */
    sm_job_time_range time_range;
    const int *identity;
    size_t identity_count;
    bool numbers_rows;             /* row_number() is used: the inputs must be a list of files */
    uint64_t seed;                 /* of random() and pick() */
    const sm_expr_define *defines; /* define and input.let */
    size_t define_count;
    const sm_expr_view *views; /* one per table, in order */
    size_t view_count;
    struct sm_uids *uids;  /* dictionaries of uid(); NULL: none are named */
    const char *rule_file; /* where key rules are kept; NULL: nowhere */

    const sm_job_table *tables;
    size_t table_count;

    const char *output_format;
    const char *output; /* directory to appear */
    uint64_t roll;      /* bytes after which a file ends at the next row */

    sm_reject_limit rejects;
    uint64_t memory; /* bytes for the whole process */
    uint64_t cell_limit, record_limit;
    unsigned threads;

    const char *canonical;    /* one spelling of all that decides the data; see job_canonical.c */
    const char *const *notes; /* remarks of the split makers, for the log */
    size_t note_count;
} sm_job;

/* What the command line says over the job file. */
typedef struct sm_job_options {
    sm_settings settings;
    const char *const *inputs; /* --input, replaces input.files */
    size_t input_count;
    const char *output;  /* --output */
    const char *memory;  /* --memory */
    const char *rejects; /* --rejects */
    unsigned threads;    /* --threads; 0: the machine's */
    bool no_output;      /* the command writes nothing, so a job without output will do */
    bool no_input;       /* it reads no input, so a job without input.files will do */
} sm_job_options;

sm_status sm_job_load(const char *path, sm_job_options *options, sm_job **out, sm_error *err)
    SM_MUST_CHECK;
void sm_job_free(sm_job *job); /* takes NULL */

/* As TableName.isLegalFullyQualifiedTableName, and short enough to be a folder. */
bool sm_job_legal_table_name(sm_bytes name);

/* The first 16 bytes of the text's SHA-256, in hexadecimal. */
sm_status sm_job_fingerprint(sm_bytes text, char out[SM_FINGERPRINT_TEXT], sm_error *err)
    SM_MUST_CHECK;

#endif
