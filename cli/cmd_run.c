/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill run: the main job, and its account on the last lines of standard output. */
#include "cli/cli.h"

static void print_counts(const char *label, const sm_manifest_counts *c)
{
    sm_out_text("%s: %llu read = %llu accepted + %llu rejected + %llu filtered", label,
                (unsigned long long)c->read, (unsigned long long)c->accepted,
                (unsigned long long)c->rejected, (unsigned long long)c->filtered);
    if (c->out_of_range != 0) {
        sm_out_text(" (%llu out of the time range)", (unsigned long long)c->out_of_range);
    }
    sm_out_text("\n");
}

static bool is_of(const sm_manifest_file *file, const sm_manifest_table *t)
{
    bool family = false;
    for (size_t i = 0; i < t->family_count; i++) {
        family |= strcmp(file->family, t->families[i].name) == 0;
    }
    return family && strcmp(file->table, t->name) == 0;
}

static void print_table(const sm_manifest *m, const sm_manifest_table *t)
{
    sm_manifest_cells sum = {0};
    size_t files = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < t->family_count; i++) {
        sum.made += t->families[i].cells.made;
        sum.written += t->families[i].cells.written;
        sum.dropped += t->families[i].cells.dropped;
    }
    for (size_t i = 0; i < m->file_count; i++) {
        if (is_of(&m->files[i], t)) {
            files++;
            bytes += m->files[i].bytes;
        }
    }
    sm_out_text(
        "table %s: %llu row images, %llu rows; cells: %llu made = %llu written + %llu duplicates "
        "dropped; %zu files, %llu bytes\n",
        t->name, (unsigned long long)t->row_images, (unsigned long long)t->rows,
        (unsigned long long)sum.made, (unsigned long long)sum.written,
        (unsigned long long)sum.dropped, files, (unsigned long long)bytes);
}

static void print_rejects(const sm_run_report *report)
{
    const sm_manifest *m = &report->manifest;
    for (int code = 1; m->rejects_by_code != NULL && code < SM_REJECT_COUNT; code++) {
        if (m->rejects_by_code[code] != 0) {
            sm_out_text("rejected: %llu %s (%s)\n", (unsigned long long)m->rejects_by_code[code],
                        sm_reject_text((sm_reject)code), sm_reject_sentence((sm_reject)code));
        }
    }
    if (report->rejects != NULL) {
        sm_out_text("rejected records: %s\n", report->rejects);
    }
}

static void print_account(const sm_run_report *report)
{
    const sm_manifest *m = &report->manifest;
    for (size_t i = 0; i < m->input_count && m->input_count > 1; i++) {
        print_counts(m->inputs[i].path, &m->inputs[i].counts);
    }
    print_rejects(report);
    for (size_t i = 0; i < m->table_count; i++) {
        print_table(m, &m->tables[i]);
    }
    print_counts("records", &m->counts);
}

/* What is known of a run that failed: its rejects, and the records where their sum holds. A run
 * that stopped at a limit read on a little in records that it never judged. */
static void print_failed_account(const sm_run_report *report)
{
    const sm_manifest *m = &report->manifest;
    uint64_t rejected = 0;
    print_rejects(report);
    for (int code = 1; m->rejects_by_code != NULL && code < SM_REJECT_COUNT; code++) {
        rejected += m->rejects_by_code[code];
    }
    if (rejected != 0 && rejected == m->counts.rejected) {
        print_counts("records", &m->counts);
    }
}

static int report_run(const sm_cli *cli, const sm_run_report *report)
{
    const sm_manifest *m = &report->manifest;
    if (report->already_complete) {
        if (!cli->quiet) {
            sm_out_text("%s: already complete: it holds what this job makes of these inputs "
                        "(run_fingerprint %s)\n",
                        report->output, m->run_fingerprint);
        }
        return SM_EXIT_OK;
    }
    if (!cli->quiet) {
        print_account(report);
        sm_out_text("published: %s%s\n", report->output,
                    m->file_count == 0 ? " (empty: no record made a cell)" : "");
    }
    return m->counts.rejected == 0 ? SM_EXIT_OK : SM_EXIT_WITH_REJECTS;
}

static int run_job(sm_cli *cli, const sm_job *job)
{
    sm_error err = {.code = SM_OK};
    sm_run_report report;
    const sm_run_options options = {.replace = cli->replace,
                                    .against = cli->against,
                                    .new_rule = cli->new_rule,
                                    .log = &cli->log,
                                    .stop = cli->stop};
    int status;
    if (sm_run(job, &options, &report, &err) == SM_OK) {
        status = report_run(cli, &report);
    } else {
        if (!cli->quiet) {
            print_failed_account(&report);
        }
        status = sm_cli_fail(cli, &err);
    }
    sm_run_report_free(&report);
    return status;
}

/* The part that decides the data, as the run fingerprint has it, and behind it what only decides
 * how and where. */
static void print_job(const sm_job *job)
{
    sm_out_text("%s", job->canonical);
    for (size_t i = 0; i < job->input_count; i++) {
        sm_out_text("input.files = %s\n", job->inputs[i]);
    }
    sm_out_text("output.directory = %s\n", job->output);
    if (job->rule_file != NULL) {
        sm_out_text("rule_file = %s\n", job->rule_file);
    }
    if (job->rejects.is_percent) {
        sm_out_text("limits.rejects = %.6g%%\n", job->rejects.percent);
    } else {
        sm_out_text("limits.rejects = %llu\n", (unsigned long long)job->rejects.count);
    }
    sm_out_text("limits.cell = %llu\nlimits.record = %llu\nlimits.memory = %llu\nthreads = %u\n",
                (unsigned long long)job->cell_limit, (unsigned long long)job->record_limit,
                (unsigned long long)job->memory, job->threads);
}

int sm_cmd_run(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_job *job = NULL;
    if (sm_cli_load_job(cli, &job, &err) != SM_OK) {
        return sm_cli_fail(cli, &err);
    }
    int status = SM_EXIT_OK;
    if (cli->print_job) {
        print_job(job);
    } else {
        status = run_job(cli, job);
    }
    sm_job_free(job);
    return status;
}
