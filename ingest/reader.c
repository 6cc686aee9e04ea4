/* SPDX-License-Identifier: Apache-2.0 */
/* The reader: spans of a slice, fields of a record, values of the schema. */
#include "ingest/reader.h"

#include "core/escape.h"
#include "core/mem.h"
#include "ingest/encoding.h"
#include "ingest/field_convert.h"
#include "ingest/input.h"

#include <stdio.h>

struct sm_reader {
    const sm_source *source;
    const sm_input *input;
    const sm_input_state *state;
    const sm_schema *schema;
    sm_splitter *splitter;
    sm_recoder *recoder; /* NULL: bytes stay as they are */
    sm_nulls nulls;

    sm_fields fields; /* room for one field more than the file has columns */
    sm_value *values;

    const sm_slice *slice; /* NULL: at the end */
    const sm_columns *columns;
    sm_scan scan;
    uint64_t line, record; /* of the next span */
    sm_reader_counts counts;
};

void sm_reader_free(sm_reader *r)
{
    if (r == NULL) {
        return;
    }
    r->input->splitter_free(r->splitter);
    sm_recoder_free(r->recoder);
    sm_free(r->fields.items);
    sm_free(r->values);
    sm_free(r);
}

sm_status sm_reader_new(sm_source *source, sm_reader **out, sm_error *err)
{
    *out = NULL;
    void *memory = NULL;
    sm_status st = sm_new(sizeof **out, "a reader", &memory, err);
    if (st != SM_OK) {
        return st;
    }
    sm_reader *r = memory;
    const sm_source_options *options = sm_source_options_of(source);
    r->source = source;
    r->input = sm_source_input_type(source);
    r->state = sm_source_input_state(source);
    r->schema = options->schema;
    r->nulls = (sm_nulls){options->csv->nulls, options->csv->null_count};
    r->values = sm_calloc(r->schema->count, sizeof *r->values);
    if (r->values == NULL) {
        sm_reader_free(r);
        return sm_fail_memory(err, options->schema->count * sizeof(sm_value), "a reader");
    }
    st = r->input->splitter_new(r->state, &r->splitter, err);
    if (st == SM_OK && options->feed.encoding != SM_ENCODING_BYTES) {
        st = sm_recoder_new(options->feed.encoding, &r->recoder, err);
    }
    if (st != SM_OK) {
        sm_reader_free(r);
        return st;
    }
    *out = r;
    return SM_OK;
}

void sm_reader_start(sm_reader *r, const sm_slice *slice)
{
    r->slice = slice;
    r->columns = sm_source_columns(r->source, slice->place.file);
    r->scan = (sm_scan){.pos = 0};
    r->line = slice->place.line;
    r->record = slice->place.record;
    r->counts = (sm_reader_counts){0};
    r->counts.extra_columns = slice->first ? r->columns->extra : 0;
    const sm_input_info *info = sm_source_input(r->source, slice->place.file);
    if (slice->first) {
        r->counts.repeated_local_times = info->path_repeated_times;
        r->counts.missing_local_times = info->path_missing_times;
    }
    /* Set once, and left alone by the records. */
    for (size_t i = 0; i < info->path_value_count; i++) {
        r->values[info->path_values[i].field] = info->path_values[i].value;
    }
}

const sm_reader_counts *sm_reader_counts_of(const sm_reader *r)
{
    return &r->counts;
}

/* ---- one record ------------------------------------------------------------------------------ */

static sm_status make_room(sm_reader *r, sm_error *err)
{
    const size_t room = r->columns->count + 1;
    if (r->fields.room >= room) {
        return SM_OK;
    }
    sm_field_text *items = sm_realloc(r->fields.items, room * sizeof *items);
    if (items == NULL) {
        return sm_fail_memory(err, room * sizeof *items, "the fields of a record");
    }
    r->fields.items = items;
    r->fields.room = room;
    return SM_OK;
}

static sm_reject wrong_count(const sm_reader *r, sm_reject_note *why)
{
    const size_t expected = r->columns->count;
    const size_t found = r->fields.count;
    const bool trailing = found == expected + 1 && r->fields.items[expected].raw.len == 0 &&
                          !r->fields.items[expected].quoted;
    (void)snprintf(
        why->text, sizeof why->text, "expected %zu field%s, found %zu%s", expected,
        expected == 1 ? "" : "s", found,
        trailing ? " (last one empty: trailing delimiter? set csv.trailing_delimiter: true)" : "");
    return trailing ? SM_REJECT_TRAILING_DELIMITER : SM_REJECT_FIELD_COUNT;
}

static const sm_field_text *text_of(const sm_reader *r, size_t field)
{
    const int column = r->columns->of_field[field];
    return column < 0 ? NULL : &r->fields.items[column];
}

static sm_reject convert_all(sm_reader *r, sm_reject_note *why)
{
    for (size_t i = 0; i < r->schema->count; i++) {
        const sm_field *field = &r->schema->fields[i];
        if (field->from_path) {
            continue;
        }
        const sm_field_text *text = text_of(r, i);
        r->values[i] = (sm_value){.is_null = true};
        if (text == NULL || (!field->used && field->type == SM_TYPE_TEXT)) {
            continue;
        }
        const sm_reject code = sm_field_convert(field, text, &r->nulls, &r->values[i], &r->counts);
        if (code != SM_REJECT_NONE) {
            why->field = field->name;
            sm_field_describe(field, text, code, why->text);
            return code;
        }
    }
    return SM_REJECT_NONE;
}

static sm_reject too_long(const sm_reader *r, uint64_t content, sm_reject_note *why)
{
    const unsigned long long limit = sm_source_options_of(r->source)->record_limit;
    (void)snprintf(why->text, sizeof why->text,
                   "the record is %llu bytes long, the limit is %llu (limits.record); only the "
                   "first %llu bytes are "
                   "kept in the reject file",
                   (unsigned long long)content, limit, limit);
    return SM_REJECT_RECORD_SIZE;
}

static sm_reject malformed(const sm_span *span, sm_reject_note *why)
{
    (void)snprintf(why->text, sizeof why->text,
                   "text after a closing quote, at byte %zu of the record; expected a delimiter or "
                   "the end of the "
                   "record (check csv.escape, or double the quote)",
                   span->bad_at - span->start);
    return SM_REJECT_TEXT_AFTER_QUOTE;
}

static sm_reject bad_encoding(const sm_reader *r, sm_bytes content, size_t at, sm_reject_note *why)
{
    const size_t left = content.len - at;
    char shown[40];
    (void)sm_escape_short((sm_bytes){content.data + at, left < 4 ? left : 4}, shown, sizeof shown);
    (void)snprintf(why->text, sizeof why->text,
                   "\"%s\" at byte %zu of the record is no character in encoding %s (check "
                   "input.encoding)",
                   shown, at, sm_encoding_name(sm_source_options_of(r->source)->feed.encoding));
    return SM_REJECT_ENCODING;
}

/* Everything about one well-formed record. */
static sm_status read_fields(sm_reader *r, sm_bytes content, bool quoted, sm_reject_note *why,
                             sm_error *err)
{
    sm_status st = make_room(r, err);
    if (st == SM_OK && r->recoder != NULL) {
        size_t bad_at = 0;
        const sm_bytes original = content;
        st = sm_recode(r->recoder, original, &content, &bad_at, err);
        if (st == SM_OK && bad_at != original.len) {
            why->code = bad_encoding(r, original, bad_at, why);
            return SM_OK;
        }
    }
    if (st == SM_OK) {
        st = r->input->split(r->splitter, r->columns, content, quoted, &r->fields, err);
    }
    if (st == SM_OK) {
        why->code =
            r->fields.count != r->columns->count ? wrong_count(r, why) : convert_all(r, why);
    }
    return st;
}

static sm_status read_span(sm_reader *r, const sm_span *span, sm_record *out, sm_reject_note *why,
                           sm_error *err)
{
    const uint8_t *data = r->slice->data + span->start;
    out->original = (sm_bytes){data, span->len};
    if (span->bad == SM_REJECT_TEXT_AFTER_QUOTE) {
        why->code = malformed(span, why);
        return SM_OK;
    }
    if (span->bad == SM_REJECT_RECORD_SIZE) {
        out->original.len = (size_t)sm_source_options_of(r->source)->record_limit;
        why->code = too_long(r, span->content, why);
        return SM_OK;
    }
    return read_fields(r, (sm_bytes){data, span->content}, span->quoted, why, err);
}

static void fill_record(sm_reader *r, sm_record *out, size_t at)
{
    *out = (sm_record){.values = r->values,
                       .count = r->schema->count,
                       .place = {.file = r->slice->place.file,
                                 .offset = r->slice->place.offset + at,
                                 .line = r->line,
                                 .record = r->record}};
}

/* The slice that holds the beginning of one over-long line. A comment of that kind is still a
 * comment. */
static void read_cut(sm_reader *r, sm_read *what, sm_record *out, sm_reject_note *why)
{
    const sm_slice *slice = r->slice;
    r->slice = NULL;
    sm_span span;
    const sm_window w = {slice->data, slice->len, false};
    (void)r->input->next(r->state, &r->scan, w, &span);
    if (r->scan.comment) {
        r->counts.comment_lines++;
        *what = SM_READ_END;
        return;
    }
    out->original = (sm_bytes){slice->data, slice->len};
    why->code = too_long(r, slice->cut, why);
    *what = SM_READ_REJECT;
}

sm_status sm_reader_next(sm_reader *r, sm_read *what, sm_record *out, sm_reject_note *why,
                         sm_error *err)
{
    *what = SM_READ_END;
    why->code = SM_REJECT_NONE;
    why->field = NULL;
    why->text[0] = '\0';
    if (r->slice == NULL) {
        return SM_OK;
    }
    if (r->slice->cut != 0) {
        fill_record(r, out, 0);
        read_cut(r, what, out, why);
        return SM_OK;
    }
    const sm_window w = {r->slice->data, r->slice->len, true};
    sm_span span;
    while (r->input->next(r->state, &r->scan, w, &span) == SM_FOUND_SPAN) {
        if (span.kind != SM_SPAN_RECORD) {
            r->counts.blank_lines += span.kind == SM_SPAN_BLANK;
            r->counts.comment_lines += span.kind == SM_SPAN_COMMENT;
            r->line += span.lines;
            continue;
        }
        fill_record(r, out, span.start);
        r->line += span.lines;
        r->record++;
        const sm_status st = read_span(r, &span, out, why, err);
        *what = why->code == SM_REJECT_NONE ? SM_READ_RECORD : SM_READ_REJECT;
        return st;
    }
    r->slice = NULL;
    return SM_OK;
}
