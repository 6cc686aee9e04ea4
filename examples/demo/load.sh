#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Loads a published dataset into HBase, from a machine that has the `hdfs` and `hbase` commands.
#
# usage: load.sh [--print] [--owner USER] DATASET [STAGING]
#
#   DATASET   the folder that holds _manifest.json
#   STAGING   folder in HDFS that the files are copied to first (default /tmp/saltmill)
#   --print   only shows the commands
#   --owner   gives the copies to this user, usually hbase; needs an HDFS superuser
#
# The tables must exist, with the splits that the dataset was made for: a file that would have to be
# split makes the load fail instead. Two tables do not load as one step: run this again after a failure,
# loading the same files twice changes nothing. Run `saltmill verify DATASET` first.

set -euo pipefail

usage() {
    sed -n '/^# usage/,/^# The tables/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
    exit 2
}

print=
owner=
while [ "$#" -gt 0 ]; do
    case "$1" in
        --print) print=yes ;;
        --owner)
            [ "$#" -ge 2 ] || usage
            owner=$2
            shift
            ;;
        -*) usage ;;
        *) break ;;
    esac
    shift
done
if [ "$#" -lt 1 ] || [ "$#" -gt 2 ]; then
    usage
fi

dataset=${1%/}
staging=${2:-/tmp/saltmill}/$(basename "$dataset")

if [ ! -f "$dataset/_manifest.json" ]; then
    echo "load.sh: $dataset/_manifest.json is not there; only a published dataset can be loaded" >&2
    exit 1
fi

do_it() {
    if [ -n "$print" ]; then
        printf '%q ' "$@" | sed 's/ $//'
        echo
    else
        "$@"
    fi
}

# TABLE or NAMESPACE/TABLE for each table that has files: the loader takes an empty one for an error.
tables() {
    (cd "$dataset" && find . -mindepth 3 -type f) | sed 's,^\./,,; s,/[^/]*/[^/]*$,,' |
        LC_ALL=C sort -u
}

# Under a temporary name until all of it is there.
do_it hdfs dfs -mkdir -p "$(dirname "$staging")"
do_it hdfs dfs -rm -r -f -skipTrash "$staging.copying"
do_it hdfs dfs -put "$dataset" "$staging.copying"
do_it hdfs dfs -chmod -R a+rX "$staging.copying"
if [ -n "$owner" ]; then
    do_it hdfs dfs -chown -R "$owner" "$staging.copying"
fi
do_it hdfs dfs -rm -r -f -skipTrash "$staging"
do_it hdfs dfs -mv "$staging.copying" "$staging"

while IFS= read -r table; do
    do_it hbase completebulkload -Dcreate.table=no -Dalways.copy.files=true \
        -Dhbase.loadincremental.fail.if.need.split.hfile=true \
        "$staging/$table" "${table//\//:}" </dev/null
done < <(tables)
