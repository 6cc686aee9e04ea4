# SPDX-License-Identifier: Apache-2.0
"""Planned scans run on the real HBase as they are printed, against `scan` over the dataset and a filter over the
records: salted keys, reversed keys, ranges of time, the newest rows first, a salt that nobody knows."""

import datetime
import os
import random
import re
import subprocess
import sys

from golden.harness import SALTMILL, JobTest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import judge  # noqa: E402
from test_load import escape  # noqa: E402

CALLERS = ["138%08d" % n for n in (0, 1, 7, 10, 77, 138, 1380, 99999999)] + ["0138", "138"]
DAY = datetime.datetime(2021, 9, 12, tzinfo=datetime.timezone.utc)
ROWS = 4000

JOB = """
seed: 3
input:
  files: [calls.csv]
  identity: [id]
  fields:
    caller: {type: text, charset: digits}
    start: {type: time, format: epoch_ms, min: 2021-01-01, max: 2022-01-01}
    id: {type: int}
tables:
  - name: by_caller
    key: salt(30, caller) + pad(caller, 15) + rev_ts(start) + u32(id)
    splits: {salt: 30, regions: 5}
    timestamp: start
    families: {f: {compression: GZ}}
    cells: {"f:i": "dec(id, 6)"}
  - name: by_tail
    key: reverse(caller) + "_" + ts(start) + u32(id)
    timestamp: start
    families: {f: {compression: SNAPPY}}
    cells: {"f:i": "dec(id, 6)"}
  - name: spread
    key: random(4) + pad(caller, 15) + rev_ts_dec(start) + u32(id)
    splits: {salt: 4, regions: 4}
    timestamp: start
    families: {f: {compression: LZ4}}
    cells: {"f:i": "dec(id, 6)"}
output: {directory: out}
"""


def setUpModule():
    judge.start()


def tearDownModule():
    judge.stop()


def ruby_bytes(literal):
    """What a Ruby text between double quotes is: to_java_bytes hands its bytes to HBase."""
    return re.sub(rb"\\x([0-9A-Fa-f]{2})", lambda m: bytes([int(m.group(1), 16)]), literal.encode())


def statements(text):
    """(table, start, stop, limit) of each scan that plan printed."""
    for line in text.splitlines():
        if line.startswith("scan "):
            table, options = re.fullmatch(r"scan '([^']+)', \{(.*)\}", line).groups()
            bounds = dict(re.findall(r'(STARTROW|STOPROW) => "([^"]*)"', options))
            limit = re.search(r"LIMIT => (\d+)", options)
            yield (table, ruby_bytes(bounds.get("STARTROW", "")), ruby_bytes(bounds.get("STOPROW", "")),
                   int(limit.group(1)) if limit else None)


class PlannedScans(JobTest):
    def make(self):
        chance = random.Random(11)
        self.records = [(chance.choice(CALLERS), int(DAY.timestamp()) * 1000 + chance.randrange(3 * 86400000), n)
                        for n in range(ROWS)]
        self.write("calls.csv", "caller,start,id\n" + "".join("%s,%d,%d\n" % r for r in self.records))
        self.write("job.yaml", JOB)
        self.saltmill("run", "job.yaml")
        for table, splits in (("by_caller", ["%02d" % n for n in (6, 12, 18, 24)]), ("by_tail", []),
                              ("spread", ["1", "2", "3"])):
            path = self.write(table + ".splits", "".join(s + "\n" for s in splits))
            judge.run("create", table, "--splits", path, "--family", "f")
            self.assertEqual(judge.outcome("load", self.path("out", table), table).status, 0)

    def on_hbase(self, *words):
        """[(row, id)] in the order of the printed scans."""
        plan = subprocess.run([SALTMILL, "plan", "job.yaml", *words], cwd=self.folder, capture_output=True, check=True)
        found = []
        for table, start, stop, limit in statements(plan.stdout.decode()):
            more = ["--limit", str(limit)] if limit else []
            bounds = ["--start", escape(start)] + (["--stop", escape(stop)] if stop else [])
            lines = judge.run("scan", table, *bounds, *more).splitlines()
            found += [(line.split("\t")[0], int(line.split("\t")[5])) for line in lines]
        return found

    def on_files(self, *words):
        done = self.saltmill("scan", "job.yaml", *words)
        return [(line.split("\t")[0], int(line.split("\t")[3])) for line in done.out.splitlines()]

    def compare(self, words, predicate):
        found = self.on_hbase(*words)
        self.assertEqual(sorted(i for _, i in found), sorted(r[2] for r in self.records if predicate(r)), words)
        self.assertEqual(found, self.on_files(*words))
        return len(found)

    def test_planned_scans(self):
        self.make()
        chance = random.Random(12)
        rows = 0
        for _ in range(15):
            caller = chance.choice(CALLERS)
            low = int(DAY.timestamp()) * 1000 + chance.randrange(2 * 86400000)
            high = low + chance.randrange(86400000)
            times = ["from=%s" % iso(low), "to=%s" % iso(high)]
            inside = lambda r: r[0] == caller and low <= r[1] < high  # noqa: E731
            for table in ("by_caller", "by_tail", "spread"):
                words = ["--table", table, "caller=" + caller]
                rows += self.compare(words, lambda r: r[0] == caller)
                rows += self.compare(words + times, inside)
            self.compare(["--table", "by_caller", "caller=" + caller, times[0]],
                         lambda r: r[0] == caller and r[1] >= low)
        self.assertGreater(rows, 10000)
        self.compare(["--table", "by_tail", "caller$=138"], lambda r: r[0].endswith("138"))
        for caller in CALLERS:
            self.check_newest("by_caller", caller)
            self.check_newest("spread", caller)

    def newest(self, caller, count):
        mine = sorted((r for r in self.records if r[0] == caller), key=lambda r: -r[1])
        return [r[1] for r in mine[:count]]

    def check_newest(self, table, caller):
        """LIMIT for each salt, merged by the reader, is what `scan --newest --limit` gives."""
        words = ["--table", table, "caller=" + caller]
        times = {r[2]: r[1] for r in self.records}
        limited = sorted((times[i] for _, i in self.on_hbase(*words, "--latest", "7")), reverse=True)
        merged = [times[i] for _, i in self.on_files(*words, "--newest", "--limit", "7")]
        self.assertEqual(limited[:7], self.newest(caller, 7))
        self.assertEqual(merged, self.newest(caller, 7))


def iso(ms):
    at = datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc)
    return "%s.%03dZ" % (at.strftime("%Y-%m-%dT%H:%M:%S"), ms % 1000)
