/* SPDX-License-Identifier: Apache-2.0 */
/* JSON -> the parts of sm_manifest that verify, replace and a rerun need. The only file that knows
 * json-c. */
#include "core/escape.h"
#include "core/fs.h"
#include "formats/manifest.h"

#include <json-c/json.h>

#include <string.h>

enum { MANIFEST_MAX = 1 << 30, NESTING_MAX = 32 };

typedef struct loader {
    const char *path;
    sm_arena *arena;
    sm_error *err;
    sm_status status; /* the first failure sticks */
} loader;

static void bad(loader *l, const char *what)
{
    if (l->status == SM_OK) {
        l->status = sm_fail(l->err, SM_E_FORMAT,
                            "%s: no usable manifest: %s is missing or not what it should be",
                            l->path, what);
    }
}

static const char *get_text(loader *l, json_object *o, const char *name)
{
    json_object *v = NULL;
    if (!json_object_object_get_ex(o, name, &v) || !json_object_is_type(v, json_type_string)) {
        bad(l, name);
        return "";
    }
    const char *text =
        sm_arena_text(l->arena, json_object_get_string(v), (size_t)json_object_get_string_len(v));
    if (text == NULL) {
        bad(l, "out of memory");
        return "";
    }
    return text;
}

static uint64_t get_uint(loader *l, json_object *o, const char *name)
{
    json_object *v = NULL;
    if (!json_object_object_get_ex(o, name, &v) || !json_object_is_type(v, json_type_int)) {
        bad(l, name);
        return 0;
    }
    return json_object_get_uint64(v);
}

static uint32_t get_uint32(loader *l, json_object *o, const char *name)
{
    const uint64_t value = get_uint(l, o, name);
    if (value > UINT32_MAX) {
        bad(l, name);
    }
    return (uint32_t)value;
}

static int64_t get_int(loader *l, json_object *o, const char *name)
{
    json_object *v = NULL;
    if (!json_object_object_get_ex(o, name, &v) || !json_object_is_type(v, json_type_int)) {
        bad(l, name);
        return 0;
    }
    return json_object_get_int64(v);
}

static json_object *get_array(loader *l, json_object *o, const char *name, size_t *count)
{
    json_object *v = NULL;
    *count = 0;
    if (!json_object_object_get_ex(o, name, &v) || !json_object_is_type(v, json_type_array)) {
        bad(l, name);
        return NULL;
    }
    *count = json_object_array_length(v);
    return v;
}

static json_object *item_at(loader *l, json_object *array, size_t i)
{
    json_object *v = json_object_array_get_idx(array, i);
    if (!json_object_is_type(v, json_type_object)) {
        bad(l, "an entry that is no object");
        return NULL;
    }
    return v;
}

static void *new_array(loader *l, size_t count, size_t size)
{
    void *p = sm_arena_array(l->arena, count == 0 ? 1 : count, size);
    if (p == NULL) {
        bad(l, "out of memory");
    }
    return p;
}

static sm_bytes unescape(loader *l, const char *text)
{
    const sm_bytes in = sm_bytes_text(text);
    uint8_t *out = sm_arena_get(l->arena, in.len + 1);
    size_t len = 0;
    size_t bad_at = 0;
    if (out == NULL || sm_unescape(in, out, &len, &bad_at) != SM_UNESCAPE_OK) {
        bad(l, "an escaped key");
        return (sm_bytes){NULL, 0};
    }
    return sm_bytes_of(out, len);
}

static uint64_t get_hex64(loader *l, json_object *o, const char *name)
{
    const char *text = get_text(l, o, name);
    uint64_t value = 0;
    if (strlen(text) != 16) {
        bad(l, name);
        return 0;
    }
    for (const char *p = text; *p != '\0'; p++) {
        const int digit = *p >= '0' && *p <= '9'   ? *p - '0'
                          : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10
                                                   : -1;
        if (digit < 0) {
            bad(l, name);
            return 0;
        }
        value = value << 4 | (unsigned)digit;
    }
    return value;
}

/* Paths come back from a file that anyone may have edited: they must stay inside the dataset. */
static bool path_stays_inside(const char *path)
{
    if (path[0] == '/' || path[0] == '\0') {
        return false;
    }
    for (const char *p = path; p != NULL; p = strchr(p, '/')) {
        p += *p == '/';
        const size_t len = strcspn(p, "/");
        if (len == 0 || (len == 1 && p[0] == '.') || (len == 2 && p[0] == '.' && p[1] == '.')) {
            return false;
        }
    }
    return true;
}

static void read_file(loader *l, json_object *o, sm_manifest_file *f)
{
    f->table = get_text(l, o, "table");
    f->family = get_text(l, o, "family");
    f->path = get_text(l, o, "path");
    f->region = get_uint32(l, o, "region");
    f->number = get_uint32(l, o, "number");
    f->rows = get_uint(l, o, "rows");
    f->cells = get_uint(l, o, "cells");
    f->bytes = get_uint(l, o, "bytes");
    f->oldest = get_int(l, o, "oldest");
    f->newest = get_int(l, o, "newest");
    f->xxh64 = get_hex64(l, o, "xxh64");
    f->first_key = unescape(l, get_text(l, o, "first_key"));
    f->last_key = unescape(l, get_text(l, o, "last_key"));
    if (l->status == SM_OK && !path_stays_inside(f->path)) {
        bad(l, "a path that leaves the dataset");
    }
}

static void read_files(loader *l, json_object *root, sm_manifest *m)
{
    json_object *array = get_array(l, root, "files", &m->file_count);
    sm_manifest_file *files = new_array(l, m->file_count, sizeof *files);
    for (size_t i = 0; l->status == SM_OK && i < m->file_count; i++) {
        json_object *o = item_at(l, array, i);
        if (o != NULL) {
            read_file(l, o, &files[i]);
        }
    }
    m->files = files;
}

static void read_splits(loader *l, json_object *o, sm_manifest_table *t)
{
    json_object *array = get_array(l, o, "splits", &t->split_count);
    sm_bytes *splits = new_array(l, t->split_count, sizeof *splits);
    for (size_t i = 0; l->status == SM_OK && i < t->split_count; i++) {
        json_object *v = json_object_array_get_idx(array, i);
        if (!json_object_is_type(v, json_type_string)) {
            bad(l, "splits");
            return;
        }
        splits[i] = unescape(l, json_object_get_string(v));
    }
    t->splits = splits;
}

/* Optional, with 0 when it is not there. */
static int64_t maybe_int(json_object *o, const char *name)
{
    json_object *v = NULL;
    return json_object_object_get_ex(o, name, &v) ? json_object_get_int64(v) : 0;
}

static void read_cells(loader *l, json_object *o, sm_manifest_cells *c)
{
    c->rows = get_uint(l, o, "rows");
    c->made = get_uint(l, o, "cells_made");
    c->written = get_uint(l, o, "cells_written");
    c->dropped = get_uint(l, o, "duplicates_dropped");
}

static void read_families(loader *l, json_object *o, sm_manifest_table *t)
{
    json_object *array = get_array(l, o, "families", &t->family_count);
    sm_manifest_family *families = new_array(l, t->family_count, sizeof *families);
    for (size_t i = 0; l->status == SM_OK && i < t->family_count; i++) {
        json_object *item = item_at(l, array, i);
        if (item == NULL) {
            return;
        }
        families[i].name = get_text(l, item, "name");
        families[i].compression = get_text(l, item, "compression");
        families[i].bloom = get_text(l, item, "bloom");
        families[i].block_size = get_uint(l, item, "block_size");
        families[i].versions = maybe_int(item, "versions");
        families[i].ttl_s = maybe_int(item, "ttl");
        read_cells(l, item, &families[i].cells);
    }
    t->families = families;
}

/* The lines of the key rule as one text; NULL where they are not told. */
static const char *read_rule(loader *l, json_object *table)
{
    json_object *array = NULL;
    size_t count = 0;
    if (!json_object_object_get_ex(table, "rule", &array)) {
        return NULL;
    }
    sm_buf text;
    sm_buf_init(&text, MANIFEST_MAX);
    array = get_array(l, table, "rule", &count);
    for (size_t i = 0; l->status == SM_OK && i < count; i++) {
        json_object *line = json_object_array_get_idx(array, i);
        if (!json_object_is_type(line, json_type_string)) {
            bad(l, "rule");
            break;
        }
        l->status = sm_buf_append(&text, json_object_get_string(line),
                                  (size_t)json_object_get_string_len(line), l->err);
        if (l->status == SM_OK) {
            l->status = sm_buf_append_byte(&text, '\n', l->err);
        }
    }
    const char *copy = l->status == SM_OK ? sm_arena_text(l->arena, text.data, text.len) : NULL;
    sm_buf_free(&text);
    return copy;
}

static void read_tables(loader *l, json_object *root, sm_manifest *m)
{
    json_object *array = get_array(l, root, "tables", &m->table_count);
    sm_manifest_table *tables = new_array(l, m->table_count, sizeof *tables);
    for (size_t i = 0; l->status == SM_OK && i < m->table_count; i++) {
        json_object *o = item_at(l, array, i);
        if (o == NULL) {
            return;
        }
        tables[i].name = get_text(l, o, "name");
        if (json_object_object_get_ex(o, "template", NULL)) {
            tables[i].template = get_text(l, o, "template");
        }
        tables[i].key = get_text(l, o, "key");
        tables[i].fingerprint = get_text(l, o, "fingerprint");
        tables[i].rule = read_rule(l, o);
        tables[i].directory = get_text(l, o, "directory");
        tables[i].row_images = get_uint(l, o, "row_images");
        tables[i].rows = get_uint(l, o, "rows");
        if (l->status == SM_OK && !path_stays_inside(tables[i].directory)) {
            bad(l, "a directory that leaves the dataset");
        }
        read_splits(l, o, &tables[i]);
        read_families(l, o, &tables[i]);
    }
    m->tables = tables;
}

/* Only datasets with uid() have them. Hashes are judged through the fingerprint. */
static void read_uids(loader *l, json_object *root, sm_manifest *m)
{
    json_object *array = NULL;
    if (!json_object_object_get_ex(root, "uids", &array)) {
        return;
    }
    array = get_array(l, root, "uids", &m->uid_count);
    sm_manifest_uids *uids = new_array(l, m->uid_count, sizeof *uids);
    for (size_t i = 0; l->status == SM_OK && i < m->uid_count; i++) {
        json_object *o = item_at(l, array, i);
        if (o != NULL) {
            uids[i].name = get_text(l, o, "name");
            uids[i].entries = get_uint(l, o, "entries");
        }
    }
    m->uids = uids;
}

static void read_counts(loader *l, json_object *root, sm_manifest_counts *c)
{
    json_object *o = NULL;
    if (!json_object_object_get_ex(root, "counts", &o) ||
        !json_object_is_type(o, json_type_object)) {
        bad(l, "counts");
        return;
    }
    c->read = get_uint(l, o, "records_read");
    c->accepted = get_uint(l, o, "records_accepted");
    c->rejected = get_uint(l, o, "records_rejected");
    c->filtered = get_uint(l, o, "records_filtered");
    if (json_object_object_get_ex(o, "records_out_of_range", NULL)) {
        c->out_of_range = get_uint(l, o, "records_out_of_range");
    }
}

static void read_root(loader *l, json_object *root, sm_manifest *m)
{
    if (!json_object_is_type(root, json_type_object)) {
        bad(l, "it is no JSON object");
        return;
    }
    const uint64_t version = get_uint(l, root, "manifest_version");
    if (l->status == SM_OK && version != SM_MANIFEST_VERSION) {
        l->status =
            sm_fail(l->err, SM_E_FORMAT,
                    "%s: manifest_version is %llu, this program reads %d; use the saltmill that "
                    "wrote it, or make the dataset anew",
                    l->path, (unsigned long long)version, SM_MANIFEST_VERSION);
    }
    m->run_fingerprint = get_text(l, root, "run_fingerprint");
    m->output_format = get_text(l, root, "output_format");
    read_counts(l, root, &m->counts);
    read_tables(l, root, m);
    read_uids(l, root, m);
    read_files(l, root, m);
}

sm_status sm_manifest_read(const char *path, sm_arena *arena, sm_manifest *out, sm_error *err)
{
    *out = (sm_manifest){.run_fingerprint = ""};
    sm_bytes text;
    const sm_status st = sm_fs_read_whole(path, MANIFEST_MAX, arena, &text, err);
    if (st != SM_OK) {
        return st;
    }
    loader l = {.path = path, .arena = arena, .err = err, .status = SM_OK};
    json_tokener *tokener = json_tokener_new_ex(NESTING_MAX);
    if (tokener == NULL) {
        return sm_fail_memory(err, 0, "the manifest");
    }
    json_object *root = json_tokener_parse_ex(tokener, (const char *)text.data, (int)text.len);
    if (root == NULL) {
        l.status =
            sm_fail(err, SM_E_FORMAT,
                    "%s: is no JSON (%s); it is damaged: restore it, or move the dataset away",
                    path, json_tokener_error_desc(json_tokener_get_error(tokener)));
    } else {
        read_root(&l, root, out);
    }
    json_object_put(root);
    json_tokener_free(tokener);
    return l.status;
}
