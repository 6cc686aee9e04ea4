/* SPDX-License-Identifier: Apache-2.0 */
/* The source: one file after another, decoded, scanned, cut into slices, all under one lock.
 *
 *   carry (beginning of a record that the last slice left) + decoded bytes -> scan -> border ->
 * slice
 *                                                                                    `-> the rest:
 * carry
 *
 * The scan keeps its state between slices, so no byte is scanned twice. Whatever stands before an
 * error is handed out first: earlier rejects then come before the error, and the outcome doesn't
 * depend on the slice size. Opening and ending a file is in source_file.c. */
#include "core/mem.h"
#include "ingest/source_file.h"

#include <string.h>

/* Bytes asked of a decoder at a time, at most; a slice without a record's end grows by doubling. */
enum { READ_MAX = 4 * 1024 * 1024, GROWTH_MIN = 64 * 1024 };

/* ---- memory of a slice --------------------------------------------------------------------------
 */

static sm_status slice_capacity(sm_slice *slice, size_t wanted, sm_error *err)
{
    if (slice->capacity >= wanted) {
        return SM_OK;
    }
    uint8_t *data = sm_realloc(slice->data, wanted);
    if (data == NULL) {
        return sm_fail_memory(err, wanted, "a slice of the input");
    }
    slice->data = data;
    slice->capacity = wanted;
    return SM_OK;
}

void sm_slice_free(sm_slice *slice)
{
    sm_free(slice->data);
    *slice = (sm_slice){.data = NULL};
}

/* A slice that had to grow for one long record gives the memory back. */
static sm_status slice_reset(const sm_source *s, sm_slice *slice, sm_error *err)
{
    const size_t usual = s->options.slice_size + s->carry.len;
    if (slice->capacity / 4 > usual) {
        sm_free(slice->data);
        slice->data = NULL;
        slice->capacity = 0;
    }
    slice->len = 0;
    slice->cut = 0;
    return slice_capacity(slice, usual, err);
}

/* ---- reading and scanning -----------------------------------------------------------------------
 */

/* What the scan of a slice came to. */
typedef struct progress {
    size_t border;    /* behind the last complete span that may be handed out */
    uint64_t lines;   /* physical lines before the border */
    uint64_t records; /* records before the border */
    size_t seen;      /* behind the last complete span; differs from the border by the held line */
    uint64_t seen_lines, seen_records;
    sm_found last;
} progress;

static bool is_over_long(const sm_source *s)
{
    return s->scan.state == SM_SCAN_REST && s->scan.bad == SM_REJECT_RECORD_SIZE;
}

static sm_window window_of(const sm_source *s, const sm_slice *slice)
{
    return (sm_window){slice->data, slice->len, s->at_end};
}

/* Everything seen may be handed out. */
static void release(sm_source *s, progress *p)
{
    p->border = p->seen;
    p->lines = p->seen_lines;
    p->records = p->seen_records;
    s->held.active = false;
}

static void take_span(sm_source *s, progress *p, const sm_span *span)
{
    if (s->trailer != NULL && span->kind != SM_SPAN_BLANK) {
        release(s, p);
        /* An over-long line is no trailer: of some its end is never at hand. */
        s->held.active = span->bad != SM_REJECT_RECORD_SIZE;
        s->held.content = span->content;
    }
    p->seen = span->start + span->len;
    p->seen_lines += span->lines;
    p->seen_records += span->kind == SM_SPAN_RECORD;
    if (!s->held.active) {
        release(s, p);
    }
}

/* Scans what is there, up to the slice size. What the scan has begun and cannot end is a line too:
 * then the held one was not the last. */
static void scan_spans(sm_source *s, const sm_slice *slice, progress *p)
{
    const sm_window w = window_of(s, slice);
    sm_span span;
    do {
        p->last = s->input->next(s->state, &s->scan, w, &span);
        if (p->last == SM_FOUND_SPAN) {
            take_span(s, p, &span);
        }
    } while (p->last == SM_FOUND_SPAN && p->border < s->options.slice_size);
    if (p->last == SM_FOUND_OPEN_QUOTE || is_over_long(s)) {
        release(s, p);
    }
}

/* Doubling, but not past what one record may take, which would be memory for nothing. */
static size_t grown(const sm_source *s, size_t capacity)
{
    const size_t most = (size_t)s->options.record_limit + s->options.slice_size;
    if (capacity >= most) {
        return capacity + GROWTH_MIN;
    }
    return capacity < most / 2 ? capacity * 2 : most + GROWTH_MIN;
}

/* One read behind the slice's bytes. */
static sm_status read_more(sm_source *s, sm_slice *slice, sm_error *err)
{
    size_t room = slice->capacity - slice->len;
    if (room == 0) {
        const sm_status st = slice_capacity(slice, grown(s, slice->capacity), err);
        if (st != SM_OK) {
            return st;
        }
        room = slice->capacity - slice->len;
    }
    size_t got = 0;
    const sm_status st =
        sm_source_decode(s, slice->data + slice->len, room < READ_MAX ? room : READ_MAX, &got, err);
    slice->len += got;
    return st;
}

static sm_status open_quote(const sm_source *s, const sm_slice *slice, uint64_t lines_before,
                            sm_error *err)
{
    const sm_columns *columns = &s->columns[s->index];
    const sm_bytes record = {slice->data + s->scan.start, s->scan.quote_at + 1 - s->scan.start};
    const size_t field = s->input->field_of(s->state, record);
    const bool too_long = slice->len - s->scan.start >= s->options.record_limit;
    return sm_source_open_quote(
        s,
        &(sm_quote_place){.record = s->place.offset + s->scan.start,
                          .quote = s->place.offset + s->scan.quote_at,
                          .line = s->place.line + lines_before,
                          .column = field,
                          .name = columns->names != NULL && field < columns->count
                                      ? &columns->names[field]
                                      : NULL,
                          .too_long = too_long},
        err);
}

/* Leaves the bytes from `from` on for the next slice. */
static sm_status keep_carry(sm_source *s, const sm_slice *slice, size_t from, sm_error *err)
{
    sm_buf_clear(&s->carry);
    sm_scan_shift(&s->scan, from);
    return sm_buf_append(&s->carry, slice->data + from, slice->len - from, err);
}

static sm_status emit(sm_source *s, sm_slice *slice, const progress *p, sm_error *err)
{
    slice->place = s->place;
    slice->first = s->place.offset == s->first_offset;
    slice->sequence = s->sequence++;
    const sm_status st = keep_carry(s, slice, p->border, err);
    slice->len = p->border;
    s->place.offset += p->border;
    s->place.line += p->lines;
    s->place.record += p->records;
    return st;
}

/* The record at the slice's beginning is longer than the limit: keeps its first bytes and passes
 * over the rest of its line in the room behind them. */
static sm_status emit_cut(sm_source *s, sm_slice *slice, sm_error *err)
{
    const size_t limit = (size_t)s->options.record_limit;
    uint64_t dropped = 0;
    sm_span span;
    sm_found found = SM_FOUND_MORE;
    for (;;) {
        /* scan.pos is the end of the bytes, or a CR right before it. */
        const size_t tail = slice->len - s->scan.pos;
        memmove(slice->data + limit, slice->data + s->scan.pos, tail);
        dropped += s->scan.pos - limit;
        s->scan.pos = limit;
        slice->len = limit + tail;
        if (!s->at_end) {
            const sm_status st = read_more(s, slice, err);
            if (st != SM_OK) {
                return st;
            }
        }
        found = s->input->next(s->state, &s->scan, window_of(s, slice), &span);
        if (found == SM_FOUND_SPAN) {
            break;
        }
    }
    const progress p = {
        .border = span.len, .lines = span.lines, .records = span.kind == SM_SPAN_RECORD};
    const sm_status st = emit(s, slice, &p, err);
    s->place.offset += dropped;
    slice->cut = span.content + dropped;
    slice->len = limit;
    return st;
}

/* Reads and scans until the slice is full, the file ends, or something is wrong: then the error is
 * left in *later. */
static sm_status gather(sm_source *s, sm_slice *slice, progress *p, sm_error *later)
{
    for (;;) {
        scan_spans(s, slice, p);
        if (p->last == SM_FOUND_OPEN_QUOTE) {
            return open_quote(s, slice, p->seen_lines, later);
        }
        const bool full = p->border != 0 && slice->len >= s->options.slice_size;
        if (p->last == SM_FOUND_SPAN || s->at_end || full || is_over_long(s)) {
            return SM_OK;
        }
        const sm_status st = read_more(s, slice, later);
        if (st != SM_OK) {
            sm_source_set_place(s, later);
            return st;
        }
    }
}

/* The slice begins with the held line, or is empty. */
static sm_status end_of_records(const sm_source *s, const sm_slice *slice, sm_error *err)
{
    if (s->trailer == NULL) {
        return SM_OK;
    }
    const sm_bytes line = {slice->data, s->held.active ? s->held.content : 0};
    return sm_source_check_trailer(s, line, s->held.active, err);
}

/* Fills the slice from the open file. *got = false: the file has no more records. */
static sm_status fill(sm_source *s, sm_slice *slice, bool *got, sm_error *err)
{
    *got = false;
    sm_status st = slice_reset(s, slice, err);
    if (st != SM_OK) {
        return st;
    }
    if (s->carry.len != 0) {
        memcpy(slice->data, s->carry.data, s->carry.len);
    }
    slice->len = s->carry.len;
    progress p = {
        .seen = s->scan.start, .seen_lines = s->held.lines, .seen_records = s->held.records};
    st = gather(s, slice, &p, &s->pending);
    s->held.lines = p.seen_lines - p.lines;
    s->held.records = p.seen_records - p.records;
    if (p.border != 0) {
        *got = true;
        return emit(s, slice, &p, err);
    }
    if (st == SM_OK && is_over_long(s)) {
        *got = true;
        st = emit_cut(s, slice, err);
        if (st != SM_OK) {
            sm_source_set_place(s, err);
        }
        return st;
    }
    return st == SM_OK ? end_of_records(s, slice, err) : st;
}

/* ---- public -------------------------------------------------------------------------------------
 */

static sm_status interrupted(sm_error *err)
{
    const sm_status st = sm_fail(err, SM_E_INTERRUPTED, "interrupted while reading the input");
    if (err != NULL) {
        err->place = UINT64_MAX;
    }
    return st;
}

static sm_status next_locked(sm_source *s, sm_slice *slice, bool *more, sm_error *err)
{
    sm_status st = SM_OK;
    while (st == SM_OK && !*more) {
        if (s->pending.code != SM_OK) {
            *err = s->pending;
            return s->pending.code;
        }
        if (sm_stop_asked(s->options.stop) != 0) {
            return interrupted(err);
        }
        if (s->raw.file == NULL) {
            if (s->index == s->count) {
                return SM_OK;
            }
            st = sm_source_file_begin(s, err);
        } else {
            st = fill(s, slice, more, err);
            if (st == SM_OK && !*more) {
                st = sm_source_file_end(s, err);
            }
        }
    }
    if (st != SM_OK) {
        *more = false;
        s->pending = s->pending.code == SM_OK ? *err : s->pending;
        *err = s->pending;
    }
    return st;
}

sm_status sm_source_next(sm_source *s, sm_slice *slice, bool *more, sm_error *err)
{
    *more = false;
    sm_error local = {.code = SM_OK};
    sm_lock_take(s->lock);
    const sm_status st = next_locked(s, slice, more, &local);
    sm_lock_give(s->lock);
    if (st != SM_OK && err != NULL && err->code == SM_OK) {
        *err = local;
    }
    return st;
}

sm_status sm_source_digest(sm_source *s, sm_error *err)
{
    uint8_t *room = sm_malloc(SM_RAW_BUFFER);
    if (room == NULL) {
        return sm_fail_memory(err, SM_RAW_BUFFER, "reading an input");
    }
    sm_status st = SM_OK;
    while (st == SM_OK && s->index < s->count) {
        if (sm_stop_asked(s->options.stop) != 0) {
            st = interrupted(err);
        } else if (s->raw.file == NULL) {
            st = sm_source_file_open(s, err);
        } else if (s->at_end) {
            st = sm_source_file_end(s, err);
        } else {
            size_t got = 0;
            st = sm_source_decode(s, room, SM_RAW_BUFFER, &got, err);
        }
    }
    sm_free(room);
    return st;
}
