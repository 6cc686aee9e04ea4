/* SPDX-License-Identifier: Apache-2.0 */
/* The report as text: what was read, the main numbers of each table, findings by severity, what-if
 * side by side, queries. */
#include "job/check_print.h"

#include "core/escape.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct printer {
    const sm_check_result *result;
    sm_buf *out;
    sm_error *err;
    sm_status st; /* the first failure */
} printer;

static void put(printer *p, const char *fmt, ...) SM_PRINTF(2, 3);

static void put(printer *p, const char *fmt, ...)
{
    char text[2048];
    va_list args;
    va_start(args, fmt);
    const int len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (p->st == SM_OK) {
        p->st = sm_buf_append(p->out, text, len < (int)sizeof text ? (size_t)len : sizeof text - 1,
                              p->err);
    }
}

/* ---- the input and the tables ---------------------------------------------------------------- */

static void put_input(printer *p)
{
    const sm_check_report *r = p->result->report;
    put(p, "input     %llu records read, %llu accepted, %llu filtered, %llu rejected",
        (unsigned long long)r->records_read, (unsigned long long)r->accepted,
        (unsigned long long)r->filtered, (unsigned long long)r->rejected);
    if (r->cut_short) {
        put(p, "; the first of more\n");
    } else if (r->slices_judged < r->slices) {
        put(p, "; a sample: %llu of %llu slices, %.1f%%\n", (unsigned long long)r->slices_judged,
            (unsigned long long)r->slices, 100 * r->share);
    } else {
        put(p, "; all of the input\n");
    }
}

static void put_hot(printer *p, const sm_check_hot *h)
{
    if (h->known) {
        put(p, "  hot spot  %.3f (%.3f if spread evenly; 1: records in a row go to one place)\n",
            h->index, h->even);
    } else {
        put(p, "  hot spot  not known: too few rows\n");
    }
}

static void put_estimates(printer *p, const sm_check_table *t)
{
    uint64_t index = 0;
    uint64_t bloom = 0;
    for (uint64_t i = 0; i < t->spread.regions; i++) {
        index = t->regions[i].index_bytes > index ? t->regions[i].index_bytes : index;
        bloom = t->regions[i].bloom_bytes > bloom ? t->regions[i].bloom_bytes : bloom;
    }
    put(p,
        "  memory    at most %llu bytes of data index and %llu of bloom filter in a region "
        "(estimates)\n",
        (unsigned long long)index, (unsigned long long)bloom);
}

static void put_heavy(printer *p, const sm_check_leads *l)
{
    char value[64];
    if (l->part == NULL || l->count == 0) {
        return;
    }
    put(p, "  heaviest  %s:", l->part);
    for (size_t i = 0; i < l->count && i < 3; i++) {
        put(p, "%s \"%s\" %llu rows", i == 0 ? "" : ",",
            sm_escape_short(l->items[i].value, value, sizeof value),
            (unsigned long long)l->items[i].images);
    }
    put(p, "\n");
}

static void put_stable(printer *p, const sm_check_stable *s)
{
    if (s->field == NULL) {
        return;
    }
    if (s->why != NULL) {
        put(p, "  stable    %s: not known: %s\n", s->field, s->why);
        return;
    }
    put(p, "  stable    %s: %llu of %llu values under more than one leading part%s\n", s->field,
        (unsigned long long)(s->unstable * s->scale), (unsigned long long)(s->seen * s->scale),
        s->scale > 1 ? " (estimates)" : "");
}

static void put_table(printer *p, const sm_check_table *t)
{
    put(p, "\ntable %s\n  key       %s\n", t->table->name, t->table->key_canonical);
    if (!t->judged) {
        put(p, "  its rows come from dictionaries and are not judged\n");
        return;
    }
    put(p, "  rows      %llu from records, %llu keys, %llu duplicates\n",
        (unsigned long long)t->images, (unsigned long long)t->keys,
        (unsigned long long)t->duplicates);
    if (t->images == 0) {
        return;
    }
    put(p, "  key size  %.1f bytes in the mean; min %llu, median %llu, 99%% %llu, max %llu\n",
        t->length.mean, (unsigned long long)t->length.min, (unsigned long long)t->length.p50,
        (unsigned long long)t->length.p99, (unsigned long long)t->length.max);
    put(p, "  cells     %llu, %.0f bytes per million before encoding, %.1f%% of it keys\n",
        (unsigned long long)t->cells,
        t->cells == 0 ? 0 : (double)t->plain_bytes / (double)t->cells * 1e6,
        t->plain_bytes == 0 ? 0 : 100 * t->length.mean * (double)t->cells / (double)t->plain_bytes);
    put(p,
        "  regions   %llu, %llu empty, the greatest %.2f times the mean in rows, %.2f in bytes\n",
        (unsigned long long)t->spread.regions, (unsigned long long)t->spread.empty,
        t->spread.skew_images, t->spread.skew_bytes);
    put_hot(p, &t->hot);
    put_heavy(p, &t->leads);
    put_stable(p, &t->stable);
    put_estimates(p, t);
}

/* ---- findings -------------------------------------------------------------------------------- */

static void put_finding(printer *p, const sm_finding *f)
{
    put(p, "\n%-7s  %s", sm_severity_text(f->severity), sm_finding_text(f->code));
    if (f->table != NULL) {
        put(p, "  table %s", f->table->name);
    }
    if (f->part != NULL) {
        put(p, ", %s", f->part);
    }
    put(p, "\n         %s\n         remedy: %s\n", f->text == NULL ? "" : f->text,
        f->remedy == NULL ? "" : f->remedy);
}

static void put_findings(printer *p, const sm_findings *findings)
{
    put(p, "\n%zu error%s, %zu warning%s, %zu note%s\n", findings->by_severity[SM_SEVERITY_ERROR],
        findings->by_severity[SM_SEVERITY_ERROR] == 1 ? "" : "s",
        findings->by_severity[SM_SEVERITY_WARNING],
        findings->by_severity[SM_SEVERITY_WARNING] == 1 ? "" : "s",
        findings->by_severity[SM_SEVERITY_NOTE],
        findings->by_severity[SM_SEVERITY_NOTE] == 1 ? "" : "s");
    for (size_t i = 0; i < findings->count; i++) {
        put_finding(p, &findings->items[i]);
    }
}

/* ---- what if, queries ------------------------------------------------------------------------ */

static void put_variant(printer *p, const char *what, uint64_t salts, const sm_check_spread *s,
                        double heat)
{
    put(p, "  %-8s  %6llu  %7llu  %6llu  %9.2f  %8.3f\n", what, (unsigned long long)salts,
        (unsigned long long)s->regions, (unsigned long long)s->empty, s->skew_images, heat);
}

static void put_what_if(printer *p, const sm_check_table *t)
{
    if (!t->judged || t->what_if_count == 0) {
        return;
    }
    put(p, "\nwhat if, table %s\n", t->table->name);
    put(p, "            salts  regions   empty  rows skew  hot spot\n");
    put_variant(p, "as it is", t->salt.salts, &t->spread, t->hot.table.index);
    for (size_t i = 0; i < t->what_if_count; i++) {
        const sm_check_what_if *w = &t->what_if[i];
        if (w->why_not != NULL) {
            put(p, "  not known for %llu salts, %llu regions: %s\n",
                (unsigned long long)w->asked.salts, (unsigned long long)w->asked.regions,
                w->why_not);
            continue;
        }
        put_variant(p, "instead", w->salts, &w->spread, w->hot.index);
    }
}

static void put_query(printer *p, size_t i)
{
    const sm_check_price *q = &p->result->prices.items[i];
    const sm_check_report *r = p->result->report;
    const sm_check_table *t = &r->tables[q->table];
    put(p, "  %5zu  %-8s", q->plan->count,
        q->plan->full    ? "full"
        : q->plan->exact ? "exact"
                         : "superset");
    if (r->query_images != NULL && t->images > 0) {
        put(p, "  %6.2f%%", 100 * (double)r->query_images[i] / (double)t->images);
    } else {
        put(p, "  %7s", "-");
    }
    put(p, "  %s  %s\n", t->table->name, q->text);
}

static void put_queries(printer *p)
{
    if (p->result->prices.count == 0) {
        return;
    }
    put(p, "\nqueries\n  scans  ranges    rows in  table and query\n");
    for (size_t i = 0; i < p->result->prices.count; i++) {
        put_query(p, i);
    }
}

sm_status sm_check_print_text(const sm_check_result *result, const sm_findings *findings,
                              sm_buf *out, sm_error *err)
{
    printer p = {.result = result, .out = out, .err = err};
    put_input(&p);
    for (size_t i = 0; i < result->report->table_count; i++) {
        put_table(&p, &result->report->tables[i]);
    }
    put_findings(&p, findings);
    for (size_t i = 0; i < result->report->table_count; i++) {
        put_what_if(&p, &result->report->tables[i]);
    }
    put_queries(&p);
    return p.st;
}
