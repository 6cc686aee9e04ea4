/* SPDX-License-Identifier: Apache-2.0 */
/* Making splits in tests, and comparing them with an expected text. */
#include "tests/unit/support_splits.h"

#include "core/escape.h"
#include "core/fs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

int splits_set_up(void **state)
{
    splits_case *c = calloc(1, sizeof *c);
    *state = c;
    return c != NULL && sm_arena_new(4096, &c->arena, &c->err) == SM_OK ? 0 : -1;
}

int splits_tear_down(void **state)
{
    splits_case *c = *state;
    sm_status st = SM_OK;
    if (c->directory[0] != '\0') {
        st = sm_fs_remove_tree(c->directory, NULL);
    }
    sm_arena_free(c->arena);
    free(c);
    return st == SM_OK ? 0 : -1;
}

void splits_made(splits_case *c, const sm_split_spec *spec)
{
    const sm_status st = sm_splits_make(c->arena, spec, &c->splits, &c->err);
    if (st != SM_OK) {
        fail_msg("%s: %s", sm_status_name(st), c->err.text);
    }
    assert_non_null(c->splits);
}

void splits_refused(splits_case *c, const sm_split_spec *spec, const char *part)
{
    sm_error err = {0};
    assert_int_equal(sm_splits_make(c->arena, spec, &c->splits, &err), SM_E_SPLITS);
    assert_null(c->splits);
    if (strstr(err.text, part) == NULL) {
        fail_msg("'%s' does not stand in '%s'", part, err.text);
    }
}

void splits_keys(const splits_case *c, const char *expected)
{
    sm_error err = {0};
    sm_buf text;
    sm_buf_init(&text, 1 << 20);
    for (size_t i = 0; i < c->splits->count; i++) {
        assert_int_equal(sm_buf_append(&text, " ", i == 0 ? 0 : 1, &err), SM_OK);
        assert_int_equal(sm_escape(c->splits->keys[i], &text, &err), SM_OK);
    }
    assert_int_equal(sm_buf_append_byte(&text, '\0', &err), SM_OK);
    assert_string_equal((const char *)text.data, expected);
    sm_buf_free(&text);
}

sm_split_spec splits_file(splits_case *c, sm_bytes content)
{
    sm_file *f = NULL;
    if (c->directory[0] == '\0') {
        (void)snprintf(c->directory, sizeof c->directory, "/tmp/saltmill-test-XXXXXX");
        assert_non_null(mkdtemp(c->directory));
    }
    (void)snprintf(c->path, sizeof c->path, "%s/splits.txt", c->directory);
    assert_int_equal(sm_fs_remove_file(c->path, &c->err), SM_OK);
    assert_int_equal(sm_file_create(c->path, &f, &c->err), SM_OK);
    assert_int_equal(sm_file_write(f, content.data, content.len, &c->err), SM_OK);
    assert_int_equal(sm_file_close(&f, &c->err), SM_OK);
    return (sm_split_spec){.kind = SM_SPLITS_FILE, .where = "job", .path = c->path};
}
