/* SPDX-License-Identifier: Apache-2.0 */
/* Values of fields as people write and read them on a command line. */
#ifndef SM_JOB_FIELD_TEXT_H
#define SM_JOB_FIELD_TEXT_H

#include "job/job.h"

/* As the input would read the text (null texts, charset, window of times); times also as RFC 3339
 * or a date, which begins in the field's zone. A text's bytes are views of `text`. SM_E_USAGE says
 * what was found and expected. */
sm_status sm_field_read(const sm_job *job, const sm_field *field, sm_bytes text, sm_value *out,
                        sm_error *err) SM_MUST_CHECK;

/* Appends it: texts escaped, times as RFC 3339 in the field's zone. */
sm_status sm_field_print(const sm_field *field, const sm_value *value, sm_buf *out, sm_error *err)
    SM_MUST_CHECK;

/* RFC 3339 with ms; ms since 1970 outside the years 1 ... 9999. zone NULL: UTC. */
sm_status sm_print_instant(const sm_zone *zone, int64_t ms, sm_buf *out, sm_error *err)
    SM_MUST_CHECK;

#endif
