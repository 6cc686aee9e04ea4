/* SPDX-License-Identifier: Apache-2.0 */
/* PCRE2, the only file that knows it. Steps and depth of a match are bounded: a pattern that
 * backtracks without end is an error and not a hanging run. */
#include "ingest/pattern.h"

#include "core/escape.h"
#include "core/mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { MATCH_STEPS = 1000000, MATCH_HEAP_KIB = 16 * 1024, SHOWN_SIZE = 120 };

struct sm_pattern {
    const char *text;
    pcre2_general_context *memory;
    pcre2_compile_context *rules;
    pcre2_match_context *limits;
    pcre2_code *code;
    pcre2_match_data *match;
    const uint8_t *names; /* group_count entries: number (2 bytes, big-endian), name, NUL */
    uint32_t name_size;   /* bytes of an entry */
    uint32_t group_count;
    sm_bytes subject; /* of the last match */
};

static void *take_memory(PCRE2_SIZE size, void *context)
{
    (void)context;
    return sm_malloc(size);
}

static void give_memory(void *p, void *context)
{
    (void)context;
    sm_free(p);
}

void sm_pattern_free(sm_pattern *p)
{
    if (p == NULL) {
        return;
    }
    pcre2_match_data_free(p->match);
    pcre2_code_free(p->code);
    pcre2_match_context_free(p->limits);
    pcre2_compile_context_free(p->rules);
    pcre2_general_context_free(p->memory);
    sm_free(p);
}

static sm_status make_contexts(sm_pattern *p, sm_error *err)
{
    p->memory = pcre2_general_context_create(take_memory, give_memory, NULL);
    p->rules = p->memory == NULL ? NULL : pcre2_compile_context_create(p->memory);
    p->limits = p->memory == NULL ? NULL : pcre2_match_context_create(p->memory);
    if (p->rules == NULL || p->limits == NULL) {
        return sm_fail_memory(err, 0, "a pattern");
    }
    (void)pcre2_set_newline(p->rules, PCRE2_NEWLINE_ANYCRLF);
    (void)pcre2_set_match_limit(p->limits, MATCH_STEPS);
    (void)pcre2_set_depth_limit(p->limits, MATCH_STEPS);
    (void)pcre2_set_heap_limit(p->limits, MATCH_HEAP_KIB);
    return SM_OK;
}

static sm_status compile(sm_pattern *p, const char *what, sm_error *err)
{
    int code = 0;
    PCRE2_SIZE at = 0;
    p->code = pcre2_compile((PCRE2_SPTR)p->text, PCRE2_ZERO_TERMINATED,
                            PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_DOLLAR_ENDONLY, &code, &at,
                            p->rules);
    if (p->code == NULL && code == PCRE2_ERROR_HEAP_FAILED) {
        return sm_fail_memory(err, 0, "a pattern");
    }
    if (p->code == NULL) {
        char why[200];
        char shown[SHOWN_SIZE];
        (void)pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof why);
        return sm_fail(err, SM_E_JOB, "%s: \"%s\" is no pattern: %s at byte %zu", what,
                       sm_escape_short(sm_bytes_text(p->text), shown, sizeof shown), why, at);
    }
    p->match = pcre2_match_data_create_from_pattern(p->code, p->memory);
    return p->match == NULL ? sm_fail_memory(err, 0, "a pattern") : SM_OK;
}

/* Equal names lie next to each other: only (?J) lets them in. */
static sm_status read_names(sm_pattern *p, const char *what, sm_error *err)
{
    (void)pcre2_pattern_info(p->code, PCRE2_INFO_NAMECOUNT, &p->group_count);
    (void)pcre2_pattern_info(p->code, PCRE2_INFO_NAMEENTRYSIZE, &p->name_size);
    (void)pcre2_pattern_info(p->code, PCRE2_INFO_NAMETABLE, &p->names);
    for (size_t i = 1; i < p->group_count; i++) {
        if (strcmp(sm_pattern_group_name(p, i - 1), sm_pattern_group_name(p, i)) == 0) {
            return sm_fail(err, SM_E_JOB,
                           "%s: two groups are called \"%s\"; give each its own name", what,
                           sm_pattern_group_name(p, i));
        }
    }
    return SM_OK;
}

sm_status sm_pattern_new(const char *text, const char *what, sm_pattern **out, sm_error *err)
{
    *out = NULL;
    void *memory = NULL;
    const size_t size = strlen(text) + 1;
    sm_status st = sm_new(sizeof **out + size, "a pattern", &memory, err);
    if (st != SM_OK) {
        return st;
    }
    sm_pattern *p = memory;
    memcpy(p + 1, text, size);
    p->text = (const char *)(p + 1);
    st = make_contexts(p, err);
    if (st == SM_OK) {
        st = compile(p, what, err);
    }
    if (st == SM_OK) {
        st = read_names(p, what, err);
    }
    if (st != SM_OK) {
        sm_pattern_free(p);
        return st;
    }
    *out = p;
    return SM_OK;
}

const char *sm_pattern_text(const sm_pattern *p)
{
    return p->text;
}

size_t sm_pattern_group_count(const sm_pattern *p)
{
    return p->group_count;
}

const char *sm_pattern_group_name(const sm_pattern *p, size_t group)
{
    return (const char *)p->names + group * p->name_size + 2;
}

sm_status sm_pattern_match(sm_pattern *p, sm_bytes subject, const char *where, bool *found,
                           sm_error *err)
{
    *found = false;
    p->subject = subject;
    const PCRE2_SPTR data = subject.len == 0 ? (PCRE2_SPTR) "" : subject.data;
    const int got = pcre2_match(p->code, data, subject.len, 0, 0, p->match, p->limits);
    if (got >= 0) {
        *found = true;
        return SM_OK;
    }
    if (got == PCRE2_ERROR_NOMATCH) {
        return SM_OK;
    }
    if (got == PCRE2_ERROR_NOMEMORY) {
        return sm_fail_memory(err, 0, "matching a pattern");
    }
    char why[200];
    char shown[SHOWN_SIZE];
    (void)pcre2_get_error_message(got, (PCRE2_UCHAR *)why, sizeof why);
    return sm_fail(
        err, SM_E_INPUT_READ,
        "%s: the pattern \"%s\" takes too long here (%s); write it with fewer ways to match", where,
        sm_escape_short(sm_bytes_text(p->text), shown, sizeof shown), why);
}

bool sm_pattern_group(const sm_pattern *p, size_t group, sm_bytes *out)
{
    const uint8_t *entry = p->names + group * p->name_size;
    const size_t number = (size_t)entry[0] << 8 | entry[1];
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(p->match);
    const PCRE2_SIZE from = ends[2 * number];
    const PCRE2_SIZE to = ends[2 * number + 1];
    *out = (sm_bytes){NULL, 0};
    if (number >= pcre2_get_ovector_count(p->match) || from == PCRE2_UNSET || to > p->subject.len ||
        from > to) {
        return false;
    }
    *out = (sm_bytes){p->subject.data + from, to - from};
    return true;
}
