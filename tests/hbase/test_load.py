# SPDX-License-Identifier: Apache-2.0
"""The real HBase as judge: what `run` writes is bulk-loaded as it is, without one file being split, and read back
cell for cell in every way a client reads. The expectation is worked out here, from the input's own values."""

import functools
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time
import unittest

import mmh3

from golden.harness import ROOT, JobTest
from golden.test_calls import expected_cells

import gen_cdr

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import judge  # noqa: E402

LONG_MAX = 2 ** 63 - 1
BASE_MS = 1631376000000  # 2021-09-12 00:00:00 in Asia/Shanghai
ROWS = 100000
HBASE_ZSTD = "org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec"


def setUpModule():
    judge.start()


def tearDownModule():
    judge.stop()


def checksum_complaints(log):
    """Lines of the server's log about wrong block checksums: it reads such a block again and carries on."""
    return [line for line in log.splitlines() if "checksum" in line.lower()]


def escape(data):
    """Bytes.toStringBinary."""
    return "".join(chr(b) if 32 <= b < 127 and b != 92 else "\\x%02X" % b for b in data)


def quoted(data):
    return b'"' + data.replace(b'"', b'""') + b'"'


def make_records(rows, seed=1):
    """(key text, seconds of the day, number, note): one key in ten is long and holds 0x00, 0xFF, quotes, commas."""
    source = random.Random(seed)
    for i in range(rows):
        key = b"%08d" % ((i * 7919) % rows)
        if i % 10 == 0:
            key += source.choice((b"\x00", b"\xff", b'",', b"\n")) + bytes(
                source.choice(b"\x00\xffabc,\"\n\x7f\x80") for _ in range(source.randrange(120, 180)))
        yield key, source.randrange(86400), source.randrange(-2 ** 31, 2 ** 31), b"note %d" % (i % 97)


@functools.lru_cache(maxsize=None)
def day():
    """(the input file, {table: sorted scan lines}, the rows of `wide`), made once for all codecs."""
    records = list(make_records(ROWS))
    text = b"".join(b"%s,2021-09-12 %02d:%02d:%02d,%d,%d,%s\n" % (
        quoted(key), second // 3600, second // 60 % 60, second % 60, number, second, note)
        for key, second, number, note in records)
    return text, expected(records), sorted(salted(key) for key, _, _, _ in records)


def salted(key):
    return b"%02d" % (mmh3.hash(key, 0, signed=False) % 16) + key


def cell_line(row, family, qualifier, timestamp, value):
    return "\t".join((escape(row), family, qualifier, str(timestamp), "Put", escape(value)))


def expected(records):
    """{table: sorted scan lines}."""
    wide, late = [], []
    for key, second, number, note in records:
        ts = BASE_MS + second * 1000
        row = salted(key)
        wide.append((row, [cell_line(row, "f", "k", ts, key), cell_line(row, "f", "n", ts, struct.pack(">i", number)),
                           cell_line(row, "g", "note", ts, note)]))
        row = struct.pack(">q", LONG_MAX - ts) + key
        late.append((row, [cell_line(row, "f", "n", ts, struct.pack(">q", number)),
                           cell_line(row, "g", "s", ts, b"%05d" % second)]))
    return {name: [line for _, lines in sorted(rows) for line in lines]
            for name, rows in (("wide", wide), ("late", late))}


def text_hash(lines):
    return hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()


JOB = """
input:
  files: [in.csv]
  csv: {{columns: [key, start, number, second, note], header: false}}
  fields:
    start: {{type: time, format: "%Y-%m-%d %H:%M:%S", zone: Asia/Shanghai, min: 2021-09-12, max: 2021-09-14}}
    number: {{type: int}}
    second: {{type: int}}
tables:
  - name: judge:wide_{name}
    key: salt(16, key) + key
    splits: {{salt: 16, regions: 4}}
    timestamp: start
    families:
      f: {{{codec}, block_size: 1KiB, index_block_size: 512}}
      g: {{{codec}}}
    cells: {{"f:k": key, "f:n": int32be(number), "g:note": note}}
  - name: judge_late_{name}
    key: rev_ts(start) + key
    splits: [{half}]
    timestamp: start
    families:
      f: {{{codec}, bloom: NONE}}
      g: {{{codec}, block_size: 8KiB}}
    cells: {{"f:n": int64be(number), "g:s": "dec(second, 5)"}}
output: {{directory: out}}
"""

CODECS = {
    "none": "compression: NONE",
    "gz": "compression: GZ",
    "snappy": "compression: SNAPPY",
    "lz4": "compression: LZ4",
    "zstd": "compression: ZSTD, zstd_framing: hbase",
}


def file_hash(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Judged(JobTest):
    """Makes tables as the manifest says and loads them. What HBase holds in the end was handed in by us, byte for byte,
    and no checksum in it was wrong."""

    damaged = False

    def setUp(self):
        super().setUp()
        self.log_start = len(judge.server_log())

    def tearDown(self):
        if not self.damaged:
            self.assertEqual(checksum_complaints(judge.server_log()[self.log_start:]), [])

    def entry(self, dataset, table):
        found, = [t for t in dataset.manifest["tables"] if t["name"] == table]
        return found

    def create(self, table, splits, *families):
        words = []
        for family in families:
            words += ["--family", family]
        path = self.write(table.replace(":", "_") + ".splits", "".join(s + "\n" for s in splits))
        judge.run("create", table, "--splits", path, *words)
        self.addCleanup(judge.outcome, "drop", table)

    def try_load(self, table, dataset, folder=None):
        directory = os.path.join(folder or dataset.path, self.entry(dataset, table)["directory"])
        return judge.outcome("load", directory, table)

    def stored(self, table):
        """Hashes of the files that the table consists of."""
        return sorted(line.split("\t")[4] for line in judge.run("storefiles", table).splitlines())

    def load(self, table, dataset, *families):
        """Creates, loads, proves that no file was split or rewritten (nor moved away: rule 30 copies)."""
        entry = self.entry(dataset, table)
        self.create(table, entry["splits"], *(families or [
            "%s:%s:%s" % (family["name"], family["compression"], family["bloom"]) for family in entry["families"]]))
        files = [os.path.join(dataset.path, f["path"]) for f in dataset.files(table)]
        outcome = self.try_load(table, dataset)
        self.assertEqual((outcome.status, judge.facts(outcome.output)), (0, {"files": str(len(files)), "rc": "0"}),
                         outcome.message)
        self.assertEqual(self.stored(table), sorted(file_hash(path) for path in files))
        return files

    def scan(self, table, *options):
        return [line.split("\t") for line in judge.run("scan", table, *options).splitlines()]


class Load(Judged):
    def scan_hash(self, table, want, *options):
        found = judge.facts(judge.run("scanhash", table, *options))
        self.assertEqual((found["cells"], found["sha256"]), (str(len(want)), text_hash(want)), table)

    def read_every_way(self, table, want):
        self.scan_hash(table, want)
        groups = {}
        for line in want:
            groups.setdefault(line.split("\t", 1)[0], []).append(line)
        rows = list(groups)
        backward = [line for row in reversed(rows) for line in groups[row]]
        self.scan_hash(table, backward, "--reverse")
        asked = [x for row in rows[::211] for x in (row, row + "\\x00")]
        path = self.write("asked", "".join(row + "\n" for row in asked))
        answers = [row + ("\tabsent\t0" if i % 2 else "\tpresent\t%d" % len(groups[row]))
                   for i, row in enumerate(asked)]
        self.assertEqual(judge.run("gets", table, path).splitlines(), answers)
        low, high = len(rows) // 3, len(rows) // 2
        self.scan_hash(table, [line for row in rows[low:high] for line in groups[row]],
                       "--start", rows[low], "--stop", rows[high])

    def codec(self, name):
        text, want, wide_rows = day()
        self.assertTrue(any(len(row) > 126 and b"\x00" in row and b"\xff" in row for row in wide_rows))
        self.write("in.csv", text)
        half = escape(struct.pack(">q", LONG_MAX - BASE_MS - 43200000))
        dataset, _ = self.run_job(JOB.format(name=name, codec=CODECS[name], half=json.dumps(half)))
        wide = "judge:wide_" + name
        for table, lines in ((wide, want["wide"]), ("judge_late_" + name, want["late"])):
            files = self.load(table, dataset)
            printed = judge.run("pretty", *files)
            levels = [int(n) for n in re.findall(r"numDataIndexLevels=(\d+)", printed)]
            self.assertEqual(len(levels), len(files))
            if table == wide:
                self.assertGreaterEqual(sum(n >= 3 for n in levels), len(dataset.files(wide, "f")))
            judge.run("reverse", *files, "--samples", "300")
            self.read_every_way(table, lines)
            judge.run("compact", table)
            self.assertTrue(set(self.stored(table)).isdisjoint(file_hash(path) for path in files))
            self.scan_hash(table, lines)

    def test_none(self):
        self.codec("none")

    def test_gz(self):
        self.codec("gz")

    def test_snappy(self):
        self.codec("snappy")

    def test_lz4(self):
        self.codec("lz4")

    def test_zstd(self):
        self.codec("zstd")


class Calls(Judged):
    # Rule 11: two views of the same calls, of which some start in the same second and some are delivered twice.
    def test_the_job_of_the_demo(self):
        options = gen_cdr.options_for(self.path("in"), rows=20000, files=3, gzip=1, quoting=0.1, multiline=0.02, bad=12)
        calls = [call for call in gen_cdr.generate(options) if "bad" not in call]
        dataset, _ = self.run_job(os.path.join(ROOT, "examples", "demo", "cdr.yaml"), "--set", "date=2021-09-12",
                                  "--input", "in/calls-*.csv*", exit=3)
        for table, cells in expected_cells(calls).items():
            self.load(table, dataset)
            self.assertEqual(judge.run("scan", table).splitlines(), [
                cell_line(row, "f", qualifier.decode(), timestamp, value)
                for (row, qualifier), (timestamp, value) in sorted(cells.items())])


class Rules(Judged):
    """What RULES.md says that HBase does with our cells. The number of the rule stands at each test."""

    # Rule 1.
    def test_numbers_are_those_of_bytes_and_counters_count_on(self):
        self.write("in.csv", "k,i,l,d\na,-2147483648,-9223372036854775808,-0.1\nb,2147483647,41,1e308\n")
        dataset, _ = self.run_job("""
input:
  files: [in.csv]
  fields: {i: {type: int}, l: {type: int}, d: {type: decimal}}
tables:
  - {name: numbers, key: k, timestamp: 1000000000, families: {f: {}},
     cells: {"f:i": int32be(i), "f:l": int64be(l), "f:d": float64be(d)}}
""")
        self.load("numbers", dataset)
        for row, qualifier, kind, value in (("a", "i", "int", "-2147483648"), ("b", "i", "int", "2147483647"),
                                            ("a", "l", "long", "-9223372036854775808"), ("b", "l", "long", "41"),
                                            ("a", "d", "double", "-0.1"), ("b", "d", "double", "1.0E308")):
            self.assertEqual(judge.run("value", "numbers", row, "f", qualifier, kind).strip(), value)
        self.assertEqual(judge.run("increment", "numbers", "b", "f", "l").strip(), "42")

    # Rule 2.
    def test_every_call_of_a_month_in_one_row(self):
        calls = [("1380000000%d" % (i % 3), "1390000%04d" % i, "2021-09-%02d %02d:%02d:%02d" % (
            1 + i % 28, i % 24, i % 60, i * 7 % 60)) for i in range(3000)]
        self.write("in.csv", "caller,callee,start\n" + "".join("%s,%s,%s\n" % c for c in calls))
        dataset, _ = self.run_job("""
input:
  files: [in.csv]
  fields: {start: {type: time, format: "%Y-%m-%d %H:%M:%S", min: 2021-01-01, max: 2022-01-01}}
tables:
  - name: months
    key: salt(300, caller) + caller + format_ts(start, "%Y%m")
    splits: {salt: 300, regions: 10}
    timestamp: start
    families: {f: {compression: GZ}}
    cells:
      - {family: f, qualifier: 'format_ts(start, "%d%H%M%S") + callee', value: callee}
""")
        self.load("months", dataset)
        found = {}
        for row, _, qualifier, _, _, value in self.scan("months"):
            found.setdefault(row, set()).add((qualifier, value))
        want = {}
        for caller, callee, start in calls:
            row = "%03d%s202109" % (mmh3.hash(caller.encode(), 0, signed=False) % 300, caller)
            stamp = start[8:10] + start[11:13] + start[14:16] + start[17:19]
            want.setdefault(row, set()).add((stamp + callee, callee))
        self.assertEqual(found, want)

    def zstd(self, framing, output="out"):
        self.write("in.csv", "k,v\n" + "".join("%05d,%s\n" % (i, "x" * (i % 50 + 1)) for i in range(5000)))
        dataset, _ = self.run_job("""
input: {files: [in.csv]}
tables:
  - {name: framed, key: k, timestamp: 1000, families: {f: {compression: ZSTD, zstd_framing: %s}}, cells: {"f:v": v}}
""" % framing, output=output)
        path = os.path.join(dataset.path, dataset.files()[0]["path"])
        self.assertIn("framing: %s" % framing, self.saltmill("inspect", path).out)
        return dataset

    # Rule 29.
    def test_the_servers_zstd_framing_loads(self):
        self.load("framed", self.zstd("hbase"))
        self.assertEqual(len(self.scan("framed")), 5000)

    # Rule 29: a loader with the server's codec opens each file to learn its first and last key, and the index there is
    # compressed too.
    def test_the_other_zstd_framing_is_refused_before_anything_is_loaded(self):
        dataset = self.zstd("hadoop")
        self.create("framed", [], "f:ZSTD:ROW")
        outcome = self.try_load("framed", dataset)
        self.assertEqual(outcome.status, 1)
        self.assertIn("CorruptHFileException", outcome.message)
        self.assertEqual((self.stored("framed"), self.scan("framed")), ([], []))

    def with_hadoops_codec(self, *command):
        """A judge command in a process whose ZSTD is that of Hadoop, as PlainZstd.java stands in for it."""
        conf = os.path.join("conf", "hbase-site.xml")
        with open(os.path.join(judge.server_folder(), conf), encoding="utf-8") as file:
            site = file.read()
        self.assertIn(HBASE_ZSTD, site)
        self.write(conf, site.replace(HBASE_ZSTD, "saltmill.judge.PlainZstd"))
        done = subprocess.run([os.path.join(judge.HERE, "judge.sh"), *command], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False,
                              env=dict(os.environ, SALTMILL_HBASE_DIR=self.folder))
        return done.returncode, done.stdout, done.stderr

    # Rule 29, the other way round: a site with Hadoop's codec.
    def test_with_hadoops_codec_the_framings_change_places(self):
        for framing in ("hadoop", "hbase"):
            dataset = self.zstd(framing, "out_" + framing)
            path = os.path.join(dataset.path, dataset.files()[0]["path"])
            status, cells, log = self.with_hadoops_codec("cells", path)
            if framing == "hadoop":
                self.assertEqual((status, len(cells.splitlines())), (0, 5000), log)
            else:
                self.assertEqual(status, 1)
                self.assertIn("CorruptHFileException", log)

    # Rule 29: a loader whose codec isn't the server's lets such files pass; the server opens them itself.
    def test_the_server_refuses_the_other_framing_from_a_loader_that_takes_it(self):
        dataset = self.zstd("hadoop")
        self.create("framed", [], "f:ZSTD:ROW")
        folder = os.path.join(dataset.path, self.entry(dataset, "framed")["directory"])
        status, _, log = self.with_hadoops_codec("load", folder, "framed")
        self.assertEqual(status, 1)
        self.assertIn("Bulk load aborted with some files not yet loaded", log)
        self.assertIn("CorruptHFileException", judge.server_log()[self.log_start:])
        self.assertEqual((self.stored("framed"), self.scan("framed")), ([], []))

    # Rule 2.
    def test_cell_ttl_hides_old_cells(self):
        self.write("in.csv", "k,v\na,1\nb,2\n")
        dataset, _ = self.run_job("""
input: {files: [in.csv]}
tables:
  - name: mortal
    key: k
    timestamp: 1000000000000
    families: {f: {}}
    cells: [{family: f, qualifier: '"old"', value: v, ttl: 1000}, {family: f, qualifier: '"kept"', value: v}]
""")
        self.load("mortal", dataset)
        self.assertEqual([cell[2] for cell in self.scan("mortal")], ["kept", "kept"])

    # Rule 9: loaded, counted, stored, and not to be seen; a compaction takes them away.
    def test_cells_older_than_the_familys_ttl_are_invisible_at_once(self):
        now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        self.write("in.csv", "k,start,v\nold,2020-01-01 00:00:00,1\nyoung,%s,2\n" % now)
        dataset, _ = self.run_job("""
input:
  files: [in.csv]
  fields: {start: {type: time, format: "%Y-%m-%d %H:%M:%S", min: 2020-01-01, max: 2100-01-01}}
tables:
  - {name: fading, key: k, timestamp: start, families: {f: {ttl: 864000}}, cells: {"f:v": v}}
""")
        self.assertEqual(self.entry(dataset, "fading")["cells_written"], 2)
        files = self.load("fading", dataset, "f:NONE:ROW:1:NONE:864000")
        self.assertEqual([cell[0] for cell in self.scan("fading")], ["young"])
        self.assertEqual(len(judge.run("cells", *files).splitlines()), 2)
        judge.run("compact", "fading")
        self.assertEqual([cell[0] for cell in self.scan("fading")], ["young"])

    # Rule 9: the marker hides by timestamp, whatever came first, and a compaction takes it away together with what it
    # hides: rows that were loaded before the compaction do not come back, they must be loaded again.
    def test_a_delete_masks_what_is_loaded_after_it_until_a_compaction(self):
        self.write("in.csv", "k,v\na,1\nb,2\n")
        dataset, _ = self.run_job("""
input: {files: [in.csv]}
tables: [{name: deleted, key: k, timestamp: 1600000000000, families: {f: {}}, cells: {"f:v": v}}]
""")
        self.load("deleted", dataset)
        seen = [[cell[0] for cell in self.scan("deleted")]]
        judge.run("delete", "deleted", "a")
        seen.append([cell[0] for cell in self.scan("deleted")])
        self.assertEqual(self.try_load("deleted", dataset).status, 0)
        seen.append([cell[0] for cell in self.scan("deleted")])
        raw = [(cell[0], cell[4]) for cell in self.scan("deleted", "--raw", "--versions")]
        judge.run("compact", "deleted")
        seen.append([cell[0] for cell in self.scan("deleted")])
        self.assertEqual([(cell[0], cell[4]) for cell in self.scan("deleted", "--raw", "--versions")], [("b", "Put")])
        self.assertEqual(self.try_load("deleted", dataset).status, 0)
        seen.append([cell[0] for cell in self.scan("deleted")])
        self.assertEqual(seen, [["a", "b"], ["b"], ["b"], ["b"], ["a", "b"]])
        self.assertEqual(raw, [("a", "DeleteFamily"), ("a", "Put"), ("b", "Put")])

    # Rules 6 and 28: one row and qualifier, five times; and one cell twice, of which the later place stays.
    def test_versions_and_duplicates(self):
        self.write("in.csv", "k,start,v\n" + "".join("a,2021-09-1%d 00:00:00,%d\n" % (i, i) for i in (3, 1, 5, 2, 4)) +
                   "b,2021-09-11 00:00:00,first\nb,2021-09-11 00:00:00,last\n")
        dataset, _ = self.run_job("""
input:
  files: [in.csv]
  fields: {start: {type: time, format: "%Y-%m-%d %H:%M:%S", min: 2021-01-01, max: 2022-01-01}}
tables:
  - {name: versions, key: k, timestamp: start, families: {f: {versions: 3}}, cells: {"f:v": v}}
""")
        entry = self.entry(dataset, "versions")
        self.assertEqual({name: entry[name] for name in ("row_images", "rows", "cells_made", "cells_written",
                                                         "duplicates_dropped", "cells_shadowed")},
                         {"row_images": 7, "rows": 2, "cells_made": 7, "cells_written": 6, "duplicates_dropped": 1,
                          "cells_shadowed": 2})
        self.load("versions", dataset, "f:NONE:ROW:3")
        want = [("a", "5"), ("a", "4"), ("a", "3"), ("b", "last")]
        self.assertEqual([(cell[0], cell[5]) for cell in self.scan("versions", "--versions")], want)
        judge.run("compact", "versions")
        self.assertEqual([(cell[0], cell[5]) for cell in self.scan("versions", "--raw", "--versions")], want)

    # Rule 8: the longest key and family, and a value that a client could not put.
    def test_the_largest_cells_that_are_written_can_be_read(self):
        keys = ["k" * 32766 + end for end in ("a", "b")]
        family = "f" * 127
        value = "v" * (2 << 20)
        self.write("in.csv", "k,v\n" + "".join("%s,%s\n" % (key, value) for key in keys))
        dataset, _ = self.run_job("""
input: {files: [in.csv]}
tables: [{name: large, key: k, timestamp: 1000, families: {%s: {compression: GZ}}, cells: {"%s:v": v}}]
""" % (family, family))
        self.load("large", dataset)
        self.assertEqual(self.scan("large"), [[key, family, "v", "1000", "Put", value] for key in keys])

    NUMBERED = """
input: {files: [in.csv]}
tables:
  - {name: numbered, key: k, splits: ["5"], timestamp: 1000, families: {f: {}, g: {}}, cells: {"f:v": v, "g:v": v}}
  - {name: never, key: k, timestamp: 1000, when: v == "y", families: {f: {}}, cells: {"f:v": v}}
"""

    # Rule 30: the last flag. The files of region one fit and are not loaded either.
    def test_a_load_that_would_split_a_file_is_refused_whole(self):
        self.write("in.csv", "k,v\n" + "".join("%d,x\n" % i for i in range(10)))
        dataset, _ = self.run_job(self.NUMBERED)
        files = [os.path.join(dataset.path, f["path"]) for f in dataset.files("numbered")]
        before = [file_hash(path) for path in files]
        self.assertEqual(len(files), 4)
        self.create("numbered", ["5", "7"], "f", "g")
        outcome = self.try_load("numbered", dataset)
        self.assertEqual(outcome.status, 1)
        self.assertIn("hbase.loadincremental.fail.if.need.split.hfile", outcome.message)
        self.assertEqual((self.stored("numbered"), self.scan("numbered")), ([], []))
        self.assertEqual([file_hash(path) for path in files], before)

    # Rule 30: why load.sh leaves such tables out.
    def test_a_table_without_files_is_an_error_of_the_loader(self):
        self.write("in.csv", "k,v\n1,x\n")
        dataset, _ = self.run_job(self.NUMBERED)
        self.assertEqual(dataset.files("never"), [])
        self.create("never", [], "f")
        os.makedirs(self.path("empty"))
        self.assertEqual(judge.outcome("load", self.path("empty"), "never").status, 1)

    # The other tests rely on the server's log: a wrong checksum must be seen there.
    def test_a_wrong_checksum_is_seen_in_the_servers_log(self):
        self.damaged = True
        self.write("in.csv", "k,v\n" + "".join("%d,x\n" % i for i in range(10)))
        dataset, _ = self.run_job(self.NUMBERED)
        shutil.copytree(dataset.path, self.path("damaged"))
        path = self.path("damaged", dataset.files("numbered", "f")[0]["path"])
        with open(path, "r+b") as file:
            # The last four bytes of a block's header tell where its data ends and its checksums begin.
            file.seek(29)
            place, = struct.unpack(">I", file.read(4))
            file.seek(place)
            byte, = file.read(1)
            file.seek(place)
            file.write(bytes([byte ^ 1]))
        self.create("numbered", ["5"], "f", "g")
        self.assertEqual(self.try_load("numbered", dataset, self.path("damaged")).status, 0)
        self.assertEqual(len(self.scan("numbered")), 20)
        self.assertNotEqual(checksum_complaints(judge.server_log()[self.log_start:]), [])


if __name__ == "__main__":
    unittest.main()
