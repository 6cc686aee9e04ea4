#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""smoke.py FOLDER ROWS: the checks of smoke.sh, against a server that runs. The expectation is text that
MakeHFiles wrote from its own numbers; HBase's answers are compared with it."""

import glob
import hashlib
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import judge  # noqa: E402

CODECS = ["NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"]


def check(condition, what):
    """Prints one line per check; the first that doesn't hold ends the run."""
    print(("ok    " if condition else "WRONG ") + what, flush=True)
    if not condition:
        sys.exit(1)


def read(path):
    """The whole text of a file."""
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def write(path, text):
    """Makes a file with that text."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def sha256(path):
    """The SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def hfiles(folder):
    """All files below family folders, in name order."""
    return sorted(glob.glob(os.path.join(folder, "*", "*")))


def by_row(lines):
    """Groups lines by their row, keeping order."""
    groups = []
    for line in lines:
        if not groups or groups[-1][0] != line.split("\t", 1)[0]:
            groups.append((line.split("\t", 1)[0], []))
        groups[-1][1].append(line)
    return groups


def load_and_read(folder, splits, codec, rows):
    """One table with two families in one codec: make, load, and read back in every way."""
    name = "smoke_" + codec.lower()
    made = os.path.join(folder, name)
    expect_path = made + ".expect"
    families = ["--family", "f:%s:ROW" % codec, "--family", "g:%s:ROWCOL" % codec]
    judge.run("make", made, "--splits", splits, "--rows", str(rows), *families, "--block-size", "8192", "--expect",
              expect_path)
    expect = read(expect_path)
    lines = expect.splitlines()
    files = hfiles(made)
    check(len(files) == 20, "%s: ten files in each of two families" % codec)

    judge.run("pretty", *files)
    check(True, "%s: HFilePrettyPrinter -k -m -v has nothing to say" % codec)
    walked = judge.run("reverse", *files)
    check(len(walked.splitlines()) == 20, "%s: seekBefore finds every predecessor" % codec)

    judge.run("create", name, "--splits", splits, *families)
    loaded = judge.facts(judge.run("load", made, name))
    check(loaded == {"files": "20", "rc": "0"}, "%s: BulkLoadHFilesTool loads 20 files" % codec)
    stores = [line.split("\t") for line in judge.run("storefiles", name).splitlines()]
    check(sorted(s[4] for s in stores) == sorted(sha256(f) for f in files), "%s: no file was split or rewritten" % codec)
    regions = [line.split("\t") for line in judge.run("regions", name).splitlines()]
    check(len(regions) == 20 and all(r[2] == "1" for r in regions), "%s: one file per region and family" % codec)

    check(judge.run("scan", name) == expect, "%s: scan equals the expectation, %d cells" % (codec, len(lines)))
    hashed = judge.facts(judge.run("scanhash", name))
    check(hashed["sha256"] == hashlib.sha256(expect.encode()).hexdigest() and hashed["cells"] == str(len(lines)),
          "%s: scanhash" % codec)
    backward = [line for _, cells in reversed(by_row(lines)) for line in cells]
    check(judge.run("scan", name, "--reverse").splitlines() == backward, "%s: reverse scan" % codec)
    gets_and_slices(folder, name, codec, lines)

    compacted = judge.facts(judge.run("compact", name))
    check(compacted == {"before": "20", "after": "20"}, "%s: major compaction" % codec)
    check(judge.run("scan", name) == expect, "%s: scan after the compaction" % codec)
    judge.run("drop", name)
    return files


def gets_and_slices(folder, name, codec, lines):
    """Gets on rows that are there and that aren't, slices of a scan, numbers as HBase's Bytes reads them."""
    rows = [row for row, _ in by_row(lines)]
    asked = []
    for row in rows[:: max(1, len(rows) // 500)]:
        asked += [row, row + "\\x00"]
    path = os.path.join(folder, "asked.txt")
    write(path, "".join(row + "\n" for row in asked))
    want = [row + ("\tabsent\t0" if i % 2 else "\tpresent\t4") for i, row in enumerate(asked)]
    check(judge.run("gets", name, path).splitlines() == want, "%s: gets on present and absent rows" % codec)

    low, high = rows[len(rows) // 3], rows[len(rows) // 2]
    slice_ = [line for row, cells in by_row(lines)[len(rows) // 3: len(rows) // 2] for line in cells if "\tf\t" in line]
    got = judge.run("scan", name, "--start", low, "--stop", high, "--family", "f").splitlines()
    check(got == slice_ and len(got) > 0, "%s: scan of a range and one family" % codec)
    got = judge.run("scan", name, "--limit", "3").splitlines()
    check(got == lines[:12], "%s: scan of three rows" % codec)
    number = next(line for line in lines if "\td\t" in line).split("\t")
    value = number[5].encode("latin-1").decode("unicode_escape").encode("latin-1")
    check(judge.run("value", name, number[0], "f", "d", "int").strip() == str(struct.unpack(">i", value)[0]),
          "%s: Bytes.toInt reads the value" % codec)


def counters(folder):
    """A new cell, and one that was loaded, count on as 8-byte numbers."""
    judge.run("create", "smoke_count", "--family", "f")
    first = judge.run("increment", "smoke_count", "row\\x00\\xFF", "f", "n", "41").strip()
    second = judge.run("increment", "smoke_count", "row\\x00\\xFF", "f", "n").strip()
    check((first, second) == ("41", "42"), "increment counts on")
    check(judge.run("value", "smoke_count", "row\\x00\\xFF", "f", "n", "long").strip() == "42", "Bytes.toLong reads the counter")
    judge.run("drop", "smoke_count")
    judge.run("create", "smoke:spaced", "--family", "f")
    judge.run("drop", "smoke:spaced")
    check(True, "a table in a namespace")


def bad_verdicts(folder, splits, files):
    """What must not pass doesn't: a file across regions, an empty folder, a file with a damaged byte."""
    made = os.path.join(folder, "one")
    judge.run("make", made, "--rows", "2000", "--family", "f:GZ:ROW")
    judge.run("create", "smoke_bad", "--splits", splits, "--family", "f")
    check(judge.outcome("load", made, "smoke_bad").status == 1, "a file that would have to be split is refused")
    os.makedirs(os.path.join(folder, "empty", "f"))
    check(judge.outcome("load", os.path.join(folder, "empty"), "smoke_bad").status == 1, "loading nothing is no success")
    check(judge.run("scan", "smoke_bad") == "", "and nothing got in")
    check(judge.outcome("drop", "smoke_none").status == 1, "a table that isn't there")
    check(judge.outcome("scan", "smoke_bad", "--nonsense").status == 2, "an unknown option")
    judge.run("drop", "smoke_bad")
    with open(files[0], "rb") as file:
        content = bytearray(file.read())
    content[len(content) // 3] ^= 0x10
    damaged = os.path.join(folder, "damaged")
    with open(damaged, "wb") as file:
        file.write(content)
    for command in ("pretty", "cells", "reverse"):
        check(judge.outcome(command, damaged).status == 1, command + " notices a flipped bit")


def main():
    """Runs everything in order."""
    folder, rows = sys.argv[1], int(sys.argv[2])
    splits = os.path.join(folder, "splits.txt")
    write(splits, "".join("%03d\n" % (i * 30) for i in range(1, 10)))
    for codec in CODECS:
        files = load_and_read(folder, splits, codec, rows)
    counters(folder)
    bad_verdicts(folder, splits, files)
    judge.close()
    print("the judge works")


if __name__ == "__main__":
    main()
