# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Sourced behind env.sh by what fills the cache folder: jars by Maven, with a stamp that holds a hash of what they
# were made from, so that a second run does nothing.

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

copy_jars() { # FOLDER-WITH-POM CACHE WHAT SIZE
    local want try
    want=$(hash_of "$1/pom.xml")
    if stamped "$2/lib.stamp" "$want $(list_of "$2/lib")"; then
        return
    fi
    need_tool mvn maven
    say "copying $3 into $2/lib ($4, once)"
    rm -rf "${2:?}/lib" "$2/lib.new" "$2/lib.stamp"
    mkdir -p "$2/work"
    # Maven writes beside the pom it is given, so it gets a copy.
    cp "$1/pom.xml" "$2/work/pom.xml"
    for try in 1 2 3; do
        if mvn -q -B -f "$2/work/pom.xml" dependency:copy-dependencies \
            -DincludeScope=runtime -DoutputDirectory="$2/lib.new" >&2; then
            break
        fi
        [ "$try" -lt 3 ] || die "Maven couldn't copy the jars (3 attempts); its messages are above"
        say "attempt $try failed, trying again"
        sleep 5
    done
    mv "$2/lib.new" "$2/lib"
    printf '%s %s\n' "$want" "$(list_of "$2/lib")" >"$2/lib.stamp"
}
