# SPDX-License-Identifier: Apache-2.0
"""Inputs of kinds that other tools got wrong in public (tests/cases/case-NN): numbers, time, keys, splits,
duplicates, limits, reruns. What is right stands here value by value."""

import json
import os
import random
import subprocess
import sys
import unittest

from golden.harness import CASES, JobTest, SANITIZER, file_cells, job_text, tree


def case(number, name):
    return os.path.join(CASES, "case-%02d" % number, name)


class NumberAndTimeCases(JobTest):
    def typed(self, path, field, cell, rejects, more="", exit=None):
        """{id: 8-byte value} of the accepted records, {line: code} of the rejected."""
        job = job_text(path, key="id", fields=field, cells=cell, limits="{rejects: %d}" % rejects, more_input=more)
        dataset, done = self.run_job(job, exit=exit if exit is not None else 3 if rejects else 0)
        values = {}
        for row, _, _, _, _, value in dataset.cells():
            values[row.decode()] = int.from_bytes(value, "big", signed=True)
        return values, {r["line"]: r["code"] for r in self.rejects()}, dataset

    def test_03_integers(self):
        _, rejects, dataset = self.typed(case(3, "in.csv"), "{n: {type: int}}",
                                         '{"f:n": int64be(n), "f:id": id}', 9)
        want = {"a": 42, "b": -2 ** 63, "c": 2 ** 63 - 1, "h": 10, "o": 0, "n": 5}
        found = {row.decode(): int.from_bytes(value, "big", signed=True)
                 for row, _, q, _, _, value in dataset.cells() if q == b"n"}
        self.assertEqual(found, want)
        self.assertEqual(sorted(rejects), [5, 6, 7, 8, 10, 12, 13, 14, 17])
        self.assertEqual(set(rejects.values()), {"not-an-int"})
        self.assertIn(b"j", dataset.rows())

    def test_03_sortable_keys(self):
        job = job_text(case(3, "in.csv"), key="i64(n) + id", fields="{n: {type: int}}", cells='{"f:id": id}',
                       limits="{rejects: 20}")
        dataset, _ = self.run_job(job, exit=3)
        rows = dataset.rows()
        self.assertEqual([r[8:] for r in rows], [b"b", b"o", b"n", b"h", b"a", b"c"])
        self.assertEqual(rows[0][:8].hex(), "0000000000000000")
        self.assertEqual(rows[-1][:8].hex(), "ffffffffffffffff")
        self.assertEqual(rows[-2][:8].hex(), "800000000000002a")

    def zoned(self, path, zone, rejects, fmt="%Y-%m-%d %H:%M:%S", more="", env=None, threads=1, exit=None):
        field = "{local: {type: time, format: '%s', zone: %s%s}}" % (fmt, zone, more)
        job = job_text(path, key="id", fields=field, cells='{"f:t": int64be(local)}', limits="{rejects: %d}" % rejects)
        dataset, _ = self.run_job(job, "--threads", threads, env=env, exit=exit if exit is not None else
                                  3 if rejects else 0)
        values = {row.decode(): int.from_bytes(value, "big") for row, _, _, _, _, value in dataset.cells()}
        return values, {r["line"]: r["code"] for r in self.rejects()}, dataset

    def test_23_repeated_and_missing_hours(self):
        for policy, second in (("earliest", 1699162200000), ("latest", 1699165800000)):
            for env in ({"TZ": "UTC"}, {"TZ": "Asia/Tokyo"}):
                values, rejects, dataset = self.zoned(case(23, "ny.csv"), "America/New_York", 1,
                                                      more=", ambiguous: %s" % policy, env=env)
                self.assertEqual(values, {"1": 1699160399000, "2": second, "3": 1699167600000,
                                          "4": 1710053999000, "6": 1710054000000})
                self.assertEqual(rejects, {6: "time-nonexistent"})
                self.assertEqual(dataset.manifest["inputs"][0]["repeated_local_times"], 1)
                subprocess.run(["rm", "-r", self.path("out"), self.path("out.rejects")], check=True)
        values, rejects, _ = self.zoned(case(23, "ny.csv"), "America/New_York", 2, more=", ambiguous: reject")
        self.assertEqual(rejects, {3: "time-ambiguous", 6: "time-nonexistent"})

    def test_23_a_zone_that_repeats_an_hour_needs_a_rule(self):
        field = "{local: {type: time, format: '%Y-%m-%d %H:%M:%S', zone: America/New_York}}"
        done = self.saltmill("run", self.write("job.yaml", job_text(case(23, "ny.csv"), key="id", fields=field,
                             cells='{"f:t": int64be(local)}')), "--output", "out", exit=2)
        self.assertIn("ambiguous", done.err)

    def test_23_optional_offset(self):
        values, _, _ = self.zoned(case(23, "berlin.csv"), "Europe/Berlin", 0, fmt="%Y-%m-%d %H:%M:%S%z?",
                                  more=", ambiguous: earliest")
        self.assertEqual(values, {"1": 1729989000000, "2": 1729989000000, "3": 1729992600000})

    def test_23_abbreviations_are_refused(self):
        _, rejects, _ = self.zoned(case(23, "abbr.csv"), "America/New_York", 2, more=", ambiguous: earliest")
        self.assertEqual(set(rejects.values()), {"not-a-time"})

    def test_25_epochs(self):
        values, rejects, _ = self.typed(case(25, "in.csv"), "{t: {type: time, format: epoch_s}}",
                                        '{"f:t": int64be(t)}', 4)
        self.assertEqual(values, {"1": -1000, "2": -500, "3": -1250, "4": -2208988800000, "5": 2147483648000,
                                  "6": -2147483649000, "10": 0, "12": 0, "13": 253402300799999})
        self.assertEqual(sorted(rejects), [8, 9, 10, 12])

    def test_25_negative_cell_timestamps_are_rejects(self):
        job = job_text(case(25, "in.csv"), key="id", timestamp="t", cells='{"f:id": id}',
                       fields="{t: {type: time, format: epoch_s, min: 1800-01-01, max: 9999-12-31}}",
                       limits="{rejects: 20}")
        _, _ = self.run_job(job, exit=3)
        codes = {r["line"]: r["code"] for r in self.rejects()}
        for line in (2, 3, 4, 5, 7):
            self.assertEqual(codes[line], "bad-timestamp")

    def test_27_am_and_pm(self):
        values, rejects, _ = self.typed(case(27, "in.csv"), "{t: {type: time, format: '%Y-%m-%d %I:%M:%S %p'}}",
                                        '{"f:t": int64be(t)}', 3)
        self.assertEqual(values, {"1": 1717977600000, "2": 1717981199000, "3": 1717981200000,
                                  "4": 1718020800000, "5": 1718063999000})
        self.assertEqual(sorted(rejects), [7, 8, 9])

    def test_27_narrow_blank(self):
        _, rejects, _ = self.typed(case(27, "nbsp.csv"), "{t: {type: time, format: '%Y-%m-%d %I:%M:%S %p'}}",
                                   '{"f:t": int64be(t)}', 1)
        self.assertEqual(rejects, {2: "not-a-time"})

    def test_29_offsets(self):
        values, rejects, _ = self.typed(case(29, "in.csv"), "{t: {type: time, format: '%Y-%m-%dT%H:%M:%S%z'}}",
                                        '{"f:t": int64be(t)}', 20)
        want = {"1": 1376651434000, "2": 1376680534000, "3": 1376666134000, "4": 1376669734000,
                "5": 1376667934000, "6": 1376617534000}
        self.assertEqual({k: v for k, v in values.items() if k in want}, want)
        self.assertIn(8, rejects)
        self.assertIn(9, rejects)
        if "10" in values:
            self.assertEqual(values["10"], 1376649934000)
        if "11" in values:
            self.assertEqual(values["11"], 1376667934000)
        subprocess.run(["rm", "-r", self.path("out"), self.path("out.rejects")], check=True)
        values, _, _ = self.typed(case(29, "in.csv"), "{t: {type: time, format: rfc3339}}",
                                  '{"f:t": int64be(t)}', 20)
        self.assertEqual(values["12"], 1376696734500)


class KeyCases(JobTest):
    def test_46_keys_sort_as_unsigned_bytes(self):
        want = ["00", "0000", "0061", "3130", "39", "42", "61", "6100", "6161", "7f", "80", "8000", "c3a9", "ff",
                "ffff"]
        job = job_text(case(46, "in.tsv"), csv=r'{delimiter: "\t", quote: none, header: false, columns: [k, v]}')
        for env in ({"LC_ALL": "C"}, {"LC_ALL": "en_US.UTF-8"}):
            dataset, _ = self.run_job(job, env=env)
            self.assertEqual([k.hex() for k in dataset.rows()], want)
            subprocess.run(["rm", "-r", self.path("out")], check=True)

    def test_47_key_lengths(self):
        job = job_text(case(47, "in.csv"), csv="{header: false, columns: [k, v]}", limits="{rejects: 6}",
                       cells='{"f:v": v}')
        dataset, _ = self.run_job(job, exit=3)
        self.assertEqual(sorted((len(c[0]), c[5]) for c in dataset.cells()),
                         [(1, b"1"), (32766, b"32766"), (32767, b"32767")])
        rejects = self.rejects()
        self.assertEqual([r["line"] for r in rejects], [1, 5, 6, 7, 8, 9])
        self.assertEqual({r["code"] for r in rejects[1:]}, {"key-too-long"})
        for reject, size in zip(rejects[1:], ("32768", "40000", "65535", "65536", "65537")):
            self.assertIn(size, reject["message"])
            self.assertIn("32767", reject["message"])

    FIXED = 1700000000000

    def duplicates(self, keep, exit=0, **options):
        job = job_text(case(48, "in.csv"), key="k", timestamp='default(ts, "2023-11-14T22:13:20Z")',
                       fields="{ts: {type: time, format: epoch_ms, min: 1970-01-01, max: 2030-01-01}}",
                       more_table="duplicates: {keep: %s}" % keep)
        return self.run_job(job, exit=exit, **options)

    def test_48_duplicates_keep_last(self):
        want = [(b"a", 2000, b"newer"), (b"a", 1000, b"third"), (b"b", 1000, b"x"), (b"c", self.FIXED, b"nots2")]
        dataset, _ = self.duplicates("last")
        self.assertEqual([(c[0], c[3], c[5]) for c in dataset.cells()], want)
        self.assertEqual(dataset.manifest["tables"][0]["duplicates_dropped"], 4)

    def test_48_duplicates_keep_first(self):
        dataset, _ = self.duplicates("first")
        self.assertEqual([c[5] for c in dataset.cells()], [b"newer", b"first", b"x", b"nots"])

    def test_48_duplicates_as_errors_show_both_places(self):
        _, done = self.duplicates("error", exit=1)
        self.assertIn("a", done.err)
        self.assertEqual(done.err.count("offset"), 2, done.err)
        self.assertFalse(os.path.exists(self.path("out")))


class SplitCases(JobTest):
    def regions(self, name, exit=0):
        job = job_text(case(50, "data.csv"), splits="{file: %s}" % json.dumps(case(50, name)))
        dataset, done = self.run_job(job, exit=exit)
        if dataset is None:
            return done
        by_region = {}
        for entry in dataset.manifest["files"]:
            cells = [c[0].decode() for c in file_cells(os.path.join(dataset.path, entry["path"]))]
            by_region.setdefault(entry["region"], []).extend(cells)
        self.splits = dataset.manifest["tables"][0]["splits"]
        self.notes = done.err
        subprocess.run(["rm", "-r", self.path("out")], check=True)
        return by_region

    def test_50_good_files(self):
        want = {0: ["a"], 1: ["d"], 2: ["m", "s"], 3: ["z"]}
        for name in ("good.txt", "nonl.txt", "crlf.txt", "unsorted.txt"):
            with self.subTest(name):
                self.assertEqual(self.regions(name), want)
                self.assertEqual(self.splits, ["d", "m", "t"])

    def test_50_bad_files(self):
        for name, words in (("dup.txt", ("m", "2", "3")), ("blank.txt", ("empty", "2")),
                            ("escaped.txt", ("lower-case", "\\xFF"))):
            with self.subTest(name):
                done = self.regions(name, exit=2)
                for word in words:
                    self.assertIn(word, done.err)

    def test_50_upper_case_escapes(self):
        self.write("splits.txt", "\\x00\\x10\n\\x80\n\\xFF\\xFF\n")
        job = job_text(case(50, "data.csv"), splits="{file: splits.txt}")
        dataset, _ = self.run_job(job)
        self.assertEqual(dataset.manifest["tables"][0]["splits"], ["\\x00\\x10", "\\x80", "\\xFF\\xFF"])

    def test_50_a_blank_at_the_end_belongs_to_the_key(self):
        self.regions("trail.txt")
        self.assertEqual(self.splits, ["d ", "m", "t"])
        self.assertIn("\\x20", self.notes)

    def case_52(self, *splits):
        self.write("in.csv", "k,v\n" + "".join("%08d,%s\n" % (i * 7919 % 200000, "x" * 90) for i in range(200000)))
        if splits:
            self.write("splits.txt", "".join("%08d\n" % (i * 200000 // splits[0]) for i in range(1, splits[0])))

    def test_52_no_more_than_32_files_for_a_region(self):
        self.case_52()
        job = job_text("in.csv") + "output: {roll: 16KiB}\n"
        dataset, done = self.run_job(job)
        self.assertEqual(len(dataset.manifest["files"]), 32)
        self.assertEqual(sum(f["rows"] for f in dataset.manifest["files"]), 200000)
        rows = [(f["first_key"], f["last_key"]) for f in dataset.manifest["files"]]
        self.assertTrue(all(a[1] < b[0] for a, b in zip(rows, rows[1:])))

    def test_52_two_thousand_regions_with_64_open_files(self):
        self.case_52(2000)
        job = job_text("in.csv", splits="{file: splits.txt}")
        dataset, _ = self.run_job(job, limits={"RLIMIT_NOFILE": 64})
        self.assertEqual([f["rows"] for f in dataset.manifest["files"]], [100] * 2000)

    @unittest.skipIf(SANITIZER, "twenty thousand files take minutes under a sanitizer")
    def test_52_twenty_thousand_regions(self):
        self.case_52(20000)
        job = job_text("in.csv", splits="{file: splits.txt}")
        dataset, _ = self.run_job(job)
        self.assertEqual(sum(f["rows"] for f in dataset.manifest["files"]), 200000)


class RerunCases(JobTest):
    def run_on(self, source, output, exit, *options):
        name = self.write("job.yaml", job_text(source, key="k", cells='{"f:k": k}'))
        return self.saltmill("run", name, "--output", output, *options, exit=exit)

    def setUp(self):
        super().setUp()
        with open(case(53, "a.csv"), "rb") as file:
            self.key = file.readline().decode().strip().split(",")[0]
        self.a, self.b = case(53, "a.csv"), case(53, "b.csv")

    def test_53_output_exists(self):
        self.run_on(self.a, "out", 0)
        before = tree(self.path("out"))
        done = self.run_on(self.b, "out", 6)
        self.assertIn("--replace", done.err)
        self.assertEqual(tree(self.path("out")), before)
        self.assertIn("already complete", self.run_on(self.a, "out", 0).out)
        self.run_on(self.b, "out", 0, "--replace")
        self.assertNotEqual(tree(self.path("out")), before)
        self.assertFalse(os.path.exists(self.path("out.partial")))

    def test_53_foreign_things_are_left_alone(self):
        self.write("home/letter.txt", "precious")
        for options in ((), ("--replace",)):
            self.run_on(self.a, "home", 6, *options)
        os.symlink(self.path("home"), self.path("link"))
        self.run_on(self.a, "link", 6)
        self.write("file", "")
        self.run_on(self.a, "file", 6)
        os.mkdir(self.path("empty"))
        self.run_on(self.a, "empty", 0)
        with open(self.path("home", "letter.txt")) as file:
            self.assertEqual(file.read(), "precious")
        self.assertEqual(os.listdir(self.path("home")), ["letter.txt"])

    def test_53_a_foreign_file_in_a_dataset_stops_a_replacement(self):
        self.run_on(self.a, "out", 0)
        self.write("out/letter.txt", "precious")
        done = self.run_on(self.b, "out", 6, "--replace")
        self.assertIn("letter.txt", done.err)
        self.assertTrue(os.path.exists(self.path("out", "letter.txt")))

    def test_55_many_runs_and_few_open_files(self):
        source = random.Random(2)
        self.write("in.csv", "k,v\n" + "".join("%08x,%d\n" % (source.getrandbits(32), i) for i in range(100000)))
        name = self.write("job.yaml", job_text("in.csv"))
        results = {}
        for files in (1024, 64, 24):
            done = self.saltmill("run", name, "--output", "out%d" % files, "--memory", "2MiB", "--threads", 1,
                                 limits={"RLIMIT_NOFILE": files}, exit=None)
            results[files] = done
            if done.returncode == 0:
                with open(self.path("out%d" % files, "_manifest.json")) as file:
                    self.assertGreater(json.load(file)["environment"]["spilled_runs"], 100)
        self.assertEqual(results[1024].returncode, 0, results[1024].err)
        self.assertEqual(results[64].returncode, 0, results[64].err)
        self.assertEqual(tree(self.path("out1024")), tree(self.path("out64")))
        if results[24].returncode != 0:
            self.assertIn("open files", results[24].err)
            self.assertEqual(results[24].returncode, 5)


if __name__ == "__main__":
    sys.exit("run through tests/run_python.py")
