/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of losers over sorted sources. Each source shows its next row together with a word of its
 * key: the eight bytes behind what the first keys of all sources have in common, so that most
 * matches are decided without touching the rows. */
#include "partitioner/merge.h"

#include "core/mem.h"

enum { SHARED_MAX = 256 }; /* longest common prefix that is skipped */

typedef struct source {
    uint64_t word; /* see above; all ones when the key has left the common prefix */
    bool done;
    bool in_memory;
    sm_record_view row;
    sm_merge_share share; /* entries and count move on */
    sm_spill_cursor cursor;
} source;

struct sm_merge {
    uint32_t table, region;
    source *sources;
    size_t count, capacity;
    size_t *losers;          /* losers[0] is the winner */
    size_t *winners;         /* scratch of the first round */
    sm_spill_reader *reader; /* made when the first run is added */
    const sm_stop *stop;
    bool started;
    size_t shared_len;
    uint8_t shared[SHARED_MAX];
    uint8_t *payload; /* of a row whose payload is not in its block */
    size_t payload_size;
};

sm_status sm_merge_new(size_t sources, const sm_stop *stop, sm_merge **out, sm_error *err)
{
    *out = NULL;
    void *p;
    const sm_status st = sm_new(sizeof(sm_merge), "a merge", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_merge *m = p;
    m->capacity = sources;
    m->stop = stop;
    m->sources = sm_calloc(sources, sizeof *m->sources);
    m->losers = sm_calloc(sources + 1, sizeof *m->losers);
    m->winners = sm_calloc(2 * sources + 2, sizeof *m->winners);
    if (m->sources == NULL || m->losers == NULL || m->winners == NULL) {
        sm_merge_close(m);
        return sm_fail_memory(err, sources * sizeof(source), "the sources of a merge");
    }
    *out = m;
    return SM_OK;
}

static void drop_sources(sm_merge *m)
{
    for (size_t i = 0; i < m->count; i++) {
        if (!m->sources[i].in_memory) {
            sm_spill_cursor_close(&m->sources[i].cursor);
        }
    }
    m->count = 0;
}

void sm_merge_close(sm_merge *m)
{
    if (m == NULL) {
        return;
    }
    drop_sources(m);
    sm_spill_reader_free(m->reader);
    sm_free(m->payload);
    sm_free(m->sources);
    sm_free(m->losers);
    sm_free(m->winners);
    sm_free(m);
}

void sm_merge_begin(sm_merge *m, uint32_t table, uint32_t region)
{
    drop_sources(m);
    m->table = table;
    m->region = region;
    m->started = false;
}

void sm_merge_add_share(sm_merge *m, const sm_merge_share *share)
{
    m->sources[m->count++] = (source){.in_memory = true, .share = *share};
}

void sm_merge_add_run(sm_merge *m, const sm_spill_run *run, size_t part)
{
    source *s = &m->sources[m->count++];
    *s = (source){.in_memory = false};
    sm_spill_cursor_open(run, part, &s->cursor);
}

/* ---- sources -----------------------------------------------------------------------------------
 */

static uint64_t word_behind(const sm_merge *m, sm_bytes key)
{
    const size_t skip = m->shared_len;
    if (key.len < skip || memcmp(key.data, m->shared, skip) != 0) {
        /* Keys of a source only grow, so this one lies behind all that share the prefix. */
        return UINT64_MAX;
    }
    if (key.len == skip) {
        return 0;
    }
    const uint64_t v = sm_load_be64(key.data + skip);
    const size_t left = key.len - skip;
    return left >= 8 ? v : v & ~(UINT64_MAX >> (8 * left));
}

static void finish(source *s)
{
    s->done = true;
    s->word = UINT64_MAX;
}

static sm_status advance_share(source *s, sm_error *err)
{
    sm_merge_share *share = &s->share;
    if (share->count == 0) {
        finish(s);
        return SM_OK;
    }
    if (share->count > SM_RECORD_AHEAD) {
        const sm_sort_entry *e = share->entries;
        sm_record_fetch_header(share->base + sm_sort_offset(&e[SM_RECORD_AHEAD]));
        sm_record_fetch_rest(share->base + sm_sort_offset(&e[SM_RECORD_NEAR]));
    }
    const uint8_t *p = share->base + sm_sort_offset(share->entries);
    if (!sm_record_get(&p, share->end, &s->row)) {
        return sm_fail(err, SM_E_INTERNAL, "a share of memory holds a damaged record");
    }
    share->entries++;
    share->count--;
    return SM_OK;
}

static sm_status advance(sm_merge *m, source *s, sm_error *err)
{
    if (s->in_memory) {
        return advance_share(s, err);
    }
    bool more;
    const sm_status st = sm_spill_cursor_next(&s->cursor, m->reader, &s->row, &more, err);
    if (st == SM_OK && !more) {
        finish(s);
    }
    return st;
}

/* ---- the tree ----------------------------------------------------------------------------------
 */

static SM_NOINLINE bool before_slow(const source *a, const source *b)
{
    if (a->done || b->done) {
        return b->done && !a->done;
    }
    return sm_record_compare(&a->row, &b->row) < 0;
}

static inline bool before(const source *a, const source *b)
{
    return a->word != b->word ? a->word < b->word : before_slow(a, b);
}

/* losers[n] is the loser of the match at node n; its children are nodes 2n and 2n + 1, leaves count
 * on. */
static void first_round(sm_merge *m)
{
    const size_t k = m->count;
    for (size_t i = 0; i < k; i++) {
        m->winners[k + i] = i;
    }
    for (size_t n = k - 1; n > 0; n--) {
        const size_t left = m->winners[2 * n];
        const size_t right = m->winners[2 * n + 1];
        const bool right_wins = before(&m->sources[right], &m->sources[left]);
        m->winners[n] = right_wins ? right : left;
        m->losers[n] = right_wins ? left : right;
    }
    m->losers[0] = m->winners[1];
}

static void replay(sm_merge *m)
{
    size_t winner = m->losers[0];
    for (size_t n = (winner + m->count) / 2; n > 0; n /= 2) {
        if (before(&m->sources[m->losers[n]], &m->sources[winner])) {
            const size_t other = m->losers[n];
            m->losers[n] = winner;
            winner = other;
        }
    }
    m->losers[0] = winner;
}

static void find_shared_prefix(sm_merge *m)
{
    bool any = false;
    m->shared_len = 0;
    for (size_t i = 0; i < m->count; i++) {
        const source *s = &m->sources[i];
        if (s->done) {
            continue;
        }
        size_t n = s->row.key.len < SHARED_MAX ? s->row.key.len : SHARED_MAX;
        if (!any) {
            memcpy(m->shared, s->row.key.data, n);
            m->shared_len = n;
            any = true;
            continue;
        }
        n = n < m->shared_len ? n : m->shared_len;
        m->shared_len = 0;
        while (m->shared_len < n && m->shared[m->shared_len] == s->row.key.data[m->shared_len]) {
            m->shared_len++;
        }
    }
}

static sm_status start(sm_merge *m, sm_error *err)
{
    m->started = true;
    for (size_t i = 0; i < m->count; i++) {
        if (!m->sources[i].in_memory && m->reader == NULL) {
            const sm_status st = sm_spill_reader_new(m->stop, &m->reader, err);
            if (st != SM_OK) {
                return st;
            }
        }
        const sm_status st = advance(m, &m->sources[i], err);
        if (st != SM_OK) {
            return st;
        }
    }
    m->losers[0] = 0;
    if (m->count > 1) {
        find_shared_prefix(m);
        for (size_t i = 0; i < m->count; i++) {
            source *s = &m->sources[i];
            s->word = s->done ? UINT64_MAX : word_behind(m, s->row.key);
        }
        first_round(m);
    }
    return SM_OK;
}

static sm_status step(sm_merge *m, sm_error *err)
{
    source *s = &m->sources[m->losers[0]];
    if (s->done) {
        return SM_OK;
    }
    const sm_status st = advance(m, s, err);
    if (st != SM_OK || m->count == 1) {
        return st;
    }
    if (!s->done) {
        s->word = word_behind(m, s->row.key);
    }
    replay(m);
    return SM_OK;
}

static SM_NOINLINE sm_status load_payload(sm_merge *m, const source *s, sm_bytes *out,
                                          sm_error *err)
{
    const size_t size = s->row.payload.len;
    if (size > m->payload_size) {
        sm_free(m->payload);
        m->payload_size = 0;
        m->payload = sm_malloc(size);
        if (m->payload == NULL) {
            return sm_fail_memory(err, size, "a row larger than a block of a run file");
        }
        m->payload_size = size;
    }
    *out = sm_bytes_of(m->payload, size);
    return sm_spill_load(&s->cursor, m->reader, &s->row, m->payload, err);
}

sm_status sm_merge_next(sm_merge *m, sm_row *out, bool *more, sm_error *err)
{
    *more = false;
    if (m->count == 0) {
        return SM_OK;
    }
    sm_status st = m->started ? step(m, err) : start(m, err);
    const source *s = &m->sources[m->losers[0]];
    if (st != SM_OK || s->done) {
        return st;
    }
    out->table = m->table;
    out->region = m->region;
    out->order = s->row.order;
    out->key = s->row.key;
    out->payload = s->row.payload;
    if (SM_UNLIKELY(s->row.external)) {
        st = load_payload(m, s, &out->payload, err);
    }
    *more = st == SM_OK;
    return st;
}
