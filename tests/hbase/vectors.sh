#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# vectors.sh FOLDER: writes the golden vectors there (the checkout's are in tests/vectors).
# vectors.sh --check: exit 0 if those of the checkout are what HBase's and Java's classes answer today.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=env.sh
# shellcheck source=env.sh
. "$(dirname "$0")/env.sh"
"$judge_src/setup.sh"

make_vectors() {
    java "${judge_java[@]}" -Xmx256m -cp "$judge_cache/classes:$judge_cache/lib/*" saltmill.judge.Vectors "$1"
}

case ${1:-} in
'') die "usage: vectors.sh FOLDER | --check" ;;
--check)
    fresh=$(mktemp -d)
    trap 'rm -rf "$fresh"' EXIT
    make_vectors "$fresh"
    for file in "$fresh"/*.tsv; do
        cmp "$file" "$judge_root/tests/vectors/$(basename "$file")"
    done
    ;;
*) make_vectors "$1" ;;
esac
