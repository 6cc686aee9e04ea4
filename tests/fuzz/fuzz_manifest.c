/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests: everything that was read can be looked at, and no path leaves the dataset. */
#include "formats/manifest.h"
#include "support.h"

#include <stdio.h>

static void check(const sm_manifest *m)
{
    size_t bytes = strlen(m->run_fingerprint) + strlen(m->output_format);
    for (size_t i = 0; i < m->table_count; i++) {
        const sm_manifest_table *t = &m->tables[i];
        bytes += strlen(t->name) + strlen(t->fingerprint) + strlen(t->directory);
        for (size_t k = 0; k < t->split_count; k++) {
            bytes += t->splits[k].len == 0 ? 0 : t->splits[k].data[t->splits[k].len - 1];
        }
        for (size_t k = 0; k < t->family_count; k++) {
            bytes += strlen(t->families[k].name);
        }
    }
    for (size_t i = 0; i < m->file_count; i++) {
        const sm_manifest_file *f = &m->files[i];
        bytes += strlen(f->table) + strlen(f->family) + f->first_key.len + f->last_key.len;
        char path[4096];
        (void)snprintf(path, sizeof path, "/%s/", f->path);
        fuzz_require(strstr(path, "/../") == NULL && strstr(path, "//") == NULL,
                     "paths stay inside");
    }
    fuzz_require(bytes < SIZE_MAX, "texts have an end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_arena *arena = NULL;
    sm_manifest m;
    sm_error err = {.code = SM_OK};
    fuzz_ok(sm_arena_new(4096, &arena, NULL), "an arena");
    if (sm_manifest_read(fuzz_file(sm_bytes_of(data, size)), arena, &m, &err) == SM_OK) {
        check(&m);
    } else {
        fuzz_require(err.text[0] != '\0', "an error has a text");
    }
    sm_arena_free(arena);
    return 0;
}
