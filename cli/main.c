/* SPDX-License-Identifier: Apache-2.0 */
/* Entry: finds the command, installs the signal handlers, turns the result into an exit status. The
 * only place that may exit, and the only one that reads the environment (failure injection in test
 * builds). */
#include "cli/cli.h"
#include "core/fault.h"
#include "core/fs.h"
#include "core/nearest.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A handler cannot be given an argument, so this one pointer target is global. */
static sm_stop signal_stop;

static void on_signal(int number)
{
    sm_stop_set(&signal_stop, number);
}

static void install_handlers(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    /* A reader that went away shows as a write error instead. */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, NULL);
}

typedef struct command_entry {
    const char *name;
    int (*run)(sm_cli *cli);
} command_entry;

static const command_entry COMMANDS[] = {
#define SM_COMMAND(function, name, arguments, sentence) {name, sm_cmd_##function},
#include "cli/commands.def"
#undef SM_COMMAND
};

static const command_entry *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        if (strcmp(COMMANDS[i].name, name) == 0) {
            return &COMMANDS[i];
        }
    }
    return NULL;
}

static sm_status unknown_command(const char *name, sm_error *err)
{
    sm_nearest near;
    sm_nearest_start(&near, sm_bytes_text(name));
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        sm_nearest_offer(&near, COMMANDS[i].name);
    }
    const char *best = sm_nearest_best(&near);
    return best != NULL ? sm_fail(err, SM_E_USAGE,
                                  "there is no command \"%s\"; did you mean \"%s\"?", name, best)
                        : sm_fail(err, SM_E_USAGE,
                                  "there is no command \"%s\"; saltmill --help lists them", name);
}

static int finish(const sm_cli *cli, int status)
{
    sm_error err = {.code = SM_OK};
    if (sm_out_finish(&err) != SM_OK) {
        const int failed = sm_cli_fail(cli, &err);
        return status == SM_EXIT_OK ? failed : status;
    }
    return status;
}

static int run_command(sm_cli *cli, int argc, char **argv)
{
    sm_error err = {.code = SM_OK};
    const command_entry *command = find_command(argv[1]);
    if (command == NULL) {
        (void)unknown_command(argv[1], &err);
        return sm_cli_fail(cli, &err);
    }
    cli->command = command->name;
    cli->log.command = command->name;
    if (sm_arena_new(16 << 10, &cli->arena, &err) != SM_OK ||
        sm_cli_parse(cli, argc - 2, argv + 2, &err) != SM_OK) {
        return sm_cli_fail(cli, &err);
    }
    if (cli->help) {
        sm_cli_help(cli->command);
        return SM_EXIT_OK;
    }
    return command->run(cli);
}

static int run(sm_cli *cli, int argc, char **argv)
{
    sm_error err = {.code = SM_OK};
    const char *fault = getenv("SALTMILL_FAULT");
    if (fault != NULL) {
        (void)sm_fault_plan(fault);
    }
    if (argc < 2) {
        (void)sm_fail(&err, SM_E_USAGE, "a command is needed; saltmill --help lists them");
        return sm_cli_fail(cli, &err);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        sm_cli_help(NULL);
        return SM_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        sm_out_text("saltmill %s\n", SM_VERSION);
        return SM_EXIT_OK;
    }
    return run_command(cli, argc, argv);
}

int main(int argc, char **argv)
{
    sm_cli cli = {.limit = UINT64_MAX, .log = {.level = SM_LOG_NORMAL}, .stop = &signal_stop};
    sm_fs_hold_standard_streams();
    install_handlers();
    const int status = finish(&cli, run(&cli, argc, argv));
    sm_arena_free(cli.arena);
    return status;
}
