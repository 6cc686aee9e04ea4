/* SPDX-License-Identifier: Apache-2.0 */
/* One buffer in front of the file. */
#include "formats/hfile_output.h"

#include "core/fs.h"
#include "core/hash.h"
#include "core/mem.h"

enum { BUFFER_SIZE = 262144 };

struct sm_hfile_output {
    char *path;
    sm_file *file; /* NULL once finished */
    bool finished;
    sm_xxh64_stream *hash;
    uint8_t *buffer;
    size_t used;
    uint64_t offset;
};

static sm_status prepare(sm_hfile_output *o, const char *path, sm_error *err)
{
    const size_t len = strlen(path);
    o->path = sm_malloc(len + 1);
    o->buffer = sm_malloc(BUFFER_SIZE);
    if (o->path == NULL || o->buffer == NULL) {
        return sm_fail_memory(err, BUFFER_SIZE, "an output file");
    }
    memcpy(o->path, path, len + 1);
    const sm_status st = sm_xxh64_stream_new(&o->hash, err);
    return st == SM_OK ? sm_file_create(path, &o->file, err) : st;
}

sm_status sm_hfile_output_open(const char *path, sm_hfile_output **out, sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    sm_status st = sm_new(sizeof(sm_hfile_output), "an output file", &p, err);
    if (st != SM_OK) {
        return st;
    }
    st = prepare(p, path, err);
    if (st != SM_OK) {
        sm_hfile_output_close(p);
        return st;
    }
    *out = p;
    return SM_OK;
}

void sm_hfile_output_close(sm_hfile_output *o)
{
    if (o == NULL) {
        return;
    }
    /* Without a handle it was never ours: it was there before, or could not be made. */
    const bool made = o->file != NULL;
    sm_file_discard(&o->file);
    if (made && !o->finished) {
        sm_error ignored = {0};
        (void)!sm_fs_remove_file(o->path, &ignored);
    }
    sm_xxh64_stream_free(o->hash);
    sm_free(o->buffer);
    sm_free(o->path);
    sm_free(o);
}

static sm_status flush(sm_hfile_output *o, sm_error *err)
{
    const sm_status st = sm_file_write(o->file, o->buffer, o->used, err);
    o->used = 0;
    return st;
}

sm_status sm_hfile_output_add(sm_hfile_output *o, sm_bytes data, sm_error *err)
{
    sm_xxh64_stream_add(o->hash, data);
    o->offset += data.len;
    if (data.len > BUFFER_SIZE - o->used) {
        const sm_status st = flush(o, err);
        if (st != SM_OK) {
            return st;
        }
    }
    if (data.len > BUFFER_SIZE) {
        return sm_file_write(o->file, data.data, data.len, err);
    }
    memcpy(o->buffer + o->used, data.data, data.len);
    o->used += data.len;
    return SM_OK;
}

uint64_t sm_hfile_output_offset(const sm_hfile_output *o)
{
    return o->offset;
}

sm_status sm_hfile_output_finish(sm_hfile_output *o, uint64_t *xxh64, sm_error *err)
{
    *xxh64 = sm_xxh64_stream_value(o->hash);
    sm_status st = flush(o, err);
    if (st == SM_OK) {
        st = sm_file_sync(o->file, err);
    }
    if (st != SM_OK) {
        return st;
    }
    st = sm_file_close(&o->file, err);
    o->finished = st == SM_OK;
    if (st != SM_OK) {
        sm_error ignored = {0};
        (void)!sm_fs_remove_file(o->path, &ignored);
    }
    return st;
}

const char *sm_hfile_output_path(const sm_hfile_output *o)
{
    return o->path;
}
