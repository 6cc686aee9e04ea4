/* SPDX-License-Identifier: Apache-2.0 */
/* One table of names per dictionary (their ids mean nothing here), and the pending names as one
 * stretch of bytes: 4 bytes dictionary, 4 bytes length, name. */
#include "partitioner/uid_notes.h"

#include "core/buf.h"
#include "core/endian.h"
#include "core/mem.h"

#include <stdlib.h>

/* What an entry takes besides its name: entry, slots at half load, alignment. */
enum { ENTRY_COST = 96, PENDING_MAX = 64 << 20, HEAD = 8 };

struct sm_uid_notes {
    sm_uid_table **tables;
    size_t dictionaries;
    sm_buf pending;
    size_t held, maximum;
    bool full;
};

sm_status sm_uid_notes_new(size_t dictionaries, size_t maximum, sm_uid_notes **out, sm_error *err)
{
    void *p = NULL;
    *out = NULL;
    sm_status st = sm_new(sizeof(sm_uid_notes), "new names", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_uid_notes *n = p;
    n->maximum = maximum;
    sm_buf_init(&n->pending, PENDING_MAX);
    n->tables = sm_calloc(dictionaries + 1, sizeof(sm_uid_table *));
    if (n->tables == NULL) {
        st = sm_fail_memory(err, 0, "new names");
    }
    for (size_t i = 0; st == SM_OK && i < dictionaries; i++) {
        st = sm_uid_table_new(&n->tables[i], err);
        n->dictionaries += st == SM_OK;
    }
    if (st != SM_OK) {
        sm_uid_notes_free(n);
        return st;
    }
    *out = n;
    return SM_OK;
}

void sm_uid_notes_free(sm_uid_notes *n)
{
    if (n == NULL) {
        return;
    }
    for (size_t i = 0; i < n->dictionaries; i++) {
        sm_uid_table_free(n->tables[i]);
    }
    sm_free(n->tables);
    sm_buf_free(&n->pending);
    sm_free(n);
}

void sm_uid_notes_add(sm_uid_notes *n, size_t dictionary, sm_bytes name)
{
    uint8_t head[HEAD];
    if (sm_uid_table_find(n->tables[dictionary], name) != NULL) {
        return;
    }
    sm_store_be32(head, (uint32_t)dictionary);
    sm_store_be32(head + 4, (uint32_t)name.len);
    sm_error ignored = {.code = SM_OK};
    if (sm_buf_append(&n->pending, head, sizeof head, &ignored) != SM_OK ||
        sm_buf_append(&n->pending, name.data, name.len, &ignored) != SM_OK) {
        n->full = true;
    }
}

static void keep_one(sm_uid_notes *n, size_t dictionary, sm_bytes name)
{
    sm_uid_table *t = n->tables[dictionary];
    bool added = false;
    sm_error ignored = {.code = SM_OK};
    if (n->held + name.len + ENTRY_COST > n->maximum ||
        sm_uid_table_add(t, t->count + 1, name, &added, &ignored) != SM_OK) {
        n->full = true;
        return;
    }
    n->held += added ? name.len + ENTRY_COST : 0;
}

void sm_uid_notes_keep(sm_uid_notes *n)
{
    size_t at = 0;
    while (!n->full && at != n->pending.len) {
        const uint8_t *head = n->pending.data + at;
        const size_t len = sm_load_be32(head + 4);
        keep_one(n, sm_load_be32(head), sm_bytes_of(head + HEAD, len));
        at += HEAD + len;
    }
    sm_buf_clear(&n->pending);
}

void sm_uid_notes_drop(sm_uid_notes *n)
{
    sm_buf_clear(&n->pending);
}

bool sm_uid_notes_pending(const sm_uid_notes *n)
{
    return n->pending.len != 0;
}

bool sm_uid_notes_full(const sm_uid_notes *n)
{
    return n->full;
}

static int compare_names(const void *a, const void *b)
{
    return sm_bytes_compare(*(const sm_bytes *)a, *(const sm_bytes *)b);
}

sm_status sm_uid_notes_union(sm_uid_notes *const *notes, size_t count, size_t dictionary,
                             sm_arena *arena, sm_uid_names *out, sm_error *err)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += notes[i]->tables[dictionary]->count;
    }
    sm_bytes *names = sm_arena_array(arena, total + 1, sizeof *names);
    if (names == NULL) {
        return sm_fail_memory(err, total * sizeof *names, "new names");
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const sm_uid_table *t = notes[i]->tables[dictionary];
        for (size_t k = 0; k < t->count; k++) {
            names[at++] = t->entries[k].name;
        }
    }
    qsort(names, total, sizeof *names, compare_names);
    size_t kept = 0;
    for (size_t i = 0; i < total; i++) {
        if (kept == 0 || !sm_bytes_equal(names[kept - 1], names[i])) {
            names[kept++] = names[i];
        }
    }
    *out = (sm_uid_names){names, kept};
    return SM_OK;
}
