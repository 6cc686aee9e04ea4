/* SPDX-License-Identifier: Apache-2.0 */
/* Key rules that never change silently: a job's rules against those that are kept in a rule file or
 * with a dataset. The promise belongs to the table: tables that are kept and that the job does not
 * fill are none of its business, so one file may serve several jobs. */
#ifndef SM_JOB_RULE_CHECK_H
#define SM_JOB_RULE_CHECK_H

#include "job/rule_file.h"
#include "job/saltmill.h"

/* Every table of the job is kept in the rule file, manifest or dataset at `path`, under the job's
 * rule. SM_E_KEY_RULE names the change; SM_E_RULE_FILE when nothing can be read there. */
sm_status sm_rule_check(const sm_job *job, const char *path, sm_error *err) SM_MUST_CHECK;

/* The job's rules into the rule file, whose other tables stay; *written is false when it held them
 * already. Rules that would change are SM_E_KEY_RULE unless new_rule is set. */
sm_status sm_rule_write(const sm_job *job, const char *path, bool new_rule, bool *written,
                        sm_error *err) SM_MUST_CHECK;

/* A table of a dataset can be asked under the job's rule; else SM_E_REFUSED. */
sm_status sm_rule_scan_check(const sm_job_table *table, const sm_manifest_table *written,
                             const char *dataset, sm_error *err) SM_MUST_CHECK;

/* ---- for a run ------------------------------------------------------------------------------- */

/* job->rule_file, which must be there, and options->against. */
sm_status sm_rules_before_run(const sm_job *job, const sm_run_options *options, sm_error *err)
    SM_MUST_CHECK;
/* With new_rule: the rule file gets the rule that the published dataset has. */
sm_status sm_rules_after_run(const sm_job *job, const sm_run_options *options, sm_error *err)
    SM_MUST_CHECK;
/* The tables that the job has in common with a dataset that it is to replace. */
sm_status sm_rules_keep_to_manifest(const sm_job *job, const sm_manifest *old, const char *dataset,
                                    sm_error *err) SM_MUST_CHECK;

#endif
