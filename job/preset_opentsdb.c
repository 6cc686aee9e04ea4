/* SPDX-License-Identifier: Apache-2.0 */
/* preset: opentsdb. An entry of `tables` that names what a data point is becomes the entry that
 * writes it as OpenTSDB 2.4 does, in the job's own language, so that everything that understands
 * keys understands these too:
 *
 *   {preset: opentsdb, metric: m, tags: {host: h}, value: v, timestamp: t, salt: {buckets: 20}}
 *
 *   name: tsdb
 *   key: salt_byte(20, uid(m, 3, dictionary: "metrics"), tsdb_tags("host", h), hash: opentsdb)
 *        + uid(m, 3, dictionary: "metrics") + ts32(floor_ts(t, 1h)) + tsdb_tags("host", h)
 *   timestamp: t
 *   families: {t: {}}
 *   cells: [{family: t, qualifier: "tsdb_qualifier(t, v)", value: tsdb_value(v)}]
 *
 * uid_table adds the entry whose rows come from the dictionaries (uid_rows.h). */
#include "core/escape.h"
#include "job/job_reader.h"
#include "partitioner/uids.h"

#include <stddef.h>
#include <string.h>

enum { TEXT_MAX = 256 << 10, BUCKETS_MAX = 256 };

typedef struct preset {
    const sm_yaml_node *name, *metric, *tags, *value, *timestamp, *salt, *uids, *uid_table, *unit,
        *splits, *families, *when, *duplicates, *preset;
    const char *dictionaries[3]; /* metric, tagk, tagv */
    int64_t buckets;             /* 0: no salt */
} preset;

static const sm_bind RULES[] = {
    {.key = "preset", .offset = offsetof(preset, preset)},
    {.key = "name", .offset = offsetof(preset, name)},
    {.key = "metric", .offset = offsetof(preset, metric)},
    {.key = "tags", .offset = offsetof(preset, tags)},
    {.key = "value", .offset = offsetof(preset, value)},
    {.key = "timestamp", .offset = offsetof(preset, timestamp)},
    {.key = "salt", .offset = offsetof(preset, salt)},
    {.key = "uids", .offset = offsetof(preset, uids)},
    {.key = "uid_table", .offset = offsetof(preset, uid_table)},
    {.key = "unit", .offset = offsetof(preset, unit)},
    {.key = "splits", .offset = offsetof(preset, splits)},
    {.key = "families", .offset = offsetof(preset, families)},
    {.key = "when", .offset = offsetof(preset, when)},
    {.key = "duplicates", .offset = offsetof(preset, duplicates)},
};

/* ---- what the entry says --------------------------------------------------------------------- */

static sm_status read_dictionary(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    return sm_job_text(r, value, "the name of a dictionary", target);
}

/* A dictionary that is not there is told where the expressions look for it. */
static void mark_dictionaries(const sm_job_reader *r, const preset *p)
{
    for (size_t i = 0; i < 3 && r->job->uids != NULL; i++) {
        sm_uid_dictionary *d = sm_uids_find(r->job->uids, sm_bytes_text(p->dictionaries[i]));
        if (d != NULL) {
            d->opentsdb = true;
        }
    }
}

static sm_status read_uids(sm_job_reader *r, preset *p)
{
    typedef struct names {
        const sm_yaml_node *of[3];
    } names;
    static const char *const defaults[] = {"metrics", "tagk", "tagv"};
    const sm_bind rules[] = {{.key = "metric", .offset = offsetof(names, of[0])},
                             {.key = "tagk", .offset = offsetof(names, of[1])},
                             {.key = "tagv", .offset = offsetof(names, of[2])}};
    names given = {{NULL, NULL, NULL}};
    sm_status st = p->uids == NULL ? SM_OK : sm_job_bind(r, p->uids, "uids", rules, 3, &given);
    for (size_t i = 0; st == SM_OK && i < 3; i++) {
        p->dictionaries[i] = defaults[i];
        if (given.of[i] != NULL) {
            st = read_dictionary(r, given.of[i], (void *)&p->dictionaries[i]);
        }
    }
    return st;
}

static sm_status read_salt(sm_job_reader *r, preset *p)
{
    typedef struct parts {
        const sm_yaml_node *width, *buckets;
    } parts;
    static const sm_bind rules[] = {{.key = "width", .offset = offsetof(parts, width)},
                                    {.key = "buckets", .offset = offsetof(parts, buckets)}};
    parts given = {NULL, NULL};
    int64_t width = 1;
    if (p->salt == NULL) {
        return SM_OK;
    }
    sm_status st = sm_job_bind(r, p->salt, "salt", rules, 2, &given);
    if (st == SM_OK && given.width != NULL) {
        st = sm_job_int(r, given.width, "salt.width (tsd.storage.salt.width)", 0, 1, &width);
    }
    p->buckets = 20; /* tsd.storage.salt.buckets */
    if (st == SM_OK && given.buckets != NULL) {
        st = sm_job_int(r, given.buckets, "salt.buckets (tsd.storage.salt.buckets)", 1, BUCKETS_MAX,
                        &p->buckets);
    }
    p->buckets = width == 0 ? 0 : p->buckets;
    return st;
}

static sm_status check_texts(sm_job_reader *r, const sm_yaml_node *at, const preset *p)
{
    const struct {
        const char *name;
        const sm_yaml_node *node;
    } needed[] = {{"metric", p->metric}, {"value", p->value}, {"timestamp", p->timestamp}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (needed[i].node == NULL) {
            return sm_job_fail(r, at, "preset: opentsdb needs \"%s\", an expression",
                               needed[i].name);
        }
        const sm_status st = sm_job_want(r, needed[i].node, SM_YAML_SCALAR, needed[i].name);
        if (st != SM_OK) {
            return st;
        }
    }
    if (p->tags == NULL) {
        return sm_job_fail(r, at, "preset: opentsdb needs \"tags\", a map of names to expressions");
    }
    return sm_job_want(r, p->tags, SM_YAML_MAP, "tags");
}

static sm_status check_tags(sm_job_reader *r, const sm_yaml_node *tags)
{
    enum { TAGS_MAX = 8 };
    if (tags->count == 0 || tags->count > TAGS_MAX) {
        return sm_job_fail(r, tags, "OpenTSDB takes 1 to %d tags, found %zu", TAGS_MAX,
                           tags->count);
    }
    for (size_t i = 0; i < tags->count; i++) {
        if (strpbrk(tags->pairs[i].key, "\"\\") != NULL) {
            return sm_job_fail(r, tags, "a tag's name must not hold quotes or backslashes");
        }
        const sm_status st = sm_job_want(r, tags->pairs[i].value, SM_YAML_SCALAR, "a tag");
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* A node of the job file made by us stands where the entry stands. */
static sm_yaml_node *new_node(sm_job_reader *r, const sm_yaml_node *at, sm_yaml_node_kind kind,
                              size_t room)
{
    sm_yaml_node *n = sm_arena_array(r->arena, 1, sizeof *n);
    if (n == NULL) {
        return NULL;
    }
    *n = (sm_yaml_node){.kind = kind, .line = at->line, .column = at->column, .text = ""};
    n->pairs = kind == SM_YAML_MAP ? sm_arena_array(r->arena, room, sizeof *n->pairs) : NULL;
    n->items = kind == SM_YAML_LIST ? sm_arena_array(r->arena, room, sizeof *n->items) : NULL;
    return kind == SM_YAML_SCALAR || n->pairs != NULL || n->items != NULL ? n : NULL;
}

static const sm_yaml_node *new_text(sm_job_reader *r, const sm_yaml_node *at, sm_bytes text)
{
    sm_yaml_node *n = new_node(r, at, SM_YAML_SCALAR, 0);
    char *copy = sm_arena_text(r->arena, text.data, text.len);
    if (n == NULL || copy == NULL) {
        return NULL;
    }
    n->text = copy;
    n->text_len = text.len;
    n->quoted = true;
    return n;
}

static const sm_yaml_node *new_word(sm_job_reader *r, const sm_yaml_node *at, const char *text)
{
    return new_text(r, at, sm_bytes_text(text));
}

/* A value that is absent adds nothing; one that could not be made is noted in *failed. */
static void put(sm_yaml_node *map, const char *key, const sm_yaml_node *value)
{
    map->pairs[map->count++] =
        (sm_yaml_node_pair){.key = key, .line = map->line, .column = map->column, .value = value};
}

static void put_given(sm_yaml_node *map, const char *key, const sm_yaml_node *value)
{
    if (value != NULL) {
        put(map, key, value);
    }
}

static bool complete(const sm_yaml_node *map)
{
    bool whole = true;
    for (size_t i = 0; i < map->count; i++) {
        whole &= map->pairs[i].value != NULL;
    }
    return whole;
}

/* ---- the entry of data points ---------------------------------------------------------------- */

static sm_status print_metric(const preset *p, sm_buf *out, sm_error *err)
{
    return sm_buf_printf(out, err, "uid(%s, 3, dictionary: \"%s\")", p->metric->text,
                         p->dictionaries[0]);
}

static sm_status print_tags(const preset *p, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_printf(out, err, "tsdb_tags(");
    for (size_t i = 0; st == SM_OK && i < p->tags->count; i++) {
        st = sm_buf_printf(out, err, "\"%s\", %s, ", p->tags->pairs[i].key,
                           p->tags->pairs[i].value->text);
    }
    return st == SM_OK ? sm_buf_printf(out, err, "keys: \"%s\", values: \"%s\")",
                                       p->dictionaries[1], p->dictionaries[2])
                       : st;
}

/* The salt is a hash of the metric and the tags, without the time. */
static sm_status print_salt(const preset *p, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_printf(out, err, "salt_byte(%lld, ", (long long)p->buckets);
    if (st == SM_OK) {
        st = print_metric(p, out, err);
    }
    if (st == SM_OK) {
        st = sm_buf_printf(out, err, " + ");
    }
    if (st == SM_OK) {
        st = print_tags(p, out, err);
    }
    return st == SM_OK ? sm_buf_printf(out, err, ", hash: opentsdb) + ") : st;
}

static sm_status print_key(const preset *p, sm_buf *out, sm_error *err)
{
    sm_status st = p->buckets == 0 ? SM_OK : print_salt(p, out, err);
    if (st == SM_OK) {
        st = print_metric(p, out, err);
    }
    if (st == SM_OK) {
        st = sm_buf_printf(out, err, " + ts32(floor_ts(%s, 1h)) + ", p->timestamp->text);
    }
    return st == SM_OK ? print_tags(p, out, err) : st;
}

static const sm_yaml_node *new_cells(sm_job_reader *r, const sm_yaml_node *at, const preset *p,
                                     sm_buf *scratch)
{
    sm_yaml_node *cells = new_node(r, at, SM_YAML_LIST, 1);
    sm_yaml_node *cell = new_node(r, at, SM_YAML_MAP, 3);
    const char *value = p->value->text;
    if (cells == NULL || cell == NULL) {
        return NULL;
    }
    put(cell, "family", new_word(r, at, "t"));
    sm_buf_clear(scratch);
    if (sm_buf_printf(scratch, r->err, "tsdb_qualifier(%s, %s%s%s)", p->timestamp->text, value,
                      p->unit != NULL ? ", unit: " : "",
                      p->unit != NULL ? p->unit->text : "") != SM_OK) {
        return NULL;
    }
    put(cell, "qualifier", new_text(r, p->value, sm_buf_view(scratch)));
    sm_buf_clear(scratch);
    if (sm_buf_printf(scratch, r->err, "tsdb_value(%s)", value) != SM_OK) {
        return NULL;
    }
    put(cell, "value", new_text(r, p->value, sm_buf_view(scratch)));
    cells->items[cells->count++] = cell;
    return complete(cell) ? cells : NULL;
}

static const sm_yaml_node *new_families(sm_job_reader *r, const sm_yaml_node *at,
                                        const char *const *names, size_t count)
{
    sm_yaml_node *families = new_node(r, at, SM_YAML_MAP, count);
    for (size_t i = 0; families != NULL && i < count; i++) {
        put(families, names[i], new_node(r, at, SM_YAML_MAP, 1));
    }
    return families != NULL && complete(families) ? families : NULL;
}

static sm_status expand_points(sm_job_reader *r, const sm_yaml_node *at, const preset *p,
                               const sm_yaml_node **out)
{
    static const char *const family[] = {"t"};
    sm_buf scratch;
    sm_buf_init(&scratch, TEXT_MAX);
    sm_yaml_node *table = new_node(r, at, SM_YAML_MAP, 8);
    sm_status st = table == NULL ? sm_job_no_memory(r) : print_key(p, &scratch, r->err);
    if (st == SM_OK) {
        put(table, "name", p->name != NULL ? p->name : new_word(r, at, "tsdb"));
        put(table, "key", new_text(r, p->metric, sm_buf_view(&scratch)));
        put(table, "timestamp", p->timestamp);
        put(table, "families", p->families != NULL ? p->families : new_families(r, at, family, 1));
        put(table, "cells", new_cells(r, at, p, &scratch));
        put_given(table, "splits", p->splits);
        put_given(table, "when", p->when);
        put_given(table, "duplicates", p->duplicates);
        st = complete(table) ? SM_OK : sm_job_no_memory(r);
    }
    sm_buf_free(&scratch);
    *out = table;
    return st;
}

/* ---- the entry of names ---------------------------------------------------------------------- */

static const sm_yaml_node *new_uid_cells(sm_job_reader *r, const sm_yaml_node *at,
                                         const sm_yaml_node *value)
{
    static const char *const columns[] = {"id:metrics",   "id:tagk",   "id:tagv",
                                          "name:metrics", "name:tagk", "name:tagv"};
    sm_yaml_node *cells = new_node(r, at, SM_YAML_MAP, 6);
    for (size_t i = 0; cells != NULL && i < 6; i++) {
        put(cells, columns[i], value);
    }
    return cells;
}

static const sm_yaml_node *new_uid_rows(sm_job_reader *r, const sm_yaml_node *at, const preset *p)
{
    static const char *const kinds[] = {"metric", "tagk", "tagv"};
    sm_yaml_node *rows = new_node(r, at, SM_YAML_MAP, 3);
    for (size_t i = 0; rows != NULL && i < 3; i++) {
        put(rows, kinds[i], new_word(r, at, p->dictionaries[i]));
    }
    return rows != NULL && complete(rows) ? rows : NULL;
}

static sm_status expand_names(sm_job_reader *r, const sm_yaml_node *at, const preset *p,
                              const sm_yaml_node **out)
{
    static const char *const families[] = {"id", "name"};
    sm_yaml_node *table = new_node(r, at, SM_YAML_MAP, 7);
    const char *never =
        sm_job_format(r, "%s is null and %s is not null", p->timestamp->text, p->timestamp->text);
    if (table == NULL || never == NULL) {
        return sm_job_no_memory(r);
    }
    put(table, "name", p->uid_table);
    put(table, "key", p->metric);
    put(table, "timestamp", new_word(r, at, "0"));
    put(table, "when", new_word(r, p->timestamp, never));
    put(table, "families", new_families(r, at, families, 2));
    put(table, "cells", new_uid_cells(r, at, p->metric));
    put(table, "uid_rows", new_uid_rows(r, at, p));
    *out = table;
    return complete(table) ? SM_OK : sm_job_no_memory(r);
}

sm_status sm_job_expand_opentsdb(sm_job_reader *r, const sm_yaml_node *table,
                                 const sm_yaml_node **out, size_t *count)
{
    preset p = {.name = NULL};
    sm_status st =
        sm_job_bind(r, table, "preset: opentsdb", RULES, sizeof RULES / sizeof RULES[0], &p);
    if (st == SM_OK) {
        st = check_texts(r, table, &p);
    }
    if (st == SM_OK) {
        st = check_tags(r, p.tags);
    }
    if (st == SM_OK) {
        st = read_uids(r, &p);
    }
    if (st == SM_OK) {
        mark_dictionaries(r, &p);
    }
    if (st == SM_OK) {
        st = read_salt(r, &p);
    }
    if (st == SM_OK && p.unit != NULL) {
        st = sm_job_want(r, p.unit, SM_YAML_SCALAR, "unit");
    }
    if (st == SM_OK) {
        st = expand_points(r, table, &p, &out[*count]);
        (*count)++;
    }
    if (st == SM_OK && p.uid_table != NULL) {
        st = expand_names(r, table, &p, &out[*count]);
        (*count)++;
    }
    return st;
}
