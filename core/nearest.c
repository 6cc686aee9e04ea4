/* SPDX-License-Identifier: Apache-2.0 */
/* Edit distance (insert, delete, replace, each 1), one row of the table at a time. */
#include "core/nearest.h"

enum { LONGEST = 64 };

void sm_nearest_start(sm_nearest *n, sm_bytes wanted)
{
    *n = (sm_nearest){.wanted = wanted, .distance = SIZE_MAX};
}

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static size_t edit_distance(sm_bytes a, sm_bytes b)
{
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= b.len; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            const size_t replace = diagonal + (a.data[i - 1] != b.data[j - 1]);
            diagonal = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, replace);
        }
    }
    return row[b.len];
}

void sm_nearest_offer(sm_nearest *n, const char *name)
{
    const sm_bytes other = sm_bytes_text(name);
    if (other.len > LONGEST || n->wanted.len > LONGEST) {
        return;
    }
    const size_t distance = edit_distance(n->wanted, other);
    if (distance < n->distance) {
        n->distance = distance;
        n->best = name;
    }
}

const char *sm_nearest_best(const sm_nearest *n)
{
    /* One of two letters is half the word: that is no typing mistake but another name. */
    const size_t allowed = n->wanted.len < 3 ? 0 : n->wanted.len < 6 ? 1 : n->wanted.len / 3;
    return n->best != NULL && n->distance <= allowed ? n->best : NULL;
}
