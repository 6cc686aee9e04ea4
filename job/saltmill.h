/* SPDX-License-Identifier: Apache-2.0 */
/* The library's face: load a job, run it, verify what it made.
 *
 *   sm_job_options o = {0};
 *   sm_job *job = NULL;
 *   sm_error err = {0};
 *   if (sm_job_load("cdr.yaml", &o, &job, &err) == SM_OK) {
 *       sm_run_report report;
 *       sm_status st = sm_run(job, &(sm_run_options){.log = &log}, &report, &err);
 *       ...
 *       sm_run_report_free(&report);
 *   }
 *   sm_job_free(job);
 *
 * Exit status for a finished run: 0, or 3 when report.manifest.counts.rejected is not 0; for an
 * error sm_status_exit(err.code). */
#ifndef SM_JOB_SALTMILL_H
#define SM_JOB_SALTMILL_H

#include "core/stop.h"
#include "formats/manifest.h"
#include "job/job.h"

typedef struct sm_run_options {
    bool replace; /* swap an existing dataset for the new one */
    const char
        *against;      /* a rule file, manifest or dataset with the key rules to keep to; or NULL */
    bool new_rule;     /* key rules may change; job->rule_file is then brought up to date */
    const sm_log *log; /* NULL: silent */
    sm_stop *stop;     /* NULL: cannot be interrupted */
} sm_run_options;

typedef struct sm_run_report {
    bool already_complete; /* the dataset was there, whole and from the same job and inputs */
    const char *output;    /* the dataset */
    const char *rejects;   /* directory of rejected records, NULL when there are none */
    sm_manifest manifest;  /* also filled, as far as it got, when the run failed on rejects */
    sm_arena *arena;       /* owns all of the above, with the adopted ones */
    sm_arena *adopted[SM_THREADS_MAX];
    unsigned adopted_count;
} sm_run_report;

/* All or nothing: on any failure the output is as it was before. Rejects are published also when it
 * fails. */
sm_status sm_run(const sm_job *job, const sm_run_options *options, sm_run_report *report,
                 sm_error *err) SM_MUST_CHECK;
void sm_run_report_free(sm_run_report *report); /* takes a zeroed report */

typedef struct sm_verify_report {
    uint64_t files, cells, bytes;
} sm_verify_report;

/* A dataset against its manifest: every file's size and hash, every block, checksum, index entry
 * and bloom bit, the order of cells, region bounds, counts; and that no other file lies in it. */
sm_status sm_verify(const char *dataset, unsigned threads, sm_verify_report *report, sm_error *err)
    SM_MUST_CHECK;

/* What differs from the job itself. */
typedef struct sm_ddl_options {
    const char *table;          /* NULL: all; else the only one that is made, as --table names it */
    const sm_manifest *dataset; /* NULL: none; whose tables are made where records name them */
    const sm_splits *splits;    /* NULL: the job's own; else those of `table`, or of the only one */
} sm_ddl_options;

/* Statements for the HBase shell that create the job's tables with families and splits, one a line.
 */
sm_status sm_ddl(const sm_job *job, const sm_ddl_options *options, sm_buf *out, sm_error *err)
    SM_MUST_CHECK;

#endif
