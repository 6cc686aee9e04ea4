#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Puts JRuby into CACHE/jruby, outside the checkout. A second run does nothing.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../env.sh
. "$(dirname "$0")/../env.sh"
# shellcheck source-path=SCRIPTDIR source=../stamp.sh
. "$judge_src/stamp.sh"

ruby_cache=$(dirname "$judge_cache")/jruby

mkdir -p "$ruby_cache"
exec 9>"$ruby_cache/lock"
flock 9
copy_jars "$judge_src/jruby" "$ruby_cache" "JRuby" "about 28 MB"
