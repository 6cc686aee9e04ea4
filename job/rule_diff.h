/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of two key rules in the field's words, for messages:
 *
 *   salt(300, caller, hash: murmur3) is now salt(100, caller, hash: murmur3)
 *   the same parts in another order: callee + rev_ts(start) is now rev_ts(start) + callee
 *   field start: zone Asia/Shanghai is now UTC
 *   null texts: "" is now "" "NULL" */
#ifndef SM_JOB_RULE_DIFF_H
#define SM_JOB_RULE_DIFF_H

#include "core/buf.h"
#include "job/rule_file.h"

/* Appends the changes, "; " between them; nothing for equal rules. Long values are cut with "...".
 */
sm_status sm_rule_difference(const sm_rule *was, const sm_rule *now, sm_buf *out, sm_error *err)
    SM_MUST_CHECK;

#endif
