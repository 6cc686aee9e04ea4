/* SPDX-License-Identifier: Apache-2.0 */
/* A worker of a check's second phase: the keys of one region after the other, in order. Finds
 * distinct keys, duplicates, where parts of equal size begin, and stretches of equal leading
 * parts. */
#include "core/hash.h"
#include "job/check_engine.h"
#include "partitioner/leb.h"

typedef struct key_facts {
    uint64_t line, bytes, lead;
} key_facts;

typedef struct merging {
    sm_checking *c;
    unsigned worker;
    const sm_runs_part *part;
    const sm_check_design *design;
    sm_check_region *region;
    size_t tail;   /* of each key: SM_CHECK_NAME where records name their tables, else 0 */
    uint64_t rank; /* rows of the table in front of the one at hand */
    size_t cut;    /* the next one to find */
    /* The stretch of equal keys. */
    sm_buf key;
    uint64_t key_rank, same;
    uint64_t order[2], line[2];
    /* The stretch of equal leading parts. */
    sm_buf lead;
    uint64_t front; /* xxh3 of what stands in front of it */
    uint64_t lead_rows, lead_bytes, lead_order;
} merging;

/* Without the name's hash that stands behind it where records name their tables. */
static sm_bytes plain_key(const merging *m)
{
    const sm_bytes key = sm_buf_view(&m->key);
    return sm_bytes_of(key.data, key.len - m->tail);
}

static sm_status set(sm_buf *b, sm_bytes value, sm_error *err)
{
    sm_buf_clear(b);
    return sm_buf_append(b, value.data, value.len, err);
}

/* ---- duplicates ------------------------------------------------------------------------------ */

static sm_status write_example(const merging *m, sm_check_example *e, sm_error *err)
{
    e->rows = m->same;
    for (size_t i = 0; i < 2; i++) {
        e->order[i] = m->order[i];
        e->line[i] = m->line[i];
    }
    return set(&e->key, plain_key(m), err);
}

/* Keeps the first in key order, which are the same whoever comes first. */
static sm_status keep_example(const merging *m, sm_check_duplicates *all, sm_error *err)
{
    size_t at = all->count;
    if (at == SM_CHECK_DUPLICATES &&
        sm_bytes_compare(sm_buf_view(&all->items[at - 1].key), plain_key(m)) < 0) {
        return SM_OK;
    }
    const sm_status st = write_example(m, &all->items[at], err);
    for (; st == SM_OK && at > 0; at--) {
        const sm_check_example e = all->items[at];
        if (sm_bytes_compare(sm_buf_view(&all->items[at - 1].key), sm_buf_view(&e.key)) < 0) {
            break;
        }
        all->items[at] = all->items[at - 1];
        all->items[at - 1] = e;
    }
    all->count += st == SM_OK && all->count < SM_CHECK_DUPLICATES;
    return st;
}

static sm_status end_key(merging *m, sm_error *err)
{
    if (m->same < 2) {
        return SM_OK;
    }
    sm_lock_take(m->c->lock);
    const sm_status st = keep_example(m, m->c->duplicates[m->part->table], err);
    sm_lock_give(m->c->lock);
    return st;
}

static sm_status take_key(merging *m, const sm_row *row, uint64_t line, sm_error *err)
{
    if (m->same != 0 && sm_bytes_equal(sm_buf_view(&m->key), row->key)) {
        if (m->same++ == 1) {
            m->order[1] = row->order;
            m->line[1] = line;
        }
        return SM_OK;
    }
    const sm_status st = end_key(m, err);
    m->region->keys++;
    m->same = 1;
    m->key_rank = m->rank;
    m->order[0] = row->order;
    m->line[0] = line;
    return st == SM_OK ? set(&m->key, row->key, err) : st;
}

/* ---- parts of equal size --------------------------------------------------------------------- */

static uint64_t cut_rank(const merging *m, size_t cut)
{
    const uint64_t total = m->c->totals[m->part->table];
    return total / SM_CHECK_CUTS * (cut + 1) + total % SM_CHECK_CUTS * (cut + 1) / SM_CHECK_CUTS;
}

static sm_status take_cuts(merging *m, sm_error *err)
{
    sm_status st = SM_OK;
    while (st == SM_OK && m->cut < SM_CHECK_CUTS - 1 && cut_rank(m, m->cut) <= m->rank) {
        sm_check_cut *cut = &m->c->cuts[m->part->table][m->cut++];
        cut->rank = m->key_rank;
        st = set(&cut->key, plain_key(m), err);
    }
    return st;
}

/* ---- leading parts --------------------------------------------------------------------------- */

static sm_status end_lead(merging *m, sm_error *err)
{
    const uint32_t table = m->part->table;
    const sm_bytes lead = sm_buf_view(&m->lead);
    if (m->lead_rows == 0 || m->c->buckets[table][sm_check_bucket(lead)] < m->c->least[table]) {
        return SM_OK;
    }
    uint8_t payload[4 * SM_LEB_MAX];
    uint8_t *end = sm_leb_put(payload, m->lead_rows);
    end = sm_leb_put(end, m->lead_bytes);
    end = sm_leb_put(end, m->part->region);
    end = sm_leb_put(end, m->front);
    const sm_row row = {.table = table,
                        .order = m->lead_order,
                        .key = lead,
                        .payload = sm_bytes_of(payload, (size_t)(end - payload))};
    return sm_runs_add(m->c->leads, m->worker, &row, err);
}

static sm_status take_lead(merging *m, const sm_row *row, const key_facts *facts, sm_error *err)
{
    const sm_bytes lead = sm_bytes_of(row->key.data + m->design->lead_at, (size_t)facts->lead);
    const uint64_t front = sm_xxh3(sm_bytes_of(row->key.data, m->design->lead_at));
    sm_status st = SM_OK;
    if (m->lead_rows == 0 || m->front != front || !sm_bytes_equal(sm_buf_view(&m->lead), lead)) {
        st = end_lead(m, err);
        m->front = front;
        m->lead_rows = 0;
        m->lead_bytes = 0;
        m->lead_order = m->rank;
        if (st == SM_OK) {
            st = set(&m->lead, lead, err);
        }
    }
    m->lead_rows++;
    m->lead_bytes += facts->bytes;
    return st;
}

/* ---- one region ------------------------------------------------------------------------------ */

static bool read_facts(const merging *m, const sm_row *row, key_facts *out)
{
    const uint8_t *at = row->payload.data;
    const uint8_t *end = at + row->payload.len;
    return sm_leb_get(&at, end, &out->line) && sm_leb_get(&at, end, &out->bytes) &&
           sm_leb_get(&at, end, &out->lead) &&
           (out->lead == 0 || out->lead + m->design->lead_at + m->tail <= row->key.len) &&
           row->key.len >= m->tail;
}

static sm_status take_row(merging *m, const sm_row *row, sm_error *err)
{
    key_facts facts;
    if (!read_facts(m, row, &facts)) {
        return sm_fail(err, SM_E_FORMAT, "a work file of the check is damaged; run it again");
    }
    sm_status st = take_key(m, row, facts.line, err);
    if (st == SM_OK) {
        st = take_cuts(m, err);
    }
    if (st == SM_OK && facts.lead != 0) {
        st = take_lead(m, row, &facts, err);
    }
    m->region->images++;
    m->region->bytes += facts.bytes;
    m->rank++;
    return st;
}

static sm_status drain(merging *m, sm_merge *merge, sm_error *err)
{
    bool more = true;
    sm_status st = SM_OK;
    while (st == SM_OK) {
        sm_row row;
        st = sm_merge_next(merge, &row, &more, err);
        if (st != SM_OK || !more) {
            break;
        }
        st = take_row(m, &row, err);
    }
    if (st == SM_OK) {
        st = end_key(m, err);
    }
    return st == SM_OK ? end_lead(m, err) : st;
}

/* Cuts in front of the part were found in other parts. */
static void start_part(merging *m, size_t part)
{
    m->part = sm_runs_part_at(m->c->runs, part);
    m->design = &m->c->designs[m->part->table];
    m->region = &m->c->regions[m->part->table][m->part->region];
    m->tail = m->c->job->tables[m->part->table].name_expr == NULL ? 0 : SM_CHECK_NAME;
    m->rank = m->c->part_ranks[part];
    m->same = 0;
    m->lead_rows = 0;
    m->cut = 0;
    while (m->cut < SM_CHECK_CUTS - 1 && cut_rank(m, m->cut) < m->rank) {
        m->cut++;
    }
}

static sm_status merge_part(merging *m, size_t part, sm_error *err)
{
    sm_merge *merge = NULL;
    start_part(m, part);
    sm_status st = sm_merge_open(m->c->runs, part, m->c->workers, &merge, err);
    if (st == SM_OK) {
        st = drain(m, merge, err);
    }
    sm_merge_close(merge);
    return st;
}

sm_status sm_check_merge(void *context, unsigned worker, sm_error *err)
{
    merging m = {.c = context, .worker = worker};
    const size_t count = sm_runs_part_count(m.c->runs);
    sm_status st = SM_OK;
    sm_buf_init(&m.key, SM_ROW_MAX + SM_CHECK_NAME);
    sm_buf_init(&m.lead, SM_ROW_MAX);
    while (st == SM_OK) {
        const size_t part = sm_counter_take(&m.c->next);
        if (part >= count) {
            break;
        }
        st = sm_stop_asked(m.c->stop) != 0 ? sm_fail(err, SM_E_INTERRUPTED, "stopped")
                                           : merge_part(&m, part, err);
        if (st != SM_OK && err != NULL && err->place == 0) {
            err->place = st == SM_E_INTERRUPTED ? UINT64_MAX : part + 1;
        }
    }
    if (st != SM_OK && sm_stop_asked(m.c->stop) == 0) {
        sm_stop_set(m.c->stop, -1);
    }
    sm_buf_free(&m.key);
    sm_buf_free(&m.lead);
    return st;
}
