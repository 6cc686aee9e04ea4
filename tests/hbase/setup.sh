#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Puts HBase's jars and the compiled judge into the cache folder, outside the checkout:
#   CACHE/hbase/lib       what pom.xml resolves to, copied by Maven
#   CACHE/hbase/classes   the Java sources of this folder
# Each has a stamp with a hash of what it was made from, so a second run does nothing.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=env.sh
# shellcheck source=env.sh
. "$(dirname "$0")/env.sh"

# shellcheck source-path=SCRIPTDIR source=stamp.sh
. "$judge_src/stamp.sh"

compile_judge() {
    local want
    want=$(hash_of "$judge_cache/lib.stamp" "$judge_src"/*.java "$judge_src/log4j.properties" "$judge_src/hbase-site.xml")
    if stamped "$judge_cache/classes.stamp" "$want"; then
        return
    fi
    need_tool javac openjdk-17-jdk-headless
    rm -rf "$judge_cache/classes.new" "$judge_cache/classes.stamp"
    mkdir -p "$judge_cache/classes.new"
    javac -nowarn -XDsuppressNotes -encoding UTF-8 -proc:none -cp "$judge_cache/lib/*" \
        -d "$judge_cache/classes.new" "$judge_src"/*.java
    cp "$judge_src/log4j.properties" "$judge_src/hbase-site.xml" "$judge_cache/classes.new/"
    rm -rf "$judge_cache/classes"
    mv "$judge_cache/classes.new" "$judge_cache/classes"
    printf '%s\n' "$want" >"$judge_cache/classes.stamp"
}

need_tool java openjdk-17-jdk-headless
mkdir -p "$judge_cache"
# Two test runs at once must not copy over each other.
exec 9>"$judge_cache/lock"
flock 9
copy_jars "$judge_src" "$judge_cache" "HBase's jars" "about 120 MB"
compile_judge
