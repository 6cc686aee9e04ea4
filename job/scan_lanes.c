/* SPDX-License-Identifier: Apache-2.0 */
/* All ranges of a plan at once, each in order: their rows merged. Where the files of all ranges
 * would be too many to hold open, each range is read ahead a batch at a time. */
#include "core/fs.h"
#include "core/mem.h"
#include "job/scan_state.h"

/* One range while all are read at once: with its files open, or, where these would be too many,
 * read ahead a batch at a time, with no file open in between. */
typedef struct lane {
    sm_scan_state *s;
    const sm_scan_source *source;
    const sm_key_range *range;
    sm_row_cursor *cursor; /* NULL: in batches */
    sm_row_view row;       /* at hand */
    int64_t time;
    bool has_row;
    sm_kept_row *batch; /* the row at hand and those behind it */
    bool ended;         /* none is left behind the batch */
} lane;

/* Each lane holds a file per family open, and a block of each. */
static bool lanes_are_open_at_once(const sm_scan_state *s)
{
    enum { SPARE_FILES = 64, BYTES_PER_LANE = 256 << 10 };
    const uint64_t files =
        (uint64_t)sm_scan_lane_count(s) * (s->options->query->table->family_count + 1);
    return files + SPARE_FILES < sm_fs_open_file_limit() &&
           files * BYTES_PER_LANE < s->options->memory;
}

/* The next row of the cursor behind --after. */
static sm_status read_row(lane *l, sm_row_cursor *c, sm_row_view *row, sm_scan_place *p, bool *more,
                          sm_error *err)
{
    for (;;) {
        sm_status st = sm_scan_next_match(l->s, c, row, more, err);
        *p = (sm_scan_place){.key = row->key, .lead = l->range->lead};
        if (st == SM_OK && *more) {
            st = sm_scan_time_of(l->s, row, &p->time, err);
        }
        if (st != SM_OK || !*more || sm_scan_is_behind_after(l->s, p)) {
            return st;
        }
    }
}

static sm_status take_ahead(lane *l, const sm_row_view *row, const sm_scan_place *p,
                            sm_kept_row ***end, sm_error *err)
{
    sm_scan_state *s = l->s;
    const size_t size = sm_kept_size(row);
    if (s->kept_bytes + size > s->options->memory) {
        return sm_fail(err, SM_E_MEMORY,
                       "one row of each of %zu ranges takes more than %llu bytes; ask for fewer "
                       "--columns, a narrower question, or give more --memory",
                       sm_scan_lane_count(s), (unsigned long long)s->options->memory);
    }
    const sm_status st = sm_kept_new(row, p, size, *end, err);
    if (st == SM_OK) {
        s->kept_bytes += size;
        *end = &(**end)->next;
    }
    return st;
}

/* A batch from `start` on behind *end: as many rows as this lane's share of memory holds, at least
 * one. */
static sm_status read_batch(lane *l, sm_bytes start, sm_kept_row **end, sm_error *err)
{
    sm_scan_state *s = l->s;
    const uint64_t share = s->options->memory / 2 / sm_scan_lane_count(s);
    uint64_t rows = 0;
    sm_row_cursor *c = NULL;
    const uint64_t held = s->kept_bytes;
    sm_status st = sm_row_cursor_open(l->source, start, l->range->stop, &c, err);
    while (st == SM_OK && !l->ended &&
           (rows == 0 || (s->kept_bytes - held < share &&
                          (s->options->limit == 0 || rows < s->options->limit)))) {
        sm_row_view row;
        sm_scan_place p;
        bool more = false;
        st = read_row(l, c, &row, &p, &more, err);
        l->ended = !more;
        if (st == SM_OK && more) {
            st = take_ahead(l, &row, &p, &end, err);
            rows++;
        }
    }
    sm_row_cursor_close(c);
    return st;
}

static sm_status step_in_batch(lane *l, sm_error *err)
{
    sm_scan_state *s = l->s;
    sm_kept_row *old = l->batch;
    sm_status st = SM_OK;
    if (old == NULL) {
        s->stats->ranges++;
        st = read_batch(l, l->range->start, &l->batch, err);
    } else if (old->next == NULL && !l->ended) {
        sm_buf_clear(&s->resume);
        st = sm_buf_append(&s->resume, old->row.key.data, old->row.key.len, err);
        if (st == SM_OK) {
            st = sm_buf_append_byte(&s->resume, 0, err);
        }
        if (st == SM_OK) {
            st = read_batch(l, sm_buf_view(&s->resume), &old->next, err);
        }
    }
    if (old != NULL) {
        l->batch = old->next;
        s->kept_bytes -= old->size;
        sm_free(old);
    }
    l->has_row = st == SM_OK && l->batch != NULL;
    if (l->has_row) {
        l->row = l->batch->row;
        l->time = l->batch->time;
    }
    return st;
}

static sm_status step(lane *l, sm_error *err)
{
    sm_scan_place p;
    if (l->cursor == NULL) {
        return step_in_batch(l, err);
    }
    const sm_status st = read_row(l, l->cursor, &l->row, &p, &l->has_row, err);
    l->time = p.time;
    return st;
}

static sm_status start_lane(lane *l, bool open, sm_error *err)
{
    sm_status st = SM_OK;
    if (open) {
        l->s->stats->ranges++;
        st = sm_row_cursor_open(l->source, l->range->start, l->range->stop, &l->cursor, err);
    }
    return st == SM_OK ? step(l, err) : st;
}

static void end_lane(lane *l)
{
    sm_row_cursor_close(l->cursor);
    while (l->batch != NULL) {
        sm_kept_row *next = l->batch->next;
        sm_free(l->batch);
        l->batch = next;
    }
}

static lane *first_of(const sm_scan_state *s, lane *lanes)
{
    lane *first = NULL;
    for (size_t i = 0; i < sm_scan_lane_count(s); i++) {
        lane *l = &lanes[i];
        if (!l->has_row) {
            continue;
        }
        const sm_scan_place p = {l->row.key, l->range->lead, l->time};
        const sm_scan_place q =
            first == NULL ? p : (sm_scan_place){first->row.key, first->range->lead, first->time};
        if (first == NULL || sm_scan_compare(s->options->order, &p, &q) < 0) {
            first = l;
        }
    }
    return first;
}

static sm_status merge_lanes(sm_scan_state *s, lane *lanes, sm_error *err)
{
    const bool open = lanes_are_open_at_once(s);
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < sm_scan_lane_count(s); i++) {
        lanes[i].s = s;
        lanes[i].source = &s->sources.items[i / s->plan->count];
        lanes[i].range = &s->plan->ranges[i % s->plan->count];
        st = start_lane(&lanes[i], open, err);
    }
    lane *next = st == SM_OK ? first_of(s, lanes) : NULL;
    while (st == SM_OK && next != NULL && !sm_scan_is_done(s)) {
        st = sm_scan_give(s, &next->row, err);
        if (st == SM_OK) {
            st = step(next, err);
        }
        next = first_of(s, lanes);
    }
    for (size_t i = 0; i < sm_scan_lane_count(s); i++) {
        end_lane(&lanes[i]);
    }
    return st;
}

sm_status sm_scan_merge_lanes(sm_scan_state *s, sm_error *err)
{
    lane *lanes = sm_arena_array(s->arena, sm_scan_lane_count(s) + 1, sizeof *lanes);
    return lanes == NULL ? sm_fail_memory(err, 0, "a scan") : merge_lanes(s, lanes, err);
}
