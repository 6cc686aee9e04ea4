/* SPDX-License-Identifier: Apache-2.0 */
/* The HFile v3 writer: cells are built in place in the data block; blocks, index and bloom are cut
 * where HBase's own bulk writer cuts them. Files carry no mvcc field, and tags only when asked for.
 *
 *   cell:  key length i32 | value length i32 | flat key | value | [tags length u16 | tags] */
#include "core/endian.h"
#include "core/mem.h"
#include "formats/hfile_bloom.h"
#include "formats/hfile_cell.h"
#include "formats/hfile_index.h"
#include "formats/hfile_info.h"
#include "formats/sink_class.h"

/* A full block and one cell more stay below 2 GiB, as sizes of blocks must. */
enum { PART_MAX = 1 << 29, BLOCK_SIZE_MAX = 1 << 29 };

typedef struct hfile_sink {
    sm_sink base;
    uint32_t block_size;
    bool row_bloom;
    bool broken; /* an add failed */

    sm_hfile_output *out;
    sm_hfile_blocks blocks;
    sm_hfile_index index;
    sm_hfile_bloom rows, delete_families;

    sm_buf block;     /* the data block at hand, room for its header in front */
    sm_buf index_key; /* of the block at hand */
    size_t last_at;   /* flat key of the last cell, in `block`; 0: in last_key */
    size_t last_size;
    sm_buf last_key; /* kept when a block ends */
    sm_buf first_row, delete_row;
    uint8_t family[SM_FAMILY_MAX];
    size_t family_len; /* 0: no cell yet */

    sm_hfile_facts facts;
    uint64_t data_blocks;
    int64_t first_offset, last_offset; /* of data blocks, -1 */
    sm_hfile_notes notes;
    sm_sink_summary summary;
} hfile_sink;

static hfile_sink *self_of(sm_sink *s)
{
    return (hfile_sink *)s;
}

/* ---- refusals -----------------------------------------------------------------------------------
 */

static sm_bytes last_key(const hfile_sink *s)
{
    const uint8_t *p = s->last_at != 0 ? s->block.data + s->last_at : s->last_key.data;
    return sm_bytes_of(p, s->last_size);
}

static SM_NOINLINE sm_status refuse_order(const hfile_sink *s, const sm_cell *c, sm_error *err)
{
    sm_cell last;
    char before[SM_HFILE_KEY_TEXT_SIZE];
    char now[SM_HFILE_KEY_TEXT_SIZE];
    (void)sm_hfile_key_load(last_key(s), &last);
    return sm_fail(
        err, SM_E_KEY_ORDER,
        "%s: cell %s came after %s; cells must ascend by row, family, qualifier, then newest "
        "first, none twice",
        sm_hfile_output_path(s->out), sm_hfile_key_text(c, now), sm_hfile_key_text(&last, before));
}

static const char *fault_of(const hfile_sink *s, const sm_cell *c)
{
    if (c->row.len == 0 || c->row.len > SM_ROW_MAX) {
        return "its row must have 1 to 32767 bytes";
    }
    if (c->family.len == 0 || c->family.len > SM_FAMILY_MAX) {
        return "its family must have 1 to 127 bytes";
    }
    if (s->family_len != 0 && !sm_bytes_equal(c->family, sm_bytes_of(s->family, s->family_len))) {
        return "a file holds one family, and this one has begun with another";
    }
    if (c->timestamp < 0 || c->timestamp == INT64_MAX) {
        return "its timestamp must lie in 0 ... Long.MAX - 1";
    }
    if (sm_hfile_type_name(c->type) == NULL) {
        return "its type is none of HBase's";
    }
    if (c->ttl < 0 || (c->ttl != 0 && !s->facts.has_tags)) {
        return "it has a TTL, which needs a file with tags and must be above 0";
    }
    return "it is larger than 512 MiB";
}

static SM_NOINLINE sm_status refuse_cell(const hfile_sink *s, const sm_cell *c, sm_error *err)
{
    char text[SM_HFILE_KEY_TEXT_SIZE];
    return sm_fail(err, SM_E_FORMAT, "%s: cell %s (row of %zu bytes, value of %zu) is refused: %s",
                   sm_hfile_output_path(s->out), sm_hfile_key_text(c, text), c->row.len,
                   c->value.len, fault_of(s, c));
}

/* ---- where a cell stands ------------------------------------------------------------------------
 */

typedef enum step { STEP_BACK, STEP_IN_ROW, STEP_NEW_ROW } step;

/* The families are known to be equal. */
static step step_within_row(sm_bytes last, size_t row, const sm_cell *c)
{
    const size_t head = 3 + row + c->family.len;
    const int q =
        sm_bytes_compare(sm_bytes_of(last.data + head, last.len - head - 9), c->qualifier);
    if (q != 0) {
        return q < 0 ? STEP_IN_ROW : STEP_BACK;
    }
    const int64_t timestamp = (int64_t)sm_load_be64(last.data + last.len - 9);
    if (timestamp != c->timestamp) {
        return timestamp > c->timestamp ? STEP_IN_ROW : STEP_BACK;
    }
    return last.data[last.len - 1] > c->type ? STEP_IN_ROW : STEP_BACK;
}

static step step_to(const hfile_sink *s, const sm_cell *c)
{
    if (SM_UNLIKELY(s->family_len == 0)) {
        return STEP_NEW_ROW;
    }
    const sm_bytes last = last_key(s);
    const size_t row = sm_load_be16(last.data);
    const int r = sm_bytes_compare(sm_bytes_of(last.data + 2, row), c->row);
    if (r != 0) {
        return r < 0 ? STEP_NEW_ROW : STEP_BACK;
    }
    return step_within_row(last, row, c);
}

/* ---- blocks -------------------------------------------------------------------------------------
 */

static sm_status keep(sm_buf *into, sm_bytes bytes, sm_error *err)
{
    sm_buf_clear(into);
    return sm_buf_append(into, bytes.data, bytes.len, err);
}

/* Writes the data block; the last key moves out of it. */
static sm_status end_data_block(hfile_sink *s, sm_error *err)
{
    sm_status st = keep(&s->last_key, last_key(s), err);
    if (st != SM_OK) {
        return st;
    }
    s->last_at = 0;
    sm_hfile_place place;
    st = sm_hfile_block_write(&s->blocks, SM_HFILE_DATA, &s->block, &place, err);
    if (st != SM_OK) {
        return st;
    }
    s->first_offset = s->data_blocks == 0 ? (int64_t)place.offset : s->first_offset;
    s->last_offset = (int64_t)place.offset;
    s->data_blocks++;
    st = sm_hfile_index_add(&s->index, place, sm_buf_view(&s->index_key), err);
    return st == SM_OK ? sm_hfile_block_begin(&s->block, err) : st;
}

/* What waits for a border between data blocks, in HBase's order. */
static sm_status poll_inline_blocks(hfile_sink *s, sm_error *err)
{
    sm_status st = sm_hfile_index_poll(&s->index, &s->blocks, err);
    if (st == SM_OK) {
        st = sm_hfile_bloom_poll(&s->rows, &s->blocks, err);
    }
    return st == SM_OK ? sm_hfile_bloom_poll(&s->delete_families, &s->blocks, err) : st;
}

static sm_status first_key(hfile_sink *s, const sm_cell *c, sm_error *err)
{
    sm_buf_clear(&s->index_key);
    const sm_status st = sm_buf_reserve(&s->index_key, sm_hfile_key_size(c), err);
    if (st == SM_OK) {
        s->index_key.len = (size_t)(sm_hfile_key_store(s->index_key.data, c) - s->index_key.data);
    }
    return st;
}

/* Ends the full block and chooses the index key of the one that begins with `c`. */
static SM_NOINLINE sm_status turn_block(hfile_sink *s, const sm_cell *c, sm_error *err)
{
    sm_status st = end_data_block(s, err);
    if (st == SM_OK) {
        st = poll_inline_blocks(s, err);
    }
    if (st != SM_OK) {
        return st;
    }
    sm_cell last;
    (void)sm_hfile_key_load(sm_buf_view(&s->last_key), &last);
    return sm_hfile_key_between(&last, c, &s->index_key, err);
}

/* ---- adding -------------------------------------------------------------------------------------
 */

static SM_NOINLINE sm_status first_cell(hfile_sink *s, const sm_cell *c, sm_error *err)
{
    memcpy(s->family, c->family.data, c->family.len);
    s->family_len = c->family.len;
    sm_status st = keep(&s->first_row, c->row, err);
    if (st == SM_OK) {
        st = first_key(s, c, err);
    }
    return st == SM_OK ? sm_hfile_block_begin(&s->block, err) : st;
}

static SM_NOINLINE sm_status note_delete(hfile_sink *s, const sm_cell *c, sm_error *err)
{
    if (c->type == SM_CELL_DELETE_COLUMN || c->type == SM_CELL_DELETE_FAMILY) {
        s->facts.covers_zero = true;
    }
    if (c->type != SM_CELL_DELETE_FAMILY && c->type != SM_CELL_DELETE_FAMILY_VERSION) {
        return SM_OK;
    }
    s->facts.delete_families++;
    if (s->facts.delete_families > 1 && sm_bytes_equal(sm_buf_view(&s->delete_row), c->row)) {
        return SM_OK;
    }
    const sm_status st = keep(&s->delete_row, c->row, err);
    return st == SM_OK ? sm_hfile_bloom_add(&s->delete_families, c->row, err) : st;
}

static SM_NOINLINE sm_status note_biggest(hfile_sink *s, uint64_t size, sm_bytes key, sm_error *err)
{
    s->facts.biggest = size;
    return keep(&s->facts.biggest_key, key, err);
}

static void note_times(sm_hfile_facts *f, const sm_cell *c)
{
    f->oldest = c->timestamp < f->oldest ? c->timestamp : f->oldest;
    f->newest = c->timestamp > f->newest ? c->timestamp : f->newest;
    if (c->type == SM_CELL_PUT && c->timestamp < f->earliest_put) {
        f->earliest_put = c->timestamp;
    }
}

/* Tags of a cell: none, or its TTL. Returns the end. */
static uint8_t *store_tags(hfile_sink *s, uint8_t *p, const sm_cell *c)
{
    const uint16_t size = c->ttl == 0 ? 0 : SM_HFILE_TTL_TAG_SIZE;
    sm_store_be16(p, size);
    if (size != 0) {
        sm_store_be16(p + 2, size - 2);
        p[4] = SM_HFILE_TAG_TTL;
        sm_store_be64(p + 5, (uint64_t)c->ttl);
        s->facts.most_tags = size;
    }
    return p + 2 + size;
}

SM_INLINE sm_status append_cell(hfile_sink *s, const sm_cell *c, bool tagged, sm_error *err)
{
    const size_t key = sm_hfile_key_size(c);
    const size_t tags = tagged ? 2 + SM_HFILE_TTL_TAG_SIZE : 0;
    const sm_status st =
        sm_buf_reserve(&s->block, SM_HFILE_CELL_FIXED + key + c->value.len + tags, err);
    if (st != SM_OK) {
        return st;
    }
    uint8_t *p = s->block.data + s->block.len;
    sm_store_be32(p, (uint32_t)key);
    sm_store_be32(p + 4, (uint32_t)c->value.len);
    s->last_at = s->block.len + SM_HFILE_CELL_FIXED;
    s->last_size = key;
    p = sm_hfile_key_store(p + SM_HFILE_CELL_FIXED, c);
    if (c->value.len != 0) {
        memcpy(p, c->value.data, c->value.len);
    }
    p += c->value.len;
    if (tagged) {
        p = store_tags(s, p, c);
    }
    s->block.len = (size_t)(p - s->block.data);

    s->facts.cells++;
    s->facts.key_bytes += key;
    s->facts.value_bytes += c->value.len;
    note_times(&s->facts, c);
    uint64_t size = 4 + SM_HFILE_CELL_FIXED + key + c->value.len;
    if (tagged && c->ttl != 0) {
        size += tags;
    }
    return SM_LIKELY(size <= s->facts.biggest) ? SM_OK : note_biggest(s, size, last_key(s), err);
}

SM_INLINE bool is_storable(const hfile_sink *s, const sm_cell *c, bool tagged)
{
    const bool family = s->family_len == 0
                            ? c->family.len - 1 < SM_FAMILY_MAX
                            : c->family.len == s->family_len &&
                                  memcmp(c->family.data, s->family, s->family_len) == 0;
    return c->row.len - 1 < SM_ROW_MAX && family && c->timestamp >= 0 &&
           c->timestamp != INT64_MAX && (c->type == SM_CELL_PUT || sm_hfile_type_name(c->type)) &&
           (tagged ? c->ttl >= 0 : c->ttl == 0) && c->qualifier.len < PART_MAX &&
           c->value.len < PART_MAX;
}

SM_INLINE sm_status add_cell(hfile_sink *s, const sm_cell *c, bool tagged, sm_error *err)
{
    if (SM_UNLIKELY(!is_storable(s, c, tagged))) {
        return refuse_cell(s, c, err);
    }
    const step to = step_to(s, c);
    if (SM_UNLIKELY(to == STEP_BACK)) {
        return refuse_order(s, c, err);
    }
    sm_status st = SM_OK;
    if (SM_UNLIKELY(s->family_len == 0)) {
        st = first_cell(s, c, err);
    }
    if (st == SM_OK && to == STEP_NEW_ROW) {
        s->facts.rows++;
        st = s->row_bloom ? sm_hfile_bloom_add(&s->rows, c->row, err) : SM_OK;
    }
    if (st == SM_OK && SM_UNLIKELY(c->type != SM_CELL_PUT)) {
        st = note_delete(s, c, err);
    }
    if (st == SM_OK && s->block.len - SM_HFILE_HEADER_SIZE >= s->block_size) {
        st = turn_block(s, c, err);
    }
    return SM_LIKELY(st == SM_OK) ? append_cell(s, c, tagged, err) : st;
}

static sm_status add_plain(sm_sink *base, const sm_cell *cell, sm_error *err)
{
    hfile_sink *s = self_of(base);
    const sm_status st = add_cell(s, cell, false, err);
    s->broken |= st != SM_OK;
    return st;
}

static sm_status add_tagged(sm_sink *base, const sm_cell *cell, sm_error *err)
{
    hfile_sink *s = self_of(base);
    const sm_status st = add_cell(s, cell, true, err);
    s->broken |= st != SM_OK;
    return st;
}

static uint64_t hfile_written(const sm_sink *base)
{
    return sm_hfile_output_offset(((const hfile_sink *)base)->out);
}

/* ---- finishing ----------------------------------------------------------------------------------
 */

static sm_status close_inline_blocks(hfile_sink *s, sm_error *err)
{
    sm_status st = s->facts.cells == 0 ? SM_OK : end_data_block(s, err);
    if (st == SM_OK) {
        st = sm_hfile_index_close(&s->index, &s->blocks, err);
    }
    if (st == SM_OK) {
        st = sm_hfile_bloom_close(&s->rows, &s->blocks, err);
    }
    return st == SM_OK ? sm_hfile_bloom_close(&s->delete_families, &s->blocks, err) : st;
}

static sm_status write_info(hfile_sink *s, sm_hfile_place *place, sm_error *err)
{
    if (s->facts.cells != 0) {
        s->facts.last_key = sm_buf_view(&s->last_key);
        s->facts.last_row = sm_bytes_of(s->last_key.data + 2, sm_load_be16(s->last_key.data));
    }
    sm_status st = sm_hfile_block_begin(&s->block, err);
    if (st == SM_OK) {
        st = sm_hfile_info_append(&s->facts, &s->notes, &s->block, err);
    }
    return st == SM_OK ? sm_hfile_block_write(&s->blocks, SM_HFILE_FILE_INFO, &s->block, place, err)
                       : st;
}

/* Index, meta index, file info, blooms. */
static sm_status write_load_on_open(hfile_sink *s, sm_hfile_trailer *t, sm_error *err)
{
    sm_hfile_place root;
    sm_hfile_place meta;
    sm_hfile_place info;
    sm_status st = sm_hfile_index_finish(&s->index, &s->blocks, &root, err);
    t->index_plain_size = s->blocks.index_plain;
    if (st == SM_OK) {
        st = sm_hfile_block_begin(&s->block, err);
    }
    if (st == SM_OK) {
        st = sm_hfile_block_write(&s->blocks, SM_HFILE_ROOT_INDEX, &s->block, &meta, err);
    }
    if (st == SM_OK) {
        st = write_info(s, &info, err);
    }
    if (st == SM_OK) {
        st = sm_hfile_bloom_finish(&s->rows, SM_HFILE_GENERAL_BLOOM_META, &s->blocks, err);
    }
    if (st == SM_OK) {
        st = sm_hfile_bloom_finish(&s->delete_families, SM_HFILE_DELETE_FAMILY_BLOOM_META,
                                   &s->blocks, err);
    }
    if (st == SM_OK) {
        t->load_on_open_offset = root.offset;
        t->file_info_offset = info.offset;
    }
    return st;
}

static sm_status write_trailer(hfile_sink *s, sm_hfile_trailer *t, sm_error *err)
{
    /* Of the index's upper blocks only the meta root counts, with its header; the trailer counts
     * too. */
    t->total_plain_size = s->blocks.total_plain + SM_HFILE_HEADER_SIZE + SM_HFILE_TRAILER_SIZE;
    t->index_count = s->index.root_count;
    t->entries = s->facts.cells;
    t->index_levels = s->index.levels;
    t->first_data_offset = s->first_offset;
    t->last_data_offset = s->last_offset;
    uint8_t bytes[SM_HFILE_TRAILER_SIZE];
    sm_hfile_trailer_store(t, bytes);
    return sm_hfile_output_add(s->out, sm_bytes_of(bytes, sizeof bytes), err);
}

static void fill_summary(hfile_sink *s)
{
    sm_sink_summary *u = &s->summary;
    u->cells = s->facts.cells;
    u->rows = s->facts.rows;
    u->bytes = sm_hfile_output_offset(s->out);
    u->oldest = s->facts.oldest;
    u->newest = s->facts.newest;
    u->first_row = sm_buf_view(&s->first_row);
    u->last_row = s->facts.last_row;
    u->index_levels = s->index.levels;
    u->data_blocks = s->data_blocks;
}

static sm_status hfile_finish(sm_sink *base, sm_sink_summary *out, sm_error *err)
{
    hfile_sink *s = self_of(base);
    if (s->broken) {
        return sm_fail(err, SM_E_INTERNAL, "%s: finished after a cell could not be added",
                       sm_hfile_output_path(s->out));
    }
    s->broken = true; /* a second finish, or one after a failure */
    sm_hfile_trailer t = {.compression = (uint32_t)s->blocks.compression};
    sm_status st = close_inline_blocks(s, err);
    if (st == SM_OK) {
        st = write_load_on_open(s, &t, err);
    }
    if (st == SM_OK) {
        st = write_trailer(s, &t, err);
    }
    if (st == SM_OK) {
        st = sm_hfile_output_finish(s->out, &s->summary.xxh64, err);
    }
    if (st == SM_OK) {
        fill_summary(s);
        *out = s->summary;
    }
    return st;
}

static void hfile_close(sm_sink *base)
{
    hfile_sink *s = self_of(base);
    sm_hfile_output_close(s->out);
    sm_hfile_blocks_free(&s->blocks);
    sm_hfile_index_free(&s->index);
    sm_hfile_bloom_free(&s->rows);
    sm_hfile_bloom_free(&s->delete_families);
    sm_buf_free(&s->block);
    sm_buf_free(&s->index_key);
    sm_buf_free(&s->last_key);
    sm_buf_free(&s->first_row);
    sm_buf_free(&s->delete_row);
    sm_buf_free(&s->facts.biggest_key);
    sm_hfile_notes_free(&s->notes);
    sm_free(s);
}

/* ---- opening ------------------------------------------------------------------------------------
 */

static const sm_sink_class plain_class = {add_plain, hfile_written, hfile_finish, hfile_close};
static const sm_sink_class tagged_class = {add_tagged, hfile_written, hfile_finish, hfile_close};

static sm_status choose_size(const char *what, uint32_t given, uint32_t usual, uint32_t *out,
                             sm_error *err)
{
    *out = given == 0 ? usual : given;
    if (*out > BLOCK_SIZE_MAX) {
        return sm_fail(err, SM_E_JOB, "%s: %u bytes, at most %d fit; %u is usual", what, given,
                       BLOCK_SIZE_MAX, usual);
    }
    return SM_OK;
}

static void init_buffers(hfile_sink *s)
{
    sm_buf_init(&s->block, UINT32_MAX);
    sm_buf_init(&s->index_key, UINT32_MAX);
    sm_buf_init(&s->last_key, UINT32_MAX);
    sm_buf_init(&s->first_row, SM_ROW_MAX);
    sm_buf_init(&s->delete_row, SM_ROW_MAX);
    sm_buf_init(&s->facts.biggest_key, UINT32_MAX);
}

static sm_status start(hfile_sink *s, const sm_sink_options *o, sm_error *err)
{
    uint32_t index_size = 0;
    uint32_t bloom_size = 0;
    init_buffers(s);
    sm_status st =
        choose_size("block size", o->block_size, SM_BLOCK_SIZE_DEFAULT, &s->block_size, err);
    if (st == SM_OK) {
        st = choose_size("index block size", o->index_block_size, SM_INDEX_BLOCK_SIZE_DEFAULT,
                         &index_size, err);
    }
    if (st == SM_OK) {
        st = choose_size("bloom block size", o->bloom_block_size, SM_BLOOM_BLOCK_SIZE_DEFAULT,
                         &bloom_size, err);
    }
    if (st != SM_OK) {
        return st;
    }
    if (bloom_size > SM_HFILE_BLOOM_BLOCK_MAX) {
        return sm_fail(err, SM_E_JOB, "bloom block size: %u bytes, at most %d fit; %d is usual",
                       bloom_size, SM_HFILE_BLOOM_BLOCK_MAX, SM_BLOOM_BLOCK_SIZE_DEFAULT);
    }
    sm_hfile_index_init(&s->index, index_size);
    sm_hfile_bloom_init(&s->rows, bloom_size);
    sm_hfile_bloom_init(&s->delete_families, bloom_size);
    st = sm_hfile_notes_copy(&s->notes, o->notes, o->note_count, err);
    if (st == SM_OK) {
        st = sm_hfile_blocks_init(&s->blocks, o, err);
    }
    if (st == SM_OK) {
        st = sm_hfile_output_open(o->path, &s->out, err);
        s->blocks.out = s->out;
    }
    return st;
}

sm_status sm_sink_open_hfile(const sm_sink_options *options, sm_sink **out, sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    sm_status st = sm_new(sizeof(hfile_sink), "an HFile writer", &p, err);
    if (st != SM_OK) {
        return st;
    }
    hfile_sink *s = p;
    s->base.methods = options->tags ? &tagged_class : &plain_class;
    s->row_bloom = options->bloom == SM_BLOOM_ROW;
    s->first_offset = s->last_offset = -1;
    s->facts = (sm_hfile_facts){.oldest = INT64_MAX,
                                .newest = -1,
                                .earliest_put = INT64_MAX,
                                .has_bloom = s->row_bloom,
                                .has_tags = options->tags};
    st = start(s, options, err);
    if (st != SM_OK) {
        hfile_close(&s->base);
        return st;
    }
    *out = &s->base;
    return SM_OK;
}
