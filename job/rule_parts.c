/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a rule's text apart. */
#include "job/rule_parts.h"

/* Behind the text in quotes that begins at `at`. */
static size_t behind_quotes(sm_bytes text, size_t at)
{
    const uint8_t quote = text.data[at++];
    while (at < text.len && text.data[at] != quote) {
        at += quote == '"' && text.data[at] == '\\' ? 2 : 1;
    }
    return at < text.len ? at + 1 : text.len;
}

bool sm_rule_next_part(sm_bytes *rest, sm_bytes *part)
{
    const sm_bytes text = *rest;
    size_t depth = 0;
    size_t at = 0;
    if (text.len == 0) {
        return false;
    }
    while (at < text.len) {
        const uint8_t c = text.data[at];
        if (c == '"' || c == '`') {
            at = behind_quotes(text, at);
            continue;
        }
        if (depth == 0 && at > 0 && sm_rule_starts(sm_rule_behind(text, at), " + ")) {
            break;
        }
        depth += c == '(' || c == '[';
        depth -= depth > 0 && (c == ')' || c == ']');
        at++;
    }
    *part = sm_bytes_of(text.data, at);
    *rest = sm_rule_behind(text, at < text.len ? at + strlen(" + ") : at);
    return true;
}

bool sm_rule_next_line(sm_bytes *rest, sm_bytes *line)
{
    if (rest->len == 0) {
        return false;
    }
    const uint8_t *end = memchr(rest->data, '\n', rest->len);
    const size_t len = end == NULL ? rest->len : (size_t)(end - rest->data);
    *line = sm_bytes_of(rest->data, len);
    *rest = sm_rule_behind(*rest, end == NULL ? len : len + 1);
    return true;
}

bool sm_rule_split_line(sm_bytes line, sm_bytes *path, sm_bytes *value)
{
    for (size_t i = 1; i + 1 < line.len; i++) {
        if (line.data[i] == ' ' && line.data[i + 1] == '=' &&
            (i + 2 == line.len || line.data[i + 2] == ' ')) {
            *path = sm_bytes_of(line.data, i);
            *value = sm_rule_behind(line, i + 2 == line.len ? i + 2 : i + 3);
            return true;
        }
    }
    return false;
}
