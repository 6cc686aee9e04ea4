/* SPDX-License-Identifier: Apache-2.0 */
/* Run files: sorted rows on disk, private to one process and one job.
 *
 * A file takes runs one after the other, so that one descriptor serves all runs of a writer. A run
 * is a sequence of blocks, in (table, region) order; each part (table, region) begins with a new
 * block, and the index of parts stays in memory.
 *
 *   block: | xxh64 of all that follows, 8 | raw size, 4 | stored size, 4 | kind, 1 | stored bytes |
 *   kind:  0 rows (run_record.h), 1 a piece of a payload larger than a block; little endian
 *
 * stored size == raw size: the bytes are stored as they are, else one zstd frame, level 1. */
#ifndef SM_PARTITIONER_SPILL_H
#define SM_PARTITIONER_SPILL_H

#include "core/error.h"
#include "core/stop.h"
#include "partitioner/run_record.h"
#include "partitioner/runs.h"

/* ---- files --------------------------------------------------------------------------------------
 */

typedef struct sm_spill_file sm_spill_file;
sm_status sm_spill_file_new(const char *directory, sm_spill_file **out, sm_error *err)
    SM_MUST_CHECK;
void sm_spill_file_free(sm_spill_file *f); /* takes NULL; the bytes go with it */

/* ---- runs ---------------------------------------------------------------------------------------
 */

typedef struct sm_spill_part {
    uint32_t table, region;
    uint64_t offset; /* first block; the part ends where the next begins */
} sm_spill_part;

typedef struct sm_spill_run {
    const sm_spill_file *file;
    uint64_t number;      /* counted within the file, for messages */
    sm_spill_part *parts; /* ordered; only parts that have rows */
    size_t part_count;
    uint64_t begin, end;  /* file offsets */
    size_t raw_max;       /* largest block */
    uint64_t payload_max; /* largest payload outside of a block; 0: none */
} sm_spill_run;

void sm_spill_run_free(sm_spill_run *run); /* takes NULL; the file stays */
/* Index of the part in run->parts, or part_count when the run has no such part. */
size_t sm_spill_run_find(const sm_spill_run *run, uint32_t table, uint32_t region);
static inline uint64_t sm_spill_run_part_end(const sm_spill_run *run, size_t part)
{
    return part + 1 < run->part_count ? run->parts[part + 1].offset : run->end;
}

/* ---- writing ------------------------------------------------------------------------------------
 */

typedef struct sm_spill_writer sm_spill_writer;
/* block_size: raw bytes of a full block, a power of two from 4 KiB to 256 KiB. */
sm_status sm_spill_writer_new(size_t block_size, const sm_stop *stop, sm_spill_writer **out,
                              sm_error *err) SM_MUST_CHECK;
void sm_spill_writer_free(sm_spill_writer *w); /* takes NULL */
/* What one of them holds at most, row keys longer than a block aside. */
uint64_t sm_spill_writer_memory(size_t block_size);

/* begin, then for each part: part, its rows in order; then end. After an error only free is
 * allowed. */
sm_status sm_spill_begin(sm_spill_writer *w, sm_spill_file *file, sm_error *err) SM_MUST_CHECK;
sm_status sm_spill_begin_part(sm_spill_writer *w, uint32_t table, uint32_t region, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_spill_put(sm_spill_writer *w, uint64_t order, sm_bytes key, sm_bytes payload,
                       sm_error *err) SM_MUST_CHECK;
/* The same from a record as a share holds it. */
sm_status sm_spill_put_record(sm_spill_writer *w, const uint8_t *record, size_t len, sm_error *err)
    SM_MUST_CHECK;
sm_status sm_spill_end(sm_spill_writer *w, sm_spill_run **out, sm_error *err) SM_MUST_CHECK;

/* ---- reading ------------------------------------------------------------------------------------
 */

/* What readers of one thread share: the decompressor. */
typedef struct sm_spill_reader sm_spill_reader;
sm_status sm_spill_reader_new(const sm_stop *stop, sm_spill_reader **out, sm_error *err)
    SM_MUST_CHECK;
void sm_spill_reader_free(sm_spill_reader *r); /* takes NULL */
enum { SM_SPILL_READER_MEMORY = 112 * 1024 };

typedef struct sm_spill_cursor {
    const sm_spill_run *run;
    uint64_t next, end; /* file offsets: next block, end of the part */
    uint8_t *window;    /* bytes of the file as read */
    size_t window_size, window_len;
    uint64_t window_at; /* file offset of window[0] */
    uint8_t *raw;       /* the block being read */
    size_t raw_size;
    const uint8_t *at, *raw_end; /* unread records */
} sm_spill_cursor;

void sm_spill_cursor_open(const sm_spill_run *run, size_t part, sm_spill_cursor *out);
void sm_spill_cursor_close(sm_spill_cursor *c);
/* Views live until the next call. *more = false at the end of the part. */
sm_status sm_spill_cursor_next(sm_spill_cursor *c, sm_spill_reader *r, sm_record_view *out,
                               bool *more, sm_error *err) SM_MUST_CHECK;
/* Copies an external payload of out->payload.len bytes to `to`. */
sm_status sm_spill_load(const sm_spill_cursor *c, sm_spill_reader *r, const sm_record_view *record,
                        uint8_t *to, sm_error *err) SM_MUST_CHECK;
/* What a cursor over blocks of this size holds. */
uint64_t sm_spill_cursor_memory(size_t raw_max);

#endif
