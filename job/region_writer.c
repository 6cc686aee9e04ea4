/* SPDX-License-Identifier: Apache-2.0 */
/* Sinks of one region: opening, rolling between rows, naming. A file's name is the hash of the
 * run's fingerprint, table, family, region and number, so that equal runs give equal trees. */
#include "job/region_writer.h"

#include "core/fs.h"
#include "core/hash.h"
#include "core/mem.h"
#include "formats/dataset.h"

#include <stdio.h>
#include <string.h>

/* HBase's loader refuses more files than this for one family of one region, so the last file takes
 * what is left whatever its size (hbase.mapreduce.bulkload.max.hfiles.perRegion.perFamily). */
enum { FILES_MAX = 32 };

typedef struct family_state {
    sm_sink *sink;
    const char *path; /* within the dataset, of the open file */
    uint32_t number;  /* of the open or next file */
    sm_buf row;       /* the row at which the size was reached; empty: not yet */
    sm_region_file *first, **last;
    /* For cells beyond VERSIONS: the column at hand and how many of it came. */
    sm_buf column;
    uint64_t column_cells, shadowed;
} family_state;

struct sm_region_writer {
    sm_region_writer_options o;
    const sm_sink_format *format;
    family_state *families;
};

sm_status sm_region_writer_open(const sm_region_writer_options *options, sm_region_writer **out,
                                sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    const size_t n = options->table->family_count;
    const sm_status st = sm_new(sizeof(sm_region_writer), "a region", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_region_writer *w = p;
    w->o = *options;
    w->format = sm_sink_format_named(sm_bytes_text(options->job->output_format));
    w->families = sm_calloc(n, sizeof *w->families);
    if (w->families == NULL) {
        sm_free(w);
        return sm_fail_memory(err, n * sizeof *w->families, "a region");
    }
    for (size_t i = 0; i < n; i++) {
        family_state *f = &w->families[i];
        f->last = &f->first;
        sm_buf_init(&f->row, SM_ROW_MAX);
        sm_buf_init(&f->column, SIZE_MAX / 4);
    }
    *out = w;
    return SM_OK;
}

void sm_region_writer_close(sm_region_writer *w)
{
    if (w == NULL) {
        return;
    }
    for (size_t i = 0; i < w->o.table->family_count; i++) {
        sm_sink_close(w->families[i].sink);
        sm_buf_free(&w->families[i].row);
        sm_buf_free(&w->families[i].column);
    }
    sm_free(w->families);
    sm_free(w);
}

/* ---- names ----------------------------------------------------------------------------------- */

static sm_status file_name(const sm_region_writer *w, size_t family, char out[33], sm_error *err)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t hash[16];
    sm_buf identity;
    sm_buf_init(&identity, 4096);
    const sm_status st = sm_buf_printf(&identity, err, "%s\n%s\n%s\n%u\n%u", w->o.run_fingerprint,
                                       w->o.table->name, w->o.table->families[family].name_text,
                                       w->o.region, w->families[family].number);
    if (st == SM_OK) {
        sm_xxh128(sm_buf_view(&identity), hash);
        for (size_t i = 0; i < 16; i++) {
            out[2 * i] = digits[hash[i] >> 4];
            out[2 * i + 1] = digits[hash[i] & 15];
        }
        out[32] = '\0';
    }
    sm_buf_free(&identity);
    return st;
}

/* *path: within the dataset; *full: to open. Makes the directories. */
static sm_status make_path(sm_region_writer *w, size_t family, const char **path, const char **full,
                           sm_error *err)
{
    char name[33];
    sm_status st = file_name(w, family, name, err);
    if (st != SM_OK) {
        return st;
    }
    sm_arena *arena = w->o.arena;
    const char *directory =
        sm_path_join(arena, w->o.table->directory, w->o.table->families[family].name_text);
    const char *full_directory =
        directory == NULL ? NULL : sm_path_join(arena, w->o.data, directory);
    *path = directory == NULL ? NULL : sm_path_join(arena, directory, name);
    *full = full_directory == NULL ? NULL : sm_path_join(arena, full_directory, name);
    if (*path == NULL || *full == NULL) {
        return sm_fail_memory(err, 0, "paths");
    }
    return sm_fs_make_dirs(full_directory, err);
}

/* ---- files ----------------------------------------------------------------------------------- */

static sm_status open_file(sm_region_writer *w, size_t family, sm_error *err)
{
    family_state *f = &w->families[family];
    sm_sink_options options = w->o.table->families[family].sink;
    const sm_file_note note = {sm_bytes_text("saltmill.key_fingerprint"),
                               sm_bytes_text(w->o.table->key_fingerprint)};
    options.notes = &note;
    options.note_count = 1;
    const sm_status st = make_path(w, family, &f->path, &options.path, err);
    return st == SM_OK ? w->format->open(&options, &f->sink, err) : st;
}

static sm_status copy_key(sm_region_writer *w, sm_bytes key, sm_bytes *out, sm_error *err)
{
    const char *copy = sm_arena_text(w->o.arena, key.data, key.len);
    if (copy == NULL) {
        return sm_fail_memory(err, key.len, "a region");
    }
    *out = sm_bytes_of(copy, key.len);
    return SM_OK;
}

static sm_status finish_file(sm_region_writer *w, size_t family, sm_error *err)
{
    family_state *f = &w->families[family];
    sm_sink_summary s;
    sm_status st = sm_sink_finish(f->sink, &s, err);
    if (st != SM_OK) {
        return st;
    }
    sm_region_file *entry = sm_arena_array(w->o.arena, 1, sizeof *entry);
    if (entry == NULL) {
        return sm_fail_memory(err, sizeof *entry, "a region");
    }
    entry->file = (sm_manifest_file){.table = w->o.table->name,
                                     .family = w->o.table->families[family].name_text,
                                     .path = f->path,
                                     .region = w->o.region,
                                     .number = f->number,
                                     .rows = s.rows,
                                     .cells = s.cells,
                                     .bytes = s.bytes,
                                     .xxh64 = s.xxh64,
                                     .oldest = s.oldest,
                                     .newest = s.newest};
    st = copy_key(w, s.first_row, &entry->file.first_key, err);
    if (st == SM_OK) {
        st = copy_key(w, s.last_row, &entry->file.last_key, err);
    }
    *f->last = entry;
    f->last = &entry->next;
    sm_sink_close(f->sink);
    f->sink = NULL;
    f->number++;
    sm_buf_clear(&f->row);
    return st;
}

/* A file ends between rows only: the row at hand when the size is reached is still finished. */
static sm_status roll_if_due(sm_region_writer *w, size_t family, const sm_cell *cell, sm_error *err)
{
    family_state *f = &w->families[family];
    if (sm_sink_written(f->sink) < w->o.job->roll || f->number + 1 >= FILES_MAX) {
        return SM_OK;
    }
    if (f->row.len == 0) {
        return sm_buf_append(&f->row, cell->row.data, cell->row.len, err);
    }
    return sm_bytes_equal(sm_buf_view(&f->row), cell->row) ? SM_OK : finish_file(w, family, err);
}

/* Cells of one column come together, newest first: those past VERSIONS will never be seen. */
static sm_status count_shadowed(family_state *f, int64_t versions, const sm_cell *cell,
                                sm_error *err)
{
    const size_t len = cell->row.len + cell->qualifier.len;
    const bool same =
        f->column.len == len && f->column_cells != 0 &&
        memcmp(f->column.data, cell->row.data, cell->row.len) == 0 &&
        (cell->qualifier.len == 0 ||
         memcmp(f->column.data + cell->row.len, cell->qualifier.data, cell->qualifier.len) == 0);
    if (same) {
        f->column_cells++;
        f->shadowed += f->column_cells > (uint64_t)versions;
        return SM_OK;
    }
    sm_buf_clear(&f->column);
    f->column_cells = 1;
    const sm_status st = sm_buf_append(&f->column, cell->row.data, cell->row.len, err);
    return st == SM_OK ? sm_buf_append(&f->column, cell->qualifier.data, cell->qualifier.len, err)
                       : st;
}

sm_status sm_region_writer_add(void *context, size_t family, const sm_cell *cell, sm_error *err)
{
    sm_region_writer *w = context;
    family_state *f = &w->families[family];
    sm_status st = SM_OK;
    if (f->sink != NULL) {
        st = roll_if_due(w, family, cell, err);
    }
    if (st == SM_OK && f->sink == NULL) {
        st = open_file(w, family, err);
    }
    if (st == SM_OK && w->o.table->families[family].versions != 0) {
        st = count_shadowed(f, w->o.table->families[family].versions, cell, err);
    }
    return st == SM_OK ? sm_sink_add(f->sink, cell, err) : st;
}

sm_status sm_region_writer_finish(sm_region_writer *w, sm_region_file **files,
                                  uint64_t *cells_shadowed, sm_error *err)
{
    sm_status st = SM_OK;
    *files = NULL;
    sm_region_file **tail = files;
    for (size_t i = 0; st == SM_OK && i < w->o.table->family_count; i++) {
        family_state *f = &w->families[i];
        if (f->sink != NULL) {
            st = finish_file(w, i, err);
        }
        if (f->first != NULL) {
            *tail = f->first;
            tail = f->last;
        }
        cells_shadowed[i] += f->shadowed;
    }
    return st;
}
