/* SPDX-License-Identifier: Apache-2.0 */
/* The file info: what a file says about its cells, and the caller's notes.
 *
 *   "PBUF" | length | repeated { 0a length { 0a length key | 12 length value } }, keys ascending */
#ifndef SM_FORMATS_HFILE_INFO_H
#define SM_FORMATS_HFILE_INFO_H

#include "core/kv.h"
#include "formats/hfile_block.h"
#include "formats/sink.h"

/* Gathered cell by cell. */
typedef struct sm_hfile_facts {
    uint64_t cells, rows;
    uint64_t key_bytes, value_bytes;
    int64_t oldest, newest; /* of all cells: INT64_MAX and -1 without any */
    int64_t earliest_put;   /* INT64_MAX: no put */
    bool covers_zero;       /* a marker that deletes everything up to its time */
    uint64_t delete_families;
    uint32_t most_tags; /* bytes of tags of one cell */
    uint64_t biggest;   /* 4 + cell as stored, of the first of the biggest cells */
    sm_buf biggest_key;
    sm_bytes last_key, last_row; /* filled at the end */
    bool has_bloom, has_tags;
} sm_hfile_facts;

enum { SM_HFILE_INFO_MAGIC_SIZE = 4 };
extern const uint8_t sm_hfile_info_magic[SM_HFILE_INFO_MAGIC_SIZE];

/* The caller's entries, owned. */
typedef struct sm_hfile_notes {
    sm_file_note *items; /* views into bytes */
    size_t count;
    sm_buf bytes;
} sm_hfile_notes;

/* Refuses keys that HBase would take for its own, and a key given twice: SM_E_JOB. Free in any
 * case. */
sm_status sm_hfile_notes_copy(sm_hfile_notes *out, const sm_file_note *notes, size_t count,
                              sm_error *err) SM_MUST_CHECK;
void sm_hfile_notes_free(sm_hfile_notes *n); /* takes a zeroed one */

/* The block's payload, appended to `block`. */
sm_status sm_hfile_info_append(const sm_hfile_facts *facts, const sm_hfile_notes *notes,
                               sm_buf *block, sm_error *err) SM_MUST_CHECK;

#endif
