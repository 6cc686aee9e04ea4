/* SPDX-License-Identifier: Apache-2.0 */
/* The writers' common face: one sink writes one file, cells of one family in HBase's order.
 *
 *   open -> add* -> finish      or at any point      abort
 *
 * A sink refuses cells out of order and shows both keys. finish writes index, bloom and trailer,
 * fsyncs and closes; abort closes and removes the file. A sink is used by one thread; different
 * sinks are independent. What is written depends on the options and the cells alone: no clock, no
 * host, no path. */
#ifndef SM_FORMATS_SINK_H
#define SM_FORMATS_SINK_H

#include "core/error.h"
#include "core/kv.h"

/* Numbers are the ordinals that an HFile's trailer stores. */
typedef enum sm_compression {
    SM_COMPRESSION_GZ = 1,
    SM_COMPRESSION_NONE = 2,
    SM_COMPRESSION_SNAPPY = 3,
    SM_COMPRESSION_LZ4 = 4,
    SM_COMPRESSION_ZSTD = 6
} sm_compression;

typedef enum sm_zstd_framing {
    SM_ZSTD_FRAMING_UNSET,
    SM_ZSTD_FRAMING_HBASE, /* hbase-compression-zstd: Hadoop block framing */
    SM_ZSTD_FRAMING_HADOOP /* Hadoop's native ZStandardCodec: bare frames */
} sm_zstd_framing;

typedef enum sm_bloom { SM_BLOOM_NONE, SM_BLOOM_ROW } sm_bloom;

/* One entry of a file's own metadata, e.g. saltmill.key_fingerprint. */
typedef struct sm_file_note {
    sm_bytes key, value;
} sm_file_note;

enum {
    SM_BLOCK_SIZE_DEFAULT = 65536,
    SM_INDEX_BLOCK_SIZE_DEFAULT = 131072,
    SM_BLOOM_BLOCK_SIZE_DEFAULT = 131072
};

typedef struct sm_sink_options {
    const char *path; /* must not exist */
    sm_compression compression;
    sm_zstd_framing zstd_framing; /* ZSTD only */
    int level;                    /* ZSTD: default 3; GZ: default 6; 0 = default */
    sm_bloom bloom;
    uint32_t block_size;       /* bytes of plain cells per data block, default 65536 */
    uint32_t index_block_size; /* bytes of one index block, default 131072 */
    uint32_t bloom_block_size; /* bytes of one bloom chunk, default 131072 */
    const sm_file_note *notes; /* written to the file's info, sorted with the rest */
    size_t note_count;
    bool tags; /* cells carry a tags field (needed for ttl) */
} sm_sink_options;

typedef struct sm_sink_summary {
    uint64_t cells, rows;
    uint64_t bytes;               /* size of the file */
    uint64_t xxh64;               /* of the whole file */
    int64_t oldest, newest;       /* cell timestamps */
    sm_bytes first_row, last_row; /* live until the sink is closed by sm_sink_close */
    unsigned index_levels;
    uint64_t data_blocks;
} sm_sink_summary;

typedef struct sm_sink sm_sink;

/* One row of formats/sinks.def. */
typedef struct sm_sink_format {
    const char *name; /* "hfile" */
    sm_status (*open)(const sm_sink_options *options, sm_sink **out, sm_error *err) SM_MUST_CHECK;
} sm_sink_format;

const sm_sink_format *sm_sink_format_named(sm_bytes name); /* NULL when there is none */

sm_status sm_sink_add(sm_sink *s, const sm_cell *cell, sm_error *err) SM_MUST_CHECK;
/* Bytes handed to the file so far (compressed): for rolling. */
uint64_t sm_sink_written(const sm_sink *s);
/* After finish the summary stays readable until sm_sink_close. */
sm_status sm_sink_finish(sm_sink *s, sm_sink_summary *out, sm_error *err) SM_MUST_CHECK;
/* Frees; a sink that was not finished is aborted: its file is removed. Takes NULL. */
void sm_sink_close(sm_sink *s);

bool sm_compression_named(sm_bytes name, sm_compression *out); /* "ZSTD", upper case */
const char *sm_compression_name(sm_compression c);

#endif
