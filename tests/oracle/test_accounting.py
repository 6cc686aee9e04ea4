# SPDX-License-Identifier: Apache-2.0
"""The judge of the accounting is judged: a dataset made by hand whose sums hold, and that dataset with
one thing wrong at a time."""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

import xxhash

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import accounting  # noqa: E402

FILES = {"t/f/aa": b"x" * 100, "t/f/bb": b"y" * 50}


def file_row(path, region, cells):
    return {"table": "t", "family": "f", "region": region, "path": path, "rows": cells // 2,
            "cells": cells, "bytes": len(FILES[path]), "first_key": "a", "last_key": "b",
            "xxh64": xxhash.xxh64_hexdigest(FILES[path])}


def cells(made, written, dropped, **more):
    return dict({"cells_made": made, "cells_written": written, "duplicates_dropped": dropped}, **more)


def sound_manifest():
    counts = {"records_read": 10, "records_accepted": 7, "records_rejected": 2, "records_filtered": 1}
    regions = [cells(9, 8, 1, region=0, rows=4), cells(5, 4, 1, region=1, rows=2)]
    families = [cells(14, 12, 2, family="f", rows=6, regions=regions)]
    return {"counts": counts, "inputs": [dict(counts, path="in.csv")],
            "tables": [cells(14, 12, 2, name="t", rows=6, row_images=7, families=families)],
            "files": [file_row("t/f/aa", 0, 8), file_row("t/f/bb", 1, 4)]}


class Accounting(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.dataset = os.path.join(scratch.name, "out")
        self.manifest = sound_manifest()
        self.family = self.manifest["tables"][0]["families"][0]
        for path, data in FILES.items():
            self.write(path, data)
        self.write("../out.rejects/in.csv.jsonl", b'{"line":3}\n{"line":9}\n')

    def write(self, path, data):
        full = os.path.join(self.dataset, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(data)

    def judge(self):
        self.write("_manifest.json", json.dumps(self.manifest).encode())
        run = subprocess.run([sys.executable, os.path.join(HERE, "accounting.py"), self.dataset],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return run.returncode, run.stdout

    def refused(self, text):
        status, output = self.judge()
        self.assertEqual(status, 1, output)
        self.assertIn(text, output)

    def test_out_of_range_is_among_the_filtered(self):
        for counts in (self.manifest["counts"], self.manifest["inputs"][0]):
            counts["records_out_of_range"] = 1
        self.assertEqual(self.judge()[0], 0)
        self.manifest["inputs"][0]["records_out_of_range"] = 0
        self.refused("counts.records_out_of_range")
        for counts in (self.manifest["counts"], self.manifest["inputs"][0]):
            counts["records_out_of_range"] = 2
        self.refused("more records_out_of_range than records_filtered")

    def test_sums_hold(self):
        status, output = self.judge()
        self.assertEqual(status, 0, output)

    def test_records(self):
        self.manifest["counts"]["records_read"] = 11
        self.refused("counts: records_read is 11")

    def test_records_of_one_input(self):
        self.manifest["inputs"][0]["records_rejected"] = 3
        self.refused("input in.csv: records_read is 10")

    def test_cells_of_table(self):
        self.manifest["tables"][0]["cells_made"] = 15
        self.refused("table t: cells_made is 15")

    def test_regions_add_up(self):
        self.family["regions"][0].update(cells(8, 8, 0))
        self.refused("cells_made of its regions is 13")

    def test_files_hold_the_cells(self):
        self.manifest["files"][1]["cells"] = 5
        self.refused("the cells of its files is 13")

    def test_row_images(self):
        self.manifest["tables"][0]["row_images"] = 5
        self.refused("row_images - uid_rows + not_selected + without_cells is 5")

    def test_empty(self):
        self.manifest["empty"] = True
        self.refused("having no cell")

    def test_unlisted_file(self):
        self.write("t/f/cc", b"")
        self.refused("t/f/cc: there, but not listed")

    def test_absent_file(self):
        os.remove(os.path.join(self.dataset, "t/f/aa"))
        self.refused("t/f/aa: listed, but not there")

    def test_changed_byte(self):
        self.write("t/f/aa", b"z" + FILES["t/f/aa"][1:])
        self.refused("t/f/aa: its xxh64")

    def test_cut_file(self):
        self.write("t/f/aa", FILES["t/f/aa"][:-1])
        self.refused("t/f/aa: its size is 99")

    def test_rejects(self):
        self.write("../out.rejects/other.csv.jsonl", b'{"line":4}\n')
        self.refused("is 3, but records_rejected is 2")

    def test_own_xxh64_is_xxh64(self):
        for length in list(range(100)) + [1000, 12345]:
            data = random.Random(length).randbytes(length)
            self.assertEqual(accounting.xxh64_plain(data), xxhash.xxh64_intdigest(data), length)


if __name__ == "__main__":
    unittest.main()
