/* SPDX-License-Identifier: Apache-2.0 */
/* Judgement: from the facts that sm_check measured, and from the key expression itself, to findings
 * with a severity, a measured number and a remedy. The codes are one table, check_findings.def. */
#ifndef SM_JOB_CHECK_FINDINGS_H
#define SM_JOB_CHECK_FINDINGS_H

#include "job/check_price.h"

typedef enum sm_severity {
    SM_SEVERITY_NOTE,    /* a cost that may be intended */
    SM_SEVERITY_WARNING, /* slow or lopsided, or rows lost with other data */
    SM_SEVERITY_ERROR,   /* rows are lost, or a run would fail */
    SM_SEVERITY_COUNT
} sm_severity;

typedef enum sm_finding_code {
#define SM_FINDING(name, code, severity, sentence, remedy) SM_FINDING_##name,
#include "job/check_findings.def"
#undef SM_FINDING
    SM_FINDING_COUNT
} sm_finding_code;

typedef struct sm_finding {
    sm_finding_code code;
    sm_severity severity;
    const sm_job_table *table; /* NULL: the job as a whole */
    const char *part;          /* of the key, a family or a query; NULL: the whole */
    const char *text;          /* what was found, with its numbers */
    const char *remedy;
    const char *unit; /* of number: "rows", "share"; NULL: there is no number */
    double number;
    uint64_t sub_salts, scans; /* what heavy-lead proposes, and what it costs; else 0 */
} sm_finding;

typedef struct sm_findings {
    const sm_finding *items; /* gravest first, then by table and code */
    size_t count;
    size_t by_severity[SM_SEVERITY_COUNT];
} sm_findings;

typedef struct sm_check_result {
    const sm_job *job;
    const sm_check_report *report;
    sm_check_prices prices;
} sm_check_result;

/* Everything in *out lives in the arena, or where the report and the job live. */
sm_status sm_check_judge(const sm_check_result *result, sm_arena *arena, sm_findings *out,
                         sm_error *err) SM_MUST_CHECK;

const char *sm_finding_text(sm_finding_code code);  /* "duplicate-keys" */
const char *sm_severity_text(sm_severity severity); /* "warning" */
/* SM_SEVERITY_COUNT when it is none. */
sm_severity sm_severity_named(const char *text);

#endif
