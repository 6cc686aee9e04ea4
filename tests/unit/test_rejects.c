/* SPDX-License-Identifier: Apache-2.0 */
/* Reject files: their bytes, their order whatever the order of commits, limits, and feeding them
 * again. */
#include "core/par.h"
#include "support_ingest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

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

static const char *make_folder(const char *name, char out[INGEST_PATH_SIZE])
{
    (void)snprintf(out, INGEST_PATH_SIZE, "%.300s/%.150s", scratch.path, name);
    assert_int_equal(mkdir(out, 0700), 0);
    return out;
}

static void expect_file(const char *folder, const char *name, const char *wanted)
{
    char path[INGEST_PATH_SIZE + 200];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const sm_bytes data = ingest_slurp(path);
    assert_string_equal((const char *)data.data, wanted);
    free((void *)(uintptr_t)data.data);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void limits_are_read(void **state)
{
    (void)state;
    sm_reject_limit l;
    assert_true(sm_reject_limit_parse(sm_bytes_text("0"), &l) && !l.is_percent && l.count == 0);
    assert_true(sm_reject_limit_parse(sm_bytes_text("100"), &l) && !l.is_percent && l.count == 100);
    assert_true(sm_reject_limit_parse(sm_bytes_text("0.5%"), &l) && l.is_percent &&
                l.percent == 0.5);
    assert_true(sm_reject_limit_parse(sm_bytes_text("100%"), &l) && l.percent == 100.0);
    static const char *const bad[] = {"",  "%",   "-1",  "+1",        "-1%", "101%",
                                      "x", "1 %", "1e3", "unlimited", "1.5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(sm_reject_limit_parse(sm_bytes_text(bad[i]), &l));
    }
}

/* ---- files of a run -------------------------------------------------------------------------- */

static ingest_job job_of(const char *path, const char *rejects)
{
    ingest_job job;
    ingest_job_init(&job);
    ingest_job_fields(&job, "a,n");
    job.fields[1].type = SM_TYPE_INT;
    job.paths[job.path_count++] = path;
    job.rejects = rejects;
    return job;
}

static const char INPUT[] =
    "\xEF\xBB\xBF"
    "skip\r\na,n\r\n1,1\r\n\"2\n\",x\r\n\r\n3,\"\x01\xFF\"\r\n4,4\r\n5,6,7\r\n\"8\"9,1";

static void originals_and_sidecar(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    char folder[INGEST_PATH_SIZE];
    (void)ingest_scratch_file(&scratch, "in.csv", sm_bytes_text(INPUT), path);
    ingest_job job = job_of(path, make_folder("originals", folder));
    job.csv.skip_lines = 1;
    free(ingest_text(&job));
    expect_file(folder, "0000-in.csv",
                "\xEF\xBB\xBF"
                "skip\r\na,n\r\n\"2\n\",x\r\n3,\"\x01\xFF\"\r\n5,6,7\r\n\"8\"9,1\n");
    char wanted[4096];
    (void)snprintf(wanted, sizeof wanted,
                   "{\"file\":\"%s\",\"line\":4,\"offset\":19,\"record\":2,\"field\":\"n\","
                   "\"code\":\"not-an-int\","
                   "\"message\":\"\\\"x\\\" is not a 64-bit integer; expected digits with an "
                   "optional sign\"}\n"
                   "{\"file\":\"%s\",\"line\":7,\"offset\":29,\"record\":3,\"field\":\"n\","
                   "\"code\":\"not-an-int\","
                   "\"message\":\"\\\"\\\\x01\\\\xFF\\\" is not a 64-bit integer; expected digits "
                   "with an optional sign\"}\n"
                   "{\"file\":\"%s\",\"line\":9,\"offset\":42,\"record\":5,\"field\":null,\"code\":"
                   "\"field-count\","
                   "\"message\":\"expected 2 fields, found 3\"}\n"
                   "{\"file\":\"%s\",\"line\":10,\"offset\":49,\"record\":6,\"field\":null,"
                   "\"code\":\"text-after-quote\","
                   "\"message\":\"text after a closing quote, at byte 3 of the record; expected a "
                   "delimiter or the "
                   "end of the record (check csv.escape, or double the quote)\"}\n",
                   path, path, path, path);
    expect_file(folder, "0000-in.csv.jsonl", wanted);
}

static void rejects_can_be_fed_again(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    char first[INGEST_PATH_SIZE];
    char second[INGEST_PATH_SIZE];
    char again[INGEST_PATH_SIZE + 32];
    (void)ingest_scratch_file(&scratch, "fed.csv", sm_bytes_text(INPUT), path);
    ingest_job job = job_of(path, make_folder("first", first));
    job.csv.skip_lines = 1;
    free(ingest_text(&job));
    (void)snprintf(again, sizeof again, "%s/0000-fed.csv", first);
    job.paths[0] = again;
    job.rejects = make_folder("second", second);
    char *text = ingest_text(&job);
    assert_non_null(strstr(text, "= 4 0 4 "));
    free(text);
    const sm_bytes before = ingest_slurp(again);
    expect_file(second, "0000-0000-fed.csv", (const char *)before.data);
    free((void *)(uintptr_t)before.data);
}

static void names_of_reject_files(void **state)
{
    (void)state;
    char one[INGEST_PATH_SIZE];
    char two[INGEST_PATH_SIZE];
    char three[INGEST_PATH_SIZE];
    char folder[INGEST_PATH_SIZE];
    ingest_job job =
        job_of(ingest_scratch_file(&scratch, "p.csv.gz", sm_bytes_text("a,n\n1,x\n"), one),
               make_folder("names", folder));
    job.paths[job.path_count++] =
        ingest_scratch_file(&scratch, "good.csv", sm_bytes_text("a,n\n1,1\n"), two);
    job.paths[job.path_count++] =
        ingest_scratch_file(&scratch, "q.zst", sm_bytes_text("n,a\nx,1\n"), three);
    free(ingest_text(&job));
    expect_file(folder, "0000-p.csv", "a,n\n1,x\n");
    expect_file(folder, "0002-q", "n,a\nx,1\n");
    char absent[INGEST_PATH_SIZE + 32];
    (void)snprintf(absent, sizeof absent, "%s/0001-good.csv", folder);
    struct stat st;
    assert_int_not_equal(stat(absent, &st), 0);
}

/* ---- limits of a run ------------------------------------------------------------------------- */

/* 300 records, every third one bad: 100 rejects. */
static const char *bad_input(char path[INGEST_PATH_SIZE])
{
    sm_buf b;
    sm_buf_init(&b, 1 << 20);
    assert_int_equal(sm_buf_printf(&b, NULL, "a,n\n"), SM_OK);
    for (int i = 1; i <= 300; i++) {
        assert_int_equal(sm_buf_printf(&b, NULL, i % 3 == 0 ? "%d,bad\n" : "%d,1\n", i), SM_OK);
    }
    (void)ingest_scratch_file(&scratch, "bad.csv", sm_buf_view(&b), path);
    sm_buf_free(&b);
    return path;
}

static sm_status run_limited(ingest_job *job, const char *limit, sm_error *err)
{
    sm_buf out;
    sm_buf_init(&out, SIZE_MAX / 2);
    job->limit = limit;
    *err = (sm_error){.code = SM_OK};
    const sm_status st = ingest_run(job, &out, err);
    sm_buf_free(&out);
    return st;
}

static void a_count_stops_at_the_same_reject(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    ingest_job job = job_of(bad_input(path), NULL);
    char *wanted = NULL;
    for (int i = 0; i < 40; i++) {
        char name[32];
        char folder[INGEST_PATH_SIZE];
        (void)snprintf(name, sizeof name, "count%d", i);
        job.rejects = make_folder(name, folder);
        job.workers = 1 + (unsigned)i % 5;
        job.slice_size = 1 + (size_t)i * 13;
        sm_error err;
        assert_int_equal(run_limited(&job, "10", &err), SM_E_REJECTS);
        assert_non_null(strstr(err.text, "line 34 (record 33, byte offset "));
        assert_non_null(strstr(err.text, "this is reject 11, limits.rejects allows 10"));
        char file[INGEST_PATH_SIZE + 32];
        (void)snprintf(file, sizeof file, "%s/0000-bad.csv", folder);
        sm_bytes got = ingest_slurp(file);
        if (wanted == NULL) {
            wanted = strdup((const char *)got.data);
            assert_string_equal(
                wanted, "a,n\n3,bad\n6,bad\n9,bad\n12,bad\n15,bad\n18,bad\n21,bad\n24,bad\n27,bad\n"
                        "30,bad\n33,bad\n");
        }
        assert_string_equal((const char *)got.data, wanted);
        free((void *)(uintptr_t)got.data);
    }
    free(wanted);
    char folder[INGEST_PATH_SIZE];
    sm_error err;
    job.rejects = make_folder("enough", folder);
    assert_int_equal(run_limited(&job, "100", &err), SM_OK);
}

static void a_percentage_is_judged_at_the_end(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    char low[INGEST_PATH_SIZE];
    char high[INGEST_PATH_SIZE];
    sm_error err;
    ingest_job job = job_of(bad_input(path), make_folder("low", low));
    assert_int_equal(run_limited(&job, "33%", &err), SM_E_REJECTS);
    assert_non_null(
        strstr(err.text, "100 of 300 records (33.33%) were rejected, limits.rejects allows 33%"));
    job.rejects = make_folder("high", high);
    assert_int_equal(run_limited(&job, "33.4%", &err), SM_OK);
}

/* ---- commits out of order -------------------------------------------------------------------- */

enum { SLICES = 400, WORKERS = 4 };

typedef struct shuffled {
    sm_rejects *rejects;
    sm_lock *lock;
    unsigned next;
} shuffled;

/* Slices are taken in order, and each worker dawdles in its own way before committing. */
static sm_status commit_some(void *context, unsigned worker, sm_error *err)
{
    shuffled *s = context;
    sm_reject_list *list = NULL;
    sm_status st = sm_reject_list_new(&list, err);
    volatile unsigned idle = 0;
    while (st == SM_OK) {
        sm_lock_take(s->lock);
        const unsigned i = s->next++;
        sm_lock_give(s->lock);
        if (i >= SLICES) {
            break;
        }
        for (unsigned k = 0; k < (i * 7919 + worker * 31) % 97 * 200; k++) {
            idle++;
        }
        char text[32];
        const int len = snprintf(text, sizeof text, "%u,x\n", i);
        const sm_slice slice = {.sequence = i, .place = {.offset = i * 10ULL}};
        const sm_record record = {.place = slice.place,
                                  .original = {(const uint8_t *)text, (size_t)len}};
        const sm_reject_note why = {.code = SM_REJECT_NOT_INT, .field = "n", .text = "because"};
        const sm_input_counts counts = {
            .records_read = 3, .records_rejected = 1, .records_accepted = 2};
        st = sm_reject_list_add(list, &record, &why, err);
        if (st == SM_OK && i % 3 == 0) {
            st = sm_rejects_commit_part(s->rejects, &slice, list, err);
        }
        if (st == SM_OK) {
            st = sm_rejects_commit(s->rejects, &slice, &counts, list, err);
        }
    }
    sm_reject_list_free(list);
    return st;
}

static sm_source *source_of(const char *path)
{
    static ingest_job job;
    static sm_schema schema;
    job = job_of(path, NULL);
    schema = (sm_schema){job.fields, job.field_count};
    const sm_source_options options = {.paths = job.paths,
                                       .path_count = 1,
                                       .format = "csv",
                                       .csv = &job.csv,
                                       .schema = &schema,
                                       .record_limit = 1000,
                                       .slice_size = 1000};
    sm_source *source = NULL;
    assert_int_equal(sm_source_open(&options, &source, NULL), SM_OK);
    return source;
}

static void early_commits_wait_for_their_turn(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    char folder[INGEST_PATH_SIZE];
    sm_source *source =
        source_of(ingest_scratch_file(&scratch, "o.csv", sm_bytes_text("a,n\n"), path));
    const sm_rejects_options options = {.directory = make_folder("order", folder),
                                        .limit = {.count = SLICES},
                                        .source = source,
                                        .workers = WORKERS};
    shuffled s = {.next = 0};
    assert_int_equal(sm_rejects_open(&options, &s.rejects, NULL), SM_OK);
    assert_int_equal(sm_lock_new(&s.lock, NULL), SM_OK);
    sm_error err = {.code = SM_OK};
    assert_int_equal(sm_par_run(WORKERS, commit_some, &s, &err), SM_OK);
    assert_int_equal(sm_rejects_finish(s.rejects, &err), SM_OK);
    assert_int_equal(sm_rejects_total(s.rejects), SLICES);
    assert_int_equal(sm_rejects_by_code(s.rejects)[SM_REJECT_NOT_INT], SLICES);
    assert_int_equal(sm_rejects_counts(s.rejects, 0)->records_read, 3 * SLICES);
    sm_rejects_free(s.rejects);
    sm_lock_free(s.lock);
    sm_source_close(source);
    sm_buf wanted;
    sm_buf_init(&wanted, 1 << 20);
    for (unsigned i = 0; i < SLICES; i++) {
        assert_int_equal(sm_buf_printf(&wanted, NULL, "%u,x\n", i), SM_OK);
    }
    assert_int_equal(sm_buf_append_byte(&wanted, '\0', NULL), SM_OK);
    expect_file(folder, "0000-o.csv", (const char *)wanted.data);
    sm_buf_free(&wanted);
}

/* One worker gives up before its commit; the other, far ahead, must not wait for ever. */
static sm_status give_up_or_wait(void *context, unsigned worker, sm_error *err)
{
    sm_rejects *r = context;
    if (worker == 0) {
        sm_rejects_abandon(r);
        return SM_OK;
    }
    sm_reject_list *list = NULL;
    const sm_input_counts counts = {.records_read = 1};
    sm_status st = sm_reject_list_new(&list, err);
    for (uint64_t i = 1; st == SM_OK && i < 100; i++) {
        const sm_slice slice = {.sequence = i};
        st = sm_rejects_commit(r, &slice, &counts, list, err);
    }
    sm_reject_list_free(list);
    return st;
}

static void giving_up_wakes_the_others(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    sm_source *source =
        source_of(ingest_scratch_file(&scratch, "w.csv", sm_bytes_text("a,n\n"), path));
    const sm_rejects_options options = {.directory = "/nowhere", .source = source, .workers = 2};
    sm_rejects *r = NULL;
    assert_int_equal(sm_rejects_open(&options, &r, NULL), SM_OK);
    sm_error err = {.code = SM_OK};
    assert_int_equal(sm_par_run(2, give_up_or_wait, r, &err), SM_E_INTERRUPTED);
    sm_rejects_free(r);
    sm_source_close(source);
}

/* The slice goes on behind the reject at which the run stops, and was written in two parts. */
static void counts_end_at_the_reject_that_stops(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    char folder[INGEST_PATH_SIZE];
    sm_source *source =
        source_of(ingest_scratch_file(&scratch, "e.csv", sm_bytes_text("a,n\n"), path));
    const sm_rejects_options options = {.directory = make_folder("ends", folder),
                                        .limit = {.count = 2},
                                        .source = source,
                                        .workers = 1};
    sm_rejects *r = NULL;
    sm_reject_list *list = NULL;
    assert_int_equal(sm_rejects_open(&options, &r, NULL), SM_OK);
    assert_int_equal(sm_reject_list_new(&list, NULL), SM_OK);
    const sm_slice slice = {.sequence = 0};
    const sm_record record = {.original = sm_bytes_text("x\n")};
    const sm_reject_note why = {.code = SM_REJECT_NOT_INT, .text = "because"};
    /* Accepted and filtered before each reject: 5 and 1, 7 and 1, 7 and 4, 20 and 4. */
    sm_reject_list_reached(list, &(sm_input_counts){.records_accepted = 5, .records_filtered = 1});
    assert_int_equal(sm_reject_list_add(list, &record, &why, NULL), SM_OK);
    assert_true(sm_reject_list_bytes(list) > 0);
    assert_int_equal(sm_rejects_commit_part(r, &slice, list, NULL), SM_OK);
    assert_int_equal(sm_reject_list_bytes(list), 0);
    sm_reject_list_reached(list, &(sm_input_counts){.records_accepted = 7, .records_filtered = 1});
    assert_int_equal(sm_reject_list_add(list, &record, &why, NULL), SM_OK);
    sm_reject_list_reached(list, &(sm_input_counts){.records_accepted = 7,
                                                    .records_filtered = 4,
                                                    .records_out_of_range = 2});
    assert_int_equal(sm_reject_list_add(list, &record, &why, NULL), SM_OK);
    sm_reject_list_reached(list, &(sm_input_counts){.records_accepted = 20,
                                                    .records_filtered = 4,
                                                    .records_out_of_range = 3});
    assert_int_equal(sm_reject_list_add(list, &record, &why, NULL), SM_OK);
    const sm_input_counts counts = {.records_read = 28,
                                    .records_accepted = 20,
                                    .records_filtered = 4,
                                    .records_out_of_range = 3,
                                    .records_rejected = 4};
    assert_int_equal(sm_rejects_commit(r, &slice, &counts, list, NULL), SM_E_REJECTS);
    const sm_input_counts *c = sm_rejects_counts(r, 0);
    assert_int_equal(c->records_read, 14);
    assert_int_equal(c->records_accepted, 7);
    assert_int_equal(c->records_filtered, 4);
    assert_int_equal(c->records_out_of_range, 2);
    assert_int_equal(c->records_rejected, 3);
    sm_reject_list_free(list);
    sm_rejects_free(r);
    sm_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_read),
        cmocka_unit_test(originals_and_sidecar),
        cmocka_unit_test(rejects_can_be_fed_again),
        cmocka_unit_test(names_of_reject_files),
        cmocka_unit_test(a_count_stops_at_the_same_reject),
        cmocka_unit_test(a_percentage_is_judged_at_the_end),
        cmocka_unit_test(early_commits_wait_for_their_turn),
        cmocka_unit_test(giving_up_wakes_the_others),
        cmocka_unit_test(counts_end_at_the_reject_that_stops),
    };
    return cmocka_run_group_tests_name("rejects", tests, make_scratch, remove_scratch);
}
