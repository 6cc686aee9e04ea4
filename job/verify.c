/* SPDX-License-Identifier: Apache-2.0 */
/* A dataset against its manifest. Files are checked by several workers, each whole: format, order,
 * counts, region bounds; then that nothing else lies in the dataset. */
#include "core/counter.h"
#include "core/fs.h"
#include "core/par.h"
#include "formats/dataset.h"
#include "formats/dataset_paths.h"
#include "formats/hfile_reader.h"
#include "job/saltmill.h"

#include <string.h>

typedef struct verification {
    const char *dataset;
    const sm_manifest *manifest;
    const char **paths;
    sm_hfile_check *checks;
    sm_counter next;
} verification;

static sm_status mismatch(const char *path, const char *what, const uint64_t found_expected[2],
                          sm_error *err)
{
    return sm_fail(err, SM_E_VERIFY, "%s: %s is %llu, but the manifest says %llu", path, what,
                   (unsigned long long)found_expected[0], (unsigned long long)found_expected[1]);
}

static sm_status compare_counts(const char *path, const sm_manifest_file *f,
                                const sm_hfile_check *c, sm_error *err)
{
    const struct {
        const char *what;
        uint64_t pair[2];
    } numbers[] = {{"size", {c->bytes, f->bytes}},
                   {"xxh64", {c->xxh64, f->xxh64}},
                   {"cells", {c->cells, f->cells}},
                   {"rows", {c->rows, f->rows}},
                   {"oldest timestamp", {(uint64_t)c->oldest, (uint64_t)f->oldest}},
                   {"newest timestamp", {(uint64_t)c->newest, (uint64_t)f->newest}}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i].pair[0] != numbers[i].pair[1]) {
            return mismatch(path, numbers[i].what, numbers[i].pair, err);
        }
    }
    return SM_OK;
}

static const sm_manifest_table *table_of(const sm_manifest *m, const sm_manifest_file *f)
{
    for (size_t i = 0; i < m->table_count; i++) {
        if (strcmp(m->tables[i].name, f->table) == 0 && f->region <= m->tables[i].split_count) {
            return &m->tables[i];
        }
    }
    return NULL;
}

/* First and last row as the file has them, within the region as the splits have it. */
static sm_status check_bounds(const verification *v, const char *path, const sm_manifest_file *f,
                              sm_error *err)
{
    const sm_manifest_table *t = table_of(v->manifest, f);
    if (t == NULL) {
        return sm_fail(err, SM_E_VERIFY, "%s: its table or region is not in the manifest", path);
    }
    sm_hfile *h = NULL;
    sm_status st = sm_hfile_open(path, &h, err);
    if (st != SM_OK) {
        return st;
    }
    const sm_hfile_info *info = sm_hfile_info_of(h);
    const bool starts =
        f->region == 0 || sm_bytes_compare(info->first_row, t->splits[f->region - 1]) >= 0;
    const bool ends =
        f->region == t->split_count || sm_bytes_compare(info->last_row, t->splits[f->region]) < 0;
    if (!starts || !ends) {
        st = sm_fail(err, SM_E_VERIFY, "%s: holds rows outside region %u of table %s", path,
                     f->region, f->table);
    } else if (!sm_bytes_equal(info->first_row, f->first_key) ||
               !sm_bytes_equal(info->last_row, f->last_key)) {
        st = sm_fail(err, SM_E_VERIFY, "%s: first or last row differs from the manifest's", path);
    }
    sm_hfile_close(h);
    return st;
}

static sm_status verify_file(verification *v, size_t i, sm_error *err)
{
    const sm_manifest_file *f = &v->manifest->files[i];
    sm_error inner = {.code = SM_OK};
    sm_status st = sm_hfile_verify(v->paths[i], &v->checks[i], &inner);
    if (st != SM_OK) {
        return sm_fail(err, st == SM_E_MEMORY ? st : SM_E_VERIFY, "%s", inner.text);
    }
    st = compare_counts(v->paths[i], f, &v->checks[i], err);
    return st == SM_OK ? check_bounds(v, v->paths[i], f, err) : st;
}

static sm_status verify_worker(void *context, unsigned worker, sm_error *err)
{
    verification *v = context;
    (void)worker;
    for (;;) {
        const size_t i = sm_counter_take(&v->next);
        if (i >= v->manifest->file_count) {
            return SM_OK;
        }
        const sm_status st = verify_file(v, i, err);
        if (st != SM_OK) {
            err->place = i + 1;
            return st;
        }
    }
}

/* The manifest's own sums. */
static sm_status verify_sums(const sm_manifest *m, const char *path, sm_error *err)
{
    if (m->counts.read != m->counts.accepted + m->counts.rejected + m->counts.filtered) {
        return mismatch(
            path, "accepted + rejected + filtered",
            (const uint64_t[]){m->counts.accepted + m->counts.rejected + m->counts.filtered,
                               m->counts.read},
            err);
    }
    if (m->counts.out_of_range > m->counts.filtered) {
        return mismatch(path, "records_out_of_range, which are among the filtered,",
                        (const uint64_t[]){m->counts.out_of_range, m->counts.filtered}, err);
    }
    for (size_t t = 0; t < m->table_count; t++) {
        for (size_t k = 0; k < m->tables[t].family_count; k++) {
            const sm_manifest_family *family = &m->tables[t].families[k];
            uint64_t cells = 0;
            for (size_t i = 0; i < m->file_count; i++) {
                const sm_manifest_file *f = &m->files[i];
                cells +=
                    strcmp(f->table, m->tables[t].name) == 0 && strcmp(f->family, family->name) == 0
                        ? f->cells
                        : 0;
            }
            if (cells != family->cells.written ||
                family->cells.made != family->cells.written + family->cells.dropped) {
                return mismatch(path, "the sum of a family's cells",
                                (const uint64_t[]){cells, family->cells.written}, err);
            }
        }
    }
    return SM_OK;
}

static sm_status make_paths(verification *v, sm_arena *arena, sm_error *err)
{
    const size_t n = v->manifest->file_count;
    v->paths = sm_arena_array(arena, n + 1, sizeof *v->paths);
    v->checks = sm_arena_array(arena, n + 1, sizeof *v->checks);
    for (size_t i = 0; v->paths != NULL && i < n; i++) {
        v->paths[i] = sm_path_join(arena, v->dataset, v->manifest->files[i].path);
        if (v->paths[i] == NULL) {
            return sm_fail_memory(err, 0, "paths");
        }
    }
    return v->paths == NULL || v->checks == NULL ? sm_fail_memory(err, 0, "paths") : SM_OK;
}

static sm_status verify_all(verification *v, unsigned threads, sm_arena *arena,
                            const char *manifest_path, sm_error *err)
{
    sm_status st = verify_sums(v->manifest, manifest_path, err);
    if (st == SM_OK) {
        st = make_paths(v, arena, err);
    }
    if (st == SM_OK) {
        st = sm_par_run(threads, verify_worker, v, err);
    }
    if (st == SM_OK) {
        sm_error inner = {.code = SM_OK};
        st = sm_dataset_check_owned(arena, v->dataset, v->manifest, &inner);
        st = st == SM_OK ? st : sm_fail(err, SM_E_VERIFY, "%s", inner.text);
    }
    return st;
}

sm_status sm_verify(const char *dataset, unsigned threads, sm_verify_report *report, sm_error *err)
{
    sm_arena *arena = NULL;
    sm_manifest manifest;
    *report = (sm_verify_report){0, 0, 0};
    sm_status st = sm_arena_new(64 << 10, &arena, err);
    if (st != SM_OK) {
        return st;
    }
    verification v = {.dataset = dataset, .manifest = &manifest};
    sm_counter_start(&v.next);
    const char *path = sm_path_join(arena, dataset, SM_MANIFEST_NAME);
    st = path == NULL ? sm_fail_memory(err, 0, "paths")
                      : sm_manifest_read(path, arena, &manifest, err);
    if (st == SM_OK) {
        st = verify_all(&v, threads, arena, path, err);
    }
    for (size_t i = 0; st == SM_OK && i < manifest.file_count; i++) {
        report->files++;
        report->cells += v.checks[i].cells;
        report->bytes += v.checks[i].bytes;
    }
    sm_arena_free(arena);
    return st;
}
