/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of a job compiled in its schema, with note of the fields that each one reads. */
#include "job/job_reader.h"
#include "job/query.h"

void sm_job_expr_context(const sm_job *job, const sm_job_table *table, sm_arena *arena,
                         const char *where, sm_expr_context *out)
{
    *out = (sm_expr_context){.arena = arena,
                             .schema = &job->schema,
                             .identity = job->identity,
                             .identity_count = job->identity_count,
                             .where = where,
                             .seed = job->seed,
                             .defines = job->defines,
                             .define_count = job->define_count,
                             .views = job->views,
                             .view_count = job->view_count,
                             .splits = table != NULL ? table->splits : NULL,
                             .uids = job->uids};
}

sm_status sm_job_compile_tracked(sm_job_reader *r, const sm_yaml_node *node, sm_expr_use use,
                                 const char *where, const sm_expr **out, const bool **used)
{
    sm_status st = sm_job_want(r, node, SM_YAML_SCALAR, where);
    if (st != SM_OK) {
        return st;
    }
    bool *flags = sm_arena_array(r->arena, r->field_count + 1, sizeof *flags);
    const char *place =
        sm_job_format(r, "%s:%u:%u: %s", r->job->path, node->line, node->column, where);
    if (flags == NULL || place == NULL) {
        return sm_job_no_memory(r);
    }
    sm_expr_context context;
    sm_job_expr_context(r->job, NULL, r->arena, place, &context);
    context.fields_used = flags;
    context.numbers_rows = &r->job->numbers_rows;
    context.splits = r->splits;
    st = sm_expr_compile(&context, use, sm_yaml_node_bytes(node), out, r->err);
    for (size_t i = 0; st == SM_OK && i < r->field_count; i++) {
        r->fields_used[i] = r->fields_used[i] || flags[i];
    }
    *used = flags;
    return st;
}

sm_status sm_job_compile(sm_job_reader *r, const sm_yaml_node *node, sm_expr_use use,
                         const char *where, const sm_expr **out)
{
    const bool *used = NULL;
    return sm_job_compile_tracked(r, node, use, where, out, &used);
}

/* A microsecond value read as milliseconds would mask every later write to its cell. */
sm_status sm_job_compile_timestamp(sm_job_reader *r, const sm_yaml_node *node, const char *where,
                                   const sm_expr **out)
{
    const bool *used = NULL;
    const sm_status st = sm_job_compile_tracked(r, node, SM_USE_TIMESTAMP, where, out, &used);
    for (size_t i = 0; st == SM_OK && i < r->field_count; i++) {
        const sm_field *f = &r->fields[i];
        if (used[i] && f->type == SM_TYPE_TIME && !(f->has_min && f->has_max)) {
            return sm_job_fail(
                r, node,
                "field %s becomes a cell timestamp, so it needs min and max (such as "
                "min: 2020-01-01, max: \"${date} + 2d\"): one time in the far future would "
                "hide all later writes to its cell",
                f->name);
        }
    }
    return st;
}
