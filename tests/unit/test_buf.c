/* SPDX-License-Identifier: Apache-2.0 */
/* Growable bytes and their bound. */
#include "core/buf.h"
#include "core/fault.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void bytes_add_up(void **state)
{
    (void)state;
    sm_error err = {0};
    sm_buf b;
    sm_buf_init(&b, 1 << 20);
    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(sm_buf_append_byte(&b, (uint8_t)i, &err), SM_OK);
        assert_int_equal(sm_buf_append(&b, "xy", 2, &err), SM_OK);
    }
    assert_int_equal(sm_buf_append(&b, NULL, 0, &err), SM_OK);
    assert_int_equal(b.len, 3000);
    assert_int_equal(b.data[2997], 999 % 256);
    assert_int_equal(sm_buf_view(&b).len, 3000);
    sm_buf_clear(&b);
    assert_int_equal(b.len, 0);
    sm_buf_free(&b);
    assert_null(b.data);
    assert_int_equal(sm_buf_append(&b, "again", 5, &err), SM_OK);
    sm_buf_free(&b);
}

static void nothing_grows_past_its_maximum(void **state)
{
    (void)state;
    sm_error err = {0};
    sm_buf b;
    sm_buf_init(&b, 100);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(sm_buf_append(&b, "0123456789", 10, &err), SM_OK);
    }
    assert_int_equal(b.capacity, 100);
    assert_int_equal(sm_buf_append_byte(&b, 'x', &err), SM_E_MEMORY);
    assert_int_equal(sm_buf_reserve(&b, SIZE_MAX, NULL), SM_E_MEMORY);
    assert_int_equal(b.len, 100);
    sm_buf_free(&b);
}

static void formatted_text(void **state)
{
    (void)state;
    sm_error err = {0};
    sm_buf b;
    sm_buf_init(&b, 4096);
    assert_int_equal(sm_buf_printf(&b, &err, "%d-%s", 42, "x"), SM_OK);
    assert_int_equal(sm_buf_printf(&b, &err, "%0200d", 7), SM_OK);
    assert_int_equal(b.len, 204);
    assert_memory_equal(b.data, "42-x000", 7);
    assert_int_equal(b.data[203], '7');
    sm_buf_free(&b);
}

static void memory_that_cannot_be_had(void **state)
{
    (void)state;
    sm_error err = {0};
    sm_buf b;
    sm_buf_init(&b, 4096);
    assert_int_equal(sm_buf_append(&b, "kept", 4, &err), SM_OK);
    if (!sm_fault_plan("memory:1")) {
        sm_buf_free(&b);
        skip();
    }
    assert_int_equal(sm_buf_reserve(&b, 1000, &err), SM_E_MEMORY);
    assert_memory_equal(b.data, "kept", 4);
    (void)sm_fault_plan(NULL);
    sm_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_add_up),
        cmocka_unit_test(nothing_grows_past_its_maximum),
        cmocka_unit_test(formatted_text),
        cmocka_unit_test(memory_that_cannot_be_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
