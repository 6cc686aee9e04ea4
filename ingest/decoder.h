/* SPDX-License-Identifier: Apache-2.0 */
/* From stored bytes to decoded bytes: one decoder per compression, chosen by the first bytes of a
 * file and not by its name (a plain file called .gz is read as plain). A decoder doesn't hand out
 * an end before it has seen a complete one: a file that stops early or is damaged is an error with
 * the offset in the stored bytes. */
#ifndef SM_INGEST_DECODER_H
#define SM_INGEST_DECODER_H

#include "core/fs.h"

enum { SM_RAW_BUFFER = 256 * 1024, SM_RAW_PEEK = 16 };

/* Stored bytes of one input, buffered. Owns the file. */
typedef struct sm_raw {
    const char *path;
    sm_file *file;
    uint8_t *buffer; /* SM_RAW_BUFFER bytes */
    size_t pos, len; /* unread bytes are buffer[pos, len) */
    uint64_t offset; /* of buffer[0] in the input */
    bool at_end;     /* nothing follows buffer[len - 1] */
} sm_raw;

/* path must outlive the raw input. */
sm_status sm_raw_open(const char *path, sm_raw *out, sm_error *err) SM_MUST_CHECK;
void sm_raw_close(sm_raw *r); /* takes a zeroed one */
/* Reads on when the buffer is used up; r->pos == r->len afterwards means end of file. */
sm_status sm_raw_fill(sm_raw *r, sm_error *err) SM_MUST_CHECK;
/* At least `count` unread bytes in the buffer, unless the file has fewer left. count <=
 * SM_RAW_BUFFER. */
sm_status sm_raw_peek(sm_raw *r, size_t count, sm_error *err) SM_MUST_CHECK;
/* Offset of the next unread byte. */
static inline uint64_t sm_raw_offset(const sm_raw *r)
{
    return r->offset + r->pos;
}

typedef struct sm_decoder sm_decoder; /* each type has its own */

typedef struct sm_decoder_type {
    const char *compression; /* "none", "gzip", "zstd" */
    sm_status (*open)(sm_raw *raw, sm_decoder **out, sm_error *err) SM_MUST_CHECK;
    void (*close)(sm_decoder *d); /* takes NULL; doesn't close raw */
    /* Up to `size` (> 0) decoded bytes; *got == 0 means the end, complete and checked. */
    sm_status (*read)(sm_decoder *d, uint8_t *out, size_t size, size_t *got, sm_error *err)
        SM_MUST_CHECK;
} sm_decoder_type;

extern const sm_decoder_type sm_decoder_plain;
extern const sm_decoder_type sm_decoder_gzip;
extern const sm_decoder_type sm_decoder_zstd;

/* Looks at the first bytes. Compressions that we can't read are refused by name, instead of reading
 * them as CSV; a file named like a compressed one that ends within its first bytes is truncated. */
sm_status sm_decoder_detect(sm_raw *raw, const sm_decoder_type **out, sm_error *err) SM_MUST_CHECK;

/* "compressed input ends early" with the offset, for the decoders. */
sm_status sm_decoder_truncated(const sm_raw *raw, sm_error *err) SM_MUST_CHECK;

#endif
