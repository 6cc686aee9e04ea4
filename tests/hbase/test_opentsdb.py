# SPDX-License-Identifier: Apache-2.0
"""A real OpenTSDB reads what `preset: opentsdb` wrote, from the real HBase: every series of every metric, with and
without salt, its own sums, and names with their ids; it goes on counting ids where the dictionaries ended. What must
come out is worked out here from the points."""

import os
import random
import subprocess
import sys

from golden.harness import ROOT

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import judge  # noqa: E402
from test_load import Judged  # noqa: E402

FOLDER = os.path.join(ROOT, "tests", "hbase", "opentsdb")
CACHE = os.path.join(os.environ.get("SALTMILL_CACHE") or os.path.expanduser("~/.cache/saltmill"), "opentsdb")
ZOOKEEPER = "localhost:%d" % (int(os.environ.get("SALTMILL_HBASE_PORT") or 23600) + 40)
START = 1700000000000
HOURS = 5


def setUpModule():
    done = subprocess.run([os.path.join(FOLDER, "setup.sh")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise RuntimeError("tests/hbase/opentsdb/setup.sh failed:\n" + done.stdout.decode())
    judge.start()


def tearDownModule():
    judge.stop()


def java(program, *words):
    # Arguments are read in the locale's encoding, output is written in file.encoding.
    argv = ["java", "-Dfile.encoding=UTF-8", "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "-cp", "%s/classes:%s/lib/*" % (CACHE, CACHE), program]
    done = subprocess.run(argv + [str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                          env=dict(os.environ, LC_ALL="C.UTF-8"))
    if done.returncode != 0:
        raise AssertionError("%s %s\n%s" % (program, " ".join(map(str, words)), done.stderr.decode()[-4000:]))
    # OpenTSDB prints its configuration.
    return [line.split("\t") for line in done.stdout.decode().splitlines()
            if line.startswith(("point\t", "uid\t", "key\t", "cell\t"))]


def make_points(seed):
    """{(metric, tags, ms): text}: whole and broken numbers of every length, seconds and milliseconds."""
    source = random.Random(seed)
    points = {}
    while len(points) < 6000:
        tags = {"host": source.choice(("web01", "web02", "db.1", "café")),
                "dc": source.choice(("", "east", "west")), "if": source.choice(("", "", "eth0", "eth1"))}
        second = START // 1000 + source.randrange(HOURS * 3600)
        ms = second * 1000 + source.choice((0, 0, 0, 1, 500, 999))
        key = (source.choice(("cdr.bytes", "cdr.calls", "load")), tuple((k, v) for k, v in sorted(tags.items()) if v), ms)
        points[key] = source.choice((
            "0", "-1", str(source.randrange(128)), str(source.randrange(2 ** 15)), str(-source.randrange(2 ** 31)),
            str(source.randrange(2 ** 50)), "%.2f" % source.uniform(-99, 99), "0.1", "1e300", "2.25"))
    return points


JOB = """
uids:
  metrics: {file: metrics.uid}
  tagk: {file: tagk.uid}
  tagv: {file: tagv.uid}
input:
  files: [in.csv]
  fields:
    at: {type: time, format: epoch_ms, min: 2020-01-01, max: 2030-01-01}
    value: {type: decimal}
tables:
  - preset: opentsdb
    metric: metric
    tags: {host: host, dc: dc, if: if}
    value: value
    timestamp: at
    %s
    uid_table: tsdb-uid
"""


class OpenTsdb(Judged):
    def make(self, points, salt):
        self.write("in.csv", "metric,at,value,host,dc,if\n" + "".join(
            "%s,%d,%s,%s\n" % (metric, ms, value, ",".join(dict(tags).get(k, "") for k in ("host", "dc", "if")))
            for (metric, tags, ms), value in points.items()))
        dataset, _ = self.run_job(JOB % salt)
        self.load("tsdb", dataset)
        self.load("tsdb-uid", dataset)

    def series(self, buckets, metric, *more):
        """{(tags, ms): number}"""
        found = {}
        for _, name, tags, ms, number in java("OpenTsdbQuery", ZOOKEEPER, buckets, "query", START - 1000,
                                              START + HOURS * 3600000 + 1000, metric, *more):
            self.assertEqual(name, metric)
            key = tuple(tuple(pair.split("=")) for pair in tags[1:-1].split(", ") if pair)
            self.assertNotIn((key, int(ms)), found)
            found[key, int(ms)] = float(number)
        return found

    def check(self, buckets, salt):
        points = make_points(buckets)
        self.make(points, salt)
        for metric in ("cdr.bytes", "cdr.calls", "load"):
            want = {(tags, ms): float(value) for (name, tags, ms), value in points.items() if name == metric}
            self.assertEqual(self.series(buckets, metric), want)
        # OpenTSDB's own choice by tag.
        want = {(tags, ms): float(value) for (name, tags, ms), value in points.items()
                if name == "load" and ("host", "web01") in tags and ("dc", "east") in tags}
        self.assertEqual(self.series(buckets, "load", "none", "host=web01", "dc=east"), want)

    def test_rows(self):
        self.check(0, "unit: auto")

    def test_salted_rows(self):
        self.check(20, "salt: {width: 1, buckets: 20}")

    def test_its_own_sums(self):
        points = {("sum", (("host", "h%d" % (i % 7)),), START + i // 7 * 60000): str(i * 3) for i in range(700)}
        self.make(points, "salt: {buckets: 3}")
        want = {}
        for (_, _, ms), value in points.items():
            want[ms] = want.get(ms, 0) + float(value)
        self.assertEqual({ms: number for (_, ms), number in self.series(3, "sum", "sum").items()}, want)

    def test_names_and_the_next_id(self):
        points = make_points(5)
        self.make(points, "unit: auto")
        for kind, file, name in (("metric", "metrics", "load"), ("tagk", "tagk", "host"), ("tagv", "tagv", "café")):
            with open(self.path(file + ".uid"), encoding="utf-8") as lines:
                ids = {n: int(i) for i, n in (line.rstrip("\n").split("\t") for line in list(lines)[1:-1])}
            escaped = name.encode().decode("latin-1").translate({c: "\\x%02X" % c for c in range(128, 256)})
            self.assertEqual(java("OpenTsdbQuery", ZOOKEEPER, 0, "uid", kind, name),
                             [["uid", name, "%06X" % ids[escaped], name]])
            self.assertEqual(java("OpenTsdbQuery", ZOOKEEPER, 0, "assign", kind, "quite.new"),
                             [["uid", "quite.new", "%06X" % (max(ids.values()) + 1), "quite.new"]])

    def test_the_vectors_are_its_own(self):
        with open(os.path.join(ROOT, "tests", "vectors", "key_opentsdb.tsv"), encoding="ascii") as file:
            self.assertEqual(java("OpenTsdbVectors"), [line.rstrip("\n").split("\t") for line in file])
