/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the file info: computed, sorted, stored. */
#include "formats/hfile_info.h"

#include "core/endian.h"
#include "core/escape.h"
#include "core/mem.h"

const uint8_t sm_hfile_info_magic[SM_HFILE_INFO_MAGIC_SIZE] = {'P', 'B', 'U', 'F'};

static const char source_task[] = "saltmill";
static const char own_prefix[] = "hfile.";
static const char mob_prefix[] = "MOB_";

/* Names with a meaning to HBase, besides those beginning with "hfile." or "MOB_". */
static const char *const reserved[] = {
    "BLOOM_FILTER_PARAM",  "BLOOM_FILTER_TYPE",    "BULKLOAD_SOURCE_TASK",
    "BULKLOAD_TIMESTAMP",  "COMPACTION_EVENT_KEY", "DATA_BLOCK_ENCODING",
    "DELETE_FAMILY_COUNT", "EARLIEST_PUT_TS",      "EXCLUDE_FROM_MINOR_COMPACTION",
    "HISTORICAL",          "INDEX_BLOCK_ENCODING", "KEY_VALUE_VERSION",
    "LAST_BLOOM_KEY",      "MAJOR_COMPACTION_KEY", "MAX_MEMSTORE_TS_KEY",
    "MAX_SEQ_ID_KEY",      "SKIP_RESET_SEQ_ID",    "TIMERANGE",
};

static bool begins_with(sm_bytes key, const char *prefix)
{
    const size_t n = strlen(prefix);
    return key.len >= n && memcmp(key.data, prefix, n) == 0;
}

static bool is_reserved(sm_bytes key)
{
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (sm_bytes_equal_text(key, reserved[i])) {
            return true;
        }
    }
    return begins_with(key, own_prefix) || begins_with(key, mob_prefix);
}

static sm_status check_notes(const sm_file_note *notes, size_t count, sm_error *err)
{
    char text[128];
    for (size_t i = 0; i < count; i++) {
        const sm_bytes key = notes[i].key;
        if (key.len == 0 || is_reserved(key)) {
            return sm_fail(
                err, SM_E_JOB,
                "file note \"%s\": the name is empty or belongs to HBase; choose another, such "
                "as saltmill.NAME",
                sm_escape_short(key, text, sizeof text));
        }
        for (size_t j = 0; j < i; j++) {
            if (sm_bytes_equal(key, notes[j].key)) {
                return sm_fail(err, SM_E_JOB, "file note \"%s\" is given twice",
                               sm_escape_short(key, text, sizeof text));
            }
        }
    }
    return SM_OK;
}

static sm_status append_note(sm_hfile_notes *n, const sm_file_note *note, sm_error *err)
{
    const uint8_t *at = n->bytes.data + n->bytes.len;
    sm_status st = sm_buf_append(&n->bytes, note->key.data, note->key.len, err);
    if (st == SM_OK) {
        st = sm_buf_append(&n->bytes, note->value.data, note->value.len, err);
    }
    n->items[n->count++] = (sm_file_note){sm_bytes_of(at, note->key.len),
                                          sm_bytes_of(at + note->key.len, note->value.len)};
    return st;
}

sm_status sm_hfile_notes_copy(sm_hfile_notes *out, const sm_file_note *notes, size_t count,
                              sm_error *err)
{
    *out = (sm_hfile_notes){0};
    sm_buf_init(&out->bytes, INT32_MAX);
    sm_status st = check_notes(notes, count, err);
    if (st != SM_OK || count == 0) {
        return st;
    }
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += notes[i].key.len + notes[i].value.len;
    }
    out->items = sm_calloc(count, sizeof *out->items);
    if (out->items == NULL) {
        return sm_fail_memory(err, count * sizeof *out->items, "a file's notes");
    }
    st = sm_buf_reserve(&out->bytes, size, err); /* at once, so that the views stay */
    for (size_t i = 0; st == SM_OK && i < count; i++) {
        st = append_note(out, &notes[i], err);
    }
    return st;
}

void sm_hfile_notes_free(sm_hfile_notes *n)
{
    sm_buf_free(&n->bytes);
    sm_free(n->items);
    n->items = NULL;
}

/* ---- entries ------------------------------------------------------------------------------------
 */

enum { ENTRIES_MAX = 24, SCRATCH_SIZE = 256 };

typedef struct info {
    sm_file_note *entries;
    size_t count;
    uint8_t scratch[SCRATCH_SIZE]; /* numbers */
    size_t used;
} info;

static void add_bytes(info *f, const char *key, sm_bytes value)
{
    f->entries[f->count++] = (sm_file_note){sm_bytes_text(key), value};
}

static uint8_t *take(info *f, size_t n)
{
    uint8_t *p = f->scratch + f->used;
    f->used += n;
    return p;
}

static void add_i32(info *f, const char *key, uint64_t value)
{
    uint8_t *p = take(f, 4);
    sm_store_be32(p, (uint32_t)value);
    add_bytes(f, key, sm_bytes_of(p, 4));
}

static void add_i64(info *f, const char *key, int64_t value)
{
    uint8_t *p = take(f, 8);
    sm_store_be64(p, (uint64_t)value);
    add_bytes(f, key, sm_bytes_of(p, 8));
}

static void add_bool(info *f, const char *key, bool value)
{
    uint8_t *p = take(f, 1);
    *p = value ? 0xFF : 0;
    add_bytes(f, key, sm_bytes_of(p, 1));
}

static void add_time_range(info *f, const sm_hfile_facts *facts)
{
    uint8_t *p = take(f, 16);
    sm_store_be64(p, facts->covers_zero ? 0 : (uint64_t)facts->oldest);
    sm_store_be64(p + 8, (uint64_t)facts->newest);
    add_bytes(f, "TIMERANGE", sm_bytes_of(p, 16));
}

/* Times are the newest cell's, so that nothing depends on when the file was made. */
static void add_cell_facts(info *f, const sm_hfile_facts *facts)
{
    const uint64_t n = facts->cells;
    const int64_t stamp = n == 0 ? 0 : facts->newest;
    add_i32(f, "hfile.AVG_KEY_LEN", n == 0 ? 0 : facts->key_bytes / n);
    add_i32(f, "hfile.AVG_VALUE_LEN", n == 0 ? 0 : facts->value_bytes / n);
    add_i64(f, "hfile.CREATE_TIME_TS", stamp);
    if (n != 0) {
        add_bytes(f, "hfile.KEY_OF_BIGGEST_CELL", sm_buf_view(&facts->biggest_key));
        add_bytes(f, "hfile.LASTKEY", facts->last_key);
        add_i64(f, "hfile.LEN_OF_BIGGEST_CELL", (int64_t)facts->biggest);
    }
    if (facts->has_tags) {
        add_i32(f, "hfile.MAX_TAGS_LEN", facts->most_tags);
        add_bool(f, "hfile.TAGS_COMPRESSED", false);
    }
    if (facts->has_bloom && n != 0) {
        add_bytes(f, "BLOOM_FILTER_TYPE", sm_bytes_text("ROW"));
        add_bytes(f, "LAST_BLOOM_KEY", facts->last_row);
    }
    add_bytes(f, "BULKLOAD_SOURCE_TASK", sm_bytes_text(source_task));
    add_i64(f, "BULKLOAD_TIMESTAMP", stamp);
    add_i64(f, "DELETE_FAMILY_COUNT", (int64_t)facts->delete_families);
    add_i64(f, "EARLIEST_PUT_TS", facts->earliest_put);
    add_bool(f, "EXCLUDE_FROM_MINOR_COMPACTION", false);
    add_bool(f, "HISTORICAL", false);
    add_bool(f, "MAJOR_COMPACTION_KEY", true);
    add_time_range(f, facts);
}

/* By insertion: a few dozen entries. */
static void sort_entries(sm_file_note *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const sm_file_note e = entries[i];
        size_t j = i;
        for (; j > 0 && sm_bytes_compare(entries[j - 1].key, e.key) > 0; j--) {
            entries[j] = entries[j - 1];
        }
        entries[j] = e;
    }
}

/* ---- storing ------------------------------------------------------------------------------------
 */

enum { TAG_FIRST = 1 << 3 | 2, TAG_SECOND = 2 << 3 | 2 };

static size_t field_size(size_t len)
{
    return 1 + sm_hfile_leb_size(len) + len;
}

static size_t pair_size(const sm_file_note *e)
{
    return field_size(e->key.len) + field_size(e->value.len);
}

static sm_status append_head(sm_buf *out, uint8_t tag, uint64_t len, sm_error *err)
{
    uint8_t head[1 + SM_HFILE_LEB_MAX];
    head[0] = tag;
    return sm_buf_append(out, head, 1 + sm_hfile_leb_store(head + 1, len), err);
}

static sm_status append_field(sm_buf *out, uint8_t tag, sm_bytes value, sm_error *err)
{
    const sm_status st = append_head(out, tag, value.len, err);
    return st == SM_OK ? sm_buf_append(out, value.data, value.len, err) : st;
}

static sm_status append_entries(const info *f, sm_buf *out, sm_error *err)
{
    size_t total = 0;
    for (size_t i = 0; i < f->count; i++) {
        total += field_size(pair_size(&f->entries[i]));
    }
    uint8_t head[SM_HFILE_LEB_MAX];
    sm_status st = sm_buf_append(out, sm_hfile_info_magic, sizeof sm_hfile_info_magic, err);
    if (st == SM_OK) {
        st = sm_buf_append(out, head, sm_hfile_leb_store(head, total), err);
    }
    for (size_t i = 0; st == SM_OK && i < f->count; i++) {
        const sm_file_note *e = &f->entries[i];
        st = append_head(out, TAG_FIRST, pair_size(e), err);
        if (st == SM_OK) {
            st = append_field(out, TAG_FIRST, e->key, err);
        }
        if (st == SM_OK) {
            st = append_field(out, TAG_SECOND, e->value, err);
        }
    }
    return st;
}

sm_status sm_hfile_info_append(const sm_hfile_facts *facts, const sm_hfile_notes *notes,
                               sm_buf *block, sm_error *err)
{
    const size_t most = ENTRIES_MAX + notes->count;
    info f = {.entries = sm_calloc(most, sizeof *f.entries)};
    if (f.entries == NULL) {
        return sm_fail_memory(err, most * sizeof *f.entries, "a file's info");
    }
    add_cell_facts(&f, facts);
    for (size_t i = 0; i < notes->count; i++) {
        f.entries[f.count++] = notes->items[i];
    }
    sort_entries(f.entries, f.count);
    const sm_status st = append_entries(&f, block, err);
    sm_free(f.entries);
    return st;
}
