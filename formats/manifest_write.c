/* SPDX-License-Identifier: Apache-2.0 */
/* sm_manifest -> JSON. Reading is in manifest_read.c. */
#include "core/json.h"
#include "formats/manifest.h"

#include <string.h>

static void write_counts(sm_json *j, const sm_manifest_counts *c)
{
    sm_json_uint(j, "records_read", c->read);
    sm_json_uint(j, "records_accepted", c->accepted);
    sm_json_uint(j, "records_rejected", c->rejected);
    sm_json_uint(j, "records_filtered", c->filtered);
    if (c->out_of_range != 0) {
        sm_json_uint(j, "records_out_of_range", c->out_of_range);
    }
}

static void write_input(sm_json *j, const sm_manifest_input *in, size_t index)
{
    sm_json_open_object(j, NULL);
    sm_json_uint(j, "index", index);
    sm_json_uint(j, "decoded_bytes", in->decoded_bytes);
    sm_json_hex64(j, "xxh64", in->decoded_xxh64);
    write_counts(j, &in->counts);
    sm_json_uint(j, "blank_lines", in->blank_lines);
    sm_json_uint(j, "comment_lines", in->comment_lines);
    sm_json_uint(j, "header_lines", in->header_lines);
    sm_json_uint(j, "extra_columns", in->extra_columns);
    sm_json_uint(j, "repeated_local_times", in->repeated_local_times);
    sm_json_uint(j, "missing_local_times", in->missing_local_times);
    sm_json_close_object(j);
}

static void write_rejects(sm_json *j, const uint64_t *by_code)
{
    sm_json_open_object(j, "rejects");
    for (int code = 1; by_code != NULL && code < SM_REJECT_COUNT; code++) {
        if (by_code[code] != 0) {
            sm_json_uint(j, sm_reject_text((sm_reject)code), by_code[code]);
        }
    }
    sm_json_close_object(j);
}

static void write_cells(sm_json *j, const sm_manifest_cells *c)
{
    sm_json_uint(j, "rows", c->rows);
    sm_json_uint(j, "cells_made", c->made);
    sm_json_uint(j, "cells_written", c->written);
    sm_json_uint(j, "duplicates_dropped", c->dropped);
    sm_json_uint(j, "cells_shadowed", c->shadowed);
}

static void write_family(sm_json *j, const sm_manifest_family *f)
{
    sm_json_open_object(j, NULL);
    sm_json_text(j, "name", f->name);
    sm_json_text(j, "compression", f->compression);
    if (f->zstd_framing != NULL) {
        sm_json_text(j, "zstd_framing", f->zstd_framing);
    }
    sm_json_text(j, "bloom", f->bloom);
    sm_json_uint(j, "block_size", f->block_size);
    if (f->versions != 0) {
        sm_json_int(j, "versions", f->versions);
    }
    if (f->ttl_s != 0) {
        sm_json_int(j, "ttl", f->ttl_s);
    }
    write_cells(j, &f->cells);
    sm_json_close_object(j);
}

static void write_region(sm_json *j, const sm_manifest_table *t, const sm_manifest_region *r)
{
    const sm_bytes none = {NULL, 0};
    sm_json_open_object(j, NULL);
    sm_json_uint(j, "region", r->number);
    sm_json_escaped(j, "start", r->number == 0 ? none : t->splits[r->number - 1]);
    sm_json_escaped(j, "end", r->number == t->split_count ? none : t->splits[r->number]);
    sm_json_uint(j, "row_images", r->row_images);
    sm_json_uint(j, "rows", r->rows);
    sm_json_open_object(j, "families");
    for (size_t i = 0; i < t->family_count; i++) {
        sm_json_open_object(j, t->families[i].name);
        write_cells(j, &r->cells[i]);
        sm_json_close_object(j);
    }
    sm_json_close_object(j);
    sm_json_close_object(j);
}

static sm_manifest_cells table_sum(const sm_manifest_table *t)
{
    sm_manifest_cells sum = {.rows = t->rows};
    for (size_t i = 0; i < t->family_count; i++) {
        const sm_manifest_cells *c = &t->families[i].cells;
        sum.made += c->made;
        sum.written += c->written;
        sum.dropped += c->dropped;
        sum.shadowed += c->shadowed;
    }
    return sum;
}

/* One text a line, so that two manifests can be compared by eye. */
static void write_rule(sm_json *j, const char *rule)
{
    if (rule == NULL) {
        return;
    }
    sm_json_open_array(j, "rule");
    while (*rule != '\0') {
        const size_t len = strcspn(rule, "\n");
        sm_json_bytes(j, NULL, sm_bytes_of(rule, len));
        rule += len + (rule[len] == '\n');
    }
    sm_json_close_array(j);
}

static void write_table(sm_json *j, const sm_manifest_table *t)
{
    const sm_manifest_cells sum = table_sum(t);
    sm_json_open_object(j, NULL);
    sm_json_text(j, "name", t->name);
    if (t->template != NULL) {
        sm_json_text(j, "template", t->template);
    }
    sm_json_text(j, "key", t->key);
    sm_json_text(j, "fingerprint", t->fingerprint);
    write_rule(j, t->rule);
    sm_json_text(j, "directory", t->directory);
    sm_json_uint(j, "row_images", t->row_images);
    sm_json_uint(j, "not_selected", t->not_selected);
    if (t->uid_rows != 0) {
        sm_json_uint(j, "uid_rows", t->uid_rows);
    }
    sm_json_uint(j, "without_cells", t->without_cells);
    write_cells(j, &sum);
    sm_json_uint(j, "region_count", t->split_count + 1);
    sm_json_open_array(j, "splits");
    for (size_t i = 0; i < t->split_count; i++) {
        sm_json_escaped(j, NULL, t->splits[i]);
    }
    sm_json_close_array(j);
    sm_json_open_array(j, "families");
    for (size_t i = 0; i < t->family_count; i++) {
        write_family(j, &t->families[i]);
    }
    sm_json_close_array(j);
    sm_json_open_array(j, "regions");
    for (size_t i = 0; i < t->region_count; i++) {
        write_region(j, t, &t->regions[i]);
    }
    sm_json_close_array(j);
    sm_json_close_object(j);
}

static void write_file(sm_json *j, const sm_manifest_file *f)
{
    sm_json_open_object(j, NULL);
    sm_json_text(j, "table", f->table);
    sm_json_text(j, "family", f->family);
    sm_json_uint(j, "region", f->region);
    sm_json_uint(j, "number", f->number);
    sm_json_text(j, "path", f->path);
    sm_json_uint(j, "rows", f->rows);
    sm_json_uint(j, "cells", f->cells);
    sm_json_uint(j, "bytes", f->bytes);
    sm_json_escaped(j, "first_key", f->first_key);
    sm_json_escaped(j, "last_key", f->last_key);
    sm_json_int(j, "oldest", f->oldest);
    sm_json_int(j, "newest", f->newest);
    sm_json_hex64(j, "xxh64", f->xxh64);
    sm_json_close_object(j);
}

static void write_environment(sm_json *j, const sm_manifest *m)
{
    const sm_manifest_environment *e = &m->environment;
    sm_json_open_object(j, "environment");
    sm_json_text(j, "saltmill", e->version);
    sm_json_text(j, "output", e->output);
    sm_json_uint(j, "threads", e->threads);
    sm_json_uint(j, "memory", e->memory);
    sm_json_uint(j, "spilled_runs", e->spilled_runs);
    sm_json_uint(j, "spilled_bytes", e->spilled_bytes);
    sm_json_uint(j, "merge_passes", e->merge_passes);
    sm_json_real(j, "build_seconds", e->build_seconds);
    sm_json_real(j, "merge_seconds", e->merge_seconds);
    sm_json_open_array(j, "inputs");
    for (size_t i = 0; i < m->input_count; i++) {
        const sm_manifest_input *in = &m->inputs[i];
        sm_json_open_object(j, NULL);
        sm_json_text(j, "path", in->path);
        sm_json_text(j, "compression", in->compression);
        sm_json_uint(j, "size", in->size);
        sm_json_int(j, "mtime_ns", in->mtime_ns);
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
    sm_json_close_object(j);
}

/* Nothing for the many datasets without. */
static void write_uids(sm_json *j, const sm_manifest *m)
{
    if (m->uid_count == 0) {
        return;
    }
    sm_json_open_array(j, "uids");
    for (size_t i = 0; i < m->uid_count; i++) {
        sm_json_open_object(j, NULL);
        sm_json_text(j, "name", m->uids[i].name);
        sm_json_uint(j, "entries", m->uids[i].entries);
        sm_json_hex64(j, "xxh64", m->uids[i].xxh64);
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
}

sm_status sm_manifest_write(const sm_manifest *m, sm_buf *out, sm_error *err)
{
    sm_json j;
    sm_json_start(&j, out, false, err);
    sm_json_open_object(&j, NULL);
    sm_json_uint(&j, "manifest_version", SM_MANIFEST_VERSION);
    sm_json_text(&j, "run_fingerprint", m->run_fingerprint);
    sm_json_text(&j, "output_format", m->output_format);
    sm_json_bool(&j, "empty", m->file_count == 0);
    sm_json_open_object(&j, "counts");
    write_counts(&j, &m->counts);
    sm_json_close_object(&j);
    write_rejects(&j, m->rejects_by_code);
    sm_json_open_array(&j, "inputs");
    for (size_t i = 0; i < m->input_count; i++) {
        write_input(&j, &m->inputs[i], i);
    }
    sm_json_close_array(&j);
    sm_json_open_array(&j, "tables");
    for (size_t i = 0; i < m->table_count; i++) {
        write_table(&j, &m->tables[i]);
    }
    sm_json_close_array(&j);
    write_uids(&j, m);
    sm_json_open_array(&j, "files");
    for (size_t i = 0; i < m->file_count; i++) {
        write_file(&j, &m->files[i]);
    }
    sm_json_close_array(&j);
    write_environment(&j, m);
    sm_json_close_object(&j);
    return sm_json_finish(&j);
}
