/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that come from dictionaries: OpenTSDB's table of names, tsdb-uid.
 *
 *   row name       id:metrics | id:tagk | id:tagv       = id, 3 bytes
 *   row id         name:metrics | name:tagk | name:tagv = name
 *   row 00         id:metrics | id:tagk | id:tagv       = the greatest id, 8 bytes: where
 * OpenTSDB's own counting goes on
 *
 * Each cell's timestamp is the id in ms: no clock, and it grows with the dictionary. */
#ifndef SM_JOB_UID_ROWS_H
#define SM_JOB_UID_ROWS_H

#include "job/build.h"

enum { SM_UID_KINDS = 3, SM_UID_ROWS_WIDTH = 3 };

typedef struct sm_uid_rows {
    const struct sm_uid_dictionary *kinds[SM_UID_KINDS]; /* metrics, tagk, tagv */
} sm_uid_rows;

/* Adds the rows of all such tables of the job to the run store, as its first worker; counts[table]
 * is told. */
sm_status sm_uid_rows_add(const sm_job *job, sm_runs *runs, sm_build_counts *counts, sm_error *err)
    SM_MUST_CHECK;

#endif
