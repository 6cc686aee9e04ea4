/* SPDX-License-Identifier: Apache-2.0 */
/* The library's face: a job run from C, and the promise that rows cost no allocation. */
#include "core/fs.h"
#include "core/mem.h"
#include "job/saltmill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
    char folder[64];
    char job[128], input[128], output[128];
} fixture;

static const char JOB[] =
    "input:\n"
    "  files: [\"%s\"]\n"
    "  fields:\n"
    "    t: {type: time, format: \"%%Y-%%m-%%d %%H:%%M:%%S\", min: 2020-01-01, max: 2022-01-01}\n"
    "    n: {type: int}\n"
    "tables:\n"
    "  - name: calls\n"
    "    key: salt(30, k) + pad(k, 12) + rev_ts(t) + left(hex(md5(note)), 4)\n"
    "    splits: {salt: 30, regions: 3}\n"
    "    timestamp: t\n"
    "    families: {f: {compression: ZSTD, zstd_framing: hbase}, g: {}}\n"
    "    cells: {\"f:n\": int32be(n), \"g:note\": note}\n"
    "output: {directory: \"%s\"}\n";

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void write_input(const fixture *x, unsigned rows)
{
    FILE *f = fopen(x->input, "w");
    assert_non_null(f);
    (void)fputs("k,t,n,note\n", f);
    for (unsigned i = 0; i < rows; i++) {
        (void)fprintf(f, "%010u,2021-09-12 %02u:%02u:%02u,%u,\"a \"\"note\"\" %u\"\n",
                      i * 2654435761U, i / 3600 % 24, i / 60 % 60, i % 60, i, i % 1000);
    }
    assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
    fixture *x = calloc(1, sizeof *x);
    assert_non_null(x);
    (void)snprintf(x->folder, sizeof x->folder, "/tmp/saltmill-unit-XXXXXX");
    assert_non_null(mkdtemp(x->folder));
    (void)snprintf(x->job, sizeof x->job, "%s/job.yaml", x->folder);
    (void)snprintf(x->input, sizeof x->input, "%s/in.csv", x->folder);
    (void)snprintf(x->output, sizeof x->output, "%s/out", x->folder);
    char text[2048];
    (void)snprintf(text, sizeof text, JOB, x->input, x->output);
    write_text(x->job, text);
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    fixture *x = *state;
    sm_error err = {.code = SM_OK};
    assert_int_equal(sm_fs_remove_tree(x->folder, &err), SM_OK);
    free(x);
    return 0;
}

/* Allocations of one whole run with this many rows. */
static unsigned long long run_rows(const fixture *x, unsigned rows)
{
    sm_error err = {.code = SM_OK};
    sm_job_options options = {.threads = 1};
    const sm_run_options how = {.replace = true};
    sm_job *job = NULL;
    sm_run_report report;
    write_input(x, rows);
    assert_int_equal(sm_job_load(x->job, &options, &job, &err), SM_OK);
    const unsigned long long before = sm_mem_allocations();
    const sm_status st = sm_run(job, &how, &report, &err);
    const unsigned long long used = sm_mem_allocations() - before;
    assert_string_equal(err.text, "");
    assert_int_equal(st, SM_OK);
    assert_int_equal(report.manifest.counts.read, rows);
    assert_int_equal(report.manifest.counts.accepted, rows);
    assert_int_equal(report.manifest.file_count, 6);
    sm_run_report_free(&report);
    sm_job_free(job);
    return used;
}

static void test_a_run_and_its_verification(void **state)
{
    const fixture *x = *state;
    sm_error err = {.code = SM_OK};
    sm_verify_report verified;
    (void)run_rows(x, 1000);
    assert_int_equal(sm_verify(x->output, 2, &verified, &err), SM_OK);
    assert_int_equal(verified.files, 6);
    assert_int_equal(verified.cells, 2000);
}

/* Buffers grow with the first rows and index entries with blocks; rows themselves are free. */
static void test_rows_cost_no_allocation(void **state)
{
    const fixture *x = *state;
    if (sm_mem_allocations() == 0) {
        void *p = sm_malloc(1);
        sm_free(p);
        if (sm_mem_allocations() == 0) {
            skip(); /* a build without counters */
        }
    }
    const unsigned long long few = run_rows(x, 1000);
    const unsigned long long many = run_rows(x, 200000);
    print_message("allocations: %llu for 1,000 rows, %llu for 200,000\n", few, many);
    assert_true(many < few + 200000 / 100);
}

static void test_a_job_that_cannot_be_read(void **state)
{
    const fixture *x = *state;
    sm_error err = {.code = SM_OK};
    sm_job_options options = {.threads = 1};
    sm_job *job = NULL;
    write_text(x->job, "input: {files: [x]}\ntabels: []\n");
    assert_int_equal(sm_job_load(x->job, &options, &job, &err), SM_E_JOB);
    assert_null(job);
    assert_non_null(strstr(err.text, "did you mean \"tables\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_run_and_its_verification, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rows_cost_no_allocation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_job_that_cannot_be_read, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
