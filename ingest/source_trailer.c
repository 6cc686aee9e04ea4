/* SPDX-License-Identifier: Apache-2.0 */
/* The last line of a file against input.trailer: the sender's own word on whether the file is
 * whole. */
#include "core/escape.h"
#include "core/number.h"
#include "ingest/source_file.h"

enum { LINE_SIZE = 120, PATTERN_SIZE = 200 };

static sm_status no_trailer(const sm_source *s, sm_bytes line, bool found, sm_error *err)
{
    const char *path = s->infos[s->index].path;
    char pattern[PATTERN_SIZE];
    char shown[LINE_SIZE];
    (void)sm_escape_short(sm_bytes_text(sm_pattern_text(s->trailer)), pattern, sizeof pattern);
    if (!found) {
        return sm_fail(err, SM_E_INPUT_TRAILER,
                       "%s: ends without a line that matches input.trailer \"%s\"; truncated? get "
                       "the file again",
                       path, pattern);
    }
    return sm_fail(err, SM_E_INPUT_TRAILER,
                   "%s: the last line, \"%s\", does not match input.trailer \"%s\"; truncated? get "
                   "the file again",
                   path, sm_escape_short(line, shown, sizeof shown), pattern);
}

/* All records in front of the held line have been handed out: the next one would be place.record.
 */
static sm_status check_count(const sm_source *s, sm_error *err)
{
    const unsigned long long records = s->place.record - 1;
    const char *path = s->infos[s->index].path;
    char shown[LINE_SIZE];
    sm_bytes text;
    uint64_t count = 0;
    const bool there = sm_pattern_group(s->trailer, s->count_group, &text);
    if (!there || !sm_parse_uint(text, &count)) {
        return sm_fail(err, SM_E_INPUT_TRAILER,
                       "%s: the trailer's count is \"%s\", which is no number of records", path,
                       sm_escape_short(text, shown, sizeof shown));
    }
    if (count != records) {
        return sm_fail(
            err, SM_E_INPUT_TRAILER,
            "%s: the trailer counts %llu records, but %llu were read; the file is not what "
            "its sender made, get it again",
            path, (unsigned long long)count, records);
    }
    return SM_OK;
}

sm_status sm_source_check_trailer(const sm_source *s, sm_bytes line, bool found, sm_error *err)
{
    bool matches = false;
    sm_status st = SM_OK;
    if (found) {
        st = sm_pattern_match(s->trailer, line, s->infos[s->index].path, &matches, err);
    }
    if (st == SM_OK && !matches) {
        st = no_trailer(s, line, found, err);
    }
    if (st == SM_OK && s->count_group != SIZE_MAX) {
        st = check_count(s, err);
    }
    if (st != SM_OK) {
        sm_source_set_place(s, err);
    }
    return st;
}
