/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a query over a dataset: opens it, checks that it was written with this key rule, and gives
 * out rows as stored, or merged from all ranges at once. Rows of ranges that are not in the order
 * asked for are gathered and sorted. */
#include "job/scan.h"

#include "core/fs.h"
#include "core/mem.h"
#include "formats/dataset.h"
#include "job/scan_cursor.h"
#include "job/scan_order.h"

#include <stdlib.h>
#include <string.h>

typedef struct scan scan;

/* One range while all are read at once. */
typedef struct lane {
    scan *s;
    size_t lead;
    sm_row_cursor *cursor;
    sm_row_view row;
    int64_t time;
    bool has_row;
} lane;

/* A row kept for sorting, one allocation: the struct, its cells, their bytes. */
typedef struct kept_row {
    sm_row_view row;
    size_t lead, size;
    int64_t time;
    sm_scan_order order;
} kept_row;

struct scan {
    const sm_scan_options *options;
    const sm_key_plan *plan;
    sm_scan_fn fn;
    void *context;
    sm_scan_stats *stats;
    sm_arena *arena;
    sm_manifest manifest;
    sm_scan_source source;
    sm_row_fields *fields;
    bool *keep;
    size_t keep_room;
    sm_cell *shown;
    uint64_t given;
    bool has_after;
    int64_t after_time;
    size_t after_lead;
    kept_row **kept;
    size_t kept_count, kept_room;
    uint64_t kept_bytes;
};

/* ---- dataset --------------------------------------------------------------------------------- */

static sm_status check_rule(const scan *s, sm_error *err)
{
    const sm_job_table *t = s->options->query->table;
    if (strcmp(s->source.table->fingerprint, t->key_fingerprint) == 0) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_REFUSED,
                   "%s: table %s was written with another key rule: %s; this job has %s; scan it "
                   "with the job that wrote it",
                   s->options->dataset, t->name, s->source.table->key, t->key_canonical);
}

static sm_status open_dataset(scan *s, sm_error *err)
{
    const char *name = s->options->query->table->name;
    sm_status st = sm_arena_new(64 << 10, &s->arena, err);
    if (st != SM_OK) {
        return st;
    }
    const char *path = sm_path_join(s->arena, s->options->dataset, SM_MANIFEST_NAME);
    if (path == NULL) {
        return sm_fail_memory(err, 0, "a scan");
    }
    st = sm_manifest_read(path, s->arena, &s->manifest, err);
    if (st != SM_OK) {
        return st;
    }
    s->source = (sm_scan_source){.dataset = s->options->dataset,
                                 .manifest = &s->manifest,
                                 .versions = s->options->versions == 0 ? 1 : s->options->versions,
                                 .memory = s->options->memory,
                                 .stop = s->options->stop,
                                 .stats = s->stats};
    for (size_t i = 0; i < s->manifest.table_count; i++) {
        if (strcmp(s->manifest.tables[i].name, name) == 0) {
            s->source.table = &s->manifest.tables[i];
        }
    }
    return s->source.table != NULL
               ? check_rule(s, err)
               : sm_fail(err, SM_E_REFUSED, "%s: holds no table %s", s->options->dataset, name);
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* "f" or "f:q", as --columns has them. */
static bool is_column(sm_bytes wanted, const sm_cell *cell)
{
    const size_t f = cell->family.len;
    if (wanted.len < f || memcmp(wanted.data, cell->family.data, f) != 0) {
        return false;
    }
    return wanted.len == f ||
           (wanted.data[f] == ':' &&
            sm_bytes_equal(sm_bytes_of(wanted.data + f + 1, wanted.len - f - 1), cell->qualifier));
}

static bool is_wanted(const scan *s, const sm_cell *cell)
{
    bool wanted = s->options->column_count == 0;
    for (size_t i = 0; i < s->options->column_count && !wanted; i++) {
        wanted = is_column(s->options->columns[i], cell);
    }
    return wanted;
}

static sm_status make_keep(scan *s, size_t count, sm_error *err)
{
    if (count <= s->keep_room) {
        return SM_OK;
    }
    sm_free(s->keep);
    sm_free(s->shown);
    s->keep = sm_calloc(count, sizeof *s->keep);
    s->shown = sm_calloc(count, sizeof *s->shown);
    s->keep_room = s->keep == NULL || s->shown == NULL ? 0 : count;
    return s->keep_room == 0 ? sm_fail_memory(err, count * sizeof *s->shown, "the cells of a row")
                             : SM_OK;
}

/* The row's next image that meets the condition, only the cells that do; *more false at the end. */
static sm_status next_match(scan *s, sm_row_cursor *c, sm_row_view *row, bool *more, sm_error *err)
{
    for (;;) {
        bool any = false;
        sm_status st = sm_row_cursor_next(c, row, more, err);
        if (st != SM_OK || !*more) {
            return st;
        }
        s->stats->rows_tested++;
        st = make_keep(s, row->count, err);
        if (st == SM_OK) {
            st = sm_row_fields_test(s->fields, row, s->keep, &any, err);
        }
        if (st != SM_OK) {
            return st;
        }
        if (any) {
            sm_cell *cells = (sm_cell *)row->cells; /* the cursor's own array */
            size_t n = 0;
            for (size_t i = 0; i < row->count; i++) {
                if (s->keep[i]) {
                    cells[n++] = cells[i];
                }
            }
            row->count = n;
            return SM_OK;
        }
    }
}

static bool is_done(const scan *s)
{
    return s->options->limit != 0 && s->given >= s->options->limit;
}

/* Projects and hands over. A row of which no wanted column is left is not shown, as in HBase. */
static sm_status give(scan *s, const sm_row_view *row, sm_error *err)
{
    sm_row_view shown = {.key = row->key, .cells = s->shown};
    sm_status st = make_keep(s, row->count, err);
    shown.cells = s->shown;
    for (size_t i = 0; st == SM_OK && i < row->count; i++) {
        if (is_wanted(s, &row->cells[i])) {
            s->shown[shown.count++] = row->cells[i];
        }
    }
    if (st != SM_OK || shown.count == 0) {
        return st;
    }
    s->given++;
    s->stats->rows++;
    s->stats->cells += shown.count;
    return s->fn(s->context, &shown, err);
}

/* ---- as stored ------------------------------------------------------------------------------- */

static sm_status scan_range(scan *s, sm_bytes start, sm_bytes stop, sm_error *err)
{
    sm_row_cursor *c = NULL;
    bool more = true;
    sm_status st = sm_row_cursor_open(&s->source, start, stop, &c, err);
    while (st == SM_OK && more && !is_done(s)) {
        sm_row_view row;
        st = next_match(s, c, &row, &more, err);
        if (st == SM_OK && more) {
            st = give(s, &row, err);
        }
    }
    sm_row_cursor_close(c);
    return st;
}

/* The least row behind `after`: a 00 more. */
static sm_status row_behind(const scan *s, sm_bytes after, sm_bytes *out, sm_error *err)
{
    uint8_t *p = sm_arena_get(s->arena, after.len + 1);
    if (p == NULL) {
        return sm_fail_memory(err, after.len, "a row");
    }
    memcpy(p, after.data, after.len);
    p[after.len] = 0;
    *out = sm_bytes_of(p, after.len + 1);
    return SM_OK;
}

static sm_status scan_stored(scan *s, sm_error *err)
{
    sm_bytes behind = {0};
    sm_status st = s->has_after ? row_behind(s, s->options->after, &behind, err) : SM_OK;
    for (size_t i = 0; st == SM_OK && i < s->plan->count && !is_done(s); i++) {
        const sm_key_range *r = &s->plan->ranges[i];
        if (r->stop.len > 0 && sm_bytes_compare(r->stop, behind) <= 0) {
            continue;
        }
        st =
            scan_range(s, sm_bytes_compare(r->start, behind) < 0 ? behind : r->start, r->stop, err);
    }
    return st;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* The key's time field, else the newest cell. */
static sm_status time_of(scan *s, const sm_row_view *row, int64_t *out, sm_error *err)
{
    const sm_field_set *set = NULL;
    const int field = s->plan->time_field;
    *out = 0;
    for (size_t i = 0; i < row->count; i++) {
        *out = row->cells[i].timestamp > *out ? row->cells[i].timestamp : *out;
    }
    if (field < 0 || s->options->order == SM_SCAN_MERGED) {
        return SM_OK;
    }
    const sm_status st = sm_row_fields_read(s->fields, row, &set, err);
    if (st == SM_OK && set->known[field] && !set->values[field].is_null) {
        *out = set->values[field].number;
    }
    return st;
}

static bool is_behind_after(const scan *s, const sm_scan_place *p)
{
    const sm_scan_place after = {s->options->after, s->after_lead, s->after_time};
    return !s->has_after || sm_scan_compare(s->options->order, p, &after) > 0;
}

static bool in_range(const sm_key_range *r, sm_bytes key)
{
    return sm_bytes_compare(r->start, key) <= 0 &&
           (r->stop.len == 0 || sm_bytes_compare(key, r->stop) < 0);
}

/* Where the last page ended, in the order of this one. */
static sm_status find_after(scan *s, sm_error *err)
{
    const sm_row_view row = {.key = s->options->after};
    const sm_field_set *set = NULL;
    s->has_after = row.key.len > 0;
    if (!s->has_after || s->options->order == SM_SCAN_STORED) {
        return SM_OK;
    }
    for (size_t i = 0; i < s->plan->count; i++) {
        if (in_range(&s->plan->ranges[i], row.key)) {
            s->after_lead = s->plan->ranges[i].lead;
        }
    }
    if (s->options->order == SM_SCAN_MERGED) {
        return SM_OK;
    }
    const int field = s->plan->time_field;
    const sm_status st = sm_row_fields_read(s->fields, &row, &set, err);
    if (st != SM_OK) {
        return st;
    }
    if (field < 0 || !set->known[field]) {
        return sm_fail(err, SM_E_USAGE,
                       "--after: the key of table %s does not hold the time that the rows are "
                       "ordered by; page without --newest and --oldest",
                       s->options->query->table->name);
    }
    s->after_time = set->values[field].number;
    return SM_OK;
}

/* ---- all ranges at once ---------------------------------------------------------------------- */

static sm_status step(lane *l, sm_error *err)
{
    scan *s = l->s;
    for (;;) {
        sm_status st = next_match(s, l->cursor, &l->row, &l->has_row, err);
        if (st == SM_OK && l->has_row) {
            st = time_of(s, &l->row, &l->time, err);
        }
        const sm_scan_place p = {l->row.key, l->lead, l->time};
        if (st != SM_OK || !l->has_row || is_behind_after(s, &p)) {
            return st;
        }
    }
}

static lane *first_of(const scan *s, lane *lanes)
{
    lane *first = NULL;
    for (size_t i = 0; i < s->plan->count; i++) {
        lane *l = &lanes[i];
        if (!l->has_row) {
            continue;
        }
        const sm_scan_place p = {l->row.key, l->lead, l->time};
        const sm_scan_place q =
            first == NULL ? p : (sm_scan_place){first->row.key, first->lead, first->time};
        if (first == NULL || sm_scan_compare(s->options->order, &p, &q) < 0) {
            first = l;
        }
    }
    return first;
}

static sm_status merge_lanes(scan *s, lane *lanes, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < s->plan->count; i++) {
        const sm_key_range *r = &s->plan->ranges[i];
        lanes[i].s = s;
        lanes[i].lead = r->lead;
        st = sm_row_cursor_open(&s->source, r->start, r->stop, &lanes[i].cursor, err);
        if (st == SM_OK) {
            st = step(&lanes[i], err);
        }
    }
    lane *next = st == SM_OK ? first_of(s, lanes) : NULL;
    while (st == SM_OK && next != NULL && !is_done(s)) {
        st = give(s, &next->row, err);
        if (st == SM_OK) {
            st = step(next, err);
        }
        next = first_of(s, lanes);
    }
    for (size_t i = 0; i < s->plan->count; i++) {
        sm_row_cursor_close(lanes[i].cursor);
    }
    return st;
}

static sm_status scan_merged(scan *s, sm_error *err)
{
    lane *lanes = sm_arena_array(s->arena, s->plan->count + 1, sizeof *lanes);
    return lanes == NULL ? sm_fail_memory(err, 0, "a scan") : merge_lanes(s, lanes, err);
}

/* ---- gathered and sorted --------------------------------------------------------------------- */

static int compare_kept(const void *a, const void *b)
{
    const kept_row *x = *(kept_row *const *)a;
    const kept_row *y = *(kept_row *const *)b;
    const sm_scan_place p = {x->row.key, x->lead, x->time};
    const sm_scan_place q = {y->row.key, y->lead, y->time};
    return sm_scan_compare(x->order, &p, &q);
}

static void sort_kept(scan *s)
{
    if (s->kept_count > 1) {
        qsort(s->kept, s->kept_count, sizeof *s->kept, compare_kept);
    }
    while (s->options->limit != 0 && s->kept_count > s->options->limit) {
        kept_row *last = s->kept[--s->kept_count];
        s->kept_bytes -= last->size;
        sm_free(last);
    }
}

static uint8_t *store(uint8_t *at, sm_bytes *view)
{
    if (view->len > 0) {
        memcpy(at, view->data, view->len);
    }
    view->data = at;
    return at + view->len;
}

static size_t kept_size(const sm_row_view *row)
{
    size_t size = sizeof(kept_row) + row->count * sizeof(sm_cell) + row->key.len;
    for (size_t i = 0; i < row->count; i++) {
        const sm_cell *c = &row->cells[i];
        size += c->family.len + c->qualifier.len + c->value.len;
    }
    return size;
}

static kept_row *copy_row(const sm_row_view *row, size_t size)
{
    kept_row *k = sm_malloc(size);
    if (k == NULL) {
        return NULL;
    }
    sm_cell *cells = (sm_cell *)(void *)(k + 1);
    uint8_t *at = (uint8_t *)(cells + row->count);
    *k = (kept_row){.row = {row->key, cells, row->count}, .size = size};
    at = store(at, &k->row.key);
    for (size_t i = 0; i < row->count; i++) {
        cells[i] = row->cells[i];
        cells[i].row = k->row.key;
        at = store(at, &cells[i].family);
        at = store(at, &cells[i].qualifier);
        at = store(at, &cells[i].value);
    }
    return k;
}

static sm_status grow_kept(scan *s, sm_error *err)
{
    if (s->kept_count < s->kept_room) {
        return SM_OK;
    }
    const size_t room = s->kept_room == 0 ? 256 : s->kept_room * 2;
    kept_row **grown = sm_realloc(s->kept, room * sizeof(kept_row *));
    if (grown == NULL) {
        return sm_fail_memory(err, room * sizeof(kept_row *), "rows to sort");
    }
    s->kept = grown;
    s->kept_room = room;
    return SM_OK;
}

static sm_status keep_row(scan *s, const sm_row_view *row, const sm_scan_place *p, sm_error *err)
{
    const size_t size = kept_size(row);
    if (s->kept_bytes + size > s->options->memory) {
        sort_kept(s);
    }
    if (s->kept_bytes + size > s->options->memory) {
        return sm_fail(err, SM_E_MEMORY,
                       "the rows do not lie in the order asked for and take more than %llu bytes "
                       "to sort; give --limit, a narrower question, or more --memory",
                       (unsigned long long)s->options->memory);
    }
    const sm_status st = grow_kept(s, err);
    kept_row *k = st == SM_OK ? copy_row(row, size) : NULL;
    if (k == NULL) {
        return st != SM_OK ? st : sm_fail_memory(err, size, "a row to sort");
    }
    k->lead = p->lead;
    k->time = p->time;
    k->order = s->options->order;
    s->kept[s->kept_count++] = k;
    s->kept_bytes += size;
    if (s->options->limit != 0 && s->kept_count / 2 > s->options->limit) {
        sort_kept(s);
    }
    return SM_OK;
}

static sm_status gather_range(scan *s, const sm_key_range *r, sm_error *err)
{
    sm_row_cursor *c = NULL;
    bool more = true;
    sm_status st = sm_row_cursor_open(&s->source, r->start, r->stop, &c, err);
    while (st == SM_OK && more) {
        sm_row_view row;
        int64_t time = 0;
        st = next_match(s, c, &row, &more, err);
        if (st == SM_OK && more) {
            st = time_of(s, &row, &time, err);
        }
        const sm_scan_place p = {row.key, r->lead, time};
        if (st == SM_OK && more && is_behind_after(s, &p)) {
            st = keep_row(s, &row, &p, err);
        }
    }
    sm_row_cursor_close(c);
    return st;
}

static sm_status scan_gathered(scan *s, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < s->plan->count; i++) {
        st = gather_range(s, &s->plan->ranges[i], err);
    }
    sort_kept(s);
    for (size_t i = 0; st == SM_OK && i < s->kept_count && !is_done(s); i++) {
        st = give(s, &s->kept[i]->row, err);
    }
    for (size_t i = 0; i < s->kept_count; i++) {
        sm_free(s->kept[i]);
    }
    return st;
}

/* ---- the scan -------------------------------------------------------------------------------- */

/* Each lane holds a file per family open, and a block of each. */
static bool lanes_are_open_at_once(const scan *s)
{
    enum { SPARE_FILES = 64, BYTES_PER_LANE = 256 << 10 };
    const uint64_t files = (uint64_t)s->plan->count * (s->source.table->family_count + 1);
    return files + SPARE_FILES < sm_fs_open_file_limit() &&
           files * BYTES_PER_LANE < s->options->memory;
}

static bool ranges_are_ordered(const scan *s)
{
    switch (s->options->order) {
    case SM_SCAN_NEWEST: return s->plan->time_order == SM_TIME_NEWEST_FIRST;
    case SM_SCAN_OLDEST: return s->plan->time_order == SM_TIME_OLDEST_FIRST;
    default: return true;
    }
}

static sm_status run_scan(scan *s, sm_error *err)
{
    const sm_query *q = s->options->query;
    if (s->plan->full && !s->options->allow_full) {
        return sm_fail(err, SM_E_FULL_SCAN,
                       "table %s: this question reads the whole table: %s; --full does it",
                       q->table->name,
                       s->plan->why_full != NULL ? s->plan->why_full : "it asks for every row");
    }
    sm_status st = open_dataset(s, err);
    if (st == SM_OK) {
        st = sm_row_fields_new(q->job, q->table, s->plan->residual, s->options->superset,
                               &s->fields, err);
    }
    if (st == SM_OK) {
        st = find_after(s, err);
    }
    if (st != SM_OK) {
        return st;
    }
    if (s->options->order == SM_SCAN_STORED) {
        return scan_stored(s, err);
    }
    return ranges_are_ordered(s) && lanes_are_open_at_once(s) ? scan_merged(s, err)
                                                              : scan_gathered(s, err);
}

sm_status sm_scan(const sm_scan_options *options, sm_scan_fn fn, void *context,
                  sm_scan_stats *stats, sm_error *err)
{
    *stats = (sm_scan_stats){0};
    scan s = {.options = options,
              .plan = options->query->plan,
              .fn = fn,
              .context = context,
              .stats = stats};
    const sm_status st = run_scan(&s, err);
    sm_row_fields_free(s.fields);
    sm_free(s.kept);
    sm_free(s.keep);
    sm_free(s.shown);
    sm_arena_free(s.arena);
    return st;
}
