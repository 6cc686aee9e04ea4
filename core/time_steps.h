/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a compiled time format: what time_format.c builds and time_parse.c walks. For these
 * two files only. Everything is constant once compiled. */
#ifndef SM_CORE_TIME_STEPS_H
#define SM_CORE_TIME_STEPS_H

#include "core/time.h"

enum { SM_TIME_MAX_STEPS = 48, SM_TIME_FIXED_TEXT = 19, SM_TIME_FIXED_STEPS = 11 };

/* What a text can say. */
enum sm_time_field {
    SM_TIME_YEAR,
    SM_TIME_YEAR_OF_CENTURY,
    SM_TIME_MONTH,
    SM_TIME_DAY,
    SM_TIME_DAY_OF_YEAR,
    SM_TIME_HOUR,
    SM_TIME_HOUR_OF_HALF,
    SM_TIME_HALF, /* 0 AM, 1 PM */
    SM_TIME_MINUTE,
    SM_TIME_SECOND,
    SM_TIME_NANO,
    SM_TIME_OFFSET, /* seconds east of UTC */
    SM_TIME_EPOCH,
    SM_TIME_FIELD_COUNT
};

typedef struct sm_time_reader {
    const uint8_t *p, *end;
    int32_t value[SM_TIME_FIELD_COUNT];
    int64_t epoch;    /* magnitude, seconds */
    int64_t whole_ms; /* local date and time without the fraction, if the fixed shape was read */
    sm_reject unfit;  /* why what was read is no time, though it has the shape of one */
    bool negative;    /* sign of epoch */
    bool has_offset;
    bool has_whole;
} sm_time_reader;

typedef struct sm_time_step sm_time_step;
typedef bool (*sm_time_read)(const sm_time_step *s, sm_time_reader *r);

struct sm_time_step {
    sm_time_read read;
    uint8_t field;
    uint8_t min_digits, max_digits;
    bool optional;
    int32_t low, high;
    const uint8_t *text; /* bytes to match; of a fraction: the byte in front of it */
    size_t text_len;
};

typedef sm_reject (*sm_time_parser)(const sm_time_format *f, sm_bytes text, sm_time_result *out);

struct sm_time_format {
    sm_time_parser parse;
    const sm_zone *zone;
    const char *text; /* sm_time_format_text */
    sm_local_policy repeated, missing;
    int32_t pivot;
    uint32_t gives; /* bit set of enum field */
    bool fixed;     /* the first steps are dddd?dd?dd?dd?dd?dd */
    uint64_t head;  /* that shape's bytes 0-7, 8-15 and 11-18, zero digits where digits belong */
    uint64_t middle;
    uint64_t tail;
    int epoch_shift; /* named epochs: decimal places from their unit to ms */
    bool epoch_fraction;
    size_t count;
    sm_time_step steps[SM_TIME_MAX_STEPS];
};

static inline bool sm_time_gives(const sm_time_format *f, enum sm_time_field field)
{
    return (f->gives >> field & 1) != 0;
}

/* A step moves r->p behind what it read; false leaves it where the text stopped agreeing. A number
 * that no date or time has is noted in r->unfit, so that a text of another shape is called that
 * first. */
bool sm_time_read_number(const sm_time_step *s, sm_time_reader *r);
bool sm_time_read_blank_padded(const sm_time_step *s, sm_time_reader *r);
bool sm_time_read_text(const sm_time_step *s, sm_time_reader *r);
bool sm_time_read_choice(const sm_time_step *s, sm_time_reader *r);
bool sm_time_read_month_name(const sm_time_step *s, sm_time_reader *r);
bool sm_time_read_half(const sm_time_step *s, sm_time_reader *r);
bool sm_time_read_fraction(const sm_time_step *s, sm_time_reader *r);
bool sm_time_read_offset(const sm_time_step *s, sm_time_reader *r);
bool sm_time_read_abbreviation(const sm_time_step *s, sm_time_reader *r);
bool sm_time_read_epoch(const sm_time_step *s, sm_time_reader *r);

/* The ways to parse: step by step; a text of the fixed shape and nothing else; a named epoch. */
sm_reject sm_time_parse_steps(const sm_time_format *f, sm_bytes text, sm_time_result *out);
sm_reject sm_time_parse_fixed(const sm_time_format *f, sm_bytes text, sm_time_result *out);
sm_reject sm_time_parse_epoch(const sm_time_format *f, sm_bytes text, sm_time_result *out);

#endif
