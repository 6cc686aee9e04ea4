/* SPDX-License-Identifier: Apache-2.0 */
/* From a row of a table back to the fields of the record it came from, and a condition on them.
 *
 * A field is taken from the row key, else from a cell with a constant qualifier whose value gives
 * it back, else from the cell timestamp where that is the field. Where qualifiers are expressions,
 * many records lie in one row, each in a cell of its own: then fields of qualifier, value and
 * timestamp belong to that cell, and the condition chooses among cells. One thread. */
#ifndef SM_JOB_ROW_FIELDS_H
#define SM_JOB_ROW_FIELDS_H

#include "core/kv.h"
#include "job/job.h"

typedef struct sm_row_fields sm_row_fields;

/* A row as a scan has it: cells in HBase's order over all families. */
typedef struct sm_row_view {
    sm_bytes key;
    const sm_cell *cells;
    size_t count;
} sm_row_view;

/* Fields in schema order; values[i] says something where known[i]. */
typedef struct sm_field_set {
    sm_value *values;
    bool *known;
} sm_field_set;

/* condition: NULL means every row. SM_E_REFUSED when it needs a field that is nowhere in the table,
 * unless `superset` asks to leave out what cannot be tested. */
sm_status sm_row_fields_new(const sm_job *job, const sm_job_table *table, const sm_expr *condition,
                            bool superset, sm_row_fields **out, sm_error *err) SM_MUST_CHECK;
void sm_row_fields_free(sm_row_fields *r); /* takes NULL */

/* The record's values as far as the row shows them; they live until the next call and as long as
 * the row. */
sm_status sm_row_fields_read(sm_row_fields *r, const sm_row_view *row, const sm_field_set **out,
                             sm_error *err) SM_MUST_CHECK;

/* keep[i]: cell i belongs to a record that meets the condition; *any: at least one does. */
sm_status sm_row_fields_test(sm_row_fields *r, const sm_row_view *row, bool *keep, bool *any,
                             sm_error *err) SM_MUST_CHECK;

#endif
