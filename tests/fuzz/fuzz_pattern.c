/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions of a job, matched: groups lie within the subject, and a search ends. Input:
 * pattern up to a NUL, subject. */
#include "ingest/pattern.h"
#include "support.h"

#include <stdio.h>

static void groups(const sm_pattern *p, sm_bytes subject)
{
    for (size_t i = 0; i < sm_pattern_group_count(p); i++) {
        sm_bytes part;
        fuzz_require(sm_pattern_group_name(p, i)[0] != '\0', "a group has a name");
        if (sm_pattern_group(p, i, &part) && part.len != 0) {
            fuzz_require(part.data >= subject.data &&
                             part.data + part.len <= subject.data + subject.len,
                         "a group is part of the subject");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const sm_bytes text = fuzz_until(&in, 0);
    char copy[256];
    sm_pattern *p = NULL;
    sm_error err = {.code = SM_OK};
    bool found = false;
    (void)snprintf(copy, sizeof copy, "%.*s", (int)text.len, (const char *)text.data);
    if (sm_pattern_new(copy, "input.trailer", &p, &err) == SM_OK &&
        sm_pattern_match(p, in, "a line", &found, &err) == SM_OK && found) {
        groups(p, in);
    }
    sm_pattern_free(p);
    return 0;
}
