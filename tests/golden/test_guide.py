# SPDX-License-Identifier: Apache-2.0
"""docs/guide.md, run: its jobs are accepted, its commands print what it shows, its Python gives saltmill's keys.

Blocks: `yaml NAME` and `csv NAME` are files; `yaml` alone holds pieces of a job, each from a line without indentation to
the next one; `console` holds commands behind `$ ` with what they print (stdout, then stderr; * for any text); `python`
runs. Other blocks (sh, java) need a cluster or a compiler and are not run."""

import importlib.util
import os
import re
import shutil
import subprocess

from golden.harness import ROOT, SALTMILL, JobTest

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.S | re.M)
INPUT = {
    "files": "files: [calls.csv]",
    "fields": "fields:\n  start: {type: time, format: rfc3339, min: 2020-01-01, max: 2030-01-01}\n"
              "  duration: {type: int}"}
TABLE = {
    "name": "name: cdr", "key": "key: caller + rev_ts(start)", "timestamp": "timestamp: 2021-09-12",
    "families": "families: {f: {}}", "cells": 'cells: {"f:d": int32be(duration)}'}
TABLE_KEYS = set(TABLE) | {"splits", "when", "duplicates", "queries"}
TOP_KEYS = {"output", "limits", "rule_file"}
GET_SPLITS = "Total number of splits = 3\n\n030\n\\x80\\x00\nTook 0.0201 seconds\n"


def load_runner():
    spec = importlib.util.spec_from_file_location("cli_run", os.path.join(ROOT, "tests", "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def indented(text, first):
    return first + text.replace("\n", "\n    ")


def job_with(piece):
    """A small job in which this piece stands instead of its default."""
    name = piece.split(":", 1)[0]
    parts = {"input": dict(INPUT), "table": dict(TABLE), "top": {"output": 'output: {directory: "out/${date}"}'}}
    where = "table" if name in TABLE_KEYS else "top" if name in TOP_KEYS else "input"
    parts[where][name] = piece
    table = [indented(text, "    ") for text in parts["table"].values()]
    return "\n".join(
        ["input:"] + [indented(text, "    ") for text in parts["input"].values()] +
        ["tables:", "  -" + table[0][3:]] + table[1:] + list(parts["top"].values())) + "\n"


class Guide(JobTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(ROOT, "docs", "guide.md"), encoding="utf-8") as file:
            self.blocks = BLOCK.findall(file.read())
        for kind, name, text in self.blocks:
            if name:
                self.write(name, text)

    def test_pieces_of_jobs(self):
        self.write("splits.txt", GET_SPLITS)
        pieces = [piece.rstrip() for kind, name, text in self.blocks if kind == "yaml" and not name
                  for piece in re.findall(r"^\S[^\n]*\n(?:[ ][^\n]*\n)*", text, re.M)]
        self.assertGreater(len(pieces), 20)
        for piece in pieces:
            with self.subTest(piece):
                self.write("job.yaml", job_with(piece))
                self.saltmill("run", "job.yaml", "--print-job", "--set", "date=2021-09-12")

    def test_commands_print_what_is_shown(self):
        runner = load_runner()
        environment = dict(os.environ, PATH=os.path.dirname(SALTMILL) + os.pathsep + os.environ["PATH"],
                           LC_ALL="C.UTF-8")
        commands = [part for kind, _, text in self.blocks if kind == "console"
                    for part in re.split(r"^\$ ", text, flags=re.M) if part]
        self.assertGreater(len(commands), 8)
        for part in commands:
            command, shown = part.split("\n", 1)
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment, capture_output=True,
                                  timeout=120)
            lines = done.stderr.splitlines() + done.stdout.splitlines() if "exit status" in command and \
                done.stderr else done.stdout.splitlines() + done.stderr.splitlines()
            self.assertTrue(runner.lines_match(shown.encode().splitlines(), lines), "$ %s\nshown:\n%s\nprinted:\n%s" % (
                command, shown, b"\n".join(lines).decode("utf-8", "replace")))

    def test_python_client(self):
        code = "\n".join(text for kind, _, text in self.blocks if kind == "python")
        client = {}
        exec(compile(code, "guide.md", "exec"), client)
        shown = self.saltmill("preview", "cdr.yaml", "--set", "date=2021-09-12").out
        rows = re.findall(r"caller = (\d+)\n.*?-> cdr: row (\S+) ", shown, re.S)
        self.assertGreater(len(rows), 2)
        for caller, row in rows:
            self.assertTrue(row.startswith(client["salt"](300, caller.encode()).decode() + caller), row)

    def test_java_client(self):
        jars = ["/usr/share/java/guava.jar", "/usr/share/java/failureaccess.jar"]
        if not shutil.which("javac") or not os.path.exists(jars[0]):
            self.skipTest("needs javac and Debian's libguava-java")
        code = "\n".join(text for kind, _, text in self.blocks if kind == "java")
        self.write("Key.java", code.rstrip()[:-1] + """
    public static void main(String[] a) {
        for (byte b : row(a[0], Long.parseLong(a[1]))) {
            System.out.printf("%02x", b);
        }
    }
}
""")
        path = os.pathsep.join([self.folder] + [jar for jar in jars if os.path.exists(jar)])
        subprocess.run(["javac", "-cp", path, "Key.java"], cwd=self.folder, check=True, capture_output=True)
        hexadecimal = subprocess.run(["java", "-cp", path, "Key", "13800000001", "1631419945000"], cwd=self.folder,
                                     check=True, capture_output=True, text=True).stdout
        self.assertEqual(bytes.fromhex(hexadecimal), b"03813800000001    \x7f\xff\xfe\x84'\xcb/\xd7")
