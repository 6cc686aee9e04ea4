#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Puts OpenTSDB's jars and the compiled programs of this folder into CACHE/opentsdb, outside the checkout, as
# ../setup.sh does with HBase's. A second run does nothing.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../env.sh
. "$(dirname "$0")/../env.sh"
# shellcheck source-path=SCRIPTDIR source=../stamp.sh
. "$judge_src/stamp.sh"

tsdb_src=$judge_src/opentsdb
tsdb_cache=$(dirname "$judge_cache")/opentsdb

mkdir -p "$tsdb_cache"
exec 9>"$tsdb_cache/lock"
flock 9
copy_jars "$tsdb_src" "$tsdb_cache" "OpenTSDB's jars" "about 13 MB"
want=$(hash_of "$tsdb_cache/lib.stamp" "$tsdb_src"/*.java "$tsdb_src/logback.xml")
if ! stamped "$tsdb_cache/classes.stamp" "$want"; then
    need_tool javac openjdk-17-jdk-headless
    rm -rf "$tsdb_cache/classes" "$tsdb_cache/classes.stamp"
    mkdir -p "$tsdb_cache/classes"
    javac -nowarn -XDsuppressNotes -encoding UTF-8 -proc:none -cp "$tsdb_cache/lib/*" -d "$tsdb_cache/classes" \
        "$tsdb_src"/*.java
    cp "$tsdb_src/logback.xml" "$tsdb_cache/classes/"
    printf '%s\n' "$want" >"$tsdb_cache/classes.stamp"
fi
