/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about rows: rejects, equal keys, lengths of keys and names, times to live. */
#include "job/check_judge.h"

#include <stdio.h>
#include <string.h>

enum { USUAL_KEY_BYTES = 100, PLACE_ROOM = 256 };

/* ---- rejects --------------------------------------------------------------------------------- */

static bool over_limit(const sm_job *job, const sm_check_report *r)
{
    if (!job->rejects.is_percent) {
        return r->rejected > job->rejects.count;
    }
    return (double)r->rejected * 100 > job->rejects.percent * (double)r->records_read;
}

static size_t commonest(const sm_check_report *r)
{
    size_t best = 0;
    for (size_t i = 1; i < SM_REJECT_COUNT; i++) {
        best = r->rejects[i].count > r->rejects[best].count ? i : best;
    }
    return best;
}

static const char *describe_reject(sm_judge *j, const sm_check_reject *first, sm_reject code)
{
    const char *text = first->text == NULL ? sm_reject_sentence(code) : first->text;
    return sm_judge_format(
        j, "%llu %s, first at %s:%llu%s%s: %s", (unsigned long long)first->count,
        sm_reject_text(code), first->first.input == NULL ? "?" : first->first.input,
        (unsigned long long)first->first.line, first->field == NULL ? "" : ", field ",
        first->field == NULL ? "" : first->field, text);
}

void sm_judge_rejects(sm_judge *j)
{
    const sm_check_report *r = j->result->report;
    if (r->rejected == 0) {
        return;
    }
    sm_finding *f = sm_judge_add(j, SM_FINDING_REJECTS_SEEN);
    const size_t code = commonest(r);
    const sm_check_reject *first = &r->rejects[code];
    const char *most = describe_reject(j, first, (sm_reject)code);
    f->severity = over_limit(j->result->job, r) ? SM_SEVERITY_ERROR : SM_SEVERITY_WARNING;
    f->text = sm_judge_format(j, "%llu of %llu records would be rejected: %s%s",
                              (unsigned long long)r->rejected, (unsigned long long)r->records_read,
                              most == NULL ? "" : most,
                              first->count < r->rejected ? "; others for other reasons" : "");
    sm_judge_number(f, "records", (double)r->rejected);
}

static void judge_too_long(sm_judge *j)
{
    const uint64_t count = j->result->report->rejects[SM_REJECT_KEY_SIZE].count;
    if (count == 0 || j->table != &j->result->report->tables[0]) {
        return; /* counted for all tables together: told once */
    }
    sm_finding *f = sm_judge_add(j, SM_FINDING_KEY_TOO_LONG);
    f->table = NULL;
    f->text = sm_judge_format(j, "%llu records have a key of more than 32767 bytes",
                              (unsigned long long)count);
    sm_judge_number(f, "records", (double)count);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static bool has_open_columns(const sm_job_table *t)
{
    for (size_t i = 0; i < t->layout.column_count; i++) {
        if (!t->layout.columns[i].qualifier_is_constant) {
            return true;
        }
    }
    return false;
}

static const char *place(char out[PLACE_ROOM], const sm_check_place *p)
{
    (void)snprintf(out, PLACE_ROOM, "%s:%llu", p->input == NULL ? "?" : p->input,
                   (unsigned long long)p->line);
    return out;
}

static void judge_duplicates(sm_judge *j)
{
    const sm_check_table *t = j->table;
    char first[PLACE_ROOM];
    char second[PLACE_ROOM];
    if (t->duplicates == 0) {
        return;
    }
    sm_finding *f = sm_judge_add(j, has_open_columns(t->table) ? SM_FINDING_SHARED_ROWS
                                                               : SM_FINDING_DUPLICATE_KEYS);
    const char *example = "";
    if (t->duplicate_count > 0) {
        const sm_check_duplicate *d = &t->duplicate[0];
        example = sm_judge_format(j, "; such as %s, %llu times, at %s and %s",
                                  sm_judge_shown(j, d->key), (unsigned long long)d->rows,
                                  place(first, &d->first), place(second, &d->second));
    }
    f->text = sm_judge_format(j, "%llu of %llu records make a key that another one made%s",
                              (unsigned long long)t->duplicates, (unsigned long long)t->images,
                              example == NULL ? "" : example);
    sm_judge_number(f, "rows", (double)t->duplicates);
}

static void judge_lengths(sm_judge *j)
{
    const sm_check_length *l = &j->table->length;
    if (l->mean <= USUAL_KEY_BYTES) {
        return;
    }
    sm_finding *f = sm_judge_add(j, SM_FINDING_LONG_KEYS);
    f->text =
        sm_judge_format(j, "keys have %.1f bytes in the mean (%llu ... %llu); 10 to 100 is usual",
                        l->mean, (unsigned long long)l->min, (unsigned long long)l->max);
    sm_judge_number(f, "bytes", l->mean);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Bytes of constant column names beyond one each, over all cells of a family; 0 where some names
 * are expressions, whose bytes are data. */
static uint64_t long_columns(const sm_check_table *t, size_t family)
{
    const sm_check_family *f = &t->families[family];
    for (size_t i = 0; i < t->table->layout.column_count; i++) {
        const sm_column *c = &t->table->layout.columns[i];
        if (c->family == family && !c->qualifier_is_constant) {
            return 0;
        }
    }
    return f->qualifier_bytes > f->cells ? f->qualifier_bytes - f->cells : 0;
}

static void judge_names(sm_judge *j)
{
    const sm_check_table *t = j->table;
    for (size_t i = 0; i < t->table->family_count; i++) {
        const sm_check_family *family = &t->families[i];
        const uint64_t families =
            family->family_bytes > family->cells ? family->family_bytes - family->cells : 0;
        const uint64_t columns = long_columns(t, i);
        if (families + columns == 0 || t->images == 0) {
            continue;
        }
        const double million = (double)(families + columns) / (double)t->images * 1e6;
        sm_finding *f = sm_judge_add(j, SM_FINDING_LONG_NAMES);
        f->part = sm_judge_format(j, "family %s", family->name);
        f->text = sm_judge_format(
            j,
            "names longer than one character cost %.0f bytes per million rows before encoding, "
            "%.1f%% of the cells",
            million, 100 * (double)(families + columns) / (double)t->plain_bytes);
        sm_judge_number(f, "bytes per million rows", million);
    }
}

static void judge_ttl(sm_judge *j)
{
    const sm_job_table *t = j->table->table;
    for (size_t i = 0; i < t->family_count; i++) {
        if (t->families[i].ttl_s == 0) {
            continue;
        }
        sm_finding *f = sm_judge_add(j, SM_FINDING_TTL_HIDES);
        f->part = sm_judge_format(j, "family %s", t->families[i].name_text);
        f->text = sm_judge_format(
            j, "cells with a timestamp more than %lld s in the past cannot be read after loading",
            (long long)t->families[i].ttl_s);
        sm_judge_number(f, "s", (double)t->families[i].ttl_s);
    }
}

/* A cell's own ttl is an expression: how many cells it hides already is not known here. */
static void judge_cell_ttl(sm_judge *j)
{
    const sm_job_table *t = j->table->table;
    const size_t own = strlen(t->where) + 1; /* "tables[0]." */
    for (size_t i = 0; i < t->layout.column_count; i++) {
        if (t->cells[i].ttl == NULL) {
            continue;
        }
        sm_finding *f = sm_judge_add(j, SM_FINDING_TTL_HIDES);
        f->part = sm_judge_format(j, "%s", t->cells[i].where + own);
        f->text = "cells whose timestamp is more than their own ttl in the past cannot be read "
                  "after loading";
    }
}

void sm_judge_rows(sm_judge *j)
{
    judge_too_long(j);
    if (j->table->images == 0) {
        sm_finding *f = sm_judge_add(j, SM_FINDING_NO_ROWS);
        f->text = sm_judge_format(j, "none of %llu records makes a row",
                                  (unsigned long long)j->result->report->records_read);
        sm_judge_number(f, "rows", 0);
    }
    judge_duplicates(j);
    judge_lengths(j);
    judge_names(j);
    judge_ttl(j);
    judge_cell_ttl(j);
}
