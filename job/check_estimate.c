/* SPDX-License-Identifier: Apache-2.0 */
/* How large a region's HFiles will be beside the data: index entries and bloom chunks, as the
 * writer sizes them. Estimates: families share a region's bytes as they share the table's, every
 * key has the mean length and cells in every family, a block closes at its size. */
#include "formats/hfile_bloom.h"
#include "job/check_engine.h"

enum { INDEX_ENTRY = 8 + 4 + 4, CELL_KEY = 2 + 1 + 8 + 1 };

static uint64_t bloom_bytes(const sm_job_family *family, uint64_t keys)
{
    sm_hfile_bloom b;
    if (family->sink.bloom == SM_BLOOM_NONE || keys == 0) {
        return 0;
    }
    const uint32_t chunk = family->sink.bloom_block_size;
    sm_hfile_bloom_init(&b, chunk != 0 ? chunk : SM_BLOOM_BLOCK_SIZE_DEFAULT);
    const uint64_t rest = keys % b.chunk_keys;
    uint64_t last = rest == 0 ? 0 : b.chunk_bytes;
    for (uint64_t most = b.chunk_keys; last % 2 == 0 && last != 0 && most > 2 * rest; most /= 2) {
        last /= 2;
    }
    const uint64_t bytes = keys / b.chunk_keys * b.chunk_bytes + last;
    sm_hfile_bloom_free(&b);
    return bytes;
}

void sm_check_estimate(const sm_job_table *table, const sm_check_table *facts,
                       sm_check_region *region)
{
    if (region->images == 0 || facts->plain_bytes == 0) {
        return;
    }
    const double part = (double)region->bytes / (double)facts->plain_bytes;
    for (size_t i = 0; i < table->family_count; i++) {
        const sm_check_family *f = &facts->families[i];
        if (f->cells == 0) {
            continue;
        }
        const double bytes = (double)f->plain_bytes * part;
        const uint32_t size = table->families[i].sink.block_size;
        const uint64_t blocks = (uint64_t)(bytes / (size != 0 ? size : SM_BLOCK_SIZE_DEFAULT)) + 1;
        const uint64_t entry = INDEX_ENTRY + CELL_KEY +
                               (f->key_bytes + f->family_bytes + f->qualifier_bytes) / f->cells;
        region->data_blocks += blocks;
        region->index_bytes += blocks * entry;
        region->bloom_bytes += bloom_bytes(&table->families[i], region->keys);
    }
}
