/* SPDX-License-Identifier: Apache-2.0 */
/* sm_buf: owned, growable bytes with a maximum given at init, so that nothing grows without bound.
 * Not thread-safe. Init, use, free; a freed buffer may be initialised again. */
#ifndef SM_CORE_BUF_H
#define SM_CORE_BUF_H

#include "core/bytes.h"
#include "core/error.h"

typedef struct sm_buf {
    uint8_t *data;
    size_t len;
    size_t capacity;
    size_t maximum; /* growing past this is SM_E_MEMORY */
} sm_buf;

/* Allocates nothing yet. */
void sm_buf_init(sm_buf *b, size_t maximum);
void sm_buf_free(sm_buf *b); /* takes an initialised or zeroed buffer */

static inline void sm_buf_clear(sm_buf *b)
{
    b->len = 0;
}

static inline sm_bytes sm_buf_view(const sm_buf *b)
{
    return (sm_bytes){b->data, b->len};
}

/* Makes room for `more` bytes behind len; the pointer data + len is then writable for `more` bytes.
 */
sm_status sm_buf_reserve(sm_buf *b, size_t more, sm_error *err) SM_MUST_CHECK;
sm_status sm_buf_append(sm_buf *b, const void *data, size_t len, sm_error *err) SM_MUST_CHECK;
sm_status sm_buf_append_byte(sm_buf *b, uint8_t byte, sm_error *err) SM_MUST_CHECK;
/* Formatted text, without a NUL. */
sm_status sm_buf_printf(sm_buf *b, sm_error *err, const char *fmt, ...)
    SM_MUST_CHECK SM_PRINTF(3, 4);

#endif
