/* SPDX-License-Identifier: Apache-2.0 */
/* The key expression language: text -> tree -> types -> flat program -> bytes.
 *
 *   salt(300, caller) + pad(caller, 15) + rev_ts(start) + "_" + callee
 *
 * Bytes are built left to right. Each part has a type (text, bytes, int, decimal, time, condition);
 * an expression that cannot be typed is refused when it is compiled, with its place marked:
 *
 *   tables[0].key: column 5: pad() takes text, but start is a time; use rev_ts(start), ts(start) or
 *   format_ts(start, "...")
 *       pad(start, 15)
 *           ^
 *
 * A compiled sm_expr is frozen and shared by all threads. Evaluating needs one sm_eval per thread
 * and allocates nothing per row once its buffers have grown. */
#ifndef SM_PARTITIONER_EXPR_H
#define SM_PARTITIONER_EXPR_H

#include "core/arena.h"
#include "core/buf.h"
#include "core/record.h"

struct sm_splits;
struct sm_uid_notes;
struct sm_uids;

typedef struct sm_expr sm_expr;

/* What the value is for: decides which types may come out and what null means. */
typedef enum sm_expr_use {
    SM_USE_KEY,  /* text or bytes; a null or empty part is a reject unless default(x, ...) covers it
                  */
    SM_USE_CELL, /* value or qualifier: text or bytes; null = no cell; order-preserving i32 i64 f64
                    refused */
    SM_USE_TIMESTAMP, /* time, or int (epoch ms) */
    SM_USE_TTL,       /* int, ms */
    SM_USE_CONDITION  /* condition; null operands make comparisons false */
} sm_expr_use;

/* A name that stands for an expression (`define`, `input.let`). It is typed anew wherever it is
 * used, as if its text stood there in parentheses. */
typedef struct sm_expr_define {
    sm_bytes name, text;
    const char *where; /* "define.part", begins messages about its text */
} sm_expr_define;

/* Another table of the job, for key(name) and region_start(). */
typedef struct sm_expr_view {
    sm_bytes name;                  /* of the table */
    sm_bytes key;                   /* its key expression */
    const struct sm_splits *splits; /* its regions; may be NULL while only fields are collected */
} sm_expr_view;

/* Optional members may be zero: what needs them is then refused in words. */
typedef struct sm_expr_context {
    sm_arena *arena; /* holds the program; lives as long as it */
    const sm_schema *schema;
    const int *identity; /* schema indexes of input.identity, for record */
    size_t identity_count;
    const char *where; /* "tables[0].key": begins every message */
    bool *fields_used; /* one flag per schema field, set for each field that is read; may be NULL */
    bool *numbers_rows; /* set when row_number() is used; may be NULL */
    uint64_t seed;      /* of random() and pick() without `by` */
    const sm_expr_define *defines;
    size_t define_count;
    const sm_expr_view *views; /* all tables of the job, in its order */
    size_t view_count;
    const struct sm_splits *splits; /* regions of the table whose expression this is */
    struct sm_uids *uids;           /* dictionaries of uid() */
} sm_expr_context;

/* SM_E_EXPR with the spot marked when the text cannot be parsed or typed. */
sm_status sm_expr_compile(const sm_expr_context *context, sm_expr_use use, sm_bytes text,
                          const sm_expr **out, sm_error *err) SM_MUST_CHECK;

sm_type sm_expr_type(const sm_expr *e);
/* Bytes that every result has at least, and at most; SIZE_MAX when no bound is known. */
size_t sm_expr_min_width(const sm_expr *e);
size_t sm_expr_max_width(const sm_expr *e);
/* True when the expression is one literal; *out is its value (lives in the arena). */
bool sm_expr_literal(const sm_expr *e, sm_bytes *out);
/* Schema index when the expression is one field as it stands, else -1. */
int sm_expr_field(const sm_expr *e);
/* Sets the flag of each schema field that the expression reads; those of `record` too are for the
 * caller to add. */
void sm_expr_fields(const sm_expr *e, bool *flags);
/* True when it reads the record's identity (`record`, random, pick without `by`): then identity and
 * seed are part of the rule. */
bool sm_expr_reads_identity(const sm_expr *e);
/* The splits that the n-th call of region_start() goes by, counted from 0; NULL: there is none.
 * They are part of the rule, too. */
const struct sm_splits *sm_expr_region_splits(const sm_expr *e, size_t n);
/* The rule in one canonical spelling (defaults written out, blanks normalised): equal texts build
 * equal keys. For fingerprints. */
sm_status sm_expr_canonical(const sm_expr *e, const sm_schema *schema, sm_buf *out, sm_error *err)
    SM_MUST_CHECK;

/* May name a define: an identifier that is no word of the language and no function. */
bool sm_expr_plain_name(sm_bytes name);
/* Calls fn for each field name that the text mentions, in order, repeated names repeatedly; before
 * a schema exists. Text that cannot be parsed is not an error here: fn then sees the names up to
 * that point. */
typedef sm_status (*sm_expr_field_fn)(void *context, sm_bytes name, sm_error *err);
sm_status sm_expr_each_field(sm_bytes text, sm_expr_field_fn fn, void *context, sm_error *err)
    SM_MUST_CHECK;

/* ---- evaluation ------------------------------------------------------------------------------ */

typedef struct sm_eval sm_eval;

/* maximum: most bytes that one result may have (larger is SM_REJECT_CELL_SIZE). */
sm_status sm_eval_new(size_t maximum, sm_eval **out, sm_error *err) SM_MUST_CHECK;
void sm_eval_free(sm_eval *ev); /* takes NULL */

/* SM_REJECT_NONE and *out, or why this record cannot have a value. Result bytes live in ev until
 * its next reset; several results may be held at once. */
sm_reject sm_expr_run(const sm_expr *e, sm_eval *ev, const sm_record *record, sm_value *out);
/* SM_E_MEMORY when a run gave SM_REJECT_CELL_SIZE only because memory could not be had. */
sm_status sm_eval_status(const sm_eval *ev, sm_error *err) SM_MUST_CHECK;
/* Forgets all results; once per record. */
void sm_eval_reset(sm_eval *ev);
/* From now on uid() notes a name that its dictionary lacks (where it may assign ids) and goes on
 * with a placeholder of the right width: all 0. NULL: such names are rejects again. */
void sm_eval_collect_uids(sm_eval *ev, struct sm_uid_notes *notes);
/* For conditions: true, false, or a reject. */
sm_reject sm_expr_test(const sm_expr *e, sm_eval *ev, const sm_record *record, bool *out);

/* About the last reject of this ev: the field to blame (schema index or -1) and a sentence with
 * found and expected, into text (NUL-terminated, cut to size). */
int sm_eval_blame(const sm_eval *ev, char *text, size_t size);

#endif
