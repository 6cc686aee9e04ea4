/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over all blocks of a file in order, everything checked on the way. */
#include "core/endian.h"
#include "core/hash.h"
#include "core/mem.h"
#include "formats/hfile_file.h"
#include "formats/hfile_info.h"
#include "formats/hfile_verify_bloom.h"
#include "formats/hfile_verify_index.h"

#include <inttypes.h>

typedef struct walk {
    sm_hfile *h;
    sm_xxh64_stream *hash;
    sm_hfile_index_check index;
    sm_hfile_bloom_check blooms[SM_HFILE_BLOOMS];
    uint64_t blocks, of_type[SM_HFILE_BLOCK_TYPES];
    int64_t previous[SM_HFILE_BLOCK_TYPES];
    int64_t first_data; /* offset of the first data block, -1 */
    int section;
    uint64_t total_plain, index_plain;
    sm_buf last;       /* flat key of the last cell of the block before */
    sm_bytes last_key; /* of the last cell: there, or in the block at hand */
    sm_buf delete_row;
    sm_hfile_facts facts;
} walk;

/* ---- cells --------------------------------------------------------------------------------------
 */

static sm_status check_key(const walk *w, uint64_t offset, const sm_cell *c, sm_error *err)
{
    char now[SM_HFILE_KEY_TEXT_SIZE];
    char before[SM_HFILE_KEY_TEXT_SIZE];
    if (c->row.len == 0 || sm_hfile_type_name(c->type) == NULL || c->timestamp < 0) {
        return sm_hfile_bad(&w->h->in, offset, err,
                            "cell %s has no row, an unknown type or a negative timestamp",
                            sm_hfile_key_text(c, now));
    }
    if (w->last_key.len == 0) {
        return SM_OK;
    }
    sm_cell last;
    (void)sm_hfile_key_load(w->last_key, &last);
    /* Equal keys may come from other writers; this one refuses them. */
    if (sm_cell_compare(&last, c) >= 0 || !sm_bytes_equal(last.family, c->family)) {
        return sm_hfile_bad(&w->h->in, offset, err, "cell %s is in the wrong place after %s",
                            sm_hfile_key_text(c, now), sm_hfile_key_text(&last, before));
    }
    return SM_OK;
}

static sm_status note_delete(walk *w, const sm_cell *c, sm_error *err)
{
    sm_hfile_facts *f = &w->facts;
    f->covers_zero |= c->type == SM_CELL_DELETE_COLUMN || c->type == SM_CELL_DELETE_FAMILY;
    if (c->type != SM_CELL_DELETE_FAMILY && c->type != SM_CELL_DELETE_FAMILY_VERSION) {
        return SM_OK;
    }
    f->delete_families++;
    if (f->delete_families > 1 && sm_bytes_equal(sm_buf_view(&w->delete_row), c->row)) {
        return SM_OK;
    }
    sm_buf_clear(&w->delete_row);
    const sm_status st = sm_buf_append(&w->delete_row, c->row.data, c->row.len, err);
    return st == SM_OK
               ? sm_hfile_bloom_check_key(&w->blooms[SM_HFILE_BLOOM_DELETE_FAMILY], c->row, err)
               : st;
}

static void note_cell(sm_hfile_facts *f, const sm_cell *c, size_t tags)
{
    f->cells++;
    f->key_bytes += sm_hfile_key_size(c);
    f->value_bytes += c->value.len;
    f->oldest = c->timestamp < f->oldest ? c->timestamp : f->oldest;
    f->newest = c->timestamp > f->newest ? c->timestamp : f->newest;
    if (c->type == SM_CELL_PUT && c->timestamp < f->earliest_put) {
        f->earliest_put = c->timestamp;
    }
    f->most_tags = tags > f->most_tags ? (uint32_t)tags : f->most_tags;
    const uint64_t size =
        4 + SM_HFILE_CELL_FIXED + sm_hfile_key_size(c) + c->value.len + (tags == 0 ? 0 : 2 + tags);
    f->biggest = size > f->biggest ? size : f->biggest;
}

static sm_status check_cell(walk *w, uint64_t offset, const sm_cell *c, sm_error *err)
{
    sm_status st = check_key(w, offset, c, err);
    if (st != SM_OK) {
        return st;
    }
    sm_cell last = {0};
    if (w->last_key.len != 0) {
        (void)sm_hfile_key_load(w->last_key, &last);
    }
    if (w->last_key.len == 0 || !sm_bytes_equal(last.row, c->row)) {
        w->facts.rows++;
        st = sm_hfile_bloom_check_key(&w->blooms[SM_HFILE_BLOOM_GENERAL], c->row, err);
    }
    return st == SM_OK ? note_delete(w, c, err) : st;
}

static sm_status keep_last(walk *w, sm_error *err)
{
    sm_buf_clear(&w->last);
    const sm_status st = sm_buf_append(&w->last, w->last_key.data, w->last_key.len, err);
    w->last_key = sm_buf_view(&w->last);
    return st;
}

static sm_status check_data(walk *w, const sm_hfile_read_block *b, sm_error *err)
{
    size_t at = 0;
    while (at < b->payload.len) {
        const size_t key_at = at + SM_HFILE_CELL_FIXED;
        sm_cell c;
        sm_bytes tags;
        if (!sm_hfile_cell_load(b->payload, &at, w->h->form, &c, &tags)) {
            return sm_hfile_bad(&w->h->in, b->offset, err,
                                "no whole cell at byte %zu of the block's payload", at);
        }
        sm_status st = check_cell(w, b->offset, &c, err);
        const sm_bytes key = sm_bytes_of(b->payload.data + key_at, sm_hfile_key_size(&c));
        if (st == SM_OK && key_at == SM_HFILE_CELL_FIXED) {
            const sm_hfile_place place = {b->offset, (uint32_t)(b->next - b->offset)};
            st = sm_hfile_index_check_data(&w->index, place, key, w->last_key, err);
        }
        if (st != SM_OK) {
            return st;
        }
        note_cell(&w->facts, &c, tags.len);
        w->last_key = key;
    }
    if (at == 0) {
        return sm_hfile_bad(&w->h->in, b->offset, err, "a data block without cells");
    }
    return keep_last(w, err);
}

/* ---- blocks -------------------------------------------------------------------------------------
 */

/* Blocks of a lower section may not follow those of a higher. */
static int section_of(sm_hfile_block_type type)
{
    switch (type) {
    case SM_HFILE_META: return 1;
    case SM_HFILE_INTERMEDIATE_INDEX: return 2;
    case SM_HFILE_ROOT_INDEX: return 3;
    case SM_HFILE_FILE_INFO: return 4;
    case SM_HFILE_GENERAL_BLOOM_META:
    case SM_HFILE_DELETE_FAMILY_BLOOM_META: return 5;
    default: return 0;
    }
}

static sm_status check_link(walk *w, const sm_hfile_read_block *b, sm_error *err)
{
    const sm_hfile_block_type type = b->header.type;
    if (b->header.previous != w->previous[type]) {
        return sm_hfile_bad(&w->h->in, b->offset, err,
                            "the link to the previous %s block is %" PRId64
                            ", that one is at %" PRId64,
                            sm_hfile_block_name(type), b->header.previous, w->previous[type]);
    }
    if (type == SM_HFILE_DATA && w->first_data < 0) {
        w->first_data = (int64_t)b->offset;
    }
    w->previous[type] = (int64_t)b->offset;
    if (section_of(type) < w->section) {
        return sm_hfile_bad(&w->h->in, b->offset, err, "a %s block may not stand here",
                            sm_hfile_block_name(type));
    }
    w->section = section_of(type);
    return SM_OK;
}

static void count_block(walk *w, const sm_hfile_read_block *b)
{
    const sm_hfile_block_type type = b->header.type;
    const bool data_root =
        type == SM_HFILE_ROOT_INDEX && b->offset == w->h->trailer.load_on_open_offset;
    w->blocks++;
    w->of_type[type]++;
    if (!data_root && type != SM_HFILE_INTERMEDIATE_INDEX) {
        w->total_plain += (uint64_t)b->header.plain + SM_HFILE_HEADER_SIZE;
    }
    if (data_root || type == SM_HFILE_INTERMEDIATE_INDEX || type == SM_HFILE_LEAF_INDEX) {
        w->index_plain += b->header.plain;
    }
}

/* Names of META blocks, of which a bulk load's file has none; what they name is checked as any
 * block. */
static sm_status check_meta_root(const walk *w, const sm_hfile_read_block *b, sm_error *err)
{
    size_t at = 0;
    bool whole = true;
    for (uint32_t i = 0; whole && i < w->h->trailer.meta_index_count; i++) {
        sm_hfile_entry e;
        whole = sm_hfile_root_entry_load(b->payload, &at, &e);
    }
    if (!whole || at != b->payload.len ||
        w->h->trailer.meta_index_count != w->of_type[SM_HFILE_META]) {
        return sm_hfile_bad(
            &w->h->in, b->offset, err,
            "the index of META blocks does not hold the %u entries that the trailer "
            "counts, or the file %" PRIu64 " such blocks",
            w->h->trailer.meta_index_count, w->of_type[SM_HFILE_META]);
    }
    return SM_OK;
}

static sm_status check_block(walk *w, const sm_hfile_read_block *b, sm_error *err)
{
    const sm_status st = check_link(w, b, err);
    if (st != SM_OK) {
        return st;
    }
    count_block(w, b);
    switch (b->header.type) {
    case SM_HFILE_DATA: return check_data(w, b, err);
    case SM_HFILE_ENCODED_DATA:
        return sm_hfile_bad(&w->h->in, b->offset, err,
                            "an encoded block in a file without encoding");
    case SM_HFILE_LEAF_INDEX:
    case SM_HFILE_INTERMEDIATE_INDEX: return sm_hfile_index_check_node(&w->index, b, err);
    case SM_HFILE_ROOT_INDEX:
        return b->offset == w->h->trailer.load_on_open_offset
                   ? sm_hfile_index_check_root(&w->index, b, err)
                   : check_meta_root(w, b, err);
    default: return SM_OK;
    }
}

static sm_status walk_blocks(walk *w, sm_error *err)
{
    uint64_t at = 0;
    while (at < w->h->in.end) {
        sm_hfile_read_block b;
        sm_status st = sm_hfile_read(&w->h->in, at, &b, err);
        if (st == SM_OK) {
            sm_xxh64_stream_add(w->hash, b.stored);
            st = check_block(w, &b, err);
        }
        if (st != SM_OK) {
            return st;
        }
        at = b.next;
    }
    sm_xxh64_stream_add(w->hash, sm_bytes_of(w->h->trailer_bytes, sizeof w->h->trailer_bytes));
    return SM_OK;
}

/* ---- what the file says -------------------------------------------------------------------------
 */

static sm_status check_number(const walk *w, const char *what, uint64_t said, uint64_t counted,
                              sm_error *err)
{
    if (said != counted) {
        return sm_hfile_bad(&w->h->in, w->h->in.end, err,
                            "%s is said to be %" PRIu64 ", counted %" PRIu64, what, said, counted);
    }
    return SM_OK;
}

typedef struct claim {
    const char *what;
    uint64_t said, counted;
} claim;

static sm_status check_claims(const walk *w, const claim *claims, size_t count, sm_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const sm_status st =
            check_number(w, claims[i].what, claims[i].said, claims[i].counted, err);
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}

/* What HBase 2.x can open; files of hbase:meta have others. */
static sm_status check_comparator(const walk *w, sm_error *err)
{
    static const char *const known[] = {
        sm_hfile_comparator,
        "org.apache.hadoop.hbase.CellComparator",
        "org.apache.hadoop.hbase.CellComparatorImpl",
        "org.apache.hadoop.hbase.InnerStoreCellComparator",
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (sm_bytes_equal_text(w->h->trailer.comparator, known[i])) {
            return SM_OK;
        }
    }
    return sm_hfile_bad(&w->h->in, w->h->in.end, err,
                        "the trailer's comparator is none that HBase would use for a table");
}

static sm_status check_trailer(const walk *w, sm_error *err)
{
    const sm_hfile_trailer *t = &w->h->trailer;
    uint64_t chunks = 0;
    for (int i = 0; i < SM_HFILE_BLOOMS; i++) {
        chunks += w->h->blooms[i].meta.chunks;
    }
    const uint64_t last = (uint64_t)w->previous[SM_HFILE_DATA];
    const claim claims[] = {
        {"the number of cells", t->entries, w->facts.cells},
        {"the offset of the first data block", (uint64_t)t->first_data_offset,
         (uint64_t)w->first_data},
        {"the offset of the last data block", (uint64_t)t->last_data_offset, last},
        {"the size of all blocks", t->total_plain_size, w->total_plain + SM_HFILE_TRAILER_SIZE},
        {"the size of the index", t->index_plain_size, w->index_plain},
        {"the number of bloom chunks", chunks, w->of_type[SM_HFILE_BLOOM_CHUNK]},
    };
    return check_claims(w, claims, sizeof claims / sizeof claims[0], err);
}

/* An entry of the file info, if it is there, must be this number. */
static sm_status check_info_number(const walk *w, const char *key, size_t size, int64_t counted,
                                   sm_error *err)
{
    int64_t said = 0;
    bool present = false;
    if (!sm_hfile_info_number(&w->h->notes, key, size, &said, &present)) {
        return sm_hfile_bad(&w->h->in, w->h->trailer.file_info_offset, err,
                            "%s has a size other than %zu bytes", key, size);
    }
    if (present && said != counted) {
        return sm_hfile_bad(&w->h->in, w->h->trailer.file_info_offset, err,
                            "%s is %" PRId64 ", the cells give %" PRId64, key, said, counted);
    }
    return SM_OK;
}

static sm_status check_info_numbers(const walk *w, sm_error *err)
{
    const sm_hfile_facts *f = &w->facts;
    const uint64_t n = f->cells == 0 ? 1 : f->cells;
    const struct {
        const char *key;
        size_t size;
        uint64_t counted;
    } rows[] = {
        {"hfile.AVG_KEY_LEN", 4, f->key_bytes / n},
        {"hfile.AVG_VALUE_LEN", 4, f->value_bytes / n},
        {"hfile.MAX_TAGS_LEN", 4, f->most_tags},
        {"hfile.LEN_OF_BIGGEST_CELL", 8, f->biggest},
        {"EARLIEST_PUT_TS", 8, (uint64_t)f->earliest_put},
        {"DELETE_FAMILY_COUNT", 8, f->delete_families},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sm_status st =
            check_info_number(w, rows[i].key, rows[i].size, (int64_t)rows[i].counted, err);
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}

static sm_status check_info_keys(const walk *w, sm_error *err)
{
    const sm_bytes last = sm_hfile_info_find(&w->h->notes, "hfile.LASTKEY");
    const sm_bytes bloom = sm_hfile_info_find(&w->h->notes, "LAST_BLOOM_KEY");
    const bool named = strcmp(w->h->info.bloom, "NONE") != 0;
    sm_cell c = {0};
    (void)sm_hfile_key_load(w->last_key, &c);
    if (w->facts.cells != 0 && !sm_bytes_equal(last, w->last_key)) {
        return sm_hfile_bad(&w->h->in, w->h->trailer.file_info_offset, err,
                            "hfile.LASTKEY is not the key of the last cell");
    }
    if (named != w->h->blooms[SM_HFILE_BLOOM_GENERAL].present ||
        (w->blooms[SM_HFILE_BLOOM_GENERAL].part != NULL && bloom.data != NULL &&
         !sm_bytes_equal(bloom, c.row))) {
        return sm_hfile_bad(&w->h->in, w->h->trailer.file_info_offset, err,
                            "BLOOM_FILTER_TYPE or LAST_BLOOM_KEY does not agree with the file");
    }
    return SM_OK;
}

/* A range that is too narrow hides cells from scans of a time range. */
static sm_status check_time_range(const walk *w, sm_error *err)
{
    const sm_hfile_facts *f = &w->facts;
    const int64_t oldest = f->covers_zero ? 0 : f->oldest;
    const sm_hfile_info *i = &w->h->info;
    const bool absent = sm_hfile_info_find(&w->h->notes, "TIMERANGE").data == NULL;
    if (f->cells == 0 || absent || (i->oldest <= oldest && i->newest >= f->newest)) {
        return SM_OK;
    }
    return sm_hfile_bad(&w->h->in, w->h->trailer.file_info_offset, err,
                        "TIMERANGE is %" PRId64 " to %" PRId64 ", the cells reach from %" PRId64
                        " to %" PRId64,
                        i->oldest, i->newest, oldest, f->newest);
}

static sm_status check_ends(walk *w, sm_error *err)
{
    sm_status st = check_comparator(w, err);
    if (st == SM_OK) {
        st = check_trailer(w, err);
    }
    for (int i = 0; st == SM_OK && i < SM_HFILE_BLOOMS; i++) {
        st = sm_hfile_bloom_check_end(&w->blooms[i], err);
    }
    if (st == SM_OK) {
        st = check_info_numbers(w, err);
    }
    if (st == SM_OK) {
        st = check_info_keys(w, err);
    }
    return st == SM_OK ? check_time_range(w, err) : st;
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static sm_status run(walk *w, sm_error *err)
{
    sm_status st = sm_hfile_check_encoding(w->h, err);
    for (int i = 0; st == SM_OK && i < SM_HFILE_BLOOMS; i++) {
        st = sm_hfile_bloom_check_start(&w->blooms[i], w->h, i, err);
    }
    if (st == SM_OK) {
        st = sm_xxh64_stream_new(&w->hash, err);
    }
    if (st == SM_OK) {
        st = walk_blocks(w, err);
    }
    return st == SM_OK ? check_ends(w, err) : st;
}

static void release(walk *w)
{
    sm_xxh64_stream_free(w->hash);
    sm_hfile_index_check_free(&w->index);
    for (int i = 0; i < SM_HFILE_BLOOMS; i++) {
        sm_hfile_bloom_check_free(&w->blooms[i]);
    }
    sm_buf_free(&w->last);
    sm_buf_free(&w->delete_row);
    sm_hfile_close(w->h);
}

sm_status sm_hfile_verify(const char *path, sm_hfile_check *out, sm_error *err)
{
    walk w = {.first_data = -1,
              .facts = {.oldest = INT64_MAX, .newest = -1, .earliest_put = INT64_MAX}};
    *out = (sm_hfile_check){0};
    sm_buf_init(&w.last, UINT32_MAX);
    sm_buf_init(&w.delete_row, SM_ROW_MAX);
    for (int i = 0; i < SM_HFILE_BLOCK_TYPES; i++) {
        w.previous[i] = -1;
    }
    sm_status st = sm_hfile_open(path, &w.h, err);
    if (st == SM_OK) {
        sm_hfile_index_check_init(&w.index, w.h);
        st = run(&w, err);
    }
    if (st == SM_OK) {
        *out = (sm_hfile_check){.cells = w.facts.cells,
                                .rows = w.facts.rows,
                                .blocks = w.blocks,
                                .oldest = w.facts.oldest,
                                .newest = w.facts.newest,
                                .xxh64 = sm_xxh64_stream_value(w.hash),
                                .bytes = w.h->in.size};
    }
    release(&w);
    return st;
}
