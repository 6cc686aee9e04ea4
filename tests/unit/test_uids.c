/* SPDX-License-Identifier: Apache-2.0 */
/* Dictionaries: lookup, files whole and damaged, growth. */
#include "core/fs.h"
#include "partitioner/uids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
    char folder[64], path[96], lock[104];
    sm_error err;
} fixture;

static int setup(void **state)
{
    fixture *f = test_calloc(1, sizeof *f);
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/saltmill-uids-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    (void)snprintf(f->path, sizeof f->path, "%s/names.uid", f->folder);
    (void)snprintf(f->lock, sizeof f->lock, "%s.lock", f->path);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    assert_int_equal(sm_fs_remove_tree(f->folder, &f->err), SM_OK);
    test_free(f);
    return 0;
}

static void put(fixture *f, const char *text)
{
    sm_file *file = NULL;
    assert_int_equal(sm_fs_remove_file(f->path, &f->err), SM_OK);
    assert_int_equal(sm_file_create(f->path, &file, &f->err), SM_OK);
    assert_int_equal(sm_file_write(file, text, strlen(text), &f->err), SM_OK);
    assert_int_equal(sm_file_close(&file, &f->err), SM_OK);
}

static void assert_file(fixture *f, const char *text)
{
    sm_arena *arena = NULL;
    sm_bytes found;
    assert_int_equal(sm_arena_new(4096, &arena, &f->err), SM_OK);
    assert_int_equal(sm_fs_read_whole(f->path, 1 << 20, arena, &found, &f->err), SM_OK);
    assert_int_equal(found.len, strlen(text));
    assert_memory_equal(found.data, text, found.len);
    sm_arena_free(arena);
}

static void test_lookup(void **state)
{
    fixture *f = *state;
    sm_uid_table *t = NULL;
    char name[32];
    bool added = false;
    assert_int_equal(sm_uid_table_new(&t, &f->err), SM_OK);
    assert_null(sm_uid_table_find(t, sm_bytes_text("a")));
    for (uint64_t i = 1; i <= 5000; i++) {
        (void)snprintf(name, sizeof name, "name %llu", (unsigned long long)i);
        assert_int_equal(sm_uid_table_add(t, 3 * i, sm_bytes_text(name), &added, &f->err), SM_OK);
        assert_true(added);
    }
    for (uint64_t i = 1; i <= 5000; i++) {
        (void)snprintf(name, sizeof name, "name %llu", (unsigned long long)i);
        assert_int_equal(sm_uid_table_find(t, sm_bytes_text(name))->id, 3 * i);
        assert_true(sm_bytes_equal_text(sm_uid_table_id(t, 3 * i)->name, name));
        assert_null(sm_uid_table_id(t, 3 * i + 1));
    }
    assert_null(sm_uid_table_id(t, 0));
    assert_int_equal(sm_uid_table_add(t, 15000, sm_bytes_text("new"), &added, &f->err), SM_OK);
    assert_false(added);
    assert_int_equal(sm_uid_table_add(t, 15001, sm_bytes_text("name 1"), &added, &f->err), SM_OK);
    assert_false(added);
    sm_uid_table_free(t);
    sm_uid_table_free(NULL);
}

static void test_damage(void **state)
{
    static const struct {
        const char *text, *told;
    } cases[] = {
        {"", "line 1: expected \"saltmill uids 1\""},
        {"saltmill uids 2\nend\t0\n", "line 1"},
        {"saltmill uids 1\n", "line 2: the file is cut"},
        {"saltmill uids 1\n1\ta\n", "line 3: the file is cut"},
        {"saltmill uids 1\n1\ta\nend\t1", "line 3: the file is cut"},
        {"saltmill uids 1\n1\ta\nend\t2\n", "line 3: the number of entries"},
        {"saltmill uids 1\n1\ta\nend\t1\n2\tb\n", "line 3: the number of entries"},
        {"saltmill uids 1\n1 a\nend\t1\n", "line 2: expected an id, a tab and a name"},
        {"saltmill uids 1\n0\ta\nend\t1\n", "line 2: expected an id from 1 on"},
        {"saltmill uids 1\n01\ta\nend\t1\n", "line 2: expected an id from 1 on"},
        {"saltmill uids 1\n9223372036854775808\ta\nend\t1\n", "line 2: expected an id from 1 on"},
        {"saltmill uids 1\n1\t\nend\t1\n", "line 2: the name is empty"},
        {"saltmill uids 1\n1\t\\x0a\nend\t1\n", "line 2: a name is written as printable ASCII"},
        {"saltmill uids 1\n1\t\xc3\xa4\nend\t1\n", "line 2: a name is written as printable ASCII"},
        {"saltmill uids 1\n2\ta\n2\tb\nend\t2\n", "line 3: the id is not above"},
        {"saltmill uids 1\n1\ta\n2\ta\nend\t2\n", "line 3: the id is not above"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sm_uid_table *t = NULL;
        put(f, cases[i].text);
        sm_error_clear(&f->err);
        assert_int_equal(sm_uid_file_read(f->path, &t, &f->err), SM_E_UIDS);
        assert_null(t);
        if (strstr(f->err.text, cases[i].told) == NULL) {
            fail_msg("expected %s in %s", cases[i].told, f->err.text);
        }
        sm_error_clear(&f->err);
    }
}

static sm_uids *open_uids(fixture *f, sm_uid_dictionary *d)
{
    sm_uids *uids = NULL;
    *d = (sm_uid_dictionary){.name = "names", .path = f->path, .assign = true, .width = 1};
    assert_int_equal(sm_uids_open(d, 1, &uids, &f->err), SM_OK);
    return uids;
}

static void test_growth(void **state)
{
    fixture *f = *state;
    sm_uid_dictionary d;
    uint64_t before = 0;
    uint64_t after = 0;
    const sm_bytes first[] = {sm_bytes_text("a\tb"), sm_bytes_text("\xc3\xa4")};
    const sm_bytes second[] = {sm_bytes_text("Z"), sm_bytes_text("a\tb"), sm_bytes_text("z")};
    sm_uids *uids = open_uids(f, &d);
    assert_int_equal(sm_uids_grow(&d, first, 2, &f->err), SM_OK);
    assert_file(f, "saltmill uids 1\n1\ta\\x09b\n2\t\\xC3\\xA4\nend\t2\n");
    assert_int_equal(sm_uid_hash(&d, 2, &before, &f->err), SM_OK);
    /* Another run adds in between: its ids are kept. */
    put(f, "saltmill uids 1\n1\ta\\x09b\n2\t\\xC3\\xA4\n9\tz\nend\t3\n");
    assert_int_equal(sm_uids_grow(&d, second, 3, &f->err), SM_OK);
    assert_file(f, "saltmill uids 1\n1\ta\\x09b\n2\t\\xC3\\xA4\n9\tz\n10\tZ\nend\t4\n");
    assert_int_equal(sm_uid_of(&d, sm_bytes_text("z")), 9);
    assert_int_equal(sm_uid_of(&d, sm_bytes_text("Z")), 10);
    assert_int_equal(sm_uid_of(&d, sm_bytes_text("y")), 0);
    assert_int_equal(sm_uid_hash(&d, 2, &after, &f->err), SM_OK);
    assert_true(before == after);
    assert_int_equal(sm_uid_hash(&d, 3, &after, &f->err), SM_OK);
    assert_true(before != after);
    assert_ptr_equal(sm_uids_find(uids, sm_bytes_text("")), &d);
    assert_ptr_equal(sm_uids_find(uids, sm_bytes_text("names")), &d);
    assert_null(sm_uids_find(uids, sm_bytes_text("other")));
    assert_null(sm_uids_find(NULL, sm_bytes_text("names")));
    sm_uids_free(uids);
}

static void test_used_up(void **state)
{
    fixture *f = *state;
    sm_uid_dictionary d;
    const sm_bytes names[] = {sm_bytes_text("a"), sm_bytes_text("b")};
    put(f, "saltmill uids 1\n254\tz\nend\t1\n");
    sm_uids *uids = open_uids(f, &d);
    assert_int_equal(sm_uids_grow(&d, names, 2, &f->err), SM_E_UIDS);
    assert_non_null(strstr(f->err.text, "255 is the greatest that fits 1 bytes, and 1 names wait"));
    assert_file(f, "saltmill uids 1\n254\tz\nend\t1\n");
    assert_int_equal(sm_uid_of(&d, names[0]), 0);
    sm_error_clear(&f->err);
    assert_int_equal(sm_uids_grow(&d, names, 1, &f->err), SM_OK);
    assert_int_equal(sm_uid_of(&d, names[0]), 255);
    sm_uids_free(uids);
}

static void test_link(void **state)
{
    fixture *f = *state;
    char target[96];
    sm_uid_dictionary d;
    const sm_bytes name = sm_bytes_text("a");
    (void)snprintf(target, sizeof target, "%s/target", f->folder);
    assert_int_equal(symlink(target, f->path), 0);
    sm_uids *uids = open_uids(f, &d);
    assert_int_equal(sm_uids_grow(&d, &name, 1, &f->err), SM_E_OUTPUT);
    assert_non_null(strstr(f->err.text, "symbolic link"));
    sm_uids_free(uids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lookup, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_growth, setup, teardown),
        cmocka_unit_test_setup_teardown(test_used_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_link, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
