/* SPDX-License-Identifier: Apache-2.0 */
/* From the counters of a run to its manifest. Shared by pipeline.c and run_report.c. */
#ifndef SM_JOB_RUN_REPORT_H
#define SM_JOB_RUN_REPORT_H

#include "job/build.h"
#include "job/merge_phase.h"
#include "job/saltmill.h"

typedef struct sm_report_facts {
    const sm_job *job;
    const sm_source *source;
    const sm_rejects *rejects;
    const char *rejects_path; /* where they are published */
    const sm_runs *runs;      /* NULL: the merge did not come about */
    const sm_run_tables *tables;
    sm_build_counts *const *counts; /* [worker][number of the table] */
    const sm_merged_part *parts;
    const size_t *listed; /* parts in the order of the manifest */
    const char *fingerprint;
    sm_runs_stats stats;
    double build_seconds, merge_seconds;
} sm_report_facts;

/* Fills report->manifest and report->rejects from what there is. */
sm_status sm_report_fill(const sm_report_facts *facts, sm_run_report *report, sm_error *err)
    SM_MUST_CHECK;

/* The report owns this arena from now on (names and keys of files lie in it). Takes NULL. */
void sm_report_adopt(sm_run_report *report, sm_arena *arena);

#endif
