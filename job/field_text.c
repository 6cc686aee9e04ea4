/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and prints single values of fields; see field_text.h. */
#include "job/field_text.h"

#include "core/escape.h"
#include "ingest/field_convert.h"
#include "job/job_reader.h"

enum { MS_PER_S = 1000 };

static sm_status unfit(const sm_field *field, const sm_field_text *text, sm_reject code,
                       sm_error *err)
{
    char why[SM_REJECT_TEXT_SIZE];
    sm_field_describe(field, text, code, why);
    return sm_fail(err, SM_E_USAGE, "%s: %s", field->name, why);
}

/* A time that is not in the input's own form. */
static sm_reject read_instant(const sm_field *field, sm_bytes text, sm_value *out)
{
    if (!sm_job_is_instant(text, sm_time_format_zone(field->time), &out->number)) {
        return SM_REJECT_NOT_TIME;
    }
    *out = (sm_value){.bytes = text, .number = out->number};
    const bool early = field->has_min && out->number < field->min;
    const bool late = field->has_max && out->number > field->max;
    return early || late ? SM_REJECT_TIME_WINDOW : SM_REJECT_NONE;
}

sm_status sm_field_read(const sm_job *job, const sm_field *field, sm_bytes text, sm_value *out,
                        sm_error *err)
{
    const sm_field_text given = {.bytes = text, .raw = text};
    const sm_nulls nulls = {.texts = job->csv.nulls, .count = job->csv.null_count};
    sm_reader_counts counts = {0};
    sm_reject code = sm_field_convert(field, &given, &nulls, out, &counts);
    if (code == SM_REJECT_NOT_TIME && field->type == SM_TYPE_TIME) {
        code = read_instant(field, text, out);
    }
    return code == SM_REJECT_NONE ? SM_OK : unfit(field, &given, code, err);
}

sm_status sm_print_instant(const sm_zone *zone, int64_t ms, sm_buf *out, sm_error *err)
{
    sm_civil c;
    const bool plain = ms >= SM_TIME_MIN && ms <= SM_TIME_MAX;
    const int32_t offset = zone == NULL || !plain ? 0 : sm_zone_offset(zone, ms);
    if (!plain || !sm_civil_from_ms(ms + (int64_t)offset * MS_PER_S, &c)) {
        return sm_buf_printf(out, err, "%lld", (long long)ms);
    }
    const sm_status st = sm_buf_printf(out, err, "%04d-%02u-%02uT%02u:%02u:%02u.%03u", c.year,
                                       c.month, c.day, c.hour, c.minute, c.second, c.milli);
    if (st != SM_OK || zone == NULL || offset == 0) {
        return st == SM_OK ? sm_buf_append_byte(out, 'Z', err) : st;
    }
    const int32_t minutes = (offset < 0 ? -offset : offset) / 60;
    return sm_buf_printf(out, err, "%c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60,
                         minutes % 60);
}

sm_status sm_field_print(const sm_field *field, const sm_value *value, sm_buf *out, sm_error *err)
{
    switch (field->type) {
    case SM_TYPE_INT: return sm_buf_printf(out, err, "%lld", (long long)value->number);
    case SM_TYPE_TIME: {
        const sm_zone *zone = field->time == NULL ? NULL : sm_time_format_zone(field->time);
        return sm_print_instant(zone, value->number, out, err);
    }
    default: return sm_escape(value->bytes, out, err);
    }
}
