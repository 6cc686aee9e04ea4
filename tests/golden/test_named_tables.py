# SPDX-License-Identifier: Apache-2.0
"""Tables that records name: which row is in which one is worked out here with Python's datetime; the same tree for any
number of threads and from standard input; scan, plan, ddl and the load script see the real tables."""

import collections
import datetime
import json
import os
import random
import subprocess

from golden.harness import ROOT, JobTest, tree

JOB = """input:
  files: [in.csv]
  fields:
    start: {type: time, format: "%%Y-%%m-%%d %%H:%%M:%%S", zone: Asia/Shanghai, min: 2020-01-01, max: 2024-01-01}
    n: {type: int}
tables:
  - name: '%s'
    key: pad(k, 8) + rev_ts(start)
    splits: ["k0003", "k0006"]
    timestamp: start
    when: n >= 0
    families: {f: {versions: 2}, g: {}}
    cells: {"f:v": v, "g:n": int32be(n)}
  - {name: every, key: "pad(k, 8) + rev_ts(start)", timestamp: start, families: {f: {}}, cells: {"f:v": v}}
limits: {rejects: %d}
"""
MONTHLY = 'cdr_{format_ts(start, "%Y%m", zone: "Asia/Shanghai")}'
EAST = datetime.timezone(datetime.timedelta(hours=8))


class NamedTables(JobTest):
    def records(self, count=20000, seed=3):
        """(key, value, local time, n): around the ends of months, where the zone decides, and anywhere."""
        picked = random.Random(seed)
        made = []
        for i in range(count):
            at = datetime.datetime(2021 + picked.randrange(2), picked.randrange(1, 13), 1, tzinfo=EAST)
            at += datetime.timedelta(seconds=picked.randrange(-30000, 30000) if i % 2 else picked.randrange(0, 2500000))
            made.append(("k%04d" % picked.randrange(9000), "v%d" % i, at, picked.randrange(-1, 9)))
        return made

    def text(self, records):
        return "k,v,start,n\n" + "".join(
            "%s,%s,%s,%d\n" % (k, v, at.strftime("%Y-%m-%d %H:%M:%S"), n) for k, v, at, n in records)

    @staticmethod
    def key(record):
        ms = int(record[2].timestamp()) * 1000
        return record[0].ljust(8).encode() + ((1 << 63) - 1 - ms).to_bytes(8, "big")

    def expected(self, records):
        """{table: {row}}"""
        tables = collections.defaultdict(set)
        for r in records:
            if r[3] >= 0:
                tables["cdr_" + r[2].strftime("%Y%m")].add(self.key(r))
            tables["every"].add(self.key(r))
        return tables

    def test_every_record_in_its_own_table(self):
        records = self.records()
        self.write("in.csv", self.text(records))
        expected = self.expected(records)
        trees = []
        for threads in (1, 2, 7):
            dataset, done = self.run_job(JOB % (MONTHLY, 0), "--threads", threads, "--memory", "64MiB",
                                         output="out%d" % threads)
            trees.append(tree(dataset.path))
        self.assertEqual(trees[0], trees[1])
        self.assertEqual(trees[0], trees[2])
        tables = dataset.manifest["tables"]
        self.assertEqual([t["name"] for t in tables], sorted(n for n in expected if n != "every") + ["every"])
        for t in tables:
            name = t["name"]
            self.assertEqual(t.get("template"), None if name == "every" else MONTHLY)
            self.assertEqual(t["directory"], name)
            self.assertEqual(t["row_images"] + t["not_selected"], len(records))
            families = ("f",) if name == "every" else ("f", "g")
            for family in families:
                rows = [c[0] for c in dataset.cells(name, family)]
                self.assertEqual(rows, sorted(rows))
                self.assertEqual(set(rows), expected[name])
            self.assertIn("table %s: %d row images" % (name, t["row_images"]), done.out)
        folders = {os.path.join(*f["path"].split("/")[:-2]) for f in dataset.files()}
        self.assertEqual(folders, set(expected))

    def test_standard_input(self):
        text = self.text(self.records(3000))
        self.write("in.csv", text)
        self.run_job(JOB % (MONTHLY, 0), "--threads", 1)
        self.saltmill("run", "job.yaml", "--input", "-", "--output", "piped", stdin=text.encode())
        self.assertEqual(tree(self.path("out")), tree(self.path("piped")))
        again = self.saltmill("run", "job.yaml", "--output", "out")
        self.assertIn("already complete", again.out)

    def test_scan_reads_all_of_them_or_one(self):
        records = [r for r in self.records(3000) if r[3] >= 0]
        self.write("in.csv", self.text(records))
        self.run_job(JOB % (MONTHLY, 0))
        wanted = [r for r in records if r[0].startswith("k0")]

        def rows(*options):
            done = self.saltmill("scan", "job.yaml", "--dataset", "out", "--columns", "g:n", "k^=k0", *options)
            return [line.split("\t")[2] for line in done.out.splitlines()]

        def times(records):
            """Rows, by their time: two of one key and second are one."""
            return [str(int(at.timestamp() * 1000)) for at in
                    (r[2] for r in {self.key(r): r for r in records}.values())]
        self.assertEqual(sorted(rows("--table", MONTHLY)), sorted(times(wanted)))
        self.assertEqual(rows("--table", MONTHLY, "--newest"), sorted(times(wanted), reverse=True))
        self.assertEqual(rows("--table", MONTHLY, "--newest", "--limit", "5"), sorted(times(wanted), reverse=True)[:5])
        month = [r for r in wanted if r[2].strftime("%Y%m") == "202203"]
        self.assertTrue(month)
        self.assertEqual(sorted(rows("--table", "cdr_202203")), sorted(times(month)))
        self.assertIn("holds no table cdr_199001", self.saltmill(
            "scan", "job.yaml", "--dataset", "out", "--table", "cdr_199001", "k=k0001", exit=6).err)
        self.assertIn("page through one at a time", self.saltmill(
            "scan", "job.yaml", "--dataset", "out", "--table", MONTHLY, "--after", "k0001", "k=k0001", exit=2).err)

    def test_statements_and_plans(self):
        records = self.records(500)
        self.write("in.csv", self.text(records))
        dataset, _ = self.run_job(JOB % (MONTHLY, 0))
        names = [t["name"] for t in dataset.manifest["tables"]]
        done = self.saltmill("ddl", "job.yaml", "--dataset", "out")
        self.assertEqual([line.split("'")[1] for line in done.out.splitlines()], names)
        one = self.saltmill("ddl", "job.yaml", "--table", names[0])
        self.assertEqual(one.out, done.out.splitlines(True)[0])
        self.assertIn("--dataset", self.saltmill("ddl", "job.yaml", exit=2).err)
        self.assertIn("has no such table", self.saltmill("ddl", "job.yaml", "--table", "cdx_202101", exit=2).err)
        planned = self.saltmill("plan", "job.yaml", "--table", "cdr_202102", "k=k0007").out
        self.assertIn("\nscan 'cdr_202102', {STARTROW => \"k0007   \"", planned)
        whole = self.saltmill("plan", "job.yaml", "--table", MONTHLY, "k=k0007").out
        self.assertIn("\n# records name their table", whole)

    def test_split_keys_of_a_named_table(self):
        self.write("in.csv", "k,v,start,n\n")
        self.write("job.yaml", JOB % (MONTHLY, 0))
        self.write("other.txt", "k0005\n")
        for name in ("cdr_202102", "every"):
            done = self.saltmill("ddl", "job.yaml", "--table", name, "--splits", "other.txt").out
            self.assertTrue(done.startswith("create '%s'" % name))
            self.assertIn('SPLITS => ["k0005"]', done)
            self.assertEqual(done.count("create"), 1)

    def test_a_view_of_named_tables(self):
        """The view stands for all of them, as the name with braces does."""
        records = self.records(500)
        self.write("in.csv", self.text(records))
        job = JOB.replace("    key: pad(k, 8) + rev_ts(start)\n", "    view: months\n    key: pad(k, 8) + rev_ts(start)\n", 1)
        self.run_job(job % (MONTHLY, 0))
        for command in (["scan", "--dataset", "out", "k^=k0"], ["plan", "k=k0007"], ["ddl", "--dataset", "out"]):
            shown = [self.saltmill(command[0], "job.yaml", *command[1:], "--table", name).out
                     for name in ("months", MONTHLY)]
            self.assertTrue(shown[0])
            self.assertEqual(shown[0], shown[1])
        self.assertNotIn("every", shown[0])

    def test_one_key_rule_for_all_of_them(self):
        records = self.records(500)
        self.write("in.csv", self.text(records))
        dataset, _ = self.run_job(JOB % (MONTHLY, 0))
        self.saltmill("rule", "job.yaml", "--write", "kept.rule")
        with open(self.path("kept.rule"), encoding="utf-8") as f:
            tables = [line[6:].rstrip("\n") for line in f if line.startswith("table ")]
        self.assertEqual(tables, [MONTHLY, "every"])
        for kept in ("kept.rule", "out", "out/_manifest.json"):
            self.saltmill("rule", "job.yaml", "--against", kept)
        changed = (JOB % (MONTHLY, 0)).replace("key: pad(k, 8) + rev_ts(start)", "key: pad(k, 9) + rev_ts(start)", 1)
        self.write("job.yaml", changed)
        for kept in ("kept.rule", "out", "out/_manifest.json"):
            self.assertIn("table %s: key rule changed" % MONTHLY,
                          self.saltmill("rule", "job.yaml", "--against", kept, exit=6).err)
        refused = self.saltmill("run", "job.yaml", "--output", "out", "--replace", exit=6)
        self.assertIn("table %s: key rule changed" % MONTHLY, refused.err)
        name = dataset.manifest["tables"][0]["name"]
        for asked in (name, MONTHLY):
            self.assertIn("table %s was written with another key rule" % name, self.saltmill(
                "scan", "job.yaml", "--dataset", "out", "--table", asked, "k=k0001", exit=6).err)

    def test_check_takes_them_as_one(self):
        """Equal keys are duplicates only within one of the real tables."""
        job = (JOB % (MONTHLY, 0)).replace("pad(k, 8) + rev_ts(start)", "pad(k, 8)", 1)
        self.write("job.yaml", job)
        lines = ["k0001,a,2021-01-05 00:00:00,1", "k0001,b,2021-02-05 00:00:00,1", "k0002,c,2021-01-05 00:00:00,1",
                 "k0002,d,2021-01-06 00:00:00,1", "k0007,e,2021-03-06 00:00:00,1"]
        self.write("in.csv", "k,v,start,n\n" + "\n".join(lines) + "\n")
        for threads in (1, 7):
            told = json.loads(self.saltmill("check", "job.yaml", "--json", "--threads", threads, exit=1).out)
            table = [t for t in told["tables"] if t["table"] == MONTHLY][0]
            self.assertEqual([(r["rows"], r["keys"]) for r in table["regions"]], [(4, 3), (0, 0), (1, 1)])
            self.assertEqual((table["rows"], table["keys"], table["duplicates"]), (5, 4, 1))
            self.assertEqual([e["key"] for e in table["duplicate_examples"]], ["k0002   "])
            sampled = self.saltmill("splits", "job.yaml", "--table", MONTHLY, "--sample", "auto", "--regions", "2",
                                    "--threads", threads, "--quiet").out
            self.assertIn("k0002", sampled)

    def test_the_load_script_loads_the_real_tables(self):
        records = self.records(500)
        self.write("in.csv", self.text(records))
        self.run_job(JOB % (MONTHLY, 0))
        shown = subprocess.run([os.path.join(ROOT, "examples", "demo", "load.sh"), "--print", self.path("out")],
                               capture_output=True, text=True, check=True).stdout
        loads = [line.split()[-1] for line in shown.splitlines() if "completebulkload" in line]
        self.assertEqual(loads, sorted(self.expected(records)))

    def test_names_that_are_none(self):
        self.write("in.csv", "k,v,start,n\n"
                             "a,1,2021-01-01 00:00:00,1\na-,2,2021-01-01 00:00:00,1\n.a,3,2021-01-01 00:00:00,1\n"
                             "a b,4,2021-01-01 00:00:00,1\n,5,2021-01-01 00:00:00,1\n%s,6,2021-01-01 00:00:00,1\n"
                             ":x,7,2021-01-01 00:00:00,1\nns:x,8,2021-01-01 00:00:00,1\n..,9,2021-01-01 00:00:00,1\n"
                             "/,10,2021-01-01 00:00:00,1\n" % ("a" * 201))
        job = (JOB % ("{k}", 7)).replace("pad(k, 8)", "v")
        dataset, _ = self.run_job(job, exit=3)
        self.assertEqual([t["name"] for t in dataset.manifest["tables"]], ["a", "a-", "ns:x", "every"])
        self.assertEqual([t["directory"] for t in dataset.manifest["tables"]], ["a", "a-", "ns/x", "every"])
        codes = [r["code"] for r in self.rejects()]
        self.assertEqual(codes.count("bad-table-name"), 6)
        self.assertEqual(len(codes), 7)  # a null in a name is a null in a key

    def test_names_that_meet(self):
        self.write("in.csv", "k,v,start,n\nevery,1,2021-01-01 00:00:00,1\n")
        _, done = self.run_job(JOB % ("{k}", 0), exit=2)
        self.assertIn("tables[0] and tables[1] both make the table every", done.err)
        self.write("in.csv", "k,v,start,n\nevery:x,1,2021-01-01 00:00:00,1\n")
        _, done = self.run_job(JOB % ("{k}", 0), exit=2)
        self.assertIn("namespace of the same name, every", done.err)

    def test_too_many(self):
        """1001 names, twice each; the limit is on names and not on records."""
        self.write("in.csv", "k,v,start,n\n" + "".join("k%d,1,2021-01-01 00:00:00,1\n" % (i // 2) for i in range(2002)))
        for threads in (1, 7):
            _, done = self.run_job(JOB % ("{k}", 0), "--threads", threads, "--memory", "64MiB", exit=2)
            self.assertIn("tables[0].name: the records name more than 1000 tables; make the name coarser", done.err)
