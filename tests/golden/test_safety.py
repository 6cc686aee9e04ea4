# SPDX-License-Identifier: Apache-2.0
"""All or nothing: every allocation, open, read, write, fsync and rename made to fail in turn, kills at any instant,
a full disk, signals, another run on the same output. After each, the old state is untouched, the exit status is the
right one, and a rerun just works."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from golden.harness import JobTest, SALTMILL, SANITIZER, job_text, tree

ENOSPC = 28


class Faults(JobTest):
    """Needs a build with failure injection (SM_FAULTS), as the dev and sanitizer builds are."""

    def setUp(self):
        super().setUp()
        source = random.Random(5)
        self.write("in.csv", "k,v,w\n" + "".join("%08x,%d,%s\n" % (
            source.getrandbits(32), i, "y" * source.randrange(30)) for i in range(3000)) + "bad\n")
        self.job = self.write("job.yaml", job_text(
            "in.csv", key="salt(8, k) + k", splits="{salt: 8, regions: 3}", limits="{rejects: 5}",
            families="{f: {compression: GZ}, g: {}}", cells='{"f:v": v, "g:w": w}'))

    def run_with(self, plan, *options, output="out"):
        return self.saltmill("run", self.job, "--output", output, "--threads", 1, *options, exit=None,
                             env={"SALTMILL_FAULT": plan} if plan else {})

    def sweep(self, kind, allowed, *options, number="", points=60):
        """The n-th call fails, for n = 1 ... until it no longer happens; sampled when there are many."""
        good = self.run_with(None, *options)
        self.assertEqual(good.returncode, 3, good.err)
        want = tree(self.path("out"))
        shutil.rmtree(self.path("out"))
        shutil.rmtree(self.path("out.rejects"))
        n, hits, step, survived = 1, 0, 1, 0
        # A call whose failure is survived (a smaller buffer will do) is not yet the last one of its kind.
        while survived < 12:
            done = self.run_with("%s:%d%s" % (kind, n, number), *options)
            if done.returncode == 3:
                survived += 1
            else:
                hits, survived = hits + 1, 0
                self.assertIn(done.returncode, allowed, "%s:%d: %s" % (kind, n, done.err))
                self.assertTrue(done.err.strip(), "%s:%d: no message" % (kind, n))
            # A failure of the fsync of the parent directory comes after the rename: then all of it is there.
            if os.path.exists(self.path("out")):
                self.assertEqual(tree(self.path("out")), want)
                shutil.rmtree(self.path("out"))
            shutil.rmtree(self.path("out.rejects"), ignore_errors=True)
            n += step
            step = 1 + hits // (points // 3)
        self.assertGreater(hits, 0, "no %s failed: is this build without failure injection?" % kind)
        self.assertEqual(self.run_with(None, *options).returncode, 3)
        self.assertEqual(tree(self.path("out")), want)
        self.assertFalse(os.path.exists(self.path("out.partial")))
        return hits

    def test_memory(self):
        self.sweep("memory", {2, 5}, points=30 if SANITIZER else 90)

    def test_open(self):
        self.sweep("open", {2, 4, 5})

    def test_read(self):
        self.sweep("read", {2, 4})

    def test_write(self):
        self.sweep("write", {5})

    def test_disk_full(self):
        self.sweep("write", {5}, number=":%d" % ENOSPC)

    def test_sync(self):
        self.sweep("sync", {5})

    def test_rename(self):
        self.sweep("rename", {5})

    def test_spilling_writes(self):
        self.sweep("write", {5}, "--memory", "4MiB")


class Kills(JobTest):
    def setUp(self):
        super().setUp()
        source = random.Random(6)
        rows = 20000 if SANITIZER else 150000
        self.write("in.csv", "k,v\n" + "".join("%08x,%d\n" % (source.getrandbits(32), i) for i in range(rows)))
        self.job = self.write("job.yaml", job_text("in.csv", key="salt(8, k) + k", splits="{salt: 8, regions: 4}",
                                                   families="{f: {compression: GZ}}"))

    def start(self, *options):
        return subprocess.Popen([SALTMILL, "run", self.job, "--output", "out", *options], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_killed_at_any_instant(self):
        begin = time.monotonic()
        self.saltmill("run", self.job, "--output", "whole")
        whole = time.monotonic() - begin
        want = tree(self.path("whole"))
        source = random.Random(7)
        for _ in range(6 if SANITIZER else 15):
            process = self.start()
            time.sleep(source.random() * whole)
            process.kill()
            process.communicate()
            if os.path.exists(self.path("out")):
                self.assertEqual(tree(self.path("out")), want)
        done = self.saltmill("run", self.job, "--output", "out")
        self.assertEqual(tree(self.path("out")), want)
        self.assertFalse(os.path.exists(self.path("out.partial")), done.err)

    def test_work_of_a_dead_run_is_removed_and_said(self):
        os.makedirs(self.path("out.partial", "data", "t"))
        self.write("out.partial/lock", "")
        self.write("out.partial/data/t/left", "over")
        done = self.saltmill("run", self.job, "--output", "out")
        self.assertIn("a run that died", done.err)

    def test_signals_stop_cleanly(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start()
            time.sleep(0.05)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            if process.returncode == 0:
                self.skipTest("the run was over before the signal came")
            self.assertEqual(process.returncode, status, err)
            self.assertFalse(os.path.exists(self.path("out")))
            self.assertFalse(os.path.exists(self.path("out.partial")))

    def test_two_runs_on_one_output(self):
        os.mkdir(self.path("out.partial"))
        holder = subprocess.Popen(["flock", self.path("out.partial", "lock"), "sleep", "30"])
        try:
            time.sleep(0.3)
            done = self.saltmill("run", self.job, "--output", "out", exit=6)
            self.assertIn("another run", done.err)
        finally:
            holder.kill()
            holder.wait()

    def test_foreign_work_directory(self):
        self.write("out.partial/letter.txt", "precious")
        self.saltmill("run", self.job, "--output", "out", exit=6)
        self.assertEqual(os.listdir(self.path("out.partial")), ["letter.txt"])

    @unittest.skipIf(os.geteuid() != 0, "mounting a small file system needs root")
    def test_a_disk_that_is_really_full(self):
        os.mkdir(self.path("small"))
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120k", "tmpfs", self.path("small")],
                          capture_output=True).returncode != 0:
            self.skipTest("no file system can be mounted here")
        try:
            done = self.saltmill("run", self.job, "--output", "small/out", exit=5)
            self.assertIn("No space left", done.err)
            self.assertEqual(os.listdir(self.path("small")), [])
        finally:
            subprocess.run(["umount", self.path("small")], check=True)


class Memory(JobTest):
    @unittest.skipIf(SANITIZER, "sanitizers have memory of their own")
    def test_peak_memory_stays_within_the_budget(self):
        source = random.Random(8)
        self.write("in.csv", "k,v\n" + "".join("%08x,%s\n" % (source.getrandbits(32), "z" * 100)
                                              for _ in range(600000)))
        job = self.write("job.yaml", job_text("in.csv", families="{f: {compression: LZ4}}"))
        for budget in (16, 48):
            command = [SALTMILL, "run", job, "--output", "out%d" % budget, "--memory", "%dMiB" % budget,
                       "--threads", "2"]
            # A small process in between: a child starts with the peak of whoever forked it.
            script = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, "
                      "stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            done = subprocess.run([sys.executable, "-S", "-c", script, *command], cwd=self.folder, check=True,
                                  capture_output=True)
            self.assertLessEqual(int(done.stdout), (budget + 64) * 1024, "peak KiB under %d MiB" % budget)
        self.assertEqual(tree(self.path("out16")), tree(self.path("out48")))


if __name__ == "__main__":
    sys.exit("run through tests/run_python.py")
