/* SPDX-License-Identifier: Apache-2.0 */
/* Flat keys: the form of a cell's key in data blocks, indexes and file info.
 *
 *   row length u16 | row | family length u8 | family | qualifier | timestamp i64 | type u8 */
#ifndef SM_FORMATS_HFILE_CELL_H
#define SM_FORMATS_HFILE_CELL_H

#include "core/buf.h"
#include "core/kv.h"

/* Everything in a flat key but row, family and qualifier. */
enum { SM_HFILE_KEY_FIXED = 12, SM_HFILE_CELL_FIXED = 8, SM_HFILE_TTL_TAG_SIZE = 11 };
/* A key that is the first of its row, family or column. */
enum { SM_HFILE_TYPE_MAXIMUM = 255, SM_HFILE_TAG_TTL = 8 };

static inline size_t sm_hfile_key_size(const sm_cell *c)
{
    return SM_HFILE_KEY_FIXED + c->row.len + c->family.len + c->qualifier.len;
}

/* Writes sm_hfile_key_size(c) bytes; returns the end. */
uint8_t *sm_hfile_key_store(uint8_t *out, const sm_cell *c);
/* Row, family, qualifier, timestamp and type; the rest of *out is zero. False: no flat key. */
bool sm_hfile_key_load(sm_bytes key, sm_cell *out);

/* Replaces *out by a key K, left < K <= right, as short as HBase makes it: row, family or qualifier
 * of `right` cut behind the first byte that tells it from `left`, that byte of `left` plus one. */
sm_status sm_hfile_key_between(const sm_cell *left, const sm_cell *right, sm_buf *out,
                               sm_error *err) SM_MUST_CHECK;

enum { SM_HFILE_KEY_TEXT_SIZE = 384 };
/* "row/family:qualifier/timestamp/Put", escaped; long parts are cut with "...". */
const char *sm_hfile_key_text(const sm_cell *c, char out[SM_HFILE_KEY_TEXT_SIZE]);
const char *sm_hfile_type_name(uint8_t type); /* NULL: no type that may be stored */

/* A cell at *at of a data block's payload: views into it, *at moved behind, *tags the raw tags.
 * False when it does not fit. */
typedef struct sm_hfile_cell_form {
    bool has_tags, has_mvcc;
} sm_hfile_cell_form;
bool sm_hfile_cell_load(sm_bytes payload, size_t *at, sm_hfile_cell_form form, sm_cell *out,
                        sm_bytes *tags);

#endif
