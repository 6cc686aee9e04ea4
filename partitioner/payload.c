/* SPDX-License-Identifier: Apache-2.0 */
/* Packing the cells of one record into a row's payload, and taking them out again. */
#include "partitioner/payload.h"

#include "core/endian.h"
#include "core/escape.h"

#include <stdio.h>

enum { TIMESTAMP_BYTES = 8 };

sm_status sm_payload_append(const sm_layout *layout, const sm_cell_image *cell, sm_buf *payload,
                            sm_error *err)
{
    if (cell->column >= layout->column_count || cell->column > UINT32_MAX || cell->ttl < 0) {
        return sm_fail(err, SM_E_INTERNAL, "table %s: a cell for column %zu of %zu, ttl %lld",
                       layout->table, cell->column, layout->column_count, (long long)cell->ttl);
    }
    const bool has_qualifier = !layout->columns[cell->column].qualifier_is_constant;
    const size_t most = 3 * SM_LEB_MAX + 1 + TIMESTAMP_BYTES + SM_LEB_MAX;
    const size_t bytes = cell->value.len + (has_qualifier ? cell->qualifier.len : 0);
    const sm_status st = sm_buf_reserve(payload, most + bytes, err);
    if (st != SM_OK) {
        return st;
    }
    uint8_t *p = sm_leb_put(payload->data + payload->len, cell->column);
    *p++ = (uint8_t)((cell->ttl != 0 ? SM_PAYLOAD_TTL : 0) |
                     (has_qualifier ? SM_PAYLOAD_QUALIFIER : 0));
    sm_store_le64(p, (uint64_t)cell->timestamp);
    p += TIMESTAMP_BYTES;
    if (cell->ttl != 0) {
        p = sm_leb_put(p, (uint64_t)cell->ttl);
    }
    if (has_qualifier) {
        p = sm_leb_put(p, cell->qualifier.len);
        if (cell->qualifier.len > 0) {
            memcpy(p, cell->qualifier.data, cell->qualifier.len);
        }
        p += cell->qualifier.len;
    }
    p = sm_leb_put(p, cell->value.len);
    if (cell->value.len > 0) {
        memcpy(p, cell->value.data, cell->value.len);
    }
    payload->len = (size_t)(p - payload->data) + cell->value.len;
    return SM_OK;
}

static inline bool take_bytes(const uint8_t **p, const uint8_t *end, sm_bytes *out)
{
    uint64_t len;
    if (!sm_leb_get(p, end, &len) || len > (uint64_t)(end - *p)) {
        return false;
    }
    *out = sm_bytes_of(*p, (size_t)len);
    *p += len;
    return true;
}

bool sm_payload_next(const sm_layout *layout, const uint8_t **p, const uint8_t *end,
                     sm_payload_cell *out)
{
    uint64_t column;
    if (!sm_leb_get(p, end, &column) || column >= layout->column_count ||
        end - *p < 1 + TIMESTAMP_BYTES) {
        return false;
    }
    const uint8_t flags = **p;
    out->column = (uint32_t)column;
    out->timestamp = (int64_t)sm_load_le64(*p + 1);
    out->ttl = 0;
    *p += 1 + TIMESTAMP_BYTES;
    if ((flags & SM_PAYLOAD_TTL) != 0) {
        uint64_t ttl;
        if (!sm_leb_get(p, end, &ttl) || ttl > INT64_MAX) {
            return false;
        }
        out->ttl = (int64_t)ttl;
    }
    if ((flags & SM_PAYLOAD_QUALIFIER) != 0) {
        if (!take_bytes(p, end, &out->qualifier)) {
            return false;
        }
    } else {
        out->qualifier = layout->columns[column].qualifier;
    }
    return take_bytes(p, end, &out->value);
}

sm_status sm_payload_damaged(const sm_layout *layout, sm_error *err)
{
    return sm_fail(err, SM_E_INTERNAL, "table %s: the cells of a row cannot be read back",
                   layout->table);
}

const char *sm_column_text(const sm_layout *layout, size_t family, sm_bytes qualifier, char *out,
                           size_t size)
{
    char left[2 * SM_FAMILY_MAX];
    char right[SM_FAMILY_MAX];
    (void)snprintf(out, size, "%s:%s", sm_escape_short(layout->families[family], left, sizeof left),
                   sm_escape_short(qualifier, right, sizeof right));
    return out;
}
