/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the rules of a job with kept ones, and keeps new ones. */
#include "job/rule_check.h"

#include "core/fs.h"
#include "job/rule_diff.h"

#include <string.h>

enum { CHANGES_SHOWN = 640, BLOCK = 16 << 10 };

static bool same_table(const sm_rule *a, const sm_rule *b)
{
    return strcmp(a->table, b->table) == 0;
}

static bool is_among(const sm_rules *rules, const sm_rule *rule)
{
    for (size_t i = 0; i < rules->count; i++) {
        if (same_table(&rules->items[i], rule) &&
            strcmp(rules->items[i].fingerprint, rule->fingerprint) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_table(const sm_rules *rules, const sm_rule *rule)
{
    for (size_t i = 0; i < rules->count; i++) {
        if (same_table(&rules->items[i], rule)) {
            return true;
        }
    }
    return false;
}

/* The n-th rule of this table in `rules` that `others` lack, from 0; NULL: there are fewer. */
static const sm_rule *odd_one(const sm_rules *rules, const sm_rules *others, const sm_rule *table,
                              size_t n)
{
    for (size_t i = 0; i < rules->count; i++) {
        if (same_table(&rules->items[i], table) && !is_among(others, &rules->items[i]) &&
            n-- == 0) {
            return &rules->items[i];
        }
    }
    return NULL;
}

/* What differs, in words. */
typedef struct changes {
    sm_buf text;
    bool changed; /* not only rules that are not kept */
} changes;

/* One rule of the job that is not kept: its counterpart is the kept rule of the same table that the
 * job does not have, in their order. */
static sm_status tell(const sm_rules *now, const sm_rules *kept, const sm_rule *rule, changes *out,
                      sm_error *err)
{
    size_t n = 0;
    while (odd_one(now, kept, rule, n) != rule) {
        n++;
    }
    const sm_rule *was = odd_one(kept, now, rule, n);
    const char *what = was != NULL             ? "key rule changed: "
                       : has_table(kept, rule) ? "one of its key rules is not kept there"
                                               : "no key rule is kept there";
    const sm_status st = sm_buf_printf(&out->text, err, "%stable %s: %s",
                                       out->text.len == 0 ? "" : "; ", rule->table, what);
    out->changed |= was != NULL;
    return st == SM_OK && was != NULL ? sm_rule_difference(was, rule, &out->text, err) : st;
}

/* No text when all of the job's rules are kept. */
static sm_status compare(const sm_rules *now, const sm_rules *kept, bool added_too, changes *out,
                         sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < now->count; i++) {
        const sm_rule *rule = &now->items[i];
        if (!is_among(kept, rule) && (added_too || has_table(kept, rule))) {
            st = tell(now, kept, rule, out, err);
        }
    }
    return st;
}

static sm_status refuse(const char *where, const changes *c, sm_error *err)
{
    const bool cut = c->text.len > CHANGES_SHOWN;
    return sm_fail(err, SM_E_KEY_RULE, "%s: %.*s%s; %s, or give --new-rule if this is meant", where,
                   (int)(cut ? CHANGES_SHOWN : c->text.len), (const char *)c->text.data,
                   cut ? "..." : "",
                   c->changed ? "rows under one rule are not found under another: go back to the "
                                "rule that is kept"
                              : "add it with saltmill rule JOB.yaml --write FILE");
}

static sm_status keep_to(const sm_rules *now, const sm_rules *kept, bool added_too,
                         const char *where, sm_error *err)
{
    changes c = {.changed = false};
    sm_buf_init(&c.text, SIZE_MAX / 4);
    sm_status st = compare(now, kept, added_too, &c, err);
    if (st == SM_OK && c.text.len != 0) {
        st = refuse(where, &c, err);
    }
    sm_buf_free(&c.text);
    return st;
}

/* old: the rules of this manifest; NULL: those of the file at `where`. */
static sm_status keep_job_to(const sm_job *job, const sm_manifest *old, const char *where,
                             sm_error *err)
{
    sm_arena *arena = NULL;
    sm_rules now;
    sm_rules kept;
    sm_status st = sm_arena_new(BLOCK, &arena, err);
    if (st == SM_OK) {
        st = sm_rules_of_job(job, arena, &now, err);
    }
    if (st == SM_OK) {
        st = old != NULL ? sm_rules_of_manifest(old, arena, &kept, err)
                         : sm_rules_read(where, arena, &kept, err);
    }
    if (st == SM_OK) {
        st = keep_to(&now, &kept, old == NULL, where, err);
    }
    sm_arena_free(arena);
    return st;
}

sm_status sm_rule_check(const sm_job *job, const char *path, sm_error *err)
{
    return keep_job_to(job, NULL, path, err);
}

sm_status sm_rules_keep_to_manifest(const sm_job *job, const sm_manifest *old, const char *dataset,
                                    sm_error *err)
{
    return keep_job_to(job, old, dataset, err);
}

sm_status sm_rule_scan_check(const sm_job_table *table, const sm_manifest_table *written,
                             const char *dataset, sm_error *err)
{
    const sm_rule now = {.table = table->name,
                         .key = table->key_canonical,
                         .text = table->key_rule,
                         .fingerprint = table->key_fingerprint};
    sm_rule was;
    sm_buf text;
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = sm_rule_of_table(written, &was, err);
    if (st == SM_OK) {
        st = sm_rule_difference(&was, &now, &text, err);
    }
    if (st == SM_OK && text.len != 0) {
        st = sm_fail(err, SM_E_REFUSED,
                     "%s: table %s was written with another key rule: %.*s%s; scan it with the job "
                     "that wrote it",
                     dataset, written->name,
                     (int)(text.len < CHANGES_SHOWN ? text.len : CHANGES_SHOWN),
                     (const char *)text.data, text.len > CHANGES_SHOWN ? "..." : "");
    }
    sm_buf_free(&text);
    return st;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Kept rules of other tables where they stand, then the job's in its order. */
static sm_status merge(const sm_rules *kept, const sm_rules *now, sm_arena *arena, sm_rules *out,
                       sm_error *err)
{
    sm_rule *list = sm_arena_array(arena, kept->count + now->count + 1, sizeof *list);
    *out = (sm_rules){.items = list};
    if (list == NULL) {
        return sm_fail_memory(err, 0, "key rules");
    }
    for (size_t i = 0; i < kept->count; i++) {
        if (!has_table(now, &kept->items[i])) {
            list[out->count++] = kept->items[i];
        }
    }
    for (size_t i = 0; i < now->count; i++) {
        list[out->count++] = now->items[i];
    }
    return SM_OK;
}

static bool holds_all(const sm_rules *rules, const sm_rules *of)
{
    for (size_t i = 0; i < of->count; i++) {
        if (!is_among(rules, &of->items[i])) {
            return false;
        }
    }
    return true;
}

/* A dataset's manifest is no place to write to. */
static sm_status read_rule_file(const char *path, bool *exists, sm_arena *arena, sm_rules *out,
                                sm_error *err)
{
    sm_file_info info = {0};
    *out = (sm_rules){0};
    sm_status st = sm_fs_stat(path, exists, &info, err);
    if (st != SM_OK || !*exists) {
        return st;
    }
    if (!info.is_regular) {
        return sm_fail(err, SM_E_RULE_FILE, "%s: is no file; name the rule file to be written",
                       path);
    }
    st = sm_rules_read(path, arena, out, err);
    for (size_t i = 0; st == SM_OK && i < out->count; i++) {
        if (out->items[i].text == NULL) {
            return sm_fail(err, SM_E_RULE_FILE, "%s: is no rule file; name another", path);
        }
    }
    return st;
}

static sm_status write_with(const sm_job *job, const char *path, bool new_rule, sm_arena *arena,
                            bool *written, sm_error *err)
{
    sm_rules now;
    sm_rules kept;
    sm_rules all;
    bool exists = false;
    sm_status st = sm_rules_of_job(job, arena, &now, err);
    if (st == SM_OK) {
        st = read_rule_file(path, &exists, arena, &kept, err);
    }
    if (st == SM_OK && !new_rule) {
        st = keep_to(&now, &kept, false, path, err);
    }
    if (st == SM_OK) {
        st = merge(&kept, &now, arena, &all, err);
    }
    *written = st == SM_OK && !(exists && holds_all(&kept, &all) && holds_all(&all, &kept));
    return *written ? sm_rules_write(&all, path, err) : st;
}

sm_status sm_rule_write(const sm_job *job, const char *path, bool new_rule, bool *written,
                        sm_error *err)
{
    sm_arena *arena = NULL;
    sm_status st = sm_arena_new(BLOCK, &arena, err);
    *written = false;
    if (st == SM_OK) {
        st = write_with(job, path, new_rule, arena, written, err);
    }
    sm_arena_free(arena);
    return st;
}

/* ---- for a run ------------------------------------------------------------------------------- */

/* Created by a run it would stand wherever that run was started, and keep nothing. */
static sm_status check_is_there(const sm_job *job, sm_error *err)
{
    bool exists = false;
    sm_file_info info = {0};
    const sm_status st = sm_fs_stat(job->rule_file, &exists, &info, err);
    return st != SM_OK || exists
               ? st
               : sm_fail(err, SM_E_RULE_FILE,
                         "%s: the job keeps its key rules there (rule_file), but there is no such "
                         "file; write it once with: saltmill rule %s --write %s",
                         job->rule_file, job->path, job->rule_file);
}

sm_status sm_rules_before_run(const sm_job *job, const sm_run_options *options, sm_error *err)
{
    sm_status st = job->rule_file == NULL ? SM_OK : check_is_there(job, err);
    if (st == SM_OK && job->rule_file != NULL && !options->new_rule) {
        st = sm_rule_check(job, job->rule_file, err);
    }
    return st == SM_OK && options->against != NULL && !options->new_rule
               ? sm_rule_check(job, options->against, err)
               : st;
}

sm_status sm_rules_after_run(const sm_job *job, const sm_run_options *options, sm_error *err)
{
    sm_error inner = {.code = SM_OK};
    bool written = false;
    if (job->rule_file == NULL || !options->new_rule) {
        return SM_OK;
    }
    const sm_status st = sm_rule_write(job, job->rule_file, true, &written, &inner);
    if (st != SM_OK) {
        return sm_fail(err, st,
                       "%s; the dataset is published, but its key rule is not kept: write it with "
                       "saltmill rule %s --write %s --new-rule",
                       inner.text, job->path, job->rule_file);
    }
    if (written) {
        sm_log_info(options->log, "%s: now holds the new key rule; commit it", job->rule_file);
    }
    return SM_OK;
}
