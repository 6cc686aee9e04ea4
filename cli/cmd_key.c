/* SPDX-License-Identifier: Apache-2.0 */
/* saltmill key encode, saltmill key decode: one record's row key, or one row key's record, part by
 * part. Reads the job file, and no data. */
#include "cli/cli.h"
#include "core/escape.h"
#include "core/json.h"
#include "core/kv.h"
#include "core/nearest.h"
#include "job/field_text.h"
#include "job/query.h"
#include "partitioner/keydecode.h"

#include <stdio.h>
#include <string.h>

typedef struct key_report {
    sm_cli *cli;
    const sm_job *job;
    const sm_job_table *table;
    sm_key_decoder *decoder;
    sm_eval *eval;
    bool *reads; /* fields that the key is made of, schema order */
    sm_bytes row;
    const sm_key_part *parts;
    size_t part_count;
    sm_value *values; /* schema order */
    bool *known;
    bool decoded, ambiguous;
    sm_buf scratch, out;
} key_report;

/* ---- the record of the command line ---------------------------------------------------------- */

static sm_status unknown_field(const key_report *r, const char *term, size_t len, sm_error *err)
{
    sm_nearest near;
    sm_nearest_start(&near, sm_bytes_of(term, len));
    for (size_t i = 0; i < r->job->schema.count; i++) {
        sm_nearest_offer(&near, r->job->schema.fields[i].name);
    }
    const char *best = sm_nearest_best(&near);
    return sm_fail(err, SM_E_USAGE, "%s: there is no field %.*s in the job%s%s%s", term, (int)len,
                   term, best != NULL ? "; did you mean " : "", best != NULL ? best : "",
                   best != NULL ? "?" : "");
}

static sm_status read_term(key_report *r, const char *term, sm_error *err)
{
    const size_t len = strcspn(term, "=");
    if (len == 0 || term[len] != '=') {
        return sm_fail(err, SM_E_USAGE, "%s: expected a field of the record as NAME=VALUE", term);
    }
    const int field = sm_schema_find(&r->job->schema, sm_bytes_of(term, len));
    if (field < 0) {
        return unknown_field(r, term, len, err);
    }
    if (r->known[field]) {
        return sm_fail(err, SM_E_USAGE, "%s: the field %.*s is given twice", term, (int)len, term);
    }
    r->known[field] = true;
    return sm_field_read(r->job, &r->job->schema.fields[field], sm_bytes_text(term + len + 1),
                         &r->values[field], err);
}

/* A field that was not named is null, as an empty column is. */
static sm_status read_record(key_report *r, sm_error *err)
{
    for (size_t i = 0; i < r->job->schema.count; i++) {
        r->values[i].is_null = true;
    }
    for (size_t i = 2; i < r->cli->arguments.count; i++) {
        const sm_status st = read_term(r, r->cli->arguments.items[i], err);
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}

/* What the input would reject: told with the field to blame. */
static sm_status no_key(key_report *r, sm_error *err)
{
    char why[SM_REJECT_TEXT_SIZE];
    const sm_status st = sm_eval_status(r->eval, err);
    (void)sm_eval_blame(r->eval, why, sizeof why);
    return st != SM_OK ? st
                       : sm_fail(err, SM_E_USAGE, "%s: this record has no key: %s",
                                 r->table->key_where, why);
}

static sm_status encode(key_report *r, sm_error *err)
{
    const sm_record record = {.values = r->values, .count = r->job->schema.count};
    sm_value key = {0};
    sm_status st = read_record(r, err);
    if (st != SM_OK) {
        return st;
    }
    if (sm_expr_run(r->table->key, r->eval, &record, &key) != SM_REJECT_NONE) {
        return no_key(r, err);
    }
    if (key.is_null || key.bytes.len == 0 || key.bytes.len > SM_ROW_MAX) {
        return sm_fail(err, SM_E_USAGE,
                       "%s: the key of this record has %zu bytes; expected 1 to %d",
                       r->table->key_where, key.is_null ? 0 : key.bytes.len, SM_ROW_MAX);
    }
    r->row = key.bytes;
    if (sm_key_build(r->decoder, &record, &r->parts, &r->part_count) != SM_REJECT_NONE) {
        return sm_fail_memory(err, key.bytes.len, "the parts of a key");
    }
    return SM_OK;
}

/* ---- the row of the command line ------------------------------------------------------------- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static sm_status read_hex(const char *text, uint8_t *row, size_t *len, sm_error *err)
{
    const size_t digits = strlen(text);
    for (size_t i = 0; i < digits; i++) {
        const int v = hex_digit(text[i]);
        if (v < 0) {
            return sm_fail(err, SM_E_USAGE, "--hex %s: byte %zu is no hexadecimal digit", text,
                           i + 1);
        }
        row[i / 2] = (uint8_t)(i % 2 == 0 ? v << 4 : row[i / 2] | v);
    }
    *len = digits / 2;
    return digits % 2 == 0
               ? SM_OK
               : sm_fail(err, SM_E_USAGE, "--hex %s: %zu digits; expected two for each byte", text,
                         digits);
}

static sm_status read_row(key_report *r, sm_error *err)
{
    if (r->cli->arguments.count != 3) {
        return sm_fail(err, SM_E_USAGE,
                       "key decode takes a job file and one row, but %zu arguments were given; "
                       "put the row in single quotes: saltmill key --help",
                       r->cli->arguments.count - 1);
    }
    const char *text = r->cli->arguments.items[2];
    size_t len = 0;
    size_t bad_at = 0;
    uint8_t *row = sm_arena_get(r->cli->arena, strlen(text) + 1);
    if (row == NULL) {
        return sm_fail_memory(err, strlen(text), "the command line");
    }
    if (r->cli->hex) {
        const sm_status st = read_hex(text, row, &len, err);
        r->row = sm_bytes_of(row, len);
        return st;
    }
    if (sm_unescape(sm_bytes_text(text), row, &len, &bad_at) != SM_UNESCAPE_OK) {
        return sm_fail(err, SM_E_USAGE,
                       "%s: byte %zu is no part of a printed row; expected text with \\xHH in "
                       "upper case, as the HBase shell prints rows, or --hex",
                       text, bad_at + 1);
    }
    r->row = sm_bytes_of(row, len);
    return SM_OK;
}

static sm_status misfit(const key_report *r, sm_error *err)
{
    char row[200];
    char width[80] = "";
    const size_t least = sm_expr_min_width(r->table->key);
    const size_t most = sm_expr_max_width(r->table->key);
    if (r->row.len < least) {
        (void)snprintf(width, sizeof width, "; it has %zu bytes and needs at least %zu", r->row.len,
                       least);
    } else if (r->row.len > most) {
        (void)snprintf(width, sizeof width, "; it has %zu bytes and may have at most %zu",
                       r->row.len, most);
    }
    return sm_fail(err, SM_E_KEY, "no record makes the row %s under %s: %s%s",
                   sm_escape_short(r->row, row, sizeof row), r->table->key_where,
                   r->table->key_canonical, width);
}

static sm_status decode(key_report *r, sm_error *err)
{
    sm_key_decoded out;
    sm_status st = read_row(r, err);
    if (st == SM_OK) {
        st = sm_key_decode(r->decoder, r->row, &out, err);
    }
    if (st != SM_OK) {
        return st;
    }
    if (!out.fits || r->row.len == 0 || r->row.len > SM_ROW_MAX) {
        return misfit(r, err);
    }
    r->decoded = true;
    r->ambiguous = out.ambiguous;
    r->parts = out.parts;
    r->part_count = out.part_count;
    memcpy(r->values, out.values, r->job->schema.count * sizeof *r->values);
    memcpy(r->known, out.known, r->job->schema.count * sizeof *r->known);
    return SM_OK;
}

/* ---- printing -------------------------------------------------------------------------------- */

static const char *kind_name(sm_part_kind kind)
{
    static const char *const NAMES[] = {"literal", "exact", "partial", "opaque"};
    return NAMES[kind];
}

/* What a part says, as the field's type is printed; a piece of a text as it is. */
static sm_status print_value(const key_report *r, const sm_key_part *part, sm_buf *out,
                             sm_error *err)
{
    const sm_field *f = part->field < 0 ? NULL : &r->job->schema.fields[part->field];
    if (f == NULL || f->type != part->type) {
        return sm_escape(part->value.bytes, out, err);
    }
    if (f->type == SM_TYPE_DECIMAL && part->value.bytes.len == 0) {
        return sm_buf_printf(out, err, "%.17g", part->value.real);
    }
    return sm_field_print(f, &part->value, out, err);
}

static sm_status print_meaning(key_report *r, const sm_key_part *part, sm_error *err)
{
    static const char *const MEANINGS[] = {"the rule's own", "gives back", "says something about",
                                           "gives nothing back"};
    const char *name = part->field < 0 ? NULL : r->job->schema.fields[part->field].name;
    const bool field =
        name != NULL && (part->kind == SM_PART_EXACT || part->kind == SM_PART_PARTIAL);
    sm_status st = sm_buf_printf(&r->out, err, "    %zu byte%s, %s (%s): %s%s%s", part->bytes.len,
                                 part->bytes.len == 1 ? "" : "s", kind_name(part->kind),
                                 sm_type_name(part->type), MEANINGS[part->kind], field ? " " : "",
                                 field ? name : "");
    if (st == SM_OK && part->has_value) {
        st = sm_buf_printf(&r->out, err, ", ");
        if (st == SM_OK) {
            st = print_value(r, part, &r->out, err);
        }
    }
    return st == SM_OK ? sm_buf_append_byte(&r->out, '\n', err) : st;
}

static sm_status print_part(key_report *r, const sm_key_part *part, sm_error *err)
{
    sm_status st = sm_buf_printf(&r->out, err, "  %.*s\n    ", (int)part->rule.len,
                                 (const char *)part->rule.data);
    if (st == SM_OK) {
        st = sm_escape(part->bytes, &r->out, err);
    }
    if (st == SM_OK) {
        st = sm_buf_append_byte(&r->out, '\n', err);
    }
    return st == SM_OK ? print_meaning(r, part, err) : st;
}

static sm_status print_field(key_report *r, size_t i, sm_error *err)
{
    const sm_field *f = &r->job->schema.fields[i];
    sm_status st = sm_buf_printf(&r->out, err, "  %s (%s)", f->name, sm_type_name(f->type));
    if (st != SM_OK || !r->known[i]) {
        return st != SM_OK ? st : sm_buf_printf(&r->out, err, ": the key does not tell\n");
    }
    st = sm_buf_printf(&r->out, err, " = ");
    if (st == SM_OK) {
        st = sm_field_print(f, &r->values[i], &r->out, err);
    }
    if (st == SM_OK && f->type == SM_TYPE_TIME) {
        st = sm_buf_printf(&r->out, err, " (%lld ms)", (long long)r->values[i].number);
    }
    return st == SM_OK ? sm_buf_append_byte(&r->out, '\n', err) : st;
}

static sm_status print_fields(key_report *r, sm_error *err)
{
    sm_status st = sm_buf_printf(&r->out, err, "fields:\n");
    for (size_t i = 0; st == SM_OK && i < r->job->schema.count; i++) {
        if (r->reads[i]) {
            st = print_field(r, i, err);
        }
    }
    if (st == SM_OK && r->ambiguous) {
        st = sm_buf_printf(&r->out, err, "%s\n",
                           r->part_count == 0
                               ? "there are too many ways to read this row to try them all"
                               : "this row can be read in several ways; the parts show one of "
                                 "them, the fields what all of them say");
    }
    return st;
}

static sm_status print_bound(key_report *r, const char *before, sm_bytes bound, const char *open,
                             sm_error *err)
{
    const sm_status st = sm_buf_printf(&r->out, err, "%s%s", before, bound.len == 0 ? open : "");
    return st == SM_OK ? sm_escape(bound, &r->out, err) : st;
}

static sm_status print_head(key_report *r, sm_error *err)
{
    const sm_splits *splits = r->table->splits;
    const size_t region = sm_splits_route(splits, r->row);
    sm_status st = sm_buf_printf(&r->out, err, "table: %s\nrow: ", r->table->name);
    if (st == SM_OK) {
        st = sm_escape(r->row, &r->out, err);
    }
    if (st == SM_OK) {
        st = sm_buf_printf(&r->out, err, "\nlength: %zu byte%s\nregion: %zu of %zu", r->row.len,
                           r->row.len == 1 ? "" : "s", region, sm_splits_regions(splits));
    }
    if (st == SM_OK) {
        st = print_bound(r, ", from ", sm_splits_start(splits, region), "the first row", err);
    }
    if (st == SM_OK) {
        st = print_bound(r, " to before ", sm_splits_end(splits, region), "the end", err);
    }
    return st == SM_OK ? sm_buf_append_byte(&r->out, '\n', err) : st;
}

static sm_status print_report(key_report *r, sm_error *err)
{
    sm_status st = print_head(r, err);
    if (st == SM_OK) {
        st = sm_buf_printf(&r->out, err, "parts:\n");
    }
    for (size_t i = 0; st == SM_OK && i < r->part_count; i++) {
        st = print_part(r, &r->parts[i], err);
    }
    return st == SM_OK && r->decoded ? print_fields(r, err) : st;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static sm_status json_hex(key_report *r, sm_json *j, const char *name, sm_bytes bytes,
                          sm_error *err)
{
    sm_status st = SM_OK;
    sm_buf_clear(&r->scratch);
    for (size_t i = 0; st == SM_OK && i < bytes.len; i++) {
        st = sm_buf_printf(&r->scratch, err, "%02x", bytes.data[i]);
    }
    sm_json_bytes(j, name, sm_buf_view(&r->scratch));
    return st;
}

static sm_status json_part(key_report *r, sm_json *j, const sm_key_part *part, sm_error *err)
{
    sm_json_open_object(j, NULL);
    sm_json_bytes(j, "rule", part->rule);
    sm_json_text(j, "kind", kind_name(part->kind));
    sm_json_text(j, "type", sm_type_name(part->type));
    sm_json_escaped(j, "bytes", part->bytes);
    sm_status st = json_hex(r, j, "hex", part->bytes, err);
    if (part->field >= 0) {
        sm_json_text(j, "field", r->job->schema.fields[part->field].name);
    }
    if (st == SM_OK && part->has_value) {
        sm_buf_clear(&r->scratch);
        st = print_value(r, part, &r->scratch, err);
        sm_json_bytes(j, "value", sm_buf_view(&r->scratch));
    }
    sm_json_close_object(j);
    return st;
}

static sm_status json_field(key_report *r, sm_json *j, size_t i, sm_error *err)
{
    const sm_field *f = &r->job->schema.fields[i];
    sm_status st = SM_OK;
    sm_json_open_object(j, NULL);
    sm_json_text(j, "name", f->name);
    sm_json_text(j, "type", sm_type_name(f->type));
    sm_json_bool(j, "known", r->known[i]);
    if (r->known[i]) {
        sm_buf_clear(&r->scratch);
        st = sm_field_print(f, &r->values[i], &r->scratch, err);
        sm_json_bytes(j, "value", sm_buf_view(&r->scratch));
        if (f->type == SM_TYPE_TIME) {
            sm_json_int(j, "ms", r->values[i].number);
        }
    }
    sm_json_close_object(j);
    return st;
}

static sm_status json_head(key_report *r, sm_json *j, sm_error *err)
{
    const sm_splits *splits = r->table->splits;
    const size_t region = sm_splits_route(splits, r->row);
    sm_json_text(j, "table", r->table->name);
    sm_json_text(j, "key", r->table->key_canonical);
    sm_json_escaped(j, "row", r->row);
    const sm_status st = json_hex(r, j, "hex", r->row, err);
    sm_json_uint(j, "length", r->row.len);
    sm_json_open_object(j, "region");
    sm_json_uint(j, "number", region);
    sm_json_uint(j, "of", sm_splits_regions(splits));
    sm_json_escaped(j, "start", sm_splits_start(splits, region));
    sm_json_escaped(j, "stop", sm_splits_end(splits, region));
    sm_json_close_object(j);
    return st;
}

static sm_status json_report(key_report *r, sm_error *err)
{
    sm_json j;
    sm_json_start(&j, &r->out, false, err);
    sm_json_open_object(&j, NULL);
    sm_status st = json_head(r, &j, err);
    sm_json_open_array(&j, "parts");
    for (size_t i = 0; st == SM_OK && i < r->part_count; i++) {
        st = json_part(r, &j, &r->parts[i], err);
    }
    sm_json_close_array(&j);
    if (r->decoded) {
        sm_json_bool(&j, "ambiguous", r->ambiguous);
        sm_json_open_array(&j, "fields");
        for (size_t i = 0; st == SM_OK && i < r->job->schema.count; i++) {
            st = r->reads[i] ? json_field(r, &j, i, err) : SM_OK;
        }
        sm_json_close_array(&j);
    }
    sm_json_close_object(&j);
    const sm_status end = sm_json_finish(&j);
    return st == SM_OK ? end : st;
}

/* ---- command --------------------------------------------------------------------------------- */

static sm_status open_report(key_report *r, sm_error *err)
{
    sm_query query;
    const sm_query_spec spec = {.table = r->cli->table};
    const size_t fields = r->job->schema.count + 1;
    sm_status st = sm_query_make(r->job, &spec, r->cli->arena, &query, err);
    if (st != SM_OK) {
        return st;
    }
    r->table = query.table;
    r->values = sm_arena_array(r->cli->arena, fields, sizeof *r->values);
    r->known = sm_arena_array(r->cli->arena, fields, sizeof *r->known);
    r->reads = sm_arena_array(r->cli->arena, fields, sizeof *r->reads);
    if (r->values == NULL || r->known == NULL || r->reads == NULL) {
        return sm_fail_memory(err, fields * sizeof *r->values, "the command line");
    }
    sm_expr_fields(r->table->key, r->reads);
    st = sm_eval_new(r->job->cell_limit, &r->eval, err);
    return st == SM_OK ? sm_key_decoder_new(r->table->key, &r->job->schema, &r->decoder, err) : st;
}

static sm_status load(key_report *r, bool *encodes, sm_job **job, sm_error *err)
{
    sm_cli one = *r->cli; /* the job file alone */
    const char *verb = one.arguments.count == 0 ? "" : one.arguments.items[0];
    *encodes = strcmp(verb, "encode") == 0;
    if (!*encodes && strcmp(verb, "decode") != 0) {
        return sm_fail(err, SM_E_USAGE,
                       "key%s%s: expected key encode JOB.yaml NAME=VALUE... or key decode JOB.yaml "
                       "ROW",
                       verb[0] == '\0' ? "" : " ", verb);
    }
    if (*encodes && one.hex) {
        return sm_fail(err, SM_E_USAGE,
                       "--hex is how key decode reads its row; key encode prints "
                       "hexadecimal digits with --json");
    }
    one.arguments.items++;
    one.arguments.count = one.arguments.count > 1 ? 1 : 0;
    return sm_cli_load_job(&one, job, err);
}

int sm_cmd_key(sm_cli *cli)
{
    sm_error err = {.code = SM_OK};
    sm_job *job = NULL;
    bool encodes = false;
    key_report r = {.cli = cli};
    sm_buf_init(&r.scratch, SIZE_MAX / 4);
    sm_buf_init(&r.out, SIZE_MAX / 4);
    sm_status st = load(&r, &encodes, &job, &err);
    r.job = job;
    if (st == SM_OK) {
        st = open_report(&r, &err);
    }
    if (st == SM_OK) {
        st = encodes ? encode(&r, &err) : decode(&r, &err);
    }
    if (st == SM_OK) {
        st = cli->json ? json_report(&r, &err) : print_report(&r, &err);
    }
    if (st == SM_OK) {
        sm_out_bytes(sm_buf_view(&r.out));
    }
    sm_key_decoder_free(r.decoder);
    sm_eval_free(r.eval);
    sm_buf_free(&r.scratch);
    sm_buf_free(&r.out);
    sm_job_free(job);
    return st == SM_OK ? SM_EXIT_OK : sm_cli_fail(cli, &err);
}
