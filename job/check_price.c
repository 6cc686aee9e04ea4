/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the declared queries of all tables. */
#include "job/check_price.h"

static sm_status plan_one(const sm_job *job, size_t table, size_t i, sm_arena *arena,
                          sm_check_price *out, sm_error *err)
{
    const sm_job_table *t = &job->tables[table];
    const sm_job_query *q = &t->queries[i];
    const sm_query_spec spec = {.table = t->view, .terms = q->terms, .term_count = q->term_count};
    sm_error why = {.code = SM_OK};
    sm_query made;
    const sm_status st = sm_query_make(job, &spec, arena, &made, &why);
    if (st != SM_OK) {
        return sm_fail(err, st == SM_E_USAGE ? SM_E_JOB : st, "%s: %s.queries[%zu]: %s", job->path,
                       t->where, i, why.text);
    }
    *out = (sm_check_price){.table = table, .text = q->text, .plan = made.plan};
    return SM_OK;
}

sm_status sm_check_plan_queries(const sm_job *job, sm_arena *arena, sm_check_prices *out,
                                sm_error *err)
{
    size_t room = 1;
    for (size_t t = 0; t < job->table_count; t++) {
        room += job->tables[t].query_count;
    }
    sm_check_price *prices = sm_arena_array(arena, room, sizeof *prices);
    sm_check_query *ranges = sm_arena_array(arena, room, sizeof *ranges);
    *out = (sm_check_prices){.items = prices, .ranges = ranges};
    if (prices == NULL || ranges == NULL) {
        return sm_fail_memory(err, room * sizeof *prices, "the declared queries");
    }
    for (size_t t = 0; t < job->table_count; t++) {
        for (size_t i = 0; i < job->tables[t].query_count; i++) {
            sm_check_price *p = &prices[out->count];
            const sm_status st = plan_one(job, t, i, arena, p, err);
            if (st != SM_OK) {
                return st;
            }
            ranges[out->count++] =
                (sm_check_query){.table = t, .ranges = p->plan->ranges, .count = p->plan->count};
        }
    }
    return SM_OK;
}
