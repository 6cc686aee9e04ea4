/* SPDX-License-Identifier: Apache-2.0 */
/* The table of key functions and the reading of its signatures. */
#include "partitioner/keyfn.h"

#include <stdio.h>

static const sm_keyfn TABLE[] = {
#define SM_KEYFN(name, family, bind, order, inverse, signature, doc) \
    {#name, #family, bind, SM_ORDER_##order, SM_INVERSE_##inverse, signature, doc},
#include "partitioner/key_functions.def"
#undef SM_KEYFN
};

size_t sm_keyfn_count(void)
{
    return sizeof TABLE / sizeof TABLE[0];
}

const sm_keyfn *sm_keyfn_at(size_t i)
{
    return &TABLE[i];
}

const sm_keyfn *sm_keyfn_find(sm_bytes name)
{
    for (size_t i = 0; i < sm_keyfn_count(); i++) {
        if (sm_bytes_equal_text(name, TABLE[i].name)) {
            return &TABLE[i];
        }
    }
    return NULL;
}

/* ---- signatures ------------------------------------------------------------------------------ */

/* Takes the bytes before the separator off *rest; all of it when there is none. Texts in quotes are
 * passed over. */
static sm_bytes take_until(sm_bytes *rest, const char *separator)
{
    const size_t n = strlen(separator);
    bool quoted = false;
    size_t i = 0;
    for (; i < rest->len; i++) {
        quoted ^= rest->data[i] == '"';
        if (!quoted && rest->len - i >= n && memcmp(rest->data + i, separator, n) == 0) {
            break;
        }
    }
    const sm_bytes taken = sm_bytes_of(rest->data, i);
    const size_t skip = i == rest->len ? i : i + n;
    *rest = sm_bytes_of(rest->data + skip, rest->len - skip);
    return taken;
}

static bool take_end(sm_bytes *text, const char *ending)
{
    const size_t n = strlen(ending);
    if (text->len < n || memcmp(text->data + text->len - n, ending, n) != 0) {
        return false;
    }
    text->len -= n;
    return true;
}

static const struct {
    const char *name;
    unsigned types;
} TYPE_SETS[] = {
    {"text", 1U << SM_TYPE_TEXT},
    {"bytes", 1U << SM_TYPE_BYTES},
    {"int", 1U << SM_TYPE_INT},
    {"decimal", 1U << SM_TYPE_DECIMAL},
    {"time", 1U << SM_TYPE_TIME},
    {"any", 1U << SM_TYPE_TEXT | 1U << SM_TYPE_BYTES | 1U << SM_TYPE_INT | 1U << SM_TYPE_DECIMAL |
                1U << SM_TYPE_TIME},
};

static bool read_types(sm_bytes text, sm_keyparam *p)
{
    while (text.len > 0) {
        const sm_bytes word = take_until(&text, "|");
        if (sm_bytes_equal_text(word, "null")) {
            p->takes_null = true;
            continue;
        }
        unsigned found = 0;
        for (size_t i = 0; i < sizeof TYPE_SETS / sizeof TYPE_SETS[0]; i++) {
            found |= sm_bytes_equal_text(word, TYPE_SETS[i].name) ? TYPE_SETS[i].types : 0;
        }
        if (found == 0) {
            return false;
        }
        p->types |= found;
    }
    return p->types != 0;
}

static void read_constant(sm_bytes text, sm_keyparam *p)
{
    text = sm_bytes_of(text.data + 1, text.len - 1);
    if (sm_bytes_equal_text(text, "int")) {
        p->kind = SM_PARAM_INT;
    } else if (sm_bytes_equal_text(text, "text")) {
        p->kind = SM_PARAM_TEXT;
    } else if (sm_bytes_equal_text(text, "duration")) {
        p->kind = SM_PARAM_DURATION;
    } else if (sm_bytes_equal_text(text, "list")) {
        p->kind = SM_PARAM_LIST;
    } else if (sm_bytes_equal_text(text, "map")) {
        p->kind = SM_PARAM_MAP;
    } else {
        p->kind = SM_PARAM_WORD;
        p->words = text;
    }
}

static bool read_param(sm_bytes text, sm_keyparam *p)
{
    *p = (sm_keyparam){0};
    sm_bytes kind = take_until(&text, " = ");
    p->preset = text;
    p->has_preset = text.len > 0;
    if (text.len >= 2 && text.data[0] == '"') {
        p->preset = sm_bytes_of(text.data + 1, text.len - 2);
    }
    p->name = take_until(&kind, " ");
    p->optional = take_end(&kind, "?") || p->has_preset;
    p->variadic = take_end(&kind, "...");
    if (kind.len == 0) {
        return false;
    }
    if (kind.data[0] == '#') {
        read_constant(kind, p);
        return true;
    }
    return read_types(kind, p);
}

size_t sm_keysig_parse(const char *signature, sm_keyparam out[SM_KEY_PARAMS_MAX], bool *bare)
{
    sm_bytes rest = sm_bytes_text(signature);
    *bare = sm_bytes_equal_text(rest, "bare");
    size_t count = 0;
    while (!*bare && rest.len > 0) {
        if (count == SM_KEY_PARAMS_MAX || !read_param(take_until(&rest, ", "), &out[count++])) {
            return SIZE_MAX;
        }
    }
    return count;
}

int sm_keysig_word(sm_bytes words, sm_bytes word)
{
    for (int i = 0; words.len > 0; i++) {
        if (sm_bytes_equal(take_until(&words, "|"), word)) {
            return i;
        }
    }
    return -1;
}

const char *sm_keysig_usage(const sm_keyfn *fn, char *out, size_t size)
{
    sm_keyparam params[SM_KEY_PARAMS_MAX];
    bool bare = false;
    const size_t count = sm_keysig_parse(fn->signature, params, &bare);
    size_t len = (size_t)snprintf(out, size, bare ? "%s" : "%s(", fn->name);
    for (size_t i = 0; i < count && count <= SM_KEY_PARAMS_MAX && len < size; i++) {
        const sm_keyparam *p = &params[i];
        len += (size_t)snprintf(out + len, size - len, "%s%s%.*s%s%s", p->optional ? "[" : "",
                                i > 0 ? ", " : "", (int)p->name.len, p->name.data,
                                p->variadic ? ", ..." : "", p->optional ? "]" : "");
    }
    if (!bare && len + 1 < size) {
        out[len] = ')';
        out[len + 1] = '\0';
    }
    return out;
}
