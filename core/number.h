/* SPDX-License-Identifier: Apache-2.0 */
/* Strict number parsing: the whole text is the number or it is none. No blanks, no locale, no
 * errno. On false, *out is left alone. Thread-safe, no allocation. */
#ifndef SM_CORE_NUMBER_H
#define SM_CORE_NUMBER_H

#include "core/bytes.h"
#include "core/error.h"

/* [+-]?[0-9]+ in 64 bits; false when it is anything else. "+5" is 5, "-0" is 0, and leading zeros
 * don't count: "010" is ten. "12.0", "1e3", "0x10", "1_000" and "1,000" are no integers. */
bool sm_parse_int(sm_bytes text, int64_t *out);
bool sm_parse_uint(sm_bytes text, uint64_t *out); /* [0-9]+, no sign at all */

/* [+-]?digits[.digits][(e|E)[+-]?digits]: correctly rounded to the nearest double, ties to even.
 * False also when it would round to infinity. What is too small becomes zero, with its sign. */
bool sm_parse_decimal(sm_bytes text, double *out);

/* "64MiB", "1GiB", "512KiB", "10MB", "4096": bytes. Units B KB MB GB TB (powers of 1000) and KiB
 * MiB GiB TiB; one blank before the unit is allowed. No fractions. */
bool sm_parse_size(sm_bytes text, uint64_t *out);

/* Decimal digits of v, no sign for positives, no NUL; returns the count. out has at least 20 bytes.
 */
size_t sm_print_uint(uint64_t v, char *out);
size_t sm_print_int(int64_t v, char *out);
/* v zero-padded to exactly `width` digits; false when it does not fit (nothing is cut or written).
 */
bool sm_print_padded(uint64_t v, unsigned width, char *out);

#endif
