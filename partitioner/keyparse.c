/* SPDX-License-Identifier: Apache-2.0 */
/* Text -> tree, by recursive descent with a depth limit. Names are not looked up here.
 *
 *   expression = and { "or" and }
 *   and        = not { "and" not }
 *   not        = "not" not | comparison
 *   comparison = sum [ sign sum | ["not"] "in" list | "is" ["not"] "null" ]
 *   sum        = primary { "+" primary }
 *   primary    = literal | name | name "(" [ argument { "," argument } ] ")" | "(" expression ")" |
 *                list | map
 *   argument   = [ name ":" ] expression
 *   list       = "[" expression { "," expression } "]"
 *   map        = "{" primary ":" primary { "," primary ":" primary } "}" */
#include "partitioner/keylex.h"

typedef struct parser {
    sm_keycompile *c;
    sm_token token; /* the next one, not yet taken */
    size_t at;      /* behind it */
} parser;

static sm_status parse_expression(parser *p, sm_node **out, sm_error *err) SM_MUST_CHECK;

static const char *const KEYWORDS[] = {"and", "in", "is", "not", "null", "or"};

static bool is_keyword(sm_bytes name)
{
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof KEYWORDS[0]; i++) {
        if (sm_bytes_equal_text(name, KEYWORDS[i])) {
            return true;
        }
    }
    return false;
}

bool sm_key_plain_name(sm_bytes name)
{
    return sm_key_identifier(name) && !is_keyword(name) && !sm_bytes_equal_text(name, "record");
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static sm_status advance(parser *p, sm_error *err)
{
    return sm_key_lex(p->c, &p->at, &p->token, err);
}

static bool at_sign(const parser *p, const char *sign)
{
    return p->token.kind == SM_TOKEN_SIGN && sm_bytes_equal_text(p->token.text, sign);
}

static bool at_word(const parser *p, const char *word)
{
    return p->token.kind == SM_TOKEN_NAME && sm_bytes_equal_text(p->token.text, word);
}

static sm_status expect_sign(parser *p, const char *sign, const char *why, sm_error *err)
{
    if (!at_sign(p, sign)) {
        return sm_key_fail(p->c, p->token.at, err, "expected %s %s", sign, why);
    }
    return advance(p, err);
}

/* The token behind the present one is the sign. Errors are left for when it is taken. */
static bool followed_by(const parser *p, const char *sign)
{
    size_t at = p->at;
    sm_token next;
    return sm_key_lex(p->c, &at, &next, NULL) == SM_OK && next.kind == SM_TOKEN_SIGN &&
           sm_bytes_equal_text(next.text, sign);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

sm_status sm_node_new(sm_keycompile *c, sm_node_kind kind, size_t at, sm_node **out, sm_error *err)
{
    *out = NULL;
    if (++c->nodes > SM_KEY_NODES_MAX) {
        return sm_key_fail(c, at, err, "the expression has more than %d parts", SM_KEY_NODES_MAX);
    }
    sm_node *n = sm_arena_array(c->context->arena, 1, sizeof *n);
    if (n == NULL) {
        return sm_key_fail_memory(c, err);
    }
    n->kind = kind;
    n->at = n->end = at;
    n->field = -1;
    *out = n;
    return SM_OK;
}

sm_status sm_node_add(sm_keycompile *c, sm_node *parent, sm_node *child, sm_error *err)
{
    if (parent->child_count == parent->child_room) {
        const size_t room = parent->child_room == 0 ? 4 : parent->child_room * 2;
        sm_node **grown = sm_arena_array(c->context->arena, room, sizeof(sm_node *));
        if (grown == NULL) {
            return sm_key_fail_memory(c, err);
        }
        for (size_t i = 0; i < parent->child_count; i++) {
            grown[i] = parent->child[i];
        }
        parent->child = grown;
        parent->child_room = room;
    }
    parent->child[parent->child_count++] = child;
    parent->end = child->end > parent->end ? child->end : parent->end;
    return SM_OK;
}

/* A new node over one child. */
static sm_status wrap(parser *p, sm_node_kind kind, sm_node *child, sm_node **out, sm_error *err)
{
    sm_status st = sm_node_new(p->c, kind, child->at, out, err);
    if (st == SM_OK) {
        st = sm_node_add(p->c, *out, child, err);
    }
    return st;
}

/* ---- primaries ------------------------------------------------------------------------------- */

static sm_status parse_literal(parser *p, sm_node_kind kind, sm_node **out, sm_error *err)
{
    const sm_token t = p->token;
    const sm_status st = sm_node_new(p->c, kind, t.at, out, err);
    if (st != SM_OK) {
        return st;
    }
    (*out)->end = t.end;
    (*out)->text = t.text;
    (*out)->number = t.number;
    (*out)->real = t.real;
    return advance(p, err);
}

/* field("name"): the token is `field`. */
static sm_status parse_field_call(parser *p, sm_node **out, sm_error *err)
{
    const size_t at = p->token.at;
    sm_status st = advance(p, err);
    if (st == SM_OK) {
        st = expect_sign(p, "(", "behind field", err);
    }
    if (st == SM_OK && p->token.kind != SM_TOKEN_TEXT) {
        return sm_key_fail(p->c, p->token.at, err,
                           "field() takes a name in quotes: field(\"name\")");
    }
    if (st == SM_OK) {
        st = parse_literal(p, SM_NODE_FIELD, out, err);
    }
    if (st == SM_OK) {
        (*out)->at = at;
        (*out)->end = p->token.end;
        (*out)->quoted = true;
        st = expect_sign(p, ")", "behind the name of the field", err);
    }
    return st;
}

static sm_status parse_argument(parser *p, sm_node *call, sm_error *err)
{
    sm_bytes name = {0};
    sm_status st = SM_OK;
    if (p->token.kind == SM_TOKEN_NAME && followed_by(p, ":")) {
        name = p->token.text;
        st = advance(p, err);
        if (st == SM_OK) {
            st = advance(p, err);
        }
    }
    sm_node *value = NULL;
    if (st == SM_OK) {
        st = parse_expression(p, &value, err);
    }
    if (st != SM_OK) {
        return st;
    }
    value->argument_name = name;
    return sm_node_add(p->c, call, value, err);
}

/* One or more arguments, up to and with the closing sign. */
static sm_status parse_arguments(parser *p, sm_node *parent, const char *close, sm_error *err)
{
    sm_status st = parse_argument(p, parent, err);
    while (st == SM_OK && at_sign(p, ",")) {
        st = advance(p, err);
        if (st == SM_OK) {
            st = parse_argument(p, parent, err);
        }
    }
    if (st != SM_OK) {
        return st;
    }
    parent->end = p->token.end;
    if (!at_sign(p, close)) {
        return sm_key_fail(p->c, p->token.at, err, "expected , or %s%s", close,
                           p->token.kind == SM_TOKEN_END ? " before the end" : " here");
    }
    return advance(p, err);
}

static sm_status parse_call(parser *p, sm_node **out, sm_error *err)
{
    const sm_token name = p->token;
    sm_status st = sm_node_new(p->c, SM_NODE_CALL, name.at, out, err);
    if (st == SM_OK) {
        (*out)->text = name.text;
        st = advance(p, err); /* the name */
    }
    if (st == SM_OK) {
        st = advance(p, err); /* ( */
    }
    if (st != SM_OK) {
        return st;
    }
    if (at_sign(p, ")")) {
        (*out)->end = p->token.end;
        return advance(p, err);
    }
    return parse_arguments(p, *out, ")", err);
}

static sm_status parse_list(parser *p, sm_node **out, sm_error *err)
{
    sm_status st = sm_node_new(p->c, SM_NODE_LIST, p->token.at, out, err);
    if (st == SM_OK) {
        st = advance(p, err);
    }
    if (st != SM_OK) {
        return st;
    }
    if (at_sign(p, "]")) {
        return sm_key_fail(p->c, (*out)->at, err, "an empty list");
    }
    return parse_arguments(p, *out, "]", err);
}

static sm_status parse_primary(parser *p, sm_node **out, sm_error *err) SM_MUST_CHECK;

static sm_status parse_entry(parser *p, sm_node *map, sm_error *err)
{
    sm_node *key = NULL;
    sm_node *value = NULL;
    sm_status st = parse_primary(p, &key, err);
    if (st == SM_OK) {
        st = expect_sign(p, ":", "behind what is looked up: {\"CN\": \"1\"}", err);
    }
    if (st == SM_OK) {
        st = parse_primary(p, &value, err);
    }
    if (st == SM_OK) {
        st = sm_node_add(p->c, map, key, err);
    }
    return st == SM_OK ? sm_node_add(p->c, map, value, err) : st;
}

/* The token is {. A map within a map is refused where the map is read, so it nests no deeper than
 * the depth allows. */
static sm_status parse_map(parser *p, sm_node **out, sm_error *err)
{
    sm_status st = sm_node_new(p->c, SM_NODE_MAP, p->token.at, out, err);
    if (st == SM_OK && ++p->c->depth > SM_KEY_DEPTH_MAX) {
        return sm_key_fail(p->c, p->token.at, err, "nested more than %d deep", SM_KEY_DEPTH_MAX);
    }
    do {
        st = st == SM_OK ? advance(p, err) : st;
        st = st == SM_OK ? parse_entry(p, *out, err) : st;
    } while (st == SM_OK && at_sign(p, ","));
    if (st != SM_OK) {
        return st;
    }
    p->c->depth--;
    (*out)->end = p->token.end;
    return expect_sign(p, "}", "or , behind an entry of the map", err);
}

static sm_status parse_name(parser *p, sm_node **out, sm_error *err)
{
    if (is_keyword(p->token.text)) {
        return sm_key_fail(
            p->c, p->token.at, err, "expected a value; a field of the name %.*s is written `%.*s`",
            (int)p->token.text.len, p->token.text.data, (int)p->token.text.len, p->token.text.data);
    }
    if (!followed_by(p, "(")) {
        return parse_literal(p, SM_NODE_FIELD, out, err);
    }
    return at_word(p, "field") ? parse_field_call(p, out, err) : parse_call(p, out, err);
}

static sm_status parse_group(parser *p, sm_node **out, sm_error *err)
{
    sm_status st = advance(p, err);
    if (st == SM_OK) {
        st = parse_expression(p, out, err);
    }
    return st == SM_OK ? expect_sign(p, ")", "to close the parenthesis", err) : st;
}

static sm_status parse_primary(parser *p, sm_node **out, sm_error *err)
{
    switch (p->token.kind) {
    case SM_TOKEN_TEXT: return parse_literal(p, SM_NODE_TEXT, out, err);
    case SM_TOKEN_INT: return parse_literal(p, SM_NODE_INT, out, err);
    case SM_TOKEN_DECIMAL: return parse_literal(p, SM_NODE_DECIMAL, out, err);
    case SM_TOKEN_DURATION: return parse_literal(p, SM_NODE_DURATION, out, err);
    case SM_TOKEN_NAME: return parse_name(p, out, err);
    case SM_TOKEN_QUOTED: {
        const sm_status st = parse_literal(p, SM_NODE_FIELD, out, err);
        if (st == SM_OK) {
            (*out)->quoted = true;
        }
        return st;
    }
    case SM_TOKEN_SIGN:
        if (at_sign(p, "(")) {
            return parse_group(p, out, err);
        }
        if (at_sign(p, "[")) {
            return parse_list(p, out, err);
        }
        if (at_sign(p, "{")) {
            return parse_map(p, out, err);
        }
        break;
    case SM_TOKEN_END: break;
    }
    return sm_key_fail(p->c, p->token.at, err,
                       "expected a value: a field, a \"text\", a number or a function");
}

/* ---- operators ------------------------------------------------------------------------------- */

static sm_status parse_sum(parser *p, sm_node **out, sm_error *err)
{
    sm_status st = parse_primary(p, out, err);
    if (st != SM_OK || !at_sign(p, "+")) {
        return st;
    }
    st = wrap(p, SM_NODE_CONCAT, *out, out, err);
    while (st == SM_OK && at_sign(p, "+")) {
        sm_node *part = NULL;
        st = advance(p, err);
        if (st == SM_OK) {
            st = parse_primary(p, &part, err);
        }
        if (st == SM_OK) {
            st = sm_node_add(p->c, *out, part, err);
        }
    }
    return st;
}

static int comparison_of(const parser *p)
{
    static const struct {
        const char *sign;
        int outcomes;
    } KNOWN[] = {
        {"=", SM_COMPARE_EQUAL},   {"!=", SM_COMPARE_LESS | SM_COMPARE_GREATER},
        {"<", SM_COMPARE_LESS},    {"<=", SM_COMPARE_LESS | SM_COMPARE_EQUAL},
        {">", SM_COMPARE_GREATER}, {">=", SM_COMPARE_GREATER | SM_COMPARE_EQUAL},
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++) {
        if (at_sign(p, KNOWN[i].sign)) {
            return KNOWN[i].outcomes;
        }
    }
    return 0;
}

static sm_status parse_is(parser *p, sm_node **out, sm_error *err)
{
    sm_status st = wrap(p, SM_NODE_IS_NULL, *out, out, err);
    if (st == SM_OK) {
        st = advance(p, err);
    }
    if (st == SM_OK && at_word(p, "not")) {
        (*out)->negated = true;
        st = advance(p, err);
    }
    if (st != SM_OK) {
        return st;
    }
    if (!at_word(p, "null")) {
        return sm_key_fail(p->c, p->token.at, err, "expected null: x is null, x is not null");
    }
    (*out)->end = p->token.end;
    return advance(p, err);
}

static sm_status parse_in(parser *p, sm_node **out, sm_error *err)
{
    sm_status st = wrap(p, SM_NODE_IN, *out, out, err);
    if (st == SM_OK && at_word(p, "not")) {
        (*out)->negated = true;
        st = advance(p, err);
    }
    if (st == SM_OK && !at_word(p, "in")) {
        return sm_key_fail(p->c, p->token.at, err, "expected in: x not in [\"a\", \"b\"]");
    }
    if (st == SM_OK) {
        st = advance(p, err);
    }
    if (st == SM_OK && !at_sign(p, "[")) {
        return sm_key_fail(p->c, p->token.at, err, "expected a list behind in: [\"a\", \"b\"]");
    }
    sm_node *list = NULL;
    if (st == SM_OK) {
        st = parse_list(p, &list, err);
    }
    return st == SM_OK ? sm_node_add(p->c, *out, list, err) : st;
}

static sm_status parse_comparison(parser *p, sm_node **out, sm_error *err)
{
    sm_status st = parse_sum(p, out, err);
    if (st != SM_OK) {
        return st;
    }
    if (at_word(p, "is")) {
        return parse_is(p, out, err);
    }
    if (at_word(p, "in") || at_word(p, "not")) {
        return parse_in(p, out, err);
    }
    const int outcomes = comparison_of(p);
    if (outcomes == 0) {
        return SM_OK;
    }
    sm_node *right = NULL;
    st = wrap(p, SM_NODE_COMPARE, *out, out, err);
    if (st == SM_OK) {
        (*out)->compare = outcomes;
        st = advance(p, err);
    }
    if (st == SM_OK) {
        st = parse_sum(p, &right, err);
    }
    if (st == SM_OK) {
        st = sm_node_add(p->c, *out, right, err);
    }
    if (st == SM_OK && comparison_of(p) != 0) {
        return sm_key_fail(p->c, p->token.at, err,
                           "comparisons cannot be chained; join them with and");
    }
    return st;
}

static sm_status parse_not(parser *p, sm_node **out, sm_error *err)
{
    if (!at_word(p, "not")) {
        return parse_comparison(p, out, err);
    }
    const size_t at = p->token.at;
    if (++p->c->depth > SM_KEY_DEPTH_MAX) {
        return sm_key_fail(p->c, at, err, "nested more than %d deep", SM_KEY_DEPTH_MAX);
    }
    sm_node *operand = NULL;
    sm_status st = advance(p, err);
    if (st == SM_OK) {
        st = parse_not(p, &operand, err);
    }
    p->c->depth--;
    if (st == SM_OK) {
        st = wrap(p, SM_NODE_NOT, operand, out, err);
    }
    if (st == SM_OK) {
        (*out)->at = at;
    }
    return st;
}

static sm_status parse_and(parser *p, sm_node **out, sm_error *err)
{
    sm_status st = parse_not(p, out, err);
    if (st != SM_OK || !at_word(p, "and")) {
        return st;
    }
    st = wrap(p, SM_NODE_AND, *out, out, err);
    while (st == SM_OK && at_word(p, "and")) {
        sm_node *next = NULL;
        st = advance(p, err);
        if (st == SM_OK) {
            st = parse_not(p, &next, err);
        }
        if (st == SM_OK) {
            st = sm_node_add(p->c, *out, next, err);
        }
    }
    return st;
}

static sm_status parse_or(parser *p, sm_node **out, sm_error *err)
{
    sm_status st = parse_and(p, out, err);
    if (st != SM_OK || !at_word(p, "or")) {
        return st;
    }
    st = wrap(p, SM_NODE_OR, *out, out, err);
    while (st == SM_OK && at_word(p, "or")) {
        sm_node *next = NULL;
        st = advance(p, err);
        if (st == SM_OK) {
            st = parse_and(p, &next, err);
        }
        if (st == SM_OK) {
            st = sm_node_add(p->c, *out, next, err);
        }
    }
    return st;
}

static sm_status parse_expression(parser *p, sm_node **out, sm_error *err)
{
    if (++p->c->depth > SM_KEY_DEPTH_MAX) {
        return sm_key_fail(p->c, p->token.at, err, "nested more than %d deep", SM_KEY_DEPTH_MAX);
    }
    const sm_status st = parse_or(p, out, err);
    p->c->depth--;
    return st;
}

sm_status sm_key_parse(sm_keycompile *c, sm_node **out, sm_error *err)
{
    *out = NULL;
    if (c->text.len > SM_KEY_TEXT_MAX) {
        return sm_key_fail(c, 0, err, "the expression has %zu bytes, at most %d are allowed",
                           c->text.len, SM_KEY_TEXT_MAX);
    }
    parser p = {.c = c};
    sm_status st = advance(&p, err);
    if (st != SM_OK) {
        return st;
    }
    if (p.token.kind == SM_TOKEN_END) {
        return sm_key_fail(c, 0, err, "the expression is empty");
    }
    st = parse_expression(&p, out, err);
    if (st == SM_OK && p.token.kind != SM_TOKEN_END) {
        return sm_key_fail(c, p.token.at, err,
                           "expected the end or an operator such as + before this");
    }
    return st;
}
