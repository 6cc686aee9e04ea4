/* SPDX-License-Identifier: Apache-2.0 */
/* Records and fields of CSV. The same spans come out whether the bytes come at once or a few at a
 * time, they lie end to end, and both engines read plain dialects alike. Input: dialect, step,
 * limit, then the CSV. */
#include "core/buf.h"
#include "ingest/csv_engine.h"
#include "support.h"

enum { ROOM = 8 };

static const struct {
    const char *delimiter;
    int quote, escape, comment;
    bool gb18030;
} DIALECTS[] = {
    {",", '"', -1, -1, false},  {"\t", '"', -1, '#', false},    {"|", '\'', -1, -1, false},
    {" ", '"', -1, -1, false},  {",", -1, -1, '#', false},      {",", '"', '\\', -1, false},
    {"aa", '"', -1, -1, false}, {"||", '\'', '\\', '#', false}, {"|", '"', -1, -1, true},
};

/* Everything that a scan says of one span, and how the scan ended. */
static void note(sm_buf *out, sm_found found, const sm_span *s, size_t base)
{
    if (found == SM_FOUND_SPAN) {
        fuzz_ok(sm_buf_printf(out, NULL, "%zu %zu %zu %zu %llu %d %d %d\n", base + s->start,
                              s->content, s->len,
                              s->bad == SM_REJECT_TEXT_AFTER_QUOTE ? base + s->bad_at : 0,
                              (unsigned long long)s->lines, s->kind, s->quoted, s->bad),
                "a note");
    } else {
        fuzz_ok(sm_buf_printf(out, NULL, "end %d\n", found), "a note");
    }
}

/* The window starts at the present span and grows by `step` bytes, as a source's carry does. */
static void spans(const sm_csv_frame *f, sm_bytes data, size_t step, sm_buf *out)
{
    size_t base = 0;
    size_t len = 0;
    sm_scan scan = {.pos = 0};
    sm_span span = {0};
    sm_found found = SM_FOUND_MORE;
    sm_buf_clear(out);
    while (found == SM_FOUND_MORE && base + len < data.len) {
        len += step < data.len - base - len ? step : data.len - base - len;
        const sm_window w = {data.data + base, len, base + len == data.len};
        while ((found = sm_csv_next(f, &scan, w, &span)) == SM_FOUND_SPAN && span.len != 0) {
            note(out, found, &span, base);
        }
        const size_t passed = scan.start;
        sm_scan_shift(&scan, passed);
        base += passed;
        len -= passed;
    }
    note(out, found, &span, base);
    fuzz_require(found != SM_FOUND_MORE || base == data.len, "all bytes belong to a span");
}

static void split_both(const sm_csv_frame *f, sm_csv_engine *engines[2], sm_bytes record,
                       bool quoted)
{
    sm_field_text items[2][ROOM] = {{{.quoted = false}}};
    sm_fields fields[2] = {{.items = items[0], .room = ROOM}, {.items = items[1], .room = ROOM}};
    fuzz_ok(sm_csv_odd.split(engines[0], record, quoted, &fields[0], NULL), "the odd engine");
    if (f->odd) {
        return;
    }
    fuzz_ok(sm_csv_libcsv.split(engines[1], record, quoted, &fields[1], NULL), "libcsv");
    fuzz_require(fields[0].count == fields[1].count, "as many fields by both engines");
    for (size_t i = 0; i < fields[0].count && i < ROOM; i++) {
        fuzz_require(sm_bytes_equal(items[0][i].bytes, items[1][i].bytes), "the same bytes");
        fuzz_require(items[0][i].quoted == items[1][i].quoted, "quoted alike");
    }
}

static void split_all(const sm_csv_frame *f, sm_bytes data)
{
    sm_csv_engine *engines[2] = {NULL, NULL};
    sm_scan scan = {.pos = 0};
    sm_span span;
    const sm_window w = {data.data, data.len, true};
    size_t end = 0;
    fuzz_ok(sm_csv_odd.open(f, &engines[0], NULL), "the odd engine");
    fuzz_ok(sm_csv_libcsv.open(f, &engines[1], NULL), "libcsv");
    while (end < data.len && sm_csv_next(f, &scan, w, &span) == SM_FOUND_SPAN) {
        fuzz_require(span.start == end && span.content <= span.len, "spans lie end to end");
        end += span.len;
        fuzz_require(end <= data.len && span.len != 0, "spans end within the bytes");
        if (span.kind == SM_SPAN_RECORD && span.bad == SM_REJECT_NONE) {
            fuzz_require(span.content <= f->limit, "a record is within the limit");
            split_both(f, engines, (sm_bytes){data.data + span.start, span.content}, span.quoted);
        }
    }
    sm_csv_odd.close(engines[0]);
    sm_csv_libcsv.close(engines[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const size_t i = fuzz_byte(&in) % (sizeof DIALECTS / sizeof DIALECTS[0]);
    const size_t step = (size_t)fuzz_byte(&in) % 32 + 1;
    const uint8_t limit = fuzz_byte(&in);
    const sm_csv_dialect dialect = {.delimiter = sm_bytes_text(DIALECTS[i].delimiter),
                                    .quote = DIALECTS[i].quote,
                                    .escape = DIALECTS[i].escape,
                                    .comment = DIALECTS[i].comment};
    sm_csv_frame f;
    sm_buf whole;
    sm_buf pieces;
    sm_buf_init(&whole, SIZE_MAX / 2);
    sm_buf_init(&pieces, SIZE_MAX / 2);
    fuzz_ok(sm_csv_frame_init(&f, &dialect, limit == 0 ? 1 << 20 : limit, NULL), "a dialect");
    f.gb18030 = DIALECTS[i].gb18030;
    spans(&f, in, in.len + 1, &whole);
    spans(&f, in, step, &pieces);
    fuzz_require(sm_bytes_equal(sm_buf_view(&whole), sm_buf_view(&pieces)),
                 "the size of pieces changes nothing");
    if (!f.gb18030) {
        split_all(&f, in);
    }
    sm_buf_free(&whole);
    sm_buf_free(&pieces);
    return 0;
}
