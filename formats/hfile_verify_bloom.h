/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the keys of a file, as they pass in order, against one of its bloom filters. */
#ifndef SM_FORMATS_HFILE_VERIFY_BLOOM_H
#define SM_FORMATS_HFILE_VERIFY_BLOOM_H

#include "formats/hfile_file.h"

typedef struct sm_hfile_bloom_check {
    const sm_hfile_bloom_part *part; /* NULL: nothing to check */
    sm_hfile_input in;               /* its own, so that chunks can be read beside the walk */
    size_t at;                       /* of the entry behind `next` */
    uint32_t entries;                /* taken from the list so far */
    sm_hfile_entry next;
    bool has_next;
    sm_bytes bits; /* of the chunk at hand */
    uint64_t keys, bytes;
} sm_hfile_bloom_check;

/* Nothing is checked when there is no such filter, or its keys are not rows. */
sm_status sm_hfile_bloom_check_start(sm_hfile_bloom_check *c, const sm_hfile *h, int which,
                                     sm_error *err) SM_MUST_CHECK;
sm_status sm_hfile_bloom_check_key(sm_hfile_bloom_check *c, sm_bytes key, sm_error *err)
    SM_MUST_CHECK;
/* All keys have passed. */
sm_status sm_hfile_bloom_check_end(sm_hfile_bloom_check *c, sm_error *err) SM_MUST_CHECK;
void sm_hfile_bloom_check_free(sm_hfile_bloom_check *c); /* takes a zeroed one */

#endif
