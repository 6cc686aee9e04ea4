#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the unittest cases of every test_*.py below the given folders (or of the given files).

usage: run_python.py [--bin PATH] [-k TEXT] FOLDER|FILE...

The program under test is in the environment as SALTMILL, the root of the tree as SALTMILL_ROOT, and
both `tests/` and the file's own folder can be imported from. Ends with "N passed, N failed[, N
skipped]"; a file that cannot be imported is a failure."""

import argparse
import os
import sys
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Result(unittest.TextTestResult):
    """Counts what passed and tells what each test took, so that slow ones are seen."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.passed = 0
        self.bad = set()

    def startTest(self, test):
        self.started = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        self.passed += 1
        super().addSuccess(test)

    def addFailure(self, test, err):
        self.bad.add(test.id())
        super().addFailure(test, err)

    def addError(self, test, err):
        self.bad.add(test.id())
        super().addError(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.bad.add(test.id())
        super().addSubTest(test, subtest, err)

    def addUnexpectedSuccess(self, test):
        self.bad.add(test.id())
        super().addUnexpectedSuccess(test)

    def addExpectedFailure(self, test, err):
        self.passed += 1
        super().addExpectedFailure(test, err)

    def stopTest(self, test):
        seconds = time.monotonic() - self.started
        if seconds > 5:
            print("%6.1f s  %s" % (seconds, test.id()), flush=True)
        super().stopTest(test)


def test_files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                if name.startswith("test_") and name.endswith(".py"):
                    yield os.path.join(folder, name)


def load(loader, path):
    folder, name = os.path.split(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return loader.loadTestsFromName(name[:-len(".py")])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "dev", "saltmill"))
    parser.add_argument("-k", action="append", help="only tests whose name holds this text")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()

    os.environ["SALTMILL"] = os.path.abspath(options.bin)
    os.environ["SALTMILL_ROOT"] = ROOT
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.path.insert(0, os.path.join(ROOT, "tests"))
    loader = unittest.TestLoader()
    if options.k:
        loader.testNamePatterns = ["*%s*" % text for text in options.k]
    suite = unittest.TestSuite(load(loader, path) for path in test_files(options.paths))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Result).run(suite)
    # An error of setUpModule or setUpClass has an id of its own and counts once.
    counts = "%d passed, %d failed" % (result.passed, len(result.bad))
    print(counts + (", %d skipped" % len(result.skipped) if result.skipped else ""))
    sys.exit(1 if result.bad else 0)


if __name__ == "__main__":
    main()
