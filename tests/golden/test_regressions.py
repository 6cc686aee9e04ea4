# SPDX-License-Identifier: Apache-2.0
"""What was once wrong: outcomes that depended on threads, streams that the caller had closed, links in the place of
the output, memory taken by rejects."""

import gzip
import json
import os
import random
import shutil

from golden.harness import Dataset, JobTest, SANITIZER, job_text, tree

SPREADS = [(1, "64MiB"), (2, "16MiB"), (7, "16MiB"), (7, "64MiB")]


class SameOutcome(JobTest):
    """Exit status, messages, counts and reject files of a run that fails, for any number of threads."""

    def outcomes(self, repeats=3, **named):
        self.write("job.yaml", job_text("f*.csv*", cells='{"f:v": v}', **named))
        seen = {}
        for _ in range(repeats):
            for threads, memory in SPREADS:
                done = self.saltmill("run", "job.yaml", "--output", "out", "--threads", threads, "--memory",
                                     memory, exit=None)
                folder = self.path("out.rejects")
                rejects = tree(folder) if os.path.isdir(folder) else {}
                self.assertFalse(os.path.exists(self.path("out")))
                seen[json.dumps([done.returncode, done.out, done.err, rejects], sort_keys=True)] = done
                shutil.rmtree(folder, ignore_errors=True)
        self.assertEqual(len(seen), 1, "\n".join(seen))
        return next(iter(seen.values()))

    def files(self, bad=0.01, rows=12000):
        """Five files; gives per file the number of records and the record numbers of the bad ones."""
        source = random.Random(3)
        texts, bads = [], []
        for n in range(5):
            lines = ["bad" if source.random() < bad else "%d%05d,%d,%s" % (
                n, i, i, "z" * source.randrange(60)) for i in range(rows)]
            bads.append([i + 1 for i, line in enumerate(lines) if line == "bad"])
            texts.append("k,v,w\n" + "\n".join(lines) + "\n")
            self.write("f%d.csv" % n, texts[-1])
        return texts, bads

    def test_cut_input_after_rejects(self):
        texts, _ = self.files()
        os.remove(self.path("f1.csv"))
        packed = gzip.compress(texts[1].encode(), 1)
        self.write("f1.csv.gz", packed[:len(packed) * 2 // 3])
        done = self.outcomes(limits="{rejects: 100000}")
        self.assertEqual(done.returncode, 4)
        self.assertIn("f1.csv.gz: compressed input ends early", done.err)

    def test_limit_shortly_before_a_cut(self):
        texts, bads = self.files()
        os.remove(self.path("f1.csv"))
        packed = gzip.compress(texts[1].encode(), 1)
        self.write("f1.csv.gz", packed[:len(packed) * 2 // 3])
        last = [n for n in bads[1] if n < 12000 * 6 // 10][-1]
        limit = len(bads[0]) + bads[1].index(last)
        done = self.outcomes(limits="{rejects: %d}" % limit)
        self.assertEqual(done.returncode, 1)
        self.assertIn("f1.csv.gz: line %d (record %d," % (last + 1, last), done.err)
        self.assertIn("records: %d read = %d accepted + %d rejected + 0 filtered" % (
            12000 + last, 12000 + last - limit - 1, limit + 1), done.out)

    def test_open_quote_behind_a_limit(self):
        texts, bads = self.files()
        self.write("f3.csv", texts[3] + 'q,"open,1\n')
        limit = len(bads[0]) + len(bads[1]) // 2
        done = self.outcomes(limits="{rejects: %d}" % limit)
        self.assertEqual(done.returncode, 1)
        self.assertIn("record %d," % bads[1][limit - len(bads[0])], done.err)
        done = self.outcomes(limits="{rejects: 100000}")
        self.assertEqual(done.returncode, 4)
        self.assertIn("f3.csv: line 12002 ", done.err)

    def test_which_duplicate_is_told(self):
        source = random.Random(4)
        keys = ["%06x" % source.getrandbits(24) for _ in range(12000)]
        for n in range(4):
            self.write("f%d.csv" % n, "k,v\n" + "".join("%s,%d\n" % (
                source.choice(keys[:200]) if source.random() < 0.02 else k, i)
                for i, k in enumerate(keys[n * 3000:n * 3000 + 3000])))
        done = self.outcomes(splits='["2", "4", "6", "8", "a", "c", "e"]',
                             more_table="duplicates: {keep: error}", repeats=5)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is made twice", done.err)


class RejectMemory(JobTest):
    def test_nothing_but_rejects(self):
        """Small records that all fail take more room as rejects than they did in the input."""
        rows = 600000
        self.write("in.csv", "k,v\n" + "x\n" * rows + "ok,1\n")
        job = self.write("job.yaml", job_text("in.csv", limits="{rejects: 100%}"))
        trees = []
        for threads in (1, 7):
            # Address space, as a stand-in for memory; sanitizers take terabytes of it.
            limits = {} if SANITIZER else {"RLIMIT_DATA": (64 + 64 + 16 * threads) << 20}
            self.saltmill("run", job, "--output", "out", "--memory", "64MiB", "--threads", threads, exit=3,
                          limits=limits)
            self.account()
            trees.append(tree(self.path("out.rejects")))
            shutil.rmtree(self.path("out"))
        self.assertEqual(trees[0], trees[1])
        with open(self.path("out.rejects", "0000-in.csv"), "rb") as file:
            self.assertEqual(file.read(), b"k,v\n" + b"x\n" * rows)


class ClosedStreams(JobTest):
    def setUp(self):
        super().setUp()
        self.write("in.csv", "k,v\na,1\nbad\n")
        self.job = self.write("job.yaml", job_text("in.csv", limits="{rejects: 5}"))

    def closed(self, redirections, *options, exit):
        return self.saltmill("run", self.job, "--output", "out", *options, exit=exit,
                             prefix=["sh", "-c", 'exec "$0" "$@" ' + redirections])

    def test_closed_input_is_no_empty_input(self):
        done = self.closed("<&-", "--input", "-", exit=4)
        self.assertIn("standard input", done.err)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_reports_never_reach_a_file(self):
        self.closed(">&- 2>&- <&-", exit=3)
        self.saltmill("verify", "out")
        self.assertEqual(Dataset(self.path("out")).rows(), [b"a"])
        self.assertEqual(self.rejects()[0]["line"], 3)


class Output(JobTest):
    def test_a_link_is_refused_at_once(self):
        self.write("in.csv", "k,v\na,1\n")
        job = self.write("job.yaml", job_text("in.csv"))
        os.mkdir(self.path("real"))
        for target in ("real", "nothing"):
            os.symlink(target, self.path("link"))
            done = self.saltmill("run", job, "--output", "link", exit=6)
            self.assertIn("link: is a symbolic link", done.err)
            self.assertEqual(os.readlink(self.path("link")), target)
            self.assertFalse(os.path.exists(self.path("link.partial")))
            os.remove(self.path("link"))

    def test_a_name_that_is_too_long(self):
        self.write("in.csv", "k,v\na,1\n")
        job = self.write("job.yaml", job_text("in.csv"))
        self.saltmill("run", job, "--output", "x" * 300, exit=5)

    def test_a_quiet_failure_says_only_why(self):
        self.write("in.csv", "k,v\nbad\n")
        job = self.write("job.yaml", job_text("in.csv"))
        done = self.saltmill("run", job, "--output", "out", "--quiet", exit=1)
        self.assertEqual(done.out, "")
        self.assertIn("see out.rejects/0000-in.csv.jsonl", done.err)


class JobFiles(JobTest):
    def test_a_key_with_a_nul(self):
        self.write("in.csv", "k,v\na,1\n")
        job = self.write("job.yaml", job_text("in.csv", cells='{"f:v\\0x": v}'))
        done = self.saltmill("run", job, "--output", "out", exit=2)
        self.assertIn("a key holds a NUL byte", done.err)

    def test_bytes_that_are_no_text_have_a_place(self):
        job = self.write("job.yaml", b"input: {files: [a\xff]}\n")
        done = self.saltmill("run", job, "--output", "out", exit=2)
        self.assertIn("byte offset 17: not valid YAML", done.err)

    def test_very_many_keys_are_refused_soon(self):
        job = self.write("job.yaml", "".join("k%d: 1\n" % i for i in range(300000)))
        done = self.saltmill("run", job, "--output", "out", exit=2)
        self.assertIn("more than 10000 keys in one map", done.err)
