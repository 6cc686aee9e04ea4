// SPDX-License-Identifier: Apache-2.0
// A real OpenTSDB reads back: every series of a metric (aggregator "none"), or its sums and counts by OpenTSDB's own
// aggregation. Prints "point METRIC {k=v,...} MS NUMBER" a line; for "uid", what the names' ids are; for "assign",
// which id OpenTSDB gives to a new name.
//
//   OpenTsdbQuery ZOOKEEPER SALT_BUCKETS query START_MS END_MS METRIC [AGGREGATOR [TAG=VALUE ...]]
//   OpenTsdbQuery ZOOKEEPER SALT_BUCKETS uid metric|tagk|tagv NAME ...
//   OpenTsdbQuery ZOOKEEPER SALT_BUCKETS assign metric|tagk|tagv NAME ...
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import net.opentsdb.core.DataPoint;
import net.opentsdb.core.DataPoints;
import net.opentsdb.core.Query;
import net.opentsdb.core.TSDB;
import net.opentsdb.core.TSQuery;
import net.opentsdb.core.TSSubQuery;
import net.opentsdb.uid.UniqueId;
import net.opentsdb.utils.Config;

public final class OpenTsdbQuery {
    private static final long WAIT_MS = 60000;

    private OpenTsdbQuery() {
    }

    private static TSDB open(String zookeeper, int buckets) throws Exception {
        Config config = new Config(false);
        config.overrideConfig("tsd.storage.hbase.zk_quorum", zookeeper);
        config.overrideConfig("tsd.core.auto_create_metrics", "true");
        config.overrideConfig("tsd.storage.enable_compaction", "false");
        config.overrideConfig("tsd.storage.salt.width", buckets == 0 ? "0" : "1");
        config.overrideConfig("tsd.storage.salt.buckets", Integer.toString(Math.max(buckets, 1)));
        TSDB tsdb = new TSDB(config);
        tsdb.checkNecessaryTablesExist().joinUninterruptibly(WAIT_MS);
        return tsdb;
    }

    private static void query(TSDB tsdb, String[] a) throws Exception {
        TSQuery query = new TSQuery();
        query.setStart(a[3]);
        query.setEnd(a[4]);
        query.setMsResolution(true);
        TSSubQuery sub = new TSSubQuery();
        sub.setMetric(a[5]);
        sub.setAggregator(a.length > 6 ? a[6] : "none");
        HashMap<String, String> tags = new HashMap<>();
        for (int i = 7; i < a.length; i++) {
            int at = a[i].indexOf('=');
            tags.put(a[i].substring(0, at), a[i].substring(at + 1));
        }
        sub.setTags(tags);
        query.setQueries(new ArrayList<>(List.of(sub)));
        query.validateAndSetQuery();
        for (Query q : query.buildQueries(tsdb)) {
            for (DataPoints series : q.runAsync().joinUninterruptibly(WAIT_MS)) {
                Map<String, String> sorted = new TreeMap<>(series.getTags());
                for (DataPoint p : series) {
                    System.out.println("point\t" + series.metricName() + "\t" + sorted + "\t" + p.timestamp() + "\t"
                        + (p.isInteger() ? Long.toString(p.longValue()) : Double.toString(p.doubleValue())));
                }
            }
        }
    }

    private static UniqueId.UniqueIdType type(String name) {
        return UniqueId.stringToUniqueIdType(name);
    }

    // OpenTSDB's threads would keep a failed program alive.
    public static void main(String[] a) {
        try {
            run(a);
            System.exit(0);
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void run(String[] a) throws Exception {
        TSDB tsdb = open(a[0], Integer.parseInt(a[1]));
        if (a[2].equals("query")) {
            query(tsdb, a);
        } else {
            for (String name : Arrays.copyOfRange(a, 4, a.length)) {
                byte[] id = a[2].equals("assign") ? tsdb.assignUid(a[3].equals("metric") ? "metric" : a[3], name)
                    : tsdb.getUID(type(a[3]), name);
                System.out.println("uid\t" + name + "\t" + UniqueId.uidToString(id) + "\t"
                    + tsdb.getUidName(type(a[3]), id).joinUninterruptibly(WAIT_MS));
            }
        }
        System.out.flush();
        tsdb.shutdown().joinUninterruptibly(WAIT_MS);
    }
}
