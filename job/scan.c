/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a query over a dataset: opens it, checks that it was written with this key rule, and gives
 * out rows as stored, or merged from all ranges at once. Rows of ranges that are not in the order
 * asked for are gathered and sorted. */
#include "job/scan.h"

#include "core/mem.h"
#include "job/scan_state.h"

#include <stdlib.h>
#include <string.h>

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

static bool is_wanted(const sm_scan_state *s, const sm_cell *cell)
{
    bool wanted = s->options->column_count == 0;
    for (size_t i = 0; i < s->options->column_count && !wanted; i++) {
        wanted = is_column(s->options->columns[i], cell);
    }
    return wanted;
}

static sm_status make_keep(sm_scan_state *s, size_t count, sm_error *err)
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
sm_status sm_scan_next_match(sm_scan_state *s, sm_row_cursor *c, sm_row_view *row, bool *more,
                             sm_error *err)
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

bool sm_scan_is_done(const sm_scan_state *s)
{
    return s->options->limit != 0 && s->given >= s->options->limit;
}

/* Projects and hands over. A row of which no wanted column is left is not shown, as in HBase. */
sm_status sm_scan_give(sm_scan_state *s, const sm_row_view *row, sm_error *err)
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

static sm_status scan_range(sm_scan_state *s, const sm_scan_source *source, sm_bytes start,
                            sm_bytes stop, sm_error *err)
{
    sm_row_cursor *c = NULL;
    bool more = true;
    s->stats->ranges++;
    sm_status st = sm_row_cursor_open(source, start, stop, &c, err);
    while (st == SM_OK && more && !sm_scan_is_done(s)) {
        sm_row_view row;
        st = sm_scan_next_match(s, c, &row, &more, err);
        if (st == SM_OK && more) {
            st = sm_scan_give(s, &row, err);
        }
    }
    sm_row_cursor_close(c);
    return st;
}

/* The least row behind `after`: a 00 more. */
static sm_status row_behind(const sm_scan_state *s, sm_bytes after, sm_bytes *out, sm_error *err)
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

static sm_status scan_table(sm_scan_state *s, const sm_scan_source *source, sm_bytes behind,
                            sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < s->plan->count && !sm_scan_is_done(s); i++) {
        const sm_key_range *r = &s->plan->ranges[i];
        if (r->stop.len > 0 && sm_bytes_compare(r->stop, behind) <= 0) {
            continue;
        }
        st = scan_range(s, source, sm_bytes_compare(r->start, behind) < 0 ? behind : r->start,
                        r->stop, err);
    }
    return st;
}

static sm_status scan_stored(sm_scan_state *s, sm_error *err)
{
    sm_bytes behind = {0};
    sm_status st = s->has_after ? row_behind(s, s->options->after, &behind, err) : SM_OK;
    for (size_t i = 0; st == SM_OK && i < s->sources.count; i++) {
        st = scan_table(s, &s->sources.items[i], behind, err);
    }
    return st;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* The key's time field, else the newest cell. */
sm_status sm_scan_time_of(sm_scan_state *s, const sm_row_view *row, int64_t *out, sm_error *err)
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

bool sm_scan_is_behind_after(const sm_scan_state *s, const sm_scan_place *p)
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
static sm_status find_after(sm_scan_state *s, sm_error *err)
{
    const sm_row_view row = {.key = s->options->after};
    const sm_field_set *set = NULL;
    s->has_after = row.key.len > 0;
    if (s->has_after && s->sources.count > 1) {
        return sm_fail(err, SM_E_USAGE,
                       "--after: the row may lie in any of %zu tables (%s, %s ...); page through "
                       "one at a time with --table",
                       s->sources.count, s->sources.items[0].table->name,
                       s->sources.items[1].table->name);
    }
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

/* ---- gathered and sorted --------------------------------------------------------------------- */

static int compare_kept(const void *a, const void *b)
{
    const sm_kept_row *x = *(sm_kept_row *const *)a;
    const sm_kept_row *y = *(sm_kept_row *const *)b;
    const sm_scan_place p = sm_kept_place(x);
    const sm_scan_place q = sm_kept_place(y);
    return sm_scan_compare(x->order, &p, &q);
}

static void sort_kept(sm_scan_state *s)
{
    if (s->kept_count > 1) {
        qsort(s->kept, s->kept_count, sizeof *s->kept, compare_kept);
    }
    while (s->options->limit != 0 && s->kept_count > s->options->limit) {
        sm_kept_row *last = s->kept[--s->kept_count];
        s->kept_bytes -= last->size;
        sm_free(last);
    }
}

static sm_status grow_kept(sm_scan_state *s, sm_error *err)
{
    if (s->kept_count < s->kept_room) {
        return SM_OK;
    }
    const size_t room = s->kept_room == 0 ? 256 : s->kept_room * 2;
    sm_kept_row **grown = sm_realloc(s->kept, room * sizeof(sm_kept_row *));
    if (grown == NULL) {
        return sm_fail_memory(err, room * sizeof(sm_kept_row *), "rows to sort");
    }
    s->kept = grown;
    s->kept_room = room;
    return SM_OK;
}

static sm_status keep_row(sm_scan_state *s, const sm_row_view *row, const sm_scan_place *p,
                          sm_error *err)
{
    const size_t size = sm_kept_size(row);
    sm_kept_row *k = NULL;
    if (s->kept_bytes + size > s->options->memory) {
        sort_kept(s);
    }
    if (s->kept_bytes + size > s->options->memory) {
        return sm_fail(err, SM_E_MEMORY,
                       "the rows do not lie in the order asked for and take more than %llu bytes "
                       "to sort; give --limit, a narrower question, or more --memory",
                       (unsigned long long)s->options->memory);
    }
    sm_status st = grow_kept(s, err);
    if (st == SM_OK) {
        st = sm_kept_new(row, p, size, &k, err);
    }
    if (st != SM_OK) {
        return st;
    }
    k->order = s->options->order;
    s->kept[s->kept_count++] = k;
    s->kept_bytes += size;
    if (s->options->limit != 0 && s->kept_count / 2 > s->options->limit) {
        sort_kept(s);
    }
    return SM_OK;
}

static sm_status gather_range(sm_scan_state *s, const sm_scan_source *source, const sm_key_range *r,
                              sm_error *err)
{
    sm_row_cursor *c = NULL;
    bool more = true;
    s->stats->ranges++;
    sm_status st = sm_row_cursor_open(source, r->start, r->stop, &c, err);
    while (st == SM_OK && more) {
        sm_row_view row;
        int64_t time = 0;
        st = sm_scan_next_match(s, c, &row, &more, err);
        if (st == SM_OK && more) {
            st = sm_scan_time_of(s, &row, &time, err);
        }
        const sm_scan_place p = {row.key, r->lead, time};
        if (st == SM_OK && more && sm_scan_is_behind_after(s, &p)) {
            st = keep_row(s, &row, &p, err);
        }
    }
    sm_row_cursor_close(c);
    return st;
}

static sm_status scan_gathered(sm_scan_state *s, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < sm_scan_lane_count(s); i++) {
        st = gather_range(s, &s->sources.items[i / s->plan->count],
                          &s->plan->ranges[i % s->plan->count], err);
    }
    sort_kept(s);
    for (size_t i = 0; st == SM_OK && i < s->kept_count && !sm_scan_is_done(s); i++) {
        st = sm_scan_give(s, &s->kept[i]->row, err);
    }
    for (size_t i = 0; i < s->kept_count; i++) {
        sm_free(s->kept[i]);
    }
    return st;
}

/* ---- the scan -------------------------------------------------------------------------------- */

static bool ranges_are_ordered(const sm_scan_state *s)
{
    switch (s->options->order) {
    case SM_SCAN_NEWEST: return s->plan->time_order == SM_TIME_NEWEST_FIRST;
    case SM_SCAN_OLDEST: return s->plan->time_order == SM_TIME_OLDEST_FIRST;
    default: return true;
    }
}

static sm_status run_scan(sm_scan_state *s, sm_error *err)
{
    const sm_query *q = s->options->query;
    if (s->plan->full && !s->options->allow_full) {
        return sm_fail(err, SM_E_FULL_SCAN,
                       "table %s: this question reads the whole table: %s; --full does it",
                       q->table->name,
                       s->plan->why_full != NULL ? s->plan->why_full : "it asks for every row");
    }
    sm_status st = sm_arena_new(64 << 10, &s->arena, err);
    if (st == SM_OK) {
        st = sm_scan_sources_open(s->options, s->stats, s->arena, &s->sources, err);
    }
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
    return ranges_are_ordered(s) ? sm_scan_merge_lanes(s, err) : scan_gathered(s, err);
}

sm_status sm_scan(const sm_scan_options *options, sm_scan_fn fn, void *context,
                  sm_scan_stats *stats, sm_error *err)
{
    *stats = (sm_scan_stats){0};
    sm_scan_state s = {.options = options,
                       .plan = options->query->plan,
                       .fn = fn,
                       .context = context,
                       .stats = stats};
    sm_buf_init(&s.resume, SIZE_MAX / 4);
    const sm_status st = run_scan(&s, err);
    sm_buf_free(&s.resume);
    sm_row_fields_free(s.fields);
    sm_free(s.kept);
    sm_free(s.keep);
    sm_free(s.shown);
    sm_arena_free(s.arena);
    return st;
}
