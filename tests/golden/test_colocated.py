# SPDX-License-Identifier: Apache-2.0
"""An index beside its data: regions worked out here by walking through the split list, for rows of both kinds, and
what the two entries of one table may not mix."""

import random
import struct

from golden.harness import JobTest, tree

SPLITS = ["120", "300", "301", "480", "7zz", "999"]
JOB = """
input:
  files: [in.csv]
  fields:
    at: {type: int}
tables:
  - name: orders
    key: id
    splits: [%(splits)s]
    timestamp: 1000
    families: {f: {}}
    cells: {"f:v": v}
  - name: orders
    view: by_number
    colocated_with: orders
    key: '%(key)s'
    splits: [%(splits)s]
    timestamp: 1000
    families: {i: {}}
    cells: {"i:v": v}
limits: {rejects: 100000}
"""
INDEX = 'region_start(key(orders), first: "000") + u64(at) + key(orders)'


def region(key, splits=SPLITS):
    """How many split keys are not above the key."""
    return sum(s.encode() <= key for s in splits)


def start(key, splits=SPLITS):
    return ([b"000"] + [s.encode() for s in splits])[region(key, splits)]


class Colocated(JobTest):
    def setUp(self):
        super().setUp()
        chance = random.Random(17)
        self.records = {}
        ids = SPLITS + ["0", "000", "119", "2", "29999", "3000", "3010", "79", "7z", "9989", "9990", "z"]
        for n in range(3000):
            ids.append("%x%s" % (n * 2654435761 % 2 ** 20, chance.choice(["", "z", "-1"])))
        for name in ids:
            self.records[name] = chance.randrange(50)
        self.write("in.csv", "id,at,v\n" + "".join("%s,%d,v%s\n" % (k, v, k) for k, v in self.records.items()))

    def job(self, key=INDEX, splits=SPLITS):
        return JOB % {"key": key, "splits": ", ".join('"%s"' % s for s in splits)}

    def index_row(self, name, splits=SPLITS):
        key = name.encode()
        return start(key, splits) + struct.pack(">Q", self.records[name]) + key

    def test_rows_of_both_kinds_share_their_regions(self):
        trees = []
        for threads in (1, 2, 7):
            dataset, _ = self.run_job(self.job(), "--threads", threads, output="out%d" % threads)
            trees.append(tree(self.path("out%d" % threads)))
        self.assertEqual(trees[0], trees[1])
        self.assertEqual(trees[0], trees[2])
        self.assertEqual(dataset.rows("orders", "f"), sorted(k.encode() for k in self.records))
        self.assertEqual(dataset.rows("orders", "i"), sorted(self.index_row(k) for k in self.records))
        places = {}
        for file in dataset.files():
            places.setdefault(file["family"], set()).add(file["region"])
        self.assertEqual(places["f"], places["i"])
        for name in self.records:
            self.assertEqual(region(self.index_row(name)), region(name.encode()), name)

    def test_other_regions_are_rejects(self):
        dataset, _ = self.run_job(self.job(key='left(id, 1) + "5" + id'), exit=3)
        wrong = [k for k in self.records if region((k[:1] + "5" + k).encode()) != region(k.encode())]
        self.assertTrue(0 < len(wrong) < len(self.records))
        self.assertEqual([e["code"] for e in self.rejects()], ["other-region"] * len(wrong))
        self.assertEqual({e["field"] for e in self.rejects()}, {"tables[1].key"})
        self.assertEqual(dataset.rows("orders", "f"), sorted(k.encode() for k in self.records if k not in wrong))

    def test_an_index_may_stand_before_its_data_and_without_it(self):
        """The data row of a record that the data's entry does not select has a region all the same."""
        head, data, index = self.job().split("limits:")[0].split("  - name: orders\n")
        text = "  - name: orders\n".join([head, index, data + "    when: at < 10\nlimits: {rejects: 0}\n"])
        dataset, _ = self.run_job(text)
        self.assertEqual(dataset.rows("orders", "i"), sorted(self.index_row(k) for k in self.records))
        self.assertEqual(dataset.rows("orders", "f"), sorted(k.encode() for k, at in self.records.items() if at < 10))

    def test_scans_read_one_entry(self):
        self.run_job(self.job(), output="out")
        scan = ["scan", "job.yaml", "--dataset", "out", "--table", "by_number"]
        rows = [line.split("\t")[0] for line in self.saltmill(*scan, "at=7").out.splitlines()]
        found = [r.split("\\x07")[1] for r in rows]
        self.assertEqual(sorted(found), sorted(k for k, at in self.records.items() if at == 7))
        name = next(iter(k for k, at in self.records.items() if at == 7))
        plan = self.saltmill("plan", "job.yaml", "--table", "by_number", "at=7", "id=" + name).out
        self.assertEqual(plan.count("\nscan "), 1, plan)
        plan = self.saltmill("plan", "job.yaml", "--table", "by_number", "at=7").out
        self.assertEqual(plan.count("\nscan "), len(SPLITS) + 1, plan)
        self.assertIn('COLUMNS => ["i"]', plan)

    def test_other_splits_are_another_rule(self):
        self.run_job(self.job(), output="out")
        self.write("job.yaml", self.job(splits=["120", "300", "301", "480", "7zz", "998"]))
        done = self.saltmill("scan", "job.yaml", "--dataset", "out", "--table", "by_number", "at=7", exit=6)
        self.assertIn("regions.split: ", done.err)
        # The data's key looks at no region.
        self.saltmill("scan", "job.yaml", "--dataset", "out", "--table", "orders", "id=300")
