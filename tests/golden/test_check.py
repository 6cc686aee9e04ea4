# SPDX-License-Identifier: Apache-2.0
"""What `check` finds: every code is provoked by a job and absent in the cured one, and the report is the same for any
number of threads. The numbers are counted here, from the input, not taken from the report."""

import json
import math
import random
import re
import os
import unittest

from golden.harness import ROOT, JobTest

CALLS = """input:
  files: [calls.csv]
  csv: {header: true}
  identity: [caller, callee, start, duration]
  fields:
    start: {type: time, format: "%%Y-%%m-%%d %%H:%%M:%%S", zone: UTC, min: 2020-01-01, max: 2030-01-01}
    duration: {type: int}
    code: {charset: digits}
tables:
  - name: t
    key: '%(key)s'
    splits: %(splits)s
    timestamp: start
    families: {%(family)s: {%(options)s}}
    cells: {%(cells)s}
    queries: [%(queries)s]
output: {directory: out}
"""
DEFAULTS = {"key": "salt(100, caller) + pad(caller, 15) + rev_ts(start) + callee + left(xxh64(record), 4)",
            "splits": "{salt: 100, regions: 10}", "family": "f", "options": "", "queries": "",
            "cells": '"f:d": int32be(duration), "f:c": callee, "f:k": code'}


def calls(count=2000, heavy=0.0, seed=1):
    chance = random.Random(seed)
    lines = ["caller,callee,start,duration,code"]
    for i in range(count):
        caller = 77 if chance.random() < heavy else chance.randrange(500)
        second = i * 30
        lines.append("138%08d,139%08d,2021-09-%02d %02d:%02d:%02d,%d,%d" % (
            caller, chance.randrange(10 ** 8), 1 + second // 86400, second // 3600 % 24, second // 60 % 60, second % 60,
            chance.randrange(1000), chance.randrange(1, 10 ** 6)))
    return "\n".join(lines) + "\n"


def shown(key):
    return "".join(chr(b) if 0x20 <= b < 0x7F and b != 0x5C else "\\x%02X" % b for b in key)


class Check(JobTest):
    def check(self, text, *options):
        self.write("job.yaml", text)
        texts = {self.saltmill("check", "job.yaml", "--json", "--fail-on", "never", "--threads", str(n), *options).stdout
                 for n in (1, 2, 7)}
        self.assertEqual(len(texts), 1, "reports differ between 1, 2, 7 threads")
        return json.loads(texts.pop())

    def calls(self, *options, **changes):
        return self.check(CALLS % dict(DEFAULTS, **changes), *options)

    def found(self, report, code):
        return [f for f in report["findings"] if f["code"] == code]

    def provoked(self, code, severity, **changes):
        """The finding with that code; it is not there in the sound job."""
        if not os.path.exists(self.path("calls.csv")):
            self.write("calls.csv", calls())
        found = self.found(self.calls(**changes), code)
        self.assertTrue(found, code)
        self.assertEqual(found[0]["severity"], severity)
        self.assertTrue(found[0]["reason"] and found[0]["remedy"])
        self.assertEqual(self.found(self.calls(), code), [])
        return found[0]

    def test_sound_job_has_nothing_to_find(self):
        self.write("calls.csv", calls())
        self.assertEqual(self.calls()["findings"], [])

    def test_hex_keys_under_bytewise_splits(self):
        chance = random.Random(2)
        keys = ["%016x" % chance.getrandbits(64) for _ in range(4000)]
        self.write("ids.csv", "id,v\n" + "".join("%s,1\n" % k for k in keys))
        job = "input: {files: [ids.csv], csv: {header: true}}\ntables:\n  - name: t\n    key: id\n    splits: %s\n" \
            "    timestamp: 2021-01-01\n    families: {f: {}}\n    cells: {'f:v': v}\noutput: {directory: out}\n"
        low, high = int.from_bytes(b"0" * 16, "big"), int.from_bytes(b"f" * 16, "big")
        cuts = [(low + (high - low) * i // 10).to_bytes(16, "big") for i in range(1, 10)]
        report = self.check(job % ("[" + ", ".join("'%s'" % shown(c).replace("'", "''") for c in cuts) + "]"))
        filled = {sum(k.encode() >= c for c in cuts) for k in keys}
        found = self.found(report, "empty-regions")[0]
        self.assertEqual(found["number"], 10 - len(filled))
        self.assertGreaterEqual(10 - len(filled), 6)
        self.assertIn("between '9' and 'a'", found["reason"])
        cure = re.match(r"splits: (\{hex: .*\}\})", found["remedy"]).group(1)
        cured = self.check(job % cure)
        self.assertEqual(self.found(cured, "empty-regions") + self.found(cured, "region-skew"), [])
        self.assertEqual(cured["tables"][0]["spread"]["empty"], 0)

    def test_decimal_keys_under_uniform_splits(self):
        self.write("calls.csv", calls())
        report = self.calls(key="code + pad(caller, 15) + rev_ts(start)", splits="{uniform: 64}")
        found = self.found(report, "empty-regions")[0]
        self.assertEqual(found["number"], 64 - len({ord(r.split(",")[4][0]) // 4
                                                    for r in calls().splitlines()[1:]}))
        self.assertIn("{decimal: {", found["remedy"])

    def test_monotonic_key_is_hot(self):
        found = self.provoked("hot-spot", "warning", key="ts(start) + caller", splits="{uniform: 16}")
        self.assertGreater(found["number"], 0.9)

    def test_duplicates(self):
        rows = calls().splitlines()
        self.write("calls.csv", "\n".join(rows + rows[1:101]) + "\n")
        report = self.calls()
        found = self.found(report, "duplicate-keys")[0]
        self.assertEqual((found["severity"], found["number"], found["unit"]), ("error", 100, "rows"))
        self.assertEqual(len(report["tables"][0]["duplicate_examples"]), 5)
        self.saltmill("check", "job.yaml", exit=1)
        self.saltmill("check", "job.yaml", "--fail-on", "warning", exit=1)
        self.saltmill("check", "job.yaml", "--fail-on", "never")
        self.write("calls.csv", "\n".join(rows) + "\n")
        self.saltmill("check", "job.yaml", "--fail-on", "note")

    def test_shared_rows(self):
        self.write("calls.csv", calls())
        text = CALLS % dict(DEFAULTS, key='salt(100, caller) + pad(caller, 15) + format_ts(start, "%Y%m")')
        text = re.sub(r"cells: .*", "cells: [{family: f, qualifier: 'format_ts(start, \"%d%H%M%S\") + callee', value: callee}]",
                      text)
        report = self.check(text)
        self.assertEqual(self.found(report, "shared-rows")[0]["severity"], "note")
        self.assertEqual(self.found(report, "duplicate-keys"), [])

    def test_sizes(self):
        found = self.provoked("long-keys", "warning", key=DEFAULTS["key"] + " + pad(callee, 90)")
        self.assertEqual(found["number"], 2 + 15 + 8 + 11 + 4 + 90)
        found = self.provoked("long-names", "note", family="calls",
                              cells='"calls:duration": int32be(duration), "calls:c": callee')
        self.assertEqual(found["number"], (4 * 2 + 7) * 10 ** 6)
        self.provoked("ttl-hides", "note", options="ttl: 864000")
        text = re.sub(r"cells: .*", "cells: [{family: f, qualifier: '\"d\"', value: callee, ttl: 86400000}, "
                      "{family: f, qualifier: '\"c\"', value: callee}, {family: f, qualifier: '\"e\"', value: code, ttl: duration}]", CALLS % DEFAULTS)
        found = self.found(self.check(text), "ttl-hides")
        self.assertEqual([(f["severity"], f["part"], f["unit"]) for f in found],
                         [("note", "cells[0]", None), ("note", "cells[2]", None)])

    def test_key_too_long(self):
        rows = calls(50).splitlines()
        rows[3] = rows[3].replace(",139", "," + "9" * 40000, 1)
        self.write("calls.csv", "\n".join(rows) + "\n")
        report = self.calls()
        self.assertEqual(self.found(report, "key-too-long")[0]["number"], 1)
        self.assertEqual(self.found(report, "rejects-seen")[0]["severity"], "error")
        self.assertEqual(report["input"]["rejects"], {"key-too-long": 1})

    def test_regions(self):
        self.provoked("salt-region-mismatch", "warning", splits="{salt: 100, regions: 80}")
        found = self.provoked("empty-regions", "warning", splits="[\"05\", \"10\", \"95\", \"a\", \"b\", \"c\"]")
        self.assertEqual(found["number"], 3)
        found = self.provoked("region-skew", "warning", splits="[\"05\", \"10\", \"95\"]")
        self.assertGreater(found["number"], 2)

    def test_one_region(self):
        self.write("calls.csv", calls())
        text = (CALLS % DEFAULTS).replace("    splits: {salt: 100, regions: 10}\n", "")
        self.assertEqual(len(self.found(self.check(text), "one-region")), 1)

    def test_heavy_lead(self):
        self.write("calls.csv", calls(heavy=0.3))
        found = self.found(self.calls(), "heavy-lead")[0]
        rows = calls(heavy=0.3).splitlines()[1:]
        share = sum(r.startswith("13800000077,") for r in rows) / len(rows)
        self.assertAlmostEqual(found["number"], share, delta=0.001)
        self.sub_salted(share, 0.1)
        self.sub_salted(share, 1 / 25, splits="{salt: 100, regions: 25}")
        cut = 'splits: ["13800000100", "13800000200", "13800000300", "13800000400"]'
        self.sub_salted(share, 0.1, key="caller + rev_ts(start) + left(xxh64(record), 4)", splits=cut[8:])
        self.assertNotIn("identity", found["remedy"])
        nameless = re.sub("  identity: .*\n", "", CALLS) % dict(DEFAULTS, key="salt(100, caller) + caller + rev_ts(start)")
        self.assertIn("needs input.identity", self.found(self.check(nameless), "heavy-lead")[0]["remedy"])
        self.write("calls.csv", calls())
        self.assertEqual(self.found(self.calls(), "heavy-lead"), [])

    def sub_salted(self, share, wanted, **changes):
        """The remedy has as many sub-salts as a value of that share needs, and cures."""
        key = changes.get("key", DEFAULTS["key"])
        found = self.found(self.calls(**changes), "heavy-lead")[0]
        self.assertEqual(found["sub_salts"], math.ceil(share / wanted))
        self.assertEqual(found["scans"], found["sub_salts"])
        before, after = re.match("(.*) -> (.*), with regions", found["remedy"].replace(", hash: murmur3", "")).groups()
        self.assertEqual(after, "salt(%d, record) + %s" % (found["scans"], before) if before == "caller" else
                         "%s + salt(%d, record)" % (before, found["scans"]))
        self.assertTrue(key.startswith(before), before)
        cured = self.calls(**dict(changes, key=key.replace(before, after, 1)))
        self.assertEqual(self.found(cured, "heavy-lead"), [])
        heaviest = cured["tables"][0]["leads"]["heaviest"][0]
        self.assertEqual((heaviest["value"], heaviest["groups"]), ("13800000077" + heaviest["value"][11:], found["scans"]))
        halved = self.found(self.calls(**dict(changes, key=key.replace(before, "salt(2, record) + " + before, 1))), "heavy-lead")[0]
        self.assertGreaterEqual(halved["scans"], 2 * math.ceil(share / 2 / wanted))

    def test_unstable_key(self):
        self.write("calls.csv", calls())
        seen = {}
        for line in calls().splitlines()[1:]:
            caller, callee, _, duration, _ = line.split(",")
            seen.setdefault(duration, set()).add(caller)
        report = self.calls("--stable", "duration")
        found = self.found(report, "unstable-key")[0]
        several = [d for d in seen if len(seen[d]) > 1]
        self.assertEqual((found["severity"], found["number"], found["part"]), ("warning", len(several), "duration"))
        self.assertIn(re.search('such as "(.*)"', found["reason"]).group(1), several)
        self.assertEqual(report["tables"][0]["stable"],
                         {"field": "duration", "why_not": None, "values": len(seen), "unstable": len(several), "scale": 1})
        report = self.calls("--stable", "caller")
        self.assertEqual(self.found(report, "unstable-key"), [])
        self.assertEqual(report["tables"][0]["stable"]["unstable"], 0)
        sub_salted = DEFAULTS["key"].replace(" + pad", " + salt(3, record) + pad", 1)
        self.assertTrue(self.found(self.calls("--stable", "caller", key=sub_salted), "unstable-key"))
        self.assertIn(b"job has no field", self.saltmill("check", "job.yaml", "--stable", "none", exit=2).stderr)

    def test_unstable_key_is_estimated(self):
        """100000 ids, the first 20000 under two callers: a sample of at most 8192 of them tells about how many."""
        rows = ["caller,callee,start,duration,code"]
        for i in range(120000):
            rows.append("138%08d,139%08d,2021-09-01 00:00:00,%d,%d" % (i % 499, i, i % 100000, i))
        self.write("calls.csv", "\n".join(rows) + "\n")
        report = self.calls("--stable", "duration")
        stable = report["tables"][0]["stable"]
        self.assertEqual(stable["scale"], 16)
        self.assertAlmostEqual(stable["values"] / 100000, 1, delta=0.05)
        self.assertAlmostEqual(stable["unstable"] / 20000, 1, delta=0.1)
        self.assertIn("estimated", self.found(report, "unstable-key")[0]["reason"])

    def test_traps(self):
        tail = " + left(xxh64(record), 4)"
        for code, severity, key in (
                ("joined-parts", "warning", "salt(100, caller) + caller + callee + rev_ts(start)"),
                ("wider-scans", "note", "salt(100, caller) + caller + rev_ts(start)"),
                ("separator-in-data", "warning", 'salt(100, caller) + caller + "_" + rev_ts(start)'),
                ("unpadded-number", "warning", "salt(100, caller) + rev_ts(start) + text(duration)"),
                ("signed-number", "warning", "salt(100, caller) + int32be(duration) + rev_ts(start)"),
                ("unsorted-time", "warning", 'salt(100, caller) + pad(caller, 15) + format_ts(start, "%d%m%Y")'),
                ("zero-padding", "warning", 'salt(100, caller) + pad(caller, 15, fill: "0", side: left) + rev_ts(start)'),
                ("random-part", "note", "random(100) + pad(caller, 15) + rev_ts(start)"),
                ("whole-key-hash", "note", "md5(record)"),
                ("no-time-part", "note", "salt(100, caller) + pad(caller, 15)")):
            with self.subTest(code):
                self.provoked(code, severity, key=key + (tail if code != "whole-key-hash" else ""))

    def test_cures_of_traps(self):
        self.write("calls.csv", calls())
        cured = self.calls(key='salt(100, code) + code + "_" + pad(caller, 15) + dec(duration, 6) + i32(duration) + '
                               'format_ts(start, "%Y%m%d") + left(xxh64(record), 4)')
        self.assertEqual(cured["findings"], [])

    def test_rejects(self):
        rows = calls(50).splitlines()
        rows[7] = rows[7].replace("2021-09-01", "2021-09-31")
        self.write("calls.csv", "\n".join(rows) + "\n")
        found = self.found(self.calls(), "rejects-seen")[0]
        self.assertEqual((found["severity"], found["number"]), ("error", 1))
        self.assertIn("calls.csv:8", found["reason"])

    def test_no_rows(self):
        self.write("calls.csv", calls(0))
        self.assertEqual(len(self.found(self.calls(), "no-rows")), 1)

    def test_queries(self):
        self.write("calls.csv", calls())
        rows = [r.split(",") for r in calls().splitlines()[1:]]
        report = self.calls(queries='"caller=13800000012", "\'start>=2021-09-01 06:00:00\' callee=13900000001"')
        narrow, full = report["queries"]
        self.assertEqual((narrow["scans"], narrow["full"], narrow["rows"]),
                         (1, False, sum(r[0] == "13800000012" for r in rows)))
        self.assertEqual((full["full"], full["rows"]), (True, len(rows)))
        found = self.found(report, "full-scan-query")
        self.assertEqual(len(found), 1)
        self.assertIn("callee=", found[0]["part"])
        wide = self.found(self.calls(key="rev_ts(start) + caller", splits="{uniform: 16}",
                                     queries="from=2021-09-01 to=2021-09-01T12:00:00Z"), "wide-query")
        share = sum(r[2] < "2021-09-01 12" for r in rows) / len(rows)
        self.assertAlmostEqual(wide[0]["number"], share, delta=0.001)

    def test_what_if(self):
        self.write("calls.csv", calls())
        variants = self.calls("--salts", "10,300", "--regions", "5,10")["tables"][0]["what_if"]
        self.assertEqual([(v["asked_salts"], v["regions"]) for v in variants],
                         [(10, 5), (10, 10), (300, 5), (300, 10)])

    def test_sample(self):
        self.write("calls.csv", calls())
        report = self.calls("--sample", "500")
        self.assertEqual((report["input"]["records_read"], report["input"]["sampled"]), (500, True))

    def test_every_code_is_met(self):
        with open(os.path.join(ROOT, "job", "check_findings.def"), encoding="utf-8") as file:
            codes = re.findall(r'SM_FINDING\(\w+, "([a-z-]+)"', file.read())
        with open(__file__, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual([c for c in codes if '"%s"' % c not in text], [])


if __name__ == "__main__":
    unittest.main()
