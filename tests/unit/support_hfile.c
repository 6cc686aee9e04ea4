/* SPDX-License-Identifier: Apache-2.0 */
/* Writing and reading back for the tests of formats. */
#include "support_hfile.h"

#include "core/fs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int hfile_set_up(void **state)
{
    hfile_scratch *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return -1;
    }
    *state = s;
    (void)snprintf(s->directory, sizeof s->directory, "/tmp/saltmill-test-XXXXXX");
    if (mkdtemp(s->directory) == NULL) {
        return -1;
    }
    (void)snprintf(s->path, sizeof s->path, "%s/t", s->directory);
    return 0;
}

int hfile_tear_down(void **state)
{
    hfile_scratch *s = *state;
    const sm_status st = sm_fs_remove_tree(s->directory, NULL);
    free(s);
    return st == SM_OK ? 0 : -1;
}

sm_cell hfile_put(const char *row, const char *qualifier, int64_t timestamp, const char *value)
{
    return (sm_cell){.row = sm_bytes_text(row),
                     .family = sm_bytes_text("f"),
                     .qualifier = sm_bytes_text(qualifier),
                     .value = sm_bytes_text(value),
                     .timestamp = timestamp,
                     .type = SM_CELL_PUT};
}

static void must(hfile_scratch *s, sm_status st)
{
    if (st != SM_OK) {
        fail_msg("%s", s->err.text);
    }
}

sm_sink_summary hfile_write(hfile_scratch *s, sm_sink_options options, const sm_cell *cells,
                            size_t count)
{
    sm_sink *sink = NULL;
    sm_sink_summary summary;
    options.path = s->path;
    must(s, sm_fs_remove_file(s->path, &s->err));
    must(s, sm_sink_format_named(sm_bytes_text("hfile"))->open(&options, &sink, &s->err));
    for (size_t i = 0; i < count; i++) {
        must(s, sm_sink_add(sink, &cells[i], &s->err));
    }
    must(s, sm_sink_finish(sink, &summary, &s->err));
    sm_sink_close(sink);
    /* Views of a closed sink are of no use. */
    summary.first_row = summary.last_row = sm_bytes_of(NULL, 0);
    return summary;
}

static void same_bytes(sm_bytes a, sm_bytes b)
{
    assert_int_equal(a.len, b.len);
    if (a.len != 0) {
        assert_memory_equal(a.data, b.data, a.len);
    }
}

void hfile_expect(hfile_scratch *s, const sm_cell *cells, size_t count)
{
    sm_hfile *h = NULL;
    must(s, sm_hfile_open(s->path, &h, &s->err));
    for (size_t i = 0; i <= count; i++) {
        sm_cell c;
        bool more = false;
        must(s, sm_hfile_next(h, &c, &more, &s->err));
        assert_int_equal(more, i < count);
        if (i < count) {
            same_bytes(c.row, cells[i].row);
            same_bytes(c.family, cells[i].family);
            same_bytes(c.qualifier, cells[i].qualifier);
            same_bytes(c.value, cells[i].value);
            assert_true(c.timestamp == cells[i].timestamp);
            assert_true(c.ttl == cells[i].ttl);
            assert_int_equal(c.type, cells[i].type);
        }
    }
    sm_hfile_close(h);
}

uint8_t *hfile_bytes(hfile_scratch *s, size_t *size)
{
    FILE *f = fopen(s->path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    (void)fclose(f);
    return bytes;
}
