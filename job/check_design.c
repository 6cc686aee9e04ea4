/* SPDX-License-Identifier: Apache-2.0 */
/* What a check knows of a key before it reads a record: where its leading part lies, which salts it
 * begins with, and how they meet the regions. */
#include "job/check_engine.h"
#include "job/query.h"
#include "partitioner/keydecode_parts.h"
#include "partitioner/keypart.h"

#include <stdlib.h>

enum { MOST_SALTS = 1 << 16 };

typedef struct designing {
    const sm_job *job;
    const sm_job_table *table;
    sm_arena *arena;
    const sm_decode_part *parts;
    size_t count;
    sm_check_design *out;
} designing;

static sm_status copy_rule(const designing *d, sm_bytes rule, const char **out, sm_error *err)
{
    *out = sm_arena_text(d->arena, rule.data, rule.len);
    return *out != NULL ? SM_OK : sm_fail_memory(err, rule.len, "the parts of a key");
}

/* ---- the leading part ------------------------------------------------------------------------ */

static bool only_spreads(const sm_decode_part *part)
{
    return sm_node_is_literal(part->node) || sm_node_scatters(part->node);
}

static sm_status find_lead(designing *d, sm_error *err)
{
    sm_check_design *out = d->out;
    size_t at = 0;
    size_t i = 0;
    while (i < d->count && only_spreads(&d->parts[i])) {
        const sm_node *node = d->parts[i++].node;
        if (node->min_width != node->max_width) {
            out->lead_why = "a salt or hash of no fixed width stands in front";
            return SM_OK;
        }
        at += node->min_width;
    }
    if (i == d->count) {
        out->lead_why = "the key is made of salts, hashes and constants alone";
        return SM_OK;
    }
    const sm_decode_part *part = &d->parts[i];
    const bool fixed = part->node->min_width == part->node->max_width;
    out->lead_at = at;
    out->lead_width = fixed ? part->node->min_width : 0;
    out->lead = fixed ? NULL : &part->run;
    return copy_rule(d, part->rule, &out->lead_part, err);
}

/* ---- salts against regions ------------------------------------------------------------------- */

static int compare_values(const void *a, const void *b)
{
    return sm_bytes_compare(*(const sm_bytes *)a, *(const sm_bytes *)b);
}

/* A split key that begins with a salt and goes on cuts through that salt's rows. */
static bool cuts_inside(const sm_bytes *values, size_t count, sm_bytes split)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sm_bytes_compare(values[middle], split) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const sm_bytes v = low == 0 ? (sm_bytes){0} : values[low - 1];
    return v.len != 0 && v.len < split.len && sm_bytes_equal(v, sm_bytes_of(split.data, v.len));
}

static void meet_regions(const sm_splits *splits, const sm_bytes *values, size_t count,
                         sm_check_salt *out)
{
    const size_t regions = sm_splits_regions(splits);
    size_t at = 0;
    for (size_t i = 0; i < splits->count; i++) {
        out->cut_inside += cuts_inside(values, count, splits->keys[i]);
    }
    for (size_t i = 0; i < regions; i++) {
        const size_t first = at;
        while (at < count && sm_splits_route(splits, values[at]) == i) {
            at++;
        }
        const uint64_t n = at - first;
        out->min_per_region = i == 0 || n < out->min_per_region ? n : out->min_per_region;
        out->max_per_region = n > out->max_per_region ? n : out->max_per_region;
    }
}

static sm_status find_salts(designing *d, sm_error *err)
{
    sm_expr_context context;
    sm_job_expr_context(d->job, d->table, d->arena, d->table->key_where, &context);
    const sm_keycompile compile = {.context = &context, .use = SM_USE_KEY};
    const sm_bytes *values = NULL;
    size_t count = 0;
    sm_check_salt *out = &d->out->salt;
    sm_status st = sm_spread_values(&compile, d->parts[0].node, MOST_SALTS, &values, &count, err);
    if (st != SM_OK || count == 0) {
        return st;
    }
    sm_bytes *sorted = sm_arena_array(d->arena, count, sizeof *sorted);
    if (sorted == NULL) {
        return sm_fail_memory(err, count * sizeof *sorted, "the salts of a key");
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = values[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_values);
    out->salts = count;
    meet_regions(d->table->splits, sorted, count, out);
    return copy_rule(d, d->parts[0].rule, &out->part, err);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static sm_status plan_variants(designing *d, const sm_check_options *options, sm_error *err)
{
    sm_check_variant_plan *plans =
        sm_arena_array(d->arena, options->variant_count + 1, sizeof *plans);
    sm_status st = plans != NULL ? SM_OK : sm_fail_memory(err, 0, "what-ifs");
    for (size_t i = 0; st == SM_OK && i < options->variant_count; i++) {
        plans[i].asked = options->variants[i];
        st = sm_check_variant_make(d->job, d->table, d->out->salt.salts, d->arena, &plans[i], err);
    }
    d->out->variants = plans;
    return st;
}

sm_status sm_check_design_make(const sm_job *job, const sm_check_options *options, size_t table,
                               sm_arena *arena, sm_check_design *out, sm_error *err)
{
    designing d = {.job = job, .table = &job->tables[table], .arena = arena, .out = out};
    sm_decode_part *parts = NULL;
    *out = (sm_check_design){.judged = d.table->uid_rows == NULL};
    if (!out->judged) {
        return SM_OK;
    }
    sm_status st = sm_decode_parts_read(arena, d.table->key, &job->schema, &parts, &d.count, err);
    d.parts = parts;
    if (st == SM_OK) {
        st = find_lead(&d, err);
    }
    if (st == SM_OK) {
        st = find_salts(&d, err);
    }
    return st == SM_OK ? plan_variants(&d, options, err) : st;
}
