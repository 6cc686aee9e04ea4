/* SPDX-License-Identifier: Apache-2.0 */
/* What the writing and the reading half of run files share; nobody else includes this. */
#ifndef SM_PARTITIONER_SPILL_BLOCK_H
#define SM_PARTITIONER_SPILL_BLOCK_H

#include "core/fs.h"

#include <stdint.h>

enum { SM_BLOCK_HEADER = 17 };

typedef enum sm_block_kind { SM_BLOCK_ROWS = 0, SM_BLOCK_PIECE = 1 } sm_block_kind;

struct sm_spill_file {
    sm_file *file;
    uint64_t runs; /* begun in this file so far */
};

#endif
