/* SPDX-License-Identifier: Apache-2.0 */
/* From the command line to a loaded job. */
#include "cli/cli.h"

#include <string.h>

sm_status sm_cli_one_argument(const sm_cli *cli, const char *what, sm_error *err)
{
    if (cli->arguments.count == 1) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_USAGE, "%s takes one %s, but %zu were given; saltmill %s --help",
                   cli->command, what, cli->arguments.count, cli->command);
}

static sm_status parse_settings(const sm_cli *cli, sm_settings *out, sm_error *err)
{
    out->items = sm_arena_array(cli->arena, cli->set.count + 1, sizeof *out->items);
    if (out->items == NULL) {
        return sm_fail_memory(err, 0, "the command line");
    }
    for (size_t i = 0; i < cli->set.count; i++) {
        const char *text = cli->set.items[i];
        const char *equals = strchr(text, '=');
        if (equals == NULL || equals == text) {
            return sm_fail(err, SM_E_USAGE, "--set %s: must be NAME=VALUE", text);
        }
        const char *name = sm_arena_text(cli->arena, text, (size_t)(equals - text));
        if (name == NULL) {
            return sm_fail_memory(err, 0, "the command line");
        }
        for (size_t k = 0; k < out->count; k++) {
            if (strcmp(out->items[k].name, name) == 0) {
                return sm_fail(err, SM_E_USAGE, "--set %s is given twice", name);
            }
        }
        out->items[out->count++] = (sm_setting){.name = name, .value = equals + 1};
    }
    return SM_OK;
}

/* Terms of a query may follow the job file. */
static bool takes_terms(const char *command)
{
    return strcmp(command, "plan") == 0 || strcmp(command, "scan") == 0;
}

/* Commands about keys need the rule alone, unless they sample. */
static bool reads_input(const sm_cli *cli)
{
    const char *command = cli->command;
    return strcmp(command, "key") != 0 && strcmp(command, "rule") != 0 && !takes_terms(command) &&
           (strcmp(command, "splits") != 0 || cli->sample != NULL);
}

static bool writes_output(const char *command)
{
    return strcmp(command, "run") == 0;
}

sm_status sm_cli_load_job(sm_cli *cli, sm_job **out, sm_error *err)
{
    sm_job_options options = {.inputs = (const char *const *)cli->input.items,
                              .input_count = cli->input.count,
                              .output = cli->output,
                              .memory = cli->memory,
                              .rejects = cli->rejects,
                              .threads = cli->threads,
                              .no_output = !writes_output(cli->command),
                              .no_input = !reads_input(cli)};
    sm_status st = takes_terms(cli->command) && cli->arguments.count > 1
                       ? SM_OK
                       : sm_cli_one_argument(cli, "job file", err);
    if (st == SM_OK) {
        st = parse_settings(cli, &options.settings, err);
    }
    if (st == SM_OK) {
        st = sm_job_load(cli->arguments.items[0], &options, out, err);
    }
    for (size_t i = 0; st == SM_OK && i < (*out)->note_count; i++) {
        sm_log_warning(&cli->log, "%s", (*out)->notes[i]);
    }
    return st;
}

sm_status sm_cli_split_file(const sm_cli *cli, const char *path, const sm_splits **out,
                            sm_error *err)
{
    const sm_split_spec spec = {
        .kind = SM_SPLITS_FILE, .where = path, .path = path, .hex = cli->hex, .ordered = true};
    const sm_status st = sm_splits_make(cli->arena, &spec, out, err);
    for (size_t i = 0; st == SM_OK && i < (*out)->note_count; i++) {
        sm_log_warning(&cli->log, "%s", (*out)->notes[i]);
    }
    return st;
}
