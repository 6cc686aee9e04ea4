/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill check: judges a job's keys on its input, before anything is loaded. */
#include "cli/cli.h"
#include "core/number.h"
#include "job/check_print.h"
#include "job/rule_check.h"

#include <string.h>

enum { NUMBERS_MAX = SM_CHECK_VARIANTS };

/* ---- options --------------------------------------------------------------------------------- */

/* "10%" is a share of the input, "1000" the first so many records. */
static sm_status read_sample(const char *text, sm_check_options *out, sm_error *err)
{
    double percent = 0;
    const size_t len = text == NULL ? 0 : strlen(text);
    if (text == NULL) {
        return SM_OK;
    }
    if (len > 1 && text[len - 1] == '%') {
        if (sm_parse_decimal(sm_bytes_of(text, len - 1), &percent) && percent > 0 &&
            percent <= 100) {
            out->share = percent / 100;
            return SM_OK;
        }
    } else if (sm_parse_uint(sm_bytes_text(text), &out->records) && out->records > 0) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_USAGE,
                   "--sample %s: must be a share such as 10%%, or a number of records from 1 on",
                   text);
}

/* "10,100,300" */
static sm_status read_numbers(const char *option, const char *text, uint64_t *out, size_t *count,
                              sm_error *err)
{
    const char *p = text;
    *count = 0;
    while (p != NULL) {
        const size_t len = strcspn(p, ",");
        if (*count == NUMBERS_MAX || !sm_parse_uint(sm_bytes_of(p, len), &out[*count]) ||
            out[*count] == 0 || out[*count] > SM_SPLITS_MOST_REGIONS) {
            return sm_fail(err, SM_E_USAGE,
                           "--%s %s: must be up to %d whole numbers from 1 to %d with commas "
                           "between them, such as 10,100,300",
                           option, text, (int)NUMBERS_MAX, (int)SM_SPLITS_MOST_REGIONS);
        }
        (*count)++;
        p = p[len] == ',' ? p + len + 1 : NULL;
    }
    return SM_OK;
}

/* Each number of salts with each number of regions; 0 where only the other was given. */
static sm_status read_variants(const sm_cli *cli, sm_check_variant *variants, size_t *count,
                               sm_error *err)
{
    uint64_t salts[NUMBERS_MAX] = {0};
    uint64_t regions[NUMBERS_MAX] = {0};
    size_t salt_count = 0;
    size_t region_count = 0;
    sm_status st = read_numbers("salts", cli->salts, salts, &salt_count, err);
    if (st == SM_OK) {
        st = read_numbers("regions", cli->regions, regions, &region_count, err);
    }
    *count = 0;
    if (st != SM_OK || salt_count + region_count == 0) {
        return st;
    }
    salt_count = salt_count == 0 ? 1 : salt_count;
    region_count = region_count == 0 ? 1 : region_count;
    if (salt_count * region_count > SM_CHECK_VARIANTS) {
        return sm_fail(err, SM_E_USAGE,
                       "--salts and --regions make %zu variants; at most %d are compared at a time",
                       salt_count * region_count, (int)SM_CHECK_VARIANTS);
    }
    for (size_t i = 0; i < salt_count * region_count; i++) {
        variants[i] = (sm_check_variant){salts[i / region_count], regions[i % region_count]};
    }
    *count = salt_count * region_count;
    return SM_OK;
}

static sm_status read_fail_on(const char *text, sm_severity *out, sm_error *err)
{
    *out = text == NULL ? SM_SEVERITY_ERROR : sm_severity_named(text);
    if (*out == SM_SEVERITY_COUNT && strcmp(text, "never") != 0) {
        return sm_fail(err, SM_E_USAGE, "--fail-on %s: must be note, warning, error or never",
                       text);
    }
    return SM_OK;
}

static sm_status read_stable(const char *text, const sm_job *job, size_t *out, sm_error *err)
{
    const int field = text == NULL ? -1 : sm_schema_find(&job->schema, sm_bytes_text(text));
    *out = (size_t)(field + 1);
    if (text == NULL || field >= 0) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_USAGE,
                   "--stable %s: the job has no field of that name; name one below input.fields",
                   text);
}

/* ---- the command ----------------------------------------------------------------------------- */

static sm_status judge(const sm_findings *findings, sm_severity least, sm_error *err)
{
    size_t count = 0;
    for (int s = (int)least; s < SM_SEVERITY_COUNT; s++) {
        count += findings->by_severity[s];
    }
    if (count == 0) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_FINDINGS, "%zu finding%s of severity %s%s; see the report", count,
                   count == 1 ? "" : "s", sm_severity_text(least),
                   least == SM_SEVERITY_ERROR ? "" : " or graver");
}

static sm_status print(sm_cli *cli, const sm_check_result *result, const sm_findings *findings,
                       sm_error *err)
{
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    const sm_status st = cli->json ? sm_check_print_json(result, findings, &text, err)
                                   : sm_check_print_text(result, findings, &text, err);
    if (st == SM_OK) {
        sm_out_bytes(sm_buf_view(&text));
    }
    sm_buf_free(&text);
    return st;
}

static sm_status write_rule(const sm_cli *cli, const sm_job *job, sm_error *err)
{
    bool written = false;
    const sm_status st = sm_rule_write(job, cli->write_rule, cli->new_rule, &written, err);
    if (st == SM_OK) {
        sm_log_info(&cli->log, written ? "written: %s" : "%s: holds these key rules already",
                    cli->write_rule);
    }
    return st;
}

static sm_status check(sm_cli *cli, const sm_job *job, sm_check_report *report, sm_error *err)
{
    sm_check_variant variants[SM_CHECK_VARIANTS];
    sm_check_options options = {.variants = variants, .log = &cli->log, .stop = cli->stop};
    sm_check_result result = {.job = job, .report = report};
    sm_severity least = SM_SEVERITY_ERROR;
    sm_findings findings;
    sm_status st = read_sample(cli->sample, &options, err);
    if (st == SM_OK) {
        st = read_variants(cli, variants, &options.variant_count, err);
    }
    if (st == SM_OK) {
        st = read_fail_on(cli->fail_on, &least, err);
    }
    if (st == SM_OK) {
        st = read_stable(cli->stable, job, &options.stable, err);
    }
    if (st == SM_OK) {
        st = sm_check_plan_queries(job, cli->arena, &result.prices, err);
    }
    options.queries = result.prices.ranges;
    options.query_count = result.prices.count;
    if (st == SM_OK) {
        st = sm_check(job, &options, report, err);
    }
    if (st == SM_OK) {
        st = sm_check_judge(&result, cli->arena, &findings, err);
    }
    if (st == SM_OK) {
        st = print(cli, &result, &findings, err);
    }
    if (st == SM_OK) {
        st = judge(&findings, least, err);
    }
    return st == SM_OK && cli->write_rule != NULL ? write_rule(cli, job, err) : st;
}

int sm_cmd_check(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_job *job = NULL;
    sm_check_report report = {0};
    sm_status st = sm_cli_load_job(cli, &job, &err);
    if (st == SM_OK) {
        st = check(cli, job, &report, &err);
    }
    sm_check_report_free(&report);
    sm_job_free(job);
    return st == SM_OK ? SM_EXIT_OK : sm_cli_fail(cli, &err);
}
