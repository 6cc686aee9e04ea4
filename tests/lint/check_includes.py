#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may include whom, and how a file begins.

LAYERS and CONFINED are the two tables to edit. The order of the lines within a file is
clang-format's business."""

import os
import re

import lintlib

# A folder may include itself and these. Tests and benchmarks may include everything.
LAYERS = {
    "core": (),
    "ingest": ("core",),
    "partitioner": ("core",),
    "formats": ("core",),
    "job": ("core", "ingest", "partitioner", "formats"),
    "cli": ("core", "ingest", "partitioner", "formats", "job"),
}

# Third-party and thread headers: header -> the only files that may include it.
CONFINED = {
    "csv.h": ("ingest/csv_libcsv.c",),
    "immintrin.h": ("core/*.c", "core/*.h", "ingest/scan_*.h", "partitioner/bits.h"),
    "arm_neon.h": ("core/*.c", "core/*.h", "ingest/scan_*.h"),
    "json-c/*": ("formats/manifest*.c", "ingest/input_json*.c"),
    "iconv.h": ("ingest/encoding.c",),
    "lz4.h": ("formats/codec*.c",),
    "omp.h": ("core/par.c",),
    "openssl/*": ("core/hash*.c",),
    "pcre2.h": ("ingest/*.c",),
    "pthread.h": ("core/par.c",),
    "semaphore.h": ("core/par.c",),
    "snappy-c.h": ("formats/codec*.c",),
    "threads.h": (),
    "stdatomic.h": ("core/*.c", "core/*.h"),
    "xxhash.h": ("core/hash*.c",),
    "yaml.h": ("job/*.c",),
    "zlib.h": ("core/hash*.c", "formats/codec*.c", "ingest/source_gzip.c"),
    "zstd.h": ("formats/codec*.c", "ingest/source_zstd.c", "partitioner/spill*.c"),
    "zstd_errors.h": ("formats/codec*.c", "ingest/source_zstd.c", "partitioner/spill*.c"),
}

# The C library and the system; whatever is neither here nor above needs a row above.
SYSTEM = set("""
assert.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h
signal.h stdalign.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h
strings.h time.h wchar.h
dirent.h fcntl.h fnmatch.h getopt.h glob.h langinfo.h poll.h sched.h sysexits.h unistd.h
linux/fs.h sys/file.h sys/ioctl.h sys/mman.h sys/random.h sys/resource.h sys/stat.h sys/statvfs.h
sys/syscall.h sys/sysinfo.h sys/time.h sys/types.h sys/uio.h sys/utsname.h sys/vfs.h sys/wait.h
""".split())

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.M)
PRAGMA_OMP = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp\b|\b_Pragma\s*\(", re.M)
GUARD = re.compile(r"\s*#ifndef[ \t]+(\w+)\n[ \t]*#define[ \t]+(\w+)[ \t]*\n|\s*#pragma once\n")
SPDX = "SPDX-License-Identifier: Apache-2.0"


def layer_problem(root, path, target):
    own, other = path.split("/", 1)[0], target.split("/", 1)[0]
    if own == "tests" and os.path.isfile(os.path.join(root, os.path.dirname(path), target)):
        return None
    if "/" not in target or ".." in target or not os.path.isfile(os.path.join(root, target)):
        return '"%s" is no file from the root of the tree; write "folder/file.h"' % target
    if own in LAYERS and other != own and other not in LAYERS[own]:
        return '%s may not include "%s"; it may include %s' % (
            own, target, ", ".join((own,) + LAYERS[own]))
    return None


def confinement_problem(path, target):
    for header, owners in CONFINED.items():
        if lintlib.matches(target, (header,)):
            if lintlib.matches(path, owners):
                return None
            return "<%s> belongs to %s only" % (target, ", ".join(owners) or "no file")
    if target not in SYSTEM:
        return "<%s> is in no table of check_includes.py" % target
    return None


def include_findings(root, path, source):
    for match in INCLUDE.finditer(source):
        kind, target = match.groups()
        line = lintlib.line_of(source, match.start())
        if kind == '"':
            problem = layer_problem(root, path, target)
        else:
            problem = confinement_problem(path, target) if lintlib.in_module(path) else None
        if problem:
            yield path, line, problem
        if target.endswith(".c"):
            yield path, line, 'a .c file is compiled, not included: "%s"' % target


def header_guard(path):
    return "SM_" + re.sub(r"\W", "_", path).upper()


def guard_findings(path, source):
    match = GUARD.match(lintlib.bare(source))
    if not match:
        yield path, 1, "no header guard: #ifndef %s or #pragma once comes first" % header_guard(path)
    elif match.group(1) and not match.group(1) == match.group(2) == header_guard(path):
        yield path, 1, "the header guard must be %s" % header_guard(path)


def spdx_needed(path):
    """Sources, scripts and build files; test data and plain documents have none."""
    parts = path.split("/")
    if parts[0] == "tests" and len(parts) > 2 and parts[1] in ("cases", "cli", "data"):
        return False
    return path.endswith((".c", ".h", ".def", ".py", ".sh", ".cmake", ".java", ".rb")) or \
        parts[-1] in ("CMakeLists.txt", "dev", "run")


def spdx_findings(path, source):
    lines = source.split("\n", 2)
    first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    if SPDX not in first:
        yield path, 1, "the first line must hold '%s'" % SPDX


def main():
    root = lintlib.arguments(__doc__)
    findings = []
    for path in lintlib.files(root):
        if spdx_needed(path):
            findings += spdx_findings(path, lintlib.read(root, path))
        if not path.endswith((".c", ".h", ".def")):
            continue
        source = lintlib.read(root, path)
        findings += include_findings(root, path, source)
        if path.endswith(".h"):
            findings += guard_findings(path, source)
        if lintlib.in_module(path) and path != "core/par.c":
            for match in PRAGMA_OMP.finditer(source):
                findings.append((path, lintlib.line_of(source, match.start()),
                                 "OpenMP belongs to core/par.c only"))
    lintlib.report(findings)


if __name__ == "__main__":
    main()
