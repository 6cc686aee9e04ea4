/* SPDX-License-Identifier: Apache-2.0 */
/* A check's report for people, or as JSON. Both are the same for any number of threads. */
#ifndef SM_JOB_CHECK_PRINT_H
#define SM_JOB_CHECK_PRINT_H

#include "job/check_findings.h"

sm_status sm_check_print_text(const sm_check_result *result, const sm_findings *findings,
                              sm_buf *out, sm_error *err) SM_MUST_CHECK;
/* The names are described in docs/guide.md. */
sm_status sm_check_print_json(const sm_check_result *result, const sm_findings *findings,
                              sm_buf *out, sm_error *err) SM_MUST_CHECK;

#endif
