/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of paths: values of every record, conversion, and what is refused. */
#include "support_ingest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ingest_scratch scratch;

static int make_scratch(void **state)
{
    (void)state;
    ingest_scratch_make(&scratch);
    return 0;
}

static int remove_scratch(void **state)
{
    (void)state;
    ingest_scratch_remove(&scratch);
    return 0;
}

/* Fields k, day (from the path), v; two files. */
static ingest_job job_of(const char *pattern)
{
    static char paths[2][INGEST_PATH_SIZE];
    ingest_job job;
    ingest_job_init(&job);
    ingest_job_fields(&job, "k,day,v");
    job.fields[1].from_path = true;
    job.feed.path_fields = pattern;
    job.paths[0] =
        ingest_scratch_file(&scratch, "c-07.csv", sm_bytes_text("k,v\na,1\nb,2\n"), paths[0]);
    job.paths[1] =
        ingest_scratch_file(&scratch, "c-11.csv", sm_bytes_text("v,k,x\n3,c,\n"), paths[1]);
    job.path_count = 2;
    job.slice_size = 4;
    return job;
}

static void expect(const ingest_job *job, const char *wanted)
{
    char *text = ingest_text(job);
    assert_string_equal(text, wanted);
    free(text);
}

static void expect_error(const ingest_job *job, sm_status code, const char *piece)
{
    sm_buf out;
    sm_buf_init(&out, SIZE_MAX / 2);
    sm_error err = {.code = SM_OK};
    assert_int_equal(ingest_run(job, &out, &err), code);
    if (strstr(err.text, piece) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", err.text, piece);
    }
    assert_int_equal(out.len, 0);
    sm_buf_free(&out);
}

static void every_record_has_its_files_value(void **state)
{
    (void)state;
    ingest_job job = job_of("c-(?<day>\\d+)");
    expect(&job, "+ 0 2 4 1 [a][07][1]\n+ 0 3 8 2 [b][07][2]\n+ 1 2 6 1 [c][11][3]\n"
                 "= 3 3 0 0 0 1\n");
    job.workers = 3;
    job.fields[1].type = SM_TYPE_INT;
    expect(&job, "+ 0 2 4 1 [a][7][1]\n+ 0 3 8 2 [b][7][2]\n+ 1 2 6 1 [c][11][3]\n"
                 "= 3 3 0 0 0 1\n");
}

static void absent_and_empty_groups_are_null(void **state)
{
    (void)state;
    ingest_job job = job_of("c-(?<day>07)?");
    expect(&job, "+ 0 2 4 1 [a][07][1]\n+ 0 3 8 2 [b][07][2]\n+ 1 2 6 1 [c][~][3]\n"
                 "= 3 3 0 0 0 1\n");
    job.feed.path_fields = "c-(?<day>)";
    expect(&job, "+ 0 2 4 1 [a][~][1]\n+ 0 3 8 2 [b][~][2]\n+ 1 2 6 1 [c][~][3]\n"
                 "= 3 3 0 0 0 1\n");
}

static void what_cannot_be_had_is_an_error(void **state)
{
    (void)state;
    ingest_job job = job_of("c-(?<day>0\\d)");
    expect_error(&job, SM_E_INPUT_PATH, "c-11.csv: the path does not match");
    job.feed.path_fields = "c-(?<day>..\\.)";
    job.fields[1].type = SM_TYPE_INT;
    expect_error(&job, SM_E_INPUT_PATH, "c-07.csv: field day");
    job.fields[1].type = SM_TYPE_TEXT;
    job.fields[1].charset = SM_CHARSET_DIGITS;
    expect_error(&job, SM_E_INPUT_PATH, "outside charset digits");
    job.paths[0] = "-";
    expect_error(&job, SM_E_INPUT_PATH, "standard input");
}

static void a_column_of_the_same_name_is_an_error(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    ingest_job job = job_of("c-(?<day>\\d+)");
    job.paths[0] =
        ingest_scratch_file(&scratch, "c-08.csv", sm_bytes_text("k,v,day\na,1,2\n"), path);
    expect_error(&job, SM_E_INPUT_COLUMN, "also column 3 of the file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_has_its_files_value),
        cmocka_unit_test(absent_and_empty_groups_are_null),
        cmocka_unit_test(what_cannot_be_had_is_an_error),
        cmocka_unit_test(a_column_of_the_same_name_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
