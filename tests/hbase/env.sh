# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# Sourced by every script here: where the jars, the classes and the server's folder are, and how Java is
# called. Nothing is started or written here.
#
#   SALTMILL_CACHE       parent of the jar cache                    (default ~/.cache/saltmill)
#   SALTMILL_HBASE_DIR   configuration, data and log of the server  (default build/hbase in the checkout)
#   SALTMILL_HBASE_PORT  first of the ports: master +0, region server +20, ZooKeeper +40  (default 23600)

judge_src=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
judge_root=$(cd "$judge_src/../.." && pwd)
judge_cache=${SALTMILL_CACHE:-$HOME/.cache/saltmill}/hbase
judge_dir=${SALTMILL_HBASE_DIR:-$judge_root/build/hbase}
case $judge_dir in /*) ;; *) judge_dir=$PWD/$judge_dir ;; esac
judge_port=${SALTMILL_HBASE_PORT:-23600}

# Java 17 closes the three packages that HBase's buffers and RPC reach into.
judge_java=(
    --add-opens=java.base/java.lang=ALL-UNNAMED
    --add-opens=java.base/java.nio=ALL-UNNAMED
    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
)
judge_classpath="$judge_dir/conf:$judge_cache/classes:$judge_cache/lib/*"

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
die() { say "$*"; exit 1; }

need_setup() {
    if [ ! -f "$judge_cache/lib.stamp" ] || [ ! -f "$judge_cache/classes.stamp" ]; then
        die "the HBase jars aren't in $judge_cache: run tests/hbase/setup.sh first"
    fi
}
