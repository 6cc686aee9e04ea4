/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of split keys share: an arena per test, and calls that make splits or must fail.
 * No test cases here. */
#ifndef SM_TESTS_UNIT_SUPPORT_SPLITS_H
#define SM_TESTS_UNIT_SUPPORT_SPLITS_H

#include "partitioner/splits.h"

typedef struct splits_case {
    sm_arena *arena;
    sm_error err;
    const sm_splits *splits; /* of the last making */
    char directory[64];      /* scratch, empty text until splits_file is called */
    char path[128];          /* of the last file */
} splits_case;

int splits_set_up(void **state);
int splits_tear_down(void **state);

/* Makes the splits; failing fails the test. */
void splits_made(splits_case *c, const sm_split_spec *spec);
/* Must fail with SM_E_SPLITS and a message that holds `part`. */
void splits_refused(splits_case *c, const sm_split_spec *spec, const char *part);
/* The keys, escaped and joined by blanks, equal `expected`. */
void splits_keys(const splits_case *c, const char *expected);
/* A file with these bytes, and the spec that reads it. */
sm_split_spec splits_file(splits_case *c, sm_bytes content);

#endif
