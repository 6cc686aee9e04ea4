/* SPDX-License-Identifier: Apache-2.0 */
/* Split keys as quantiles of a sample: every region gets about the same number of rows, or of
 * bytes, and it is said how far from that it can be. */
#ifndef SM_PARTITIONER_SPLIT_SAMPLE_H
#define SM_PARTITIONER_SPLIT_SAMPLE_H

#include "partitioner/sample.h"
#include "partitioner/splits.h"

/* All rows that the sample is of. A row's weight is 1, or its bytes. */
typedef struct sm_population {
    uint64_t rows;
    uint64_t weight, most_weight; /* sum, greatest */
    double squares;               /* sum of weight^2 */
} sm_population;

typedef struct sm_split_cut {
    sm_sample *sample;        /* is sorted */
    const sm_population *all; /* what it is a sample of */
    size_t regions;
} sm_split_cut;

typedef struct sm_split_quality {
    size_t sampled;         /* rows */
    size_t distinct;        /* keys among them */
    double least, greatest; /* shares of all weight that regions hold, by the sample */
    double error;           /* each true share is within this of what the sample says, with 99 %
                             * confidence; 0 when the sample holds all rows */
} sm_split_quality;

/* Each key is the shortest that separates its two neighbours in the sample. Fewer regions come out
 * where one key alone holds more than a region should, or there are fewer distinct keys. The sample
 * must not be empty. */
sm_status sm_splits_of_sample(sm_arena *arena, const sm_split_cut *what, const sm_splits **out,
                              sm_split_quality *quality, sm_error *err) SM_MUST_CHECK;

/* Half of .error before the rest: the greatest deviation of a sample's distribution of k rows. */
double sm_sample_error(const sm_population *all, size_t k);

#endif
