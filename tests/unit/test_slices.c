/* SPDX-License-Identifier: Apache-2.0 */
/* Property of source and reader together: whatever the slice size and the number of threads, the
 * same records, rejects, places and errors. Data is made from bytes that matter, in several
 * dialects. */
#include "support_ingest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct dialect {
    const char *delimiter;
    int quote, escape, comment;
} dialect;

/* Bytes that matter, mixed so that most files have good and bad records. An open quote at the end
 * is an outcome too. */
static void make_data(unsigned seed, const dialect *d, char *out, size_t size)
{
    srand(seed);
    size_t used = (size_t)snprintf(out, size, "c1%sc2\n", d->delimiter);
    while (used + 40 < size) {
        const int what = rand() % 24;
        const char *piece = what < 5    ? "a"
                            : what < 8  ? "\n"
                            : what < 9  ? "\r\n"
                            : what < 10 ? "\r"
                            : what < 15 ? d->delimiter
                            : what < 17 ? "\"q\""
                            : what < 18 ? "\""
                            : what < 19 ? "\"\""
                            : what < 20 ? "#"
                            : what < 21 ? "\\"
                                        : "bc";
        used += (size_t)snprintf(out + used, size - used, "%s", piece);
        if (rand() % 6 == 0) {
            used += (size_t)snprintf(out + used, size - used, "\n1%s2\n", d->delimiter);
        }
    }
}

static char *outcome(const ingest_job *job)
{
    sm_buf out;
    sm_buf_init(&out, SIZE_MAX / 2);
    sm_error err = {.code = SM_OK};
    const sm_status st = ingest_run(job, &out, &err);
    assert_int_equal(sm_buf_printf(&out, NULL, "! %d %s\n", (int)st, err.text), SM_OK);
    char *text = strndup((const char *)out.data, out.len);
    sm_buf_free(&out);
    return text;
}

static void slices_and_threads_do_not_show(void **state)
{
    (void)state;
    static const dialect dialects[] = {{",", '"', -1, -1},   {",", '"', -1, '#'},
                                       {"\t", -1, -1, -1},   {",", '"', '\\', '#'},
                                       {"aba", '"', -1, -1}, {"||", '"', '\\', -1}};
    static const size_t slices[] = {1, 2, 3, 5, 7, 16, 61, 200};
    char path[INGEST_PATH_SIZE];
    ingest_scratch scratch;
    ingest_scratch_make(&scratch);
    for (unsigned seed = 1; seed <= 20; seed++) {
        for (size_t d = 0; d < sizeof dialects / sizeof dialects[0]; d++) {
            char data[400];
            make_data(seed * 100 + (unsigned)d, &dialects[d], data, sizeof data);
            ingest_job job;
            ingest_job_init(&job);
            ingest_job_fields(&job, "c1,c2");
            job.csv.delimiter = sm_bytes_text(dialects[d].delimiter);
            job.csv.quote = dialects[d].quote;
            job.csv.escape = dialects[d].escape;
            job.csv.comment = dialects[d].comment;
            job.record_limit = seed % 2 == 0 ? 25 : 1000;
            job.paths[job.path_count++] =
                ingest_scratch_file(&scratch, "t.csv", sm_bytes_text(data), path);
            char *whole = outcome(&job);
            for (size_t i = 0; i < sizeof slices / sizeof slices[0]; i++) {
                job.slice_size = slices[i];
                job.workers = 1 + (unsigned)i % 3;
                char *part = outcome(&job);
                assert_string_equal(part, whole);
                free(part);
            }
            free(whole);
        }
    }
    ingest_scratch_remove(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_and_threads_do_not_show),
    };
    return cmocka_run_group_tests_name("slices", tests, NULL, NULL);
}
