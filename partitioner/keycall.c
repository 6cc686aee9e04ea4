/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the arguments of a call to its function's signature and types them; the helpers that bind
 * functions use. What a single function demands beyond its signature is said in its own file. */
#include "core/nearest.h"
#include "core/number.h"
#include "partitioner/keyfn.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A call whose arguments have been dealt out to the parameters. */
typedef struct binding {
    sm_keycompile *c;
    sm_node *node;
    sm_keyparam params[SM_KEY_PARAMS_MAX];
    size_t param_count;
    sm_node *given[SM_KEY_PARAMS_MAX]; /* by parameter; of a variadic one the first */
    size_t variadic_count;
} binding;

static sm_status usage_fail(const binding *b, size_t at, sm_error *err, const char *problem)
{
    char usage[160];
    return sm_key_fail(b->c, at, err, "%s: %s", problem,
                       sm_keysig_usage(b->node->fn, usage, sizeof usage));
}

static sm_status find_function(sm_keycompile *c, sm_node *node, sm_error *err)
{
    node->fn = sm_keyfn_find(node->text);
    if (node->fn != NULL) {
        return SM_OK;
    }
    sm_nearest nearest;
    sm_nearest_start(&nearest, node->text);
    for (size_t i = 0; i < sm_keyfn_count(); i++) {
        sm_nearest_offer(&nearest, sm_keyfn_at(i)->name);
    }
    const char *best = sm_nearest_best(&nearest);
    return sm_key_fail(c, node->at, err, "there is no function %.*s()%s%s%s", (int)node->text.len,
                       node->text.data, best != NULL ? "; did you mean " : "",
                       best != NULL ? best : "", best != NULL ? "()?" : "");
}

/* ---- dealing out ----------------------------------------------------------------------------- */

static size_t param_named(const binding *b, sm_bytes name)
{
    size_t i = 0;
    while (i < b->param_count && !sm_bytes_equal(b->params[i].name, name)) {
        i++;
    }
    return i;
}

static sm_status deal_named(binding *b, sm_node *arg, sm_error *err)
{
    const size_t i = param_named(b, arg->argument_name);
    if (i == b->param_count || b->params[i].variadic) {
        return usage_fail(b, arg->at, err, "no such named argument");
    }
    if (b->given[i] != NULL) {
        return usage_fail(b, arg->at, err, "this argument is given twice");
    }
    b->given[i] = arg;
    return SM_OK;
}

static sm_status deal_positional(binding *b, size_t *next, sm_node *arg, sm_error *err)
{
    if (*next >= b->param_count) {
        return usage_fail(b, arg->at, err, "one argument too many");
    }
    if (b->given[*next] == NULL) {
        b->given[*next] = arg;
    }
    if (b->params[*next].variadic) {
        b->variadic_count++;
    } else {
        (*next)++;
    }
    return SM_OK;
}

static sm_status deal_arguments(binding *b, sm_error *err)
{
    size_t next = 0;
    bool named = false;
    for (size_t i = 0; i < b->node->child_count; i++) {
        sm_node *arg = b->node->child[i];
        sm_status st = SM_OK;
        if (arg->argument_name.len > 0) {
            named = true;
            st = deal_named(b, arg, err);
        } else if (named) {
            st = usage_fail(b, arg->at, err, "arguments by position come before named ones");
        } else {
            st = deal_positional(b, &next, arg, err);
        }
        if (st != SM_OK) {
            return st;
        }
    }
    for (size_t i = 0; i < b->param_count; i++) {
        if (b->given[i] == NULL && !b->params[i].optional) {
            char problem[64];
            (void)snprintf(problem, sizeof problem, "the argument %.*s is missing",
                           (int)b->params[i].name.len, b->params[i].name.data);
            return usage_fail(b, b->node->at, err, problem);
        }
    }
    return SM_OK;
}

/* ---- constants ------------------------------------------------------------------------------- */

static sm_status read_word(const binding *b, const sm_keyparam *p, sm_keyconst *k, sm_error *err)
{
    const sm_node *n = k->at;
    if (n != NULL && (n->kind == SM_NODE_FIELD || n->kind == SM_NODE_TEXT)) {
        k->text = n->text;
    }
    k->number = sm_keysig_word(p->words, k->text);
    if (k->number >= 0) {
        return SM_OK;
    }
    return sm_key_fail(b->c, n != NULL ? n->at : b->node->at, err, "%.*s is one of %.*s",
                       (int)p->name.len, p->name.data, (int)p->words.len, p->words.data);
}

/* Texts in brackets; k->at is the LIST, its children typed. */
static sm_status read_list(const binding *b, const sm_keyparam *p, const sm_keyconst *k,
                           sm_error *err)
{
    sm_status st = SM_OK;
    const sm_node *list = k->at;
    if (list->kind != SM_NODE_LIST) {
        return sm_key_fail(b->c, list->at, err, "%.*s must be a list: [\"a\", \"b\"]",
                           (int)p->name.len, p->name.data);
    }
    for (size_t i = 0; st == SM_OK && i < list->child_count; i++) {
        if (list->child[i]->kind != SM_NODE_TEXT) {
            return sm_key_fail(b->c, list->child[i]->at, err, "%.*s holds \"texts\" alone",
                               (int)p->name.len, p->name.data);
        }
        st = sm_key_type_node(b->c, list->child[i], err);
    }
    return st;
}

static int order_entries(const void *a, const void *b)
{
    const sm_node *const *x = a;
    const sm_node *const *y = b;
    return sm_bytes_compare(x[0]->text, y[0]->text);
}

/* Pairs of texts in braces; k->at is the MAP, its children typed and sorted by what is looked up:
 * their order means nothing. */
static sm_status read_map(const binding *b, const sm_keyparam *p, const sm_keyconst *k,
                          sm_error *err)
{
    sm_status st = SM_OK;
    const sm_node *map = k->at;
    if (map->kind != SM_NODE_MAP) {
        return sm_key_fail(b->c, map->at, err, "%.*s must be a map: {\"CN\": \"1\", \"US\": \"2\"}",
                           (int)p->name.len, p->name.data);
    }
    for (size_t i = 0; st == SM_OK && i < map->child_count; i++) {
        if (map->child[i]->kind != SM_NODE_TEXT) {
            return sm_key_fail(b->c, map->child[i]->at, err, "%.*s holds \"texts\" alone",
                               (int)p->name.len, p->name.data);
        }
        st = sm_key_type_node(b->c, map->child[i], err);
    }
    if (st != SM_OK) {
        return st;
    }
    qsort(map->child, map->child_count / 2, 2 * sizeof map->child[0], order_entries);
    for (size_t i = 2; i < map->child_count; i += 2) {
        if (sm_bytes_equal(map->child[i]->text, map->child[i - 2]->text)) {
            return sm_key_fail(b->c, map->child[i]->at, err, "this entry stands twice");
        }
    }
    return SM_OK;
}

/* A constant that was written in the expression. */
static sm_status read_given(const binding *b, const sm_keyparam *p, sm_keyconst *k, sm_error *err)
{
    const sm_node *n = k->at;
    const char *wanted = NULL;
    switch (p->kind) {
    case SM_PARAM_WORD: return read_word(b, p, k, err);
    case SM_PARAM_INT: wanted = n->kind == SM_NODE_INT ? NULL : "a whole number"; break;
    case SM_PARAM_DURATION:
        wanted = n->kind == SM_NODE_DURATION ? NULL : "a duration such as 1h, 30m, 15s, 1d";
        break;
    case SM_PARAM_LIST: return read_list(b, p, k, err);
    case SM_PARAM_MAP: return read_map(b, p, k, err);
    case SM_PARAM_TEXT: wanted = n->kind == SM_NODE_TEXT ? NULL : "a \"text\""; break;
    case SM_PARAM_VALUE: break;
    }
    if (wanted != NULL) {
        return sm_key_fail(b->c, n->at, err, "%.*s must be %s, written out", (int)p->name.len,
                           p->name.data, wanted);
    }
    k->number = n->number;
    k->text = n->text;
    return SM_OK;
}

static sm_status read_constant(const binding *b, size_t i, sm_keyconst *k, sm_error *err)
{
    const sm_keyparam *p = &b->params[i];
    *k = (sm_keyconst){.name = p->name, .at = b->given[i]};
    k->present = k->at != NULL || p->has_preset;
    if (k->at != NULL) {
        return read_given(b, p, k, err);
    }
    k->is_default = p->has_preset;
    k->text = p->preset;
    if (p->kind == SM_PARAM_WORD && k->present) {
        return read_word(b, p, k, err);
    }
    if (p->kind == SM_PARAM_INT && k->present && !sm_parse_int(p->preset, &k->number)) {
        return sm_fail(err, SM_E_INTERNAL, "key function %s: unreadable default",
                       b->node->fn->name);
    }
    return SM_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static sm_status wrong_type(const binding *b, const sm_keyparam *p, const sm_node *arg,
                            sm_error *err)
{
    char wanted[64] = "";
    size_t len = 0;
    for (int t = SM_TYPE_TEXT; t <= SM_TYPE_TIME; t++) {
        if ((p->types & 1U << t) != 0 && len < sizeof wanted) {
            len += (size_t)snprintf(wanted + len, sizeof wanted - len, "%s%s",
                                    len > 0 ? " or " : "", sm_key_type_phrase((sm_type)t));
        }
    }
    char encoders[200] = "";
    const char *name = NULL;
    const int n = sm_key_called(arg, &name);
    if ((p->types & 1U << SM_TYPE_TEXT) != 0) {
        (void)sm_key_encoders(arg, b->c->use, encoders, sizeof encoders);
    }
    return sm_key_fail(b->c, arg->at, err, "%s() takes %s, but %.*s is %s%s", b->node->fn->name,
                       wanted, n, name, sm_key_type_phrase(arg->type), encoders);
}

static sm_status bind_value(binding *b, const sm_keyparam *p, sm_node *arg, sm_error *err)
{
    const bool outer = b->c->lenient;
    b->c->lenient = outer || p->takes_null;
    const sm_status st = sm_key_type_node(b->c, arg, err);
    b->c->lenient = outer;
    if (st != SM_OK) {
        return st;
    }
    if (arg->type == SM_TYPE_BOOL || (p->types & 1U << arg->type) == 0) {
        return wrong_type(b, p, arg, err);
    }
    b->node->args[b->node->arg_count++] = arg;
    b->node->nullable |= arg->nullable && !p->takes_null;
    if (b->node->field < 0) {
        b->node->field = arg->field;
    }
    return SM_OK;
}

/* The variadic arguments are the first one given and those behind it without a name. */
static sm_status bind_values(binding *b, size_t i, sm_error *err)
{
    const sm_keyparam *p = &b->params[i];
    if (b->given[i] == NULL) {
        return SM_OK; /* optional, and the function knows what to take instead */
    }
    if (!p->variadic) {
        return bind_value(b, p, b->given[i], err);
    }
    size_t at = 0;
    while (b->node->child[at] != b->given[i]) {
        at++;
    }
    for (size_t n = 0; n < b->variadic_count; n++) {
        const sm_status st = bind_value(b, p, b->node->child[at + n], err);
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}

static sm_status bind_params(binding *b, sm_error *err)
{
    sm_node *node = b->node;
    sm_arena *arena = b->c->context->arena;
    sm_keyconst *constants = sm_arena_array(arena, SM_KEY_PARAMS_MAX, sizeof *constants);
    node->args = sm_arena_array(arena, node->child_count + 2, sizeof(sm_node *));
    if (constants == NULL || node->args == NULL) {
        return sm_key_fail_memory(b->c, err);
    }
    node->constants = constants;
    for (size_t i = 0; i < b->param_count; i++) {
        const sm_status st = b->params[i].kind == SM_PARAM_VALUE
                                 ? bind_values(b, i, err)
                                 : read_constant(b, i, &constants[node->constant_count++], err);
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}

sm_status sm_key_type_call(sm_keycompile *c, sm_node *node, sm_error *err)
{
    if (sm_bytes_equal_text(node->text, "key")) {
        return sm_key_type_view(c, node, err);
    }
    sm_status st = find_function(c, node, err);
    if (st != SM_OK) {
        return st;
    }
    binding b = {.c = c, .node = node};
    bool bare = false;
    b.param_count = sm_keysig_parse(node->fn->signature, b.params, &bare);
    if (b.param_count == SIZE_MAX) {
        return sm_fail(err, SM_E_INTERNAL, "key function %s: unreadable signature", node->fn->name);
    }
    st = deal_arguments(&b, err);
    if (st == SM_OK) {
        st = bind_params(&b, err);
    }
    if (st != SM_OK) {
        return st;
    }
    node->order = node->fn->order;
    node->inverse = node->fn->inverse;
    node->charset = SM_CHARSET_ANY;
    return node->fn->bind(c, node, err);
}

/* ---- for bind functions ---------------------------------------------------------------------- */

const sm_keyconst *sm_key_const(const sm_node *node, const char *name)
{
    static const sm_keyconst ABSENT = {.present = false};
    for (size_t i = 0; i < node->constant_count; i++) {
        if (sm_bytes_equal_text(node->constants[i].name, name)) {
            return &node->constants[i];
        }
    }
    return &ABSENT;
}

sm_status sm_key_const_range(const sm_keycompile *c, const sm_node *node, const char *name,
                             int64_t low, int64_t high, sm_error *err)
{
    const sm_keyconst *k = sm_key_const(node, name);
    if (k->number >= low && k->number <= high) {
        return SM_OK;
    }
    return sm_key_fail(c, k->at != NULL ? k->at->at : node->at, err,
                       "%s must lie in %lld ... %lld, found %lld", name, (long long)low,
                       (long long)high, (long long)k->number);
}

sm_status sm_key_join_args(sm_keycompile *c, sm_node *node, sm_error *err)
{
    if (node->arg_count <= 1) {
        return SM_OK;
    }
    sm_node *joined = NULL;
    sm_status st = sm_node_new(c, SM_NODE_CONCAT, node->args[0]->at, &joined, err);
    for (size_t i = 0; st == SM_OK && i < node->arg_count; i++) {
        st = sm_node_add(c, joined, node->args[i], err);
    }
    if (st == SM_OK) {
        st = sm_key_type_concat(c, joined, err);
    }
    node->args[0] = joined;
    node->arg_count = 1;
    return st;
}

void sm_key_result(sm_node *node, sm_type type, size_t min_width, size_t max_width)
{
    node->type = type;
    node->min_width = min_width;
    node->max_width = max_width;
}

sm_status sm_key_expect(sm_keycompile *c, sm_node *node, sm_error *err, const char *fmt, ...)
{
    char text[160];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    node->expected = sm_arena_text(c->context->arena, text, strlen(text));
    return node->expected == NULL ? sm_key_fail_memory(c, err) : SM_OK;
}

size_t sm_key_width_sum(size_t a, size_t b)
{
    size_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? SM_WIDTH_UNKNOWN : sum;
}
