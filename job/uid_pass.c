/* SPDX-License-Identifier: Apache-2.0 */
/* Collects new names with all workers, then adds them to the dictionaries. Makes no rows. */
#include "job/uid_pass.h"

#include "core/fs.h"
#include "core/par.h"
#include "job/record_pass.h"
#include "partitioner/uid_notes.h"

#include <string.h>

typedef struct shared {
    const sm_uid_pass *pass;
    sm_source *source;
    sm_uid_notes **notes; /* one per worker */
} shared;

typedef struct collector {
    const shared *s;
    sm_uid_notes *notes;
    sm_record_maker *maker; /* the pass's */
} collector;

/* ---- one worker ------------------------------------------------------------------------------ */

static sm_status full(const collector *c, sm_error *err)
{
    return sm_fail(
        err, SM_E_MEMORY,
        "the new names of uid() take more than %zu bytes per worker; raise limits.memory, "
        "or look whether the field of uid() really holds names",
        c->s->pass->memory);
}

static sm_status open_collector(void *context, sm_record_maker *maker, sm_error *err)
{
    collector *c = context;
    (void)err;
    c->maker = maker;
    sm_record_maker_collect(maker, c->notes);
    return SM_OK;
}

static sm_status take_record(void *context, const sm_record *record, sm_error *err)
{
    collector *c = context;
    const sm_made_row *rows = NULL;
    sm_reject_note why;
    sm_made what = SM_MADE_REJECT;
    const sm_status st = sm_record_make(c->maker, record, &what, &rows, &why, err);
    if (st == SM_OK && what == SM_MADE_ROWS) {
        sm_uid_notes_keep(c->notes);
    } else {
        sm_uid_notes_drop(c->notes);
    }
    return st == SM_OK && sm_uid_notes_full(c->notes) ? full(c, err) : st;
}

static sm_status collect(void *context, unsigned worker, sm_error *err)
{
    const shared *s = context;
    collector c = {.s = s, .notes = s->notes[worker]};
    const sm_record_pass pass = {.job = s->pass->job,
                                 .source = s->source,
                                 .stop = s->pass->stop,
                                 .open = open_collector,
                                 .take = take_record,
                                 .context = &c};
    return sm_record_pass_work(&pass, err);
}

/* ---- the pass -------------------------------------------------------------------------------- */

static bool needed(const sm_uids *uids)
{
    bool any = false;
    for (size_t i = 0; uids != NULL && i < uids->count; i++) {
        any |= uids->items[i].used && uids->items[i].assign;
    }
    return any;
}

/* What streams can be read once only. */
static sm_status refuse_streams(const sm_source *source, sm_error *err)
{
    for (size_t i = 0; i < sm_source_input_count(source); i++) {
        const char *path = sm_source_input(source, i)->path;
        bool exists = false;
        sm_file_info info = {.is_regular = false};
        const sm_status st = strcmp(path, "-") == 0 ? SM_OK : sm_fs_stat(path, &exists, &info, err);
        if (st != SM_OK) {
            return st;
        }
        if (!info.is_regular) {
            return sm_fail(err, SM_E_USAGE,
                           "%s: the inputs are read twice when uid() assigns ids to new names, and "
                           "%s can be read only once; write it to a file and give that with "
                           "--input, or say new: reject for the dictionaries",
                           path, strcmp(path, "-") == 0 ? "standard input" : "a pipe");
        }
    }
    return SM_OK;
}

static sm_status grow(const shared *s, sm_arena *arena, sm_error *err)
{
    const sm_uids *uids = s->pass->job->uids;
    sm_status st = SM_OK;
    for (size_t i = 0; st == SM_OK && i < uids->count; i++) {
        sm_uid_names names = {NULL, 0};
        st = sm_uid_notes_union(s->notes, s->pass->job->threads, i, arena, &names, err);
        if (st != SM_OK || names.count == 0) {
            continue;
        }
        st = sm_uids_grow(&uids->items[i], names.items, names.count, err);
        if (st == SM_OK) {
            sm_log_info(s->pass->log, "%s: %zu new names have ids now, %zu in all",
                        uids->items[i].path, names.count, uids->items[i].table->count);
        }
    }
    return st;
}

static sm_status remember_inputs(sm_uid_pass *pass, const sm_source *source, sm_error *err)
{
    const size_t n = sm_source_input_count(source);
    pass->hashes = sm_arena_array(pass->arena, n + 1, sizeof *pass->hashes);
    if (pass->hashes == NULL) {
        return sm_fail_memory(err, n * sizeof *pass->hashes, "hashes of inputs");
    }
    pass->hash_count = n;
    for (size_t i = 0; i < n; i++) {
        pass->hashes[i] = sm_source_input(source, i)->decoded_xxh64;
    }
    return SM_OK;
}

static sm_status collect_all(sm_uid_pass *pass, shared *s, sm_arena *arena, sm_error *err)
{
    const unsigned workers = pass->job->threads;
    sm_status st = refuse_streams(s->source, err);
    for (unsigned i = 0; st == SM_OK && i < workers; i++) {
        st = sm_uid_notes_new(pass->job->uids->count, pass->memory, &s->notes[i], err);
    }
    if (st == SM_OK) {
        st = sm_par_run(workers, collect, s, err);
    }
    if (st == SM_OK) {
        st = remember_inputs(pass, s->source, err);
    }
    return st == SM_OK ? grow(s, arena, err) : st;
}

sm_status sm_uid_pass_run(sm_uid_pass *pass, sm_error *err)
{
    pass->hashes = NULL;
    if (!needed(pass->job->uids)) {
        return SM_OK;
    }
    sm_arena *arena = NULL;
    shared s = {.pass = pass};
    sm_status st = sm_arena_new(64 << 10, &arena, err);
    if (st != SM_OK) {
        return st;
    }
    s.notes = sm_arena_array(arena, pass->job->threads, sizeof(sm_uid_notes *));
    st = s.notes == NULL ? sm_fail_memory(err, 0, "new names")
                         : sm_source_open(pass->source, &s.source, err);
    if (st == SM_OK) {
        st = collect_all(pass, &s, arena, err);
    }
    for (unsigned i = 0; s.notes != NULL && i < pass->job->threads; i++) {
        sm_uid_notes_free(s.notes[i]);
    }
    sm_source_close(s.source);
    sm_arena_free(arena);
    return st;
}

sm_status sm_uid_pass_compare(const sm_uid_pass *pass, const sm_source *source, sm_error *err)
{
    for (size_t i = 0; pass->hashes != NULL && i < pass->hash_count; i++) {
        const sm_input_info *in = sm_source_input(source, i);
        if (in->decoded_xxh64 != pass->hashes[i]) {
            return sm_fail(err, SM_E_INPUT_CHANGED,
                           "%s: changed between the pass that collects new names and the one that "
                           "builds rows; wait until it is complete and run again",
                           in->path);
        }
    }
    return SM_OK;
}
