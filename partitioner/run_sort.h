/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting one share of rows by (group, key, order). Only the 16-byte entries move; the records
 * stay.
 *
 * Rows of one group (a table's region) share long prefixes, so the sort key of an entry is made of
 * the bits that differ within its group: the first 64 of the varying bits of the first 64 key
 * bytes. Entries are then sorted by bytes of that word in place, most significant first; ties look
 * at the next bytes that differ, and in the end at the whole row. */
#ifndef SM_PARTITIONER_RUN_SORT_H
#define SM_PARTITIONER_RUN_SORT_H

#include <stddef.h>
#include <stdint.h>

/* place: group << 40 | offset of the record from the share's base. */
typedef struct sm_sort_entry {
    uint64_t key; /* scratch of the sort */
    uint64_t place;
} sm_sort_entry;

enum { SM_SORT_OFFSET_BITS = 40, SM_SORT_MASK_WORDS = 8 };

static inline uint64_t sm_sort_offset(const sm_sort_entry *e)
{
    return e->place & ((UINT64_C(1) << SM_SORT_OFFSET_BITS) - 1);
}

static inline size_t sm_sort_group_of(const sm_sort_entry *e)
{
    return (size_t)(e->place >> SM_SORT_OFFSET_BITS);
}

/* One group's rows are entries first ... first + count - 1 once sorted. */
typedef struct sm_sort_group {
    uint32_t table, region;
    uint32_t part; /* the caller's own number */
    size_t first, count;
    size_t head; /* scratch of the sort */
} sm_sort_group;

/* Which bits of the first key bytes vary within a group; scratch of the sort. */
typedef struct sm_sort_mask {
    uint64_t first[SM_SORT_MASK_WORDS]; /* the first key seen, big-endian words, zeros behind it */
    uint64_t vary[SM_SORT_MASK_WORDS];
    uint8_t bits[SM_SORT_MASK_WORDS]; /* taken from each word */
    uint8_t words;                    /* words the first key has */
    uint8_t used;                     /* words that bits are taken from */
    uint8_t shift;                    /* moves the taken bits to the top of the sort key */
} sm_sort_mask;

typedef struct sm_sort_job {
    sm_sort_entry *entries;
    size_t count;
    const uint8_t *base; /* of the share; SM_RECORD_SLACK bytes behind each record are readable */
    const uint8_t *end;  /* no record reaches past this */
    sm_sort_group
        *groups; /* ordered by (table, region); first and count set, counts add up to `count` */
    size_t group_count;
    sm_sort_mask *masks; /* scratch; groups past mask_count are looked at when they are gathered */
    size_t mask_count;
    sm_sort_entry *scratch; /* ranges of up to scratch_count entries are sorted by way of it */
    size_t scratch_count;
} sm_sort_job;

/* Each entry's place must name its group. Needs no memory; never fails. */
void sm_sort_share(const sm_sort_job *job);

#endif
