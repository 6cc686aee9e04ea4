/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill splits: split keys of a job, of its input or of a file, printed or compared. */
#include "cli/cli.h"
#include "job/query.h"
#include "job/split_pass.h"
#include "partitioner/split_compare.h"
#include "partitioner/split_print.h"

#include <string.h>

typedef struct splits_command {
    sm_cli *cli;
    sm_job *job;
    const char *name; /* where the keys are from, for messages */
    sm_split_format format;
    uint64_t regions; /* --regions; 0: not given */
    sm_buf text;
} splits_command;

/* ---- --sample -------------------------------------------------------------------------------- */

/* A number of rows, a share of them, or "auto". */
static sm_status read_size(const char *text, sm_split_pass *pass, sm_error *err)
{
    sm_reject_limit size = {0};
    pass->rows = SM_SPLIT_SAMPLE_ROWS;
    pass->fraction = 1;
    if (strcmp(text, "auto") == 0) {
        return SM_OK;
    }
    const bool good = sm_reject_limit_parse(sm_bytes_text(text), &size) &&
                      (size.is_percent ? size.percent > 0 && size.percent <= 100
                                       : size.count > 0 && size.count <= SM_SPLIT_SAMPLE_MOST);
    if (!good) {
        return sm_fail(err, SM_E_USAGE,
                       "--sample %s: must be auto, a number of rows from 1 to %d, or a percentage "
                       "such as 1%%",
                       text, SM_SPLIT_SAMPLE_MOST);
    }
    pass->rows = size.is_percent ? SM_SPLIT_SAMPLE_MOST : (size_t)size.count;
    pass->fraction = size.is_percent ? size.percent / 100 : 1;
    return SM_OK;
}

static sm_status sample(const splits_command *c, const sm_job_table *table, const sm_splits **out,
                        sm_error *err)
{
    sm_split_pass pass = {.job = c->job,
                          .table = table->name,
                          .regions = c->regions != 0 ? (size_t)c->regions
                                                     : sm_splits_regions(table->splits),
                          .by_bytes = c->cli->by != NULL && strcmp(c->cli->by, "bytes") == 0,
                          .stop = c->cli->stop,
                          .log = &c->cli->log};
    const sm_status st = read_size(c->cli->sample, &pass, err);
    if (st != SM_OK) {
        return st;
    }
    if (pass.regions == 1 && c->regions == 0) {
        return sm_fail(err, SM_E_USAGE,
                       "the job has no splits that would say into how many regions to cut table "
                       "%s: --regions N",
                       table->name);
    }
    if (table->uid_rows != NULL) {
        return sm_fail(err, SM_E_USAGE,
                       "table %s is filled from dictionaries, not from records; there is no input "
                       "to sample",
                       table->name);
    }
    return sm_split_pass_run(&pass, c->cli->arena, out, err);
}

/* ---- where split keys come from -------------------------------------------------------------- */

static sm_status read_job(splits_command *c, const sm_splits **out, sm_error *err)
{
    const sm_job_table *table = NULL;
    sm_status st = sm_cli_load_job(c->cli, &c->job, err);
    if (st == SM_OK) {
        st = sm_query_first_table(c->job, c->cli->table, &table, err);
    }
    if (st != SM_OK) {
        return st;
    }
    c->name = c->job->path;
    if (c->cli->sample != NULL) {
        return sample(c, table, out, err);
    }
    *out = table->splits;
    if (table->splits->count == 0) {
        sm_log_warning(&c->cli->log, "%s: table %s has no split keys: it is one region",
                       c->job->path, table->name);
    }
    return SM_OK;
}

static sm_status check_sample_options(splits_command *c, sm_error *err)
{
    const sm_cli *cli = c->cli;
    if (cli->sample == NULL && (cli->regions != NULL || cli->by != NULL)) {
        return sm_fail(err, SM_E_USAGE, "--%s needs --sample, which says that keys are sampled",
                       cli->regions != NULL ? "regions" : "by");
    }
    if (cli->by != NULL && strcmp(cli->by, "rows") != 0 && strcmp(cli->by, "bytes") != 0) {
        return sm_fail(err, SM_E_USAGE, "--by %s: regions can hold equal rows or bytes", cli->by);
    }
    if (cli->sample != NULL && cli->from != NULL) {
        return sm_fail(err, SM_E_USAGE,
                       "--sample takes keys from a job's input, --from from a file; leave one out");
    }
    return cli->regions == NULL
               ? SM_OK
               : sm_cli_number("regions", cli->regions, SM_SPLITS_MOST_REGIONS, &c->regions, err);
}

static sm_status check_options(splits_command *c, sm_error *err)
{
    const sm_cli *cli = c->cli;
    const sm_status st = check_sample_options(c, err);
    if (st != SM_OK) {
        return st;
    }
    if (cli->from != NULL && (cli->arguments.count != 0 || cli->table != NULL)) {
        return sm_fail(err, SM_E_USAGE,
                       "--from takes the split keys from a file and not from a job; leave out %s",
                       cli->table != NULL ? "--table" : cli->arguments.items[0]);
    }
    if (cli->compare != NULL && cli->format != NULL) {
        return sm_fail(err, SM_E_USAGE,
                       "--format says how split keys are printed, but --compare prints what "
                       "differs; leave one of them out");
    }
    if (cli->format != NULL && !sm_split_format_named(cli->format, &c->format)) {
        return sm_fail(err, SM_E_USAGE,
                       "--format %s: there are the formats escaped, hex, shell and json",
                       cli->format);
    }
    return SM_OK;
}

static sm_status compare(splits_command *c, const sm_splits *from, sm_error *err)
{
    const sm_splits *to = NULL;
    sm_split_difference d;
    const char *other = c->cli->compare;
    sm_status st = sm_cli_split_file(c->cli, other, &to, err);
    if (st == SM_OK) {
        st = sm_splits_compare(from, to, &c->text, &d, err);
    }
    if (st != SM_OK) {
        return st;
    }
    sm_out_bytes(sm_buf_view(&c->text));
    if (d.removed == 0 && d.added == 0) {
        sm_out_text("equal: %zu regions\n", sm_splits_regions(from));
        return SM_OK;
    }
    return sm_fail(
        err, SM_E_DIFFERENT,
        "%s and %s differ: %zu of %zu regions stay as they are; split keys that go: %zu, "
        "that come: %zu",
        c->name, other, d.kept_regions, sm_splits_regions(from), d.removed, d.added);
}

static sm_status splits(splits_command *c, sm_error *err)
{
    const sm_splits *keys = NULL;
    sm_status st = check_options(c, err);
    if (st == SM_OK) {
        c->name = c->cli->from;
        st = c->cli->from != NULL ? sm_cli_split_file(c->cli, c->cli->from, &keys, err)
                                  : read_job(c, &keys, err);
    }
    if (st != SM_OK || c->cli->compare != NULL) {
        return st == SM_OK ? compare(c, keys, err) : st;
    }
    st = sm_splits_print(keys, c->format, &c->text, err);
    if (st == SM_OK) {
        sm_out_bytes(sm_buf_view(&c->text));
    }
    return st;
}

int sm_cmd_splits(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    splits_command c = {.cli = cli, .format = SM_SPLIT_ESCAPED};
    sm_buf_init(&c.text, SIZE_MAX / 4);
    const sm_status st = splits(&c, &err);
    sm_buf_free(&c.text);
    sm_job_free(c.job);
    return st == SM_OK ? SM_EXIT_OK : sm_cli_fail(cli, &err);
}
