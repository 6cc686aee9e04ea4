/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output for reports and data, and errors as the user sees them. */
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

void sm_out_text(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vprintf(fmt, args);
    va_end(args);
}

void sm_out_bytes(sm_bytes bytes)
{
    if (bytes.len != 0) {
        (void)fwrite(bytes.data, 1, bytes.len, stdout);
    }
}

sm_status sm_out_finish(sm_error *err)
{
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        return sm_fail_errno(err, SM_E_OUTPUT, errno, "standard output");
    }
    return SM_OK;
}

int sm_cli_fail(const sm_cli *cli, const sm_error *err)
{
    sm_log_error(&cli->log, "%s", err->text);
    if (err->code == SM_E_INTERRUPTED) {
        const int asked = cli->stop == NULL ? 0 : sm_stop_asked(cli->stop);
        return 128 + (asked > 0 ? asked : SIGINT);
    }
    return sm_status_exit(err->code);
}
