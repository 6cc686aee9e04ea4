/* SPDX-License-Identifier: Apache-2.0 */
/* Random keys, conditions and records over the fields of support_expr.h, from small pools of values
 * so that they meet often. The same ones in every run. Tests only. */
#ifndef SM_TESTS_UNIT_SUPPORT_KEYGEN_H
#define SM_TESTS_UNIT_SUPPORT_KEYGEN_H

#include "support_expr.h"

enum { GEN_TEXT_ROOM = 4096 };

typedef struct gen_text {
    char data[GEN_TEXT_ROOM];
    size_t len;
} gen_text;

uint32_t gen_chance(uint32_t below);
#define PICK(array) (array)[gen_chance((uint32_t)(sizeof(array) / sizeof((array)[0])))]

/* A key expression over the whole language; nearly all compile. */
void gen_key(gen_text *t);
/* A condition, mostly about the fields of the key made last. */
void gen_condition(gen_text *t);
/* A new record, or the last one with another value or two: neighbours in the order of keys. */
void gen_record(expr_fixture *f, bool anew);

#endif
