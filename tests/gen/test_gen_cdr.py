# SPDX-License-Identifier: Apache-2.0
"""What the generator says about its records is what Python's csv and zoneinfo read from the files."""

import csv
import datetime
import gzip
import hashlib
import io
import os
import sys
import tempfile
import unittest
import zoneinfo

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import gen_cdr  # noqa: E402

CHINA = zoneinfo.ZoneInfo("Asia/Shanghai")


def content(path):
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if path.endswith(".gz") else data


class Generator(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def made(self, **chosen):
        return list(gen_cdr.generate(gen_cdr.options_for(self.folder, **chosen)))

    def check_good(self, known, fields, data):
        start = datetime.datetime.strptime(fields[2], "%Y-%m-%d %H:%M:%S").replace(tzinfo=CHINA)
        self.assertEqual([fields[0], fields[1], fields[4], fields[5]],
                         [known["caller"], known["callee"], known["type"], known["cell"]])
        self.assertEqual(known["start"], start.timestamp() * 1000)
        self.assertEqual(known["duration"], int(fields[3]))
        self.assertTrue(data.startswith(known["caller"].encode(), known["offset"]))
        self.assertEqual(data.count(b"\n", 0, known["offset"]) + 1, known["line"])

    def test_truth_is_what_the_files_say(self):
        known = self.made(rows=3000, bad=8, files=2, gzip=1, quoting=0.2, multiline=0.05)
        for name in sorted(os.listdir(self.folder)):
            data = content(os.path.join(self.folder, name))
            reader = csv.reader(io.StringIO(data.decode(), newline=""))
            next(reader)
            rows = [row for row in known if row["file"] == name]
            for row, fields in zip(rows, reader, strict=True):
                if "bad" not in row:
                    self.check_good(row, fields, data)

    def test_counts(self):
        known = self.made(rows=1000, bad=8, files=3)
        self.assertEqual(len(known), 1000)
        self.assertEqual(sum("bad" in row for row in known), 8)
        self.assertEqual(len({row["bad"] for row in known if "bad" in row}), 4)

    def test_same_second_calls_of_one_caller(self):
        known = self.made(rows=200000, bad=0)
        keys = [(row["caller"], row["start"]) for row in known]
        self.assertGreater(len(keys) - len(set(keys)), 100)
        self.assertEqual(len({(row["caller"], row["start"], row["callee"]) for row in known}), 200000)

    def test_same_bytes(self):
        self.made(rows=5000, bad=4, seed=7)
        path = os.path.join(self.folder, "calls-2021-09-12-00.csv")
        first = hashlib.sha256(content(path)).hexdigest()
        self.made(rows=5000, bad=4, seed=7)
        self.assertEqual(hashlib.sha256(content(path)).hexdigest(), first)
        self.made(rows=5000, bad=4, seed=8)
        self.assertNotEqual(hashlib.sha256(content(path)).hexdigest(), first)


if __name__ == "__main__":
    unittest.main()
