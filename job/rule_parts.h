/* SPDX-License-Identifier: Apache-2.0 */
/* A rule's text taken apart: the key at its outer `+`, the lines at their `=`. Views of the text,
 * nothing allocated. Works on any text; only canonical spellings come apart in a useful way. */
#ifndef SM_JOB_RULE_PARTS_H
#define SM_JOB_RULE_PARTS_H

#include "core/bytes.h"

/* The next part of the key, *rest moves behind it and its " + "; false at the end. */
bool sm_rule_next_part(sm_bytes *rest, sm_bytes *part);
/* The next line, without its LF; false at the end. */
bool sm_rule_next_line(sm_bytes *rest, sm_bytes *line);
/* "path = value" at its first " =". False when there is none. One blank belongs to the sign. */
bool sm_rule_split_line(sm_bytes line, sm_bytes *path, sm_bytes *value);

static inline bool sm_rule_starts(sm_bytes text, const char *front)
{
    const size_t len = strlen(front);
    return text.len >= len && memcmp(text.data, front, len) == 0;
}

static inline sm_bytes sm_rule_behind(sm_bytes text, size_t len)
{
    return (sm_bytes){text.data + len, text.len - len};
}

#endif
