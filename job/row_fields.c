/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a row, and the condition on them; see row_fields.h. */
#include "job/row_fields.h"

#include "core/escape.h"
#include "core/mem.h"
#include "partitioner/keydecode.h"

#include <string.h>

/* One entry of the job's cells. */
typedef struct column_reader {
    sm_bytes family;
    bool constant;
    sm_bytes qualifier;            /* when constant */
    sm_key_decoder *names, *value; /* names: of the qualifier, NULL when constant */
    int time_field;                /* that the cell timestamp is, or -1 */
    int null_field;                /* the one field that is null where the cell is absent, or -1 */
} column_reader;

struct sm_row_fields {
    const sm_job *job;
    const sm_job_table *table;
    const sm_expr *condition;
    bool superset;
    sm_arena *arena;
    sm_eval *eval;
    sm_key_decoder *key;
    column_reader *columns;
    size_t column_count;
    bool *needed;             /* by the condition; schema order like the rest */
    sm_field_set fields;      /* of the row */
    sm_field_set cell_fields; /* of the cell at hand */
};

/* ---- making ---------------------------------------------------------------------------------- */

static sm_status open_column(sm_row_fields *r, size_t i, bool *flags, sm_error *err)
{
    const sm_schema *schema = &r->job->schema;
    const sm_job_cell *cell = &r->table->cells[i];
    const sm_column *column = &r->table->layout.columns[i];
    column_reader *c = &r->columns[i];
    const sm_expr *timestamp = cell->timestamp != NULL ? cell->timestamp : r->table->timestamp;
    *c = (column_reader){.family = r->table->layout.families[column->family],
                         .constant = column->qualifier_is_constant,
                         .qualifier = column->qualifier,
                         .time_field = timestamp == NULL ? -1 : sm_expr_field(timestamp),
                         .null_field = -1};
    r->column_count++;
    sm_status st = sm_key_decoder_new(cell->value, schema, &c->value, err);
    if (st == SM_OK && cell->qualifier != NULL) {
        st = sm_key_decoder_new(cell->qualifier, schema, &c->names, err);
    }
    if (st != SM_OK || !c->constant || cell->when != NULL) {
        return st;
    }
    /* A value made of one field alone: no cell, so it was null. */
    memset(flags, 0, (schema->count + 1) * sizeof *flags);
    sm_expr_fields(cell->value, flags);
    int fields = 0;
    for (size_t f = 0; f < schema->count; f++) {
        fields += flags[f];
        c->null_field = flags[f] ? (int)f : c->null_field;
    }
    sm_key_recoverable(c->value, flags);
    if (fields != 1 || !flags[c->null_field]) {
        c->null_field = -1;
    }
    return SM_OK;
}

static sm_status make_arrays(sm_row_fields *r, sm_error *err)
{
    const size_t n = r->job->schema.count + 1;
    r->needed = sm_arena_array(r->arena, n, sizeof *r->needed);
    r->fields.values = sm_arena_array(r->arena, n, sizeof(sm_value));
    r->cell_fields.values = sm_arena_array(r->arena, n, sizeof(sm_value));
    r->fields.known = sm_arena_array(r->arena, n, sizeof(bool));
    r->cell_fields.known = sm_arena_array(r->arena, n, sizeof(bool));
    r->columns = sm_arena_array(r->arena, r->table->layout.column_count + 1, sizeof *r->columns);
    if (r->needed == NULL || r->fields.values == NULL || r->cell_fields.values == NULL ||
        r->fields.known == NULL || r->cell_fields.known == NULL || r->columns == NULL) {
        return sm_fail_memory(err, n * sizeof(sm_value), "the fields of a row");
    }
    if (r->condition != NULL) {
        sm_expr_fields(r->condition, r->needed);
    }
    return SM_OK;
}

/* Adds what a decoder can give to the flags. */
static void add_recoverable(const sm_row_fields *r, const sm_key_decoder *d, bool *scratch,
                            bool *flags)
{
    if (d == NULL) {
        return;
    }
    sm_key_recoverable(d, scratch);
    for (size_t i = 0; i < r->job->schema.count; i++) {
        flags[i] = flags[i] || scratch[i];
    }
}

/* The first field that the condition needs and neither row nor cell can give; NULL: none. */
static const char *out_of_reach(sm_row_fields *r)
{
    bool *reach = r->fields.known;
    add_recoverable(r, r->key, r->cell_fields.known, reach);
    for (size_t i = 0; i < r->column_count; i++) {
        const column_reader *c = &r->columns[i];
        add_recoverable(r, c->value, r->cell_fields.known, reach);
        add_recoverable(r, c->names, r->cell_fields.known, reach);
        if (c->time_field >= 0) {
            reach[c->time_field] = true;
        }
    }
    for (size_t i = 0; i < r->job->schema.count; i++) {
        if (r->needed[i] && !reach[i]) {
            return r->job->schema.fields[i].name;
        }
    }
    return NULL;
}

static sm_status fill(sm_row_fields *r, sm_error *err)
{
    sm_status st = sm_arena_new(4096, &r->arena, err);
    if (st == SM_OK) {
        st = make_arrays(r, err);
    }
    if (st == SM_OK) {
        st = sm_eval_new(r->job->cell_limit, &r->eval, err);
    }
    if (st == SM_OK) {
        st = sm_key_decoder_new(r->table->key, &r->job->schema, &r->key, err);
    }
    for (size_t i = 0; st == SM_OK && i < r->table->layout.column_count; i++) {
        st = open_column(r, i, r->cell_fields.known, err);
    }
    if (st != SM_OK || r->superset) {
        return st;
    }
    const char *field = out_of_reach(r);
    return field == NULL
               ? SM_OK
               : sm_fail(err, SM_E_REFUSED,
                         "table %s: the condition asks for %s, which no part of the key and no "
                         "cell gives back; store it in a cell, or take --superset to get the rows "
                         "of the ranges untested",
                         r->table->name, field);
}

sm_status sm_row_fields_new(const sm_job *job, const sm_job_table *table, const sm_expr *condition,
                            bool superset, sm_row_fields **out, sm_error *err)
{
    void *p = NULL;
    *out = NULL;
    sm_status st = sm_new(sizeof(sm_row_fields), "the fields of a row", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_row_fields *r = p;
    r->job = job;
    r->table = table;
    r->condition = condition;
    r->superset = superset;
    st = fill(r, err);
    if (st != SM_OK) {
        sm_row_fields_free(r);
        return st;
    }
    *out = r;
    return SM_OK;
}

void sm_row_fields_free(sm_row_fields *r)
{
    if (r == NULL) {
        return;
    }
    for (size_t i = 0; i < r->column_count; i++) {
        sm_key_decoder_free(r->columns[i].names);
        sm_key_decoder_free(r->columns[i].value);
    }
    sm_key_decoder_free(r->key);
    sm_eval_free(r->eval);
    sm_arena_free(r->arena);
    sm_free(r);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void set_number(int field, int64_t number, sm_field_set *set)
{
    if (field >= 0 && !set->known[field]) {
        set->values[field] = (sm_value){.number = number};
        set->known[field] = true;
    }
}

/* What a decoder knows is added where nothing is known yet. */
static sm_status add_decoded(const sm_row_fields *r, sm_key_decoder *d, sm_bytes bytes,
                             sm_field_set *set, bool *fits, sm_error *err)
{
    sm_key_decoded out;
    const sm_status st = sm_key_decode(d, bytes, &out, err);
    *fits = st == SM_OK && out.fits;
    for (size_t i = 0; *fits && i < r->job->schema.count; i++) {
        if (out.known[i] && !set->known[i]) {
            set->values[i] = out.values[i];
            set->values[i].is_null = false;
            set->known[i] = true;
        }
    }
    return st;
}

static const sm_cell *find_cell(const column_reader *c, const sm_row_view *row)
{
    for (size_t i = 0; i < row->count; i++) {
        if (sm_bytes_equal(row->cells[i].family, c->family) &&
            sm_bytes_equal(row->cells[i].qualifier, c->qualifier)) {
            return &row->cells[i];
        }
    }
    return NULL;
}

static sm_status read_constant(sm_row_fields *r, const column_reader *c, const sm_row_view *row,
                               sm_error *err)
{
    const sm_cell *cell = find_cell(c, row);
    bool fits = false;
    if (cell != NULL) {
        set_number(c->time_field, cell->timestamp, &r->fields);
        return add_decoded(r, c->value, cell->value, &r->fields, &fits, err);
    }
    if (c->null_field >= 0 && !r->fields.known[c->null_field]) {
        r->fields.values[c->null_field] = (sm_value){.is_null = true};
        r->fields.known[c->null_field] = true;
    }
    return SM_OK;
}

sm_status sm_row_fields_read(sm_row_fields *r, const sm_row_view *row, const sm_field_set **out,
                             sm_error *err)
{
    bool fits = false;
    memset(r->fields.known, 0, (r->job->schema.count + 1) * sizeof(bool));
    sm_status st = add_decoded(r, r->key, row->key, &r->fields, &fits, err);
    for (size_t i = 0; st == SM_OK && i < r->column_count; i++) {
        if (r->columns[i].constant) {
            st = read_constant(r, &r->columns[i], row, err);
        }
    }
    *out = &r->fields;
    return st;
}

/* ---- testing --------------------------------------------------------------------------------- */

static bool all_needed(const sm_row_fields *r, const bool *known)
{
    for (size_t i = 0; i < r->job->schema.count; i++) {
        if (r->needed[i] && !known[i]) {
            return false;
        }
    }
    return true;
}

static bool meets(sm_row_fields *r, const sm_value *values)
{
    const sm_record record = {.values = values, .count = r->job->schema.count};
    bool yes = false;
    sm_eval_reset(r->eval);
    return sm_expr_test(r->condition, r->eval, &record, &yes) == SM_REJECT_NONE && yes;
}

/* The cell as one of the table's expression columns: all fields of its record that can be had. */
static sm_status read_cell(sm_row_fields *r, const column_reader *c, const sm_cell *cell,
                           bool *fits, sm_error *err)
{
    const size_t n = r->job->schema.count;
    memcpy(r->cell_fields.values, r->fields.values, n * sizeof(sm_value));
    memcpy(r->cell_fields.known, r->fields.known, n * sizeof(bool));
    sm_status st = add_decoded(r, c->names, cell->qualifier, &r->cell_fields, fits, err);
    if (st == SM_OK && *fits) {
        st = add_decoded(r, c->value, cell->value, &r->cell_fields, fits, err);
    }
    set_number(c->time_field, cell->timestamp, &r->cell_fields);
    return st;
}

static sm_status undecided(const sm_row_fields *r, sm_bytes key, sm_error *err)
{
    char text[200];
    return sm_fail(err, SM_E_REFUSED,
                   "table %s: row %s does not give back all fields that the condition asks for "
                   "(its key can be read in several ways, or a cell is missing); say what a padded "
                   "text holds, such as charset: digits, store the field in a cell, or take "
                   "--superset to get such rows untested",
                   r->table->name, sm_escape_short(key, text, sizeof text));
}

static sm_status test_cell(sm_row_fields *r, const sm_cell *cell, bool *keep, bool *decided,
                           sm_error *err)
{
    *keep = false;
    *decided = false;
    for (size_t i = 0; i < r->column_count && !*decided; i++) {
        const column_reader *c = &r->columns[i];
        bool fits = false;
        if (!sm_bytes_equal(c->family, cell->family)) {
            continue;
        }
        if (c->constant && sm_bytes_equal(c->qualifier, cell->qualifier)) {
            *decided = true; /* of the row, not of one record */
            return SM_OK;
        }
        if (c->constant) {
            continue;
        }
        const sm_status st = read_cell(r, c, cell, &fits, err);
        if (st != SM_OK) {
            return st;
        }
        if (fits && all_needed(r, r->cell_fields.known)) {
            *decided = true;
            *keep = meets(r, r->cell_fields.values);
        }
    }
    return SM_OK;
}

static sm_status test_cells(sm_row_fields *r, const sm_row_view *row, bool *keep, bool *any,
                            sm_error *err)
{
    for (size_t i = 0; i < row->count; i++) {
        bool decided = false;
        const sm_status st = test_cell(r, &row->cells[i], &keep[i], &decided, err);
        if (st != SM_OK) {
            return st;
        }
        if (!decided && !r->superset) {
            return undecided(r, row->key, err);
        }
        keep[i] = keep[i] || !decided;
        *any = *any || keep[i];
    }
    return SM_OK;
}

static bool has_records_in_cells(const sm_row_fields *r)
{
    bool any = false;
    for (size_t i = 0; i < r->column_count; i++) {
        any |= !r->columns[i].constant;
    }
    return any;
}

sm_status sm_row_fields_test(sm_row_fields *r, const sm_row_view *row, bool *keep, bool *any,
                             sm_error *err)
{
    const sm_field_set *set = NULL;
    *any = false;
    if (r->condition != NULL) {
        const sm_status st = sm_row_fields_read(r, row, &set, err);
        if (st != SM_OK) {
            return st;
        }
        if (!all_needed(r, set->known) && has_records_in_cells(r)) {
            return test_cells(r, row, keep, any, err);
        }
        if (!all_needed(r, set->known) && !r->superset) {
            return undecided(r, row->key, err);
        }
    }
    *any = set == NULL || !all_needed(r, set->known) || meets(r, set->values);
    for (size_t i = 0; i < row->count; i++) {
        keep[i] = *any;
    }
    return SM_OK;
}
