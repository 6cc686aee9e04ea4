/* SPDX-License-Identifier: Apache-2.0 */
/* See support_uids.h. */
#include "support_uids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const uint32_t IDS[] = {1,     2,      7,        0x7f,     0x80,     0xff,
                               0x100, 0xfffe, 0x7f8081, 0x800000, 0xfffffe, 0xffffff};

static void add(uids_fixture *f, size_t dictionary, uint64_t id, const char *name)
{
    bool added = false;
    assert_int_equal(sm_uid_table_add(f->items[dictionary].table, id, sm_bytes_text(name), &added,
                                      &f->expr->err),
                     SM_OK);
    assert_true(added);
}

int uids_setup(void **state)
{
    uids_fixture *f = test_calloc(1, sizeof *f);
    char name[16];
    f->expr = expr_fixture_new();
    expr_fixture_fill(f->expr);
    f->items[0] = (sm_uid_dictionary){.name = "names", .path = "/nowhere/names.uid"};
    f->items[1] = (sm_uid_dictionary){.name = "few", .path = "/nowhere/few.uid", .assign = true};
    assert_int_equal(sm_uids_open(f->items, 2, &f->uids, &f->expr->err), SM_OK);
    for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++) {
        (void)snprintf(name, sizeof name, "id%06x", IDS[i]);
        add(f, 0, IDS[i], name);
    }
    add(f, 1, 1, "a");
    add(f, 1, 200, "b");
    f->expr->context.uids = f->uids;
    *state = f;
    return 0;
}

int uids_teardown(void **state)
{
    uids_fixture *f = *state;
    expr_fixture_free(f->expr);
    sm_uids_free(f->uids);
    test_free(f);
    return 0;
}
