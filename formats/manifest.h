/* SPDX-License-Identifier: Apache-2.0 */
/* _manifest.json: what a dataset holds and how its numbers add up. One plain struct, written and
 * read here.
 *
 * Everything but "environment" is decided by inputs and job alone and equal for any number of
 * threads, any memory budget and any path; "environment" (paths, mtimes, limits, timings) is not.
 *
 * Sums that hold: records_read = accepted + rejected + filtered, in total and per input, where
 * records_out_of_range, written where there are any, are among the filtered; per table,
 * accepted = row_images - uid_rows + not_selected + without_cells, where uid_rows come from
 * dictionaries and not from records; per family and region cells_made = cells_written +
 * duplicates_dropped, and cells_written is the sum over its files. */
#ifndef SM_FORMATS_MANIFEST_H
#define SM_FORMATS_MANIFEST_H

#include "core/arena.h"
#include "core/buf.h"
#include "formats/sink.h"

#define SM_MANIFEST_NAME "_manifest.json"

enum { SM_MANIFEST_VERSION = 1 };

typedef struct sm_manifest_counts {
    uint64_t read, accepted, rejected, filtered;
    uint64_t out_of_range; /* of those filtered: by the time range */
} sm_manifest_counts;

typedef struct sm_manifest_input {
    sm_manifest_counts counts;
    uint64_t decoded_bytes, decoded_xxh64;
    uint64_t blank_lines, comment_lines, header_lines, extra_columns;
    uint64_t repeated_local_times, missing_local_times;
    /* environment */
    const char *path, *compression;
    uint64_t size;
    int64_t mtime_ns;
} sm_manifest_input;

typedef struct sm_manifest_cells {
    uint64_t rows; /* distinct keys with a written cell */
    uint64_t made, written, dropped, shadowed;
} sm_manifest_cells;

typedef struct sm_manifest_family {
    const char *name, *compression, *zstd_framing, *bloom; /* zstd_framing NULL: not ZSTD */
    uint64_t block_size;
    int64_t versions, ttl_s; /* 0: not said */
    sm_manifest_cells cells;
} sm_manifest_family;

typedef struct sm_manifest_region {
    uint32_t number;
    uint64_t row_images, rows;
    const sm_manifest_cells *cells; /* one per family of the table */
} sm_manifest_region;

typedef struct sm_manifest_table {
    const char *name, *key, *fingerprint, *directory;
    const char *rule;     /* the lines that the fingerprint covers; NULL: older than they */
    const char *template; /* the job's name for it, where records name their tables; else NULL */
    const sm_bytes *splits;
    size_t split_count;
    uint64_t row_images, rows, not_selected, without_cells, uid_rows;
    const sm_manifest_family *families;
    size_t family_count;
    const sm_manifest_region *regions; /* those with rows */
    size_t region_count;
} sm_manifest_table;

typedef struct sm_manifest_file {
    const char *table, *family, *path; /* path within the dataset */
    uint32_t region, number;           /* number: 0, 1 ... where a region's family rolled */
    uint64_t rows, cells, bytes, xxh64;
    int64_t oldest, newest;
    sm_bytes first_key, last_key;
} sm_manifest_file;

/* A dictionary of uid(): its first `entries` ids are those that the dataset was made with. */
typedef struct sm_manifest_uids {
    const char *name;
    uint64_t entries, xxh64;
} sm_manifest_uids;

typedef struct sm_manifest_environment {
    const char *version, *output;
    unsigned threads;
    uint64_t memory, spilled_bytes, spilled_runs, merge_passes;
    double build_seconds, merge_seconds;
} sm_manifest_environment;

typedef struct sm_manifest {
    const char *run_fingerprint, *output_format;
    sm_manifest_counts counts;
    const sm_manifest_input *inputs;
    size_t input_count;
    const uint64_t *rejects_by_code; /* SM_REJECT_COUNT long, or NULL */
    const sm_manifest_table *tables;
    size_t table_count;
    const sm_manifest_uids *uids; /* those in use */
    size_t uid_count;
    const sm_manifest_file *files;
    size_t file_count;
    sm_manifest_environment environment;
} sm_manifest;

sm_status sm_manifest_write(const sm_manifest *m, sm_buf *out, sm_error *err) SM_MUST_CHECK;

/* Reads what verify, replace and a rerun need: run_fingerprint, output_format, counts, tables
 * (name, key, fingerprint, rule, splits, families' names), uids and files. All in the arena. A file
 * that is no manifest of this version is SM_E_FORMAT; a missing one SM_E_INPUT_MISSING. */
sm_status sm_manifest_read(const char *path, sm_arena *arena, sm_manifest *out, sm_error *err)
    SM_MUST_CHECK;

#endif
