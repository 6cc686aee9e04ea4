#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes zone_instants.tsv: what Python's zoneinfo makes of local times, around changes of the clock and
at random. Columns: zone, local time, first and second instant in seconds, kind.

A tzdata release that changes the future of one of these zones makes the file stale: run this again."""

import datetime
import os
import random
import zoneinfo

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)
SECOND = datetime.timedelta(seconds=1)
ZONES = """Asia/Shanghai America/New_York Europe/Berlin Australia/Lord_Howe Africa/Casablanca
Pacific/Apia America/Sao_Paulo Asia/Kolkata Asia/Tehran Europe/Dublin Europe/London Europe/Moscow
America/St_Johns America/Caracas Asia/Kathmandu Asia/Pyongyang Pacific/Chatham Pacific/Kiritimati
America/Godthab Antarctica/Troll Africa/Monrovia Asia/Manila Europe/Istanbul Asia/Gaza
Pacific/Kwajalein America/Argentina/San_Luis Africa/El_Aaiun Asia/Hong_Kong""".split()
# Their future depends on a calendar that is corrected from time to time.
UNSETTLED = {"Africa/Casablanca", "Africa/El_Aaiun", "Asia/Gaza"}


def instant(zone, local, fold):
    aware = local.replace(tzinfo=zone, fold=fold)
    return (local.replace(tzinfo=UTC) - aware.utcoffset() - EPOCH) // SECOND


def offset(zone, seconds):
    return (EPOCH + seconds * SECOND).astimezone(zone).utcoffset() // SECOND


def changes(zone, begin, end, step=86400 * 3):
    """(instant, offset before, offset after), found by halving."""
    before = offset(zone, begin)
    for low in range(begin, end, step):
        high = low + step
        after = offset(zone, high)
        if after != before:
            while high - low > 1:
                middle = (low + high) // 2
                if offset(zone, middle) == before:
                    low = middle
                else:
                    high = middle
            yield high, before, offset(zone, high)
        before = after


def local_times(name, zone, rng):
    end = 2025 if name in UNSETTLED else 2100
    last = int(datetime.datetime(end, 1, 1, tzinfo=UTC).timestamp())
    found = list(changes(zone, -2208988800, last))
    for at, before, after in rng.sample(found, min(11, len(found))):
        early, late = sorted((at + before, at + after))
        for local in (early - 1, early, (early + late) // 2, late - 1, late):
            yield local
    middle = min(last, 2145916800)
    for low, high, count in ((0, middle, 22), (middle, last, 8)):
        for _ in range(count if high > low else 0):
            yield rng.randrange(low, high)


def row(name, zone, local):
    first, second = instant(zone, local, 0), instant(zone, local, 1)
    kind = "once" if first == second else "twice" if first < second else "never"
    return "\t".join((name, local.isoformat(" "), str(first), str(second), kind))


def main():
    rng = random.Random(20240610)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "zone_instants.tsv")
    with open(path, "w", encoding="ascii", newline="\n") as out:
        for name in ZONES:
            zone = zoneinfo.ZoneInfo(name)
            for seconds in sorted(set(local_times(name, zone, rng))):
                local = (EPOCH + seconds * SECOND).replace(tzinfo=None)
                out.write(row(name, zone, local) + "\n")


if __name__ == "__main__":
    main()
