/* SPDX-License-Identifier: Apache-2.0 */
/* Key rules as a text that is kept in version control: what a reader must know to rebuild the row
 * keys of a table, and the fingerprint of it.
 *
 *   saltmill rules 1                              the format and its version
 *   # a comment
 *
 *   table cdr
 *   key = salt(300, caller, hash: murmur3)        one part of the key a line
 *       + pad(caller, 15, fill: " ", side: right)
 *       + rev_ts(start)
 *   field.caller.type = text                      values as Bytes.toStringBinary prints them
 *   field.start.type = time
 *   field.start.format = %Y-%m-%d %H:%M:%S zone=Asia/Shanghai repeated=reject missing=reject
 *   csv.null =
 *   key_fingerprint = 1d1f...                     the first 16 bytes of the lines' SHA-256
 *
 * The fingerprint covers the lines between `table` and itself, the key in one line and escaped, so
 * every block vouches for itself. Where
 * records name their tables, `table` is followed by the name as the job has it, braces and all: the
 * rule is one for all of them. Blanks at the end of a line and a CR do not count. A table stands
 * twice when two entries of a job fill it under different keys. */
#ifndef SM_JOB_RULE_FILE_H
#define SM_JOB_RULE_FILE_H

#include "formats/manifest.h"
#include "job/job.h"

typedef struct sm_rule {
    const char *table;
    const char *key; /* canonical spelling */
    const char
        *text; /* the lines that the fingerprint covers; NULL: an older manifest lacks them */
    const char *fingerprint;
} sm_rule;

typedef struct sm_rules {
    const sm_rule *items;
    size_t count;
} sm_rules;

/* Everything that is given out lives in `arena`; sm_rules_of_job borrows from the job. */
sm_status sm_rules_of_job(const sm_job *job, sm_arena *arena, sm_rules *out, sm_error *err)
    SM_MUST_CHECK;
/* Lines that do not have the table's fingerprint are left out. */
sm_status sm_rule_of_table(const sm_manifest_table *t, sm_rule *out, sm_error *err) SM_MUST_CHECK;
sm_status sm_rules_of_manifest(const sm_manifest *m, sm_arena *arena, sm_rules *out, sm_error *err)
    SM_MUST_CHECK;
/* A rule file's text; where begins messages. SM_E_RULE_FILE with the line for what is none. */
sm_status sm_rules_parse(sm_bytes text, const char *where, sm_arena *arena, sm_rules *out,
                         sm_error *err) SM_MUST_CHECK;
/* A rule file, a manifest, or the folder of a dataset. SM_E_RULE_FILE also when it is missing. */
sm_status sm_rules_read(const char *path, sm_arena *arena, sm_rules *out, sm_error *err)
    SM_MUST_CHECK;

/* The text of a rule file. All rules have their lines. */
sm_status sm_rules_print(const sm_rules *rules, sm_buf *out, sm_error *err) SM_MUST_CHECK;
/* The same into a file, replaced as a whole. */
sm_status sm_rules_write(const sm_rules *rules, const char *path, sm_error *err) SM_MUST_CHECK;

#endif
