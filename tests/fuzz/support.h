/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets share: their one entry, taking an input apart, bytes as a file, checks that
 * end the program, and a schema with a record. Nothing here knows a parser. */
#ifndef SM_TESTS_FUZZ_SUPPORT_H
#define SM_TESTS_FUZZ_SUPPORT_H

#include "core/record.h"

/* What libFuzzer and replay_main.c call. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that was broken: says so and aborts. */
void fuzz_require(bool kept, const char *promise);
static inline void fuzz_ok(sm_status st, const char *what)
{
    fuzz_require(st == SM_OK, what);
}

/* Takes bytes off the front; an input that is used up gives zeros. */
uint8_t fuzz_byte(sm_bytes *in);
/* Up to the next byte `end`, which is passed over, or all that is left. */
sm_bytes fuzz_until(sm_bytes *in, uint8_t end);

/* A path under which these bytes are read; good until the next call. */
const char *fuzz_file(sm_bytes content);

enum { FUZZ_FIELDS = 7 };
/* caller, name: text; code: digits; start: time; duration: int; cost: decimal; "odd name": text. */
extern const sm_schema fuzz_schema;
extern const int fuzz_identity[3];
/* Texts up to a NUL each for caller, name, "odd name"; numbers from bytes; a bit says null. */
void fuzz_record(sm_bytes *in, sm_value values[FUZZ_FIELDS], sm_record *out);

#endif
