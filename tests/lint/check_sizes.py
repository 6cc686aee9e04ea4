#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes of functions and files, measured with lizard (lines without comments, McCabe).

A hot loop may be longer: one line in allow.txt caps it at its present score and says why."""

import os

import lizard

import lintlib

FUNCTION_LINES = 60
COMPLEXITY = 15
PARAMETERS = 6
FILE_LINES = 600


def function_findings(path, function, allowed):
    scores = (
        ("lines", function.nloc, FUNCTION_LINES, "lines"),
        ("complexity", function.cyclomatic_complexity, COMPLEXITY, "branches (complexity)"),
        ("parameters", len(function.parameters), PARAMETERS, "parameters"),
    )
    for check, score, limit, unit in scores:
        if score > limit and not allowed.covers(check, path, function.name, score):
            yield path, function.start_line, "%s has %d %s, at most %d" % (
                function.name, score, unit, limit)


def main():
    root = lintlib.arguments(__doc__)
    allowed = lintlib.Allowed(root, ("lines", "complexity", "parameters", "file"))
    findings = []
    for path in lintlib.c_files(root):
        source = lintlib.read(root, path)
        length = source.count("\n")
        if length > FILE_LINES and not allowed.covers("file", path, "-", length):
            findings.append((path, length, "%d lines, at most %d" % (length, FILE_LINES)))
        analysis = lizard.analyze_file.analyze_source_code(os.path.join(root, path), source)
        for function in analysis.function_list:
            findings += function_findings(path, function, allowed)
    lintlib.report(findings + allowed.findings())


if __name__ == "__main__":
    main()
