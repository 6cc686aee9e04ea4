/* SPDX-License-Identifier: Apache-2.0 */
/* A walk per family, and the row that comes next among them. */
#include "job/scan_cursor.h"

#include "core/escape.h"
#include "core/fs.h"
#include "core/mem.h"
#include "formats/dataset.h"
#include "formats/hfile_reader.h"

#include <string.h>

/* Through the files of one family in key order. */
typedef struct family_walk {
    const char *family;
    size_t next_file; /* index in the manifest */
    sm_hfile *file;
    sm_cell cell; /* the next one, views into the file's block */
    bool has_cell;
} family_walk;

struct sm_row_cursor {
    const sm_scan_source *source;
    sm_arena *paths;
    sm_arena *row; /* copies of the row at hand */
    sm_bytes start, stop;
    family_walk *walks;
    size_t walk_count;
    sm_cell *cells;
    size_t cell_count, cell_room;
};

/* ---- files ----------------------------------------------------------------------------------- */

static bool touches(const sm_row_cursor *c, const family_walk *w, const sm_manifest_file *f)
{
    return strcmp(f->table, c->source->table->name) == 0 && strcmp(f->family, w->family) == 0 &&
           sm_bytes_compare(f->last_key, c->start) >= 0 &&
           (c->stop.len == 0 || sm_bytes_compare(f->first_key, c->stop) < 0);
}

static void close_file(const sm_row_cursor *c, family_walk *w)
{
    uint64_t blocks = 0;
    uint64_t bytes = 0;
    if (w->file != NULL) {
        sm_hfile_reads(w->file, &blocks, &bytes);
        c->source->stats->blocks_read += blocks;
        c->source->stats->bytes_read += bytes;
    }
    sm_hfile_close(w->file);
    w->file = NULL;
}

/* The next file that the range touches, at the range's first row; none: file stays NULL. */
static sm_status open_next(sm_row_cursor *c, family_walk *w, sm_error *err)
{
    const sm_manifest *m = c->source->manifest;
    while (w->next_file < m->file_count && !touches(c, w, &m->files[w->next_file])) {
        w->next_file++;
    }
    if (w->next_file == m->file_count) {
        return SM_OK;
    }
    const char *path = sm_path_join(c->paths, c->source->dataset, m->files[w->next_file++].path);
    if (path == NULL) {
        return sm_fail_memory(err, 0, "the path of a file");
    }
    sm_status st = sm_hfile_open_to_seek(path, &w->file, err);
    if (st == SM_OK) {
        c->source->stats->files_opened++;
        st = sm_hfile_seek(w->file, c->start, err);
    }
    return st;
}

static sm_status advance(sm_row_cursor *c, family_walk *w, sm_error *err)
{
    w->has_cell = false;
    for (;;) {
        bool more = false;
        if (w->file == NULL) {
            const sm_status st = open_next(c, w, err);
            if (st != SM_OK || w->file == NULL) {
                return st;
            }
        }
        const sm_status st = sm_hfile_next(w->file, &w->cell, &more, err);
        if (st != SM_OK) {
            return st;
        }
        if (!more) {
            close_file(c, w);
            continue;
        }
        if (c->stop.len > 0 && sm_bytes_compare(w->cell.row, c->stop) >= 0) {
            close_file(c, w);
            w->next_file = c->source->manifest->file_count;
            return SM_OK;
        }
        w->has_cell = true;
        return SM_OK;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool copy(sm_row_cursor *c, sm_bytes from, sm_bytes *to)
{
    uint8_t *p = sm_arena_get(c->row, from.len + 1);
    if (p == NULL) {
        return false;
    }
    if (from.len > 0) {
        memcpy(p, from.data, from.len);
    }
    *to = sm_bytes_of(p, from.len);
    return true;
}

/* How many cells of this column the row at hand has already, counted to `most`. */
static bool column_is_full(const sm_row_cursor *c, const sm_cell *cell)
{
    uint64_t same = 0;
    for (size_t i = c->cell_count; i > 0 && same < c->source->versions; i--) {
        const sm_cell *before = &c->cells[i - 1];
        if (!sm_bytes_equal(before->qualifier, cell->qualifier) ||
            !sm_bytes_equal(before->family, cell->family)) {
            break;
        }
        same++;
    }
    return same >= c->source->versions;
}

static sm_status too_large(const sm_row_cursor *c, const sm_row_view *row, sm_error *err)
{
    char key[200];
    return sm_fail(err, SM_E_MEMORY,
                   "row %s has more cells than %llu bytes of memory hold; ask for fewer with "
                   "--columns, or give more --memory",
                   sm_escape_short(row->key, key, sizeof key),
                   (unsigned long long)c->source->memory);
}

static sm_status keep_cell(sm_row_cursor *c, const sm_row_view *row, const sm_cell *cell,
                           sm_error *err)
{
    if (column_is_full(c, cell)) {
        return SM_OK;
    }
    if (c->cell_count == c->cell_room) {
        const size_t room = c->cell_room == 0 ? 16 : c->cell_room * 2;
        sm_cell *grown = sm_realloc(c->cells, room * sizeof *grown);
        if (grown == NULL) {
            return sm_fail_memory(err, room * sizeof *grown, "the cells of a row");
        }
        c->cells = grown;
        c->cell_room = room;
    }
    sm_cell *kept = &c->cells[c->cell_count];
    *kept = *cell;
    kept->row = row->key;
    if (!copy(c, cell->family, &kept->family) || !copy(c, cell->qualifier, &kept->qualifier) ||
        !copy(c, cell->value, &kept->value)) {
        return sm_fail_memory(err, cell->value.len, "the cells of a row");
    }
    c->cell_count++;
    const bool large = sm_arena_held(c->row) + c->cell_room * sizeof *c->cells > c->source->memory;
    return large ? too_large(c, row, err) : SM_OK;
}

static sm_status take_family(sm_row_cursor *c, family_walk *w, const sm_row_view *row,
                             sm_error *err)
{
    sm_status st = SM_OK;
    while (st == SM_OK && w->has_cell && sm_bytes_equal(w->cell.row, row->key)) {
        st = keep_cell(c, row, &w->cell, err);
        if (st == SM_OK) {
            st = advance(c, w, err);
        }
    }
    return st;
}

sm_status sm_row_cursor_next(sm_row_cursor *c, sm_row_view *row, bool *more, sm_error *err)
{
    const family_walk *least = NULL;
    *more = false;
    *row = (sm_row_view){0};
    sm_arena_reset(c->row);
    c->cell_count = 0;
    if (c->source->stop != NULL && sm_stop_asked(c->source->stop) != 0) {
        return sm_fail(err, SM_E_INTERRUPTED, "stopped");
    }
    for (size_t i = 0; i < c->walk_count; i++) {
        const family_walk *w = &c->walks[i];
        if (w->has_cell && (least == NULL || sm_bytes_compare(w->cell.row, least->cell.row) < 0)) {
            least = w;
        }
    }
    if (least == NULL) {
        return SM_OK;
    }
    if (!copy(c, least->cell.row, &row->key)) {
        return sm_fail_memory(err, least->cell.row.len, "a row");
    }
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < c->walk_count; i++) {
        st = take_family(c, &c->walks[i], row, err);
    }
    row->cells = c->cells;
    row->count = c->cell_count;
    *more = st == SM_OK;
    return st;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static sm_status open_walks(sm_row_cursor *c, sm_error *err)
{
    const sm_manifest_table *t = c->source->table;
    sm_status st = sm_arena_new(4096, &c->paths, err);
    if (st == SM_OK) {
        st = sm_arena_new(16 << 10, &c->row, err);
    }
    if (st != SM_OK) {
        return st;
    }
    c->walks = sm_arena_array(c->paths, t->family_count + 1, sizeof *c->walks);
    if (c->walks == NULL) {
        return sm_fail_memory(err, 0, "a scan");
    }
    c->walk_count = t->family_count;
    for (size_t i = 0; i < t->family_count; i++) {
        c->walks[i].family = t->families[i].name;
    }
    for (size_t i = 0; st == SM_OK && i < t->family_count; i++) {
        st = advance(c, &c->walks[i], err);
    }
    return st;
}

sm_status sm_row_cursor_open(const sm_scan_source *source, sm_bytes start, sm_bytes stop,
                             sm_row_cursor **out, sm_error *err)
{
    void *p = NULL;
    *out = NULL;
    sm_status st = sm_new(sizeof(sm_row_cursor), "a scan", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_row_cursor *c = p;
    c->source = source;
    c->start = start;
    c->stop = stop;
    st = open_walks(c, err);
    if (st != SM_OK) {
        sm_row_cursor_close(c);
        return st;
    }
    *out = c;
    return SM_OK;
}

void sm_row_cursor_close(sm_row_cursor *c)
{
    if (c == NULL) {
        return;
    }
    for (size_t i = 0; i < c->walk_count; i++) {
        close_file(c, &c->walks[i]);
    }
    sm_free(c->cells);
    sm_arena_free(c->row);
    sm_arena_free(c->paths);
    sm_free(c);
}
