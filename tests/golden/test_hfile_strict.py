#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HFiles of every codec, framing, block size and index depth against the independent reader, which
must find nothing that HBase would have written otherwise, and read back each cell.

The files are made by the build's tools/mkhfile, which also lists the cells that it meant to write."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECK = os.path.join(ROOT, "tests", "oracle", "hfile_check.py")
PROGRAM = os.environ.get("SALTMILL", os.path.join(ROOT, "build", "saltmill"))
MAKER = os.environ.get("MKHFILE", os.path.join(os.path.dirname(PROGRAM), "tools", "mkhfile"))

CODECS = (["compression=NONE"], ["compression=GZ"], ["compression=SNAPPY"], ["compression=LZ4"],
          ["compression=ZSTD", "framing=hbase"], ["compression=ZSTD", "framing=hadoop"])


@unittest.skipUnless(os.path.exists(MAKER), "tools/mkhfile was not built")
class Strict(unittest.TestCase):
    def make(self, folder, arguments):
        """(what the maker says, the reader's report)"""
        path = os.path.join(folder, "file")
        cells = os.path.join(folder, "cells")
        if os.path.exists(path):
            os.remove(path)
        made = subprocess.run([MAKER, path, "dump=" + cells] + arguments, check=True,
                              stdout=subprocess.PIPE)
        read = subprocess.run([sys.executable, CHECK, "--strict", "--dump", "--hex", "--tags", path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        report = json.loads(read.stderr)
        self.assertEqual((read.returncode, report.get("error")), (0, None), arguments)
        with open(cells, "rb") as file:
            self.assertTrue(file.read() == read.stdout, "cells differ: %s" % arguments)
        return json.loads(made.stdout), report

    def each(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            for codec in CODECS:
                with self.subTest(codec=codec):
                    yield self.make(folder, codec + list(arguments))

    def test_keys_and_values_of_all_sizes(self):
        for keys, values in (("short", "small"), ("binary", "mixed"), ("long", "mixed"),
                             ("binary", "huge")):
            for made, report in self.each("keys=" + keys, "values=" + values, "rows=150",
                                          "block=4096", "ttl=1", "deletes=1", "bloom=128"):
                self.assertEqual(made["cells"], report["entries"])

    def test_deep_indexes_and_many_bloom_chunks(self):
        for made, report in self.each("keys=long", "rows=3000", "columns=3", "block=1024",
                                      "index=1024", "bloom=256"):
            self.assertGreaterEqual(made["levels"], 3)
            self.assertEqual(made["levels"], report["indexLevels"])
            self.assertGreaterEqual(report["generalBloom"]["chunks"], 10)

    def test_default_sizes(self):
        with tempfile.TemporaryDirectory() as folder:
            made, report = self.make(folder, ["rows=230000", "columns=2", "compression=ZSTD",
                                              "framing=hbase"])
            self.assertEqual(report["generalBloom"]["chunks"], 3)
            self.assertTrue(report["generalBloom"]["bitExact"])
            self.assertGreater(made["blocks"], 100)

    def test_no_cells_one_row_no_bloom(self):
        for arguments in (["rows=0"], ["rows=1"], ["rows=300", "bloom=0", "values=mixed"]):
            for _made, report in self.each(*arguments):
                self.assertTrue(report["ok"])


if __name__ == "__main__":
    unittest.main()
