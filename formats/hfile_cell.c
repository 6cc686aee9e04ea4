/* SPDX-License-Identifier: Apache-2.0 */
/* Flat keys and cells: stored, loaded, shortened for the index, printed for messages. */
#include "formats/hfile_cell.h"

#include "core/endian.h"
#include "core/escape.h"
#include "formats/hfile_layout.h"

#include <inttypes.h>
#include <stdio.h>

static uint8_t *store_view(uint8_t *out, sm_bytes view)
{
    if (view.len != 0) {
        memcpy(out, view.data, view.len);
    }
    return out + view.len;
}

uint8_t *sm_hfile_key_store(uint8_t *out, const sm_cell *c)
{
    sm_store_be16(out, (uint16_t)c->row.len);
    out = store_view(out + 2, c->row);
    *out++ = (uint8_t)c->family.len;
    out = store_view(out, c->family);
    out = store_view(out, c->qualifier);
    sm_store_be64(out, (uint64_t)c->timestamp);
    out[8] = c->type;
    return out + 9;
}

bool sm_hfile_key_load(sm_bytes key, sm_cell *out)
{
    *out = (sm_cell){0};
    if (key.len < SM_HFILE_KEY_FIXED) {
        return false;
    }
    const size_t row = sm_load_be16(key.data);
    if (row > SM_ROW_MAX || row > key.len - SM_HFILE_KEY_FIXED) {
        return false;
    }
    const size_t family = key.data[2 + row];
    if (family > SM_FAMILY_MAX || family > key.len - SM_HFILE_KEY_FIXED - row) {
        return false;
    }
    out->row = sm_bytes_of(key.data + 2, row);
    out->family = sm_bytes_of(key.data + 3 + row, family);
    out->qualifier =
        sm_bytes_of(key.data + 3 + row + family, key.len - SM_HFILE_KEY_FIXED - row - family);
    out->timestamp = (int64_t)sm_load_be64(key.data + key.len - 9);
    out->type = key.data[key.len - 1];
    return true;
}

/* ---- keys between cells -------------------------------------------------------------------------
 */

/* How the shortest part s, left < s <= right, is made: `keep` bytes of left, then `last`. */
typedef struct cut {
    bool differ;
    size_t keep;
    uint8_t last;
} cut;

static cut cut_between(sm_bytes left, sm_bytes right)
{
    const size_t n = left.len < right.len ? left.len : right.len;
    size_t d = 0;
    while (d < n && left.data[d] == right.data[d]) {
        d++;
    }
    if (d < n) {
        return (cut){true, d, (uint8_t)(left.data[d] + 1)};
    }
    /* A longer `right` begins with the whole of `left`. */
    return (cut){left.len < right.len, left.len, 0};
}

/* `first` with one part replaced by the cut of `left`'s. */
static sm_status store_cut(sm_cell *first, sm_bytes *part, cut c, sm_buf *out, sm_error *err)
{
    const sm_bytes left = *part;
    part->len = c.keep;
    const size_t size = sm_hfile_key_size(first) + 1;
    out->len = 0;
    const sm_status st = sm_buf_reserve(out, size, err);
    if (st != SM_OK) {
        return st;
    }
    /* Stored one byte short, then opened up behind the part. */
    (void)sm_hfile_key_store(out->data, first);
    const bool is_row = part == &first->row;
    const bool is_family = part == &first->family;
    size_t at = 2 + first->row.len;
    at += is_row ? 0 : 1 + first->family.len;
    at += is_row || is_family ? 0 : first->qualifier.len;
    memmove(out->data + at + 1, out->data + at, size - 1 - at);
    out->data[at] = c.last;
    if (is_row) {
        sm_store_be16(out->data, (uint16_t)(c.keep + 1));
    } else if (is_family) {
        out->data[2 + first->row.len] = (uint8_t)(c.keep + 1);
    }
    out->len = size;
    *part = left;
    return SM_OK;
}

sm_status sm_hfile_key_between(const sm_cell *left, const sm_cell *right, sm_buf *out,
                               sm_error *err)
{
    sm_cell first = {.timestamp = INT64_MAX, .type = SM_HFILE_TYPE_MAXIMUM};
    cut c = cut_between(left->row, right->row);
    if (c.differ) {
        first.row = left->row;
        return store_cut(&first, &first.row, c, out, err);
    }
    first.row = right->row;
    c = cut_between(left->family, right->family);
    if (c.differ) {
        first.family = left->family;
        return store_cut(&first, &first.family, c, out, err);
    }
    first.family = right->family;
    c = cut_between(left->qualifier, right->qualifier);
    if (c.differ) {
        first.qualifier = left->qualifier;
        return store_cut(&first, &first.qualifier, c, out, err);
    }
    out->len = 0;
    const sm_status st = sm_buf_reserve(out, sm_hfile_key_size(right), err);
    if (st == SM_OK) {
        out->len = (size_t)(sm_hfile_key_store(out->data, right) - out->data);
    }
    return st;
}

/* ---- text ---------------------------------------------------------------------------------------
 */

const char *sm_hfile_type_name(uint8_t type)
{
    switch (type) {
    case SM_CELL_PUT: return "Put";
    case SM_CELL_DELETE: return "Delete";
    case SM_CELL_DELETE_FAMILY_VERSION: return "DeleteFamilyVersion";
    case SM_CELL_DELETE_COLUMN: return "DeleteColumn";
    case SM_CELL_DELETE_FAMILY: return "DeleteFamily";
    default: return NULL;
    }
}

const char *sm_hfile_key_text(const sm_cell *c, char out[SM_HFILE_KEY_TEXT_SIZE])
{
    char row[161];
    char family[41];
    char qualifier[101];
    const char *type = sm_hfile_type_name(c->type);
    (void)snprintf(out, SM_HFILE_KEY_TEXT_SIZE, "%s/%s:%s/%" PRId64 "/%s",
                   sm_escape_short(c->row, row, sizeof row),
                   sm_escape_short(c->family, family, sizeof family),
                   sm_escape_short(c->qualifier, qualifier, sizeof qualifier), c->timestamp,
                   type == NULL ? "?" : type);
    return out;
}

/* ---- loading ------------------------------------------------------------------------------------
 */

/* Tags: repeated  length u16 of what follows | type u8 | length - 1 bytes. */
static bool load_tags(sm_bytes tags, int64_t *ttl)
{
    size_t at = 0;
    while (at < tags.len) {
        if (tags.len - at < 3) {
            return false;
        }
        const size_t n = sm_load_be16(tags.data + at);
        if (n == 0 || n > tags.len - at - 2) {
            return false;
        }
        if (tags.data[at + 2] == SM_HFILE_TAG_TTL && n == 9) {
            *ttl = (int64_t)sm_load_be64(tags.data + at + 3);
        }
        at += 2 + n;
    }
    return true;
}

/* The fields behind the value. */
static bool load_rest(sm_bytes payload, size_t *at, sm_hfile_cell_form form, sm_cell *out,
                      sm_bytes *tags)
{
    *tags = sm_bytes_of(NULL, 0);
    if (form.has_tags) {
        if (payload.len - *at < 2) {
            return false;
        }
        const size_t n = sm_load_be16(payload.data + *at);
        *at += 2;
        if (n > payload.len - *at) {
            return false;
        }
        *tags = sm_bytes_of(payload.data + *at, n);
        *at += n;
    }
    int64_t mvcc = 0;
    if (form.has_mvcc && !sm_hfile_vint_load(payload, at, &mvcc)) {
        return false;
    }
    return load_tags(*tags, &out->ttl);
}

bool sm_hfile_cell_load(sm_bytes payload, size_t *at, sm_hfile_cell_form form, sm_cell *out,
                        sm_bytes *tags)
{
    *out = (sm_cell){0};
    if (payload.len - *at < SM_HFILE_CELL_FIXED) {
        return false;
    }
    const size_t key = sm_load_be32(payload.data + *at);
    const size_t value = sm_load_be32(payload.data + *at + 4);
    size_t p = *at + SM_HFILE_CELL_FIXED;
    if (key > payload.len - p || value > payload.len - p - key ||
        !sm_hfile_key_load(sm_bytes_of(payload.data + p, key), out)) {
        return false;
    }
    out->value = sm_bytes_of(payload.data + p + key, value);
    p += key + value;
    if (!load_rest(payload, &p, form, out, tags)) {
        return false;
    }
    *at = p;
    return true;
}
