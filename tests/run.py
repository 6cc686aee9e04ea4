#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of the command line: folders tests/cli/COMMAND/CASE/.

usage: run.py [NAME...] [--accept] [--keep] [--bin PATH] [--jobs N]

A case is a folder with a file `cmd`, a bash script. It runs in an empty scratch folder that holds a
copy of the case's other files; the program is "$SALTMILL". Beside it stand what is expected:

  exit                the exit status of the script (default 0)
  stdout, stderr      the exact bytes (default: nothing)
  stdout.glob, ...    instead: the same, line by line, where * and ? stand for any text or character,
                      and a line `...` for any number of lines
  files               one line for each file that must be there afterwards, `PATH` or `!PATH` for one
                      that must not; `*` and `?` as above

NAME is a case (`run/bad-quote`), a command (`run`) or a path to either. --accept writes what was
seen as the new expectation (exact texts only; globs are left alone). --keep leaves the scratch
folders and prints where they are. Ends with "N passed, N failed"."""

import argparse
import concurrent.futures
import difflib
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASES = os.path.join(ROOT, "tests", "cli")
EXPECTED = ("cmd", "exit", "stdout", "stderr", "stdout.glob", "stderr.glob", "files")
SECONDS = 120


def read(path, default=b""):
    if not os.path.exists(path):
        return default
    with open(path, "rb") as file:
        return file.read()


def find_cases(names):
    cases = []
    for folder, folders, files in os.walk(CASES):
        folders.sort()
        if "cmd" in files:
            cases.append(os.path.relpath(folder, CASES))
            folders[:] = []
    if not names:
        return cases
    chosen = []
    for name in names:
        name = re.sub(r"^(\./)?(tests/)?cli/", "", os.path.normpath(name))
        hits = [case for case in cases if case == name or case.startswith(name + "/")]
        if not hits:
            sys.exit("run.py: no case '%s' in tests/cli" % name)
        chosen += [case for case in hits if case not in chosen]
    return chosen


def glob_line(pattern):
    """* and ? are the only wild cards: brackets stand for themselves, as in our messages."""
    parts = {"*": b".*", "?": b"."}
    text = pattern.decode("latin-1")
    return re.compile(b"".join(parts.get(c) or re.escape(c.encode("latin-1")) for c in text), re.S)


def lines_match(patterns, lines):
    """Like fnmatch on whole lines; the pattern `...` takes any number of them."""
    if not patterns:
        return not lines
    if patterns[0] == b"...":
        return any(lines_match(patterns[1:], lines[skip:]) for skip in range(len(lines) + 1))
    return bool(lines) and glob_line(patterns[0]).fullmatch(lines[0]) is not None and \
        lines_match(patterns[1:], lines[1:])


def diff(name, expected, seen):
    texts = [data.decode("utf-8", "backslashreplace").splitlines() for data in (expected, seen)]
    lines = difflib.unified_diff(*texts, "expected " + name, "seen " + name, lineterm="")
    return "\n".join("    " + line for line in lines) or \
        "    %s differs in line ends only: %r, seen %r" % (name, expected[-40:], seen[-40:])


def stream_problem(folder, name, seen):
    pattern_file = os.path.join(folder, name + ".glob")
    if os.path.exists(pattern_file):
        patterns = read(pattern_file)
        if lines_match(patterns.splitlines(), seen.splitlines()):
            return None
        return diff(name, patterns, seen)
    expected = read(os.path.join(folder, name))
    return None if seen == expected else diff(name, expected, seen)


def files_problem(folder, scratch):
    found = []
    for place, _, names in os.walk(scratch):
        found += [os.path.relpath(os.path.join(place, name), scratch) for name in names]
    problems = []
    for line in read(os.path.join(folder, "files")).decode().splitlines():
        absent, pattern = line.startswith("!"), line.lstrip("!").strip()
        hits = fnmatch.filter(found, pattern)
        if pattern and bool(hits) == absent:
            problems.append("    file %s: %s" % (pattern, "there: " + hits[0] if absent else "absent"))
    return "\n".join(problems) or None


def run_script(folder, scratch, binary):
    """(exit status, stdout, stderr); a signal shows as 128 + its number, as a shell says it."""
    environment = dict(os.environ, SALTMILL=binary, LC_ALL="C.UTF-8", TZ="UTC")
    try:
        run = subprocess.run(["bash", os.path.join(folder, "cmd")], cwd=scratch, env=environment,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=SECONDS)
    except subprocess.TimeoutExpired as expired:
        return 124, expired.stdout or b"", (expired.stderr or b"") + b"\n(ran out of time)\n"
    return run.returncode if run.returncode >= 0 else 128 - run.returncode, run.stdout, run.stderr


def accept(folder, status, streams):
    with open(os.path.join(folder, "exit"), "w", encoding="ascii") as file:
        file.write("%d\n" % status)
    for name, seen in streams.items():
        path = os.path.join(folder, name)
        if os.path.exists(path + ".glob"):
            continue
        if seen:
            with open(path, "wb") as file:
                file.write(seen)
        elif os.path.exists(path):
            os.remove(path)


def run_case(case, options):
    """The case's problems as text, empty when it passed."""
    folder = os.path.join(CASES, case)
    scratch = tempfile.mkdtemp(prefix="saltmill-cli-")
    try:
        for name in os.listdir(folder):
            if name not in EXPECTED:
                source, target = os.path.join(folder, name), os.path.join(scratch, name)
                (shutil.copytree if os.path.isdir(source) else shutil.copy2)(source, target)
        status, stdout, stderr = run_script(folder, scratch, options.bin)
        streams = {"stdout": stdout, "stderr": stderr}
        if options.accept:
            accept(folder, status, streams)
        wanted = int(read(os.path.join(folder, "exit"), b"0"))
        problems = [None if status == wanted else "    exit status %d, expected %d" % (status, wanted)]
        problems += [stream_problem(folder, name, seen) for name, seen in streams.items()]
        problems.append(files_problem(folder, scratch))
        return "\n".join(problem for problem in problems if problem) + \
            ("\n    scratch folder: %s" % scratch if options.keep else "")
    finally:
        if not options.keep:
            subprocess.run(["chmod", "-R", "u+rwX", scratch], check=False)
            shutil.rmtree(scratch, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2][len("usage: "):])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "dev", "saltmill"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    if not os.access(options.bin, os.X_OK):
        sys.exit("run.py: no program at %s; build it first (./dev build, ./dev test cli)" % options.bin)

    cases = find_cases(options.names)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, text in zip(cases, pool.map(lambda case: run_case(case, options), cases)):
            bad = bool(text) and not text.startswith("\n    scratch")
            failed += bad
            if bad:
                print("FAILED cli/%s\n%s" % (case, text))
            elif options.keep:
                print("passed cli/%s%s" % (case, text))
    print("%d passed, %d failed" % (len(cases) - failed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
