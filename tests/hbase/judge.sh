#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# judge.sh COMMAND ...: one command of the judge in a Java process of its own; without arguments the list.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=env.sh
# shellcheck source=env.sh
. "$(dirname "$0")/env.sh"
need_setup
exec java "${judge_java[@]}" -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$judge_classpath" \
    saltmill.judge.Judge "$@"
