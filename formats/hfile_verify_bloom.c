/* SPDX-License-Identifier: Apache-2.0 */
/* Since keys ascend, each chunk is read once, when its first key comes up. */
#include "formats/hfile_verify_bloom.h"

#include "core/escape.h"
#include "formats/hfile_bloom.h"

#include <inttypes.h>

static sm_status take_entry(sm_hfile_bloom_check *c, sm_error *err)
{
    const sm_bytes payload = sm_buf_view(&c->part->payload);
    c->has_next = false;
    if (c->entries == c->part->meta.chunks) {
        if (c->at != payload.len) {
            return sm_hfile_bad(&c->in, c->in.end, err, "%zu bytes behind a bloom's list of chunks",
                                payload.len - c->at);
        }
        return SM_OK;
    }
    if (!sm_hfile_root_entry_load(payload, &c->at, &c->next)) {
        return sm_hfile_bad(&c->in, c->in.end, err, "a bloom's list of chunks ends after %u of %u",
                            c->entries, c->part->meta.chunks);
    }
    c->entries++;
    c->has_next = true;
    return SM_OK;
}

sm_status sm_hfile_bloom_check_start(sm_hfile_bloom_check *c, const sm_hfile *h, int which,
                                     sm_error *err)
{
    const sm_hfile_bloom_part *part = &h->blooms[which];
    *c = (sm_hfile_bloom_check){0};
    const bool rows = which == SM_HFILE_BLOOM_DELETE_FAMILY || strcmp(h->info.bloom, "ROW") == 0;
    if (!part->present || !rows || part->meta.hash_type == SM_HFILE_HASH_JENKINS) {
        return SM_OK;
    }
    sm_hfile_input_init(&c->in, h->file, h->in.size);
    c->part = part;
    c->at = part->meta.entries_at;
    const sm_status st = sm_hfile_open_codec(h, &c->in.codec, err);
    return st == SM_OK ? take_entry(c, err) : st;
}

static sm_status load_chunk(sm_hfile_bloom_check *c, sm_bytes key, sm_error *err)
{
    const sm_hfile_place place = c->next.place;
    if (!sm_bytes_equal(c->next.key, key)) {
        return sm_hfile_bad(&c->in, place.offset, err, "the first key of a bloom chunk is no row");
    }
    sm_hfile_read_block b;
    const sm_status st = sm_hfile_read(&c->in, place.offset, &b, err);
    if (st != SM_OK) {
        return st;
    }
    if (b.header.type != SM_HFILE_BLOOM_CHUNK || b.next - place.offset != place.size ||
        b.payload.len == 0) {
        return sm_hfile_bad(&c->in, place.offset, err,
                            "a bloom's list of chunks names this block, a %s of %" PRIu64
                            " bytes, as a chunk of %u",
                            sm_hfile_block_name(b.header.type), b.next - place.offset, place.size);
    }
    c->bits = b.payload;
    c->bytes += b.payload.len;
    return take_entry(c, err);
}

sm_status sm_hfile_bloom_check_key(sm_hfile_bloom_check *c, sm_bytes key, sm_error *err)
{
    if (c->part == NULL) {
        return SM_OK;
    }
    char text[200];
    while (c->has_next && sm_bytes_compare(c->next.key, key) <= 0) {
        const sm_status st = load_chunk(c, key, err);
        if (st != SM_OK) {
            return st;
        }
    }
    const sm_hfile_bloom_meta *m = &c->part->meta;
    if (c->bits.len == 0 || !sm_hfile_bloom_has(c->bits, key, m->hashes, m->hash_type)) {
        return sm_hfile_bad(&c->in, c->in.end, err,
                            "the bloom denies row %s, which is there: a Get would miss it",
                            sm_escape_short(key, text, sizeof text));
    }
    c->keys++;
    return SM_OK;
}

sm_status sm_hfile_bloom_check_end(sm_hfile_bloom_check *c, sm_error *err)
{
    if (c->part == NULL) {
        return SM_OK;
    }
    const sm_hfile_bloom_meta *m = &c->part->meta;
    if (c->has_next || c->keys != m->keys || c->bytes != m->total_bytes) {
        return sm_hfile_bad(&c->in, c->in.end, err,
                            "a bloom of %u chunks, %" PRIu64 " keys and %" PRIu64
                            " bytes, counted %u, %" PRIu64 " and %" PRIu64,
                            m->chunks, m->keys, m->total_bytes, c->entries - c->has_next, c->keys,
                            c->bytes);
    }
    return SM_OK;
}

void sm_hfile_bloom_check_free(sm_hfile_bloom_check *c)
{
    sm_hfile_input_free(&c->in);
}
