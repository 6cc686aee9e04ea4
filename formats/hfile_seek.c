/* SPDX-License-Identifier: Apache-2.0 */
/* Seeking a row through the block index.
 *
 *   root -> intermediate ... -> leaf -> data block -> cells before the row are passed over
 *
 * An index key lies above the last cell of the block before and not above the first of its own, and
 * may be shorter than any cell's. So the row begins in the last block whose key's row is below it;
 * a block whose key has this very row may follow one that already holds its first cells. */
#include "formats/hfile_file.h"

/* Deeper is no index that anyone writes. */
enum { LEVELS_MOST = 16 };

/* True when the block may hold cells of rows below `row`. False with *sound false: no flat key. */
static bool begins_below(sm_bytes key, sm_bytes row, bool *sound)
{
    sm_cell k;
    *sound = *sound && sm_hfile_key_load(key, &k);
    return *sound && sm_bytes_compare(k.row, row) < 0;
}

/* The last entry that begins below the row, else the first. */
static bool pick_in_root(const sm_hfile *h, sm_bytes row, sm_hfile_place *out)
{
    size_t at = 0;
    bool sound = true;
    for (uint32_t i = 0; i < h->trailer.index_count; i++) {
        sm_hfile_entry e;
        if (!sm_hfile_root_entry_load(sm_buf_view(&h->root), &at, &e)) {
            return false;
        }
        if (!begins_below(e.key, row, &sound) && i > 0) {
            break;
        }
        *out = e.place;
    }
    return sound && h->trailer.index_count > 0;
}

static bool pick_in_node(sm_bytes payload, sm_bytes row, sm_hfile_place *out)
{
    uint32_t count = 0;
    bool sound = sm_hfile_leaf_load(payload, &count);
    sm_hfile_entry e = {0};
    uint32_t low = 0; /* entries before it begin below the row */
    uint32_t high = count;
    while (sound && low < high) {
        const uint32_t middle = low + (high - low) / 2;
        sound = sm_hfile_leaf_entry(payload, count, middle, &e);
        if (sound && begins_below(e.key, row, &sound)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    sound = sound && sm_hfile_leaf_entry(payload, count, low > 0 ? low - 1 : 0, &e);
    *out = e.place;
    return sound;
}

/* From the root down to the place of a data block. */
static sm_status descend(sm_hfile *h, sm_bytes row, sm_hfile_place *place, sm_error *err)
{
    if (h->trailer.index_levels > LEVELS_MOST || !pick_in_root(h, row, place)) {
        return sm_hfile_bad(&h->in, h->trailer.load_on_open_offset, err,
                            "the root index is damaged");
    }
    for (uint32_t level = h->trailer.index_levels - 1; level > 0; level--) {
        const sm_hfile_block_type type =
            level == 1 ? SM_HFILE_LEAF_INDEX : SM_HFILE_INTERMEDIATE_INDEX;
        const uint64_t at = place->offset;
        sm_hfile_read_block b;
        const sm_status st = sm_hfile_read(&h->in, at, &b, err);
        if (st != SM_OK) {
            return st;
        }
        if (b.header.type != type || !pick_in_node(b.payload, row, place)) {
            return sm_hfile_bad(&h->in, at, err, "the %s block is damaged or none",
                                sm_hfile_block_name(type));
        }
        h->blocks_read++;
        h->bytes_read += b.next - b.offset;
    }
    return SM_OK;
}

/* Cells of rows below are passed over; the one found is not taken yet. */
static sm_status pass_over(sm_hfile *h, sm_bytes row, sm_error *err)
{
    for (;;) {
        if (h->at == h->payload.len) {
            bool found = false;
            const sm_status st = sm_hfile_next_block(h, &found, err);
            if (st != SM_OK || !found) {
                return st;
            }
        }
        const size_t before = h->at;
        sm_cell cell;
        sm_bytes tags;
        if (!sm_hfile_cell_load(h->payload, &h->at, h->form, &cell, &tags)) {
            return sm_hfile_bad(&h->in, h->next_block, err,
                                "the block that ends here has no whole cell at byte %zu of its "
                                "payload",
                                before);
        }
        if (sm_bytes_compare(cell.row, row) >= 0) {
            h->at = before;
            return SM_OK;
        }
    }
}

sm_status sm_hfile_seek(sm_hfile *h, sm_bytes row, sm_error *err)
{
    sm_hfile_place place = {0};
    sm_status st = sm_hfile_check_encoding(h, err);
    if (st == SM_OK) {
        st = sm_hfile_rewind(h, err);
    }
    if (st != SM_OK || h->trailer.entries == 0) {
        return st;
    }
    st = descend(h, row, &place, err);
    if (st != SM_OK) {
        return st;
    }
    if (place.offset >= h->trailer.load_on_open_offset) {
        return sm_hfile_bad(&h->in, place.offset, err, "an index entry points behind the data");
    }
    h->next_block = place.offset;
    h->sought = true;
    return pass_over(h, row, err);
}

void sm_hfile_reads(const sm_hfile *h, uint64_t *blocks, uint64_t *bytes)
{
    *blocks = h->blocks_read;
    *bytes = h->bytes_read;
}
