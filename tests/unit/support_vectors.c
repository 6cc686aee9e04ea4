/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables of expected values. */
#include "support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_CELLS = 12, MAX_LINE = 16384 };

static size_t split(char *line, char **cells)
{
    size_t count = 0;
    char *p = line;
    while (p != NULL && count < MAX_CELLS) {
        cells[count++] = p;
        p = strchr(p, '\t');
        if (p != NULL) {
            *p++ = '\0';
        }
    }
    return count;
}

size_t vectors_each(const char *name, size_t cells, void (*row)(char **cells, void *context),
                    void *context)
{
    char path[256];
    char line[MAX_LINE];
    (void)snprintf(path, sizeof path, "tests/vectors/%s", name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail_msg("%s: cannot be opened; tests run in the source folder", path);
    }
    size_t lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *found[MAX_CELLS];
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#') {
            continue;
        }
        lines++;
        if (split(line, found) != cells) {
            fail_msg("%s:%zu: not %zu cells", path, lines, cells);
        }
        row(found, context);
    }
    (void)fclose(file);
    return lines;
}

int64_t vectors_number(const char *cell)
{
    char *end = NULL;
    const int64_t v = strtoll(cell, &end, 10);
    if (end == cell || *end != '\0') {
        fail_msg("'%s' is no number", cell);
    }
    return v;
}
