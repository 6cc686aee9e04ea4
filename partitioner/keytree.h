/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of an expression: made by keyparse, typed by keytype, read by keyprogram and keycanon,
 * later by whatever inverts a key. Nodes lie in the context's arena. Nothing here runs per row.
 *
 *   salt(300, caller) + pad(caller, 15)
 *
 *   CONCAT
 *     CALL salt   children as written: 300, caller     after typing: args = caller, constants =
 * 300, murmur3 CALL pad    children as written: caller, 15      after typing: args = caller,
 * constants = 15, " ", right */
#ifndef SM_PARTITIONER_KEYTREE_H
#define SM_PARTITIONER_KEYTREE_H

#include "partitioner/expr.h"

/* Limits that keep a hostile job file harmless. */
enum {
    SM_KEY_TEXT_MAX = 65536, /* bytes of one expression */
    SM_KEY_DEPTH_MAX = 64,   /* nested parentheses, calls and `not`s */
    SM_KEY_NODES_MAX = 8192
};

/* Literals come first and conditions last: sm_node_is_literal and sm_node_is_condition rely on it.
 */
typedef enum sm_node_kind {
    SM_NODE_TEXT,     /* literal; TEXT, or BYTES when it is not valid UTF-8 */
    SM_NODE_INT,      /* literal */
    SM_NODE_DECIMAL,  /* literal */
    SM_NODE_DURATION, /* literal, ms */
    SM_NODE_TIME,     /* a text literal that was compared with a time, ms */
    SM_NODE_FIELD, /* a bare or quoted name; also a word such as `md5` where a word is expected */
    SM_NODE_CALL,
    SM_NODE_LIST,    /* right side of `in` */
    SM_NODE_MAP,     /* {"key": "value", ...}: children in pairs */
    SM_NODE_CONCAT,  /* at least two parts, none of them a CONCAT once typed */
    SM_NODE_DEFAULT, /* default(x, y) once typed */
    SM_NODE_AND,
    SM_NODE_OR,
    SM_NODE_NOT,
    SM_NODE_COMPARE, /* compare says which */
    SM_NODE_IN,      /* value, LIST */
    SM_NODE_IS_NULL
} sm_node_kind;

/* Which outcomes of a three-way comparison make it true. */
enum { SM_COMPARE_LESS = 1, SM_COMPARE_EQUAL = 2, SM_COMPARE_GREATER = 4 };

/* How the order of the results relates to the order of the first argument. */
typedef enum sm_key_order { SM_ORDER_NONE, SM_ORDER_SAME, SM_ORDER_REVERSED } sm_key_order;

/* What can be read back from the result. */
typedef enum sm_key_inverse {
    SM_INVERSE_NONE, /* nothing: hashes, salts */
    SM_INVERSE_PART, /* something: a prefix, a rounded time */
    SM_INVERSE_EXACT /* the argument itself */
} sm_key_inverse;

#define SM_WIDTH_UNKNOWN SIZE_MAX /* as a maximum: no bound is known */

struct sm_op;
struct sm_keyfn;
typedef sm_reject (*sm_op_run)(sm_eval *ev, const struct sm_op *op, sm_value *out);

/* A constant argument of a function, in the order of its signature. */
typedef struct sm_keyconst {
    sm_bytes name; /* parameter, a view of the signature */
    bool present;  /* false: optional and not given */
    bool is_default;
    const struct sm_node *at; /* what was written; NULL when it is a default */
    int64_t number;           /* int, duration in ms, index of a word */
    sm_bytes text;            /* text, or the word */
} sm_keyconst;

typedef struct sm_node {
    sm_node_kind kind;
    size_t at, end; /* where it stands in the text */
    sm_bytes text;  /* TEXT: value; FIELD, CALL: name */
    int64_t number; /* INT, DURATION, TIME */
    double real;    /* DECIMAL */
    bool quoted;    /* FIELD: written as field("...") or `...`, so it is no keyword or word */
    bool negated;   /* IN, IS_NULL */
    bool implied;   /* an argument that its function added: it is not spelled out */
    int compare;    /* COMPARE: sum of SM_COMPARE_ */
    sm_bytes argument_name; /* as a named argument: its name; else empty */
    struct sm_node **child;
    size_t child_count, child_room;

    /* ---- filled by typing
     * ------------------------------------------------------------------------ */
    sm_type type;
    sm_charset charset; /* what TEXT is known to hold: lets character functions count bytes */
    size_t min_width, max_width; /* bytes of TEXT and BYTES; maximum may be SM_WIDTH_UNKNOWN */
    bool nullable;               /* may be null when it is evaluated */
    bool strict;                 /* FIELD, CONCAT: null and empty are rejects */
    int field; /* schema index: FIELD; else the first field below, to blame, or -1 */
    const struct sm_keyfn *fn; /* CALL, DEFAULT */
    sm_key_order order;
    sm_key_inverse inverse;
    struct sm_node **args; /* CALL: value arguments, in order */
    size_t arg_count;
    const sm_keyconst *constants;
    size_t constant_count;
    sm_op_run run;        /* CALL: evaluates the args */
    const void *data;     /* for run */
    int64_t k[2];         /* for run */
    const char *expected; /* for messages about rejects: "at most 15 bytes" */
} sm_node;

static inline bool sm_node_is_literal(const sm_node *node)
{
    return node->kind <= SM_NODE_TIME;
}

static inline bool sm_node_is_condition(const sm_node *node)
{
    return node->kind >= SM_NODE_AND;
}

/* State of one compilation. */
typedef struct sm_keycompile {
    const sm_expr_context *context;
    sm_expr_use use;
    sm_bytes text;
    size_t nodes, depth;
    bool lenient; /* typing inside default(x, ...): null is looked after */
    /* While a name is replaced by its expression: */
    sm_bytes source;                   /* its text as the context has it */
    const struct sm_keycompile *outer; /* where the name stands */
    size_t depth_outer;
} sm_keycompile;

struct sm_expr {
    sm_node *root;
    sm_expr_use use;
    const struct sm_program *program;
};

/* ---- messages (keymessage.c) ----------------------------------------------------------------- */

/* "where: column N: message", then the line of the text and a mark under the place. */
sm_status sm_key_fail(const sm_keycompile *c, size_t at, sm_error *err, const char *fmt, ...)
    SM_PRINTF(4, 5);
/* What another module said about something at this place; a lack of memory stays one. */
sm_status sm_key_fail_because(const sm_keycompile *c, size_t at, const sm_error *why, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_key_fail_memory(const sm_keycompile *c, sm_error *err) SM_MUST_CHECK;
/* "an int", "text": with its article, for sentences. */
const char *sm_key_type_phrase(sm_type type);
/* How such a value gets into a key or cell, for messages: "; use u32(x), i64(x) or dec(x, width)"
 * with the name of the field or x; empty when it needs nothing. Returns out. */
const char *sm_key_encoders(const sm_node *value, sm_expr_use use, char *out, size_t size);
/* What a message calls a node: the field's name, or "this". The length for %.*s, at most 40. */
int sm_key_called(const sm_node *node, const char **name);

/* ---- tree ------------------------------------------------------------------------------------ */

sm_status sm_node_new(sm_keycompile *c, sm_node_kind kind, size_t at, sm_node **out, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_node_add(sm_keycompile *c, sm_node *parent, sm_node *child, sm_error *err)
    SM_MUST_CHECK;

/* text -> tree (keyparse.c) */
sm_status sm_key_parse(sm_keycompile *c, sm_node **out, sm_error *err) SM_MUST_CHECK;
/* Types the tree in place and checks that it fits its use (keytype.c). */
sm_status sm_key_type(sm_keycompile *c, sm_node *root, sm_error *err) SM_MUST_CHECK;
/* Types one node and what is below it. */
sm_status sm_key_type_node(sm_keycompile *c, sm_node *node, sm_error *err) SM_MUST_CHECK;
/* Arguments of a call bound to its function's signature, typed, and handed to the function
 * (keycall.c). */
sm_status sm_key_type_call(sm_keycompile *c, sm_node *node, sm_error *err) SM_MUST_CHECK;
/* Names that stand for expressions (keydefine.c): NULL when it is none; the node becomes the root
 * of the expression, typed. */
const sm_expr_define *sm_key_find_define(const sm_keycompile *c, sm_bytes name);
sm_status sm_key_type_define(sm_keycompile *c, sm_node *node, const sm_expr_define *define,
                             sm_error *err) SM_MUST_CHECK;
/* key(table) */
sm_status sm_key_type_view(sm_keycompile *c, sm_node *node, sm_error *err) SM_MUST_CHECK;
/* COMPARE, IN, IS_NULL (keycond.c) */
sm_status sm_key_type_condition(sm_keycompile *c, sm_node *node, sm_error *err) SM_MUST_CHECK;
/* A text literal becomes a TIME: RFC 3339, or a date alone for its midnight in UTC (keycond.c). */
sm_status sm_key_time_literal(const sm_keycompile *c, sm_node *node, sm_error *err) SM_MUST_CHECK;
/* A CONCAT whose parts are typed: splices nested ones, fills type and widths (keytype.c). */
sm_status sm_key_type_concat(sm_keycompile *c, sm_node *node, sm_error *err) SM_MUST_CHECK;

/* True for field names that need no quotes: identifiers that are no keyword and not `record`. */
bool sm_key_plain_name(sm_bytes name);

#endif
