// SPDX-License-Identifier: Apache-2.0
// Golden vectors of OpenTSDB's rows and cells, from its own classes and without a server, as lines of
// tests/vectors/key_opentsdb.tsv: use, caller (hex), start (ms), duration, cost (bits), expression, expected (hex).
// The dictionary of the unit test has the name "idHHHHHH" for the id HHHHHH.
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import net.opentsdb.core.Internal;
import net.opentsdb.core.RowKey;
import net.opentsdb.core.TSDB;
import net.opentsdb.uid.UniqueId;
import net.opentsdb.utils.Config;

public final class OpenTsdbVectors {
    private static final int[] IDS = {1, 2, 7, 0x7f, 0x80, 0xff, 0x100, 0xfffe, 0x7f8081, 0x800000, 0xfffffe, 0xffffff};
    private static final Random RANDOM = new Random(7);

    private OpenTsdbVectors() {
    }

    private static void row(String use, String caller, long start, long duration, double cost, String expression, byte[] expected) {
        System.out.println(String.join("\t", use, hex(caller.getBytes()), Long.toString(start), Long.toString(duration),
            String.format("%016x", Double.doubleToRawLongBits(cost)), expression, hex(expected)));
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(String.format("%02x", b));
        }
        return text.toString();
    }

    private static String name(int id) {
        return String.format("id%06x", id);
    }

    private static TSDB open(int buckets) throws Exception {
        Config config = new Config(false);
        config.overrideConfig("tsd.storage.hbase.zk_quorum", "127.0.0.1:1");
        config.overrideConfig("tsd.storage.salt.width", buckets == 0 ? "0" : "1");
        config.overrideConfig("tsd.storage.salt.buckets", Integer.toString(Math.max(buckets, 1)));
        return new TSDB(config);
    }

    private static void rowKey(TSDB tsdb, int buckets, long start) {
        int metric = IDS[RANDOM.nextInt(IDS.length)];
        List<Integer> tags = new ArrayList<>();
        for (int id : IDS) {
            tags.add(id);
        }
        Collections.shuffle(tags, RANDOM);
        tags = tags.subList(0, 1 + RANDOM.nextInt(8));
        List<Integer> written = new ArrayList<>(tags);
        Collections.sort(tags);
        StringBuilder tsuid = new StringBuilder(String.format("%06x", metric));
        int[] values = new int[tags.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = IDS[RANDOM.nextInt(IDS.length)];
            tsuid.append(String.format("%06x%06x", tags.get(i), values[i]));
        }
        StringBuilder call = new StringBuilder("tsdb_tags(");
        for (int tag : written) {
            call.append('"').append(name(tag)).append("\", \"").append(name(values[tags.indexOf(tag)])).append("\", ");
        }
        call.append("keys: \"names\", values: \"names\")");
        String salt = buckets == 0 ? "" : "salt_byte(" + buckets + ", uid(caller, 3, \"names\"), " + call + ", hash: opentsdb) + ";
        row("key", name(metric), start, 0, 0, salt + "uid(caller, 3, \"names\") + ts32(floor_ts(start, 1h)) + " + call,
            RowKey.rowKeyFromTSUID(tsdb, UniqueId.stringToUid(tsuid.toString()), start / 1000));
    }

    private static void cell(long start, long number) {
        byte[] value = Internal.vleEncodeLong(number);
        row("cell", "a", start, number, 0, "tsdb_value(duration)", value);
        short flags = (short) (value.length - 1);
        row("cell", "a", start, number, 0, "tsdb_qualifier(start, duration)",
            Internal.buildQualifier(start % 1000 == 0 ? start / 1000 : start, flags));
        row("cell", "a", start, number, 0, "tsdb_qualifier(start, duration, unit: s)",
            Internal.buildQualifier(start / 1000, flags));
    }

    private static void cell(long start, double number) {
        boolean narrow = net.opentsdb.core.Tags.fitsInFloat(Double.toString(number));
        short flags = (short) (net.opentsdb.core.Const.FLAG_FLOAT | (narrow ? 3 : 7));
        byte[] value = narrow ? org.hbase.async.Bytes.fromInt(Float.floatToRawIntBits((float) number))
            : org.hbase.async.Bytes.fromLong(Double.doubleToRawLongBits(number));
        row("cell", "a", start, 0, number, "tsdb_value(cost)", value);
        row("cell", "a", start, 0, number, "tsdb_qualifier(start, cost)",
            Internal.buildQualifier(start % 1000 == 0 ? start / 1000 : start, flags));
    }

    // What is salted: metric and tags without the base time between them. A metric of zeros is OpenTSDB's row of global
    // annotations, which has no salt.
    private static void salt(int buckets, byte[] metricAndTags) {
        byte[] rowKey = new byte[1 + metricAndTags.length + 4];
        System.arraycopy(metricAndTags, 0, rowKey, 1, 3);
        System.arraycopy(metricAndTags, 3, rowKey, 8, metricAndTags.length - 3);
        RowKey.prefixKeyWithSalt(rowKey);
        System.out.println(String.join("\t", "key", hex(metricAndTags), "1631419945000", "0", "0000000000000000",
            "salt_byte(" + buckets + ", caller, hash: opentsdb)", hex(Arrays.copyOf(rowKey, 1))));
    }

    private static void salts() throws Exception {
        for (int buckets : new int[] {1, 2, 20, 127, 128, 129, 255, 256}) {
            open(buckets);
            for (int length = 3; length < 40; length += 6) {
                for (int fill : new int[] {0, 0x7f, 0x80, 0xff}) {
                    byte[] bytes = new byte[length];
                    Arrays.fill(bytes, (byte) fill);
                    bytes[2] = fill == 0 ? 1 : bytes[2];
                    salt(buckets, bytes);
                }
                byte[] bytes = new byte[length];
                RANDOM.nextBytes(bytes);
                salt(buckets, bytes);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        // From 2001 on: OpenTSDB takes an earlier ms time for one in seconds.
        long[] starts = {1000000000000L, 1631419945000L, 1631419945001L, 1631419945999L, 1631421599999L, 1631419200000L,
            4294965599000L, 4102444799123L};
        for (int buckets : new int[] {0, 1, 2, 3, 20, 127}) {
            TSDB tsdb = open(buckets);
            for (int i = 0; i < 40; i++) {
                rowKey(tsdb, buckets, starts[RANDOM.nextInt(starts.length)]);
            }
        }
        long[] numbers = {0, 1, -1, 127, 128, -128, -129, 32767, 32768, -32768, -32769, Integer.MAX_VALUE, Integer.MIN_VALUE,
            Integer.MAX_VALUE + 1L, Integer.MIN_VALUE - 1L, Long.MAX_VALUE, Long.MIN_VALUE};
        double[] reals = {0.5, -0.5, 0.1, 2.25, 1e300, -1e-300, 16777217.0, 16777216.0, 3.4e38, -0.0, 1.0 / 3, 1e-46};
        for (long start : starts) {
            for (long number : numbers) {
                cell(start, number);
            }
            for (double number : reals) {
                cell(start, number);
            }
        }
        salts();
        System.out.flush();
        System.exit(0);
    }
}
