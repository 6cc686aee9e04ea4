# SPDX-License-Identifier: Apache-2.0
"""Key rules that never change silently: what a rule file holds and what its fingerprint covers, worked out here; and
plans over rows of several rules, compared with every row."""

import hashlib
import json
import os
import random
import unittest

from golden.harness import Dataset, JobTest

JOB = """
input:
  files: [in.csv]
  identity: [caller, callee, start]
  csv: {nulls: %(nulls)s}
  fields:
    start: {type: time, format: "%%Y-%%m-%%d %%H:%%M:%%S", zone: %(zone)s, min: 2000-01-01, max: 2100-01-01}
    caller: {type: text, charset: digits}
tables:
  - name: cdr
    key: '%(key)s'
    timestamp: 1000
    families: {f: {compression: NONE}}
    cells: [{family: f, qualifier: "text(n)", value: callee}]
"""

KEYS = ("salt(300, caller) + pad(caller, 15) + rev_ts(start) + callee",
        "salt(100, caller) + pad(caller, 15) + rev_ts(start) + callee",
        "salt(12, caller, hash: md5) + caller + \"_\" + ts(start) + callee",
        "left(hex(md5(caller)), 4) + caller + rev_ts_dec(start) + callee",
        "pad(caller, 15) + format_ts(start, \"%Y%m%d%H%M%S\") + callee",
        "rev_ts(start) + pad(caller, 15) + callee",
        "random(16) + reverse(caller) + \"|\" + rev_ts(start) + callee",
        "callee + \"\\x00\" + caller + ts(start)")


def job(key, zone="Asia/Shanghai", nulls='[""]'):
    text = JOB % {"key": key, "zone": zone, "nulls": nulls}
    return text.replace("    caller: {type", "    n: {type: int}\n    caller: {type")


def read_rules(text):
    """{table: (lines that the fingerprint covers, fingerprint)}, by the format's description."""
    lines = text.split("\n")
    assert lines[0] == "saltmill rules 1"
    found, table, kept = {}, None, []
    for line in lines[1:]:
        if line.startswith("table "):
            table, kept = line[6:], []
        elif line.startswith("    + "):
            kept[-1] += line[3:]
        elif line.startswith("key_fingerprint = "):
            found[table] = ("".join(k + "\n" for k in kept), line[18:])
        elif line and not line.startswith("#"):
            kept.append(line + " " if line.endswith(" =") else line)
    return found


def backslashes(lines):
    """The key's own backslashes are escaped where it is hashed, as Bytes.toStringBinary does."""
    first, rest = lines.split("\n", 1)
    return first.replace("\\", "\\x5C") + "\n" + rest


class RuleFileTest(JobTest):
    def test_fingerprint_covers_the_lines(self):
        for number, key in enumerate(KEYS):
            self.write("job.yaml", job(key, nulls='["", "\\\\N", "a b "]'))
            self.saltmill("rule", "job.yaml", "--write", "%d.rule" % number)
            with open(self.path("%d.rule" % number), encoding="utf-8", newline="") as file:
                text = file.read()
            for line in text.split("\n"):
                self.assertEqual(line.rstrip(), line, "blanks at the end get lost")
            lines, fingerprint = read_rules(text)["cdr"]
            lines = backslashes(lines.replace("a b\\x20", "a b "))
            self.assertEqual(fingerprint, hashlib.sha256(lines.encode()).hexdigest()[:32])

    def test_manifest_and_files_hold_the_same_rule(self):
        self.write("in.csv", "caller,callee,start,n\n138,139,2021-09-12 12:00:00,1\n")
        dataset, _ = self.run_job(job(KEYS[0]))
        table = dataset.manifest["tables"][0]
        text = "".join(line + "\n" for line in table["rule"])
        self.assertEqual(table["fingerprint"], hashlib.sha256(text.encode()).hexdigest()[:32])
        self.assertIn(table["fingerprint"], self.saltmill("rule", "job.yaml").out)

    def test_older_manifest_without_the_lines(self):
        self.write("in.csv", "caller,callee,start,n\n138,139,2021-09-12 12:00:00,1\n")
        self.run_job(job(KEYS[0]))
        with open(self.path("out", "_manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        del manifest["tables"][0]["rule"]
        self.write("old.json", json.dumps(manifest))
        self.saltmill("rule", "job.yaml", "--against", "old.json")
        self.write("job.yaml", job(KEYS[0], zone="UTC"))
        done = self.saltmill("rule", "job.yaml", "--against", "old.json", exit=6)
        self.assertIn("the key is the same, but types, zones", done.err)
        self.write("job.yaml", job(KEYS[1]))
        done = self.saltmill("rule", "job.yaml", "--against", "old.json", exit=6)
        self.assertIn("salt(300, caller, hash: murmur3) is now salt(100, caller, hash: murmur3)", done.err)

    def test_refused_run_touches_nothing(self):
        self.write("in.csv", "caller,callee,start,n\n138,139,2021-09-12 12:00:00,1\n")
        self.write("job.yaml", job(KEYS[0]) + "rule_file: cdr.rule\noutput: {directory: out}\n")
        self.saltmill("rule", "job.yaml", "--write", "cdr.rule")
        with open(self.path("cdr.rule"), "rb") as file:
            before = file.read()
        self.write("job.yaml", job(KEYS[1]) + "rule_file: cdr.rule\noutput: {directory: out}\n")
        self.saltmill("run", "job.yaml", exit=6)
        self.saltmill("rule", "job.yaml", "--write", "cdr.rule", exit=6)
        with open(self.path("cdr.rule"), "rb") as file:
            self.assertEqual(before, file.read())
        self.assertEqual({"in.csv", "job.yaml", "cdr.rule"}, set(os.listdir(self.folder)))


class SeveralRulesTest(JobTest):
    """A table that lives through migrations: each rule's rows must lie in the union of ranges."""

    RECORDS = 150
    QUERIES = 40

    def make_rows(self, source):
        """One dataset for each rule; rows as [(record number, key)]."""
        callers = ["138%08d" % source.randrange(8) for _ in range(6)] + ["38%08d" % source.randrange(8), "13"]
        self.records = [(source.choice(callers), "139%02d" % source.randrange(40),
                         "2021-%02d-%02d %02d:00:00" % (source.randint(1, 12), source.randint(1, 28),
                                                        source.randrange(24)), i) for i in range(self.RECORDS)]
        self.write("in.csv", "caller,callee,start,n\n" + "".join("%s,%s,%s,%d\n" % r for r in self.records))
        rows = []
        for number, key in enumerate(KEYS):
            name = self.write("%d.yaml" % number, job(key))
            self.saltmill("run", name, "--output", "out%d" % number, "--quiet")
            self.saltmill("rule", name, "--write", "%d.rule" % number, "--quiet")
            cells = Dataset(self.path("out%d" % number)).cells()
            self.assertEqual(self.RECORDS, len(cells))
            rows.append([(int(cell[2]), cell[0]) for cell in cells])
        return rows

    def ask(self, source):
        """Terms, and the numbers of the records that they are true for."""
        terms, keep = [], lambda r: True
        if source.random() < 0.8:
            caller = source.choice(self.records)[0]
            terms.append("caller=" + caller)
            keep = lambda r, c=caller: r[0] == c  # noqa: E731
        low, high = sorted("2021-%02d-%02d" % (source.randint(1, 12), source.randint(1, 28)) for _ in "ab")
        terms += ["from=" + low, "to=" + high]
        return terms, {r[3] for r in self.records if keep(r) and low <= r[2] < high}

    def test_union_holds_every_row(self):
        source = random.Random(18)
        rows = self.make_rows(source)
        found = 0
        for _ in range(self.QUERIES):
            chosen = source.sample(range(len(KEYS)), source.randint(2, 4))
            options = [o for n in chosen[1:]
                       for o in ("--rule", source.choice(("%d.rule", "out%d", "out%d/_manifest.json")) % n)]
            terms, wanted = self.ask(source)
            done = self.saltmill("plan", "%d.yaml" % chosen[0], "--json", "--full", *options, *terms)
            plan = json.loads(done.out)
            ranges = [(bytes.fromhex(r["start_hex"]), bytes.fromhex(r["stop_hex"])) for r in plan["ranges"]]
            self.assertEqual(len(chosen) - 1, len(plan["rules"]))
            for before, after in zip(ranges, ranges[1:]):
                self.assertTrue(before[1] and before[1] <= after[0], "ranges are sorted and apart")
            self.assertFalse(plan["exact"] and ranges)
            for number in chosen:
                for record, key in rows[number]:
                    if record in wanted:
                        found += 1
                        self.assertTrue(any(a <= key and (not b or key < b) for a, b in ranges),
                                        (KEYS[number], key, terms))
        self.assertGreater(found, self.QUERIES)


if __name__ == "__main__":
    unittest.main()
