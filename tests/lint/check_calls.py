#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls that only one file may make, globals, and words that must not stand in the tree.

OWNED is the table to edit: names, the files that may call them, what to use instead."""

import re

import lintlib

OWNED = (
    ("malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf posix_memalign "
     "aligned_alloc getline getdelim open_memstream",
     ("core/mem.c",), "core/mem.h, an arena or sm_buf"),
    ("mmap munmap madvise", ("core/fs*.c", "core/mem.c"), "core/fs.h or sm_pages_get"),
    ("open openat creat read write pread pwrite readv writev fsync fdatasync syncfs close lseek "
     "ftruncate rename renameat renameat2 unlink unlinkat rmdir remove mkdir mkdirat mkdtemp "
     "mkstemp link symlink flock fopen fdopen freopen fread fclose fflush opendir readdir glob "
     "stat fstat lstat access tmpfile",
     ("core/fs*.c",), "core/fs.h"),
    ("printf puts putchar fputs fputc putc fwrite fprintf vprintf vfprintf dprintf perror",
     ("core/log.c", "cli/*.c", "core/fs*.c"), "the log or a sm_buf"),
    ("fork vfork execv execve execvp system popen", (), "nothing: no child processes"),
    ("strtol strtoll strtoul strtoull strtod strtof strtold atoi atol atoll atof sscanf scanf "
     "fscanf strptime",
     (), "core/number.h or core/time.h"),
    ("sprintf vsprintf strcpy stpcpy strcat strncpy strncat strtok strtok_r gets alloca",
     (), "snprintf, memcpy or sm_buf"),
    ("gmtime gmtime_r localtime localtime_r mktime timegm strftime asctime ctime tzset time "
     "gettimeofday setlocale",
     (), "core/time.h; results never depend on the clock, the zone or the locale of the machine"),
    ("clock_gettime", ("core/*.c",), "the helpers of core"),
    ("getenv setenv putenv secure_getenv", ("cli/main.c",),
     "an option or the job file: nothing comes from the environment"),
    ("rand srand random srandom drand48 rand_r getrandom", (), "a seed and the record's identity"),
    ("exit _exit quick_exit _Exit atexit abort raise", ("cli/main.c",), "a status"),
    ("signal sigaction sigprocmask pthread_sigmask", ("cli/*.c", "core/stop.c"), "core/stop.h"),
    ("assert", (), "a status; input never meets an assert"),
    ("setjmp longjmp", (), "a status"),
)
# Whole families of names.
OWNED_PREFIXES = (
    ("pthread_", ("core/par.c",), "core/par.h"),
    ("omp_", ("core/par.c",), "core/par.h"),
    ("thrd_", (), "core/par.h"),
    ("mtx_", (), "core/par.h"),
)

# Written in two halves, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(%s)\b" % "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")))
MACHINE_PATH = re.compile(r"(^|[^A-Za-z0-9_.])/(work|root|home)/[A-Za-z.]")
REGISTRY_HOST = re.compile(
    r"repo1?\.maven\.(apache\.)?org|pypi\.org|files\.pythonhosted|deb\.debian\.org"
    r"|registry\.npmjs|proxy\.golang\.org|static\.crates\.io")

CALL = re.compile(r"(?<![\w.>])(?P<name>[A-Za-z_]\w*)\s*\(")
OWNERS = {name: (owners, instead) for names, owners, instead in OWNED for name in names.split()}


def owner_of(name):
    for prefix, owners, instead in OWNED_PREFIXES:
        if name.startswith(prefix):
            return owners, instead
    return OWNERS.get(name)


def without_directives(source):
    """Preprocessor lines blanked, their continuation lines too."""
    blank = lambda match: "\n" * match.group().count("\n")
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", blank, source, flags=re.M)


def call_findings(path, code, allowed):
    for match in CALL.finditer(code):
        name = match.group("name")
        owner = owner_of(name)
        if owner is None or lintlib.matches(path, owner[0]) or allowed.covers("call", path, name):
            continue
        yield path, lintlib.line_of(code, match.start()), "%s() belongs to %s; use %s" % (
            name, ", ".join(owner[0]) or "no file", owner[1])


def statements(code):
    """(offset, text, outermost) for each statement or head of a block.

    Initialisers are swallowed: `x = {...};` is one statement. The bodies of struct, union and
    enum are left out, since their members are no objects."""
    depth, start, skip, offset = 0, 0, [], 0
    while offset < len(code):
        char = code[offset]
        if char == "{":
            head = code[start:offset]
            if re.search(r"=\s*$|=\s*\([^()]*\)\s*$", head):
                offset = closing(code, offset)
                continue
            skip.append(bool(re.search(r"\b(struct|union|enum)\b[^()]*$", head)))
            if not any(skip):
                yield start, head, depth == 0
            depth, start = depth + 1, offset + 1
        elif char == "}":
            depth = max(depth - 1, 0)
            skip = skip[:-1]
            start = offset + 1
        elif char == ";":
            if not any(skip):
                yield start, code[start:offset], depth == 0
            start = offset + 1
        offset += 1


def closing(code, offset):
    depth = 0
    for index in range(offset, len(code)):
        depth += {"{": 1, "}": -1}.get(code[index], 0)
        if depth == 0:
            return index + 1
    return len(code)


def mutable_object(text, outermost):
    """The name of the object that this statement defines with static storage, if not const."""
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", text, flags=re.S)
    head = text.split("=", 1)[0].strip()
    words = set(re.findall(r"[A-Za-z_]\w*", head))
    if not words or words & {"typedef", "extern", "return", "goto", "_Static_assert", "case"}:
        return None
    if not outermost and not words & {"static", "_Thread_local", "__thread"}:
        return None
    pointer = re.search(r"\(\s*\*\s*(const\s+)?(\w+)\s*(\[[^\]]*\]\s*)*\)\s*\(", head)
    if pointer and "(" not in head[:pointer.start()]:
        return None if pointer.group(1) else pointer.group(2)
    if "(" in re.sub(r"\[[^\]]*\]", "", head):
        return None
    declared = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$", head)
    if not declared or len(words) < 2 or re.match(r"^(struct|union|enum)\s+\w+$", head):
        return None
    last_part = head[:declared.start()].rsplit("*", 1)[-1] if "*" in head else head
    return None if re.search(r"\bconst\b", last_part) else declared.group(1)


def global_findings(path, code, allowed):
    for offset, text, outermost in statements(code):
        name = mutable_object(text, outermost)
        if name and not allowed.covers("global", path, name):
            line = lintlib.line_of(code, offset + len(text) - len(text.lstrip()))
            yield path, line, "%s lives as long as the process and is not const" % name


def word_findings(path, source):
    for number, line in enumerate(source.split("\n"), 1):
        for pattern, text in ((UNFINISHED, "finish it or leave it out: %s"),
                              (MACHINE_PATH, "a path of one machine: %s"),
                              (REGISTRY_HOST, "a registry's host: %s")):
            match = pattern.search(line)
            if match:
                yield path, number, text % match.group().strip()


def main():
    root = lintlib.arguments(__doc__)
    allowed = lintlib.Allowed(root, ("call", "global"))
    findings = []
    for path in lintlib.files(root):
        source = lintlib.read(root, path)
        if "\0" in source:
            continue
        findings += word_findings(path, source)
        if path.endswith((".c", ".h")) and lintlib.in_module(path):
            code = without_directives(lintlib.bare(source))
            findings += call_findings(path, code, allowed)
            findings += global_findings(path, code, allowed)
    lintlib.report(findings + allowed.findings())


if __name__ == "__main__":
    main()
