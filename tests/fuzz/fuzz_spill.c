/* SPDX-License-Identifier: Apache-2.0 */
/* Run files: blocks of rows and payloads outside of them. Checksums are put right first, or a
 * changed byte would never get past them. Input: where the second part begins (1 byte), then the
 * file. */
#include "core/buf.h"
#include "core/endian.h"
#include "partitioner/spill.h"
#include "partitioner/spill_block.h"
#include "support.h"

#include <stdlib.h>

enum { RAW_MAX = 4096, PAYLOAD_MAX = 1 << 16 };

static void repair(uint8_t *p, size_t size)
{
    while (size >= SM_BLOCK_HEADER) {
        const size_t stored = sm_load_le32(p + 12);
        if (stored > size - SM_BLOCK_HEADER) {
            return;
        }
        const size_t covered = SM_BLOCK_HEADER - 8 + stored;
        sm_store_le64(p, sm_xxh64(sm_bytes_of(p + 8, covered)));
        p += SM_BLOCK_HEADER + stored;
        size -= SM_BLOCK_HEADER + stored;
    }
}

static void load(const sm_spill_cursor *c, sm_spill_reader *r, const sm_record_view *row)
{
    sm_error err = {.code = SM_OK};
    if (row->external && row->payload.len <= PAYLOAD_MAX) {
        uint8_t *payload = malloc(row->payload.len + 1);
        fuzz_require(payload != NULL, "memory");
        if (sm_spill_load(c, r, row, payload, &err) != SM_OK) {
            fuzz_require(err.text[0] != '\0', "an error has a text");
        }
        free(payload);
    }
}

static void read_part(const sm_spill_run *run, size_t part, sm_spill_reader *r)
{
    sm_spill_cursor c;
    sm_record_view row;
    sm_error err = {.code = SM_OK};
    bool more = true;
    sm_spill_cursor_open(run, part, &c);
    while (more && sm_spill_cursor_next(&c, r, &row, &more, &err) == SM_OK) {
        if (more) {
            fuzz_require(sm_record_compare(&row, &row) == 0, "a row can be compared");
            load(&c, r, &row);
        }
    }
    fuzz_require(!more || err.text[0] != '\0', "an error has a text");
    sm_spill_cursor_close(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_bytes in = sm_bytes_of(data, size);
    const uint64_t border = fuzz_byte(&in);
    sm_buf bytes;
    sm_spill_file file = {.runs = 1};
    sm_spill_reader *reader = NULL;
    sm_buf_init(&bytes, SIZE_MAX / 2);
    fuzz_ok(sm_buf_append(&bytes, in.data, in.len, NULL), "a copy");
    repair(bytes.data, bytes.len);
    fuzz_ok(sm_file_open_read(fuzz_file(sm_buf_view(&bytes)), &file.file, NULL), "a file");
    sm_spill_part parts[2] = {{.offset = 0},
                              {.region = 1, .offset = border < in.len ? border : in.len}};
    const sm_spill_run run = {.file = &file,
                              .parts = parts,
                              .part_count = border == 0 ? 1 : 2,
                              .end = in.len,
                              .raw_max = RAW_MAX,
                              .payload_max = PAYLOAD_MAX};
    fuzz_ok(sm_spill_reader_new(NULL, &reader, NULL), "a reader");
    for (size_t i = 0; i < run.part_count; i++) {
        read_part(&run, i, reader);
    }
    sm_spill_reader_free(reader);
    sm_file_discard(&file.file);
    sm_buf_free(&bytes);
    return 0;
}
