/* SPDX-License-Identifier: Apache-2.0 */
/* Growth of sm_buf: doubling, never past its maximum. */
#include "core/buf.h"

#include "core/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

void sm_buf_init(sm_buf *b, size_t maximum)
{
    *b = (sm_buf){.maximum = maximum};
}

void sm_buf_free(sm_buf *b)
{
    sm_free(b->data);
    *b = (sm_buf){.maximum = b->maximum};
}

static size_t grown_capacity(const sm_buf *b, size_t needed)
{
    size_t capacity = b->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : b->capacity;
    while (capacity < needed) {
        capacity = capacity > b->maximum / 2 ? b->maximum : capacity * 2;
    }
    return capacity < b->maximum ? capacity : b->maximum;
}

sm_status sm_buf_reserve(sm_buf *b, size_t more, sm_error *err)
{
    if (more <= b->capacity - b->len) {
        return SM_OK;
    }
    if (more > b->maximum - b->len) {
        return sm_fail(err, SM_E_MEMORY,
                       "a buffer of at most %zu bytes would need %zu more than that", b->maximum,
                       more - (b->maximum - b->len));
    }
    const size_t capacity = grown_capacity(b, b->len + more);
    uint8_t *data = sm_realloc(b->data, capacity);
    if (data == NULL) {
        return sm_fail_memory(err, capacity, "a buffer");
    }
    b->data = data;
    b->capacity = capacity;
    return SM_OK;
}

sm_status sm_buf_append(sm_buf *b, const void *data, size_t len, sm_error *err)
{
    if (len == 0) {
        return SM_OK;
    }
    const sm_status st = sm_buf_reserve(b, len, err);
    if (st != SM_OK) {
        return st;
    }
    memcpy(b->data + b->len, data, len);
    b->len += len;
    return SM_OK;
}

sm_status sm_buf_append_byte(sm_buf *b, uint8_t byte, sm_error *err)
{
    return sm_buf_append(b, &byte, 1, err);
}

sm_status sm_buf_printf(sm_buf *b, sm_error *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int wanted = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (wanted < 0) {
        return sm_fail(err, SM_E_INTERNAL, "text could not be formatted");
    }
    /* One byte more for the NUL that vsnprintf insists on; it is not counted in len. */
    const sm_status st = sm_buf_reserve(b, (size_t)wanted + 1, err);
    if (st != SM_OK) {
        return st;
    }
    va_start(args, fmt);
    (void)vsnprintf((char *)b->data + b->len, (size_t)wanted + 1, fmt, args);
    va_end(args);
    b->len += (size_t)wanted;
    return SM_OK;
}
