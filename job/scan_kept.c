/* SPDX-License-Identifier: Apache-2.0 */
/* See scan_kept.h. */
#include "job/scan_kept.h"

#include "core/mem.h"

#include <string.h>

static uint8_t *store(uint8_t *at, sm_bytes *view)
{
    if (view->len > 0) {
        memcpy(at, view->data, view->len);
    }
    view->data = at;
    return at + view->len;
}

size_t sm_kept_size(const sm_row_view *row)
{
    size_t size = sizeof(sm_kept_row) + row->count * sizeof(sm_cell) + row->key.len;
    for (size_t i = 0; i < row->count; i++) {
        const sm_cell *c = &row->cells[i];
        size += c->family.len + c->qualifier.len + c->value.len;
    }
    return size;
}

sm_status sm_kept_new(const sm_row_view *row, const sm_scan_place *place, size_t size,
                      sm_kept_row **out, sm_error *err)
{
    sm_kept_row *k = sm_malloc(size);
    *out = k;
    if (k == NULL) {
        return sm_fail_memory(err, size, "a row");
    }
    sm_cell *cells = (sm_cell *)(void *)(k + 1);
    uint8_t *at = (uint8_t *)(cells + row->count);
    *k = (sm_kept_row){.row = {row->key, cells, row->count},
                       .lead = place->lead,
                       .size = size,
                       .time = place->time};
    at = store(at, &k->row.key);
    for (size_t i = 0; i < row->count; i++) {
        cells[i] = row->cells[i];
        cells[i].row = k->row.key;
        at = store(at, &cells[i].family);
        at = store(at, &cells[i].qualifier);
        at = store(at, &cells[i].value);
    }
    return SM_OK;
}

sm_scan_place sm_kept_place(const sm_kept_row *k)
{
    return (sm_scan_place){k->row.key, k->lead, k->time};
}
