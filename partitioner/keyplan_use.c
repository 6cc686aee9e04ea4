/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a key after which a plan goes on. */
#include "partitioner/keyplanner.h"

enum {
    MOST_HEAD_BYTES = 1 << 28, /* over all branches */
    MOST_LABELS = 1000,        /* values of a range that other fields' parts can use */
    MOST_OWN_LABELS = 100,     /* that only parts of the same field can use */
    MOST_OWN_RANGES = 4096,
    MOST_INJECTIVE_LABELS = 16
};

/* ---- branches -------------------------------------------------------------------------------- */

sm_status sm_branch_append(sm_planner *p, sm_branch *b, sm_bytes bytes, sm_error *err)
{
    if (bytes.len > b->room - b->len) {
        const size_t room = (b->len + bytes.len) * 2 + 16;
        uint8_t *grown = sm_arena_get(p->arena, room);
        if (grown == NULL) {
            return sm_planner_no_memory(p, err);
        }
        if (b->len > 0) {
            memcpy(grown, b->head, b->len);
        }
        b->head = grown;
        b->room = room;
    }
    if (bytes.len > 0) {
        memcpy(b->head + b->len, bytes.data, bytes.len);
    }
    b->len += bytes.len;
    return SM_OK;
}

/* A copy that grows on its own. */
sm_status sm_branch_fork(sm_planner *p, const sm_branch *from, sm_branch *out, sm_error *err)
{
    *out = *from;
    out->room = 0;
    out->head = NULL;
    out->len = 0;
    out->choices = sm_arena_array(p->arena, p->slot_count + 1, sizeof *out->choices);
    if (out->choices == NULL) {
        return sm_planner_no_memory(p, err);
    }
    memcpy(out->choices, from->choices, p->slot_count * sizeof *out->choices);
    return sm_branch_append(p, out, sm_bytes_of(from->head, from->len), err);
}

/* Room for `factor` branches per branch; false when that would be too many, or too much memory. */
static bool may_multiply(const sm_planner *p, size_t factor)
{
    size_t bytes = 0;
    for (size_t i = 0; i < p->now.count; i++) {
        bytes += p->now.items[i].len + sizeof(sm_branch) + p->slot_count * sizeof(sm_choice) + 32;
    }
    return factor == 1 || ((p->now.count == 0 || factor <= p->most / p->now.count) &&
                           (bytes == 0 || factor <= MOST_HEAD_BYTES / bytes));
}

static sm_status branches_new(sm_planner *p, size_t factor, sm_branches *out, sm_error *err)
{
    out->count = 0;
    out->items = sm_arena_array(p->arena, p->now.count * factor + 1, sizeof *out->items);
    return out->items != NULL ? SM_OK : sm_planner_no_memory(p, err);
}

/* ---- known parts ----------------------------------------------------------------------------- */

/* Fields of the part whose value the branches have not chosen yet. */
static size_t list_open_sets(const sm_planner *p, const sm_plan_part *part, int *slots)
{
    size_t count = 0;
    for (size_t s = 0; s < p->slot_count; s++) {
        const int field = p->slot_fields[s];
        const bool chosen = p->now.count > 0 && p->now.items[0].choices[s].pick != SIZE_MAX;
        if (part->foot.fields[field] && sm_planner_domain(p, field)->is_set && !chosen) {
            slots[count++] = (int)s;
        }
    }
    return count;
}

static size_t combinations(const sm_planner *p, const int *slots, size_t count)
{
    size_t product = 1;
    for (size_t i = 0; i < count; i++) {
        const size_t n = sm_planner_domain(p, p->slot_fields[slots[i]])->count;
        if (__builtin_mul_overflow(product, n, &product)) {
            return SIZE_MAX;
        }
    }
    return product;
}

static void fill_record(sm_planner *p, const sm_plan_part *part, const sm_branch *b)
{
    for (size_t s = 0; s < p->slot_count; s++) {
        const int field = p->slot_fields[s];
        const size_t pick = b->choices[s].pick;
        p->values[field] = part->stands_in[field] ? part->stand_in[field]
                           : pick != SIZE_MAX     ? sm_planner_domain(p, field)->values[pick]
                                                  : (sm_value){.is_null = true};
    }
    /* Fields of which an end is known may have no slot of their own. */
    for (size_t i = 0; i < p->key.context->schema->count; i++) {
        if (part->stands_in[i]) {
            p->values[i] = part->stand_in[i];
        }
    }
}

/* One part made for all branches and all values of its open sets. */
typedef struct expansion {
    const sm_plan_part *part;
    int *slots; /* of the sets that are still open */
    size_t open;
    sm_branches next;
    bool large; /* its bytes are too many to make */
} expansion;

/* The part's bytes for this branch; *none when no record has them. */
static sm_status evaluate(sm_planner *p, expansion *x, const sm_branch *b, sm_bytes *out,
                          bool *none, sm_error *err)
{
    const sm_record record = {.values = p->values, .count = p->key.context->schema->count};
    sm_value v = {0};
    fill_record(p, x->part, b);
    sm_eval_reset(p->ev);
    const sm_reject r = sm_expr_run(&x->part->run, p->ev, &record, &v);
    *out = v.bytes;
    x->large |= r == SM_REJECT_CELL_SIZE;
    *none = r != SM_REJECT_NONE || v.is_null;
    return sm_eval_status(p->ev, err);
}

/* The next combination of values, as an odometer; false behind the last. */
static bool turn(const sm_planner *p, const int *slots, size_t count, sm_choice *choices)
{
    for (size_t i = count; i-- > 0;) {
        sm_choice *c = &choices[slots[i]];
        if (++c->pick < sm_planner_domain(p, p->slot_fields[slots[i]])->count) {
            return true;
        }
        c->pick = 0;
    }
    return false;
}

static sm_status put_known(sm_planner *p, expansion *x, const sm_branch *b, sm_error *err)
{
    sm_bytes bytes = {0};
    bool none = false;
    sm_status st = evaluate(p, x, b, &bytes, &none, err);
    if (st != SM_OK || none) {
        return st;
    }
    sm_branch *to = &x->next.items[x->next.count++];
    st = sm_branch_fork(p, b, to, err);
    return st == SM_OK ? sm_branch_append(p, to, bytes, err) : st;
}

static sm_status expand_one(sm_planner *p, expansion *x, const sm_branch *from, sm_error *err)
{
    sm_branch probe;
    sm_status st = sm_branch_fork(p, from, &probe, err);
    for (size_t i = 0; st == SM_OK && i < x->open; i++) {
        probe.choices[x->slots[i]].pick = 0;
    }
    bool more = st == SM_OK;
    while (st == SM_OK && more && !x->large) {
        st = put_known(p, x, &probe, err);
        more = turn(p, x->slots, x->open, probe.choices);
    }
    return st;
}

static sm_status use_known(sm_planner *p, size_t i, bool *done, sm_error *err)
{
    expansion x = {.part = &p->parts.items[i]};
    x.slots = sm_arena_array(p->arena, p->slot_count + 1, sizeof *x.slots);
    if (x.slots == NULL) {
        return sm_planner_no_memory(p, err);
    }
    x.open = list_open_sets(p, x.part, x.slots);
    const size_t factor = combinations(p, x.slots, x.open);
    *done = may_multiply(p, factor);
    if (!*done) {
        return sm_planner_say(p, i, err, "known, but not used: it would make more than %zu ranges",
                              p->most);
    }
    sm_status st = branches_new(p, factor, &x.next, err);
    for (size_t b = 0; st == SM_OK && !x.large && b < p->now.count; b++) {
        st = expand_one(p, &x, &p->now.items[b], err);
    }
    if (st != SM_OK || x.large) {
        *done = false;
        return st == SM_OK ? sm_planner_say(p, i, err, "known, but too large to make") : st;
    }
    p->now = x.next;
    p->used |= x.part->kind == SM_CLASS_KNOWN;
    return x.part->kind == SM_CLASS_FIXED
               ? sm_planner_say(p, i, err, "always the same")
               : sm_planner_say(p, i, err, "known: %zu value%s", factor, factor == 1 ? "" : "s");
}

/* ---- spreading parts ------------------------------------------------------------------------- */

/* True when a part behind this one can narrow the ranges, so that values of this one are worth
 * trying. */
static bool useful_behind(const sm_planner *p, size_t i, int *field)
{
    *field = -1;
    for (size_t j = i + 1; j < p->parts.count; j++) {
        const sm_plan_part *part = &p->parts.items[j];
        if (part->kind == SM_CLASS_FIXED || part->kind == SM_CLASS_SPREAD) {
            continue;
        }
        *field = part->field;
        return part->kind != SM_CLASS_OPEN;
    }
    return false;
}

/* The part's bytes sort as the times of a field do, to the millisecond. */
bool sm_planner_in_time_order(const sm_planner *p, const sm_plan_part *part)
{
    return part->monotone && part->injective &&
           p->key.context->schema->fields[part->field].type == SM_TYPE_TIME;
}

/* Asked for: pieces of the table that are each in the order of a time. */
static bool wanted_for_time(const sm_planner *p, size_t i)
{
    if (p->options == NULL || !p->options->by_time) {
        return false;
    }
    size_t j = i + 1;
    while (j < p->parts.count && (p->parts.items[j].kind == SM_CLASS_FIXED ||
                                  p->parts.items[j].kind == SM_CLASS_SPREAD)) {
        j++;
    }
    return j < p->parts.count && sm_planner_in_time_order(p, &p->parts.items[j]);
}

/* Asked for: pieces that are each in the order of the key behind its spreading front. */
static bool wanted_for_lead(const sm_planner *p, size_t i)
{
    bool wanted = p->options != NULL && p->options->by_lead;
    for (size_t j = 0; wanted && j <= i; j++) {
        wanted = p->parts.items[j].scatters || p->parts.items[j].kind == SM_CLASS_FIXED;
    }
    return wanted;
}

static sm_status use_spread(sm_planner *p, size_t i, bool *done, sm_error *err)
{
    const sm_plan_part *part = &p->parts.items[i];
    int field = -1;
    sm_branches next = {0};
    *done = useful_behind(p, i, &field) || wanted_for_time(p, i) || wanted_for_lead(p, i);
    if (!*done) {
        return sm_planner_say(p, i, err, "not known, and nothing usable behind it");
    }
    *done = may_multiply(p, part->value_count);
    if (!*done) {
        return sm_planner_say(p, i, err, "not known: %zu values would make more than %zu ranges",
                              part->value_count, p->most);
    }
    sm_status st = branches_new(p, part->value_count, &next, err);
    for (size_t b = 0; st == SM_OK && b < p->now.count; b++) {
        for (size_t v = 0; st == SM_OK && v < part->value_count; v++) {
            sm_branch *to = &next.items[next.count++];
            st = sm_branch_fork(p, &p->now.items[b], to, err);
            if (st == SM_OK) {
                st = sm_branch_append(p, to, part->values[v], err);
            }
        }
    }
    p->now = next;
    p->plan->fan_out *= part->value_count;
    return st == SM_OK ? sm_planner_say(p, i, err, "not known: all %zu values", part->value_count)
                       : st;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* How many values per branch are worth trying instead of a range. */
static size_t label_limit(const sm_planner *p, size_t i)
{
    const sm_plan_part *part = &p->parts.items[i];
    int field = -1;
    if (sm_planner_type(p, part->field) == SM_TYPE_DECIMAL || !useful_behind(p, i, &field) ||
        p->now.count == 0) {
        return 0;
    }
    const bool own = field == part->field;
    const size_t all = own && p->most > MOST_OWN_RANGES ? MOST_OWN_RANGES : p->most;
    const size_t each = part->kind == SM_CLASS_NUMBERS && part->injective
                            ? MOST_INJECTIVE_LABELS
                            : (own ? MOST_OWN_LABELS : MOST_LABELS);
    return all / p->now.count < each ? all / p->now.count : each;
}

/* Zones in which clocks change within the range have no simple order of labels. */
static bool chain_is_calm(const sm_node *node, int64_t low, int64_t high)
{
    for (; node->kind != SM_NODE_FIELD; node = node->args[0]) {
        const sm_zone *zone = sm_node_calls(node, "floor_ts") ? node->data : NULL;
        const int64_t slack = INT64_C(2) * 86400000;
        if (zone != NULL &&
            (low < SM_TIME_MIN + 2 * slack || high > SM_TIME_MAX - 2 * slack ||
             sm_zone_repeats_between(zone, low - slack, high + slack) ||
             sm_zone_offset(zone, low - slack) != sm_zone_offset(zone, high + slack))) {
            return false;
        }
    }
    return true;
}

static sm_status labels_of(sm_planner *p, const sm_plan_part *part, const sm_label_query *q,
                           sm_labels *out, sm_error *err)
{
    *out = (sm_labels){0};
    if (part->kind == SM_CLASS_FORMAT) {
        return sm_labels_of_format(p->arena, part->node, q, out, err);
    }
    return chain_is_calm(part->node, q->low, q->high)
               ? sm_labels_of_chain(p->arena, p->ev, part->node, q, out, err)
               : SM_OK;
}

static sm_status put_labels(sm_planner *p, const sm_plan_part *part, const sm_branch *b,
                            const sm_labels *labels, sm_branches *next, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t k = 0; st == SM_OK && k < labels->count; k++) {
        sm_branch *to = &next->items[next->count++];
        st = sm_branch_fork(p, b, to, err);
        if (st == SM_OK) {
            sm_choice *c = &to->choices[p->slots[part->field]];
            c->low = labels->items[k].low;
            c->high = labels->items[k].high;
            st = sm_branch_append(p, to, labels->items[k].bytes, err);
        }
    }
    return st;
}

/* Values for all branches; *done is false where they are too many. *widest: of one branch. */
static sm_status label_branches(sm_planner *p, const sm_plan_part *part, size_t most,
                                sm_branches *next, size_t *widest, sm_error *err)
{
    sm_label_query q = {.most = most};
    sm_labels labels = {0};
    sm_status st = SM_OK;
    *widest = 0;
    for (size_t b = 0; st == SM_OK && b < p->now.count; b++) {
        const sm_choice c = p->now.items[b].choices[p->slots[part->field]];
        if (b == 0 || c.low != q.low || c.high != q.high) {
            q = (sm_label_query){c.low, c.high, most};
            st = labels_of(p, part, &q, &labels, err);
        }
        if (!labels.complete) {
            *widest = SIZE_MAX;
            return st;
        }
        *widest = labels.count > *widest ? labels.count : *widest;
        if (st == SM_OK) {
            st = put_labels(p, part, &p->now.items[b], &labels, next, err);
        }
    }
    return st;
}

static sm_status use_labels(sm_planner *p, size_t i, bool *done, sm_error *err)
{
    const sm_plan_part *part = &p->parts.items[i];
    const size_t most = label_limit(p, i);
    sm_branches next = {0};
    size_t widest = 0;
    *done = false;
    if (most == 0 || !may_multiply(p, most)) {
        return SM_OK;
    }
    sm_status st = branches_new(p, most, &next, err);
    if (st == SM_OK) {
        st = label_branches(p, part, most, &next, &widest, err);
    }
    *done = st == SM_OK && widest != SIZE_MAX;
    if (!*done) {
        return st;
    }
    p->now = next;
    p->used = true;
    if (sm_planner_says_range(p, part, false)) {
        sm_planner_prove(p, part->field, SM_CAUGHT_RANGE);
    }
    return sm_planner_say(p, i, err, "range on %s: %zu value%s",
                          p->key.context->schema->fields[part->field].name, widest,
                          widest == 1 ? "" : "s");
}

/* ---- all ------------------------------------------------------------------------------------- */

sm_status sm_planner_use(sm_planner *p, size_t i, bool *done, sm_error *err)
{
    const sm_plan_part *part = &p->parts.items[i];
    sm_status st = SM_OK;
    *done = false;
    switch (part->kind) {
    case SM_CLASS_FIXED: return use_known(p, i, done, err);
    case SM_CLASS_KNOWN:
        st = use_known(p, i, done, err);
        if (st == SM_OK && *done && sm_planner_says_set(p, part)) {
            sm_planner_prove_all(p, part->field);
        }
        if (st == SM_OK && *done && p->settled && part->settled_end) {
            sm_planner_prove(p, part->field, part->says);
        }
        return st;
    case SM_CLASS_SPREAD: return use_spread(p, i, done, err);
    case SM_CLASS_NUMBERS:
    case SM_CLASS_FORMAT: return use_labels(p, i, done, err);
    default: return SM_OK;
    }
}
