/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing two lists of split keys: both are walked once, from one common bound to the next. */
#include "partitioner/split_compare.h"

#include "core/escape.h"

typedef struct side {
    const sm_splits *splits;
    size_t at;  /* first key behind the last common bound */
    size_t end; /* first key not below the next common bound */
} side;

typedef struct comparison {
    side from, to;
    sm_buf *out;
} comparison;

/* Ends both stretches at the next key that both have, or at the end of the table. */
static void find_common(comparison *c)
{
    side *a = &c->from;
    side *b = &c->to;
    a->end = a->at;
    b->end = b->at;
    while (a->end < a->splits->count && b->end < b->splits->count) {
        const int order = sm_bytes_compare(a->splits->keys[a->end], b->splits->keys[b->end]);
        if (order == 0) {
            return;
        }
        a->end += order < 0 ? 1 : 0;
        b->end += order > 0 ? 1 : 0;
    }
    a->end = a->splits->count;
    b->end = b->splits->count;
}

static sm_status put_bound(sm_bytes key, const char *if_empty, sm_buf *out, sm_error *err)
{
    if (key.len == 0) {
        return sm_buf_printf(out, err, "%s", if_empty);
    }
    sm_status st = sm_buf_append_byte(out, '\'', err);
    st = st == SM_OK ? sm_escape(key, out, err) : st;
    return st == SM_OK ? sm_buf_append_byte(out, '\'', err) : st;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static sm_status put_head(const comparison *c, sm_error *err)
{
    const size_t before = c->from.end - c->from.at + 1;
    const size_t after = c->to.end - c->to.at + 1;
    sm_status st = sm_buf_printf(c->out, err, "@ ");
    st = st == SM_OK
             ? put_bound(sm_splits_start(c->from.splits, c->from.at), "the start", c->out, err)
             : st;
    st = st == SM_OK ? sm_buf_printf(c->out, err, " to ") : st;
    st = st == SM_OK ? put_bound(sm_splits_end(c->from.splits, c->from.end), "the end", c->out, err)
                     : st;
    return st == SM_OK ? sm_buf_printf(c->out, err, ": %zu region%s become%s %zu\n", before,
                                       plural(before), before == 1 ? "s" : "", after)
                       : st;
}

static sm_status put_key(const char *sign, sm_bytes key, sm_buf *out, sm_error *err)
{
    sm_status st = sm_buf_printf(out, err, "%s ", sign);
    st = st == SM_OK ? sm_escape(key, out, err) : st;
    return st == SM_OK ? sm_buf_append_byte(out, '\n', err) : st;
}

/* Within a stretch no key is on both sides. */
static sm_status put_stretch(const comparison *c, sm_error *err)
{
    size_t i = c->from.at;
    size_t k = c->to.at;
    sm_status st = put_head(c, err);
    while (st == SM_OK && (i < c->from.end || k < c->to.end)) {
        const bool goes = k == c->to.end ||
                          (i < c->from.end &&
                           sm_bytes_compare(c->from.splits->keys[i], c->to.splits->keys[k]) < 0);
        st = goes ? put_key("-", c->from.splits->keys[i], c->out, err)
                  : put_key("+", c->to.splits->keys[k], c->out, err);
        i += goes ? 1 : 0;
        k += goes ? 0 : 1;
    }
    return st;
}

sm_status sm_splits_compare(const sm_splits *from, const sm_splits *to, sm_buf *out,
                            sm_split_difference *difference, sm_error *err)
{
    comparison c = {.from = {.splits = from}, .to = {.splits = to}, .out = out};
    sm_status st = SM_OK;
    *difference = (sm_split_difference){0};
    bool more = true;
    while (st == SM_OK && more) {
        find_common(&c);
        const size_t gone = c.from.end - c.from.at;
        const size_t come = c.to.end - c.to.at;
        difference->removed += gone;
        difference->added += come;
        if (gone == 0 && come == 0) {
            difference->kept_regions++;
        } else {
            st = put_stretch(&c, err);
        }
        more = c.from.end < from->count;
        c.from.at = c.from.end + 1;
        c.to.at = c.to.end + 1;
    }
    return st;
}
