/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a key, each judged for itself: what a condition's facts make of it. Used by the
 * planner, which then joins the parts from left to right. */
#ifndef SM_PARTITIONER_KEYPART_H
#define SM_PARTITIONER_KEYPART_H

#include "partitioner/keydomain.h"
#include "partitioner/keylabels.h"

typedef enum sm_part_class {
    SM_CLASS_FIXED,   /* no field at all */
    SM_CLASS_KNOWN,   /* all its fields are sets, or enough of them is known */
    SM_CLASS_NUMBERS, /* order-keeping functions of a field with a range */
    SM_CLASS_FORMAT,  /* format_ts of a time with a range */
    SM_CLASS_TEXTS,   /* a text whose front, back or range is known */
    SM_CLASS_SPREAD,  /* not known, but one of few values */
    SM_CLASS_OPEN     /* nothing is known */
} sm_part_class;

typedef struct sm_plan_part {
    sm_node *node;
    sm_part_class kind;
    sm_footprint foot;
    sm_expr run;
    int field;        /* NUMBERS, FORMAT, TEXTS, and KNOWN parts of one field; else -1 */
    bool settled_end; /* the key itself tells where the part ends */
    bool last;
    bool scatters;  /* a salt or hash: its bytes only spread */
    bool injective; /* different values of its one field never meet in it */
    bool monotone;  /* an order-keeping chain over a number or time */
    bool reversed;
    unsigned says;          /* TEXTS and cut texts: forms of the domain that it says exactly */
    sm_bytes low, end;      /* TEXTS: bounds of the part's bytes; end empty: none */
    const sm_bytes *values; /* SPREAD */
    size_t value_count;
    sm_value *stand_in; /* KNOWN: value of each field of which only the needed end is known */
    bool *stands_in;    /* schema order */
} sm_plan_part;

typedef struct sm_plan_parts {
    sm_plan_part *items;
    size_t count;
} sm_plan_parts;

/* c->use must be SM_USE_KEY. */
sm_status sm_plan_parts_read(sm_keycompile *c, sm_eval *ev, sm_node *root,
                             const sm_condition_facts *facts, sm_plan_parts *out, sm_error *err)
    SM_MUST_CHECK;

/* All values of a salt, a pick list or the like; *count 0 when it is nothing of the kind or has
 * more than `most`. */
sm_status sm_spread_values(const sm_keycompile *c, const sm_node *node, size_t most,
                           const sm_bytes **out, size_t *count, sm_error *err) SM_MUST_CHECK;

/* Salts and hashes, and what is cut from them or printed of them. */
bool sm_node_scatters(const sm_node *node);
/* No text of this charset holds the byte. */
bool sm_charset_excludes(sm_charset charset, uint8_t byte);

#endif
