/* SPDX-License-Identifier: Apache-2.0 */
/* Sums the counters of workers and regions into the manifest. */
#include "job/run_report.h"

#include "partitioner/uids.h"

#include <string.h>

static sm_status no_memory(sm_error *err)
{
    return sm_fail_memory(err, 0, "the report");
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void fill_input(const sm_report_facts *f, size_t i, sm_manifest_input *out)
{
    const sm_input_info *info = sm_source_input(f->source, i);
    const sm_input_counts *c = sm_rejects_counts(f->rejects, i);
    *out = (sm_manifest_input){.counts = {c->records_read, c->records_accepted, c->records_rejected,
                                          c->records_filtered, c->records_out_of_range},
                               .decoded_bytes = info->decoded_bytes,
                               .decoded_xxh64 = info->decoded_xxh64,
                               .blank_lines = c->reader.blank_lines,
                               .comment_lines = c->reader.comment_lines,
                               .header_lines = info->header_lines,
                               .extra_columns = c->reader.extra_columns,
                               .repeated_local_times = c->reader.repeated_local_times,
                               .missing_local_times = c->reader.missing_local_times,
                               .compression = info->compression,
                               .size = info->size,
                               .mtime_ns = info->mtime_ns};
}

static sm_status fill_inputs(const sm_report_facts *f, sm_arena *arena, sm_manifest *m,
                             sm_error *err)
{
    const size_t n = sm_source_input_count(f->source);
    sm_manifest_input *inputs = sm_arena_array(arena, n + 1, sizeof *inputs);
    if (inputs == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        fill_input(f, i, &inputs[i]);
        const char *path = sm_source_input(f->source, i)->path;
        inputs[i].path = sm_arena_text(arena, path, strlen(path));
        if (inputs[i].path == NULL) {
            return no_memory(err);
        }
        m->counts.read += inputs[i].counts.read;
        m->counts.accepted += inputs[i].counts.accepted;
        m->counts.rejected += inputs[i].counts.rejected;
        m->counts.filtered += inputs[i].counts.filtered;
        m->counts.out_of_range += inputs[i].counts.out_of_range;
    }
    uint64_t *codes = sm_arena_array(arena, SM_REJECT_COUNT, sizeof *codes);
    if (codes == NULL) {
        return no_memory(err);
    }
    memcpy(codes, sm_rejects_by_code(f->rejects), SM_REJECT_COUNT * sizeof *codes);
    m->rejects_by_code = codes;
    m->inputs = inputs;
    m->input_count = n;
    return SM_OK;
}

/* ---- regions and files ----------------------------------------------------------------------- */

static sm_manifest_cells cells_of(const sm_merged_part *part, size_t family)
{
    const sm_family_counts *c = &part->families[family];
    return (sm_manifest_cells){.rows = c->rows,
                               .made = c->cells_made,
                               .written = c->cells_written,
                               .dropped = c->duplicates_dropped,
                               .shadowed = part->shadowed[family]};
}

static void add_cells(sm_manifest_cells *sum, const sm_manifest_cells *c)
{
    sum->rows += c->rows;
    sum->made += c->made;
    sum->written += c->written;
    sum->dropped += c->dropped;
    sum->shadowed += c->shadowed;
}

/* t->families is the caller's array, still being summed up. */
static sm_status fill_region(const sm_report_facts *f, size_t part, sm_arena *arena,
                             sm_manifest_table *t, sm_manifest_region *region, sm_error *err)
{
    sm_manifest_family *families = (sm_manifest_family *)t->families;
    const sm_merged_part *p = &f->parts[part];
    sm_manifest_cells *cells = sm_arena_array(arena, t->family_count, sizeof *cells);
    if (cells == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < t->family_count; i++) {
        cells[i] = cells_of(p, i);
        add_cells(&families[i].cells, &cells[i]);
    }
    *region = (sm_manifest_region){.number = sm_runs_part_at(f->runs, part)->region,
                                   .row_images = p->row_images,
                                   .rows = p->rows,
                                   .cells = cells};
    t->rows += p->rows;
    return SM_OK;
}

static size_t parts_of(const sm_report_facts *f)
{
    return f->runs == NULL ? 0 : sm_runs_part_count(f->runs);
}

static sm_status fill_regions(const sm_report_facts *f, uint32_t number, sm_arena *arena,
                              sm_manifest_table *t, sm_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < parts_of(f); i++) {
        count += sm_runs_part_at(f->runs, i)->table == number;
    }
    sm_manifest_region *regions = sm_arena_array(arena, count + 1, sizeof *regions);
    if (regions == NULL) {
        return no_memory(err);
    }
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < parts_of(f); i++) {
        if (sm_runs_part_at(f->runs, i)->table == number) {
            st = fill_region(f, i, arena, t, &regions[t->region_count++], err);
        }
    }
    t->regions = regions;
    return st;
}

static sm_status fill_files(const sm_report_facts *f, sm_arena *arena, sm_manifest *m,
                            sm_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < parts_of(f); i++) {
        for (const sm_region_file *e = f->parts[i].files; e != NULL; e = e->next) {
            count++;
        }
    }
    sm_manifest_file *files = sm_arena_array(arena, count + 1, sizeof *files);
    if (files == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < parts_of(f); i++) {
        for (const sm_region_file *e = f->parts[f->listed[i]].files; e != NULL; e = e->next) {
            files[m->file_count++] = e->file;
        }
    }
    m->files = files;
    return SM_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const char *copy_text(sm_arena *arena, const char *text)
{
    return sm_arena_text(arena, text, strlen(text));
}

static sm_status fill_families(const sm_job_table *table, sm_arena *arena,
                               sm_manifest_family *families, sm_error *err)
{
    static const char *const framings[] = {NULL, "hbase", "hadoop"};
    for (size_t i = 0; i < table->family_count; i++) {
        const sm_job_family *f = &table->families[i];
        families[i] = (sm_manifest_family){
            .name = copy_text(arena, f->name_text),
            .compression = sm_compression_name(f->sink.compression),
            .zstd_framing = framings[f->sink.zstd_framing],
            .bloom = f->sink.bloom == SM_BLOOM_ROW ? "ROW" : "NONE",
            .block_size = f->sink.block_size == 0 ? SM_BLOCK_SIZE_DEFAULT : f->sink.block_size,
            .versions = f->versions,
            .ttl_s = f->ttl_s};
        if (families[i].name == NULL) {
            return no_memory(err);
        }
    }
    return SM_OK;
}

static sm_status copy_splits(const sm_splits *from, sm_arena *arena, sm_manifest_table *t,
                             sm_error *err)
{
    sm_bytes *splits = sm_arena_array(arena, from->count + 1, sizeof *splits);
    if (splits == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < from->count; i++) {
        const char *copy = sm_arena_text(arena, from->keys[i].data, from->keys[i].len);
        if (copy == NULL) {
            return no_memory(err);
        }
        splits[i] = sm_bytes_of(copy, from->keys[i].len);
    }
    t->splits = splits;
    t->split_count = from->count;
    return SM_OK;
}

static void sum_counts(const sm_report_facts *f, uint32_t number, sm_manifest_table *t)
{
    for (unsigned w = 0; f->counts != NULL && w < f->job->threads; w++) {
        const sm_build_counts *c = &f->counts[w][number];
        t->row_images += c->row_images;
        t->not_selected += c->not_selected;
        t->uid_rows += c->uid_rows;
        t->without_cells += c->without_cells;
    }
}

/* A record that names another table of the same entry is not selected for this one. */
static sm_status fill_template(const sm_job_table *entry, uint64_t accepted, sm_arena *arena,
                               sm_manifest_table *t, sm_error *err)
{
    const uint64_t here = t->row_images + t->without_cells;
    t->not_selected = accepted > here ? accepted - here : 0;
    t->template = copy_text(arena, entry->name);
    return t->template == NULL ? no_memory(err) : SM_OK;
}

static sm_status fill_table(const sm_report_facts *f, size_t place, uint64_t accepted,
                            sm_arena *arena, sm_manifest_table *t, sm_error *err)
{
    const sm_job_table *from = &f->tables->items[place];
    const uint32_t number = f->tables->numbers[place];
    sm_manifest_family *families = sm_arena_array(arena, from->family_count, sizeof *families);
    *t = (sm_manifest_table){.name = copy_text(arena, from->name),
                             .key = copy_text(arena, from->key_canonical),
                             .fingerprint = copy_text(arena, from->key_fingerprint),
                             .rule = copy_text(arena, from->key_rule),
                             .directory = copy_text(arena, from->directory),
                             .families = families,
                             .family_count = from->family_count};
    if (families == NULL || t->name == NULL || t->key == NULL || t->fingerprint == NULL ||
        t->rule == NULL || t->directory == NULL) {
        return no_memory(err);
    }
    sum_counts(f, number, t);
    sm_status st = SM_OK;
    if (from->name_expr != NULL) {
        st = fill_template(&f->job->tables[f->tables->entries[place]], accepted, arena, t, err);
    }
    if (st == SM_OK) {
        st = fill_families(from, arena, families, err);
    }
    if (st == SM_OK) {
        st = copy_splits(from->splits, arena, t, err);
    }
    return st == SM_OK ? fill_regions(f, number, arena, t, err) : st;
}

static void fill_environment(const sm_report_facts *f, const sm_run_report *report,
                             sm_manifest_environment *e)
{
    *e = (sm_manifest_environment){.version = SM_VERSION,
                                   .output = report->output,
                                   .threads = f->job->threads,
                                   .memory = f->job->memory,
                                   .spilled_bytes = f->stats.spilled_bytes,
                                   .spilled_runs = f->stats.spilled_runs,
                                   .merge_passes = f->stats.merge_passes,
                                   .build_seconds = f->build_seconds,
                                   .merge_seconds = f->merge_seconds};
}

static sm_status name_rejects(const sm_report_facts *f, sm_run_report *report, sm_error *err)
{
    if (sm_rejects_total(f->rejects) == 0) {
        return SM_OK;
    }
    const char *path = copy_text(report->arena, f->rejects_path);
    if (path == NULL) {
        return no_memory(err);
    }
    report->rejects = path;
    return SM_OK;
}

static sm_status fill_uids(const sm_job *job, sm_arena *arena, sm_manifest *m, sm_error *err)
{
    const size_t n = job->uids == NULL ? 0 : job->uids->count;
    sm_manifest_uids *uids = sm_arena_array(arena, n + 1, sizeof *uids);
    if (uids == NULL) {
        return no_memory(err);
    }
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < n; i++) {
        const sm_uid_dictionary *d = &job->uids->items[i];
        if (!d->used) {
            continue;
        }
        sm_manifest_uids *u = &uids[m->uid_count++];
        u->name = copy_text(arena, d->name);
        u->entries = d->table->count;
        st = u->name == NULL ? no_memory(err) : sm_uid_hash(d, d->table->count, &u->xxh64, err);
    }
    m->uids = uids;
    return st;
}

sm_status sm_report_fill(const sm_report_facts *f, sm_run_report *report, sm_error *err)
{
    sm_manifest *m = &report->manifest;
    sm_arena *arena = report->arena;
    *m = (sm_manifest){.run_fingerprint = copy_text(arena, f->fingerprint),
                       .output_format = copy_text(arena, f->job->output_format)};
    sm_manifest_table *tables = sm_arena_array(arena, f->tables->count + 1, sizeof *tables);
    if (tables == NULL || m->run_fingerprint == NULL || m->output_format == NULL) {
        return no_memory(err);
    }
    m->tables = tables;
    m->table_count = f->tables->count;
    sm_status st = fill_inputs(f, arena, m, err);
    for (size_t i = 0; st == SM_OK && i < m->table_count; i++) {
        st = fill_table(f, i, m->counts.accepted, arena, &tables[i], err);
    }
    if (st == SM_OK) {
        st = fill_uids(f->job, arena, m, err);
    }
    if (st == SM_OK) {
        st = fill_files(f, arena, m, err);
    }
    fill_environment(f, report, &m->environment);
    return st == SM_OK ? name_rejects(f, report, err) : st;
}

void sm_report_adopt(sm_run_report *report, sm_arena *arena)
{
    if (arena != NULL) {
        report->adopted[report->adopted_count++] = arena;
    }
}

void sm_run_report_free(sm_run_report *report)
{
    for (unsigned i = 0; i < report->adopted_count; i++) {
        sm_arena_free(report->adopted[i]);
    }
    sm_arena_free(report->arena);
    *report = (sm_run_report){0};
}
