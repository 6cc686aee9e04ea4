#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that every rule of the lint bites: each sample tree below breaks one rule, and the check
named beside it must say so. A clean tree must pass all checks."""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
C = "/* SPDX-License-Identifier: Apache-2.0 */\n"
GOOD_HEADER = C + "#ifndef SM_CORE_A_H\n#define SM_CORE_A_H\nint sm_a(int x);\n#endif\n"
GOOD_SOURCE = C + """#include "core/a.h"

#include <string.h>

/* free( and malloc( in a comment are no calls */
static const char *const names[] = {"malloc(1)", "b"};
static int (*const table[])(int) = {sm_a};

typedef struct pair {
    int left, right;
    void (*free)(struct pair *p);
} pair;

int sm_a(int x)
{
    pair p = {.left = x};
    const size_t n = strlen(names[0]);
    for (int i = 0; i < 2; i++) {
        x += (int)n + table[0](p.left);
    }
    p.free(&p);
    return x;
}
"""
LONG_BODY = "    x++;\n" * 61
BRANCHES = "    if (x) { x++; }\n" * 15
OVER = "int sm_x(int x)\n{\n%s    return x;\n}\n"

# The tables that the program is made from, one row each, with their pages and tests.
TABLES = {
    "partitioner/key_functions.def": 'SM_KEYFN(hex, text, f, SAME, EXACT, "x text", "digits")\n',
    "cli/commands.def": 'SM_COMMAND(run, "run", "JOB", "runs")\n',
    "cli/options.def": 'SM_OPTION(set, "set", "N=V", "run", "fills")\n',
    "core/errors.def": 'SM_ERROR(OK, 0, 0, "fine")\nSM_ERROR(DISK, 1, 5, "full")\n',
    "core/rejects.def": 'SM_REJECT(NONE, "none", "fine")\n' + "".join(
        'SM_REJECT(%s, "%s", "later")\n' % (name, name) for name in
        ("NOT_HEX", "NOT_DIGITS", "NO_MATCH", "QUALIFIER_SIZE")) +
    'SM_REJECT(EMPTY, "empty", "nothing")\n',
    "core/a.c": GOOD_SOURCE + "int sm_b(void)\n{\n    return SM_REJECT_EMPTY;\n}\n",
    "docs/functions.md": "| `hex(x)` | digits |\n",
    "docs/options.md": "## saltmill run JOB\n\n| `--set N=V` | fills |\n",
    "docs/rejects.md": "".join("| `%s` | |\n" % name for name in (
        "NOT_HEX", "NOT_DIGITS", "NO_MATCH", "QUALIFIER_SIZE", "empty")),
    "tests/unit/test_a.c": C + "hex(x)\nSM_E_DISK SM_E_INTERNAL SM_E_VERIFY empty\n",
    "tests/cli/run/a/cmd": "run --set a=b\n",
}

# (check, files of the tree beyond the clean ones, what must be said)
SAMPLES = [
    ("includes", {"core/b.c": C + '#include "job/j.h"\n',
                  "job/j.h": GOOD_HEADER.replace("CORE_A", "JOB_J")}, "core may not include"),
    ("includes", {"ingest/b.c": C + '#include "formats/f.h"\n',
                  "formats/f.h": GOOD_HEADER.replace("CORE_A", "FORMATS_F")},
     "ingest may not include"),
    ("includes", {"core/b.c": C + '#include "a.h"\n'}, "no file from the root"),
    ("includes", {"core/b.c": C + '#include "../core/a.h"\n'}, "no file from the root"),
    ("includes", {"core/b.c": C + '#include "core/a.c"\n'}, "is compiled, not included"),
    ("includes", {"core/b.c": C + "#include <zstd.h>\n"}, "<zstd.h> belongs to"),
    ("includes", {"core/b.c": C + "#include <pthread.h>\n"}, "<pthread.h> belongs to"),
    ("includes", {"core/b.c": C + "#include <unheard-of.h>\n"}, "is in no table"),
    ("includes", {"core/b.c": C + "void f(void)\n{\n#pragma omp parallel\n}\n"},
     "OpenMP belongs to"),
    ("includes", {"core/b.h": C + "int sm_b(void);\n"}, "no header guard"),
    ("includes", {"core/b.h": GOOD_HEADER}, "must be SM_CORE_B_H"),
    ("includes", {"core/b.c": "int sm_b;\n"}, "the first line must hold"),
    ("includes", {"tests/b.py": "#!/usr/bin/env python3\nprint()\n"}, "the first line must hold"),
    ("sizes", {"core/b.c": C + OVER % LONG_BODY}, "lines, at most 60"),
    ("sizes", {"core/b.c": C + OVER % BRANCHES}, "branches (complexity), at most 15"),
    ("sizes", {"core/b.c": C + "int f(int a, int b, int c, int d, int e, int g, int h)\n"
                               "{\n    return a;\n}\n"}, "7 parameters, at most 6"),
    ("sizes", {"core/b.c": C + "\n" * 601}, "lines, at most 600"),
    ("sizes", {"tests/lint/allow.txt": "lines core/a.c sm_a 70 no reason left\n"}, "not needed"),
    ("sizes", {"tests/lint/allow.txt": "lines core/a.c sm_a 70\n"}, "expected: CHECK FILE"),
    ("sizes", {"core/b.c": C + OVER % LONG_BODY,
               "tests/lint/allow.txt": "lines core/b.c sm_x 62 a hot loop\n"}, "lines, at most 60"),
    ("sizes", {"core/b.c": C + OVER % LONG_BODY,
               "tests/lint/allow.txt": "lines core/b.c sm_x 70 a hot loop\n"}, None),
    ("calls", {"core/b.c": C + "void *f(void)\n{\n    return malloc(1);\n}\n"}, "malloc() belongs"),
    ("calls", {"core/mem.c": C + "void *f(void)\n{\n    return malloc(1);\n}\n"}, None),
    ("calls", {"job/b.c": C + "int f(void)\n{\n    return rename(0, 0);\n}\n"}, "rename() belongs"),
    ("calls", {"core/b.c": C + "void f(void)\n{\n    pthread_exit(0);\n}\n"}, "pthread_exit()"),
    ("calls", {"core/b.c": C + "int f(void)\n{\n    return atoi(0);\n}\n"}, "atoi() belongs"),
    ("calls", {"job/b.c": C + "void f(void)\n{\n    exit(1);\n}\n"}, "exit() belongs"),
    ("calls", {"cli/main.c": C + "void f(void)\n{\n    exit(1);\n}\n"}, None),
    ("calls", {"job/b.c": C + "void f(void)\n{\n    assert(1);\n}\n"}, "assert() belongs"),
    ("calls", {"job/b.c": C + "void f(void)\n{\n    printf(0);\n}\n"}, "printf() belongs"),
    ("calls", {"core/b.c": C + "static int count;\n"}, "count lives"),
    ("calls", {"core/b.c": C + "int sm_count = 3;\n"}, "sm_count lives"),
    ("calls", {"core/b.c": C + "static const char *name = 0;\n"}, "name lives"),
    ("calls", {"core/b.c": C + "static int table[] = {1, 2};\n"}, "table lives"),
    ("calls", {"core/b.c": C + "static int (*hook)(int);\n"}, "hook lives"),
    ("calls", {"core/b.c": C + "_Thread_local struct pair *p;\n"}, "p lives"),
    ("calls", {"core/b.c": C + "int f(void)\n{\n    static int n;\n    return n++;\n}\n"},
     "n lives"),
    ("calls", {"core/b.c": C + "static int count;\n",
               "tests/lint/allow.txt": "global core/b.c count - only in test builds\n"}, None),
    ("calls", {"docs/a.md": "TO" + "DO: write this\n"}, "finish it"),
    ("calls", {"docs/a.md": "see /wo" + "rk/main\n"}, "a path of one machine"),
    ("calls", {"docs/a.md": "from py" + "pi.org\n"}, "a registry's host"),
]

SAMPLES += [("tables", {**TABLES, **changed}, said) for changed, said in (
    ({"docs/functions.md": ""}, "hex has no line"),
    ({"tests/unit/test_a.c": C + "SM_E_DISK empty\n"}, "hex is called by no test"),
    ({"docs/options.md": ""}, "--set has no line"),
    ({"tests/cli/run/a/cmd": "run\n"}, "--set is given by no test"),
    ({"docs/rejects.md": ""}, "empty has no line"),
    ({"core/a.c": GOOD_SOURCE}, "empty is given by no source"),
    ({"tests/unit/test_a.c": C + "hex(x) SM_E_DISK\n"}, "empty is met by no test"),
    ({"tests/unit/test_a.c": C + "hex(x) empty\n"}, "SM_E_DISK is met by no test"),
)]


def write_tree(folder, files):
    for path, text in files.items():
        full = os.path.join(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


def outcome(check, files):
    with tempfile.TemporaryDirectory() as folder:
        write_tree(folder, {"core/a.h": GOOD_HEADER, "core/a.c": GOOD_SOURCE, **files})
        command = [sys.executable, os.path.join(HERE, "check_%s.py" % check), "--root", folder]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


# (path, its bad text, the findings of all.sh that must come)
WHOLE = [
    ("core/b.c", C + "int f(void);\nint f(void) { return 1; }\n", "lint format:"),
    ("b.sh", "#!/usr/bin/env bash\n# SPDX-License-Identifier: Apache-2.0\ncd $1\n", "lint shell:"),
    ("b.py", "# SPDX-License-Identifier: Apache-2.0\ndef f(:\n", "lint python:"),
]


def whole_run(path, text):
    """all.sh itself in a tree of its own, for the tools that it calls; the checks of this folder
    have had their turn above."""
    with tempfile.TemporaryDirectory() as folder:
        write_tree(folder, {"core/a.h": GOOD_HEADER, "core/a.c": GOOD_SOURCE, path: text})
        os.makedirs(os.path.join(folder, "tests"))
        os.makedirs(os.path.join(folder, "build"))
        shutil.copytree(HERE, os.path.join(folder, "tests", "lint"))
        shutil.copy(os.path.join(HERE, "..", "..", ".clang-format"), folder)
        os.remove(os.path.join(folder, "tests", "lint", "selftest.py"))
        os.symlink(os.path.dirname(os.path.dirname(sys.executable)),
                   os.path.join(folder, "build", "venv"))
        write_tree(folder, {"tests/lint/selftest.py": "", "tests/lint/allow.txt": ""})
        subprocess.run(["git", "init", "-q", folder], check=True)
        write_tree(folder, {".git/info/exclude": "/build\n"})
        return subprocess.run(["bash", "tests/lint/all.sh"], cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main():
    failed = 0
    samples = SAMPLES + [(check, {}, None) for check in ("includes", "sizes", "calls")]
    for check, files, said in samples:
        run = outcome(check, files)
        good = run.returncode == 0 and not run.stdout if said is None else \
            run.returncode == 1 and said in run.stdout
        if not good:
            failed += 1
            print("check_%s.py on %s: expected %r, exit %d:\n%s" % (
                check, sorted(files), said, run.returncode, run.stdout))
    for path, text, said in WHOLE:
        run = whole_run(path, text)
        if run.returncode == 0 or said not in run.stdout:
            failed += 1
            print("all.sh on %s: expected %r, exit %d:\n%s" % (path, said, run.returncode, run.stdout))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
