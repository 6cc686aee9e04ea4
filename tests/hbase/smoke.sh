#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# smoke.sh [ROWS]: does the judge itself work? HBase writes HFiles for ten regions, the server loads them, and every
# command is tried on them, the bad verdicts too. Leaves the server as it found it: stopped, unless it ran before.
# Exit 0 if all held.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=env.sh
# shellcheck source=env.sh
. "$(dirname "$0")/env.sh"

rows=${1:-20000}
"$judge_src/setup.sh"
was_running=yes
"$judge_src/server.sh" status >/dev/null || was_running=no
work=$(mktemp -d)
finish() {
    rm -rf "$work"
    if [ "$was_running" = no ]; then "$judge_src/server.sh" stop; fi
}
trap finish EXIT

"$judge_src/server.sh" start
"$judge_root/tests/hbase/smoke.py" "$work" "$rows"
