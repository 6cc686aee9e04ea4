#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# server.sh start|stop|status: one standalone HBase on loopback, with ports and a data folder of its own.
# 'start' begins with an empty data folder and returns once a table could be made and dropped; 'stop' asks,
# waits, then kills: nothing in the folder is worth keeping. See env.sh for the settings.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=env.sh
# shellcheck source=env.sh
. "$(dirname "$0")/env.sh"

pid_file=$judge_dir/server.pid
log_file=$judge_dir/server.log
marker=-Dsaltmill.hbase.dir=$judge_dir
start_wait_s=120
stop_wait_s=10

# Prints the pid if it is alive and really is our server: a pid alone may have been given to someone else.
running_pid() {
    local pid
    [ -f "$pid_file" ] || return 1
    pid=$(cat "$pid_file")
    [ -r "/proc/$pid/cmdline" ] || return 1
    tr '\0' '\n' <"/proc/$pid/cmdline" | grep -xF -e "$marker" >/dev/null || return 1
    printf '%s\n' "$pid"
}

port_taken() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

xml_text() {
    sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g' <<<"$1"
}

property() { # NAME VALUE
    printf '  <property><name>%s</name><value>%s</value></property>\n' "$1" "$(xml_text "$2")"
}

write_site() {
    {
        printf '<?xml version="1.0"?>\n<configuration>\n'
        property hbase.rootdir "file://$judge_dir/data/hbase"
        property hbase.tmp.dir "$judge_dir/data/tmp"
        property hadoop.tmp.dir "$judge_dir/data/tmp"
        property hbase.cluster.distributed false
        # A local file system has no hflush; data here is thrown away.
        property hbase.unsafe.stream.capability.enforce false
        property hbase.wal.provider filesystem

        # Everything on loopback, at ports that are ours. By default a standalone server draws random ones.
        property hbase.localcluster.assign.random.ports false
        property hbase.master.hostname localhost
        property hbase.master.ipc.address 127.0.0.1
        property hbase.master.port "$judge_port"
        property hbase.master.info.port -1
        property hbase.regionserver.hostname localhost
        property hbase.regionserver.ipc.address 127.0.0.1
        property hbase.regionserver.port $((judge_port + 20))
        property hbase.regionserver.info.port -1
        property hbase.zookeeper.quorum localhost
        property hbase.zookeeper.property.clientPort $((judge_port + 40))
        property hbase.zookeeper.property.dataDir "$judge_dir/data/zk"

        # A machine busy with a build must not make the region server lose its session.
        property hbase.zookeeper.property.maxSessionTimeout 180000
        property zookeeper.session.timeout 120000
        property zookeeper.session.timeout.localHBaseCluster 120000

        property hbase.io.compress.zstd.codec org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec
        property hbase.io.compress.snappy.codec org.apache.hadoop.hbase.io.compress.xerial.SnappyCodec
        property hbase.io.compress.lz4.codec org.apache.hadoop.hbase.io.compress.lz4.Lz4Codec

        # Compactions only when a test asks: by default three files in a store are enough to start one, which, as it
        # takes all files, counts as a major one.
        property hbase.hstore.compaction.min 1000
        property hbase.hregion.majorcompaction 0

        # Files replaced by a compaction leave their folder at once, so that 'compact' can wait for it.
        property hbase.hfile.compaction.discharger.interval 1000
        property hbase.regionserver.handler.count 10
        printf '</configuration>\n'
    } >"$judge_dir/conf/hbase-site.xml"
}

start() {
    local pid port
    need_setup
    if pid=$(running_pid); then
        say "already running, pid $pid"
        return
    fi
    for port in "$judge_port" $((judge_port + 20)) $((judge_port + 40)); do
        if port_taken "$port"; then
            die "port $port is in use: stop what holds it, or set SALTMILL_HBASE_PORT to another base"
        fi
    done
    rm -rf "$judge_dir/data"
    mkdir -p "$judge_dir/conf" "$judge_dir/data"
    write_site
    # A session of its own: an interrupt typed at the tests must not reach the server.
    setsid java "${judge_java[@]}" -Xmx1g "$marker" -Dhbase.log.dir="$judge_dir" -cp "$judge_classpath" \
        org.apache.hadoop.hbase.master.HMaster start </dev/null >"$log_file" 2>&1 9>&- &
    pid=$!
    printf '%s\n' "$pid" >"$pid_file"
    if ! "$judge_src/judge.sh" ping --wait "$start_wait_s" --pid "$pid" >"$judge_dir/ping.log" 2>&1; then
        say "HBase didn't serve within $start_wait_s s; the end of $log_file:"
        tail -n 40 "$log_file" >&2
        say "and of the ping:"
        tail -n 10 "$judge_dir/ping.log" >&2
        stop
        exit 1
    fi
    tail -n 1 "$judge_dir/ping.log" >&2
}

stop() {
    local pid waited
    if ! pid=$(running_pid); then
        rm -f "$pid_file"
        return
    fi
    kill "$pid" 2>/dev/null || true
    for ((waited = 0; waited < stop_wait_s * 5; waited++)); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.2
    done
    if kill -0 "$pid" 2>/dev/null; then
        kill -9 "$pid" 2>/dev/null || true
        while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    fi
    rm -f "$pid_file"
}

status() {
    local pid
    if pid=$(running_pid); then
        printf 'running, pid %s, ports %s %s %s, folder %s\n' "$pid" "$judge_port" \
            $((judge_port + 20)) $((judge_port + 40)) "$judge_dir"
    else
        printf 'not running\n'
        return 1
    fi
}

case ${1:-} in
start | stop | status) "$1" ;;
*) die "usage: server.sh start|stop|status" ;;
esac
