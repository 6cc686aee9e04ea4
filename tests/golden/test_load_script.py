# SPDX-License-Identifier: Apache-2.0
"""examples/demo/load.sh without a cluster: what it prints is what rule 30 asks for, and what it runs is what it prints.
The commands `hdfs` and `hbase` are stand-ins here that write down how they were called."""

import json
import os
import shlex
import subprocess
import unittest

from golden.harness import ROOT, JobTest

SCRIPT = os.path.join(ROOT, "examples", "demo", "load.sh")

JOB = """
input: {files: [in.csv]}
tables:
  - {name: "billing:calls", key: k, timestamp: 1000, families: {f: {}, g: {}}, cells: {"f:v": v, "g:v": v}}
  - {name: plain, key: k, splits: ["5"], timestamp: 1000, families: {f: {}}, cells: {"f:v": v}}
  - {name: never, key: k, timestamp: 1000, when: v == "y", families: {f: {}}, cells: {"f:v": v}}
"""

STAND_IN = """#!/usr/bin/env python3
import json, os, sys
name = os.path.basename(sys.argv[0])
with open(os.environ["CALLS"], "a") as file:
    file.write(json.dumps([name] + sys.argv[1:]) + "\\n")
sys.exit(1 if " ".join(sys.argv[1:]).startswith(os.environ.get("FAIL", "-never")) else 0)
"""

FLAGS = ["-Dcreate.table=no", "-Dalways.copy.files=true", "-Dhbase.loadincremental.fail.if.need.split.hfile=true"]


def commands(dataset, staging, owner=None):
    """Rule 30: under a temporary name, then renamed; owned by HBase's user; never made, moved or split; tables
    without files skipped."""
    copying = staging + ".copying"
    steps = [["-mkdir", "-p", os.path.dirname(staging)], ["-rm", "-r", "-f", "-skipTrash", copying],
             ["-put", dataset, copying], ["-chmod", "-R", "a+rX", copying]]
    if owner:
        steps.append(["-chown", "-R", owner, copying])
    steps += [["-rm", "-r", "-f", "-skipTrash", staging], ["-mv", copying, staging]]
    loads = [["hbase", "completebulkload", *FLAGS, staging + "/" + folder, table]
             for folder, table in (("billing/calls", "billing:calls"), ("plain", "plain"))]
    return [["hdfs", "dfs", *step] for step in steps] + loads


class LoadScript(JobTest):
    def setUp(self):
        super().setUp()
        for name in ("hdfs", "hbase"):
            os.chmod(self.write("bin/" + name, STAND_IN), 0o755)

    def dataset(self, output="out"):
        self.write("in.csv", "k,v\n" + "".join("%d,x\n" % i for i in range(10)))
        dataset, _ = self.run_job(JOB, output=output)
        self.assertEqual({f["table"] for f in dataset.files()}, {"billing:calls", "plain"})

    def script(self, *arguments, exit=0, **more):
        calls = self.path("calls")
        open(calls, "w").close()
        env = dict(os.environ, CALLS=calls, PATH=self.path("bin") + os.pathsep + os.environ["PATH"], **more)
        done = subprocess.run([SCRIPT, *arguments], cwd=self.folder, env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, exit, done.stderr)
        with open(calls, encoding="utf-8") as file:
            return [shlex.split(line) for line in done.stdout.splitlines()], [json.loads(line) for line in file], done

    # Rule 30.
    def test_prints_the_commands_and_runs_none(self):
        self.dataset()
        printed, ran, _ = self.script("--print", "out")
        self.assertEqual(printed, commands("out", "/tmp/saltmill/out"))
        self.assertEqual(ran, [])

    # Rule 30.
    def test_runs_what_it_prints(self):
        self.dataset()
        printed, ran, _ = self.script("out")
        self.assertEqual(ran, commands("out", "/tmp/saltmill/out"))
        self.assertEqual(printed, [])

    # Rule 30: ownership for HBase's user.
    def test_owner_and_staging_folder(self):
        self.dataset()
        want = commands("out", "/bulk/in/out", "hbase")
        self.assertEqual(self.script("--print", "--owner", "hbase", "out/", "/bulk/in")[0], want)
        self.assertEqual(self.script("--owner", "hbase", "out/", "/bulk/in")[1], want)

    def test_names_with_blanks_stay_whole(self):
        self.dataset("12 Sep")
        want = commands("12 Sep", "/tmp/saltmill/12 Sep")
        self.assertEqual(self.script("--print", "12 Sep")[0], want)
        self.assertEqual(self.script("12 Sep")[1], want)

    def test_nothing_is_loaded_after_a_failed_copy(self):
        self.dataset()
        _, ran, _ = self.script("out", exit=1, FAIL="dfs -put")
        self.assertEqual(ran, commands("out", "/tmp/saltmill/out")[:3])

    def test_stops_at_the_first_table_that_fails(self):
        self.dataset()
        _, ran, _ = self.script("out", exit=1, FAIL="completebulkload")
        self.assertEqual(ran, commands("out", "/tmp/saltmill/out")[:-1])

    def test_only_a_published_dataset(self):
        self.write("out.partial/plain/f/00", "")
        _, ran, done = self.script("out.partial", exit=1)
        self.assertIn("_manifest.json", done.stderr)
        self.assertEqual(ran, [])

    def test_usage(self):
        for arguments in ((), ("--owner",), ("--force", "out"), ("a", "b", "c")):
            _, ran, done = self.script(*arguments, exit=2)
            self.assertIn("usage: load.sh", done.stderr)
            self.assertEqual(ran, [])


if __name__ == "__main__":
    unittest.main()
