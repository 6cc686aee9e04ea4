/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads of rows: what is read can be written again and then reads the same. */
#include "partitioner/payload.h"
#include "support.h"

static const sm_bytes FAMILIES[] = {{(const uint8_t *)"f", 1}, {(const uint8_t *)"g", 1}};
static const sm_column COLUMNS[] = {
    {.family = 0, .qualifier_is_constant = true, .qualifier = {(const uint8_t *)"d", 1}},
    {.family = 1, .qualifier_is_constant = false},
};
static const sm_layout LAYOUT = {.families = FAMILIES,
                                 .family_count = 2,
                                 .columns = COLUMNS,
                                 .column_count = 2,
                                 .table = "calls"};

static void rewrite(const sm_payload_cell *cell)
{
    sm_buf out;
    sm_payload_cell again = {0};
    sm_buf_init(&out, SIZE_MAX / 2);
    const sm_cell_image image = {.column = cell->column,
                                 .qualifier = cell->qualifier,
                                 .value = cell->value,
                                 .timestamp = cell->timestamp,
                                 .ttl = cell->ttl};
    fuzz_ok(sm_payload_append(&LAYOUT, &image, &out, NULL), "a cell that was read can be written");
    const uint8_t *p = out.data;
    fuzz_require(sm_payload_next(&LAYOUT, &p, out.data + out.len, &again) &&
                     p == out.data + out.len,
                 "a cell that was written can be read");
    fuzz_require(again.timestamp == cell->timestamp && again.ttl == cell->ttl &&
                     sm_bytes_equal(again.value, cell->value),
                 "it reads the same");
    sm_buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *p = data;
    const uint8_t *const end = data + size;
    sm_payload_cell cell;
    while (p < end) {
        const uint8_t *const before = p;
        if (!sm_payload_next(&LAYOUT, &p, end, &cell)) {
            break;
        }
        fuzz_require(p > before && p <= end, "it goes on within the bytes");
        rewrite(&cell);
    }
    return 0;
}
