/* SPDX-License-Identifier: Apache-2.0 */
/* Split keys of one table: where its regions begin. n keys make n + 1 regions; region 0 begins at
 * the empty key, region i at key i - 1, and the last one has no end.
 *
 *        keys        k0        k1        k2
 *   regions     0    |    1    |    2    |    3
 *
 * Keys are sorted bytewise (unsigned), unique, never empty. A sm_splits is made once, never
 * changed, and shared by threads; all it points to lives in the arena given at creation. */
#ifndef SM_PARTITIONER_SPLITS_H
#define SM_PARTITIONER_SPLITS_H

#include "core/arena.h"
#include "core/bytes.h"
#include "core/error.h"

/* More regions than this per table are refused. */
enum { SM_SPLITS_MOST_REGIONS = 1 << 20, SM_SPLITS_MOST_DIGITS = 64 };

typedef struct sm_splits {
    const sm_bytes *keys;
    size_t count;
    const uint64_t *prefixes; /* the first 8 bytes of each key, big endian, zero-padded */
    const char *const *notes; /* remarks for people; the caller prints them */
    size_t note_count;
} sm_splits;

typedef enum sm_split_kind {
    SM_SPLITS_NONE,           /* one region */
    SM_SPLITS_LIST,           /* texts */
    SM_SPLITS_FILE,           /* path */
    SM_SPLITS_SALT,           /* salts, width, regions */
    SM_SPLITS_HEX,            /* start, end, regions: getHexSplits of the HBase book, lower case */
    SM_SPLITS_DECIMAL,        /* start, end, regions: both ends included, as DecimalStringSplit */
    SM_SPLITS_UNIFORM,        /* regions; raw bytes, keys as short as they can be */
    SM_SPLITS_REGION_SPLITTER /* algorithm, regions: equal to HBase's RegionSplitter */
} sm_split_kind;

/* What the job file says. Views live until sm_splits_make returns. */
typedef struct sm_split_spec {
    sm_split_kind kind;
    const char *where;     /* "tables[0].splits", opens the messages */
    const sm_bytes *texts; /* LIST: escaped texts, \xHH in upper case */
    size_t text_count;
    const char *path;    /* FILE: one key a line, or what the shell's get_splits printed */
    bool hex;            /* FILE: lines of hexadecimal digits */
    bool ordered;        /* unsorted keys are an error */
    uint64_t salts;      /* SALT: 0 ... salts - 1, in decimal digits */
    unsigned width;      /* SALT: digits of a salt; 0: as many as salts - 1 has */
    uint64_t regions;    /* all that compute; 1 gives no keys */
    sm_bytes start, end; /* HEX, DECIMAL: digits, both of the same width, at most 64 */
    sm_bytes algorithm;  /* HexStringSplit, DecimalStringSplit, UniformSplit */
} sm_split_spec;

/* SM_E_SPLITS says what is wrong, a file's errors with path and line. A missing file is
 * SM_E_INPUT_MISSING. Unsorted keys are put in order, with a note, unless they must be ordered. */
sm_status sm_splits_make(sm_arena *arena, const sm_split_spec *spec, const sm_splits **out,
                         sm_error *err) SM_MUST_CHECK;

/* The same from keys as they are; they must live in the arena. */
sm_status sm_splits_of_keys(sm_arena *arena, const char *where, const sm_bytes *keys, size_t count,
                            const sm_splits **out, sm_error *err) SM_MUST_CHECK;

/* Number of the region that holds this key. */
size_t sm_splits_route(const sm_splits *s, sm_bytes key);

static inline size_t sm_splits_regions(const sm_splits *s)
{
    return s->count + 1;
}

/* First key of a region; empty for region 0. */
sm_bytes sm_splits_start(const sm_splits *s, size_t region);
/* First key behind a region; empty for the last one. */
sm_bytes sm_splits_end(const sm_splits *s, size_t region);

#endif
