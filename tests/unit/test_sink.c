/* SPDX-License-Identifier: Apache-2.0 */
/* The table of output formats. */
#include "formats/sink.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void formats_by_name(void **state)
{
    (void)state;
    const sm_sink_format *f = sm_sink_format_named(sm_bytes_text("hfile"));
    assert_non_null(f);
    assert_string_equal(f->name, "hfile");
    assert_null(sm_sink_format_named(sm_bytes_text("HFILE")));
    assert_null(sm_sink_format_named(sm_bytes_text("")));
    sm_sink_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
