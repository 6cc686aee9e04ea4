#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes time_parse.tsv (pattern, text, ms) and time_print.tsv (zone, pattern, ms, text) with Python's
strptime and strftime, in the C locale and for patterns that mean the same there and in core/time.h."""

import datetime
import os
import random
import zoneinfo

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)
MS = datetime.timedelta(milliseconds=1)
HERE = os.path.dirname(os.path.abspath(__file__))
PARSE = ("%Y-%m-%d %H:%M:%S", "%Y/%m/%dT%H:%M:%S", "%Y%m%d%H%M%S", "%d/%b/%Y:%H:%M:%S %z",
         "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%d %H:%M:%S.%f", "%m/%d/%y %I:%M:%S %p", "%d %B %Y",
         "%Y-%j %H:%M", "%Y-%m-%d", "%b %d %Y %I %p", "[%H:%M:%S] %d.%m.%Y 100%%",
         "%Y-%m-%dT%H:%M:%S%z")
PRINT = ("%Y-%m-%d %H:%M:%S", "%d%H%M%S", "%Y%m", "%j of %Y", "%b %B %y", "%Y-%m-%dT%H:%M:%S%z",
         "%F", "%T", "100%%", "%s")
ZONES = ("UTC", "Asia/Shanghai", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe")


def parse_rows(rng):
    for pattern in PARSE:
        # Years 1011 to 9909, for strftime writes earlier ones without zeros; %y is 1969 to 2068.
        low, high = (0, 36000) if "%y" in pattern else (-350000, 2900000)
        for _ in range(30):
            days = rng.randrange(low, high)
            moment = EPOCH + datetime.timedelta(days=days, seconds=rng.randrange(86400),
                                                microseconds=rng.randrange(10**6))
            minutes = rng.randrange(-23 * 60, 23 * 60)
            local = moment.astimezone(datetime.timezone(datetime.timedelta(minutes=minutes)))
            text = local.strftime(pattern)
            parsed = datetime.datetime.strptime(text, pattern)
            if parsed.tzinfo is None:
                parsed = parsed.replace(tzinfo=UTC)
            yield pattern, text, str((parsed - EPOCH) // MS)


def print_rows(rng):
    for name in ZONES:
        zone = zoneinfo.ZoneInfo(name)
        for pattern in PRINT:
            for _ in range(8):
                ms = rng.randrange(-2000000000000, 4000000000000)
                local = (EPOCH + ms * MS).astimezone(zone)
                text = str(ms // 1000) if pattern == "%s" else local.strftime(pattern)
                yield name, pattern, str(ms), text


def write(name, rows):
    with open(os.path.join(HERE, name), "w", encoding="ascii", newline="\n") as out:
        out.writelines("\t".join(row) + "\n" for row in rows)


def main():
    rng = random.Random(20240611)
    write("time_parse.tsv", parse_rows(rng))
    write("time_print.tsv", print_rows(rng))


if __name__ == "__main__":
    main()
