/* SPDX-License-Identifier: Apache-2.0 */
/* Dictionaries of uid(): names that stand for numbers, kept in files that outlive a run.
 *
 *   saltmill uids 1        the format and its version
 *   1<TAB>cdr.bytes        id, name escaped as Bytes.toStringBinary does; ids ascend, from 1 on,
 *   2<TAB>cdr.calls        gaps are allowed; no name twice
 *   end<TAB>2              how many entries there are, so that a cut file cannot pass for a whole
 * one
 *
 * Entries are only ever added, with ids above all that are there: an id never changes its meaning.
 * While records are evaluated a dictionary is frozen and looked up without locks; it grows only
 * between passes (sm_uids_grow), which takes the file's lock, reads it again, adds, and replaces
 * the file. No knowledge of jobs and inputs. */
#ifndef SM_PARTITIONER_UIDS_H
#define SM_PARTITIONER_UIDS_H

#include "core/arena.h"
#include "core/bytes.h"
#include "core/error.h"

enum { SM_UID_WIDTH_MAX = 8, SM_UID_NAME_MAX = 32767 };

typedef struct sm_uid_entry {
    uint64_t id;
    sm_bytes name;
} sm_uid_entry;

/* In id order. */
typedef struct sm_uid_table {
    sm_arena *arena;
    sm_uid_entry *entries;
    size_t count, room;
    uint32_t *slots; /* open addressing; index into entries plus one, 0: free */
    size_t slot_count;
} sm_uid_table;

typedef struct sm_uid_dictionary {
    const char *name, *path; /* lived for by whoever made the sm_uids */
    bool assign;             /* new names get ids; else they are rejects */
    size_t index;            /* among the dictionaries */
    bool used;               /* some expression looks things up in it */
    bool opentsdb;           /* new names must be such as OpenTSDB takes (tsdb_name.h) */
    unsigned width;          /* of the narrowest use, bytes; 0: none yet */
    sm_uid_table *table;
} sm_uid_dictionary;

typedef struct sm_uids {
    sm_uid_dictionary *items;
    size_t count;
} sm_uids;

/* ---- tables ---------------------------------------------------------------------------------- */

sm_status sm_uid_table_new(sm_uid_table **out, sm_error *err) SM_MUST_CHECK;
void sm_uid_table_free(sm_uid_table *t); /* takes NULL */
/* The id must lie above all that are there and the name must be new: *added = false otherwise. The
 * name is copied. */
sm_status sm_uid_table_add(sm_uid_table *t, uint64_t id, sm_bytes name, bool *added, sm_error *err)
    SM_MUST_CHECK;
/* NULL when it is not there. */
const sm_uid_entry *sm_uid_table_find(const sm_uid_table *t, sm_bytes name);
const sm_uid_entry *sm_uid_table_id(const sm_uid_table *t, uint64_t id);

/* ---- files (uid_file.c) ---------------------------------------------------------------------- */

/* A missing file is an empty dictionary. A damaged one is SM_E_UIDS with the line. */
sm_status sm_uid_file_read(const char *path, sm_uid_table **out, sm_error *err) SM_MUST_CHECK;
/* Written beside, synced, renamed over, and the folder synced. */
sm_status sm_uid_file_write(const char *path, const sm_uid_table *t, sm_error *err) SM_MUST_CHECK;

/* ---- dictionaries ---------------------------------------------------------------------------- */

/* Takes the list (name, path, assign filled in) and reads the files. */
sm_status sm_uids_open(sm_uid_dictionary *items, size_t count, sm_uids **out, sm_error *err)
    SM_MUST_CHECK;
void sm_uids_free(sm_uids *uids); /* takes NULL; the list is the caller's */
/* By name; an empty name means the only one. NULL when there is none. */
sm_uid_dictionary *sm_uids_find(const sm_uids *uids, sm_bytes name);

/* 0: no such name. */
static inline uint64_t sm_uid_of(const sm_uid_dictionary *d, sm_bytes name)
{
    const sm_uid_entry *e = sm_uid_table_find(d->table, name);
    return e == NULL ? 0 : e->id;
}

/* Gives the names (sorted bytewise, no name twice) the next ids in their order, unless the file has
 * them by now. Lock held elsewhere for longer than a few seconds: SM_E_REFUSED. */
sm_status sm_uids_grow(sm_uid_dictionary *d, const sm_bytes *names, size_t count, sm_error *err)
    SM_MUST_CHECK;

/* XXH64 of the first `count` entries (all, when there are fewer), as 8 bytes id, 4 bytes length,
 * name: says whether a dictionary that has grown since still holds what it held then. */
sm_status sm_uid_hash(const sm_uid_dictionary *d, size_t count, uint64_t *out, sm_error *err)
    SM_MUST_CHECK;

#endif
