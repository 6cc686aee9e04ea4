/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and zones of a job file: texts with escapes, zones loaded once and kept with the job. */
#include "job/job_owned.h"
#include "job/job_reader.h"

#include <string.h>

static int digit_of(uint8_t c, int base)
{
    int value = -1;
    if (c >= '0' && c <= '9') {
        value = c - '0';
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
        value = (c | 0x20) - 'a' + 10;
    }
    return value < base ? value : -1;
}

/* digits in `base` starting at t.data[from]; -1 when one is none. */
static int number_at(sm_bytes t, size_t from, size_t digits, int base)
{
    int value = 0;
    if (from + digits > t.len) {
        return -1;
    }
    for (size_t i = from; i < from + digits; i++) {
        const int d = digit_of(t.data[i], base);
        if (d < 0) {
            return -1;
        }
        value = value * base + d;
    }
    return value;
}

/* One escape at t.data[0] == '\\': its byte and length, or length 0 when it is none of ours. */
static size_t one_escape(sm_bytes t, uint8_t *out)
{
    if (t.len < 2) {
        return 0;
    }
    if (t.data[1] == 't' || t.data[1] == '\\') {
        *out = t.data[1] == 't' ? '\t' : '\\';
        return 2;
    }
    const bool hex = t.data[1] == 'x';
    const int value = hex ? number_at(t, 2, 2, 16) : number_at(t, 1, 3, 8);
    if (value < 0 || value > 255) {
        return 0;
    }
    *out = (uint8_t)value;
    return 4;
}

sm_status sm_job_bytes(sm_job_reader *r, const sm_yaml_node *node, const char *what, sm_bytes *out)
{
    const sm_status st = sm_job_want(r, node, SM_YAML_SCALAR, what);
    if (st != SM_OK) {
        return st;
    }
    const sm_bytes in = sm_yaml_node_bytes(node);
    /* A backslash alone is itself: the usual escape byte. */
    const bool alone = in.len == 1;
    uint8_t *bytes = sm_arena_get(r->arena, in.len + 1);
    if (bytes == NULL) {
        return sm_job_no_memory(r);
    }
    size_t used = 0;
    for (size_t i = 0; i < in.len;) {
        size_t step = 1;
        bytes[used] = in.data[i];
        if (in.data[i] == '\\' && !alone) {
            step = one_escape(sm_bytes_of(in.data + i, in.len - i), &bytes[used]);
        }
        if (step == 0) {
            return sm_job_fail(r, node,
                               "%s: the backslash in \"%s\" starts none of \\t \\\\ \\xHH \\ooo",
                               what, node->text);
        }
        used++;
        i += step;
    }
    *out = sm_bytes_of(bytes, used);
    return SM_OK;
}

sm_status sm_job_zone(sm_job_reader *r, const sm_yaml_node *at, const char *name, sm_zone **out)
{
    *out = NULL;
    if (name == NULL) {
        return SM_OK;
    }
    sm_job_owned *owned = sm_job_owned_of(r->job);
    for (size_t i = 0; i < owned->zone_count; i++) {
        if (strcmp(sm_zone_name(owned->zones[i]), name) == 0) {
            *out = owned->zones[i];
            return SM_OK;
        }
    }
    if (owned->zone_count == SM_JOB_ZONES_MAX) {
        return sm_job_fail(r, at, "more than %d time zones", SM_JOB_ZONES_MAX);
    }
    sm_error inner = {.code = SM_OK};
    if (sm_zone_load(sm_bytes_text(name), out, &inner) != SM_OK) {
        return sm_job_fail(r, at, "zone: %s", inner.text);
    }
    owned->zones[owned->zone_count++] = *out;
    return SM_OK;
}
