/* SPDX-License-Identifier: Apache-2.0 */
/* `create` statements for the HBase shell. Names and keys stand in double quotes; the three bytes
 * that mean something there (" # \) are written as \x22 \x23 \x5C, blanks at the ends as \x20.
 *
 * Who reads a \xHH differs: a family's name is what Ruby makes of it, a split key is read once more
 * by HBase (partitioner/split_print.c). */
#include "job/query.h"
#include "job/saltmill.h"
#include "partitioner/split_print.h"

#include <string.h>

static sm_status put_family(const sm_job_family *f, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_printf(out, err, ", {NAME => ");
    if (st == SM_OK) {
        st = sm_split_print_quoted(f->name, "\\x", out, err);
    }
    if (st == SM_OK) {
        st =
            sm_buf_printf(out, err, ", COMPRESSION => '%s', BLOOMFILTER => '%s', BLOCKSIZE => '%u'",
                          sm_compression_name(f->sink.compression),
                          f->sink.bloom == SM_BLOOM_ROW ? "ROW" : "NONE",
                          f->sink.block_size == 0 ? SM_BLOCK_SIZE_DEFAULT : f->sink.block_size);
    }
    if (st == SM_OK && f->versions != 0) {
        st = sm_buf_printf(out, err, ", VERSIONS => '%lld'", (long long)f->versions);
    }
    if (st == SM_OK && f->ttl_s != 0) {
        st = sm_buf_printf(out, err, ", TTL => '%lld'", (long long)f->ttl_s);
    }
    return st == SM_OK ? sm_buf_append_byte(out, '}', err) : st;
}

static sm_status put_splits(const sm_splits *splits, sm_buf *out, sm_error *err)
{
    if (splits->count == 0) {
        return SM_OK;
    }
    const sm_status st = sm_buf_printf(out, err, ", ");
    return st == SM_OK ? sm_splits_print_shell(splits, out, err) : st;
}

/* An index beside its data is right only while the boundaries stay. */
static bool keeps_boundaries(const sm_job *job, const char *name)
{
    bool keeps = false;
    for (size_t i = 0; i < job->table_count; i++) {
        keeps |= job->tables[i].colocated_with != NULL && strcmp(job->tables[i].name, name) == 0;
    }
    return keeps;
}

typedef struct ddl {
    const sm_job *job;
    const sm_ddl_options *options;
    const sm_job_table *asked; /* that --table and --splits mean; NULL: neither is given */
} ddl;

/* Entries that share a table are one statement with all their families. */
static sm_status put_table(const ddl *d, size_t first, const char *name, sm_buf *out, sm_error *err)
{
    const sm_job *job = d->job;
    const sm_job_table *t = &job->tables[first];
    sm_status st = sm_buf_printf(out, err, "create '%s'", name);
    for (size_t i = first; st == SM_OK && i < job->table_count; i++) {
        const sm_job_table *entry = &job->tables[i];
        for (size_t k = 0;
             st == SM_OK && strcmp(entry->name, t->name) == 0 && k < entry->family_count; k++) {
            st = put_family(&entry->families[k], out, err);
        }
    }
    if (st == SM_OK) {
        const bool replaced = d->options->splits != NULL && strcmp(d->asked->name, t->name) == 0;
        st = put_splits(replaced ? d->options->splits : t->splits, out, err);
    }
    if (st == SM_OK && keeps_boundaries(job, t->name)) {
        st = sm_buf_printf(out, err, ", SPLIT_POLICY => '%s'",
                           "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy");
    }
    return st == SM_OK ? sm_buf_append_byte(out, '\n', err) : st;
}

static bool seen_before(const sm_job *job, size_t table)
{
    for (size_t i = 0; i < table; i++) {
        if (strcmp(job->tables[i].name, job->tables[table].name) == 0) {
            return true;
        }
    }
    return false;
}

/* The tables of an entry whose records name them. */
static sm_status put_named(const ddl *d, size_t entry, sm_buf *out, sm_error *err)
{
    const sm_job_table *t = &d->job->tables[entry];
    sm_status st = SM_OK;
    const sm_manifest *dataset = d->options->dataset;
    if (dataset == NULL) {
        return sm_fail(err, SM_E_USAGE,
                       "%s: which tables there are is known from the records alone: give --dataset "
                       "DIRECTORY for those of a dataset, or --table NAME",
                       t->name);
    }
    for (size_t i = 0; st == SM_OK && i < dataset->table_count; i++) {
        const sm_manifest_table *made = &dataset->tables[i];
        if (made->template != NULL && strcmp(made->template, t->name) == 0) {
            st = put_table(d, entry, made->name, out, err);
        }
    }
    return st;
}

static sm_status put_entry(const ddl *d, size_t entry, sm_buf *out, sm_error *err)
{
    const sm_job_table *t = &d->job->tables[entry];
    return t->name_expr != NULL ? put_named(d, entry, out, err)
                                : put_table(d, entry, t->name, out, err);
}

/* The one that was asked for; a name that is not the entry's own is one that its records make. */
static sm_status put_asked(const ddl *d, const sm_job_table *t, sm_buf *out, sm_error *err)
{
    const char *name = d->options->table;
    const size_t entry = (size_t)(t - d->job->tables);
    const bool made =
        t->name_expr != NULL && strcmp(name, t->name) != 0 && strcmp(name, t->view) != 0;
    return made ? put_table(d, entry, name, out, err) : put_entry(d, entry, out, err);
}

sm_status sm_ddl(const sm_job *job, const sm_ddl_options *options, sm_buf *out, sm_error *err)
{
    ddl d = {.job = job, .options = options};
    sm_status st = SM_OK;
    if (options->table != NULL || options->splits != NULL) {
        st = sm_query_first_table(job, options->table, &d.asked, err);
    }
    if (st == SM_OK && options->table != NULL) {
        return put_asked(&d, d.asked, out, err);
    }
    for (size_t i = 0; st == SM_OK && i < job->table_count; i++) {
        st = seen_before(job, i) ? SM_OK : put_entry(&d, i, out, err);
    }
    return st;
}
