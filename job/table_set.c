/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for tables that records name: one list under a lock, and a hash table per worker in front
 * of it, so that only a worker's first row of a table takes the lock. */
#include "job/table_set.h"

#include "core/hash.h"
#include "core/mem.h"
#include "core/par.h"

#include <stdlib.h>
#include <string.h>

/* Never changed once a worker can know its index. */
typedef struct named {
    size_t entry;
    sm_bytes name;
} named;

struct sm_table_set {
    const sm_job *job;
    bool has_templates;
    sm_lock *lock;
    sm_arena *names;
    size_t count;
    named items[SM_NAMED_TABLES_MAX];
};

sm_status sm_table_set_new(const sm_job *job, sm_table_set **out, sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    sm_status st = sm_new(sizeof(sm_table_set), "the list of tables", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_table_set *s = p;
    s->job = job;
    for (size_t i = 0; i < job->table_count; i++) {
        s->has_templates = s->has_templates || job->tables[i].name_expr != NULL;
    }
    st = sm_lock_new(&s->lock, err);
    if (st == SM_OK) {
        st = sm_arena_new(4096, &s->names, err);
    }
    if (st != SM_OK) {
        sm_table_set_free(s);
        return st;
    }
    *out = s;
    return SM_OK;
}

void sm_table_set_free(sm_table_set *s)
{
    if (s == NULL) {
        return;
    }
    sm_lock_free(s->lock);
    sm_arena_free(s->names);
    sm_free(s);
}

size_t sm_table_set_numbers(const sm_table_set *s)
{
    return s->job->table_count + (s->has_templates ? SM_NAMED_TABLES_MAX : 0);
}

/* ---- a new name ------------------------------------------------------------------------------ */

static bool is_namespace_of(sm_bytes a, sm_bytes b)
{
    return a.len < b.len && memcmp(a.data, b.data, a.len) == 0 && b.data[a.len] == ':';
}

/* As two entries of the job file may not: their files would lie in each other's folders. */
static sm_status check_against(const sm_table_set *s, const named *n, size_t other_entry,
                               sm_bytes other, sm_error *err)
{
    const size_t first = n->entry < other_entry ? n->entry : other_entry;
    const size_t second = n->entry < other_entry ? other_entry : n->entry;
    if (n->entry != other_entry && sm_bytes_equal(n->name, other)) {
        return sm_fail(err, SM_E_JOB,
                       "%s and %s both make the table %.*s; put something into one of the names "
                       "that tells them apart",
                       s->job->tables[first].where, s->job->tables[second].where, (int)other.len,
                       (const char *)other.data);
    }
    if (is_namespace_of(n->name, other) || is_namespace_of(other, n->name)) {
        const sm_bytes shorter = n->name.len < other.len ? n->name : other;
        return sm_fail(err, SM_E_JOB,
                       "%s and %s make a table and a namespace of the same name, %.*s; their "
                       "folders would lie in each other",
                       s->job->tables[first].where, s->job->tables[second].where, (int)shorter.len,
                       (const char *)shorter.data);
    }
    return SM_OK;
}

static sm_status check_new(const sm_table_set *s, const named *n, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < s->job->table_count; i++) {
        if (s->job->tables[i].name_expr == NULL) {
            st = check_against(s, n, i, sm_bytes_text(s->job->tables[i].name), err);
        }
    }
    for (size_t i = 0; st == SM_OK && i < s->count; i++) {
        st = check_against(s, n, s->items[i].entry, s->items[i].name, err);
    }
    if (st == SM_OK && s->count == SM_NAMED_TABLES_MAX) {
        return sm_fail(err, SM_E_JOB,
                       "%s.name: the records name more than %d tables; make the name coarser "
                       "(months instead of days), or narrow the input with input.time_range",
                       s->job->tables[n->entry].where, SM_NAMED_TABLES_MAX);
    }
    return st;
}

/* Under the lock. */
static sm_status find_or_add(sm_table_set *s, size_t entry, sm_bytes name, size_t *out,
                             sm_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->items[i].entry == entry && sm_bytes_equal(s->items[i].name, name)) {
            *out = i;
            return SM_OK;
        }
    }
    const named n = {entry, name};
    const sm_status st = check_new(s, &n, err);
    if (st != SM_OK) {
        return st;
    }
    const char *copy = sm_arena_text(s->names, name.data, name.len);
    if (copy == NULL) {
        return sm_fail_memory(err, name.len, "the list of tables");
    }
    *out = s->count;
    s->items[s->count++] = (named){entry, sm_bytes_of(copy, name.len)};
    return SM_OK;
}

sm_status sm_table_set_number(sm_table_set *s, sm_table_cache *cache, size_t entry, sm_bytes name,
                              uint32_t *out, sm_error *err)
{
    size_t at = (size_t)(sm_xxh3(name) + entry) % SM_TABLE_SLOTS;
    while (cache->slots[at] != 0) {
        const size_t index = (size_t)cache->slots[at] - 1;
        if (s->items[index].entry == entry && sm_bytes_equal(s->items[index].name, name)) {
            *out = (uint32_t)(s->job->table_count + index);
            return SM_OK;
        }
        at = (at + 1) % SM_TABLE_SLOTS;
    }
    size_t index = 0;
    sm_lock_take(s->lock);
    const sm_status st = find_or_add(s, entry, name, &index, err);
    sm_lock_give(s->lock);
    if (st == SM_OK) {
        cache->slots[at] = (uint16_t)(index + 1);
        *out = (uint32_t)(s->job->table_count + index);
    }
    return st;
}

/* ---- the list -------------------------------------------------------------------------------- */

sm_status sm_named_table(const sm_job_table *entry, sm_bytes name, sm_arena *arena,
                         sm_job_table *out, sm_error *err)
{
    const char *text = sm_arena_text(arena, name.data, name.len);
    char *directory = sm_arena_text(arena, name.data, name.len);
    if (text == NULL || directory == NULL) {
        return sm_fail_memory(err, name.len, "the list of tables");
    }
    char *colon = strchr(directory, ':');
    if (colon != NULL) {
        *colon = '/';
    }
    *out = *entry;
    out->name = text;
    out->directory = directory;
    out->layout.table = text;
    return SM_OK;
}

typedef struct numbered {
    const named *item;
    uint32_t number;
} numbered;

static int compare_names(const void *a, const void *b)
{
    const named *x = ((const numbered *)a)->item;
    const named *y = ((const numbered *)b)->item;
    if (x->entry != y->entry) {
        return x->entry < y->entry ? -1 : 1;
    }
    return sm_bytes_compare(x->name, y->name);
}

/* The named tables, sorted. */
static numbered *sort_named(const sm_table_set *s, sm_arena *arena)
{
    numbered *sorted = sm_arena_array(arena, s->count + 1, sizeof *sorted);
    for (size_t i = 0; sorted != NULL && i < s->count; i++) {
        sorted[i] = (numbered){&s->items[i], (uint32_t)(s->job->table_count + i)};
    }
    if (sorted != NULL && s->count > 1) {
        qsort(sorted, s->count, sizeof *sorted, compare_names);
    }
    return sorted;
}

typedef struct lister {
    const sm_table_set *set;
    sm_arena *arena;
    sm_job_table *items;
    size_t *entries, *places;
    uint32_t *numbers;
    size_t count;
} lister;

static sm_status put_table(lister *l, size_t entry, const numbered *n, sm_error *err)
{
    const sm_job_table *t = &l->set->job->tables[entry];
    const uint32_t number = n == NULL ? (uint32_t)entry : n->number;
    sm_status st = SM_OK;
    if (n == NULL) {
        l->items[l->count] = *t;
    } else {
        st = sm_named_table(t, n->item->name, l->arena, &l->items[l->count], err);
    }
    l->entries[l->count] = entry;
    l->numbers[l->count] = number;
    l->places[number] = l->count++;
    return st;
}

sm_status sm_table_set_list(const sm_table_set *s, sm_arena *arena, sm_run_tables *out,
                            sm_error *err)
{
    const size_t room = s->job->table_count + s->count;
    const numbered *sorted = sort_named(s, arena);
    lister l = {.set = s,
                .arena = arena,
                .items = sm_arena_array(arena, room + 1, sizeof *l.items),
                .entries = sm_arena_array(arena, room + 1, sizeof *l.entries),
                .places = sm_arena_array(arena, room + 1, sizeof *l.places),
                .numbers = sm_arena_array(arena, room + 1, sizeof *l.numbers)};
    if (sorted == NULL || l.items == NULL || l.entries == NULL || l.places == NULL ||
        l.numbers == NULL) {
        return sm_fail_memory(err, room * sizeof *l.items, "the list of tables");
    }
    sm_status st = SM_OK;
    size_t next = 0;
    for (size_t i = 0; st == SM_OK && i < s->job->table_count; i++) {
        if (s->job->tables[i].name_expr == NULL) {
            st = put_table(&l, i, NULL, err);
        }
        while (st == SM_OK && next < s->count && sorted[next].item->entry == i) {
            st = put_table(&l, i, &sorted[next++], err);
        }
    }
    *out = (sm_run_tables){l.items, l.count, l.entries, l.numbers, l.places};
    return st;
}
