# SPDX-License-Identifier: Apache-2.0
"""What `plan` prints for HBase's shell, read by the Ruby that the shell is written in: STARTROW and STOPROW give the exact
bytes, every byte of 00 to FF in every place, in front of every kind of neighbour."""

import os
import random
import subprocess

from golden.harness import JobTest, ROOT, SALTMILL

FOLDER = os.path.join(ROOT, "tests", "hbase", "jruby")
CACHE = os.path.join(os.environ.get("SALTMILL_CACHE") or os.path.expanduser("~/.cache/saltmill"), "jruby")
# What follows a byte could be taken for a part of its escape, or end the text.
NEIGHBOURS = [b"", b"0", b"7", b"a", b"F", b"g", b"\"", b"\\", b"#", b"{", b"$", b"@", b"'", b"}", b"x", b"\n", b"\xff"]

JOB = """
input:
  files: [in.csv]
  fields: {row: {type: text, charset: ascii}}
tables:
  - {name: t, key: unhex(row), timestamp: 1000, families: {f: {}}, cells: {"f:r": row}}
  - {name: h, key: 'unhex(row) + caller', timestamp: 1000, families: {f: {}}, cells: {"f:r": row}}
output: {directory: out}
"""


def setUpModule():
    done = subprocess.run([os.path.join(FOLDER, "setup.sh")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise RuntimeError("tests/hbase/jruby/setup.sh failed:\n" + done.stdout.decode())


def successor(prefix):
    """The least key behind all that begin with it; nothing behind FF FF ..."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else b""


def joined(rows):
    """A scan a row, from it to the least key behind it, unless that is the next row."""
    scans = []
    for row in rows:
        start = scans.pop()[1] if scans and scans[-1][2] == row else row
        scans.append((b"t", start, row + b"\0"))
    return scans


class PlanQuoting(JobTest):
    def read_by_ruby(self, text):
        jars = os.listdir(os.path.join(CACHE, "lib"))
        done = subprocess.run(["java", "-jar", os.path.join(CACHE, "lib", jars[0]), os.path.join(FOLDER, "shell.rb")],
                              input=text, capture_output=True, check=False, timeout=300,
                              env=dict(os.environ, LC_ALL="C.UTF-8"))
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-4000:])
        return [tuple(bytes.fromhex(word) for word in line.split(" ")[1:]) for line in done.stdout.decode().splitlines()]

    def plans(self, table, rows):
        """Sorted, as plan has them; one question for many rows."""
        condition = "row in [%s]" % ", ".join('"%s"' % row.hex() for row in rows)
        out = subprocess.run([SALTMILL, "plan", "job.yaml", "--table", table, "--where", condition], cwd=self.folder,
                             capture_output=True, check=True).stdout
        return b"".join(line + b"\n" for line in out.splitlines() if not line.startswith(b"#"))

    def test_every_byte(self):
        self.write("in.csv", "row,caller\n")
        self.write("job.yaml", JOB)
        chance = random.Random(1)
        rows = {bytes([b]) + n for b in range(256) for n in NEIGHBOURS} | {n + bytes([b]) for b in range(256) for n in NEIGHBOURS}
        rows |= {bytes(chance.randrange(256) for _ in range(chance.randint(1, 40))) for _ in range(500)}
        rows = sorted(rows)
        text = b""
        wanted = []
        for at in range(0, len(rows), 100):
            text += self.plans("t", rows[at:at + 100])
            wanted += joined(rows[at:at + 100])
        self.assertTrue(all(32 <= b < 127 or b == 10 for b in text))
        self.assertEqual(self.read_by_ruby(text), wanted)

    def test_prefixes(self):
        self.write("in.csv", "row,caller\n")
        self.write("job.yaml", JOB)
        rows = [bytes([b, c]) for b in range(256) for c in (0, 34, 35, 92, 127, 128, 254, 255)]
        text = b"".join(self.plans("h", [row]) for row in rows[::37] + [b"\xff\xff"])
        self.assertEqual(self.read_by_ruby(text), [(b"h", row, successor(row)) for row in rows[::37] + [b"\xff\xff"]])
