/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: the parsed command line and the way a command is called. A command gets
 * a sm_cli and returns an exit status; data and reports go to stdout, everything else to stderr. */
#ifndef SM_CLI_CLI_H
#define SM_CLI_CLI_H

#include "core/stop.h"
#include "job/saltmill.h"

enum { SM_EXIT_OK = 0, SM_EXIT_WITH_REJECTS = 3 };

typedef struct sm_cli_list {
    const char **items;
    size_t count;
} sm_cli_list;

typedef struct sm_cli {
    const char *command;   /* "run" */
    sm_cli_list arguments; /* what is no option */
    sm_cli_list set, input, rule;
    const char *output, *memory, *rejects;
    const char *table, *where, *columns, *after;
    uint64_t latest;  /* 0: not given */
    unsigned threads; /* 0: not given */
    uint64_t limit;   /* UINT64_MAX: not given */
    const char *dataset, *against, *write, *write_rule;
    const char *fail_on, *salts, *regions, *stable;
    uint64_t versions; /* 0: not given */
    const char *from, *compare, *format, *sample, *by, *splits;
    bool newest, oldest, merged, full, superset, explain, json, hex, new_rule;
    bool replace, print_job, cells, quiet, verbose, help, version;
    sm_arena *arena;
    sm_log log;
    sm_stop *stop;
} sm_cli;

/* Parses argv behind the command's name. SM_E_USAGE for anything the command does not take. */
sm_status sm_cli_parse(sm_cli *cli, int argc, char **argv, sm_error *err) SM_MUST_CHECK;
void sm_cli_help(const char *command); /* to stdout; NULL: all commands */

/* Job options from the command line; the job at the one argument, or the first where terms of a
 * query follow. */
sm_status sm_cli_load_job(sm_cli *cli, sm_job **out, sm_error *err) SM_MUST_CHECK;
/* One argument, named in the message when it is missing. */
sm_status sm_cli_one_argument(const sm_cli *cli, const char *what, sm_error *err) SM_MUST_CHECK;

/* Split keys of a file, which must be right as it stands: not even sorting is done to it. Lives in
 * cli->arena. */
sm_status sm_cli_split_file(const sm_cli *cli, const char *path, const sm_splits **out,
                            sm_error *err) SM_MUST_CHECK;

/* --columns "f:b,f" as a list; empty without the option. */
sm_status sm_cli_columns(const sm_cli *cli, const char *const **out, size_t *count, sm_error *err)
    SM_MUST_CHECK;
/* The value of --NAME, a whole number from 1 to `high`. */
sm_status sm_cli_number(const char *name, const char *text, uint64_t high, uint64_t *out,
                        sm_error *err) SM_MUST_CHECK;
/* --after as bytes; empty without the option. */
sm_status sm_cli_after(const sm_cli *cli, sm_bytes *out, sm_error *err) SM_MUST_CHECK;

/* stdout, buffered; the first failure sticks. */
void sm_out_text(const char *fmt, ...) SM_PRINTF(1, 2);
void sm_out_bytes(sm_bytes bytes);
/* Flushes; a delayed write error (a full disk, a closed pipe) is SM_E_OUTPUT. */
sm_status sm_out_finish(sm_error *err) SM_MUST_CHECK;

/* Prints the error and gives its exit status; interruptions give 128 + signal. */
int sm_cli_fail(const sm_cli *cli, const sm_error *err);

#define SM_COMMAND(function, name, arguments, sentence) int sm_cmd_##function(sm_cli *cli);
#include "cli/commands.def"
#undef SM_COMMAND

#endif
