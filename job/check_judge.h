/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that make findings (check_findings.c and check_judge_*.c): the list while it
 * grows. The first failure sticks in `st`, so that the rules read as a list. */
#ifndef SM_JOB_CHECK_JUDGE_H
#define SM_JOB_CHECK_JUDGE_H

#include "job/check_findings.h"

typedef struct sm_judge {
    const sm_check_result *result;
    const sm_check_table *table; /* at hand; NULL: the job as a whole */
    sm_arena *arena;
    sm_finding *items;
    size_t count, room;
    sm_error *err;
    sm_status st;
} sm_judge;

/* Adds a finding with its usual severity and remedy. Never NULL: without memory it is a spare one,
 * and st says so. Good until the next one is added. */
sm_finding *sm_judge_add(sm_judge *j, sm_finding_code code);
void sm_judge_number(sm_finding *f, const char *unit, double number);
/* Text in the arena; NULL without memory. */
const char *sm_judge_format(sm_judge *j, const char *fmt, ...) SM_PRINTF(2, 3);
/* Bytes as the shell prints them, cut to 60 characters. */
const char *sm_judge_shown(sm_judge *j, sm_bytes bytes);

void sm_judge_rejects(sm_judge *j); /* of the job: check_judge_rows.c */
void sm_judge_rows(sm_judge *j);    /* keys, names: check_judge_rows.c */
void sm_judge_regions(sm_judge *j); /* regions, salts, hot spots: check_judge_regions.c */
void sm_judge_traps(sm_judge *j);   /* the expression: check_judge_traps.c */
void sm_judge_queries(sm_judge *j); /* of all tables: check_judge_traps.c */

#endif
