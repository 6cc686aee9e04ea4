# SPDX-License-Identifier: Apache-2.0
"""The two-view job of call records against an expectation worked out here from the generator's truth, and the
promise that threads, memory and compression of the input change no byte."""

import gzip
import hashlib
import json
import os
import shutil
import struct
import sys

import mmh3
import xxhash

from golden.harness import JobTest, ROOT, SANITIZER, Dataset, tree

import gen_cdr

LONG_MAX = 2 ** 63 - 1
JOB = os.path.join(ROOT, "examples", "demo", "cdr.yaml")
ROWS = 6000 if SANITIZER else 40000


def salt(text):
    return b"%03d" % (mmh3.hash(text, 0, signed=False) % 300)


def identity(call):
    """The record's identity as the reference defines it: each field's length, then its decoded bytes."""
    parts = (call["caller"].encode(), call["callee"].encode(), struct.pack(">q", call["start"]),
             struct.pack(">q", call["duration"]))
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def expected_cells(calls):
    """{table: {(row, qualifier): (timestamp, value)}}; equal rows keep the last."""
    tables = {"cdr_by_caller": {}, "cdr_by_callee": {}}
    for call in calls:
        caller, callee = call["caller"].encode(), call["callee"].encode()
        tail = xxhash.xxh64(identity(call)).digest()[:4]
        rev = struct.pack(">q", LONG_MAX - call["start"])
        duration = struct.pack(">i", call["duration"])
        row = salt(caller) + caller.ljust(15) + rev + callee + tail
        for qualifier, value in ((b"b", callee), (b"d", duration), (b"t", call["type"].encode()),
                                 (b"c", call["cell"].encode())):
            tables["cdr_by_caller"][row, qualifier] = call["start"], value
        row = salt(callee) + callee.ljust(15) + rev + caller + tail
        for qualifier, value in ((b"a", caller), (b"d", duration)):
            tables["cdr_by_callee"][row, qualifier] = call["start"], value
    return tables


class CallRecords(JobTest):
    def make(self, rows=ROWS, **chosen):
        options = gen_cdr.options_for(self.path("in"), rows=rows, files=3, gzip=1, quoting=0.1, multiline=0.02,
                                      bad=12, **chosen)
        return list(gen_cdr.generate(options))

    def run_calls(self, output, *options, exit=3):
        return self.saltmill("run", JOB, "--set", "date=2021-09-12", "--input", "in/calls-*.csv*", "--output",
                             output, *options, exit=exit)

    def test_cells_rejects_and_account(self):
        truth = self.make()
        self.run_calls("out")
        self.account()
        dataset = Dataset(self.path("out"))
        good = [t for t in truth if "bad" not in t]
        for table, want in expected_cells(good).items():
            found = {}
            last = None
            for row, family, qualifier, timestamp, kind, value in dataset.cells(table):
                self.assertEqual((family, kind), (b"f", "Put"))
                order = (row, qualifier, -timestamp)
                self.assertTrue(last is None or last < order)
                last = order
                found[row, qualifier] = timestamp, value
            self.assertEqual(found, want)
        self.assertEqual(dataset.manifest["counts"], {
            "records_read": len(truth), "records_accepted": len(good),
            "records_rejected": len(truth) - len(good), "records_filtered": 0})
        bad = [(t["file"], t["record"], t["line"], t["offset"]) for t in truth if "bad" in t]
        told = [(os.path.basename(r["file"]), r["record"], r["line"], r["offset"]) for r in self.rejects()]
        self.assertEqual(told, bad)

    def test_rejects_hold_the_original_bytes(self):
        truth = self.make()
        self.run_calls("out")
        places = {}
        for entry in truth:
            if "bad" in entry:
                places.setdefault(entry["file"], []).append(entry["offset"])
        for name, offsets in places.items():
            path = self.path("in", name)
            with (gzip.open if name.endswith(".gz") else open)(path, "rb") as file:
                data = file.read()
            starts = sorted(t["offset"] for t in truth if t["file"] == name) + [len(data)]
            want = data[:starts[0]] + b"".join(data[o:starts[starts.index(o) + 1]] for o in offsets)
            base = name[:-3] if name.endswith(".gz") else name
            found, = [n for n in os.listdir(self.path("out.rejects")) if n.endswith("-" + base)]
            with open(self.path("out.rejects", found), "rb") as file:
                self.assertEqual(file.read(), want)

    def test_threads_and_memory_change_no_byte(self):
        self.make()
        self.run_calls("one", "--threads", 1)
        want = tree(self.path("one"))
        want_rejects = tree(self.path("one.rejects"))
        for name, options in (("two", ("--threads", 2)), ("seven", ("--threads", 7)),
                              ("small", ("--threads", 1, "--memory", "2MiB")),
                              ("small7", ("--threads", 7, "--memory", "15MiB"))):
            with self.subTest(name):
                self.run_calls(name, *options)
                self.assertEqual(tree(self.path(name)), want)
                self.assertEqual(tree(self.path(name + ".rejects")), want_rejects)
        with open(self.path("small", "_manifest.json")) as file:
            self.assertGreater(json.load(file)["environment"]["spilled_runs"], 1)

    def test_compressed_inputs_give_the_same_files(self):
        self.make()
        self.run_calls("plain")
        for name in sorted(os.listdir(self.path("in"))):
            path = self.path("in", name)
            if name.endswith(".gz"):
                with gzip.open(path, "rb") as source, open(path[:-3], "wb") as target:
                    shutil.copyfileobj(source, target)
                os.remove(path)
        self.run_calls("unpacked")
        self.assertEqual(tree(self.path("plain")), tree(self.path("unpacked")))

    def test_limit_of_rejects(self):
        self.make()
        done = self.run_calls("out", "--rejects", 3, exit=1)
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertFalse(os.path.exists(self.path("out.partial")))
        self.assertEqual(len(self.rejects()), 4)
        self.assertIn("limits.rejects", done.err)
        first = hashlib.sha256(repr(sorted(tree(self.path("out.rejects")).items())).encode()).hexdigest()
        for threads in (2, 7):
            again = self.run_calls("out", "--rejects", 3, "--threads", threads, exit=1)
            self.assertEqual(first, hashlib.sha256(
                repr(sorted(tree(self.path("out.rejects")).items())).encode()).hexdigest())
            self.assertEqual(again.err, done.err)

    def test_limit_in_percent(self):
        self.make()
        self.run_calls("out", "--rejects", "0.001%", exit=1)
        self.assertEqual(len(self.rejects()), 12)
        self.run_calls("out", "--rejects", "10%", exit=3)

    def test_a_second_run_is_already_complete_and_other_jobs_are_refused(self):
        self.make()
        self.run_calls("out")
        before = tree(self.path("out"))
        self.assertIn("already complete", self.run_calls("out", exit=0).out)
        with open(JOB) as file:
            other = self.write("other.yaml", file.read().replace("salt(300, caller)", "salt(301, caller)"))
        done = self.saltmill("run", other, "--set", "date=2021-09-12", "--input", "in/calls-*.csv*", "--output",
                             "out", exit=6)
        self.assertIn("another job", done.err)
        self.assertEqual(tree(self.path("out")), before)


if __name__ == "__main__":
    sys.exit("run through tests/run_python.py")
