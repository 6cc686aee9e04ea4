/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the schema matched to the columns of one file, by name or by position, with messages
 * that a person can act on when one isn't there. */
#include "ingest/csv_columns.h"

#include "core/escape.h"
#include "core/nearest.h"
#include "core/number.h"

#include <stdio.h>

enum { LIST_SIZE = 400, NAME_SIZE = 80 };

/* "a, b, c" in escaped form, cut with "..." when there are too many. */
static void list_names(const sm_bytes *names, size_t count, char out[LIST_SIZE])
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char name[NAME_SIZE];
        (void)sm_escape_short(names[i], name, sizeof name);
        if (used + strlen(name) + 8 > LIST_SIZE) {
            (void)snprintf(out + used, LIST_SIZE - used, ", ...");
            return;
        }
        used += (size_t)snprintf(out + used, LIST_SIZE - used, "%s%s", i == 0 ? "" : ", ", name);
    }
}

/* "c17" -> 16; -1 when the name has another form. */
static int numbered_column(const char *name)
{
    uint64_t number = 0;
    if (name[0] != 'c' || name[1] == '0' || !sm_parse_uint(sm_bytes_text(name + 1), &number) ||
        number > INT32_MAX) {
        return -1;
    }
    return (int)number - 1;
}

static const char *nearest_name(const char *wanted, const sm_bytes *names, size_t count,
                                sm_arena *arena)
{
    sm_nearest nearest;
    sm_nearest_start(&nearest, sm_bytes_text(wanted));
    for (size_t i = 0; i < count; i++) {
        const char *name = sm_arena_text(arena, names[i].data, names[i].len);
        if (name != NULL) {
            sm_nearest_offer(&nearest, name);
        }
    }
    return sm_nearest_best(&nearest);
}

static sm_status missing_column(const sm_csv_header *h, const sm_field *field, sm_arena *arena,
                                sm_error *err)
{
    if (h->names == NULL || field->column >= 0) {
        char wanted[NAME_SIZE];
        (void)sm_escape_short(sm_bytes_text(field->name), wanted, sizeof wanted);
        return sm_fail(
            err, SM_E_INPUT_COLUMN,
            "%s: the job uses column \"%s\"%s, but the file's records have %zu field%s%s", h->path,
            wanted, field->column >= 0 ? " by its position" : "", h->count,
            h->count == 1 ? "" : "s",
            h->names == NULL ? ", called c1, c2, ... (no header; csv.columns can name them)" : "");
    }
    char list[LIST_SIZE];
    char wanted[NAME_SIZE];
    char hint[NAME_SIZE];
    list_names(h->names, h->count, list);
    const char *near = nearest_name(field->name, h->names, h->count, arena);
    (void)sm_escape_short(near == NULL ? (sm_bytes){NULL, 0} : sm_bytes_text(near), hint,
                          sizeof hint);
    return sm_fail(err, SM_E_INPUT_COLUMN,
                   "%s: the column \"%s\" that the job uses is missing%s%s%s; the file has: %s",
                   h->path, sm_escape_short(sm_bytes_text(field->name), wanted, sizeof wanted),
                   near == NULL ? "" : " (did you mean \"", hint, near == NULL ? "" : "\"?)", list);
}

/* Position of a name; *again is the second one of the same name, or -1. */
static int find_name(const char *wanted, const sm_bytes *names, size_t count, int *again)
{
    int found = -1;
    *again = -1;
    for (size_t i = 0; i < count; i++) {
        if (!sm_bytes_equal_text(names[i], wanted)) {
            continue;
        }
        if (found >= 0) {
            *again = (int)i;
            break;
        }
        found = (int)i;
    }
    return found;
}

static sm_status column_of(const sm_csv_header *h, const sm_field *field, int *out, sm_error *err)
{
    int again = -1;
    if (field->column >= 0) {
        *out = field->column;
    } else if (h->names == NULL) {
        *out = numbered_column(field->name);
    } else {
        *out = find_name(field->name, h->names, h->count, &again);
    }
    if (again >= 0 && field->used) {
        char name[NAME_SIZE];
        return sm_fail(err, SM_E_INPUT_COLUMN,
                       "%s: the column \"%s\" that the job uses occurs twice, as columns %d and "
                       "%d; rename one, "
                       "or address it by its position",
                       h->path, sm_escape_short(sm_bytes_text(field->name), name, sizeof name),
                       *out + 1, again + 1);
    }
    if (*out >= 0 && (size_t)*out >= h->count) {
        *out = -1;
    }
    return SM_OK;
}

static sm_status column_and_group(const sm_csv_header *h, const sm_field *field, int column,
                                  sm_error *err)
{
    char name[NAME_SIZE];
    return sm_fail(
        err, SM_E_INPUT_COLUMN,
        "%s: \"%s\" is a group of input.path_fields and also column %d of the file; call "
        "the group something else",
        h->path, sm_escape_short(sm_bytes_text(field->name), name, sizeof name), column + 1);
}

static uint64_t count_extra(const sm_schema *schema, const int *of_field, size_t count, bool *read)
{
    for (size_t i = 0; i < schema->count; i++) {
        if (of_field[i] >= 0 && schema->fields[i].used) {
            read[of_field[i]] = true;
        }
    }
    uint64_t extra = 0;
    for (size_t i = 0; i < count; i++) {
        extra += !read[i];
    }
    return extra;
}

sm_status sm_csv_resolve_columns(const sm_schema *schema, const sm_csv_header *header,
                                 sm_arena *arena, sm_columns *out, sm_error *err)
{
    const size_t count = header->count;
    int *of_field = sm_arena_array(arena, schema->count, sizeof *of_field);
    bool *read = sm_arena_array(arena, count, sizeof *read);
    if (of_field == NULL || read == NULL) {
        return sm_fail_memory(err, schema->count * sizeof *of_field + count, "the list of columns");
    }
    for (size_t i = 0; i < schema->count; i++) {
        const sm_field *field = &schema->fields[i];
        const sm_status st = column_of(header, field, &of_field[i], err);
        if (st != SM_OK) {
            return st;
        }
        if (of_field[i] >= 0 && field->from_path) {
            return column_and_group(header, field, of_field[i], err);
        }
        if (of_field[i] < 0 && field->used && !field->from_path) {
            return missing_column(header, field, arena, err);
        }
    }
    *out = (sm_columns){count, of_field, header->names, count_extra(schema, of_field, count, read)};
    return SM_OK;
}
