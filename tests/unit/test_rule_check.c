/* SPDX-License-Identifier: Apache-2.0 */
/* A job's key rules against kept ones: what is refused, what a rule file gets, and that no failure
 * on the way leaves half a file. */
#include "core/fault.h"
#include "job/rule_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_ROOM = 300 };

typedef struct fixture {
    char folder[64];
    char rule[PATH_ROOM];
    sm_error err;
} fixture;

static int setup(void **state)
{
    fixture *f = test_calloc(1, sizeof *f);
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/saltmill-rule-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    (void)snprintf(f->rule, sizeof f->rule, "%s/a.rule", f->folder);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    (void)unlink(f->rule);
    (void)strcat(f->rule, ".new");
    (void)unlink(f->rule);
    assert_int_equal(rmdir(f->folder), 0);
    test_free(f);
    return 0;
}

/* tables: the list's entries "name" and "key", NULL-terminated. */
static sm_job *load(fixture *f, const char *const *tables)
{
    char path[PATH_ROOM];
    sm_job *job = NULL;
    sm_job_options options = {.no_output = true, .no_input = true};
    (void)snprintf(path, sizeof path, "%s/job.yaml", f->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("input: {fields: {n: {type: int}}}\ntables:\n", file);
    for (size_t i = 0; tables[i] != NULL; i += 2) {
        (void)fprintf(file,
                      "  - {name: %s, key: '%s', timestamp: 1000, families: {f%zu: {}}, cells: "
                      "{'f%zu:n': int64be(n)}}\n",
                      tables[i], tables[i + 1], i, i);
    }
    assert_int_equal(fclose(file), 0);
    sm_error_clear(&f->err);
    if (sm_job_load(path, &options, &job, &f->err) != SM_OK) {
        fail_msg("%s", f->err.text);
    }
    assert_int_equal(unlink(path), 0);
    return job;
}

static sm_status check(fixture *f, const char *const *tables)
{
    sm_job *job = load(f, tables);
    const sm_status st = sm_rule_check(job, f->rule, &f->err);
    sm_job_free(job);
    return st;
}

static sm_status keep(fixture *f, const char *const *tables, bool new_rule, bool *written)
{
    sm_job *job = load(f, tables);
    const sm_status st = sm_rule_write(job, f->rule, new_rule, written, &f->err);
    sm_job_free(job);
    return st;
}

static void assert_said(fixture *f, const char *words)
{
    if (strstr(f->err.text, words) == NULL) {
        fail_msg("expected \"%s\" in: %s", words, f->err.text);
    }
}

static const char *const ONE[] = {"t", "salt(300, a) + b", NULL};
static const char *const OTHER[] = {"t", "salt(100, a) + b", NULL};
static const char *const SECOND[] = {"u", "a", NULL};
static const char *const BOTH[] = {"u", "a", "t", "salt(300, a) + b", NULL};

static void refuses_a_changed_rule(void **state)
{
    fixture *f = *state;
    bool written = false;
    assert_int_equal(check(f, ONE), SM_E_RULE_FILE);
    assert_int_equal(keep(f, ONE, false, &written), SM_OK);
    assert_true(written);
    assert_int_equal(check(f, ONE), SM_OK);
    assert_int_equal(check(f, OTHER), SM_E_KEY_RULE);
    assert_said(f, "salt(300, a, hash: murmur3) is now salt(100, a, hash: murmur3)");
    assert_int_equal(keep(f, OTHER, false, &written), SM_E_KEY_RULE);
    assert_false(written);
    assert_int_equal(check(f, ONE), SM_OK);
    assert_int_equal(keep(f, OTHER, true, &written), SM_OK);
    assert_true(written);
    assert_int_equal(check(f, OTHER), SM_OK);
    assert_int_equal(keep(f, OTHER, true, &written), SM_OK);
    assert_false(written);
}

static void keeps_tables_of_other_jobs(void **state)
{
    fixture *f = *state;
    bool written = false;
    assert_int_equal(keep(f, ONE, false, &written), SM_OK);
    assert_int_equal(check(f, SECOND), SM_E_KEY_RULE);
    assert_said(f, "table u: no key rule is kept there");
    assert_int_equal(keep(f, SECOND, false, &written), SM_OK);
    assert_int_equal(check(f, ONE), SM_OK);
    assert_int_equal(check(f, SECOND), SM_OK);
    assert_int_equal(check(f, BOTH), SM_OK);
    assert_int_equal(keep(f, BOTH, false, &written), SM_OK);
    assert_false(written);
}

/* Entries of one table may have keys of their own; their order in the job says nothing. */
static void takes_several_keys_of_a_table(void **state)
{
    static const char *const AB[] = {"t", "a", "t", "b + a", NULL};
    static const char *const BA[] = {"t", "b + a", "t", "a", NULL};
    static const char *const AC[] = {"t", "b + c", "t", "a", NULL};
    static const char *const ABC[] = {"t", "a", "t", "b + a", "t", "c", NULL};
    fixture *f = *state;
    bool written = false;
    assert_int_equal(keep(f, AB, false, &written), SM_OK);
    assert_int_equal(check(f, BA), SM_OK);
    assert_int_equal(check(f, AC), SM_E_KEY_RULE);
    assert_said(f, "key rule changed: a is now c;");
    assert_int_equal(check(f, ABC), SM_E_KEY_RULE);
    assert_said(f, "one of its key rules is not kept there");
}

/* Fails the first, second ... call of a kind until none is left to fail. */
static void fail_each(fixture *f, const sm_job *job, const char *kind)
{
    bool written = false;
    bool failed = true;
    for (unsigned n = 1; failed; n++) {
        char plan[32];
        (void)snprintf(plan, sizeof plan, "%s:%u", kind, n);
        sm_error_clear(&f->err);
        assert_true(sm_fault_plan(plan));
        failed = sm_rule_write(job, f->rule, true, &written, &f->err) != SM_OK;
        (void)sm_fault_plan(NULL);
        assert_true(check(f, ONE) == SM_OK || check(f, OTHER) == SM_OK);
        assert_true(n < 1000);
    }
    assert_int_equal(check(f, OTHER), SM_OK);
}

/* Whatever fails while it is written, the old file or the new one stands there. */
static void is_whole_after_failures(void **state)
{
    static const char *const KINDS[] = {"memory", "open", "read", "write", "sync", "rename"};
    fixture *f = *state;
    bool written = false;
    if (!sm_fault_plan("memory:1000000")) {
        skip();
    }
    (void)sm_fault_plan(NULL);
    sm_job *job = load(f, OTHER);
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        assert_int_equal(keep(f, ONE, true, &written), SM_OK);
        fail_each(f, job, KINDS[i]);
    }
    sm_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refuses_a_changed_rule, setup, teardown),
        cmocka_unit_test_setup_teardown(keeps_tables_of_other_jobs, setup, teardown),
        cmocka_unit_test_setup_teardown(takes_several_keys_of_a_table, setup, teardown),
        cmocka_unit_test_setup_teardown(is_whole_after_failures, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
