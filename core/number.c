/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers from and to text. The one file that may ask the C library for a floating-point
 * conversion, and then with a locale object of its own: the process's locale is never looked at. */
#include "core/number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* ---- integers --------------------------------------------------------------------------- */

/* 10^19 - 1 fits 64 bits, so that this many digits need no check for overflow. */
enum { SAFE_DIGITS = 19 };

bool sm_parse_uint(sm_bytes text, uint64_t *out)
{
    if (text.len == 0) {
        return false;
    }
    uint64_t v = 0;
    for (size_t i = 0; i < text.len; i++) {
        const unsigned digit = (unsigned)text.data[i] - '0';
        if (digit > 9) {
            return false;
        }
        if (i < SAFE_DIGITS) {
            v = v * 10 + digit;
        } else if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
                   __builtin_add_overflow(v, (uint64_t)digit, &v)) {
            return false;
        }
    }
    *out = v;
    return true;
}

bool sm_parse_int(sm_bytes text, int64_t *out)
{
    const bool negative = text.len != 0 && text.data[0] == '-';
    if (negative || (text.len != 0 && text.data[0] == '+')) {
        text = sm_bytes_of(text.data + 1, text.len - 1);
    }
    uint64_t magnitude = 0;
    if (!sm_parse_uint(text, &magnitude)) {
        return false;
    }
    if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0)) {
        return false;
    }
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

/* ---- decimals --------------------------------------------------------------------------- */

/* A double is decided by its first 767 significant digits and by whether anything but zeros
 * follows. */
enum { DECISIVE_DIGITS = 768, EXPONENT_TEXT = 24 };

/* Larger than any text is long, small enough that sums of it cannot overflow. */
static const int64_t exponent_limit = INT64_C(1) << 60;

/* The value is 0.d1d2d3... x 10^point, that is digits x 10^(point - count). */
typedef struct decimal {
    bool negative;
    bool rest;     /* something other than zeros was left off behind the digits */
    size_t count;  /* significant digits kept */
    int64_t point; /* place of the decimal point, counted from the first significant digit */
    char digits[DECISIVE_DIGITS + 1 + EXPONENT_TEXT];
} decimal;

static bool is_digit(uint8_t c)
{
    return (unsigned)c - '0' <= 9;
}

static void add_digit(decimal *d, char digit)
{
    if (d->count == 0 && digit == '0') {
        return;
    }
    if (d->count < DECISIVE_DIGITS) {
        d->digits[d->count++] = digit;
    } else if (digit != '0') {
        d->rest = true;
    }
}

/* Digits from *at on; false when there is none. */
static bool scan_digits(sm_bytes text, size_t *at, bool behind_point, decimal *d)
{
    const size_t start = *at;
    while (*at < text.len && is_digit(text.data[*at])) {
        add_digit(d, (char)text.data[*at]);
        if (!behind_point && d->count != 0) {
            d->point++;
        } else if (behind_point && d->count == 0) {
            d->point--;
        }
        ++*at;
    }
    return *at != start;
}

static bool scan_exponent(sm_bytes text, size_t *at, decimal *d)
{
    bool negative = false;
    if (*at < text.len && (text.data[*at] == '-' || text.data[*at] == '+')) {
        negative = text.data[*at] == '-';
        ++*at;
    }
    const size_t start = *at;
    int64_t value = 0;
    for (; *at < text.len && is_digit(text.data[*at]); ++*at) {
        value = value * 10 + (text.data[*at] - '0');
        if (value > exponent_limit / 16) {
            value = exponent_limit / 16;
        }
    }
    d->point += negative ? -value : value;
    return *at != start;
}

static bool scan_decimal(sm_bytes text, decimal *d)
{
    size_t at = 0;
    if (text.len != 0 && (text.data[0] == '-' || text.data[0] == '+')) {
        d->negative = text.data[0] == '-';
        at = 1;
    }
    if (!scan_digits(text, &at, false, d)) {
        return false;
    }
    if (at < text.len && text.data[at] == '.') {
        at++;
        if (!scan_digits(text, &at, true, d)) {
            return false;
        }
    }
    if (at < text.len && (text.data[at] == 'e' || text.data[at] == 'E')) {
        at++;
        if (!scan_exponent(text, &at, d)) {
            return false;
        }
    }
    return at == text.len;
}

/* Digits and power of ten are both exact doubles, so that one operation rounds once (Clinger's
 * case). */
static bool convert_exactly(const decimal *d, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { EXACT_DIGITS = 15, EXACT_POWER = 22 };

    const int64_t power = d->point - (int64_t)d->count;
    if (d->count > EXACT_DIGITS || power < -EXACT_POWER || power > EXACT_POWER) {
        return false;
    }
    uint64_t digits = 0;
    for (size_t i = 0; i < d->count; i++) {
        digits = digits * 10 + (unsigned)(d->digits[i] - '0');
    }
    *out = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    return true;
}

/* The digits again as "DDDDe-EEE", which strtod rounds correctly. */
static bool convert_slowly(decimal *d, double *out)
{
    enum { FAR = 100000 };
    size_t len = d->count;
    if (d->rest) {
        d->digits[len++] = '1';
    }
    int64_t power = d->point - (int64_t)d->count - (d->rest ? 1 : 0);
    power = power > FAR ? FAR : power < -FAR ? -FAR : power;
    d->digits[len++] = 'e';
    len += sm_print_int(power, d->digits + len);
    d->digits[len] = '\0';
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        return false;
    }
    *out = strtod_l(d->digits, NULL, plain);
    freelocale(plain);
    return isfinite(*out);
}

bool sm_parse_decimal(sm_bytes text, double *out)
{
    decimal d;
    d.negative = d.rest = false;
    d.count = 0;
    d.point = 0;
    double v = 0.0;
    if (!scan_decimal(text, &d)) {
        return false;
    }
    if (d.count != 0 && !convert_exactly(&d, &v) && !convert_slowly(&d, &v)) {
        return false;
    }
    *out = d.negative ? -v : v;
    return true;
}

/* ---- sizes ------------------------------------------------------------------------------ */

static bool unit_factor(sm_bytes unit, uint64_t *out)
{
    static const struct {
        char name[4];
        uint64_t factor;
    } units[] = {
        {"", 1},
        {"B", 1},
        {"KB", UINT64_C(1000)},
        {"MB", UINT64_C(1000000)},
        {"GB", UINT64_C(1000000000)},
        {"TB", UINT64_C(1000000000000)},
        {"KiB", UINT64_C(1) << 10},
        {"MiB", UINT64_C(1) << 20},
        {"GiB", UINT64_C(1) << 30},
        {"TiB", UINT64_C(1) << 40},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (sm_bytes_equal_text(unit, units[i].name)) {
            *out = units[i].factor;
            return true;
        }
    }
    return false;
}

bool sm_parse_size(sm_bytes text, uint64_t *out)
{
    size_t digits = 0;
    while (digits < text.len && is_digit(text.data[digits])) {
        digits++;
    }
    uint64_t count = 0;
    if (!sm_parse_uint(sm_bytes_of(text.data, digits), &count)) {
        return false;
    }
    size_t unit = digits;
    if (unit < text.len && text.data[unit] == ' ') {
        unit++;
        if (unit == text.len) {
            return false;
        }
    }
    uint64_t factor = 0;
    uint64_t size = 0;
    if (!unit_factor(sm_bytes_of(text.data + unit, text.len - unit), &factor) ||
        __builtin_mul_overflow(count, factor, &size)) {
        return false;
    }
    *out = size;
    return true;
}

/* ---- printing --------------------------------------------------------------------------- */

size_t sm_print_uint(uint64_t v, char *out)
{
    char reversed[20];
    size_t n = 0;
    do {
        reversed[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v != 0);
    for (size_t i = 0; i < n; i++) {
        out[i] = reversed[n - 1 - i];
    }
    return n;
}

size_t sm_print_int(int64_t v, char *out)
{
    if (v >= 0) {
        return sm_print_uint((uint64_t)v, out);
    }
    out[0] = '-';
    return 1 + sm_print_uint(0 - (uint64_t)v, out + 1);
}

bool sm_print_padded(uint64_t v, unsigned width, char *out)
{
    char digits[20];
    const size_t n = sm_print_uint(v, digits);
    if (n > width) {
        return false;
    }
    memset(out, '0', width - n);
    memcpy(out + (width - n), digits, n);
    return true;
}
