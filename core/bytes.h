/* SPDX-License-Identifier: Apache-2.0 */
/* sm_bytes: a borrowed view of bytes. It never owns; whoever hands one out says how long it lives.
 * Bytes compare unsigned, a prefix before what it is a prefix of, as HBase orders row keys. */
#ifndef SM_CORE_BYTES_H
#define SM_CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct sm_bytes {
    const uint8_t *data; /* may be NULL when len is 0 */
    size_t len;
} sm_bytes;

static inline sm_bytes sm_bytes_of(const void *data, size_t len)
{
    return (sm_bytes){(const uint8_t *)data, len};
}

/* A view of a NUL-terminated text, without its NUL. */
static inline sm_bytes sm_bytes_text(const char *text)
{
    return (sm_bytes){(const uint8_t *)text, strlen(text)};
}

static inline int sm_bytes_compare(sm_bytes a, sm_bytes b)
{
    const size_t n = a.len < b.len ? a.len : b.len;
    const int c = n == 0 ? 0 : memcmp(a.data, b.data, n);
    if (c != 0) {
        return c;
    }
    return (a.len > b.len) - (a.len < b.len);
}

static inline bool sm_bytes_equal(sm_bytes a, sm_bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool sm_bytes_equal_text(sm_bytes a, const char *text)
{
    return sm_bytes_equal(a, sm_bytes_text(text));
}

#endif
