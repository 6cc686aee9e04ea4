/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill verify: a dataset against its manifest. */
#include "cli/cli.h"
#include "core/fs.h"

int sm_cmd_verify(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_verify_report report;
    sm_status st = sm_cli_one_argument(cli, "dataset", &err);
    if (st == SM_OK) {
        const unsigned threads = cli->threads != 0 ? cli->threads : sm_fs_cpu_count();
        st = sm_verify(cli->arguments.items[0], threads, &report, &err);
    }
    if (st != SM_OK) {
        return sm_cli_fail(cli, &err);
    }
    sm_out_text("%s: whole: %llu files, %llu cells, %llu bytes agree with the manifest\n",
                cli->arguments.items[0], (unsigned long long)report.files,
                (unsigned long long)report.cells, (unsigned long long)report.bytes);
    return SM_EXIT_OK;
}
