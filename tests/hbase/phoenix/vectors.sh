#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# vectors.sh: prints tests/vectors/key_phoenix.tsv, as Phoenix's own classes answer. HBase's jars come from
# ../setup.sh; Phoenix's and the compiled program go into CACHE/phoenix, outside the checkout.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../env.sh
. "$(dirname "$0")/../env.sh"
# shellcheck source-path=SCRIPTDIR source=../stamp.sh
. "$judge_src/stamp.sh"
"$judge_src/setup.sh"

phoenix_src=$judge_src/phoenix
phoenix_cache=$(dirname "$judge_cache")/phoenix
classpath="$phoenix_cache/classes:$phoenix_cache/lib/*:$judge_cache/lib/*"

mkdir -p "$phoenix_cache"
exec 9>"$phoenix_cache/lock"
flock 9
copy_jars "$phoenix_src" "$phoenix_cache" "Phoenix's jars" "about 8 MB"
need_tool javac openjdk-17-jdk-headless
rm -rf "$phoenix_cache/classes"
mkdir -p "$phoenix_cache/classes"
javac -nowarn -encoding UTF-8 -proc:none -cp "$classpath" -d "$phoenix_cache/classes" "$phoenix_src"/*.java
java "${judge_java[@]}" -Xmx256m -cp "$classpath" PhoenixVectors
