#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# importtsv.sh FILE [RUNS]: times HBase's stock ImportTsv, bulk output by local MapReduce (2 maps, 2 reduces at a
# time), for a table of ten regions over salts 000-299 with ZSTD and a ROW bloom filter. FILE has the row key first and
# then four columns. Prints wall and CPU seconds, the peak RSS of the Java process and the bytes of the HFiles, per run.
#
#   SEPARATOR    one character (default a tab)
#   TSV_COLUMNS  default HBASE_ROW_KEY,f:b,f:d,f:t,f:c
#   KEEP         a folder that receives the HFiles of the last run
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=env.sh
# shellcheck source=env.sh
. "$(dirname "$0")/env.sh"

[ $# -ge 1 ] || die "usage: importtsv.sh FILE [RUNS]"
input=$(readlink -f "$1")
[ -f "$input" ] || die "no such file: $1"
runs=${2:-1}
"$judge_src/setup.sh"

was_running=yes
"$judge_src/server.sh" status >/dev/null || was_running=no
work=$judge_dir/importtsv
table=importtsv_$$
finish() {
    "$judge_src/judge.sh" drop "$table" 2>/dev/null || true
    rm -rf "$work"
    if [ "$was_running" = no ]; then "$judge_src/server.sh" stop; fi
}
trap finish EXIT

"$judge_src/server.sh" start
rm -rf "$work"
mkdir -p "$work"
for salt in 030 060 090 120 150 180 210 240 270; do echo "$salt"; done >"$work/splits"
"$judge_src/judge.sh" create "$table" --splits "$work/splits" --family f:ZSTD:ROW >/dev/null

# The local job runner needs more of Java opened than the server does.
job=(java -Xmx4g "${judge_java[@]}"
    --add-opens=java.base/java.lang.reflect=ALL-UNNAMED
    --add-opens=java.base/java.util=ALL-UNNAMED
    -cp "$judge_classpath" org.apache.hadoop.hbase.mapreduce.ImportTsv
    -Dimporttsv.separator="${SEPARATOR:-$'\t'}"
    -Dimporttsv.columns="${TSV_COLUMNS:-HBASE_ROW_KEY,f:b,f:d,f:t,f:c}"
    -Dimporttsv.bulk.output="file://$work/out"
    -Dhadoop.tmp.dir="$work/tmp"
    -Dmapreduce.local.map.tasks.maximum=2
    -Dmapreduce.local.reduce.tasks.maximum=2
    -Dmapreduce.task.io.sort.mb=512
    "$table" "file://$input")

cat "$input" >/dev/null
for ((run = 1; run <= runs; run++)); do
    rm -rf "$work/out" "$work/tmp"
    if ! python3 - "$work/log" "${job[@]}" <<'PYTHON'; then
import os, sys, time

log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
began = time.monotonic()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ,
                      file_actions=[(os.POSIX_SPAWN_DUP2, log, 1), (os.POSIX_SPAWN_DUP2, log, 2)])
_, status, used = os.wait4(pid, 0)
print("wall_s %.2f cpu_s %.2f max_rss_mib %d" % (time.monotonic() - began, used.ru_utime + used.ru_stime,
                                                 used.ru_maxrss // 1024), end="", flush=True)
sys.exit(0 if status == 0 else 1)
PYTHON
        echo
        tail -n 30 "$work/log" >&2
        die "ImportTsv failed"
    fi
    find "$work/out" -type f ! -name '.*' ! -name '_*' -printf '%s\n' |
        awk '{ bytes += $1; files++ } END { printf " bytes %d files %d\n", bytes, files }'
done
if [ -n "${KEEP:-}" ]; then
    mkdir -p "$KEEP"
    cp -r "$work/out/." "$KEEP/"
fi
