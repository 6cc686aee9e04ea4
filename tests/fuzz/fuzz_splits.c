/* SPDX-License-Identifier: Apache-2.0 */
/* Files of split keys: what comes out is sorted, unique, and routes each key to its region. */
#include "partitioner/splits.h"
#include "support.h"

static void check(const sm_splits *s)
{
    for (size_t i = 0; i < s->count; i++) {
        fuzz_require(s->keys[i].len != 0, "no key is empty");
        fuzz_require(i == 0 || sm_bytes_compare(s->keys[i - 1], s->keys[i]) < 0, "sorted, unique");
        fuzz_require(sm_splits_route(s, s->keys[i]) == i + 1, "a region begins at its key");
        const sm_bytes before = {s->keys[i].data, s->keys[i].len - 1};
        const size_t region = sm_splits_route(s, before);
        fuzz_require(region <= i && sm_bytes_compare(sm_splits_start(s, region), before) <= 0,
                     "a prefix comes before");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_arena *arena = NULL;
    const sm_splits *splits = NULL;
    sm_error err = {.code = SM_OK};
    const sm_split_spec spec = {.kind = SM_SPLITS_FILE,
                                .where = "tables[0].splits",
                                .path = fuzz_file(sm_bytes_of(data, size))};
    fuzz_ok(sm_arena_new(4096, &arena, NULL), "an arena");
    if (sm_splits_make(arena, &spec, &splits, &err) == SM_OK) {
        check(splits);
    } else {
        fuzz_require(err.text[0] != '\0', "an error has a text");
    }
    sm_arena_free(arena);
    return 0;
}
