/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill rule: a job's key rules for version control, printed, written or compared. */
#include "cli/cli.h"
#include "job/rule_check.h"

static sm_status print_rules(const sm_cli *cli, const sm_job *job, sm_error *err)
{
    sm_rules rules;
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = sm_rules_of_job(job, cli->arena, &rules, err);
    if (st == SM_OK) {
        st = sm_rules_print(&rules, &text, err);
    }
    if (st == SM_OK) {
        sm_out_bytes(sm_buf_view(&text));
    }
    sm_buf_free(&text);
    return st;
}

static sm_status write_rules(const sm_cli *cli, const sm_job *job, sm_error *err)
{
    bool written = false;
    const sm_status st = sm_rule_write(job, cli->write, cli->new_rule, &written, err);
    if (st == SM_OK && !cli->quiet) {
        sm_out_text(written ? "written: %s\n" : "%s: holds these key rules already\n", cli->write);
    }
    return st;
}

static sm_status compare_rules(const sm_cli *cli, const sm_job *job, sm_error *err)
{
    const sm_status st = sm_rule_check(job, cli->against, err);
    if (st == SM_OK && !cli->quiet) {
        sm_out_text("%s: holds the key rules of this job\n", cli->against);
    }
    return st;
}

static sm_status do_rule(const sm_cli *cli, const sm_job *job, sm_error *err)
{
    sm_status st = SM_OK;
    if (cli->against != NULL) {
        st = compare_rules(cli, job, err);
    }
    if (st == SM_OK && cli->write != NULL) {
        st = write_rules(cli, job, err);
    }
    return st == SM_OK && cli->against == NULL && cli->write == NULL ? print_rules(cli, job, err)
                                                                     : st;
}

int sm_cmd_rule(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_job *job = NULL;
    sm_status st = sm_cli_load_job(cli, &job, &err);
    if (st == SM_OK) {
        st = do_rule(cli, job, &err);
    }
    sm_job_free(job);
    return st == SM_OK ? SM_EXIT_OK : sm_cli_fail(cli, &err);
}
