#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables that the program is made from, against documents and tests: every key function has its line in
docs/functions.md and a unit test that calls it, every command and option its line in docs/options.md, every reason for
rejects its line in docs/rejects.md and a test that meets it, every error a test that meets it."""

import os
import re
import sys

import lintlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))

import make_reference  # noqa: E402

FUNCTIONS, OPTIONS, COMMANDS = "partitioner/key_functions.def", "cli/options.def", "cli/commands.def"
ERRORS, REJECTS = "core/errors.def", "core/rejects.def"

# Errors that no test can provoke, and why.
UNTESTABLE = {
    "INTERNAL": "stands for a defect; a test that provokes it would be the report of one",
}
# Errors that show as a whole only on the command line: the case that provokes each.
CASES = {
    "FINDINGS": "tests/cli/check/duplicates",
    "VERIFY": "tests/cli/verify/flipped-byte",
    "KEY": "tests/cli/key/decode-misfit",
    "DIFFERENT": "tests/cli/splits/compare",
    "INPUT_PATH": "tests/cli/run/input-path-without-fields",
    "INPUT_TRAILER": "tests/cli/run/input-trailer-count",
}
# Reasons kept for what is not there yet; none may be given by the program.
RESERVED = {}


def tests_text(root, folders, skipped=()):
    texts = [lintlib.read(root, path) for path in lintlib.files(root)
             if path.startswith(folders) and not path.startswith(skipped)]
    return "\n".join(texts)


def function_findings(root):
    page = lintlib.read(root, "docs/functions.md")
    units = tests_text(root, ("tests/unit/", "tests/vectors/key_"))
    for row in make_reference.rows(root, FUNCTIONS, "SM_KEYFN"):
        name, bare = row[0], row[5] == "bare"
        if not re.search(r"^\| `%s[(`]" % name, page, re.M):
            yield FUNCTIONS, 1, "%s has no line in docs/functions.md" % name
        if not re.search(r"\b%s\b" % name if bare else r"\b%s\(" % name, units):
            yield FUNCTIONS, 1, "%s is called by no test in tests/unit and no vector in tests/vectors" % name


def option_findings(root):
    page = lintlib.read(root, "docs/options.md")
    cli = tests_text(root, ("tests/cli/", "tests/golden/", "tests/hbase/"))
    for row in make_reference.rows(root, COMMANDS, "SM_COMMAND"):
        if "## saltmill %s " % row[1] not in page:
            yield COMMANDS, 1, "%s has no part in docs/options.md" % row[1]
        if not os.path.isdir(os.path.join(root, "tests", "cli", row[1])):
            yield COMMANDS, 1, "%s has no case in tests/cli/%s" % (row[1], row[1])
    for row in make_reference.rows(root, OPTIONS, "SM_OPTION"):
        if not re.search(r"^\| `--%s[ `]" % re.escape(row[1]), page, re.M):
            yield OPTIONS, 1, "--%s has no line in docs/options.md" % row[1]
        if not re.search(r"--%s\b" % re.escape(row[1]), cli):
            yield OPTIONS, 1, "--%s is given by no test" % row[1]


def reject_findings(root):
    page = lintlib.read(root, "docs/rejects.md")
    tests = tests_text(root, ("tests/",), ("tests/lint/",))
    sources = "\n".join(lintlib.read(root, path) for path in lintlib.c_files(root, (".c",))
                        if lintlib.in_module(path))
    names = set()
    for name, code, _ in make_reference.rows(root, REJECTS, "SM_REJECT"):
        names.add(name)
        if name == "NONE":
            continue
        given = re.search(r"\bSM_REJECT_%s\b" % name, sources) is not None
        if given == (name in RESERVED):
            yield REJECTS, 1, "%s is %s" % (code, "given, but stands in RESERVED of check_tables.py" if given else
                                            "given by no source; remove it")
        if "| `%s` |" % code not in page:
            yield REJECTS, 1, "%s has no line in docs/rejects.md" % code
        if given and not re.search(r"\bSM_REJECT_%s\b|\b%s\b" % (name, re.escape(code)), tests):
            yield REJECTS, 1, "%s is met by no test" % code
    for name in sorted(set(RESERVED) - names):
        yield "tests/lint/check_tables.py", 1, "RESERVED: there is no reason %s" % name


def error_findings(root):
    tests = tests_text(root, ("tests/",), ("tests/lint/",))
    names = set()
    for row in make_reference.rows(root, ERRORS, "SM_ERROR"):
        names.add(row[0])
        met = re.search(r"\bSM_E_%s\b" % row[0], tests) is not None or \
            os.path.isdir(os.path.join(root, CASES.get(row[0], "-")))
        if row[0] != "OK" and not met and row[0] not in UNTESTABLE:
            yield ERRORS, 1, "SM_E_%s is met by no test" % row[0]
    for name in sorted((set(UNTESTABLE) | set(CASES)) - names):
        yield "tests/lint/check_tables.py", 1, "there is no error %s" % name


def main():
    root = lintlib.arguments(__doc__)
    findings = []
    for find in (function_findings, option_findings, reject_findings, error_findings):
        findings += find(root)
    lintlib.report(findings)


if __name__ == "__main__":
    main()
