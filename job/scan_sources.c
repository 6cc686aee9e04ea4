/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the tables of a query in a dataset's manifest and checks that they were written with the
 * job's key rule. */
#include "job/scan_sources.h"

#include "formats/dataset.h"
#include "job/rule_check.h"

#include <string.h>

/* Entries that share a table have families of their own. */
static bool has_family(const sm_manifest_table *in, const sm_job_table *t)
{
    bool has = false;
    for (size_t i = 0; i < in->family_count && t->family_count > 0; i++) {
        has |= strcmp(in->families[i].name, t->families[0].name_text) == 0;
    }
    return has;
}

static bool is_asked(const sm_query *q, const sm_manifest_table *stored)
{
    if (q->name != NULL && strcmp(stored->name, q->name) != 0) {
        return false;
    }
    return q->table->name_expr == NULL
               ? has_family(stored, q->table)
               : stored->template != NULL && strcmp(stored->template, q->table->name) == 0;
}

sm_status sm_scan_sources_open(const sm_scan_options *options, sm_scan_stats *stats,
                               sm_arena *arena, sm_scan_sources *out, sm_error *err)
{
    const sm_query *q = options->query;
    const sm_scan_source common = {.dataset = options->dataset,
                                   .manifest = &out->manifest,
                                   .versions = options->versions == 0 ? 1 : options->versions,
                                   .memory = options->memory,
                                   .stop = options->stop,
                                   .stats = stats};
    const char *path = sm_path_join(arena, options->dataset, SM_MANIFEST_NAME);
    if (path == NULL) {
        return sm_fail_memory(err, 0, "a scan");
    }
    sm_status st = sm_manifest_read(path, arena, &out->manifest, err);
    out->count = 0;
    out->items = sm_arena_array(arena, out->manifest.table_count + 1, sizeof *out->items);
    if (st == SM_OK && out->items == NULL) {
        return sm_fail_memory(err, 0, "a scan");
    }
    for (size_t i = 0; st == SM_OK && i < out->manifest.table_count; i++) {
        const sm_manifest_table *stored = &out->manifest.tables[i];
        if (is_asked(q, stored)) {
            out->items[out->count] = common;
            out->items[out->count++].table = stored;
            st = sm_rule_scan_check(q->table, stored, options->dataset, err);
        }
    }
    if (st == SM_OK && out->count == 0) {
        return sm_fail(err, SM_E_REFUSED, "%s: holds no table %s with family %s", options->dataset,
                       q->name != NULL ? q->name : q->table->name, q->table->families[0].name_text);
    }
    return st;
}
