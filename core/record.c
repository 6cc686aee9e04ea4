/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups on the schema. */
#include "core/record.h"

static const char *const TYPE_NAMES[] = {"text", "bytes", "int", "decimal", "time", "condition"};

const char *sm_type_name(sm_type type)
{
    return (size_t)type < sizeof TYPE_NAMES / sizeof TYPE_NAMES[0] ? TYPE_NAMES[type] : "unknown";
}

int sm_schema_find(const sm_schema *s, sm_bytes name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (sm_bytes_equal_text(name, s->fields[i].name)) {
            return (int)i;
        }
    }
    return -1;
}
