/* SPDX-License-Identifier: Apache-2.0 */
/* Character encodings of inputs: checking UTF-8, turning Latin-1 and GB18030 into it. Everything
 * behind the framing sees UTF-8 (or, with SM_ENCODING_BYTES, whatever stands in the file).
 *
 * Framing works on the original bytes. In GB18030 a byte of a longer character may look like ASCII:
 *   two bytes:  81-FE  40-7E 80-FE          four bytes:  81-FE 30-39 81-FE 30-39
 * LF, CR, comma, semicolon, tab and both quotes never do; | and \ and digits and letters may. */
#ifndef SM_INGEST_ENCODING_H
#define SM_INGEST_ENCODING_H

#include "ingest/source.h"

const char *sm_encoding_name(sm_encoding e); /* "utf-8" */

/* Bytes of the GB18030 character at p (1, 2 or 4); 1 also for a byte that begins none. len > 0. */
size_t sm_gb18030_length(const uint8_t *p, size_t len);
/* Can this byte stand behind the first one of a character? */
bool sm_encoding_hides(sm_encoding e, uint8_t byte);

/* SM_E_JOB: delimiter, quote, escape or comment cannot be told from parts of characters. */
sm_status sm_encoding_check_dialect(sm_encoding e, const sm_csv_dialect *dialect, sm_error *err)
    SM_MUST_CHECK;

typedef struct sm_recoder sm_recoder; /* one per thread */

/* SM_E_JOB when this system cannot read the encoding. */
sm_status sm_recoder_new(sm_encoding e, sm_recoder **out, sm_error *err) SM_MUST_CHECK;
void sm_recoder_free(sm_recoder *r); /* takes NULL */
/* *out is the text in UTF-8: `in` itself where nothing has to be changed, else good until the next
 * call. *bad_at is in.len, or the offset of the first bytes that are no character. */
sm_status sm_recode(sm_recoder *r, sm_bytes in, sm_bytes *out, size_t *bad_at, sm_error *err)
    SM_MUST_CHECK;

#endif
