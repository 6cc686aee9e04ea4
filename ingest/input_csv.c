/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV input format: byte order mark, skipped lines and header of a file; records by
 * csv_frame.c, fields by one of the engines.
 *
 *   [BOM] [skip_lines physical lines] [header_lines] [blank and comment lines] [header] records ...
 *
 * Without a header and a list of columns, the first well-formed record fixes the number of fields.
 */
#include "core/mem.h"
#include "ingest/csv_columns.h"
#include "ingest/csv_engine.h"
#include "ingest/encoding.h"
#include "ingest/input.h"
#include "ingest/pattern.h"

struct sm_input_state {
    sm_csv_frame frame;      /* of the bytes in the file */
    sm_csv_frame text_frame; /* of a record in UTF-8, where the two differ */
    const sm_source_options *options;
    /* For heads only, which one thread at a time looks at (the source's lock). */
    sm_pattern *header_lines, *trailer;
};

struct sm_splitter {
    const sm_input_state *state;
    const sm_csv_engine_type *type;
    sm_csv_engine *engine;
};

static void close_csv(sm_input_state *state)
{
    if (state != NULL) {
        sm_pattern_free(state->header_lines);
        sm_pattern_free(state->trailer);
        sm_free(state);
    }
}

static sm_status make_frames(sm_input_state *state, sm_error *err)
{
    const sm_source_options *o = state->options;
    sm_status st = sm_encoding_check_dialect(o->feed.encoding, o->csv, err);
    if (st == SM_OK) {
        st = sm_csv_frame_init(&state->frame, o->csv, o->record_limit, err);
    }
    state->text_frame = state->frame;
    state->frame.gb18030 = o->feed.encoding == SM_ENCODING_GB18030 &&
                           sm_encoding_hides(o->feed.encoding, state->frame.delimiter[0]);
    return st;
}

static sm_status make_patterns(sm_input_state *state, sm_error *err)
{
    const sm_feed *feed = &state->options->feed;
    sm_status st = SM_OK;
    if (feed->header_lines != NULL) {
        st = sm_pattern_new(feed->header_lines, "input.header_lines", &state->header_lines, err);
    }
    if (st == SM_OK && feed->trailer != NULL) {
        st = sm_pattern_new(feed->trailer, "input.trailer", &state->trailer, err);
    }
    return st;
}

static sm_status open_csv(const sm_source_options *options, sm_input_state **out, sm_error *err)
{
    *out = NULL;
    const sm_csv_dialect *csv = options->csv;
    if (csv->header && csv->column_count != 0) {
        return sm_fail(
            err, SM_E_JOB,
            "input.csv: columns names the columns of files without a header, but header is true; "
            "set header: false (and skip_lines: 1 to pass over a header that is there)");
    }
    void *memory = NULL;
    sm_status st = sm_new(sizeof **out, "the CSV reader", &memory, err);
    if (st != SM_OK) {
        return st;
    }
    sm_input_state *state = memory;
    state->options = options;
    st = make_frames(state, err);
    if (st == SM_OK) {
        st = make_patterns(state, err);
    }
    if (st != SM_OK) {
        close_csv(state);
        return st;
    }
    *out = state;
    return SM_OK;
}

static sm_found next_csv(const sm_input_state *state, sm_scan *scan, sm_window w, sm_span *out)
{
    return sm_csv_next(&state->frame, scan, w, out);
}

static size_t field_of_csv(const sm_input_state *state, sm_bytes record)
{
    return sm_csv_cut_fields(&state->frame, record, NULL, 0) - 1;
}

/* ---- per thread: fields -------------------------------------------------------------------------
 */

static void splitter_free_csv(sm_splitter *s)
{
    if (s != NULL) {
        s->type->close(s->engine);
        sm_free(s);
    }
}

static sm_status splitter_new_csv(const sm_input_state *state, sm_splitter **out, sm_error *err)
{
    *out = NULL;
    void *memory = NULL;
    sm_status st = sm_new(sizeof **out, "the CSV reader", &memory, err);
    if (st != SM_OK) {
        return st;
    }
    sm_splitter *s = memory;
    s->state = state;
    s->type = sm_csv_engine_for(&state->text_frame);
    st = s->type->open(&state->text_frame, &s->engine, err);
    if (st != SM_OK) {
        sm_free(s);
        return st;
    }
    *out = s;
    return SM_OK;
}

/* An empty, unquoted last field beyond the known columns is the trailing delimiter, where the job
 * allows one. */
static sm_status split_csv(sm_splitter *s, const sm_columns *columns, sm_bytes record, bool quoted,
                           sm_fields *out, sm_error *err)
{
    const sm_status st = s->type->split(s->engine, record, quoted, out, err);
    if (st == SM_OK && s->state->options->csv->trailing_delimiter &&
        out->count == columns->count + 1 && out->count <= out->room) {
        const sm_field_text *last = &out->items[out->count - 1];
        out->count -= last->raw.len == 0 && !last->quoted;
    }
    return st;
}

/* ---- beginning of a file --------------------------------------------------------------------- */

typedef struct head_job {
    const sm_input_state *state;
    const char *path;
    sm_window w;
    sm_arena *arena;
    sm_head *out;
    sm_recoder *recoder;
} head_job;

static bool starts_with(sm_window w, const char *bytes, size_t len)
{
    return w.len >= len && memcmp(w.data, bytes, len) == 0;
}

static sm_status skip_mark(head_job *j, sm_error *err)
{
    if (starts_with(j->w, "\xFF\xFE", 2) || starts_with(j->w, "\xFE\xFF", 2)) {
        return sm_fail(
            err, SM_E_INPUT_READ,
            "%s: starts with the byte order mark of UTF-16, but UTF-8 or another byte encoding is "
            "expected; convert it: iconv -f UTF-16 -t UTF-8",
            j->path);
    }
    const sm_encoding encoding = j->state->options->feed.encoding;
    const bool utf8 = starts_with(j->w, "\xEF\xBB\xBF", 3);
    if (utf8 && (encoding == SM_ENCODING_LATIN1 || encoding == SM_ENCODING_GB18030)) {
        return sm_fail(
            err, SM_E_INPUT_READ,
            "%s: starts with the byte order mark of UTF-8, but input.encoding is %s; set "
            "encoding: utf-8",
            j->path, sm_encoding_name(encoding));
    }
    const bool gb18030 =
        encoding == SM_ENCODING_GB18030 && starts_with(j->w, "\x84\x31\x95\x33", 4);
    j->out->len = utf8 ? 3 : gb18030 ? 4 : 0;
    return SM_OK;
}

/* No quotes, no escape, no comments: every LF, CRLF and CR ends a line. */
static const sm_csv_frame PHYSICAL_LINES = {.delimiter = "\n",
                                            .delimiter_len = 1,
                                            .quote = -1,
                                            .escape = -1,
                                            .comment = -1,
                                            .limit = UINT64_MAX,
                                            .special = "\n\r\n\n"};

/* Passes skip_lines physical lines; false: their end is not at hand. */
static bool skip_lines(head_job *j)
{
    sm_scan scan = {.pos = j->out->len, .start = j->out->len};
    for (uint64_t i = 0; i < j->state->options->csv->skip_lines; i++) {
        sm_span span;
        if (sm_csv_next(&PHYSICAL_LINES, &scan, j->w, &span) != SM_FOUND_SPAN) {
            return j->w.at_end;
        }
        j->out->len = scan.pos;
        j->out->lines++;
    }
    return true;
}

/* Passes the lines that match header_lines; *at_hand = false: it takes more bytes to tell. */
static sm_status skip_header_lines(head_job *j, bool *at_hand, sm_error *err)
{
    sm_scan scan = {.pos = j->out->len, .start = j->out->len};
    bool matches = j->state->header_lines != NULL;
    sm_status st = SM_OK;
    *at_hand = true;
    while (st == SM_OK && matches) {
        sm_span span;
        if (sm_csv_next(&PHYSICAL_LINES, &scan, j->w, &span) != SM_FOUND_SPAN) {
            *at_hand = j->w.at_end;
            return SM_OK;
        }
        const sm_bytes line = {j->w.data + span.start, span.content};
        st = sm_pattern_match(j->state->header_lines, line, j->path, &matches, err);
        if (st == SM_OK && matches) {
            j->out->len = scan.pos;
            j->out->lines++;
            j->out->header_lines++;
        }
    }
    return st;
}

static bool next_record(head_job *j, sm_span *span, uint64_t *lines, sm_found *found)
{
    sm_scan scan = {.pos = j->out->len, .start = j->out->len};
    *lines = j->out->lines;
    do {
        *found = sm_csv_next(&j->state->frame, &scan, j->w, span);
        if (*found != SM_FOUND_SPAN) {
            return false;
        }
        *lines += span->lines;
    } while (span->kind != SM_SPAN_RECORD);
    return true;
}

/* The span in UTF-8, good until the next call; *bad_at is its length or the first bad byte. */
static sm_status recode_span(head_job *j, const sm_span *span, sm_bytes *out, size_t *bad_at,
                             sm_error *err)
{
    *out = (sm_bytes){j->w.data + span->start, span->content};
    *bad_at = span->content;
    return j->recoder == NULL ? SM_OK : sm_recode(j->recoder, *out, out, bad_at, err);
}

/* The fields of the header (or first record) in the arena. */
static sm_status split_into_arena(head_job *j, sm_bytes record, bool quoted, sm_field_text **out,
                                  size_t *count, sm_error *err)
{
    const size_t fields = sm_csv_cut_fields(&j->state->text_frame, record, NULL, 0);
    sm_fields list = {.items = sm_arena_array(j->arena, fields, sizeof *list.items),
                      .room = fields};
    if (list.items == NULL) {
        return sm_fail_memory(err, fields * sizeof *list.items, "the header");
    }
    sm_splitter *splitter = NULL;
    sm_status st = splitter_new_csv(j->state, &splitter, err);
    if (st == SM_OK) {
        st = splitter->type->split(splitter->engine, record, quoted, &list, err);
    }
    for (size_t i = 0; st == SM_OK && i < fields; i++) {
        /* Values die with the splitter. */
        sm_field_text *field = &list.items[i];
        char *copy = sm_arena_text(j->arena, field->bytes.data, field->bytes.len);
        if (copy == NULL) {
            st = sm_fail_memory(err, field->bytes.len, "the header");
        }
        field->bytes.data = (const uint8_t *)copy;
    }
    splitter_free_csv(splitter);
    *out = list.items;
    *count = fields;
    return st;
}

/* Number of columns: one less for a trailing delimiter that the job allows. */
static size_t columns_in(const head_job *j, const sm_field_text *fields, size_t count)
{
    const sm_field_text *last = &fields[count - 1];
    const bool trailing = count > 1 && last->bytes.len == 0 && !last->quoted;
    return count - (trailing && j->state->options->csv->trailing_delimiter);
}

static sm_status use_header(head_job *j, const sm_span *span, uint64_t lines, sm_error *err)
{
    const unsigned long long line = lines - span->lines + 1;
    if (span->bad != SM_REJECT_NONE) {
        return sm_fail(err, SM_E_INPUT_COLUMN, "%s: line %llu: the header cannot be read: %s%s",
                       j->path, line, sm_reject_sentence(span->bad),
                       span->bad == SM_REJECT_TEXT_AFTER_QUOTE ? "; check csv.quote and csv.escape"
                                                               : "");
    }
    sm_field_text *fields = NULL;
    size_t count = 0;
    size_t bad_at = 0;
    sm_bytes record;
    sm_status st = recode_span(j, span, &record, &bad_at, err);
    if (st == SM_OK && bad_at != span->content) {
        return sm_fail(err, SM_E_INPUT_COLUMN,
                       "%s: line %llu: the header is not valid in input.encoding %s, from its byte "
                       "%zu on",
                       j->path, line, sm_encoding_name(j->state->options->feed.encoding), bad_at);
    }
    if (st == SM_OK) {
        st = split_into_arena(j, record, span->quoted, &fields, &count, err);
    }
    if (st != SM_OK) {
        return st;
    }
    count = columns_in(j, fields, count);
    if (fields[count - 1].bytes.len == 0 && count > 1) {
        return sm_fail(
            err, SM_E_INPUT_COLUMN,
            "%s: line %llu: column %zu has no name; if each line ends with a delimiter, set "
            "csv.trailing_delimiter: true",
            j->path, line, count);
    }
    sm_bytes *names = sm_arena_array(j->arena, count, sizeof *names);
    if (names == NULL) {
        return sm_fail_memory(err, count * sizeof *names, "the header");
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = fields[i].bytes;
    }
    j->out->len = span->start + span->len;
    j->out->lines = lines;
    return sm_csv_resolve_columns(j->state->options->schema,
                                  &(sm_csv_header){j->path, names, count}, j->arena,
                                  &j->out->columns, err);
}

/* Ends here: nothing is left that could be a header or a first record. */
static sm_status no_columns(head_job *j, sm_error *err)
{
    const size_t fields = j->state->options->schema->count;
    int *of_field = sm_arena_array(j->arena, fields, sizeof *of_field);
    if (of_field == NULL) {
        return sm_fail_memory(err, fields * sizeof *of_field, "the list of columns");
    }
    for (size_t i = 0; i < fields; i++) {
        of_field[i] = -1;
    }
    j->out->columns = (sm_columns){.of_field = of_field};
    j->out->complete = true;
    return SM_OK;
}

static sm_status find_header(head_job *j, sm_error *err)
{
    sm_span span = {0};
    uint64_t lines = 0;
    sm_found found = SM_FOUND_MORE;
    if (next_record(j, &span, &lines, &found)) {
        j->out->complete = true;
        return use_header(j, &span, lines, err);
    }
    if (found == SM_FOUND_OPEN_QUOTE) {
        return sm_fail(err, SM_E_INPUT_QUOTE,
                       "%s: line %llu: a quoted field of the header is never closed; check "
                       "csv.quote and the file",
                       j->path, (unsigned long long)lines + 1);
    }
    if (!j->w.at_end) {
        return SM_OK;
    }
    j->out->len = j->w.len;
    j->out->lines = lines;
    return no_columns(j, err);
}

typedef enum last_line { LAST_NO, LAST_YES, LAST_UNKNOWN } last_line;

/* Does nothing but blank lines follow where the scan stands? */
static last_line nothing_follows(const head_job *j, sm_scan scan)
{
    sm_span span;
    sm_found found = SM_FOUND_SPAN;
    do {
        found = sm_csv_next(&j->state->frame, &scan, j->w, &span);
    } while (found == SM_FOUND_SPAN && span.kind == SM_SPAN_BLANK);
    if (found != SM_FOUND_MORE) {
        return LAST_NO;
    }
    return j->w.at_end ? LAST_YES : LAST_UNKNOWN;
}

/* Is this record the file's trailer? */
static sm_status is_trailer(const head_job *j, const sm_span *span, sm_scan behind, last_line *out,
                            sm_error *err)
{
    bool matches = false;
    sm_status st = SM_OK;
    if (j->state->trailer != NULL) {
        const sm_bytes line = {j->w.data + span->start, span->content};
        st = sm_pattern_match(j->state->trailer, line, j->path, &matches, err);
    }
    *out = matches ? nothing_follows(j, behind) : LAST_NO;
    return st;
}

typedef struct first_record {
    sm_found found; /* SPAN: there is one */
    bool quoted;
    sm_bytes text; /* in UTF-8 */
} first_record;

static sm_status look_ahead(head_job *j, first_record *out, sm_error *err)
{
    sm_scan scan = {.pos = j->out->len, .start = j->out->len};
    for (;;) {
        sm_span span = {0};
        size_t bad_at = 0;
        last_line last = LAST_NO;
        out->found = sm_csv_next(&j->state->frame, &scan, j->w, &span);
        if (out->found != SM_FOUND_SPAN) {
            return SM_OK;
        }
        if (span.kind != SM_SPAN_RECORD || span.bad != SM_REJECT_NONE) {
            continue;
        }
        sm_status st = is_trailer(j, &span, scan, &last, err);
        if (st == SM_OK && last == LAST_NO) {
            st = recode_span(j, &span, &out->text, &bad_at, err);
        }
        out->quoted = span.quoted;
        if (last == LAST_UNKNOWN) {
            out->found = SM_FOUND_MORE;
        }
        if (st != SM_OK || last == LAST_UNKNOWN || (last == LAST_NO && bad_at == span.content)) {
            return st;
        }
    }
}

/* No header, no list of columns: looks ahead to the first well-formed record, without consuming it.
 */
static sm_status find_first_record(head_job *j, sm_error *err)
{
    first_record first = {.found = SM_FOUND_MORE};
    sm_status st = look_ahead(j, &first, err);
    if (st == SM_OK && first.found == SM_FOUND_SPAN) {
        sm_field_text *fields = NULL;
        size_t count = 0;
        st = split_into_arena(j, first.text, first.quoted, &fields, &count, err);
        if (st != SM_OK) {
            return st;
        }
        j->out->complete = true;
        const sm_csv_header header = {j->path, NULL, columns_in(j, fields, count)};
        return sm_csv_resolve_columns(j->state->options->schema, &header, j->arena,
                                      &j->out->columns, err);
    }
    /* An open quote is reported with its place when its record's turn comes. */
    const bool none = first.found == SM_FOUND_OPEN_QUOTE || j->w.at_end;
    return st == SM_OK && none ? no_columns(j, err) : st;
}

static sm_status head_of(head_job *j, sm_error *err)
{
    const sm_source_options *options = j->state->options;
    const sm_csv_dialect *csv = options->csv;
    bool at_hand = false;
    sm_status st = skip_mark(j, err);
    if (st != SM_OK || !skip_lines(j)) {
        return st;
    }
    st = skip_header_lines(j, &at_hand, err);
    if (st != SM_OK || !at_hand) {
        return st;
    }
    if (csv->header) {
        return find_header(j, err);
    }
    if (csv->column_count == 0) {
        return find_first_record(j, err);
    }
    j->out->complete = true;
    return sm_csv_resolve_columns(options->schema,
                                  &(sm_csv_header){j->path, csv->columns, csv->column_count},
                                  j->arena, &j->out->columns, err);
}

static sm_status head_csv(const sm_input_state *state, const char *path, sm_window w,
                          sm_arena *arena, sm_head *out, sm_error *err)
{
    enum { MARK_MAX = 4 };
    *out = (sm_head){.complete = false};
    head_job j = {.state = state, .path = path, .w = w, .arena = arena, .out = out};
    if (w.len < MARK_MAX && !w.at_end) {
        return SM_OK;
    }
    sm_status st = SM_OK;
    if (state->options->feed.encoding != SM_ENCODING_BYTES) {
        st = sm_recoder_new(state->options->feed.encoding, &j.recoder, err);
    }
    if (st == SM_OK) {
        st = head_of(&j, err);
    }
    sm_recoder_free(j.recoder);
    return st;
}

const sm_input sm_input_csv = {.name = "csv",
                               .open = open_csv,
                               .close = close_csv,
                               .head = head_csv,
                               .next = next_csv,
                               .field_of = field_of_csv,
                               .splitter_new = splitter_new_csv,
                               .splitter_free = splitter_free_csv,
                               .split = split_csv};
