/* SPDX-License-Identifier: Apache-2.0 */
/* The two queues and what an entry must say about the block at their front. */
#include "formats/hfile_verify_index.h"

#include "core/endian.h"

#include <inttypes.h>

typedef struct data_record {
    sm_hfile_place place;
    uint32_t first_len, before_len; /* keys follow */
} data_record;

typedef struct node_record {
    sm_hfile_place place;
    uint32_t level;   /* 1: a leaf */
    uint32_t key_len; /* the key follows */
} node_record;

typedef struct leaf_record {
    sm_hfile_place place;
    uint32_t count;
} leaf_record;

enum { MIDDLE_SIZE = 16 };

void sm_hfile_index_check_init(sm_hfile_index_check *x, const sm_hfile *h)
{
    *x = (sm_hfile_index_check){.h = h};
    sm_buf_init(&x->data, SIZE_MAX / 4);
    sm_buf_init(&x->nodes, SIZE_MAX / 4);
    sm_buf_init(&x->leaves, SIZE_MAX / 4);
}

void sm_hfile_index_check_free(sm_hfile_index_check *x)
{
    sm_buf_free(&x->data);
    sm_buf_free(&x->nodes);
    sm_buf_free(&x->leaves);
}

/* Appends a record; the space of records that were taken is used again once all were. */
static sm_status push(sm_buf *queue, size_t *front, sm_bytes record, sm_bytes key, sm_bytes more,
                      sm_error *err)
{
    if (*front == queue->len) {
        sm_buf_clear(queue);
        *front = 0;
    }
    sm_status st = sm_buf_append(queue, record.data, record.len, err);
    if (st == SM_OK) {
        st = sm_buf_append(queue, key.data, key.len, err);
    }
    return st == SM_OK ? sm_buf_append(queue, more.data, more.len, err) : st;
}

sm_status sm_hfile_index_check_data(sm_hfile_index_check *x, sm_hfile_place place, sm_bytes first,
                                    sm_bytes before, sm_error *err)
{
    data_record r;
    memset(&r, 0, sizeof r);
    r.place = place;
    r.first_len = (uint32_t)first.len;
    r.before_len = (uint32_t)before.len;
    x->data_blocks++;
    return push(&x->data, &x->data_at, sm_bytes_of(&r, sizeof r), first, before, err);
}

static sm_status wrong_place(const sm_hfile_index_check *x, uint64_t offset,
                             const sm_hfile_entry *e, sm_hfile_place real, sm_error *err)
{
    return sm_hfile_bad(&x->h->in, offset, err,
                        "an index entry names %u bytes at %" PRIu64
                        " where the next block has %u at %" PRIu64,
                        e->place.size, e->place.offset, real.size, real.offset);
}

/* before < key <= first cell: a search for any cell of the block must end in it. */
static bool separates(sm_bytes key, sm_bytes first, sm_bytes before)
{
    sm_cell k;
    sm_cell f;
    sm_cell b;
    if (!sm_hfile_key_load(key, &k) || !sm_hfile_key_load(first, &f) ||
        sm_cell_compare(&k, &f) > 0) {
        return false;
    }
    if (before.len == 0) {
        return sm_bytes_equal(key, first);
    }
    return sm_hfile_key_load(before, &b) && sm_cell_compare(&b, &k) < 0;
}

static sm_status take_data(sm_hfile_index_check *x, uint64_t offset, const sm_hfile_entry *e,
                           sm_error *err)
{
    data_record r;
    if (x->data_at == x->data.len) {
        return sm_hfile_bad(&x->h->in, offset, err, "more index entries than data blocks");
    }
    memcpy(&r, x->data.data + x->data_at, sizeof r);
    const uint8_t *keys = x->data.data + x->data_at + sizeof r;
    x->data_at += sizeof r + r.first_len + r.before_len;
    if (r.place.offset != e->place.offset || r.place.size != e->place.size) {
        return wrong_place(x, offset, e, r.place, err);
    }
    if (!separates(e->key, sm_bytes_of(keys, r.first_len),
                   sm_bytes_of(keys + r.first_len, r.before_len))) {
        return sm_hfile_bad(&x->h->in, offset, err,
                            "the index key of the data block at %" PRIu64
                            " does not lie between the cell before it and its first",
                            r.place.offset);
    }
    return SM_OK;
}

static sm_status take_node(sm_hfile_index_check *x, uint64_t offset, uint32_t level,
                           const sm_hfile_entry *e, sm_error *err)
{
    node_record r;
    if (x->nodes_at == x->nodes.len) {
        return sm_hfile_bad(&x->h->in, offset, err, "more index entries than index blocks below");
    }
    memcpy(&r, x->nodes.data + x->nodes_at, sizeof r);
    const sm_bytes key = sm_bytes_of(x->nodes.data + x->nodes_at + sizeof r, r.key_len);
    x->nodes_at += sizeof r + r.key_len;
    if (r.place.offset != e->place.offset || r.place.size != e->place.size) {
        return wrong_place(x, offset, e, r.place, err);
    }
    if (r.level != level || !sm_bytes_equal(key, e->key)) {
        return sm_hfile_bad(&x->h->in, offset, err,
                            "the index block at %" PRIu64
                            " has another depth or first key than its parent says",
                            r.place.offset);
    }
    return SM_OK;
}

/* Of the index block that waits first; 0: none waits. */
static uint32_t waiting_level(const sm_hfile_index_check *x)
{
    node_record r = {.level = 0};
    if (x->nodes_at < x->nodes.len) {
        memcpy(&r, x->nodes.data + x->nodes_at, sizeof r);
    }
    return r.level;
}

static sm_status note_leaf(sm_hfile_index_check *x, sm_hfile_place place, uint32_t count,
                           sm_error *err)
{
    leaf_record r;
    memset(&r, 0, sizeof r);
    r.place = place;
    r.count = count;
    return sm_buf_append(&x->leaves, &r, sizeof r, err);
}

sm_status sm_hfile_index_check_node(sm_hfile_index_check *x, const sm_hfile_read_block *b,
                                    sm_error *err)
{
    const bool leaf = b->header.type == SM_HFILE_LEAF_INDEX;
    const uint32_t below = leaf ? 0 : waiting_level(x);
    const sm_hfile_place place = {b->offset, (uint32_t)(b->next - b->offset)};
    uint32_t count = 0;
    sm_hfile_entry first = {0};
    if (!sm_hfile_leaf_load(b->payload, &count)) {
        return sm_hfile_bad(&x->h->in, b->offset, err, "the index block's table is damaged");
    }
    for (uint32_t i = 0; i < count; i++) {
        sm_hfile_entry e;
        if (!sm_hfile_leaf_entry(b->payload, count, i, &e)) {
            return sm_hfile_bad(&x->h->in, b->offset, err, "index entry %u is damaged", i);
        }
        const sm_status st =
            leaf ? take_data(x, b->offset, &e, err) : take_node(x, b->offset, below, &e, err);
        if (st != SM_OK) {
            return st;
        }
        first = i == 0 ? e : first;
    }
    if (leaf && x->data_at != x->data.len) {
        return sm_hfile_bad(&x->h->in, b->offset, err, "the leaf leaves out data blocks before it");
    }
    node_record r;
    memset(&r, 0, sizeof r);
    r.place = place;
    r.level = below + 1;
    r.key_len = (uint32_t)first.key.len;
    const sm_status st = push(&x->nodes, &x->nodes_at, sm_bytes_of(&r, sizeof r), first.key,
                              sm_bytes_of(NULL, 0), err);
    return st == SM_OK && leaf ? note_leaf(x, place, count, err) : st;
}

/* Where the middle data block is named: leaf offset i64, size i32, entry i32. */
static bool middle_is_right(const sm_hfile_index_check *x, sm_bytes middle)
{
    uint64_t entry = (x->data_blocks - 1) / 2;
    if (x->data_blocks == 0 || middle.len != MIDDLE_SIZE) {
        return false;
    }
    for (size_t at = 0; at < x->leaves.len; at += sizeof(leaf_record)) {
        leaf_record r;
        memcpy(&r, x->leaves.data + at, sizeof r);
        if (entry < r.count) {
            return sm_load_be64(middle.data) == r.place.offset &&
                   sm_load_be32(middle.data + 8) == r.place.size &&
                   sm_load_be32(middle.data + 12) == entry;
        }
        entry -= r.count;
    }
    return false;
}

sm_status sm_hfile_index_check_root(sm_hfile_index_check *x, const sm_hfile_read_block *b,
                                    sm_error *err)
{
    const sm_hfile_trailer *t = &x->h->trailer;
    size_t at = 0;
    for (uint32_t i = 0; i < t->index_count; i++) {
        sm_hfile_entry e;
        if (!sm_hfile_root_entry_load(b->payload, &at, &e)) {
            return sm_hfile_bad(&x->h->in, b->offset, err, "root index entry %u is damaged", i);
        }
        const sm_status st = t->index_levels == 1
                                 ? take_data(x, b->offset, &e, err)
                                 : take_node(x, b->offset, t->index_levels - 1, &e, err);
        if (st != SM_OK) {
            return st;
        }
    }
    if (x->data_at != x->data.len || x->nodes_at != x->nodes.len) {
        return sm_hfile_bad(&x->h->in, b->offset, err, "the index leaves out blocks");
    }
    const sm_bytes rest = sm_bytes_of(b->payload.data + at, b->payload.len - at);
    if (t->index_levels == 1 ? rest.len != 0 : !middle_is_right(x, rest)) {
        return sm_hfile_bad(&x->h->in, b->offset, err,
                            "what stands behind the root index's entries is not what must");
    }
    return SM_OK;
}
