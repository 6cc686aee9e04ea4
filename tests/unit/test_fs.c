/* SPDX-License-Identifier: Apache-2.0 */
/* Files, paths, listings and removal in a scratch directory of its own; the faults in test builds.
 */
#include "core/fault.h"
#include "core/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct scratch {
    char directory[64];
    char path[512]; /* of the last at() */
    sm_arena *arena;
    sm_error err;
} scratch;

static int set_up(void **state)
{
    scratch *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return -1;
    }
    (void)snprintf(s->directory, sizeof s->directory, "/tmp/saltmill-test-XXXXXX");
    *state = s;
    if (mkdtemp(s->directory) == NULL) {
        return -1;
    }
    return sm_arena_new(4096, &s->arena, &s->err) == SM_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    scratch *s = *state;
    (void)sm_fault_plan(NULL);
    sm_error err = {0};
    const sm_status st = sm_fs_remove_tree(s->directory, &err);
    sm_arena_free(s->arena);
    free(s);
    return st == SM_OK ? 0 : -1;
}

/* The path of a name in the scratch directory, good until the next call. */
static const char *at(scratch *s, const char *name)
{
    (void)snprintf(s->path, sizeof s->path, "%s/%s", s->directory, name);
    return s->path;
}

static void put(scratch *s, const char *name, const char *text)
{
    sm_file *f = NULL;
    assert_int_equal(sm_file_create(at(s, name), &f, &s->err), SM_OK);
    assert_int_equal(sm_file_write(f, text, strlen(text), &s->err), SM_OK);
    assert_int_equal(sm_file_close(&f, &s->err), SM_OK);
}

static bool exists(scratch *s, const char *name)
{
    bool there = false;
    sm_file_info info;
    assert_int_equal(sm_fs_stat(at(s, name), &there, &info, &s->err), SM_OK);
    return there;
}

static void written_bytes_come_back(void **state)
{
    scratch *s = *state;
    sm_file *f = NULL;
    assert_int_equal(sm_file_create(at(s, "f"), &f, &s->err), SM_OK);
    assert_string_equal(sm_file_path(f), s->path);
    assert_int_equal(sm_file_write(f, "hello ", 6, &s->err), SM_OK);
    assert_int_equal(sm_file_write(f, "world", 5, &s->err), SM_OK);
    assert_int_equal(sm_file_write(f, NULL, 0, &s->err), SM_OK);
    assert_int_equal(sm_file_written(f), 11);
    assert_int_equal(sm_file_sync(f, &s->err), SM_OK);
    assert_int_equal(sm_file_close(&f, &s->err), SM_OK);
    assert_null(f);
    assert_int_equal(sm_file_close(&f, &s->err), SM_OK);
    sm_file_discard(&f);

    char out[32] = "";
    size_t got = 0;
    assert_int_equal(sm_file_open_read(at(s, "f"), &f, &s->err), SM_OK);
    assert_int_equal(sm_file_read(f, out, sizeof out, &got, &s->err), SM_OK);
    assert_int_equal(got, 11);
    assert_memory_equal(out, "hello world", 11);
    assert_int_equal(sm_file_read(f, out, sizeof out, &got, &s->err), SM_OK);
    assert_int_equal(got, 0);
    assert_int_equal(sm_file_read_at(f, 6, out, 5, &s->err), SM_OK);
    assert_memory_equal(out, "world", 5);
    sm_file_info info;
    assert_int_equal(sm_file_info_of(f, &info, &s->err), SM_OK);
    assert_int_equal(info.size, 11);
    assert_true(info.is_regular && !info.is_directory && info.mtime_ns > 0);
    assert_int_equal(sm_file_read_at(f, 6, out, 6, &s->err), SM_E_INPUT_TRUNCATED);
    assert_non_null(strstr(s->err.text, "ends at byte 11, 1 more were expected"));
    assert_int_equal(sm_file_read_at(f, UINT64_MAX - 2, out, 6, NULL), SM_E_INPUT_TRUNCATED);
    assert_int_equal(sm_file_read_at(f, UINT64_MAX / 2 + 1, out, 1, NULL), SM_E_INPUT_TRUNCATED);
    sm_file_discard(&f);
}

static void opening_says_what_is_wrong(void **state)
{
    scratch *s = *state;
    sm_file *f = NULL;
    assert_int_equal(sm_file_open_read(at(s, "none"), &f, &s->err), SM_E_INPUT_MISSING);
    assert_null(f);
    assert_non_null(strstr(s->err.text, s->path));
    assert_non_null(strstr(s->err.text, "No such file or directory"));
    assert_int_equal(sm_file_open_read(s->directory, &f, NULL), SM_E_INPUT_READ);
    put(s, "there", "x");
    assert_int_equal(sm_file_open_read(at(s, "there/below"), &f, NULL), SM_E_INPUT_MISSING);
    assert_int_equal(sm_file_create(at(s, "there"), &f, NULL), SM_E_OUTPUT);
    assert_int_equal(sm_file_create(at(s, "no/such"), &f, NULL), SM_E_OUTPUT);
    assert_null(f);
}

static void a_full_disk_has_its_own_code(void **state)
{
    scratch *s = *state;
    if (!sm_fault_plan("write:2:28")) {
        skip();
    }
    sm_file *f = NULL;
    assert_int_equal(sm_file_create(at(s, "f"), &f, &s->err), SM_OK);
    assert_int_equal(sm_file_write(f, "one", 3, &s->err), SM_OK);
    assert_int_equal(sm_file_write(f, "two", 3, &s->err), SM_E_DISK_FULL);
    assert_int_equal(s->err.system_errno, ENOSPC);
    assert_non_null(strstr(s->err.text, "at byte 3"));
    sm_file_discard(&f);
}

static void unnamed_files_leave_nothing_behind(void **state)
{
    scratch *s = *state;
    sm_file *f = NULL;
    char out[4];
    assert_int_equal(sm_file_create_unnamed(s->directory, &f, &s->err), SM_OK);
    assert_int_equal(sm_file_write(f, "abcdef", 6, &s->err), SM_OK);
    assert_int_equal(sm_file_read_at(f, 2, out, 4, &s->err), SM_OK);
    assert_memory_equal(out, "cdef", 4);
    sm_names names;
    assert_int_equal(sm_fs_list(s->arena, s->directory, &names, &s->err), SM_OK);
    assert_int_equal(names.count, 0);
    assert_int_equal(sm_file_close(&f, &s->err), SM_OK);
    assert_int_equal(sm_file_create_unnamed(at(s, "none"), &f, NULL), SM_E_OUTPUT);
}

static void directories(void **state)
{
    scratch *s = *state;
    assert_int_equal(sm_fs_make_dirs(at(s, "a//b/c/"), &s->err), SM_OK);
    assert_int_equal(sm_fs_make_dirs(at(s, "a/b"), &s->err), SM_OK);
    assert_true(exists(s, "a/b/c"));
    assert_int_equal(sm_fs_make_dir(at(s, "a"), &s->err), SM_OK);
    assert_int_equal(sm_fs_sync_dir(at(s, "a"), &s->err), SM_OK);
    put(s, "file", "");
    assert_int_equal(sm_fs_make_dir(at(s, "file"), NULL), SM_E_OUTPUT);
    assert_int_equal(sm_fs_make_dirs(at(s, "file/x"), NULL), SM_E_OUTPUT);
    assert_int_equal(sm_fs_make_dirs("", NULL), SM_E_OUTPUT);
    assert_int_equal(sm_fs_sync_dir(at(s, "none"), NULL), SM_E_OUTPUT);
    assert_int_equal(sm_fs_remove_dir(at(s, "a"), NULL), SM_E_OUTPUT);
    assert_int_equal(sm_fs_remove_dir(at(s, "a/b/c"), &s->err), SM_OK);
    assert_int_equal(sm_fs_remove_dir(at(s, "a/b/c"), &s->err), SM_OK);
    assert_int_equal(sm_fs_remove_file(at(s, "file"), &s->err), SM_OK);
    assert_int_equal(sm_fs_remove_file(at(s, "file"), &s->err), SM_OK);
    assert_false(exists(s, "file"));
    assert_false(exists(s, "file/below"));
}

static void names_move_and_swap(void **state)
{
    scratch *s = *state;
    char other[512];
    sm_bytes content;
    put(s, "a", "from a");
    (void)snprintf(other, sizeof other, "%s", at(s, "b"));
    assert_int_equal(sm_fs_rename(at(s, "a"), other, &s->err), SM_OK);
    assert_false(exists(s, "a"));
    put(s, "a", "from a again");
    assert_int_equal(sm_fs_exchange(at(s, "a"), other, &s->err), SM_OK);
    assert_int_equal(sm_fs_read_whole(other, 100, s->arena, &content, &s->err), SM_OK);
    assert_true(sm_bytes_equal_text(content, "from a again"));
    assert_int_equal(sm_fs_exchange(at(s, "none"), other, NULL), SM_E_OUTPUT);
    assert_int_equal(sm_fs_rename(at(s, "none"), other, NULL), SM_E_OUTPUT);
}

static void lists_are_sorted_by_bytes(void **state)
{
    scratch *s = *state;
    put(s, "b.csv", "");
    put(s, "\xc3\xa9.csv", "");
    put(s, "B.csv", "");
    put(s, ".hidden", "");
    put(s, "a.csv", "");
    sm_names names;
    assert_int_equal(sm_fs_list(s->arena, s->directory, &names, &s->err), SM_OK);
    assert_int_equal(names.count, 5);
    assert_string_equal(names.items[0], ".hidden");
    assert_string_equal(names.items[1], "B.csv");
    assert_string_equal(names.items[4], "\xc3\xa9.csv");
    assert_int_equal(sm_fs_glob(s->arena, at(s, "*.csv"), &names, &s->err), SM_OK);
    assert_int_equal(names.count, 4);
    assert_string_equal(names.items[0], at(s, "B.csv"));
    assert_string_equal(names.items[3], at(s, "\xc3\xa9.csv"));
    assert_int_equal(sm_fs_glob(s->arena, at(s, "*.txt"), &names, &s->err), SM_OK);
    assert_int_equal(names.count, 0);
    assert_int_equal(sm_fs_glob(s->arena, at(s, "none/*.txt"), &names, &s->err), SM_OK);
    assert_int_equal(names.count, 0);
    assert_int_equal(sm_fs_list(s->arena, at(s, "none"), &names, NULL), SM_E_INPUT_MISSING);
}

static void more_names_than_the_first_guess(void **state)
{
    scratch *s = *state;
    for (int i = 0; i < 200; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%03d", 199 - i);
        put(s, name, "");
    }
    sm_names names;
    assert_int_equal(sm_fs_list(s->arena, s->directory, &names, &s->err), SM_OK);
    assert_int_equal(names.count, 200);
    assert_string_equal(names.items[0], "000");
    assert_string_equal(names.items[199], "199");
}

static void trees_go_but_not_what_links_point_to(void **state)
{
    scratch *s = *state;
    char target[512];
    assert_int_equal(sm_fs_make_dirs(at(s, "keep"), &s->err), SM_OK);
    put(s, "keep/file", "x");
    (void)snprintf(target, sizeof target, "%s", at(s, "keep"));
    assert_int_equal(sm_fs_make_dirs(at(s, "tree/a/b"), &s->err), SM_OK);
    put(s, "tree/a/b/file", "x");
    assert_int_equal(symlink(target, at(s, "tree/a/link")), 0);
    assert_int_equal(sm_fs_remove_tree(at(s, "tree"), &s->err), SM_OK);
    assert_false(exists(s, "tree"));
    assert_true(exists(s, "keep/file"));
    assert_int_equal(sm_fs_remove_tree(at(s, "tree"), &s->err), SM_OK);
    assert_int_equal(symlink(target, at(s, "link")), 0);
    assert_int_equal(sm_fs_remove_tree(at(s, "link"), NULL), SM_E_OUTPUT);
    assert_int_equal(sm_fs_remove_tree(at(s, "keep/file"), NULL), SM_E_OUTPUT);
    assert_true(exists(s, "keep/file"));
}

static void trees_too_deep_are_not_ours(void **state)
{
    scratch *s = *state;
    char name[128] = "d";
    for (int i = 0; i < 40; i++) {
        (void)snprintf(name + strlen(name), sizeof name - strlen(name), "/d");
    }
    assert_int_equal(sm_fs_make_dirs(at(s, name), &s->err), SM_OK);
    assert_int_equal(sm_fs_remove_tree(at(s, "d"), NULL), SM_E_OUTPUT);
    /* The half that is left is shallow enough. */
    name[40] = '\0';
    char deep[512];
    (void)snprintf(deep, sizeof deep, "%s", at(s, name));
    assert_int_equal(sm_fs_remove_tree(deep, &s->err), SM_OK);
}

static void whole_files_have_a_bound(void **state)
{
    scratch *s = *state;
    sm_bytes content;
    put(s, "f", "0123456789");
    assert_int_equal(sm_fs_read_whole(at(s, "f"), 10, s->arena, &content, &s->err), SM_OK);
    assert_true(sm_bytes_equal_text(content, "0123456789"));
    assert_int_equal(sm_fs_read_whole(at(s, "f"), 9, s->arena, &content, &s->err), SM_E_INPUT_READ);
    assert_int_equal(content.len, 0);
    assert_non_null(strstr(s->err.text, "larger than the 9 bytes"));
    put(s, "empty", "");
    assert_int_equal(sm_fs_read_whole(at(s, "empty"), 9, s->arena, &content, NULL), SM_OK);
    assert_int_equal(content.len, 0);
}

static void a_lock_is_held_by_one(void **state)
{
    scratch *s = *state;
    sm_file *first = NULL;
    sm_file *second = NULL;
    assert_int_equal(sm_fs_lock(at(s, "lock"), &first, &s->err), SM_OK);
    assert_int_equal(sm_fs_lock(at(s, "lock"), &second, NULL), SM_E_REFUSED);
    assert_null(second);
    assert_int_equal(sm_file_close(&first, &s->err), SM_OK);
    assert_int_equal(sm_fs_lock(at(s, "lock"), &second, &s->err), SM_OK);
    sm_file_discard(&second);
}

static void standard_input_stays_open(void **state)
{
    scratch *s = *state;
    sm_file *f = NULL;
    int ends[2];
    char out[8];
    size_t got = 0;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "piped", 5), 5);
    assert_int_equal(close(ends[1]), 0);
    const int saved = dup(STDIN_FILENO);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(sm_file_open_read("-", &f, &s->err), SM_OK);
    assert_int_equal(sm_file_read(f, out, sizeof out, &got, &s->err), SM_OK);
    assert_int_equal(got, 5);
    assert_int_equal(sm_file_close(&f, &s->err), SM_OK);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    if (saved >= 0) {
        assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
        (void)close(saved);
    }
    (void)close(ends[0]);
}

static void the_machine_has_limits(void **state)
{
    scratch *s = *state;
    uint64_t room = 0;
    struct rlimit limit;
    assert_int_equal(sm_fs_free_bytes(s->directory, &room, &s->err), SM_OK);
    assert_true(room > 0);
    assert_int_equal(sm_fs_free_bytes(at(s, "none"), &room, NULL), SM_E_OUTPUT);
    assert_true(sm_fs_cpu_count() >= 1);
    assert_true(sm_fs_memory_limit() > 1 << 20);
    const uint64_t files = sm_fs_open_file_limit();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(files == limit.rlim_cur && limit.rlim_cur == limit.rlim_max);
}

/* One step per kind of fault; each plan makes the first call of its kind fail. */
static void every_fault_is_an_error(void **state)
{
    scratch *s = *state;
    sm_file *f = NULL;
    char out[4];
    size_t got = 0;
    put(s, "f", "abc");
    if (!sm_fault_plan("open:1:24")) {
        skip();
    }
    assert_int_equal(sm_file_open_read(at(s, "f"), &f, NULL), SM_E_OPEN_FILES);
    assert_true(sm_fault_plan("open:1:13"));
    assert_int_equal(sm_fs_make_dir(at(s, "dir"), NULL), SM_E_OUTPUT);
    assert_int_equal(sm_file_open_read(at(s, "f"), &f, &s->err), SM_OK);
    assert_true(sm_fault_plan("read:1"));
    assert_int_equal(sm_file_read(f, out, 3, &got, NULL), SM_E_INPUT_READ);
    assert_true(sm_fault_plan("read:1"));
    assert_int_equal(sm_file_read_at(f, 0, out, 3, NULL), SM_E_INPUT_READ);
    sm_file_discard(&f);
    assert_true(sm_fault_plan("sync:1"));
    assert_int_equal(sm_fs_sync_dir(s->directory, NULL), SM_E_OUTPUT);
    assert_true(sm_fault_plan("rename:1"));
    assert_int_equal(sm_fs_rename(at(s, "f"), at(s, "f"), NULL), SM_E_OUTPUT);
    assert_true(sm_fault_plan("rename:1"));
    assert_int_equal(sm_fs_exchange(at(s, "f"), at(s, "f"), NULL), SM_E_OUTPUT);
}

static void a_close_can_lose_data(void **state)
{
    scratch *s = *state;
    sm_file *f = NULL;
    assert_int_equal(sm_file_create(at(s, "f"), &f, &s->err), SM_OK);
    assert_int_equal(sm_file_write(f, "abc", 3, &s->err), SM_OK);
    if (!sm_fault_plan("sync:1:28")) {
        sm_file_discard(&f);
        skip();
    }
    assert_int_equal(sm_file_close(&f, &s->err), SM_E_DISK_FULL);
    assert_null(f);
}

/* Each allocation on the way fails once; nothing may leak or be left open. */
static void memory_that_cannot_be_had(void **state)
{
    scratch *s = *state;
    sm_names names;
    sm_bytes content;
    put(s, "f", "abc");
    if (!sm_fault_plan("memory:1")) {
        skip();
    }
    bool failed = true;
    for (int n = 1; failed && n < 20; n++) {
        char plan[32];
        (void)snprintf(plan, sizeof plan, "memory:%d", n);
        assert_true(sm_fault_plan(plan));
        sm_arena_free(s->arena);
        s->arena = NULL;
        sm_error err = {0};
        sm_status st = sm_arena_new(64, &s->arena, &err);
        st = st == SM_OK ? sm_fs_list(s->arena, s->directory, &names, &err) : st;
        st = st == SM_OK ? sm_fs_glob(s->arena, at(s, "*"), &names, &err) : st;
        st = st == SM_OK ? sm_fs_read_whole(at(s, "f"), 9, s->arena, &content, &err) : st;
        st = st == SM_OK ? sm_fs_make_dirs(at(s, "d"), &err) : st;
        failed = st != SM_OK;
        assert_int_equal(st, failed ? SM_E_MEMORY : SM_OK);
        assert_true(failed || n > 5);
    }
    assert_false(failed);
}

#define FS_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FS_TEST(written_bytes_come_back),
        FS_TEST(opening_says_what_is_wrong),
        FS_TEST(a_full_disk_has_its_own_code),
        FS_TEST(unnamed_files_leave_nothing_behind),
        FS_TEST(directories),
        FS_TEST(names_move_and_swap),
        FS_TEST(lists_are_sorted_by_bytes),
        FS_TEST(more_names_than_the_first_guess),
        FS_TEST(trees_go_but_not_what_links_point_to),
        FS_TEST(trees_too_deep_are_not_ours),
        FS_TEST(whole_files_have_a_bound),
        FS_TEST(a_lock_is_held_by_one),
        FS_TEST(standard_input_stays_open),
        FS_TEST(the_machine_has_limits),
        FS_TEST(every_fault_is_an_error),
        FS_TEST(a_close_can_lose_data),
        FS_TEST(memory_that_cannot_be_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
