/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of names and ids, and their growth under a lock. The file's text is in uid_file.c. */
#include "partitioner/uids.h"

#include "core/clock.h"
#include "core/endian.h"
#include "core/fs.h"
#include "core/hash.h"
#include "core/mem.h"

#include <stdio.h>

/* ---- tables ---------------------------------------------------------------------------------- */

enum { FIRST_SLOTS = 64 };

sm_status sm_uid_table_new(sm_uid_table **out, sm_error *err)
{
    void *p = NULL;
    *out = NULL;
    sm_status st = sm_new(sizeof(sm_uid_table), "a dictionary", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_uid_table *t = p;
    st = sm_arena_new(64 << 10, &t->arena, err);
    t->slot_count = FIRST_SLOTS;
    t->slots = st == SM_OK ? sm_calloc(t->slot_count, sizeof *t->slots) : NULL;
    if (st == SM_OK && t->slots == NULL) {
        st = sm_fail_memory(err, t->slot_count * sizeof *t->slots, "a dictionary");
    }
    if (st != SM_OK) {
        sm_uid_table_free(t);
        return st;
    }
    *out = t;
    return SM_OK;
}

void sm_uid_table_free(sm_uid_table *t)
{
    if (t == NULL) {
        return;
    }
    sm_arena_free(t->arena);
    sm_free(t->entries);
    sm_free(t->slots);
    sm_free(t);
}

/* Where the name stands, or the free slot where it would. */
static size_t slot_of(const sm_uid_table *t, sm_bytes name)
{
    const size_t mask = t->slot_count - 1;
    size_t i = (size_t)sm_xxh3(name) & mask;
    while (t->slots[i] != 0 && !sm_bytes_equal(t->entries[t->slots[i] - 1].name, name)) {
        i = (i + 1) & mask;
    }
    return i;
}

const sm_uid_entry *sm_uid_table_find(const sm_uid_table *t, sm_bytes name)
{
    const uint32_t found = t->slots[slot_of(t, name)];
    return found == 0 ? NULL : &t->entries[found - 1];
}

const sm_uid_entry *sm_uid_table_id(const sm_uid_table *t, uint64_t id)
{
    size_t low = 0;
    size_t high = t->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->entries[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < t->count && t->entries[low].id == id ? &t->entries[low] : NULL;
}

/* At most half of the slots are taken. */
static sm_status widen_slots(sm_uid_table *t, sm_error *err)
{
    const size_t count = t->slot_count * 2;
    uint32_t *slots = sm_calloc(count, sizeof *slots);
    if (slots == NULL) {
        return sm_fail_memory(err, count * sizeof *slots, "a dictionary");
    }
    sm_free(t->slots);
    t->slots = slots;
    t->slot_count = count;
    for (size_t i = 0; i < t->count; i++) {
        t->slots[slot_of(t, t->entries[i].name)] = (uint32_t)(i + 1);
    }
    return SM_OK;
}

static sm_status make_room(sm_uid_table *t, sm_error *err)
{
    if (t->count == UINT32_MAX - 1) {
        return sm_fail(err, SM_E_MEMORY, "a dictionary holds at most %u names", UINT32_MAX - 1);
    }
    if (t->count == t->room) {
        const size_t room = t->room == 0 ? FIRST_SLOTS : t->room * 2;
        sm_uid_entry *grown = sm_realloc(t->entries, room * sizeof *grown);
        if (grown == NULL) {
            return sm_fail_memory(err, room * sizeof *grown, "a dictionary");
        }
        t->entries = grown;
        t->room = room;
    }
    return (t->count + 1) * 2 > t->slot_count ? widen_slots(t, err) : SM_OK;
}

sm_status sm_uid_table_add(sm_uid_table *t, uint64_t id, sm_bytes name, bool *added, sm_error *err)
{
    const uint64_t last = t->count == 0 ? 0 : t->entries[t->count - 1].id;
    *added = false;
    const sm_status st = make_room(t, err);
    if (st != SM_OK) {
        return st;
    }
    const size_t slot = slot_of(t, name);
    if (id <= last || t->slots[slot] != 0) {
        return SM_OK;
    }
    const char *copy = sm_arena_text(t->arena, name.data, name.len);
    if (copy == NULL) {
        return sm_fail_memory(err, name.len, "a dictionary");
    }
    t->entries[t->count] = (sm_uid_entry){.id = id, .name = sm_bytes_of(copy, name.len)};
    t->slots[slot] = (uint32_t)++t->count;
    *added = true;
    return SM_OK;
}

/* ---- dictionaries ---------------------------------------------------------------------------- */

sm_status sm_uids_open(sm_uid_dictionary *items, size_t count, sm_uids **out, sm_error *err)
{
    void *p = NULL;
    *out = NULL;
    sm_status st = sm_new(sizeof(sm_uids), "dictionaries", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_uids *uids = p;
    uids->items = items;
    for (size_t i = 0; st == SM_OK && i < count; i++) {
        items[i].index = i;
        st = sm_uid_file_read(items[i].path, &items[i].table, err);
        uids->count += st == SM_OK;
    }
    if (st != SM_OK) {
        sm_uids_free(uids);
        return st;
    }
    *out = uids;
    return SM_OK;
}

void sm_uids_free(sm_uids *uids)
{
    if (uids == NULL) {
        return;
    }
    for (size_t i = 0; i < uids->count; i++) {
        sm_uid_table_free(uids->items[i].table);
        uids->items[i].table = NULL;
    }
    sm_free(uids);
}

sm_uid_dictionary *sm_uids_find(const sm_uids *uids, sm_bytes name)
{
    if (uids == NULL) {
        return NULL;
    }
    if (name.len == 0) {
        return uids->count == 1 ? &uids->items[0] : NULL;
    }
    for (size_t i = 0; i < uids->count; i++) {
        if (sm_bytes_equal_text(name, uids->items[i].name)) {
            return &uids->items[i];
        }
    }
    return NULL;
}

sm_status sm_uid_hash(const sm_uid_dictionary *d, size_t count, uint64_t *out, sm_error *err)
{
    sm_xxh64_stream *stream = NULL;
    const sm_status st = sm_xxh64_stream_new(&stream, err);
    if (st != SM_OK) {
        return st;
    }
    for (size_t i = 0; i < count && i < d->table->count; i++) {
        const sm_uid_entry *e = &d->table->entries[i];
        uint8_t head[12];
        sm_store_be64(head, e->id);
        sm_store_be32(head + 8, (uint32_t)e->name.len);
        sm_xxh64_stream_add(stream, sm_bytes_of(head, sizeof head));
        sm_xxh64_stream_add(stream, e->name);
    }
    *out = sm_xxh64_stream_value(stream);
    sm_xxh64_stream_free(stream);
    return SM_OK;
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* Another run holds the lock while it reads, adds and writes; that takes moments. */
static sm_status take_lock(const sm_uid_dictionary *d, sm_file **lock, sm_error *err)
{
    enum { TRIES = 100, PAUSE_MS = 100 };
    char path[4096];
    const int len = snprintf(path, sizeof path, "%s.lock", d->path);
    if (len < 0 || (size_t)len >= sizeof path) {
        return sm_fail(err, SM_E_OUTPUT, "uids.%s.file: the path is too long", d->name);
    }
    sm_status st = SM_E_REFUSED;
    for (int i = 0; st == SM_E_REFUSED && i < TRIES; i++) {
        sm_error inner = {.code = SM_OK};
        st = sm_fs_lock(path, lock, &inner);
        if (st == SM_E_REFUSED) {
            sm_clock_wait(PAUSE_MS);
        } else if (st != SM_OK) {
            return sm_fail(err, st, "%s", inner.text);
        }
    }
    return st == SM_OK ? st
                       : sm_fail(err, SM_E_REFUSED,
                                 "%s: another run has been adding names for %d s (it holds %s); "
                                 "wait for it to end and run again",
                                 d->path, TRIES * PAUSE_MS / 1000, path);
}

/* The greatest id that the narrowest use can write. */
static uint64_t greatest_id(const sm_uid_dictionary *d)
{
    return d->width == 0 || d->width >= SM_UID_WIDTH_MAX ? INT64_MAX
                                                         : (UINT64_C(1) << (8 * d->width)) - 1;
}

static sm_status add_names(const sm_uid_dictionary *d, sm_uid_table *t, const sm_bytes *names,
                           size_t count, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < count; i++) {
        const uint64_t last = t->count == 0 ? 0 : t->entries[t->count - 1].id;
        bool added = false;
        if (sm_uid_table_find(t, names[i]) != NULL) {
            continue;
        }
        if (last >= greatest_id(d)) {
            return sm_fail(err, SM_E_UIDS,
                           "%s: the ids are used up: %llu is the greatest that fits %u bytes, and "
                           "%zu names wait for one; nothing was added; give uid() a greater width "
                           "and load into a new table",
                           d->path, (unsigned long long)greatest_id(d), d->width, count - i);
        }
        st = sm_uid_table_add(t, last + 1, names[i], &added, err);
    }
    return st;
}

static sm_status grow_locked(sm_uid_dictionary *d, const sm_bytes *names, size_t count,
                             sm_error *err)
{
    sm_uid_table *t = NULL;
    sm_status st = sm_uid_file_read(d->path, &t, err);
    if (st != SM_OK) {
        return st;
    }
    const size_t before = t->count;
    st = add_names(d, t, names, count, err);
    if (st == SM_OK && t->count != before) {
        st = sm_uid_file_write(d->path, t, err);
    }
    if (st != SM_OK) {
        sm_uid_table_free(t);
        return st;
    }
    sm_uid_table_free(d->table);
    d->table = t;
    return SM_OK;
}

sm_status sm_uids_grow(sm_uid_dictionary *d, const sm_bytes *names, size_t count, sm_error *err)
{
    sm_file *lock = NULL;
    sm_status st = take_lock(d, &lock, err);
    if (st == SM_OK) {
        st = grow_locked(d, names, count, err);
    }
    sm_file_discard(&lock);
    return st;
}
