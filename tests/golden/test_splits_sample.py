# SPDX-License-Identifier: Apache-2.0
"""`splits --sample` against quantiles of all keys: the oracle makes every key and cell size itself, and holds the
regions to what the command promises about them."""

import bisect
import random
import re

from golden.harness import JobTest

JOB = """
input:
  files: [in.csv]
  fields:
    k: {type: text}
    v: {type: text}
  where: v != "skip"
tables:
  - name: t
    key: k
    timestamp: 2021-09-12
    families: {f: {}, g: {}}
    cells: {"f:v": v, "g:long": k}
output: {directory: out}
limits: {memory: 64MiB}
"""


def unescape(line):
    return re.sub(rb"\\x([0-9A-F]{2})", lambda m: bytes([int(m.group(1), 16)]), line)


def weight(key, value):
    """Two KeyValues: lengths 4 + 4, row length 2, family length 1, timestamp 8, type 1."""
    return 2 * (20 + len(key)) + 1 + 1 + len(value) + 1 + 4 + len(key)


def shares(splits, rows):
    """Share of all weight in each region; rows are (key, weight)."""
    sums = [0] * (len(splits) + 1)
    for key, heavy in rows:
        sums[bisect.bisect_right(splits, key)] += heavy
    return [s / sum(sums) for s in sums]


class SplitsSample(JobTest):
    def records(self, count, seed, skewed=False):
        chance = random.Random(seed)
        found = []
        for number in range(count):
            digits = "%09d" % int(999999999 * chance.random() ** (6 if skewed else 1))
            value = "x" * chance.randint(1, 40)
            if number % 11 == 0:
                value = "skip"
            found.append(("%s-%06d" % (digits, number), value))
        self.write("in.csv", "k,v\n" + "".join("%s,%s\n" % r for r in found))
        self.write("job.yaml", JOB)
        return [(k.encode(), v.encode()) for k, v in found if v != "skip"]

    def splits(self, *options):
        answers = {}
        for threads in (1, 2, 7):
            done = self.saltmill("splits", "job.yaml", "--threads", threads, *options)
            answers[done.stdout, done.err] = threads
        self.assertEqual(1, len(answers), "the sample depends on threads")
        (out, err), _ = answers.popitem()
        keys = [unescape(line) for line in out.split(b"\n")[:-1]]
        self.assertEqual(sorted(set(keys)), keys)
        return keys, err

    def promise(self, err):
        found = re.search(r"hold ([\d.]+) % to ([\d.]+) % of the (\w+)(?:, each give or take ([\d.]+) %)?", err)
        return float(found[1]) / 100, float(found[2]) / 100, float(found[4] or 0) / 100

    def hold_to_promise(self, keys, rows, err):
        least, greatest, error = self.promise(err)
        found = shares(keys, rows)
        self.assertGreaterEqual(min(found), least - error - 0.0001, err)
        self.assertLessEqual(max(found), greatest + error + 0.0001, err)
        return found, error

    def test_rows_of_a_sample(self):
        records = self.records(60000, 1, skewed=True)
        rows = [(k, 1) for k, _ in records]
        for size in (500, 5000, 20000):
            keys, err = self.splits("--sample", size, "--regions", 10)
            self.assertIn("a sample of %d of the %d rows" % (size, len(rows)), err)
            self.assertEqual(9, len(keys))
            _, error = self.hold_to_promise(keys, rows, err)
            self.assertGreater(error, 0)
            self.assertLess(error, 0.25)

    def test_bytes_of_a_sample(self):
        records = self.records(40000, 2)
        # Heavy cells at one end of the keys: equal rows would not be equal bytes.
        records = [(k, b"y" * 200 if k < b"2" else v) for k, v in records]
        self.write("in.csv", b"k,v\n" + b"".join(b"%s,%s\n" % r for r in records))
        rows = [(k, weight(k, v)) for k, v in records]
        keys, err = self.splits("--sample", 10000, "--regions", 8, "--by", "bytes")
        found, _ = self.hold_to_promise(keys, rows, err)
        by_rows, _ = self.splits("--sample", 10000, "--regions", 8)
        self.assertLess(max(found), max(shares(by_rows, rows)) * 0.8)

    def test_whole_input_is_exact(self):
        records = self.records(3000, 3)
        keys, err = self.splits("--sample", "auto", "--regions", 7)
        self.assertIn("all %d rows" % len(records), err)
        sizes = [s * len(records) for s in shares(keys, [(k, 1) for k, _ in records])]
        self.assertLessEqual(max(sizes) - min(sizes), 1.5)
        # As short as can be: without its last byte a split key separates nothing or other rows.
        ordered = sorted(k for k, _ in records)
        for key in keys:
            place = bisect.bisect_left(ordered, key)
            self.assertTrue(ordered[place].startswith(key))
            self.assertNotEqual(place, bisect.bisect_left(ordered, key[:-1]))

    def test_whole_input_bytes(self):
        records = self.records(3000, 4)
        rows = [(k, weight(k, v)) for k, v in records]
        keys, _ = self.splits("--sample", "auto", "--regions", 5, "--by", "bytes")
        total = sum(w for _, w in rows)
        for share in shares(keys, rows):
            self.assertLessEqual(abs(share - 0.2) * total, 2 * max(w for _, w in rows))

    def test_percentage(self):
        records = self.records(30000, 5)
        keys, err = self.splits("--sample", "10%", "--regions", 4)
        size = int(re.search(r"a sample of (\d+) of", err)[1])
        self.assertLess(abs(size - len(records) / 10), 6 * (len(records) * 0.09) ** 0.5)
        self.hold_to_promise(keys, [(k, 1) for k, _ in records], err)

    def test_few_distinct_keys(self):
        self.write("in.csv", "k,v\n" + "a,1\nabc,1\nab,1\n" * 50)
        self.write("job.yaml", JOB)
        keys, err = self.splits("--sample", "auto", "--regions", 10)
        self.assertEqual([b"ab", b"abc"], keys)
        self.assertIn("3 regions instead of 10: the sample has 3 distinct keys", err)

    def test_one_heavy_key(self):
        self.write("in.csv", "k,v\n" + "m,1\n" * 900 + "".join("%s,1\n" % c for c in "abcdxyz") * 10)
        self.write("job.yaml", JOB)
        keys, err = self.splits("--sample", "auto", "--regions", 4)
        rows = [(b"m", 1)] * 900 + [(c.encode(), 1) for c in "abcdxyz"] * 10
        self.hold_to_promise(keys, rows, err)
        self.assertIn("regions instead of 4", err)

    def test_memory_bounds_the_sample(self):
        """Keys of 20,000 bytes: a quarter of the budget holds some hundreds."""
        filler = "k" * 20000
        chance = random.Random(6)
        numbers = ["%06d" % chance.randrange(10 ** 6) for _ in range(2000)]
        self.write("in.csv", "k,v\n" + "".join("%s%s,1\n" % (n, filler) for n in numbers))
        self.write("job.yaml", JOB)
        keys, err = self.splits("--sample", "auto", "--regions", 4, "--memory", "32MiB")
        size = int(re.search(r"a sample of (\d+) of the 2000", err)[1])
        self.assertTrue(300 < size < 430, err)
        self.assertTrue(all(len(key) <= 6 for key in keys))
        self.hold_to_promise(keys, [(n.encode(), 1) for n in numbers], err)
