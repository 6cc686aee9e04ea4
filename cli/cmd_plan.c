/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill plan: the scans that answer a query. Reads the job file, and no data. */
#include "cli/cli.h"
#include "job/plan_print.h"

static sm_status read_options(sm_cli *cli, sm_plan_print *out, sm_error *err)
{
    if (cli->latest != 0 && cli->limit != UINT64_MAX) {
        return sm_fail(err, SM_E_USAGE,
                       "--latest N is a limit, too: give one of --latest, --limit");
    }
    out->limit = cli->latest != 0 ? cli->latest : cli->limit == UINT64_MAX ? 0 : cli->limit;
    out->by_time = cli->newest || cli->latest != 0;
    out->allow_full = cli->full;
    if (cli->rule.count != 0 && cli->after != NULL && out->by_time) {
        return sm_fail(err, SM_E_USAGE,
                       "--after with --rule: rows of several key rules have no common order of "
                       "time to go on in; leave out --newest or --latest");
    }
    const sm_status st = sm_cli_columns(cli, &out->columns, &out->column_count, err);
    return st == SM_OK ? sm_cli_after(cli, &out->after, err) : st;
}

/* --newest and --latest promise an order that the key must have. */
static sm_status check_order(const sm_query *q, const sm_plan_print *o, sm_error *err)
{
    if (!o->by_time || q->plan->count == 0 || (q->plan->full && !o->allow_full) ||
        q->plan->time_order == SM_TIME_NEWEST_FIRST) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_USAGE,
                   "the newest rows do not come first in these scans: the key of table %s has no "
                   "reversed time (rev_ts, rev_ts_dec) right behind what the query gives; fix more "
                   "of the key's front, or let saltmill scan sort",
                   q->table->name);
}

static sm_status plan(sm_cli *cli, const sm_job *job, sm_buf *out, sm_error *err)
{
    sm_query query;
    sm_plan_print options = {0};
    sm_query_spec spec = {.table = cli->table,
                          .terms = cli->arguments.items + 1,
                          .term_count = cli->arguments.count - 1,
                          .where = cli->where,
                          .rules = cli->rule.items,
                          .rule_count = cli->rule.count};
    sm_status st = read_options(cli, &options, err);
    spec.by_time = options.by_time;
    if (st == SM_OK) {
        st = sm_query_make(job, &spec, cli->arena, &query, err);
    }
    if (st == SM_OK) {
        st = check_order(&query, &options, err);
    }
    if (st != SM_OK) {
        return st;
    }
    return cli->json ? sm_plan_print_json(&query, &options, out, err)
                     : sm_plan_print_text(&query, &options, out, err);
}

int sm_cmd_plan(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_job *job = NULL;
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = sm_cli_load_job(cli, &job, &err);
    if (st == SM_OK) {
        st = plan(cli, job, &text, &err);
    }
    if (st == SM_OK) {
        sm_out_bytes(sm_buf_view(&text));
    }
    sm_buf_free(&text);
    sm_job_free(job);
    return st == SM_OK ? SM_EXIT_OK : sm_cli_fail(cli, &err);
}
