/* SPDX-License-Identifier: Apache-2.0 */
/* `colocated_with`: an index whose rows lie in the regions of the rows that they point to. Both
 * entries fill one table, in families of their own; a record's two keys must fall into the same
 * region, or the record is a reject (record_maker.c). */
#include "job/job_reader.h"

#include <string.h>

/* The entry of that name, other than `table`; SIZE_MAX when there is none or more than one. */
static size_t find_data(const sm_job_table *list, size_t count, const sm_job_table *table,
                        const char *name, size_t *found)
{
    size_t at = SIZE_MAX;
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        if (&list[i] != table && strcmp(list[i].view, name) == 0) {
            at = i;
            (*found)++;
        }
    }
    return *found == 1 ? at : SIZE_MAX;
}

static sm_status not_found(sm_job_reader *r, const sm_yaml_node *node, const sm_job_table *table,
                           size_t found)
{
    if (found > 1) {
        return sm_job_fail(r, node,
                           "%s: colocated_with: several entries are called %s; give each a name of "
                           "its own, such as view: orders_data",
                           table->where, node->text);
    }
    if (strcmp(table->view, node->text) == 0) {
        return sm_job_fail(r, node,
                           "%s: colocated_with names this entry itself; name the entry that holds "
                           "the data",
                           table->where);
    }
    return sm_job_fail(r, node,
                       "%s: colocated_with: no entry of tables is called %s; name an entry by its "
                       "view, or by its table where it has none",
                       table->where, node->text);
}

static sm_status check_data(sm_job_reader *r, const sm_yaml_node *node, const sm_job_table *table,
                            const sm_job_table *data)
{
    if (strcmp(data->name, table->name) != 0) {
        return sm_job_fail(r, node,
                           "%s: colocated_with: %s fills table %s, but this entry fills %s; only "
                           "rows of one table share regions: give both the same name, families of "
                           "their own, and this one a view",
                           table->where, data->view, data->name, table->name);
    }
    if (data->uid_rows != NULL || table->uid_rows != NULL) {
        return sm_job_fail(r, node,
                           "%s: colocated_with: rows of dictionaries belong to no record, so "
                           "nothing lies beside them; leave it out",
                           table->where);
    }
    return SM_OK;
}

/* A key that goes by this table's own regions. */
static bool follows_regions(const sm_job_table *table)
{
    const sm_splits *splits = sm_expr_region_splits(table->key, 0);
    for (size_t n = 1; splits != NULL && splits != table->splits; n++) {
        splits = sm_expr_region_splits(table->key, n);
    }
    return splits != NULL;
}

sm_status sm_job_read_colocated(sm_job_reader *r, const sm_yaml_node *item,
                                const sm_yaml_node *node, sm_job_table *list, size_t at,
                                size_t count)
{
    sm_job_table *table = &list[at];
    size_t found = 0;
    if (node == NULL) {
        return follows_regions(table)
                   ? sm_job_fail(r, sm_yaml_node_get(item, "key"),
                                 "%s calls region_start(), which is for an index that lies beside "
                                 "its data; say which entry holds the data: colocated_with: NAME",
                                 table->key_where)
                   : SM_OK;
    }
    const sm_status st = sm_job_want(r, node, SM_YAML_SCALAR, "colocated_with");
    if (st != SM_OK) {
        return st;
    }
    if (table->name_expr != NULL) {
        return sm_job_fail(r, node,
                           "%s: colocated_with needs a table of a fixed name, but %s is made from "
                           "the record; leave colocated_with out, or the braces",
                           table->where, table->name);
    }
    const size_t data = find_data(list, count, table, node->text, &found);
    if (data == SIZE_MAX) {
        return not_found(r, node, table, found);
    }
    table->colocated_with = &list[data];
    return check_data(r, node, table, &list[data]);
}
