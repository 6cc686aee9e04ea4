#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the accounting of a published dataset adds up, from `_manifest.json` and the files alone.

usage: accounting.py DATASET|MANIFEST [--rejects FOLDER]

It shares no code with the program and needs only Python; with the xxhash package it is faster.

  records    read = accepted + rejected + filtered, in `counts` and for each entry of `inputs`; the
             inputs add up to the counts; records_out_of_range, where there are any, are among the
             filtered
  cells      every object below `tables` that has `cells_made` is an account, at whatever depth:
             made = written + duplicates_dropped; cells_shadowed are among the written. An account's `families` and `regions`
             must add up to it, and `files` to whatever table, family and region an account names
  rows       row_images = rows + (images that met in one row): never less than rows; each table's
             row_images - uid_rows + not_selected + without_cells = records accepted (uid_rows, where
             there are any, come from dictionaries)
  files      each one listed is there with its size and xxh64, and none is there that isn't listed
  rejects    the JSON lines beside the reject files are as many as records_rejected

Prints one line for each thing wrong and exits 1, or a summary and exits 0."""

import argparse
import json
import os
import struct
import sys

MANIFEST = "_manifest.json"
RECORDS = ("records_accepted", "records_rejected", "records_filtered")
CELLS = ("cells_made", "cells_written", "duplicates_dropped", "cells_shadowed")
# Names of an account that its parts must add up to, where both sides have them.
SUMMED = CELLS + ("rows", "row_images", "bytes")
# Rows of a table aren't the sum of its families' rows: one row may have cells in several.
NOT_OVER_FAMILIES = ("rows", "row_images")
# Names under which an account keeps the accounts that it is the sum of.
PARTS = ("families", "regions", "accounts")


def xxh64_plain(data, seed=0):
    """XXH64 as its specification has it, for machines without the package."""
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5, mask = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5, (1 << 64) - 1

    def rotated(x, r):
        return ((x << r) | (x >> (64 - r))) & mask

    def round_of(lane, value):
        return rotated((lane + value * p2) & mask, 31) * p1 & mask

    length, at = len(data), 0
    if length >= 32:
        lanes = [(seed + p1 + p2) & mask, (seed + p2) & mask, seed, (seed - p1) & mask]
        while at + 32 <= length:
            words = struct.unpack_from("<4Q", data, at)
            lanes = [round_of(lane, word) for lane, word in zip(lanes, words)]
            at += 32
        total = sum(rotated(lane, r) for lane, r in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            total = ((total ^ round_of(0, lane)) * p1 + p4) & mask
    else:
        total = (seed + p5) & mask
    total = (total + length) & mask
    while at + 8 <= length:
        word = struct.unpack_from("<Q", data, at)[0]
        total = (rotated(total ^ round_of(0, word), 27) * p1 + p4) & mask
        at += 8
    if at + 4 <= length:
        total = (rotated(total ^ struct.unpack_from("<I", data, at)[0] * p1 & mask, 23) * p2 + p3) & mask
        at += 4
    for byte in data[at:]:
        total = rotated(total ^ byte * p5 & mask, 11) * p1 & mask
    total = (total ^ total >> 33) * p2 & mask
    total = (total ^ total >> 29) * p3 & mask
    return total ^ total >> 32


def file_xxh64(path):
    with open(path, "rb") as file:
        try:
            import xxhash
        except ImportError:
            return xxh64_plain(file.read())
        state = xxhash.xxh64()
        for block in iter(lambda: file.read(1 << 20), b""):
            state.update(block)
        return state.intdigest()


class Judge:
    def __init__(self, dataset, manifest, rejects):
        self.dataset, self.manifest, self.rejects = dataset, manifest, rejects
        self.problems, self.sums, self.cells_by_place = [], 0, {}
        self.own_families = None

    def equal(self, where, left, right):
        """left and right are (text, number): the texts say where the numbers come from."""
        self.sums += 1
        if left[1] != right[1]:
            self.problems.append("%s: %s is %s, but %s is %s" % (where, *left, *right))

    def wrong(self, text):
        self.problems.append(text)

    # --- records --------------------------------------------------------------------------------

    def record_balance(self, where, counts):
        if "records_read" not in counts:
            self.wrong("%s: no records_read" % where)
            return
        self.equal(where, ("records_read", counts["records_read"]),
                   ("accepted + rejected + filtered", sum(counts.get(name, 0) for name in RECORDS)))
        if counts.get("records_out_of_range", 0) > counts.get("records_filtered", 0):
            self.wrong("%s: more records_out_of_range than records_filtered" % where)

    def records(self):
        counts = self.manifest["counts"]
        self.record_balance("counts", counts)
        inputs = [(entry.get("path", "input %d" % number), entry.get("counts", entry))
                  for number, entry in enumerate(self.manifest.get("inputs", []))]
        for path, entry in inputs:
            self.record_balance("input " + path, entry)
        for name in ("records_read", "records_out_of_range") + RECORDS:
            self.equal("inputs", ("the sum of " + name, sum(e.get(name, 0) for _, e in inputs)),
                       ("counts." + name, counts.get(name, 0)))
        for name, value in counts.items():
            if isinstance(value, int) and value < 0:
                self.wrong("counts: %s is %d" % (name, value))

    # --- cells ----------------------------------------------------------------------------------

    def account(self, where, account, place):
        """place: what of table, family and region this account speaks for."""
        if "cells_made" in account:
            self.equal(where, ("cells_made", account["cells_made"]),
                       ("written + dropped", sum(account.get(name, 0) for name in CELLS[1:3])))
            if account.get("cells_shadowed", 0) > account.get("cells_written", 0):
                self.wrong("%s: more cells_shadowed than cells_written" % where)
            self.files_of(where, account, place)
        for kind in PARTS:
            parts = account.get(kind)
            if parts:
                self.parts(where, account, kind, parts, place)

    def parts(self, where, account, kind, parts, place):
        if isinstance(parts, dict):
            single = {"families": "family", "regions": "region"}.get(kind, "name")
            parts = [dict(part, **{single: name}) for name, part in parts.items()]
        for part in parts:
            named = {name: part[name] for name in ("family", "region") if name in part}
            if kind == "families" and "name" in part:
                named.setdefault("family", part["name"])
            label = " ".join("%s %s" % item for item in sorted(named.items()))
            self.account("%s, %s" % (where, label), part, dict(place, **named))
        for name in SUMMED:
            if name in account and all(name in part for part in parts) and not (
                    kind != "regions" and name in NOT_OVER_FAMILIES):
                self.equal(where, ("%s of its %s" % (name, kind), sum(p[name] for p in parts)),
                           (name, account[name]))

    def files_of(self, where, account, place):
        names = tuple(sorted(place))
        if names not in self.cells_by_place:
            sums = self.cells_by_place[names] = {}
            for file in self.manifest.get("files", []):
                key = tuple(file.get(name) for name in names) + (file.get("family"),)
                sums[key] = sums.get(key, 0) + file["cells"]
        here = tuple(place[name] for name in names)
        cells = sum(count for key, count in self.cells_by_place[names].items()
                    if key[:-1] == here and (self.own_families is None or key[-1] in self.own_families))
        self.equal(where, ("the cells of its files", cells),
                   ("cells_written", account.get("cells_written", 0)))

    def tables(self):
        accepted = self.manifest["counts"].get("records_accepted", 0)
        tables = self.manifest.get("tables", [])
        for table in tables:
            where = "table " + table["name"]
            families = table.get("families")
            if isinstance(families, list):  # entries may share a table; then each has families of its own
                families = [family.get("family", family.get("name")) for family in families]
            self.own_families = families and set(families)
            self.account(where, table, {"table": table["name"]})
            images = table.get("row_images")
            if images is not None:
                self.equal(where, ("row_images - uid_rows + not_selected + without_cells",
                                   images - table.get("uid_rows", 0) + table.get("not_selected", 0) +
                                   table.get("without_cells", 0)),
                           ("records_accepted", accepted))
                if table["rows"] > images:
                    self.wrong("%s: %d rows from %d row images" % (where, table["rows"], images))
        names = {table["name"] for table in tables}
        for file in self.manifest.get("files", []):
            if file["table"] not in names:
                self.wrong("file %s belongs to no table" % file["path"])
        written = sum(table["cells_written"] for table in tables)
        self.equal("empty", ("the mark", bool(self.manifest.get("empty"))),
                   ("having no cell", written == 0 and not self.manifest.get("files")))

    # --- files ----------------------------------------------------------------------------------

    def files(self):
        listed = set()
        for file in self.manifest.get("files", []):
            path = os.path.join(self.dataset, file["path"])
            if file["path"] in listed:
                self.wrong("%s: listed twice" % file["path"])
            listed.add(os.path.normpath(file["path"]))
            if not os.path.isfile(path):
                self.wrong("%s: listed, but not there" % file["path"])
                continue
            self.equal(file["path"], ("its size", os.path.getsize(path)), ("bytes", file["bytes"]))
            self.equal(file["path"], ("its xxh64", "%016x" % file_xxh64(path)),
                       ("xxh64", str(file["xxh64"]).lower()))
            if not 0 < file["rows"] <= file["cells"]:
                self.wrong("%s: %d rows, %d cells" % (file["path"], file["rows"], file["cells"]))
        for folder, _, names in os.walk(self.dataset):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.dataset)
                if path not in listed and path != MANIFEST:
                    self.wrong("%s: there, but not listed" % path)

    def reject_files(self):
        expected = self.manifest["counts"].get("records_rejected", 0)
        found = 0
        for folder, _, names in os.walk(self.rejects):
            for name in names:
                if name.endswith((".jsonl", ".ndjson")):
                    with open(os.path.join(folder, name), "rb") as file:
                        found += sum(isinstance(json.loads(line), dict) for line in file)
        self.equal("rejects", ("the number of lines in %s" % self.rejects, found),
                   ("records_rejected", expected))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("manifest", help="a dataset's folder or its manifest")
    parser.add_argument("--rejects", help="where its reject files are (default: DATASET.rejects)")
    options = parser.parse_args()
    path = options.manifest
    if os.path.isdir(path):
        path = os.path.join(path, MANIFEST)
    with open(path, encoding="utf-8") as file:
        manifest = json.load(file)
    dataset = os.path.dirname(os.path.abspath(path))
    judge = Judge(dataset, manifest, options.rejects or dataset + ".rejects")
    judge.records()
    judge.tables()
    judge.files()
    judge.reject_files()
    for problem in judge.problems:
        print("accounting: " + problem)
    if judge.problems:
        sys.exit(1)
    counts = manifest["counts"]
    print("accounting: %d sums hold: %d records, %d cells in %d files" % (
        judge.sums, counts["records_read"],
        sum(table["cells_written"] for table in manifest["tables"]), len(manifest["files"])))


if __name__ == "__main__":
    main()
