# SPDX-License-Identifier: Apache-2.0
"""Split keys against HBase's own: `uniform` and Bytes.split, and the hexadecimal example of the HBase book."""

import bisect
import os
import random
import re

from golden.harness import JobTest, ROOT

JOB = """
input: {files: [in.csv], fields: {k: {type: text}}}
tables:
  - name: t
    key: k
    timestamp: 2021-09-12
    splits: %s
    families: {f: {}}
    cells: {"f:v": k}
output: {directory: out}
"""
HEX_LOW, HEX_HIGH, REGIONS = b"0000000000000000", b"ffffffffffffffff", 10


def unescape(text):
    return re.sub(rb"\\x([0-9A-F]{2})", lambda m: bytes([int(m.group(1), 16)]), text)


def bytes_split():
    """Rows of bytes_split.tsv: low, high, inclusive, the keys between the ends."""
    with open(os.path.join(ROOT, "tests", "vectors", "bytes_split.tsv"), "rb") as file:
        for line in file.read().split(b"\n")[2:-1]:
            low, high, inclusive, _, *keys = line.split(b"\t")
            if len(keys) > 2:
                yield bytes.fromhex(low.decode()), bytes.fromhex(high.decode()), inclusive == b"true", [
                    unescape(key) for key in keys[1:-1]]


def book(low, high, regions):
    """getHexSplits of the HBase book, in its own words."""
    lowest, highest = int(low, 16), int(high, 16)
    step = (highest - lowest) // regions
    return [b"%016x" % (lowest + step + step * i) for i in range(regions - 1)]


class Splits(JobTest):
    def splits(self, source, *options):
        self.write("job.yaml", JOB % source)
        done = self.saltmill("splits", "job.yaml", *options)
        return [unescape(line) for line in done.stdout.split(b"\n")[:-1]]

    def test_uniform_is_bytes_split(self):
        """Over all keys of 8 bytes, both ends included; zero bytes at the end of a key decide nothing and are left out."""
        compared = 0
        for low, high, inclusive, keys in bytes_split():
            if low == b"" and high == b"\xff" * 8 and inclusive:
                short = [key.rstrip(b"\0") for key in keys]
                self.assertEqual(short, self.splits("{uniform: %d}" % (len(keys) + 1)))
                full = self.splits("{algorithm: UniformSplit, regions: %d}" % (len(keys) + 1))
                self.assertEqual(keys, full)
                compared += 1
        self.assertEqual(5, compared)

    def test_hexadecimal_example(self):
        chance = random.Random(7)
        rows = [b"%016x" % chance.getrandbits(64) for _ in range(20000)]

        def sizes(keys):
            found = [0] * (len(keys) + 1)
            for row in rows:
                found[bisect.bisect_right(keys, row)] += 1
            return found

        keys = self.splits('{hex: {start: "%s", end: "%s", regions: %d}}' % (
            HEX_LOW.decode(), HEX_HIGH.decode(), REGIONS))
        self.assertEqual(book(HEX_LOW, HEX_HIGH, REGIONS), keys)
        self.assertLess(max(sizes(keys)) - min(sizes(keys)), 300)
        # Cut as bytes, many split keys lie between '9' and 'a', where no row is.
        bytewise = [keys for low, high, inclusive, keys in bytes_split()
                    if (low, high, inclusive, len(keys)) == (HEX_LOW, HEX_HIGH, True, REGIONS - 1)]
        self.assertEqual(1, len(bytewise))
        self.assertGreaterEqual(sizes(bytewise[0]).count(0), 5)
        # The cure without knowing that the keys are hexadecimal: the keys themselves.
        self.write("in.csv", b"k\n" + b"\n".join(rows) + b"\n")
        self.assertLessEqual(max(sizes(self.splits("[]", "--sample", "auto", "--regions", REGIONS))), 2001)

    def random_keys(self, chance):
        """Keys that look like what the forms of a file are told by, and any bytes."""
        starts = [b"[", b'["', b"=> [", b"SPLITS => [", b"Total number of splits = 3", b"Took 1 seconds", b" ", b'"', b"#",
                  b"\\x00", b"\\", b"\xff", b"\0", b"a", b"\n", b"\r"]
        keys = {chance.choice(starts) + chance.randbytes(chance.randint(0, 3)) for _ in range(chance.randint(1, 12))}
        return sorted(keys)

    def test_every_form_is_read_back(self):
        chance = random.Random(8)
        for turn in range(60):
            keys = self.random_keys(chance) if turn != 0 else [b"SPLITS => [", b"]"]
            lines = "".join(key.hex() + "\n" for key in keys)
            self.write("hex", lines)
            for form in ("escaped", "shell", "json"):
                shown = self.saltmill("splits", "--from", "hex", "--hex", "--format", form).stdout
                self.write(form, shown)
                self.assertEqual(lines, self.saltmill("splits", "--from", form, "--format", "hex").out, shown)

    def test_comparison(self):
        """What is said to stay, go and come, against sets."""
        chance = random.Random(9)
        for _ in range(40):
            pool = sorted({chance.randbytes(2) for _ in range(12)})
            one, other = (sorted(chance.sample(pool, chance.randint(1, len(pool)))) for _ in range(2))
            self.write("one", "".join(key.hex() + "\n" for key in one))
            self.write("other", "".join(key.hex() + "\n" for key in other))
            done = self.saltmill("splits", "--from", "one", "--compare", "other", "--hex", exit=int(one != other))
            lines = done.stdout.splitlines()
            self.assertEqual(sorted(set(one) - set(other)), [unescape(li[2:]) for li in lines if li[:2] == b"- "])
            self.assertEqual(sorted(set(other) - set(one)), [unescape(li[2:]) for li in lines if li[:2] == b"+ "])
            regions = [set(zip([b""] + keys, keys + [b""])) for keys in (one, other)]
            if one == other:
                self.assertEqual([b"equal: %d regions" % (len(one) + 1)], lines)
            else:
                self.assertIn("%d of %d regions stay" % (len(regions[0] & regions[1]), len(regions[0])), done.err)
