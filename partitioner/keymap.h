/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a map() call, for what inverts and plans it. */
#ifndef SM_PARTITIONER_KEYMAP_H
#define SM_PARTITIONER_KEYMAP_H

#include "partitioner/keytree.h"

typedef struct sm_map_entry {
    sm_bytes from, to;
} sm_map_entry;

/* node->data of a map() call. */
typedef struct sm_map {
    size_t count;
    bool has_other;  /* else: given */
    bool null_other; /* inside default(): what is not listed is null */
    sm_bytes other;
    sm_map_entry entry[]; /* by `from`, each once */
} sm_map;

#endif
