/* SPDX-License-Identifier: Apache-2.0 */
/* Split keys as escaped texts: one of them, and the list of a job file. */
#include "core/escape.h"
#include "partitioner/split_draft.h"

enum { SHOWN = 160 };

static sm_status bad_escape(const sm_split_draft *d, sm_bytes text, uint64_t place, size_t at,
                            sm_error *err)
{
    char shown[SHOWN];
    return sm_fail(
        err, SM_E_SPLITS,
        "%s: %s %llu: the backslash at byte %zu of '%s' starts no \\xHH; a backslash itself "
        "is written \\x5C",
        d->where, d->unit, (unsigned long long)place, at + 1,
        sm_escape_short(text, shown, sizeof shown));
}

static sm_status lower_case(const sm_split_draft *d, sm_bytes text, uint64_t place, size_t at,
                            sm_error *err)
{
    const char *escape = (const char *)text.data + at;
    return sm_fail(
        err, SM_E_SPLITS,
        "%s: %s %llu: %.4s has lower-case digits, which HBase does not take for an escape; "
        "write \\x%c%c",
        d->where, d->unit, (unsigned long long)place, escape,
        escape[2] >= 'a' ? escape[2] - 'a' + 'A' : escape[2],
        escape[3] >= 'a' ? escape[3] - 'a' + 'A' : escape[3]);
}

static sm_status not_printable(const sm_split_draft *d, sm_bytes text, uint64_t place, size_t at,
                               sm_error *err)
{
    const uint8_t c = text.data[at];
    return sm_fail(err, SM_E_SPLITS,
                   "%s: %s %llu: byte 0x%02X at byte %zu is no printable ASCII; write it as "
                   "\\x%02X (in a job file within single quotes: in double "
                   "quotes YAML takes the escape for itself)",
                   d->where, d->unit, (unsigned long long)place, c, at + 1, c);
}

sm_status sm_split_unescape(const sm_split_draft *d, sm_bytes text, uint64_t place, uint8_t *out,
                            sm_bytes *key, sm_error *err)
{
    size_t len = 0;
    size_t at = 0;
    *key = (sm_bytes){NULL, 0};
    if (text.len == 0) {
        return sm_fail(
            err, SM_E_SPLITS,
            "%s: empty split key in %s %llu; the first region begins at the empty key anyway",
            d->where, d->unit, (unsigned long long)place);
    }
    switch (sm_unescape(text, out, &len, &at)) {
    case SM_UNESCAPE_BAD: return bad_escape(d, text, place, at, err);
    case SM_UNESCAPE_LOWER_CASE: return lower_case(d, text, place, at, err);
    case SM_UNESCAPE_NOT_ASCII: return not_printable(d, text, place, at, err);
    case SM_UNESCAPE_OK: break;
    }
    *key = sm_bytes_of(out, len);
    return SM_OK;
}

sm_status sm_split_from_list(sm_split_draft *d, const sm_split_spec *spec, sm_error *err)
{
    for (size_t i = 0; i < spec->text_count; i++) {
        const sm_bytes text = spec->texts[i];
        sm_bytes key;
        uint8_t *room = sm_arena_get(d->arena, text.len);
        if (room == NULL) {
            return sm_fail_memory(err, text.len, "a split key");
        }
        sm_status st = sm_split_unescape(d, text, i + 1, room, &key, err);
        st = st == SM_OK ? sm_split_draft_add(d, key, i + 1, err) : st;
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}
