#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the small inputs of the schemes in this folder, the same ones each time:

    python3 make_records.py        writes records.csv into each scheme's folder

They are small on purpose: the point is the key. Callers, shops and devices repeat unevenly, as real ones do,
and some records fall into the same second or around the end of a month."""

import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = ["1380000%04d" % n for n in (1, 2, 3, 7, 13, 138, 1380)] + ["008613912345678"]
SHOPS = ["paris", "lyon", "new-york", "tokyo", "sao-paulo", "x"]
USERS = ["foo%04d" % n for n in range(1, 8)]


def times(chance, count, first=(2021, 9, 28), days=6):
    """Texts YYYY-MM-DD HH:MM:SS, ascending in no particular way, some of them twice."""
    import datetime
    start = datetime.datetime(*first)
    found = []
    for _ in range(count):
        if found and chance.random() < 0.1:
            found.append(chance.choice(found))
        else:
            found.append(start + datetime.timedelta(seconds=chance.randrange(days * 86400)))
    return [str(t) for t in found]


def uneven(chance, items):
    return items[min(int(chance.expovariate(1.0)), len(items) - 1)]


def calls(chance, count):
    yield "caller,callee,start,duration"
    for at in times(chance, count):
        yield "%s,%s,%s,%d" % (uneven(chance, CALLS), chance.choice(CALLS), at, chance.randrange(3600))


def orders(chance, count):
    yield "shop,order,user,status,created,amount"
    for n, at in enumerate(times(chance, count)):
        yield "%s,A%07d,%s,%s,%s,%d" % (uneven(chance, SHOPS), n * 7919 % 9999991, uneven(chance, USERS),
                                       chance.choice(["new", "paid", "sent"]), at, chance.randrange(100000))


def flows(chance, count):
    yield "user,serial,at,kind"
    for n, at in enumerate(times(chance, count)):
        yield "%s,%d,%s,%s" % (uneven(chance, USERS), n, at, chance.choice(["login", "pay", "refund"]))


def readings(chance, count):
    yield "device,at,temperature"
    devices = ["35693803%07d" % (n * 104729 % 10 ** 7) for n in range(9)]
    for at in times(chance, count):
        yield "%s,%s,%.1f" % (uneven(chance, devices), at, chance.uniform(-20, 40))


def metrics(chance, count):
    yield "metric,host,at,value"
    names = ["cpu.user", "disk.write.bytes", "mem.free", "net.in"]
    for at in times(chance, count):
        yield "%s,%s,%s,%.2f" % (uneven(chance, names), uneven(chance, ["web-1", "web-2", "db-1"]), at,
                                 chance.uniform(0, 1000))


# {folder: (records, seed)}
SCHEMES = {"business-flow": (flows, 0), "calls-by-month": (calls, 1), "colocated-index": (orders, 2), "device": (readings, 3), "general": (orders, 4),
           "md5-per-part": (orders, 5), "md5-whole": (orders, 6), "metric": (metrics, 7),
           "random-salt": (flows, 8),
           "reversed-phone": (calls, 9), "secondary-index": (orders, 10), "time-series": (readings, 11),
           "two-views": (calls, 12)}


def main():
    for name, (make, seed) in SCHEMES.items():
        folder = os.path.join(HERE, name)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "records.csv"), "w", encoding="utf-8", newline="") as file:
            for line in make(random.Random(seed), 120):
                file.write(line + "\n")


if __name__ == "__main__":
    main()
