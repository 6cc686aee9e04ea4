/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions of a job (Perl's, by PCRE2), matched against bytes: a path, a line. Bytes and
 * not characters, so that a path or a line in any encoding can be looked at. Not for records:
 * nothing here is fast, and a match keeps its result in the pattern, which is for one thread at a
 * time. */
#ifndef SM_INGEST_PATTERN_H
#define SM_INGEST_PATTERN_H

#include "core/bytes.h"
#include "core/error.h"

typedef struct sm_pattern sm_pattern;

/* SM_E_JOB with the place in the text; what names the option ("input.trailer"). */
sm_status sm_pattern_new(const char *text, const char *what, sm_pattern **out, sm_error *err)
    SM_MUST_CHECK;
void sm_pattern_free(sm_pattern *p); /* takes NULL */
const char *sm_pattern_text(const sm_pattern *p);

/* Named groups, sorted by name, each name once. */
size_t sm_pattern_group_count(const sm_pattern *p);
const char *sm_pattern_group_name(const sm_pattern *p, size_t group);

/* Does it match anywhere in the subject? SM_E_INPUT_READ when the search takes too many steps;
 * where begins that message. */
sm_status sm_pattern_match(sm_pattern *p, sm_bytes subject, const char *where, bool *found,
                           sm_error *err) SM_MUST_CHECK;
/* What a group took in the last match, which must have been one; false: it took no part. The bytes
 * are the subject's. */
bool sm_pattern_group(const sm_pattern *p, size_t group, sm_bytes *out);

#endif
