/* SPDX-License-Identifier: Apache-2.0 */
/* What a key function is. A new one is a row in key_functions.def and a bind function in its
 * family's file.
 *
 * bind is called once per call in an expression, with the arguments bound to the signature and
 * typed: node->args holds the values, node->constants the constants (sm_key_const finds one by
 * name). It checks what the signature cannot say and fills in: type, charset, min_width and
 * max_width, run, and what run needs in data and k; `expected` for the message of a reject. It need
 * not touch nullable or field.
 *
 * run is called per row (keyprogram.h). Its arguments are never null, unless the signature says so.
 */
#ifndef SM_PARTITIONER_KEYFN_H
#define SM_PARTITIONER_KEYFN_H

#include "partitioner/keyprogram.h"
#include "partitioner/keytree.h"

typedef struct sm_keyfn {
    const char *name;
    const char *family;
    sm_status (*bind)(sm_keycompile *c, sm_node *node, sm_error *err);
    sm_key_order order;
    sm_key_inverse inverse;
    const char *signature;
    const char *doc;
} sm_keyfn;

size_t sm_keyfn_count(void);
const sm_keyfn *sm_keyfn_at(size_t i);
const sm_keyfn *sm_keyfn_find(sm_bytes name); /* NULL when there is none */

#define SM_KEYFN(name, family, bind, order, inverse, signature, doc) \
    sm_status bind(sm_keycompile *c, sm_node *node, sm_error *err) SM_MUST_CHECK;
#include "partitioner/key_functions.def"
#undef SM_KEYFN

/* ---- signatures ------------------------------------------------------------------------------ */

enum { SM_KEY_PARAMS_MAX = 8 };

typedef enum sm_param_kind {
    SM_PARAM_VALUE, /* types says which */
    SM_PARAM_INT,   /* constants from here on */
    SM_PARAM_TEXT,
    SM_PARAM_DURATION,
    SM_PARAM_LIST, /* texts in brackets */
    SM_PARAM_MAP,  /* pairs of texts in braces */
    SM_PARAM_WORD
} sm_param_kind;

typedef struct sm_keyparam {
    sm_bytes name;
    sm_param_kind kind;
    unsigned types; /* VALUE: bit 1 << sm_type */
    bool takes_null, variadic, optional;
    sm_bytes words;  /* WORD: a|b|c */
    sm_bytes preset; /* default as written in the signature, quotes taken off; empty: none */
    bool has_preset;
} sm_keyparam;

/* Parameters of a signature; *bare when it takes no parentheses. Returns their number, or SIZE_MAX
 * when the row of the table is misspelt. */
size_t sm_keysig_parse(const char *signature, sm_keyparam out[SM_KEY_PARAMS_MAX], bool *bare);
/* Index of a word in words, or -1. */
int sm_keysig_word(sm_bytes words, sm_bytes word);
/* "pad(x, width[, fill][, side])", cut to size. */
const char *sm_keysig_usage(const sm_keyfn *fn, char *out, size_t size);

/* ---- for bind functions ---------------------------------------------------------------------- */

/* The constant of that name; the signature must have it. */
const sm_keyconst *sm_key_const(const sm_node *node, const char *name);
/* Its number when it lies in low ... high; else SM_E_EXPR at its place. */
sm_status sm_key_const_range(const sm_keycompile *c, const sm_node *node, const char *name,
                             int64_t low, int64_t high, sm_error *err) SM_MUST_CHECK;
/* Several value arguments become one, their concatenation. */
sm_status sm_key_join_args(sm_keycompile *c, sm_node *node, sm_error *err) SM_MUST_CHECK;
/* The type and a fixed width (0 ... width allowed by min). */
void sm_key_result(sm_node *node, sm_type type, size_t min_width, size_t max_width);
/* node->expected = formatted text. */
sm_status sm_key_expect(sm_keycompile *c, sm_node *node, sm_error *err, const char *fmt, ...)
    SM_MUST_CHECK SM_PRINTF(4, 5);
/* Saturating sum of widths. */
size_t sm_key_width_sum(size_t a, size_t b);

#endif
