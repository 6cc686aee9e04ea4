/* SPDX-License-Identifier: Apache-2.0 */
/* The buffered stored bytes, and the choice of a decoder by magic bytes. */
#include "ingest/decoder.h"

#include "core/mem.h"

#include <string.h>

sm_status sm_raw_open(const char *path, sm_raw *out, sm_error *err)
{
    *out = (sm_raw){.path = path};
    const sm_status st = sm_file_open_read(path, &out->file, err);
    if (st != SM_OK) {
        return st;
    }
    out->buffer = sm_malloc(SM_RAW_BUFFER);
    if (out->buffer == NULL) {
        sm_raw_close(out);
        return sm_fail_memory(err, SM_RAW_BUFFER, "reading an input");
    }
    return SM_OK;
}

void sm_raw_close(sm_raw *r)
{
    sm_file_discard(&r->file);
    sm_free(r->buffer);
    *r = (sm_raw){.path = NULL};
}

/* One read behind the unread bytes. */
static sm_status read_more(sm_raw *r, sm_error *err)
{
    size_t got = 0;
    const sm_status st =
        sm_file_read(r->file, r->buffer + r->len, SM_RAW_BUFFER - r->len, &got, err);
    r->len += got;
    r->at_end = st == SM_OK && got == 0;
    return st;
}

static void drop_read(sm_raw *r)
{
    memmove(r->buffer, r->buffer + r->pos, r->len - r->pos);
    r->offset += r->pos;
    r->len -= r->pos;
    r->pos = 0;
}

sm_status sm_raw_fill(sm_raw *r, sm_error *err)
{
    return sm_raw_peek(r, 1, err);
}

sm_status sm_raw_peek(sm_raw *r, size_t count, sm_error *err)
{
    sm_status st = SM_OK;
    if (r->len - r->pos < count && !r->at_end) {
        drop_read(r);
        while (st == SM_OK && r->len < count && !r->at_end) {
            st = read_more(r, err);
        }
    }
    return st;
}

sm_status sm_decoder_truncated(const sm_raw *raw, sm_error *err)
{
    return sm_fail(err, SM_E_INPUT_TRUNCATED,
                   "%s: compressed input ends early (truncated?) at compressed offset %llu; get "
                   "the whole file "
                   "and run again",
                   raw->path, (unsigned long long)(raw->offset + raw->len));
}

/* ---- detection --------------------------------------------------------------------------------
 */

typedef struct magic {
    const char *bytes;
    size_t len;
    const sm_decoder_type *type; /* NULL: known but not readable */
    const char *name;
    const char *suffix; /* of file names, for files that end within their magic */
    const char *remedy;
} magic;

static const magic MAGICS[] = {
    {"\x1F\x8B", 2, &sm_decoder_gzip, "gzip", ".gz", NULL},
    {"\x28\xB5\x2F\xFD", 4, &sm_decoder_zstd, "zstd", ".zst", NULL},
    {"\xFD"
     "7zXZ\0",
     6, NULL, "xz", ".xz", "xz -dc"},
    {"BZh91AY&SY", 10, NULL, "bzip2", ".bz2", "bzip2 -dc"},
    {"\x04\x22\x4D\x18", 4, NULL, "lz4", ".lz4", "lz4 -dc"},
    {"PK\x03\x04", 4, NULL, "zip", ".zip", "unzip -p"},
};

enum { SKIPPABLE_LEN = 4 };

/* A zstd file may begin with a skippable frame: 5? 2A 4D 18. True for a beginning of that, too. */
static bool is_skippable(const uint8_t *p, size_t len)
{
    const size_t known = len < SKIPPABLE_LEN ? len : SKIPPABLE_LEN;
    return known != 0 && (p[0] & 0xF0) == 0x50 && memcmp(p + 1, "\x2A\x4D\x18", known - 1) == 0;
}

static bool ends_with(const char *text, const char *suffix)
{
    const size_t len = strlen(text);
    const size_t tail = strlen(suffix);
    return len >= tail && strcmp(text + len - tail, suffix) == 0;
}

sm_status sm_decoder_detect(sm_raw *raw, const sm_decoder_type **out, sm_error *err)
{
    *out = &sm_decoder_plain;
    const sm_status st = sm_raw_peek(raw, SM_RAW_PEEK, err);
    if (st != SM_OK) {
        return st;
    }
    const uint8_t *p = raw->buffer + raw->pos;
    const size_t len = raw->len - raw->pos;
    if (is_skippable(p, len) && (len >= SKIPPABLE_LEN || ends_with(raw->path, ".zst"))) {
        *out = &sm_decoder_zstd;
        return SM_OK;
    }
    for (size_t i = 0; i < sizeof MAGICS / sizeof MAGICS[0]; i++) {
        const magic *m = &MAGICS[i];
        if (len < m->len) {
            if (ends_with(raw->path, m->suffix) && memcmp(p, m->bytes, len) == 0) {
                return sm_decoder_truncated(raw, err);
            }
            continue;
        }
        if (memcmp(p, m->bytes, m->len) != 0) {
            continue;
        }
        if (m->type == NULL) {
            return sm_fail(
                err, SM_E_INPUT_READ,
                "%s: is compressed with %s, but only gzip, zstd and plain files can be read; "
                "pipe it in: %s FILE | saltmill ... --input -",
                raw->path, m->name, m->remedy);
        }
        *out = m->type;
        return SM_OK;
    }
    return SM_OK;
}
