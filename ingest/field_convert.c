/* SPDX-License-Identifier: Apache-2.0 */
/* Typed conversion of one field, and the words for what can go wrong with it. */
#include "ingest/field_convert.h"

#include "core/escape.h"
#include "core/number.h"

#include <stdio.h>

enum { FOUND_SIZE = 100, FORMAT_SIZE = 90 };

static bool is_null_text(const sm_field_text *text, const sm_nulls *nulls)
{
    for (size_t i = 0; i < nulls->count; i++) {
        if (sm_bytes_equal(text->raw, nulls->texts[i])) {
            return true;
        }
    }
    return false;
}

/* Offset of the first byte outside the charset, or the length. */
static size_t charset_end(sm_charset charset, sm_bytes text)
{
    size_t i = 0;
    if (charset == SM_CHARSET_ASCII) {
        while (i < text.len && text.data[i] >= 0x01 && text.data[i] <= 0x7F) {
            i++;
        }
    } else {
        while (i < text.len && text.data[i] >= '0' && text.data[i] <= '9') {
            i++;
        }
    }
    return i;
}

static sm_reject convert_text(const sm_field *field, sm_value *out)
{
    if (field->charset == SM_CHARSET_ANY ||
        charset_end(field->charset, out->bytes) == out->bytes.len) {
        return SM_REJECT_NONE;
    }
    return SM_REJECT_CHARSET;
}

static sm_reject convert_time(const sm_field *field, sm_value *out, sm_reader_counts *counts)
{
    sm_time_result result = {.ms = 0};
    const sm_reject code = sm_time_parse(field->time, out->bytes, &result);
    if (code != SM_REJECT_NONE) {
        return code;
    }
    counts->repeated_local_times += result.was_repeated;
    counts->missing_local_times += result.was_missing;
    out->number = result.ms;
    if ((field->has_min && result.ms < field->min) || (field->has_max && result.ms > field->max)) {
        return SM_REJECT_TIME_WINDOW;
    }
    return SM_REJECT_NONE;
}

sm_reject sm_field_convert(const sm_field *field, const sm_field_text *text, const sm_nulls *nulls,
                           sm_value *out, sm_reader_counts *counts)
{
    *out = (sm_value){.bytes = text->bytes};
    if (!text->quoted && is_null_text(text, nulls)) {
        *out = (sm_value){.is_null = true};
        return SM_REJECT_NONE;
    }
    if (field->type == SM_TYPE_TEXT || field->type == SM_TYPE_BYTES) {
        return convert_text(field, out);
    }
    if (text->bytes.len == 0) {
        out->is_null = true;
        return SM_REJECT_NONE;
    }
    switch (field->type) {
    case SM_TYPE_INT:
        return sm_parse_int(text->bytes, &out->number) ? SM_REJECT_NONE : SM_REJECT_NOT_INT;
    case SM_TYPE_DECIMAL:
        return sm_parse_decimal(text->bytes, &out->real) ? SM_REJECT_NONE : SM_REJECT_NOT_DECIMAL;
    default: return convert_time(field, out, counts);
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

/* "1970-01-01T..." of the window's ends, as the job wrote them where it did. */
static const char *window_end(const char *text, bool has)
{
    return has ? (text != NULL ? text : "set") : "none";
}

static void describe_time(const sm_field *field, const char *found, sm_reject code,
                          char out[SM_REJECT_TEXT_SIZE])
{
    char format[FORMAT_SIZE];
    (void)sm_escape_short(sm_bytes_text(sm_time_format_text(field->time)), format, sizeof format);
    switch (code) {
    case SM_REJECT_TIME_WINDOW:
        (void)snprintf(out, SM_REJECT_TEXT_SIZE,
                       "\"%s\" lies outside the window of the field (min: %.60s, max: %.60s)",
                       found, window_end(field->min_text, field->has_min),
                       window_end(field->max_text, field->has_max));
        break;
    case SM_REJECT_TIME_AMBIGUOUS:
        (void)snprintf(out, SM_REJECT_TEXT_SIZE,
                       "\"%s\" occurs twice in the zone of the field; say ambiguous: earliest or "
                       "latest, or use a "
                       "format with an offset",
                       found);
        break;
    case SM_REJECT_TIME_MISSING:
        (void)snprintf(
            out, SM_REJECT_TEXT_SIZE,
            "\"%s\" does not exist in the zone of the field (the clocks skip it); say nonexistent: "
            "earliest or latest to accept it",
            found);
        break;
    default:
        (void)snprintf(out, SM_REJECT_TEXT_SIZE, "\"%s\": %s; expected %s", found,
                       sm_reject_sentence(code), format);
        break;
    }
}

void sm_field_describe(const sm_field *field, const sm_field_text *text, sm_reject code,
                       char out[SM_REJECT_TEXT_SIZE])
{
    char found[FOUND_SIZE];
    (void)sm_escape_short(text->bytes, found, sizeof found);
    switch (code) {
    case SM_REJECT_NOT_INT:
        (void)snprintf(out, SM_REJECT_TEXT_SIZE,
                       "\"%s\" is not a 64-bit integer; expected digits with an optional sign",
                       found);
        break;
    case SM_REJECT_NOT_DECIMAL:
        (void)snprintf(out, SM_REJECT_TEXT_SIZE,
                       "\"%s\" is not a decimal number; expected such as -12.5 or 1e3", found);
        break;
    case SM_REJECT_CHARSET:
        (void)snprintf(out, SM_REJECT_TEXT_SIZE,
                       "\"%s\" has a character outside charset %s at byte %zu", found,
                       field->charset == SM_CHARSET_ASCII ? "ascii" : "digits",
                       charset_end(field->charset, text->bytes));
        break;
    default: describe_time(field, found, code, out); break;
    }
}
