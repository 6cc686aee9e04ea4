/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill ddl: the create statements of a job's tables. */
#include "cli/cli.h"

int sm_cmd_ddl(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_job *job = NULL;
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = sm_cli_load_job(cli, &job, &err);
    if (st == SM_OK) {
        st = sm_ddl(job, &text, &err);
    }
    if (st == SM_OK) {
        sm_out_bytes(sm_buf_view(&text));
    }
    sm_buf_free(&text);
    sm_job_free(job);
    return st == SM_OK ? SM_EXIT_OK : sm_cli_fail(cli, &err);
}
