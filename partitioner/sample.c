/* SPDX-License-Identifier: Apache-2.0 */
/* The sample as a heap with the greatest rank on top. Once the limits are reached most offers are
 * above the top's rank and turned away by one atomic read; the lock is taken for those that may
 * stay, which are about k ln(n/k) of n. */
#include "partitioner/sample.h"

#include "core/mem.h"
#include "core/par.h"
#include "core/watermark.h"

#include <stdlib.h>

/* What an item costs besides its key: the item and malloc's head. */
enum { ITEM_BYTES = sizeof(sm_sample_item) + 16 };

struct sm_sample {
    sm_lock *lock;
    sm_watermark bound;   /* ranks above it cannot stay */
    uint64_t bound_place; /* with rank == bound, places from this one on */
    bool whole;
    size_t most, most_bytes;
    sm_sample_item *heap;
    size_t count, capacity, bytes;
};

sm_status sm_sample_new(size_t most, size_t bytes, sm_sample **out, sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    const sm_status st = sm_new(sizeof(sm_sample), "a sample", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_sample *s = p;
    s->most = most;
    s->most_bytes = bytes;
    s->whole = true;
    s->bound_place = UINT64_MAX;
    sm_watermark_start(&s->bound, UINT64_MAX);
    if (sm_lock_new(&s->lock, err) != SM_OK) {
        sm_sample_free(s);
        return SM_E_MEMORY;
    }
    *out = s;
    return SM_OK;
}

void sm_sample_free(sm_sample *s)
{
    if (s == NULL) {
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        sm_free((void *)(uintptr_t)s->heap[i].key.data);
    }
    sm_free(s->heap);
    sm_lock_free(s->lock);
    sm_free(s);
}

static bool ranks_above(const sm_sample_item *a, const sm_sample_item *b)
{
    return a->rank != b->rank ? a->rank > b->rank : a->place > b->place;
}

static void swap(sm_sample_item *a, sm_sample_item *b)
{
    const sm_sample_item t = *a;
    *a = *b;
    *b = t;
}

static void rise(sm_sample *s, size_t at)
{
    while (at > 0 && ranks_above(&s->heap[at], &s->heap[(at - 1) / 2])) {
        swap(&s->heap[at], &s->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sink(sm_sample *s, size_t at)
{
    while (2 * at + 1 < s->count) {
        size_t child = 2 * at + 1;
        if (child + 1 < s->count && ranks_above(&s->heap[child + 1], &s->heap[child])) {
            child++;
        }
        if (!ranks_above(&s->heap[child], &s->heap[at])) {
            return;
        }
        swap(&s->heap[child], &s->heap[at]);
        at = child;
    }
}

static void drop_top(sm_sample *s)
{
    const sm_sample_item top = s->heap[0];
    s->bytes -= top.key.len + ITEM_BYTES;
    s->whole = false;
    s->bound_place = top.place;
    sm_watermark_set(&s->bound, top.rank);
    s->heap[0] = s->heap[--s->count];
    sink(s, 0);
    sm_free((void *)(uintptr_t)top.key.data);
}

static sm_status add(sm_sample *s, const sm_sample_item *item, sm_error *err)
{
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity == 0 ? 1024 : s->capacity + s->capacity / 2;
        sm_sample_item *heap = sm_realloc(s->heap, capacity * sizeof *heap);
        if (heap == NULL) {
            return sm_fail_memory(err, capacity * sizeof *heap, "a sample");
        }
        s->heap = heap;
        s->capacity = capacity;
    }
    uint8_t *key = sm_malloc(item->key.len + 1);
    if (key == NULL) {
        return sm_fail_memory(err, item->key.len, "a sample");
    }
    if (item->key.len != 0) {
        memcpy(key, item->key.data, item->key.len);
    }
    s->heap[s->count] = *item;
    s->heap[s->count].key.data = key;
    rise(s, s->count++);
    s->bytes += item->key.len + ITEM_BYTES;
    return SM_OK;
}

sm_status sm_sample_offer(sm_sample *s, const sm_sample_item *item, sm_error *err)
{
    if (item->rank > sm_watermark_read(&s->bound)) {
        return SM_OK;
    }
    sm_lock_take(s->lock);
    const uint64_t bound = sm_watermark_read(&s->bound);
    sm_status st = SM_OK;
    if (item->rank < bound || (item->rank == bound && item->place < s->bound_place)) {
        st = add(s, item, err);
        while (s->count > s->most || s->bytes > s->most_bytes) {
            drop_top(s);
        }
    }
    sm_lock_give(s->lock);
    return st;
}

static int compare_items(const void *a, const void *b)
{
    const sm_sample_item *x = a;
    const sm_sample_item *y = b;
    const int c = sm_bytes_compare(x->key, y->key);
    return c != 0 ? c : ranks_above(x, y) - ranks_above(y, x);
}

const sm_sample_item *sm_sample_sorted(sm_sample *s, size_t *count)
{
    *count = s->count;
    if (s->count > 1) {
        qsort(s->heap, s->count, sizeof *s->heap, compare_items);
    }
    return s->heap;
}

bool sm_sample_is_whole(const sm_sample *s)
{
    return s->whole;
}
