/* SPDX-License-Identifier: Apache-2.0 */
/* Options that plan and scan read alike. */
#include "cli/cli.h"
#include "core/escape.h"

#include <string.h>

sm_status sm_cli_columns(const sm_cli *cli, const char *const **out, size_t *count, sm_error *err)
{
    const char *text = cli->columns;
    size_t most = 1;
    *count = 0;
    for (const char *p = text; p != NULL && *p != '\0'; p++) {
        most += *p == ',';
    }
    const char **list = sm_arena_array(cli->arena, most, sizeof *list);
    *out = list;
    if (list == NULL) {
        return sm_fail_memory(err, 0, "the command line");
    }
    while (text != NULL) {
        const size_t len = strcspn(text, ",");
        if (len == 0) {
            return sm_fail(err, SM_E_USAGE, "--columns %s: expected FAMILY:QUALIFIER,...",
                           cli->columns);
        }
        list[*count] = sm_arena_text(cli->arena, text, len);
        if (list[(*count)++] == NULL) {
            return sm_fail_memory(err, 0, "the command line");
        }
        text = text[len] == ',' ? text + len + 1 : NULL;
    }
    return SM_OK;
}

sm_status sm_cli_after(const sm_cli *cli, sm_bytes *out, sm_error *err)
{
    size_t len = 0;
    size_t bad_at = 0;
    *out = (sm_bytes){0};
    if (cli->after == NULL) {
        return SM_OK;
    }
    const sm_bytes in = sm_bytes_text(cli->after);
    uint8_t *row = sm_arena_get(cli->arena, in.len + 1);
    if (row == NULL) {
        return sm_fail_memory(err, in.len, "the command line");
    }
    if (sm_unescape(in, row, &len, &bad_at) != SM_UNESCAPE_OK) {
        return sm_fail(err, SM_E_USAGE,
                       "--after %s: byte %zu is no part of a printed row; expected text with \\xHH "
                       "in upper case, as the HBase shell prints rows",
                       cli->after, bad_at + 1);
    }
    *out = sm_bytes_of(row, len);
    return SM_OK;
}
