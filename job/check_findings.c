/* SPDX-License-Identifier: Apache-2.0 */
/* The list of findings: their table of codes, how they are kept and sorted. */
#include "job/check_findings.h"

#include "core/escape.h"
#include "job/check_judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_ROOM = 1024, SHOWN_ROOM = 64 };

typedef struct code_row {
    const char *code;
    sm_severity severity;
    const char *remedy;
} code_row;

static const code_row CODES[SM_FINDING_COUNT] = {
#define SM_FINDING(name, code, severity, sentence, remedy) {code, SM_SEVERITY_##severity, remedy},
#include "job/check_findings.def"
#undef SM_FINDING
};

static const char *const SEVERITIES[SM_SEVERITY_COUNT] = {"note", "warning", "error"};

const char *sm_finding_text(sm_finding_code code)
{
    return CODES[code].code;
}

const char *sm_severity_text(sm_severity severity)
{
    return SEVERITIES[severity];
}

sm_severity sm_severity_named(const char *text)
{
    int i = 0;
    while (i < SM_SEVERITY_COUNT && strcmp(text, SEVERITIES[i]) != 0) {
        i++;
    }
    return (sm_severity)i;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void no_memory(sm_judge *j)
{
    if (j->st == SM_OK) {
        j->st = sm_fail_memory(j->err, 0, "the findings");
    }
}

/* One more than `room` is allocated: the spare one. */
static void make_room(sm_judge *j)
{
    const size_t room = j->room == 0 ? 32 : j->room * 2;
    sm_finding *items = sm_arena_array(j->arena, room + 1, sizeof *items);
    if (items == NULL) {
        no_memory(j);
        return;
    }
    if (j->count > 0) {
        memcpy(items, j->items, j->count * sizeof *items);
    }
    j->items = items;
    j->room = room;
}

sm_finding *sm_judge_add(sm_judge *j, sm_finding_code code)
{
    if (j->count == j->room) {
        make_room(j);
    }
    sm_finding *f = &j->items[j->count];
    j->count += j->count < j->room;
    *f = (sm_finding){.code = code,
                      .severity = CODES[code].severity,
                      .table = j->table == NULL ? NULL : j->table->table,
                      .remedy = CODES[code].remedy};
    return f;
}

void sm_judge_number(sm_finding *f, const char *unit, double number)
{
    f->unit = unit;
    f->number = number;
}

const char *sm_judge_format(sm_judge *j, const char *fmt, ...)
{
    char text[TEXT_ROOM];
    va_list args;
    va_start(args, fmt);
    const int len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char *copy =
        sm_arena_text(j->arena, text, len < (int)sizeof text ? (size_t)len : sizeof text - 1);
    if (copy == NULL) {
        no_memory(j);
    }
    return copy;
}

const char *sm_judge_shown(sm_judge *j, sm_bytes bytes)
{
    char text[SHOWN_ROOM];
    const char *shown = sm_judge_format(j, "%s", sm_escape_short(bytes, text, sizeof text));
    return shown == NULL ? "" : shown;
}

/* The gravest first, then the job as a whole, tables as the job has them, and codes. */
static bool before(const sm_finding *a, const sm_finding *b)
{
    if (a->severity != b->severity) {
        return a->severity > b->severity;
    }
    if (a->table != b->table) {
        return a->table == NULL || (b->table != NULL && a->table < b->table);
    }
    return a->code < b->code;
}

/* Equal ones keep the order in which they were found. */
static void insert_sorted(sm_finding *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const sm_finding f = items[i];
        size_t at = i;
        while (at > 0 && before(&f, &items[at - 1])) {
            items[at] = items[at - 1];
            at--;
        }
        items[at] = f;
    }
}

sm_status sm_check_judge(const sm_check_result *result, sm_arena *arena, sm_findings *out,
                         sm_error *err)
{
    sm_judge j = {.result = result, .arena = arena, .err = err};
    *out = (sm_findings){.count = 0};
    make_room(&j);
    if (j.st != SM_OK) {
        return j.st;
    }
    sm_judge_rejects(&j);
    for (size_t t = 0; t < result->report->table_count; t++) {
        j.table = &result->report->tables[t];
        if (j.table->judged) {
            sm_judge_rows(&j);
            sm_judge_regions(&j);
            sm_judge_traps(&j);
        }
    }
    sm_judge_queries(&j);
    insert_sorted(j.items, j.count);
    for (size_t i = 0; i < j.count; i++) {
        out->by_severity[j.items[i].severity]++;
    }
    out->items = j.items;
    out->count = j.count;
    return j.st;
}
