/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of the key expression language. The lexer knows no keywords and no functions: `and` is a
 * name here. Decoded texts lie in the arena; every token knows where it stands, for messages. */
#ifndef SM_PARTITIONER_KEYLEX_H
#define SM_PARTITIONER_KEYLEX_H

#include "partitioner/keytree.h"

typedef enum sm_token_kind {
    SM_TOKEN_END,
    SM_TOKEN_NAME,     /* caller, and; letters, digits, _ and every byte from 0x80 */
    SM_TOKEN_QUOTED,   /* `name with spaces` */
    SM_TOKEN_TEXT,     /* "..." or '...' with its escapes undone */
    SM_TOKEN_INT,      /* 300, -5 */
    SM_TOKEN_DECIMAL,  /* 1.5, 2e9 */
    SM_TOKEN_DURATION, /* 30m: `number` holds ms */
    SM_TOKEN_SIGN      /* one of + ( ) [ ] { } , : = != < <= > >= */
} sm_token_kind;

typedef struct sm_token {
    sm_token_kind kind;
    size_t at, end; /* offsets into the expression */
    sm_bytes text;  /* NAME, QUOTED, TEXT: the value; SIGN: the sign, with = for == */
    int64_t number; /* INT, DURATION */
    double real;    /* DECIMAL */
} sm_token;

/* The token that starts at or behind *at; moves *at behind it. SM_E_EXPR with the place marked. */
sm_status sm_key_lex(const sm_keycompile *c, size_t *at, sm_token *out, sm_error *err)
    SM_MUST_CHECK;
/* The bytes are one NAME token. */
bool sm_key_identifier(sm_bytes name);

#endif
