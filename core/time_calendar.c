/* SPDX-License-Identifier: Apache-2.0 */
/* The proleptic Gregorian calendar as plain integer arithmetic. No zones, no text. */
#include "core/time.h"

enum { DAYS_PER_ERA = 146097, /* 400 years */ YEARS_PER_ERA = 400 };

static const int64_t ms_per_day = INT64_C(86400000);

/* Years are counted from 1 March, so that the leap day is the last of its year and the days before
 * a month follow one linear formula. Years before 0 work too. */
int64_t sm_days_from_civil(int32_t year, unsigned month, unsigned day)
{
    enum { DAYS_TO_EPOCH = 719468 }; /* 0000-03-01 to 1970-01-01 */

    const int32_t y = year - (month <= 2 ? 1 : 0);
    const int32_t era = (y >= 0 ? y : y - (YEARS_PER_ERA - 1)) / YEARS_PER_ERA;
    const unsigned year_of_era = (unsigned)(y - era * YEARS_PER_ERA);
    const unsigned month_from_march = month > 2 ? month - 3 : month + 9;
    const unsigned day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    const unsigned day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return (int64_t)era * DAYS_PER_ERA + (int64_t)day_of_era - DAYS_TO_EPOCH;
}

unsigned sm_days_in_month(int32_t year, unsigned month)
{
    static const uint8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && sm_is_leap_year(year) ? 29 : days[month - 1];
}

bool sm_civil_valid(const sm_civil *c)
{
    return c->year >= 1 && c->year <= 9999 && c->month >= 1 && c->month <= 12 && c->day >= 1 &&
           c->day <= sm_days_in_month(c->year, c->month) && c->hour <= 23 && c->minute <= 59 &&
           c->second <= 59 && c->milli <= 999;
}

int64_t sm_civil_to_ms(const sm_civil *c)
{
    const int64_t days = sm_days_from_civil(c->year, c->month, c->day);
    const int32_t second_of_day = (c->hour * 60 + c->minute) * 60 + c->second;
    return days * ms_per_day + (int64_t)second_of_day * 1000 + c->milli;
}

bool sm_civil_from_ms(int64_t ms, sm_civil *out)
{
    if (ms < SM_TIME_MIN || ms > SM_TIME_MAX) {
        return false;
    }
    /* Counted from 0000-03-01 everything is positive, and division floors. */
    const uint64_t shifted = (uint64_t)(ms + INT64_C(719468) * ms_per_day);
    const uint32_t days = (uint32_t)(shifted / (uint64_t)ms_per_day);
    const uint32_t ms_of_day = (uint32_t)(shifted % (uint64_t)ms_per_day);

    const uint32_t era = days / DAYS_PER_ERA;
    const uint32_t day_of_era = days % DAYS_PER_ERA;
    const uint32_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const uint32_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const uint32_t month_from_march = (5 * day_of_year + 2) / 153;
    const uint32_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;

    out->year = (int32_t)(era * YEARS_PER_ERA + year_of_era + (month <= 2 ? 1 : 0));
    out->month = (uint8_t)month;
    out->day = (uint8_t)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    out->hour = (uint8_t)(ms_of_day / 3600000);
    out->minute = (uint8_t)(ms_of_day / 60000 % 60);
    out->second = (uint8_t)(ms_of_day / 1000 % 60);
    out->milli = (uint16_t)(ms_of_day % 1000);
    return true;
}
