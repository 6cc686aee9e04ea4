/* SPDX-License-Identifier: Apache-2.0 */
/* Slices -> records -> whoever asked for them. Makes no rows and keeps no account. */
#include "job/record_pass.h"

#include "core/fs.h"
#include "ingest/reader.h"

sm_source_options sm_job_source_options(const sm_job *job, size_t slice_size, const sm_stop *stop)
{
    return (sm_source_options){.paths = job->inputs,
                               .path_count = job->input_count,
                               .listed = job->numbers_rows,
                               .format = job->input_format,
                               .csv = &job->csv,
                               .feed = job->feed,
                               .schema = &job->schema,
                               .record_limit = job->record_limit,
                               .slice_size = slice_size,
                               .stop = stop};
}

size_t sm_job_slice_size(const sm_job *job)
{
    enum { PART = 32 };
    const uint64_t least = SM_LEAST_SLICE;
    const uint64_t most = 1 << 20;
    const uint64_t slice = job->memory / job->threads / PART;
    return (size_t)(slice < least ? least : slice > most ? most : slice);
}

sm_status sm_job_store_files(unsigned workers, uint64_t *out, sm_error *err)
{
    enum { SPARE_FILES = 32 };
    const uint64_t files = sm_fs_open_file_limit();
    const uint64_t used = SPARE_FILES + (uint64_t)workers * 2;
    if (files < used) {
        return sm_fail(
            err, SM_E_OPEN_FILES,
            "the system allows %llu open files, but %u threads need at least %llu; raise ulimit -n "
            "or give fewer --threads",
            (unsigned long long)files, workers, (unsigned long long)used);
    }
    *out = (files - used) / 2;
    return SM_OK;
}

void sm_worker_error_place(sm_status st, const sm_slice *slice, sm_error *err)
{
    if (st != SM_OK && err != NULL && err->place == 0) {
        err->place = st == SM_E_INTERRUPTED ? UINT64_MAX : sm_place_order(&slice->place) + 1;
    }
}

void sm_worker_stop_others(sm_stop *stop)
{
    if (sm_stop_asked(stop) == 0) {
        sm_stop_set(stop, -1);
    }
}

static sm_status take_slice(const sm_record_pass *p, sm_reader *reader, const sm_slice *slice,
                            sm_error *err)
{
    sm_status st = SM_OK;
    sm_reader_start(reader, slice);
    while (st == SM_OK) {
        sm_read what = SM_READ_END;
        sm_record record;
        sm_reject_note why;
        st = sm_reader_next(reader, &what, &record, &why, err);
        if (st != SM_OK || what == SM_READ_END) {
            return st;
        }
        if (what == SM_READ_RECORD) {
            st = p->take(p->context, &record, err);
        } else if (p->reject != NULL) {
            p->reject(p->context);
        }
    }
    return st;
}

static sm_status take_slices(const sm_record_pass *p, sm_reader *reader, sm_slice *slice,
                             sm_error *err)
{
    sm_status st = SM_OK;
    bool more = true;
    while (st == SM_OK && sm_stop_asked(p->stop) == 0) {
        st = sm_source_next(p->source, slice, &more, err);
        if (st != SM_OK || !more) {
            return st;
        }
        st = take_slice(p, reader, slice, err);
    }
    return st == SM_OK ? sm_fail(err, SM_E_INTERRUPTED, "stopped") : st;
}

sm_status sm_record_pass_work(const sm_record_pass *pass, sm_error *err)
{
    sm_slice slice = {0};
    sm_reader *reader = NULL;
    sm_record_maker *maker = NULL;
    sm_status st = sm_reader_new(pass->source, &reader, err);
    if (st == SM_OK) {
        st = sm_record_maker_new(pass->job, &maker, err);
    }
    if (st == SM_OK) {
        st = pass->open(pass->context, maker, err);
    }
    if (st == SM_OK) {
        st = take_slices(pass, reader, &slice, err);
    }
    if (st != SM_OK) {
        sm_worker_error_place(st, &slice, err);
        sm_worker_stop_others(pass->stop);
    }
    sm_slice_free(&slice);
    sm_reader_free(reader);
    sm_record_maker_free(maker);
    return st;
}
