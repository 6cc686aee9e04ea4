/* SPDX-License-Identifier: Apache-2.0 */
/* Regions handed out by size, each merged by one worker into its own files. */
#include "job/merge_phase.h"

#include "core/mem.h"

#include <stdlib.h>

typedef struct sized_part {
    uint64_t bytes;
    size_t place; /* of its table */
    uint32_t region;
    size_t part;
} sized_part;

static int compare_places(const void *a, const void *b)
{
    const sized_part *x = a;
    const sized_part *y = b;
    if (x->place != y->place) {
        return x->place < y->place ? -1 : 1;
    }
    return (x->region > y->region) - (x->region < y->region);
}

static int compare_sizes(const void *a, const void *b)
{
    const sized_part *x = a;
    const sized_part *y = b;
    if (x->bytes != y->bytes) {
        return x->bytes > y->bytes ? -1 : 1;
    }
    return compare_places(a, b);
}

/* The store's own order goes by table numbers, which depend on timing. */
static sm_status sort_parts(sm_merge_phase *m, size_t count, sm_error *err)
{
    sized_part *sized = sm_calloc(count, sizeof *sized);
    if (sized == NULL) {
        return sm_fail_memory(err, count * sizeof *sized, "the list of regions");
    }
    for (size_t i = 0; i < count; i++) {
        const sm_runs_part *p = sm_runs_part_at(m->runs, i);
        sized[i] = (sized_part){p->bytes, m->tables->places[p->table], p->region, i};
    }
    qsort(sized, count, sizeof *sized, compare_places);
    for (size_t i = 0; i < count; i++) {
        m->listed[i] = sized[i].part;
    }
    qsort(sized, count, sizeof *sized, compare_sizes);
    for (size_t i = 0; i < count; i++) {
        m->order[i] = sized[i].part;
    }
    sm_free(sized);
    return SM_OK;
}

static const sm_job_table *table_of(const sm_merge_phase *m, size_t part)
{
    return &m->tables->items[m->tables->places[sm_runs_part_at(m->runs, part)->table]];
}

sm_status sm_merge_phase_prepare(sm_merge_phase *m, sm_error *err)
{
    const size_t count = sm_runs_part_count(m->runs);
    m->listed = sm_arena_array(m->arena, count + 1, sizeof *m->listed);
    m->order = sm_arena_array(m->arena, count + 1, sizeof *m->order);
    m->parts = sm_arena_array(m->arena, count + 1, sizeof *m->parts);
    if (m->listed == NULL || m->order == NULL || m->parts == NULL) {
        return sm_fail_memory(err, count * sizeof *m->parts, "the list of regions");
    }
    for (size_t i = 0; i < count; i++) {
        const size_t families = table_of(m, i)->family_count;
        m->parts[i].families = sm_arena_array(m->arena, families, sizeof *m->parts[i].families);
        m->parts[i].shadowed = sm_arena_array(m->arena, families, sizeof *m->parts[i].shadowed);
        if (m->parts[i].families == NULL || m->parts[i].shadowed == NULL) {
            return sm_fail_memory(err, 0, "the list of regions");
        }
    }
    sm_counter_start(&m->next);
    sm_stop_set(&m->no_more, 0);
    return count == 0 ? SM_OK : sort_parts(m, count, err);
}

static sm_status drain(sm_merge_phase *m, sm_merge *merge, sm_region_writer *writer, size_t part,
                       sm_error *err)
{
    sm_merged_part *result = &m->parts[part];
    const sm_job_table *table = table_of(m, part);
    const sm_expand_options options = {.layout = &table->layout,
                                       .inputs = m->inputs,
                                       .input_count = m->input_count,
                                       .directory = m->work,
                                       .memory = m->expand_memory,
                                       .open_files = m->open_files,
                                       .emit = sm_region_writer_add,
                                       .context = writer,
                                       .stop = m->stop};
    sm_expand_counts counts = {.families = result->families};
    sm_status st = sm_expand(merge, &options, &counts, err);
    result->row_images = counts.row_images;
    result->rows = counts.rows;
    if (st == SM_OK) {
        st = sm_region_writer_finish(writer, &result->files, result->shadowed, err);
    }
    return st;
}

static sm_status merge_part(sm_merge_phase *m, unsigned worker, size_t part, sm_error *err)
{
    const sm_runs_part *p = sm_runs_part_at(m->runs, part);
    const sm_region_writer_options options = {.job = m->job,
                                              .table = table_of(m, part),
                                              .data = m->data,
                                              .run_fingerprint = m->run_fingerprint,
                                              .region = p->region,
                                              .arena = m->worker_arenas[worker]};
    sm_merge *merge = NULL;
    sm_region_writer *writer = NULL;
    sm_status st = sm_region_writer_open(&options, &writer, err);
    if (st == SM_OK) {
        st = sm_merge_open(m->runs, part, m->workers, &merge, err);
    }
    if (st == SM_OK) {
        st = drain(m, merge, writer, part, err);
    }
    sm_merge_close(merge);
    sm_region_writer_close(writer);
    return st;
}

/* What the data did is found in the same region by any number of workers: the regions before it
 * have all been begun and are looked through to their ends. Nothing is gained by that after a
 * failure of the machine. */
static void fail_part(sm_merge_phase *m, size_t turn, sm_status st, sm_error *err)
{
    if (err != NULL && err->place == 0) {
        err->place = st == SM_E_INTERRUPTED ? UINT64_MAX : turn + 1;
    }
    if (st == SM_E_DUPLICATE) {
        sm_stop_set(&m->no_more, -1);
    } else if (sm_stop_asked(m->stop) == 0) {
        sm_stop_set(m->stop, -1);
    }
}

sm_status sm_merge_phase_worker(void *context, unsigned worker, sm_error *err)
{
    sm_merge_phase *m = context;
    const size_t count = sm_runs_part_count(m->runs);
    /* Asked before a turn is taken, so that every turn that was taken is done. */
    while (sm_stop_asked(&m->no_more) == 0) {
        const size_t turn = sm_counter_take(&m->next);
        if (turn >= count) {
            return SM_OK;
        }
        if (sm_stop_asked(m->stop) != 0) {
            if (err != NULL) {
                err->place = UINT64_MAX;
            }
            return sm_fail(err, SM_E_INTERRUPTED, "stopped");
        }
        const sm_status st = merge_part(m, worker, m->order[turn], err);
        if (st != SM_OK) {
            fail_part(m, turn, st, err);
            return st;
        }
        sm_log_progress(m->log, "region %zu of %zu written", turn + 1, count);
    }
    return SM_OK;
}
