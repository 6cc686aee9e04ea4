/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of run files: blocks are checked against their xxh64 before anything in them is believed.
 * Reads go by offset, so that all threads share a file's one descriptor. */
#include "core/fs.h"
#include "core/mem.h"
#include "partitioner/spill.h"
#include "partitioner/spill_block.h"

#include <zstd.h>

#include <inttypes.h>

struct sm_spill_reader {
    ZSTD_DCtx *zstd;
    const sm_stop *stop;
    uint8_t *piece; /* one stored block, for payloads outside of blocks */
    size_t piece_size;
};

typedef struct block {
    uint64_t offset; /* in the file */
    size_t raw, stored;
    sm_block_kind kind;
} block;

sm_status sm_spill_reader_new(const sm_stop *stop, sm_spill_reader **out, sm_error *err)
{
    *out = NULL;
    void *p;
    const sm_status st = sm_new(sizeof(sm_spill_reader), "a run reader", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_spill_reader *r = p;
    r->stop = stop;
    r->zstd = ZSTD_createDCtx();
    if (r->zstd == NULL) {
        sm_free(r);
        return sm_fail_memory(err, SM_SPILL_READER_MEMORY, "the decompressor of run files");
    }
    *out = r;
    return SM_OK;
}

void sm_spill_reader_free(sm_spill_reader *r)
{
    if (r == NULL) {
        return;
    }
    (void)ZSTD_freeDCtx(r->zstd);
    sm_free(r->piece);
    sm_free(r);
}

static size_t stored_max(const sm_spill_run *run)
{
    return SM_BLOCK_HEADER + run->raw_max;
}

uint64_t sm_spill_cursor_memory(size_t raw_max)
{
    return sizeof(sm_spill_cursor) + 2 * (uint64_t)raw_max + SM_BLOCK_HEADER + SM_RECORD_SLACK;
}

void sm_spill_cursor_open(const sm_spill_run *run, size_t part, sm_spill_cursor *out)
{
    *out = (sm_spill_cursor){
        .run = run, .next = run->parts[part].offset, .end = sm_spill_run_part_end(run, part)};
}

void sm_spill_cursor_close(sm_spill_cursor *c)
{
    sm_free(c->window);
    sm_free(c->raw);
    *c = (sm_spill_cursor){0};
}

static sm_status damaged(const sm_spill_run *run, uint64_t offset, const char *what, sm_error *err)
{
    return sm_fail(err, SM_E_FORMAT,
                   "%s: run %" PRIu64 ": block at offset %" PRIu64
                   ": %s; the disk or the memory of this machine damages data",
                   sm_file_path(run->file->file), run->number, offset, what);
}

/* A file of our own that cannot be read back is a failure of the output side. */
static sm_status read_at(const sm_spill_run *run, uint64_t offset, uint8_t *to, size_t size,
                         sm_error *err)
{
    sm_error why = {.code = SM_OK};
    const sm_status st = sm_file_read_at(run->file->file, offset, to, size, &why);
    if (st == SM_OK) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_OUTPUT, "run %" PRIu64 " cannot be read back: %s", run->number,
                   why.text);
}

static sm_status parse_header(const sm_spill_run *run, uint64_t offset, const uint8_t *p,
                              block *out, sm_error *err)
{
    out->offset = offset;
    out->raw = sm_load_le32(p + 8);
    out->stored = sm_load_le32(p + 12);
    out->kind = (sm_block_kind)p[16];
    if (out->raw == 0 || out->raw > run->raw_max || out->stored > out->raw || p[16] > 1 ||
        offset + SM_BLOCK_HEADER + out->stored > run->end) {
        return damaged(run, offset, "its header is impossible", err);
    }
    return SM_OK;
}

/* `p` is the whole block, header first. */
static sm_status unpack(const sm_spill_run *run, sm_spill_reader *r, const uint8_t *p,
                        const block *b, uint8_t *to, sm_error *err)
{
    const uint8_t *stored = p + SM_BLOCK_HEADER;
    if (sm_xxh64(sm_bytes_of(p + 8, SM_BLOCK_HEADER - 8 + b->stored)) != sm_load_le64(p)) {
        return damaged(run, b->offset, "its checksum does not match", err);
    }
    if (b->stored == b->raw) {
        memcpy(to, stored, b->raw);
        return SM_OK;
    }
    const size_t got = ZSTD_decompressDCtx(r->zstd, to, b->raw, stored, b->stored);
    if (ZSTD_isError(got) || got != b->raw) {
        return damaged(run, b->offset, "it does not decompress", err);
    }
    return SM_OK;
}

static sm_status grow(uint8_t **p, size_t *size, size_t needed, sm_error *err)
{
    if (needed <= *size) {
        return SM_OK;
    }
    sm_free(*p);
    *size = 0;
    *p = sm_malloc(needed);
    if (*p == NULL) {
        return sm_fail_memory(err, needed, "reading a run file");
    }
    *size = needed;
    return SM_OK;
}

/* Makes `size` bytes at c->next visible in the window; reads as far ahead as the window holds. */
static sm_status look_at(sm_spill_cursor *c, size_t size, const uint8_t **out, sm_error *err)
{
    if (c->next >= c->window_at && c->next - c->window_at + size <= c->window_len) {
        *out = c->window + (c->next - c->window_at);
        return SM_OK;
    }
    if (size > c->end - c->next) {
        return damaged(c->run, c->next, "it reaches past its part", err);
    }
    const uint64_t left = c->end - c->next;
    const size_t most = stored_max(c->run);
    const size_t take = left < most ? (size_t)left : most;
    sm_status st = grow(&c->window, &c->window_size, take, err);
    if (st != SM_OK) {
        return st;
    }
    c->window_len = 0;
    st = read_at(c->run, c->next, c->window, take, err);
    if (st != SM_OK) {
        return st;
    }
    c->window_at = c->next;
    c->window_len = take;
    *out = c->window;
    return SM_OK;
}

/* The next block of rows; pieces of payloads are passed over. */
static sm_status next_block(sm_spill_cursor *c, sm_spill_reader *r, bool *more, sm_error *err)
{
    *more = false;
    if (sm_stop_asked(r->stop) != 0) {
        return sm_fail(err, SM_E_INTERRUPTED, "stopped while runs were merged");
    }
    while (c->next < c->end) {
        const uint8_t *p;
        block b;
        sm_status st = look_at(c, SM_BLOCK_HEADER, &p, err);
        if (st == SM_OK) {
            st = parse_header(c->run, c->next, p, &b, err);
        }
        if (st != SM_OK) {
            return st;
        }
        if (b.kind == SM_BLOCK_PIECE) {
            c->next += SM_BLOCK_HEADER + b.stored;
            continue;
        }
        st = look_at(c, SM_BLOCK_HEADER + b.stored, &p, err);
        if (st == SM_OK) {
            st = grow(&c->raw, &c->raw_size, b.raw + SM_RECORD_SLACK, err);
        }
        if (st == SM_OK) {
            st = unpack(c->run, r, p, &b, c->raw, err);
        }
        if (st != SM_OK) {
            return st;
        }
        memset(c->raw + b.raw, 0, SM_RECORD_SLACK);
        c->at = c->raw;
        c->raw_end = c->raw + b.raw;
        c->next += SM_BLOCK_HEADER + b.stored;
        *more = true;
        return SM_OK;
    }
    return SM_OK;
}

sm_status sm_spill_cursor_next(sm_spill_cursor *c, sm_spill_reader *r, sm_record_view *out,
                               bool *more, sm_error *err)
{
    if (c->at == c->raw_end) {
        const sm_status st = next_block(c, r, more, err);
        if (st != SM_OK || !*more) {
            return st;
        }
    }
    if (!sm_record_get(&c->at, c->raw_end, out)) {
        return damaged(c->run, c->next, "the block before it holds half a record", err);
    }
    *more = true;
    return SM_OK;
}

sm_status sm_spill_load(const sm_spill_cursor *c, sm_spill_reader *r, const sm_record_view *record,
                        uint8_t *to, sm_error *err)
{
    const sm_spill_run *run = c->run;
    uint64_t offset = record->external_at;
    size_t done = 0;
    sm_status st = grow(&r->piece, &r->piece_size, stored_max(run), err);
    while (done < record->payload.len && st == SM_OK) {
        const uint64_t left = offset < run->end ? run->end - offset : 0;
        const size_t take = left < stored_max(run) ? (size_t)left : stored_max(run);
        block b;
        if (take < SM_BLOCK_HEADER) {
            return damaged(run, offset, "a payload's pieces end early", err);
        }
        st = read_at(run, offset, r->piece, take, err);
        if (st == SM_OK) {
            st = parse_header(run, offset, r->piece, &b, err);
        }
        if (st != SM_OK) {
            return st;
        }
        if (b.kind != SM_BLOCK_PIECE || b.raw > record->payload.len - done ||
            SM_BLOCK_HEADER + b.stored > take) {
            return damaged(run, offset, "it is not the piece of a payload it should be", err);
        }
        st = unpack(run, r, r->piece, &b, to + done, err);
        done += b.raw;
        offset += SM_BLOCK_HEADER + b.stored;
    }
    return st;
}
