/* SPDX-License-Identifier: Apache-2.0 */
/* region_start(x, first: "000"): where the region begins that the row x falls in. In front of an
 * index row it puts that row into the region of the data row x:
 *
 *   splits 300 600     row 451...   region_start 300    index row 300 + ...
 *                      row 17...    region_start 000    (the first region begins with nothing)
 *
 * All starts are of one width, so whatever follows a start sorts before the next one. */
#include "core/escape.h"
#include "partitioner/keyfn.h"
#include "partitioner/keyregion.h"

typedef struct region_starts {
    sm_bytes first;
    const sm_splits *splits;
} region_starts;

const sm_splits *sm_region_start_splits(const sm_node *node)
{
    const region_starts *r = node->data;
    return r->splits;
}

static sm_bytes start_of(const region_starts *r, size_t region)
{
    return region == 0 ? r->first : sm_splits_start(r->splits, region);
}

sm_bytes sm_region_start_at(const sm_node *node, size_t region)
{
    return start_of(node->data, region);
}

bool sm_region_start_is(const sm_node *node, sm_bytes bytes)
{
    const region_starts *r = node->data;
    return sm_bytes_equal(start_of(r, sm_splits_route(r->splits, bytes)), bytes);
}

static sm_reject run_region_start(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const region_starts *r = op->data;
    const sm_bytes start = start_of(r, sm_splits_route(r->splits, sm_arg(ev, op, 0)->bytes));
    return sm_out_bytes(out, start.data, start.len);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static sm_status check_widths(const sm_keycompile *c, const sm_node *node, const sm_splits *splits,
                              sm_error *err)
{
    char one[100];
    char other[100];
    for (size_t i = 1; i < splits->count; i++) {
        if (splits->keys[i].len != splits->keys[0].len) {
            return sm_key_fail(
                c, node->at, err,
                "region_start() needs split keys of equal width, or rows behind one "
                "start could sort behind the next; %s has %zu and %s has %zu bytes: "
                "cut the longer ones, or fill up the shorter ones",
                sm_escape_short(splits->keys[0], one, sizeof one), splits->keys[0].len,
                sm_escape_short(splits->keys[i], other, sizeof other), splits->keys[i].len);
        }
    }
    return SM_OK;
}

static sm_status check_first(const sm_keycompile *c, const sm_node *node, const sm_splits *splits,
                             sm_error *err)
{
    char key[100];
    const sm_keyconst *first = sm_key_const(node, "first");
    const size_t at = first->at != NULL ? first->at->at : node->at;
    if (splits->count == 0) {
        return first->text.len > 0
                   ? SM_OK
                   : sm_key_fail(c, at, err,
                                 "the first region begins with the empty key, which cannot stand "
                                 "in front of a row; say what stands for it: first: \"0\"");
    }
    const sm_bytes next = splits->keys[0];
    (void)sm_escape_short(next, key, sizeof key);
    if (first->text.len == 0) {
        return sm_key_fail(c, at, err,
                           "the first region begins with the empty key, which cannot stand in "
                           "front of a row; say what stands for it, %zu byte%s that sort below the "
                           "first split key %s: first: \"...\"",
                           next.len, next.len == 1 ? "" : "s", key);
    }
    if (first->text.len != next.len) {
        return sm_key_fail(c, at, err,
                           "first has %zu byte%s, but the split keys have %zu (%s ...); give it "
                           "their width",
                           first->text.len, first->text.len == 1 ? "" : "s", next.len, key);
    }
    if (sm_bytes_compare(first->text, next) >= 0) {
        return sm_key_fail(c, at, err,
                           "first must sort below the first split key %s, or its rows lie in "
                           "another region than the first",
                           key);
    }
    return SM_OK;
}

sm_status sm_bind_region_start(sm_keycompile *c, sm_node *node, sm_error *err)
{
    const sm_splits *splits = c->context->splits;
    if (splits == NULL) {
        return sm_key_fail(c, node->at, err,
                           "region_start() looks at the splits of a table; it can stand in what a "
                           "table has (key, cells), and here is none");
    }
    sm_status st = check_widths(c, node, splits, err);
    if (st == SM_OK) {
        st = check_first(c, node, splits, err);
    }
    region_starts *r = sm_arena_array(c->context->arena, 1, sizeof *r);
    if (st != SM_OK || r == NULL) {
        return st != SM_OK ? st : sm_key_fail_memory(c, err);
    }
    *r = (region_starts){.first = sm_key_const(node, "first")->text, .splits = splits};
    sm_key_result(node, SM_TYPE_BYTES, r->first.len, r->first.len);
    node->run = run_region_start;
    node->data = r;
    return SM_OK;
}
