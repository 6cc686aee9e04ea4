/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's private list of rejects, copied out of the slice. */
#include "ingest/reject_list.h"

#include "core/mem.h"
#include "core/number.h"

#include <string.h>

void sm_reject_list_init(sm_reject_list *l)
{
    sm_buf_init(&l->bytes, SIZE_MAX / 2);
    sm_buf_init(&l->entries, SIZE_MAX / 2);
}

void sm_reject_list_release(sm_reject_list *l)
{
    sm_buf_free(&l->bytes);
    sm_buf_free(&l->entries);
}

sm_status sm_reject_list_new(sm_reject_list **out, sm_error *err)
{
    *out = NULL;
    void *memory = NULL;
    const sm_status st = sm_new(sizeof **out, "a list of rejects", &memory, err);
    if (st == SM_OK) {
        *out = memory;
        sm_reject_list_init(*out);
    }
    return st;
}

void sm_reject_list_free(sm_reject_list *l)
{
    if (l != NULL) {
        sm_reject_list_release(l);
        sm_free(l);
    }
}

size_t sm_reject_list_bytes(const sm_reject_list *l)
{
    return l->bytes.len + l->entries.len;
}

static size_t put(sm_reject_list *l, const void *data, size_t len)
{
    const size_t at = l->bytes.len;
    if (len != 0) {
        memcpy(l->bytes.data + at, data, len);
    }
    l->bytes.len += len;
    return at;
}

void sm_reject_list_reached(sm_reject_list *l, const sm_input_counts *reached)
{
    l->accepted = reached->records_accepted;
    l->filtered = reached->records_filtered;
    l->out_of_range = reached->records_out_of_range;
}

sm_status sm_reject_list_add(sm_reject_list *l, const sm_record *record, const sm_reject_note *why,
                             sm_error *err)
{
    sm_reject_entry e = {.place = record->place,
                         .code = why->code,
                         .has_field = why->field != NULL,
                         .original_len = record->original.len,
                         .field_len = why->field == NULL ? 0 : strlen(why->field),
                         .text_len = strnlen(why->text, sizeof why->text),
                         .accepted = l->accepted,
                         .filtered = l->filtered,
                         .out_of_range = l->out_of_range};
    sm_status st = sm_buf_reserve(&l->bytes, e.original_len + e.field_len + e.text_len, err);
    if (st != SM_OK) {
        return st;
    }
    e.original_at = put(l, record->original.data, e.original_len);
    e.field_at = put(l, why->field, e.field_len);
    e.text_at = put(l, why->text, e.text_len);
    return sm_buf_append(&l->entries, &e, sizeof e, err);
}

bool sm_reject_limit_parse(sm_bytes text, sm_reject_limit *out)
{
    sm_reject_limit limit = {.is_percent = false};
    if (text.len != 0 && text.data[text.len - 1] == '%') {
        limit.is_percent = true;
        const sm_bytes number = {text.data, text.len - 1};
        const bool plain = number.len != 0 && number.data[0] >= '0' && number.data[0] <= '9';
        if (!plain || !sm_parse_decimal(number, &limit.percent) || limit.percent > 100.0) {
            return false;
        }
    } else if (!sm_parse_uint(text, &limit.count)) {
        return false;
    }
    *out = limit;
    return true;
}
