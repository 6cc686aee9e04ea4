/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that give a job file its meaning (job_*.c) and by nobody else: the state
 * while a job is read, messages with line and column, and maps bound by tables of rules so that
 * unknown keys are refused everywhere in the same words. */
#ifndef SM_JOB_JOB_READER_H
#define SM_JOB_JOB_READER_H

#include "job/job.h"

typedef struct sm_job_reader {
    sm_arena *arena;
    sm_job *job;
    sm_error *err;
    sm_field *fields; /* the schema while it grows */
    size_t field_count, field_capacity;
    bool *fields_used;            /* parallel to fields, field_capacity long */
    const sm_yaml_node *identity; /* read after the fields are known */
    const sm_yaml_node *where;
    sm_expr_view *views;     /* the job's, until their splits are made */
    const sm_splits *splits; /* of the table whose expressions are compiled; NULL: of none */
    const sm_yaml_node *time_range;
    const char **notes;
    size_t note_count;
} sm_job_reader;

/* target is what the rules of one map fill. */
typedef sm_status (*sm_bind_fn)(sm_job_reader *r, const sm_yaml_node *value, void *target);

typedef struct sm_bind {
    const char *key;
    sm_bind_fn read; /* NULL: the value itself is kept in target, for later */
    size_t offset;   /* of the const sm_yaml_node * that keeps it */
} sm_bind;

/* "JOB:line:column: ..." under SM_E_JOB. */
sm_status sm_job_fail(sm_job_reader *r, const sm_yaml_node *at, const char *fmt, ...)
    SM_PRINTF(3, 4);
sm_status sm_job_no_memory(sm_job_reader *r);

/* Every pair of the map is read by the rule of its name; what names the map in messages
 * ("input.csv"). */
sm_status sm_job_bind(sm_job_reader *r, const sm_yaml_node *map, const char *what,
                      const sm_bind *rules, size_t rule_count, void *target) SM_MUST_CHECK;
sm_status sm_job_want(sm_job_reader *r, const sm_yaml_node *node, sm_yaml_node_kind kind,
                      const char *what) SM_MUST_CHECK;

/* Scalars. */
sm_bytes sm_yaml_node_bytes(const sm_yaml_node *node);
sm_status sm_job_text(sm_job_reader *r, const sm_yaml_node *node, const char *what,
                      const char **out) SM_MUST_CHECK;
sm_status sm_job_bool(sm_job_reader *r, const sm_yaml_node *node, const char *what, bool *out)
    SM_MUST_CHECK;
sm_status sm_job_size(sm_job_reader *r, const sm_yaml_node *node, const char *what, uint64_t *out)
    SM_MUST_CHECK;
/* An integer within [low, high]. */
sm_status sm_job_int(sm_job_reader *r, const sm_yaml_node *node, const char *what, int64_t low,
                     int64_t high, int64_t *out) SM_MUST_CHECK;
/* One of names[0 ... count-1]; *out its index. */
sm_status sm_job_choice(sm_job_reader *r, const sm_yaml_node *node, const char *what,
                        const char *const *names, size_t count, size_t *out) SM_MUST_CHECK;
/* A list of texts, or one text alone. */
sm_status sm_job_texts(sm_job_reader *r, const sm_yaml_node *node, const char *what,
                       const char *const **out, size_t *count) SM_MUST_CHECK;
/* Bytes: the text with \t, \xHH, \ooo (three octal digits) and \\ resolved. */
sm_status sm_job_bytes(sm_job_reader *r, const sm_yaml_node *node, const char *what, sm_bytes *out)
    SM_MUST_CHECK;
/* The named zone (NULL name: *out = NULL, UTC); loaded once, owned by the job. */
sm_status sm_job_zone(sm_job_reader *r, const sm_yaml_node *at, const char *name, sm_zone **out)
    SM_MUST_CHECK;
/* "2020-01-01", RFC 3339 or epoch ms, with "+ 2d" or "- 12h" behind; dates in `zone`. */
sm_status sm_job_instant(sm_job_reader *r, const sm_yaml_node *node, const char *what,
                         const sm_zone *zone, int64_t *out) SM_MUST_CHECK;
/* The same without a message, for values that may also be expressions. */
bool sm_job_is_instant(sm_bytes text, const sm_zone *zone, int64_t *out);

/* Formats into the arena; NULL without memory. */
const char *sm_job_format(sm_job_reader *r, const char *fmt, ...) SM_PRINTF(2, 3);

/* ---- the parts ------------------------------------------------------------------------------- */

sm_status sm_job_read_input(sm_job_reader *r, const sm_yaml_node *input) SM_MUST_CHECK;
/* A field of the schema; *out is good until the next one is added. */
sm_status sm_job_add_field(sm_job_reader *r, const char *name, sm_field **out) SM_MUST_CHECK;
/* What a feed brings along besides records: the rules of `input`, and what they must agree with. */
sm_status sm_job_read_encoding(sm_job_reader *r, const sm_yaml_node *value, void *target)
    SM_MUST_CHECK;
sm_status sm_job_read_path_fields(sm_job_reader *r, const sm_yaml_node *value, void *target)
    SM_MUST_CHECK;
sm_status sm_job_read_header_lines(sm_job_reader *r, const sm_yaml_node *value, void *target)
    SM_MUST_CHECK;
sm_status sm_job_read_trailer(sm_job_reader *r, const sm_yaml_node *value, void *target)
    SM_MUST_CHECK;
/* `time_range`: declares the names in it; reads it once the fields are known (job_time_range.c). */
sm_status sm_job_declare_time_range(sm_job_reader *r) SM_MUST_CHECK;
sm_status sm_job_read_time_range(sm_job_reader *r) SM_MUST_CHECK;
sm_status sm_job_finish_feed(sm_job_reader *r, const sm_yaml_node *input) SM_MUST_CHECK;
/* Names for expressions: the job's `define` (NULL: none) and input.let. Before any field is read.
 */
sm_status sm_job_read_defines(sm_job_reader *r, const sm_yaml_node *input,
                              const sm_yaml_node *define) SM_MUST_CHECK;
/* What key(table) stands for, once presets are expanded. */
sm_status sm_job_name_views(sm_job_reader *r, const sm_yaml_node *tables) SM_MUST_CHECK;
/* where and identity, once the fields are known. */
sm_status sm_job_finish_input(sm_job_reader *r) SM_MUST_CHECK;
/* Fields that expressions name without a declaration are text columns: adds them to the schema. */
sm_status sm_job_declare_names(sm_job_reader *r, sm_bytes expression) SM_MUST_CHECK;
/* Compiles; where begins its messages. */
sm_status sm_job_compile(sm_job_reader *r, const sm_yaml_node *node, sm_expr_use use,
                         const char *where, const sm_expr **out) SM_MUST_CHECK;

/* The same, and which fields this one expression reads (field_count flags). */
sm_status sm_job_compile_tracked(sm_job_reader *r, const sm_yaml_node *node, sm_expr_use use,
                                 const char *where, const sm_expr **out, const bool **used)
    SM_MUST_CHECK;
/* A cell timestamp: time fields in it need a window (min and max). */
sm_status sm_job_compile_timestamp(sm_job_reader *r, const sm_yaml_node *node, const char *where,
                                   const sm_expr **out) SM_MUST_CHECK;

/* First pass over all tables: declare names; second: compile and check. */
sm_status sm_job_declare_tables(sm_job_reader *r, const sm_yaml_node *tables) SM_MUST_CHECK;
sm_status sm_job_read_tables(sm_job_reader *r, const sm_yaml_node *tables) SM_MUST_CHECK;
/* `colocated_with` of list[at] (node NULL: not given), once all keys are compiled
 * (job_colocated.c). */
sm_status sm_job_read_colocated(sm_job_reader *r, const sm_yaml_node *item,
                                const sm_yaml_node *node, sm_job_table *list, size_t at,
                                size_t count) SM_MUST_CHECK;
/* A table's name, fixed or with expressions in braces (job_names.c). */
sm_status sm_job_read_name(sm_job_reader *r, const sm_yaml_node *name, sm_job_table *table)
    SM_MUST_CHECK;
/* cdr_{format_ts(t, "%Y")} as one expression, "cdr_" + (format_ts(t, "%Y")); empty when the name is
 * fixed. */
sm_status sm_job_name_template(sm_job_reader *r, const sm_yaml_node *name, sm_bytes *out)
    SM_MUST_CHECK;
sm_status sm_job_read_families(sm_job_reader *r, const sm_yaml_node *map, sm_job_table *table)
    SM_MUST_CHECK;
sm_status sm_job_read_cells(sm_job_reader *r, const sm_yaml_node *cells, sm_job_table *table)
    SM_MUST_CHECK;
sm_status sm_job_read_queries(sm_job_reader *r, const sm_yaml_node *node, sm_job_table *table)
    SM_MUST_CHECK;
sm_status sm_job_read_splits(sm_job_reader *r, const sm_yaml_node *node, sm_job_table *table)
    SM_MUST_CHECK;

/* The dictionaries of uid(), read from their files. */
sm_status sm_job_read_uids(sm_job_reader *r, const sm_yaml_node *uids) SM_MUST_CHECK;
/* Entries of `tables` that name a preset become what they stand for; *tables may be another list
 * afterwards. */
sm_status sm_job_expand_presets(sm_job_reader *r, const sm_yaml_node **tables) SM_MUST_CHECK;
/* The dictionaries whose entries fill this table (uid_rows.c). */
sm_status sm_job_read_uid_rows(sm_job_reader *r, const sm_yaml_node *node, sm_job_table *table)
    SM_MUST_CHECK;
/* An entry with `preset: opentsdb` as plain entries, one or two, appended to out
 * (preset_opentsdb.c).
 */
sm_status sm_job_expand_opentsdb(sm_job_reader *r, const sm_yaml_node *table,
                                 const sm_yaml_node **out, size_t *count) SM_MUST_CHECK;

sm_status sm_job_make_canonical(sm_job_reader *r) SM_MUST_CHECK;
sm_status sm_job_fingerprint_key(sm_job_reader *r, sm_job_table *table, const bool *used)
    SM_MUST_CHECK;

#endif
