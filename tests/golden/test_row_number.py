# SPDX-License-Identifier: Apache-2.0
"""row_number(): the place of a record, worked out here from the bytes of the files, the same for every number of
threads, every size of slice and every rerun; and the inputs that it is refused for."""

import gzip
import random
import struct

from golden.harness import JobTest, job_text, tree

FILE_SHIFT = 44


def make_feed(rng, count):
    """Bytes of a CSV file with quoted line ends, and its records as (offset, k)."""
    text = b"k,v\n"
    records = []
    for i in range(count):
        key = "%05d" % rng.randrange(50)
        records.append((len(text), key))
        value = "x" * rng.randrange(40) + rng.choice(["", "\n", "\n\n,"])
        text += ('%s,"%s"\r\n' % (key, value)).encode()
    return text, records


class RowNumber(JobTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(14)
        self.expected = set()
        for index, name in enumerate(("late.csv", "early.csv.gz", "mid.csv")):
            text, records = make_feed(rng, 4000)
            self.write(name, gzip.compress(text) if name.endswith(".gz") else text)
            for offset, key in records:
                self.expected.add(key.encode() + struct.pack(">Q", index << FILE_SHIFT | offset))
        self.job = job_text(["late.csv", "early.csv.gz", "mid.csv"], key="k + u64(row_number())")

    def refused(self, files, *parts):
        job = self.write("refused.yaml", job_text(files, key="k + dec(row_number(), 19)"))
        for command in (["run", job, "--output", "refused"], ["preview", job], ["check", job],
                        ["splits", job, "--sample", "auto", "--regions", "2"]):
            done = self.saltmill(*command, exit=2, stdin=b"k,v\na,1\n")
            for part in parts:
                self.assertIn(part, done.err)

    def test_places_do_not_depend_on_threads_or_slices(self):
        trees = []
        for i, more in enumerate((["--threads", "1"], ["--threads", "2"], ["--threads", "7"],
                                  ["--threads", "2", "--memory", "24MiB"], ["--threads", "2"])):
            dataset, _ = self.run_job(self.job, *more, output="out%d" % i)
            trees.append(tree(self.path("out%d" % i)))
            self.assertEqual(trees[0], trees[-1])
        rows = dataset.rows()
        self.assertEqual(len(rows), 12000)
        self.assertEqual(set(rows), self.expected)

    def test_inputs_that_are_no_list_are_refused(self):
        self.write("in/a.csv", "k,v\na,1\n")
        for files in ("*.csv", "in", "-", ["mid.csv", "in/?.csv"]):
            self.refused(files, "row_number() needs a list of files")

    def test_rejects_of_an_earlier_run_are_refused(self):
        self.write("old.rejects/0000-a.csv", "k,v\na,1\n")
        self.refused("old.rejects/0000-a.csv", "run the input they come from again")

    def test_wherever_it_stands_the_list_is_needed(self):
        self.write("in/a.csv", "k,v\na,1\n")
        for named in ({"key": "k", "cells": '{"f:v": "int64be(row_number())"}'},
                      {"key": "k + n", "more_input": "let: {n: 'base36(row_number(), 13)'}"}):
            job = self.write("job.yaml", job_text("in", **named))
            done = self.saltmill("run", job, "--output", "out", exit=2)
            self.assertIn("row_number() needs a list of files", done.err)

    def test_readers_cannot_ask_for_it(self):
        self.run_job(self.job)
        done = self.saltmill("scan", "job.yaml", "--dataset", "out", "--full", "--where", "row_number() > 5", exit=2)
        self.assertIn("which a row does not tell", done.err)
        done = self.saltmill("key", "encode", "job.yaml", "k=a", exit=2)
        self.assertIn("a record that was read", done.err)
