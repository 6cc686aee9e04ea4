/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an HFile v3 block by block: for inspect and verify. Everything in the file is hostile:
 * sizes are checked before they are used. Encodings other than NONE are refused by name. Not
 * thread-safe. */
#ifndef SM_FORMATS_HFILE_READER_H
#define SM_FORMATS_HFILE_READER_H

#include "formats/sink.h"

typedef struct sm_hfile sm_hfile;

typedef struct sm_hfile_info {
    uint64_t file_size, entries, data_blocks, total_uncompressed;
    unsigned index_levels, index_root_entries;
    sm_compression compression;
    sm_zstd_framing zstd_framing; /* told from the first block; UNSET when not ZSTD */
    const char *bloom;            /* "NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH" */
    uint64_t bloom_keys, bloom_chunks;
    const char *encoding; /* DATA_BLOCK_ENCODING or "NONE" */
    bool has_tags, has_mvcc;
    int64_t oldest, newest;       /* TIMERANGE; -1 when absent */
    sm_bytes first_row, last_row; /* live as long as the reader */
    const char *comparator;
    unsigned major_version, minor_version;
} sm_hfile_info;

sm_status sm_hfile_open(const char *path, sm_hfile **out, sm_error *err) SM_MUST_CHECK;
/* The same without a look at every block's header: info's data_blocks stays 0. For seeking. */
sm_status sm_hfile_open_to_seek(const char *path, sm_hfile **out, sm_error *err) SM_MUST_CHECK;
void sm_hfile_close(sm_hfile *h); /* takes NULL */
const sm_hfile_info *sm_hfile_info_of(const sm_hfile *h);

/* File info entries in stored order; views live as long as the reader. */
size_t sm_hfile_note_count(const sm_hfile *h);
sm_file_note sm_hfile_note_at(const sm_hfile *h, size_t index);

/* Cells from the first to the last; *cell lives until the next call. */
sm_status sm_hfile_next(sm_hfile *h, sm_cell *cell, bool *more, sm_error *err) SM_MUST_CHECK;
sm_status sm_hfile_rewind(sm_hfile *h, sm_error *err) SM_MUST_CHECK;
/* The next cell will be the first one whose row is not below `row`: down the block index, one block
 * per level. */
sm_status sm_hfile_seek(sm_hfile *h, sm_bytes row, sm_error *err) SM_MUST_CHECK;
/* Index and data blocks read by seeks and walks since it was opened, and their bytes in the file.
 */
void sm_hfile_reads(const sm_hfile *h, uint64_t *blocks, uint64_t *bytes);

/* Everything at once: each block's header, checksum, size and previous-block link; the order of
 * cells; each index entry against the first cell of its block, at all levels; each row against the
 * bloom; counts and keys of the file info against the cells. SM_E_FORMAT with file and offset. */
typedef struct sm_hfile_check {
    uint64_t cells, rows, blocks;
    int64_t oldest, newest;
    uint64_t xxh64, bytes;
} sm_hfile_check;
sm_status sm_hfile_verify(const char *path, sm_hfile_check *out, sm_error *err) SM_MUST_CHECK;

#endif
