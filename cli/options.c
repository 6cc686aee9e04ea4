/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: parsed by the tables options.def and commands.def, and the help made from them.
 */
#include "cli/cli.h"
#include "core/nearest.h"
#include "core/number.h"

#include <stdio.h>
#include <string.h>

typedef enum option_id {
#define SM_OPTION(member, name, argument, commands, help) OPTION_##member,
#include "cli/options.def"
#undef SM_OPTION
    OPTION_COUNT
} option_id;

typedef struct option_row {
    const char *name, *argument, *commands, *help;
} option_row;

static const option_row OPTIONS[OPTION_COUNT] = {
#define SM_OPTION(member, name, argument, commands, help) {name, argument, commands, help},
#include "cli/options.def"
#undef SM_OPTION
};

typedef struct command_row {
    const char *name, *arguments, *sentence;
} command_row;

static const command_row COMMANDS[] = {
#define SM_COMMAND(function, name, arguments, sentence) {name, arguments, sentence},
#include "cli/commands.def"
#undef SM_COMMAND
};

/* Whole word in a blank-separated list. */
static bool has_word(const char *list, const char *word)
{
    const size_t len = strlen(word);
    for (const char *p = strstr(list, word); p != NULL; p = strstr(p + 1, word)) {
        if ((p == list || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0')) {
            return true;
        }
    }
    return false;
}

static sm_status unknown_option(const sm_cli *cli, const char *name, size_t len, sm_error *err)
{
    sm_nearest near;
    sm_nearest_start(&near, sm_bytes_of(name, len));
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (has_word(OPTIONS[i].commands, cli->command)) {
            sm_nearest_offer(&near, OPTIONS[i].name);
        }
    }
    const char *best = sm_nearest_best(&near);
    if (best != NULL) {
        return sm_fail(err, SM_E_USAGE, "%s has no option --%.*s; did you mean --%s?", cli->command,
                       (int)len, name, best);
    }
    return sm_fail(err, SM_E_USAGE, "%s has no option --%.*s; saltmill %s --help lists them",
                   cli->command, (int)len, name, cli->command);
}

static int find_option(const sm_cli *cli, const char *name, size_t len)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (strlen(OPTIONS[i].name) == len && memcmp(OPTIONS[i].name, name, len) == 0 &&
            has_word(OPTIONS[i].commands, cli->command)) {
            return i;
        }
    }
    return -1;
}

static void add(sm_cli_list *list, const char *item)
{
    list->items[list->count++] = item;
}

sm_status sm_cli_number(const char *name, const char *text, uint64_t high, uint64_t *out,
                        sm_error *err)
{
    if (!sm_parse_uint(sm_bytes_text(text), out) || *out == 0 || *out > high) {
        return sm_fail(err, SM_E_USAGE, "--%s %s: must be a whole number from 1 to %llu", name,
                       text, (unsigned long long)high);
    }
    return SM_OK;
}

/* Options that are kept as they are given: once, or as often as they are. */
static bool take_text(sm_cli *cli, option_id id, const char *value)
{
    const char **const texts[OPTION_COUNT] = {
        [OPTION_output] = &cli->output,   [OPTION_memory] = &cli->memory,
        [OPTION_rejects] = &cli->rejects, [OPTION_table] = &cli->table,
        [OPTION_where] = &cli->where,     [OPTION_columns] = &cli->columns,
        [OPTION_after] = &cli->after,     [OPTION_dataset] = &cli->dataset,
        [OPTION_from] = &cli->from,       [OPTION_compare] = &cli->compare,
        [OPTION_format] = &cli->format,   [OPTION_sample] = &cli->sample,
        [OPTION_by] = &cli->by,           [OPTION_against] = &cli->against,
        [OPTION_write] = &cli->write,     [OPTION_splits] = &cli->splits,
        [OPTION_fail_on] = &cli->fail_on, [OPTION_salts] = &cli->salts,
        [OPTION_regions] = &cli->regions, [OPTION_write_rule] = &cli->write_rule,
        [OPTION_stable] = &cli->stable,
    };
    sm_cli_list *const lists[OPTION_COUNT] = {
        [OPTION_set] = &cli->set, [OPTION_input] = &cli->input, [OPTION_rule] = &cli->rule};
    if (texts[id] != NULL) {
        *texts[id] = value;
    } else if (lists[id] != NULL) {
        add(lists[id], value);
    }
    return texts[id] != NULL || lists[id] != NULL;
}

static sm_status take_valued(sm_cli *cli, option_id id, const char *value, sm_error *err)
{
    uint64_t number = 0;
    sm_status st = SM_OK;
    if (take_text(cli, id, value)) {
        return SM_OK;
    }
    switch (id) {
    case OPTION_threads:
        st = sm_cli_number("threads", value, SM_THREADS_MAX, &number, err);
        cli->threads = (unsigned)number;
        return st;
    case OPTION_versions: return sm_cli_number("versions", value, UINT32_MAX, &cli->versions, err);
    case OPTION_latest: return sm_cli_number("latest", value, UINT32_MAX, &cli->latest, err);
    case OPTION_limit: return sm_cli_number("limit", value, UINT64_MAX - 1, &cli->limit, err);
    default: return sm_fail(err, SM_E_INTERNAL, "option %d has no place", (int)id);
    }
}

static void take_switch(sm_cli *cli, option_id id)
{
    bool *const places[OPTION_COUNT] = {
        [OPTION_replace] = &cli->replace, [OPTION_print_job] = &cli->print_job,
        [OPTION_cells] = &cli->cells,     [OPTION_quiet] = &cli->quiet,
        [OPTION_verbose] = &cli->verbose, [OPTION_help] = &cli->help,
        [OPTION_version] = &cli->version, [OPTION_newest] = &cli->newest,
        [OPTION_full] = &cli->full,       [OPTION_hex] = &cli->hex,
        [OPTION_json] = &cli->json,       [OPTION_oldest] = &cli->oldest,
        [OPTION_merged] = &cli->merged,   [OPTION_superset] = &cli->superset,
        [OPTION_explain] = &cli->explain, [OPTION_new_rule] = &cli->new_rule,
    };
    if (places[id] != NULL) {
        *places[id] = true;
    }
}

/* argv[*i] begins with "--"; *i moves on when the value is the next word. */
static sm_status take_option(sm_cli *cli, int argc, char **argv, int *i, sm_error *err)
{
    const char *name = argv[*i] + 2;
    const size_t len = strcspn(name, "=");
    const int id = find_option(cli, name, len);
    if (id < 0) {
        return unknown_option(cli, name, len, err);
    }
    if (OPTIONS[id].argument == NULL) {
        if (name[len] == '=') {
            return sm_fail(err, SM_E_USAGE, "--%s takes no value", OPTIONS[id].name);
        }
        take_switch(cli, (option_id)id);
        return SM_OK;
    }
    if (name[len] == '=') {
        return take_valued(cli, (option_id)id, name + len + 1, err);
    }
    if (*i + 1 >= argc) {
        return sm_fail(err, SM_E_USAGE, "--%s needs a value: --%s %s", OPTIONS[id].name,
                       OPTIONS[id].name, OPTIONS[id].argument);
    }
    (*i)++;
    return take_valued(cli, (option_id)id, argv[*i], err);
}

static sm_status make_lists(sm_cli *cli, int argc, sm_error *err)
{
    sm_cli_list *const lists[] = {&cli->arguments, &cli->set, &cli->input, &cli->rule};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        lists[i]->items = sm_arena_array(cli->arena, (size_t)argc + 1, sizeof *lists[i]->items);
        if (lists[i]->items == NULL) {
            return sm_fail_memory(err, 0, "the command line");
        }
    }
    return SM_OK;
}

sm_status sm_cli_parse(sm_cli *cli, int argc, char **argv, sm_error *err)
{
    bool options_end = false;
    sm_status st = make_lists(cli, argc, err);
    for (int i = 0; st == SM_OK && i < argc; i++) {
        if (!options_end && strcmp(argv[i], "--") == 0) {
            options_end = true;
        } else if (!options_end && strncmp(argv[i], "--", 2) == 0) {
            st = take_option(cli, argc, argv, &i, err);
        } else if (!options_end && argv[i][0] == '-' && argv[i][1] != '\0') {
            st = sm_fail(err, SM_E_USAGE, "%s: there are no short options; saltmill %s --help",
                         argv[i], cli->command);
        } else {
            add(&cli->arguments, argv[i]);
        }
    }
    cli->log.level = cli->quiet ? SM_LOG_ERRORS : cli->verbose ? SM_LOG_VERBOSE : SM_LOG_NORMAL;
    return st;
}

/* ---- help ------------------------------------------------------------------------------------ */

static void help_all(void)
{
    sm_out_text("usage: saltmill COMMAND ARGUMENTS [OPTIONS]\n\n"
                "Turns CSV into sorted, compressed HFiles per region that HBase bulk-loads as they "
                "are.\n\n");
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        sm_out_text("  %-8s %-9s  %s\n", COMMANDS[i].name, COMMANDS[i].arguments,
                    COMMANDS[i].sentence);
    }
    sm_out_text(
        "\nsaltmill COMMAND --help lists a command's options; saltmill --version prints the "
        "version.\n\n"
        "exit status: 0 everything written; 3 written, some records rejected within the limit;\n"
        "1 failed (too many rejects among the reasons); 2 command line or job file; 4 input;\n"
        "5 output, disk or memory; 6 refused (something else is there); 130, 143 interrupted.\n");
}

static void help_option(const option_row *o)
{
    char left[64];
    (void)snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? " " : "",
                   o->argument ? o->argument : "");
    sm_out_text("  %-22s %s\n", left, o->help);
}

void sm_cli_help(const char *command)
{
    if (command == NULL) {
        help_all();
        return;
    }
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        if (strcmp(COMMANDS[i].name, command) == 0) {
            sm_out_text("usage: saltmill %s %s [OPTIONS]\n\n%s\n\n", command, COMMANDS[i].arguments,
                        COMMANDS[i].sentence);
        }
    }
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (has_word(OPTIONS[i].commands, command)) {
            help_option(&OPTIONS[i]);
        }
    }
}
