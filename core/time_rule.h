/* SPDX-License-Identifier: Apache-2.0 */
/* POSIX TZ rules as TZif files have them in their footer, such as EST5EDT,M3.2.0,M11.1.0: when
 * summer time begins and ends in the years behind the last listed transition. For core/time_zone.c.
 * Thread-safe, no allocation. */
#ifndef SM_CORE_TIME_RULE_H
#define SM_CORE_TIME_RULE_H

#include "core/bytes.h"

typedef struct sm_time_rule_day {
    char kind; /* 'J': day 1-365 without leap days, 'N': day 0-365, 'M': the three below */
    int32_t month, week, day; /* week 5 is the last one; day 0 is Sunday */
    int32_t time;             /* seconds after local midnight; may be negative or more than a day */
} sm_time_rule_day;

typedef struct sm_time_rule {
    bool present; /* false: the text was empty */
    bool has_dst;
    int32_t standard, dst;       /* seconds east of UTC */
    sm_time_rule_day start, end; /* of DST */
} sm_time_rule;

/* From this instant on, in seconds since 1970, local time is so many seconds ahead of UTC. */
typedef struct sm_time_change {
    int64_t at;
    int32_t offset;
} sm_time_change;

/* False when the text is neither empty nor a rule; DST without its two dates is none. */
bool sm_time_rule_parse(sm_bytes text, sm_time_rule *out);
/* The two changes of a year (0 ... 10000) in order of time. The rule must have DST. */
void sm_time_rule_changes(const sm_time_rule *rule, int32_t year, sm_time_change out[2]);

#endif
