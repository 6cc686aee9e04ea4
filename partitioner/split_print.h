/* SPDX-License-Identifier: Apache-2.0 */
/* Split keys as text: for HBase's SPLITS_FILE, for its shell, for other programs. What is printed
 * here is read back by SM_SPLITS_FILE (hexadecimal digits with `hex`) as the same keys. */
#ifndef SM_PARTITIONER_SPLIT_PRINT_H
#define SM_PARTITIONER_SPLIT_PRINT_H

#include "core/buf.h"
#include "partitioner/splits.h"

typedef enum sm_split_format {
    SM_SPLIT_ESCAPED, /* SPLITS_FILE: one key a line, as Bytes.toStringBinary */
    SM_SPLIT_HEX,     /* one key a line, two lower-case digits a byte */
    SM_SPLIT_SHELL,   /* SPLITS => ["030", "060"] */
    SM_SPLIT_JSON     /* array of escaped texts */
} sm_split_format;

/* "escaped", "hex", "shell", "json". */
bool sm_split_format_named(const char *name, sm_split_format *out);

sm_status sm_splits_print(const sm_splits *s, sm_split_format format, sm_buf *out, sm_error *err)
    SM_MUST_CHECK;

/* SPLITS => [...] without a line end. */
sm_status sm_splits_print_shell(const sm_splits *s, sm_buf *out, sm_error *err) SM_MUST_CHECK;
/* Bytes in double quotes for the shell; `escape` opens the two digits of a byte that cannot stand
 * for itself. */
sm_status sm_split_print_quoted(sm_bytes key, const char *escape, sm_buf *out, sm_error *err)
    SM_MUST_CHECK;

#endif
