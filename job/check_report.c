/* SPDX-License-Identifier: Apache-2.0 */
/* What the workers of a check counted becomes its report: sums, percentiles, skew, and how large an
 * HFile's index and bloom filter will be. */
#include "job/check_engine.h"

#include <string.h>

/* ---- places and rejects ---------------------------------------------------------------------- */

sm_status sm_check_place_of(const sm_checking *c, uint64_t order, uint64_t line,
                            sm_check_place *out, sm_error *err)
{
    const size_t file = (size_t)(order >> SM_PLACE_OFFSET_BITS);
    const char *path = sm_source_input(c->source, file)->path;
    *out = (sm_check_place){.line = line,
                            .offset = order & ((UINT64_C(1) << SM_PLACE_OFFSET_BITS) - 1)};
    out->input = sm_arena_text(c->arena, path, strlen(path));
    return out->input != NULL ? SM_OK : sm_fail_memory(err, 0, "the report");
}

static sm_status fill_reject(const sm_checking *c, size_t code, sm_check_reject *out, sm_error *err)
{
    const sm_check_first *first = NULL;
    for (unsigned i = 0; i < c->workers; i++) {
        const sm_check_first *f = &c->each[i].rejects[code];
        out->count += f->count;
        if (f->count != 0 && (first == NULL || f->order < first->order)) {
            first = f;
        }
    }
    if (first == NULL) {
        return SM_OK;
    }
    out->text = sm_arena_text(c->arena, first->text, strlen(first->text));
    if (out->text == NULL) {
        return sm_fail_memory(err, 0, "the report");
    }
    out->field = first->field;
    return sm_check_place_of(c, first->order, first->line, &out->first, err);
}

static sm_status fill_records(const sm_checking *c, sm_check_report *r, sm_error *err)
{
    sm_status st = SM_OK;
    for (unsigned i = 0; i < c->workers; i++) {
        const sm_check_worker *w = &c->each[i];
        r->records_read += w->read;
        r->accepted += w->accepted;
        r->filtered += w->filtered;
        r->rejected += w->rejected;
        r->slices += w->slices;
        r->slices_judged += w->judged;
        r->assumed += w->assumed;
        r->cut_short = r->cut_short || w->cut_short;
    }
    r->share = r->slices == 0 ? 1 : (double)r->slices_judged / (double)r->slices;
    for (size_t i = 0; st == SM_OK && i < SM_REJECT_COUNT; i++) {
        st = fill_reject(c, i, &r->rejects[i], err);
    }
    return st;
}

static sm_status fill_queries(const sm_checking *c, sm_check_report *r, sm_error *err)
{
    const size_t n = c->options->query_count;
    if (n == 0) {
        return SM_OK;
    }
    uint64_t *sums = sm_arena_array(c->arena, n, sizeof *sums);
    for (size_t i = 0; sums != NULL && i < n; i++) {
        for (unsigned w = 0; w < c->workers; w++) {
            sums[i] += c->each[w].queries[i];
        }
    }
    r->query_images = sums;
    return sums != NULL ? SM_OK : sm_fail_memory(err, 0, "the report");
}

/* ---- sums of a table ------------------------------------------------------------------------- */

static uint64_t percentile(const uint64_t *lengths, uint64_t total, unsigned percent,
                           uint64_t longest)
{
    /* The smallest length that so many percent of the rows do not exceed. */
    const uint64_t wanted = total / 100 * percent + (total % 100 * percent + 99) / 100;
    uint64_t seen = 0;
    size_t at = 0;
    while (at < SM_CHECK_LENGTHS && (seen += lengths[at]) < wanted) {
        at++;
    }
    const uint64_t length =
        at <= SM_CHECK_EXACT ? at : SM_CHECK_EXACT + (at - SM_CHECK_EXACT) * SM_CHECK_STEP;
    return length < longest ? length : longest;
}

/* The other workers' sums are added to the first one's. */
static sm_check_sums *add_sums(const sm_checking *c, size_t table)
{
    sm_check_sums *all = &c->each[0].tables[table];
    for (unsigned i = 1; i < c->workers; i++) {
        const sm_check_sums *s = &c->each[i].tables[table];
        const bool shorter = all->images == 0 || s->shortest < all->shortest;
        all->shortest = s->images != 0 && shorter ? s->shortest : all->shortest;
        all->longest = s->longest > all->longest ? s->longest : all->longest;
        all->images += s->images;
        all->not_selected += s->not_selected;
        all->without_cells += s->without_cells;
        all->key_bytes += s->key_bytes;
        for (size_t k = 0; k < SM_CHECK_LENGTHS; k++) {
            all->lengths[k] += s->lengths[k];
        }
    }
    return all;
}

static sm_status fill_families(const sm_checking *c, size_t table, sm_check_table *out,
                               sm_error *err)
{
    const sm_job_table *t = out->table;
    sm_check_family *families = sm_arena_array(c->arena, t->family_count + 1, sizeof *families);
    if (families == NULL) {
        return sm_fail_memory(err, 0, "the report");
    }
    for (size_t i = 0; i < t->family_count; i++) {
        sm_check_family *sum = &families[i];
        sum->name = t->families[i].name_text;
        for (unsigned w = 0; w < c->workers; w++) {
            const sm_check_family *f = &c->each[w].tables[table].families[i];
            sum->cells += f->cells;
            sum->key_bytes += f->key_bytes;
            sum->family_bytes += f->family_bytes;
            sum->qualifier_bytes += f->qualifier_bytes;
            sum->value_bytes += f->value_bytes;
            sum->plain_bytes += f->plain_bytes;
        }
        out->cells += sum->cells;
        out->plain_bytes += sum->plain_bytes;
    }
    out->families = families;
    return SM_OK;
}

static void fill_lengths(const sm_check_sums *s, sm_check_length *out)
{
    *out = (sm_check_length){.min = s->shortest, .max = s->longest, .sum = s->key_bytes};
    if (s->images != 0) {
        out->p50 = percentile(s->lengths, s->images, 50, s->longest);
        out->p90 = percentile(s->lengths, s->images, 90, s->longest);
        out->p99 = percentile(s->lengths, s->images, 99, s->longest);
        out->mean = (double)s->key_bytes / (double)s->images;
    }
}

static sm_status fill_duplicates(const sm_checking *c, size_t table, sm_check_table *out,
                                 sm_error *err)
{
    const sm_check_duplicates *all = c->duplicates[table];
    sm_check_duplicate *items = sm_arena_array(c->arena, all->count + 1, sizeof *items);
    sm_status st = items != NULL ? SM_OK : sm_fail_memory(err, 0, "the report");
    for (size_t i = 0; st == SM_OK && i < all->count; i++) {
        const sm_check_example *e = &all->items[i];
        const char *copy = sm_arena_text(c->arena, e->key.data, e->key.len);
        items[i].key = sm_bytes_of(copy, e->key.len);
        items[i].rows = e->rows;
        st = copy != NULL ? sm_check_place_of(c, e->order[0], e->line[0], &items[i].first, err)
                          : sm_fail_memory(err, e->key.len, "the report");
        if (st == SM_OK) {
            st = sm_check_place_of(c, e->order[1], e->line[1], &items[i].second, err);
        }
    }
    out->duplicate = items;
    out->duplicate_count = all->count;
    return st;
}

/* ---- regions --------------------------------------------------------------------------------- */

static void add_to_spread(sm_check_spread *s, uint64_t images, uint64_t bytes)
{
    s->regions++;
    s->empty += images == 0;
    s->max_images = images > s->max_images ? images : s->max_images;
    s->max_bytes = bytes > s->max_bytes ? bytes : s->max_bytes;
}

static double skew(uint64_t most, uint64_t total, uint64_t regions)
{
    return total == 0 ? 0 : (double)most * (double)regions / (double)total;
}

static void fill_regions(const sm_checking *c, size_t table, sm_check_table *out)
{
    sm_check_region *regions = c->regions[table];
    const sm_splits *splits = out->table->splits;
    const size_t count = sm_splits_regions(splits);
    for (size_t i = 0; i < count; i++) {
        regions[i].start = sm_splits_start(splits, i);
        regions[i].end = sm_splits_end(splits, i);
        out->keys += regions[i].keys;
        add_to_spread(&out->spread, regions[i].images, regions[i].bytes);
        sm_check_estimate(out->table, out, &regions[i]);
    }
    out->duplicates = out->images - out->keys;
    out->spread.skew_images = skew(out->spread.max_images, out->images, count);
    out->spread.skew_bytes = skew(out->spread.max_bytes, out->plain_bytes, count);
    out->regions = regions;
}

static sm_status fill_what_if(const sm_checking *c, size_t table, sm_check_table *out,
                              sm_error *err)
{
    const size_t n = c->options->variant_count;
    sm_check_what_if *all = sm_arena_array(c->arena, n + 1, sizeof *all);
    for (size_t i = 0; all != NULL && i < n; i++) {
        const sm_check_variant_plan *plan = &c->designs[table].variants[i];
        all[i] = (sm_check_what_if){
            .asked = plan->asked, .why_not = plan->why_not, .salts = plan->salts};
        if (plan->why_not != NULL) {
            continue;
        }
        const size_t regions = sm_splits_regions(plan->splits);
        uint64_t *images = sm_arena_array(c->arena, regions, sizeof *images);
        for (size_t k = 0; images != NULL && k < regions; k++) {
            for (unsigned w = 0; w < c->workers; w++) {
                images[k] += c->each[w].tables[table].variants[i][k];
            }
            add_to_spread(&all[i].spread, images[k], 0);
        }
        all[i].spread.skew_images = skew(all[i].spread.max_images, out->images, regions);
        all[i].images = images;
        all = images != NULL ? all : NULL;
    }
    out->what_if = all;
    out->what_if_count = n;
    return all != NULL ? SM_OK : sm_fail_memory(err, 0, "the report");
}

static sm_status fill_stable(const sm_checking *c, size_t table, sm_check_table *out, sm_error *err)
{
    if (c->options->stable == 0) {
        return SM_OK;
    }
    sm_check_ids *all = c->each[0].tables[table].ids;
    for (unsigned w = 1; w < c->workers; w++) {
        sm_check_ids_merge(all, c->each[w].tables[table].ids);
    }
    out->stable.field = c->job->schema.fields[c->options->stable - 1].name;
    out->stable.why = c->designs[table].lead_why;
    return sm_check_ids_report(all, c->arena, &out->stable, err);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static sm_status fill_table(sm_checking *c, size_t table, sm_check_table *out, sm_error *err)
{
    out->table = &c->job->tables[table];
    out->judged = c->designs[table].judged;
    if (!out->judged) {
        return SM_OK;
    }
    const sm_check_sums *sums = add_sums(c, table);
    out->images = sums->images;
    out->not_selected = sums->not_selected;
    out->without_cells = sums->without_cells;
    out->salt = c->designs[table].salt;
    out->leads.part = c->designs[table].lead_part;
    out->leads.why = c->designs[table].lead_why;
    out->leads.least = c->least[table];
    fill_lengths(sums, &out->length);
    sm_status st = fill_families(c, table, out, err);
    if (st == SM_OK) {
        fill_regions(c, table, out);
        st = fill_duplicates(c, table, out, err);
    }
    if (st == SM_OK) {
        st = fill_what_if(c, table, out, err);
    }
    if (st == SM_OK) {
        st = fill_stable(c, table, out, err);
    }
    return st == SM_OK ? sm_check_heat_table(c, table, out, err) : st;
}

static sm_status fill_leads(sm_checking *c, sm_check_table *tables, sm_error *err)
{
    const size_t n = c->job->table_count;
    sm_check_leads *leads = sm_arena_array(c->arena, n, sizeof *leads);
    sm_status st =
        leads != NULL ? sm_check_leads_read(c, leads, err) : sm_fail_memory(err, 0, "the report");
    for (size_t i = 0; st == SM_OK && i < n; i++) {
        tables[i].leads.items = leads[i].items;
        tables[i].leads.count = leads[i].count;
    }
    return st;
}

sm_status sm_check_fill(sm_checking *c, sm_check_report *report, sm_error *err)
{
    const size_t n = c->job->table_count;
    sm_check_table *tables = sm_arena_array(c->arena, n, sizeof *tables);
    if (tables == NULL) {
        return sm_fail_memory(err, 0, "the report");
    }
    report->tables = tables;
    report->table_count = n;
    sm_status st = fill_records(c, report, err);
    if (st == SM_OK) {
        st = fill_queries(c, report, err);
    }
    for (size_t i = 0; st == SM_OK && i < n; i++) {
        st = fill_table(c, i, &tables[i], err);
    }
    return st == SM_OK ? fill_leads(c, tables, err) : st;
}
