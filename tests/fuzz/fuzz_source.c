/* SPDX-License-Identifier: Apache-2.0 */
/* A file through source and reader: decompression, header, trailer, encodings, typed fields. Slices
 * of any size give the same records, rejects and error. Input: options, slice size, limit, then the
 * file. */
#include "core/buf.h"
#include "core/escape.h"
#include "ingest/reader.h"
#include "support.h"

/* More decoded bytes than so many large slices hold are not compared: a bomb takes too long. */
enum { LARGE_SLICE = 1 << 16, LARGE_SLICES = 8 };

typedef struct options {
    sm_csv_dialect csv;
    sm_field fields[FUZZ_FIELDS];
    sm_schema schema;
    sm_source_options source;
    const char *paths[1];
} options;

/* The shared schema with a format for its time, which must lie between two years. */
static void schema_of(options *o)
{
    static sm_arena *arena;
    static const sm_time_format *format;
    if (arena == NULL) {
        fuzz_ok(sm_arena_new(4096, &arena, NULL), "an arena");
        fuzz_ok(sm_time_compile(arena, sm_bytes_text("epoch_s"), NULL, &format, NULL), "a format");
    }
    for (size_t i = 0; i < FUZZ_FIELDS; i++) {
        o->fields[i] = fuzz_schema.fields[i];
        o->fields[i].used = i < 5;
        if (o->fields[i].type == SM_TYPE_TIME) {
            o->fields[i].time = format;
            o->fields[i].has_min = o->fields[i].has_max = true;
            o->fields[i].max = INT64_C(4102444800000);
            o->fields[i].min_text = "1970-01-01";
            o->fields[i].max_text = "2100-01-01";
        }
    }
    o->schema = (sm_schema){o->fields, FUZZ_FIELDS};
}

static void options_from(sm_bytes *in, options *o)
{
    static const sm_bytes delimiters[] = {{(const uint8_t *)",", 1}, {(const uint8_t *)"||", 2}};
    static const sm_bytes names[] = {{(const uint8_t *)"caller", 6},
                                     {(const uint8_t *)"name", 4},
                                     {(const uint8_t *)"code", 4},
                                     {(const uint8_t *)"start", 5},
                                     {(const uint8_t *)"duration", 8}};
    static const sm_bytes nulls[] = {{(const uint8_t *)"", 0}, {(const uint8_t *)"\\N", 2}};
    const unsigned bits = fuzz_byte(in);
    const unsigned more = fuzz_byte(in);
    o->csv = (sm_csv_dialect){.delimiter = delimiters[bits & 1],
                              .quote = (bits & 2) != 0 ? -1 : '"',
                              .escape = (bits & 4) != 0 ? '\\' : -1,
                              .comment = (bits & 8) != 0 ? '#' : -1,
                              .header = (bits & 16) == 0,
                              .nulls = nulls,
                              .null_count = 2,
                              .trailing_delimiter = (bits & 32) != 0,
                              .skip_lines = bits >> 6};
    if (!o->csv.header) {
        o->csv.columns = names;
        o->csv.column_count = 5;
    }
    o->source = (sm_source_options){.paths = o->paths,
                                    .path_count = 1,
                                    .format = "csv",
                                    .csv = &o->csv,
                                    .schema = &o->schema,
                                    .record_limit = (more & 4) != 0 ? 40 : 1 << 16};
    o->source.feed.encoding = (sm_encoding)(more & 3);
    o->source.feed.header_lines = (more & 8) != 0 ? "^--" : NULL;
    o->source.feed.trailer = (more & 16) != 0 ? "^T,(?<count>[0-9]+)$" : NULL;
}

static void note_record(sm_buf *out, sm_read what, const sm_record *r, const sm_reject_note *why)
{
    fuzz_ok(sm_buf_printf(out, NULL, "%d %llu %llu %llu ", what,
                          (unsigned long long)r->place.offset, (unsigned long long)r->place.line,
                          (unsigned long long)r->place.record),
            "a note");
    for (size_t i = 0; what == SM_READ_RECORD && i < r->count; i++) {
        fuzz_ok(sm_buf_printf(out, NULL, "%d,%lld ", r->values[i].is_null,
                              (long long)r->values[i].number),
                "a note");
        fuzz_ok(sm_escape(r->values[i].bytes, out, NULL), "a note");
    }
    if (what == SM_READ_REJECT) {
        fuzz_ok(sm_buf_printf(out, NULL, "%s %s ", sm_reject_text(why->code), why->text), "a note");
        fuzz_ok(sm_escape(r->original, out, NULL), "a note");
    }
    fuzz_ok(sm_buf_append_byte(out, '\n', NULL), "a note");
}

static sm_status read_slice(sm_reader *reader, const sm_slice *slice, sm_buf *out, sm_error *err)
{
    sm_read what = SM_READ_RECORD;
    sm_status st = SM_OK;
    sm_reader_start(reader, slice);
    while (st == SM_OK && what != SM_READ_END) {
        sm_record record;
        sm_reject_note why;
        st = sm_reader_next(reader, &what, &record, &why, err);
        if (st == SM_OK && what != SM_READ_END) {
            note_record(out, what, &record, &why);
        }
    }
    return st;
}

/* False: more slices than `most`. */
static bool read_all(const options *o, size_t slice_size, size_t most, sm_buf *out)
{
    sm_source_options given = o->source;
    sm_source *source = NULL;
    sm_reader *reader = NULL;
    sm_slice slice = {0};
    sm_error err = {.code = SM_OK};
    bool more = true;
    given.slice_size = slice_size;
    sm_status st = sm_source_open(&given, &source, &err);
    if (st == SM_OK) {
        st = sm_reader_new(source, &reader, &err);
    }
    for (size_t i = 0; st == SM_OK && more && i < most; i++) {
        st = sm_source_next(source, &slice, &more, &err);
        if (st == SM_OK && more) {
            st = read_slice(reader, &slice, out, &err);
        }
    }
    fuzz_ok(sm_buf_printf(out, NULL, "%d %s\n", st, err.text), "a note");
    sm_slice_free(&slice);
    sm_reader_free(reader);
    sm_source_close(source);
    return st != SM_OK || !more;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    options o;
    sm_buf whole;
    sm_buf pieces;
    schema_of(&o);
    options_from(&in, &o);
    const size_t slice_size = (size_t)fuzz_byte(&in) % 64 + 1;
    o.paths[0] = fuzz_file(in);
    sm_buf_init(&whole, SIZE_MAX / 2);
    sm_buf_init(&pieces, SIZE_MAX / 2);
    if (read_all(&o, LARGE_SLICE, LARGE_SLICES, &whole)) {
        fuzz_require(read_all(&o, slice_size, SIZE_MAX, &pieces), "slices come to an end");
        fuzz_require(sm_bytes_equal(sm_buf_view(&whole), sm_buf_view(&pieces)),
                     "the size of slices changes nothing");
    }
    sm_buf_free(&whole);
    sm_buf_free(&pieces);
    return 0;
}
