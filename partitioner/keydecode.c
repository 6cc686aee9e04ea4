/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a key into the parts of its expression and reads fields from them.
 *
 *   position      0        3              18         26       end
 *                 | salt   | pad(caller)  | rev_ts   | callee |
 *   least behind  25+...   ...            1          0
 *
 * A search from left to right: each part may have the lengths that leave the parts behind it enough
 * and not too much. With fixed widths and one part of unknown width there is one length to try at
 * each place; otherwise all are, up to STEPS_MOST. */
#include "core/mem.h"
#include "core/number.h"
#include "partitioner/keydecode_parts.h"
#include "partitioner/keyregion.h"

#include <stdio.h>

enum { STEPS_MOST = 8192, SPARE_BYTES = 64, PADDINGS_MOST = 256, NUMBER_TEXT = 40 };

/* One part of the reading at hand. */
typedef struct cut_part {
    sm_bytes bytes;
    sm_inverted how;
    sm_value value;
} cut_part;

struct sm_key_decoder {
    sm_arena *arena;
    const sm_schema *schema;
    sm_eval *eval;
    sm_expr_use use;
    sm_decode_part *parts;
    size_t count;
    size_t *least, *most; /* bytes of the parts from i on; count + 1 long */
    cut_part *cut;
    sm_key_part *shown;
    sm_value *values, *trial; /* schema order; of the readings so far, of the one at hand */
    bool *known, *trial_known;
    char (*texts)[NUMBER_TEXT]; /* of numbers and times, schema order */
    uint8_t *room;
    size_t room_size, links;
    /* of one key */
    sm_bytes key;
    sm_invert_room free;
    size_t steps, readings;
    bool gave_up, differs;
    sm_status status;
    sm_error *err;
};

/* ---- making ---------------------------------------------------------------------------------- */

static void sum_widths(sm_key_decoder *d)
{
    for (size_t i = d->count; i-- > 0;) {
        d->least[i] = sm_key_width_sum(d->least[i + 1], d->parts[i].min);
        d->most[i] = sm_key_width_sum(d->most[i + 1], d->parts[i].max);
        d->links += d->parts[i].links;
    }
}

static sm_status make_arrays(sm_key_decoder *d, sm_error *err)
{
    const size_t fields = d->schema->count + 1;
    d->least = sm_arena_array(d->arena, d->count + 1, sizeof *d->least);
    d->most = sm_arena_array(d->arena, d->count + 1, sizeof *d->most);
    d->cut = sm_arena_array(d->arena, d->count, sizeof *d->cut);
    d->shown = sm_arena_array(d->arena, d->count, sizeof *d->shown);
    d->values = sm_arena_array(d->arena, fields, sizeof *d->values);
    d->trial = sm_arena_array(d->arena, fields, sizeof *d->trial);
    d->known = sm_arena_array(d->arena, fields, sizeof *d->known);
    d->trial_known = sm_arena_array(d->arena, fields, sizeof *d->trial_known);
    d->texts = sm_arena_array(d->arena, fields, sizeof *d->texts);
    if (d->least == NULL || d->most == NULL || d->cut == NULL || d->shown == NULL ||
        d->values == NULL || d->trial == NULL || d->known == NULL || d->trial_known == NULL ||
        d->texts == NULL) {
        return sm_fail_memory(err, d->count * sizeof *d->cut, "the parts of a key");
    }
    sum_widths(d);
    return SM_OK;
}

static sm_status fill_decoder(sm_key_decoder *d, const sm_expr *e, sm_error *err)
{
    sm_status st = sm_arena_new(4096, &d->arena, err);
    if (st == SM_OK) {
        st = sm_eval_new(SM_KEY_DECODE_MAX, &d->eval, err);
    }
    if (st == SM_OK) {
        st = sm_decode_parts_read(d->arena, e, d->schema, &d->parts, &d->count, err);
    }
    return st == SM_OK ? make_arrays(d, err) : st;
}

sm_status sm_key_decoder_new(const sm_expr *e, const sm_schema *schema, sm_key_decoder **out,
                             sm_error *err)
{
    void *p = NULL;
    *out = NULL;
    sm_status st = sm_new(sizeof(sm_key_decoder), "a decoder of keys", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_key_decoder *d = p;
    d->schema = schema;
    d->use = e->use;
    st = fill_decoder(d, e, err);
    if (st != SM_OK) {
        sm_key_decoder_free(d);
        return st;
    }
    *out = d;
    return SM_OK;
}

void sm_key_decoder_free(sm_key_decoder *d)
{
    if (d == NULL) {
        return;
    }
    sm_eval_free(d->eval);
    sm_free(d->room);
    sm_arena_free(d->arena);
    sm_free(d);
}

void sm_key_recoverable(const sm_key_decoder *d, bool *flags)
{
    for (size_t i = 0; i < d->schema->count; i++) {
        flags[i] = false;
    }
    for (size_t i = 0; i < d->count; i++) {
        const sm_node *node = d->parts[i].node;
        const bool exact = d->parts[i].kind == SM_PART_EXACT || node->kind == SM_NODE_DEFAULT;
        if (exact && d->parts[i].field >= 0) {
            flags[d->parts[i].field] = true;
        }
    }
}

/* ---- one part -------------------------------------------------------------------------------- */

/* Fields of ASCII hold no 00; what is built from them may (fill, a default). */
static bool charset_fits(sm_charset charset, uint8_t lowest, sm_bytes text)
{
    for (size_t i = 0; charset != SM_CHARSET_ANY && i < text.len; i++) {
        const uint8_t c = text.data[i];
        if (charset == SM_CHARSET_DIGITS ? c < '0' || c > '9' : c < lowest || c >= 0x80) {
            return false;
        }
    }
    return true;
}

/* Could a record's field have this value? */
static bool field_fits(const sm_field *f, sm_expr_use use, const sm_value *v)
{
    switch (f->type) {
    case SM_TYPE_TEXT:
        return (use != SM_USE_KEY || v->bytes.len > 0) && charset_fits(f->charset, 1, v->bytes);
    case SM_TYPE_TIME:
        return (!f->has_min || v->number >= f->min) && (!f->has_max || v->number <= f->max);
    default: return true;
    }
}

/* 000 ... N - 1 of a salt whose arguments may not be known. */
static bool salt_fits(const sm_decode_part *part, sm_bytes bytes)
{
    if (part->salts == 0) {
        return true;
    }
    if (part->salt_byte) {
        return bytes.len == 1 && bytes.data[0] < part->salts;
    }
    uint64_t v = 0;
    return sm_parse_uint(bytes, &v) && v < part->salts;
}

static bool choice_fits(const sm_decode_part *part, sm_bytes bytes)
{
    if (part->region) {
        return sm_region_start_is(part->node, bytes);
    }
    size_t i = 0;
    const size_t count = part->choices == NULL ? 0 : part->choices->child_count;
    while (i < count && !sm_bytes_equal(part->choices->child[i]->text, bytes)) {
        i++;
    }
    return part->choices == NULL || i < count;
}

/* False when these bytes cannot be this part. */
static bool read_part(sm_key_decoder *d, size_t i)
{
    const sm_decode_part *part = &d->parts[i];
    cut_part *cut = &d->cut[i];
    cut->how = SM_INVERTED_NOTHING;
    if (part->kind == SM_PART_LITERAL) {
        return sm_bytes_equal(part->node->text, cut->bytes);
    }
    const bool text = part->node->type == SM_TYPE_TEXT;
    if ((text && !charset_fits(part->node->charset, 0, cut->bytes)) ||
        !salt_fits(part, cut->bytes) || !choice_fits(part, cut->bytes)) {
        return false;
    }
    if (part->kind == SM_PART_OPAQUE) {
        return true;
    }
    const sm_node *leaf = NULL;
    const sm_value result = {.bytes = cut->bytes};
    cut->how = sm_key_invert(part->node, &result, &d->free, &cut->value, &leaf);
    d->gave_up |= d->free.full;
    return cut->how != SM_INVERTED_MISFIT &&
           (cut->how != SM_INVERTED_SURE ||
            field_fits(&d->schema->fields[part->field], d->use, &cut->value));
}

/* ---- one reading ----------------------------------------------------------------------------- */

static bool same_value(sm_type type, const sm_value *a, const sm_value *b)
{
    switch (type) {
    case SM_TYPE_TEXT:
    case SM_TYPE_BYTES: return sm_bytes_equal(a->bytes, b->bytes);
    case SM_TYPE_DECIMAL: return a->real == b->real;
    default: return a->number == b->number;
    }
}

/* Two parts of one field must say the same. */
static bool gather_fields(sm_key_decoder *d)
{
    memset(d->trial_known, 0, (d->schema->count + 1) * sizeof *d->trial_known);
    for (size_t i = 0; i < d->count; i++) {
        const int f = d->parts[i].field;
        if (f < 0 || d->cut[i].how != SM_INVERTED_SURE) {
            continue;
        }
        if (d->trial_known[f] &&
            !same_value(d->schema->fields[f].type, &d->trial[f], &d->cut[i].value)) {
            return false;
        }
        if (!d->trial_known[f] || d->trial[f].bytes.len == 0) {
            d->trial[f] = d->cut[i].value;
        }
        d->trial[f].is_null = false;
        d->trial_known[f] = true;
    }
    return true;
}

static bool can_rebuild(const sm_key_decoder *d, const sm_decode_part *part)
{
    bool can = part->rebuilds && part->kind != SM_PART_LITERAL;
    for (size_t i = 0; can && i < part->need_count; i++) {
        can = d->trial_known[part->needs[i]];
    }
    return can;
}

/* Parts whose fields are all known must come out as they stand in the key: here a salt is checked.
 */
static bool rebuilds(sm_key_decoder *d)
{
    const sm_record record = {.values = d->trial, .count = d->schema->count};
    sm_eval_reset(d->eval);
    for (size_t i = 0; i < d->count; i++) {
        sm_value built;
        if (!can_rebuild(d, &d->parts[i])) {
            continue;
        }
        if (sm_expr_run(&d->parts[i].run, d->eval, &record, &built) != SM_REJECT_NONE) {
            d->status = sm_eval_status(d->eval, d->err);
            return false;
        }
        if (built.is_null || !sm_bytes_equal(built.bytes, d->cut[i].bytes)) {
            return false;
        }
    }
    return true;
}

/* Which of the values that pad to the same bytes builds the other parts as well? False: none. */
static bool settle_padding(sm_key_decoder *d, size_t i)
{
    const sm_decode_part *part = &d->parts[i];
    const sm_field *f = &d->schema->fields[part->field];
    cut_part *cut = &d->cut[i];
    const size_t least = cut->value.bytes.len;
    const size_t filled = cut->bytes.len - least;
    size_t found = filled >= PADDINGS_MOST ? 2 : 0;
    sm_value was = {0};
    d->trial_known[part->field] = true;
    for (size_t more = 0; more <= filled && found < 2 && d->status == SM_OK; more++) {
        const size_t len = least + more;
        const size_t skip = part->pad_left ? cut->bytes.len - len : 0;
        const sm_value v = {.bytes = sm_bytes_of(cut->bytes.data + skip, len)};
        d->trial[part->field] = v;
        if (field_fits(f, d->use, &v) && rebuilds(d)) {
            found++;
            was = v;
        }
    }
    d->trial_known[part->field] = found == 1;
    if (found == 1) {
        d->trial[part->field] = cut->value = was;
        cut->how = SM_INVERTED_SURE;
    }
    return found > 0;
}

static bool settle_paddings(sm_key_decoder *d)
{
    bool fits = true;
    for (size_t i = 0; fits && i < d->count; i++) {
        const sm_decode_part *part = &d->parts[i];
        if (part->padded && d->cut[i].how == SM_INVERTED_GUESS && !d->trial_known[part->field]) {
            fits = settle_padding(d, i);
        }
    }
    return fits;
}

static sm_part_kind kind_of(const sm_decode_part *part, sm_inverted how)
{
    if (part->kind == SM_PART_LITERAL || part->kind == SM_PART_OPAQUE) {
        return part->kind;
    }
    return how == SM_INVERTED_SURE ? SM_PART_EXACT : SM_PART_PARTIAL;
}

static void show_parts(sm_key_decoder *d)
{
    for (size_t i = 0; i < d->count; i++) {
        const sm_decode_part *part = &d->parts[i];
        const cut_part *cut = &d->cut[i];
        const bool value = cut->how == SM_INVERTED_SURE || cut->how == SM_INVERTED_GUESS;
        d->shown[i] = (sm_key_part){
            .kind = kind_of(part, cut->how),
            .rule = part->rule,
            .bytes = cut->bytes,
            .field = part->need_count > 0 ? part->needs[0] : -1,
            .type = part->field >= 0 ? d->schema->fields[part->field].type : part->node->type,
            .has_value = value,
        };
        if (part->field >= 0) {
            d->shown[i].field = part->field;
        }
        if (value) {
            d->shown[i].value = cut->value;
            d->shown[i].value.is_null = false;
        }
    }
}

/* Of several readings only what all of them say stays known. */
static void join_reading(sm_key_decoder *d)
{
    d->differs = true;
    for (size_t i = 0; i < d->schema->count; i++) {
        d->known[i] = d->known[i] && d->trial_known[i] &&
                      same_value(d->schema->fields[i].type, &d->values[i], &d->trial[i]);
    }
}

/* True when its bytes of the room must stay. */
static bool take_reading(sm_key_decoder *d)
{
    if (!gather_fields(d) || !settle_paddings(d) || !rebuilds(d)) {
        return false;
    }
    if (d->readings++ > 0) {
        join_reading(d);
        return false;
    }
    for (size_t i = 0; i < d->schema->count; i++) {
        d->values[i] = d->trial[i];
        d->known[i] = d->trial_known[i];
    }
    show_parts(d);
    return true;
}

/* ---- search ---------------------------------------------------------------------------------- */

/* Parts from i on at `at`; true when the room behind it must stay as it is. One frame per part, and
 * an expression has at most SM_KEY_NODES_MAX. */
static bool search(sm_key_decoder *d, size_t i, size_t at)
{
    const size_t left = d->key.len - at;
    if (i == d->count) {
        return left == 0 && take_reading(d);
    }
    if (left < d->least[i] || left > d->most[i]) {
        return false;
    }
    const size_t room = left - d->least[i + 1];
    size_t low = left > d->most[i + 1] ? left - d->most[i + 1] : 0;
    low = low < d->parts[i].min ? d->parts[i].min : low;
    const size_t high = room < d->parts[i].max ? room : d->parts[i].max;
    bool stays = false;
    for (size_t len = low; len <= high && d->status == SM_OK && !d->gave_up; len++) {
        uint8_t *mark = d->free.at;
        d->gave_up = ++d->steps > STEPS_MOST;
        d->cut[i].bytes = sm_bytes_of(d->key.data + at, len);
        const bool stay = !d->gave_up && read_part(d, i) && search(d, i + 1, at + len);
        stays |= stay;
        if (!stay) {
            d->free.at = mark;
        }
    }
    return stays;
}

/* Twice what one reading can take: the first one stays while others are tried. */
static sm_status make_room(sm_key_decoder *d, sm_error *err)
{
    const size_t size = 2 * (d->links + 1) * (d->key.len + SPARE_BYTES);
    if (size > d->room_size) {
        sm_free(d->room);
        d->room = sm_malloc(size);
        d->room_size = d->room == NULL ? 0 : size;
    }
    d->free = (sm_invert_room){.at = d->room, .end = d->room + d->room_size};
    return d->room == NULL ? sm_fail_memory(err, size, "the parts of a key") : SM_OK;
}

/* ---- texts of numbers ------------------------------------------------------------------------ */

static char *put_digits(char *out, unsigned v, unsigned width, char behind)
{
    for (unsigned i = width; i-- > 0; v /= 10) {
        out[i] = (char)('0' + v % 10);
    }
    out[width] = behind;
    return out + width + 1;
}

/* RFC 3339 in UTC, once per row of a scan. */
static size_t print_time(int64_t ms, char *out)
{
    sm_civil c;
    if (!sm_civil_from_ms(ms, &c)) {
        return sm_print_int(ms, out);
    }
    char *p = put_digits(out, (unsigned)c.year, 4, '-');
    p = put_digits(p, c.month, 2, '-');
    p = put_digits(p, c.day, 2, 'T');
    p = put_digits(p, c.hour, 2, ':');
    p = put_digits(p, c.minute, 2, ':');
    p = put_digits(p, c.second, 2, '.');
    return (size_t)(put_digits(p, c.milli, 3, 'Z') - out);
}

/* The fewest digits that read back as the same double. */
static size_t print_real(double real, char *out)
{
    size_t len = 0;
    double again = 0;
    for (int digits = 15; digits <= 17; digits++) {
        len = (size_t)snprintf(out, NUMBER_TEXT, "%.*g", digits, real);
        if (sm_parse_decimal(sm_bytes_of(out, len), &again) && again == real) {
            return len;
        }
    }
    return len;
}

static void print_numbers(sm_key_decoder *d)
{
    for (size_t i = 0; i < d->schema->count; i++) {
        sm_value *v = &d->values[i];
        char *text = d->texts[i];
        if (!d->known[i] || v->bytes.len > 0) {
            continue;
        }
        switch (d->schema->fields[i].type) {
        case SM_TYPE_INT: v->bytes = sm_bytes_of(text, sm_print_int(v->number, text)); break;
        case SM_TYPE_TIME: v->bytes = sm_bytes_of(text, print_time(v->number, text)); break;
        case SM_TYPE_DECIMAL: v->bytes = sm_bytes_of(text, print_real(v->real, text)); break;
        default: break;
        }
    }
}

sm_status sm_key_decode(sm_key_decoder *d, sm_bytes key, sm_key_decoded *out, sm_error *err)
{
    *out = (sm_key_decoded){.fits = false};
    d->key = key;
    d->steps = d->readings = 0;
    d->gave_up = d->differs = false;
    d->status = SM_OK;
    d->err = err;
    if (key.len > SM_KEY_DECODE_MAX) {
        return SM_OK;
    }
    const sm_status st = make_room(d, err);
    if (st != SM_OK) {
        return st;
    }
    (void)search(d, 0, 0);
    out->fits = d->readings > 0 || d->gave_up;
    out->ambiguous = d->differs || d->gave_up;
    out->parts = d->shown;
    out->part_count = d->readings > 0 ? d->count : 0;
    if (d->gave_up) {
        memset(d->known, 0, (d->schema->count + 1) * sizeof *d->known);
    }
    print_numbers(d);
    out->values = d->values;
    out->known = d->known;
    return d->status;
}

/* ---- from fields to parts -------------------------------------------------------------------- */

sm_reject sm_key_build(sm_key_decoder *d, const sm_record *record, const sm_key_part **parts,
                       size_t *count)
{
    sm_eval_reset(d->eval);
    *parts = d->shown;
    *count = 0;
    for (size_t i = 0; i < d->count; i++) {
        const sm_decode_part *part = &d->parts[i];
        sm_value built = {0};
        const sm_reject code = sm_expr_run(&part->run, d->eval, record, &built);
        if (code != SM_REJECT_NONE || built.is_null) {
            return code != SM_REJECT_NONE ? code : SM_REJECT_NULL_PART;
        }
        d->shown[i] = (sm_key_part){.kind = part->kind,
                                    .rule = part->rule,
                                    .bytes = built.bytes,
                                    .field = part->need_count > 0 ? part->needs[0] : -1,
                                    .type = part->node->type};
    }
    *count = d->count;
    return SM_REJECT_NONE;
}
