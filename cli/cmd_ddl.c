/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill ddl: the create statements of a job's tables. */
#include "cli/cli.h"
#include "formats/dataset.h"

static sm_status ddl(const sm_cli *cli, const sm_job *job, sm_buf *text, sm_error *err)
{
    sm_manifest manifest;
    sm_ddl_options options = {.table = cli->table};
    sm_status st = SM_OK;
    if (cli->dataset != NULL) {
        const char *path = sm_path_join(cli->arena, cli->dataset, SM_MANIFEST_NAME);
        st = path == NULL ? sm_fail_memory(err, 0, "the command line")
                          : sm_manifest_read(path, cli->arena, &manifest, err);
        options.dataset = &manifest;
    }
    if (st == SM_OK && cli->splits != NULL) {
        st = sm_cli_split_file(cli, cli->splits, &options.splits, err);
    }
    return st == SM_OK ? sm_ddl(job, &options, text, err) : st;
}

int sm_cmd_ddl(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_job *job = NULL;
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = sm_cli_load_job(cli, &job, &err);
    if (st == SM_OK) {
        st = ddl(cli, job, &text, &err);
    }
    if (st == SM_OK) {
        sm_out_bytes(sm_buf_view(&text));
    }
    sm_buf_free(&text);
    sm_job_free(job);
    return st == SM_OK ? SM_EXIT_OK : sm_cli_fail(cli, &err);
}
