/* SPDX-License-Identifier: Apache-2.0 */
/* Life of the source and of one file in it: open, detect the compression, take the header off,
 * decode with count and hash, and at the end check that nobody changed it meanwhile. */
#include "ingest/source_file.h"

#include "core/escape.h"
#include "core/mem.h"
#include "ingest/path_fields.h"

#include <stdio.h>
#include <string.h>

/* Most bytes in front of the first record (or up to the first well-formed one, without a header)
 * beyond limits.record. */
enum { HEAD_SLACK = 1024 * 1024, HEAD_FIRST = 64 * 1024 };

/* ---- the source ------------------------------------------------------------------------------ */

static sm_status make_infos(sm_source *s, sm_error *err)
{
    s->count = s->paths.count;
    s->infos = sm_arena_array(s->arena, s->count, sizeof *s->infos);
    s->columns = sm_arena_array(s->arena, s->count, sizeof *s->columns);
    if (s->infos == NULL || s->columns == NULL) {
        return sm_fail_memory(err, s->count * sizeof *s->infos, "the list of inputs");
    }
    for (size_t i = 0; i < s->count; i++) {
        const sm_input_path *p = &s->paths.items[i];
        s->infos[i] = (sm_input_info){.path = p->path,
                                      .size = p->info.is_regular ? p->info.size : 0,
                                      .mtime_ns = p->info.is_regular ? p->info.mtime_ns : 0,
                                      .compression = "none"};
    }
    return SM_OK;
}

static sm_status open_trailer(sm_source *s, sm_error *err)
{
    const sm_status st = sm_pattern_new(s->options.feed.trailer, "input.trailer", &s->trailer, err);
    s->count_group = SIZE_MAX;
    for (size_t i = 0; st == SM_OK && i < sm_pattern_group_count(s->trailer); i++) {
        if (strcmp(sm_pattern_group_name(s->trailer, i), "count") == 0) {
            s->count_group = i;
        }
    }
    return st;
}

static sm_status open_parts(sm_source *s, sm_error *err)
{
    const sm_source_options *o = &s->options;
    s->input = sm_input_named(o->format);
    if (s->input == NULL) {
        return sm_fail(err, SM_E_JOB, "input.format: there is no format \"%s\"", o->format);
    }
    if (o->slice_size == 0 || o->record_limit == 0 || o->record_limit > SIZE_MAX / 4) {
        return sm_fail(err, SM_E_JOB, "limits.record and the slice size must be at least 1 byte");
    }
    sm_status st = sm_arena_new(64 * 1024, &s->arena, err);
    if (st == SM_OK) {
        st = sm_lock_new(&s->lock, err);
    }
    if (st == SM_OK) {
        st = s->input->open(o, &s->state, err);
    }
    if (st == SM_OK && o->feed.trailer != NULL) {
        st = open_trailer(s, err);
    }
    if (st == SM_OK) {
        st = sm_input_paths_resolve(o->paths, o->path_count, s->arena, &s->paths, err);
    }
    if (st == SM_OK && o->listed) {
        st = sm_input_paths_listed(&s->paths, o->paths, o->path_count, err);
    }
    if (st == SM_OK) {
        st = make_infos(s, err);
    }
    return st == SM_OK ? sm_path_fields_read(&s->options, s->arena, s->infos, s->count, err) : st;
}

sm_status sm_source_open(const sm_source_options *options, sm_source **out, sm_error *err)
{
    *out = NULL;
    void *memory = NULL;
    sm_status st = sm_new(sizeof **out, "the source", &memory, err);
    if (st != SM_OK) {
        return st;
    }
    sm_source *s = memory;
    s->options = *options;
    sm_buf_init(&s->carry, SIZE_MAX / 2);
    st = open_parts(s, err);
    if (st != SM_OK) {
        sm_source_close(s);
        return st;
    }
    *out = s;
    return SM_OK;
}

static void file_close(sm_source *s)
{
    if (s->decoder_type != NULL) {
        s->decoder_type->close(s->decoder);
    }
    s->decoder_type = NULL;
    s->decoder = NULL;
    sm_raw_close(&s->raw);
    sm_xxh64_stream_free(s->hash);
    s->hash = NULL;
}

void sm_source_close(sm_source *s)
{
    if (s == NULL) {
        return;
    }
    file_close(s);
    if (s->state != NULL) {
        s->input->close(s->state);
    }
    sm_pattern_free(s->trailer);
    sm_buf_free(&s->carry);
    sm_lock_free(s->lock);
    sm_arena_free(s->arena);
    sm_free(s);
}

size_t sm_source_input_count(const sm_source *s)
{
    return s->count;
}

const sm_input_info *sm_source_input(const sm_source *s, size_t file)
{
    return &s->infos[file];
}

const sm_source_options *sm_source_options_of(const sm_source *s)
{
    return &s->options;
}

const sm_input *sm_source_input_type(const sm_source *s)
{
    return s->input;
}

const sm_input_state *sm_source_input_state(const sm_source *s)
{
    return s->state;
}

const sm_columns *sm_source_columns(const sm_source *s, size_t file)
{
    return &s->columns[file];
}

/* ---- errors ---------------------------------------------------------------------------------- */

void sm_source_set_place(const sm_source *s, sm_error *err)
{
    if (err != NULL) {
        const sm_place p = {.file = (uint32_t)s->index, .offset = s->infos[s->index].decoded_bytes};
        err->place = sm_place_order(&p);
    }
}

sm_status sm_source_open_quote(const sm_source *s, const sm_quote_place *q, sm_error *err)
{
    char name[80] = "";
    char column[120] = "";
    if (q->name != NULL && q->name->len != 0) {
        (void)snprintf(column, sizeof column, " (\"%s\")",
                       sm_escape_short(*q->name, name, sizeof name));
    }
    char why[80] = "is never closed (reached end of file)";
    if (q->too_long) {
        (void)snprintf(why, sizeof why, "is not closed within %llu bytes (limits.record)",
                       (unsigned long long)s->options.record_limit);
    }
    const sm_status st =
        sm_fail(err, SM_E_INPUT_QUOTE,
                "%s: line %llu (record starts at byte offset %llu, quote at %llu), column %zu%s: "
                "quoted field opened here %s; "
                "close the quote in the file, or set csv.quote: none if quotes are data",
                s->infos[s->index].path, (unsigned long long)q->line, (unsigned long long)q->record,
                (unsigned long long)q->quote, q->column + 1, column, why);
    if (err != NULL) {
        const sm_place p = {.file = (uint32_t)s->index, .offset = q->record};
        err->place = sm_place_order(&p);
    }
    return st;
}

/* ---- one file -------------------------------------------------------------------------------- */

static sm_status check_unchanged(const sm_source *s, const char *when, sm_error *err)
{
    const sm_input_info *info = &s->infos[s->index];
    sm_file_info now;
    const sm_status st = sm_file_info_of(s->raw.file, &now, err);
    if (st != SM_OK || !s->paths.items[s->index].info.is_regular) {
        return st;
    }
    if (now.size == info->size && now.mtime_ns == info->mtime_ns) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_INPUT_CHANGED,
                   "%s: changed %s (%llu bytes at the start of the run, %llu now); is it still "
                   "being written? run again "
                   "when it is complete",
                   info->path, when, (unsigned long long)info->size, (unsigned long long)now.size);
}

static sm_status open_decoder(sm_source *s, sm_error *err)
{
    sm_status st = sm_raw_open(s->infos[s->index].path, &s->raw, err);
    if (st == SM_OK) {
        sm_file_stop_with(s->raw.file, s->options.stop);
        st = check_unchanged(s, "before it was read", err);
    }
    if (st == SM_OK) {
        st = sm_xxh64_stream_new(&s->hash, err);
    }
    const sm_decoder_type *type = NULL;
    if (st == SM_OK) {
        st = sm_decoder_detect(&s->raw, &type, err);
    }
    if (st == SM_OK) {
        st = type->open(&s->raw, &s->decoder, err);
    }
    if (st == SM_OK) {
        s->decoder_type = type;
        s->infos[s->index].compression = type->compression;
    }
    return st;
}

sm_status sm_source_file_open(sm_source *s, sm_error *err)
{
    s->at_end = false;
    const sm_status st = open_decoder(s, err);
    if (st != SM_OK) {
        sm_source_set_place(s, err);
    }
    return st;
}

sm_status sm_source_decode(sm_source *s, uint8_t *out, size_t size, size_t *got, sm_error *err)
{
    sm_input_info *info = &s->infos[s->index];
    *got = 0;
    sm_status st = s->decode_error.code;
    if (st == SM_OK) {
        st = s->decoder_type->read(s->decoder, out, size, got, &s->decode_error);
    }
    if (st != SM_OK && *got == 0) {
        if (err != NULL && err->code == SM_OK) {
            *err = s->decode_error;
        }
        return st;
    }
    info->decoded_bytes += *got;
    sm_xxh64_stream_add(s->hash, sm_bytes_of(out, *got));
    s->at_end = *got == 0;
    if (info->decoded_bytes >> SM_PLACE_OFFSET_BITS != 0) {
        return sm_fail(err, SM_E_INPUT_READ,
                       "%s: more than 16 TiB of decoded bytes; split the file", info->path);
    }
    return SM_OK;
}

/* Reads until there are `wanted` bytes, the file ends, or reading fails. */
static sm_status fill_carry(sm_source *s, size_t wanted, sm_error *err)
{
    sm_status st = SM_OK;
    while (st == SM_OK && s->carry.len < wanted && !s->at_end) {
        size_t got = 0;
        st = sm_buf_reserve(&s->carry, wanted - s->carry.len, err);
        if (st == SM_OK) {
            st =
                sm_source_decode(s, s->carry.data + s->carry.len, wanted - s->carry.len, &got, err);
        }
        s->carry.len += got;
    }
    return st;
}

/* Reads until the format has seen all of the head. What was read before an error is looked at
 * first, so that the head never depends on how much is read at once. */
static sm_status find_head(sm_source *s, sm_head *head, sm_error *err)
{
    const char *path = s->infos[s->index].path;
    size_t wanted = s->options.slice_size < HEAD_FIRST ? s->options.slice_size : HEAD_FIRST;
    for (;; wanted *= 2) {
        sm_error later = {.code = SM_OK};
        const sm_status read = fill_carry(s, wanted, &later);
        const sm_window w = {s->carry.data, s->carry.len, s->at_end};
        const sm_status st = s->input->head(s->state, path, w, s->arena, head, err);
        if (st != SM_OK || head->complete) {
            return st;
        }
        if (read != SM_OK) {
            if (err != NULL && err->code == SM_OK) {
                *err = later;
            }
            return read;
        }
        if (s->at_end) {
            return SM_OK;
        }
        if (s->carry.len > s->options.record_limit + HEAD_SLACK) {
            return sm_fail(err, SM_E_INPUT_READ,
                           "%s: the first %zu bytes hold no complete header or well-formed record; "
                           "check format, "
                           "delimiter and quote, or list csv.columns",
                           path, s->carry.len);
        }
    }
}

static sm_status begin_records(sm_source *s, const sm_head *head, sm_error *err)
{
    sm_input_info *info = &s->infos[s->index];
    const char *header = sm_arena_text(s->arena, s->carry.data, head->len);
    if (header == NULL) {
        return sm_fail_memory(err, head->len, "the header");
    }
    info->header = sm_bytes_of(header, head->len);
    s->columns[s->index] = head->columns;
    s->carry.len -= head->len;
    memmove(s->carry.data, s->carry.data + head->len, s->carry.len);
    info->header_lines = head->header_lines;
    s->scan = (sm_scan){.pos = 0};
    s->held = (sm_held_line){.active = false};
    s->first_offset = head->len;
    s->place = (sm_place){
        .file = (uint32_t)s->index, .offset = head->len, .line = head->lines + 1, .record = 1};
    return SM_OK;
}

sm_status sm_source_file_begin(sm_source *s, sm_error *err)
{
    sm_head head = {.complete = false};
    sm_buf_clear(&s->carry);
    sm_status st = sm_source_file_open(s, err);
    if (st != SM_OK) {
        return st;
    }
    st = find_head(s, &head, err);
    if (st == SM_OK) {
        st = begin_records(s, &head, err);
    }
    if (st != SM_OK && err != NULL) {
        /* The head stands before every record of the file. */
        const sm_place p = {.file = (uint32_t)s->index};
        err->place = sm_place_order(&p);
    }
    return st;
}

sm_status sm_source_file_end(sm_source *s, sm_error *err)
{
    sm_input_info *info = &s->infos[s->index];
    const sm_status st = check_unchanged(s, "while it was read", err);
    if (st != SM_OK) {
        sm_source_set_place(s, err);
        return st;
    }
    info->decoded_xxh64 = sm_xxh64_stream_value(s->hash);
    info->finished = true;
    file_close(s);
    s->index++;
    return SM_OK;
}
