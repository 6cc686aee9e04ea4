/* SPDX-License-Identifier: Apache-2.0 */
/* uid(): a name becomes the number that its dictionary holds for it. Dictionaries are frozen while
 * records are evaluated; in a collecting pass unknown names are noted and become a placeholder. */
#include "partitioner/keyuid.h"
#include "partitioner/tsdb_name.h"
#include "partitioner/uid_notes.h"

#include <stdio.h>

static sm_reject take_new_name(sm_eval *ev, const sm_op *op, const sm_uid_dictionary *d,
                               sm_bytes name)
{
    const sm_value found = {.bytes = name};
    if (d->opentsdb && d->assign && !sm_tsdb_name_allowed(name)) {
        return sm_eval_reject(ev, op, SM_REJECT_TSDB_NAME, &found);
    }
    if (ev->uid_notes == NULL || !d->assign) {
        return sm_eval_reject(ev, op, SM_REJECT_UNKNOWN_UID, &found);
    }
    sm_uid_notes_add(ev->uid_notes, d->index, name);
    return SM_REJECT_NONE;
}

sm_reject sm_put_uid(sm_eval *ev, const sm_op *op, const sm_uid_dictionary *d, sm_bytes name,
                     unsigned width, uint8_t *p)
{
    const sm_value found = {.bytes = name};
    uint64_t id = 0;
    if (name.len == 0) {
        return sm_eval_reject(ev, op, SM_REJECT_EMPTY_PART, &found);
    }
    if (name.len > SM_UID_NAME_MAX) {
        return sm_eval_reject(ev, op, SM_REJECT_UNKNOWN_UID, &found);
    }
    id = sm_uid_of(d, name);
    const sm_reject code = id != 0 ? SM_REJECT_NONE : take_new_name(ev, op, d, name);
    if (code != SM_REJECT_NONE) {
        return code;
    }
    for (unsigned i = width; i-- > 0;) {
        p[i] = (uint8_t)id;
        id >>= 8;
    }
    return SM_REJECT_NONE;
}

static sm_reject run_uid(sm_eval *ev, const sm_op *op, sm_value *out)
{
    const unsigned width = (unsigned)op->k[0];
    uint8_t *p = sm_eval_take(ev, width);
    if (p == NULL) {
        return sm_eval_full(ev, op);
    }
    const sm_reject code = sm_put_uid(ev, op, op->data, sm_arg(ev, op, 0)->bytes, width, p);
    return code != SM_REJECT_NONE ? code : sm_out_bytes(out, p, width);
}

/* "metrics, tagk": what the job declares, for messages. */
static void list_dictionaries(const sm_uids *uids, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < uids->count && len < size; i++) {
        len += (size_t)snprintf(out + len, size - len, "%s%s", i == 0 ? "" : ", ",
                                uids->items[i].name);
    }
}

static sm_status no_dictionary(const sm_keycompile *c, const sm_node *node, const sm_keyconst *k,
                               sm_error *err)
{
    const size_t at = k->at != NULL ? k->at->at : node->at;
    char names[200];
    if (c->context->uids == NULL || c->context->uids->count == 0) {
        return sm_key_fail(c, at, err,
                           "%s() looks names up in a dictionary, and the job declares none; add "
                           "uids: {names: {file: names.uid, new: assign}}",
                           node->fn->name);
    }
    list_dictionaries(c->context->uids, names, sizeof names);
    if (k->text.len == 0) {
        return sm_key_fail(c, at, err,
                           "which dictionary? the job declares %s; add dictionary: "
                           "\"NAME\"",
                           names);
    }
    return sm_key_fail(c, at, err, "there is no dictionary %.*s; the job declares %s",
                       (int)k->text.len, (const char *)k->text.data, names);
}

sm_status sm_key_dictionary(const sm_keycompile *c, const sm_node *node, const char *parameter,
                            unsigned width, sm_uid_dictionary **out, sm_error *err)
{
    /* Written into the tree, so that the canonical spelling names the dictionary. */
    sm_keyconst *k = (sm_keyconst *)sm_key_const(node, parameter);
    sm_uid_dictionary *d = sm_uids_find(c->context->uids, k->text);
    *out = d;
    if (d == NULL) {
        return no_dictionary(c, node, k, err);
    }
    const sm_uid_table *t = d->table;
    const uint64_t last = t->count == 0 ? 0 : t->entries[t->count - 1].id;
    if (width < SM_UID_WIDTH_MAX && last >> (8 * width) != 0) {
        return sm_key_fail(
            c, node->at, err, "dictionary %s (%s) holds the id %llu, which does not fit %u byte%s",
            d->name, d->path, (unsigned long long)last, width, width == 1 ? "" : "s");
    }
    k->text = sm_bytes_text(d->name);
    d->used = true;
    d->width = d->width == 0 || width < d->width ? width : d->width;
    return SM_OK;
}

sm_status sm_bind_uid(sm_keycompile *c, sm_node *node, sm_error *err)
{
    sm_uid_dictionary *d = NULL;
    sm_status st = sm_key_const_range(c, node, "width", 1, SM_UID_WIDTH_MAX, err);
    if (st != SM_OK) {
        return st;
    }
    const unsigned width = (unsigned)sm_key_const(node, "width")->number;
    st = sm_key_dictionary(c, node, "dictionary", width, &d, err);
    if (st != SM_OK) {
        return st;
    }
    sm_key_result(node, SM_TYPE_BYTES, width, width);
    node->run = run_uid;
    node->data = d;
    node->k[0] = width;
    return sm_key_expect(c, node, err, "a name that %s holds", d->path);
}
