/* SPDX-License-Identifier: Apache-2.0 */
/* The top of a job file: reads it, gives each part to its reader, lays the command line's options
 * over it and fills in what neither says. */
#include "core/fs.h"
#include "core/mem.h"
#include "core/number.h"
#include "job/job_owned.h"
#include "job/job_reader.h"

#include <stddef.h>
#include <string.h>

enum { JOB_FILE_MAX = 4 << 20 };

typedef struct top_nodes {
    const sm_yaml_node *input, *tables, *output, *limits, *uids, *seed, *define, *rule_file;
} top_nodes;

static const sm_bind TOP_RULES[] = {{.key = "input", .offset = offsetof(top_nodes, input)},
                                    {.key = "tables", .offset = offsetof(top_nodes, tables)},
                                    {.key = "output", .offset = offsetof(top_nodes, output)},
                                    {.key = "limits", .offset = offsetof(top_nodes, limits)},
                                    {.key = "uids", .offset = offsetof(top_nodes, uids)},
                                    {.key = "seed", .offset = offsetof(top_nodes, seed)},
                                    {.key = "define", .offset = offsetof(top_nodes, define)},
                                    {.key = "rule_file", .offset = offsetof(top_nodes, rule_file)}};

/* ---- output ---------------------------------------------------------------------------------- */

static sm_status read_output_format(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    const sm_status st = sm_job_text(r, value, "output.format", &r->job->output_format);
    if (st == SM_OK && sm_sink_format_named(sm_yaml_node_bytes(value)) == NULL) {
        return sm_job_fail(r, value, "output.format is \"%s\", but must be hfile", value->text);
    }
    return st;
}

static sm_status read_directory(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    return sm_job_text(r, value, "output.directory", &r->job->output);
}

static sm_status read_roll(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    return sm_job_size(r, value, "output.roll", &r->job->roll);
}

static const sm_bind OUTPUT_RULES[] = {{.key = "format", .read = read_output_format},
                                       {.key = "directory", .read = read_directory},
                                       {.key = "roll", .read = read_roll}};

/* ---- limits ---------------------------------------------------------------------------------- */

static sm_status read_rejects(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    const char *text = NULL;
    const sm_status st = sm_job_text(r, value, "limits.rejects", &text);
    if (st == SM_OK && !sm_reject_limit_parse(sm_yaml_node_bytes(value), &r->job->rejects)) {
        return sm_job_fail(r, value,
                           "limits.rejects is \"%s\", but must be a count or a percentage, such "
                           "as 100 or 0.5%%",
                           text);
    }
    return st;
}

static sm_status read_memory(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    return sm_job_size(r, value, "limits.memory", &r->job->memory);
}

static sm_status read_cell_limit(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    return sm_job_size(r, value, "limits.cell", &r->job->cell_limit);
}

static sm_status read_record_limit(sm_job_reader *r, const sm_yaml_node *value, void *target)
{
    (void)target;
    return sm_job_size(r, value, "limits.record", &r->job->record_limit);
}

static const sm_bind LIMIT_RULES[] = {{.key = "rejects", .read = read_rejects},
                                      {.key = "memory", .read = read_memory},
                                      {.key = "cell", .read = read_cell_limit},
                                      {.key = "record", .read = read_record_limit}};

/* ---- command line over job file over defaults ------------------------------------------------ */

static void set_defaults(sm_job *job)
{
    job->output_format = "hfile";
    job->roll = UINT64_C(10) << 30;
    job->cell_limit = UINT64_C(10) << 20;
    job->record_limit = UINT64_C(64) << 20;
}

static sm_status apply_limits(sm_job *job, const sm_job_options *o, sm_error *err)
{
    if (o->memory != NULL && !sm_parse_size(sm_bytes_text(o->memory), &job->memory)) {
        return sm_fail(err, SM_E_USAGE, "--memory %s: must be a size such as 1GiB or 512MiB",
                       o->memory);
    }
    if (o->rejects != NULL && !sm_reject_limit_parse(sm_bytes_text(o->rejects), &job->rejects)) {
        return sm_fail(err, SM_E_USAGE,
                       "--rejects %s: must be a count or a percentage such as 0.5%%", o->rejects);
    }
    if (job->memory == 0) {
        job->memory = sm_fs_memory_limit() / 2;
    }
    job->threads = o->threads != 0 ? o->threads : sm_fs_cpu_count();
    job->threads = job->threads > SM_THREADS_MAX ? SM_THREADS_MAX : job->threads;
    return SM_OK;
}

static sm_status check_sizes(const sm_job *job, sm_error *err)
{
    const uint64_t ceiling = UINT64_C(1) << 30;
    if (job->cell_limit == 0 || job->cell_limit > ceiling || job->record_limit == 0 ||
        job->record_limit > ceiling) {
        return sm_fail(err, SM_E_JOB,
                       "%s: limits.cell and limits.record must lie between 1 byte and 1GiB",
                       job->path);
    }
    if (job->roll == 0) {
        return sm_fail(err, SM_E_JOB, "%s: output.roll must not be 0", job->path);
    }
    return SM_OK;
}

static sm_status apply_options(sm_job_reader *r, const sm_job_options *o)
{
    sm_job *job = r->job;
    if (o->output != NULL) {
        job->output = o->output;
    }
    if (o->input_count != 0) {
        job->inputs = o->inputs;
        job->input_count = o->input_count;
    }
    if (!o->no_input && job->input_count == 0) {
        return sm_fail(r->err, SM_E_JOB, "%s: no input; list input.files or give --input",
                       job->path);
    }
    if (!o->no_output && (job->output == NULL || job->output[0] == '\0')) {
        return sm_fail(r->err, SM_E_JOB, "%s: no output; name output.directory or give --output",
                       job->path);
    }
    const sm_status st = apply_limits(job, o, r->err);
    return st == SM_OK ? check_sizes(job, r->err) : st;
}

static sm_status check_top(sm_job_reader *r, const sm_yaml_node *root, const top_nodes *top)
{
    if (top->input == NULL) {
        return sm_job_fail(r, root, "the job needs \"input\"");
    }
    if (top->tables == NULL) {
        return sm_job_fail(r, root, "the job needs \"tables\"");
    }
    return SM_OK;
}

/* A field is read when an expression or the identity names it. */
static void mark_used(sm_job_reader *r)
{
    for (size_t i = 0; i < r->job->identity_count; i++) {
        r->fields_used[r->job->identity[i]] = true;
    }
    for (size_t i = 0; i < r->field_count; i++) {
        r->fields[i].used = r->fields_used[i];
    }
}

/* 32 bits, as the hash that takes it has. */
static sm_status read_seed(sm_job_reader *r, const sm_yaml_node *node)
{
    int64_t seed = 0;
    const sm_status st = sm_job_int(r, node, "seed", 0, UINT32_MAX, &seed);
    r->job->seed = (uint64_t)seed;
    return st;
}

/* Names that expressions may use, before any expression is compiled. */
static sm_status read_names(sm_job_reader *r, const top_nodes *top, const sm_yaml_node **tables)
{
    sm_status st = sm_job_read_defines(r, top->input, top->define);
    if (st == SM_OK) {
        st = sm_job_read_input(r, top->input);
    }
    if (st == SM_OK) {
        st = sm_job_expand_presets(r, tables);
    }
    if (st == SM_OK) {
        st = sm_job_declare_tables(r, *tables);
    }
    return st == SM_OK ? sm_job_name_views(r, *tables) : st;
}

static sm_status read_parts(sm_job_reader *r, const top_nodes *top)
{
    const sm_yaml_node *tables = top->tables;
    sm_status st = top->uids == NULL ? SM_OK : sm_job_read_uids(r, top->uids);
    if (st == SM_OK && top->seed != NULL) {
        st = read_seed(r, top->seed);
    }
    if (st == SM_OK) {
        st = read_names(r, top, &tables);
    }
    if (st == SM_OK) {
        st = sm_job_finish_input(r);
    }
    if (st == SM_OK) {
        st = sm_job_read_tables(r, tables);
    }
    if (st == SM_OK && top->output != NULL) {
        st = sm_job_bind(r, top->output, "output", OUTPUT_RULES, 3, NULL);
    }
    if (st == SM_OK && top->limits != NULL) {
        st = sm_job_bind(r, top->limits, "limits", LIMIT_RULES, 4, NULL);
    }
    if (st == SM_OK && top->rule_file != NULL) {
        st = sm_job_text(r, top->rule_file, "rule_file", &r->job->rule_file);
    }
    if (st == SM_OK) {
        mark_used(r);
    }
    return st;
}

static sm_status read_job(sm_job_reader *r, sm_bytes text, sm_job_options *options)
{
    const sm_yaml_node *root = NULL;
    top_nodes top = {.input = NULL};
    sm_status st = sm_yaml_parse(r->arena, r->job->path, text, &options->settings, &root, r->err);
    if (st == SM_OK) {
        st = sm_job_bind(r, root, "the job", TOP_RULES, sizeof TOP_RULES / sizeof TOP_RULES[0],
                         &top);
    }
    if (st == SM_OK) {
        st = check_top(r, root, &top);
    }
    if (st == SM_OK) {
        st = read_parts(r, &top);
    }
    if (st == SM_OK) {
        st = apply_options(r, options);
    }
    return st == SM_OK ? sm_job_make_canonical(r) : st;
}

static sm_status load(const char *path, sm_job_options *options, sm_job_owned *owned, sm_error *err)
{
    sm_status st = sm_arena_new(64 << 10, &owned->arena, err);
    if (st != SM_OK) {
        return st;
    }
    owned->job.path = sm_arena_text(owned->arena, path, strlen(path));
    if (owned->job.path == NULL) {
        return sm_fail_memory(err, strlen(path), "the job file");
    }
    sm_bytes text;
    sm_error inner = {.code = SM_OK};
    if (sm_fs_read_whole(path, JOB_FILE_MAX, owned->arena, &text, &inner) != SM_OK) {
        return sm_fail(err, SM_E_JOB, "job file %s", inner.text);
    }
    set_defaults(&owned->job);
    sm_job_reader reader = {.arena = owned->arena, .job = &owned->job, .err = err};
    st = read_job(&reader, text, options);
    owned->job.notes = reader.notes;
    owned->job.note_count = reader.note_count;
    return st;
}

sm_status sm_job_load(const char *path, sm_job_options *options, sm_job **out, sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    sm_status st = sm_new(sizeof(sm_job_owned), "the job", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_job_owned *owned = p;
    st = load(path, options, owned, err);
    if (st != SM_OK) {
        sm_job_free(&owned->job);
        return st;
    }
    *out = &owned->job;
    return SM_OK;
}

void sm_job_free(sm_job *job)
{
    if (job == NULL) {
        return;
    }
    sm_job_owned *owned = sm_job_owned_of(job);
    for (size_t i = 0; i < owned->zone_count; i++) {
        sm_zone_free(owned->zones[i]);
    }
    sm_arena_free(owned->arena);
    sm_free(owned);
}
