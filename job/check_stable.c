/* SPDX-License-Identifier: Apache-2.0 */
/* Which values of a field stand under more than one leading part of the key: a table of values by
 * hash, which forgets the upper half of the hashes when it is full. What stays does not depend on
 * the order of the records, because no worker halves more often than all values together need. */
#include "job/check_stable.h"

#include "core/hash.h"

#include <string.h>

enum { KEPT = 8192, SLOTS = 2 * KEPT, SHOWN = 40 };

typedef struct id_slot {
    uint64_t hash; /* of the value; 0: free */
    uint64_t lead; /* hash of the first leading part seen with it */
    bool unstable; /* another one was seen, too */
    uint8_t len;
    char text[SHOWN]; /* the value's first bytes, for the example */
} id_slot;

struct sm_check_ids {
    id_slot *slots, *spare; /* spare: all free */
    uint32_t count, halvings;
};

uint64_t sm_check_ids_memory(void)
{
    return sizeof(sm_check_ids) + 2 * (uint64_t)SLOTS * sizeof(id_slot);
}

sm_check_ids *sm_check_ids_new(sm_arena *arena)
{
    sm_check_ids *ids = sm_arena_array(arena, 1, sizeof *ids);
    if (ids == NULL) {
        return NULL;
    }
    ids->slots = sm_arena_array(arena, SLOTS, sizeof *ids->slots);
    ids->spare = sm_arena_array(arena, SLOTS, sizeof *ids->spare);
    return ids->slots != NULL && ids->spare != NULL ? ids : NULL;
}

static bool within(const sm_check_ids *ids, uint64_t hash)
{
    return ids->halvings == 0 || hash >> (64 - ids->halvings) == 0;
}

/* Where the value is or would be; a table is at most half full. */
static id_slot *find(id_slot *slots, uint64_t hash)
{
    size_t at = (size_t)(hash % SLOTS);
    while (slots[at].hash != 0 && slots[at].hash != hash) {
        at = (at + 1) % SLOTS;
    }
    return &slots[at];
}

static void halve(sm_check_ids *ids)
{
    id_slot *old = ids->slots;
    ids->halvings++;
    ids->count = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        if (old[i].hash != 0 && within(ids, old[i].hash)) {
            *find(ids->spare, old[i].hash) = old[i];
            ids->count++;
        }
    }
    memset(old, 0, SLOTS * sizeof *old);
    ids->slots = ids->spare;
    ids->spare = old;
}

static void add(sm_check_ids *ids, const id_slot *id)
{
    while (within(ids, id->hash)) {
        id_slot *slot = find(ids->slots, id->hash);
        if (slot->hash != 0) {
            slot->unstable |= id->unstable || slot->lead != id->lead;
            return;
        }
        if (ids->count < KEPT) {
            *slot = *id;
            ids->count++;
            return;
        }
        halve(ids);
    }
}

void sm_check_ids_add(sm_check_ids *ids, sm_bytes value, sm_bytes lead)
{
    const uint64_t hash = sm_xxh64(value);
    id_slot id = {.hash = hash == 0 ? 1 : hash};
    if (!within(ids, id.hash)) {
        return;
    }
    id.lead = sm_xxh3(lead);
    id.len = value.len < SHOWN ? (uint8_t)value.len : SHOWN;
    if (id.len != 0) {
        memcpy(id.text, value.data, id.len);
    }
    add(ids, &id);
}

void sm_check_ids_merge(sm_check_ids *into, const sm_check_ids *from)
{
    while (into->halvings < from->halvings) {
        halve(into);
    }
    for (size_t i = 0; i < SLOTS; i++) {
        if (from->slots[i].hash != 0) {
            add(into, &from->slots[i]);
        }
    }
}

sm_status sm_check_ids_report(const sm_check_ids *ids, sm_arena *arena, sm_check_stable *out,
                              sm_error *err)
{
    const id_slot *example = NULL;
    out->seen = ids->count;
    out->scale = UINT64_C(1) << ids->halvings;
    for (size_t i = 0; i < SLOTS; i++) {
        const id_slot *s = &ids->slots[i];
        if (s->unstable) {
            example = example == NULL || s->hash < example->hash ? s : example;
            out->unstable++;
        }
    }
    if (example == NULL) {
        return SM_OK;
    }
    const char *copy = sm_arena_text(arena, example->text, example->len);
    out->example = sm_bytes_of(copy, example->len);
    return copy != NULL ? SM_OK : sm_fail_memory(err, SHOWN, "the report");
}
