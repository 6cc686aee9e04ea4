# SPDX-License-Identifier: Apache-2.0
"""What the lint checks share: the list of files, C source without its comments and texts, the
allow list, and the way findings are printed. No rule lives here."""

import argparse
import fnmatch
import os
import re
import subprocess
import sys

MODULES = ("core", "ingest", "partitioner", "formats", "job", "cli")
SKIPPED_FOLDERS = {".git", "build", "__pycache__", "target"}


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), "..", ".."),
                        help="tree to look at (default: this one)")
    options = parser.parse_args()
    return os.path.abspath(options.root)


def files(root):
    """Paths of all files that belong to the tree, relative to root, sorted."""
    found = git_files(root) if os.path.exists(os.path.join(root, ".git")) else walked_files(root)
    return sorted(path for path in found if os.path.isfile(os.path.join(root, path)))


def git_files(root):
    listing = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others",
                              "--exclude-standard"], check=True, stdout=subprocess.PIPE)
    return {os.fsdecode(path) for path in listing.stdout.split(b"\0") if path}


def walked_files(root):
    found = set()
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        found.update(os.path.relpath(os.path.join(folder, name), root) for name in names)
    return found


def c_files(root, suffixes=(".c", ".h")):
    return [path for path in files(root) if path.endswith(suffixes)]


def in_module(path):
    return path.split("/", 1)[0] in MODULES and "/" in path


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


TOKENS = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*")|(?P<char>'(?:\\.|[^'\\\n])*')""",
    re.S)


def bare(source):
    """The source with comments blanked and texts emptied; line numbers stay as they are."""
    def blank(match):
        lines = "\n" * match.group().count("\n")
        if match.group("comment"):
            return " " + lines
        return ('""' if match.group("text") else "' '") + lines
    return TOKENS.sub(blank, source)


def line_of(source, offset):
    return source.count("\n", 0, offset) + 1


class Allowed:
    """tests/lint/allow.txt: `CHECK FILE NAME LIMIT REASON ...`, one exception a line.

    LIMIT caps a size at its present score and is `-` where there is nothing to count. An exception
    without a reason, or one that nothing needs any more, is a finding itself."""

    def __init__(self, root, checks):
        self.rows, self.problems = {}, []
        path = os.path.join("tests", "lint", "allow.txt")
        if not os.path.exists(os.path.join(root, path)):
            return
        for number, line in enumerate(read(root, path).splitlines(), 1):
            parts = line.split(None, 4)
            if not parts or line.startswith("#"):
                continue
            if len(parts) < 5:
                self.problems.append((path, number, "expected: CHECK FILE NAME LIMIT REASON"))
            elif parts[0] in checks:
                self.rows[tuple(parts[:3])] = [number, parts[3], False]

    def covers(self, check, path, name, score=None):
        row = self.rows.get((check, path, name))
        if row is None or (score is not None and not (row[1].isdigit() and score <= int(row[1]))):
            return False
        row[2] = True
        return True

    def findings(self):
        unused = [("tests/lint/allow.txt", number, "%s %s %s: not needed any more, remove it" % key)
                  for key, (number, _, used) in self.rows.items() if not used]
        return self.problems + sorted(unused)


def report(findings):
    """Prints `file:line: text` for each finding and ends the program: 1 if there is any."""
    for path, line, text in findings:
        print("%s:%d: %s" % (path, line, text))
    sys.exit(1 if findings else 0)
