/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about expressions: the place, the line and the mark below it. Also the words for types.
 */
#include "partitioner/keytree.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    LINE_SHOWN = 90, /* most characters of the line that are repeated in a message */
    LEFT_SHOWN = 60  /* of these, most to the left of the mark */
};

typedef struct excerpt {
    size_t line, column; /* from 1; columns count characters */
    size_t line_count;
    char text[4 * LINE_SHOWN + 8];
    char blanks[LINE_SHOWN + 8]; /* what stands left of the mark */
} excerpt;

static bool continues_character(uint8_t b)
{
    return (b & 0xC0) == 0x80;
}

static size_t characters(const uint8_t *data, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        n += !continues_character(data[i]);
    }
    return n;
}

/* Copies up to LINE_SHOWN characters, control bytes as blanks; returns how many stand before
 * `mark`. */
static size_t copy_line(excerpt *x, const uint8_t *from, const uint8_t *end, const uint8_t *mark)
{
    size_t shown = 0;
    size_t len = 0;
    size_t before = 0;
    for (const uint8_t *p = from; p < end && len + 1 < sizeof x->text; p++) {
        if (!continues_character(*p) && ++shown > LINE_SHOWN) {
            break;
        }
        before += p < mark && !continues_character(*p);
        x->text[len++] = *p < 0x20 || *p == 0x7f ? ' ' : (char)*p;
    }
    x->text[len] = '\0';
    return before;
}

static void cut_excerpt(sm_bytes text, size_t at, excerpt *x)
{
    size_t start = 0;
    x->line = x->line_count = 1;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\n' && i + 1 < text.len) {
            x->line_count++;
            x->line += i < at;
            start = i < at ? i + 1 : start;
        }
    }
    const uint8_t *nl = memchr(text.data + start, '\n', text.len - start);
    const uint8_t *end = nl == NULL ? text.data + text.len : nl;
    x->column = characters(text.data + start, at - start) + 1;
    const uint8_t *from = text.data + start;
    for (size_t skip = x->column > LEFT_SHOWN ? x->column - LEFT_SHOWN : 0; skip > 0; skip--) {
        for (from++; from < end && continues_character(*from); from++) {
        }
    }
    const size_t before = copy_line(x, from, end, text.data + at);
    const size_t blanks = before < sizeof x->blanks - 1 ? before : sizeof x->blanks - 1;
    memset(x->blanks, ' ', blanks);
    x->blanks[blanks] = '\0';
}

sm_status sm_key_fail(const sm_keycompile *c, size_t at, sm_error *err, const char *fmt, ...)
{
    char message[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);

    const char *where = c->context->where != NULL ? c->context->where : "expression";
    if (c->text.len == 0) {
        return sm_fail(err, SM_E_EXPR, "%s: %s", where, message);
    }
    excerpt x;
    cut_excerpt(c->text, at < c->text.len ? at : c->text.len, &x);
    if (x.line_count > 1) {
        return sm_fail(err, SM_E_EXPR, "%s: line %zu, column %zu: %s\n    %s\n    %s^", where,
                       x.line, x.column, message, x.text, x.blanks);
    }
    return sm_fail(err, SM_E_EXPR, "%s: column %zu: %s\n    %s\n    %s^", where, x.column, message,
                   x.text, x.blanks);
}

sm_status sm_key_fail_because(const sm_keycompile *c, size_t at, const sm_error *why, sm_error *err)
{
    return why->code == SM_E_MEMORY ? sm_fail(err, SM_E_MEMORY, "%s", why->text)
                                    : sm_key_fail(c, at, err, "%s", why->text);
}

sm_status sm_key_fail_memory(const sm_keycompile *c, sm_error *err)
{
    return sm_fail_memory(err, c->text.len, "a compiled expression");
}

const char *sm_key_type_phrase(sm_type type)
{
    switch (type) {
    case SM_TYPE_TEXT: return "text";
    case SM_TYPE_BYTES: return "bytes";
    case SM_TYPE_INT: return "an int";
    case SM_TYPE_DECIMAL: return "a decimal";
    case SM_TYPE_TIME: return "a time";
    case SM_TYPE_BOOL: return "a condition";
    }
    return "unknown";
}

int sm_key_called(const sm_node *node, const char **name)
{
    enum { SHOWN = 40 };
    if (node->kind != SM_NODE_FIELD) {
        *name = "this";
        return 4;
    }
    *name = (const char *)node->text.data;
    return node->text.len < SHOWN ? (int)node->text.len : SHOWN;
}

const char *sm_key_encoders(const sm_node *value, sm_expr_use use, char *out, size_t size)
{
    const bool cell = use == SM_USE_CELL;
    const char *x = "x";
    int n = 1;
    if (value->kind == SM_NODE_FIELD && sm_key_plain_name(value->text)) {
        n = sm_key_called(value, &x);
    }
    out[0] = '\0';
    switch (value->type) {
    case SM_TYPE_INT:
        (void)snprintf(out, size,
                       cell ? "; use int32be(%.*s), int64be(%.*s) or text(%.*s)"
                            : "; use u32(%.*s), i64(%.*s) or dec(%.*s, width)",
                       n, x, n, x, n, x);
        break;
    case SM_TYPE_DECIMAL:
        (void)snprintf(out, size, cell ? "; use float64be(%.*s) or text(%.*s)" : "; use f64(%.*s)",
                       n, x, n, x);
        break;
    case SM_TYPE_TIME:
        (void)snprintf(out, size,
                       cell ? "; use int64be(%.*s), text(%.*s) or format_ts(%.*s, \"...\")"
                            : "; use rev_ts(%.*s), ts(%.*s) or format_ts(%.*s, \"...\")",
                       n, x, n, x, n, x);
        break;
    case SM_TYPE_TEXT:
    case SM_TYPE_BYTES:
    case SM_TYPE_BOOL: break;
    }
    return out;
}
