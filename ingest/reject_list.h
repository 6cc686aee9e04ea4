/* SPDX-License-Identifier: Apache-2.0 */
/* The rejects of one slice, as a worker collects them. Inside of rejects.c and reject_list.c. */
#ifndef SM_INGEST_REJECT_LIST_H
#define SM_INGEST_REJECT_LIST_H

#include "core/buf.h"
#include "ingest/rejects.h"

/* One reject; offsets into the list's bytes. */
typedef struct sm_reject_entry {
    sm_place place;
    sm_reject code;
    bool has_field;
    size_t original_at, original_len;
    size_t field_at, field_len;
    size_t text_at, text_len;
    uint64_t accepted, filtered, out_of_range; /* of the slice, before this one */
} sm_reject_entry;

struct sm_reject_list {
    sm_buf bytes;   /* original, field name and message of each */
    sm_buf entries; /* of sm_reject_entry */
    uint64_t accepted, filtered, out_of_range;
};

static inline size_t sm_reject_list_count(const sm_reject_list *l)
{
    return l->entries.len / sizeof(sm_reject_entry);
}

static inline const sm_reject_entry *sm_reject_list_at(const sm_reject_list *l, size_t i)
{
    return (const sm_reject_entry *)(const void *)l->entries.data + i;
}

void sm_reject_list_init(sm_reject_list *l);
void sm_reject_list_release(sm_reject_list *l);

#endif
