/* SPDX-License-Identifier: Apache-2.0 */
/* Header lines and trailers with slices of every small size: what is read does not depend on it.
 * Expectations are written out by hand. */
#include "support_ingest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLICE_MAX = 70 };

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

static ingest_job job_of(const char *text, const char *trailer)
{
    static char path[INGEST_PATH_SIZE];
    ingest_job job;
    ingest_job_init(&job);
    ingest_job_fields(&job, "k,v");
    job.feed.trailer = trailer;
    job.paths[job.path_count++] = ingest_scratch_file(&scratch, "t.csv", sm_bytes_text(text), path);
    return job;
}

static void expect(ingest_job *job, const char *wanted)
{
    for (job->slice_size = 1; job->slice_size < SLICE_MAX; job->slice_size++) {
        for (job->workers = 1; job->workers <= 3; job->workers += 2) {
            char *text = ingest_text(job);
            assert_string_equal(text, wanted);
            free(text);
        }
    }
}

static void expect_one_error(const ingest_job *job, sm_status code, const char *piece)
{
    sm_buf out;
    sm_buf_init(&out, SIZE_MAX / 2);
    sm_error err = {.code = SM_OK};
    assert_int_equal(ingest_run(job, &out, &err), code);
    if (strstr(err.text, piece) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", err.text, piece);
    }
    sm_buf_free(&out);
}

static void expect_error(ingest_job *job, sm_status code, const char *piece)
{
    for (job->slice_size = 1; job->slice_size < SLICE_MAX; job->slice_size++) {
        expect_one_error(job, code, piece);
    }
}

static const char TWO[] = "+ 0 2 4 1 [a][1]\n+ 0 3 8 2 [b][2]\n= 2 2 0 0 0 0\n";

static void the_last_line_is_no_record(void **state)
{
    (void)state;
    static const char *const texts[] = {"k,v\na,1\nb,2\nT2\n", "k,v\na,1\nb,2\nT2",
                                        "k,v\na,1\nb,2\nT0002\r\n", "k,v\na,1\nb,2\nT2\r",
                                        "k,v\na,1\nb,2\nT2\n\n\r\n\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ingest_job job = job_of(texts[i], "^T(?<count>\\d+)$");
        expect(&job, TWO);
    }
}

static void others_like_it_are_records(void **state)
{
    (void)state;
    ingest_job job = job_of("k,v\nT,1\n\nT,2\n\nT,3\n", "^T");
    expect(&job, "+ 0 2 4 1 [T][1]\n+ 0 4 9 2 [T][2]\n= 2 2 0 2 0 0\n");
}

static void quoted_line_ends_and_bad_records_count_as_records(void **state)
{
    (void)state;
    ingest_job job = job_of("k,v\n\"a\nb\",1\nx\nT2\n", "^T(?<count>\\d+)$");
    expect(&job, "+ 0 2 4 1 [a\\x0Ab][1]\n"
                 "- 0 4 12 2 field-count : expected 2 fields, found 1 {x\\x0A}\n"
                 "= 2 1 1 0 0 0\n");
}

static void a_comment_may_be_it(void **state)
{
    (void)state;
    ingest_job job = job_of("k,v\na,1\n#x\nb,2\n#END 2\n", "^#END (?<count>\\d+)");
    job.csv.comment = '#';
    expect(&job, "+ 0 2 4 1 [a][1]\n+ 0 4 11 2 [b][2]\n= 2 2 0 0 1 0\n");
}

static void over_long_records_in_front_of_it(void **state)
{
    (void)state;
    ingest_job job =
        job_of("k,v\na,1\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,2\nT2\n", "^T(?<count>\\d+)$");
    job.record_limit = 8;
    expect(&job, "+ 0 2 4 1 [a][1]\n"
                 "- 0 3 8 2 record-too-long : the record is 37 bytes long, the limit is 8 "
                 "(limits.record); only the first 8 bytes are kept in the reject file {bbbbbbbb}\n"
                 "= 2 1 1 0 0 0\n");
}

static void missing_ones_are_errors(void **state)
{
    (void)state;
    static const char *const texts[] = {"k,v\na,1\n",
                                        "k,v\n",
                                        "",
                                        "k,v\nT|1\na,1\n",
                                        "k,v\na,1\nT",
                                        "k,v\n\n\n",
                                        "k,v\naaaaaaaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ingest_job job = job_of(texts[i], "^T\\|(?<count>\\d+)$");
        job.record_limit = 16;
        expect_error(&job, SM_E_INPUT_TRAILER, "truncated?");
    }
}

static void an_over_long_last_line_is_none(void **state)
{
    (void)state;
    ingest_job job = job_of("k,v\na,1\nTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT", "^T");
    job.record_limit = 8;
    expect_error(&job, SM_E_INPUT_TRAILER, "ends without a line that matches");
    job.slice_size = 1 << 16;
    expect_one_error(&job, SM_E_INPUT_TRAILER, "ends without a line that matches");
}

static void counts_are_compared(void **state)
{
    (void)state;
    ingest_job job = job_of("k,v\na,1\nb,2\nT3\n", "^T(?<count>.*)$");
    expect_error(&job, SM_E_INPUT_TRAILER, "counts 3 records, but 2 were read");
    job = job_of("k,v\na,1\nb,2\nTx\n", "^T(?<count>.*)$");
    expect_error(&job, SM_E_INPUT_TRAILER, "\"x\", which is no number");
    job = job_of("k,v\na,1\nb,2\nT\n", "^T(?<count>\\d+)?$");
    expect_error(&job, SM_E_INPUT_TRAILER, "no number");
}

static void an_open_quote_is_named_by_its_line(void **state)
{
    (void)state;
    ingest_job job = job_of("k,v\na,1\n\nb,\"2\nT2\n", "^T");
    expect_error(&job, SM_E_INPUT_QUOTE, "line 4 (record starts at byte offset 9, quote at 11)");
}

static void header_lines_come_off(void **state)
{
    (void)state;
    ingest_job job = job_of("# one\r\n# two\nk,v\na,1\n# 3,4\nT2\n", "^T(?<count>\\d+)$");
    job.feed.header_lines = "^#";
    expect(&job, "+ 0 4 17 1 [a][1]\n+ 0 5 21 2 [# 3][4]\n= 2 2 0 0 0 0\n");
}

static void a_file_of_its_trailer_alone_has_no_columns(void **state)
{
    (void)state;
    ingest_job job = job_of("T|0\n\n", "^T\\|(?<count>\\d+)$");
    job.csv.header = false;
    expect(&job, "= 0 0 0 0 0 0\n");
}

static void every_file_has_its_own(void **state)
{
    (void)state;
    char second[INGEST_PATH_SIZE];
    ingest_job job = job_of("k,v\na,1\nT1\n", "^T(?<count>\\d+)$");
    job.paths[job.path_count++] =
        ingest_scratch_file(&scratch, "u.csv", sm_bytes_text("k,v\nc,1\nb,2\nT2"), second);
    expect(&job, "+ 0 2 4 1 [a][1]\n+ 1 2 4 1 [c][1]\n+ 1 3 8 2 [b][2]\n= 3 3 0 0 0 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_line_is_no_record),
        cmocka_unit_test(others_like_it_are_records),
        cmocka_unit_test(quoted_line_ends_and_bad_records_count_as_records),
        cmocka_unit_test(a_comment_may_be_it),
        cmocka_unit_test(over_long_records_in_front_of_it),
        cmocka_unit_test(missing_ones_are_errors),
        cmocka_unit_test(an_over_long_last_line_is_none),
        cmocka_unit_test(counts_are_compared),
        cmocka_unit_test(an_open_quote_is_named_by_its_line),
        cmocka_unit_test(header_lines_come_off),
        cmocka_unit_test(a_file_of_its_trailer_alone_has_no_columns),
        cmocka_unit_test(every_file_has_its_own),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
