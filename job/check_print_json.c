/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JSON; the names are stable. */
#include "core/json.h"
#include "job/check_print.h"

static void put_input(sm_json *j, const sm_check_report *r)
{
    sm_json_open_object(j, "input");
    sm_json_uint(j, "records_read", r->records_read);
    sm_json_uint(j, "accepted", r->accepted);
    sm_json_uint(j, "filtered", r->filtered);
    sm_json_uint(j, "rejected", r->rejected);
    sm_json_bool(j, "sampled", r->cut_short || r->slices_judged < r->slices);
    sm_json_real(j, "share", r->share);
    sm_json_open_object(j, "rejects");
    for (size_t i = 1; i < SM_REJECT_COUNT; i++) {
        if (r->rejects[i].count > 0) {
            sm_json_uint(j, sm_reject_text((sm_reject)i), r->rejects[i].count);
        }
    }
    sm_json_close_object(j);
    sm_json_close_object(j);
}

static void put_length(sm_json *j, const sm_check_length *l)
{
    sm_json_open_object(j, "key_bytes");
    sm_json_real(j, "mean", l->mean);
    sm_json_uint(j, "min", l->min);
    sm_json_uint(j, "p50", l->p50);
    sm_json_uint(j, "p90", l->p90);
    sm_json_uint(j, "p99", l->p99);
    sm_json_uint(j, "max", l->max);
    sm_json_close_object(j);
}

static void put_spread(sm_json *j, const sm_check_spread *s)
{
    sm_json_uint(j, "regions", s->regions);
    sm_json_uint(j, "empty", s->empty);
    sm_json_real(j, "skew_rows", s->skew_images);
}

static void put_regions(sm_json *j, const sm_check_table *t)
{
    sm_json_open_array(j, "regions");
    for (uint64_t i = 0; i < t->spread.regions; i++) {
        const sm_check_region *r = &t->regions[i];
        sm_json_open_object(j, NULL);
        sm_json_escaped(j, "start", r->start);
        sm_json_uint(j, "rows", r->images);
        sm_json_uint(j, "keys", r->keys);
        sm_json_uint(j, "bytes", r->bytes);
        sm_json_uint(j, "index_bytes", r->index_bytes);
        sm_json_uint(j, "bloom_bytes", r->bloom_bytes);
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
}

static void put_duplicates(sm_json *j, const sm_check_table *t)
{
    sm_json_open_array(j, "duplicate_examples");
    for (size_t i = 0; i < t->duplicate_count; i++) {
        const sm_check_duplicate *d = &t->duplicate[i];
        sm_json_open_object(j, NULL);
        sm_json_escaped(j, "key", d->key);
        sm_json_uint(j, "rows", d->rows);
        sm_json_text(j, "first_input", d->first.input);
        sm_json_uint(j, "first_line", d->first.line);
        sm_json_text(j, "second_input", d->second.input);
        sm_json_uint(j, "second_line", d->second.line);
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
}

static void put_leads(sm_json *j, const sm_check_leads *l)
{
    sm_json_open_object(j, "leads");
    sm_json_text(j, "part", l->part);
    sm_json_open_array(j, "heaviest");
    for (size_t i = 0; i < l->count; i++) {
        sm_json_open_object(j, NULL);
        sm_json_escaped(j, "value", l->items[i].value);
        sm_json_uint(j, "rows", l->items[i].images);
        sm_json_uint(j, "bytes", l->items[i].bytes);
        sm_json_uint(j, "regions", l->items[i].regions);
        sm_json_uint(j, "groups", l->items[i].groups);
        sm_json_uint(j, "greatest_group", l->items[i].greatest);
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
    sm_json_close_object(j);
}

static void put_stable(sm_json *j, const sm_check_stable *s)
{
    if (s->field == NULL) {
        return;
    }
    sm_json_open_object(j, "stable");
    sm_json_text(j, "field", s->field);
    sm_json_text(j, "why_not", s->why);
    sm_json_uint(j, "values", s->seen * s->scale);
    sm_json_uint(j, "unstable", s->unstable * s->scale);
    sm_json_uint(j, "scale", s->scale);
    sm_json_close_object(j);
}

static void put_what_if(sm_json *j, const sm_check_table *t)
{
    sm_json_open_array(j, "what_if");
    for (size_t i = 0; i < t->what_if_count; i++) {
        const sm_check_what_if *w = &t->what_if[i];
        sm_json_open_object(j, NULL);
        sm_json_uint(j, "asked_salts", w->asked.salts);
        sm_json_uint(j, "asked_regions", w->asked.regions);
        sm_json_text(j, "why_not", w->why_not);
        if (w->why_not == NULL) {
            sm_json_uint(j, "salts", w->salts);
            put_spread(j, &w->spread);
            sm_json_real(j, "hot_spot", w->hot.index);
        }
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
}

static void put_table(sm_json *j, const sm_check_table *t)
{
    sm_json_open_object(j, NULL);
    sm_json_text(j, "table", t->table->name);
    sm_json_text(j, "key", t->table->key_canonical);
    sm_json_bool(j, "judged", t->judged);
    if (t->judged) {
        sm_json_uint(j, "rows", t->images);
        sm_json_uint(j, "keys", t->keys);
        sm_json_uint(j, "duplicates", t->duplicates);
        put_duplicates(j, t);
        put_length(j, &t->length);
        sm_json_uint(j, "cells", t->cells);
        sm_json_uint(j, "plain_bytes", t->plain_bytes);
        sm_json_open_object(j, "spread");
        put_spread(j, &t->spread);
        sm_json_real(j, "skew_bytes", t->spread.skew_bytes);
        sm_json_close_object(j);
        sm_json_bool(j, "hot_spot_known", t->hot.known);
        sm_json_real(j, "hot_spot", t->hot.index);
        sm_json_real(j, "hot_spot_even", t->hot.even);
        put_leads(j, &t->leads);
        put_stable(j, &t->stable);
        put_regions(j, t);
        put_what_if(j, t);
    }
    sm_json_close_object(j);
}

static void put_findings(sm_json *j, const sm_findings *findings)
{
    sm_json_open_array(j, "findings");
    for (size_t i = 0; i < findings->count; i++) {
        const sm_finding *f = &findings->items[i];
        sm_json_open_object(j, NULL);
        sm_json_text(j, "severity", sm_severity_text(f->severity));
        sm_json_text(j, "code", sm_finding_text(f->code));
        sm_json_text(j, "table", f->table == NULL ? NULL : f->table->name);
        sm_json_text(j, "part", f->part);
        sm_json_text(j, "reason", f->text);
        sm_json_text(j, "unit", f->unit);
        if (f->unit != NULL) {
            sm_json_real(j, "number", f->number);
        }
        sm_json_text(j, "remedy", f->remedy);
        if (f->sub_salts != 0) {
            sm_json_uint(j, "sub_salts", f->sub_salts);
            sm_json_uint(j, "scans", f->scans);
        }
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
}

static void put_queries(sm_json *j, const sm_check_result *result)
{
    sm_json_open_array(j, "queries");
    for (size_t i = 0; i < result->prices.count; i++) {
        const sm_check_price *p = &result->prices.items[i];
        sm_json_open_object(j, NULL);
        sm_json_text(j, "table", result->job->tables[p->table].name);
        sm_json_text(j, "query", p->text);
        sm_json_uint(j, "scans", p->plan->count);
        sm_json_bool(j, "exact", p->plan->exact);
        sm_json_bool(j, "full", p->plan->full);
        if (result->report->query_images != NULL) {
            sm_json_uint(j, "rows", result->report->query_images[i]);
        }
        sm_json_close_object(j);
    }
    sm_json_close_array(j);
}

sm_status sm_check_print_json(const sm_check_result *result, const sm_findings *findings,
                              sm_buf *out, sm_error *err)
{
    sm_json j;
    sm_json_start(&j, out, false, err);
    sm_json_open_object(&j, NULL);
    put_input(&j, result->report);
    sm_json_open_array(&j, "tables");
    for (size_t i = 0; i < result->report->table_count; i++) {
        put_table(&j, &result->report->tables[i]);
    }
    sm_json_close_array(&j);
    put_findings(&j, findings);
    put_queries(&j, result);
    sm_json_close_object(&j);
    return sm_json_finish(&j);
}
