/* SPDX-License-Identifier: Apache-2.0 */
/* The data index, cut into blocks where HBase cuts it. */
#include "formats/hfile_index.h"

#include "core/endian.h"

/* Of HBase's defaults: a level needs more entries than this to get one above it, and no chunk ends
 * before so many, so that huge keys do not make a needle of an index. */
enum { MIN_ENTRIES = 16, MAX_LEVELS = 16 };
enum { ENTRY_FIXED = 12, MIDDLE_SIZE = 16 };

static void list_init(sm_hfile_index_list *l)
{
    *l = (sm_hfile_index_list){0};
    sm_buf_init(&l->entries, INT32_MAX);
    sm_buf_init(&l->starts, INT32_MAX);
}

static void list_free(sm_hfile_index_list *l)
{
    sm_buf_free(&l->entries);
    sm_buf_free(&l->starts);
}

static void list_clear(sm_hfile_index_list *l)
{
    sm_buf_clear(&l->entries);
    sm_buf_clear(&l->starts);
    l->count = 0;
    l->root_size = 0;
}

static sm_status append_be32(sm_buf *b, uint32_t value, sm_error *err)
{
    uint8_t bytes[4];
    sm_store_be32(bytes, value);
    return sm_buf_append(b, bytes, sizeof bytes, err);
}

static void store_place(uint8_t *out, sm_hfile_place place)
{
    sm_store_be64(out, place.offset);
    sm_store_be32(out + 8, place.size);
}

static sm_status list_add(sm_hfile_index_list *l, sm_hfile_place place, sm_bytes key, sm_error *err)
{
    uint8_t fixed[ENTRY_FIXED];
    store_place(fixed, place);
    sm_status st = append_be32(&l->starts, (uint32_t)l->entries.len, err);
    if (st == SM_OK) {
        st = sm_buf_append(&l->entries, fixed, sizeof fixed, err);
    }
    if (st == SM_OK) {
        st = sm_buf_append(&l->entries, key.data, key.len, err);
    }
    l->count++;
    l->root_size += ENTRY_FIXED + sm_hfile_vint_size((int64_t)key.len) + key.len;
    return st;
}

/* Entry i: its place and key. */
static sm_bytes list_at(const sm_hfile_index_list *l, size_t i, sm_hfile_place *place)
{
    const size_t start = sm_load_be32(l->starts.data + 4 * i);
    const size_t end =
        i + 1 < l->count ? sm_load_be32(l->starts.data + 4 * (i + 1)) : l->entries.len;
    const uint8_t *p = l->entries.data + start;
    *place = (sm_hfile_place){sm_load_be64(p), sm_load_be32(p + 8)};
    return sm_bytes_of(p + ENTRY_FIXED, end - start - ENTRY_FIXED);
}

static uint64_t list_block_size(const sm_hfile_index_list *l)
{
    return 4 + 4 * ((uint64_t)l->count + 1) + l->entries.len;
}

void sm_hfile_index_init(sm_hfile_index *x, uint32_t block_size)
{
    *x = (sm_hfile_index){.block_size = block_size, .levels = 1};
    list_init(&x->open);
    list_init(&x->top);
    list_init(&x->chunk);
    list_init(&x->above);
    sm_buf_init(&x->leaf_counts, INT32_MAX);
    sm_buf_init(&x->middle, MIDDLE_SIZE);
    sm_buf_init(&x->block, UINT32_MAX);
}

void sm_hfile_index_free(sm_hfile_index *x)
{
    list_free(&x->open);
    list_free(&x->top);
    list_free(&x->chunk);
    list_free(&x->above);
    sm_buf_free(&x->leaf_counts);
    sm_buf_free(&x->middle);
    sm_buf_free(&x->block);
}

sm_status sm_hfile_index_add(sm_hfile_index *x, sm_hfile_place place, sm_bytes key, sm_error *err)
{
    x->data_blocks++;
    return list_add(&x->open, place, key, err);
}

/* Writes the list as one block and names the block in `parent`. */
static sm_status write_list(sm_hfile_index *x, sm_hfile_blocks *w, sm_hfile_block_type type,
                            sm_hfile_index_list *l, sm_hfile_index_list *parent, sm_error *err)
{
    sm_hfile_place place;
    sm_status st = sm_hfile_block_begin(&x->block, err);
    if (st == SM_OK) {
        st = append_be32(&x->block, (uint32_t)l->count, err);
    }
    if (st == SM_OK) {
        st = sm_buf_append(&x->block, l->starts.data, l->starts.len, err);
    }
    if (st == SM_OK) {
        st = append_be32(&x->block, (uint32_t)l->entries.len, err);
    }
    if (st == SM_OK) {
        st = sm_buf_append(&x->block, l->entries.data, l->entries.len, err);
    }
    if (st == SM_OK) {
        st = sm_hfile_block_write(w, type, &x->block, &place, err);
    }
    if (st != SM_OK) {
        return st;
    }
    sm_hfile_place first;
    st = list_add(parent, place, list_at(l, 0, &first), err);
    list_clear(l);
    return st;
}

static sm_status write_leaf(sm_hfile_index *x, sm_hfile_blocks *w, sm_error *err)
{
    const uint32_t count = (uint32_t)x->open.count;
    const sm_status st = sm_buf_append(&x->leaf_counts, &count, sizeof count, err);
    return st == SM_OK ? write_list(x, w, SM_HFILE_LEAF_INDEX, &x->open, &x->top, err) : st;
}

sm_status sm_hfile_index_poll(sm_hfile_index *x, sm_hfile_blocks *w, sm_error *err)
{
    return list_block_size(&x->open) >= x->block_size ? write_leaf(x, w, err) : SM_OK;
}

/* What lets a reader find the middle of the file: the leaf that names data block (n - 1) / 2. */
static sm_status note_middle(sm_hfile_index *x, sm_error *err)
{
    uint64_t entry = (x->data_blocks - 1) / 2;
    size_t leaf = 0;
    uint32_t count = 0;
    for (;; leaf++) {
        memcpy(&count, x->leaf_counts.data + leaf * sizeof count, sizeof count);
        if (entry < count) {
            break;
        }
        entry -= count;
    }
    sm_hfile_place place;
    (void)list_at(&x->top, leaf, &place);
    uint8_t bytes[MIDDLE_SIZE];
    store_place(bytes, place);
    sm_store_be32(bytes + ENTRY_FIXED, (uint32_t)entry);
    return sm_buf_append(&x->middle, bytes, sizeof bytes, err);
}

sm_status sm_hfile_index_close(sm_hfile_index *x, sm_hfile_blocks *w, sm_error *err)
{
    if (x->top.count == 0) {
        return SM_OK;
    }
    x->levels = 2;
    const sm_status st = x->open.count == 0 ? SM_OK : write_leaf(x, w, err);
    return st == SM_OK ? note_middle(x, err) : st;
}

/* One level more: `top` is cut into blocks, and the list of those becomes `top`. */
static sm_status add_level(sm_hfile_index *x, sm_hfile_blocks *w, sm_error *err)
{
    list_clear(&x->above);
    for (size_t i = 0; i < x->top.count; i++) {
        sm_hfile_place place;
        const sm_bytes key = list_at(&x->top, i, &place);
        sm_status st = list_add(&x->chunk, place, key, err);
        /* As HBase counts: over the whole level, so that only the first chunk has a least number.
         */
        if (st == SM_OK && i >= MIN_ENTRIES && x->chunk.root_size >= x->block_size) {
            st = write_list(x, w, SM_HFILE_INTERMEDIATE_INDEX, &x->chunk, &x->above, err);
        }
        if (st != SM_OK) {
            return st;
        }
    }
    sm_status st = SM_OK;
    if (x->chunk.count != 0) {
        st = write_list(x, w, SM_HFILE_INTERMEDIATE_INDEX, &x->chunk, &x->above, err);
    }
    const sm_hfile_index_list below = x->top;
    x->top = x->above;
    x->above = below;
    x->levels++;
    return st;
}

static sm_status append_root(sm_hfile_index *x, const sm_hfile_index_list *l, sm_error *err)
{
    sm_status st = sm_hfile_block_begin(&x->block, err);
    for (size_t i = 0; st == SM_OK && i < l->count; i++) {
        sm_hfile_place place;
        const sm_bytes key = list_at(l, i, &place);
        uint8_t head[ENTRY_FIXED + SM_HFILE_VINT_MAX];
        store_place(head, place);
        const size_t n = sm_hfile_vint_store(head + ENTRY_FIXED, (int64_t)key.len);
        st = sm_buf_append(&x->block, head, ENTRY_FIXED + n, err);
        if (st == SM_OK) {
            st = sm_buf_append(&x->block, key.data, key.len, err);
        }
    }
    return st == SM_OK ? sm_buf_append(&x->block, x->middle.data, x->middle.len, err) : st;
}

sm_status sm_hfile_index_finish(sm_hfile_index *x, sm_hfile_blocks *w, sm_hfile_place *root,
                                sm_error *err)
{
    const sm_hfile_index_list *l = x->levels == 1 ? &x->open : &x->top;
    while (x->levels > 1 && x->levels < MAX_LEVELS && l->count > MIN_ENTRIES &&
           l->root_size > x->block_size) {
        const sm_status st = add_level(x, w, err);
        if (st != SM_OK) {
            return st;
        }
    }
    x->root_count = (uint32_t)l->count;
    const sm_status st = append_root(x, l, err);
    return st == SM_OK ? sm_hfile_block_write(w, SM_HFILE_ROOT_INDEX, &x->block, root, err) : st;
}
