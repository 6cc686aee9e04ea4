/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the parts of a key one by one. */
#include "partitioner/keypart.h"

#include "partitioner/keyfn.h"
#include "partitioner/keyutf8.h"

enum { SPREAD_MOST = 1000000 };

static bool has_bytes(const sm_node *node)
{
    return node->type == SM_TYPE_TEXT || node->type == SM_TYPE_BYTES;
}

/* ---- ends of texts --------------------------------------------------------------------------- */

/* Characters, or bytes where those are counted; false when the text is cut inside a character. */
static bool count_units(const sm_node *x, sm_bytes text, size_t *out)
{
    if (x->type == SM_TYPE_BYTES || x->charset != SM_CHARSET_ANY) {
        *out = text.len;
        return true;
    }
    return sm_utf8_count(text, out);
}

/* left(x, n), substr(x, from, n) or right(x, n) of a bare field: how much of which end it takes. */
typedef struct cut {
    const sm_node *field;
    bool back;
    size_t skip, units; /* units: from the end of the text, skipped ones included */
} cut;

static bool read_cut(const sm_node *node, cut *out)
{
    const bool left = sm_node_calls(node, "left");
    const bool right = sm_node_calls(node, "right");
    const bool middle = sm_node_calls(node, "substr") && sm_key_const(node, "length")->present;
    if ((!left && !right && !middle) || node->args[0]->kind != SM_NODE_FIELD) {
        return false;
    }
    *out = (cut){.field = node->args[0], .back = right};
    out->skip = middle ? (size_t)sm_key_const(node, "start")->number - 1 : 0;
    out->units = out->skip + (size_t)sm_key_const(node, middle ? "length" : "n")->number;
    return true;
}

/* True when the end of x that the domain knows is all that the function looks at. */
static bool cut_is_known(const cut *k, const sm_domain *d)
{
    size_t have = 0;
    const sm_bytes end = k->back ? d->suffix : d->prefix;
    return !d->is_set && end.len > 0 && count_units(k->field, end, &have) && have >= k->units;
}

/* ---- known ----------------------------------------------------------------------------------- */

typedef struct knowing {
    const sm_keycompile *c;
    const sm_condition_facts *facts;
    sm_plan_part *part;
} knowing;

static bool stand_in(const knowing *k, const cut *taken, const sm_domain *d)
{
    const int field = taken->field->field;
    const sm_bytes end = taken->back ? d->suffix : d->prefix;
    sm_value *v = &k->part->stand_in[field];
    if (k->part->stands_in[field] && !sm_bytes_equal(v->bytes, end)) {
        return false;
    }
    k->part->stands_in[field] = true;
    *v = (sm_value){.bytes = end};
    return true;
}

static bool identity_known(const knowing *k)
{
    for (size_t i = 0; i < k->c->context->identity_count; i++) {
        if (!k->facts->domains[k->c->context->identity[i]].is_set) {
            return false;
        }
    }
    return true;
}

/* Depth is bounded by the parser. */
static bool is_known(const knowing *k, const sm_node *node)
{
    cut taken;
    if (sm_node_is_literal(node)) {
        return true;
    }
    if (node->kind == SM_NODE_FIELD) {
        return k->facts->domains[node->field].is_set;
    }
    if (read_cut(node, &taken) && !k->facts->domains[taken.field->field].is_set) {
        const sm_domain *d = &k->facts->domains[taken.field->field];
        return cut_is_known(&taken, d) && stand_in(k, &taken, d);
    }
    const bool call = node->kind == SM_NODE_CALL || node->kind == SM_NODE_DEFAULT;
    sm_node *const *below = call ? node->args : node->child;
    const size_t count = call ? node->arg_count : node->child_count;
    for (size_t i = 0; i < count; i++) {
        if (!is_known(k, below[i])) {
            return false;
        }
    }
    const bool identity = call && (count == 0 || sm_node_calls(node, "random"));
    return !identity || identity_known(k);
}

/* ---- what a part proves ---------------------------------------------------------------------- */

bool sm_charset_excludes(sm_charset charset, uint8_t byte)
{
    switch (charset) {
    case SM_CHARSET_DIGITS: return byte < '0' || byte > '9';
    case SM_CHARSET_ASCII: return byte == 0 || byte >= 0x80;
    default: return false;
    }
}

static bool is_injective(const sm_node *node)
{
    while (node->kind != SM_NODE_FIELD) {
        if (node->kind != SM_NODE_CALL || node->arg_count != 1 ||
            node->inverse != SM_INVERSE_EXACT) {
            return false;
        }
        if (sm_node_calls(node, "pad")) {
            const sm_node *x = node->args[0];
            const bool fixed = x->min_width == x->max_width;
            if (!fixed &&
                !sm_charset_excludes(x->charset, sm_key_const(node, "fill")->text.data[0])) {
                return false;
            }
        }
        node = node->args[0];
    }
    return true;
}

bool sm_node_scatters(const sm_node *node)
{
    if (node->kind == SM_NODE_CONCAT) {
        for (size_t i = 0; i < node->child_count; i++) {
            if (!sm_node_scatters(node->child[i])) {
                return false;
            }
        }
        return true;
    }
    if (node->kind != SM_NODE_CALL || node->fn == NULL) {
        return false;
    }
    if (sm_node_calls(node, "hex") || sm_node_calls(node, "left") || sm_node_calls(node, "right") ||
        sm_node_calls(node, "substr")) {
        return sm_node_scatters(node->args[0]);
    }
    const bool own = strcmp(node->fn->family, "salt") == 0 ||
                     strcmp(node->fn->family, "hash") == 0 || sm_node_calls(node, "random") ||
                     sm_node_calls(node, "pick") || sm_node_calls(node, "region_start");
    return own && !sm_node_calls(node, "record");
}

/* ---- texts ----------------------------------------------------------------------------------- */

static bool is_pure_prefix(const sm_domain *d, sm_arena *arena)
{
    sm_bytes high = {0};
    return d->prefix.len > 0 && sm_bytes_equal(d->text_low, d->prefix) &&
           sm_key_successor(arena, d->prefix, &high, NULL) == SM_OK &&
           sm_bytes_equal(high, d->text_high);
}

/* The part's bytes with the field's known end in the place of the field. */
static sm_reject run_on(const knowing *k, sm_eval *ev, sm_bytes end, sm_bytes *out, sm_error *err,
                        sm_status *st)
{
    sm_plan_part *part = k->part;
    const size_t n = k->c->context->schema->count;
    sm_value v = {0};
    part->stand_in[part->field] = (sm_value){.bytes = end};
    const sm_record record = {.values = part->stand_in, .count = n};
    sm_eval_reset(ev);
    const sm_reject r = sm_expr_run(&part->run, ev, &record, &v);
    *st = sm_eval_status(ev, err);
    if (*st != SM_OK || r != SM_REJECT_NONE || v.is_null) {
        return r == SM_REJECT_NONE ? SM_REJECT_NULL_PART : r;
    }
    const char *copy = sm_arena_text(k->c->context->arena, v.bytes.data, v.bytes.len);
    *out = sm_bytes_of(copy, v.bytes.len);
    *st = copy != NULL ? SM_OK : sm_key_fail_memory(k->c, err);
    return r;
}

/* How the text in a part relates to its field. */
typedef enum text_form {
    FORM_NONE,
    FORM_PLAIN, /* the field, perhaps filled up on the right */
    FORM_FRONT, /* what begins it depends only on what begins the field */
    FORM_BACK   /* what begins it depends only on what ends the field */
} text_form;

static text_form form_of(const sm_node *node)
{
    const sm_node *x = node->kind == SM_NODE_CALL && node->arg_count == 1 ? node->args[0] : node;
    if (x->kind != SM_NODE_FIELD || !has_bytes(x)) {
        return FORM_NONE;
    }
    if (node == x || sm_node_calls(node, "text")) {
        return FORM_PLAIN;
    }
    if (sm_node_calls(node, "pad")) {
        return sm_key_const(node, "side")->number == 0 ? FORM_PLAIN : FORM_NONE;
    }
    if (sm_node_calls(node, "reverse")) {
        return FORM_BACK;
    }
    const bool front = sm_node_calls(node, "left") || sm_node_calls(node, "hex") ||
                       (sm_node_calls(node, "substr") && sm_key_const(node, "start")->number == 1);
    return front ? FORM_FRONT : FORM_NONE;
}

/* A row whose part begins with `front` has a field of which `front` is the known end: nothing
 * behind the part can stand in for a part of it. */
static bool says_front(const sm_plan_part *part, const sm_plan_part *next, sm_bytes front)
{
    const sm_node *node = part->node;
    if (sm_node_calls(node, "pad")) {
        return front.data[front.len - 1] != sm_key_const(node, "fill")->text.data[0];
    }
    if (part->last) {
        return true;
    }
    return part->settled_end && next != NULL && next->node->kind == SM_NODE_TEXT &&
           memchr(front.data, next->node->text.data[0], front.len) == NULL;
}

static sm_status bound_front(const knowing *k, sm_eval *ev, const sm_plan_part *next, bool back,
                             sm_error *err)
{
    sm_plan_part *part = k->part;
    const sm_domain *d = &k->facts->domains[part->field];
    sm_arena *arena = k->c->context->arena;
    const sm_bytes end = back ? d->suffix : d->prefix;
    sm_status st = SM_OK;
    size_t units = 0;
    sm_bytes front = {0};
    if (end.len == 0 || !count_units(part->node->args[0], end, &units)) {
        return SM_OK;
    }
    const sm_reject r = run_on(k, ev, end, &front, err, &st);
    if (st != SM_OK || r != SM_REJECT_NONE || front.len == 0) {
        return st;
    }
    part->kind = SM_CLASS_TEXTS;
    part->low = front;
    st = sm_key_successor(arena, front, &part->end, err);
    if (says_front(part, next, front)) {
        part->says = back ? SM_CAUGHT_SUFFIX : is_pure_prefix(d, arena) ? SM_CAUGHT_RANGE : 0;
    }
    return st;
}

static sm_status bound_plain(const knowing *k, const sm_plan_part *next, sm_error *err)
{
    sm_plan_part *part = k->part;
    const sm_domain *d = &k->facts->domains[part->field];
    sm_arena *arena = k->c->context->arena;
    const bool alone = part->last && !sm_node_calls(part->node, "pad");
    part->kind = SM_CLASS_TEXTS;
    part->low = d->text_low;
    part->end = d->text_high;
    if (alone) {
        part->says = SM_CAUGHT_RANGE;
        return SM_OK;
    }
    if (is_pure_prefix(d, arena) && says_front(part, next, d->prefix)) {
        part->says = SM_CAUGHT_RANGE;
    }
    return sm_bound_before_more(arena, d->text_low, d->text_high, &part->end, err);
}

static sm_status judge_text(const knowing *k, sm_eval *ev, const sm_plan_part *next, sm_error *err)
{
    sm_plan_part *part = k->part;
    const text_form form = form_of(part->node);
    if (form == FORM_NONE) {
        return SM_OK;
    }
    part->field = part->foot.only;
    const sm_domain *d = &k->facts->domains[part->field];
    if (form == FORM_PLAIN) {
        return d->ranged ? bound_plain(k, next, err) : SM_OK;
    }
    return bound_front(k, ev, next, form == FORM_BACK, err);
}

/* ---- one part -------------------------------------------------------------------------------- */

/* left(x, 3) = "138" says that x starts with "138"; no more, and no less. */
static unsigned says_cut(const knowing *k, const sm_node *node)
{
    cut taken;
    size_t have = 0;
    if (!read_cut(node, &taken) || taken.skip != 0 || !k->part->stands_in[taken.field->field]) {
        return 0;
    }
    const sm_domain *d = &k->facts->domains[taken.field->field];
    if (!count_units(taken.field, taken.back ? d->suffix : d->prefix, &have) ||
        have != taken.units) {
        return 0;
    }
    return taken.back                                ? SM_CAUGHT_SUFFIX
           : is_pure_prefix(d, k->c->context->arena) ? SM_CAUGHT_RANGE
                                                     : 0;
}

static bool is_format(const sm_node *node)
{
    return sm_node_calls(node, "format_ts") && node->args[0]->kind == SM_NODE_FIELD &&
           sm_format_read(sm_key_const(node, "pattern")->text).known;
}

static bool judge_range(const knowing *k)
{
    sm_plan_part *part = k->part;
    const sm_domain *domains = k->facts->domains;
    if (part->monotone && domains[part->field].ranged) {
        part->kind = SM_CLASS_NUMBERS;
        return true;
    }
    if (is_format(part->node) && domains[part->foot.only].ranged) {
        part->field = part->foot.only;
        part->kind = SM_CLASS_FORMAT;
        return true;
    }
    return false;
}

static sm_status judge(const knowing *k, sm_eval *ev, const sm_plan_part *next, sm_error *err)
{
    sm_plan_part *part = k->part;
    part->kind = SM_CLASS_OPEN;
    part->injective = part->foot.only >= 0 && is_injective(part->node);
    part->scatters = sm_node_scatters(part->node);
    part->field = -1;
    bool exact = false;
    part->monotone = sm_span_chain(part->node, &part->field, &part->reversed, &exact);
    part->field = part->monotone ? part->field : -1;
    if (part->foot.count == 0 && !part->foot.odd) {
        part->kind = SM_CLASS_FIXED;
        return SM_OK;
    }
    if (!part->foot.odd && is_known(k, part->node)) {
        part->kind = SM_CLASS_KNOWN;
        part->field = part->foot.only;
        part->says = says_cut(k, part->node);
        return SM_OK;
    }
    memset(part->stands_in, 0, k->c->context->schema->count * sizeof *part->stands_in);
    if (!part->foot.odd && judge_range(k)) {
        return SM_OK;
    }
    if (!part->foot.odd && part->foot.only >= 0) {
        const sm_status st = judge_text(k, ev, next, err);
        if (st != SM_OK || part->kind != SM_CLASS_OPEN) {
            return st;
        }
    }
    const sm_status st =
        sm_spread_values(k->c, part->node, SPREAD_MOST, &part->values, &part->value_count, err);
    part->kind = part->value_count > 0 ? SM_CLASS_SPREAD : SM_CLASS_OPEN;
    return st;
}

static sm_status prepare(sm_keycompile *c, sm_plan_part *part, sm_node *node, sm_error *err)
{
    const size_t n = c->context->schema->count;
    sm_arena *arena = c->context->arena;
    part->node = node;
    part->run = (sm_expr){.root = node, .use = SM_USE_KEY};
    part->stand_in = sm_arena_array(arena, n + 1, sizeof *part->stand_in);
    part->stands_in = sm_arena_array(arena, n + 1, sizeof *part->stands_in);
    if (part->stand_in == NULL || part->stands_in == NULL) {
        return sm_key_fail_memory(c, err);
    }
    for (size_t i = 0; i < n; i++) {
        part->stand_in[i].is_null = true;
    }
    const sm_status st = sm_plan_footprint(c, node, &part->foot, err);
    return st == SM_OK ? sm_key_program(c, node, &part->run.program, err) : st;
}

/* Fixed width, the end of the key, or a literal behind it that it cannot hold. */
static bool settles(const sm_plan_part *part, const sm_node *next)
{
    if (part->last || part->node->min_width == part->node->max_width) {
        return true;
    }
    return next->kind == SM_NODE_TEXT && next->text.len > 0 && part->node->type == SM_TYPE_TEXT &&
           sm_charset_excludes(part->node->charset, next->text.data[0]);
}

sm_status sm_plan_parts_read(sm_keycompile *c, sm_eval *ev, sm_node *root,
                             const sm_condition_facts *facts, sm_plan_parts *out, sm_error *err)
{
    const bool several = root->kind == SM_NODE_CONCAT;
    sm_node *const *nodes = several ? root->child : &root;
    sm_status st = SM_OK;
    out->count = several ? root->child_count : 1;
    out->items = sm_arena_array(c->context->arena, out->count + 1, sizeof *out->items);
    if (out->items == NULL) {
        return sm_key_fail_memory(c, err);
    }
    for (size_t i = 0; st == SM_OK && i < out->count; i++) {
        sm_plan_part *part = &out->items[i];
        part->last = i + 1 == out->count;
        st = prepare(c, part, nodes[i], err);
        part->settled_end = st == SM_OK && settles(part, part->last ? NULL : nodes[i + 1]);
    }
    for (size_t i = 0; st == SM_OK && i < out->count; i++) {
        const knowing k = {c, facts, &out->items[i]};
        st = judge(&k, ev, out->items[i].last ? NULL : &out->items[i + 1], err);
    }
    return st;
}
