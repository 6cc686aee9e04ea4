/* SPDX-License-Identifier: Apache-2.0 */
/* Writing of run files: blocks, pieces of large payloads, the index of parts. Reading is in
 * spill_read.c. */
#include "partitioner/spill.h"

#include "core/fs.h"
#include "core/mem.h"
#include "partitioner/spill_block.h"

#include <zstd.h>

enum {
    PARTS_FIRST = 16,
    LEAST_TO_COMPRESS = 64,
    /* Payloads shorter than this stay in their block even when a long key makes the block too
       large. */
    LEAST_EXTERNAL = 64
};

struct sm_spill_writer {
    size_t block_size;
    const sm_stop *stop;
    ZSTD_CCtx *zstd;
    uint8_t *raw; /* rows of the block being filled */
    size_t raw_size, raw_len;
    uint8_t *out; /* finished blocks on their way to the file */
    size_t out_size, out_len;
    sm_spill_file *file;
    sm_spill_run *run; /* being written */
    size_t parts_size;
};

/* ---- files and runs ---------------------------------------------------------------------------
 */

sm_status sm_spill_file_new(const char *directory, sm_spill_file **out, sm_error *err)
{
    *out = NULL;
    void *p;
    sm_status st = sm_new(sizeof(sm_spill_file), "a run file", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_spill_file *f = p;
    st = sm_file_create_unnamed(directory, &f->file, err);
    if (st != SM_OK) {
        sm_free(f);
        return st;
    }
    *out = f;
    return SM_OK;
}

void sm_spill_file_free(sm_spill_file *f)
{
    if (f == NULL) {
        return;
    }
    sm_file_discard(&f->file);
    sm_free(f);
}

void sm_spill_run_free(sm_spill_run *run)
{
    if (run == NULL) {
        return;
    }
    sm_free(run->parts);
    sm_free(run);
}

size_t sm_spill_run_find(const sm_spill_run *run, uint32_t table, uint32_t region)
{
    size_t low = 0;
    size_t high = run->part_count;
    const uint64_t wanted = (uint64_t)table << 32 | region;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const uint64_t here = (uint64_t)run->parts[mid].table << 32 | run->parts[mid].region;
        if (here < wanted) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low < run->part_count && run->parts[low].table == table &&
        run->parts[low].region == region) {
        return low;
    }
    return run->part_count;
}

/* ---- writer ------------------------------------------------------------------------------------
 */

/* Matches farther back than a block do not exist; a small table stays in the first-level cache. */
static sm_status set_up_zstd(ZSTD_CCtx *zstd, size_t block_size, sm_error *err)
{
    int log = 10;
    while (log < 17 && (size_t)1 << log < block_size) {
        log++;
    }
    const size_t failed[] = {
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1),
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, log),
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog, log < 14 ? log : 14),
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 0),
    };
    for (size_t i = 0; i < sizeof failed / sizeof *failed; i++) {
        if (ZSTD_isError(failed[i])) {
            return sm_fail(err, SM_E_INTERNAL, "zstd refuses the parameters of run files: %s",
                           ZSTD_getErrorName(failed[i]));
        }
    }
    return SM_OK;
}

uint64_t sm_spill_writer_memory(size_t block_size)
{
    /* The compressor's part is measured (libzstd 1.5, level 1): tables plus 4.2 bytes per raw byte.
     */
    return 64 * 1024 + block_size * 11 / 2 + block_size + SM_RECORD_SLACK +
           2 * (SM_BLOCK_HEADER + ZSTD_COMPRESSBOUND(block_size));
}

sm_status sm_spill_writer_new(size_t block_size, const sm_stop *stop, sm_spill_writer **out,
                              sm_error *err)
{
    *out = NULL;
    void *p;
    sm_status st = sm_new(sizeof(sm_spill_writer), "a run writer", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_spill_writer *w = p;
    w->block_size = block_size;
    w->stop = stop;
    w->raw_size = block_size;
    w->out_size = 2 * (SM_BLOCK_HEADER + ZSTD_compressBound(block_size));
    w->raw = sm_malloc(w->raw_size);
    w->out = sm_malloc(w->out_size);
    w->zstd = ZSTD_createCCtx();
    if (w->raw == NULL || w->out == NULL || w->zstd == NULL) {
        st = sm_fail_memory(err, sm_spill_writer_memory(block_size), "the buffers of a run writer");
    } else {
        st = set_up_zstd(w->zstd, block_size, err);
    }
    if (st != SM_OK) {
        sm_spill_writer_free(w);
        return st;
    }
    *out = w;
    return SM_OK;
}

void sm_spill_writer_free(sm_spill_writer *w)
{
    if (w == NULL) {
        return;
    }
    sm_spill_run_free(w->run);
    (void)ZSTD_freeCCtx(w->zstd);
    sm_free(w->raw);
    sm_free(w->out);
    sm_free(w);
}

static uint64_t position(const sm_spill_writer *w)
{
    return sm_file_written(w->file->file) + w->out_len;
}

static sm_status drain(sm_spill_writer *w, sm_error *err)
{
    if (w->out_len == 0) {
        return SM_OK;
    }
    const sm_status st = sm_file_write(w->file->file, w->out, w->out_len, err);
    w->out_len = 0;
    return st;
}

/* Room for `size` more bytes of finished blocks. A block larger than usual (a long key) is rare. */
static sm_status make_room(sm_spill_writer *w, size_t size, sm_error *err)
{
    if (size <= w->out_size - w->out_len) {
        return SM_OK;
    }
    const sm_status st = drain(w, err);
    if (st != SM_OK || size <= w->out_size) {
        return st;
    }
    uint8_t *larger = sm_realloc(w->out, size);
    if (larger == NULL) {
        return sm_fail_memory(err, size, "a block of a run file");
    }
    w->out = larger;
    w->out_size = size;
    return SM_OK;
}

static sm_status emit_block(sm_spill_writer *w, sm_block_kind kind, sm_bytes data, sm_error *err)
{
    const size_t bound = ZSTD_compressBound(data.len);
    const sm_status st = make_room(w, SM_BLOCK_HEADER + bound, err);
    if (st != SM_OK) {
        return st;
    }
    if (sm_stop_asked(w->stop) != 0) {
        return sm_fail(err, SM_E_INTERRUPTED, "stopped while rows were spilled");
    }
    uint8_t *block = w->out + w->out_len;
    uint8_t *stored = block + SM_BLOCK_HEADER;
    size_t stored_len = data.len;
    if (data.len >= LEAST_TO_COMPRESS) {
        stored_len = ZSTD_compress2(w->zstd, stored, bound, data.data, data.len);
        if (ZSTD_isError(stored_len)) {
            return sm_fail(err, SM_E_INTERNAL, "%s: zstd: %s", sm_file_path(w->file->file),
                           ZSTD_getErrorName(stored_len));
        }
    }
    if (stored_len >= data.len) {
        memcpy(stored, data.data, data.len);
        stored_len = data.len;
    }
    sm_store_le32(block + 8, (uint32_t)data.len);
    sm_store_le32(block + 12, (uint32_t)stored_len);
    block[16] = (uint8_t)kind;
    sm_store_le64(block, sm_xxh64(sm_bytes_of(block + 8, SM_BLOCK_HEADER - 8 + stored_len)));
    w->out_len += SM_BLOCK_HEADER + stored_len;
    if (data.len > w->run->raw_max) {
        w->run->raw_max = data.len;
    }
    return SM_OK;
}

static sm_status end_block(sm_spill_writer *w, sm_error *err)
{
    if (w->raw_len == 0) {
        return SM_OK;
    }
    const sm_bytes rows = sm_bytes_of(w->raw, w->raw_len);
    w->raw_len = 0;
    return emit_block(w, SM_BLOCK_ROWS, rows, err);
}

sm_status sm_spill_begin(sm_spill_writer *w, sm_spill_file *file, sm_error *err)
{
    void *p;
    const sm_status st = sm_new(sizeof(sm_spill_run), "a run", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_spill_run_free(w->run);
    w->run = p;
    w->file = file;
    w->raw_len = 0;
    w->out_len = 0;
    w->parts_size = 0;
    w->run->file = file;
    w->run->number = ++file->runs;
    w->run->begin = position(w);
    return SM_OK;
}

sm_status sm_spill_begin_part(sm_spill_writer *w, uint32_t table, uint32_t region, sm_error *err)
{
    sm_spill_run *run = w->run;
    const sm_status st = end_block(w, err);
    if (st != SM_OK) {
        return st;
    }
    if (run->part_count == w->parts_size) {
        const size_t size = w->parts_size == 0 ? PARTS_FIRST : w->parts_size * 2;
        sm_spill_part *parts = sm_realloc(run->parts, size * sizeof *parts);
        if (parts == NULL) {
            return sm_fail_memory(err, size * sizeof *parts, "the index of a run file");
        }
        run->parts = parts;
        w->parts_size = size;
    }
    run->parts[run->part_count++] = (sm_spill_part){table, region, position(w)};
    return SM_OK;
}

/* A row that no block of the usual size holds: its payload goes ahead in pieces, or its key makes a
 * block of its own. */
static sm_status put_large(sm_spill_writer *w, uint64_t order, sm_bytes key, sm_bytes payload,
                           sm_error *err)
{
    const bool external = payload.len >= LEAST_EXTERNAL;
    const uint64_t external_at = position(w);
    const size_t tail = external ? SM_RECORD_EXTERNAL : payload.len;
    sm_status st = SM_OK;
    for (size_t at = 0; external && at < payload.len && st == SM_OK; at += w->block_size) {
        const size_t left = payload.len - at;
        const size_t len = left < w->block_size ? left : w->block_size;
        st = emit_block(w, SM_BLOCK_PIECE, sm_bytes_of(payload.data + at, len), err);
    }
    if (st == SM_OK && w->raw_len + SM_RECORD_HEADER_MAX + key.len + tail > w->raw_size) {
        st = end_block(w, err);
    }
    if (st != SM_OK) {
        return st;
    }
    const size_t needed = SM_RECORD_HEADER_MAX + key.len + tail;
    if (needed > w->raw_size) {
        uint8_t *larger = sm_realloc(w->raw, needed);
        if (larger == NULL) {
            return sm_fail_memory(err, needed, "a row's key in a run file");
        }
        w->raw = larger;
        w->raw_size = needed;
    }
    uint8_t *p = sm_record_put(w->raw + w->raw_len, order, key, payload.len, external);
    if (external) {
        sm_store_le64(p, external_at);
        sm_store_le64(p + 8, sm_xxh64(payload));
        if (payload.len > w->run->payload_max) {
            w->run->payload_max = payload.len;
        }
    } else if (payload.len > 0) {
        memcpy(p, payload.data, payload.len);
    }
    w->raw_len = (size_t)(p - w->raw) + tail;
    return w->raw_len >= w->block_size ? end_block(w, err) : SM_OK;
}

sm_status sm_spill_put(sm_spill_writer *w, uint64_t order, sm_bytes key, sm_bytes payload,
                       sm_error *err)
{
    const size_t size = sm_record_size(key.len, payload.len);
    if (size > w->block_size) {
        return put_large(w, order, key, payload, err);
    }
    if (size > w->block_size - w->raw_len) {
        const sm_status st = end_block(w, err);
        if (st != SM_OK) {
            return st;
        }
    }
    uint8_t *p = sm_record_put(w->raw + w->raw_len, order, key, payload.len, false);
    if (payload.len > 0) {
        memcpy(p, payload.data, payload.len);
    }
    w->raw_len += size;
    return SM_OK;
}

sm_status sm_spill_put_record(sm_spill_writer *w, const uint8_t *record, size_t len, sm_error *err)
{
    if (SM_LIKELY(len <= w->block_size - w->raw_len)) {
        memcpy(w->raw + w->raw_len, record, len);
        w->raw_len += len;
        return SM_OK;
    }
    sm_record_view view;
    const uint8_t *p = record;
    if (!sm_record_get(&p, record + len, &view) || view.external) {
        return sm_fail(err, SM_E_INTERNAL, "a share of memory holds a damaged record");
    }
    return sm_spill_put(w, view.order, view.key, view.payload, err);
}

sm_status sm_spill_end(sm_spill_writer *w, sm_spill_run **out, sm_error *err)
{
    *out = NULL;
    sm_status st = end_block(w, err);
    if (st == SM_OK) {
        st = drain(w, err);
    }
    if (st != SM_OK) {
        return st;
    }
    sm_spill_run *run = w->run;
    w->run = NULL;
    run->end = position(w);
    if (run->part_count > 0 && run->part_count < w->parts_size) {
        sm_spill_part *fitting = sm_realloc(run->parts, run->part_count * sizeof *fitting);
        run->parts = fitting == NULL ? run->parts : fitting;
    }
    *out = run;
    return SM_OK;
}
