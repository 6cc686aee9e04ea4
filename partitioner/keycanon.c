/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical spelling of a typed expression. Equal spellings build equal bytes from equal
 * fields; what the fields are (types, zones, nulls) is for the job to add.
 *
 *   defaults written out, named        pad(caller, 15, fill: " ", side: right)
 *   concat() and nesting flattened     concat(a, b + c) -> a + b + c
 *   several hashed values joined       salt(300, a, b) -> salt(300, a + b, hash: murmur3)
 *   texts in "..." with \xHH           times as RFC 3339 with ms; durations in their largest whole
 * unit */
#include "partitioner/keyfn.h"

static sm_status print_node(const sm_node *node, const sm_schema *schema, sm_buf *out,
                            sm_error *err) SM_MUST_CHECK;

static sm_status print(sm_buf *out, const char *text, sm_error *err)
{
    return sm_buf_append(out, text, strlen(text), err);
}

static sm_status print_text(sm_bytes text, sm_buf *out, sm_error *err)
{
    sm_status st = print(out, "\"", err);
    for (size_t i = 0; st == SM_OK && i < text.len; i++) {
        const uint8_t b = text.data[i];
        if (b == '"' || b == '\\') {
            st = sm_buf_printf(out, err, "\\%c", b);
        } else if (b >= 0x20 && b <= 0x7e) {
            st = sm_buf_append_byte(out, b, err);
        } else {
            st = sm_buf_printf(out, err, "\\x%02X", b);
        }
    }
    return st == SM_OK ? print(out, "\"", err) : st;
}

static sm_status print_name(sm_bytes name, sm_buf *out, sm_error *err)
{
    if (sm_key_plain_name(name)) {
        return sm_buf_append(out, name.data, name.len, err);
    }
    if (memchr(name.data, '`', name.len) == NULL) {
        return sm_buf_printf(out, err, "`%.*s`", (int)name.len, name.data);
    }
    sm_status st = print(out, "field(", err);
    if (st == SM_OK) {
        st = print_text(name, out, err);
    }
    return st == SM_OK ? print(out, ")", err) : st;
}

static sm_status print_duration(int64_t ms, sm_buf *out, sm_error *err)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } UNITS[] = {{"d", 86400000}, {"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1}};
    size_t i = 0;
    while (ms % UNITS[i].ms != 0) {
        i++;
    }
    return sm_buf_printf(out, err, "%lld%s", (long long)(ms / UNITS[i].ms), UNITS[i].unit);
}

static sm_status print_time(int64_t ms, sm_buf *out, sm_error *err)
{
    sm_civil c;
    if (!sm_civil_from_ms(ms, &c)) {
        return sm_fail(err, SM_E_INTERNAL, "a time literal outside the years 1 to 9999");
    }
    return sm_buf_printf(out, err, "\"%04d-%02u-%02uT%02u:%02u:%02u.%03uZ\"", c.year, c.month,
                         c.day, c.hour, c.minute, c.second, c.milli);
}

/* Shortest digits that read back as the same double, always with a point or an exponent. */
static sm_status print_real(double real, sm_buf *out, sm_error *err)
{
    const size_t start = out->len;
    const sm_status st = sm_buf_printf(out, err, "%.17g", real);
    if (st != SM_OK) {
        return st;
    }
    const bool whole = memchr(out->data + start, '.', out->len - start) == NULL &&
                       memchr(out->data + start, 'e', out->len - start) == NULL;
    return whole ? print(out, ".0", err) : SM_OK;
}

/* `separator` between the children. */
static sm_status print_children(const sm_node *node, const char *separator, const sm_schema *schema,
                                sm_buf *out, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < node->child_count; i++) {
        if (i > 0) {
            st = print(out, separator, err);
        }
        if (st == SM_OK) {
            st = print_node(node->child[i], schema, out, err);
        }
    }
    return st;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static sm_status print_list(const sm_node *list, sm_buf *out, sm_error *err)
{
    sm_status st = print(out, "[", err);
    for (size_t i = 0; st == SM_OK && i < list->child_count; i++) {
        st = i > 0 ? print(out, ", ", err) : SM_OK;
        if (st == SM_OK) {
            st = print_text(list->child[i]->text, out, err);
        }
    }
    return st == SM_OK ? print(out, "]", err) : st;
}

static sm_status print_map(const sm_node *map, sm_buf *out, sm_error *err)
{
    sm_status st = print(out, "{", err);
    for (size_t i = 0; st == SM_OK && i < map->child_count; i++) {
        if (i > 0) {
            st = print(out, i % 2 == 0 ? ", " : ": ", err);
        }
        if (st == SM_OK) {
            st = print_text(map->child[i]->text, out, err);
        }
    }
    return st == SM_OK ? print(out, "}", err) : st;
}

static sm_status print_constant(const sm_keyparam *p, const sm_keyconst *k, sm_buf *out,
                                sm_error *err)
{
    if (p->optional) {
        const sm_status st = sm_buf_printf(out, err, "%.*s: ", (int)p->name.len, p->name.data);
        if (st != SM_OK) {
            return st;
        }
    }
    switch (p->kind) {
    case SM_PARAM_INT: return sm_buf_printf(out, err, "%lld", (long long)k->number);
    case SM_PARAM_DURATION: return print_duration(k->number, out, err);
    case SM_PARAM_TEXT: return print_text(k->text, out, err);
    case SM_PARAM_WORD: return sm_buf_append(out, k->text.data, k->text.len, err);
    case SM_PARAM_LIST: return print_list(k->at, out, err);
    case SM_PARAM_MAP: return print_map(k->at, out, err);
    case SM_PARAM_VALUE: break;
    }
    return SM_OK;
}

/* The values of one parameter from node->args[*next] on: several when it is variadic and its
 * function kept them apart. */
static sm_status print_values(const sm_node *node, bool variadic, size_t *next,
                              const sm_schema *schema, sm_buf *out, sm_error *err)
{
    const size_t end = variadic ? node->arg_count : *next + 1;
    sm_status st = print_node(node->args[(*next)++], schema, out, err);
    while (st == SM_OK && *next < end) {
        st = print(out, ", ", err);
        if (st == SM_OK) {
            st = print_node(node->args[(*next)++], schema, out, err);
        }
    }
    return st;
}

/* Where printing of a call has come to. */
typedef struct call_print {
    const sm_node *node;
    const sm_schema *schema;
    sm_buf *out;
    const char *separator;
    size_t value, constant; /* next of node->args, node->constants */
} call_print;

/* Absent: optional and not given, or added by the function itself. */
static bool is_absent(const call_print *c, const sm_keyparam *p)
{
    if (p->kind != SM_PARAM_VALUE) {
        return !c->node->constants[c->constant].present;
    }
    return c->value == c->node->arg_count || c->node->args[c->value]->implied;
}

static sm_status print_parameter(call_print *c, const sm_keyparam *p, sm_error *err)
{
    sm_status st = print(c->out, c->separator, err);
    c->separator = ", ";
    if (st != SM_OK || p->kind != SM_PARAM_VALUE) {
        return st != SM_OK ? st
                           : print_constant(p, &c->node->constants[c->constant++], c->out, err);
    }
    if (p->optional) {
        st = sm_buf_printf(c->out, err, "%.*s: ", (int)p->name.len, p->name.data);
    }
    return st == SM_OK ? print_values(c->node, p->variadic, &c->value, c->schema, c->out, err) : st;
}

/* Parameters in the order of the signature, absent ones left out. */
static sm_status print_call(const sm_node *node, const sm_schema *schema, sm_buf *out,
                            sm_error *err)
{
    sm_keyparam params[SM_KEY_PARAMS_MAX];
    bool bare = false;
    const size_t count = sm_keysig_parse(node->fn->signature, params, &bare);
    sm_status st = print(out, node->fn->name, err);
    if (bare || count > SM_KEY_PARAMS_MAX) {
        return st;
    }
    call_print c = {.node = node, .schema = schema, .out = out, .separator = "("};
    for (size_t i = 0; st == SM_OK && i < count; i++) {
        if (is_absent(&c, &params[i])) {
            c.constant += params[i].kind != SM_PARAM_VALUE;
        } else {
            st = print_parameter(&c, &params[i], err);
        }
    }
    const bool none = c.separator[0] == '(';
    return st == SM_OK ? print(out, none ? "()" : ")", err) : st;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static const char *sign_of(int compare)
{
    static const char *const SIGNS[] = {"", " < ", " = ", " <= ", " > ", " != ", " >= ", ""};
    return SIGNS[compare & 7];
}

static sm_status print_in(const sm_node *node, const sm_schema *schema, sm_buf *out, sm_error *err)
{
    sm_status st = print_node(node->child[0], schema, out, err);
    if (st == SM_OK) {
        st = print(out, node->negated ? " not in [" : " in [", err);
    }
    if (st == SM_OK) {
        st = print_children(node->child[1], ", ", schema, out, err);
    }
    return st == SM_OK ? print(out, "]", err) : st;
}

/* and, or, not and comparisons stand in parentheses, so that no precedence has to be known. */
static sm_status print_condition(const sm_node *node, const sm_schema *schema, sm_buf *out,
                                 sm_error *err)
{
    sm_status st = print(out, node->kind == SM_NODE_NOT ? "(not " : "(", err);
    if (st != SM_OK) {
        return st;
    }
    if (node->kind == SM_NODE_IN) {
        st = print_in(node, schema, out, err);
    } else {
        const char *separator = node->kind == SM_NODE_AND  ? " and "
                                : node->kind == SM_NODE_OR ? " or "
                                                           : sign_of(node->compare);
        st = print_children(node, separator, schema, out, err);
    }
    if (st == SM_OK && node->kind == SM_NODE_IS_NULL) {
        st = print(out, node->negated ? " is not null" : " is null", err);
    }
    return st == SM_OK ? print(out, ")", err) : st;
}

static sm_status print_literal(const sm_node *node, sm_buf *out, sm_error *err)
{
    switch (node->kind) {
    case SM_NODE_TEXT: return print_text(node->text, out, err);
    case SM_NODE_DECIMAL: return print_real(node->real, out, err);
    case SM_NODE_DURATION: return print_duration(node->number, out, err);
    case SM_NODE_TIME: return print_time(node->number, out, err);
    default: return sm_buf_printf(out, err, "%lld", (long long)node->number);
    }
}

static sm_status print_node(const sm_node *node, const sm_schema *schema, sm_buf *out,
                            sm_error *err)
{
    if (sm_node_is_literal(node)) {
        return print_literal(node, out, err);
    }
    switch (node->kind) {
    case SM_NODE_FIELD:
        return print_name(sm_bytes_text(schema->fields[node->field].name), out, err);
    case SM_NODE_CALL:
    case SM_NODE_DEFAULT: return print_call(node, schema, out, err);
    case SM_NODE_CONCAT: return print_children(node, " + ", schema, out, err);
    default: return print_condition(node, schema, out, err);
    }
}

sm_status sm_expr_canonical(const sm_expr *e, const sm_schema *schema, sm_buf *out, sm_error *err)
{
    return print_node(e->root, schema, out, err);
}
