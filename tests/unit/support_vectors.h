/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of expected values: lines of tab-separated cells in tests/vectors/NAME, made by the
 * scripts there. No test cases here. */
#ifndef SM_TESTS_UNIT_SUPPORT_VECTORS_H
#define SM_TESTS_UNIT_SUPPORT_VECTORS_H

#include <stddef.h>
#include <stdint.h>

/* Calls `row` with the cells of each line that does not begin with #; a line with another number of
 * cells fails the test, and so does a file that cannot be read. Returns the number of lines. */
size_t vectors_each(const char *name, size_t cells, void (*row)(char **cells, void *context),
                    void *context);
/* The cell as a number; anything else fails the test. */
int64_t vectors_number(const char *cell);

#endif
