# SPDX-License-Identifier: Apache-2.0
"""The runner of the command-line cases is run on cases that must pass and cases that must not."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import run  # noqa: E402

PROGRAM = "#!/bin/bash\necho \"out $*\"\necho 'err [x] 123' >&2\nexit 3\n"
GOOD = {"cmd": '"$SALTMILL" one', "exit": "3", "stdout": "out one\n", "stderr": "err [x] 123\n"}


class Runner(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.program = os.path.join(self.folder, "program")
        self.write("program", PROGRAM)
        os.chmod(self.program, 0o755)
        patch = mock.patch.object(run, "CASES", os.path.join(self.folder, "cli"))
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, path, text):
        full = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def case(self, name, **files):
        for file, text in dict(GOOD, **files).items():
            if text is not None:
                self.write("cli/%s/%s" % (name, file.replace("_", ".")), text)

    def outcome(self, *arguments):
        output = io.StringIO()
        with mock.patch.object(sys, "argv", ["run.py", "--bin", self.program, *arguments]), \
                contextlib.redirect_stdout(output), self.assertRaises(SystemExit) as ended:
            run.main()
        return ended.exception.code, output.getvalue()

    def fails(self, text, **files):
        self.case("run/bad", **files)
        status, output = self.outcome()
        self.assertEqual(status, 1)
        self.assertIn(text, output)
        self.assertTrue(output.endswith("0 passed, 1 failed\n"), output)

    def test_exact(self):
        self.case("run/good")
        self.assertEqual(self.outcome(), (0, "1 passed, 0 failed\n"))

    def test_globs(self):
        self.case("run/good", stdout=None, stderr=None, stdout_glob="...\nout ?n*\n...\n",
                  stderr_glob="err [x] 1*3\n")
        self.assertEqual(self.outcome(), (0, "1 passed, 0 failed\n"))

    def test_brackets_are_no_wild_cards(self):
        self.fails("expected stderr", stderr=None, stderr_glob="err [xyz] 123\n")

    def test_exit_status(self):
        self.fails("exit status 3, expected 4", exit="4")

    def test_streams(self):
        self.fails("-out two", stdout="out two\n")

    def test_missing_final_newline(self):
        self.fails("stdout differs in line ends only", stdout="out one")

    def test_unexpected_stderr(self):
        self.fails("+err [x] 123", stderr=None)

    def test_files(self):
        self.fails("file gone.txt: absent", files="in.csv\ngone.txt\n", in_csv="a\n")

    def test_unwanted_file(self):
        self.fails("file in.*: there", files="!in.*\n", in_csv="a\n")

    def test_signal(self):
        self.fails("exit status 139", cmd="kill -SEGV $$")

    def test_one_name(self):
        self.case("run/good")
        self.case("run/bad", exit="4")
        self.assertEqual(self.outcome("cli/run/good")[0], 0)
        self.assertEqual(self.outcome("run")[0], 1)

    def test_accept(self):
        self.case("run/bad", exit="4", stdout="no\n")
        self.assertEqual(self.outcome("--accept")[0], 0)
        self.assertEqual(self.outcome()[0], 0)


if __name__ == "__main__":
    unittest.main()
