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

need_tool() { # TOOL PACKAGE
    command -v "$1" >/dev/null ||
        die "'$1' not found: install the Debian package $2 (./dev setup does: maven, openjdk-17-jdk-headless)"
}

# Names and sizes, so that a jar that is gone or cut short is noticed.
list_of() { # FOLDER
    if [ -d "$1" ]; then
        find "$1" -type f -printf '%f %s\n' | LC_ALL=C sort | sha256sum | cut -d' ' -f1
    fi
}

hash_of() { cat "$@" | sha256sum | cut -d' ' -f1; }

stamped() { # STAMP HASH
    [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]
}

copy_jars() {
    local want
    want=$(hash_of "$judge_src/pom.xml")
    if stamped "$judge_cache/lib.stamp" "$want $(list_of "$judge_cache/lib")"; then
        return
    fi
    need_tool mvn maven
    say "copying HBase's jars into $judge_cache/lib (about 120 MB, once)"
    rm -rf "${judge_cache:?}/lib" "$judge_cache/lib.new" "$judge_cache/lib.stamp"
    mkdir -p "$judge_cache/work"
    # Maven writes beside the pom it is given, so it gets a copy.
    cp "$judge_src/pom.xml" "$judge_cache/work/pom.xml"
    local try
    for try in 1 2 3; do
        if mvn -q -B -f "$judge_cache/work/pom.xml" dependency:copy-dependencies \
            -DincludeScope=runtime -DoutputDirectory="$judge_cache/lib.new"; then
            break
        fi
        [ "$try" -lt 3 ] || die "Maven couldn't copy the jars (3 attempts); its messages are above"
        say "attempt $try failed, trying again"
        sleep 5
    done
    mv "$judge_cache/lib.new" "$judge_cache/lib"
    printf '%s %s\n' "$want" "$(list_of "$judge_cache/lib")" >"$judge_cache/lib.stamp"
}

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
copy_jars
compile_judge
