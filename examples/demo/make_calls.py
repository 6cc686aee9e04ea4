#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one day of call records as CSV, the same bytes for the same arguments on every machine.

Columns: caller,callee,start,duration,type,cell. Times are local times of the one day and run forward
through each file, more by day than by night. Some callers call far more than others; some place several
calls in the same second, always to different numbers. Numbers keep leading zeros and '+'. The name of
the cell is quoted in some records because it holds commas, doubled quotes or (--multiline) a line break.
The bad records, exactly --bad of them, are spread over the files and fail in the four ways of BAD.

`Calls` is also used by the tests, which need to know what every record means (tests/gen/gen_cdr.py)."""

import argparse
import collections
import gzip
import os
import random

HEADER = "caller,callee,start,duration,type,cell"

# What a record says, or for a bad one the name of what is wrong with it.
Call = collections.namedtuple("Call", "caller callee second duration type cell bad")

KINDS = ("voice", "voice", "voice", "sms", "video")
DISTRICTS = ("Pudong", "Xuhui", "Jing'an", "Minhang", "Songjiang", "浦东", "徐汇")
# Share of the day's calls in each hour, in thousandths.
HOURS = (8, 5, 4, 3, 4, 8, 18, 40, 62, 74, 76, 70, 58, 60, 66, 68, 66, 64, 60, 56, 50, 40, 26, 14)


def bad_missing_field(fields):
    return ",".join(fields[:5])


def bad_date(fields):
    return ",".join(fields[:2] + ["2021-02-30 25:61:00"] + fields[3:])


def bad_after_quote(fields):
    return ",".join(fields[:5] + ['"cell"x'])


def bad_duration(fields):
    return ",".join(fields[:3] + ["99999999999999999999"] + fields[4:])


BAD = (("missing-field", bad_missing_field), ("bad-date", bad_date),
       ("text-after-quote", bad_after_quote), ("impossible-duration", bad_duration))


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


class Calls:
    """The records of one file: iterate for (Call, CSV text without line end)."""

    def __init__(self, rows, seed, date="2021-09-12", quoting=0.02, bad=0, multiline=0.0,
                 subscribers=200000, first_bad=0):
        self.rows, self.date, self.quoting, self.multiline = rows, date, quoting, multiline
        self.subscribers = subscribers
        # Python promises that random() gives the same sequence in every version; nothing else here
        # draws from the generator.
        self.draw = random.Random("calls %s %s" % (seed, date)).random
        self.bad_rows = {(i + 1) * rows // (bad + 1): (first_bad + i) % len(BAD)
                         for i in range(bad)}
        if bad and (len(self.bad_rows) != bad or rows <= bad):
            raise ValueError("%d bad records do not fit among %d" % (bad, rows))

    def number(self, n):
        """The telephone number of subscriber n: mobile, landline with a leading zero, foreign."""
        if n % 20 == 0:
            return "021%08d" % (50000000 + n * 7)
        if n % 50 == 1:
            return "+4930%07d" % (n * 13 % 10000000)
        return "1%d%08d" % (30 + n % 60, n * 104729 % 100000000)

    def seconds(self):
        """A start for each row: forward through the day, HOURS deciding how fast."""
        total, done, row = sum(HOURS), 0, 0
        for hour, share in enumerate(HOURS):
            done += share
            end = self.rows * done // total
            first = row
            while row < end:
                yield hour * 3600 + (row - first) * 3600 // (end - first)
                row += 1

    def cell(self):
        value = self.draw()
        name = "C%04d" % int(self.draw() * 5000)
        if value >= self.quoting:
            return name
        district = DISTRICTS[int(value / self.quoting * len(DISTRICTS))]
        if self.draw() < 0.5:
            return "%s, %s" % (district, name)
        return '%s "%s" tower, east' % (name, district)

    def calls(self):
        draw, subscribers = self.draw, self.subscribers
        caller = callee = previous_second = 0
        for row, second in enumerate(self.seconds()):
            if row and second == previous_second and draw() < 0.01:
                # The same caller again in the same second, to the next number.
                callee = (callee + 1) % subscribers
                callee += callee == caller
            else:
                share = draw()
                caller = int(share * share * share * subscribers)
                callee = int(draw() * (subscribers - 1))
                callee += callee >= caller
            previous_second = second
            kind = KINDS[int(draw() * 5)]
            duration = 0 if kind == "sms" else int(draw() * draw() * 3600)
            cell = self.cell()
            if self.multiline and draw() < self.multiline:
                cell = cell + "\nrelay"
            bad = BAD[self.bad_rows[row]][0] if row in self.bad_rows else None
            yield Call(self.number(caller), self.number(callee), second, duration, kind, cell, bad)

    def __iter__(self):
        day = ["%s %02d:%02d:%02d" % (self.date, s // 3600, s // 60 % 60, s % 60)
               for s in range(86400)]
        spoil = dict(BAD)
        for call in self.calls():
            cell = quoted(call.cell) if any(c in call.cell for c in ',"\n') else call.cell
            fields = [call.caller, call.callee, day[call.second], "%d" % call.duration, call.type,
                      cell]
            yield call, spoil[call.bad](fields) if call.bad else ",".join(fields)


def write_records(path, lines):
    """Texts to a file, gzip by its name; no time of day gets into the gzip header."""
    with open(path, "wb") as raw:
        file = gzip.GzipFile("", "wb", 1, raw, 0) if path.endswith(".gz") else raw
        batch = [HEADER]
        for line in lines:
            batch.append(line)
            if len(batch) >= 10000:
                file.write(("\n".join(batch) + "\n").encode())
                batch = []
        file.write(("\n".join(batch) + "\n").encode() if batch else b"")
        if file is not raw:
            file.close()


def shares(total, files):
    return [total * (i + 1) // files - total * i // files for i in range(files)]


def add_arguments(parser):
    parser.add_argument("--rows", type=int, default=1200000, help="records, bad ones among them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--date", default="2021-09-12")
    parser.add_argument("--quoting", type=float, default=0.02, help="share with a quoted field")
    parser.add_argument("--multiline", type=float, default=0.0, help="share with a line break")
    parser.add_argument("--bad", type=int, default=40, help="records that must be rejected")
    parser.add_argument("--subscribers", type=int, default=200000)
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--gzip", type=int, default=0, help="how many of the files, from the last")
    parser.add_argument("--output", required=True, help="folder for calls-DATE-NN.csv[.gz]")


def file_set(options):
    """(path, Calls) for each file that the options ask for."""
    counts = zip(shares(options.rows, options.files), shares(options.bad, options.files))
    bad_before = 0
    for index, (rows, bad) in enumerate(counts):
        suffix = ".csv.gz" if index >= options.files - options.gzip else ".csv"
        path = os.path.join(options.output, "calls-%s-%02d%s" % (options.date, index, suffix))
        yield path, Calls(rows, "%d/%d" % (options.seed, index), options.date, options.quoting, bad,
                          options.multiline, options.subscribers, bad_before)
        bad_before += bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_arguments(parser)
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    for path, calls in file_set(options):
        write_records(path, (line for _, line in calls))
        print("input: %s, %d records" % (path, calls.rows))


if __name__ == "__main__":
    main()
