/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch directories and HFiles made from lists of cells. No test cases here. */
#ifndef SM_TESTS_UNIT_SUPPORT_HFILE_H
#define SM_TESTS_UNIT_SUPPORT_HFILE_H

#include "formats/hfile_reader.h"

typedef struct hfile_scratch {
    char directory[64];
    char path[128]; /* of the file "t" in it */
    sm_error err;
} hfile_scratch;

int hfile_set_up(void **state);
int hfile_tear_down(void **state);

/* A Put of family "f"; texts without their NUL. */
sm_cell hfile_put(const char *row, const char *qualifier, int64_t timestamp, const char *value);

/* options->path is set to the scratch file; fails the test unless all goes well. */
sm_sink_summary hfile_write(hfile_scratch *s, sm_sink_options options, const sm_cell *cells,
                            size_t count);
/* Reads the file back and compares each cell; fails the test at a difference. */
void hfile_expect(hfile_scratch *s, const sm_cell *cells, size_t count);
/* The whole file, to be freed. */
uint8_t *hfile_bytes(hfile_scratch *s, size_t *size);

#endif
