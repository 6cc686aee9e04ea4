/* SPDX-License-Identifier: Apache-2.0 */
/* Opens an HFile (trailer, load-on-open section, count of blocks) and walks its cells. */
#include "formats/hfile_reader.h"

#include "core/endian.h"
#include "core/mem.h"
#include "formats/hfile_file.h"

#include <inttypes.h>

/* ---- trailer and codec --------------------------------------------------------------------------
 */

/* An error of a parser, with the place put in front. */
static sm_status place_error(const sm_hfile *h, uint64_t offset, const sm_error *inner,
                             sm_error *err)
{
    if (inner->code == SM_E_FORMAT) {
        return sm_hfile_bad(&h->in, offset, err, "%s", inner->text);
    }
    return sm_fail(err, inner->code, "%s: %s", sm_file_path(h->file), inner->text);
}

static sm_status check_offsets(const sm_hfile *h, sm_error *err)
{
    const sm_hfile_trailer *t = &h->trailer;
    const bool any = t->entries != 0;
    const bool inside = t->load_on_open_offset < h->in.end &&
                        t->file_info_offset > t->load_on_open_offset &&
                        t->file_info_offset < h->in.end;
    const bool data = any ? t->first_data_offset >= 0 &&
                                t->first_data_offset <= t->last_data_offset &&
                                (uint64_t)t->last_data_offset < t->load_on_open_offset
                          : t->first_data_offset == -1 && t->last_data_offset == -1;
    if (!inside || !data || t->index_levels == 0) {
        return sm_hfile_bad(&h->in, h->in.end, err,
                            "the trailer's offsets do not fit together or into the file");
    }
    return SM_OK;
}

static sm_status load_trailer(sm_hfile *h, sm_error *err)
{
    if (h->in.size < SM_HFILE_TRAILER_SIZE) {
        return sm_hfile_bad(&h->in, 0, err, "%" PRIu64 " bytes are too few for an HFile",
                            h->in.size);
    }
    sm_status st =
        sm_file_read_at(h->file, h->in.end, h->trailer_bytes, sizeof h->trailer_bytes, err);
    if (st != SM_OK) {
        return st;
    }
    sm_error inner = {0};
    if (sm_hfile_trailer_load(h->trailer_bytes, &h->trailer, &inner) != SM_OK) {
        return place_error(h, h->in.end, &inner, err);
    }
    st = check_offsets(h, err);
    if (st == SM_OK) {
        st = sm_buf_append(&h->comparator, h->trailer.comparator.data, h->trailer.comparator.len,
                           err);
    }
    return st == SM_OK ? sm_buf_append_byte(&h->comparator, 0, err) : st;
}

/* The trailer does not say which of the two framings of ZSTD was used; the first bytes of a block
 * do. */
static sm_status find_framing(sm_hfile *h, sm_error *err)
{
    uint8_t first[4] = {0};
    sm_hfile_header header;
    uint64_t next = 0;
    const uint64_t offset = h->trailer.load_on_open_offset;
    sm_status st = sm_hfile_read_header(&h->in, offset, &header, &next, err);
    if (st == SM_OK && header.with_header - SM_HFILE_HEADER_SIZE >= sizeof first) {
        st = sm_file_read_at(h->file, offset + SM_HFILE_HEADER_SIZE, first, sizeof first, err);
    }
    h->info.zstd_framing = sm_codec_zstd_framing_of(sm_bytes_of(first, sizeof first));
    return st;
}

sm_status sm_hfile_open_codec(const sm_hfile *h, sm_codec **out, sm_error *err)
{
    sm_error inner = {0};
    const sm_status st =
        sm_codec_open((sm_compression)h->trailer.compression, h->info.zstd_framing, 0, out, &inner);
    return st == SM_OK ? SM_OK : place_error(h, h->in.end, &inner, err);
}

static sm_status open_codec(sm_hfile *h, sm_error *err)
{
    sm_status st = SM_OK;
    if (h->trailer.compression == SM_COMPRESSION_ZSTD) {
        st = find_framing(h, err);
    }
    return st == SM_OK ? sm_hfile_open_codec(h, &h->in.codec, err) : st;
}

/* ---- load-on-open section -----------------------------------------------------------------------
 */

static sm_status read_kept(sm_hfile *h, uint64_t *offset, sm_hfile_block_type type, sm_buf *keep,
                           sm_error *err)
{
    sm_hfile_read_block b;
    sm_status st = sm_hfile_read(&h->in, *offset, &b, err);
    if (st != SM_OK) {
        return st;
    }
    if (b.header.type != type) {
        return sm_hfile_bad(&h->in, *offset, err, "a %s block, expected %s",
                            sm_hfile_block_name(b.header.type), sm_hfile_block_name(type));
    }
    *offset = b.next;
    return sm_buf_append(keep, b.payload.data, b.payload.len, err);
}

static sm_status load_bloom_part(sm_hfile *h, uint64_t *offset, sm_error *err)
{
    const uint64_t at = *offset;
    sm_hfile_read_block b;
    const sm_status st = sm_hfile_read(&h->in, at, &b, err);
    if (st != SM_OK) {
        return st;
    }
    sm_hfile_bloom_part *part = &h->blooms[SM_HFILE_BLOOM_GENERAL];
    if (b.header.type == SM_HFILE_DELETE_FAMILY_BLOOM_META) {
        part = &h->blooms[SM_HFILE_BLOOM_DELETE_FAMILY];
    } else if (b.header.type != SM_HFILE_GENERAL_BLOOM_META) {
        return sm_hfile_bad(&h->in, at, err, "a %s block behind the file info",
                            sm_hfile_block_name(b.header.type));
    }
    if (part->present) {
        return sm_hfile_bad(&h->in, at, err, "a second %s block",
                            sm_hfile_block_name(b.header.type));
    }
    part->present = true;
    *offset = b.next;
    const sm_status kept = sm_buf_append(&part->payload, b.payload.data, b.payload.len, err);
    if (kept == SM_OK && !sm_hfile_bloom_meta_load(sm_buf_view(&part->payload), &part->meta)) {
        return sm_hfile_bad(&h->in, at, err, "the %s block is damaged or of an unknown version",
                            sm_hfile_block_name(b.header.type));
    }
    return kept;
}

static sm_status load_on_open(sm_hfile *h, sm_error *err)
{
    sm_buf meta_root;
    sm_buf_init(&meta_root, UINT32_MAX);
    uint64_t at = h->trailer.load_on_open_offset;
    sm_status st = read_kept(h, &at, SM_HFILE_ROOT_INDEX, &h->root, err);
    if (st == SM_OK) {
        st = read_kept(h, &at, SM_HFILE_ROOT_INDEX, &meta_root, err);
        sm_buf_free(&meta_root);
    }
    if (st == SM_OK && at != h->trailer.file_info_offset) {
        return sm_hfile_bad(&h->in, at, err, "the trailer has the file info at %" PRIu64,
                            h->trailer.file_info_offset);
    }
    if (st == SM_OK) {
        st = read_kept(h, &at, SM_HFILE_FILE_INFO, &h->info_payload, err);
    }
    while (st == SM_OK && at < h->in.end) {
        st = load_bloom_part(h, &at, err);
    }
    return st;
}

/* ---- what the file says about itself ------------------------------------------------------------
 */

/* The stored text as one of these, or NULL. */
static const char *one_of(sm_bytes text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (sm_bytes_equal_text(text, names[i])) {
            return names[i];
        }
    }
    return NULL;
}

static bool find_names(sm_hfile *h)
{
    static const char *const blooms[] = {"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"};
    static const char *const encodings[] = {"NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"};
    const sm_bytes bloom = sm_hfile_info_find(&h->notes, "BLOOM_FILTER_TYPE");
    const sm_bytes encoding = sm_hfile_info_find(&h->notes, "DATA_BLOCK_ENCODING");
    h->info.bloom = bloom.data == NULL ? blooms[0] : one_of(bloom, blooms, 4);
    h->info.encoding = encoding.data == NULL ? encodings[0] : one_of(encoding, encodings, 5);
    h->encoded = h->info.encoding != encodings[0];
    return h->info.bloom != NULL && h->info.encoding != NULL;
}

/* 16 bytes, or "PBUF" and a message { from = 1, to = 2 }. */
static bool find_time_range(sm_hfile *h)
{
    const sm_bytes range = sm_hfile_info_find(&h->notes, "TIMERANGE");
    h->info.oldest = h->info.newest = -1;
    if (range.data == NULL) {
        return true;
    }
    if (range.len == 16) {
        h->info.oldest = (int64_t)sm_load_be64(range.data);
        h->info.newest = (int64_t)sm_load_be64(range.data + 8);
        return true;
    }
    if (range.len < 4 || memcmp(range.data, "PBUF", 4) != 0) {
        return false;
    }
    for (size_t at = 4; at < range.len;) {
        sm_hfile_field f;
        if (!sm_hfile_field_load(range, &at, &f) || f.is_bytes) {
            return false;
        }
        h->info.oldest = f.number == 1 ? (int64_t)f.value : h->info.oldest;
        h->info.newest = f.number == 2 ? (int64_t)f.value : h->info.newest;
    }
    return true;
}

static bool find_cell_form(sm_hfile *h)
{
    int64_t version = 0;
    bool present = false;
    h->form.has_tags = sm_hfile_info_find(&h->notes, "hfile.MAX_TAGS_LEN").data != NULL;
    const bool sound = sm_hfile_info_number(&h->notes, "KEY_VALUE_VERSION", 4, &version, &present);
    h->form.has_mvcc = present && version == 1;
    h->info.has_tags = h->form.has_tags;
    h->info.has_mvcc = h->form.has_mvcc;
    return sound;
}

/* The first entry of the index is the first cell's whole key. */
static bool find_rows(sm_hfile *h)
{
    sm_hfile_entry entry;
    sm_cell first;
    sm_cell last;
    size_t at = 0;
    if (h->trailer.entries == 0) {
        return true;
    }
    const sm_bytes last_key = sm_hfile_info_find(&h->notes, "hfile.LASTKEY");
    if (!sm_hfile_root_entry_load(sm_buf_view(&h->root), &at, &entry) ||
        !sm_hfile_key_load(entry.key, &first) || !sm_hfile_key_load(last_key, &last)) {
        return false;
    }
    h->info.first_row = first.row;
    h->info.last_row = last.row;
    return true;
}

static void fill_numbers(sm_hfile *h)
{
    sm_hfile_info *i = &h->info;
    const sm_hfile_bloom_meta *bloom = &h->blooms[SM_HFILE_BLOOM_GENERAL].meta;
    i->file_size = h->in.size;
    i->entries = h->trailer.entries;
    i->total_uncompressed = h->trailer.total_plain_size;
    i->index_levels = h->trailer.index_levels;
    i->index_root_entries = h->trailer.index_count;
    i->compression = (sm_compression)h->trailer.compression;
    i->bloom_keys = bloom->keys;
    i->bloom_chunks = bloom->chunks;
    i->comparator = (const char *)h->comparator.data;
    i->major_version = h->trailer.major;
    i->minor_version = h->trailer.minor;
}

static sm_status load_info(sm_hfile *h, sm_error *err)
{
    const uint64_t at = h->trailer.file_info_offset;
    sm_error inner = {0};
    if (sm_hfile_info_load(sm_buf_view(&h->info_payload), &h->notes, &inner) != SM_OK) {
        return place_error(h, at, &inner, err);
    }
    fill_numbers(h);
    if (!find_names(h) || !find_time_range(h) || !find_cell_form(h) || !find_rows(h)) {
        return sm_hfile_bad(&h->in, at, err,
                            "BLOOM_FILTER_TYPE, DATA_BLOCK_ENCODING, TIMERANGE, KEY_VALUE_VERSION, "
                            "hfile.LASTKEY or the first key of the index is not what it must be");
    }
    return SM_OK;
}

/* From header to header: also shows that blocks follow each other without gaps. */
static sm_status count_blocks(sm_hfile *h, sm_error *err)
{
    uint64_t at = 0;
    while (at < h->trailer.load_on_open_offset) {
        sm_hfile_header header;
        uint64_t next = 0;
        const sm_status st = sm_hfile_read_header(&h->in, at, &header, &next, err);
        if (st != SM_OK) {
            return st;
        }
        h->info.data_blocks += header.type == SM_HFILE_DATA || header.type == SM_HFILE_ENCODED_DATA;
        at = next;
    }
    if (at != h->trailer.load_on_open_offset) {
        return sm_hfile_bad(&h->in, at, err,
                            "no block begins at the trailer's load-on-open offset");
    }
    return SM_OK;
}

/* ---- opening and closing ------------------------------------------------------------------------
 */

static sm_status load(sm_hfile *h, const char *path, bool whole, sm_error *err)
{
    sm_file_info info = {0};
    sm_status st = sm_file_open_read(path, &h->file, err);
    if (st == SM_OK) {
        st = sm_file_info_of(h->file, &info, err);
    }
    if (st != SM_OK) {
        return st;
    }
    sm_hfile_input_init(&h->in, h->file, info.size);
    st = load_trailer(h, err);
    if (st == SM_OK) {
        st = open_codec(h, err);
    }
    if (st == SM_OK) {
        st = load_on_open(h, err);
    }
    if (st == SM_OK) {
        st = load_info(h, err);
    }
    if (st == SM_OK && whole) {
        st = count_blocks(h, err);
    }
    return st == SM_OK ? sm_hfile_rewind(h, err) : st;
}

static sm_status open_file(const char *path, bool whole, sm_hfile **out, sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    sm_status st = sm_new(sizeof(sm_hfile), "an HFile reader", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_hfile *h = p;
    sm_buf_init(&h->root, UINT32_MAX);
    sm_buf_init(&h->info_payload, UINT32_MAX);
    sm_buf_init(&h->notes, UINT32_MAX);
    sm_buf_init(&h->comparator, SM_HFILE_TRAILER_SIZE);
    for (int i = 0; i < SM_HFILE_BLOOMS; i++) {
        sm_buf_init(&h->blooms[i].payload, UINT32_MAX);
    }
    st = load(h, path, whole, err);
    if (st != SM_OK) {
        sm_hfile_close(h);
        return st;
    }
    *out = h;
    return SM_OK;
}

sm_status sm_hfile_open(const char *path, sm_hfile **out, sm_error *err)
{
    return open_file(path, true, out, err);
}

sm_status sm_hfile_open_to_seek(const char *path, sm_hfile **out, sm_error *err)
{
    return open_file(path, false, out, err);
}

void sm_hfile_close(sm_hfile *h)
{
    if (h == NULL) {
        return;
    }
    sm_hfile_input_free(&h->in);
    sm_buf_free(&h->root);
    sm_buf_free(&h->info_payload);
    sm_buf_free(&h->notes);
    sm_buf_free(&h->comparator);
    for (int i = 0; i < SM_HFILE_BLOOMS; i++) {
        sm_buf_free(&h->blooms[i].payload);
    }
    sm_file_discard(&h->file);
    sm_free(h);
}

const sm_hfile_info *sm_hfile_info_of(const sm_hfile *h)
{
    return &h->info;
}

size_t sm_hfile_note_count(const sm_hfile *h)
{
    return h->notes.len / sizeof(sm_file_note);
}

sm_file_note sm_hfile_note_at(const sm_hfile *h, size_t index)
{
    sm_file_note note;
    memcpy(&note, h->notes.data + index * sizeof note, sizeof note);
    return note;
}

/* ---- cells --------------------------------------------------------------------------------------
 */

sm_status sm_hfile_check_encoding(const sm_hfile *h, sm_error *err)
{
    if (h->encoded) {
        return sm_fail(
            err, SM_E_FORMAT,
            "%s: its cells are encoded with %s, which cannot be read here; only NONE can",
            sm_file_path(h->file), h->info.encoding);
    }
    return SM_OK;
}

sm_status sm_hfile_rewind(sm_hfile *h, sm_error *err)
{
    (void)err;
    h->next_block = h->trailer.entries == 0 ? h->trailer.load_on_open_offset
                                            : (uint64_t)h->trailer.first_data_offset;
    h->payload = sm_bytes_of(NULL, 0);
    h->at = 0;
    h->cells = 0;
    h->sought = false;
    return SM_OK;
}

/* Index and bloom blocks lie between data blocks. */
sm_status sm_hfile_next_block(sm_hfile *h, bool *found, sm_error *err)
{
    *found = false;
    while (h->next_block < h->trailer.load_on_open_offset) {
        const uint64_t at = h->next_block;
        sm_hfile_header header;
        sm_status st = sm_hfile_read_header(&h->in, at, &header, &h->next_block, err);
        if (st != SM_OK) {
            return st;
        }
        if (header.type != SM_HFILE_DATA) {
            continue;
        }
        sm_hfile_read_block b;
        st = sm_hfile_read(&h->in, at, &b, err);
        if (st != SM_OK) {
            return st;
        }
        h->payload = b.payload;
        h->at = 0;
        h->blocks_read++;
        h->bytes_read += b.next - b.offset;
        *found = true;
        return SM_OK;
    }
    return SM_OK;
}

sm_status sm_hfile_next(sm_hfile *h, sm_cell *cell, bool *more, sm_error *err)
{
    *more = false;
    *cell = (sm_cell){0};
    sm_status st = sm_hfile_check_encoding(h, err);
    if (st != SM_OK) {
        return st;
    }
    if (h->at == h->payload.len) {
        bool found = false;
        st = sm_hfile_next_block(h, &found, err);
        if (st != SM_OK) {
            return st;
        }
        if (!found && !h->sought && h->cells != h->trailer.entries) {
            return sm_hfile_bad(&h->in, h->in.end, err,
                                "the trailer counts %" PRIu64 " cells, the file holds %" PRIu64,
                                h->trailer.entries, h->cells);
        }
        if (!found) {
            return SM_OK;
        }
    }
    sm_bytes tags;
    if (!sm_hfile_cell_load(h->payload, &h->at, h->form, cell, &tags)) {
        return sm_hfile_bad(&h->in, h->next_block, err,
                            "the block that ends here has no whole cell at byte %zu of its payload",
                            h->at);
    }
    h->cells++;
    *more = true;
    return SM_OK;
}
