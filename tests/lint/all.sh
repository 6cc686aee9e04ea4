#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every check of form, one line for each that fails and its findings below; ends with
# "N passed, N failed". Called by `./dev lint`, which makes build/venv first.
# `all.sh --fix` lets clang-format rewrite the C files instead.

set -euo pipefail
cd "$(dirname "$0")/../.."

venv=build/venv/bin
passed=0
failed=0

listed() {
    git ls-files -z --cached --others --exclude-standard -- "$@"
}

check() {
    local name=$1
    shift
    local output
    if output=$("$@" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'lint %s:\n%s\n' "$name" "$output"
    fi
}

existing() {
    local path
    while IFS= read -r -d '' path; do
        if [ -f "$path" ]; then
            printf '%s\0' "$path"
        fi
    done
}

c_files() {
    listed '*.c' '*.h' | existing
}

# Files that say in their first line that a shell runs them.
shell_files() {
    listed | existing | while IFS= read -r -d '' path; do
        if LC_ALL=C head -c 64 "$path" | tr -d '\0' | head -n 1 | grep -Eq '^#!.*\b(ba)?sh$'; then
            printf '%s\0' "$path"
        fi
    done
}

# Names only: `--fix` shows the rest.
format() {
    local found
    found=$(c_files | xargs -0 -r "$venv/clang-format" --dry-run 2>&1 |
        sed -n 's/^\([^ :]*\):\([0-9]*\):.*clang-format-violations.*/\1/p' | sort | uniq -c)
    if [ -n "$found" ]; then
        echo "lines that clang-format would change, by file (./dev lint --fix does):"
        echo "$found"
        return 1
    fi
}

shell() {
    shell_files | xargs -0 -r shellcheck -x --source-path=SCRIPTDIR
}

python() {
    listed '*.py' | existing | PYTHONPYCACHEPREFIX=build/pycache xargs -0 -r "$venv/python" -m py_compile
}

if [ "${1:-}" = --fix ]; then
    c_files | xargs -0 -r "$venv/clang-format" -i
    exit 0
fi

check format format
check includes "$venv/python" tests/lint/check_includes.py
check sizes "$venv/python" tests/lint/check_sizes.py
check calls "$venv/python" tests/lint/check_calls.py
check selftest "$venv/python" tests/lint/selftest.py
check reference "$venv/python" tools/make_reference.py --check
check tables "$venv/python" tests/lint/check_tables.py
check shell shell
check python python

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
