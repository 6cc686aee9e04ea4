/* SPDX-License-Identifier: Apache-2.0 */
/* Commits in slice order, the reject files, the tally.
 *
 *   slot[sequence % slots]   lists and counts of slices that came early; `next` is the slice whose
 * turn it is
 *
 * A commit puts its slice into its slot and then applies whatever is in order. Only when a slice is
 * more than the queue ahead of the one whose turn it is does its worker wait, so memory is bounded
 * by the slots. Slices come in file order, so one pair of reject files is open at a time. */
#include "core/fs.h"
#include "core/json.h"
#include "core/mem.h"
#include "core/par.h"
#include "ingest/reject_list.h"

#include <stdio.h>
#include <string.h>

enum { SLOTS_PER_WORKER = 4, WRITE_SIZE = 256 * 1024 };

typedef struct slot {
    bool taken;
    sm_place place; /* of the slice */
    sm_input_counts counts;
    sm_reject_list list;
} slot;

struct sm_rejects {
    sm_rejects_options options;
    sm_lock *lock;
    slot *slots;
    size_t slot_count;
    uint64_t next;
    bool abandoned;
    sm_error failed;       /* once set, nothing is applied any more */
    uint64_t turn_rejects; /* of the slice whose turn it is, applied in parts before its end */

    sm_input_counts *counts; /* per file */
    uint64_t by_code[SM_REJECT_COUNT];
    uint64_t total, read;

    size_t file; /* whose reject files are open, while `records` is not NULL */
    sm_file *records, *notes;
    sm_buf records_out, notes_out;
    bool wrote_files;
};

/* ---- files ----------------------------------------------------------------------------------- */

/* "/data/calls.csv.gz" -> "calls.csv"; standard input is "stdin.csv". */
static sm_bytes reject_name(const char *path)
{
    if (strcmp(path, "-") == 0) {
        return sm_bytes_text("stdin.csv");
    }
    const char *slash = strrchr(path, '/');
    sm_bytes name = sm_bytes_text(slash == NULL ? path : slash + 1);
    static const char *const suffixes[] = {".gz", ".zst"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const size_t len = strlen(suffixes[i]);
        if (name.len > len && memcmp(name.data + name.len - len, suffixes[i], len) == 0) {
            name.len -= len;
            break;
        }
    }
    return name;
}

static sm_status create(const sm_rejects *r, size_t file, const char *suffix, sm_file **out,
                        sm_error *err)
{
    const sm_bytes name = reject_name(sm_source_input(r->options.source, file)->path);
    sm_buf path;
    sm_buf_init(&path, 64 * 1024);
    sm_status st = sm_buf_printf(&path, err, "%s/%04zu-%.*s%s", r->options.directory, file,
                                 (int)name.len, (const char *)name.data, suffix);
    if (st == SM_OK) {
        st = sm_buf_append_byte(&path, '\0', err);
    }
    if (st == SM_OK) {
        st = sm_file_create((const char *)path.data, out, err);
    }
    sm_buf_free(&path);
    return st;
}

static sm_status flush(sm_file *f, sm_buf *out, sm_error *err)
{
    if (f == NULL || out->len == 0) {
        return SM_OK;
    }
    const sm_status st = sm_file_write(f, out->data, out->len, err);
    sm_buf_clear(out);
    return st;
}

static sm_status finish_file(sm_file **f, sm_buf *out, sm_error *err)
{
    if (*f == NULL) {
        return SM_OK;
    }
    sm_status st = flush(*f, out, err);
    if (st == SM_OK) {
        st = sm_file_sync(*f, err);
    }
    const sm_status closed = sm_file_close(f, err);
    return st == SM_OK ? closed : st;
}

static sm_status finish_files(sm_rejects *r, sm_error *err)
{
    const sm_status st = finish_file(&r->records, &r->records_out, err);
    const sm_status notes = finish_file(&r->notes, &r->notes_out, err);
    return st == SM_OK ? notes : st;
}

static sm_status open_files(sm_rejects *r, size_t file, sm_error *err)
{
    if (r->records != NULL && r->file == file) {
        return SM_OK;
    }
    sm_status st = finish_files(r, err);
    if (st == SM_OK) {
        r->file = file;
        r->wrote_files = true;
        st = create(r, file, "", &r->records, err);
    }
    if (st == SM_OK) {
        st = create(r, file, ".jsonl", &r->notes, err);
    }
    const sm_bytes header = sm_source_input(r->options.source, file)->header;
    return st == SM_OK ? sm_buf_append(&r->records_out, header.data, header.len, err) : st;
}

static bool ends_line(sm_bytes record)
{
    return record.len != 0 &&
           (record.data[record.len - 1] == '\n' || record.data[record.len - 1] == '\r');
}

static sm_bytes piece(const sm_reject_list *l, size_t at, size_t len)
{
    return (sm_bytes){l->bytes.data + at, len};
}

static sm_status add_note(sm_rejects *r, const sm_reject_list *l, const sm_reject_entry *e,
                          sm_error *err)
{
    sm_json j;
    sm_json_start(&j, &r->notes_out, true, err);
    sm_json_open_object(&j, NULL);
    sm_json_text(&j, "file", sm_source_input(r->options.source, e->place.file)->path);
    sm_json_uint(&j, "line", e->place.line);
    sm_json_uint(&j, "offset", e->place.offset);
    sm_json_uint(&j, "record", e->place.record);
    if (e->has_field) {
        sm_json_bytes(&j, "field", piece(l, e->field_at, e->field_len));
    } else {
        sm_json_text(&j, "field", NULL);
    }
    sm_json_text(&j, "code", sm_reject_text(e->code));
    sm_json_bytes(&j, "message", piece(l, e->text_at, e->text_len));
    sm_json_close_object(&j);
    return sm_json_finish(&j);
}

/* The record's own bytes, with a line end where the input had none, so that what follows stays
 * apart. */
static sm_status write_reject(sm_rejects *r, const sm_reject_list *l, const sm_reject_entry *e,
                              sm_error *err)
{
    const sm_bytes original = piece(l, e->original_at, e->original_len);
    sm_status st = open_files(r, e->place.file, err);
    if (st == SM_OK) {
        st = sm_buf_append(&r->records_out, original.data, original.len, err);
    }
    if (st == SM_OK && !ends_line(original)) {
        st = sm_buf_append_byte(&r->records_out, '\n', err);
    }
    if (st == SM_OK) {
        st = add_note(r, l, e, err);
    }
    if (st == SM_OK && r->records_out.len >= WRITE_SIZE) {
        st = flush(r->records, &r->records_out, err);
    }
    if (st == SM_OK && r->notes_out.len >= WRITE_SIZE) {
        st = flush(r->notes, &r->notes_out, err);
    }
    return st;
}

/* ---- applying in order ----------------------------------------------------------------------- */

static const char *shown_directory(const sm_rejects *r)
{
    return r->options.published != NULL ? r->options.published : r->options.directory;
}

static sm_status one_too_many(const sm_rejects *r, const sm_reject_list *l,
                              const sm_reject_entry *e, sm_error *err)
{
    const char *path = sm_source_input(r->options.source, e->place.file)->path;
    const sm_bytes name = reject_name(path);
    const sm_status st = sm_fail(
        err, SM_E_REJECTS,
        "%s: line %llu (record %llu, byte offset %llu): %s: %.*s%s%.*s; this is reject %llu, "
        "limits.rejects allows %llu; "
        "see %s/%04zu-%.*s.jsonl, then correct the input or raise the limit",
        path, (unsigned long long)e->place.line, (unsigned long long)e->place.record,
        (unsigned long long)e->place.offset, sm_reject_text(e->code), (int)e->field_len,
        (const char *)l->bytes.data + e->field_at, e->has_field ? ": " : "", (int)e->text_len,
        (const char *)l->bytes.data + e->text_at, (unsigned long long)r->total,
        (unsigned long long)r->options.limit.count, shown_directory(r), (size_t)e->place.file,
        (int)name.len, (const char *)name.data);
    if (err != NULL) {
        err->place = sm_place_order(&e->place);
    }
    return st;
}

static sm_status apply_list(sm_rejects *r, const sm_reject_list *l, sm_error *err)
{
    const size_t count = sm_reject_list_count(l);
    for (size_t i = 0; i < count; i++) {
        const sm_reject_entry *e = sm_reject_list_at(l, i);
        const sm_status st = write_reject(r, l, e, err);
        if (st != SM_OK) {
            if (err != NULL) {
                err->place = sm_place_order(&e->place);
            }
            return st;
        }
        r->total++;
        r->by_code[e->code]++;
        if (!r->options.limit.is_percent && r->total > r->options.limit.count) {
            return one_too_many(r, l, e, err);
        }
    }
    return SM_OK;
}

static void add_counts(sm_input_counts *to, const sm_input_counts *from)
{
    to->records_read += from->records_read;
    to->records_accepted += from->records_accepted;
    to->records_rejected += from->records_rejected;
    to->records_filtered += from->records_filtered;
    to->records_out_of_range += from->records_out_of_range;
    to->reader.blank_lines += from->reader.blank_lines;
    to->reader.comment_lines += from->reader.comment_lines;
    to->reader.extra_columns += from->reader.extra_columns;
    to->reader.repeated_local_times += from->reader.repeated_local_times;
    to->reader.missing_local_times += from->reader.missing_local_times;
}

static void empty_list(sm_reject_list *l)
{
    sm_buf_clear(&l->bytes);
    sm_buf_clear(&l->entries);
    sm_reject_list_reached(l, &(sm_input_counts){0});
}

/* The run stops within this slice, at the last of the `applied` rejects of this list: what lies
 * behind it doesn't count, wherever the slice happens to end. */
static void count_until(sm_rejects *r, size_t file, const sm_reject_list *l, uint64_t applied)
{
    sm_input_counts *to = &r->counts[file];
    const sm_reject_entry none = {.accepted = 0};
    const sm_reject_entry *last = applied == 0 ? &none : sm_reject_list_at(l, (size_t)applied - 1);
    const uint64_t rejected = r->turn_rejects + applied;
    to->records_read += last->accepted + last->filtered + rejected;
    to->records_accepted += last->accepted;
    to->records_filtered += last->filtered;
    to->records_out_of_range += last->out_of_range;
    to->records_rejected += rejected;
}

/* Applies all slices whose turn has come. */
static sm_status apply_ready(sm_rejects *r, sm_error *err)
{
    for (;;) {
        slot *s = &r->slots[r->next % r->slot_count];
        if (!s->taken) {
            return SM_OK;
        }
        const uint64_t before = r->total;
        const sm_status st = apply_list(r, &s->list, err);
        if (st != SM_OK) {
            count_until(r, s->place.file, &s->list, r->total - before);
            return st;
        }
        add_counts(&r->counts[s->place.file], &s->counts);
        r->read += s->counts.records_read;
        empty_list(&s->list);
        s->taken = false;
        r->turn_rejects = 0;
        r->next++;
        sm_lock_wake_all(r->lock);
    }
}

static sm_status interrupted(sm_error *err)
{
    const sm_status st =
        sm_fail(err, SM_E_INTERRUPTED, "interrupted: another worker stopped the run");
    if (err != NULL) {
        err->place = UINT64_MAX;
    }
    return st;
}

/* Waits until the queue reaches as far as this slice. */
static bool wait_for_slot(sm_rejects *r, uint64_t sequence)
{
    while (sequence - r->next >= r->slot_count) {
        if (r->abandoned || r->failed.code != SM_OK || sm_stop_asked(r->options.stop) != 0) {
            return false;
        }
        sm_lock_wait(r->lock);
    }
    return true;
}

static sm_status tell_failure(sm_rejects *r, sm_error *err)
{
    if (err != NULL && err->code == SM_OK) {
        *err = r->failed;
    }
    sm_lock_wake_all(r->lock);
    return r->failed.code;
}

/* Waits for the slice's turn: everything before it has been applied. */
static sm_status commit_part_locked(sm_rejects *r, const sm_slice *slice,
                                    const sm_reject_list *list, sm_error *err)
{
    while (r->next < slice->sequence) {
        if (r->abandoned || r->failed.code != SM_OK || sm_stop_asked(r->options.stop) != 0) {
            return interrupted(err);
        }
        sm_lock_wait(r->lock);
    }
    if (r->failed.code != SM_OK) {
        return interrupted(err);
    }
    const uint64_t before = r->total;
    const sm_status st = apply_list(r, list, &r->failed);
    if (st != SM_OK) {
        count_until(r, slice->place.file, list, r->total - before);
        return tell_failure(r, err);
    }
    r->turn_rejects += r->total - before;
    return SM_OK;
}

sm_status sm_rejects_commit_part(sm_rejects *r, const sm_slice *slice, sm_reject_list *list,
                                 sm_error *err)
{
    sm_lock_take(r->lock);
    const sm_status st = commit_part_locked(r, slice, list, err);
    sm_lock_give(r->lock);
    sm_buf_clear(&list->bytes);
    sm_buf_clear(&list->entries);
    return st;
}

static sm_status commit_locked(sm_rejects *r, const sm_slice *slice, const sm_input_counts *counts,
                               sm_reject_list *list, sm_error *err)
{
    if (!wait_for_slot(r, slice->sequence) || r->failed.code != SM_OK) {
        return interrupted(err);
    }
    slot *s = &r->slots[slice->sequence % r->slot_count];
    if (slice->sequence < r->next || s->taken) {
        return sm_fail(err, SM_E_INTERNAL, "slice %llu is committed twice",
                       (unsigned long long)slice->sequence);
    }
    s->taken = true;
    s->place = slice->place;
    s->counts = *counts;
    const sm_reject_list empty = s->list;
    s->list = *list;
    *list = empty;
    const sm_status st = apply_ready(r, &r->failed);
    return st == SM_OK ? st : tell_failure(r, err);
}

sm_status sm_rejects_commit(sm_rejects *r, const sm_slice *slice, const sm_input_counts *counts,
                            sm_reject_list *list, sm_error *err)
{
    sm_lock_take(r->lock);
    const sm_status st = commit_locked(r, slice, counts, list, err);
    sm_lock_give(r->lock);
    empty_list(list);
    return st;
}

void sm_rejects_abandon(sm_rejects *r)
{
    sm_lock_take(r->lock);
    r->abandoned = true;
    sm_lock_wake_all(r->lock);
    sm_lock_give(r->lock);
}

/* ---- open and close -------------------------------------------------------------------------- */

static sm_status make_parts(sm_rejects *r, sm_error *err)
{
    const size_t files = sm_source_input_count(r->options.source);
    r->slot_count = (size_t)SLOTS_PER_WORKER * (r->options.workers == 0 ? 1 : r->options.workers);
    r->slots = sm_calloc(r->slot_count, sizeof *r->slots);
    r->counts = sm_calloc(files, sizeof *r->counts);
    if (r->slots == NULL || r->counts == NULL) {
        return sm_fail_memory(err, r->slot_count * sizeof *r->slots + files * sizeof *r->counts,
                              "the reject lists");
    }
    for (size_t i = 0; i < r->slot_count; i++) {
        sm_reject_list_init(&r->slots[i].list);
    }
    return sm_lock_new(&r->lock, err);
}

sm_status sm_rejects_open(const sm_rejects_options *options, sm_rejects **out, sm_error *err)
{
    *out = NULL;
    void *memory = NULL;
    sm_status st = sm_new(sizeof **out, "the reject lists", &memory, err);
    if (st != SM_OK) {
        return st;
    }
    sm_rejects *r = memory;
    r->options = *options;
    sm_buf_init(&r->records_out, SIZE_MAX / 2);
    sm_buf_init(&r->notes_out, SIZE_MAX / 2);
    st = make_parts(r, err);
    if (st != SM_OK) {
        sm_rejects_free(r);
        return st;
    }
    *out = r;
    return SM_OK;
}

static sm_status judge_percent(const sm_rejects *r, sm_error *err)
{
    const double percent = r->read == 0 ? 0.0 : 100.0 * (double)r->total / (double)r->read;
    if (!r->options.limit.is_percent || percent <= r->options.limit.percent) {
        return SM_OK;
    }
    return sm_fail(err, SM_E_REJECTS,
                   "%llu of %llu records (%.4g%%) were rejected, limits.rejects allows %.4g%%; see "
                   "%s, then correct "
                   "the input or raise the limit",
                   (unsigned long long)r->total, (unsigned long long)r->read, percent,
                   r->options.limit.percent, shown_directory(r));
}

sm_status sm_rejects_finish(sm_rejects *r, sm_error *err)
{
    for (size_t i = 0; i < r->slot_count; i++) {
        if (r->slots[i].taken && r->failed.code == SM_OK) {
            return sm_fail(err, SM_E_INTERNAL, "slice %llu was never committed",
                           (unsigned long long)r->next);
        }
    }
    sm_status st = finish_files(r, err);
    if (st == SM_OK && r->wrote_files) {
        st = sm_fs_sync_dir(r->options.directory, err);
    }
    return st == SM_OK ? judge_percent(r, err) : st;
}

void sm_rejects_free(sm_rejects *r)
{
    if (r == NULL) {
        return;
    }
    sm_error ignored = {.code = SM_OK};
    if (finish_files(r, &ignored) != SM_OK) {
        sm_file_discard(&r->records);
        sm_file_discard(&r->notes);
    }
    for (size_t i = 0; r->slots != NULL && i < r->slot_count; i++) {
        sm_reject_list_release(&r->slots[i].list);
    }
    sm_buf_free(&r->records_out);
    sm_buf_free(&r->notes_out);
    sm_free(r->slots);
    sm_free(r->counts);
    sm_lock_free(r->lock);
    sm_free(r);
}

const sm_input_counts *sm_rejects_counts(const sm_rejects *r, size_t file)
{
    return &r->counts[file];
}

const uint64_t *sm_rejects_by_code(const sm_rejects *r)
{
    return r->by_code;
}

uint64_t sm_rejects_total(const sm_rejects *r)
{
    return r->total;
}
