/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill inspect: what an HFile holds, as a report or cell by cell. */
#include "cli/cli.h"
#include "core/escape.h"
#include "formats/hfile_reader.h"

#include <string.h>

static sm_status print_escaped(sm_buf *scratch, sm_bytes bytes, char end, sm_error *err)
{
    sm_buf_clear(scratch);
    sm_status st = sm_escape(bytes, scratch, err);
    if (st == SM_OK) {
        st = sm_buf_append_byte(scratch, (uint8_t)end, err);
    }
    if (st == SM_OK) {
        sm_out_bytes(sm_buf_view(scratch));
    }
    return st;
}

static const char *type_name(uint8_t type)
{
    switch (type) {
    case SM_CELL_PUT: return "Put";
    case SM_CELL_DELETE: return "Delete";
    case SM_CELL_DELETE_FAMILY_VERSION: return "DeleteFamilyVersion";
    case SM_CELL_DELETE_COLUMN: return "DeleteColumn";
    case SM_CELL_DELETE_FAMILY: return "DeleteFamily";
    default: return "unknown";
    }
}

static sm_status print_cell(const sm_cell *c, sm_buf *scratch, sm_error *err)
{
    sm_status st = print_escaped(scratch, c->row, '\t', err);
    if (st == SM_OK) {
        st = print_escaped(scratch, c->family, '\t', err);
    }
    if (st == SM_OK) {
        st = print_escaped(scratch, c->qualifier, '\t', err);
    }
    if (st == SM_OK) {
        sm_out_text("%lld\t%s\t", (long long)c->timestamp, type_name(c->type));
        st = print_escaped(scratch, c->value, '\n', err);
    }
    return st;
}

static sm_status print_cells(sm_hfile *h, uint64_t limit, sm_buf *scratch, sm_error *err)
{
    sm_status st = SM_OK;
    for (uint64_t i = 0; st == SM_OK && i < limit; i++) {
        sm_cell cell;
        bool more = false;
        st = sm_hfile_next(h, &cell, &more, err);
        if (st == SM_OK && !more) {
            return SM_OK;
        }
        if (st == SM_OK) {
            st = print_cell(&cell, scratch, err);
        }
    }
    return st;
}

static void print_sizes(const char *path, const sm_hfile_info *i)
{
    static const char *const framings[] = {"", " (framing: hbase)", " (framing: hadoop)"};
    sm_out_text("file: %s\n", path);
    sm_out_text("format: HFile v%u.%u\n", i->major_version, i->minor_version);
    sm_out_text("bytes: %llu (%llu uncompressed)\n", (unsigned long long)i->file_size,
                (unsigned long long)i->total_uncompressed);
    sm_out_text("cells: %llu in %llu data blocks\n", (unsigned long long)i->entries,
                (unsigned long long)i->data_blocks);
    sm_out_text("compression: %s%s\n", sm_compression_name(i->compression),
                framings[i->zstd_framing]);
    sm_out_text("encoding: %s\n", i->encoding);
    sm_out_text("bloom: %s (%llu keys in %llu chunks)\n", i->bloom,
                (unsigned long long)i->bloom_keys, (unsigned long long)i->bloom_chunks);
    sm_out_text("index: %u levels, %u entries in the root\n", i->index_levels,
                i->index_root_entries);
    sm_out_text("tags: %s, mvcc: %s\n", i->has_tags ? "yes" : "no", i->has_mvcc ? "yes" : "no");
    sm_out_text("timestamps: %lld to %lld\n", (long long)i->oldest, (long long)i->newest);
}

static sm_status print_report(const char *path, sm_hfile *h, sm_buf *scratch, sm_error *err)
{
    const sm_hfile_info *info = sm_hfile_info_of(h);
    print_sizes(path, info);
    sm_out_text("first row: ");
    sm_status st = print_escaped(scratch, info->first_row, '\n', err);
    if (st == SM_OK) {
        sm_out_text("last row: ");
        st = print_escaped(scratch, info->last_row, '\n', err);
    }
    for (size_t i = 0; st == SM_OK && i < sm_hfile_note_count(h); i++) {
        const sm_file_note note = sm_hfile_note_at(h, i);
        sm_out_text("  ");
        st = print_escaped(scratch, note.key, '=', err);
        if (st == SM_OK) {
            st = print_escaped(scratch, note.value, '\n', err);
        }
    }
    return st;
}

static sm_status inspect(const sm_cli *cli, const char *path, sm_buf *scratch, sm_error *err)
{
    sm_hfile *h = NULL;
    sm_status st = sm_hfile_open(path, &h, err);
    if (st == SM_OK) {
        st = cli->cells ? print_cells(h, cli->limit, scratch, err)
                        : print_report(path, h, scratch, err);
    }
    sm_hfile_close(h);
    return st;
}

int sm_cmd_inspect(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_buf scratch;
    sm_buf_init(&scratch, SIZE_MAX / 4);
    sm_status st = SM_OK;
    if (cli->arguments.count == 0) {
        st = sm_fail(&err, SM_E_USAGE, "inspect needs at least one file; saltmill inspect --help");
    }
    for (size_t i = 0; st == SM_OK && i < cli->arguments.count; i++) {
        st = inspect(cli, cli->arguments.items[i], &scratch, &err);
    }
    sm_buf_free(&scratch);
    return st == SM_OK ? SM_EXIT_OK : sm_cli_fail(cli, &err);
}
