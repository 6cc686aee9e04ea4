/* SPDX-License-Identifier: Apache-2.0 */
/* `create` statements for the HBase shell. Names and keys stand in double quotes; the three bytes
 * that mean something there (" # \) are written as \x22 \x23 \x5C, blanks at the ends as \x20.
 *
 * Who reads a \xHH differs. A family's name is what Ruby makes of it. A split key goes from Ruby to
 * Bytes.toBytesBinary as Java text, and a byte over 0x7F that Ruby had made would arrive there as
 * U+FFFD and become 0xFD: so the backslash itself is escaped, and toBytesBinary reads the rest. */
#include "job/saltmill.h"

#include <string.h>

static bool stands_for_itself(uint8_t c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '#' && c != '\\';
}

static sm_status put_quoted(sm_bytes key, const char *escape, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_append_byte(out, '"', err);
    for (size_t i = 0; st == SM_OK && i < key.len; i++) {
        const uint8_t c = key.data[i];
        const bool end_blank = c == ' ' && (i == 0 || i + 1 == key.len);
        if (stands_for_itself(c) && !end_blank) {
            st = sm_buf_append_byte(out, c, err);
        } else {
            st = sm_buf_printf(out, err, "%s%02X", escape, c);
        }
    }
    return st == SM_OK ? sm_buf_append_byte(out, '"', err) : st;
}

static sm_status put_family(const sm_job_family *f, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_printf(out, err, ", {NAME => ");
    if (st == SM_OK) {
        st = put_quoted(f->name, "\\x", out, err);
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
    sm_status st = SM_OK;
    if (splits->count == 0) {
        return st;
    }
    st = sm_buf_printf(out, err, ", SPLITS => [");
    for (size_t i = 0; st == SM_OK && i < splits->count; i++) {
        if (i != 0) {
            st = sm_buf_printf(out, err, ", ");
        }
        if (st == SM_OK) {
            st = put_quoted(splits->keys[i], "\\\\x", out, err);
        }
    }
    return st == SM_OK ? sm_buf_append_byte(out, ']', err) : st;
}

/* Entries that share a table are one statement with all their families. */
static sm_status put_table(const sm_job *job, size_t first, sm_buf *out, sm_error *err)
{
    const sm_job_table *t = &job->tables[first];
    sm_status st = sm_buf_printf(out, err, "create '%s'", t->name);
    for (size_t i = first; st == SM_OK && i < job->table_count; i++) {
        const sm_job_table *other = &job->tables[i];
        for (size_t k = 0;
             st == SM_OK && strcmp(other->name, t->name) == 0 && k < other->family_count; k++) {
            st = put_family(&other->families[k], out, err);
        }
    }
    if (st == SM_OK) {
        st = put_splits(t->splits, out, err);
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

sm_status sm_ddl(const sm_job *job, sm_buf *out, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < job->table_count; i++) {
        st = seen_before(job, i) ? SM_OK : put_table(job, i, out, err);
    }
    return st;
}
