/* SPDX-License-Identifier: Apache-2.0 */
/* The arena: a list of blocks, of which the current one is bumped.
 *
 *   first -> block -> block -> NULL
 *              ^ current: [used | free]
 *
 * Reset makes the first block current again; blocks behind it are reused in order. */
#include "core/arena.h"

#include "core/mem.h"

#include <string.h>

enum { ALIGNMENT = 16 };

typedef struct block {
    struct block *next;
    size_t size; /* bytes behind the header */
    size_t used;
    size_t padding; /* keeps the payload on the alignment */
} block;

/* Something that the arena owns; lies in the arena itself. */
typedef struct owned {
    struct owned *older;
    void *thing;
    void (*release)(void *thing);
} owned;

struct sm_arena {
    owned *youngest;
    block *first;
    block *current;
    size_t block_size;
    size_t held;
};

static uint8_t *payload(block *b)
{
    return (uint8_t *)(b + 1);
}

sm_status sm_arena_new(size_t block_size, sm_arena **out, sm_error *err)
{
    void *p = NULL;
    const sm_status st = sm_new(sizeof(sm_arena), "an arena", &p, err);
    *out = p;
    if (st == SM_OK) {
        (*out)->block_size = block_size;
    }
    return st;
}

static void release_owned(sm_arena *a)
{
    for (owned *o = a->youngest; o != NULL; o = o->older) {
        o->release(o->thing);
    }
    a->youngest = NULL;
}

void sm_arena_free(sm_arena *a)
{
    if (a == NULL) {
        return;
    }
    release_owned(a);
    for (block *b = a->first; b != NULL;) {
        block *next = b->next;
        sm_free(b);
        b = next;
    }
    sm_free(a);
}

static block *add_block(sm_arena *a, size_t size)
{
    const size_t room = size > a->block_size ? size : a->block_size;
    block *b = sm_malloc(sizeof(block) + room);
    if (b == NULL) {
        return NULL;
    }
    b->size = room;
    b->used = 0;
    b->padding = 0;
    a->held += sizeof(block) + room;
    if (a->current == NULL) {
        b->next = a->first;
        a->first = b;
    } else {
        b->next = a->current->next;
        a->current->next = b;
    }
    a->current = b;
    return b;
}

static block *block_with_room(sm_arena *a, size_t size)
{
    for (block *b = a->current; b != NULL; b = b->next) {
        if (size <= b->size - b->used) {
            a->current = b;
            return b;
        }
        if (b->next != NULL) {
            b->next->used = 0;
        }
    }
    return add_block(a, size);
}

void *sm_arena_get(sm_arena *a, size_t size)
{
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    const size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block *b = block_with_room(a, rounded);
    if (b == NULL) {
        return NULL;
    }
    void *p = payload(b) + b->used;
    b->used += rounded;
    return p;
}

void *sm_arena_array(sm_arena *a, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return NULL;
    }
    void *p = sm_arena_get(a, bytes);
    return p == NULL ? NULL : memset(p, 0, bytes);
}

char *sm_arena_text(sm_arena *a, const void *data, size_t len)
{
    char *p = sm_arena_get(a, len + 1);
    if (p == NULL) {
        return NULL;
    }
    if (len != 0) {
        memcpy(p, data, len);
    }
    p[len] = '\0';
    return p;
}

sm_status sm_arena_own(sm_arena *a, void *thing, void (*release)(void *thing), sm_error *err)
{
    owned *o = sm_arena_get(a, sizeof *o);
    if (o == NULL) {
        release(thing);
        return sm_fail_memory(err, sizeof *o, "an arena's list of owned things");
    }
    *o = (owned){.older = a->youngest, .thing = thing, .release = release};
    a->youngest = o;
    return SM_OK;
}

void sm_arena_reset(sm_arena *a)
{
    release_owned(a);
    a->current = a->first;
    if (a->first != NULL) {
        a->first->used = 0;
    }
}

size_t sm_arena_held(const sm_arena *a)
{
    return a->held;
}
