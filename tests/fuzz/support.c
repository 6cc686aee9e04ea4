/* SPDX-License-Identifier: Apache-2.0 */
/* See support.h. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_require(bool kept, const char *promise)
{
    if (!kept) {
        (void)fprintf(stderr, "broken promise: %s\n", promise);
        abort();
    }
}

uint8_t fuzz_byte(sm_bytes *in)
{
    if (in->len == 0) {
        return 0;
    }
    in->len--;
    return *in->data++;
}

sm_bytes fuzz_until(sm_bytes *in, uint8_t end)
{
    const uint8_t *found = in->len == 0 ? NULL : memchr(in->data, end, in->len);
    const sm_bytes out = {in->data, found == NULL ? in->len : (size_t)(found - in->data)};
    const size_t used = out.len + (found != NULL);
    if (used != 0) {
        *in = (sm_bytes){in->data + used, in->len - used};
    }
    return out;
}

/* A file of its own each time: what reads it sees one that never changes. */
const char *fuzz_file(sm_bytes content)
{
    static int fd = -1;
    static char path[32];
    if (fd >= 0) {
        (void)close(fd);
    }
    fd = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_require(fd >= 0, "a file in memory");
    size_t done = 0;
    while (done < content.len) {
        const ssize_t n = write(fd, content.data + done, content.len - done);
        fuzz_require(n > 0, "writing to memory");
        done += (size_t)n;
    }
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

static const sm_field FIELDS[FUZZ_FIELDS] = {
    {.name = "caller", .type = SM_TYPE_TEXT, .column = -1, .used = true},
    {.name = "name", .type = SM_TYPE_TEXT, .column = -1, .used = true},
    {.name = "code", .type = SM_TYPE_TEXT, .charset = SM_CHARSET_DIGITS, .column = -1},
    {.name = "start", .type = SM_TYPE_TIME, .column = -1},
    {.name = "duration", .type = SM_TYPE_INT, .column = -1},
    {.name = "cost", .type = SM_TYPE_DECIMAL, .column = -1},
    {.name = "odd name", .type = SM_TYPE_TEXT, .column = -1},
};

const sm_schema fuzz_schema = {FIELDS, FUZZ_FIELDS};
const int fuzz_identity[3] = {0, 3, 4};

static int64_t number(sm_bytes *in)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) {
        v = v << 8 | fuzz_byte(in);
    }
    return (int64_t)v;
}

void fuzz_record(sm_bytes *in, sm_value values[FUZZ_FIELDS], sm_record *out)
{
    static const char digits[] = "0042008613800138000";
    const unsigned nulls = fuzz_byte(in);
    const int64_t span = SM_TIME_MAX - SM_TIME_MIN;
    const int64_t time = number(in);
    for (size_t i = 0; i < FUZZ_FIELDS; i++) {
        values[i] = (sm_value){.is_null = (nulls >> i & 1) != 0};
    }
    values[3].number = SM_TIME_MIN + (time < 0 ? -(time + 1) : time) % span;
    values[4].number = number(in);
    values[5].real = (double)number(in) / 1024;
    values[2].bytes = sm_bytes_of(digits, fuzz_byte(in) % sizeof digits);
    values[0].bytes = fuzz_until(in, 0);
    values[1].bytes = fuzz_until(in, 0);
    values[6].bytes = fuzz_until(in, 0);
    *out = (sm_record){.values = values, .count = FUZZ_FIELDS};
}
