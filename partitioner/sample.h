/* SPDX-License-Identifier: Apache-2.0 */
/* A random sample of row keys in bounded memory that is the same for any number of threads: the
 * rows with the least ranks (bottom-k), a row's rank being the hash of its place in the input. It
 * is uniform and without replacement.
 *
 * The count and the bytes of the sample are limited. Since a row is dropped only when the ones
 * below it fill the limits, what stays does not depend on the order of the offers. */
#ifndef SM_PARTITIONER_SAMPLE_H
#define SM_PARTITIONER_SAMPLE_H

#include "core/bytes.h"
#include "core/error.h"

typedef struct sm_sample_item {
    uint64_t rank, place; /* (rank, place) is unique */
    uint64_t weight;
    sm_bytes key;
} sm_sample_item;

typedef struct sm_sample sm_sample;

/* most: rows; bytes: of keys and what keeps them. */
sm_status sm_sample_new(size_t most, size_t bytes, sm_sample **out, sm_error *err) SM_MUST_CHECK;
void sm_sample_free(sm_sample *s); /* takes NULL */

/* Thread-safe; copies the key. */
sm_status sm_sample_offer(sm_sample *s, const sm_sample_item *item, sm_error *err) SM_MUST_CHECK;

/* ---- when all has been offered --------------------------------------------------------------- */

/* Sorts by key; the items live in s. */
const sm_sample_item *sm_sample_sorted(sm_sample *s, size_t *count);
/* Nothing was dropped for the limits. */
bool sm_sample_is_whole(const sm_sample *s);

#endif
