# SPDX-License-Identifier: Apache-2.0
"""`scan --merged` gives rows in the order of the key behind the salt, whatever the question reads: everything, a
range, page after page. The order wanted is Python's, over the records; no salt is computed here."""

import json
import random
import subprocess

from golden.harness import JobTest, SALTMILL

ROWS = 500
JOB = """
seed: 3
input:
  files: [in.csv]
  identity: [id]
  fields: {caller: {type: text, charset: digits}, id: {type: int}}
tables:
  - name: t
    key: '%s + pad(caller, 8) + dec(id, 6)'
    timestamp: 1000
    families: {f: {}, g: {}}
    splits: {uniform: 5}
    cells: {"f:i": "dec(id, 6)", "g:c": caller}
output: {directory: out}
"""


class Merged(JobTest):
    def make(self, front):
        chance = random.Random(front)
        self.records = [("".join(chance.choice("0123456789") for _ in range(chance.randint(1, 8))), n)
                        for n in range(ROWS)]
        chance.shuffle(self.records)
        self.write("in.csv", "caller,id\n" + "".join("%s,%d\n" % r for r in self.records))
        self.write("job.yaml", JOB % front.replace("'", "''"))
        self.saltmill("run", "job.yaml", "--replace", "--new-rule", "--threads", "1")
        self.records.sort(key=lambda r: (r[0].ljust(8), r[1]))

    def scan(self, *words, files=None):
        """files: how many may be open."""
        shell = [] if files is None else ["bash", "-c", 'ulimit -n %d; exec "$@"' % files, "bash"]
        done = subprocess.run(shell + [SALTMILL, "scan", "job.yaml", *words, "--json"], cwd=self.folder,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return [json.loads(line) for line in done.stdout.splitlines()]

    def found(self, *words, **more):
        return [(r["fields"]["caller"], int(r["fields"]["id"])) for r in self.scan(*words, **more)]

    def test_every_front(self):
        for front in ("salt(7, caller)", "salt(300, dec(id, 6))", "salt_byte(16, caller)", "random(40)",
                      'pick(["a-", "bb-", "ccc-"])', '"x" + salt(12, caller)',
                      '"x" + salt(3, caller) + salt(4, caller, dec(id, 6))'):
            with self.subTest(front=front):
                self.make(front)
                self.assertEqual(self.found("--merged", "--full"), self.records)
                self.assertEqual(self.found("--merged", "--full", "id>=100"), [r for r in self.records if r[1] >= 100])
                self.assertEqual(self.found("--merged", "--full", "--limit", "17"), self.records[:17])
                self.assertEqual(self.found("--merged", "caller^=12"), [r for r in self.records if r[0][:2] == "12"])

    def test_pages(self):
        self.make("salt(20, caller)")
        rows = []
        page = self.scan("--merged", "--full", "--limit", "60")
        while page:
            rows += page
            page = self.scan("--merged", "--full", "--limit", "60", "--after", rows[-1]["row"])
        self.assertEqual([(r["fields"]["caller"], int(r["fields"]["id"])) for r in rows], self.records)

    def test_few_files_and_little_memory(self):
        """A file a salt and family would be 600."""
        self.make("salt(300, caller)")
        for more in ({"files": 24}, {"files": 100}, {"files": 2000}):
            self.assertEqual(self.found("--merged", "--full", **more), self.records)
            self.assertEqual(self.found("--merged", "--full", "--limit", "7", **more), self.records[:7])
            page = self.scan("--merged", "--full", "--limit", "40", **more)
            self.assertEqual(self.found("--merged", "--full", "--after", page[-1]["row"], **more), self.records[40:])
        # A batch of every salt is one row here, and is read again and again.
        self.assertEqual(self.found("--merged", "--full", "--memory", "160KiB"), self.records)
        self.assertEqual(self.found("--merged", "--full", "--memory", "8MiB"), self.records)

    def test_too_little_memory(self):
        self.make("salt(300, caller)")
        done = self.saltmill("scan", "job.yaml", "--merged", "--full", "--memory", "20KiB", exit=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("one row of each of 300 ranges takes more than 20480 bytes", done.err)

    def test_newest_with_few_files(self):
        chance = random.Random(2)
        rows = [("%d" % chance.randrange(1000), 1600000000000 + n * 1009) for n in range(ROWS)]
        self.write("in.csv", "caller,at\n" + "".join("%s,%d\n" % r for r in rows))
        self.write("job.yaml", """
input:
  files: [in.csv]
  fields: {caller: {type: text, charset: digits}, at: {type: time, format: epoch_ms, min: 2020-01-01, max: 2022-01-01}}
tables:
  - {name: t, key: 'salt(100, caller) + rev_ts(at) + caller', timestamp: at, families: {f: {}, g: {}},
     splits: {salt: 100, regions: 50}, cells: {"f:c": caller, "g:c": caller}}
output: {directory: out}
""")
        self.saltmill("run", "job.yaml", "--threads", "2")
        wanted = sorted(rows, key=lambda r: -r[1])
        for files in (30, 1000):
            for limit in ([], ["--limit", "33"]):
                found = [r["fields"]["caller"] for r in self.scan("--newest", *limit, files=files)]
                self.assertEqual(found, [r[0] for r in wanted][:33 if limit else None])
