# SPDX-License-Identifier: Apache-2.0
"""Dictionaries of uid(): the same ids for any number of threads, nothing for records that are not accepted, growth
over nights, two runs at once, failures in between, and the preset for OpenTSDB's rows. What ids and rows must be is
worked out here."""

import fcntl
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest

from golden.harness import Dataset, JobTest, SALTMILL, SANITIZER, tree

JOB = """
uids:
  names: {file: names.uid, new: %(new)s}
input:
  files: [%(input)s]
  fields: {v: {type: int}}
  where: 'v >= 0'
tables:
  - {name: by_name, key: "uid(name, %(width)d) + k", timestamp: 1000, families: {f: {}}, cells: {"f:v": int64be(v)}}
  - {name: small, key: 'pad(k, 6) + name', when: 'v < 500', timestamp: 1000, families: {f: {}}, cells: {"f:n": k}}
limits: {rejects: 100000}
"""


def job(new="assign", input="in.csv", width=3):
    return JOB % {"new": new, "input": input, "width": width}


def escape(name):
    return "".join(chr(b) if 32 <= b < 127 and b != 92 else "\\x%02X" % b for b in name)


def dictionary_text(ids):
    lines = ["%d\t%s" % (id, escape(name)) for id, name in sorted((i, n) for n, i in ids.items())]
    return "\n".join(["saltmill uids 1"] + lines + ["end\t%d" % len(ids), ""])


def make_records(seed, names, count):
    source = random.Random(seed)
    for i in range(count):
        v = source.choice(("-5", "7", "499", "500", "100000", "x"))
        k = "%05d" % i if i % 11 else "%07d" % i  # too long for pad() where v < 500
        yield source.choice(names), k, v


def accepted(records):
    return [(n, k, int(v)) for n, k, v in records if v not in ("x", "-5") and not (int(v) < 500 and len(k) > 6)]


def grown(ids, records):
    ids = dict(ids)
    last = max(ids.values(), default=0)
    for id, name in enumerate(sorted({n.encode() for n, _, _ in accepted(records)} - set(ids)), last + 1):
        ids[name] = id
    return ids


class Uids(JobTest):
    def write_input(self, name, records):
        self.write(name, "name,k,v\n" + "".join('"%s",%s,%s\n' % r for r in records))

    def read(self, name="names.uid"):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def check_rows(self, dataset, ids, records, width=3):
        want = sorted(ids[n.encode()].to_bytes(width, "big") + k.encode() for n, k, _ in accepted(records))
        self.assertEqual(dataset.rows("by_name"), want)


class Ids(Uids):
    NAMES = ["name %d" % i for i in range(3000)] + ["über", "tab\there", "Z", "a" * 300, "\x7f", "名前"]

    def test_any_number_of_threads(self):
        records = list(make_records(1, self.NAMES, 30000))
        ids = grown({}, records)
        self.write_input("in.csv", records)
        trees = []
        for threads, memory in ((1, "1GiB"), (2, "64MiB"), (7, "64MiB"), (7, "1GiB")):
            if os.path.exists(self.path("names.uid")):
                os.remove(self.path("names.uid"))
            dataset, _ = self.run_job(job(), "--threads", threads, "--memory", memory, exit=3,
                                      output="out%d%s" % (threads, memory))
            self.assertEqual(self.read(), dictionary_text(ids))
            self.check_rows(dataset, ids, records)
            trees.append(tree(dataset.path))
            self.assertEqual(dataset.manifest["uids"][0]["entries"], len(ids))
        self.assertTrue(all(t == trees[0] for t in trees))

    def test_growth_over_nights(self):
        ids = {}
        for night in range(3):
            records = list(make_records(night, self.NAMES[night * 20:night * 20 + 60], 500))
            before, ids = ids, grown(ids, records)
            self.assertGreater(len(ids), len(before))
            self.write_input("night%d.csv" % night, records)
            self.write("job%d.yaml" % night, job(input="night%d.csv" % night))
            dataset, _ = self.run_job("job%d.yaml" % night, exit=3, output="out%d" % night)
            self.assertEqual(self.read(), dictionary_text(ids))
            self.check_rows(dataset, ids, records)
        # Complete is complete, though the dictionary has grown since.
        for night in range(3):
            done = self.saltmill("run", "job%d.yaml" % night, "--output", "out%d" % night, exit=0)
            self.assertIn("already complete", done.out + done.err)
        self.assertEqual(self.read(), dictionary_text(ids))
        # A dictionary whose ids mean something else is not the one that the dataset was made with.
        first, second = sorted(ids, key=ids.get)[:2]
        ids[first], ids[second] = ids[second], ids[first]
        self.write("names.uid", dictionary_text(ids))
        self.saltmill("run", "job0.yaml", "--output", "out0", exit=6)

    def test_records_that_are_not_accepted_assign_nothing(self):
        self.write("in.csv", "name,k,v\nrejected,k,x\nfiltered,k,-1\nlate,1234567,3\nnot selected there,1234567,500\n"
                             ",k,1\nlast,k,1\n")
        self.run_job(job(), exit=3)
        self.assertEqual(self.read(), dictionary_text({b"last": 1, b"not selected there": 2}))
        self.assertEqual([(r["code"]) for r in self.rejects()], ["not-an-int", "wider-than-pad", "null-key-part"])

    def test_nothing_new_leaves_the_file_alone(self):
        self.write("in.csv", "name,k,v\na,k,1\n")
        self.run_job(job())
        before = os.stat(self.path("names.uid"))
        self.run_job(job(), output="again")
        self.assertEqual((before.st_ino, before.st_mtime_ns),
                         (os.stat(self.path("names.uid")).st_ino, os.stat(self.path("names.uid")).st_mtime_ns))
        self.assertEqual(tree(self.path("out")), tree(self.path("again")))

    def test_new_names_as_rejects(self):
        self.write("names.uid", dictionary_text({b"b": 5}))
        self.write("in.csv", "name,k,v\na,k1,1\nb,k2,1\n")
        self.run_job(job(new="reject"), exit=3)
        self.assertEqual([(r["code"], r["line"]) for r in self.rejects()], [("unknown-uid", 2)])
        self.assertEqual(self.read(), dictionary_text({b"b": 5}))
        # With another name the same job makes other rows: not complete any more.
        self.write("names.uid", dictionary_text({b"b": 5, b"a": 6}))
        self.saltmill("run", "job.yaml", "--output", "out", exit=6)
        dataset, _ = self.run_job(job(new="reject"), "--replace", exit=0)
        self.assertEqual(dataset.rows("by_name"), [b"\0\0\x05k2", b"\0\0\x06k1"])

    def test_standard_input(self):
        self.write("in.csv", "")
        self.write("names.uid", dictionary_text({b"a": 1}))
        self.write("job.yaml", job())
        done = self.saltmill("run", "job.yaml", "--input", "-", "--output", "out", exit=2, stdin=b"name,k,v\na,k,1\n")
        self.assertIn("standard input can be read only once", done.err)
        self.write("job.yaml", job(new="reject"))
        self.saltmill("run", "job.yaml", "--input", "-", "--output", "out", exit=0, stdin=b"name,k,v\na,k,1\n")

    def test_ids_used_up(self):
        self.write("in.csv", "name,k,v\n" + "".join("n%03d,k,1\n" % i for i in range(256)))
        done = self.saltmill("run", self.write("job.yaml", job(width=1)), "--output", "out", exit=4)
        self.assertIn("255 is the greatest that fits 1 bytes", done.err)
        self.assertFalse(os.path.exists(self.path("names.uid")))
        self.assertFalse(os.path.exists(self.path("out")))

    def test_damaged_dictionary(self):
        self.write("in.csv", "name,k,v\na,k,1\n")
        self.write("names.uid", "saltmill uids 1\n1\ta\n")
        done = self.saltmill("run", self.write("job.yaml", job()), "--output", "out", exit=4)
        self.assertIn("names.uid line 3", done.err)

    def test_too_many_names_for_the_memory(self):
        self.write("in.csv", "name,k,v\n" + "".join("%s%06d,k,1\n" % ("x" * 400, i) for i in range(40000)))
        done = self.saltmill("run", self.write("job.yaml", job()), "--output", "out", "--memory", "16MiB",
                             "--threads", 2, exit=5)
        self.assertIn("the new names of uid() take more than", done.err)
        self.assertFalse(os.path.exists(self.path("names.uid")))

    def test_preview_shows_a_placeholder_and_writes_nothing(self):
        self.write("in.csv", "name,k,v\na,k,1\n")
        done = self.saltmill("preview", self.write("job.yaml", job()), exit=0)
        self.assertIn("names without an id yet", done.out)
        self.assertIn("row \\x00\\x00\\x00k", done.out)
        self.assertFalse(os.path.exists(self.path("names.uid")))


class Together(Uids):
    def test_two_runs_at_once(self):
        for attempt in range(3 if SANITIZER else 8):
            shutil.rmtree(self.path("out0"), ignore_errors=True)
            shutil.rmtree(self.path("out1"), ignore_errors=True)
            for name in ("names.uid", "out0.rejects", "out1.rejects"):
                if os.path.isdir(self.path(name)):
                    shutil.rmtree(self.path(name))
                elif os.path.exists(self.path(name)):
                    os.remove(self.path(name))
            nights = [list(make_records(10 * attempt + i, ["n%d" % n for n in range(i * 300, i * 300 + 600)], 2000))
                      for i in range(2)]
            runs = []
            for i, records in enumerate(nights):
                self.write_input("in%d.csv" % i, records)
                self.write("job%d.yaml" % i, job(input="in%d.csv" % i))
                runs.append(subprocess.Popen([SALTMILL, "run", "job%d.yaml" % i, "--output", "out%d" % i, "--threads",
                                              "1"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
            for run in runs:
                _, err = run.communicate(timeout=300)
                self.assertEqual(run.returncode, 3, err)
            lines = [line.split("\t") for line in self.read().splitlines()[1:-1]]
            ids = {name.encode(): int(id) for id, name in lines}
            names = {n.encode() for records in nights for n, _, _ in accepted(records)}
            self.assertEqual(set(ids), names)
            self.assertEqual(sorted(ids.values()), list(range(1, len(names) + 1)))
            for i, records in enumerate(nights):
                self.check_rows(Dataset(self.path("out%d" % i)), ids, records)

    def test_a_lock_that_stays_held(self):
        self.write("in.csv", "name,k,v\na,k,1\n")
        with open(self.path("names.uid.lock"), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = self.saltmill("run", self.write("job.yaml", job()), "--output", "out", exit=6)
            self.assertIn("another run has been adding names for 10 s", done.err)
            self.assertFalse(os.path.exists(self.path("out")))
        self.saltmill("run", "job.yaml", "--output", "out", exit=0)


class Faults(Uids):
    """Each call made to fail in turn: the dictionary is always an old or a new one, whole, and a rerun gives the same
    ids. Needs a build with failure injection."""

    def sweep(self, kind, start=1):
        records = list(make_records(3, ["n%d" % n for n in range(40)], 300))
        old = {b"n7": 1, b"only here": 9}
        new = grown(old, records)
        self.write_input("in.csv", records)
        self.write("job.yaml", job())
        texts, between, survived, n = (dictionary_text(old), dictionary_text(new)), 0, 0, start
        while survived < 8:
            self.write("names.uid", texts[0])
            done = self.saltmill("run", "job.yaml", "--output", "out", "--threads", 1, exit=None,
                                 env={"SALTMILL_FAULT": "%s:%d" % (kind, n)})
            survived = survived + 1 if done.returncode == 3 else 0
            found = self.read()
            self.assertIn(found, texts, "%s:%d" % (kind, n))
            published = os.path.exists(self.path("out"))
            self.assertTrue(found == texts[1] or not published, "%s:%d: rows before their ids" % (kind, n))
            between += found == texts[1] and not published
            if not published:
                self.saltmill("run", "job.yaml", "--output", "out", exit=3)
            self.assertEqual(self.read(), texts[1])
            self.check_rows(Dataset(self.path("out")), new, records)
            shutil.rmtree(self.path("out"))
            shutil.rmtree(self.path("out.rejects"), ignore_errors=True)
            n += 1
        return between

    def test_write(self):
        self.assertGreater(self.sweep("write"), 0)

    def test_sync(self):
        self.assertGreater(self.sweep("sync"), 0)

    def test_rename(self):
        self.assertGreater(self.sweep("rename"), 0)

    @unittest.skipIf(SANITIZER, "slow there")
    def test_open(self):
        self.assertGreater(self.sweep("open"), 0)

    def test_killed(self):
        records = list(make_records(4, ["n%d" % n for n in range(400)], 20000))
        new = dictionary_text(grown({}, records))
        self.write_input("in.csv", records)
        self.write("job.yaml", job())
        source = random.Random(9)
        for _ in range(6 if SANITIZER else 25):
            run = subprocess.Popen([SALTMILL, "run", "job.yaml", "--output", "out", "--quiet"], cwd=self.folder)
            time.sleep(source.uniform(0, 0.12))
            run.send_signal(signal.SIGKILL)
            run.wait()
            if os.path.exists(self.path("names.uid")):
                self.assertEqual(self.read(), new)
        done = self.saltmill("run", "job.yaml", "--output", "out", exit=None)
        self.assertIn(done.returncode, (0, 3))
        self.assertEqual(self.read(), new)


OPENTSDB = """
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
    tags: {host: host, dc: dc}
    value: value
    timestamp: at
    salt: {width: 1, buckets: 20}
    uid_table: tsdb-uid
limits: {rejects: 10}
"""


def arrays_hash(data):
    """java.util.Arrays.hashCode(byte[])."""
    h = 1
    for b in data:
        h = (31 * h + (b - 256 if b > 127 else b)) % 2 ** 32
    return h - 2 ** 32 if h >= 2 ** 31 else h


def number_bytes(text):
    """(flags, bytes), by OpenTSDB's documentation of its data table."""
    if not set(text) & set(".eE"):
        for size, form in ((1, ">b"), (2, ">h"), (4, ">i"), (8, ">q")):
            if -2 ** (8 * size - 1) <= int(text) < 2 ** (8 * size - 1):
                return size - 1, struct.pack(form, int(text))
    real = float(text)
    narrow = struct.pack(">f", real) if abs(real) < 3.4e38 else None
    return (11, narrow) if narrow and struct.unpack(">f", narrow)[0] == real else (15, struct.pack(">d", real))


class OpenTsdb(JobTest):
    def ids(self, name):
        with open(self.path(name + ".uid"), encoding="utf-8") as file:
            return {n.encode(): int(i) for i, n in (line.rstrip("\n").split("\t") for line in list(file)[1:-1])}

    def test_rows(self):
        source = random.Random(2)
        points = {}
        while len(points) < 4000:
            ms = 1700000000000 + source.randrange(4 * 3600) * 1000 + source.choice((0, 0, 1, 999, 500))
            key = (source.choice(("cpu", "calls", "bytes")), ms, source.choice(("web1", "web2", "a")),
                   source.choice(("", "east", "west")))
            points[key] = source.choice(("0", "-1", "300", "70000", "5000000000", "0.5", "0.1", "1e300", "2.0"))
        self.write("in.csv", "metric,at,host,dc,value\n" + "".join(
            "%s,%d,%s,%s,%s\n" % (*key, value) for key, value in points.items()) + "cpu,1700000000000,,,1\n")
        trees = []
        for threads in (1, 2, 7):
            for name in ("metrics", "tagk", "tagv"):
                if os.path.exists(self.path(name + ".uid")):
                    os.remove(self.path(name + ".uid"))
            dataset, _ = self.run_job(OPENTSDB, "--threads", threads, exit=3, output="out%d" % threads)
            trees.append(tree(dataset.path))
        self.assertTrue(all(t == trees[0] for t in trees))
        self.assertEqual([r["code"] for r in self.rejects("out1")], ["no-tag"])
        metrics, tagk, tagv = self.ids("metrics"), self.ids("tagk"), self.ids("tagv")
        self.assertEqual(metrics, {b"bytes": 1, b"calls": 2, b"cpu": 3})
        self.assertEqual(tagv, {b"a": 1, b"east": 2, b"web1": 3, b"web2": 4, b"west": 5})
        want = []
        for (metric, ms, host, dc), value in points.items():
            pairs = sorted((tagk[k].to_bytes(3, "big"), tagv[v.encode()].to_bytes(3, "big"))
                           for k, v in ((b"host", host), (b"dc", dc)) if v)
            tags = b"".join(k + v for k, v in pairs)
            head = metrics[metric.encode()].to_bytes(3, "big")
            h = arrays_hash(head + tags)
            salt = bytes([abs(h) % 20])
            flags, data = number_bytes(value)
            offset = ms % 3600000
            qualifier = struct.pack(">H", offset // 1000 << 4 | flags) if offset % 1000 == 0 else \
                struct.pack(">I", 0xF << 28 | offset << 6 | flags)
            want.append((salt + head + struct.pack(">I", ms // 3600000 * 3600) + tags, b"t", qualifier, ms, "Put", data))
        self.assertEqual([c[:3] + c[3:] for c in dataset.cells("tsdb")],
                         sorted(want, key=lambda c: (c[0], c[2], -c[3])))
        want = []
        for qualifier, ids in ((b"metrics", metrics), (b"tagk", tagk), (b"tagv", tagv)):
            last = max(ids.values())
            want.append((b"\0", b"id", qualifier, last, "Put", struct.pack(">q", last)))
            for name, id in ids.items():
                want.append((name, b"id", qualifier, id, "Put", id.to_bytes(3, "big")))
                want.append((id.to_bytes(3, "big"), b"name", qualifier, id, "Put", name))
        self.assertEqual(sorted(dataset.cells("tsdb-uid")), sorted(want))

    def test_names_are_latin1_in_the_rows(self):
        """Every character below 256 alone, and some above: as the JVM's Tags.validateString and ISO-8859-1 say."""
        allowed = [chr(c) for c in range(256) if chr(c) in "-_./" or chr(c).isascii() and chr(c).isalnum()
                   or c in (0xAA, 0xB5, 0xBA) or 0xC0 <= c <= 0xFF and c not in (0xD7, 0xF7)]
        refused = [chr(c) for c in range(32, 256) if chr(c) not in allowed and chr(c) != '"'] + ["\u0101", "\u4e2d", "\U0001f600"]
        names = ["x" + c for c in allowed] + ["caf\u00e9", "\u00fcber/\u00df"]
        self.write("in.csv", "metric,at,host,dc,value\n" + "".join(
            'm,%d,"%s",,1\n' % (1700000000000 + i * 1000, name)
            for i, name in enumerate(names + ["x" + c for c in refused])))
        dataset, _ = self.run_job(OPENTSDB.replace("rejects: 10", "rejects: 1000"), exit=3)
        rejects = self.rejects("out")
        self.assertEqual([r["code"] for r in rejects], ["not-an-opentsdb-name"] * len(refused))
        with open(self.path("tagv.uid"), encoding="ascii") as file:
            ids = dict(reversed(line.rstrip("\n").split("\t")) for line in list(file)[1:-1])
        self.assertEqual(ids, {escape(name.encode()): str(i + 1) for i, name in
                               enumerate(sorted(names, key=lambda n: n.encode()))})
        found = {c[0]: c[5] for c in dataset.cells("tsdb-uid") if c[2] == b"tagv" and len(c[0]) != 1}
        want = {}
        for name in names:
            id = int(ids[escape(name.encode())]).to_bytes(3, "big")
            want[name.encode("latin-1")] = id
            want[id] = name.encode("latin-1")
        self.assertEqual(found, want)

    def test_names_that_were_there(self):
        """Ids that came from elsewhere are used as they are, unless their names cannot be stored."""
        self.write("in.csv", "metric,at,host,dc,value\nm,1700000000000,a b,,1\n")
        self.write("tagv.uid", "saltmill uids 1\n9\ta b\nend\t1\n")
        dataset, _ = self.run_job(OPENTSDB)
        self.assertIn(b"a b", [c[0] for c in dataset.cells("tsdb-uid")])
        self.write("tagv.uid", "saltmill uids 1\n8\t\\xC4\\x81\n9\ta b\nend\t2\n")
        done = self.saltmill("run", "job.yaml", "--output", "out2", exit=4)
        self.assertIn("the name of id 8, \\xC4\\x81, cannot be stored in OpenTSDB's tsdb-uid", done.err)
        self.assertFalse(os.path.exists(self.path("out2")))

    def test_refused(self):
        self.write("in.csv", "metric,at,host,dc,value\n")
        for old, new, said in (("    metric: metric\n", "", "preset: opentsdb needs \"metric\""),
                               ("{host: host, dc: dc}", "{a b: host}", "OpenTSDB does not take this tag name"),
                               ("{host: host, dc: dc}", "{}", "OpenTSDB takes 1 to 8 tags, found 0"),
                               ("width: 1", "width: 2", "salt.width"),
                               ("preset: opentsdb", "preset: phoenix", "preset"),
                               ("  tagv: {file: tagv.uid}\n", "", "there is no dictionary tagv"),
                               ("tagk.uid", "metrics.uid", "name the same file"),
                               ("{file: tagv.uid}", "{}", "uids.tagv needs \"file\"")):
            self.assertIn(old, OPENTSDB)
            done = self.saltmill("run", self.write("job.yaml", OPENTSDB.replace(old, new)), "--output", "out", exit=2)
            self.assertIn(said, done.err)


if __name__ == "__main__":
    unittest.main()
