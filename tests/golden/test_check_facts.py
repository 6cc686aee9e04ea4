# SPDX-License-Identifier: Apache-2.0
"""What `check` counts, against a slow count of the same rows: keys are made here, with zlib and struct, then sorted
in memory. The facts come from the tool tests/tools/check_facts.c; they must be the same text for any number of
threads and for the least memory."""

import collections
import json
import math
import os
import random
import struct
import subprocess
import zlib

from golden.harness import SALTMILL, JobTest, job_text

TOOL = os.path.join(os.path.dirname(SALTMILL), "tools", "check_facts")
CELL = 20  # two lengths, length of the row, length of the family, timestamp, type
LONG_MAX = 2 ** 63 - 1


def salt(count, text):
    """salt(count, text, hash: crc32)"""
    return b"%0*d" % (len(str(count - 1)), zlib.crc32(text) % count)


def route(splits, key):
    region = 0
    while region < len(splits) and splits[region] <= key:
        region += 1
    return region


def percentile(values, percent):
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def heat(slices, window, region_of):
    """Chance that two of a window share a region; share of its busiest; share that follow their neighbour."""
    pairs = met = rows = busiest = steps = stayed = 0
    for keys in slices:
        for at in range(0, len(keys), window):
            regions = [region_of(k) for k in keys[at:at + window]]
            n = len(regions)
            if n < 2:
                continue
            counts = collections.Counter(regions)
            pairs += n * (n - 1)
            met += sum(c * (c - 1) for c in counts.values())
            rows += n
            busiest += max(counts.values())
            steps += n - 1
            stayed += sum(a == b for a, b in zip(regions, regions[1:]))
    return {"index": met / pairs, "busiest": busiest / rows, "next": stayed / steps}


class CheckTest(JobTest):
    def facts(self, job, *variants, share=0, records=0, threads=(1, 2, 7)):
        """The facts, which are the same for each of the threads, with plenty of memory and with the least."""
        name = self.write("job.yaml", job)
        texts = set()
        for count in threads:
            for memory in ("256MiB", self.least(name, count, variants)):
                done = subprocess.run([TOOL, name, str(count), memory, str(share), str(records), *variants],
                                      cwd=self.folder, capture_output=True, timeout=900)
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                texts.add(done.stdout.decode())
        self.assertEqual(len(texts), 1)
        return json.loads(texts.pop())

    def least(self, name, threads, variants):
        """What the refusal of 1 MiB asks for."""
        done = subprocess.run([TOOL, name, str(threads), "1MiB", "0", "0", *variants], cwd=self.folder,
                              capture_output=True, timeout=900)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr.decode().split("at least ")[1].split(";")[0]

    def table(self, *arguments, **named):
        facts = self.facts(*arguments, **named)
        self.assertEqual(len(facts["tables"]), 1)
        return facts["tables"][0]

    def close(self, found, expected):
        for name, value in expected.items():
            self.assertAlmostEqual(found[name], value, places=12, msg=name)


class AgainstACount(CheckTest):
    """Small files of fewer than 1024 records: each one is one slice, looked at whole."""

    SALTS, SPLITS = 20, [b"04", b"08", b"0813", b"17"]

    def setUp(self):
        super().setUp()
        self.rng = random.Random(11)
        self.slices, self.rows, self.rejects, self.filtered = [], [], [], 0
        self.names = []
        for number in range(9):
            self.make_file("in/%d.csv" % number)

    def make_file(self, name):
        lines, keys = ["k,n,v"], []
        for i in range(self.rng.randrange(300, 1000)):
            who = "heavy" if self.rng.random() < 0.2 else "%x" % self.rng.randrange(1 << self.rng.choice((4, 12, 24)))
            number = self.rng.randrange(40)
            value = "v" * self.rng.randrange(12)
            if self.rng.random() < 0.01:
                lines.append("%s,none,%s" % (who, value))
                self.rejects.append((name, i + 2))
                continue
            lines.append("%s,%d,%s" % (who, number, value))
            if number == 39:
                self.filtered += 1
                continue
            key = salt(self.SALTS, who.encode()) + who.encode() + struct.pack(">I", number)
            size = 2 * (len(key) + 1 + 1 + CELL) + len(value) + len(str(number))
            keys.append(key)
            self.rows.append((key, (name, i + 2), size, who.encode()))
        self.write(name, "\n".join(lines) + "\n")
        self.slices.append(keys)
        self.names.append(name)

    def job(self, salts=None, regions=None):
        splits = "[%s]" % ", ".join('"%s"' % s.decode() for s in self.SPLITS)
        if salts:
            splits = "{salt: %d, regions: %d}" % (salts, regions)
        return job_text(self.names, key="salt(%d, k, hash: crc32) + k + u32(n)" % (salts or self.SALTS),
                        fields="{n: {type: int}}", cells='{"f:v": v, "f:n": text(n)}', splits=splits,
                        csv="{header: true, nulls: []}", more_input="where: n != 39", limits="{rejects: 100000}")

    def test_everything(self):
        facts = self.facts(self.job())
        t = facts["tables"][0]
        self.check_records(facts)
        self.check_regions(t)
        self.check_duplicates(t)
        self.check_heat(t)
        self.check_leads(t)
        # 0813 cuts through salt 08; regions begin 4, 4, 1, 8 and 3 salts
        self.assertEqual(t["salt"], [self.SALTS, 1, 1, 8])

    def check_records(self, facts):
        self.assertEqual(facts["accepted"], len(self.rows))
        self.assertEqual(facts["filtered"], self.filtered)
        self.assertEqual(facts["rejected"], len(self.rejects))
        self.assertEqual(facts["rejects"], {"not-an-int": [len(self.rejects), self.rejects[0][1]]})
        self.assertEqual(facts["slices"], [len(self.names)] * 2)

    def check_regions(self, t):
        lengths = [len(key) for key, _, _, _ in self.rows]
        self.assertEqual(t["length"], [min(lengths), percentile(lengths, 50), percentile(lengths, 90),
                                       percentile(lengths, 99), max(lengths), sum(lengths)])
        self.assertEqual((t["images"], t["cells"]), (len(self.rows), 2 * len(self.rows)))
        regions = [[] for _ in range(len(self.SPLITS) + 1)]
        for key, _, size, _ in self.rows:
            regions[route(self.SPLITS, key)].append((key, size))
        self.assertEqual([(r["images"], r["keys"], r["bytes"]) for r in t["regions"]],
                         [(len(r), len({k for k, _ in r}), sum(s for _, s in r)) for r in regions])
        most = max(len(r) for r in regions)
        self.close(t["spread"], {"skew_images": most * len(regions) / len(self.rows), "max_images": most, "empty": 0})

    def check_duplicates(self, t):
        places = {}
        for key, place, _, _ in self.rows:
            places.setdefault(key, []).append(place)
        self.assertEqual(t["keys"], len(places))
        self.assertEqual(t["duplicates"], len(self.rows) - len(places))
        self.assertEqual([(e["key"], e["lines"], e["rows"]) for e in t["examples"]],
                         [(k.hex(), [places[k][0][1], places[k][1][1]], len(places[k]))
                          for k in sorted(k for k in places if len(places[k]) > 1)[:5]])

    def check_heat(self, t):
        total = len(self.rows)
        window = min(max(total // 320, 16), 1000)
        keys = sorted(key for key, _, _, _ in self.rows)
        cuts = [keys[total * (i + 1) // 16] for i in range(15)]
        self.assertEqual(t["window"], window)
        self.close(t["hot"]["table"], heat(self.slices, window, lambda k: route(self.SPLITS, k)))
        self.close(t["hot"]["cut"], heat(self.slices, window, lambda k: route(cuts, k)))
        for name, splits in (("table", self.SPLITS), ("cut", cuts)):
            counts = collections.Counter(route(splits, k) for k in keys)
            self.close(t["hot"][name], {"even": sum((c / total) ** 2 for c in counts.values())})

    def check_leads(self, t):
        found = {}
        for key, _, size, who in self.rows:
            entry = found.setdefault(who, [0, 0, set()])
            entry[0] += 1
            entry[1] += size
            entry[2].add(route(self.SPLITS, key))
        least = max(len(self.rows) // 2048, 2)
        self.assertEqual(t["least"], least)
        top = sorted((who for who in found if found[who][0] >= least), key=lambda w: (-found[w][0], w))[:20]
        self.assertEqual([(e["value"], e["images"], e["bytes"], e["regions"]) for e in t["leads"]],
                         [(w.hex(), found[w][0], found[w][1], len(found[w][2])) for w in top])

    def test_what_if_is_what_the_changed_job_gives(self):
        asked = self.table(self.job(), "7:3", "0:10", "7:8", "20:4")
        for at, salts, regions in ((0, 7, 3), (1, 20, 10), (3, 20, 4)):
            changed = self.table(self.job(salts, regions), threads=(1,))
            what = asked["what_if"][at]
            self.assertEqual(what["images"], [r["images"] for r in changed["regions"]])
            self.assertEqual(what["spread"]["skew_images"], changed["spread"]["skew_images"])
            self.assertEqual(what["hot"], changed["hot"]["table"])
        self.assertIn("8", asked["what_if"][2]["why_not"])


class ManySlices(CheckTest):
    """One file of many slices, with more keys than the least memory holds."""

    def make(self, count):
        rng = random.Random(5)
        self.keys = ["%08d-%s" % (rng.randrange(count * 3), "x" * rng.randrange(40)) for _ in range(count)]
        self.write("in.csv", "k,v\n" + "".join("%s,%d\n" % (k, i) for i, k in enumerate(self.keys)))
        return job_text("in.csv", splits="{decimal: {start: '00', end: '99'}, regions: 10}")

    def test_spilled_keys_count_the_same(self):
        t = self.table(self.make(150000), threads=(1, 2, 7))
        self.assertEqual((t["keys"], len(t["regions"])), (len(set(self.keys)), 10))
        self.assertEqual(t["duplicates"], len(self.keys) - len(set(self.keys)))
        lengths = [len(k) for k in self.keys]
        self.assertEqual(t["length"][1:4], [percentile(lengths, p) for p in (50, 90, 99)])
        first = collections.defaultdict(list)
        for line, key in enumerate(self.keys):
            first[key].append(line + 2)
        self.assertEqual([(e["key"], e["lines"]) for e in t["examples"]],
                         [(k.encode().hex(), first[k][:2]) for k in sorted(k for k in first if len(first[k]) > 1)[:5]])

    def test_rows_of_a_query_are_those_in_its_ranges(self):
        facts = self.facts(self.make(30000), "rows", "00020000-xx", "00070000")
        self.assertEqual(facts["query"], sum(k < "00020000-xx" or k >= "00070000" for k in self.keys))

    def test_a_share_and_the_first_records(self):
        job = self.make(60000)
        whole = self.facts(job, threads=(1,))
        part = self.facts(job, share=0.3)
        judged, slices = part["slices"]
        self.assertEqual(slices, whole["slices"][1])
        self.assertTrue(0 < judged < slices)
        self.assertTrue(0 < part["read"] < 60000)
        first = self.facts(job, records=1234, threads=(2,))
        self.assertEqual((first["read"], first["cut_short"]), (1234, True))
        self.assertEqual(first["tables"][0]["keys"], len(set(self.keys[:1234])))
        self.assertFalse(self.facts(job, records=60000, threads=(2,))["cut_short"])


class Regions(CheckTest):
    def test_bytes_between_nine_and_a_stay_empty(self):
        """Bytewise cuts of 00...0 - ff...f: what HBase's Bytes.split makes of two texts."""
        rng = random.Random(3)
        self.write("in.csv", "k,v\n" + "".join("%016x,1\n" % rng.randrange(1 << 64) for _ in range(20000)))
        low, high = (int.from_bytes(text * 16, "big") for text in (b"0", b"f"))
        cuts = [(low + (high - low) * i // 10).to_bytes(16, "big") for i in range(1, 10)]
        t = self.table(job_text("in.csv", splits="[%s]" % ", ".join(
            '"%s"' % "".join("\\\\x%02X" % b for b in cut) for cut in cuts)), threads=(1, 2))
        empty = [i for i, cut in enumerate([b""] + cuts) if i < 9 and cut > b"9" * 17 and cuts[i] <= b"a"]
        self.assertEqual([i for i, r in enumerate(t["regions"]) if r["images"] == 0], empty)
        self.assertEqual(t["spread"]["empty"], len(empty))
        self.assertGreater(len(empty), 5)
        hexadecimal = self.table(job_text(
            "in.csv", splits="{hex: {start: '0000000000000000', end: 'ffffffffffffffff'}, regions: 10}"), threads=(1,))
        self.assertEqual((hexadecimal["spread"]["regions"], hexadecimal["spread"]["empty"]), (10, 0))

    def calls(self, key, splits=None):
        self.write("in.csv", "caller,t\n" + "".join(
            "1%010d,%d\n" % (i * 7919 % 100003, 1600000000000 + i * 250) for i in range(40000)))
        return self.table(job_text("in.csv", key=key, fields="{t: {type: time, format: epoch_ms, min: 2020-01-01, "
                                   "max: 2030-01-01}}", cells='{"f:c": caller}', splits=splits), threads=(1, 2, 7))

    def test_a_key_in_the_order_of_time_is_hot(self):
        hot = self.calls("ts(t) + caller")["hot"]
        self.assertEqual(hot["table"]["index"], 1)
        self.assertGreater(hot["cut"]["index"], 0.95)
        self.assertGreater(hot["cut"]["next"], 0.99)
        self.assertAlmostEqual(hot["cut"]["even"], 1 / 16, places=3)

    def test_the_salted_form_is_not(self):
        hot = self.calls("salt(64, caller) + ts(t) + caller", "{salt: 64, regions: 8}")["hot"]
        self.assertLess(hot["cut"]["index"], 0.08)
        self.assertLess(hot["table"]["index"], 0.14)
        self.assertAlmostEqual(hot["table"]["index"], hot["table"]["even"], delta=0.01)
        self.assertAlmostEqual(hot["cut"]["index"], 1 / 16, delta=0.01)
