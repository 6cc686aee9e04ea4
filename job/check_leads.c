/* SPDX-License-Identifier: Apache-2.0 */
/* The heaviest leading parts of each table: adds up the stretches of equal ones. */
#include "core/mem.h"
#include "job/check_engine.h"
#include "partitioner/leb.h"

typedef struct candidate {
    sm_buf value;
    uint64_t images, bytes, regions, groups, greatest;
} candidate;

typedef struct gathering {
    candidate top[SM_CHECK_HEAVY + 1]; /* heaviest first; the last is the one at hand */
    size_t count;
    uint64_t least;
    uint64_t region;      /* of the stretch before */
    uint64_t front, rows; /* of the group at hand */
} gathering;

/* Parts come in ascending order, so that equal weights stay bytewise. */
static void rank_candidate(gathering *g)
{
    const candidate e = g->top[SM_CHECK_HEAVY];
    if (e.images < g->least ||
        (g->count == SM_CHECK_HEAVY && g->top[g->count - 1].images >= e.images)) {
        return;
    }
    size_t at = g->count < SM_CHECK_HEAVY ? g->count++ : SM_CHECK_HEAVY - 1;
    g->top[SM_CHECK_HEAVY] = g->top[at]; /* the lightest one's buffer serves again */
    for (; at > 0 && g->top[at - 1].images < e.images; at--) {
        g->top[at] = g->top[at - 1];
    }
    g->top[at] = e;
}

/* Stretches of a value come in key order; a region's end may cut a group in two. */
static void count_group(gathering *g, candidate *c, uint64_t rows, uint64_t front)
{
    if (c->groups == 0 || g->front != front) {
        c->groups++;
        g->rows = 0;
    }
    g->front = front;
    g->rows += rows;
    c->greatest = g->rows > c->greatest ? g->rows : c->greatest;
}

static sm_status take(gathering *g, const sm_row *row, sm_error *err)
{
    uint64_t numbers[4]; /* rows, bytes, region, hash of what stands in front */
    const uint8_t *at = row->payload.data;
    const uint8_t *end = at + row->payload.len;
    for (size_t i = 0; i < 4; i++) {
        if (!sm_leb_get(&at, end, &numbers[i])) {
            return sm_fail(err, SM_E_FORMAT, "a work file of the check is damaged; run it again");
        }
    }
    sm_status st = SM_OK;
    candidate *c = &g->top[SM_CHECK_HEAVY];
    if (c->images == 0 || !sm_bytes_equal(sm_buf_view(&c->value), row->key)) {
        rank_candidate(g);
        c->images = c->bytes = c->regions = c->groups = c->greatest = 0;
        sm_buf_clear(&c->value);
        st = sm_buf_append(&c->value, row->key.data, row->key.len, err);
    }
    c->regions += c->images == 0 || numbers[2] != g->region;
    count_group(g, c, numbers[0], numbers[3]);
    c->images += numbers[0];
    c->bytes += numbers[1];
    g->region = numbers[2];
    return st;
}

static sm_status drain(gathering *g, sm_merge *merge, sm_error *err)
{
    sm_status st = SM_OK;
    bool more = true;
    while (st == SM_OK) {
        sm_row row;
        st = sm_merge_next(merge, &row, &more, err);
        if (st != SM_OK || !more) {
            break;
        }
        st = take(g, &row, err);
    }
    if (st == SM_OK) {
        rank_candidate(g);
    }
    return st;
}

static sm_status copy_out(const gathering *g, sm_arena *arena, sm_check_leads *out, sm_error *err)
{
    sm_check_lead *items = sm_arena_array(arena, g->count + 1, sizeof *items);
    for (size_t i = 0; items != NULL && i < g->count; i++) {
        const candidate *c = &g->top[i];
        const char *copy = sm_arena_text(arena, c->value.data, c->value.len);
        items[i] = (sm_check_lead){.value = sm_bytes_of(copy, c->value.len),
                                   .images = c->images,
                                   .bytes = c->bytes,
                                   .regions = c->regions,
                                   .groups = c->groups,
                                   .greatest = c->greatest};
        items = copy != NULL ? items : NULL;
    }
    out->items = items;
    out->count = g->count;
    return items != NULL ? SM_OK : sm_fail_memory(err, 0, "leading parts");
}

static sm_status read_part(sm_checking *c, size_t part, sm_check_leads *leads, sm_error *err)
{
    const uint32_t table = sm_runs_part_at(c->leads, part)->table;
    void *p = NULL;
    sm_merge *merge = NULL;
    sm_status st = sm_new(sizeof(gathering), "leading parts", &p, err);
    if (st != SM_OK) {
        return st;
    }
    gathering *g = p;
    g->least = c->least[table];
    for (size_t i = 0; i <= SM_CHECK_HEAVY; i++) {
        sm_buf_init(&g->top[i].value, SM_ROW_MAX);
    }
    st = sm_merge_open(c->leads, part, 1, &merge, err);
    if (st == SM_OK) {
        st = drain(g, merge, err);
    }
    if (st == SM_OK) {
        st = copy_out(g, c->arena, &leads[table], err);
    }
    sm_merge_close(merge);
    for (size_t i = 0; i <= SM_CHECK_HEAVY; i++) {
        sm_buf_free(&g->top[i].value);
    }
    sm_free(g);
    return st;
}

sm_status sm_check_leads_read(sm_checking *c, sm_check_leads *leads, sm_error *err)
{
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < sm_runs_part_count(c->leads); i++) {
        st = read_part(c, i, leads, err);
    }
    return st;
}
