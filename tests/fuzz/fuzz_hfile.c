/* SPDX-License-Identifier: Apache-2.0 */
/* HFiles: reader and verify. Checksums are put right first, or a changed byte would never get past
 * them; a file that verify accepts can be walked. Input, so that a trailer of 4096 bytes costs what
 * it holds:
 *
 *   | flags 1 | last four bytes of the trailer 4 | length of its head 1 | head | all blocks |
 *
 * flags: 1 = checksums stay as they are. */
#include "core/buf.h"
#include "core/endian.h"
#include "core/hash.h"
#include "formats/hfile_layout.h"
#include "formats/hfile_reader.h"
#include "support.h"

static void repair_block(uint8_t *block, const sm_hfile_header *h)
{
    uint8_t *sum = block + h->with_header;
    const uint8_t *const end = block + SM_HFILE_HEADER_SIZE + h->on_disk;
    for (uint64_t at = 0; at < h->with_header && sum + 4 <= end; sum += 4) {
        const uint64_t left = h->with_header - at;
        const size_t n = left < h->bytes_per_checksum ? left : h->bytes_per_checksum;
        const uint32_t real = sm_hfile_checksum_of(h->checksum, sm_bytes_of(block + at, n));
        sm_store_be32(sum, real);
        at += n;
    }
}

static void repair(uint8_t *blocks, size_t size)
{
    size_t at = 0;
    sm_hfile_header h;
    while (size - at >= SM_HFILE_HEADER_SIZE && sm_hfile_header_load(blocks + at, &h) &&
           h.on_disk <= size - at - SM_HFILE_HEADER_SIZE) {
        if (h.bytes_per_checksum != 0 && h.with_header <= SM_HFILE_HEADER_SIZE + h.on_disk) {
            repair_block(blocks + at, &h);
        }
        at += SM_HFILE_HEADER_SIZE + h.on_disk;
    }
}

static void compose(sm_bytes in, sm_buf *file)
{
    uint8_t trailer[SM_HFILE_TRAILER_SIZE] = {0};
    const unsigned flags = fuzz_byte(&in);
    for (size_t i = 0; i < 4; i++) {
        trailer[sizeof trailer - 4 + i] = fuzz_byte(&in);
    }
    const size_t wanted = fuzz_byte(&in);
    const size_t head = wanted < in.len ? wanted : in.len;
    if (head != 0) {
        memcpy(trailer, in.data, head);
    }
    fuzz_ok(sm_buf_append(file, in.data + head, in.len - head, NULL), "the blocks");
    if ((flags & 1) == 0 && file->len != 0) {
        repair(file->data, file->len);
    }
    fuzz_ok(sm_buf_append(file, trailer, sizeof trailer, NULL), "the trailer");
}

/* A sanitizer then sees whether the bytes are there. */
static void look_at(sm_bytes bytes)
{
    (void)sm_xxh64(bytes);
}

static sm_status walk(const char *path, uint64_t *cells)
{
    sm_hfile *h = NULL;
    sm_cell cell;
    sm_error err = {.code = SM_OK};
    bool more = true;
    sm_status st = sm_hfile_open(path, &h, &err);
    for (size_t i = 0; st == SM_OK && i < sm_hfile_note_count(h); i++) {
        const sm_file_note note = sm_hfile_note_at(h, i);
        look_at(note.key);
        look_at(note.value);
    }
    if (st == SM_OK) {
        st = sm_hfile_rewind(h, &err);
    }
    while (st == SM_OK && more) {
        st = sm_hfile_next(h, &cell, &more, &err);
        if (st == SM_OK && more) {
            (*cells)++;
            look_at(cell.row);
            look_at(cell.family);
            look_at(cell.qualifier);
            look_at(cell.value);
        }
    }
    fuzz_require((st == SM_OK) == (err.text[0] == '\0'), "an error has a text");
    sm_hfile_close(h);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_buf file;
    sm_hfile_check check;
    uint64_t cells = 0;
    sm_buf_init(&file, SIZE_MAX / 2);
    compose(sm_bytes_of(data, size), &file);
    const char *path = fuzz_file(sm_buf_view(&file));
    const sm_status walked = walk(path, &cells);
    if (sm_hfile_verify(path, &check, NULL) == SM_OK) {
        fuzz_require(walked == SM_OK && check.cells == cells, "what is verified can be read");
    }
    sm_buf_free(&file);
    return 0;
}
