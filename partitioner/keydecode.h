/* SPDX-License-Identifier: Apache-2.0 */
/* From bytes back to fields: takes a row key (or any value that an expression made) apart along the
 * expression that built it.
 *
 *   salt(300, caller) + pad(caller, 15) + rev_ts(start) + callee
 *
 *   "048"  "138...    "  8 bytes   rest
 *    |       |            |         callee = the rest, the only part of unknown width
 *    |       |            start = Long.MAX - value
 *    |       caller = without the padding
 *    opaque: gives nothing back, but is built again from caller and must be the same
 *
 * Parts of fixed width are cut from both ends; between parts of unknown width a literal is a border
 * where the part before it cannot hold that literal (its charset says so), otherwise all readings
 * are tried, within a bound. A reading counts only when the expression builds the same bytes from
 * the fields it gave. Two readings that differ in a field make that field unknown. */
#ifndef SM_PARTITIONER_KEYDECODE_H
#define SM_PARTITIONER_KEYDECODE_H

#include "partitioner/expr.h"

enum { SM_KEY_DECODE_MAX = 1 << 30 }; /* longer values fit nothing */

typedef enum sm_part_kind {
    SM_PART_LITERAL, /* bytes of the rule itself */
    SM_PART_EXACT,   /* gives its field back */
    SM_PART_PARTIAL, /* gives something back, not the field: a prefix, a month */
    SM_PART_OPAQUE   /* gives nothing back: salts, hashes */
} sm_part_kind;

typedef struct sm_key_part {
    sm_part_kind kind;
    sm_bytes rule;  /* the part in the canonical spelling; lives as long as the decoder */
    sm_bytes bytes; /* its stretch of the key, a view of the key */
    int field;      /* schema index of the first field it is made of, or -1 */
    sm_type type;   /* of value */
    bool has_value;
    sm_value value; /* EXACT: the field's value. PARTIAL: what can be said, e.g. the rounded time */
} sm_key_part;

typedef struct sm_key_decoded {
    bool fits;      /* false: no record makes this key; then nothing else is set */
    bool ambiguous; /* more than one reading, or too many to try (then no field is known) */
    const sm_key_part *parts; /* of the first reading */
    size_t part_count;        /* 0 when none was found among those tried */
    const sm_value *values;   /* schema order */
    const bool *known;        /* schema order: values[i] is what the record had */
} sm_key_decoded;

typedef struct sm_key_decoder sm_key_decoder;

/* For one thread. The expression and the schema must outlive it. */
sm_status sm_key_decoder_new(const sm_expr *e, const sm_schema *schema, sm_key_decoder **out,
                             sm_error *err) SM_MUST_CHECK;
void sm_key_decoder_free(sm_key_decoder *d); /* takes NULL */

/* The parts of the key that a record makes, as they are built; kinds as far as the rule alone
 * tells, no values. Live until the next call. */
sm_reject sm_key_build(sm_key_decoder *d, const sm_record *record, const sm_key_part **parts,
                       size_t *count);

/* *out lives until the next call; its values may point into `key`. */
sm_status sm_key_decode(sm_key_decoder *d, sm_bytes key, sm_key_decoded *out, sm_error *err)
    SM_MUST_CHECK;

/* Which fields decoding can give back for some key at all: one flag per schema field. */
void sm_key_recoverable(const sm_key_decoder *d, bool *flags);

#endif
