/* SPDX-License-Identifier: Apache-2.0 */
/* `uid_rows` of a table, and the rows made from it. Everything in the dictionaries is written, not
 * only what is new: the rows of every night are whole, and equal cells do no harm. The dictionaries
 * are UTF-8, the rows ISO-8859-1, as OpenTSDB (UniqueId) writes and reads them. */
#include "job/uid_rows.h"

#include "core/endian.h"
#include "core/escape.h"
#include "core/mem.h"
#include "job/job_reader.h"
#include "partitioner/payload.h"
#include "partitioner/tsdb_name.h"
#include "partitioner/uids.h"

#include <string.h>

static const char *const KINDS[SM_UID_KINDS] = {"metric", "tagk", "tagv"};
static const char *const QUALIFIERS[SM_UID_KINDS] = {"metrics", "tagk", "tagv"};

/* ---- reading --------------------------------------------------------------------------------- */

static sm_status find_dictionary(sm_job_reader *r, const sm_yaml_node *node, size_t kind,
                                 const sm_uid_dictionary **out)
{
    const sm_yaml_node *named = sm_yaml_node_get(node, KINDS[kind]);
    const char *name = NULL;
    if (named == NULL) {
        return sm_job_fail(r, node, "uid_rows needs \"%s\", the name of a dictionary", KINDS[kind]);
    }
    const sm_status st = sm_job_text(r, named, KINDS[kind], &name);
    if (st != SM_OK) {
        return st;
    }
    sm_uid_dictionary *d = sm_uids_find(r->job->uids, sm_bytes_text(name));
    if (d == NULL) {
        return sm_job_fail(r, named, "there is no dictionary \"%s\" among the job's uids", name);
    }
    d->used = true;
    d->opentsdb = true;
    *out = d;
    return SM_OK;
}

/* Columns are family id for the three kinds, then family name. */
static bool fits_layout(const sm_layout *layout)
{
    bool fits = layout->column_count == 2 * SM_UID_KINDS;
    for (size_t i = 0; fits && i < layout->column_count; i++) {
        const sm_column *c = &layout->columns[i];
        fits = sm_bytes_equal_text(layout->families[c->family], i < SM_UID_KINDS ? "id" : "name") &&
               c->qualifier_is_constant &&
               sm_bytes_equal_text(c->qualifier, QUALIFIERS[i % SM_UID_KINDS]);
    }
    return fits;
}

sm_status sm_job_read_uid_rows(sm_job_reader *r, const sm_yaml_node *node, sm_job_table *table)
{
    sm_status st = sm_job_want(r, node, SM_YAML_MAP, "uid_rows");
    sm_uid_rows *rows = sm_arena_array(r->arena, 1, sizeof *rows);
    if (st != SM_OK || rows == NULL) {
        return st != SM_OK ? st : sm_job_no_memory(r);
    }
    for (size_t i = 0; st == SM_OK && i < SM_UID_KINDS; i++) {
        st = find_dictionary(r, node, i, &rows->kinds[i]);
    }
    if (st == SM_OK && table->name_expr != NULL) {
        return sm_job_fail(r, node,
                           "the table of uid_rows needs a fixed name: its rows come from no "
                           "record that could name it");
    }
    if (st == SM_OK && !fits_layout(&table->layout)) {
        return sm_job_fail(r, node,
                           "uid_rows belongs to a table with the cells id:metrics, id:tagk, "
                           "id:tagv, name:metrics, name:tagk, name:tagv, in this order; let "
                           "uid_table of preset: opentsdb write it");
    }
    table->uid_rows = rows;
    return st;
}

/* ---- making ---------------------------------------------------------------------------------- */

typedef struct maker {
    const sm_job_table *table;
    uint32_t index;
    sm_runs *runs;
    sm_buf payload;
    uint8_t *name; /* of the entry at hand, in ISO-8859-1; SM_UID_NAME_MAX bytes */
    uint64_t order;
} maker;

static sm_status add_cell(maker *m, sm_bytes key, size_t column, sm_bytes value, uint64_t id,
                          sm_error *err)
{
    const sm_cell_image image = {.column = column, .timestamp = (int64_t)id, .value = value};
    sm_buf_clear(&m->payload);
    const sm_status st = sm_payload_append(&m->table->layout, &image, &m->payload, err);
    if (st != SM_OK) {
        return st;
    }
    const sm_row row = {.table = m->index,
                        .region = (uint32_t)sm_splits_route(m->table->splits, key),
                        .order = m->order++,
                        .key = key,
                        .payload = sm_buf_view(&m->payload)};
    return sm_runs_add(m->runs, 0, &row, err);
}

static sm_status not_storable(const sm_uid_dictionary *d, const sm_uid_entry *e, sm_error *err)
{
    char shown[100];
    return sm_fail(err, SM_E_UIDS,
                   "%s: the name of id %llu, %s, cannot be stored in OpenTSDB's tsdb-uid, which is "
                   "in ISO-8859-1; leave out uid_table or take another dictionary",
                   d->path, (unsigned long long)e->id,
                   sm_escape_short(e->name, shown, sizeof shown));
}

static sm_status add_entry(maker *m, size_t kind, const sm_uid_entry *e, sm_error *err)
{
    const sm_uid_dictionary *d = m->table->uid_rows->kinds[kind];
    uint8_t wide[8];
    size_t len = 0;
    if (!sm_tsdb_name_encode(e->name, m->name, &len)) {
        return not_storable(d, e, err);
    }
    const sm_bytes name = sm_bytes_of(m->name, len);
    sm_store_be64(wide, e->id);
    const sm_bytes id = sm_bytes_of(wide + 8 - SM_UID_ROWS_WIDTH, SM_UID_ROWS_WIDTH);
    const sm_status st = add_cell(m, name, kind, id, e->id, err);
    return st == SM_OK ? add_cell(m, id, SM_UID_KINDS + kind, name, e->id, err) : st;
}

static sm_status add_dictionary(maker *m, size_t kind, const sm_uid_table *t, sm_error *err)
{
    static const uint8_t counter_row[1] = {0};
    uint8_t greatest[8];
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < t->count; i++) {
        st = add_entry(m, kind, &t->entries[i], err);
    }
    if (st != SM_OK || t->count == 0) {
        return st;
    }
    const uint64_t last = t->entries[t->count - 1].id;
    sm_store_be64(greatest, last);
    return add_cell(m, sm_bytes_of(counter_row, 1), kind, sm_bytes_of(greatest, 8), last, err);
}

static sm_status add_table(maker *m, sm_error *err)
{
    void *name = NULL;
    sm_status st = sm_new(SM_UID_NAME_MAX, "a name", &name, err);
    m->name = name;
    sm_buf_init(&m->payload, 2 * (size_t)SM_UID_NAME_MAX);
    for (size_t k = 0; st == SM_OK && k < SM_UID_KINDS; k++) {
        st = add_dictionary(m, k, m->table->uid_rows->kinds[k]->table, err);
    }
    sm_buf_free(&m->payload);
    sm_free(name);
    return st;
}

sm_status sm_uid_rows_add(const sm_job *job, sm_runs *runs, sm_build_counts *counts, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < job->table_count; i++) {
        maker m = {.table = &job->tables[i], .index = (uint32_t)i, .runs = runs};
        st = m.table->uid_rows == NULL ? SM_OK : add_table(&m, err);
        counts[i].row_images += m.order;
        counts[i].uid_rows += m.order;
    }
    return st;
}
