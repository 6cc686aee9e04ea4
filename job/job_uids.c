/* SPDX-License-Identifier: Apache-2.0 */
/* The job's `uids`: dictionaries of uid().
 *
 *   uids:
 *     metrics: {file: metrics.uid, new: assign}   # new names get the next ids; the default
 *     tagk: {file: tagk.uid, new: reject}         # records with other names are rejects */
#include "job/job_reader.h"
#include "partitioner/uids.h"

#include <string.h>

static sm_status read_file(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return sm_job_text(r, value, "file", &((sm_uid_dictionary *)target)->path);
}

static sm_status read_new(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    static const char *const names[] = {"assign", "reject"};
    size_t index = 0;
    const sm_status st = sm_job_choice(r, value, "new", names, 2, &index);
    ((sm_uid_dictionary *)target)->assign = index == 0;
    return st;
}

static const sm_bind UID_RULES[] = {{.key = "file", .read = read_file},
                                    {.key = "new", .read = read_new}};

static sm_status read_dictionary(sm_job_reader *r, const sm_yaml_node_pair *pair,
                                 const sm_uid_dictionary *before, sm_uid_dictionary *d)
{
    *d = (sm_uid_dictionary){.name = pair->key, .assign = true};
    const char *what = sm_job_format(r, "uids.%s", pair->key);
    if (what == NULL) {
        return sm_job_no_memory(r);
    }
    const sm_status st = sm_job_bind(r, pair->value, what, UID_RULES, 2, d);
    if (st != SM_OK) {
        return st;
    }
    if (d->path == NULL || d->path[0] == '\0') {
        return sm_job_fail(r, pair->value, "%s needs \"file\", such as %s.uid", what, pair->key);
    }
    for (const sm_uid_dictionary *other = before; other < d; other++) {
        if (strcmp(other->path, d->path) == 0) {
            return sm_job_fail(r, pair->value, "%s and uids.%s name the same file; use one of them",
                               what, other->name);
        }
    }
    return SM_OK;
}

static void release_uids(void *uids)
{
    sm_uids_free(uids);
}

sm_status sm_job_read_uids(sm_job_reader *r, const sm_yaml_node *node)
{
    sm_status st = sm_job_want(r, node, SM_YAML_MAP, "uids");
    sm_uid_dictionary *items = sm_arena_array(r->arena, node->count + 1, sizeof *items);
    if (st == SM_OK && items == NULL) {
        return sm_job_no_memory(r);
    }
    for (size_t i = 0; st == SM_OK && i < node->count; i++) {
        st = read_dictionary(r, &node->pairs[i], items, &items[i]);
    }
    if (st == SM_OK) {
        st = sm_uids_open(items, node->count, &r->job->uids, r->err);
    }
    return st == SM_OK ? sm_arena_own(r->arena, r->job->uids, release_uids, r->err) : st;
}

/* ---- presets --------------------------------------------------------------------------------- */

static sm_status expand_one(sm_job_reader *r, const sm_yaml_node *table, const sm_yaml_node **out,
                            size_t *count)
{
    static const char *const names[] = {"opentsdb"};
    size_t index = 0;
    const sm_yaml_node *preset =
        table->kind == SM_YAML_MAP ? sm_yaml_node_get(table, "preset") : NULL;
    if (preset == NULL) {
        out[(*count)++] = table;
        return SM_OK;
    }
    const sm_status st = sm_job_choice(r, preset, "preset", names, 1, &index);
    return st == SM_OK ? sm_job_expand_opentsdb(r, table, out, count) : st;
}

sm_status sm_job_expand_presets(sm_job_reader *r, const sm_yaml_node **tables)
{
    const sm_yaml_node *list = *tables;
    if (list->kind != SM_YAML_LIST) {
        return SM_OK; /* told where tables are read */
    }
    sm_yaml_node *expanded = sm_arena_array(r->arena, 1, sizeof *expanded);
    const sm_yaml_node **items = sm_arena_array(r->arena, 2 * list->count + 1, sizeof *items);
    size_t count = 0;
    if (expanded == NULL || items == NULL) {
        return sm_job_no_memory(r);
    }
    for (size_t i = 0; i < list->count; i++) {
        const sm_status st = expand_one(r, list->items[i], items, &count);
        if (st != SM_OK) {
            return st;
        }
    }
    *expanded = *list;
    expanded->items = items;
    expanded->count = count;
    *tables = expanded;
    return SM_OK;
}
